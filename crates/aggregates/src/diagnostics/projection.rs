//! A picture as from a transmission electron microscope: the longer the path through the spheres, the darker.
//!
//! Along z an electron crosses the chord `2 √(r² − ρ²)` of each sphere at distance `ρ`; the share `exp(−Σ chords / l)` of the beam passes.

use glam::DVec3;

/// Samples along each edge of a pixel.
const SUBPIXELS: usize = 2;

/// A gray picture, rows from the top.
#[derive(Clone, Debug, PartialEq)]
pub struct Micrograph {
    /// Pixels.
    pub width: usize,
    /// Pixels.
    pub height: usize,
    /// 0 is black.
    pub pixels: Vec<u8>,
}

impl Micrograph {
    /// Looks along z at `spheres` (centers and radii, m). The lower left corner of the picture is at `corner` (m), a pixel is `pixel` (m)
    /// wide, and the beam decreases to 1/e over the path length `depth` (m). With a `period` (m), the spheres repeat throughout the
    /// picture.
    pub fn new(
        spheres: impl IntoIterator<Item = (DVec3, f64)>,
        (width, height): (usize, usize),
        corner: (f64, f64),
        pixel: f64,
        depth: f64,
        period: Option<f64>,
    ) -> Self {
        let (columns, rows) = (SUBPIXELS * width, SUBPIXELS * height);
        let step = pixel / SUBPIXELS as f64;
        let mut chords = vec![0.0_f64; columns * rows];
        let shifts = |low: f64, length: f64, at: f64, radius: f64| match period {
            Some(period) => {
                let first = ((low - at - radius) / period).ceil() as i64;
                let last = ((low + length - at + radius) / period).floor() as i64;
                (first..=last).map(|k| k as f64 * period).collect()
            }
            None => vec![0.0],
        };
        for (center, radius) in spheres {
            for shift_x in shifts(corner.0, width as f64 * pixel, center.x, radius) {
                for shift_y in shifts(corner.1, height as f64 * pixel, center.y, radius) {
                    let at = ((center.x + shift_x - corner.0) / step, (center.y + shift_y - corner.1) / step);
                    add_chords(&mut chords, (columns, rows), at, radius / step, step);
                }
            }
        }
        let mut pixels = Vec::with_capacity(width * height);
        for row in 0..height {
            for column in 0..width {
                let mut through = 0.0;
                for y in 0..SUBPIXELS {
                    for x in 0..SUBPIXELS {
                        // Rows of the sums go upwards, rows of the picture downwards.
                        let place = (rows - 1 - (SUBPIXELS * row + y)) * columns + SUBPIXELS * column + x;
                        through += (-chords[place] / depth).exp();
                    }
                }
                pixels.push((20.0 + 215.0 * through / (SUBPIXELS * SUBPIXELS) as f64).round() as u8);
            }
        }
        Self { width, height, pixels }
    }
}

/// Adds the chords (m) of a sphere; position and radius in grid steps.
fn add_chords(chords: &mut [f64], (columns, rows): (usize, usize), (x, y): (f64, f64), radius: f64, step: f64) {
    let range = |at: f64, count: usize| {
        let first = (at - radius - 0.5).ceil().max(0.0) as usize;
        let end = (at + radius + 0.5).floor().clamp(0.0, count as f64) as usize;
        first..end.max(first)
    };
    for row in range(y, rows) {
        for column in range(x, columns).take_while(|&column| column < columns) {
            let square = (column as f64 + 0.5 - x).powi(2) + (row as f64 + 0.5 - y).powi(2);
            if square < radius * radius {
                chords[row * columns + column] += 2.0 * step * (radius * radius - square).sqrt();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beam_is_weakened_by_the_volume_of_the_sphere() {
        // The absorption is so weak that the sum over the picture is the sum of the chords: the volume.
        let sphere = (DVec3::new(0.4, 0.6, 3.0), 0.5);
        let mut chords = vec![0.0; 400 * 400];
        add_chords(&mut chords, (400, 400), (180.0, 220.0), 125.0, 0.004);
        let volume = chords.iter().sum::<f64>() * 0.004 * 0.004;
        assert!((volume / (4.0 / 3.0 * std::f64::consts::PI * 0.125) - 1.0).abs() < 1e-3, "{volume}");
        let picture = Micrograph::new([sphere], (100, 100), (0.0, 0.0), 0.02, 0.5, None);
        let at = |x: f64, y: f64| picture.pixels[(99 - (y / 0.02) as usize) * 100 + (x / 0.02) as usize];
        assert!(at(0.4, 0.6) < 60 && at(1.5, 1.5) == 235 && at(0.4, 1.15) == 235 && at(0.85, 0.6) < 235);
        let repeated = Micrograph::new([sphere], (100, 100), (0.0, 0.0), 0.02, 0.5, Some(1.0));
        assert_eq!(repeated.pixels[10 * 100 + 10], repeated.pixels[60 * 100 + 60]);
    }
}
