//! The lattice of particles in a region.

use glam::DVec3;
use rayon::prelude::*;

use super::{fill_outcome::Span, region::Region};
use crate::FluidSettings;

/// Distance from the surface of a region to which particles are moved whose sites are closer or outside, in particle radii: with it, those of a box above
/// another are at least 1.5 radii from those below.
pub const INNER_ROOM: f64 = 0.6;
/// Powers of the inverse of the real root of x⁴ = x + 1. Multiples of them, without their whole parts, are spread evenly (Roberts 2018, "The unreasonable
/// effectiveness of quasirandom sequences").
const SPREAD: DVec3 = DVec3::new(0.819_172_513_396_164_4, 0.671_043_606_703_789_2, 0.549_700_477_901_970_3);

/// How a region is filled: in layers about one particle thick.
pub struct Lattice {
    spacing: f64,
    /// The axis closest to the direction of gravity.
    vertical: usize,
    /// Whether gravity points to lower coordinates along that axis.
    falls: bool,
}

/// What becomes of a last layer that does not fit.
#[derive(Clone, Copy, PartialEq)]
pub enum Layers {
    /// It is left out.
    Whole,
    /// It has as many sites as there is room for in a box, and all of them in other regions.
    Partial,
}

/// A point of a lattice.
#[derive(Clone, Copy)]
pub struct Site {
    /// In the order (z, y, x).
    pub index: usize,
    pub point: DVec3,
    /// From 0 to 1. In any part of the lattice, the share f of the sites has a value below f, and they are spread evenly.
    pub spread: f64,
}

/// The cells that cover a box, one for each point.
struct Cells {
    counts: [usize; 3],
    /// Edges, m.
    steps: DVec3,
    /// The vertical axis.
    vertical: usize,
    /// Share of the last layer that is in the box.
    last: f64,
}

impl Lattice {
    pub fn new(settings: &FluidSettings) -> Self {
        let gravity = settings.gravity.abs();
        let vertical = if gravity.x > gravity.y.max(gravity.z) {
            0
        } else if gravity.z > gravity.y {
            2
        } else {
            1
        };
        Self { spacing: 2.0 * settings.particle_radius, vertical, falls: settings.gravity[vertical] < 0.0 }
    }

    /// The sites in the box around `region`, by index.
    pub fn sites(&self, region: &Region, layers: Layers) -> Vec<Site> {
        let (aabb, vertical) = (region.aabb(), self.vertical);
        let cells = self.cells(aabb.extent(), layers);
        let has_partial = region.is_box() && cells.last < 1.0;
        let partial = has_partial.then(|| (cells.spread_of_last(), aabb.max[vertical] - 0.5 * INNER_ROOM * self.spacing));
        let site = |index: usize| {
            let cell = cells.at(index);
            let (mut point, spread) = (aabb.min + (cell + 0.5) * cells.steps, cell.dot(SPREAD).fract());
            if let Some((limit, highest)) = partial.filter(|_| cells.is_last(index)) {
                point[vertical] = point[vertical].min(highest);
                if spread > limit {
                    return None;
                }
            }
            Some(Site { index, point, spread })
        };
        (0..cells.count()).into_par_iter().filter_map(site).collect()
    }

    /// From where to where a box has fluid, if it is filled from the bottom.
    pub fn span(&self, region: &Region) -> Option<Span> {
        let (axis, aabb) = (self.vertical, region.aabb());
        (region.is_box() && self.falls).then(|| Span { axis, bottom: aabb.min[axis], top: aabb.max[axis] })
    }

    /// The cells of a box of this extent. Horizontally, whole layers fill the box from wall to wall, slightly wider or narrower than a particle. Vertically,
    /// the height of the layers preserves a particle's volume.
    fn cells(&self, extent: DVec3, layers: Layers) -> Cells {
        let vertical = self.vertical;
        let mut counts = extent.to_array().map(|length| (length / self.spacing).round().max(1.0));
        let mut steps = extent / DVec3::from_array(counts);
        let across = steps.element_product() / steps[vertical];
        steps[vertical] = self.spacing.powi(3) / across;
        // Tolerates rounding of up to a thousandth of a layer.
        let whole = (extent[vertical] / steps[vertical] + 1e-3).floor();
        let rest = extent[vertical] / steps[vertical] - whole;
        let has_more = layers == Layers::Partial && rest > 1e-3;
        counts[vertical] = (if has_more { whole + 1.0 } else { whole }).max(1.0);
        let last = if has_more { rest } else { 1.0 };
        Cells { counts: counts.map(|count| count as usize), steps, vertical, last }
    }
}

impl Cells {
    fn count(&self) -> usize {
        self.counts.iter().product()
    }

    /// The coordinates of a cell, in cells.
    fn at(&self, index: usize) -> DVec3 {
        let (x, rest) = (index % self.counts[0], index / self.counts[0]);
        DVec3::new(x as f64, (rest % self.counts[1]) as f64, (rest / self.counts[1]) as f64)
    }

    fn is_last(&self, index: usize) -> bool {
        self.at(index)[self.vertical] as usize + 1 == self.counts[self.vertical]
    }

    /// The largest spread of the sites of the last layer for which there is room. A box has at least one site.
    fn spread_of_last(&self) -> f64 {
        let in_last = (0..self.count()).filter(|&index| self.is_last(index));
        let mut spreads: Vec<f64> = in_last.map(|index| self.at(index).dot(SPREAD).fract()).collect();
        spreads.sort_unstable_by(f64::total_cmp);
        let count = (self.last * spreads.len() as f64).round() as usize;
        let least = usize::from(self.counts[self.vertical] == 1);
        count.max(least).checked_sub(1).map_or(-1.0, |highest| spreads[highest])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FillShape;

    /// 40 × 40 columns in a box of 3.3 layers: a tenth of the width, in either direction, has a tenth of the last layer.
    #[test]
    fn the_last_layer_is_spread_evenly() {
        let shape = FillShape::Box { min: DVec3::ZERO, max: DVec3::new(4.0, 0.33, 4.0) };
        let sites = Lattice::new(&FluidSettings::new(0.05)).sites(&Region::new(&shape), Layers::Partial);
        assert_eq!(sites.len(), 3 * 1600 + 480);
        let last: Vec<DVec3> = sites.iter().map(|site| site.point).filter(|point| point.y > 0.26).collect();
        assert_eq!(last.len(), 480);
        assert!(last.iter().all(|point| (point.y - 0.3).abs() < 1e-9), "{last:?}");
        for part in 0..10 {
            for axis in [0, 2] {
                let count = last.iter().filter(|point| (point[axis] / 0.4) as usize == part).count();
                assert!((42..=54).contains(&count), "{count} in part {part} along {axis}");
            }
        }
    }
}
