//! Random placement of grains, the largest first, without overlap with other grains, walls or bodies.
//!
//! Random sequential addition reaches a packing fraction of about 0.35 with spheres of one size. Denser packings must settle.

use glam::DVec3;
use plimsoll_base::math::{Aabb, Domain, Random};
use plimsoll_bodies::Body;
use plimsoll_contract::simulator::Watch;
use plimsoll_search::{Occupancy, Sphere};
use plimsoll_shape::{Obstacle, has_inside};

use super::{
    error::GrainsError,
    settings::GrainsSettings,
    state::{Grains, NewGrain},
};

/// Random positions tried for each grain.
const TRIALS: usize = 20_000;
/// Allowed overlap of grains with given positions, relative to the smaller radius.
const ALLOWED_OVERLAP: f64 = 0.1;

const AXES: [&str; 3] = ["x", "y", "z"];

/// Everything that a grain must not overlap: other grains, and bodies.
struct Room {
    domain: Domain,
    occupancy: Occupancy,
    bodies: Vec<(String, Obstacle)>,
}

impl Room {
    /// Creates the room for about `count` grains with radii up to `largest` (m).
    fn new(domain: Domain, largest: f64, count: usize, bodies: &[Body]) -> Self {
        let obstacle = |body: &Body| (body.name.clone(), Obstacle::new(&body.mesh, body.pose, has_inside(&body.mesh)));
        Self { domain, occupancy: Occupancy::new(domain, largest, count), bodies: bodies.iter().map(obstacle).collect() }
    }

    /// A free position in `region`; `None` if all trials failed.
    fn free_place(&self, region: &Aabb, radius: f64, random: &mut Random) -> Option<DVec3> {
        let (low, size) = centers(&self.domain, region, radius)?;
        for _ in 0..TRIALS {
            let mut center = self.domain.low;
            for axis in 0..self.domain.dimension {
                center[axis] = low[axis] + size[axis] * random.uniform();
            }
            let sphere = Sphere { center, radius };
            if self.occupancy.is_free(&sphere, 0.0) && self.bodies.iter().all(|(_, body)| body.overlap(center, radius) == 0.0) {
                return Some(center);
            }
        }
        None
    }
}

/// The box in which the center of a sphere may be, within `region` and the walls: low corner and size.
fn centers(domain: &Domain, region: &Aabb, radius: f64) -> Option<(DVec3, DVec3)> {
    let (mut low, mut high) = (region.min, region.max);
    for axis in 0..domain.dimension {
        let margin = if domain.periodic[axis] { 0.0 } else { radius };
        low[axis] = low[axis].max(domain.low[axis] + margin);
        high[axis] = high[axis].min(domain.low[axis] + domain.size[axis] - margin);
        if low[axis] > high[axis] {
            return None;
        }
    }
    Some((low, high - low))
}

/// All grains that `settings` describe, placed among `bodies` in their current poses.
///
/// # Errors
/// If there is not enough room, or a given position is not free.
pub fn place(settings: &GrainsSettings, bodies: &[Body], watch: &dyn Watch) -> Result<Grains, GrainsError> {
    let largest = settings.largest_radius();
    if largest == 0.0 {
        return Err(GrainsError::Empty);
    }
    for (axis, name) in AXES.iter().enumerate().take(settings.domain.dimension) {
        let least = 2.0 * (2.0 * largest + settings.pair_skin());
        if settings.domain.periodic[axis] && settings.domain.size[axis] < least {
            return Err(GrainsError::PeriodTooShort { axis: name, found: settings.domain.size[axis], least });
        }
    }
    let count = settings.groups.iter().map(|group| group.count).sum::<usize>() + settings.placed.len();
    let mut room = Room::new(settings.domain, largest, count, bodies);
    place_given(settings, &mut room)?;
    let mut random = Random::new(settings.seed);
    let draws: Vec<Vec<f64>> =
        settings.groups.iter().map(|group| (0..group.count).map(|_| group.sizes.draw(&mut random)).collect()).collect();
    let places = place_groups(settings, &draws, &mut room, &mut random, watch)?;
    let mut grains = Grains::default();
    for (index, group) in settings.groups.iter().enumerate() {
        for (&radius, &center) in draws[index].iter().zip(&places[index]) {
            grains.push(&NewGrain {
                sphere: Sphere { center, radius },
                velocity: group.velocity,
                angular_velocity: DVec3::ZERO,
                material: group.material,
                group: index as u16,
                density: settings.materials[usize::from(group.material)].density,
            });
        }
    }
    for grain in &settings.placed {
        grains.push(&NewGrain {
            sphere: Sphere { center: settings.domain.wrap(grain.position), radius: grain.radius },
            velocity: grain.velocity,
            angular_velocity: grain.angular_velocity,
            material: grain.material,
            group: settings.groups.len() as u16,
            density: settings.materials[usize::from(grain.material)].density,
        });
    }
    Ok(grains)
}

fn place_given(settings: &GrainsSettings, room: &mut Room) -> Result<(), GrainsError> {
    for (index, grain) in settings.placed.iter().enumerate() {
        let sphere = Sphere { center: settings.domain.wrap(grain.position), radius: grain.radius };
        let refuse = |other: String, overlap: f64| {
            let (position, radius) = (grain.position, grain.radius);
            GrainsError::Overlap { grain: index, position, other, overlap, radius }
        };
        let deepest = room.occupancy.overlap(&sphere);
        if deepest > ALLOWED_OVERLAP * grain.radius {
            return Err(refuse("another grain".to_owned(), deepest));
        }
        let reached = room.bodies.iter().map(|(name, body)| (name, body.overlap(sphere.center, sphere.radius)));
        if let Some((name, overlap)) = reached.into_iter().find(|(_, overlap)| *overlap > ALLOWED_OVERLAP * grain.radius) {
            return Err(refuse(format!("body \"{name}\""), overlap));
        }
        room.occupancy.push(sphere);
    }
    Ok(())
}

/// Positions of the grains of all groups; the largest grains of all groups are placed first.
fn place_groups(
    settings: &GrainsSettings,
    draws: &[Vec<f64>],
    room: &mut Room,
    random: &mut Random,
    watch: &dyn Watch,
) -> Result<Vec<Vec<DVec3>>, GrainsError> {
    let whole = settings.domain.aabb();
    let mut order: Vec<(usize, usize)> =
        (0..draws.len()).flat_map(|group| (0..draws[group].len()).map(move |grain| (group, grain))).collect();
    order.sort_by(|a, b| draws[b.0][b.1].total_cmp(&draws[a.0][a.1]));
    let mut places: Vec<Vec<DVec3>> = draws.iter().map(|radii| vec![DVec3::ZERO; radii.len()]).collect();
    let mut placed = vec![0; draws.len()];
    let count = order.len();
    for (done, (group, grain)) in order.into_iter().enumerate() {
        watch.progress("placing grains", done, count)?;
        let radius = draws[group][grain];
        let region = settings.groups[group].region.unwrap_or(whole);
        let Some(center) = room.free_place(&region, radius, random) else {
            return Err(GrainsError::NoRoom { group, count: draws[group].len(), radius, placed: placed[group] });
        };
        room.occupancy.push(Sphere { center, radius });
        places[group][grain] = center;
        placed[group] += 1;
    }
    Ok(places)
}

/// Random spheres without overlap in a periodic box of edges `size` (m) from the origin. `parts` lists diameters (m) and their numbers.
///
/// # Panics
/// If there is not enough room.
pub fn random_packing(size: DVec3, parts: &[(f64, usize)], random: &mut Random) -> Vec<Sphere> {
    let domain = Domain::periodic(size);
    let mut parts = parts.to_vec();
    parts.sort_by(|a, b| b.0.total_cmp(&a.0));
    let count = parts.iter().map(|part| part.1).sum();
    let mut room = Room::new(domain, 0.5 * parts.first().map_or(1.0, |part| part.0), count, &[]);
    let region = Aabb { min: DVec3::ZERO, max: size };
    let mut spheres = Vec::new();
    for (diameter, count) in parts {
        for _ in 0..count {
            let center = room.free_place(&region, 0.5 * diameter, random).expect("room for all");
            room.occupancy.push(Sphere { center, radius: 0.5 * diameter });
            spheres.push(Sphere { center, radius: 0.5 * diameter });
        }
    }
    spheres
}
