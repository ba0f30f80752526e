//! Radial functions that can be integrated over triangles in closed form.
//!
//! A function `g(r)` over a surface is integrated through its potential `F(s) = 2π ∫_s^1 g(r) r dr`, the integral of `g` over an infinite
//! plane at distance `s`. Both are piecewise sums of powers of the distance, in units of the cutoff, and vanish from 1 on.

/// An interval of distances on which `F` and `g` are sums of powers.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// The piece ends at this distance (units of the cutoff).
    pub end: f64,
    /// `F(s) = Σ plane[k] s^(k−1)`, k = 0 … 6: powers −1 … 5.
    pub plane: [f64; 7],
    /// `g(s) = Σ point[k] s^(k−1)`, k = 0 … 4: powers −1 … 3.
    pub point: [f64; 5],
}

/// `F` and `g` of one radial function, from distance zero to one.
#[derive(Clone, Copy, Debug)]
pub struct RadialFunction {
    /// The pieces, in order of distance.
    pub pieces: [Piece; 3],
}

impl RadialFunction {
    /// F(s).
    pub fn plane(&self, s: f64) -> f64 {
        if s >= 1.0 { 0.0 } else { power_sum(&self.piece(s).plane, s) }
    }

    /// g(s).
    pub fn point(&self, s: f64) -> f64 {
        if s >= 1.0 { 0.0 } else { power_sum(&self.piece(s).point, s) }
    }

    /// g'(s).
    pub fn point_slope(&self, s: f64) -> f64 {
        if s >= 1.0 {
            return 0.0;
        }
        let c = self.piece(s).point;
        -c[0] / (s * s) + c[2] + s * (2.0 * c[3] + 3.0 * c[4] * s)
    }

    fn piece(&self, s: f64) -> &Piece {
        &self.pieces[usize::from(s >= self.pieces[0].end) + usize::from(s >= self.pieces[1].end)]
    }
}

/// `Σ c[k] s^(k−1)`.
fn power_sum(coefficients: &[f64], s: f64) -> f64 {
    let polynomial = coefficients[1..].iter().rev().fold(0.0, |sum, c| sum * s + c);
    if coefficients[0] == 0.0 { polynomial } else { polynomial + coefficients[0] / s }
}
