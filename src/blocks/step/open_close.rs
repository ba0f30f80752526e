//! The open–close iteration: contacts as they are taken to be, a solution, contacts as they turn out, until the two agree.

use super::{
    equations::{Equations, Sources},
    tally::Stage,
};
use crate::{
    blocks::{
        contact::{Contact, ContactLaw, ContactState},
        state::Six,
        system::{BlockMatrix, Cholesky, Pattern},
    },
    stages::StageTimes,
};

/// Iterations end when the forces that were wrong are this share of all,
const EXACT: f64 = 1e-3;
/// and a step that has come to its last iteration is taken if they are this share.
const SETTLED: f64 = 0.1;

/// Matrices and factors, kept from step to step for their memory and their order of elimination.
#[derive(Debug, Default)]
pub struct Workspace {
    solver: Option<Cholesky>,
    base: BlockMatrix,
    matrix: BlockMatrix,
}

/// How an attempt at a step ended.
#[derive(Debug)]
pub struct Attempt {
    /// Of every block, zero where it has no unknowns; absent if the equations had no solution.
    pub motion: Option<Vec<Six>>,
    pub iterations: u32,
    /// Whether in the last iteration hardly any contact opened, closed or slid otherwise than was taken for granted.
    pub settled: bool,
}

impl Workspace {
    /// Prepares for systems of this pattern.
    pub fn use_pattern(&mut self, pattern: Pattern) {
        self.solver = Some(Cholesky::new(pattern));
    }

    /// Solves a step of `dt` seconds, with `contacts` brought to the states in which it ends.
    pub fn attempt(
        &mut self,
        (equations, of): (&Equations, &Sources),
        contacts: &mut [Contact],
        law: &ContactLaw,
        dt: f64,
        times: &mut StageTimes<Stage>,
    ) -> Attempt {
        let solver = self.solver.as_mut().expect("a pattern is chosen before a step");
        times.start();
        equations.assemble(of, solver.pattern(), dt, &mut self.base);
        times.finish(Stage::Assembly);
        for contact in contacts.iter_mut() {
            let blocks = [contact.candidate.first, contact.candidate.second].map(|block| &of.assembly.blocks[block as usize]);
            contact.begin(blocks.map(|block| &block.velocity), dt, law);
        }
        let mut attempt = Attempt { motion: None, iterations: 0, settled: false };
        while attempt.iterations < of.settings.step.iterations {
            attempt.iterations += 1;
            times.start();
            self.matrix.copy_from(&self.base);
            contacts.iter().for_each(|contact| add_contact(&mut self.matrix, solver.pattern(), equations, contact, law));
            times.finish(Stage::Assembly);
            let solution = solver.solve(&self.matrix);
            times.finish(Stage::Solution);
            let Some(solution) = solution else { return Attempt { motion: None, settled: false, ..attempt } };
            let motion: Vec<Six> = equations.rows.iter().map(|row| row.map_or([0.0; 6], |row| solution[row as usize])).collect();
            let (mut error, mut carried) = (0.0, law.tolerance * law.normal_stiffness);
            for contact in contacts.iter_mut() {
                let d = [contact.candidate.first, contact.candidate.second].map(|block| &motion[block as usize]);
                error += contact.update(d, law);
                carried += contact.normal_force.abs();
            }
            attempt.motion = Some(motion);
            attempt.settled = error <= SETTLED * carried;
            if error <= EXACT * carried {
                break;
            }
        }
        attempt
    }
}

fn add_contact(matrix: &mut BlockMatrix, pattern: &Pattern, equations: &Equations, contact: &Contact, law: &ContactLaw) {
    let rows = [contact.candidate.first, contact.candidate.second].map(|block| equations.rows[block as usize]);
    let spring = |matrix: &mut BlockMatrix, [one, other]: &[Six; 2], stiffness: f64, length: f64| {
        matrix.add_spring(pattern, [(rows[0], one), (rows[1], other)], stiffness, length);
    };
    if contact.state != ContactState::Open {
        spring(matrix, &contact.slip_weights, contact.shear_stiffness, contact.shear);
        spring(matrix, &contact.gap_weights, law.normal_stiffness, contact.gap);
    }
}
