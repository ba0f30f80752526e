//! Simulation of grains: state, constructor and access.

use glam::DVec3;
use plimsoll_base::{math::Domain, timing::StageTimes};
use plimsoll_bodies::{Bodies, Body, BodyDefinition, Impulse};
use plimsoll_contract::simulator::{Unwatched, Watch};
use plimsoll_search::hierarchical_grid::{HierarchicalGrid, LevelChoice, LevelPlan};
use plimsoll_shape::SegmentLimits;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{
    contacts::{Contacts, PairContext},
    counters::RebuildCounters,
    error::GrainsError,
    law::Law,
    placement,
    settings::{GrainsSettings, SearchMethod},
    state::{Exchange, Grains},
    timing::GrainsStage,
    walls::{BOX, Walls},
};

/// Maximum size of a segment of a body, in diameters of the largest grain, and its maximum number of triangles.
const SEGMENT_SIZE: f64 = 4.0;
const SEGMENT_TRIANGLES: usize = 8;

/// Grains and bodies with their recorded data. The serialized form is a checkpoint.
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
    /// Duration of the last step, s.
    pub(super) dt: f64,
    pub(super) max_step: f64,
    /// Maximum overlap since the last table row, and since time zero, in radii of the smaller grain.
    pub(super) max_overlap: f64,
    pub(super) worst_overlap: f64,
    /// How far the deepest grain of the last step is on its way through something.
    pub(super) passage: f64,
    /// Maximum distance that points of bodies can have moved since the last search, m.
    pub(super) body_path: f64,
    pub(super) counts: RebuildCounters,
    plan: LevelPlan,
    #[serde(skip, default = "Scratch::empty")]
    pub(super) scratch: Scratch,
}

impl Serialize for GrainsSimulation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

/// Rebuilds what is not saved, so that a deserialized value is ready to use.
impl<'de> Deserialize<'de> for GrainsSimulation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut saved = Self::deserialize(deserializer)?;
        let extents = prepare_walls(&mut saved.walls, &saved.bodies);
        saved.scratch = Scratch::new(&saved.settings, saved.plan.clone(), extents);
        saved.contacts.index();
        Ok(saved)
    }
}

/// Data that is rebuilt after a checkpoint, such as search structures.
pub struct Scratch {
    pub(super) law: Law,
    pub(super) grid: HierarchicalGrid,
    pub(super) exchange: Exchange,
    pub(super) has_bodies: bool,
    pub(super) extents: Vec<f64>,
    /// m
    pub(super) smallest_radius: f64,
    pub(super) times: StageTimes<GrainsStage>,
}

impl Scratch {
    fn new(settings: &GrainsSettings, plan: LevelPlan, extents: Vec<f64>) -> Self {
        Self {
            law: Law::new(settings.law, &settings.materials),
            grid: HierarchicalGrid::new(plan, settings.domain),
            exchange: Exchange::default(),
            has_bodies: !extents.is_empty(),
            extents,
            smallest_radius: settings.smallest_radii().into_iter().fold(f64::INFINITY, f64::min),
            times: StageTimes::default(),
        }
    }

    /// Placeholder until a deserialized simulation is restored.
    fn empty() -> Self {
        let domain = Domain::cube(1.0, false);
        Self {
            law: Law::new(super::law::ContactLaw::Linear, &[]),
            grid: HierarchicalGrid::new(LevelPlan::default(), domain),
            exchange: Exchange::default(),
            has_bodies: false,
            extents: Vec::new(),
            smallest_radius: 0.0,
            times: StageTimes::default(),
        }
    }
}

impl GrainsSimulation {
    /// Places the grains that `settings` describe among bodies.
    ///
    /// # Errors
    /// If there is not enough room for the grains, or the time step is too long.
    pub fn new(settings: GrainsSettings, bodies: Vec<BodyDefinition>) -> Result<Self, GrainsError> {
        Self::prepare(settings, bodies, &Unwatched)
    }

    /// Same as [`GrainsSimulation::new`], and reports progress to `watch`.
    ///
    /// # Errors
    /// Same as `new`; also if `watch` interrupts.
    pub fn prepare(settings: GrainsSettings, bodies: Vec<BodyDefinition>, watch: &dyn Watch) -> Result<Self, GrainsError> {
        let max_step = settings.max_step()?;
        let size = SEGMENT_SIZE * 2.0 * settings.largest_radius().max(f64::MIN_POSITIVE);
        let bodies = Bodies::new(bodies, SegmentLimits::new(size, SEGMENT_TRIANGLES), Domain::OPEN, watch)?;
        let bodies = bodies.with_mechanism(&settings.mechanism);
        let grains = placement::place(&settings, &bodies.list, watch)?;
        let skin = settings.pair_skin();
        let choice = match settings.search {
            SearchMethod::HierarchicalGrid(choice) => choice,
            SearchMethod::BruteForce => LevelChoice::Levels(1),
        };
        let plan = LevelPlan::new(&grains.spheres, &settings.domain, skin, choice);
        let mut walls = Walls::default();
        let extents = prepare_walls(&mut walls, &bodies);
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
            max_step,
            max_overlap: 0.0,
            worst_overlap: 0.0,
            passage: 0.0,
            body_path: 0.0,
            counts: RebuildCounters::default(),
            plan,
            scratch,
        };
        simulation.search();
        simulation.react(0.0);
        Ok(simulation)
    }

    /// Registers the last body with the search and the walls.
    pub(super) fn body_added(&mut self) {
        let Some(body) = self.bodies.list.last() else { return };
        self.walls.add_body(body);
        self.scratch.extents.push(body.extent());
        self.scratch.has_bodies = true;
        self.loads.push(Impulse::default());
        self.search();
    }

    /// State of all grains at the current time.
    pub fn grains(&self) -> &Grains {
        &self.grains
    }

    /// The settings, including changes made during the run.
    pub fn settings(&self) -> &GrainsSettings {
        &self.settings
    }

    /// All bodies.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies.list
    }

    /// The levels of the search.
    pub fn plan(&self) -> &LevelPlan {
        &self.plan
    }

    /// The search structure after the last search.
    pub fn grid(&self) -> &HierarchicalGrid {
        &self.scratch.grid
    }

    /// Work of the search since time zero.
    pub fn counts(&self) -> &RebuildCounters {
        &self.counts
    }

    /// The maximum time step, s.
    pub fn max_step(&self) -> f64 {
        self.max_step
    }

    /// Number of touching pairs of grains.
    pub fn contact_count(&self) -> u64 {
        self.contacts.totals(&self.grains, self.context()).contacts
    }

    /// Number of wall contacts; each grain and face counts once.
    pub fn wall_contact_count(&self) -> usize {
        self.walls.sides.iter().map(|side| side.contacts.len()).sum()
    }

    /// Force of the walls of the box on the grains, N.
    pub fn box_force(&self) -> DVec3 {
        self.walls.box_force()
    }

    /// Force (N) and torque about the body's center (N m) of the grains on each body.
    pub fn body_loads(&self) -> &[Impulse] {
        &self.loads
    }

    /// Memory of grains, contacts and search, in bytes.
    pub fn memory(&self) -> usize {
        self.grains.memory() + self.contacts.memory() + self.scratch.grid.memory()
    }

    pub(super) fn contacts(&self) -> (&Contacts, PairContext<'_>) {
        (&self.contacts, self.context())
    }

    /// For each grain index, the sum of the normal forces of its contacts (N) and their number.
    pub(super) fn loads_of_grains(&self) -> (Vec<f64>, Vec<u32>) {
        let (contacts, context) = self.contacts();
        let of = |place: usize| contacts.load(&self.grains, place, context);
        let (mut touching, mut loads): (Vec<u32>, Vec<f64>) = (0..self.grains.len()).map(of).unzip();
        for side in &self.walls.sides {
            let grain = side.grain as usize;
            touching[grain] += side.contacts.len() as u32;
            loads[grain] += side.contacts.iter().map(|contact| contact.force.dot(contact.normal).abs()).sum::<f64>();
        }
        (loads, touching)
    }

    /// Maximum overlap since time zero, in radii of the smaller grain.
    pub fn worst_overlap(&self) -> f64 {
        self.worst_overlap
    }

    /// Numbers of contacts with the box and with bodies.
    pub(super) fn wall_totals(&self) -> (u64, u64) {
        let (mut boxes, mut bodies) = (0, 0);
        for contact in self.walls.sides.iter().flat_map(|side| &side.contacts) {
            if contact.body == BOX { boxes += 1 } else { bodies += 1 }
        }
        (boxes, bodies)
    }
}

/// Prepares the surfaces of all bodies; returns the extent of each from its center, m.
fn prepare_walls(walls: &mut Walls, bodies: &Bodies) -> Vec<f64> {
    walls.prepare(bodies);
    bodies.list.iter().map(|body| body.extent()).collect()
}
