//! The mirror layer: what a wall adds to the density of a particle near it.
//!
//! Fluid at rest against a wall is balanced as if its own first layer were mirrored behind the wall. For a particle at `x`, the mirror
//! image of a plane wall is the wall scaled about `x` by two, and it carries one layer of fluid, of thickness `2r`:
//!
//! ```text
//! f(x) = 2r ∫_{dilated S} W(|x − x'|) dS' = 8r ∫_S W(2|x − x'|) dS'
//! ```
//!
//! This is the fluid's own kernel at half the support, integrated over the wall itself. On an infinite plane at distance `y` this is
//! `f = ½ P(y/2r)`, `P(s) = 1.6 (1−s)⁴(1+4s)` for `s ≥ ½`, `16 (7/80 − s²/2 + 1.5 s⁴ − 1.2 s⁵)` below: 0.15 at `y = r`, exactly the density
//! that a square lattice lacks at a wall half a spacing away, so fluid rests at the true wall. For a particle at distance `r` from both
//! faces of a 90° edge it also gives the density that the lattice lacks there, because the images of the two faces end where they meet. It
//! does not depend on an inside or an orientation: sheets, open meshes and both sides of a thin wall need no special treatment.
//!
//! `P` has its steepest slope at `s* = 0.3065` and flattens towards the wall; below `s*` it is continued linearly, so that the repulsion
//! does not weaken for a particle pressed against the wall. The continuation is itself an integral over the surface, of `|P'(s*)|/(4π s)`.

use std::f64::consts::PI;

use plimsoll_base::math::lanes::Lanes;

use crate::walls::radial::{Piece, RadialFunction};

/// Distance (units of the cutoff) of the steepest slope, the root of `1 − 18s² + 24s³`.
const STEEPEST: f64 = 0.306_518_428_447_302;

/// The mirror layer's radial function; its cutoff is half the kernel's support.
pub fn mirror_layer() -> &'static RadialFunction {
    &MIRROR_LAYER
}

/// g(s) and g'(s)/s of the mirror layer. Above the steepest slope, `g = (8/π) ((1−s)₊³ − 4 (½−s)₊³)`.
#[inline(always)]
pub fn values_and_slopes<L: Lanes>(s: L) -> (L, L) {
    let (zero, steepest) = (L::splat(0.0), L::splat(STEEPEST as f32));
    let (outer, inner) = ((L::splat(1.0) - s).max(zero), (L::splat(0.5) - s).max(zero));
    let (outer_square, inner_square) = (outer * outer, L::splat(4.0) * inner * inner);
    let inverse = L::splat(1.0) / s.max(L::splat(f32::MIN_POSITIVE));
    let value = L::splat((8.0 / PI) as f32) * (outer_square * outer - inner_square * inner);
    let slope = L::splat((-24.0 / PI) as f32) * (outer_square - inner_square);
    let near = L::splat((STEEPEST_SLOPE / (2.0 * PI)) as f32) * inverse;
    let value = s.select_less(steepest, near, value);
    let slope = s.select_less(steepest, zero - near * inverse, slope);
    (value, slope * inverse)
}

const fn slope(s: f64) -> f64 {
    8.0 * (s - 6.0 * s * s * s + 6.0 * s * s * s * s)
}

const fn middle_plane(s: f64) -> f64 {
    0.7 - 4.0 * s * s + 12.0 * s * s * s * s - 9.6 * s * s * s * s * s
}

const STEEPEST_SLOPE: f64 = slope(STEEPEST);

static MIRROR_LAYER: RadialFunction = RadialFunction {
    pieces: [
        Piece {
            end: STEEPEST,
            plane: [0.0, middle_plane(STEEPEST) + STEEPEST_SLOPE * STEEPEST, -STEEPEST_SLOPE, 0.0, 0.0, 0.0, 0.0],
            point: [STEEPEST_SLOPE / (2.0 * PI), 0.0, 0.0, 0.0, 0.0],
        },
        Piece { end: 0.5, plane: [0.0, 0.7, 0.0, -4.0, 0.0, 12.0, -9.6], point: [0.0, 4.0 / PI, 0.0, -24.0 / PI, 24.0 / PI] },
        Piece { end: 1.0, plane: [0.0, 0.8, 0.0, -8.0, 16.0, -12.0, 3.2], point: [0.0, 8.0 / PI, -24.0 / PI, 24.0 / PI, -8.0 / PI] },
    ],
};

#[cfg(test)]
mod tests {
    use plimsoll_base::math::lanes::{LANES, LaneWork, compute};

    use super::*;

    struct Evaluation([f32; LANES]);

    impl LaneWork for Evaluation {
        type Output = [[f32; LANES]; 2];

        #[inline(always)]
        fn run<L: Lanes>(self) -> Self::Output {
            let (values, slopes) = values_and_slopes(L::load(&self.0));
            [values.store(), slopes.store()]
        }
    }

    #[test]
    fn lanes_evaluate_the_pieces() {
        let function = mirror_layer();
        for first in 0..1200 {
            let distances = [0.001, 0.126, 0.251, 0.376, 0.501, 0.626, 0.751, 0.876].map(|s: f32| s + 1e-4 * first as f32);
            let [values, slopes] = compute(Evaluation(distances));
            for (lane, distance) in distances.iter().enumerate() {
                let s = f64::from(*distance);
                let (value, slope) = (function.point(s), function.point_slope(s) / s);
                assert!((f64::from(values[lane]) - value).abs() < 1e-5 * (1.0 + value), "{} for {value} at {s}", values[lane]);
                assert!((f64::from(slopes[lane]) - slope).abs() < 1e-4 * (1.0 + slope.abs()), "{} for {slope} at {s}", slopes[lane]);
            }
        }
    }
}
