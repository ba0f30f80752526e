//! Drag of the air on drops and spray (`air.rs`): `J_i = m λdt/(1 + λdt) (v_a − v_i)`, `λ = ρ_a |v_a − v_i| C_D A_i/(2m)`.
//!
//! The share of the relative velocity is the exact solution for a constant `C_D A`, and stable for any step. A particle in the fluid is sheltered:
//!
//! - by neighbours and walls upwind, `w = 1 − max_j (x_ij · (v_a − v_i))/(|x_ij| |v_a − v_i|)`, at least 0 (Gissler et al. 2017, eq. 15);
//! - by fluid all around. Between an isolated particle and one in a flat surface, coefficient and cross section change linearly with the relative
//!   density s (in the paper, with the number of neighbours); from there to full density, the drag decreases to zero.

use glam::Vec3A;
use plimsoll_base::math::parallel::TASK;
use rayon::prelude::*;

use super::term::{ForceContext, Impulses, Term};
use crate::{
    air::{Air, Droplet},
    coupling::Origin,
};

/// Relative density of an isolated particle, and of one in the flat surface of a cubic lattice.
const ISOLATED: f64 = std::f64::consts::FRAC_1_PI;
const SURFACE: f64 = 0.85;

pub const TERM: Term = Term { origin: Origin::Outside, is_active: |context| context.settings.air.is_some(), impulses };

fn impulses(context: &ForceContext, impulses: &mut Impulses) {
    let settings = context.settings;
    let Some(air) = &settings.air else { return };
    let (masses, densities) = (settings.masses(), settings.densities());
    let drop = |density: f64, kinematic: f64| Droplet::new(air, 2.0 * settings.particle_radius, density, density * kinematic);
    let drops = densities.zip(settings.kinematic_viscosities(), drop);
    let particles = impulses.on_particles.par_iter_mut().zip(context.materials).with_min_len(TASK / 4);
    particles.enumerate().for_each(|(i, (impulse, &material))| {
        let share = share(context, air, &drops.of(material), i, masses.of(material));
        if share > 0.0 {
            *impulse = (masses.of(material) * share * (air.velocity - context.velocities[i].as_dvec3())).as_vec3a();
        }
    });
}

/// Share of its velocity relative to the air that particle `i` of this `mass` (kg) loses in the step.
fn share(context: &ForceContext, air: &Air, drop: &Droplet, i: usize, mass: f64) -> f64 {
    let density = f64::from(context.relative_densities[i]);
    let exposed = ((1.0 - density) / (1.0 - SURFACE)).clamp(0.0, 1.0);
    let wind = air.velocity - context.velocities[i].as_dvec3();
    let speed = wind.length();
    if exposed == 0.0 || speed == 0.0 {
        return 0.0;
    }
    let bulk = ((density - ISOLATED) / (SURFACE - ISOLATED)).clamp(0.0, 1.0);
    let area = exposed * open_share(context, i, (wind / speed).as_vec3a()) * drop.drag_area(speed, bulk);
    let change = 0.5 * air.density * speed * area / mass * context.dt;
    change / (1.0 + change)
}

/// Share of the cross section of particle `i` that nothing covers, in wind along the unit vector `direction`.
fn open_share(context: &ForceContext, i: usize, direction: Vec3A) -> f64 {
    let (neighbours, position) = (&context.pairs.neighbours, context.positions[i]);
    let support = context.settings.support_radius() as f32;
    let from = |j: u32| neighbours.difference(position, context.positions[j as usize]);
    let walls = context.contacts.of(i).iter().map(|contact| -contact.gradient);
    let cosines =
        neighbours.of(i).map(from).filter(|away| away.length() < support).chain(walls).map(|away| away.normalize_or_zero().dot(direction));
    f64::from(1.0 - cosines.fold(0.0, f32::max)).max(0.0)
}

#[cfg(test)]
mod tests {
    use glam::{DVec3, vec3a};
    use plimsoll_bodies::Mapping;

    use super::*;
    use crate::{
        FluidSettings, Particles,
        coupling::{BodyResponse, WallContacts},
        neighbourhood::Neighbourhood,
    };

    const RADIUS: f32 = 0.01;
    /// Particles per side of the cube.
    const SIDE: i32 = 12;

    /// Impulses (N s) of wind along x on a cube at rest, with the positions of the particles.
    fn impulses_on_a_cube() -> (Vec<Vec3A>, Vec<Vec3A>) {
        let air = Air { velocity: DVec3::new(10.0, 0.0, 0.0), ..Air::default() };
        let settings = &FluidSettings { air: Some(air), ..FluidSettings::new(f64::from(RADIUS)) };
        let (mut particles, mut neighbourhood, mut contacts) = (Particles::default(), Neighbourhood::default(), WallContacts::default());
        for i in 0..SIDE.pow(3) {
            let place = vec3a((i % SIDE) as f32, (i / SIDE % SIDE) as f32, (i / SIDE / SIDE) as f32);
            particles.push(2.0 * RADIUS * place, Vec3A::ZERO, 0, &settings.inverse_masses());
        }
        neighbourhood.find_pairs(settings, &mut particles);
        contacts.integrate(&[], &[], &Mapping::default(), &particles.positions, settings.wall_cutoff());
        neighbourhood.compute_densities(settings, &mut particles, &contacts, &mut Vec::new());
        let context = ForceContext {
            settings,
            dt: 0.001,
            positions: &particles.positions,
            velocities: &particles.velocities,
            spins: &particles.spins,
            inverse_masses: &particles.inverse_masses,
            materials: &particles.materials,
            relative_densities: &particles.relative_densities,
            pairs: &neighbourhood.pairs,
            contacts: &contacts,
            response: &BodyResponse::default(),
            field_changes: &[],
            stirring: None,
        };
        let mut found = Impulses { on_particles: vec![Vec3A::ZERO; particles.len()], ..Impulses::default() };
        impulses(&context, &mut found);
        (particles.positions, found.on_particles)
    }

    #[test]
    fn only_the_side_that_faces_the_wind_is_dragged() {
        let (positions, impulses) = impulses_on_a_cube();
        let last = (SIDE - 1) as f32;
        let sum = |wanted: &dyn Fn(Vec3A) -> bool| -> f32 {
            positions.iter().zip(&impulses).filter(|(x, _)| wanted(**x / (2.0 * RADIUS))).map(|(_, impulse)| impulse.x).sum()
        };
        let total = sum(&|_| true);
        let within = |x: Vec3A| x.min_element() > 0.5 && x.max_element() < last - 0.5;
        let face = |x: Vec3A| x.y > 0.5 && x.z > 0.5 && x.y < last - 0.5 && x.z < last - 0.5;
        let windward = sum(&|x| x.x < 0.5);
        assert!(windward > 0.98 * total, "{windward} of {total}");
        assert!(sum(&within) < 1e-3 * total, "{} of {total}", sum(&within));
        // The square of the side of the cube, with a coefficient of one.
        let front = 0.001 * 0.5 * 1.2 * 100.0 * (2.0 * RADIUS * (SIDE - 2) as f32).powi(2);
        let middle = sum(&|x| face(x) && x.x < 0.5);
        assert!((middle / front - 1.0).abs() < 0.02, "{middle} {front}");
    }
}
