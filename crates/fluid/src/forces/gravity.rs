//! Gravity on the fluid: `J_i = m g dt`.

use plimsoll_base::math::parallel::{InTasks, TASK};
use rayon::prelude::*;

use super::term::{ForceContext, Impulses, Term};
use crate::coupling::Origin;

pub const TERM: Term = Term { origin: Origin::Gravity, is_active: |_| true, impulses };

fn impulses(context: &ForceContext, impulses: &mut Impulses) {
    let impulse = context.settings.masses().map(|mass| (mass * context.dt * context.settings.gravity).as_vec3a());
    let particles = impulses.on_particles.par_iter_mut().zip(context.materials).in_tasks(TASK);
    particles.for_each(|(on_particle, &material)| *on_particle = impulse.of(material));
}
