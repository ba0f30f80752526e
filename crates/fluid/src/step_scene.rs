//! State that pressure and forces read in addition to particles and bodies.

use crate::{FluidSettings, coupling::WallContacts, neighbourhood::Pairs};

/// Settings and neighbourhood of one step.
#[derive(Clone, Copy)]
pub struct StepScene<'a> {
    pub settings: &'a FluidSettings,
    pub pairs: &'a Pairs,
    pub contacts: &'a WallContacts,
    /// Length of the step, s.
    pub dt: f64,
}
