//! Checks of the state at time zero: overlap of bodies, fluid in walls, overlap of fills, too many particles for memory.

use std::collections::BTreeSet;

use glam::{DVec3, UVec3};

use super::{
    body::PlacedBody,
    fill::{self, Place},
    read::Document,
    simulators::fluid::Places,
};
use crate::{
    fluid::{Emitter, Fill, FillShape, FluidSettings, memory_estimate},
    math::{Aabb, Domain, Pose},
    shape::{Obstacle, TriangleMesh},
};

/// Maximum number of fluid particles.
const MAX_PARTICLE_COUNT: f64 = 5e7;

/// Approximate maximum number of points at which a fill is sampled.
const SAMPLES: f64 = 1e5;

/// Depth of overlap of bodies that is attributed to rounding, as a share of their size, so that a body may rest on another.
const CONTACT_TOLERANCE: f64 = 1e-6;

fn obstacle(body: &PlacedBody) -> Obstacle {
    Obstacle::new(&body.definition.mesh, body.start, body.closed)
}

/// Reports all overlaps, and fluid that is too much to simulate for `duration` seconds.
pub(super) fn check(document: &Document, settings: &FluidSettings, places: &Places, bodies: &[PlacedBody], duration: f64) {
    check_particle_count(document, settings, places, duration);
    let solids = bodies.iter().map(obstacle).collect::<Vec<_>>();
    check_bodies(document, bodies, &solids, &settings.domain);
    if document.is_sound() {
        let regions = settings.fills.iter().map(Region::new).collect::<Vec<_>>();
        for (index, (region, place)) in regions.iter().zip(&places.fills).enumerate() {
            let points = region.samples(2.0 * settings.particle_radius);
            check_room(document, place, &points, (bodies, &solids));
            for (other, other_place) in regions[..index].iter().zip(&places.fills) {
                if region.aabb.overlaps(&other.aabb) && points.iter().any(|&point| other.contains(point)) {
                    let found = format!("a region that overlaps {} (line {})", other_place.key, other_place.line);
                    document.report(place.line, &place.key, found, "fills that do not overlap");
                }
            }
        }
        for (emitter, place) in settings.emitters.iter().zip(&places.emitters) {
            check_emitter(document, place, &emitter.places(settings.particle_radius), (bodies, &solids));
        }
    }
}

/// Reports floating bodies that overlap others, in scenes without fluid.
pub(super) fn check_bodies_alone(document: &Document, bodies: &[PlacedBody]) {
    let solids = bodies.iter().map(obstacle).collect::<Vec<_>>();
    check_bodies(document, bodies, &solids, &Domain::OPEN);
}

fn check_particle_count(document: &Document, settings: &FluidSettings, places: &Places, duration: f64) {
    let spacing = 2.0 * settings.particle_radius;
    let flows = |emitter: &Emitter| (emitter.end.map_or(duration, |end| end.min(duration)) - emitter.start).max(0.0);
    let emitted = settings.emitters.iter().map(|emitter| flows(emitter) * emitter.flow());
    let count = settings.fills.iter().map(fill::volume).chain(emitted).sum::<f64>() / spacing.powi(3);
    // NaN if both fills and particles overflow.
    let too_many = count.is_nan() || count > MAX_PARTICLE_COUNT;
    if let (true, Some(place)) = (too_many, places.fills.first().or(places.emitters.first())) {
        let memory = memory_estimate(count, 0.0) / 1e9;
        let found = format!("about {:.3e} particles of radius {} m, about {memory:.0} GB", count, settings.particle_radius);
        let expected = format!("at most {:.0} million: increase particle_radius, or reduce fills or inflow", MAX_PARTICLE_COUNT / 1e6);
        let key = if places.fills.is_empty() { "fluid.emitter" } else { "fluid.fill" };
        document.report(place.line, key, found, expected);
    }
}

/// Checks that no floating body overlaps any other body or its periodic image in `domain`.
fn check_bodies(document: &Document, bodies: &[PlacedBody], solids: &[Obstacle], domain: &Domain) {
    for (index, body) in bodies.iter().enumerate().filter(|(_, body)| body.is_floating()) {
        let mesh = shrunk(&in_world(body));
        let images: Vec<Obstacle> =
            domain.images().map(|image| Obstacle::new(&mesh, Pose::from_translation(domain.shift(image)), body.closed)).collect();
        for (other_index, (other, solid)) in bodies.iter().zip(solids).enumerate() {
            // A pair of floating bodies is checked once, from the later one.
            let seen = other_index == index || other.is_floating() && other_index > index;
            if !seen && images.iter().any(|image| image.overlaps(solid)) {
                let found = format!("a position that overlaps body \"{}\" (line {})", other.definition.name, other.line);
                document.report(body.line, &body.key, found, "bodies that do not overlap at time zero");
            }
        }
    }
}

/// Checks that an emitter has a place outside the bodies where a particle can enter.
fn check_emitter(document: &Document, place: &Place, points: &[DVec3], (bodies, solids): (&[PlacedBody], &[Obstacle])) {
    if let Some(names) = holders(points, bodies, solids) {
        let found = format!("an emitter inside a body: the region behind the mouth is inside body {names}");
        document.report(place.line, &place.key, found, "at least two particle diameters behind the mouth outside the bodies");
    }
}

/// Checks that a fill, sampled at `points`, has space for at least one particle outside the bodies.
fn check_room(document: &Document, place: &Place, points: &[DVec3], (bodies, solids): (&[PlacedBody], &[Obstacle])) {
    if points.is_empty() {
        document.report(place.line, &place.key, "a region too small for one particle", "space for at least one particle");
        return;
    }
    if let Some(names) = holders(points, bodies, solids) {
        let found = format!("fluid inside a body: the whole region is inside body {names}");
        document.report(place.line, &place.key, found, "a region with space outside the bodies");
    }
}

/// Names of the bodies that contain all points; `None` if a point is free.
fn holders(points: &[DVec3], bodies: &[PlacedBody], solids: &[Obstacle]) -> Option<String> {
    let holder = |point: &DVec3| solids.iter().position(|solid| solid.contains(*point));
    let holders = points.iter().map(holder).collect::<Option<BTreeSet<_>>>()?;
    Some(holders.into_iter().map(|index| format!("\"{}\"", bodies[index].definition.name)).collect::<Vec<_>>().join(", "))
}

/// A fill with an inside test.
struct Region<'f> {
    fill: &'f Fill,
    aabb: Aabb,
    solid: Option<Obstacle>,
}

impl<'f> Region<'f> {
    fn new(fill: &'f Fill) -> Self {
        let solid = match &fill.shape {
            FillShape::Mesh(mesh) => Some(Obstacle::new(mesh, Pose::IDENTITY, true)),
            _ => None,
        };
        Self { fill, aabb: fill::aabb(fill), solid }
    }

    fn contains(&self, point: DVec3) -> bool {
        match &self.fill.shape {
            FillShape::Box { .. } => self.aabb.contains(point),
            FillShape::Sphere { center, radius } => point.distance(*center) < *radius,
            FillShape::Mesh(_) => self.solid.as_ref().is_some_and(|solid| solid.contains(point)),
        }
    }

    /// Points of a lattice in the region, with a spacing of about `spacing` m, or more in a large region; no points if the region is
    /// smaller than one cell.
    fn samples(&self, spacing: f64) -> Vec<DVec3> {
        let extent = self.aabb.extent();
        let coarse = spacing.max((extent.element_product() / SAMPLES).cbrt());
        let cells = (extent / spacing + CONTACT_TOLERANCE).floor();
        let counts = cells.min((extent / coarse).floor().max(DVec3::ONE)).as_uvec3();
        let step = extent / counts.max(UVec3::ONE).as_dvec3();
        let mut points = Vec::new();
        for x in 0..counts.x {
            for y in 0..counts.y {
                for z in 0..counts.z {
                    let point = self.aabb.min + step * (UVec3::new(x, y, z).as_dvec3() + 0.5);
                    if self.contains(point) {
                        points.push(point);
                    }
                }
            }
        }
        points
    }
}

fn in_world(body: &PlacedBody) -> TriangleMesh {
    let mut mesh = body.definition.mesh.clone();
    for vertex in &mut mesh.vertices {
        *vertex = body.start.transform_point(*vertex);
    }
    mesh
}

/// The mesh with its vertices moved inwards by the contact tolerance.
fn shrunk(mesh: &TriangleMesh) -> TriangleMesh {
    let mut normals = vec![DVec3::ZERO; mesh.vertices.len()];
    for (index, triangle) in mesh.triangles.iter().enumerate() {
        let [a, b, c] = mesh.corners(index);
        for &vertex in triangle {
            normals[vertex as usize] += (b - a).cross(c - a);
        }
    }
    let distance = CONTACT_TOLERANCE * mesh.aabb().extent().length();
    let inwards = mesh.vertices.iter().zip(&normals).map(|(&vertex, normal)| vertex - distance * normal.normalize_or_zero());
    TriangleMesh { vertices: inwards.collect(), triangles: mesh.triangles.clone() }
}
