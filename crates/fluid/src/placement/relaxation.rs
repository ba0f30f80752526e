//! Relaxation of placed fluid before the first step.
//!
//! Where the lattice was carved, it is too dense and would expand violently. Relaxation changes positions, not velocities: particles move
//! as the pressure solve would move fluid at rest without gravity, until no density exceeds the rest density by more than two thousandths.
//! If that is not reached, the densest of the particles that exceed it by more than a hundredth have no room and are dropped. Fluid that should start at rest is
//! then settled.

use std::sync::Arc;

use glam::{DVec3, Vec3A};
use plimsoll_base::math::parallel::max;
use plimsoll_bodies::Body;
use plimsoll_contract::simulator::{Interrupted, Watch};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    FluidSettings,
    particles::Particles,
    placement::{
        nearest_fill::NearestFill,
        rounds::Rounds,
        settling::{Settling, settle},
    },
    walls::WallSurface,
};

/// Target for the maximum excess of density, relative to the rest density.
const EXCESS: f32 = 0.002;
const ROUNDS: u32 = 60;
/// Maximum excess of density allowed after these rounds: denser particles have no room.
const MAX_EXCESS: f32 = 0.01;
/// Of the particles without room within this distance of the densest one, only that one is left out before the others move again; in particle radii, twice
/// the support of the kernel.
const SPOT: f64 = 8.0;
/// Tolerance of the mean density error in the solve of a round, percent. It is small because the few particles along an edge that are too
/// dense contribute little to a mean over all.
const TOLERANCE: f64 = 1e-4;

/// Result of the relaxation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Relaxation {
    pub rounds: u32,
    /// Maximum excess of density, relative to the rest density.
    pub excess: f32,
    pub dropped: u64,
    /// Of fluid that should start at rest.
    pub settling: Option<Settling>,
}

impl Relaxation {
    /// A warning for the user if particles were dropped.
    pub fn warning(&self) -> Option<String> {
        (self.dropped > 0).then(|| format!("{} placed particles had no room and were left out", self.dropped))
    }
}

/// Relaxes `particles` among `bodies`, which are held at rest. Also returns the surfaces of the bodies, for reuse.
///
/// # Errors
/// `watch` interrupts.
pub fn relax(
    settings: &FluidSettings,
    particles: &mut Particles,
    bodies: &[Body],
    watch: &dyn Watch,
) -> Result<(Relaxation, Vec<Arc<WallSurface>>), Interrupted> {
    let mut rounds = Rounds::new(settings, bodies, watch);
    // All particles are equally heavy while they are placed: a heavy fluid above a light one would sink.
    let inverse_masses = settings.inverse_masses();
    particles.inverse_masses.fill(inverse_masses.of(0));
    let mut relaxation = remove_excess(&mut rounds, particles)?;
    if settings.settle && settings.gravity != DVec3::ZERO {
        relaxation.settling = Some(settle(&mut rounds, particles)?);
        if settings.material_count() > 1 {
            // Settling stirs the fluid: a particle gets the material of the fill in which it is afterwards.
            let fills = NearestFill::new(settings);
            particles.materials = particles.positions.par_iter().map(|position| fills.material(position.as_dvec3())).collect();
        }
    }
    particles.release(&inverse_masses);
    // The pressures of the relaxation are not pressures of the fluid.
    particles.density_pressures.fill(0.0);
    particles.divergence_pressures.fill(0.0);
    Ok((relaxation, rounds.into_surfaces()))
}

fn remove_excess(rounds: &mut Rounds, particles: &mut Particles) -> Result<Relaxation, Interrupted> {
    let mut relaxation = Relaxation::default();
    loop {
        rounds.search(particles);
        relaxation.excess = max(particles.len(), |i| particles.relative_densities[i] - 1.0);
        let done = relaxation.rounds >= ROUNDS;
        if relaxation.excess <= if done { MAX_EXCESS } else { EXCESS } {
            return Ok(relaxation);
        }
        if !done {
            relaxation.rounds += 1;
            rounds.watch.progress("relaxing fluid", relaxation.rounds as usize, ROUNDS as usize)?;
            particles.density_pressures.fill(0.0);
            let still = vec![Vec3A::ZERO; particles.len()];
            rounds.push(particles, &still, TOLERANCE);
        } else {
            let crowded = most_crowded(rounds.settings, particles);
            relaxation.dropped += crowded.len() as u64;
            relaxation.rounds = 0;
            particles.retain(|index| crowded.binary_search(&index).is_err());
        }
    }
}

/// Particles without which the others find room, in ascending order: of those that are too dense the densest one of each spot, or more if more are too
/// many.
fn most_crowded(settings: &FluidSettings, particles: &Particles) -> Vec<usize> {
    let excess = |index: &usize| particles.relative_densities[*index] - 1.0;
    let mut dense: Vec<usize> = (0..particles.len()).filter(|index| excess(index) > MAX_EXCESS).collect();
    dense.sort_by(|one, two| excess(two).total_cmp(&excess(one)));
    let surplus = dense.iter().map(|index| f64::from(excess(index))).sum::<f64>().ceil() as usize;
    let spot = (SPOT * settings.particle_radius) as f32;
    let mut crowded: Vec<usize> = Vec::new();
    for &index in &dense {
        if crowded.iter().all(|&other| particles.positions[index].distance(particles.positions[other]) > spot) {
            crowded.push(index);
        }
    }
    let others: Vec<usize> =
        dense.into_iter().filter(|index| !crowded.contains(index)).take(surplus.saturating_sub(crowded.len())).collect();
    crowded.extend(others);
    crowded.sort_unstable();
    crowded
}
