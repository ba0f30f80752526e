//! One step of grains and bodies: velocity Verlet with contact forces.

use glam::DVec3;
use plimsoll_bodies::{BodyKind, Impulse};
use plimsoll_search::brute_force;

use super::{contacts::PairContext, settings::SearchMethod, simulation::GrainsSimulation, timing::GrainsStage, walls::WallContext};

impl GrainsSimulation {
    /// A step toward `until` (s): the remaining time divided into equal steps, none longer than the maximum step or too long for fast grains.
    pub(super) fn step_towards(&mut self, until: f64) {
        let left = until - self.time;
        let longest = self.travel_limit(self.max_step);
        let steps = (left / longest * (1.0 - 1e-9)).ceil().max(1.0);
        if steps == 1.0 {
            self.step(left, until);
        } else {
            let dt = left / steps;
            self.step(dt, self.time + dt);
        }
    }

    /// A step of `dt` seconds that ends at time `end`.
    fn step(&mut self, dt: f64, end: f64) {
        self.scratch.times.start();
        let half = 0.5 * dt;
        if self.scratch.law.turns() {
            self.grains.twist(half);
        }
        let strayed = self.grains.kick_and_drift(dt, self.settings.gravity);
        self.move_bodies(dt, end);
        self.scratch.times.finish(GrainsStage::Motion);
        if strayed || self.body_path > self.widest_skin() {
            self.search();
        }
        self.scratch.times.finish(GrainsStage::Search);
        self.react(dt);
        self.grains.kick(half, self.settings.gravity);
        if self.scratch.law.turns() {
            self.grains.twist(half);
        }
        self.push_bodies(half);
        self.time = end;
        self.steps += 1;
        self.dt = dt;
        self.scratch.times.finish(GrainsStage::Motion);
    }

    /// Forces of all contacts at the current positions.
    pub(super) fn react(&mut self, dt: f64) {
        let Self { settings, scratch, .. } = self;
        let domain = &settings.domain;
        let context = PairContext { law: &scratch.law, domain, periodic: domain.is_periodic(), dt };
        let between_grains = self.contacts.react(&mut self.grains, context);
        self.scratch.times.finish(GrainsStage::Contacts);
        let skin = self.widest_skin();
        let scene = WallContext { law: &self.scratch.law, domain: &self.settings.domain, material: self.settings.wall_material, skin, dt };
        let on_walls = self.walls.react(&mut self.grains, &self.bodies.list, &scene);
        let overlaps = between_grains.max(on_walls);
        self.passage = overlaps.passage;
        self.max_overlap = self.max_overlap.max(overlaps.relative);
        self.worst_overlap = self.worst_overlap.max(self.max_overlap);
        if self.scratch.has_bodies {
            self.loads = self.walls.body_loads(&self.bodies.list);
        }
        self.scratch.times.finish(GrainsStage::Walls);
    }

    pub(super) fn context(&self) -> PairContext<'_> {
        PairContext { law: &self.scratch.law, domain: &self.settings.domain, periodic: self.settings.domain.is_periodic(), dt: 0.0 }
    }

    pub(super) fn wall_scene(&self) -> WallContext<'_> {
        let (law, domain, material) = (&self.scratch.law, &self.settings.domain, self.settings.wall_material);
        WallContext { law, domain, material, skin: self.widest_skin(), dt: 0.0 }
    }

    /// Maximum skin of a grain or body, m. Two of them make up the skin of the plan, by which cells are wider than their grains.
    pub(super) fn widest_skin(&self) -> f64 {
        0.5 * self.scratch.grid.plan.skin
    }

    /// First half of the bodies' step, in which they move.
    fn move_bodies(&mut self, dt: f64, end: f64) {
        if !self.scratch.has_bodies {
            return;
        }
        self.bodies.begin_step(self.time, dt, self.settings.gravity);
        self.bodies.apply_external_forces(self.settings.gravity, dt);
        self.push_bodies(0.5 * dt);
        self.bodies.apply_expected_contacts(dt);
        self.bodies.step(end, dt);
        let extents = &self.scratch.extents;
        let path = self.bodies.list.iter().zip(extents).filter(|(body, _)| !matches!(body.kind, BodyKind::Static)).map(|(body, extent)| {
            let moved = body.center().distance(body.previous_pose.transform_point(body.local_center));
            moved + body.previous_pose.rotation.angle_between(body.pose.rotation) * extent
        });
        self.body_path += path.fold(0.0, f64::max);
    }

    /// Applies half a step of the grains' loads to the bodies.
    fn push_bodies(&mut self, half: f64) {
        for index in 0..self.loads.len() {
            let Impulse { linear, angular } = self.loads[index];
            if linear != DVec3::ZERO || angular != DVec3::ZERO {
                self.bodies.apply_impulse(index, Impulse { linear: linear * half, angular: angular * half });
            }
        }
    }

    /// Sorts the grains into cells and finds nearby pairs. Contacts keep their histories.
    pub(super) fn search(&mut self) {
        let domain = self.settings.domain;
        if domain.is_periodic() {
            self.grains.spheres.iter_mut().for_each(|sphere| sphere.center = domain.wrap(sphere.center));
        }
        let widest = self.widest_skin();
        let grid = &mut self.scratch.grid;
        grid.sort(&self.grains.spheres);
        if !grid.is_in_order() {
            self.grains.reorder(grid, &mut self.scratch.exchange);
        }
        self.grains.pad(widest);
        let padded = &self.grains.padded;
        match self.settings.search {
            SearchMethod::HierarchicalGrid(_) => {
                grid.find_overlaps(padded);
                self.contacts.replace(&grid.list.pairs, &grid.list.starts, grid.order());
                self.counts.searches += grid.list.searches;
                self.counts.tests += grid.list.tests;
            }
            SearchMethod::BruteForce => {
                let count = self.grains.len();
                let pairs = brute_force::pairs(padded, &domain, 0.0);
                let starts: Vec<u32> = (0..=count).map(|first| pairs.partition_point(|pair| (pair[0] as usize) < first) as u32).collect();
                self.contacts.replace(&pairs, &starts, grid.order());
                self.counts.tests += (count * count.saturating_sub(1) / 2) as u64;
            }
        }
        let mut walls = std::mem::take(&mut self.walls);
        walls.search(&self.grains, &self.bodies.list, &self.scratch.grid, &self.wall_scene());
        self.walls = walls;
        self.body_path = 0.0;
        self.counts.rebuilds += 1;
    }
}
