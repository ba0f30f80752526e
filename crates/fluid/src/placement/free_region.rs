//! The part of a fill's region that is free: outside the bodies and the earlier fills.

use glam::{DVec3, Vec3A};
use plimsoll_base::math::Domain;
use rayon::prelude::*;

use super::{
    FillOutcome, Obstacles,
    lattice::{INNER_ROOM, Lattice, Layers, Site},
    overlapping::overlapping,
    region::Region,
};

/// Lattice points with less room are left out, in particle radii; relaxation moves the others away from walls.
const MIN_ROOM: f64 = 0.4;
/// A particle is left out if it is closer than this to one of an earlier fill, in particle radii.
pub const MIN_DISTANCE: f64 = 1.5;
/// Length of differences of the room, in particle radii.
const SLOPE: f64 = 1e-3;
/// Distance of any point in a lattice from the nearest site, in particle radii, and a little more.
const LATTICE_REACH: f64 = 1.8;
/// Number of samples with which the volume of a region is measured that others cut.
const SAMPLES: usize = 20_000;

/// A region without what others take of it.
pub struct FreeRegion<'a> {
    pub region: &'a Region<'a>,
    pub obstacles: &'a Obstacles,
    /// The regions of earlier fills near this one.
    pub others: Vec<&'a Region<'a>>,
    pub domain: &'a Domain,
    /// m
    pub particle_radius: f64,
}

impl FreeRegion<'_> {
    /// Fills the region: places of particles, and what they make of it. `placed` are the particles of the other regions.
    pub fn fill(&self, lattice: &Lattice, placed: &[Vec3A]) -> (Vec<DVec3>, FillOutcome) {
        let sites = lattice.sites(self.region, Layers::Whole);
        let count = sites.len();
        let (plain, others) = self.divide(sites);
        let is_cut =
            !self.others.is_empty() || plain.len() + others.len() < count || plain.iter().chain(&others).any(Place::is_near_a_body);
        let volume = self.region.volume() * if is_cut { self.share() } else { 1.0 };
        let outcome = |count: usize| FillOutcome {
            shape_volume: volume,
            particle_volume: count as f64 * self.particle_volume(),
            particle_diameter: 2.0 * self.particle_radius,
            span: lattice.span(self.region),
        };
        let plain = self.apart(plain, placed);
        let places = if outcome(plain.len()).is_as_wanted() { plain } else { self.fit(lattice, volume, placed) };
        let outcome = outcome(places.len());
        (places.into_iter().map(|place| place.site.point).collect(), outcome)
    }

    /// As many places as particles have `volume` (m³), or fewer if they have no room: the sites with most room, and points near sites outside if those inside
    /// are too few.
    fn fit(&self, lattice: &Lattice, volume: f64, placed: &[Vec3A]) -> Vec<Place> {
        let count = (volume / self.particle_volume()).round().max(1.0) as usize;
        let (inside, outside) = self.divide(lattice.sites(self.region, Layers::Partial));
        let inside = self.apart(inside, placed);
        if inside.len() >= count {
            return self.most_room(inside, count);
        }
        let outside = self.apart(self.pulled_in(outside, &inside), placed);
        let (missing, mut places) = (count - inside.len(), inside);
        places.extend(self.most_room(outside, missing));
        places.sort_unstable_by_key(|place| place.site.index);
        places
    }

    /// The sites inside, and those outside whose cells reach into the region.
    fn divide(&self, sites: Vec<Site>) -> (Vec<Place>, Vec<Place>) {
        let radius = self.particle_radius;
        let places = sites.into_par_iter().map(|site| self.place(site));
        places.filter(|place| place.room() > -radius).partition(|place| place.room() >= MIN_ROOM * radius)
    }

    /// m³
    fn particle_volume(&self) -> f64 {
        (2.0 * self.particle_radius).powi(3)
    }

    /// Share of the region that is free. Multiples of irrational numbers fill a box evenly wherever the walls in it are; a lattice would miss a wall or count
    /// it twice.
    fn share(&self) -> f64 {
        let (aabb, steps) = (self.region.aabb(), DVec3::from_array([2.0, 3.0, 5.0].map(f64::sqrt)));
        let sample = |index: usize| aabb.min + aabb.extent() * ((index as f64 + 0.5) * steps).fract();
        let inside: Vec<DVec3> = (0..SAMPLES).into_par_iter().map(sample).filter(|&point| self.region.contains(point)).collect();
        let free = inside.par_iter().filter(|&&point| !self.obstacles.hold(point) && !self.is_in_another(point)).count();
        if inside.is_empty() { 1.0 } else { free as f64 / inside.len() as f64 }
    }

    fn is_in_another(&self, point: DVec3) -> bool {
        let images = || self.domain.images().map(|image| point + self.domain.shift(image));
        self.others.iter().any(|other| images().any(|point| other.contains(point)))
    }

    fn place(&self, site: Site) -> Place {
        let depth = self.region.depth(site.point) + MIN_ROOM * self.particle_radius;
        Place { site, depth, clearance: self.obstacles.clearance(site.point) }
    }

    /// The sites outside, moved inside along the gradient of the room, where they have enough room and there is one of the sites `inside` behind them: not
    /// into a dry boat through its hull.
    fn pulled_in(&self, outside: Vec<Place>, inside: &[Place]) -> Vec<Place> {
        let radius = self.particle_radius;
        let pulled = outside.into_par_iter().filter_map(|place| {
            let at = place.site.point;
            let room = |point: DVec3| self.place(Site { point, ..place.site }).room();
            let slope = |axis: DVec3| room(at + SLOPE * radius * axis) - room(at - SLOPE * radius * axis);
            let inward = DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z)).normalize_or_zero();
            let point = at + inward * (INNER_ROOM * radius - place.room());
            (room(point) >= MIN_ROOM * radius)
                .then_some((Place { site: Site { point, ..place.site }, ..place }, point + inward * 2.0 * radius))
        });
        let (places, behind): (Vec<Place>, Vec<DVec3>) = pulled.unzip();
        let inside: Vec<Vec3A> = inside.iter().map(|place| place.site.point.as_vec3a()).collect();
        let is_fluid = overlapping(&inside, self.domain, &behind, LATTICE_REACH * radius);
        places.into_iter().zip(is_fluid).filter_map(|(place, is_fluid)| is_fluid.then_some(place)).collect()
    }

    /// Those of `places` that are not too close to particles at `placed`.
    fn apart(&self, places: Vec<Place>, placed: &[Vec3A]) -> Vec<Place> {
        let points: Vec<DVec3> = places.iter().map(|place| place.site.point).collect();
        let near = overlapping(placed, self.domain, &points, MIN_DISTANCE * self.particle_radius);
        places.into_iter().zip(near).filter_map(|(place, near)| (!near).then_some(place)).collect()
    }

    /// Up to `count` of `places`, those with most room, in the same order. Of those with equal room, up to a thousandth of the radius, some that are
    /// spread evenly.
    fn most_room(&self, mut places: Vec<Place>, count: usize) -> Vec<Place> {
        if places.len() > count {
            let rounded = |place: &Place| (1e3 * place.room() / self.particle_radius).round();
            places.sort_unstable_by(|one, two| {
                let by_spread = one.site.spread.total_cmp(&two.site.spread).then(one.site.index.cmp(&two.site.index));
                rounded(two).total_cmp(&rounded(one)).then(by_spread)
            });
            places.truncate(count);
            places.sort_unstable_by_key(|place| place.site.index);
        }
        places
    }
}

/// A site and what is around it.
#[derive(Clone, Copy)]
struct Place {
    site: Site,
    /// Distance from the surface of the region plus [`MIN_ROOM`], negative outside, m.
    depth: f64,
    /// Distance from the nearest body, negative inside, m; infinite from one particle radius on.
    clearance: f64,
}

impl Place {
    fn room(&self) -> f64 {
        self.depth.min(self.clearance)
    }

    fn is_near_a_body(&self) -> bool {
        self.clearance.is_finite()
    }
}
