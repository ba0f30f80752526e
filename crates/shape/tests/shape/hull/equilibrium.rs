//! Drafts and attitudes at rest.

use std::f64::consts::{FRAC_PI_4, PI};

use glam::{DVec2, DVec3};
use plimsoll_base::math::Pose;
use plimsoll_shape::{
    TriangleMesh,
    hydrostatics::{Attitude, Bow, Equilibrium, Hold, Hull, HydrostaticsError, Loading, Stability},
};

use super::{
    bodies::{circle, cuboid, hull, prism, random_numbers, sample, vessel},
    close,
};

const WATER: f64 = 1000.0;

fn homogeneous(body: &Hull, density: f64) -> Loading {
    let solid = body.solid();
    Loading { mass: density * solid.volume, center_of_gravity: solid.center_of_mass, water_density: WATER }
}

fn from(body: &Hull, loading: &Loading, start: Attitude) -> Equilibrium {
    Equilibrium::from(body, loading, start, Bow::PlusX, Hold::Dry).unwrap()
}

/// A log with a square section of edge 1.
fn log() -> Hull {
    hull(&cuboid(DVec3::new(-5.0, -0.5, -0.5), DVec3::new(5.0, 0.5, 0.5)))
}

#[test]
fn a_flat_box_floats_upright_from_any_start() {
    let body = hull(&cuboid(DVec3::new(-1.0, 0.0, -0.6), DVec3::new(1.0, 0.3, 0.6)));
    let loading = homogeneous(&body, 400.0);
    for (heel, trim) in [(0.0, 0.0), (0.4, 0.0), (-0.7, 0.3), (1.2, -0.4), (0.1, 1.0)] {
        let rest = from(&body, &loading, Attitude::new(heel, trim));
        let attitude = rest.attitude(Bow::PlusX);
        println!("{heel} {trim}: {attitude:?}");
        close("heel", attitude.heel, 0.0, 1e-9);
        close("trim", attitude.trim, 0.0, 1e-9);
        close("draft", rest.immersion.draft, 0.12, 1e-11);
        close("GM_T", rest.metacentric_heights[0], 0.06 + 1.44 / (12.0 * 0.12) - 0.15, 1e-10);
        close("GM_L", rest.metacentric_heights[1], 0.06 + 4.0 / (12.0 * 0.12) - 0.15, 1e-10);
        assert_eq!(rest.stability(), Stability::Stable);
    }
}

/// Upright if `s (1 − s) < 1/6`; at 45° around one half (Gilbert 1991, How things float, Amer. Math. Monthly 98, 201-216).
#[test]
fn a_square_log_floats_upright_tilted_or_on_edge() {
    let body = log();
    let root = 1.0 / 12.0_f64.sqrt();
    for (ratio, stable) in [(0.1, true), (0.5 - root - 1e-4, true), (0.5 - root + 1e-4, false), (0.5, false)] {
        for ratio in [ratio, 1.0 - ratio] {
            let rest = from(&body, &homogeneous(&body, WATER * ratio), Attitude::UPRIGHT);
            close("draft", rest.immersion.draft, ratio, 1e-11);
            assert_eq!(rest.stability() == Stability::Stable, stable, "density ratio {ratio}: {rest:?}");
            let settled = rest.settle(&body, &homogeneous(&body, WATER * ratio), Bow::PlusX).unwrap();
            assert_eq!(settled.len(), 1, "either side");
            assert_eq!(settled[0].stability(), Stability::Stable, "density ratio {ratio}");
            let heel = settled[0].attitude(Bow::PlusX).heel;
            assert_eq!(heel == 0.0, stable);
            if ratio == 0.5 {
                close("heel", heel, FRAC_PI_4, 1e-9);
                close("draft", settled[0].immersion.draft, 0.5_f64.sqrt(), 1e-9);
            }
        }
    }
    // Wall-sided: GM + ½ BM tan² φ = 0.
    let ratio = 0.23;
    let bm = 1.0 / (12.0 * ratio);
    let gm = 0.5 * ratio + bm - 0.5;
    let loading = homogeneous(&body, WATER * ratio);
    let settled = from(&body, &loading, Attitude::UPRIGHT).settle(&body, &loading, Bow::PlusX).unwrap();
    close("angle of loll", settled[0].attitude(Bow::PlusX).heel, (-2.0 * gm / bm).sqrt().atan(), 1e-9);
}

#[test]
fn a_weighted_sphere_turns_upright_from_any_start() {
    let body = hull(&sample("sphere"));
    let solid = body.solid();
    let loading = Loading { mass: 300.0 * solid.volume, center_of_gravity: DVec3::new(0.0, -0.1, 0.0), water_density: WATER };
    let mut random = random_numbers(5);
    let starts = (0..12).map(|_| Attitude::new(2.0 * PI * (random() - 0.5), 3.0 * (random() - 0.5)));
    for start in starts.chain([Attitude::new(PI - 0.001, 0.0)]) {
        let rest = from(&body, &loading, start);
        let attitude = rest.attitude(Bow::PlusX);
        // The facets of the mesh turn it by a fraction of a degree.
        assert!(attitude.heel.abs() < 5e-3 && attitude.trim.abs() < 5e-3, "{attitude:?} from {start:?}");
        close("GM", rest.metacentric_heights[0], 0.1, 3e-3);
        let draft = rest.immersion.draft;
        close("draft", PI * draft * draft * (0.5 - draft / 3.0), 0.3 * PI / 6.0, 2e-3);
    }
}

#[test]
fn a_homogeneous_ball_and_a_lying_cylinder_rest_as_they_are() {
    let ball = hull(&sample("sphere"));
    let cylinder = hull(&prism(&circle(0.5, 96), 3.0));
    for density in [100.0, 500.0, 870.0] {
        let rest = from(&ball, &homogeneous(&ball, density), Attitude::new(0.4, -0.9));
        close("GM of the ball", rest.metacentric_heights[1], 0.0, 2e-2);
        let rest = from(&cylinder, &homogeneous(&cylinder, density), Attitude::new(0.4, 0.5));
        let attitude = rest.attitude(Bow::PlusX);
        close("trim of the cylinder", attitude.trim, 0.0, 1e-9);
        close("GM_T of the cylinder", rest.metacentric_heights[0], 0.0, 1e-3);
        assert!(rest.metacentric_heights[1] > 0.5);
    }
}

#[test]
fn a_tall_cylinder_lies_down_and_a_flat_one_stands() {
    // An upright cylinder of half the density of water is stable if its diameter is more than √2 times its height.
    for (height, upright) in [(0.7, true), (0.713, false), (2.0, false)] {
        let body = hull(&super::bodies::upright_cylinder(0.5, height, 360));
        let loading = homogeneous(&body, 500.0);
        let rest = from(&body, &loading, Attitude::UPRIGHT);
        assert_eq!(rest.stability() == Stability::Stable, upright, "height {height}: {:?}", rest.metacentric_heights);
        let settled = rest.settle(&body, &loading, Bow::PlusX).unwrap();
        let inclination = settled[0].immersion.up.y.acos();
        assert_eq!(inclination < 1e-6, upright);
        if height == 2.0 {
            close("lying", inclination, 0.5 * PI, 1e-6);
        }
    }
}

/// Every closed sample, at several densities, from random starts and upside down: the descent ends at a stable position with no lever, where
/// small inclinations in any direction increase the energy by what the metacentric heights predict.
#[test]
fn every_sample_comes_to_rest() {
    let mut random = random_numbers(11);
    for name in ["box", "sphere", "torus", "boat", "propeller", "statue", "paddle", "tank", "drum"] {
        let body = hull(&sample(name));
        for density in [120.0, 450.0, 930.0] {
            let loading = homogeneous(&body, density);
            for start in [Attitude::UPRIGHT, Attitude::new(PI, 0.0), Attitude::new(6.0 * random() - 3.0, 3.0 * random() - 1.5)] {
                let rest = Equilibrium::from(&body, &loading, start, Bow::PlusX, Hold::Dry);
                let rest = rest.unwrap_or_else(|error| panic!("{name}, {density} kg/m³, {start:?}: {error}"));
                let settled = rest.settle(&body, &loading, Bow::PlusX);
                for rest in settled.unwrap_or_else(|error| panic!("{name}, {density} kg/m³, {start:?}: {error}")) {
                    let size = rest.immersion.volume.cbrt();
                    assert!(rest.immersion.lever(loading.center_of_gravity).length() < 1e-7 * size, "{name}");
                    assert_ne!(rest.stability(), Stability::Unstable, "{name}, {density} kg/m³, {start:?}: {rest:?}");
                    close(name, rest.immersion.volume, loading.volume(), 1e-11 * loading.volume());
                    // The same body at rest in a world with its water level at y = 0.
                    let rotation = rest.attitude(Bow::PlusX).rotation(Bow::PlusX);
                    let pose = Pose::new(rotation, DVec3::new(3.0, -rest.immersion.level, -1.0));
                    close(name, body.at_pose(&pose, 0.0, rest.hold).volume, loading.volume(), 1e-9 * body.solid().volume);
                    let (up, tilt) = (rest.immersion.up, 2e-3);
                    for turn in 0..8 {
                        let side = glam::DQuat::from_axis_angle(up, f64::from(turn)) * up.any_orthonormal_vector();
                        let near = body.sunk((up + tilt * side).normalize(), loading.volume(), rest.hold).unwrap();
                        let rise = near.energy(loading.center_of_gravity) - rest.energy;
                        assert!(rise > -1e-6 * size * tilt, "{name}, {density} kg/m³: {rise:e}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_lever_is_the_slope_of_the_energy() {
    let mut random = random_numbers(2);
    for name in ["boat", "torus", "statue"] {
        let body = hull(&sample(name));
        let loading = homogeneous(&body, 400.0);
        for _ in 0..10 {
            let up = DVec3::new(random() - 0.5, random() - 0.5, random() - 0.5).normalize();
            let here = body.sunk(up, loading.volume(), Hold::Flooded).unwrap();
            let lever = here.lever(loading.center_of_gravity);
            let (side, tilt) = (lever.normalize(), 1e-4);
            let energy = |tilt: f64| {
                let up = (up * tilt.cos() + side * tilt.sin()).normalize();
                body.sunk(up, loading.volume(), Hold::Flooded).unwrap().energy(loading.center_of_gravity)
            };
            let slope = (energy(tilt) - energy(-tilt)) / (2.0 * tilt);
            close(name, slope, lever.length(), 1e-4 * lever.length() + 1e-6 * body.diagonal());
        }
    }
}

#[test]
fn an_eccentric_weight_heels_a_box_until_the_moments_balance() {
    let body = hull(&cuboid(DVec3::new(-2.0, 0.0, -0.5), DVec3::new(2.0, 0.6, 0.5)));
    let loading = Loading { mass: 800.0, center_of_gravity: DVec3::new(0.1, 0.2, 0.02), water_density: WATER };
    let rest = from(&body, &loading, Attitude::UPRIGHT);
    // With t = tan φ and u = tan θ of a wall-sided box: B = (x, y, z) = (−BM_L u', T/2 + …, BM_T t'), solved along the vertical.
    let (draft, n) = (0.2, rest.immersion.up);
    let (t, u) = (-n.z / n.y, -n.x / n.y);
    let (bm_t, bm_l) = (1.0 / (12.0 * draft), 16.0 / (12.0 * draft));
    let b = DVec3::new(bm_l * u, 0.5 * draft + 0.5 * (bm_t * t * t + bm_l * u * u), bm_t * t);
    assert!(rest.immersion.center_of_buoyancy.distance(b) < 1e-10);
    assert!((loading.center_of_gravity - b).cross(n).length() < 1e-10, "not in line");
    let attitude = rest.attitude(Bow::PlusX);
    assert!(attitude.heel > 0.05 && attitude.trim < -0.005, "starboard and bow down: {attitude:?}");
}

#[test]
fn a_vessel_floats_by_its_hold_or_sinks() {
    let body = hull(&vessel(DVec3::new(-2.0, 0.0, -1.0), DVec3::new(2.0, 1.0, 1.0), 0.05));
    let steel = |mass: f64, height: f64| Loading { mass, center_of_gravity: DVec3::new(0.0, height, 0.0), water_density: WATER };
    let rest = from(&body, &steel(4000.0, 0.3), Attitude::new(0.2, 0.1));
    close("draft", rest.immersion.draft, 0.5, 1e-11);
    assert!(rest.immersion.dry_volume > 3.0 && rest.hold == Hold::Dry);
    // Its material displaces 0.75 m³.
    let error = Equilibrium::from(&body, &steel(8100.0, 0.3), Attitude::UPRIGHT, Bow::PlusX, Hold::Dry).unwrap_err();
    assert!(matches!(error, HydrostaticsError::Sinks { .. }), "{error}");
    // Top-heavy: it heels until the rim is under water, and sinks.
    let top_heavy = steel(4000.0, 1.2);
    let upright = from(&body, &top_heavy, Attitude::UPRIGHT);
    assert_eq!(upright.stability(), Stability::Unstable);
    let error = upright.settle(&body, &top_heavy, Bow::PlusX).unwrap_err();
    let HydrostaticsError::Founders { heel, trim } = error else { panic!("{error}") };
    // Half a meter of freeboard; the inner edge of the wall is 0.95 m from the middle.
    close("heel", heel.abs(), (0.5_f64 / 0.95).atan().to_degrees(), 0.1);
    close("trim", trim, 0.0, 0.1);
    // Of wood, it stays afloat.
    let wood = Loading { mass: 500.0 * body.solid().volume, center_of_gravity: DVec3::new(0.0, 6.5, 0.0), water_density: WATER };
    let swamped = from(&body, &wood, Attitude::new(0.05, 0.0));
    assert!(swamped.immersion.up.y < 0.0, "it turns over: {swamped:?}");
    assert_eq!(swamped.stability(), Stability::Stable);
}

#[test]
fn a_triangular_prism_floats_as_archimedes_found() {
    // A wedge with its apex down: s = (T/H)², stable if (B/2H)² > (1 − √s) / √s.
    for (half_breadth, stable) in [(0.9_f64, true), (0.5, false)] {
        let outline = [DVec2::new(0.0, 0.0), DVec2::new(1.0, -half_breadth), DVec2::new(1.0, half_breadth)].map(|p| DVec2::new(p.x, -p.y));
        let mesh: TriangleMesh = super::bodies::oriented(prism(&outline, 6.0));
        let body = hull(&mesh);
        let ratio = 0.36_f64;
        let rest = from(&body, &homogeneous(&body, WATER * ratio), Attitude::UPRIGHT);
        close("draft", rest.immersion.draft, ratio.sqrt(), 1e-11);
        // BM = ⅔ b² T / H² and KB = ⅔ T, KG = ⅔ H.
        let expected = 2.0 / 3.0 * (half_breadth.powi(2) * 0.6 + 0.6 - 1.0);
        close("GM_T", rest.metacentric_heights[0], expected, 1e-11);
        assert_eq!(rest.stability() == Stability::Stable, stable);
    }
}
