//! Whether a contact is open, locked or sliding.

use serde::{Deserialize, Serialize};

/// State of a contact in the open–close iteration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum ContactState {
    /// No force acts.
    Open,
    /// The shear spring has its full stiffness.
    Locked,
    /// The shear force is at its limit.
    Sliding,
}
