//! Warnings of what is valid but away from the fluid: bodies, fills, probes, damping zones, moorings, and paddles that do not fit the fluid.

use glam::DVec3;
use plimsoll_base::math::{Aabb, format::significant};
use plimsoll_bodies::{BodyKind, MooringDefinition, PrescribedMotion, waves::WaveMaker};
use plimsoll_fluid::{
    FluidSettings,
    probes::{Probe, ProbeKind},
};

use super::basin::{Basin, in_words, share};
use crate::{body::PlacedBody, read::Table};

/// Waves lower than this many particle diameters lose height as they travel.
const LEAST_WAVE: f64 = 8.0;
/// Share of the depth by which the depth of a paddle may differ from that of the fluid.
const DEPTH_TOLERANCE: f64 = 0.05;
/// Distance of an attachment from the box around its body, as a share of the diagonal of that box: arms are shorter.
const LONGEST_ARM: f64 = 0.25;

/// Warns of everything in a scene that begins with its own fluid.
pub(crate) fn warn_of_places<'s>(root: &'s Table<'s>, settings: &'s FluidSettings, bodies: &'s [PlacedBody]) {
    let basin = Basin::new(settings, bodies, root.document.origin.get());
    if basin.whole.is_empty() {
        return;
    }
    let check = PlaceCheck { root, settings, basin, bodies };
    check.check_bodies();
    check.check_fills();
    check.check_probes();
    check.check_damping_zones();
    check.check_moorings();
    check.check_paddles();
}

struct PlaceCheck<'s> {
    root: &'s Table<'s>,
    settings: &'s FluidSettings,
    basin: Basin,
    bodies: &'s [PlacedBody],
}

impl PlaceCheck<'_> {
    fn diameter(&self) -> f64 {
        2.0 * self.settings.particle_radius
    }

    fn basin_in_words(&self) -> String {
        format!("the fluid and the bodies that hold it, which are {}", self.basin.extent(&self.basin.whole))
    }

    /// Floating bodies beside or below everything else. Without other bodies, all fall.
    fn check_bodies(&self) {
        if self.basin.walls.is_empty() {
            return;
        }
        let jointed = self.settings.mechanism.joints.iter().flat_map(|joint| [Some(joint.body), joint.other]).flatten().collect::<Vec<_>>();
        let reach = self.basin.open_above(self.basin.around(self.basin.whole, 0.0));
        for (index, body) in self.bodies.iter().enumerate().filter(|(index, body)| body.is_floating() && !jointed.contains(index)) {
            let aabb = body.aabb();
            if !reach.overlaps(&aabb) {
                let text = format!("this body is {}, outside {}", self.basin.extent(&aabb), self.basin_in_words());
                self.root.warn_of(&format!("body[{}].position", index + 1), &format!("{}.position", body.key), &text);
            }
        }
    }

    /// Fills that no body holds.
    fn check_fills(&self) {
        let walls = self.basin.walls;
        if walls.is_empty() || self.settings.gravity == DVec3::ZERO {
            return;
        }
        let limits = self.basin.open_above(self.basin.around(walls, self.diameter()));
        for (index, fill) in self.basin.fills.iter().enumerate() {
            if fill.min.cmplt(limits.min).any() || fill.max.cmpgt(limits.max).any() {
                let found = format!("this fill is {}, and the bodies are {}", self.basin.extent(fill), self.basin.extent(&walls));
                let key = format!("fluid.fill[{}]", index + 1);
                self.root.warn_of(&key, &key, &format!("{found}: fluid beyond them falls past them"));
            }
        }
    }

    /// Probes where no fluid comes. Without bodies, it may come anywhere.
    fn check_probes(&self) {
        if self.basin.walls.is_empty() {
            return;
        }
        let near = self.basin.around(self.basin.whole, self.diameter());
        // Jets rise.
        let near = if self.settings.emitters.is_empty() { near } else { self.basin.open_above(near) };
        for (index, Probe { name, kind, .. }) in self.settings.probes.iter().enumerate() {
            let Some((key, place)) = place_of(kind) else { continue };
            let limits = if matches!(kind, ProbeKind::Height(_)) { self.basin.column(near) } else { near };
            if !limits.overlaps(&place) {
                let found = if place.min == place.max { self.basin.place(place.min) } else { self.basin.extent(&place) };
                let text = format!("{found} is outside {}", self.basin_in_words());
                self.root.warn_of(&format!("probe[{}].{key}", index + 1), &format!("probe \"{name}\".{key}"), &text);
            }
        }
    }

    fn check_damping_zones(&self) {
        for (index, zone) in self.settings.damping_zones.iter().enumerate() {
            if !share(&self.basin.around(self.basin.whole, 0.0), &zone.region, 0.0) {
                let key = format!("fluid.damping_zone[{}].box", index + 1);
                let text = format!("{} is outside {}", self.basin.extent(&zone.region), self.basin_in_words());
                self.root.warn_of(&key, &key, &text);
            }
        }
    }

    /// Moorings attached far from their bodies.
    fn check_moorings(&self) {
        for (index, MooringDefinition { name, body, attachment, .. }) in self.settings.mechanism.moorings.iter().enumerate() {
            let body = &self.bodies[*body];
            let aabb = body.aabb();
            let distance = aabb.distance_squared(*attachment).sqrt();
            if distance > LONGEST_ARM * aabb.extent().length() {
                let text = format!(
                    "{} is {} m away from body \"{}\", which is {}",
                    self.basin.place(*attachment),
                    significant(distance),
                    body.definition.name,
                    self.basin.extent(&aabb)
                );
                self.root.warn_of(&format!("mooring[{}].attachment", index + 1), &format!("mooring \"{name}\".attachment"), &text);
            }
        }
    }

    fn check_paddles(&self) {
        for (index, body) in self.bodies.iter().enumerate() {
            if let BodyKind::Moving(motion) = &body.definition.kind
                && let PrescribedMotion::Waves(maker) = motion.rigid()
            {
                self.check_paddle(index, body, maker);
            }
        }
    }

    fn check_paddle(&self, index: usize, body: &PlacedBody, maker: &WaveMaker) {
        let warn = |key: &str, text: String| {
            self.root.warn_of(&format!("body[{}].motion.{key}", index + 1), &format!("{}.motion.{key}", body.key), &text);
        };
        let (height, diameter) = (maker.waves().height(), self.diameter());
        if height < LEAST_WAVE * diameter {
            warn(
                "height",
                format!(
                    "{} m are {} particle diameters: waves lower than {LEAST_WAVE} lose height as they travel",
                    significant(height),
                    significant(height / diameter)
                ),
            );
        }
        let (aabb, stroke) = (body.aabb(), 2.0 * diameter * maker.direction());
        let swept = aabb.union(aabb.translated(stroke)).union(aabb.translated(-stroke));
        let beside = self.basin.fills.iter().filter(|fill| share(&swept, fill, 0.5 * diameter));
        let fluid = beside.copied().fold(Aabb::EMPTY, Aabb::union);
        if fluid.is_empty() {
            // Fluid may flow to the paddle later.
            if self.settings.emitters.is_empty() {
                let (direction, extent) = (in_words(maker.direction()), self.basin.extent(&aabb));
                warn("direction", format!("{direction}: no fluid is beside the paddle along this direction; the paddle is {extent}"));
            }
            return;
        }
        let depth = maker.dominant().depth;
        if let Some(found) = self.basin.height(&fluid).filter(|found| (found - depth).abs() > diameter.max(DEPTH_TOLERANCE * depth)) {
            warn("depth", format!("{} m: the fluid beside the paddle is {} m deep", significant(depth), significant(found)));
        }
    }
}

/// The key and the place of a probe that measures at a place.
fn place_of(kind: &ProbeKind) -> Option<(&'static str, Aabb)> {
    match kind {
        ProbeKind::Pressure(point) if point.body.is_none() => Some(("position", Aabb::around([point.position]))),
        ProbeKind::Height(gauge) => Some(("position", Aabb::around([gauge.position]))),
        ProbeKind::Velocity(velocities) => {
            let key = if velocities.points.len() == 1 { "position" } else { "from" };
            Some((key, Aabb::around(velocities.points.iter().copied())))
        }
        ProbeKind::Flow(flow) => {
            Some(("corner", Aabb::around([flow.corner, flow.corner + flow.u, flow.corner + flow.v, flow.corner + flow.u + flow.v])))
        }
        ProbeKind::Volume(volume) => Some(("box", volume.region)),
        _ => None,
    }
}
