//! Acceleration fields: `J_i = m a(x_i, t) dt`.

use plimsoll_base::math::parallel::{InTasks, TASK};
use rayon::prelude::*;

use super::term::{ForceContext, Impulses, Term};
use crate::coupling::Origin;

pub const TERM: Term = Term { origin: Origin::Outside, is_active: |context| !context.field_changes.is_empty(), impulses };

fn impulses(context: &ForceContext, impulses: &mut Impulses) {
    let masses = context.settings.masses();
    let particles = impulses.on_particles.par_iter_mut().zip(context.field_changes).zip(context.materials);
    particles.in_tasks(TASK).for_each(|((impulse, &change), &material)| *impulse = masses.of(material) as f32 * change);
}
