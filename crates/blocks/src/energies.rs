//! Energies and momenta of blocks.

use glam::DVec2;

use super::{
    contact::{ContactLaw, ContactMemory},
    settings::BlocksSettings,
    state::BlocksState,
};

/// Sums over all moving blocks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Energies {
    /// Kinetic energy, J; the next three are also in J.
    pub kinetic: f64,
    /// Gravitational energy, zero at the origin.
    pub potential: f64,
    /// Elastic energy of the blocks.
    pub strain: f64,
    /// Elastic energy of the contact springs.
    pub contact: f64,
    /// kg m/s
    pub momentum: DVec2,
    /// Angular momentum about the origin, kg m²/s.
    pub angular_momentum: f64,
}

impl Energies {
    /// Sums over all moving blocks of `state` and all remembered contacts.
    pub fn of(state: &BlocksState, settings: &BlocksSettings, memory: &ContactMemory, law: &ContactLaw) -> Self {
        let mut sum = Self::default();
        for block in state.blocks.iter().filter(|block| block.moves()) {
            let matrix = block.mass_matrix();
            let momenta = matrix.map(|line| line.iter().zip(&block.velocity).map(|(mass, rate)| mass * rate).sum::<f64>());
            sum.kinetic += 0.5 * momenta.iter().zip(&block.velocity).map(|(momentum, rate)| momentum * rate).sum::<f64>();
            let momentum = DVec2::new(momenta[0], momenta[1]);
            sum.momentum += momentum;
            sum.angular_momentum += block.moments.centroid.perp_dot(momentum) + momenta[2];
            sum.potential -= block.mass * settings.gravity.dot(block.moments.centroid);
            let [direct, cross, shear] = settings.materials[block.material as usize].stiffness(settings.plane);
            let [x, y, xy] = block.stress;
            let inverse = 1.0 / (direct * direct - cross * cross);
            let density = inverse * (direct * (x * x + y * y) - 2.0 * cross * x * y) + xy * xy / shear;
            sum.strain += 0.5 * block.moments.area * density;
        }
        for contact in memory.entries() {
            sum.contact += 0.5 * (contact.normal_force.powi(2) / law.normal_stiffness + law.shear_stiffness * contact.shear.powi(2));
        }
        sum
    }
}
