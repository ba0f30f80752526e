//! Settling: fluid that should start at rest finds its arrangement under gravity before the first step.
//!
//! A lattice is not a state of rest. Its surface packs more densely than its inside, and where it becomes disordered it takes up to a
//! hundredth more room, so that the rest of it sinks. Settling first scatters the particles, so that little of the lattice is left. Then
//! gravity moves the fluid in rounds of displacements, minus what the pressure removes, plus most of the displacement of the last round. The
//! fall of a round becomes shorter from round to round, until hardly anything moves.

use glam::{DVec3, Vec3A};
use plimsoll_base::math::{
    Random,
    format::significant,
    parallel::{InTasks, TASK, run_awake, sum},
};
use plimsoll_contract::simulator::Interrupted;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{particles::Particles, placement::rounds::Rounds};

/// How far particles are scattered at most along each axis, in particle radii. Not scattered, single particles stay caught between the layers along
/// walls and fall into place after the start: water of 95,256 particles is then twice as fast in its first second.
const SCATTER: f64 = 1.1;
/// Particles do not come closer to walls than this by scattering, in particle radii.
const SCATTER_CLEARANCE: f64 = 0.5;
/// Relative density below which a particle is at a surface, in the lattice; it is not scattered, so that it does not spill over a rim.
const EXPOSED: f32 = 0.9;
/// How far gravity moves a particle in the first round, in particle radii.
const FIRST_FALL: f64 = 0.2;
/// Factor of the fall from one round to the next. With 0.97, and 0.94 while the fluid boils, the same water is 1.15 times as fast after as many
/// rounds.
const DECREASE: f64 = 0.99;
/// The same while the fluid boils. The stiffness of the arrangement grows with the pressure: in water 20, 32 and 50 radii deep rounds are
/// unstable above falls of 0.14, 0.09 and 0.06 radii.
const BOILING_DECREASE: f64 = 0.96;
/// The fluid boils if the displacements of particles change by more than this from round to round (root mean square, in units of the fall).
const BOILING: f64 = 1.5;
/// The fall does not become shorter than this, in particle radii: about as far as in a step. Settling does not end before, or single particles of a
/// shallow pool move at 0.04 m/s (`cargo test --release --test fluid pool`).
const LAST_FALL: f64 = 0.025;
/// Share of the displacement of the last round that is carried over. After as many rounds, with 0.9 water 80 radii deep is 1.2 times as fast in its
/// first second, and with 0.95 the speed in rounds is 1.4 times as high.
const KEPT: f32 = 0.93;
/// Tolerance of the mean density error with the last fall, percent per particle radius of the fall. It grows with the fall: boiling fluid needs no
/// accuracy.
const TOLERANCE: f64 = 1.0;
/// The last rounds have a smaller tolerance: without them the force on the floor differs from the weight by 14 % in the first step
/// (`cargo test --release --test fluid frames`).
const LAST_ROUNDS: u32 = 10;
const LAST_TOLERANCE: f64 = 0.01;
/// Root mean square speed of fluid that has settled, in units of sqrt(g h), with a round as a step. In the first steps, which start from rest,
/// it is a fourth of that.
const STILL: f64 = 0.033;
/// Upper bound of the rounds before the last ones.
const MAX_ROUNDS: u32 = 300;

/// How the fluid settled before the first step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Settling {
    /// Number of rounds.
    pub rounds: u32,
    /// Root mean square speed in the last round, m/s.
    pub speed: f64,
    /// That of fluid that has settled, m/s.
    pub still: f64,
}

impl Settling {
    /// Whether nothing moves any more.
    pub fn is_still(&self) -> bool {
        self.rounds > 0 && self.speed <= self.still
    }

    /// Progress, percent, from a speed of `first` (m/s): it falls about exponentially.
    fn percent(&self, first: f64) -> usize {
        let done = if self.rounds > 0 { (first / self.speed).ln() / (first / self.still).ln() } else { 0.0 };
        (100.0 * done.clamp(0.0, 1.0)) as usize
    }

    /// What the user should know at the end of a run.
    pub fn summary(&self) -> String {
        let Self { rounds, speed, still } = self;
        if self.is_still() {
            return format!("settled in {rounds} rounds");
        }
        let [speed, still] = [*speed, *still].map(significant);
        format!("not settled after {rounds} rounds: the fluid still moves at {speed} m/s, expected at most {still} m/s")
    }
}

/// Lets `particles` settle; their velocities stay.
///
/// # Errors
/// The watch interrupts.
pub fn settle(rounds: &mut Rounds, particles: &mut Particles) -> Result<Settling, Interrupted> {
    // The array of velocities carries the displacements through the sorting; the fluid's velocities are restored by id.
    let mut velocities = vec![Vec3A::ZERO; particles.len()];
    for (&id, &velocity) in particles.ids.iter().zip(&particles.velocities) {
        velocities[id as usize] = velocity;
    }
    let watch = rounds.watch;
    scatter(rounds, particles);
    particles.velocities.fill(Vec3A::ZERO);
    particles.density_pressures.fill(0.0);
    let settings = rounds.settings;
    let wave_speed = (settings.gravity.length() * settings.support_radius()).sqrt();
    let mut settling = Settling { still: STILL * wave_speed, ..Settling::default() };
    let (mut fall, mut wanted) = (FIRST_FALL, Vec::new());
    // The thread pool is entered once per round.
    let mut round = |fall: f64, tolerance: f64| run_awake(|| fall_by(rounds, particles, fall, tolerance, &mut wanted));
    while (fall > LAST_FALL || !settling.is_still()) && settling.rounds < MAX_ROUNDS {
        watch.progress("settling fluid", settling.percent(0.5 * FIRST_FALL.sqrt() * wave_speed), 100)?;
        let Moved { distance, change } = round(fall, TOLERANCE * fall / LAST_FALL);
        // A round is a step in which gravity moves a particle by the fall: dt = sqrt(fall r/g), and sqrt(g h) = 2 sqrt(g r).
        settling = Settling { rounds: settling.rounds + 1, speed: 0.5 * distance * fall.sqrt() * wave_speed, ..settling };
        fall = LAST_FALL.max(fall * if change > BOILING { BOILING_DECREASE } else { DECREASE });
    }
    for _ in 0..LAST_ROUNDS {
        watch.progress("settling fluid", 99, 100)?;
        round(fall, LAST_TOLERANCE);
    }
    settling.rounds += LAST_ROUNDS;
    for (velocity, &id) in particles.velocities.iter_mut().zip(&particles.ids) {
        *velocity = velocities[id as usize];
    }
    Ok(settling)
}

/// Moves the particles at random, except those at a surface.
fn scatter(rounds: &mut Rounds, particles: &mut Particles) {
    let radius = rounds.settings.particle_radius;
    rounds.search(particles);
    let displacement = |(&id, &density): (&u32, &f32)| {
        // By id, so that it does not depend on the order of the particles.
        let wanted = (2.0 * Random::stream(0, id.into()).point() - DVec3::ONE) * (SCATTER * radius);
        if density < EXPOSED { Vec3A::ZERO } else { wanted.as_vec3a() }
    };
    let wanted: Vec<Vec3A> = particles.ids.par_iter().zip(&particles.relative_densities).map(displacement).collect();
    rounds.displace(particles, &wanted, SCATTER_CLEARANCE * radius);
}

/// Root mean squares over the particles in a round, in units of the fall.
struct Moved {
    distance: f64,
    /// Without the displacement carried over from the last round.
    change: f64,
}

/// One round in which gravity moves the particles by `fall`, in particle radii. The tolerance is that of the mean density error, percent, in
/// units of the fall; `wanted` is a buffer.
fn fall_by(rounds: &mut Rounds, particles: &mut Particles, fall: f64, tolerance: f64, wanted: &mut Vec<Vec3A>) -> Moved {
    let settings = rounds.settings;
    let length = fall * settings.particle_radius;
    let down = (settings.gravity.normalize() * length).as_vec3a();
    rounds.search(particles);
    particles.velocities.par_iter().map(|&last| down + KEPT * last).in_tasks(TASK).collect_into(wanted);
    rounds.push(particles, wanted, tolerance * fall);
    let Particles { positions, velocities, .. } = particles;
    let displacements = velocities.par_iter_mut().zip(positions).zip(&rounds.last_positions).in_tasks(TASK);
    displacements.for_each(|((displacement, &mut after), &before)| *displacement = after - before);
    let root_mean_square = |squares: f64| (squares / wanted.len().max(1) as f64).sqrt() / length;
    Moved {
        distance: root_mean_square(sum(wanted.len(), |i| f64::from(velocities[i].length_squared()))),
        change: root_mean_square(sum(wanted.len(), |i| f64::from((velocities[i] - (wanted[i] - down)).length_squared()))),
    }
}
