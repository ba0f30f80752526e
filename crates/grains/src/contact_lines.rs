//! The contacts of a frame as lines of force: from grain to grain, and from grains to their contact points on walls.

use glam::DVec3;
use plimsoll_contract::frame::{ContactFrame, Field};

use super::simulation::GrainsSimulation;

/// Marks a wall in place of a grain id.
pub const WALL: u32 = u32::MAX;

/// One contact.
#[derive(Clone, Copy)]
struct Line {
    /// The lower grain id, then the higher one or [`WALL`].
    ids: [u32; 2],
    /// End points, m.
    ends: [DVec3; 2],
    /// Force on the first end, N.
    force: DVec3,
}

impl Line {
    fn between_grains(ids: [u32; 2], from: DVec3, offset: DVec3, force: DVec3) -> Self {
        let line = Self { ids, ends: [from, from + offset], force };
        let [first, second] = line.ids;
        let [begin, end] = line.ends;
        if first < second { line } else { Self { ids: [second, first], ends: [end, begin], force: -force } }
    }

    /// Normal force, N; positive if it pushes the ends apart.
    fn normal_force(&self) -> f64 {
        self.force.dot((self.ends[0] - self.ends[1]).normalize_or_zero())
    }
}

impl GrainsSimulation {
    /// All contacts, sorted by the ids of their grains.
    pub(super) fn contact_frame(&self) -> ContactFrame {
        let grains = &self.grains;
        let (contacts, context) = self.contacts();
        let between = contacts.touching(grains, context).map(|([first, second], offset, force)| {
            Line::between_grains([grains.ids[first], grains.ids[second]], grains.spheres[first].center, offset, force)
        });
        let on_walls = self.walls.sides.iter().flat_map(|side| {
            let (id, center) = (grains.ids[side.grain as usize], grains.spheres[side.grain as usize].center);
            side.contacts.iter().map(move |contact| Line { ids: [id, WALL], ends: [center, contact.point], force: contact.force })
        });
        let mut lines: Vec<Line> = between.chain(on_walls).collect();
        lines.sort_by_key(|line| line.ids);
        let ids = |end: usize| lines.iter().map(|line| line.ids[end]).collect();
        ContactFrame {
            ends: lines.iter().map(|line| line.ends.map(|end| end.as_vec3().to_array())).collect(),
            fields: vec![
                Field::integers("first", ids(0)),
                Field::integers("second", ids(1)),
                Field::vectors("force", lines.iter().map(|line| line.force.as_vec3().to_array()).collect()),
                Field::scalars("normal_force", lines.iter().map(|line| line.normal_force() as f32).collect()),
            ],
        }
    }
}
