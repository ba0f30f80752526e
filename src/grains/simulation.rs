//! Grains as a run sees them: steps from frame to frame, frames, tables.

use glam::DVec3;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{
    contacts::{Contacts, Surroundings},
    ensemble::{Exchange, Grains},
    law::Law,
    placement,
    record::{Counts, Stage},
    settings::{GrainsError, GrainsSettings, SearchMethod},
    step,
    walls::{BOX, Walls},
};
use crate::{
    bodies::{Bodies, Body, BodyDefinition, Impulse},
    search::octree::{LevelChoice, LevelPlan, Octree},
    shape::SegmentLimits,
    timing::StageTimes,
};

/// Steps taken at once, times grains: about a second of work, so that a run can be interrupted and saved between frames.
pub(super) const BATCH: usize = 4_000_000;
/// Size of a segment of a body, in largest diameters, and its triangles at most.
const SEGMENT_SIZE: f64 = 4.0;
const SEGMENT_TRIANGLES: usize = 8;

/// Grains and bodies with what is recorded of them. Serialised, it is a checkpoint.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct GrainsSimulation {
    pub(super) settings: GrainsSettings,
    pub(super) grains: Grains,
    pub(super) contacts: Contacts,
    pub(super) walls: Walls,
    pub(super) bodies: Bodies,
    /// Force and torque of the grains on each body.
    pub(super) loads: Vec<Impulse>,
    pub(super) time: f64,
    pub(super) steps: u64,
    /// Of the last step, seconds.
    pub(super) dt: f64,
    pub(super) greatest_step: f64,
    /// How far points of bodies can have moved since the last search, metres.
    pub(super) body_path: f64,
    pub(super) counts: Counts,
    plan: LevelPlan,
    #[serde(skip, default = "Scratch::empty")]
    pub(super) scratch: Scratch,
}

impl Serialize for GrainsSimulation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

/// Rebuilds what is not saved, so that a value that exists is ready to go on.
impl<'de> Deserialize<'de> for GrainsSimulation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut saved = Self::deserialize(deserializer)?;
        let extents = step::prepare_walls(&mut saved.walls, &saved.bodies);
        saved.scratch = Scratch::new(&saved.settings, saved.plan.clone(), extents);
        saved.contacts.index();
        Ok(saved)
    }
}

/// What can be made anew: search structures and the like.
pub struct Scratch {
    pub(super) law: Law,
    pub(super) octree: Octree,
    pub(super) exchange: Exchange,
    pub(super) has_bodies: bool,
    pub(super) extents: Vec<f64>,
    pub(super) times: StageTimes<Stage>,
}

impl Scratch {
    fn new(settings: &GrainsSettings, plan: LevelPlan, extents: Vec<f64>) -> Self {
        Self {
            law: Law::new(settings.law, &settings.materials),
            octree: Octree::new(plan, settings.space),
            exchange: Exchange::default(),
            has_bodies: !extents.is_empty(),
            extents,
            times: StageTimes::default(),
        }
    }

    /// Stands in until a simulation read from a file is restored.
    fn empty() -> Self {
        let space = crate::search::octree::Space { low: DVec3::ZERO, size: DVec3::ONE, periodic: [false; 3], dimension: 3 };
        Self {
            law: Law::new(super::law::ContactLaw::Linear, &[]),
            octree: Octree::new(LevelPlan::default(), space),
            exchange: Exchange::default(),
            has_bodies: false,
            extents: Vec::new(),
            times: StageTimes::default(),
        }
    }
}

impl GrainsSimulation {
    /// Places the grains that `settings` describe among bodies.
    ///
    /// # Errors
    /// If they have no room, or a step is too long.
    pub fn new(settings: GrainsSettings, bodies: Vec<BodyDefinition>) -> Result<Self, GrainsError> {
        let greatest_step = settings.greatest_step()?;
        let size = SEGMENT_SIZE * 2.0 * settings.largest_radius().max(f64::MIN_POSITIVE);
        let bodies = Bodies::new(bodies, SegmentLimits { size, triangles: SEGMENT_TRIANGLES });
        let grains = placement::place(&settings, &bodies.list)?;
        let skin = settings.pair_skin();
        let choice = match settings.search {
            SearchMethod::Octree(choice) => choice,
            SearchMethod::BruteForce => LevelChoice::Levels(1),
        };
        let plan = LevelPlan::new(&grains.spheres, &settings.space, skin, choice);
        let mut walls = Walls::default();
        let extents = step::prepare_walls(&mut walls, &bodies);
        let scratch = Scratch::new(&settings, plan.clone(), extents);
        let loads = vec![Impulse::default(); bodies.list.len()];
        let mut simulation = Self {
            settings,
            grains,
            contacts: Contacts::default(),
            walls,
            bodies,
            loads,
            time: 0.0,
            steps: 0,
            dt: 0.0,
            greatest_step,
            body_path: 0.0,
            counts: Counts::default(),
            plan,
            scratch,
        };
        simulation.search();
        simulation.react(0.0);
        Ok(simulation)
    }

    pub(super) fn step_towards(&mut self, until: f64) {
        let left = until - self.time;
        let steps = (left / self.greatest_step * (1.0 - 1e-9)).ceil().max(1.0);
        if steps == 1.0 {
            self.step(left, until);
        } else {
            let dt = left / steps;
            self.step(dt, self.time + dt);
        }
    }

    /// Makes the last body known to search and walls.
    pub(super) fn body_added(&mut self) {
        let Some(body) = self.bodies.list.last() else { return };
        self.walls.add_body(body);
        self.scratch.extents.push(body.extent());
        self.scratch.has_bodies = true;
        self.loads.push(Impulse::default());
        self.search();
    }

    pub fn grains(&self) -> &Grains {
        &self.grains
    }

    pub fn settings(&self) -> &GrainsSettings {
        &self.settings
    }

    pub fn bodies(&self) -> &[Body] {
        &self.bodies.list
    }

    /// The levels of the search.
    pub fn plan(&self) -> &LevelPlan {
        &self.plan
    }

    pub fn octree(&self) -> &Octree {
        &self.scratch.octree
    }

    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The longest step that is taken, seconds.
    pub fn greatest_step(&self) -> f64 {
        self.greatest_step
    }

    /// Pairs of grains in touch.
    pub fn contact_count(&self) -> u64 {
        self.contacts.survey(&self.grains, self.surroundings()).contacts
    }

    /// Touched walls, each grain and face once.
    pub fn wall_contact_count(&self) -> usize {
        self.walls.sides.iter().map(|side| side.contacts.len()).sum()
    }

    /// Force of the walls of the box on the grains, N.
    pub fn box_force(&self) -> DVec3 {
        self.walls.box_force()
    }

    /// Force (N) and torque about its centre (N m) of the grains on each body.
    pub fn body_loads(&self) -> &[Impulse] {
        &self.loads
    }

    /// Bytes held by grains, contacts and search.
    pub fn memory(&self) -> usize {
        self.grains.memory() + self.contacts.memory() + self.scratch.octree.memory()
    }

    pub(super) fn contacts(&self) -> (&Contacts, Surroundings<'_>) {
        (&self.contacts, self.surroundings())
    }

    /// For each place the sum of the normal forces of its contacts (N), and their number.
    pub(super) fn loads_of_grains(&self) -> (Vec<f64>, Vec<u32>) {
        let (contacts, surroundings) = self.contacts();
        let of = |place: usize| contacts.load(&self.grains, place, surroundings);
        let (mut touching, mut loads): (Vec<u32>, Vec<f64>) = (0..self.grains.len()).map(of).unzip();
        for side in &self.walls.sides {
            let grain = side.grain as usize;
            touching[grain] += side.contacts.len() as u32;
            loads[grain] += side.contacts.iter().map(|contact| contact.force.dot(contact.normal).abs()).sum::<f64>();
        }
        (loads, touching)
    }

    /// Greatest overlap with a wall, in radii, and the number of contacts with the box and with bodies.
    pub(super) fn wall_survey(&self) -> (f64, u64, u64) {
        let (mut depth, mut boxes, mut bodies) = (0.0_f64, 0, 0);
        for side in &self.walls.sides {
            let radius = self.grains.spheres[side.grain as usize].radius;
            for contact in &side.contacts {
                depth = depth.max(contact.overlap / radius);
                if contact.body == BOX { boxes += 1 } else { bodies += 1 }
            }
        }
        (depth, boxes, bodies)
    }
}
