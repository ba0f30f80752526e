//! Wall contacts: for each particle near a body, what the body's triangles add to its density.

use std::{ops::Range, sync::Arc};

use glam::{DMat3, DVec3, Mat3A, Vec3A};
use plimsoll_base::math::{
    Domain, Image, OffsetLists, Pose,
    parallel::{InTasks, TASK, sum},
};
use plimsoll_bodies::{Body, Mapping, NearSegment};
use plimsoll_shape::Segment;
use rayon::prelude::*;

use super::convexity::NearWall;
use crate::walls::{NearParts, NormalParts, SurfaceFlow, SurfaceIntegral, WallSurface};

/// One particle near one body: what every sweep of the pressure solve reads.
#[derive(Clone, Copy, Debug)]
pub struct WallContact {
    pub particle: u32,
    pub body: u32,
    /// Position of the particle, m; in a periodic domain that of an image near the body.
    pub point: Vec3A,
    /// f, the wall's share of the particle's relative density.
    pub value: f32,
    /// ∇f, 1/m, pointing into the wall.
    pub gradient: Vec3A,
}

/// Further data of a contact, read once per step.
#[derive(Clone, Copy, Debug)]
pub struct ContactDetail {
    pub body: u32,
    /// The image of the particle whose position the contact has.
    pub image: Image,
    /// A lower bound of the particle's distance to the body, m; at most the cutoff.
    pub clearance: f32,
    /// The segments near the particle: a range of the mapping's list.
    pub segments: (u32, u32),
    /// `−Σ_t d_t (n_t·∇f_t) n_t ⊗ n_t` over the triangles, with the signed distance `d_t` of the particle to the triangle's plane and its
    /// normal `n_t`: it gives the wall's share of the density rate of a linear flow along the wall.
    pub moment: Mat3A,
    /// `−Σ_t sgn(d_t) n_t·∇f_t`, 1/m.
    pub slope: f32,
    /// Velocity of the surface relative to the rigid motion of its body, m/s; zero unless the body deforms.
    pub surface_velocity: Vec3A,
}

/// All wall contacts of a step.
#[derive(Clone, Debug, Default)]
pub struct WallContacts {
    /// Sorted by particle, then body.
    pub list: Vec<WallContact>,
    /// In the same order.
    pub details: Vec<ContactDetail>,
    /// In the same order: what the integrals of a contact are multiplied by, at most one.
    pub weights: Vec<f32>,
    /// Whether any body deforms.
    pub deform: bool,
    /// Indices into `list` of the contacts of each particle and of each body.
    by_particle: OffsetLists,
    by_body: OffsetLists,
    /// Pairs of a particle and a triangle or cluster of triangles that are tested.
    pub triangle_pairs: u64,
    groups: Vec<Range<u32>>,
}

impl WallContacts {
    /// Integrates the mirror layer with the given `cutoff` (m) over the triangles that `mapping` found near each particle.
    pub fn integrate(&mut self, bodies: &[Body], surfaces: &[Arc<WallSurface>], mapping: &Mapping, positions: &[Vec3A], cutoff: f64) {
        self.group(&mapping.near);
        let integrator = Integrator { bodies, surfaces, near: &mapping.near, domain: &mapping.domain, cutoff };
        let contacts = self.groups.par_iter().with_min_len(64);
        let contact = |parts: &mut NearParts, group: &Range<u32>| integrator.contact(group.clone(), positions, parts);
        contacts.map_init(NearParts::default, contact).unzip_into_vecs(&mut self.list, &mut self.details);
        self.deform = surfaces.iter().any(|surface| surface.deforms());
        let parts = |near: &NearSegment| surfaces[near.body as usize].part_count(near.segment) as u64;
        self.triangle_pairs = sum(mapping.near.len(), |index| parts(&mapping.near[index]));
        self.index(positions.len(), bodies.len());
        self.weigh(cutoff as f32);
    }

    /// Multiplies the integrals by the weights of walls that curve away from their particles.
    fn weigh(&mut self, cutoff: f32) {
        let Self { list, details, weights, by_particle, .. } = self;
        let near = |contact: &WallContact| {
            let mut wall = NearWall::default();
            for place in by_particle.range(contact.particle as usize) {
                wall.add(list[place].value, &details[place].moment, details[place].slope);
            }
            wall
        };
        list.par_iter().map(|contact| near(contact).weight(cutoff)).in_tasks(TASK).collect_into(weights);
        list.par_iter_mut().zip(details).zip(weights).in_tasks(TASK).for_each(|((contact, detail), weight)| {
            contact.value *= *weight;
            contact.gradient *= *weight;
            detail.moment *= *weight;
            detail.slope *= *weight;
        });
    }

    /// Work of the impulses (N s) that contacts give their bodies on the surfaces that deform, J.
    pub fn surface_work(&self, impulse: impl Fn(usize, &WallContact) -> DVec3 + Sync) -> f64 {
        let count = if self.deform { self.list.len() } else { 0 };
        sum(count, |place| impulse(place, &self.list[place]).dot(self.details[place].surface_velocity.as_dvec3()))
    }

    /// Finds the runs of equal particle and body. Parts of a body on both sides of a periodic end make one contact: each alone would end at the
    /// cut.
    fn group(&mut self, near: &[NearSegment]) {
        self.groups.clear();
        let mut start = 0;
        for stretch in near.chunk_by(|a, b| (a.particle, a.body) == (b.particle, b.body)) {
            let end = start + stretch.len() as u32;
            self.groups.push(start..end);
            start = end;
        }
    }

    fn index(&mut self, particle_count: usize, body_count: usize) {
        let places = || self.list.iter().zip(0..);
        self.by_particle.rebuild(particle_count, places().map(|(contact, place)| (contact.particle, place)));
        self.by_body.rebuild(body_count, places().map(|(contact, place)| (contact.body, place)));
    }

    /// Contacts of particle `index`.
    #[inline]
    pub fn of(&self, index: usize) -> &[WallContact] {
        &self.list[self.by_particle.range(index)]
    }

    /// Indices in the list of the contacts of particle `index`; none before the first search.
    #[inline]
    pub fn range_of(&self, index: usize) -> Range<usize> {
        if self.list.is_empty() { 0..0 } else { self.by_particle.range(index) }
    }

    /// Share of the relative density of particle `index` that walls add; zero before the first search.
    pub fn share(&self, index: usize) -> f32 {
        if self.list.is_empty() { 0.0 } else { self.of(index).iter().map(|contact| contact.value).sum() }
    }

    /// Details of the contacts of particle `index`.
    pub fn details_of(&self, index: usize) -> &[ContactDetail] {
        &self.details[self.by_particle.range(index)]
    }

    /// Sum of `term(index in the list, contact)` over the contacts of each body, in a fixed order.
    pub fn sum_by_body<T>(&self, term: impl Fn(usize, &WallContact) -> T + Sync) -> impl Iterator<Item = T>
    where
        T: Default + std::ops::AddAssign + Send,
    {
        self.sum_by_some(|_| true, term)
    }

    /// The same for bodies that are `wanted`; zero for others.
    pub fn sum_by_some<T>(&self, wanted: impl Fn(usize) -> bool, term: impl Fn(usize, &WallContact) -> T + Sync) -> impl Iterator<Item = T>
    where
        T: Default + std::ops::AddAssign + Send,
    {
        (0..self.by_body.key_count()).map(move |body| {
            if !wanted(body) {
                return T::default();
            }
            let places = self.by_body.of(body);
            sum(places.len(), |index| term(places[index] as usize, &self.list[places[index] as usize]))
        })
    }
}

struct Integrator<'a> {
    bodies: &'a [Body],
    surfaces: &'a [Arc<WallSurface>],
    near: &'a [NearSegment],
    domain: &'a Domain,
    cutoff: f64,
}

impl Integrator<'_> {
    fn contact(&self, segments: Range<u32>, positions: &[Vec3A], parts: &mut NearParts) -> (WallContact, ContactDetail) {
        let stretch = &self.near[segments.start as usize..segments.end as usize];
        let NearSegment { particle, body, image, .. } = stretch[0];
        let (pose, surface): (&Pose, &WallSurface) = (&self.bodies[body as usize].pose, &self.surfaces[body as usize]);
        let at = |image: Image| positions[particle as usize].as_dvec3() + self.domain.shift(image);
        let mut sum = SurfaceIntegral::default();
        let mut along_normals = NormalParts::default();
        let mut flow = SurfaceFlow::default();
        let mut clearance = self.cutoff;
        for of_image in stretch.chunk_by(|a, b| a.image == b.image) {
            let point = pose.inverse_transform_point(at(of_image[0].image));
            for near in of_image {
                if self.segment(near).aabb.distance_squared(point) >= self.cutoff * self.cutoff {
                    continue;
                }
                let bound = surface.choose(near.segment, point, self.cutoff, parts);
                if bound < clearance {
                    clearance = clearance.min(bound.max(self.segment(near).ball.distance_bound(point)));
                }
            }
            let (integral, parts_of_image) = surface.integrate(point, self.cutoff, parts, &mut flow);
            sum += integral;
            along_normals += parts_of_image;
        }
        let gradient = world_gradient(pose, sum.gradient);
        let contact = WallContact { particle, body, point: at(image).as_vec3a(), value: sum.value.max(0.0) as f32, gradient };
        let (clearance, segments) = (clearance as f32, (segments.start, segments.end));
        let surface_velocity = pose.transform_vector(flow.velocity()).as_vec3a();
        let (moment, slope) = (world_moment(pose, &along_normals.moment), along_normals.slope as f32);
        (contact, ContactDetail { body, image, clearance, segments, moment, slope, surface_velocity })
    }

    fn segment(&self, near: &NearSegment) -> &Segment {
        &self.bodies[near.body as usize].segmentation.segments[near.segment as usize]
    }
}

fn world_moment(pose: &Pose, moment: &DMat3) -> Mat3A {
    let rotation = DMat3::from_quat(pose.rotation);
    Mat3A::from((rotation * *moment * rotation.transpose()).as_mat3())
}

fn world_gradient(pose: &Pose, gradient: DVec3) -> Vec3A {
    pose.transform_vector(gradient).as_vec3a()
}
