//! What a step was like: counts, extremes, energies, wall time.

use glam::DVec2;
use serde::{Deserialize, Serialize};

use crate::{
    blocks::{
        contact::{ContactLaw, ContactMemory},
        state::{Assembly, BlocksSettings},
    },
    timing,
};

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepReport {
    /// Seconds.
    pub dt: f64,
    /// Open–close iterations, those of attempts that were cut included.
    pub iterations: u32,
    pub cuts: u32,
    /// Whether contacts had come to rest; if not, the step was taken as it was after its last cut.
    pub settled: bool,
    /// Box tests of the search, and pairs of blocks it found.
    pub checks: u64,
    pub pairs: u64,
    /// Vertices near edges; of these closed, and sliding.
    pub contacts: u64,
    pub closed: u64,
    pub sliding: u64,
    /// Metres.
    pub greatest_displacement: f64,
    pub greatest_penetration: f64,
    /// Force of the blocks on all that is fixed, N.
    pub support: DVec2,
}

/// Parts of a step that are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Pairs of blocks near each other.
    Search,
    /// Vertices near edges in these pairs.
    Detection,
    /// The matrix.
    Assembly,
    /// The solution.
    Solution,
    /// Contacts brought up to date with it.
    Contacts,
    /// Geometry, stresses, memory of contacts.
    Update,
}

impl timing::Stage for Stage {
    const COLUMNS: &'static [&'static str] =
        &["search_seconds", "detection_seconds", "assembly_seconds", "solution_seconds", "contacts_seconds", "update_seconds"];

    fn place(self) -> usize {
        self as usize
    }
}

/// Sums over all blocks that move.
#[derive(Clone, Copy, Debug, Default)]
pub struct Energies {
    /// J, as the next four.
    pub kinetic: f64,
    /// Of weight, zero at the origin.
    pub potential: f64,
    pub strain: f64,
    /// Of the springs in contacts.
    pub contact: f64,
    /// kg m/s
    pub momentum: DVec2,
    /// About the origin, kg m²/s.
    pub angular_momentum: f64,
}

impl Energies {
    pub fn of(assembly: &Assembly, settings: &BlocksSettings, memory: &ContactMemory, law: &ContactLaw) -> Self {
        let mut sum = Self::default();
        for block in assembly.blocks.iter().filter(|block| block.moves()) {
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
