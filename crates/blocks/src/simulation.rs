//! Blocks: state, constructor and access.

use plimsoll_base::timing::StageTimes;
use plimsoll_contract::simulator::{Unwatched, Watch};
use plimsoll_search::planar::PairSearch;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{
    contact::{Candidate, ContactLaw, ContactMemory},
    energies::Energies,
    error::BlocksError,
    placement::Placement,
    settings::BlocksSettings,
    state::{BlocksState, Follower},
    step::{Equations, StepReport, Supports, Workspace},
    system::Pattern,
    timing::BlocksStage,
};

/// A penetration whose force is below this share of a median block's weight counts as rounding.
const NEGLIGIBLE: f64 = 1e-3;
/// Depth beyond which a new penetration is removed gradually, as a share of the cutoff.
const DEEP: f64 = 1e-3;

/// Blocks and their counters. Serialized, it is a checkpoint.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct BlocksSimulation {
    pub(super) settings: BlocksSettings,
    pub(super) state: BlocksState,
    pub(super) supports: Supports,
    pub(super) memory: ContactMemory,
    /// Pairs of rows with space in the equations.
    pub(super) pattern: Option<Pattern>,
    /// Measured points, as indices into the followers.
    pub(super) measured: Vec<u32>,
    pub(super) time: f64,
    pub(super) steps: u64,
    /// Maximum length of the next step, seconds.
    pub(super) next_dt: f64,
    pub(super) tolerance: f64,
    pub(super) report: StepReport,
    pub(super) unsettled: u64,
    /// Saved so that the number of box tests does not depend on interruptions.
    pub(super) search: PairSearch,
    #[serde(skip)]
    pub(super) working: Working,
}

impl Serialize for BlocksSimulation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

/// Rebuilds what is not saved, so that every deserialized value is ready to run.
impl<'de> Deserialize<'de> for BlocksSimulation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut saved = Self::deserialize(deserializer)?;
        saved.rebuild();
        Ok(saved)
    }
}

/// Data that is rebuilt after a checkpoint.
#[derive(Default)]
pub(super) struct Working {
    pub(super) pairs: Vec<[u32; 2]>,
    pub(super) candidates: Vec<Candidate>,
    pub(super) equations: Equations,
    pub(super) workspace: Workspace,
    pub(super) times: StageTimes<BlocksStage>,
}

impl BlocksSimulation {
    /// # Errors
    /// If blocks overlap, a point is outside all blocks, or no block can move.
    pub fn new(settings: BlocksSettings) -> Result<Self, BlocksError> {
        Self::prepare(settings, &Unwatched)
    }

    /// [`BlocksSimulation::new`] that reports progress to `watch`.
    ///
    /// # Errors
    /// As for `new`, or `watch` interrupts.
    pub fn prepare(settings: BlocksSettings, watch: &dyn Watch) -> Result<Self, BlocksError> {
        let Placement { state, supports, measured } = Placement::new(&settings, watch)?;
        let cutoff = settings.step.cutoff();
        let mut weights: Vec<f64> =
            state.blocks.iter().filter(|block| block.moves()).map(|block| block.mass * settings.gravity.length()).collect();
        weights.sort_by(f64::total_cmp);
        let tolerance = (NEGLIGIBLE * weights[weights.len() / 2] / settings.step.normal_stiffness).max(1e-9 * cutoff);
        let mut simulation = Self {
            next_dt: settings.step.maximum,
            supports,
            memory: ContactMemory::default(),
            pattern: None,
            measured,
            time: 0.0,
            steps: 0,
            tolerance,
            report: StepReport::default(),
            unsettled: 0,
            search: PairSearch::new(settings.search.method, settings.search.cell_size),
            working: Working::default(),
            state,
            settings,
        };
        simulation.rebuild();
        Ok(simulation)
    }

    /// Builds the data that a checkpoint omits.
    fn rebuild(&mut self) {
        self.working = Working::default();
        self.working.equations = Equations::new(&self.state);
        if let Some(pattern) = &self.pattern {
            self.working.workspace.use_pattern(pattern.clone());
        }
    }

    /// Number of blocks that have not been removed.
    pub fn block_count(&self) -> usize {
        self.state.blocks.iter().filter(|block| !block.gone).count()
    }

    /// Current state of all blocks.
    pub fn state(&self) -> &BlocksState {
        &self.state
    }

    /// The settings, with changes made during the run.
    pub fn settings(&self) -> &BlocksSettings {
        &self.settings
    }

    /// Contacts remembered from the last step.
    pub fn memory(&self) -> &ContactMemory {
        &self.memory
    }

    /// Report of the last step.
    pub fn report(&self) -> &StepReport {
        &self.report
    }

    /// Number of steps that were accepted although their contacts had not converged.
    pub fn unsettled_steps(&self) -> u64 {
        self.unsettled
    }

    /// Results of the last step's search: pairs of blocks, and pairs of vertex and edge, both sorted.
    pub fn found(&self) -> (&[[u32; 2]], &[Candidate]) {
        (&self.working.pairs, &self.working.candidates)
    }

    /// The contact law with the stiffness and tolerance of this scene.
    pub fn law(&self) -> ContactLaw {
        let step = &self.settings.step;
        ContactLaw {
            deep: DEEP * step.cutoff(),
            normal_stiffness: step.normal_stiffness,
            shear_stiffness: step.shear_stiffness,
            tolerance: self.tolerance,
        }
    }

    /// Current energies and momenta.
    pub fn energies(&self) -> Energies {
        Energies::of(&self.state, &self.settings, &self.memory, &self.law())
    }

    /// The measured points: name and follower.
    pub fn measured(&self) -> impl Iterator<Item = (&str, &Follower)> {
        self.settings.measured.iter().zip(&self.measured).map(|(point, &place)| (point.name.as_str(), &self.state.points[place as usize]))
    }

    /// Wall time of the stages of a step.
    pub fn stage_times(&self) -> &StageTimes<BlocksStage> {
        &self.working.times
    }
}
