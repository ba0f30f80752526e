//! The force of a mooring line that hangs as a catenary and may rest on a flat sea floor without friction.
//!
//! The line has the unstretched length L, the weight w per length and the stiffness E A. H and V are the horizontal and the vertical tension at
//! the upper end, which is at the horizontal distance x and the height z from the anchor (Jonkman 2007, equations 2.35 to 2.38):
//!
//! ```text
//! hanging      x = H/w [asinh(V/H) − asinh((V − wL)/H)] + H L/EA
//!              z = H/w [√(1 + (V/H)²) − √(1 + ((V − wL)/H)²)] + (V L − w L²/2)/EA
//! on the floor x = L − V/w + H/w asinh(V/H) + H L/EA                              for 0 ≤ V < w L and z ≥ 0
//!              z = H/w [√(1 + (V/H)²) − 1] + V²/(2 EA w)
//! ```
//!
//! x grows with H and z with V, so a nested search finds both, without a start value that would have to be saved.

use super::root::root;

/// Smallest horizontal tension that is distinguished from none, as a share of the line's weight.
const SLACK: f64 = 1e-9;

/// A line and where its upper end is.
#[derive(Clone, Copy, Debug)]
pub struct Catenary {
    /// Unstretched length, m.
    pub length: f64,
    /// N
    pub axial_stiffness: f64,
    /// N/m
    pub weight: f64,
}

/// Tensions at the upper end of a line, N.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EndTension {
    pub horizontal: f64,
    pub vertical: f64,
}

impl Catenary {
    /// The tension with the upper end at the horizontal distance `x` and the height `z` (m) from the anchor.
    pub fn tension(&self, x: f64, z: f64) -> EndTension {
        let least = SLACK * self.weight * self.length;
        let distance = |horizontal: f64| self.span(horizontal, self.vertical(horizontal, z), z) - x;
        let horizontal = if distance(least) >= 0.0 { 0.0 } else { root(distance, least, self.axial_stiffness * x / self.length + least) };
        EndTension { horizontal, vertical: self.vertical(horizontal.max(least), z) }
    }

    /// An upper bound of the force per displacement of the upper end, N/m: that of the straight line.
    pub fn stiffness(&self) -> f64 {
        self.axial_stiffness / self.length
    }

    /// The vertical tension with which the end is at the height `z`.
    fn vertical(&self, horizontal: f64, z: f64) -> f64 {
        let weight = self.weight * self.length;
        let stretched = self.axial_stiffness * z / self.length + 0.5 * weight;
        let [low, high] = if z >= 0.0 { [0.0, weight.max(stretched)] } else { [stretched.min(0.0), 0.5 * weight] };
        root(|vertical| self.rise(horizontal, vertical, z) - z, low, high)
    }

    fn rests(&self, vertical: f64, z: f64) -> bool {
        z >= 0.0 && vertical < self.weight * self.length
    }

    fn span(&self, horizontal: f64, vertical: f64, z: f64) -> f64 {
        let Self { length, axial_stiffness, weight } = *self;
        let (scale, stretch) = (horizontal / weight, horizontal * length / axial_stiffness);
        let upper = scale * (vertical / horizontal).asinh();
        match self.rests(vertical, z) {
            true => length - vertical / weight + upper + stretch,
            false => upper - scale * ((vertical - weight * length) / horizontal).asinh() + stretch,
        }
    }

    fn rise(&self, horizontal: f64, vertical: f64, z: f64) -> f64 {
        let Self { length, axial_stiffness, weight } = *self;
        match self.rests(vertical, z) {
            // The difference of the roots, without cancellation.
            true => {
                let slope = vertical / horizontal;
                vertical / weight * slope / (1.0 + slope.hypot(1.0)) + vertical * vertical / (2.0 * axial_stiffness * weight)
            }
            false => {
                let lower = vertical - weight * length;
                (vertical.hypot(horizontal) - lower.hypot(horizontal)) / weight
                    + (vertical - 0.5 * weight * length) * length / axial_stiffness
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Position of the upper end by integration along the line from the anchor: a piece of unstretched length `ds` carries the tension
    /// `√(H² + v²)` in the direction (H, v), where v is the weight below it, and lies on the floor where v would be negative.
    fn integrated(line: &Catenary, end: EndTension, rests: bool) -> [f64; 2] {
        let pieces = 200_000;
        let ds = line.length / f64::from(pieces);
        let (mut x, mut z) = (0.0, 0.0);
        for piece in 0..pieces {
            let above = line.length - (f64::from(piece) + 0.5) * ds;
            let vertical = end.vertical - line.weight * above;
            let vertical = if rests { vertical.max(0.0) } else { vertical };
            let tension = end.horizontal.hypot(vertical);
            let stretched = ds * (1.0 + tension / line.axial_stiffness);
            let along = if tension == 0.0 { [1.0, 0.0] } else { [end.horizontal / tension, vertical / tension] };
            (x, z) = (x + along[0] * stretched, z + along[1] * stretched);
        }
        [x, z]
    }

    #[test]
    fn tensions_are_those_of_an_integrated_line() {
        let line = Catenary { length: 10.0, axial_stiffness: 5e3, weight: 20.0 };
        // Partly on the floor, hanging free, below the anchor, stretched along the floor.
        for (x, z, rests) in
            [(8.0, 4.0, true), (9.0, 2.0, true), (7.0, 7.0, false), (9.0, 6.0, false), (6.0, -5.0, false), (10.2, 0.0, true)]
        {
            let end = line.tension(x, z);
            let [found_x, found_z] = integrated(&line, end, rests);
            assert!((found_x - x).abs() < 1e-5 && (found_z - z).abs() < 1e-5, "{x} {z}: {found_x} {found_z} with {end:?}");
            assert_eq!(line.rests(end.vertical, z), rests, "{x} {z}: {end:?}");
        }
    }

    #[test]
    fn a_slack_line_carries_only_its_own_weight() {
        let line = Catenary { length: 10.0, axial_stiffness: 5e5, weight: 20.0 };
        let end = line.tension(3.0, 4.0);
        assert!(end.horizontal == 0.0 && (end.vertical / 80.0 - 1.0).abs() < 1e-3, "{end:?}");
    }
}
