//! The generated blocks cover the region from which they were cut.

use glam::DVec2;
use plimsoll_base::math::Rectangle;
use plimsoll_blocks::{Cutting, JointSet, Region, generate, overlap_area};
use plimsoll_shape::polygon::{Moments, self_crossing};

use super::common::{polygon, rectangle};

fn set(angle: f64, spacing: f64, persistence: f64) -> JointSet {
    JointSet { angle: angle.to_radians(), spacing, persistence, length: 3.0, angle_scatter: 0.05, spacing_scatter: 0.3 }
}

fn check(region: &Region, expected_area: f64, counts: std::ops::Range<usize>) -> Vec<Vec<DVec2>> {
    let pieces = generate(region, 5);
    let area: f64 = pieces.iter().map(|piece| Moments::of(piece).area).sum();
    println!("{} pieces, area {:+.1e}", pieces.len(), area / expected_area - 1.0);
    assert!(counts.contains(&pieces.len()), "{}", pieces.len());
    assert!((area / expected_area - 1.0).abs() < 0.01, "{area} of {expected_area}");
    for (index, piece) in pieces.iter().enumerate() {
        assert!(piece.len() >= 3 && self_crossing(piece).is_none() && Moments::of(piece).area > 0.0);
        let own = Rectangle::around(piece.iter().copied());
        for other in &pieces[..index] {
            if own.overlaps(&Rectangle::around(other.iter().copied())) {
                assert!(overlap_area(piece, other) < 2e-3 * Moments::of(piece).area);
            }
        }
    }
    assert_eq!(pieces, generate(region, 5));
    pieces
}

#[test]
fn joint_sets_cut_a_slope_without_gaps() {
    let outline = polygon(&[(0.0, 0.0), (12.0, 0.0), (7.0, 10.0), (0.0, 10.0)]);
    let cutting = Cutting::Joints(vec![set(-40.0, 1.0, 1.0), set(60.0, 1.2, 1.0)]);
    let region = Region { outline, holes: Vec::new(), cutting };
    check(&region, 95.0, 60..160);
    assert_ne!(generate(&region, 5), generate(&region, 6));
}

#[test]
fn joints_that_end_in_the_rock_cut_less() {
    let region = |persistence| Region {
        outline: rectangle(0.0, 0.0, 12.0, 10.0),
        holes: vec![rectangle(4.0, 4.0, 3.0, 2.5)],
        cutting: Cutting::Joints(vec![set(5.0, 1.0, 1.0), set(85.0, 1.0, persistence)]),
    };
    let through = check(&region(1.0), 112.5, 90..160).len();
    let bridged = check(&region(0.6), 112.5, 10..100).len();
    assert!(bridged < through);
}

#[test]
fn voronoi_cells_and_bricks_fill_their_region() {
    let outline = rectangle(0.0, 0.0, 8.0, 6.0);
    let region = |cutting| Region { outline: outline.clone(), holes: Vec::new(), cutting };
    check(&region(Cutting::Voronoi { spacing: 0.8, scatter: 0.9 }), 48.0, 70..140);
    let bricks = check(&region(Cutting::Bricks { width: 1.0, height: 0.5, bonded: true }), 48.0, 102..103);
    assert!(bricks.iter().all(|brick| brick.len() == 4));
    check(&region(Cutting::Bricks { width: 1.0, height: 0.5, bonded: false }), 48.0, 96..97);
}
