//! Contacts of grains with walls: the sides of the box, and the triangles of bodies that pass the test with slab-cut balls.

mod closest;
mod contact;
mod surface;

use glam::DVec3;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub use contact::{BOX, SurfaceContact};
use contact::{Feature, Features};
use plimsoll_base::math::Domain;
use plimsoll_bodies::{Bodies, Body, Impulse, Mapping};
use plimsoll_search::{CellGrid, hierarchical_grid::HierarchicalGrid};
pub use surface::Surface;

use super::{
    law::{ContactKinematics, Law},
    overlaps::Overlaps,
    state::Grains,
};

/// A grain near walls, with the nearby and touched walls.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct NearWall {
    pub grain: u32,
    /// Whether a side of the box is near.
    near_box: bool,
    /// Nearby triangles (body, triangle), sorted.
    near: Vec<(u32, u32)>,
    pub contacts: Vec<SurfaceContact>,
    /// Sum over all contacts of the grain, N and N m.
    force: DVec3,
    torque: DVec3,
}

/// All grains near walls, sorted.
#[derive(Default, Serialize, Deserialize)]
pub struct Walls {
    pub sides: Vec<NearWall>,
    /// Triangles in body coordinates, with their flat faces.
    #[serde(skip)]
    surfaces: Vec<Surface>,
    #[serde(skip)]
    maps: Vec<LevelMap>,
}

/// The grains of one level in cells of their size, and the balls mapped to these cells.
#[derive(Default)]
struct LevelMap {
    grid: CellGrid,
    mapping: Mapping,
    positions: Vec<glam::Vec3A>,
    places: Vec<u32>,
}

/// Input of the walls, apart from grains and bodies.
#[derive(Clone, Copy)]
pub struct WallContext<'a> {
    pub law: &'a Law,
    pub domain: &'a Domain,
    pub material: u16,
    /// Maximum distance that bodies may move before the next search, m; grains have at most this skin.
    pub skin: f64,
    /// Time step, s.
    pub dt: f64,
}

impl Walls {
    /// Prepares the surfaces of all bodies.
    pub fn prepare(&mut self, bodies: &Bodies) {
        self.surfaces = bodies.list.par_iter().map(|body| Surface::of(&body.segmentation)).collect();
        self.maps.clear();
    }

    /// Prepares one more body.
    pub fn add_body(&mut self, body: &Body) {
        self.surfaces.push(Surface::of(&body.segmentation));
    }

    /// Finds the walls near each grain. `order[i]` is the previous index of grain `i`. Contacts keep their histories.
    pub fn search(&mut self, grains: &Grains, bodies: &[Body], grid: &HierarchicalGrid, scene: &WallContext) {
        let mut near = self.near_triangles(grains, bodies, grid, scene.skin);
        near.par_sort_unstable();
        near.dedup();
        let mut sides: Vec<NearWall> = Vec::new();
        let mut listed = near.chunk_by(|a, b| a.0 == b.0).peekable();
        let mut old = old_contacts(std::mem::take(&mut self.sides), grid.order());
        let (low, high) = box_walls(scene.domain);
        for (grain, padded) in (0..).zip(&grains.padded) {
            let triangles = listed.next_if(|stretch| stretch[0].0 == grain);
            let reach = DVec3::splat(padded.radius);
            let near_box = (padded.center.cmplt(low + reach) | padded.center.cmpge(high - reach)).any();
            if triangles.is_none() && !near_box {
                continue;
            }
            let near = triangles.unwrap_or_default().iter().map(|&(_, body, triangle)| (body, triangle)).collect();
            let contacts = old.binary_search_by_key(&grain, |(place, _)| *place).map(|at| std::mem::take(&mut old[at].1));
            sides.push(NearWall { grain, near_box, near, contacts: contacts.unwrap_or_default(), ..NearWall::default() });
        }
        self.sides = sides;
    }

    /// Grain, body and triangle of all pairs closer than the radius plus both skins.
    fn near_triangles(&mut self, grains: &Grains, bodies: &[Body], grid: &HierarchicalGrid, skin: f64) -> Vec<(u32, u32, u32)> {
        let mut near = Vec::new();
        if bodies.is_empty() {
            return near;
        }
        self.maps.resize_with(grid.plan.level_count(), LevelMap::default);
        for (level, map) in self.maps.iter_mut().enumerate() {
            let range = grid.cells.places(level);
            if range.is_empty() {
                continue;
            }
            // Positions are rounded to single precision for the mapping. Its candidates are then tested exactly.
            let spheres = &grains.spheres[range.clone()];
            let rounding = spheres.iter().map(|sphere| sphere.center.abs().max_element()).fold(0.0, f64::max) * f64::from(f32::EPSILON);
            let diameter = grid.plan.diameters[level];
            map.positions.clear();
            map.positions.extend(spheres.iter().map(|sphere| sphere.center.as_vec3a()));
            map.grid.update(&map.positions, (diameter + 2.0 * skin) as f32);
            map.places.clear();
            map.places.extend(map.grid.order().map(|index| index + range.start as u32));
            map.grid.reorder(&mut map.positions, &mut Vec::new());
            // Rounded up to a power of two, so that cells of static bodies stay valid while grains move.
            let allowance = rounding.log2().ceil().exp2();
            map.mapping.update(bodies, &map.grid, &map.positions, 0.5 * diameter + 2.0 * skin + allowance);
            let (surfaces, places) = (&self.surfaces, &map.places);
            let found: Vec<Vec<(u32, u32, u32)>> = map
                .mapping
                .near
                .par_chunks(1024)
                .map(|chunk| {
                    let mut found = Vec::new();
                    for entry in chunk {
                        let (place, body) = (places[entry.particle as usize], entry.body as usize);
                        let sphere = &grains.spheres[place as usize];
                        let local = bodies[body].pose.inverse_transform_point(sphere.center);
                        let segment = &bodies[body].segmentation.segments[entry.segment as usize];
                        let reach = grains.padded[place as usize].radius + skin;
                        let close = |triangle: &u32| surfaces[body].closest(*triangle, local).0.distance_squared(local) < reach * reach;
                        found.extend(segment.triangles.clone().filter(close).map(|triangle| (place, entry.body, triangle)));
                    }
                    found
                })
                .collect();
            near.extend(found.into_iter().flatten());
        }
        near
    }

    /// Computes the forces of all walls on the grains near them and adds them to the forces of the grain contacts. Returns the maximum
    /// overlaps.
    pub fn react(&mut self, grains: &mut Grains, bodies: &[Body], scene: &WallContext) -> Overlaps {
        let surfaces = &self.surfaces;
        let sides = self.sides.par_iter_mut().with_min_len(512);
        sides.for_each_init(Features::default, |features, side| {
            features.clear();
            side.find_features(grains, bodies, surfaces, scene, features);
            contact::carry(&mut side.contacts, features.found());
            side.react(grains, bodies, scene);
        });
        let mut max_overlap = Overlaps::default();
        for side in &self.sides {
            grains.forces[side.grain as usize] += side.force;
            grains.torques[side.grain as usize] += side.torque;
            let radius = grains.spheres[side.grain as usize].radius;
            for contact in &side.contacts {
                let of = if contact.body == BOX { Overlaps::of_box } else { Overlaps::of_surface };
                max_overlap = max_overlap.max(of(contact.overlap, radius));
            }
        }
        max_overlap
    }

    /// Maximum speed of a grain relative to a wall near it, in radii per second.
    pub fn max_approach(&self, grains: &Grains, bodies: &[Body]) -> f64 {
        let of_side = |side: &NearWall| {
            let (sphere, velocity) = (&grains.spheres[side.grain as usize], grains.velocities[side.grain as usize]);
            let near = side.near.chunk_by(|a, b| a.0 == b.0).map(|stretch| bodies[stretch[0].0 as usize].velocity_at(sphere.center));
            let walls = near.chain(side.near_box.then_some(DVec3::ZERO));
            walls.map(|wall| velocity.distance(wall)).fold(0.0, f64::max) / sphere.radius
        };
        self.sides.par_iter().with_min_len(512).map(of_side).reduce(|| 0.0, f64::max)
    }

    /// Force (N) and torque about the body's center (N m) of the grains on each body.
    pub fn body_loads(&self, bodies: &[Body]) -> Vec<Impulse> {
        let mut loads = vec![Impulse::default(); bodies.len()];
        for contact in self.sides.iter().flat_map(|side| &side.contacts).filter(|contact| contact.body != BOX) {
            let load = &mut loads[contact.body as usize];
            load.linear -= contact.force;
            load.angular -= (contact.point - bodies[contact.body as usize].center()).cross(contact.force) + contact.couple;
        }
        loads
    }

    /// Force of the walls of the box on the grains, N.
    pub fn box_force(&self) -> DVec3 {
        self.sides.iter().flat_map(|side| &side.contacts).filter(|contact| contact.body == BOX).map(|contact| contact.force).sum()
    }
}

/// Wall contacts of each grain that had any, with its current index, sorted.
fn old_contacts(sides: Vec<NearWall>, order: &[u32]) -> Vec<(u32, Vec<SurfaceContact>)> {
    if sides.iter().all(|side| side.contacts.is_empty()) {
        return Vec::new();
    }
    let mut places = vec![0; order.len()];
    for (place, &former) in (0..).zip(order) {
        places[former as usize] = place;
    }
    let touching = sides.into_iter().filter(|side| !side.contacts.is_empty());
    let mut old: Vec<(u32, Vec<SurfaceContact>)> = touching.map(|side| (places[side.grain as usize], side.contacts)).collect();
    old.sort_unstable_by_key(|&(place, _)| place);
    old
}

/// Lowest and highest corner of the walls of the box; infinitely far along axes without walls.
fn box_walls(domain: &Domain) -> (DVec3, DVec3) {
    let (mut low, mut high) = (DVec3::NEG_INFINITY, DVec3::INFINITY);
    for axis in (0..domain.dimension).filter(|&axis| !domain.periodic[axis]) {
        (low[axis], high[axis]) = (domain.low[axis], domain.low[axis] + domain.size[axis]);
    }
    (low, high)
}

impl NearWall {
    /// Collects the features that the grain touches.
    fn find_features(&self, grains: &Grains, bodies: &[Body], surfaces: &[Surface], scene: &WallContext, features: &mut Features) {
        let sphere = &grains.spheres[self.grain as usize];
        if self.near_box {
            features.touch_box(sphere, scene.domain);
        }
        for stretch in self.near.chunk_by(|a, b| a.0 == b.0) {
            let body = stretch[0].0 as usize;
            features.touch_body(sphere, (stretch[0].0, &bodies[body]), &surfaces[body], stretch.iter().map(|&(_, triangle)| triangle));
        }
    }

    fn react(&mut self, grains: &Grains, bodies: &[Body], scene: &WallContext) {
        (self.force, self.torque) = (DVec3::ZERO, DVec3::ZERO);
        let grain = self.grain as usize;
        let sphere = &grains.spheres[grain];
        for contact in &mut self.contacts {
            let Feature { point, normal, overlap, .. } = contact.feature();
            let distance = sphere.radius - overlap;
            let wall_velocity = bodies.get(contact.body as usize).map_or(DVec3::ZERO, |body| body.velocity_at(point));
            let wall_spin = bodies.get(contact.body as usize).map_or(DVec3::ZERO, |body| body.angular_velocity);
            let spin = grains.angular_velocities[grain];
            let lever = normal * distance;
            let touch = ContactKinematics {
                materials: [grains.materials[grain], scene.material],
                overlap,
                normal,
                velocity: grains.velocities[grain] + spin.cross(lever) - wall_velocity,
                spin: spin - wall_spin,
                radius: sphere.radius,
                mass: grains.masses[grain],
            };
            let reaction = scene.law.react(&touch, &mut contact.history, scene.dt);
            (contact.force, contact.couple) = (reaction.force, reaction.couple);
            self.force += reaction.force;
            self.torque += lever.cross(reaction.force) + reaction.couple;
        }
    }
}
