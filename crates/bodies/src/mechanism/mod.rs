//! Mechanisms: joints, springs and mooring lines between bodies, or between a body and the world.

mod attachment;
mod catenary;
mod definition;
mod joint;
mod line;
mod linked;
mod projection;
mod root;

pub use definition::{
    JointDefinition, JointKind, LineDefinition, LineLaw, MechanismDefinition, MooringDefinition, Motor, PairDefinition, SpringDefinition,
};
pub(super) use joint::{Joint, JointState, Push, without_contact};
pub use line::Tension;
pub use linked::Mechanism;
pub use projection::{Projection, Twist};
