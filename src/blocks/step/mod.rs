//! One step: equations set up, contacts opened and closed until nothing changes, blocks moved.

mod equations;
mod open_close;
mod tally;

pub use equations::{Bolt, Equations, Load, Sources, Supports};
pub use open_close::Workspace;
pub use tally::{Energies, Stage, StepReport};
