//! Rigid bodies: their motion, paddles that generate waves, the mapping of slab-cut balls to the cells of particles, and contacts between bodies.

mod body;
mod body_contacts;
mod collection;
mod definition;
mod drag;
mod figures;
mod mapping;
mod momentum;
mod motion;
mod record;
pub mod waves;

pub use body::Body;
pub(crate) use body::Compliance;
pub use collection::Bodies;
pub use definition::{BodyDefinition, BodyKind, Floating, Keyframe, MassSource, PrescribedMotion};
pub use figures::FIGURES;
pub use mapping::{Mapping, MappingCounters, NearSegment};
pub use momentum::{Impulse, Momentum};
