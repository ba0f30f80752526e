//! Rigid bodies: how they move, where their slab-cut balls meet the fluid's cells, how they touch one another.

mod body;
mod collection;
mod definition;
mod mapping;
mod momentum;
mod motion;
mod record;
mod touching;

pub use body::{Body, Load, Response};
pub use collection::Bodies;
pub use definition::{BodyDefinition, BodyKind, Floating, Keyframe, MassSource, PrescribedMotion};
pub use mapping::{Mapping, MappingCounters, NearSegment};
pub use momentum::{Impulse, Momentum};
