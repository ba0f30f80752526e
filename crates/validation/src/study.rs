//! A study: one case at several resolutions.

use plimsoll_contract::simulator::Watch;

use super::{Case, CaseError, Outcome, Run};

/// The outcomes of a case at several resolutions.
#[derive(Clone, Debug)]
pub struct Study {
    /// The case.
    pub case: Case,
    /// Resolutions, ascending, each with its outcome.
    pub outcomes: Vec<(u32, Outcome)>,
}

impl Study {
    /// Of `case`, without outcomes.
    pub fn new(case: Case) -> Self {
        Self { case, outcomes: Vec::new() }
    }

    /// Computes one more resolution, finer than the last.
    ///
    /// # Errors
    /// The case has no outcome.
    pub fn compute(&mut self, resolution: u32, watch: &dyn Watch) -> Result<(), CaseError> {
        let outcome = (self.case.compute)(&Run { resolution, watch })?;
        self.outcomes.push((resolution, outcome));
        Ok(())
    }

    /// Order at which the error of figure `index` falls between the two finest resolutions; `None` if there is no such order.
    pub fn order(&self, index: usize) -> Option<f64> {
        let [.., (coarse, coarse_outcome), (fine, fine_outcome)] = &self.outcomes[..] else { return None };
        let errors = [coarse_outcome, fine_outcome].map(|outcome| outcome.figures[index].error().map(f64::abs));
        let [Some(large), Some(small)] = errors else { return None };
        let order = (large / small).ln() / (f64::from(*fine) / f64::from(*coarse)).ln();
        order.is_finite().then_some(order)
    }
}
