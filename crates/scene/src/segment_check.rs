//! Checks that meshes can be cut into segments with reasonable memory.

use plimsoll_base::math::{Domain, format::grouped};
use plimsoll_bodies::limits_of;
use plimsoll_shape::{SegmentLimits, Segmentation};

use super::{body::PlacedBody, read::Document};

/// Maximum number of pieces of a body's triangles: these take 800 MB.
const MAX_PIECES: usize = 4_000_000;

/// Reports bodies whose triangles are so large against the particles that cutting them would take too much memory.
pub(super) fn check<'b>(document: &Document, limits: &SegmentLimits, domain: &Domain, bodies: impl Iterator<Item = &'b PlacedBody>) {
    for body in bodies {
        let definition = &body.definition;
        let limits = limits_of(&definition.kind, &definition.pose, limits, domain);
        if !Segmentation::exceeds(&definition.mesh, &limits, MAX_PIECES) {
            continue;
        }
        let (count, most) = (grouped(definition.mesh.triangles.len() as u64), grouped(MAX_PIECES as u64));
        let found = format!(
            "{count} triangles in a box of {:.4} m, which pieces of {:.4} m divide into more than {most}",
            definition.mesh.aabb().extent().max_element(),
            limits.flat_size
        );
        let expected = "a smaller mesh, or larger particles".to_owned();
        document.report_with_hint(body.line, &format!("{}.mesh", body.key), (found, expected), body.size_hint.clone());
    }
}
