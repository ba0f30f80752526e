//! Whether a contact is open, holds or slides.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum ContactState {
    Open,
    Locked,
    Sliding,
}
