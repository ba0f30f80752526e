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

use crate::fluid::walls::radial::{Piece, RadialFunction};

/// Distance (units of the cutoff) of the steepest slope, the root of `1 − 18s² + 24s³`.
const STEEPEST: f64 = 0.306_518_428_447_302;

/// The mirror layer's radial function; its cutoff is half the kernel's support.
pub fn mirror_layer() -> &'static RadialFunction {
    &MIRROR_LAYER
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
