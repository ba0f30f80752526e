//! Hollows: dry until their rim is under water.

use glam::DVec3;
use plimsoll_shape::{
    TriangleMesh,
    hydrostatics::{Attitude, Bow, Hold},
};

use super::{
    bodies::{cuboid, hull, oriented, sample, shifted, together, vessel},
    close,
};

const THICKNESS: f64 = 0.1;

/// 2 m long, 1 m wide, 0.8 m high.
fn tub() -> TriangleMesh {
    vessel(DVec3::new(-1.0, 0.0, -0.5), DVec3::new(1.0, 0.8, 0.5), THICKNESS)
}

/// Volume of the tub's material below a level between floor and rim.
fn material(level: f64) -> f64 {
    2.0 * level - 1.8 * 0.8 * (level - THICKNESS)
}

fn lump(min: DVec3, edge: f64) -> TriangleMesh {
    cuboid(min, min + edge)
}

#[test]
fn an_open_vessel_displaces_its_hold() {
    let body = hull(&tub());
    let dry = body.at_draft(0.5).unwrap();
    close("volume", dry.volume, 1.0, 1e-14);
    close("dry volume", dry.dry_volume, 1.0 - material(0.5), 1e-14);
    close("waterplane", dry.waterplane.area, 2.0, 1e-14);
    close("second moment", dry.waterplane.second_moment(DVec3::Z), 2.0 / 12.0, 1e-14);
    close("wetted area", dry.wetted_area, 2.0 + 6.0 * 0.5, 1e-14);
    assert!(!dry.flooded);
    let flooded = body.below(DVec3::Y, 0.5, Hold::Flooded);
    close("flooded volume", flooded.volume, material(0.5), 1e-14);
    close("flooded waterplane", flooded.waterplane.area, 2.0 - 1.8 * 0.8, 1e-14);
    close("flooded wetted area", flooded.wetted_area, 2.0 + 6.0 * 0.5 + 1.8 * 0.8 + 5.2 * 0.4, 1e-14);
    // Up to the rim, which is in the plane, and over it.
    let brim = body.below(DVec3::Y, 0.8, Hold::Dry);
    close("volume to the rim", brim.volume, 1.6, 1e-14);
    let sunk = body.below(DVec3::Y, 0.8 + 1e-9, Hold::Dry);
    close("volume over the rim", sunk.volume, material(0.8), 1e-14);
    assert!(sunk.flooded && sunk.dry_volume == 0.0);
    // Heeled, water comes over the inner edge of the rim, which is higher than the outer edge.
    let up = Attitude::new(0.3, 0.0).up(Bow::PlusX);
    let rim = up.dot(DVec3::new(0.0, 0.8, 0.4));
    for (level, dry) in [(rim - 1e-9, true), (rim + 1e-9, false)] {
        let immersion = body.below(up, level, Hold::Dry);
        assert_eq!((immersion.dry_volume > 0.3, immersion.flooded), (dry, !dry), "{immersion:?}");
    }
}

#[test]
fn an_inverted_vessel_is_full_of_water() {
    let inverted = Attitude::new(std::f64::consts::PI, 0.0).up(Bow::PlusX);
    let immersion = hull(&tub()).below(inverted, -0.5, Hold::Dry);
    close("volume", immersion.volume, 0.3 * (2.0 - 1.8 * 0.8), 1e-14);
    assert!(immersion.dry_volume == 0.0 && !immersion.flooded);
}

#[test]
fn of_two_levels_the_lower_one_is_found() {
    // At 1 m³ the tub floats with a dry hold. Its material displaces up to 0.5920 m³, so 0.55 m³ are also displaced if it is flooded.
    let body = hull(&tub());
    for volume in [0.3, 0.55, 1.0, 1.59] {
        let found = body.sunk(DVec3::Y, volume, Hold::Dry).unwrap();
        close("draft", found.draft, 0.5 * volume, 1e-12);
        assert!(found.dry_volume > 0.0 || volume < 0.2);
    }
    assert!(body.sunk(DVec3::Y, 1.61, Hold::Dry).is_none());
    assert!(body.sunk(DVec3::Y, material(0.8) + 1e-6, Hold::Flooded).is_none());
    let awash = body.sunk(DVec3::Y, 0.55, Hold::Flooded).unwrap();
    close("draft awash", material(awash.draft), 0.55, 1e-12);
}

#[test]
fn what_lies_in_a_dry_hold_displaces_nothing() {
    let alone = hull(&tub()).at_draft(0.5).unwrap();
    let at = |min: DVec3, edge: f64| hull(&oriented(together(&[tub(), lump(min, edge)]))).at_draft(0.5).unwrap();
    // Below the waterline in the hold; reaching up to it; over it; and in the wall, as benches are modelled.
    for (what, min, edge) in [
        ("below", DVec3::new(0.0, 0.2, 0.0), 0.2),
        ("up to", DVec3::new(0.0, 0.25, 0.0), 0.25),
        ("over", DVec3::new(0.0, 0.2, 0.0), 0.5),
        ("in the wall", DVec3::new(0.0, 0.2, 0.3), 0.15),
    ] {
        let loaded = at(min, edge);
        close(what, loaded.volume, alone.volume, 1e-12);
        close(what, loaded.waterplane.area, alone.waterplane.area, 1e-12);
    }
    // Outside it displaces water.
    for (what, min, edge, volume) in [
        ("below", DVec3::new(0.0, 0.1, 0.7), 0.2, 0.2_f64.powi(3)),
        ("up to", DVec3::new(0.0, 0.25, 0.7), 0.25, 0.25_f64.powi(3)),
        ("over", DVec3::new(0.0, 0.2, 0.7), 0.5, 0.25 * 0.3),
        ("under the keel", DVec3::new(0.0, -0.3, 0.0), 0.2, 0.2_f64.powi(3)),
    ] {
        // The draft is that of the lowest point.
        let mesh = oriented(together(&[tub(), lump(min, edge)]));
        let loaded = hull(&mesh).below(DVec3::Y, 0.5, Hold::Dry);
        close(what, loaded.volume, alone.volume + volume, 1e-12);
    }
    // A tip exactly in the plane makes neither a hole nor an island.
    let mut tip = lump(DVec3::new(0.0, 0.1, 0.7), 0.2);
    let top = tip.vertices.iter().position(|vertex| vertex.y > 0.2).unwrap();
    tip.vertices[top].y = 0.5;
    let volume = hull(&tip).solid().volume;
    for shift in [0.0, 1e-16, -1e-16, 1e-13] {
        let loaded = hull(&together(&[tub(), shifted(&tip, DVec3::Y * shift)])).below(DVec3::Y, 0.5, Hold::Dry);
        close("tip", loaded.volume, alone.volume + volume, 1e-12);
    }
}

#[test]
fn vessels_in_vessels() {
    let small = vessel(DVec3::new(-0.5, 0.15, -0.3), DVec3::new(0.5, 0.7, 0.3), 0.05);
    let body = hull(&oriented(together(&[tub(), small.clone()])));
    let immersion = body.at_draft(0.5).unwrap();
    close("volume", immersion.volume, 1.0, 1e-12);
    // Side by side they are two bodies.
    let beside = shifted(&small, DVec3::new(0.0, 0.0, 2.0));
    let immersion = hull(&oriented(together(&[tub(), beside]))).at_draft(0.5).unwrap();
    close("volume", immersion.volume, 1.0 + 0.35 * 0.6, 1e-12);
    close("waterplane", immersion.waterplane.area, 2.0 + 0.6, 1e-12);
}

#[test]
fn sealed_cavities_are_dry_wherever_the_plane_is() {
    let outer = cuboid(DVec3::ZERO, DVec3::new(2.0, 1.0, 1.0));
    let mut inner = cuboid(DVec3::splat(0.2), DVec3::new(1.8, 0.8, 0.8));
    inner.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    let engine = lump(DVec3::splat(0.4), 0.2);
    let hollow = hull(&oriented(together(&[outer.clone(), inner, engine])));
    for draft in [0.1, 0.3, 0.5, 0.7, 0.9] {
        let (found, expected) = (hollow.at_draft(draft).unwrap(), hull(&outer).at_draft(draft).unwrap());
        close("volume", found.volume, expected.volume, 1e-14);
        close("waterplane", found.waterplane.area, expected.waterplane.area, 1e-14);
        close("wetted area", found.wetted_area, expected.wetted_area, 1e-14);
    }
    close("material", hollow.solid().volume, 2.0 - 1.6 * 0.36 + 0.008, 1e-14);
}

#[test]
fn the_boat_is_dry_until_its_gunwale_is_under_water() {
    let body = hull(&sample("boat"));
    for draft in [0.05, 0.12, 0.19] {
        let immersion = body.at_draft(draft).unwrap();
        assert!(!immersion.flooded && immersion.dry_volume > 0.0, "{immersion:?}");
    }
    // The lowest point of the gunwale is 0.2 m over the keel.
    close("dry to the gunwale", body.at_draft(0.2).unwrap().dry_volume, 0.0393, 1e-3);
    assert_eq!(body.hold(&body.at_draft(0.1).unwrap()), Hold::Dry);
    let awash = body.at_draft(0.201).unwrap();
    assert_eq!(body.hold(&awash), Hold::Flooded);
    assert!(awash.flooded && awash.dry_volume == 0.0 && awash.volume < 0.0124, "{awash:?}");
}
