//! Slab-cut balls mapped to the grid, against brute force over all particles and triangles, and against coarser bounds.

use std::{collections::BTreeSet, fmt, ops::Range, sync::Arc};

use crate::generate_meshes::solids;
use glam::{DQuat, DVec3, IVec3, Vec3A};
use plimsoll_base::math::{Aabb, Pose};
use plimsoll_bodies::{Body, BodyDefinition, BodyKind, Mapping, MappingCounters, PrescribedMotion, Presence};
use plimsoll_fluid::{
    WallContacts,
    walls::{SurfaceIntegral, WallSurface, WallTriangle, mirror_layer},
};
use plimsoll_search::{CellGrid, CellRow};
use plimsoll_shape::{ImportOptions, SegmentLimits, Segmentation, SlabCutBall, TriangleMesh, import};
use proptest::prelude::*;

/// Whether a body is static, so that its cells are kept from one update to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Standing {
    Still,
    Moving,
}

fn body(mesh: &TriangleMesh, pose: Pose, limits: SegmentLimits, standing: Standing) -> Body {
    let kind = match standing {
        Standing::Still => BodyKind::Static,
        Standing::Moving => BodyKind::Moving(PrescribedMotion::Constant { linear: DVec3::ZERO, angular: DVec3::ZERO, pivot: DVec3::ZERO }),
    };
    let segmentation = Segmentation::build(mesh, &limits);
    Body::new(
        BodyDefinition {
            name: "body".into(),
            mesh: mesh.clone(),
            pose,
            kind,
            friction: 0.0,
            restitution: 0.0,
            presence: Presence::default(),
        },
        segmentation,
    )
}

fn sorted(mut positions: Vec<Vec3A>, cell_size: f32) -> (CellGrid, Vec<Vec3A>) {
    let mut grid = CellGrid::default();
    grid.update(&positions, cell_size);
    grid.reorder(&mut positions, &mut Vec::new());
    (grid, positions)
}

/// Distance of `point` from a triangle: to its plane if the projection is inside, otherwise to the nearest edge.
fn distance(point: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let normal = (b - a).cross(c - a);
    let inside = [(a, b), (b, c), (c, a)].iter().all(|&(from, to)| (to - from).cross(point - from).dot(normal) >= 0.0);
    if inside && normal.length_squared() > 0.0 {
        return (point - a).dot(normal).abs() / normal.length();
    }
    let to_edge = |from: DVec3, to: DVec3| {
        let along = to - from;
        let share = ((point - from).dot(along) / along.length_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        point.distance(from + share * along)
    };
    to_edge(a, b).min(to_edge(b, c)).min(to_edge(c, a))
}

/// Particle, body and triangle of its segmentation.
type Pair = (u32, u32, u32);

fn is_near(bodies: &[Body], positions: &[Vec3A], cutoff: f64, (particle, body, triangle): Pair) -> bool {
    let body = &bodies[body as usize];
    let point = body.pose.inverse_transform_point(positions[particle as usize].as_dvec3());
    distance(point, body.segmentation.mesh.corners(triangle as usize)) < cutoff
}

/// Triangles of the segments found near particles; a pair may occur several times.
fn mapped_pairs<'a>(mapping: &'a Mapping, bodies: &'a [Body]) -> impl Iterator<Item = Pair> + 'a {
    mapping.near.iter().flat_map(move |near| {
        let triangles: Range<u32> = bodies[near.body as usize].segmentation.segments[near.segment as usize].triangles.clone();
        triangles.map(|triangle| (near.particle, near.body, triangle))
    })
}

/// All pairs closer than `cutoff`, by brute force.
fn all_pairs(bodies: &[Body], positions: &[Vec3A], cutoff: f64) -> BTreeSet<Pair> {
    let triangles = |body: usize| (0..bodies[body].segmentation.mesh.triangles.len() as u32).map(move |triangle| (body as u32, triangle));
    let each = (0..bodies.len()).flat_map(triangles);
    let pairs = each.flat_map(|(body, triangle)| (0..positions.len() as u32).map(move |particle| (particle, body, triangle)));
    pairs.filter(|&pair| is_near(bodies, positions, cutoff, pair)).collect()
}

fn wall_triangles(body: &Body) -> Vec<WallTriangle> {
    let Segmentation { mesh, sharp_edges, .. } = &*body.segmentation;
    (0..mesh.triangles.len()).map(|index| WallTriangle::new(mesh.corners(index), sharp_edges[index])).collect()
}

/// What all triangles of a body contribute to a particle, near or not: value and gradient in world axes.
fn whole_integral(body: &Body, triangles: &[WallTriangle], position: Vec3A, cutoff: f64) -> (f64, DVec3) {
    let point = body.pose.inverse_transform_point(position.as_dvec3());
    let mut sum = SurfaceIntegral::default();
    for triangle in triangles {
        sum += triangle.integrate(mirror_layer(), point, cutoff);
    }
    (sum.value.max(0.0), body.pose.transform_vector(sum.gradient))
}

/// Bodies among particles, with the distance within which walls act.
#[derive(Clone)]
struct Case {
    bodies: Vec<Body>,
    positions: Vec<Vec3A>,
    cell_size: f32,
    cutoff: f64,
}

/// Omits segmentations, which are long and follow from the rest.
impl fmt::Debug for Case {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for body in &self.bodies {
            writeln!(
                formatter,
                "{:?} {:?} {:?} {} segments",
                body.pose,
                body.mesh.vertices,
                body.mesh.triangles,
                body.segmentation.segments.len()
            )?;
        }
        write!(formatter, "{:?} cells {} cutoff {}", self.positions, self.cell_size, self.cutoff)
    }
}

fn pose() -> impl Strategy<Value = Pose> {
    let rotation = prop::array::uniform3(-3.2_f64..3.2).prop_map(|vector| DQuat::from_scaled_axis(DVec3::from_array(vector)));
    let translation = prop::array::uniform3(-0.4_f64..0.4).prop_map(DVec3::from_array);
    let offset = prop::sample::select(vec![DVec3::ZERO, DVec3::new(-80.0, 3.0, 40.0)]);
    (rotation, translation, offset).prop_map(|(rotation, translation, offset)| Pose::new(rotation, translation + offset))
}

/// Arbitrary triangles: large, small and thin, no two with a common edge.
fn soup() -> impl Strategy<Value = TriangleMesh> {
    let vector = || prop::array::uniform3(-1.0_f64..1.0).prop_map(DVec3::from_array);
    let scale = || prop::sample::select(vec![0.4, 0.1, 0.01]);
    let triangle = (vector(), vector(), scale(), vector(), scale()).prop_map(|(at, first, one, second, two)| {
        let corner = 0.4 * at;
        [corner, corner + one * first, corner + two * second]
    });
    prop::collection::vec(triangle, 1..20).prop_map(|triangles| TriangleMesh {
        vertices: triangles.iter().flatten().copied().collect(),
        triangles: (0..triangles.len() as u32).map(|index| [3 * index, 3 * index + 1, 3 * index + 2]).collect(),
    })
}

fn from_file(name: &str, scale: f64) -> TriangleMesh {
    let path = format!("{}/meshes/{name}.obj", concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    import::load(path.as_ref(), &ImportOptions { scale: DVec3::splat(scale), ..ImportOptions::default() }).expect("a sample mesh is sound")
}

fn mesh() -> impl Strategy<Value = TriangleMesh> {
    prop_oneof![
        3 => soup(),
        2 => prop::array::uniform3(0.02_f64..0.8).prop_map(solids::cuboid),
        1 => (0.1_f64..0.4, 0_usize..3).prop_map(|(radius, halvings)| solids::sphere(radius, halvings)),
        1 => prop::sample::select(vec![("sheet", 0.6), ("basin", 0.6), ("funnel", 0.7), ("tank", 0.4), ("paddle", 1.0)])
            .prop_map(|(name, scale)| from_file(name, scale)),
    ]
}

/// Particles around the bodies, half of them close to a surface.
fn case() -> impl Strategy<Value = Case> {
    let limits = (0.05_f64..0.4, 1_usize..20).prop_map(|(size, triangles)| SegmentLimits::new(size, triangles));
    let standing = prop::sample::select(vec![Standing::Still, Standing::Moving]);
    let others = (mesh(), pose());
    let places = prop::collection::vec((prop::array::uniform3(0.0_f64..1.0), any::<(bool, usize)>()), 1..150);
    let sizes = (0.03_f32..0.2, 0.3_f64..1.2);
    (mesh(), pose(), others, (limits, standing), places, sizes).prop_map(|(mesh, pose, other, (limits, standing), places, sizes)| {
        // The second body is within the cutoff of the first one.
        let near_first = Pose::new(other.1.rotation, pose.translation + 0.3 * other.1.rotation.xyz());
        let bodies = vec![body(&mesh, pose, limits, standing), body(&other.0, near_first, limits, Standing::Moving)];
        let (cell_size, cutoff) = (sizes.0, sizes.1 * f64::from(sizes.0));
        let positions = places.iter().map(|(place, (close, choice))| position(&bodies, *place, *close, *choice, cutoff)).collect();
        Case { bodies, positions, cell_size, cutoff }
    })
}

/// A position in the first body's box, or close to a triangle of any body.
fn position(bodies: &[Body], place: [f64; 3], close: bool, choice: usize, cutoff: f64) -> Vec3A {
    let body = &bodies[if close { choice % bodies.len() } else { 0 }];
    let mesh = &body.segmentation.mesh;
    let point = if close {
        let [a, b, c] = mesh.corners(choice / 2 % mesh.triangles.len());
        a + place[0] * (b - a)
            + (1.0 - place[0]) * place[1] * (c - a)
            + 2.5 * (place[2] - 0.5) * cutoff * (b - a).cross(c - a).normalize_or_zero()
    } else {
        let aabb = mesh.aabb().inflated(cutoff);
        aabb.min + DVec3::from_array(place) * aabb.extent()
    };
    body.pose.transform_point(point).as_vec3a()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_near_pair_is_missed_and_none_comes_twice(case in case()) {
        let Case { bodies, positions, cell_size, cutoff } = case;
        let (grid, positions) = sorted(positions, cell_size);
        let mut mapping = Mapping::default();
        mapping.update(&bodies, &grid, &positions, cutoff);
        prop_assert!(mapping.near.is_sorted_by(|a, b| a < b), "sorted, each once");
        let found: BTreeSet<Pair> = mapped_pairs(&mapping, &bodies).filter(|&pair| is_near(&bodies, &positions, cutoff, pair)).collect();
        let expected = all_pairs(&bodies, &positions, cutoff);
        prop_assert_eq!(found, expected);
        prop_assert_eq!(mapping.counters.particles_inside, mapping.near.len() as u64);
        prop_assert!(mapping.counters.particles_tested >= mapping.counters.particles_inside);
        prop_assert!(mapping.counters.cells_visited >= mapping.counters.cells_kept);
    }

    #[test]
    fn a_chord_is_what_the_ball_holds_of_a_line(
        normal in prop_oneof![Just([0.0, 1.0, 0.0]), Just([1.0, 0.0, 0.0]), prop::array::uniform3(-1.0..1.0_f64)],
        (lower, thickness, inflation) in (-0.8..0.5_f64, 0.0..0.6_f64, 0.0..0.3_f64),
        at in prop::array::uniform2(-1.2..1.2_f64),
        places in prop::collection::vec(-1.5..1.5_f64, 20),
    ) {
        let center = DVec3::new(0.3, -0.2, 0.1);
        let normal = DVec3::from_array(normal).normalize_or(DVec3::Z);
        let ball = SlabCutBall { center, radius: 0.9, normal, lower, upper: lower + thickness };
        let chord = ball.chord(at[0], at[1], inflation);
        for x in places {
            let held = ball.contains(center + DVec3::new(x, at[0], at[1]), inflation);
            let near_an_end = chord.is_some_and(|(from, to)| (x - from).abs() < 1e-12 || (x - to).abs() < 1e-12);
            prop_assert!(near_an_end || held == chord.is_some_and(|(from, to)| (from..=to).contains(&x)), "{x} {chord:?}");
        }
    }

    #[test]
    fn wall_contacts_are_the_integrals_over_all_triangles(case in case()) {
        let Case { bodies, positions, cell_size, cutoff } = case;
        let (grid, positions) = sorted(positions, cell_size);
        let triangles: Vec<Vec<WallTriangle>> = bodies.iter().map(wall_triangles).collect();
        let (mut mapping, mut contacts) = (Mapping::default(), WallContacts::default());
        mapping.update(&bodies, &grid, &positions, cutoff);
        let surfaces: Vec<Arc<WallSurface>> = bodies.iter().map(|body| WallSurface::new(&body.segmentation, cutoff).into()).collect();
        contacts.integrate(&bodies, &surfaces, &mapping, &positions, cutoff);
        prop_assert!(contacts.triangle_pairs <= mapped_pairs(&mapping, &bodies).count() as u64);
        for (particle, &position) in positions.iter().enumerate() {
            for (index, body) in bodies.iter().enumerate() {
                let place = contacts.range_of(particle).find(|&place| contacts.list[place].body == index as u32);
                let contact = place.map(|place| &contacts.list[place]);
                // Before walls that curve away from the particle are weighted.
                let weight = place.map_or(1.0, |place| f64::from(contacts.weights[place]));
                prop_assert!((0.4..=1.0).contains(&weight), "{weight}");
                let (value, gradient) =
                    contact.map_or((0.0, DVec3::ZERO), |contact| (f64::from(contact.value) / weight, contact.gradient.as_dvec3() / weight));
                let (expected, expected_gradient) = whole_integral(body, &triangles[index], position, cutoff);
                // Contacts are stored as f32; clusters have the error of their quadrature: of gradients a little more than 0.01 in one of many
                // thousands of cases (a funnel, large beside the cutoff).
                let (tolerance, of_gradient) = if surfaces[index].cluster_count() > 0 { (3e-3, 1.5e-2) } else { (1e-6, 1e-6) };
                prop_assert!((value - expected).abs() < tolerance * (1.0 + expected), "particle {particle} body {index}: {value} for {expected}");
                let scale = expected_gradient.length() + 1.0 / cutoff;
                prop_assert!((gradient - expected_gradient).length() < of_gradient * scale, "{gradient} for {expected_gradient}");
                if contact.is_some() {
                    let point = body.pose.inverse_transform_point(position.as_dvec3());
                    let corners = (0..body.segmentation.mesh.triangles.len()).map(|index| body.segmentation.mesh.corners(index));
                    let nearest = corners.map(|corners| distance(point, corners)).fold(f64::INFINITY, f64::min);
                    let detail = contacts.details_of(particle).iter().find(|detail| detail.body == index as u32);
                    let clearance = detail.map_or(f64::INFINITY, |detail| f64::from(detail.clearance));
                    prop_assert!(clearance <= nearest * (1.0 + 1e-6) || nearest > cutoff, "{clearance} for {nearest}");
                }
            }
        }
    }

    #[test]
    fn cells_kept_for_a_static_body_are_those_found_anew(case in case(), shift in prop::array::uniform3(-0.1_f32..0.1), widening in 1.0_f64..1.5) {
        let Case { mut bodies, positions, cell_size, cutoff } = case;
        bodies[0].kind = BodyKind::Static;
        let moved: Vec<Vec3A> = positions.iter().map(|&position| position + Vec3A::from_array(shift)).collect();
        let mut kept = Mapping::default();
        // The same body with other particles, another cutoff, another cell size, and fewer bodies.
        let updates = [
            (2, &positions, cell_size, cutoff),
            (2, &moved, cell_size, cutoff),
            (2, &moved, cell_size, widening * cutoff),
            (2, &positions, 0.7 * cell_size, widening * cutoff),
            (1, &positions, 0.7 * cell_size, widening * cutoff),
        ];
        for (count, positions, cell_size, cutoff) in updates {
            let (grid, positions) = sorted(positions.clone(), cell_size);
            let mut fresh = Mapping::default();
            kept.update(&bodies[..count], &grid, &positions, cutoff);
            fresh.update(&bodies[..count], &grid, &positions, cutoff);
            prop_assert_eq!(&kept.near, &fresh.near);
            // Only the cells that had to be found again were visited again.
            let visited = kept.counters.cells_visited;
            prop_assert!(visited <= fresh.counters.cells_visited);
            prop_assert_eq!(kept.counters, MappingCounters { cells_visited: visited, ..fresh.counters });
        }
    }
}

/// Shares of walls in the density of particles 0.3, 0.5 and 0.7 cutoffs above the places `x` of boxes that are as long as wide, their tops at height
/// zero.
fn shares(boxes: &[[f64; 2]], x: f64) -> [f32; 3] {
    let cutoff = 0.1;
    let solid = |&[from, to]: &[f64; 2]| {
        let pose = Pose::from_translation(DVec3::new(0.5 * (from + to), -0.5, 0.0));
        body(&TriangleMesh::cuboid(DVec3::new(to - from, 1.0, 1.0)), pose, SegmentLimits::new(4.0 * cutoff, 32), Standing::Still)
    };
    let bodies: Vec<Body> = boxes.iter().map(solid).collect();
    let heights = [0.3, 0.5, 0.7].map(|height| Vec3A::new(x as f32, (height * cutoff) as f32, 0.013));
    let (grid, positions) = sorted(heights.to_vec(), 0.2);
    let surfaces: Vec<Arc<WallSurface>> = bodies.iter().map(|body| WallSurface::new(&body.segmentation, cutoff).into()).collect();
    let (mut mapping, mut contacts) = (Mapping::default(), WallContacts::default());
    mapping.update(&bodies, &grid, &positions, cutoff);
    contacts.integrate(&bodies, &surfaces, &mapping, &positions, cutoff);
    let mut shares: Vec<(f32, f32)> = (0..3).map(|index| (positions[index].y, contacts.share(index))).collect();
    shares.sort_by(|a, b| a.0.total_cmp(&b.0));
    [shares[0].1, shares[1].1, shares[2].1]
}

/// Above the seam of two boxes there is as much wall as above one; above the edge of one there is less than half.
#[test]
fn bodies_side_by_side_are_one_wall() {
    let whole = shares(&[[-1.0, 1.0]], 0.0);
    for x in [-0.06, -0.01, 0.0, 0.03] {
        let found = shares(&[[-1.0, 0.0], [0.0, 1.0]], x);
        let ratios = [0, 1, 2].map(|place| found[place] / whole[place]);
        // The sides of both boxes in the seam add to them, and make the mean distance smaller, which counts far from the surface.
        assert!(
            ratios.iter().zip([0.98, 0.98, 0.6]).all(|(&ratio, least)| ratio > least && ratio < 1.6),
            "{x}: {found:?}, one box {whole:?}"
        );
    }
    let edge = shares(&[[-1.0, 0.0]], 0.0);
    assert!(edge.iter().zip(whole).all(|(edge, whole)| *edge > 0.1 * whole && *edge < 0.5 * whole), "{edge:?}, one box {whole:?}");
}

/// What passes a bound, summed over the segments of a body.
#[derive(Clone, Copy, Debug, Default)]
struct Work {
    cells: u64,
    tested: u64,
    inside: u64,
    pairs: u64,
}

/// For particles on a lattice around a body: the number of near pairs, and the work to find them.
struct Comparison {
    near: usize,
    slab_cut: Work,
    ball: Work,
    aabb: Work,
}

const RADIUS: f64 = 0.02;
const REACH: f64 = 2.0 * RADIUS;
const CELL: f64 = 4.0 * RADIUS;

fn compare(mesh: &TriangleMesh, pose: Pose) -> Comparison {
    let body = body(mesh, pose, SegmentLimits::new(8.0 * RADIUS, 32), Standing::Still);
    let aabb = Aabb::around(mesh.vertices.iter().map(|&vertex| pose.transform_point(vertex))).inflated(2.0 * CELL);
    let counts = (aabb.extent() / (2.0 * RADIUS)).ceil().as_uvec3();
    let place =
        |index: u32| DVec3::new((index % counts.x).into(), (index / counts.x % counts.y).into(), (index / counts.x / counts.y).into());
    let positions = (0..counts.element_product()).map(|index| (aabb.min + 2.0 * RADIUS * place(index)).as_vec3a()).collect();
    let (grid, positions) = sorted(positions, CELL as f32);
    let mut open = body.clone();
    for segment in &mut Arc::make_mut(&mut open.segmentation).segments {
        (segment.ball.lower, segment.ball.upper) = (f64::NEG_INFINITY, f64::INFINITY);
    }
    let mut mapping = Mapping::default();
    mapping.update(std::slice::from_ref(&body), &grid, &positions, REACH);
    let bodies = std::slice::from_ref(&body);
    let near = mapped_pairs(&mapping, bodies).filter(|&pair| is_near(bodies, &positions, REACH, pair)).count();
    Comparison {
        near,
        slab_cut: ball_work(&body, &grid, &positions),
        ball: ball_work(&open, &grid, &positions),
        aabb: aabb_work(&body, &grid, &positions),
    }
}

fn ball_work(body: &Body, grid: &CellGrid, positions: &[Vec3A]) -> Work {
    let mut mapping = Mapping::default();
    let bodies = std::slice::from_ref(body);
    mapping.update(bodies, grid, positions, REACH);
    let counters = mapping.counters;
    let pairs = mapped_pairs(&mapping, bodies).count() as u64;
    Work { cells: counters.cells_kept, tested: counters.particles_tested, inside: counters.particles_inside, pairs }
}

/// The same with the axis-aligned box of each segment in world coordinates.
fn aabb_work(body: &Body, grid: &CellGrid, positions: &[Vec3A]) -> Work {
    let mut work = Work::default();
    for segment in &body.segmentation.segments {
        let corners = segment.triangles.clone().flat_map(|index| body.segmentation.mesh.corners(index as usize));
        let aabb = Aabb::around(corners.map(|corner| body.pose.transform_point(corner))).inflated(REACH);
        let (first, last) = ((aabb.min / CELL).floor().as_ivec3(), (aabb.max / CELL).floor().as_ivec3());
        for (y, z) in (first.z..=last.z).flat_map(|z| (first.y..=last.y).map(move |y| (y, z))) {
            work.cells += (last.x - first.x + 1) as u64;
            let row = CellRow { first: IVec3::new(first.x, y, z), length: last.x - first.x + 1 };
            let range = grid.particles_in(row).next().map_or(0..0, |(range, _)| range);
            work.tested += range.len() as u64;
            let inside = positions[range].iter().filter(|position| aabb.contains(position.as_dvec3())).count() as u64;
            work.inside += inside;
            work.pairs += inside * segment.triangles.len() as u64;
        }
    }
    work
}

#[test]
fn slab_cut_balls_let_less_through_than_balls() {
    let upright = Pose::new(DQuat::IDENTITY, DVec3::new(0.013, 0.007, -0.011));
    let skew = Pose::new(DQuat::from_scaled_axis(DVec3::new(0.7, -0.4, 0.9)), DVec3::new(0.013, 0.007, -0.011));
    println!("{:<16}{:>10}  {:<10}{:>10}{:>10}{:>10}{:>12}", "", "near", "", "cells", "tested", "inside", "pairs");
    let shapes = [
        ("sheet", from_file("sheet", 1.0)),
        ("box", from_file("box", 0.6)),
        ("sphere", from_file("sphere", 1.0)),
        ("statue", from_file("statue", 1.0)),
    ];
    for (name, mesh) in shapes {
        for (standing, pose) in [("upright", upright), ("skew", skew)] {
            let Comparison { near, slab_cut, ball, aabb } = compare(&mesh, pose);
            for (bound, work) in [("slab-cut", slab_cut), ("ball", ball), ("box", aabb)] {
                let Work { cells, tested, inside, pairs } = work;
                println!("{:<16}{near:>10}  {bound:<10}{cells:>10}{tested:>10}{inside:>10}{pairs:>12}", format!("{name} {standing}"));
                assert!(pairs as usize >= near, "{name} {standing}: a bound holds what it bounds");
            }
            let less = |share: f64, slab_cut: u64, ball: u64| {
                assert!((slab_cut as f64) < share * ball as f64, "{name} {standing}: {slab_cut} of {ball}")
            };
            less(1.0, slab_cut.tested, ball.tested);
            let share = if name == "statue" { 1.0 } else { 0.9 };
            less(share, slab_cut.inside, ball.inside);
            less(share, slab_cut.pairs, ball.pairs);
        }
    }
}
