//! Contacts between bodies, solved by a rigid-body library. Free motion is integrated here, because this conserves angular momentum
//! exactly.

mod advance;
mod conservation;
mod contact;
mod groups;
mod pairs;
mod rebound;
mod shape;
mod stiffness;
mod twin;
mod world;

pub use shape::collision_shape;
pub use world::BodyContacts;
