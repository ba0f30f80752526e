//! Coupling of fluid and bodies: wall contacts of particles, response of bodies, and the one place where bodies are pushed.

mod contacts;
mod convexity;
mod ledger;
mod load;
mod response;
mod walls;

pub use contacts::{ContactDetail, WallContact, WallContacts};
pub use ledger::{Ledger, Origin, Pushed};
pub use load::{Cause, Load};
pub use response::{BodyResponse, RigidMotion, Wrench};
pub use walls::WallSearch;
