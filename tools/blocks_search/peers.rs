//! The same pairs with other crates: a bounding volume hierarchy that is refitted, and a tree that is rebuilt.

use std::time::Instant;

use parry2d_f64::{
    bounding_volume::Aabb,
    math::Vector,
    partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace},
};
use plimsoll::search::planar::Outlines;

/// Number of pairs, and median seconds of the repeats.
pub type Peer = fn(&Outlines, f64, usize) -> (usize, f64);

fn median(mut seconds: Vec<f64>) -> f64 {
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

/// parry2d: updates the leaves, refits the hierarchy and traverses it against itself.
pub fn parry(outlines: &Outlines, cutoff: f64, repeats: usize) -> (usize, f64) {
    let half = cutoff / 2.0;
    let leaf = |index: usize| {
        let area = outlines.boxes[index].inflated(half);
        Aabb::new(Vector::new(area.min.x, area.min.y), Vector::new(area.max.x, area.max.y))
    };
    let leaves: Vec<Aabb> = (0..outlines.boxes.len()).map(leaf).collect();
    let mut tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &leaves);
    let mut workspace = BvhWorkspace::default();
    let mut pairs = Vec::new();
    let mut once = || {
        let start = Instant::now();
        pairs.clear();
        for index in 0..outlines.boxes.len() {
            tree.insert_or_update_partially(leaf(index), index as u32, 0.0);
        }
        tree.refit(&mut workspace);
        tree.traverse_bvtt_single_tree::<false>(&mut workspace, &mut |one, other| pairs.push([one, other]));
        start.elapsed().as_secs_f64()
    };
    let seconds = (0..repeats).map(|_| once()).collect();
    (pairs.len(), median(seconds))
}

/// broccoli: builds a tree and finds its colliding pairs.
pub fn broccoli(outlines: &Outlines, cutoff: f64, repeats: usize) -> (usize, f64) {
    let half = cutoff / 2.0;
    let mut pairs = Vec::new();
    let mut once = || {
        let start = Instant::now();
        pairs.clear();
        let mut leaves: Vec<_> = (0..outlines.boxes.len())
            .map(|index| {
                let area = outlines.boxes[index].inflated(half);
                (broccoli::rect(area.min.x, area.max.x, area.min.y, area.max.y), index as u32)
            })
            .collect();
        let mut tree = broccoli::Tree::new(&mut leaves);
        tree.find_colliding_pairs(|one, other| pairs.push([*one.unpack_inner(), *other.unpack_inner()]));
        start.elapsed().as_secs_f64()
    };
    let seconds = (0..repeats).map(|_| once()).collect();
    (pairs.len(), median(seconds))
}
