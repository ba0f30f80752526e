//! What the water around a gap presses into it, and what the particles in the gap press.

use glam::DVec3;
use plimsoll_base::math::Aabb;
use plimsoll_search::CellGrid;

use super::film::{Film, FilmPatch};
use crate::{
    FluidSettings,
    coupling::{WallContacts, Wrench},
    particles::Particles,
};

/// Water within this distance of a gap is at its rim, in particle radii.
const RIM: f64 = 6.0;
/// Weight of a particle that touches walls in the mean over the rim, beside one for others. The pressure of the first layer on a floor is a fifth too large,
/// because it is farther away than one radius; there may be no other water around.
const AT_WALLS: f64 = 0.05;

/// The fluid that films are part of.
pub struct FilmFluid<'a> {
    pub settings: &'a FluidSettings,
    pub grid: &'a CellGrid,
    pub particles: &'a Particles,
    pub contacts: &'a WallContacts,
}

/// Means over the water at the rim of a gap.
#[derive(Default)]
struct Rim {
    weight: f64,
    pressure: f64,
    position: DVec3,
    density: f64,
}

impl Rim {
    fn add(&mut self, weight: f64, pressure: f64, position: DVec3, density: f64) {
        self.weight += weight;
        let share = weight / self.weight;
        self.pressure += share * (pressure - self.pressure);
        self.position += share * (position - self.position);
        self.density += share * (density - self.density);
    }

    /// Its pressure, continued to `point` (m) by its weight, Pa; none without water.
    fn pressure_at(&self, point: DVec3, gravity: DVec3) -> f64 {
        if self.weight < 1.0 { 0.0 } else { (self.pressure + self.density * gravity.dot(point - self.position)).max(0.0) }
    }
}

impl FilmFluid<'_> {
    /// Force (N) and torque (N m) about the world origin on the first of two `bodies` with a film between them: what the water at the rim presses
    /// minus what the particles in the gap do. The second body gets the opposite.
    pub fn missing(&self, bodies: [usize; 2], film: &Film) -> Wrench {
        let (settings, near) = (self.settings, self.near(film));
        let positions: Vec<DVec3> = near.iter().map(|&(_, position)| position).collect();
        let (mut rim, mut missing) = (Rim::default(), Wrench::default());
        let mut add = |force: DVec3, point: DVec3| missing += Wrench { force, torque: point.cross(force) };
        for (&(particle, position), share) in near.iter().zip(film.shares(&positions)) {
            let pressure = f64::from(self.particles.pressure(particle));
            if share > 0.0 {
                add(-share * pressure * self.particle_force(particle, bodies), position);
            } else {
                let weight = if self.contacts.of(particle).is_empty() { 1.0 } else { AT_WALLS };
                rim.add(weight, pressure, position, settings.densities().of(self.particles.materials[particle]));
            }
        }
        for FilmPatch { patch, share, .. } in &film.patches {
            let pressure = rim.pressure_at(patch.point, settings.gravity);
            add(-share * pressure * patch.area * patch.normal, patch.point);
        }
        missing
    }

    /// Half the difference of the forces of a particle on two bodies, per pressure, m².
    fn particle_force(&self, particle: usize, [one, other]: [usize; 2]) -> DVec3 {
        let on = |body: usize| -> DVec3 {
            let contacts = self.contacts.of(particle).iter().filter(|contact| contact.body as usize == body);
            contacts.map(|contact| contact.gradient.as_dvec3()).sum()
        };
        0.5 * self.settings.particle_volume() * (on(one) - on(other))
    }

    /// The particles in the gap and at its rim, with the positions (m) of their images there.
    fn near(&self, film: &Film) -> Vec<(usize, DVec3)> {
        let area = Aabb::around(film.patches.iter().map(|film| film.patch.point)).inflated(RIM * self.settings.particle_radius);
        let cells = self.grid.particles_around(area.center(), 0.5 * area.extent().max_element());
        let with_positions = cells.flat_map(|(range, image)| {
            let shift = self.settings.domain.shift(image);
            range.map(move |particle| (particle, self.particles.positions[particle].as_dvec3() + shift))
        });
        with_positions.filter(|&(_, position)| area.contains(position)).collect()
    }
}
