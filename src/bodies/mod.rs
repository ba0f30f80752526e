//! Rigid bodies in the fluid.

mod definition;

pub use definition::{BodyDefinition, BodyKind, Floating, Keyframe, MassSource, PrescribedMotion};
