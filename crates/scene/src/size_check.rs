//! Bodies whose size does not fit the rest of the scene, probably because their mesh has another unit than the meter.

use glam::DVec3;
use plimsoll_base::math::{Aabb, format::significant};
use plimsoll_fluid::FluidSettings;
use plimsoll_grains::GrainsSettings;

use super::{body::PlacedBody, read::Table};

/// Ratio of sizes above which two of them probably have different units.
const MOST: f64 = 50.0;

/// Meters per unit of a file in millimeters.
const MILLIMETER: f64 = 1e-3;

/// What moves around the bodies of a scene.
pub(super) struct Extent {
    /// Its name in messages.
    name: &'static str,
    /// Largest extent, m.
    size: f64,
    /// Diameter of the smallest particle, m.
    diameter: f64,
}

impl Extent {
    /// The fluid with what flows in between two `times` (s), if there is any.
    pub fn of_fluid(settings: &FluidSettings, times: [f64; 2]) -> Option<Self> {
        let fills = settings.fills.iter().map(|fill| fill.shape.aabb());
        let mouths = settings.emitters.iter().map(|emitter| Aabb::around([emitter.position]));
        let whole = fills.chain(mouths).fold(Aabb::EMPTY, Aabb::union);
        let emitted: f64 = settings.emitters.iter().map(|emitter| emitter.volume(times)).sum();
        let size = whole.extent().max_element().max(emitted.cbrt());
        (!whole.is_empty() && size > 0.0).then_some(Self { name: "the fluid", size, diameter: 2.0 * settings.particle_radius })
    }

    /// The box of grains.
    pub fn of_grains(settings: &GrainsSettings) -> Option<Self> {
        let radii = settings.groups.iter().map(|group| group.sizes.range().0).chain(settings.placed.iter().map(|grain| grain.radius));
        let smallest = radii.fold(f64::INFINITY, f64::min);
        smallest.is_finite().then(|| Self { name: "the box of grains", size: settings.domain.size.max_element(), diameter: 2.0 * smallest })
    }

    /// What is odd about a body this large (m) with this `scale`, and the scale with which the unit is a thousand times smaller or larger; `None` if its size fits.
    fn remark(&self, size: f64, scale: DVec3) -> Option<String> {
        let ratio = size / self.size;
        let (found, factor) = if ratio > MOST {
            (format!("{} times as large as {}, which is {} m", significant(ratio), self.name, significant(self.size)), MILLIMETER)
        } else if ratio < 1.0 / MOST && size < self.diameter {
            let particle = format!("smaller than a particle, whose diameter is {} m", significant(self.diameter));
            (particle, 1.0 / MILLIMETER)
        } else {
            return None;
        };
        let fitting = factor * scale;
        let same = fitting == DVec3::splat(fitting.x);
        let numbers = fitting.to_array().map(significant);
        let fitting = if same { numbers[0].clone() } else { format!("[{}]", numbers.join(", ")) };
        let text = format!(
            "{} m across, {found}: is it in meters? `scale = {fitting}` makes it {} m",
            significant(size),
            significant(size * factor)
        );
        Some(text)
    }
}

/// Warns of bodies that are far larger than what is around them, or smaller than a particle, and records it for messages about their consequences.
pub(super) fn check(root: &Table, extent: Option<&Extent>, bodies: &mut [PlacedBody]) {
    let Some(extent) = extent else { return };
    for body in bodies {
        let size = body.start_mesh().aabb().extent().max_element();
        let Some(remark) = extent.remark(size, body.mesh_file.options.scale) else { continue };
        root.document.warn(body.line, &body.key, &format!("this body is {remark}"));
        body.size_hint = Some(format!("body \"{}\" is {remark}", body.definition.name));
    }
}
