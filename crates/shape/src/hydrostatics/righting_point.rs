//! One position of a heeled body: free to sink, and to trim.

use super::{Attitude, Bow, Hold, Immersion, Loading, afloat::Afloat};

/// Maximum trim, rad. Beyond it, heel has no meaning.
const MAX_TRIM: f64 = 1.4;
/// Maximum change of trim in one step, rad.
const MAX_STEP: f64 = 0.1;
const MAX_STEPS: usize = 60;
/// The longitudinal lever that counts as zero, relative to the size of the displaced volume.
const LEVER: f64 = 1e-10;

/// Trim of the body at each heel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TrimMode {
    /// The trim of least energy, followed from one heel to the next.
    Free,
    /// This trim in rad at all heels.
    Fixed(f64),
}

/// A position at a given heel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RightingPoint {
    /// Heel, positive to starboard, and trim, positive by the stern; rad.
    pub attitude: Attitude,
    /// Righting arm GZ: horizontal distance across the hull from the center of gravity to the line of buoyancy, m; positive if it reduces a
    /// positive heel.
    pub arm: f64,
    /// Height of the center of gravity over the center of buoyancy, m: the potential energy divided by the weight.
    pub energy: f64,
    /// The immersed part of the body.
    pub immersion: Immersion,
    /// Whether the hold has been flooded up to this heel.
    pub hold: Hold,
}

/// Finds positions at given heels, each starting from an earlier one.
pub(super) struct Heeling<'a> {
    pub afloat: Afloat<'a>,
    pub loading: &'a Loading,
    pub bow: Bow,
    pub trim_mode: TrimMode,
}

impl Heeling<'_> {
    /// The position at `heel`, with the trim of least energy next to `trim`. `None` if the body sinks or stands on end.
    pub fn at(&mut self, heel: f64, trim: f64, hold: Hold) -> Option<RightingPoint> {
        let mut here = self.position(Attitude::new(heel, trim), hold)?;
        if let TrimMode::Fixed(_) = self.trim_mode {
            return Some(here);
        }
        let size = self.loading.volume().cbrt();
        for _ in 0..MAX_STEPS {
            let along = here.attitude.along(self.bow);
            let center = self.loading.center_of_gravity;
            let lever = here.immersion.lever(center).dot(along);
            if lever.abs() <= LEVER * size {
                break;
            }
            let height = here.immersion.metacentric_height(center, along);
            let mut step = (-lever / height.abs().max(1e-12 * size)).clamp(-MAX_STEP, MAX_STEP);
            loop {
                let trim = here.attitude.trim + step;
                if trim.abs() > MAX_TRIM {
                    return None;
                }
                let next = self.position(Attitude::new(heel, trim), hold)?;
                let change = next.energy - here.energy;
                // The energy is exact to 1e-12 of the size; below, the lever has to decrease.
                let next_lever = next.immersion.lever(center).dot(next.attitude.along(self.bow));
                if change < -1e-12 * size || change <= 1e-12 * size && next_lever.abs() < lever.abs() {
                    here = next;
                    break;
                }
                step *= 0.5;
                if step.abs() < 1e-12 {
                    return Some(here);
                }
            }
        }
        Some(here)
    }

    fn position(&mut self, attitude: Attitude, hold: Hold) -> Option<RightingPoint> {
        let immersion = self.afloat.at(attitude.up(self.bow), hold)?;
        let center = self.loading.center_of_gravity;
        let arm = -immersion.lever(center).dot(attitude.across(self.bow));
        Some(RightingPoint { attitude, arm, energy: immersion.energy(center), immersion, hold })
    }
}
