//! Stirring: a user pulls the fluid near a point towards a velocity.

use plimsoll_base::math::parallel::{InTasks, TASK};
use rayon::prelude::*;

use super::term::{ForceContext, Impulses, Term};
use crate::coupling::Origin;

pub const TERM: Term = Term { origin: Origin::Outside, is_active: |context| context.stirring.is_some(), impulses };

fn impulses(context: &ForceContext, impulses: &mut Impulses) {
    let Some(stirring) = context.stirring else { return };
    let masses = context.settings.masses();
    let particles = impulses.on_particles.par_iter_mut().zip(context.positions).zip(context.velocities).zip(context.materials);
    particles.in_tasks(TASK).for_each(|(((impulse, position), velocity), &material)| {
        let share = stirring.share(position.as_dvec3(), context.dt);
        *impulse = (masses.of(material) * share * (stirring.velocity - velocity.as_dvec3())).as_vec3a();
    });
}
