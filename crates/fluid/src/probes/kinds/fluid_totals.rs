//! Center of mass, momentum and energy of the fluid.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::{FluidSample, Instrument, Quantity};
use crate::probes::Signal;

/// Center of mass (m), momentum (kg m/s), kinetic and potential energy (J, zero at the world origin) of the fluid alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FluidTotals {}

impl Instrument for FluidTotals {
    fn quantities(&self) -> Vec<Quantity> {
        let mut quantities = Quantity::vector("center", "m", Signal::State).to_vec();
        quantities.extend(Quantity::vector("momentum", "kg m/s", Signal::State));
        quantities.extend([Quantity::state("kinetic_energy", "J"), Quantity::state("potential_energy", "J")]);
        quantities
    }

    fn measure(&self, sample: &FluidSample) -> Vec<f64> {
        let masses = sample.settings.masses();
        let (mut moment, mut momentum, mut kinetic, mut total) = (DVec3::ZERO, DVec3::ZERO, 0.0, 0.0);
        for ((position, velocity), &material) in sample.after.iter().zip(sample.velocities).zip(sample.materials) {
            let (velocity, mass) = (velocity.as_dvec3(), masses.of(material));
            total += mass;
            moment += mass * position.as_dvec3();
            momentum += mass * velocity;
            kinetic += 0.5 * mass * velocity.length_squared();
        }
        let potential = -sample.settings.gravity.dot(moment);
        let center = if total > 0.0 { moment / total } else { DVec3::ZERO };
        [center.to_array().as_slice(), &momentum.to_array(), &[kinetic, potential]].concat()
    }
}
