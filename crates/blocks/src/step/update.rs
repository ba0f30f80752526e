//! End of a step: moves blocks, updates velocities and stresses, and stores contacts.

use glam::DVec2;

use crate::{
    block::{Dof6, displacement},
    contact::{Contact, ContactState},
    simulation::BlocksSimulation,
    timing::BlocksStage,
};

impl BlocksSimulation {
    /// Moves all blocks by `motion`.
    pub(super) fn commit(&mut self, contacts: &[Contact], motion: &[Dof6], dt: f64, until: f64) {
        self.working.times.start();
        let law = self.law();
        let ends = |contact: &Contact| [contact.candidate.first, contact.candidate.second].map(|block| &motion[block as usize]);
        self.report.max_displacement = self.max_displacement(motion);
        self.report.support = self.support(contacts, motion, dt);
        for contact in contacts {
            self.report.closed += u64::from(contact.state != ContactState::Open);
            self.report.sliding += u64::from(contact.state == ContactState::Sliding);
            self.report.max_penetration = self.report.max_penetration.max(-contact.measure(ends(contact)).0);
        }
        self.memory.replace(contacts.iter().filter_map(|contact| contact.remember(ends(contact), &law)));
        for point in &mut self.state.points {
            point.position = self.state.blocks[point.block as usize].moved(point.position, &motion[point.block as usize]);
        }
        let kept = self.settings.step.velocity_kept;
        for (index, d) in motion.iter().enumerate().filter(|(index, _)| self.working.equations.rows[*index].is_some()) {
            let block = &mut self.state.blocks[index];
            for (rate, &d) in block.velocity.iter_mut().zip(d) {
                *rate = 2.0 * d / dt - kept * *rate;
            }
            let [direct, cross, shear] = self.settings.materials[block.material as usize].stiffness(self.settings.plane);
            let [.., x, y, xy] = *d;
            block.stress[0] += direct * x + cross * y;
            block.stress[1] += cross * x + direct * y;
            block.stress[2] += shear * xy;
            self.state.move_block(index, d);
        }
        self.state.update_boxes();
        self.time = if until - (self.time + dt) < 1e-6 * dt { until } else { self.time + dt };
        self.steps += 1;
        self.unsettled += u64::from(!self.report.settled);
        self.report.dt = dt;
        let shortened = self.report.cuts > 0;
        self.next_dt = if shortened { dt } else { self.settings.step.maximum.min(1.5 * self.next_dt) };
        self.working.times.finish(BlocksStage::Update);
    }

    /// Force of the blocks on fixed blocks and fixed points at the end of the step, N.
    fn support(&self, contacts: &[Contact], motion: &[Dof6], dt: f64) -> DVec2 {
        let law = self.law();
        let mut sum = DVec2::ZERO;
        for contact in contacts.iter().filter(|contact| contact.state != ContactState::Open) {
            let fixed = [contact.candidate.first, contact.candidate.second].map(|block| self.state.blocks[block as usize].fixed);
            let d = [contact.candidate.first, contact.candidate.second].map(|block| &motion[block as usize]);
            let (gap, _) = contact.measure(d);
            // Force on the block of the vertex; the tangent is the normal rotated to the left.
            let force = -law.normal_stiffness * gap * contact.normal - contact.shear_force(d) * contact.tangent();
            sum += match fixed {
                [true, false] => force,
                [false, true] => -force,
                _ => DVec2::ZERO,
            };
        }
        let expected = self.expected_motion(dt);
        for &point in &self.supports.fixed_points {
            let point = self.state.points[point as usize];
            let block = &self.state.blocks[point.block as usize];
            if block.moves() {
                let arm = block.mid_arm(point.position, &expected[point.block as usize]);
                let moved = point.position + displacement(arm, &motion[point.block as usize]) - point.start;
                sum += self.settings.step.normal_stiffness * moved;
            }
        }
        sum
    }
}
