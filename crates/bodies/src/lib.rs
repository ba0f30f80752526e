//! Rigid bodies: their motion, paddles that generate waves, the mapping of slab-cut balls to the cells of particles, and contacts between bodies.

#![warn(missing_docs)]
// These macros panic if a stream is closed; only the program prints.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod body;
mod collection;
mod contacts;
mod continuation;
mod cutting;
mod definition;
mod deformation;
mod deforming;
mod drag;
mod figures;
mod held;
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
pub use body::Compliance;
pub use collection::Bodies;
pub use continuation::{Mismatch, Succession};
pub use cutting::limits_of;
pub use definition::{BodyDefinition, BodyKind, Floating, Held, Keyframe, MassSource, PrescribedMotion};
pub use deformation::{Deformation, SurfaceMotion};
pub use figures::FIGURES;
pub use mapping::{Mapping, MappingCounters, NearSegment};
pub use mechanism::{
    JointDefinition, JointKind, LineDefinition, LineLaw, Mechanism, MechanismDefinition, MooringDefinition, Motor, PairDefinition,
    SpringDefinition,
};
pub use mechanism::{Projection, Twist};
pub use momentum::{Impulse, Momentum};
pub use overlap::{PlacedSolid, overlapping_pairs};
pub use presence::Presence;
