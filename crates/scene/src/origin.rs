//! The key `origin`, and the check that a scene is near the point that its positions refer to: particles are in single precision.

use glam::DVec3;
use plimsoll_base::math::Aabb;
use plimsoll_fluid::FluidSettings;

use super::{
    body::PlacedBody,
    fill::Place,
    read::{Document, Table},
    simulators::fluid::Places,
};

const ORIGIN: &str = "a position [x, y, z] in m";
/// Resolution of single precision, as a share of the coordinate.
const RESOLUTION: f64 = f32::EPSILON as f64;
/// Maximum resolution of positions, in particle radii. With 0.002 (1 km from the origin, radius 3 cm) a dam break does not differ from one at the origin,
/// with 0.3 seven percent of the particles find no room.
const COARSEST: f64 = 0.02;

/// Reads `origin` and makes all positions relative to it. Only the fluid needs it.
pub(super) fn read(root: &Table, simulator: Option<&str>) {
    match simulator {
        Some(simulator @ ("gas" | "aggregates" | "blocks" | "grains")) => {
            root.misplaced("origin", &format!("with simulator = \"{simulator}\""), "it only with simulator = \"fluid\"");
        }
        _ => root.document.origin.set(root.vector_or("origin", ORIGIN, DVec3::ZERO)),
    }
}

/// Reports fluid and meshes too far away for single precision.
pub(super) fn check(document: &Document, settings: &FluidSettings, places: &Places, bodies: &[PlacedBody]) {
    let farthest = COARSEST * settings.particle_radius / RESOLUTION;
    let emitters = settings.emitters.iter().map(|emitter| Aabb::around([emitter.position]));
    let regions = settings.fills.iter().map(|fill| fill.shape.aabb()).chain(emitters);
    for (region, Place { line, key }) in regions.zip(places.fills.iter().chain(&places.emitters)) {
        let distance = region.min.abs().max(region.max.abs()).max_element();
        if distance > farthest {
            let [x, y, z] = (region.center() + document.origin.get()).round().to_array();
            let expected = format!(
                "at most {farthest:.0} m with this particle_radius: set origin = [{x}, {y}, {z}] at the top of the scene, and positions are relative to it"
            );
            document.report(*line, key, format!("fluid up to {distance:.0} m from the origin"), expected);
            return;
        }
    }
    for body in bodies {
        let distance = body.definition.mesh.aabb().center().abs().max_element();
        if distance > farthest {
            let found = format!("vertices around a point {distance:.0} m from the origin of the mesh");
            let expected = format!("at most {farthest:.0} m with this particle_radius: move the vertices, and give `position` instead");
            document.report(body.line, &format!("{}.mesh", body.key), found, expected);
        }
    }
}
