//! The searches find every pair within the cutoff; the voxel grid finds no more than boxes do.

use std::collections::BTreeSet;

use glam::{DVec2, IVec2};
use plimsoll_base::math::Rectangle;
use plimsoll_search::planar::{Outlines, PairSearch, SearchMethod, cells_of_segment, is_complex, outline_distance, pairs_within};
use proptest::prelude::*;

use super::common::{polygon, rectangle, turned};

/// Outlines that own their data.
struct Scene {
    vertices: Vec<DVec2>,
    offsets: Vec<u32>,
    boxes: Vec<Rectangle>,
    complex: Vec<bool>,
}

impl Scene {
    fn new(polygons: &[Vec<DVec2>]) -> Self {
        let mut offsets = vec![0];
        offsets.extend(polygons.iter().scan(0, |end, polygon| {
            *end += polygon.len() as u32;
            Some(*end)
        }));
        let vertices = polygons.concat();
        let complex = is_complex(&vertices, &offsets);
        let boxes = polygons.iter().map(|polygon| Rectangle::around(polygon.iter().copied())).collect();
        Self { vertices, offsets, boxes, complex }
    }

    fn outlines(&self) -> Outlines<'_> {
        Outlines { vertices: &self.vertices, offsets: &self.offsets, boxes: &self.boxes, complex: &self.complex }
    }

    fn shift(&mut self, index: usize, by: DVec2) {
        let range = self.offsets[index] as usize..self.offsets[index + 1] as usize;
        self.vertices[range.clone()].iter_mut().for_each(|vertex| *vertex += by);
        self.boxes[index] = Rectangle::around(self.vertices[range].iter().copied());
    }
}

/// Star-shaped polygons, convex or not, and troughs, on a lattice of quarters so that many touch exactly.
fn shape() -> impl Strategy<Value = Vec<DVec2>> {
    let place = (0..60i32, 0..40i32).prop_map(|(x, y)| 0.25 * DVec2::new(f64::from(x), f64::from(y)));
    let star = proptest::collection::vec(0.2..1.0f64, 3..9).prop_map(|radii| {
        let count = radii.len() as f64;
        radii.iter().enumerate().map(|(k, radius)| radius * DVec2::from_angle(std::f64::consts::TAU * k as f64 / count)).collect::<Vec<_>>()
    });
    let bar = (1..24i32, 1..4i32).prop_map(|(width, height)| rectangle(0.0, 0.0, 0.25 * f64::from(width), 0.25 * f64::from(height)));
    let trough = (3..16i32, 2..10i32, any::<bool>()).prop_map(|(width, height, turn)| {
        let (w, h) = (f64::from(width), f64::from(height));
        let trough = polygon(&[(0.0, 0.0), (w, 0.0), (w, h), (w - 0.25, h), (w - 0.25, 0.25), (0.25, 0.25), (0.25, h), (0.0, h)]);
        if turn { turned(&trough, 0.6) } else { trough }
    });
    let diagonal = (2..20i32, -1.5..1.5f64).prop_map(|(length, angle)| turned(&rectangle(0.0, 0.0, f64::from(length), 0.2), angle));
    (place, prop_oneof![4 => star, 4 => bar, 1 => trough, 1 => diagonal])
        .prop_map(|(place, polygon)| polygon.into_iter().map(|vertex| vertex + place).collect())
}

fn sorted(mut pairs: Vec<[u32; 2]>) -> Vec<[u32; 2]> {
    pairs.sort_unstable();
    pairs
}

/// Whether edges of two outlines come near each other, rather than one being inside the other.
fn edges_near(scene: &Scene, [one, other]: [u32; 2], cutoff: f64) -> bool {
    let outlines = scene.outlines();
    let (one, other) = (outlines.polygon(one as usize), outlines.polygon(other as usize));
    let edges = |polygon: &[DVec2]| (0..polygon.len()).map(|k| vec![polygon[k], polygon[(k + 1) % polygon.len()]]).collect::<Vec<_>>();
    // A flat triangle has the same distance as its edge.
    let flat = |edge: &Vec<DVec2>| vec![edge[0], edge[1], edge[0]];
    edges(one).iter().any(|first| edges(other).iter().any(|second| outline_distance(&flat(first), &flat(second)) <= cutoff))
}

/// Squares of a checkerboard, which touch on the borders of the quadtree's nodes.
#[test]
fn squares_that_touch_are_pairs() {
    let squares: Vec<_> = (0..64).map(|k| rectangle(f64::from(k % 8), f64::from(k / 8), 1.0, 1.0)).collect();
    let scene = Scene::new(&squares);
    for method in SearchMethod::ALL {
        let mut pairs = Vec::new();
        PairSearch::new(method, None).find(&scene.outlines(), 0.0, &mut pairs);
        // Horizontal, vertical and diagonal neighbours.
        assert_eq!(pairs.len(), 2 * 7 * 8 + 2 * 7 * 7, "{}", method.name());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn no_pair_is_lost_and_boxes_agree(
        polygons in proptest::collection::vec(shape(), 2..60),
        moves in proptest::collection::vec((0..60usize, -3..4i32, -3..4i32), 0..40),
        cutoff in prop_oneof![Just(0.0), Just(0.25), 0.001..0.7f64],
        cell in prop_oneof![Just(None), (0.1..5.0f64).prop_map(Some)],
    ) {
        let mut scene = Scene::new(&polygons);
        let mut searches: Vec<_> = SearchMethod::ALL.map(|method| PairSearch::new(method, cell)).into_iter().collect();
        // Two rounds with moves in between, to test the data that a search keeps.
        for round in 0..2 {
            let mut found: Vec<Vec<[u32; 2]>> = Vec::new();
            for search in &mut searches {
                let mut pairs = vec![[7, 7]];
                let checks = search.find(&scene.outlines(), cutoff, &mut pairs);
                let count = pairs.len();
                let pairs = sorted(pairs);
                prop_assert!(pairs.windows(2).all(|two| two[0] < two[1]), "a pair twice");
                prop_assert!(checks >= count as u64 && pairs.iter().all(|[i, j]| i < j));
                found.push(pairs);
            }
            prop_assert_eq!(&found[1], &found[0], "double-ended sort, round {}", round);
            prop_assert_eq!(&found[2], &found[0], "quadtree, round {}", round);
            let voxel: BTreeSet<_> = found[3].iter().collect();
            prop_assert!(voxel.iter().all(|pair| found[0].binary_search(pair).is_ok()), "more than boxes");
            for pair in pairs_within(&scene.outlines(), cutoff) {
                prop_assert!(found[0].binary_search(&pair).is_ok(), "{:?} lost", pair);
                let entered = edges_near(&scene, pair, cutoff) || !pair.iter().any(|&k| scene.complex[k as usize]);
                prop_assert!(!entered || voxel.contains(&pair), "{:?} lost by the voxel grid, round {}", pair, round);
            }
            for &(index, x, y) in &moves {
                let index = index % polygons.len();
                scene.shift(index, 0.25 * DVec2::new(f64::from(x), f64::from(y)));
            }
        }
    }

    #[test]
    fn the_supercover_has_every_cell_that_a_segment_touches(
        ends in [(-20..20i32, -20..20i32), (-20..20, -20..20)], shift in [0.0..1.0f64, 0.0..1.0], exact in any::<bool>(), cutoff in prop_oneof![Just(0.0), 0.0..0.3f64],
    ) {
        let shift = if exact { DVec2::ZERO } else { DVec2::from_array(shift) };
        let [a, b] = ends.map(|(x, y)| 0.25 * DVec2::new(f64::from(x), f64::from(y)) + shift);
        let mut cells = BTreeSet::new();
        cells_of_segment([a, b], cutoff, DVec2::ZERO, 1.0, |cell| assert!(cells.insert((cell.x, cell.y)), "{cell} twice"));
        for x in -7..8 {
            for y in -7..8 {
                let square = rectangle(f64::from(x), f64::from(y), 1.0, 1.0);
                let distance = outline_distance(&[a, b, a], &square);
                // Between the cutoff along an axis and the same cutoff across a corner, both results are correct.
                let (must, may) = (distance <= cutoff, distance <= cutoff * 2_f64.sqrt() + 1e-6);
                let has = cells.contains(&(IVec2::new(x, y).x, y));
                prop_assert!(has || !must, "cell {} {} at {} is missing", x, y, distance);
                prop_assert!(!has || may || cutoff > 0.0 && distance <= 3.0 * cutoff, "cell {} {} at {} is too much", x, y, distance);
            }
        }
    }
}

#[test]
fn a_trough_is_paired_with_what_its_edges_touch() {
    let mut polygons =
        vec![polygon(&[(-1.0, -1.0), (41.0, -1.0), (41.0, 30.0), (40.0, 30.0), (40.0, 0.0), (0.0, 0.0), (0.0, 30.0), (-1.0, 30.0)])];
    polygons.extend((0..20).flat_map(|row| (0..40).map(move |column| rectangle(f64::from(column), f64::from(row), 1.0, 1.0))));
    let scene = Scene::new(&polygons);
    assert!(scene.complex[0] && !scene.complex[1..].contains(&true));
    let of_trough = |method| {
        let mut pairs = Vec::new();
        PairSearch::new(method, None).find(&scene.outlines(), 0.01, &mut pairs);
        pairs.iter().filter(|pair| pair[0] == 0).count()
    };
    assert_eq!(of_trough(SearchMethod::Enumeration), 800);
    assert_eq!(of_trough(SearchMethod::VoxelGrid), 40 + 2 * 19, "the floor and both walls");
}
