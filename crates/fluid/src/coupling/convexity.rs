//! Where a surface curves away from the fluid, it is less of a wall than a plane at the same distance.

use glam::Mat3A;

use crate::walls::mirror_layer;

/// Exponent of the weight, and its minimum, which spheres of up to 11 radii and edges reach. Without weights a ball 5 % lighter than water rises fully and
/// one 5 % heavier hardly sinks; with a minimum of 0.5 or 0.45 both travel half of the way. With 0.45 the lift on a sphere of five radii is 6 % too
/// large instead of 8 %, but the damping of one that oscillates 56 instead of 49 %; with 0.22 a cube of two radii floats 1.2 r too deep. An exponent of 3
/// does the same (`plimsoll validate balls added_mass`, `cargo test --release --test fluid archimedes::`).
const EXPONENT: i32 = 4;
const MIN_WEIGHT: f32 = 0.5;

/// The wall near one particle, of all bodies together: the surfaces of two bodies side by side are about one plane.
#[derive(Clone, Copy, Debug, Default)]
pub struct NearWall {
    /// f
    value: f32,
    /// tr N
    moment: f32,
    /// `−Σ_t sgn(d_t) n_t·∇f_t`, 1/m
    slope: f32,
}

impl NearWall {
    /// Adds a contact with this value f, moment N and sum of slopes.
    pub fn add(&mut self, value: f32, moment: &Mat3A, slope: f32) {
        self.value += value;
        self.moment += moment.x_axis.x + moment.y_axis.y + moment.z_axis.z;
        self.slope += slope;
    }

    /// `(f/F(d))⁴` with the share F of a plane at the distance d of the surface, the mean of its triangles': one at planes, in hollows and at sheets, less
    /// where the surface is convex. It multiplies f, ∇f and N of a contact (docs/theory/walls.md, "Convex walls").
    pub fn weight(&self, cutoff: f32) -> f32 {
        if self.value <= 0.0 || self.slope <= 0.0 {
            return 1.0;
        }
        // At the end of its reach it is rounded, and may be negative.
        let plane = mirror_layer().plane(f64::from(self.moment / (self.slope * cutoff))).max(0.0) as f32;
        (self.value / plane).min(1.0).powi(EXPONENT).max(MIN_WEIGHT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wall with the value `share` of a plane at the distance `s`, in cutoffs.
    fn wall(share: f32, s: f64) -> NearWall {
        NearWall { value: share * mirror_layer().plane(s) as f32, moment: s as f32, slope: 1.0 }
    }

    #[test]
    fn planes_and_hollows_have_their_whole_weight() {
        for s in [0.1, 0.4, 0.7, 0.95] {
            assert!((wall(1.0, s).weight(1.0) - 1.0).abs() < 1e-4);
            assert_eq!(wall(1.5, s).weight(1.0), 1.0);
        }
        assert_eq!(NearWall::default().weight(1.0), 1.0);
        // At the end of the reach of a plane, and beyond.
        for s in (0..1000).map(|i| 0.99 + 1e-5 * f64::from(i)) {
            assert!(NearWall { value: 1e-9, ..wall(1.0, s) }.weight(1.0) <= 1.0, "{s}");
        }
        assert_eq!(NearWall { moment: 1.2, ..wall(1.0, 0.9) }.weight(1.0), 1.0);
    }

    #[test]
    fn convex_walls_weigh_less() {
        assert!((wall(0.9, 0.5).weight(1.0) - 0.9_f32.powi(4)).abs() < 1e-3);
        assert_eq!(wall(0.5, 0.5).weight(1.0), MIN_WEIGHT);
    }
}
