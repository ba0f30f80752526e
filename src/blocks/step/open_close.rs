//! The open–close iteration: contacts as they are taken to be, a solution, contacts as they turn out, until the two agree.

use std::time::Instant;

use super::{
    equations::{Equations, Sources},
    tally::StageSeconds,
};
use crate::blocks::{
    contact::{Change, Contact, ContactLaw, ContactState},
    state::Six,
    system::{BlockMatrix, Cholesky, Pattern},
};

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
    /// Whether in the last iteration no contact opened or closed any more.
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
        seconds: &mut StageSeconds,
    ) -> Attempt {
        let solver = self.solver.as_mut().expect("a pattern is chosen before a step");
        let start = Instant::now();
        equations.assemble(of, solver.pattern(), dt, &mut self.base);
        seconds.assembly += start.elapsed().as_secs_f64();
        let mut attempt = Attempt { motion: None, iterations: 0, settled: false };
        while attempt.iterations < of.settings.step.iterations {
            attempt.iterations += 1;
            let start = Instant::now();
            self.matrix.copy_from(&self.base);
            contacts.iter().for_each(|contact| add_contact(&mut self.matrix, solver.pattern(), equations, contact, law));
            seconds.assembly += start.elapsed().as_secs_f64();
            let start = Instant::now();
            let solution = solver.solve(&self.matrix);
            seconds.solution += start.elapsed().as_secs_f64();
            let Some(solution) = solution else { return Attempt { motion: None, settled: false, ..attempt } };
            let motion: Vec<Six> = equations.rows.iter().map(|row| row.map_or([0.0; 6], |row| solution[row as usize])).collect();
            let mut worst = Change::None;
            for contact in contacts.iter_mut() {
                let d = [contact.candidate.first, contact.candidate.second].map(|block| &motion[block as usize]);
                worst = worst.max(contact.update(d, law));
            }
            attempt.motion = Some(motion);
            attempt.settled = worst < Change::Touch;
            if worst == Change::None {
                break;
            }
        }
        attempt
    }
}

fn add_contact(matrix: &mut BlockMatrix, pattern: &Pattern, equations: &Equations, contact: &Contact, law: &ContactLaw) {
    let rows = [contact.candidate.first, contact.candidate.second].map(|block| equations.rows[block as usize]);
    let parts = |weights: &[Six; 2]| -> [(Option<u32>, Six); 2] { [(rows[0], weights[0]), (rows[1], weights[1])] };
    let spring = |matrix: &mut BlockMatrix, weights: &[Six; 2], stiffness: f64, length: f64| {
        let [one, other] = parts(weights);
        matrix.add_spring(pattern, [(one.0, &one.1), (other.0, &other.1)], stiffness, length);
    };
    match contact.state {
        ContactState::Open => return,
        ContactState::Locked => spring(matrix, &contact.slip_weights, law.shear_stiffness, contact.shear),
        ContactState::Sliding { forwards } => {
            let force = if forwards { -contact.shear_strength() } else { contact.shear_strength() };
            for (row, weights) in parts(&contact.slip_weights) {
                if let Some(row) = row {
                    matrix.add_to_right(row as usize, force, &weights);
                }
            }
        }
    }
    spring(matrix, &contact.gap_weights, law.normal_stiffness, contact.gap);
}
