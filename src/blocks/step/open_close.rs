//! The open–close iteration: contacts as they are taken to be, a solution, contacts as they turn out, until the two agree.
//!
//! Only springs that change from one iteration to the next are changed in the matrix, and each solution is sought from the one before. Until
//! contacts come to rest it needs to be no more accurate than they are; the solution that is taken is exact.

use rayon::prelude::*;

use super::equations::{Equations, Sources};
use crate::{
    blocks::{
        block::Dof6,
        contact::{Contact, ContactLaw, ContactState},
        system::{Accuracy, BlockMatrix, Link, Pattern, Solver, Spring},
        timing::BlocksStage,
    },
    timing::StageTimes,
};

/// Iterations end when the forces that were wrong are this share of all,
const EXACT: f64 = 1e-3;
/// and a step that has come to its last iteration is taken if they are this share.
const SETTLED: f64 = 0.1;
/// Until then the solver may leave forces wrong by this share of those that contacts had wrong,
const INEXACT: f64 = 0.1;
/// but by no more and no less than these shares of all.
const INEXACT_RANGE: [f64; 2] = [3e-4, 0.1];
/// Contacts that change back and forth are given up when the share of wrong forces has for so many iterations not come below this times the
/// least so far.
const PATIENCE: u32 = 2;
const PROGRESS: f64 = 0.5;
/// Residual of the solution that is taken, as a share of the right-hand side.
const RESIDUAL: f64 = 1e-12;
/// Contacts that one task handles; fixed, so that sums do not depend on the number of threads.
const TASK: usize = 256;

/// Matrices and factors, kept from step to step for their memory and their order of elimination.
#[derive(Debug, Default)]
pub struct Workspace {
    solver: Solver,
    matrix: BlockMatrix,
    /// Of each contact: where its springs are in the matrix, and what they are there.
    links: Vec<Link>,
    springs: Vec<[Spring; 2]>,
}

/// How an attempt at a step ended.
#[derive(Debug)]
pub struct Attempt {
    /// Of every block, zero where it has no unknowns; absent if the equations had no solution, or if contacts would not settle.
    pub motion: Option<Vec<Dof6>>,
    pub iterations: u32,
    /// Whether in the last iteration hardly any contact opened, closed or slid otherwise than was taken for granted.
    pub settled: bool,
}

/// Sums over contacts, N.
#[derive(Clone, Copy, Debug, Default)]
struct Forces {
    /// By which the forces were wrong.
    error: f64,
    carried: f64,
    closed: f64,
}

impl Workspace {
    /// Prepares for systems of this pattern.
    pub fn use_pattern(&mut self, pattern: Pattern) {
        self.solver.use_pattern(pattern);
    }

    /// Solves a step of `dt` seconds, with `contacts` brought to the states in which it ends; if it `must_end`, whether they settle or not.
    pub fn attempt(
        &mut self,
        (equations, of): (&Equations, &Sources),
        contacts: &mut [Contact],
        law: &ContactLaw,
        (dt, must_end): (f64, bool),
        times: &mut StageTimes<BlocksStage>,
    ) -> Attempt {
        times.start();
        self.solver.begin();
        equations.assemble(of, self.solver.pattern(), dt, &mut self.matrix);
        self.begin(equations, contacts);
        let mut motion: Vec<Dof6> = of.state.blocks.iter().map(|block| block.velocity.map(|rate| dt * rate)).collect();
        contacts.par_iter_mut().with_min_len(TASK).for_each(|contact| contact.begin(ends(contact, &motion), law));
        let mut solution: Vec<Dof6> = motion.iter().zip(&equations.rows).filter(|(_, row)| row.is_some()).map(|(d, _)| *d).collect();
        let floor = law.tolerance * law.normal_stiffness;
        let mut forces = Forces {
            error: f64::INFINITY,
            carried: floor + contacts.iter().map(|contact| contact.normal_force.abs()).sum::<f64>(),
            closed: contacts.iter().filter(|contact| contact.state != ContactState::Open).count() as f64,
        };
        times.finish(BlocksStage::Assembly);
        let mut attempt = Attempt { motion: None, iterations: 0, settled: false };
        let (mut least, mut patience) = (f64::INFINITY, PATIENCE);
        loop {
            attempt.iterations += 1;
            // What has come to rest, or will not, in a rough solution is solved once more.
            let rests = forces.error <= EXACT * forces.carried;
            let last = attempt.iterations == of.settings.step.iterations || patience == 0;
            let exactly = rests || last;
            times.start();
            self.change_springs(contacts, law);
            times.finish(BlocksStage::Assembly);
            let accuracy = if exactly { Accuracy::Relative(RESIDUAL) } else { forces.accuracy(law) };
            let solved = self.solver.solve(&mut self.matrix, accuracy, &mut solution);
            times.finish(BlocksStage::Solution);
            if solved.is_none() {
                return Attempt { motion: None, settled: false, ..attempt };
            }
            for (d, row) in motion.iter_mut().zip(&equations.rows) {
                *d = row.map_or([0.0; 6], |row| solution[row as usize]);
            }
            forces = Forces::update(contacts, &motion, law);
            forces.carried += floor;
            times.finish(BlocksStage::Contacts);
            let share = forces.error / forces.carried;
            attempt.settled = share <= SETTLED;
            if last || (exactly && share <= EXACT) {
                return Attempt { motion: Some(motion), ..attempt };
            }
            if share <= PROGRESS * least {
                (least, patience) = (share, PATIENCE);
            } else {
                patience -= 1;
                if patience == 0 && !(attempt.settled || must_end) {
                    return attempt;
                }
            }
        }
    }

    fn begin(&mut self, equations: &Equations, contacts: &[Contact]) {
        let pattern = self.solver.pattern();
        let link = |contact: &Contact| {
            pattern.link([contact.candidate.first, contact.candidate.second].map(|block| equations.rows[block as usize]))
        };
        self.links.clear();
        self.links.extend(contacts.iter().map(link));
        self.springs.clear();
        self.springs.resize(contacts.len(), [Spring::default(); 2]);
    }

    /// Brings the springs in the matrix up to date.
    fn change_springs(&mut self, contacts: &[Contact], law: &ContactLaw) {
        for ((contact, &link), springs) in contacts.iter().zip(&self.links).zip(&mut self.springs) {
            let now = contact.springs(law);
            if now == *springs {
                continue;
            }
            let before = std::mem::replace(springs, now);
            for (weights, change) in contact.weights().iter().zip([now[0] - before[0], now[1] - before[1]]) {
                self.matrix.add_spring(link, weights, change);
            }
            let touches = |springs: &[Spring; 2]| springs[0].stiffness != 0.0;
            if touches(&now) != touches(&before) {
                self.matrix.count_springs(link, touches(&now));
            }
        }
    }
}

impl Forces {
    /// Brings the contacts up to date with the motion.
    fn update(contacts: &mut [Contact], motion: &[Dof6], law: &ContactLaw) -> Self {
        let update = |contacts: &mut [Contact]| {
            let mut sum = Self::default();
            for contact in contacts {
                sum.error += contact.update(ends(contact, motion), law);
                sum.carried += contact.normal_force.abs();
                sum.closed += f64::from(u8::from(contact.state != ContactState::Open));
            }
            sum
        };
        let sums: Vec<Self> = contacts.par_chunks_mut(TASK).map(update).collect();
        sums.into_iter().fold(Self::default(), |sum, part| Self {
            error: sum.error + part.error,
            carried: sum.carried + part.carried,
            closed: sum.closed + part.closed,
        })
    }

    /// How accurate the next solution must be: an error of energy `e²/2` makes forces wrong by at most `e √(p n)` in all.
    fn accuracy(&self, law: &ContactLaw) -> Accuracy {
        let [least, most] = INEXACT_RANGE;
        let wrong = (INEXACT * self.error / self.carried).clamp(least, most) * self.carried;
        Accuracy::Absolute(wrong / (law.normal_stiffness * self.closed.max(1.0)).sqrt())
    }
}

/// Motion of the two blocks of a contact.
fn ends<'a>(contact: &Contact, motion: &'a [Dof6]) -> [&'a Dof6; 2] {
    [contact.candidate.first, contact.candidate.second].map(|block| &motion[block as usize])
}
