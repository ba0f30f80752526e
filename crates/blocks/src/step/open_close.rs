//! The open–close iteration: assume contact states, solve, update the states, and repeat until both agree.
//!
//! Only springs that change between iterations are changed in the matrix, and each solution starts from the previous one. Until the
//! contacts converge, a solution needs to be only as accurate as they are; the accepted solution is exact.

use plimsoll_base::{math::parallel::InTasks, timing::StageTimes};
use rayon::prelude::*;

use super::equations::{Equations, Sources};
use crate::{
    block::Dof6,
    contact::{Contact, ContactLaw, ContactState},
    system::{Accuracy, BlockMatrix, Link, Pattern, Solver, Spring},
    timing::BlocksStage,
};

/// Iterations end when the force error is at most this share of all forces.
const EXACT: f64 = 2e-4;
/// After the last iteration a step is accepted if the force error is at most this share of all forces.
const SETTLED: f64 = 0.1;
/// Before that, the solver may leave a force error of this share of the contacts' force error.
const INEXACT: f64 = 0.1;
/// The force error that the solver may leave, limited to this range of shares of all forces.
const INEXACT_RANGE: [f64; 2] = [3e-4, 0.1];
/// Maximum number of iterations in a row in which the share of the force error does not fall below `PROGRESS` times its minimum so far;
/// after them, contacts that keep changing are given up.
const PATIENCE: u32 = 2;
const PROGRESS: f64 = 0.5;
/// Relative residual of the accepted solution.
const RESIDUAL: f64 = 1e-12;
/// Contacts per task; fixed, so that sums do not depend on the number of threads.
const TASK: usize = 256;

/// Matrices and factors, kept from step to step to reuse their memory and elimination order.
#[derive(Debug, Default)]
pub struct Workspace {
    solver: Solver,
    matrix: BlockMatrix,
    /// For each contact, the matrix position of its springs and their current values.
    links: Vec<Link>,
    springs: Vec<[Spring; 2]>,
}

/// Result of an attempt at a step.
#[derive(Debug)]
pub struct Attempt {
    /// Motion of each block, zero without unknowns; absent if the equations had no solution or the contacts did not converge.
    pub motion: Option<Vec<Dof6>>,
    pub iterations: u32,
    /// Whether the contact states hardly changed in the last iteration.
    pub settled: bool,
}

/// Sums over contacts, N.
#[derive(Clone, Copy, Debug, Default)]
struct Forces {
    /// Sum of the force errors.
    error: f64,
    carried: f64,
    closed: f64,
}

impl Workspace {
    /// Prepares for systems of this pattern.
    pub fn use_pattern(&mut self, pattern: Pattern) {
        self.solver.use_pattern(pattern);
    }

    /// Solves a step of `dt` seconds and updates `contacts` to their final states. With `must_end`, it returns a motion even if they do not
    /// converge.
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
        contacts.par_iter_mut().in_tasks(TASK).for_each(|contact| {
            contact.move_midway(ends(contact, of.expected));
            contact.begin(ends(contact, &motion), law, dt);
        });
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
            // Contacts that have converged in an approximate solution, or never will, are solved once more exactly.
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

    /// Updates the springs in the matrix.
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
    /// Updates the contacts to the motion.
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

    /// Required accuracy of the next solution: an energy error of `e²/2` causes a total force error of at most `e √(p n)`.
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
