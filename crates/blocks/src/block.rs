//! One block: a polygon whose displacement is linear in space.
//!
//! With `d = (u, v, r, ε_x, ε_y, γ)` and `(x, y)` from the centroid, `u(x, y) = T d`,
//!
//! ```text
//! T = | 1  0  −y  x  0  y/2 |
//!     | 0  1   x  0  y  x/2 |
//! ```
//!
//! (Shi 1988). At the end of a step vertices move to `c + (u, v) + R(r) (1 + ε) x` with the exact rotation `R`; a first-order rotation
//! would enlarge a rotating block by the factor `1 + r²`.

use glam::{DMat2, DVec2};
use plimsoll_shape::polygon::Moments;
use serde::{Deserialize, Serialize};

/// The six unknowns of a block: meters, radians, strains; or their rates.
pub type Dof6 = [f64; 6];

/// A block: its mass, motion and stress.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Block {
    /// Index into the materials.
    pub material: u16,
    /// Whether the block neither moves nor deforms.
    pub fixed: bool,
    /// Whether the block has been removed.
    pub gone: bool,
    /// Moments of the current shape.
    pub moments: Moments,
    /// Mass per meter of thickness, kg/m; constant.
    pub mass: f64,
    /// Rates of the six unknowns.
    pub velocity: Dof6,
    /// σ_x, σ_y, τ_xy, Pa.
    pub stress: [f64; 3],
    /// Angle of rotation since time zero, rad.
    pub rotation: f64,
    /// Centroid at time zero, meters.
    pub start: DVec2,
}

impl Block {
    /// Whether the block has unknowns.
    pub fn moves(&self) -> bool {
        !self.fixed && !self.gone
    }

    /// `T d` at `point`: a displacement if `d` are unknowns, a velocity if they are rates.
    pub fn field(&self, point: DVec2, d: &Dof6) -> DVec2 {
        displacement(point - self.moments.centroid, d)
    }

    /// Vector from the centroid to `point` in the middle of a step in which the block moves by `d`.
    pub fn mid_arm(&self, point: DVec2, d: &Dof6) -> DVec2 {
        half_turned(point - self.moments.centroid, d)
    }

    /// New position of `point` of the block, with exact rotation.
    pub fn moved(&self, point: DVec2, d: &Dof6) -> DVec2 {
        let strained = DMat2::from_cols(DVec2::new(1.0 + d[3], 0.5 * d[5]), DVec2::new(0.5 * d[5], 1.0 + d[4]));
        let at = strained * (point - self.moments.centroid);
        self.moments.centroid + DVec2::new(d[0], d[1]) + DVec2::from_angle(d[2]).rotate(at)
    }

    /// `∫ ρ Tᵀ T dA`, kg/m and so on.
    pub fn mass_matrix(&self) -> [Dof6; 6] {
        let Moments { area, xx, yy, xy, .. } = self.moments;
        let density = self.mass / area;
        let (xx, yy, xy) = (density * xx, density * yy, density * xy);
        let mut matrix = [[0.0; 6]; 6];
        let entries = [
            (0, 0, self.mass),
            (1, 1, self.mass),
            (2, 2, xx + yy),
            (2, 3, -xy),
            (2, 4, xy),
            (2, 5, 0.5 * (xx - yy)),
            (3, 3, xx),
            (3, 5, 0.5 * xy),
            (4, 4, yy),
            (4, 5, 0.5 * xy),
            (5, 5, 0.25 * (xx + yy)),
        ];
        for (row, column, value) in entries {
            matrix[row][column] = value;
            matrix[column][row] = value;
        }
        matrix
    }
}

/// `vector` of a block in the middle of a step in which the block moves by `d`.
pub fn half_turned(vector: DVec2, d: &Dof6) -> DVec2 {
    DVec2::from_angle(0.5 * d[2]).rotate(vector)
}

/// Half of the translation in `d`.
pub fn half_moved(d: &Dof6) -> DVec2 {
    0.5 * DVec2::new(d[0], d[1])
}

/// `directionᵀ T` at `at`, relative to the centroid.
pub fn weights(at: DVec2, direction: DVec2) -> Dof6 {
    [
        direction.x,
        direction.y,
        direction.y * at.x - direction.x * at.y,
        direction.x * at.x,
        direction.y * at.y,
        0.5 * (direction.x * at.y + direction.y * at.x),
    ]
}

/// `T d` at `at`, relative to the centroid.
#[inline]
pub fn displacement(at: DVec2, d: &Dof6) -> DVec2 {
    let shear = 0.5 * d[5];
    DVec2::new(d[0] - d[2] * at.y + d[3] * at.x + shear * at.y, d[1] + d[2] * at.x + d[4] * at.y + shear * at.x)
}

/// `σ`, or `ε` with `γ = 2 ε_xy`, of a body rotated by `angle`; `twice` is 1 for stresses and 2 for strains.
pub fn turned(tensor: [f64; 3], angle: f64, twice: f64) -> [f64; 3] {
    let [xx, yy, xy] = [tensor[0], tensor[1], tensor[2] / twice];
    let (sin, cos) = angle.sin_cos();
    [
        cos * cos * xx + sin * sin * yy - 2.0 * sin * cos * xy,
        sin * sin * xx + cos * cos * yy + 2.0 * sin * cos * xy,
        twice * (sin * cos * (xx - yy) + (cos * cos - sin * sin) * xy),
    ]
}
