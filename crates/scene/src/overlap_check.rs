//! Checks of the state at time zero: overlap of bodies, fluid in walls, overlap of fills, too many particles for memory.

use std::borrow::Cow;

use glam::{DVec3, UVec3};
use plimsoll_base::math::{Aabb, Domain, Pose};
use plimsoll_bodies::{MechanismDefinition, PlacedSolid, overlapping_pairs};
use plimsoll_fluid::{Fill, FillShape, FluidSettings};
use plimsoll_shape::{BoxTree, Obstacle, TriangleMesh};

use super::{body::PlacedBody, fill::Place, holders::Holders, read::Document, simulators::fluid::Places, solid_vessel};

/// Maximum number of fluid particles.
const MAX_PARTICLE_COUNT: f64 = 5e7;

/// Approximate maximum number of points at which a fill is sampled.
const SAMPLES: f64 = 1e5;

/// Share of a particle by which a region may be smaller, attributed to rounding.
const CELL_TOLERANCE: f64 = 1e-6;

fn obstacle(body: &PlacedBody) -> Obstacle {
    Obstacle::new(&body.start_mesh(), body.start, body.closed)
}

/// Reports all overlaps, and fluid that is too much to simulate between two `times`, s.
pub(super) fn check(document: &Document, settings: &FluidSettings, places: &Places, bodies: &[PlacedBody], times: [f64; 2]) {
    check_particle_count(document, settings, places, times);
    let solids = bodies.iter().map(obstacle).collect::<Vec<_>>();
    check_bodies(document, bodies, &solids, &settings.domain, &settings.mechanism);
    if document.is_sound() {
        let holders = Holders::new(bodies, &solids);
        let regions = settings.fills.iter().map(Region::new).collect::<Vec<_>>();
        let tree = BoxTree::new(regions.iter().map(|region| region.aabb));
        for (index, (region, place)) in regions.iter().zip(&places.fills).enumerate() {
            let points = region.samples(2.0 * settings.particle_radius);
            check_room(document, place, &points, settings.particle_radius, &holders);
            solid_vessel::warn(document, place, &points, &holders, settings.gravity);
            for other in tree.overlapping([region.aabb]).into_iter().take_while(|&other| other < index) {
                let (other, other_place) = (&regions[other], &places.fills[other]);
                if points.iter().any(|&point| other.contains(point)) {
                    let found = format!("a region that overlaps {} (line {})", other_place.key, other_place.line);
                    document.report(place.line, &place.key, found, "fills that do not overlap");
                }
            }
        }
        for (emitter, place) in settings.emitters.iter().zip(&places.emitters) {
            check_emitter(document, place, &emitter.places(settings.particle_radius), &holders);
        }
    }
}

/// Reports floating bodies that overlap others, in scenes without fluid.
pub(super) fn check_bodies_alone(document: &Document, bodies: &[PlacedBody], mechanism: &MechanismDefinition) {
    let solids = bodies.iter().map(obstacle).collect::<Vec<_>>();
    check_bodies(document, bodies, &solids, &Domain::OPEN, mechanism);
}

/// Reports fluid that is too much to simulate from `start` to `end` (s).
pub(super) fn check_particle_count(document: &Document, settings: &FluidSettings, places: &Places, [start, end]: [f64; 2]) {
    let spacing = 2.0 * settings.particle_radius;
    let emitted = settings.emitters.iter().map(|emitter| emitter.volume([start, end]));
    let count = settings.fills.iter().map(|fill| fill.shape.volume()).chain(emitted).sum::<f64>() / spacing.powi(3);
    // NaN if both fills and particles overflow.
    let too_many = count.is_nan() || count > MAX_PARTICLE_COUNT;
    if let (true, Some(place)) = (too_many, places.fills.first().or(places.emitters.first())) {
        let memory = settings.memory_estimate(count, 0.0) / 1e9;
        let found = format!("about {:.3e} particles of radius {} m, about {memory:.0} GB", count, settings.particle_radius);
        let expected = format!("at most {:.0} million: increase particle_radius, or reduce fills or inflow", MAX_PARTICLE_COUNT / 1e6);
        let key = if places.fills.is_empty() { "fluid.emitter" } else { "fluid.fill" };
        document.report(place.line, key, found, expected);
    }
}

/// Checks that no floating body overlaps any other body with which it collides, or its periodic image in `domain`.
fn check_bodies(document: &Document, bodies: &[PlacedBody], solids: &[Obstacle], domain: &Domain, mechanism: &MechanismDefinition) {
    let meshes: Vec<Cow<TriangleMesh>> = bodies.iter().map(PlacedBody::start_mesh).collect();
    let placed = bodies.iter().zip(&meshes).zip(solids).map(|((body, mesh), obstacle)| {
        let PlacedBody { closed, start, .. } = body;
        PlacedSolid { mesh, pose: *start, closed: *closed, floating: body.is_floating(), obstacle }
    });
    let placed: Vec<PlacedSolid> = placed.collect();
    let meet = |&[one, other]: &[usize; 2]| !mechanism.separates(one, other) && bodies[one].meets_where_it_appears(&bodies[other]);
    for [index, other] in overlapping_pairs(&placed, domain).into_iter().filter(meet) {
        let (body, other) = (&bodies[index], &bodies[other]);
        let found = format!("a position that overlaps body \"{}\" (line {})", other.definition.name, other.line);
        let hint = body.size_hint.as_ref().or(other.size_hint.as_ref()).cloned();
        document.report_with_hint(body.line, &body.key, (found, "bodies that do not overlap at time zero".to_owned()), hint);
    }
}

/// Checks that an emitter has a place outside the bodies where a particle can enter.
fn check_emitter(document: &Document, place: &Place, points: &[DVec3], holders: &Holders) {
    if let Some(held) = holders.of_all(points) {
        let found = format!("an emitter inside a body: the region behind the mouth is inside body {}", holders.names(&held));
        document.report(place.line, &place.key, found, "at least two particle diameters behind the mouth outside the bodies");
    }
}

/// Checks that a fill, sampled at `points`, has space for at least one particle outside the bodies.
fn check_room(document: &Document, place: &Place, points: &[DVec3], particle_radius: f64, holders: &Holders) {
    if points.is_empty() {
        let found = format!("a region too small for one particle of radius {particle_radius} m");
        document.report(place.line, &place.key, found, "space for at least one particle");
        return;
    }
    if let Some(held) = holders.of_all(points) {
        report_full(document, place, holders, &held);
    }
}

/// Reports a fill without space outside the bodies `held`.
fn report_full(document: &Document, place: &Place, holders: &Holders, held: &[usize]) {
    let names = holders.names(held);
    let bodies = || held.iter().map(|&index| &holders.bodies[index]);
    if bodies().any(|body| body.vessel) {
        let found = format!("fluid outside a vessel: the whole region is around body {names}");
        document.report(place.line, &place.key, found, "a region with space inside the vessel");
        return;
    }
    let found = format!("fluid inside a body: the whole region is inside body {names}");
    let vessel = || bodies().find(|body| !body.is_floating()).map(|body| solid_vessel::hint(&body.definition.name));
    let hint = bodies().find_map(|body| body.size_hint.clone()).or_else(vessel);
    document.report_with_hint(place.line, &place.key, (found, "a region with space outside the bodies".to_owned()), hint);
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
        Self { fill, aabb: fill.shape.aabb(), solid }
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
        let cells = (extent / spacing + CELL_TOLERANCE).floor();
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
