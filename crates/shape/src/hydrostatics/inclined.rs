//! A body with a given vertical: heights of its vertices, its basins, and its immersion to any level.

use std::cell::OnceCell;

use glam::DVec3;

use super::{
    Hold, Immersion, Waterplane,
    basins::{Basin, basins, bottoms},
    clip::{SectionIntegrals, SurfaceIntegrals, add_clipped},
    heights::Heights,
    pockets::dry_triangles,
    surface::Surface,
};
use crate::principal::outer;

/// Basins shallower than this fraction of the body's diagonal are never searched for a dry level, and may flood unnoticed. A scanned surface
/// has thousands of such dents.
const MIN_BASIN: f64 = 1e-3;
/// Depth of hollows that are due to rounding, as a fraction of the diagonal.
const SHALLOW: f64 = 1e-9;
/// Maximum number of iterations for a level. Bisection alone needs about 60.
const ITERATIONS: usize = 200;
/// Number of Newton steps from a guess before the level is bracketed.
const NEWTON_STEPS: usize = 6;
/// Tolerance of the displaced volume, relative.
const TOLERANCE: f64 = 1e-13;

pub(super) struct Inclined<'h> {
    heights: Heights<'h>,
    /// Vertices at which basins may begin; none if the hold is flooded.
    bottoms: Vec<u32>,
    /// Height of the lowest of them, m.
    lowest_bottom: f64,
    /// All basins, by spill level. Most immersions end below the lowest one, and need none.
    basins: OnceCell<Vec<Basin>>,
}

impl<'h> Inclined<'h> {
    pub fn new(surface: &'h Surface, up: DVec3, hold: Hold) -> Self {
        let heights = Heights::new(surface, up);
        let bottoms = if hold == Hold::Dry { bottoms(&heights) } else { Vec::new() };
        let lowest_bottom = bottoms.iter().fold(f64::INFINITY, |low, &vertex| low.min(heights.of(vertex)));
        Self { heights, bottoms, lowest_bottom, basins: OnceCell::new() }
    }

    /// Basins that begin below `level`, by spill level.
    fn basins_below(&self, level: f64) -> impl Iterator<Item = &Basin> {
        let all = || basins(&self.heights, &self.bottoms, SHALLOW * self.heights.surface.diagonal());
        let found: &[Basin] = if self.lowest_bottom < level { self.basins.get_or_init(all) } else { &[] };
        found.iter().filter(move |basin| basin.bottom < level)
    }

    /// Those that are more than dents.
    fn deep_basins_below(&self, level: f64) -> impl Iterator<Item = &Basin> {
        self.basins_below(level).filter(|basin| basin.depth > MIN_BASIN * self.heights.surface.diagonal())
    }

    /// Everything below `level`.
    pub fn immersed_to(&self, level: f64) -> Immersion {
        let dry = self.basins_below(level).next().map(|_| dry_triangles(&self.heights, level));
        let Heights { surface, up, axes, lowest, .. } = self.heights;
        let middle = surface.aabb.center();
        let origin = middle - (up.dot(middle) - level) * up;
        let mut section = SectionIntegrals::new(axes);
        let (mut wet, mut pockets) = (SurfaceIntegrals::default(), SurfaceIntegrals::default());
        for triangle in 0..surface.mesh.triangles.len() {
            let heights = self.heights.over(level, triangle);
            if heights.iter().all(|&height| height >= 0.0) {
                continue;
            }
            let corners = surface.corners(triangle).map(|corner| corner - origin);
            if dry.as_ref().is_some_and(|dry| dry[triangle]) {
                add_clipped(corners, heights, &mut pockets, None);
            } else {
                add_clipped(corners, heights, &mut wet, Some(&mut section));
            }
        }
        let is_wet = |basin: &Basin| dry.as_ref().is_none_or(|dry| !dry[surface.vertex_triangles[basin.vertex as usize] as usize]);
        Immersion {
            up,
            level,
            draft: level - lowest,
            volume: wet.volume,
            center_of_buoyancy: origin + if wet.volume > 0.0 { wet.moment / wet.volume } else { DVec3::ZERO },
            wetted_area: wet.area,
            waterplane: self.waterplane(&section, origin),
            dry_volume: (-pockets.volume).max(0.0),
            flooded: self.deep_basins_below(level).any(is_wet),
        }
    }

    fn waterplane(&self, section: &SectionIntegrals, origin: DVec3) -> Waterplane {
        let ([a, b], moments) = (self.heights.axes, section.boundary.moments());
        let mixed = outer(a + b) - outer(a) - outer(b);
        Waterplane {
            area: moments.area,
            centroid: origin + moments.centroid.x * a + moments.centroid.y * b,
            second_moments: outer(a) * moments.xx + outer(b) * moments.yy + mixed * moments.xy,
            aabb: section.aabb.translated(origin),
        }
    }

    /// The lowest level at which the body displaces `volume`, searched from `guess`; `None` if it cannot displace so much.
    ///
    /// The displaced volume increases with the level, except where water enters a basin. If no basin is flooded at the level found, there is
    /// no lower one. Otherwise the levels at which basins spill are tried.
    pub fn sunk(&self, volume: f64, guess: f64) -> Option<Immersion> {
        let found = self.level_between(self.heights.lowest, self.heights.highest, volume, guess);
        if found.as_ref().is_some_and(|found| !found.flooded) {
            return found;
        }
        let top = found.as_ref().map_or(self.heights.highest, |found| found.level);
        let mut low = self.heights.lowest;
        for basin in self.deep_basins_below(top).filter(|basin| basin.spill < top) {
            if self.immersed_to(basin.spill).volume >= volume {
                return self.level_between(low, basin.spill, volume, guess);
            }
            low = basin.spill;
        }
        found
    }

    /// The largest displaced volume, m³, and the largest volume of dry hollows, m³, at any level.
    pub fn capacity(&self) -> (f64, f64) {
        let levels = self.deep_basins_below(self.heights.highest).map(|basin| basin.spill).chain([self.heights.highest]);
        let both = levels.map(|level| self.immersed_to(level)).map(|brim| (brim.volume, brim.dry_volume));
        both.fold((0.0, 0.0), |most, brim| (most.0.max(brim.0), most.1.max(brim.1)))
    }

    /// A level in `low..=high` at which the volume increases to `volume`; `None` if it is less at `high`.
    fn level_between(&self, low: f64, high: f64, volume: f64, guess: f64) -> Option<Immersion> {
        self.level_near(low, high, volume, guess).or_else(|| self.level_in(low, high, volume))
    }

    /// The same by Newton's method alone; `None` if it does not converge within a few steps.
    fn level_near(&self, low: f64, high: f64, volume: f64, guess: f64) -> Option<Immersion> {
        let mut level = guess;
        for _ in 0..NEWTON_STEPS {
            if !(level > low && level < high) {
                return None;
            }
            let here = self.immersed_to(level);
            let excess = here.volume - volume;
            if excess.abs() <= TOLERANCE * volume {
                return Some(here);
            }
            level -= excess / here.waterplane.area;
        }
        None
    }

    /// The same by Newton's method, and bisection where that does not halve the error.
    fn level_in(&self, mut low: f64, mut high: f64, volume: f64) -> Option<Immersion> {
        let mut top = self.immersed_to(high);
        if top.volume < volume * (1.0 - TOLERANCE) {
            return None;
        }
        let mut level = 0.5 * (low + high);
        let mut last = f64::INFINITY;
        for _ in 0..ITERATIONS {
            let here = self.immersed_to(level);
            let excess = here.volume - volume;
            if excess.abs() <= TOLERANCE * volume {
                return Some(here);
            }
            if excess < 0.0 {
                low = level
            } else {
                (high, top) = (level, here)
            }
            let newton = level - excess / here.waterplane.area;
            let is_slow = excess.abs() > 0.5 * last;
            last = excess.abs();
            level = if is_slow || !(newton > low && newton < high) { 0.5 * (low + high) } else { newton };
            if level <= low || level >= high {
                break;
            }
        }
        Some(top)
    }
}
