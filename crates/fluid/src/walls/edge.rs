//! Closed-form integrals along one edge of a triangle, as seen from the foot of a point on the triangle's plane.
//!
//! With `z` the distance to the plane, `d` that of the foot to the edge's line, `t` the position along the line, `s² = z² + d² + t²` and
//! `θ = atan2(t, d)`, every radial function made of powers of `s` is integrated by
//!
//! ```text
//! I_k = ∫ s^k dθ,  e² = d² + z², A = asinh(t/e), B = atan(zt/(ds)), S = (ts + e²A)/2:
//! I₋₁ = B/z · I₀ = θ · I₁ = dA + zB · I₂ = dt + z²θ · I₃ = dS + dz²A + z³B
//! I₄ = d((d² + 2z²)t + t³/3) + z⁴θ · I₅ = d(ts³/4 + ¾e²S) + dz²S + dz⁴A + z⁵B
//! L_k = ∫ s^k dt:  L₋₁ = A · L₀ = t · L₁ = S · L₂ = e²t + t³/3 · L₃ = ts³/4 + ¾e²S
//! ```

use crate::walls::radial::{Piece, RadialFunction};

/// Position of an edge relative to the foot; lengths in units of the cutoff.
#[derive(Clone, Copy, Debug)]
pub struct EdgeView {
    /// Distance from the point to the plane, non-negative.
    pub z: f64,
    /// Distance from the foot to the edge's line, non-negative.
    pub d: f64,
    /// The edge runs from `start` to `end > start` along its line, measured from the point closest to the foot.
    pub start: f64,
    pub end: f64,
}

/// The three integrals along an edge that value and gradient need.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EdgeIntegrals {
    /// ∫ F(s) dθ
    pub plane: f64,
    /// z ∫ g(s) dθ
    pub normal: f64,
    /// ∫ g(s) dt
    pub tangential: f64,
}

/// Integrates the part of the edge within the cutoff.
pub fn integrate_edge(function: &RadialFunction, view: EdgeView) -> EdgeIntegrals {
    let mut sum = EdgeIntegrals::default();
    let squared_e = view.z * view.z + view.d * view.d;
    let mut inner = 0.0;
    for piece in &function.pieces {
        // The piece covers |t| from `inner` to `outer`: at most one interval on each side of the closest point.
        let outer = (piece.end * piece.end - squared_e).max(0.0).sqrt();
        if outer > inner {
            if inner == 0.0 {
                sum.add_stretch(piece, view, -outer, outer);
            } else {
                sum.add_stretch(piece, view, -outer, -inner);
                sum.add_stretch(piece, view, inner, outer);
            }
            inner = outer;
        }
    }
    sum
}

impl EdgeIntegrals {
    fn add_stretch(&mut self, piece: &Piece, view: EdgeView, from: f64, to: f64) {
        let (from, to) = (from.max(view.start), to.min(view.end));
        if from >= to {
            return;
        }
        let (first, last) = (Moments::at(view, from), Moments::at(view, to));
        for (c, (a, b)) in piece.plane.iter().zip(first.angular.iter().zip(&last.angular)) {
            self.plane += c * (b - a);
        }
        for (c, (a, b)) in piece.point.iter().zip(first.angular_z.iter().zip(&last.angular_z)) {
            self.normal += c * (b - a);
        }
        for (c, (a, b)) in piece.point.iter().zip(first.linear.iter().zip(&last.linear)) {
            self.tangential += c * (b - a);
        }
    }
}

/// Antiderivatives at one point of the edge.
struct Moments {
    /// I₋₁ … I₅
    angular: [f64; 7],
    /// z I₋₁ … z I₃
    angular_z: [f64; 5],
    /// L₋₁ … L₃
    linear: [f64; 5],
}

impl Moments {
    fn at(view: EdgeView, t: f64) -> Self {
        let EdgeView { z, d, .. } = view;
        let (zz, dd, tt) = (z * z, d * d, t * t);
        let ee = (zz + dd).max(f64::MIN_POSITIVE);
        let s = (ee + tt).sqrt();
        let a = (t / ee.sqrt()).asinh();
        let b = (z * t).atan2(d * s);
        let theta = t.atan2(d);
        let big_s = 0.5 * (t * s + ee * a);
        let cubic = 0.25 * t * s * s * s + 0.75 * ee * big_s;
        let i0 = theta;
        let i1 = d * a + z * b;
        let i2 = d * t + zz * theta;
        let i3 = d * big_s + zz * (d * a + z * b);
        let i4 = d * ((dd + 2.0 * zz) * t + tt * t / 3.0) + zz * zz * theta;
        let i5 = d * cubic + zz * (d * big_s + zz * (d * a + z * b));
        // B/z tends to t/(ds) as the point approaches the plane.
        let i_minus = if z > 1e-9 { b / z } else { t / (d * s).max(f64::MIN_POSITIVE) };
        Self {
            angular: [i_minus, i0, i1, i2, i3, i4, i5],
            angular_z: [b, z * i0, z * i1, z * i2, z * i3],
            linear: [a, t, big_s, ee * t + tt * t / 3.0, cubic],
        }
    }
}
