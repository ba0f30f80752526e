//! Blocks as a run sees them: steps, frames, tables.

use glam::DVec2;
use rayon::prelude::*;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{
    contact::{Candidate, Contact, ContactLaw, ContactMemory, ContactState, detect},
    generation::overlap_area,
    state::{Assembly, BlocksSettings, Six},
    step::{Bolt, Energies, Equations, Load, Sources, Stage, StepReport, Supports, Workspace},
    system::Pattern,
};
use crate::{
    search::planar::{PairSearch, SearchMethod},
    simulator::SimulationError,
    timing::StageTimes,
};

/// Share of the smaller block that two may have in common at time zero.
const OVERLAP: f64 = 1e-3;
/// Penetrations whose force is below this share of a median block's weight are rounding.
const NEGLIGIBLE: f64 = 1e-3;
/// Depth from which on a penetration not seen before is let out gently, as a share of the reach.
const DEEP: f64 = 1e-3;
/// Pairs of blocks whose contacts are looked for at once.
const CHUNK: usize = 128;

/// Why blocks cannot begin or go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BlocksError {
    #[error("blocks {first} and {second}: found them to have {area} m² in common around {place}, expected blocks apart from each other")]
    Overlap { first: usize, second: usize, area: f64, place: DVec2 },
    #[error("{what} at {point}: found no block there, expected one")]
    NoBlock { what: &'static str, point: DVec2 },
    #[error("found {0} blocks that can move, expected at least one")]
    NothingMoves(usize),
}

/// Blocks with what is recorded of them. Serialised, it is a checkpoint.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct BlocksSimulation {
    pub(super) settings: BlocksSettings,
    assembly: Assembly,
    supports: Supports,
    memory: ContactMemory,
    /// Pairs of rows for which there is room in the equations.
    pattern: Option<Pattern>,
    /// Followers to be measured, by their place among the followers.
    measured: Vec<u32>,
    pub(super) time: f64,
    pub(super) steps: u64,
    /// Length that the next step may have, seconds.
    next_dt: f64,
    tolerance: f64,
    report: StepReport,
    unsettled: u64,
    #[serde(skip)]
    pub(super) working: Working,
}

impl Serialize for BlocksSimulation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

/// Rebuilds what is not saved, so that a value that exists is ready to go on.
impl<'de> Deserialize<'de> for BlocksSimulation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut saved = Self::deserialize(deserializer)?;
        saved.rebuild();
        Ok(saved)
    }
}

/// What is made anew after a checkpoint.
#[derive(Default)]
pub(super) struct Working {
    search: Option<PairSearch>,
    pairs: Vec<[u32; 2]>,
    candidates: Vec<Candidate>,
    equations: Equations,
    workspace: Workspace,
    pub(super) times: StageTimes<Stage>,
}

impl BlocksSimulation {
    /// # Errors
    /// If blocks overlap, a point lies in no block, or no block can move.
    pub fn new(settings: BlocksSettings) -> Result<Self, BlocksError> {
        let mut assembly = Assembly::new(&settings);
        let reach = settings.step.reach();
        check_overlaps(&assembly)?;
        let mut follow = |what: &'static str, point: DVec2| {
            let block = assembly.block_at(point, reach).ok_or(BlocksError::NoBlock { what, point })?;
            Ok(assembly.follow(block, point))
        };
        let fixed_points = settings.fixed_points.iter().map(|&point| follow("fixed point", point)).collect::<Result<Vec<_>, _>>()?;
        let measured = settings.measured.iter().map(|point| follow("measured point", point.point)).collect::<Result<Vec<_>, _>>()?;
        let bolts = settings.bolts.iter().map(|bolt| {
            let ends = [follow("bolt", bolt.ends[0])?, follow("bolt", bolt.ends[1])?];
            let length = bolt.ends[0].distance(bolt.ends[1]) - bolt.pretension / bolt.stiffness;
            Ok(Bolt { ends, stiffness: bolt.stiffness, length })
        });
        let bolts = bolts.collect::<Result<Vec<_>, _>>()?;
        let loads = settings.loads.iter().map(|load| {
            let point = follow("load", load.point)?;
            Ok(Load { point, force: load.force, from: load.from, until: load.until })
        });
        let loads = loads.collect::<Result<Vec<_>, _>>()?;
        if !assembly.blocks.iter().any(|block| block.moves()) {
            return Err(BlocksError::NothingMoves(0));
        }
        let mut weights: Vec<f64> =
            assembly.blocks.iter().filter(|block| block.moves()).map(|block| block.mass * settings.gravity.length()).collect();
        weights.sort_by(f64::total_cmp);
        let tolerance = (NEGLIGIBLE * weights[weights.len() / 2] / settings.step.normal_stiffness).max(1e-9 * reach);
        let mut simulation = Self {
            next_dt: settings.step.maximum,
            supports: Supports { fixed_points, bolts, loads },
            memory: ContactMemory::default(),
            pattern: None,
            measured,
            time: 0.0,
            steps: 0,
            tolerance,
            report: StepReport::default(),
            unsettled: 0,
            working: Working::default(),
            assembly,
            settings,
        };
        simulation.rebuild();
        Ok(simulation)
    }

    /// Builds what a checkpoint leaves out.
    fn rebuild(&mut self) {
        let search = &self.settings.search;
        self.working = Working { search: Some(PairSearch::new(search.method, search.cell_size)), ..Working::default() };
        self.working.equations = Equations::new(&self.assembly);
        if let Some(pattern) = &self.pattern {
            self.working.workspace.use_pattern(pattern.clone());
        }
    }

    /// Blocks that are there.
    pub fn block_count(&self) -> usize {
        self.assembly.blocks.iter().filter(|block| !block.gone).count()
    }

    pub fn assembly(&self) -> &Assembly {
        &self.assembly
    }

    pub fn settings(&self) -> &BlocksSettings {
        &self.settings
    }

    pub fn memory(&self) -> &ContactMemory {
        &self.memory
    }

    /// Of the last step.
    pub fn report(&self) -> &StepReport {
        &self.report
    }

    /// Steps taken though their contacts had not come to rest.
    pub fn unsettled_steps(&self) -> u64 {
        self.unsettled
    }

    /// Candidates of the last step, pairs of blocks and pairs of vertex and edge, both sorted.
    pub fn found(&self) -> (&[[u32; 2]], &[Candidate]) {
        (&self.working.pairs, &self.working.candidates)
    }

    pub fn law(&self) -> ContactLaw {
        let step = &self.settings.step;
        ContactLaw {
            deep: DEEP * step.reach(),
            normal_stiffness: step.normal_stiffness,
            shear_stiffness: step.shear_stiffness,
            tolerance: self.tolerance,
        }
    }

    pub fn energies(&self) -> Energies {
        Energies::of(&self.assembly, &self.settings, &self.memory, &self.law())
    }

    /// One step, not past the time `until` (s).
    pub(super) fn step(&mut self, until: f64) -> Result<(), SimulationError> {
        self.remove_blocks();
        self.report = StepReport::default();
        self.find_contacts();
        let contacts = self.contacts();
        self.choose_pattern();
        let law = self.law();
        let mut dt = self.first_dt(until);
        let limit = self.settings.step.maximum_displacement;
        let (contacts, motion) = loop {
            let mut contacts = contacts.clone();
            let Self { assembly, settings, supports, time, working, .. } = self;
            let of = Sources { assembly, settings, supports, time: *time };
            let last = self.report.cuts >= settings.step.cuts;
            let attempt = working.workspace.attempt((&working.equations, &of), &mut contacts, &law, (dt, last), &mut working.times);
            self.report.iterations += attempt.iterations;
            let far = attempt.motion.as_ref().map_or(f64::INFINITY, |motion| self.greatest_displacement(motion));
            match attempt.motion {
                Some(motion) if last || (attempt.settled && far <= limit) => {
                    self.report.settled = attempt.settled;
                    break (contacts, motion);
                }
                None if last => return Err(self.no_solution(dt)),
                _ => {}
            }
            dt *= match far.is_finite() && far > limit {
                true => (0.8 * limit / far).clamp(0.1, 0.5),
                false if self.report.cuts == 0 => 0.5,
                false => 0.3,
            };
            self.report.cuts += 1;
        };
        self.commit(&contacts, &motion, dt, until);
        Ok(())
    }

    fn no_solution(&self, dt: f64) -> SimulationError {
        SimulationError {
            time: self.time,
            step: self.steps + 1,
            what: format!("the equations of a step have no solution, even for steps of {dt:.3e} s"),
            cause: "stiffnesses or masses that differ by too many orders of magnitude, or blocks that overlap".to_owned(),
            remedy: "lower blocks.step.maximum, or check stiffness, density and size of the blocks".to_owned(),
        }
    }

    /// Length of the step's first attempt: even parts of the way to `until`, none further than blocks may move.
    fn first_dt(&self, until: f64) -> f64 {
        let step = &self.settings.step;
        let fastest = (0..self.assembly.blocks.len()).map(|index| {
            let block = &self.assembly.blocks[index];
            self.assembly.polygon(index).iter().map(|&vertex| block.field(vertex, &block.velocity).length()).fold(0.0, f64::max)
        });
        let fastest = fastest.fold(0.0, f64::max);
        let dt = if fastest > 0.0 { self.next_dt.min(0.95 * step.maximum_displacement / fastest) } else { self.next_dt };
        let left = until - self.time;
        left / (left / dt - 1e-9).ceil().max(1.0)
    }

    fn remove_blocks(&mut self) {
        let due = self.settings.removals.iter().filter(|removal| removal.time <= self.time).count();
        if due == 0 {
            return;
        }
        let mut any = false;
        let removals = self.settings.removals.clone();
        self.settings.removals.retain(|removal| removal.time > self.time);
        for removal in removals.into_iter().filter(|removal| removal.time <= self.time) {
            if let Some(block) = self.assembly.block_at(removal.point, 0.0) {
                self.assembly.blocks[block as usize].gone = true;
                any = true;
            }
        }
        if any {
            self.assembly.update_boxes();
            let Self { assembly, memory, .. } = self;
            let gone = |vertex: u64| assembly.blocks[assembly.offsets.partition_point(|&first| u64::from(first) <= vertex) - 1].gone;
            let kept: Vec<_> =
                memory.entries().iter().copied().filter(|entry| !gone(entry.key >> 32) && !gone(entry.key & 0xffff_ffff)).collect();
            memory.replace(kept.into_iter());
            self.working.equations = Equations::new(&self.assembly);
            self.pattern = None;
        }
    }

    /// Searches pairs of blocks, and vertices near edges within them.
    fn find_contacts(&mut self) {
        let Self { assembly, memory, working, settings, report, .. } = self;
        let reach = settings.step.reach();
        working.times.start();
        let search = working.search.as_mut().expect("a simulation is restored before it goes on");
        report.checks = search.find(&assembly.outlines(), reach, &mut working.pairs);
        working.times.finish(Stage::Search);
        report.pairs = working.pairs.len() as u64;
        working.pairs.sort_unstable();
        let (assembly, memory) = (&*assembly, &*memory);
        let found: Vec<Vec<Candidate>> = working
            .pairs
            .par_chunks(CHUNK)
            .map(|pairs| {
                let mut found = Vec::new();
                let moving = pairs.iter().filter(|pair| pair.iter().any(|&block| assembly.blocks[block as usize].moves()));
                moving.for_each(|&pair| detect(assembly, pair, reach, memory, &mut found));
                found
            })
            .collect();
        working.candidates.clear();
        found.into_iter().for_each(|found| working.candidates.extend(found));
        report.contacts = working.candidates.len() as u64;
        working.times.finish(Stage::Detection);
    }

    fn contacts(&self) -> Vec<Contact> {
        let initial = (self.steps == 0).then_some(1e-2 * self.settings.step.reach());
        let law = self.law();
        let contact = |candidate: &Candidate| {
            let [one, other] = [candidate.first, candidate.second].map(|block| self.assembly.blocks[block as usize].material as usize);
            let joint = *self.settings.joints.between(one, other);
            Contact::new(&self.assembly, *candidate, self.memory.get(candidate.key()), joint, (&law, initial))
        };
        self.working.candidates.par_iter().with_min_len(CHUNK).map(contact).collect()
    }

    /// Keeps the pattern in use if it has room for all contacts and is not much too large.
    fn choose_pattern(&mut self) {
        let Self { assembly, working, supports, .. } = self;
        let follower = |point: u32| assembly.points[point as usize].block;
        let bolts = supports.bolts.iter().map(|bolt| bolt.ends.map(follower));
        let contacts = working.candidates.iter().map(|candidate| [candidate.first, candidate.second]);
        let needed = Pattern::new(working.equations.count, contacts.chain(bolts).filter_map(|pair| working.equations.pair(pair)));
        let fits = self.pattern.as_ref().is_some_and(|pattern| {
            pattern.rows == needed.rows
                && pattern.pairs.len() <= needed.pairs.len() + needed.pairs.len() / 4 + 8
                && needed.pairs.iter().all(|&[one, other]| pattern.place(one, other).is_some())
        });
        if !fits {
            working.times.start();
            working.workspace.use_pattern(needed.clone());
            working.times.finish(Stage::Solution);
            self.pattern = Some(needed);
        }
    }

    fn greatest_displacement(&self, motion: &[Six]) -> f64 {
        let greatest = |index: usize| {
            let block = &self.assembly.blocks[index];
            let moved = self.assembly.polygon(index).iter().map(|&vertex| block.field(vertex, &motion[index]).length());
            if block.moves() { moved.fold(0.0, f64::max) } else { 0.0 }
        };
        (0..motion.len()).map(greatest).fold(0.0, f64::max)
    }

    /// Moves everything by `motion`.
    fn commit(&mut self, contacts: &[Contact], motion: &[Six], dt: f64, until: f64) {
        self.working.times.start();
        let law = self.law();
        let ends = |contact: &Contact| [contact.candidate.first, contact.candidate.second].map(|block| &motion[block as usize]);
        self.report.greatest_displacement = self.greatest_displacement(motion);
        self.report.support = self.support(contacts, motion);
        for contact in contacts {
            self.report.closed += u64::from(contact.state != ContactState::Open);
            self.report.sliding += u64::from(contact.state == ContactState::Sliding);
            self.report.greatest_penetration = self.report.greatest_penetration.max(-contact.measure(ends(contact)).0);
        }
        self.memory.replace(contacts.iter().filter_map(|contact| contact.remember(ends(contact), &law)));
        for point in &mut self.assembly.points {
            point.position = self.assembly.blocks[point.block as usize].moved(point.position, &motion[point.block as usize]);
        }
        let kept = self.settings.step.velocity_kept;
        for (index, d) in motion.iter().enumerate().filter(|(index, _)| self.working.equations.rows[*index].is_some()) {
            let block = &mut self.assembly.blocks[index];
            for (rate, &d) in block.velocity.iter_mut().zip(d) {
                *rate = 2.0 * d / dt - kept * *rate;
            }
            let [direct, cross, shear] = self.settings.materials[block.material as usize].stiffness(self.settings.plane);
            let [.., x, y, xy] = *d;
            block.stress[0] += direct * x + cross * y;
            block.stress[1] += cross * x + direct * y;
            block.stress[2] += shear * xy;
            self.assembly.move_block(index, d);
        }
        self.assembly.update_boxes();
        self.time = if until - (self.time + dt) < 1e-6 * dt { until } else { self.time + dt };
        self.steps += 1;
        self.unsettled += u64::from(!self.report.settled);
        self.report.dt = dt;
        let shortened = self.report.cuts > 0;
        self.next_dt = if shortened { dt } else { self.settings.step.maximum.min(1.5 * self.next_dt) };
        self.working.times.finish(Stage::Update);
    }

    /// Force of the blocks on fixed blocks and fixed points at the end of the step, N.
    fn support(&self, contacts: &[Contact], motion: &[Six]) -> DVec2 {
        let law = self.law();
        let mut sum = DVec2::ZERO;
        for contact in contacts.iter().filter(|contact| contact.state != ContactState::Open) {
            let fixed = [contact.candidate.first, contact.candidate.second].map(|block| self.assembly.blocks[block as usize].fixed);
            let d = [contact.candidate.first, contact.candidate.second].map(|block| &motion[block as usize]);
            let (gap, stretch) = contact.measure(d);
            let shear = contact.shear_stiffness * stretch;
            // On the vertex's block; the tangent is the normal turned to the left.
            let force = -law.normal_stiffness * gap * contact.normal - shear * contact.normal.perp();
            sum += match fixed {
                [true, false] => force,
                [false, true] => -force,
                _ => DVec2::ZERO,
            };
        }
        for &point in &self.supports.fixed_points {
            let point = self.assembly.points[point as usize];
            let block = &self.assembly.blocks[point.block as usize];
            if block.moves() {
                let moved = point.position + block.field(point.position, &motion[point.block as usize]) - point.start;
                sum += self.settings.step.normal_stiffness * moved;
            }
        }
        sum
    }

    /// The points to be measured: name, and the follower.
    pub fn measured(&self) -> impl Iterator<Item = (&str, &super::state::Follower)> {
        self.settings
            .measured
            .iter()
            .zip(&self.measured)
            .map(|(point, &place)| (point.name.as_str(), &self.assembly.points[place as usize]))
    }
}

fn check_overlaps(assembly: &Assembly) -> Result<(), BlocksError> {
    let mut pairs = Vec::new();
    // A search by boxes alone: a block wholly within a complex one has no edge near its edges.
    PairSearch::new(SearchMethod::DoubleEndedSort, None).find(&assembly.outlines(), 0.0, &mut pairs);
    pairs.sort_unstable();
    for [first, second] in pairs {
        let blocks = [first, second].map(|index| &assembly.blocks[index as usize]);
        if blocks.iter().all(|block| block.fixed) {
            continue;
        }
        let area = overlap_area(assembly.polygon(first as usize), assembly.polygon(second as usize));
        if area > OVERLAP * blocks.iter().map(|block| block.moments.area).fold(f64::INFINITY, f64::min) {
            let place = assembly.blocks[first.max(second) as usize].moments.centroid;
            return Err(BlocksError::Overlap { first: first as usize + 1, second: second as usize + 1, area, place });
        }
    }
    Ok(())
}
