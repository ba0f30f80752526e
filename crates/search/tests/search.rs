//! The grid and the neighbour lists against brute force.

use std::collections::BTreeSet;

use glam::{DVec3, IVec3, Vec3A};
use plimsoll_base::math::{Domain, Random};
use plimsoll_search::{CellGrid, CellLayout, CellRow, NeighbourLists, brute_force};
use proptest::prelude::*;

/// A cloud of particles and the radius within which they are neighbours.
#[derive(Clone, Debug)]
struct Cloud {
    positions: Vec<Vec3A>,
    radius: f32,
}

/// Points in a cube with edge length `edge` around `center`.
fn points(count: impl Into<prop::collection::SizeRange>, edge: f32, center: Vec3A) -> impl Strategy<Value = Vec<Vec3A>> {
    let point = prop::array::uniform3(-0.5_f32..0.5).prop_map(move |place| center + edge * Vec3A::from_array(place));
    prop::collection::vec(point, count)
}

/// Many neighbours, few neighbours, clusters, far from the origin, coincident points; also one particle and none.
fn cloud() -> impl Strategy<Value = Cloud> {
    let far = prop::array::uniform3(prop::sample::select(vec![-10_000.0_f32, -10_485.0, 0.0, 10_000.0])).prop_map(Vec3A::from_array);
    let clusters = || prop::collection::vec(points(0..40, 0.2, Vec3A::ZERO), 5);
    let positions = prop_oneof![
        points(0..=2, 0.2, Vec3A::ZERO),
        points(100..200, 0.5, Vec3A::ZERO),
        points(100..300, 3.0, Vec3A::splat(-1.5)),
        far.prop_flat_map(|center| points(100..200, 0.6, center)),
        (clusters(), points(5, 50.0, Vec3A::ZERO)).prop_map(|(clusters, centers)| {
            clusters.into_iter().zip(centers).flat_map(|(cluster, center)| cluster.into_iter().map(move |point| point + center)).collect()
        }),
        points(1..60, 0.3, Vec3A::ZERO).prop_map(|points| points.iter().chain(&points).chain(&points[..1]).copied().collect()),
    ];
    (positions, 0.04_f32..0.15).prop_map(|(positions, radius)| Cloud { positions, radius })
}

fn sorted(positions: &[Vec3A], radius: f32) -> (CellGrid, Vec<Vec3A>) {
    let mut grid = CellGrid::default();
    grid.update(positions, radius);
    let mut positions = positions.to_vec();
    grid.reorder(&mut positions, &mut Vec::new());
    (grid, positions)
}

fn lists(cloud: &Cloud) -> (NeighbourLists, Vec<Vec3A>) {
    let (grid, positions) = sorted(&cloud.positions, cloud.radius);
    let mut lists = NeighbourLists::default();
    lists.rebuild(&grid, &positions);
    (lists, positions)
}

/// All pairs of a particle and a neighbour, in their order.
fn all(lists: &NeighbourLists) -> Vec<(usize, u32)> {
    (0..lists.len()).flat_map(|i| lists.of(i).map(move |j| (i, j))).collect()
}

fn cell_of(position: Vec3A, cell_size: f32) -> IVec3 {
    let scaled = (position * (1.0 / cell_size)).floor();
    IVec3::new(scaled.x as i32, scaled.y as i32, scaled.z as i32)
}

/// The key that orders cells as in the grid.
fn grid_order(cell: IVec3) -> (i32, i32, i32) {
    (cell.z, cell.y, cell.x)
}

/// A plate of three layers: neighbours above each other are 22,500 particles apart in the order of the grid, too far for sixteen bits.
#[test]
fn neighbours_far_apart_in_the_order_are_found() {
    let (across, layers, spacing) = (150, 3, 0.01_f32);
    let point = |index: usize| {
        let place = [index % across, index / across % across, index / (across * across)];
        spacing * Vec3A::from_array(place.map(|coordinate| coordinate as f32 + 0.5))
    };
    let cloud = Cloud { positions: (0..across * across * layers).map(point).collect(), radius: 1.2 * spacing };
    let (lists, positions) = lists(&cloud);
    let pairs = all(&lists);
    assert!(pairs.iter().any(|&(i, j)| i.abs_diff(j as usize) > 20_000));
    assert!(pairs.iter().all(|&(i, j)| (positions[i].distance(positions[j as usize]) / spacing - 1.0).abs() < 1e-3));
    // Twice the number of links along each axis.
    assert_eq!(pairs.len(), 2 * (2 * (across - 1) * across * layers + across * across * (layers - 1)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lists_hold_exactly_the_neighbours(cloud in cloud()) {
        let (lists, positions) = lists(&cloud);
        prop_assert_eq!(lists.len(), positions.len());
        for index in 0..positions.len() {
            let mut found: Vec<u32> = lists.of(index).collect();
            found.sort_unstable();
            prop_assert_eq!(found, brute_force::neighbours(&positions, index, cloud.radius), "particle {}", index);
        }
    }

    #[test]
    fn neighbourhood_is_mutual(cloud in cloud()) {
        let (lists, positions) = lists(&cloud);
        let pairs: BTreeSet<(u32, u32)> =
            (0..positions.len() as u32).flat_map(|i| lists.of(i as usize).map(move |j| (i, j)).collect::<Vec<_>>()).collect();
        prop_assert_eq!(pairs.len(), all(&lists).len(), "a neighbour is listed twice");
        for &(i, j) in &pairs {
            prop_assert!(i != j && pairs.contains(&(j, i)), "{} and {}", i, j);
        }
    }

    #[test]
    fn lists_reach_across_periodic_ends(
        positions in points(2..200, 1.0, Vec3A::ZERO),
        radius in 0.1_f32..0.25,
        periodic in [any::<bool>(), any::<bool>(), any::<bool>()],
        shift in points(1, 3.0, Vec3A::ZERO),
    ) {
        let domain = Domain { low: shift[0].as_dvec3(), size: DVec3::new(1.0, 0.9, 1.3), periodic, dimension: 3 };
        let mut positions: Vec<Vec3A> = positions.iter().map(|&x| domain.wrap((x + shift[0]).as_dvec3()).as_vec3a()).collect();
        let mut grid = CellGrid::default();
        grid.update(&positions, CellLayout::new(radius, &domain));
        grid.reorder(&mut positions, &mut Vec::new());
        let mut lists = NeighbourLists::default();
        lists.rebuild(&grid, &positions);
        for i in 0..positions.len() {
            let mut found: Vec<u32> = lists.of(i).collect();
            found.sort_unstable();
            let near = |&j: &usize| j != i && lists.difference(positions[j], positions[i]).length_squared() < radius * radius;
            prop_assert_eq!(&found, &(0..positions.len()).filter(near).map(|j| j as u32).collect::<Vec<_>>(), "particle {}", i);
            for &j in &found {
                let j = j as usize;
                let x_ij = lists.difference(positions[i], positions[j]);
                prop_assert_eq!(x_ij, -lists.difference(positions[j], positions[i]));
                let exact = domain.nearest_image((positions[i] - positions[j]).as_dvec3());
                prop_assert!((x_ij.as_dvec3() - exact).length() < 1e-6);
                prop_assert!(lists.of(j).any(|k| k == i as u32));
            }
        }
    }

    #[test]
    fn every_particle_is_in_its_one_cell(cloud in cloud()) {
        let (grid, positions) = sorted(&cloud.positions, cloud.radius);
        let mut order: Vec<u32> = grid.order().collect();
        prop_assert!(grid.order().zip(&positions).all(|(particle, &position)| cloud.positions[particle as usize] == position));
        order.sort_unstable();
        prop_assert_eq!(order, (0..positions.len() as u32).collect::<Vec<_>>());
        let mut next = 0;
        for cell in 0..grid.cell_count() {
            let range = grid.particles(cell);
            prop_assert!(range.start == next && !range.is_empty(), "cell {} holds {:?}", cell, range);
            next = range.end;
            for particle in range {
                prop_assert_eq!(cell_of(positions[particle], cloud.radius), grid.coordinate(cell));
            }
        }
        prop_assert_eq!(next, positions.len());
        let coordinates: Vec<_> = (0..grid.cell_count()).map(|cell| grid_order(grid.coordinate(cell))).collect();
        prop_assert!(coordinates.is_sorted_by(|a, b| a < b), "cells are sorted and differ");
    }

    #[test]
    fn rows_hold_exactly_what_lies_in_them(cloud in cloud(), first in -9_i32..9, length in -1_i32..9, y in -9_i32..9, z in -9_i32..9) {
        let (grid, positions) = sorted(&cloud.positions, cloud.radius);
        // Around some particle, so that rows near the cloud are tested.
        let around = positions.first().map_or(IVec3::ZERO, |&position| cell_of(position, cloud.radius));
        let (first, y, z) = (around.x + first / 3, around.y + y / 3, around.z + z / 3);
        let last = first + length;
        let row = CellRow { first: IVec3::new(first, y, z), length: length + 1 };
        let found: Vec<usize> = grid.particles_in(row).flat_map(|(range, _)| range).collect();
        let within = |&particle: &usize| {
            let cell = cell_of(positions[particle], cloud.radius);
            (first..=last).contains(&cell.x) && (cell.y, cell.z) == (y, z)
        };
        prop_assert_eq!(found, (0..positions.len()).filter(within).collect::<Vec<_>>());
    }

    #[test]
    fn lists_do_not_depend_on_the_number_of_threads(cloud in cloud()) {
        let with = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| lists(&cloud));
        let ((one, positions), (four, same_positions)) = (with(1), with(4));
        prop_assert_eq!(positions, same_positions);
        prop_assert_eq!(all(&one), all(&four));
    }
}

/// A lattice block of particles, enough for several tasks in every parallel loop.
fn block() -> Vec<Vec3A> {
    let place = |index: usize| Vec3A::new((index % 25) as f32, (index / 25 % 25) as f32, (index / 625) as f32);
    (0..20_000).map(|index| 0.04 * place(index)).collect()
}

#[test]
fn many_particles_give_the_same_lists_on_any_number_of_threads() {
    // Shuffled, so that there is something to sort.
    let mut positions = block();
    for index in 0..positions.len() {
        let other = index * 7919 % positions.len();
        positions.swap(index, other);
    }
    let cloud = Cloud { positions, radius: 0.09 };
    let with = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| lists(&cloud));
    let ((one, positions), (four, _)) = (with(1), with(4));
    assert_eq!(all(&one), all(&four));
    for index in (0..positions.len()).step_by(397) {
        let mut found: Vec<u32> = one.of(index).collect();
        found.sort_unstable();
        assert_eq!(found, brute_force::neighbours(&positions, index, cloud.radius), "particle {index}");
    }
}

/// Compares with brute force, also how often a neighbour is listed.
fn assert_exact(cloud: &Cloud) {
    let (lists, positions) = lists(cloud);
    for index in 0..positions.len() {
        let mut found: Vec<u32> = lists.of(index).collect();
        found.sort_unstable();
        assert_eq!(found, brute_force::neighbours(&positions, index, cloud.radius), "particle {index} at {}", positions[index]);
    }
}

/// A spray beside a pool: most drops are alone in their cell and their row, others have a neighbour in one of the cells around.
#[test]
fn drops_that_are_alone_in_their_cells_find_those_in_other_rows() {
    let mut random = Random::new(4);
    let drops = (0..3000).map(|_| (36.0 * random.point() - 18.0).as_vec3a());
    let pool = (0..1000).map(|index| Vec3A::new((index % 20) as f32, (index / 20 % 5) as f32, (index / 100) as f32) * 0.45 - 2.0);
    let cloud = Cloud { positions: drops.chain(pool).collect(), radius: 1.0 };
    let (grid, _) = sorted(&cloud.positions, cloud.radius);
    assert!(grid.cell_count() > 2800, "{} cells", grid.cell_count());
    assert_exact(&cloud);
}

/// Cells beyond the limits are the outermost ones, which are not next to themselves.
#[test]
fn neighbours_in_the_outermost_cells_are_listed_once() {
    let radius = 1.0;
    for place in [1.04e6_f32, 1.1e6, -1.1e6, 3e6] {
        for axes in [Vec3A::X, Vec3A::Y, Vec3A::Z, Vec3A::ONE] {
            let positions = (0..8).map(|index| place * axes + 0.25 * (index % 4) as f32 * Vec3A::Y + (index / 4) as f32 * Vec3A::Z);
            assert_exact(&Cloud { positions: positions.collect(), radius });
        }
    }
}

#[test]
fn memory_follows_the_particles_not_the_extent() {
    let near = block();
    let (grid, _) = sorted(&near, 0.08);
    assert!(grid.memory() < 64 * near.len(), "{} bytes for {} particles", grid.memory(), near.len());
    for stray in [Vec3A::new(10_000.0, 0.0, 0.0), Vec3A::splat(-10_000.0), Vec3A::splat(1e30), Vec3A::splat(-1e30), Vec3A::splat(f32::MAX)]
    {
        let with_stray: Vec<Vec3A> = near.iter().copied().chain([stray]).collect();
        let (wide, positions) = sorted(&with_stray, 0.08);
        assert_eq!(wide.cell_count(), grid.cell_count() + 1, "{stray}");
        // A growing list may double its capacity.
        assert!(wide.memory() <= 2 * grid.memory(), "{stray}: {} bytes after {}", wide.memory(), grid.memory());
        let mut lists = NeighbourLists::default();
        lists.rebuild(&wide, &positions);
        let place = positions.iter().position(|&position| position == stray).unwrap();
        assert_eq!(lists.of(place).count(), 0, "{stray}");
    }
}

#[test]
fn what_is_no_number_disturbs_nobody() {
    let mut positions = block();
    let strays = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY].map(Vec3A::splat);
    positions.extend(strays);
    positions.push(Vec3A::new(0.5, f32::NAN, 0.5));
    let (lists, positions) = lists(&Cloud { positions, radius: 0.09 });
    for index in (0..positions.len()).filter(|&index| index % 397 == 0 || !positions[index].is_finite()) {
        let mut found: Vec<u32> = lists.of(index).collect();
        found.sort_unstable();
        assert_eq!(found, brute_force::neighbours(&positions, index, 0.09), "particle {index} at {}", positions[index]);
        assert!(positions[index].is_finite() || found.is_empty());
    }
}

#[test]
fn the_grid_can_be_used_again_for_other_clouds() {
    let (mut grid, mut lists) = (CellGrid::default(), NeighbourLists::default());
    for (count, radius) in [(20_000, 0.09_f32), (0, 0.05), (1, 0.2), (3000, 0.05), (700, 0.13)] {
        let mut positions = block();
        positions.truncate(count);
        grid.update(&positions, radius);
        grid.reorder(&mut positions, &mut Vec::new());
        lists.rebuild(&grid, &positions);
        assert_eq!(lists.len(), count);
        for index in (0..count).step_by(97) {
            let mut found: Vec<u32> = lists.of(index).collect();
            found.sort_unstable();
            assert_eq!(found, brute_force::neighbours(&positions, index, radius), "particle {index} of {count}");
        }
    }
}
