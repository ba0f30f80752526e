//! Cell size that a setup requires, and checks that the setup can be simulated.

use glam::DVec3;
use plimsoll_search::{
    LinkedCells,
    brick_grid::{BrickGrid, NONE},
};

use crate::{container::Axis, error::GasError, state::GasSetup};

/// Maximum number of large spheres kept out of the cells.
const MAX_GIANTS: usize = 16;
/// Minimum size ratio of a giant to all other spheres.
const GIANT: f64 = 2.5;

const AXES: [&str; 3] = ["x", "y", "z"];
/// Overlaps up to this fraction of the sum of radii are considered rounding.
const ROUNDING: f64 = 1e-9;

/// Minimum cell width (m), and the radius (m) above which spheres are kept out of the cells.
pub fn cell_side(setup: &GasSetup) -> (f64, f64) {
    let mut counts = vec![0_usize; setup.species.len()];
    for sphere in &setup.spheres {
        counts[sphere.species as usize] += 1;
    }
    let present = setup.species.iter().zip(counts).filter(|&(_, count)| count > 0);
    let mut sizes: Vec<(f64, usize)> = present.map(|(species, count)| (species.radius, count)).collect();
    sizes.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut larger, mut largest) = (0, 0);
    for (index, pair) in sizes.windows(2).enumerate() {
        larger += pair[0].1;
        if larger <= MAX_GIANTS && pair[0].0 > GIANT * pair[1].0 {
            largest = index + 1;
        }
    }
    let radius = sizes.get(largest).map_or(1.0, |size| size.0);
    // Rounding must not make a cell narrower than a sphere.
    (2.0 * radius * (1.0 + 1e-9), radius)
}

/// Checks periods, walls and overlaps at time zero. `giant` is the radius of the largest sphere kept out of the cells, or zero.
///
/// # Errors
/// The first fault found.
pub fn check(setup: &GasSetup, cells: &BrickGrid, giant: f64) -> Result<(), GasError> {
    let (side, radius) = cell_side(setup);
    for (axis, place) in setup.container.axes.iter().enumerate() {
        let Axis::Periodic { length, .. } = *place else { continue };
        let for_giant = if giant > 0.0 { 2.0 * (giant + giant.max(radius)) + 4.0 * cells.side()[axis] } else { 0.0 };
        let least = for_giant.max(3.0 * side);
        if length < least {
            return Err(GasError::PeriodTooShort { axis: AXES[axis], found: length, least });
        }
    }
    check_walls(setup)?;
    check_overlaps(setup, cells)
}

fn check_walls(setup: &GasSetup) -> Result<(), GasError> {
    let (low, size) = setup.container.extent_at(0.0);
    for (index, sphere) in setup.spheres.iter().enumerate() {
        let radius = setup.species[sphere.species as usize].radius;
        for (axis, place) in setup.container.axes.iter().enumerate() {
            let above = sphere.position[axis] - low[axis];
            let gap = above.min(size[axis] - above) - radius;
            // Written so that the comparison also fails for NaN.
            let inside = matches!(place, Axis::Periodic { .. }) || gap >= -ROUNDING * radius;
            if !inside || !sphere.position[axis].is_finite() {
                return Err(GasError::Outside { sphere: index as u32, position: sphere.position });
            }
        }
    }
    Ok(())
}

fn check_overlaps(setup: &GasSetup, cells: &BrickGrid) -> Result<(), GasError> {
    let mut linked_cells = LinkedCells::new(cells.clone(), setup.spheres.len());
    let (_, limit) = cell_side(setup);
    let radius = |index: u32| setup.species[setup.spheres[index as usize].species as usize].radius;
    let overlap = |first: u32, second: u32| {
        let r = setup.spheres[second as usize].position - setup.spheres[first as usize].position;
        let sigma = radius(first) + radius(second);
        let overlap = sigma - cells.domain.nearest_image(r).length();
        if overlap > ROUNDING * sigma {
            return Err(GasError::Overlap { first: first.min(second), second: first.max(second), overlap });
        }
        Ok(())
    };
    let giants: Vec<u32> = (0..setup.spheres.len() as u32).filter(|&index| radius(index) > limit).collect();
    for index in 0..setup.spheres.len() as u32 {
        giants.iter().filter(|&&giant| giant != index).try_for_each(|&giant| overlap(giant, index))?;
        if giants.contains(&index) {
            continue;
        }
        let mut position: DVec3 = setup.spheres[index as usize].position;
        let cell = cells.locate(&mut position);
        let around: [_; 3] = std::array::from_fn(|axis| cells.around(axis, cell[axis]));
        for &(layer, _) in around[2] {
            for &(row, _) in around[1] {
                for &(column, _) in around[0] {
                    let mut other = linked_cells.first(layer + row + column);
                    while other != NONE {
                        overlap(other, index)?;
                        other = linked_cells.after(other);
                    }
                }
            }
        }
        linked_cells.insert(index, cell);
    }
    Ok(())
}
