//! Kernel volume: the share λ of a particle's kernel inside a solid, and its gradient, computed only from the solid's triangles.
//!
//! ```text
//! λ(x)  = ∫_Ω W(|x − x'|) dx' = [x inside Ω] + Σ_t d_t ∫_t G(r)/r³ dS,     G(r) = ∫_r^h W(s) s² ds
//! ∇λ(x) = −Σ_t n_t ∫_t W(r) dS
//! ```
//!
//! (divergence theorem; `d_t` the signed distance of `x` to the plane of triangle `t`). Infinite plane at `q = d/h`:
//! `λ = 1.6u⁵ − (16/15)u⁶` for `q ≥ ½` with `u = 1 − q`, `½ − 1.4q + (8/3)q³ − 4.8q⁵ + 3.2q⁶` below.

use std::f64::consts::PI;

use glam::DVec3;

use crate::walls::{
    radial::{Piece, RadialFunction},
    triangle::WallTriangle,
};

/// λ, dimensionless, and ∇λ, 1/m, pointing into the solid.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct KernelVolume {
    /// The integral.
    pub value: f64,
    /// Its gradient at the point, 1/m.
    pub gradient: DVec3,
}

/// Kernel volume at `point` of the solid bounded by `triangles`, for support radius `support_radius`. `inside` states whether the point is
/// inside the solid.
pub fn kernel_volume<'a>(
    triangles: impl IntoIterator<Item = &'a WallTriangle>,
    point: DVec3,
    support_radius: f64,
    inside: bool,
) -> KernelVolume {
    let mut volume = KernelVolume { value: if inside { 1.0 } else { 0.0 }, gradient: DVec3::ZERO };
    for triangle in triangles {
        let distance = triangle.plane_distance(point) / support_radius;
        if distance.abs() < 1.0 {
            volume.value += distance * triangle.integrate_exactly(&FLUX, point, support_radius).value;
            volume.gradient -= triangle.normal * triangle.integrate(&KERNEL, point, support_radius).value / support_radius;
        }
    }
    volume
}

const SIGMA: f64 = 8.0 / PI;

/// W and its integral over a plane.
static KERNEL: RadialFunction = RadialFunction {
    pieces: [
        Piece { end: 0.5, plane: [0.0, 1.4, 0.0, -8.0, 0.0, 24.0, -19.2], point: [0.0, SIGMA, 0.0, -6.0 * SIGMA, 6.0 * SIGMA] },
        Piece { end: 0.5, plane: [0.0, 1.4, 0.0, -8.0, 0.0, 24.0, -19.2], point: [0.0, SIGMA, 0.0, -6.0 * SIGMA, 6.0 * SIGMA] },
        Piece {
            end: 1.0,
            plane: [0.0, 1.6, 0.0, -16.0, 32.0, -24.0, 6.4],
            point: [0.0, 2.0 * SIGMA, -6.0 * SIGMA, 6.0 * SIGMA, -2.0 * SIGMA],
        },
    ],
};

/// G(r)/r³ and its integral over a plane; λ does not need its gradient.
static FLUX: RadialFunction = RadialFunction {
    pieces: [
        Piece { end: 0.5, plane: FLUX_NEAR, point: [0.0; 5] },
        Piece { end: 0.5, plane: FLUX_NEAR, point: [0.0; 5] },
        Piece { end: 1.0, plane: FLUX_FAR, point: [0.0; 5] },
    ],
};
const FLUX_NEAR: [f64; 7] = [0.5, -1.4, 0.0, 8.0 / 3.0, 0.0, -4.8, 3.2];
const FLUX_FAR: [f64; 7] = [8.0 / 15.0, -1.6, 0.0, 16.0 / 3.0, -8.0, 4.8, -16.0 / 15.0];
