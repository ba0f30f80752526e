//! What there is: materials, blocks, what a simulation begins with.

mod assembly;
mod block;
mod material;
mod settings;

pub use assembly::{Assembly, Follower};
pub use block::{Block, Six, displacement, weights};
pub use material::{Joint, JointTable, Material, Plane};
pub use settings::{BlockDefinition, BlocksSettings, BoltDefinition, LoadDefinition, MeasuredPoint, Removal, SearchSettings, StepSettings};
