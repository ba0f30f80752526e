//! Rigid bodies: how they move, where their slab-cut balls meet the fluid's cells, how they touch one another.

mod bodies;
mod body;
mod definition;
mod mapping;
mod motion;
mod touching;

pub use bodies::Bodies;
pub use body::{Body, Impulse, Load, Response};
pub use definition::{BodyDefinition, BodyKind, Floating, Keyframe, MassSource, PrescribedMotion};
pub use mapping::{Mapping, MappingCounters, NearSegment};
