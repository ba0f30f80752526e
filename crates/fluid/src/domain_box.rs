//! The box in which a simulation takes place, and what happens to fluid and floating bodies outside it.

use glam::{BVec3, DVec3};
use plimsoll_base::math::{Aabb, Domain, format::list};
use plimsoll_contract::simulator::Fact;
use serde::{Deserialize, Serialize};

/// The box in which a simulation takes place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DomainBox {
    /// World coordinates, m. Along periodic axes it has no ends.
    pub region: Aabb,
    /// What happens outside.
    pub outside: Outside,
}

/// What happens to fluid and floating bodies outside the domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outside {
    /// Particles are removed at the beginning of the next step, as by a drain. Bodies stay.
    Remove,
    /// They are counted and stay.
    Report,
    /// The simulation ends with an error.
    End,
}

impl DomainBox {
    /// Whether `point` (m) is in the box, in a space with the periodic axes of `domain`.
    pub fn contains(&self, point: DVec3, domain: &Domain) -> bool {
        let Aabb { min, max } = self.region;
        (point.cmpge(min) & point.cmple(max) | BVec3::from_array(domain.periodic)).all()
    }

    /// What `check` prints, in the coordinates of the scene, whose origin is at `origin` (m).
    pub(super) fn describe(&self, origin: DVec3) -> Fact {
        let Aabb { min, max } = self.region;
        let then = match self.outside {
            Outside::Remove => "fluid that leaves it is removed",
            Outside::Report => "fluid and bodies that leave it are reported",
            Outside::End => "the run ends when fluid or a body leaves it",
        };
        Fact::new("domain", format!("from {} to {}: {then}", list(min + origin), list(max + origin)))
    }
}
