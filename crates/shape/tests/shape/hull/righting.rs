//! Righting arms.

use std::f64::consts::PI;

use glam::DVec3;
use plimsoll_shape::hydrostatics::{Bow, Hold, Hull, Loading, RightingCurve, RightingPoint, TrimMode};

use super::{
    bodies::{cuboid, hull, sample, vessel},
    close,
};

const WATER: f64 = 1000.0;

fn curve(body: &Hull, loading: &Loading, trim: TrimMode) -> RightingCurve {
    RightingCurve::of(body, loading, Bow::PlusX, trim, Hold::Dry)
}

/// 6 m long, 1 m wide, 0.8 m deep, with a draft of 0.3 m.
fn barge(height_of_gravity: f64) -> (Hull, Loading) {
    let body = hull(&cuboid(DVec3::new(-3.0, 0.0, -0.5), DVec3::new(3.0, 0.8, 0.5)));
    (body, Loading { mass: 1800.0, center_of_gravity: DVec3::new(0.0, height_of_gravity, 0.0), water_density: WATER })
}

#[test]
fn a_wall_sided_body_follows_the_formula_until_an_edge_passes_the_water() {
    let (body, loading) = barge(0.35);
    let (bm, gm) = (1.0 / 3.6, 0.15 + 1.0 / 3.6 - 0.35);
    for trim in [TrimMode::Free, TrimMode::Fixed(0.0)] {
        let curve = curve(&body, &loading, trim);
        let (mut within, mut beyond) = (0, 0);
        for point in &curve.points {
            let heel = point.attitude.heel;
            // The bilge comes out of the water when ½ tan φ = 0.3.
            if heel.tan() < 0.6 && heel < 1.0 {
                let t = heel.tan();
                close("GZ", point.arm, heel.sin() * (gm + 0.5 * bm * t * t), 1e-12);
                within += 1;
            } else if (0.6..0.9).contains(&heel) {
                let t = heel.tan();
                assert!((point.arm - heel.sin() * (gm + 0.5 * bm * t * t)).abs() > 1e-6);
                beyond += 1;
            }
            close("trim", point.attitude.trim, 0.0, 1e-9);
            close("volume", point.immersion.volume, 1.8, 1e-11);
        }
        assert_eq!((within, beyond, curve.points.len()), (31, 17, 181));
    }
}

/// Area under the righting arms themselves, by the trapezoidal rule.
fn trapezoids(points: &[RightingPoint]) -> f64 {
    points.windows(2).map(|pair| 0.5 * (pair[0].arm + pair[1].arm) * (pair[1].attitude.heel - pair[0].attitude.heel)).sum()
}

#[test]
fn the_area_is_the_potential_energy() {
    for (body, loading) in [barge(0.35), barge(0.6)] {
        let curve = curve(&body, &loading, TrimMode::Fixed(0.0));
        for degrees in [10, 30, 40, 75, 120, 180] {
            let last = curve.points[degrees];
            let energy = last.energy - curve.points[0].energy;
            let area = trapezoids(&curve.points[..=degrees]);
            close("energy", energy, area, 5e-5);
            close("area", curve.area(last.attitude.heel).unwrap(), energy, 1e-14);
        }
        let between = curve.area(35.25_f64.to_radians()).unwrap();
        close(
            "between points",
            between,
            0.75 * curve.area(curve.points[35].attitude.heel).unwrap() + 0.25 * curve.area(curve.points[36].attitude.heel).unwrap(),
            1e-5,
        );
        assert_eq!(curve.area(4.0), None);
    }
    // With trim: dE = cos θ GZ dφ.
    let (body, loading) = barge(0.3);
    let loading = Loading { center_of_gravity: DVec3::new(0.4, 0.3, 0.03), ..loading };
    for trim in [TrimMode::Fixed(0.2), TrimMode::Free] {
        let curve = curve(&body, &loading, trim);
        assert!(curve.points[20].attitude.trim.abs() > 0.02);
        for last in [20, 45, 90] {
            close("area", curve.area(curve.points[last].attitude.heel).unwrap(), trapezoids(&curve.points[..=last]), 5e-5);
        }
    }
}

#[test]
fn a_ball_with_a_low_center_of_gravity_has_a_sine() {
    let body = hull(&sample("sphere"));
    let loading = Loading { mass: 200.0, center_of_gravity: DVec3::new(0.0, -0.1, 0.0), water_density: WATER };
    let curve = curve(&body, &loading, TrimMode::Fixed(0.0));
    for point in &curve.points {
        close("GZ", point.arm, 0.1 * point.attitude.heel.sin(), 5e-4);
    }
    let maximum = curve.maximum.unwrap();
    close("maximum", maximum.arm, 0.1, 5e-4);
    close("its heel", maximum.attitude.heel, 0.5 * PI, 0.05);
    assert!(curve.vanishing.is_none_or(|heel| heel > 3.1) && curve.loll.is_none() && curve.downflooding.is_none());
    close("area", curve.area(PI).unwrap(), 0.2, 1e-3);
}

#[test]
fn the_vanishing_angle_and_the_maximum_are_those_of_the_curve() {
    let (body, loading) = barge(0.45);
    let curve = curve(&body, &loading, TrimMode::Free);
    let vanishing = curve.vanishing.unwrap();
    // GM is negative; GM + ½ BM tan² φ = 0.
    let (gm, bm): (f64, f64) = (0.15 + 1.0 / 3.6 - 0.45, 1.0 / 3.6);
    let loll = curve.loll.unwrap();
    close("loll", loll, (-2.0 * gm / bm).sqrt().atan(), 1e-8);
    assert!(loll < vanishing && vanishing < PI);
    let maximum = curve.maximum.unwrap();
    assert!(loll < maximum.attitude.heel && maximum.attitude.heel < vanishing);
    for point in &curve.points {
        let heel = point.attitude.heel;
        if heel > loll && heel < vanishing {
            assert!(point.arm > 0.0 && point.arm <= maximum.arm, "{heel}");
        } else if heel > 1e-9 && heel < loll {
            assert!(point.arm < 0.0);
        }
    }
    let beyond = curve.points.iter().find(|point| point.attitude.heel > vanishing).unwrap();
    assert!(beyond.arm < 0.0);
}

#[test]
fn a_trimming_body_has_no_longitudinal_lever() {
    let body = hull(&sample("boat"));
    let loading = Loading { mass: 6.0, center_of_gravity: DVec3::new(0.02, 0.08, 0.0), water_density: WATER };
    let (free, fixed) = (curve(&body, &loading, TrimMode::Free), curve(&body, &loading, TrimMode::Fixed(0.0)));
    for (free, fixed) in free.points.iter().zip(&fixed.points).take(40) {
        let along = free.attitude.along(Bow::PlusX);
        close("lever", free.immersion.lever(loading.center_of_gravity).dot(along), 0.0, 1e-9);
        assert!(free.energy <= fixed.energy + 1e-12, "trimming costs no energy");
    }
    assert!(free.points[20].attitude.trim.abs() > 1e-3);
}

#[test]
fn an_open_vessel_floods_when_its_rim_is_under_water() {
    let body = hull(&vessel(DVec3::new(-4.0, 0.0, -1.0), DVec3::new(4.0, 1.0, 1.0), 0.05));
    let loading = |mass: f64| Loading { mass, center_of_gravity: DVec3::new(0.0, 0.4, 0.0), water_density: WATER };
    let steel = curve(&body, &loading(0.6 * 16.0 * WATER), TrimMode::Free);
    // The outer edge has a freeboard of 0.4 m at 1 m from the middle; the bilge is still under water.
    let rim = steel.downflooding.unwrap();
    // The wall is 5 cm thick; it takes some more heel until its inner edge is under water.
    assert!(rim > 0.4_f64.atan() && rim < (0.4_f64 / 0.95).atan(), "{rim}");
    let last = steel.points.last().unwrap();
    close("the curve ends", last.attitude.heel, rim, 1e-12);
    assert!(last.arm > 0.0 && steel.vanishing.is_none());
    close("exactly at the rim", last.immersion.up.dot(DVec3::new(0.0, 1.0, 0.95)) - last.immersion.level, 0.0, 1e-8);
    // Wood goes on, flooded.
    let wood = curve(&body, &loading(500.0 * body.solid().volume), TrimMode::Free);
    let rim = wood.downflooding.unwrap();
    assert_eq!(wood.points.len(), 182);
    let flooded = wood.points.iter().position(|point| point.attitude.heel > rim).unwrap();
    let [before, after] = [flooded - 1, flooded].map(|k| wood.points[k]);
    let step = wood.area(after.attitude.heel).unwrap() - wood.area(before.attitude.heel).unwrap();
    close("area after flooding", step, after.arm * (after.attitude.heel - before.attitude.heel), 1e-12);
    for point in &wood.points {
        assert_eq!(point.immersion.dry_volume > 0.0, point.attitude.heel <= rim, "{}", point.attitude.heel.to_degrees());
    }
}
