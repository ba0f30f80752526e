//! Fluid and bodies: which particles are near which walls, how bodies respond, and the one place where bodies are pushed.

mod contacts;
mod ledger;
mod load;
mod response;
mod walls;

pub use contacts::{ContactDetail, WallContact, WallContacts};
pub use ledger::{Ledger, Origin, Pushed};
pub use load::{Cause, Load};
pub use response::{BodyResponse, RigidMotion, Wrench};
pub use walls::WallSearch;
