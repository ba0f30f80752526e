//! One step of grains and bodies: velocity Verlet, forces by contacts.

use glam::DVec3;

use super::{
    contacts::Surroundings,
    record::Stage,
    settings::SearchMethod,
    simulation::GrainsSimulation,
    walls::{WallScene, Walls},
};
use crate::{
    bodies::{Bodies, BodyKind, Impulse},
    search::brute_force,
};

impl GrainsSimulation {
    /// A step of `dt` seconds that ends at time `end`.
    pub(super) fn step(&mut self, dt: f64, end: f64) {
        self.scratch.times.start();
        let half = 0.5 * dt;
        if self.scratch.law.turns() {
            self.grains.twist(half);
        }
        let strayed = self.grains.kick_and_drift(dt, self.settings.gravity);
        self.move_bodies(dt, end);
        self.scratch.times.finish(Stage::Motion);
        if strayed || self.body_path > self.widest_skin() {
            self.search();
        }
        self.scratch.times.finish(Stage::Search);
        self.react(dt);
        self.grains.kick(half, self.settings.gravity);
        if self.scratch.law.turns() {
            self.grains.twist(half);
        }
        self.push_bodies(half);
        self.time = end;
        self.steps += 1;
        self.dt = dt;
        self.scratch.times.finish(Stage::Motion);
    }

    /// Forces of all contacts at the present places.
    pub(super) fn react(&mut self, dt: f64) {
        let Self { settings, scratch, .. } = self;
        let space = &settings.space;
        let surroundings = Surroundings { law: &scratch.law, space, periodic: space.is_periodic(), dt };
        self.contacts.react(&mut self.grains, surroundings);
        self.scratch.times.finish(Stage::Contacts);
        let skin = self.widest_skin();
        let scene = WallScene { law: &self.scratch.law, space: &self.settings.space, material: self.settings.wall_material, skin, dt };
        self.walls.react(&mut self.grains, &self.bodies.list, &scene);
        if self.scratch.has_bodies {
            self.loads = self.walls.body_loads(&self.bodies.list);
        }
        self.scratch.times.finish(Stage::Walls);
    }

    pub(super) fn surroundings(&self) -> Surroundings<'_> {
        Surroundings { law: &self.scratch.law, space: &self.settings.space, periodic: self.settings.space.is_periodic(), dt: 0.0 }
    }

    pub(super) fn wall_scene(&self) -> WallScene<'_> {
        let (law, space, material) = (&self.scratch.law, &self.settings.space, self.settings.wall_material);
        WallScene { law, space, material, skin: self.widest_skin(), dt: 0.0 }
    }

    /// Of a grain or a body, metres: two of them make up the skin of the plan, by which cells are wider than the grains in them.
    fn widest_skin(&self) -> f64 {
        0.5 * self.scratch.octree.plan.skin
    }

    /// First half of the bodies' step, in which they move.
    fn move_bodies(&mut self, dt: f64, end: f64) {
        if !self.scratch.has_bodies {
            return;
        }
        self.bodies.begin_step(self.time, dt);
        self.bodies.apply_external_forces(self.settings.gravity, dt);
        self.push_bodies(0.5 * dt);
        self.bodies.expect_contacts(dt);
        self.bodies.step(end, dt);
        let extents = &self.scratch.extents;
        let path = self.bodies.list.iter().zip(extents).filter(|(body, _)| !matches!(body.kind, BodyKind::Static)).map(|(body, extent)| {
            let moved = body.center().distance(body.previous_pose.transform_point(body.local_center));
            moved + body.previous_pose.rotation.angle_between(body.pose.rotation) * extent
        });
        self.body_path += path.fold(0.0, f64::max);
    }

    /// Half a step of what grains do to bodies.
    fn push_bodies(&mut self, half: f64) {
        for index in 0..self.loads.len() {
            let Impulse { linear, angular } = self.loads[index];
            if linear != DVec3::ZERO || angular != DVec3::ZERO {
                self.bodies.apply_impulse(index, Impulse { linear: linear * half, angular: angular * half });
            }
        }
    }

    /// Sorts grains into cells and finds who is near whom; contacts remember what they were.
    pub(super) fn search(&mut self) {
        let space = self.settings.space;
        if space.is_periodic() {
            self.grains.spheres.iter_mut().for_each(|sphere| sphere.center = space.wrapped(sphere.center));
        }
        let widest = self.widest_skin();
        let octree = &mut self.scratch.octree;
        octree.sort(&self.grains.spheres);
        if !octree.is_in_order() {
            self.grains.reorder(octree, &mut self.scratch.exchange);
        }
        self.grains.pad(widest);
        let padded = &self.grains.padded;
        match self.settings.search {
            SearchMethod::Octree(_) => {
                octree.find_overlaps(padded);
                self.contacts.replace(&octree.list.pairs, &octree.list.starts, octree.order());
                self.counts.searches += octree.list.searches;
                self.counts.tests += octree.list.tests;
            }
            SearchMethod::BruteForce => {
                let count = self.grains.len();
                let pairs = brute_force::pairs(padded, &space, 0.0);
                let starts: Vec<u32> = (0..=count).map(|first| pairs.partition_point(|pair| (pair[0] as usize) < first) as u32).collect();
                self.contacts.replace(&pairs, &starts, octree.order());
                self.counts.tests += (count * count.saturating_sub(1) / 2) as u64;
            }
        }
        let mut walls = std::mem::take(&mut self.walls);
        walls.search(&self.grains, &self.bodies.list, &self.scratch.octree, &self.wall_scene());
        self.walls = walls;
        self.body_path = 0.0;
        self.counts.rebuilds += 1;
    }
}

/// Surfaces of all bodies made ready, and how far each reaches from its centre, metres.
pub(super) fn prepare_walls(walls: &mut Walls, bodies: &Bodies) -> Vec<f64> {
    walls.prepare(bodies);
    bodies.list.iter().map(|body| body.extent()).collect()
}
