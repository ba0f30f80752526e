//! Fluid and floating bodies that have left the domain: they are removed, reported, or end the run.

use plimsoll_base::math::format::list;
use plimsoll_bodies::Body;
use plimsoll_contract::simulator::SimulationError;

use crate::{
    FluidSimulation,
    domain_box::{DomainBox, Outside},
};

impl FluidSimulation {
    /// Removes the particles outside the domain if it says so.
    pub(super) fn remove_outside(&mut self) {
        let Self { settings, particles, ledger, totals, .. } = self;
        let Some(limits) = settings.domain_box.filter(|limits| limits.outside == Outside::Remove) else { return };
        let outside = particles.places_where(|position| !limits.contains(position.as_dvec3(), &settings.domain));
        ledger.remove_particles(settings, particles, &outside);
        totals.left += outside.len() as u64;
    }

    /// Number of particles outside a domain that reports them.
    pub(super) fn reported_outside(&self) -> Option<u64> {
        let limits = self.settings.domain_box.filter(|limits| limits.outside == Outside::Report)?;
        Some(self.particles_outside(&limits).len() as u64)
    }

    /// # Errors
    /// Something is outside a domain that must not be left.
    pub(super) fn check_domain(&self) -> Result<(), SimulationError> {
        let Some(limits) = self.settings.domain_box.filter(|limits| limits.outside == Outside::End) else { return Ok(()) };
        let escape = |what: String, cause: &str| SimulationError {
            time: self.time,
            step: self.steps,
            what,
            cause: cause.to_owned(),
            remedy:
                "check the places of fills, emitters and bodies in the scene, enlarge fluid.domain.box, or set fluid.domain.outside to \
                     \"remove\" or \"report\""
                    .to_owned(),
        };
        let outside = self.particles_outside(&limits);
        if let Some(&first) = outside.iter().min_by_key(|&&place| self.particles.ids[place as usize]) {
            let (id, x) = (self.particles.ids[first as usize], self.particles.positions[first as usize]);
            let who = format!("particle {id} at [{:.3}, {:.3}, {:.3}]", x.x, x.y, x.z);
            let what = match outside.len() {
                1 => format!("{who} is outside fluid.domain"),
                count => format!("{count} particles are outside fluid.domain, the first of them {who}"),
            };
            return Err(escape(what, "fluid that no body holds"));
        }
        match self.bodies_outside(&limits).next() {
            Some(body) => {
                let what = format!("the center of body \"{}\", {}, is outside fluid.domain", body.name, list(body.center()));
                Err(escape(what, "a floating body that nothing holds"))
            }
            None => Ok(()),
        }
    }

    /// Lines on what has left the domain.
    pub(super) fn domain_summary(&self) -> Vec<String> {
        let Some(limits) = self.settings.domain_box else { return Vec::new() };
        let mut lines = Vec::new();
        if self.totals.left > 0 {
            lines.push(format!("left the domain and were removed: {} particles", self.totals.left));
        }
        if let Some(count) = self.reported_outside().filter(|&count| count > 0) {
            lines.push(format!("outside the domain: {count} particles"));
        }
        let bodies: Vec<String> = self.bodies_outside(&limits).map(|body| format!("\"{}\"", body.name)).collect();
        if !bodies.is_empty() {
            lines.push(format!("outside the domain: body {}", bodies.join(", ")));
        }
        lines
    }

    /// Indices of the particles outside `limits`, increasing.
    fn particles_outside(&self, limits: &DomainBox) -> Vec<u32> {
        self.particles.places_where(|position| !limits.contains(position.as_dvec3(), &self.settings.domain))
    }

    /// The floating bodies whose centers are outside `limits`.
    fn bodies_outside<'a>(&'a self, limits: &'a DomainBox) -> impl Iterator<Item = &'a Body> {
        let floating = self.bodies.list.iter().filter(|body| body.floating().is_some() && body.is_present());
        floating.filter(|body| !limits.contains(body.center(), &self.settings.domain))
    }
}
