//! Rigid bodies: how they move, where their slab-cut balls meet the cells of particles, how they touch one another.

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

pub use body::Body;
pub(crate) use body::Compliance;
pub use collection::Bodies;
pub use definition::{BodyDefinition, BodyKind, Floating, Keyframe, MassSource, PrescribedMotion};
pub use figures::FIGURES;
pub use mapping::{Mapping, MappingCounters, NearSegment};
pub use momentum::{Impulse, Momentum};
