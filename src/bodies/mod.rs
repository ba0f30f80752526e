//! Rigid bodies: their motion, paddles that generate waves, the mapping of slab-cut balls to the cells of particles, and contacts between bodies.

mod body;
mod body_contacts;
mod collection;
mod collision_shape;
mod continuation;
mod cutting;
mod definition;
mod deformation;
mod deforming;
mod drag;
mod figures;
mod instances;
mod mapping;
mod mechanism;
mod momentum;
mod motion;
mod overlap;
mod presence;
mod record;
pub mod waves;

pub use body::Body;
pub(crate) use body::Compliance;
pub use collection::Bodies;
pub use continuation::{Mismatch, Succession};
pub use cutting::limits_of;
pub use definition::{BodyDefinition, BodyKind, Floating, Keyframe, MassSource, PrescribedMotion};
pub use deformation::{Deformation, SurfaceMotion};
pub use figures::FIGURES;
pub use mapping::{Mapping, MappingCounters, NearSegment};
pub use mechanism::{
    JointDefinition, JointKind, LineDefinition, LineLaw, Mechanism, MechanismDefinition, MooringDefinition, Motor, SpringDefinition,
};
pub(crate) use mechanism::{Projection, Twist};
pub use momentum::{Impulse, Momentum};
pub(crate) use overlap::{PlacedSolid, overlapping_pairs};
pub use presence::Presence;
