//! Which kernel is more accurate in stirred water: the cubic spline, which is used, or Wendland's C2 (1995) with the same and with larger supports.

use std::f64::consts::PI;

use crate::common::{box_fill, cuboid, fixed, moving, positions, sample};
use glam::{DMat3, DVec3};
use plimsoll_base::math::Pose;
use plimsoll_bodies::PrescribedMotion;
use plimsoll_fluid::{FluidSettings, FluidSimulation};

const RADIUS: f64 = 0.0125;
const SPACING: f64 = 2.0 * RADIUS;
const SIDE: f64 = 0.6;
const DEPTH: f64 = 0.3;

/// Derivative of a kernel of support 1 by the distance.
type Slope = fn(f64) -> f64;

fn cubic_spline(q: f64) -> f64 {
    8.0 / PI * if q < 0.5 { 18.0 * q * q - 12.0 * q } else { -6.0 * (1.0 - q).powi(2) }
}

fn wendland(q: f64) -> f64 {
    21.0 / (2.0 * PI) * -20.0 * q * (1.0 - q).powi(3)
}

/// Positions of particles in water that a paddle has stirred for a second.
fn stirred() -> Vec<DVec3> {
    let fill = box_fill(DVec3::ZERO, DVec3::new(SIDE, DEPTH, SIDE), DVec3::ZERO);
    let tank = fixed("tank", sample("small_tank", DVec3::new(SIDE, 1.2, SIDE)), Pose::IDENTITY);
    let paddle = cuboid(DVec3::new(-0.1, -0.05, -0.01), DVec3::new(0.1, 0.05, 0.01));
    let pivot = DVec3::new(0.5 * SIDE, 0.12, 0.5 * SIDE);
    let motion = PrescribedMotion::Constant { linear: DVec3::ZERO, angular: DVec3::new(0.0, 9.0, 0.0), pivot };
    let settings = FluidSettings { settle: false, ..crate::common::settings(RADIUS, vec![fill]) };
    let mut simulation =
        FluidSimulation::new(settings, vec![tank, moving("paddle", paddle, Pose::from_translation(pivot), motion)]).unwrap();
    crate::common::run(&mut simulation, 1.0, |_| {});
    positions(&simulation).collect()
}

/// Error of the corrected gradient (as in `neighbourhood/isotropy.rs`) of `x y / SPACING` at its saddle, where the gradient is zero.
fn gradient_error(neighbours: &[DVec3], slope: Slope, support: f64) -> f64 {
    let (mut matrix, mut sum) = (DMat3::ZERO, DVec3::ZERO);
    for &x in neighbours.iter().filter(|x| x.length() < support) {
        let gradient = -x * (SPACING.powi(3) * slope(x.length() / support) / support.powi(4) / x.length());
        matrix += DMat3::from_cols(gradient * x.x, gradient * x.y, gradient * x.z);
        sum += gradient * (x.x * x.y / SPACING);
    }
    (matrix.inverse() * sum).length()
}

#[test]
fn wendlands_kernel_is_not_more_accurate_for_its_number_of_neighbours() {
    let particles = stirred();
    let margin = 6.0 * RADIUS;
    let pivot = DVec3::new(0.5 * SIDE, 0.12, 0.5 * SIDE);
    let is_inner = |x: &&DVec3| {
        let around = (x.x - pivot.x).hypot(x.z - pivot.z) > 0.1 + margin || (x.y - pivot.y).abs() > 0.05 + margin;
        around && x.min_element() > margin && x.x < SIDE - margin && x.z < SIDE - margin && x.y < DEPTH - 0.07
    };
    let inner: Vec<Vec<DVec3>> = particles
        .iter()
        .filter(is_inner)
        .map(|&at| particles.iter().map(|x| x - at).filter(|x| x.length() < margin && *x != DVec3::ZERO).collect())
        .collect();
    let share_closer = |distance: f64| {
        let close = |neighbours: &&Vec<DVec3>| neighbours.iter().any(|x| x.length() < distance * SPACING);
        inner.iter().filter(close).count() as f64 / inner.len() as f64
    };
    let error = |slope: Slope, radii: f64| {
        let support = radii * RADIUS;
        let squares: f64 = inner.iter().map(|neighbours| gradient_error(neighbours, slope, support).powi(2)).sum();
        let count: usize = inner.iter().map(|neighbours| neighbours.iter().filter(|x| x.length() < support).count()).sum();
        let (error, count) = ((squares / inner.len() as f64).sqrt(), count as f64 / inner.len() as f64);
        println!("support {radii} radii, {count:.1} neighbours: error of the gradient {error:.4}");
        error
    };
    println!("{} particles; closer than 0.6 diameters: {:.2} %", inner.len(), 100.0 * share_closer(0.6));
    assert!(inner.len() > 500, "{}", inner.len());
    // Particles do not form pairs, which Wendland's kernel would prevent.
    assert!(share_closer(0.6) < 0.05, "{}", share_closer(0.6));
    for radii in [4.0, 4.5, 5.0] {
        let (cubic, wendland) = (error(cubic_spline, radii), error(wendland, radii));
        assert!(cubic < wendland, "{radii} radii: {cubic} {wendland}");
    }
}
