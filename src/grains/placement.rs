//! Grains placed at random: the largest first, each where it overlaps none placed before, no wall and no body.
//!
//! Random sequential addition fills up to about 0.35 of a region with spheres of one size; more must be left to settle.

use glam::DVec3;
use rapier3d_f64::parry::{query::PointQuery, shape::TriMesh};

use super::{
    error::GrainsError,
    occupancy::Occupancy,
    settings::GrainsSettings,
    state::{Grains, NewGrain},
};
use crate::{
    bodies::Body,
    math::{Aabb, Random},
    search::hierarchical_grid::{Space, Sphere},
    shape::{InsideTest, MeshReport},
};

/// Places tried for each grain.
const TRIALS: usize = 20_000;
/// Overlap that grains given places may have, of the smaller radius.
const ALLOWED_OVERLAP: f64 = 0.1;

const AXES: [&str; 3] = ["x", "y", "z"];

/// What grains may not stand in: others, and bodies.
struct Obstacles {
    occupancy: Occupancy,
    solids: Vec<Solid>,
}

struct Solid {
    name: String,
    aabb: Aabb,
    surface: TriMesh,
    inside: Option<InsideTest>,
}

impl Solid {
    fn of(body: &Body) -> Self {
        let mut mesh = body.mesh.as_ref().clone();
        mesh.vertices.iter_mut().for_each(|vertex| *vertex = body.pose.transform_point(*vertex));
        let closed = MeshReport::of(&mesh).is_watertight();
        Self {
            name: body.name.clone(),
            aabb: mesh.aabb(),
            inside: closed.then(|| InsideTest::new(&mesh)),
            surface: TriMesh::new(mesh.vertices, mesh.triangles).expect("an imported mesh has triangles"),
        }
    }

    /// How far a sphere reaches through the surface, metres; its whole radius if its centre is in the material.
    fn overlap(&self, sphere: &Sphere) -> f64 {
        if self.aabb.distance_squared(sphere.center) > sphere.radius * sphere.radius {
            return 0.0;
        }
        let distance = self.surface.distance_to_local_point(sphere.center, false);
        let inside = self.inside.as_ref().is_some_and(|inside| inside.contains(sphere.center));
        if inside { sphere.radius } else { (sphere.radius - distance).max(0.0) }
    }
}

impl Obstacles {
    fn new(space: Space, largest: f64, bodies: &[Body]) -> Self {
        Self { occupancy: Occupancy::new(space, largest), solids: bodies.iter().map(Solid::of).collect() }
    }

    /// A free place in `region`, after many trials; nothing if none was found.
    fn free_place(&self, space: &Space, region: &Aabb, radius: f64, random: &mut Random) -> Option<DVec3> {
        let (low, size) = room(space, region, radius)?;
        for _ in 0..TRIALS {
            let mut center = space.low;
            for axis in 0..space.dimension {
                center[axis] = low[axis] + size[axis] * random.uniform();
            }
            let sphere = Sphere { center, radius };
            if self.occupancy.overlap(&sphere) == 0.0 && self.solids.iter().all(|solid| solid.overlap(&sphere) == 0.0) {
                return Some(center);
            }
        }
        None
    }
}

/// Where the centre of a sphere may lie in `region` and within the walls of the box: low corner and size.
fn room(space: &Space, region: &Aabb, radius: f64) -> Option<(DVec3, DVec3)> {
    let (mut low, mut high) = (region.min, region.max);
    for axis in 0..space.dimension {
        let margin = if space.periodic[axis] { 0.0 } else { radius };
        low[axis] = low[axis].max(space.low[axis] + margin);
        high[axis] = high[axis].min(space.low[axis] + space.size[axis] - margin);
        if low[axis] > high[axis] {
            return None;
        }
    }
    Some((low, high - low))
}

/// All grains that `settings` describe, among `bodies` as they stand.
///
/// # Errors
/// If there is no room, or a given place is taken.
pub fn place(settings: &GrainsSettings, bodies: &[Body]) -> Result<Grains, GrainsError> {
    let largest = settings.largest_radius();
    if largest == 0.0 {
        return Err(GrainsError::Empty);
    }
    for (axis, name) in AXES.iter().enumerate().take(settings.space.dimension) {
        let least = 2.0 * (2.0 * largest + settings.pair_skin());
        if settings.space.periodic[axis] && settings.space.size[axis] < least {
            return Err(GrainsError::PeriodTooShort { axis: name, found: settings.space.size[axis], least });
        }
    }
    let mut obstacles = Obstacles::new(settings.space, largest, bodies);
    place_given(settings, &mut obstacles)?;
    let mut random = Random::new(settings.seed);
    let draws: Vec<Vec<f64>> =
        settings.groups.iter().map(|group| (0..group.count).map(|_| group.sizes.draw(&mut random)).collect()).collect();
    let places = place_groups(settings, &draws, &mut obstacles, &mut random)?;
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
            sphere: Sphere { center: settings.space.wrapped(grain.position), radius: grain.radius },
            velocity: grain.velocity,
            angular_velocity: grain.angular_velocity,
            material: grain.material,
            group: settings.groups.len() as u16,
            density: settings.materials[usize::from(grain.material)].density,
        });
    }
    Ok(grains)
}

fn place_given(settings: &GrainsSettings, obstacles: &mut Obstacles) -> Result<(), GrainsError> {
    for grain in &settings.placed {
        let sphere = Sphere { center: settings.space.wrapped(grain.position), radius: grain.radius };
        let refuse = |other: String, overlap: f64| GrainsError::Overlap { position: grain.position, other, overlap, radius: grain.radius };
        let deepest = obstacles.occupancy.overlap(&sphere);
        if deepest > ALLOWED_OVERLAP * grain.radius {
            return Err(refuse("another grain".to_owned(), deepest));
        }
        if let Some(solid) = obstacles.solids.iter().find(|solid| solid.overlap(&sphere) > ALLOWED_OVERLAP * grain.radius) {
            return Err(refuse(format!("body \"{}\"", solid.name), solid.overlap(&sphere)));
        }
        obstacles.occupancy.push(sphere);
    }
    Ok(())
}

/// Places of all groups' grains, the largest grains of all first.
fn place_groups(
    settings: &GrainsSettings,
    draws: &[Vec<f64>],
    obstacles: &mut Obstacles,
    random: &mut Random,
) -> Result<Vec<Vec<DVec3>>, GrainsError> {
    let whole = Aabb { min: settings.space.low, max: settings.space.low + settings.space.size };
    let mut order: Vec<(usize, usize)> =
        (0..draws.len()).flat_map(|group| (0..draws[group].len()).map(move |grain| (group, grain))).collect();
    order.sort_by(|a, b| draws[b.0][b.1].total_cmp(&draws[a.0][a.1]));
    let mut places: Vec<Vec<DVec3>> = draws.iter().map(|radii| vec![DVec3::ZERO; radii.len()]).collect();
    let mut placed = vec![0; draws.len()];
    for (group, grain) in order {
        let radius = draws[group][grain];
        let region = settings.groups[group].region.unwrap_or(whole);
        let Some(center) = obstacles.free_place(&settings.space, &region, radius, random) else {
            return Err(GrainsError::NoRoom { count: draws[group].len(), radius, placed: placed[group] });
        };
        obstacles.occupancy.push(Sphere { center, radius });
        places[group][grain] = center;
        placed[group] += 1;
    }
    Ok(places)
}

/// Spheres at random in a periodic box of edges `size` (m) from the origin, without overlap: diameters (m) with their numbers.
///
/// # Panics
/// If they have no room.
pub fn random_packing(size: DVec3, parts: &[(f64, usize)], random: &mut Random) -> Vec<Sphere> {
    let space = Space { low: DVec3::ZERO, size, periodic: [true; 3], dimension: 3 };
    let mut parts = parts.to_vec();
    parts.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut obstacles = Obstacles::new(space, 0.5 * parts.first().map_or(1.0, |part| part.0), &[]);
    let region = Aabb { min: DVec3::ZERO, max: size };
    let mut spheres = Vec::new();
    for (diameter, count) in parts {
        for _ in 0..count {
            let center = obstacles.free_place(&space, &region, 0.5 * diameter, random).expect("room for all");
            obstacles.occupancy.push(Sphere { center, radius: 0.5 * diameter });
            spheres.push(Sphere { center, radius: 0.5 * diameter });
        }
    }
    spheres
}
