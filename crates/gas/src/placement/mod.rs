//! Placement: from settings to spheres with positions and velocities.
//!
//! Spheres of each group are placed at random, the largest first. If this fails, all groups of a region are placed on a lattice in random
//! order; if there is no such lattice, at random with overlaps, and then moved apart. Velocities are drawn for the group's temperature and then corrected, so that each group has exactly its mean velocity and its
//! temperature `T = m <|v − u|²> / d` (in units of energy: Boltzmann's constant is one; `d` dimensions).

mod lattice;
mod separate;

use glam::DVec3;

use super::{
    container::{Container, Dimension},
    error::GasError,
    settings::{GasSettings, Group, Species, SpeedDistribution},
    state::{GasSetup, SphereState},
};
use plimsoll_base::math::Random;
use plimsoll_contract::simulator::{Unwatched, Watch};
use plimsoll_search::{Occupancy, Sphere};
use separate::{Movable, free_scale, separate};

/// Random positions tried for each sphere before a lattice is used.
const TRIALS: usize = 200;

impl GasSettings {
    /// Places all spheres: first those with given positions, then group by group.
    ///
    /// # Errors
    /// [`GasError::NoRoom`] if a group does not fit.
    pub fn set_up(&self) -> Result<GasSetup, GasError> {
        self.set_up_watched(&Unwatched)
    }

    /// [`GasSettings::set_up`] that reports progress to `watch`.
    ///
    /// # Errors
    /// As for `set_up`, or `watch` interrupts.
    pub(super) fn set_up_watched(&self, watch: &dyn Watch) -> Result<GasSetup, GasError> {
        let mut random = Random::new(self.seed);
        let mut species: Vec<Species> = Vec::new();
        let mut number = |wanted: Species| {
            let index = species.iter().position(|known| *known == wanted).unwrap_or_else(|| {
                species.push(wanted);
                species.len() - 1
            });
            index as u16
        };
        let mut spheres: Vec<SphereState> = Vec::new();
        for placed in &self.placed {
            spheres.push(SphereState { position: placed.position, velocity: placed.velocity, species: number(placed.species) });
        }
        let groups: Vec<u16> = self.groups.iter().map(|group| number(group.species)).collect();
        let mut placement = Placement::new(self, watch);
        self.placed.iter().for_each(|placed| placement.add(placed.position, placed.species.radius));
        let places = self.place_groups(&mut placement, &mut random)?;
        for ((group, &index), places) in self.groups.iter().zip(&groups).zip(places) {
            let velocities = velocities(group, self.container.dimension(), &mut random);
            let states = places.into_iter().zip(velocities);
            spheres.extend(states.map(|(position, velocity)| SphereState { position, velocity, species: index }));
        }
        Ok(GasSetup { container: self.container.clone(), impact: self.impact, species, spheres })
    }

    /// Positions of the spheres of each group.
    fn place_groups(&self, placement: &mut Placement, random: &mut Random) -> Result<Vec<Vec<DVec3>>, GasError> {
        let mut places = vec![Vec::new(); self.groups.len()];
        let mut order: Vec<usize> = (0..self.groups.len()).collect();
        order.sort_by(|&a, &b| self.groups[b].species.radius.total_cmp(&self.groups[a].species.radius));
        // One region after another, so that a region too dense for random placement can be restarted on a lattice.
        while let Some(&first) = order.first() {
            let region = self.groups[first].region;
            let (here, others): (Vec<usize>, Vec<usize>) = order.into_iter().partition(|&index| self.groups[index].region == region);
            order = others;
            let before = placement.len();
            let placed: Option<Result<Vec<_>, GasError>> =
                here.iter().map(|&index| placement.place(&self.groups[index], random).transpose()).collect();
            let found = match placed.transpose()? {
                Some(found) => found,
                None => {
                    placement.truncate(before);
                    let groups: Vec<Group> = here.iter().map(|&index| self.groups[index]).collect();
                    let lattice = placement.place_on_lattice(&groups, random);
                    lattice.map_or_else(|| placement.place_apart(&here, &groups, random), Ok)?
                }
            };
            for (index, found) in here.into_iter().zip(found) {
                places[index] = found;
            }
        }
        Ok(places)
    }
}

/// Sums of radii are enlarged by this fraction, to avoid overlaps due to rounding.
const CLEARANCE: f64 = 1e-12;

/// The spheres placed so far, in a box.
struct Placement<'s> {
    container: &'s Container,
    /// Final number of spheres.
    count: usize,
    largest: f64,
    occupancy: Occupancy,
    spheres: Vec<Sphere>,
    watch: &'s dyn Watch,
}

impl<'s> Placement<'s> {
    fn new(settings: &'s GasSettings, watch: &'s dyn Watch) -> Self {
        let count = settings.groups.iter().map(|group| group.count).sum::<usize>() + settings.placed.len();
        let radii =
            settings.groups.iter().map(|group| group.species.radius).chain(settings.placed.iter().map(|placed| placed.species.radius));
        let largest = radii.fold(0.0, f64::max);
        let occupancy = Occupancy::new(settings.container.domain_at(0.0), largest, count);
        Self { container: &settings.container, count, largest, occupancy, spheres: Vec::new(), watch }
    }

    fn len(&self) -> usize {
        self.spheres.len()
    }

    /// Removes all spheres except the first `count`.
    fn truncate(&mut self, count: usize) {
        self.spheres.truncate(count);
        self.occupancy = Occupancy::new(self.container.domain_at(0.0), self.largest, self.count);
        self.spheres.iter().for_each(|&sphere| self.occupancy.push(sphere));
    }

    fn add(&mut self, center: DVec3, radius: f64) {
        self.occupancy.push(Sphere { center, radius });
        self.spheres.push(Sphere { center, radius });
    }

    fn is_free(&self, center: DVec3, radius: f64) -> bool {
        self.occupancy.is_free(&Sphere { center, radius }, CLEARANCE)
    }

    /// Lowest corner and edges of the box in which centers of a group may be.
    fn room(&self, group: &Group) -> (DVec3, DVec3) {
        let (mut low, size) = self.container.extent_at(0.0);
        let mut high = low + size;
        for (axis, period) in self.container.periods().to_array().into_iter().enumerate().take(self.container.axes.len()) {
            if let Some(region) = group.region {
                (low[axis], high[axis]) = (low[axis].max(region.min[axis]), high[axis].min(region.max[axis]));
            }
            // Regions confine spheres like walls do. Only a region that spans the whole period lets them cross its ends.
            if period == 0.0 || high[axis] - low[axis] < period {
                (low[axis], high[axis]) = (low[axis] + group.species.radius, high[axis] - group.species.radius);
            }
        }
        (low, high - low)
    }

    /// Places a group at random; `None` if there is not enough room.
    fn place(&mut self, group: &Group, random: &mut Random) -> Result<Option<Vec<DVec3>>, GasError> {
        let (low, size) = self.room(group);
        let mut places = Vec::with_capacity(group.count);
        if size.cmplt(DVec3::ZERO).any() {
            return Ok(None);
        }
        while places.len() < group.count {
            self.watch.progress("placing spheres", self.len(), self.count)?;
            let mut trials = (0..TRIALS).map(|_| low + size * DVec3::new(random.uniform(), random.uniform(), random.uniform()));
            let Some(free) = trials.find(|&position| self.is_free(position, group.species.radius)) else { return Ok(None) };
            self.add(free, group.species.radius);
            places.push(free);
        }
        Ok(Some(places))
    }

    /// Places groups of one region, with the numbers `numbers`, at random and moves overlapping spheres apart.
    fn place_apart(&mut self, numbers: &[usize], groups: &[Group], random: &mut Random) -> Result<Vec<Vec<DVec3>>, GasError> {
        let domain = self.container.domain_at(0.0);
        let before = self.spheres.len();
        let mut spheres: Vec<Movable> = self.spheres.iter().map(|&sphere| Movable { sphere, room: None }).collect();
        for group in groups {
            let (low, size) = self.room(group);
            let room = self.bounds(low, size);
            spheres.extend((0..group.count).map(|_| {
                let center = low + size.max(DVec3::ZERO) * DVec3::new(random.uniform(), random.uniform(), random.uniform());
                Movable { sphere: Sphere { center, radius: group.species.radius }, room: Some(room) }
            }));
        }
        let fits = groups.iter().all(|group| self.room(group).1.cmpge(DVec3::ZERO).all());
        if !(fits && separate(domain, &mut spheres, CLEARANCE, self.watch)?) {
            let (packing, axes) = (self.packing(groups), domain.dimension as i32);
            let reached = if fits { packing * free_scale(domain, &spheres).max(0.0).powi(axes) } else { 0.0 };
            return Err(GasError::NoRoom { group: numbers[0], count: groups[0].count, packing, reached });
        }
        let mut centers = spheres[before..].iter().map(|movable| domain.wrap(movable.sphere.center));
        let places: Vec<Vec<DVec3>> = groups.iter().map(|group| centers.by_ref().take(group.count).collect()).collect();
        for (group, places) in groups.iter().zip(&places) {
            places.iter().for_each(|&place| self.add(place, group.species.radius));
        }
        Ok(places)
    }

    /// Lowest and highest center in a room from `low` with edges `size` (m), without bounds along axes that it spans periodically.
    fn bounds(&self, low: DVec3, size: DVec3) -> [DVec3; 2] {
        let mut bounds = [low, low + size];
        for (axis, period) in self.container.periods().to_array().into_iter().enumerate() {
            if period > 0.0 && size[axis] >= period {
                (bounds[0][axis], bounds[1][axis]) = (f64::NEG_INFINITY, f64::INFINITY);
            }
        }
        bounds
    }

    /// Share of their common region that the spheres of `groups` fill.
    fn packing(&self, groups: &[Group]) -> f64 {
        let (low, size) = self.container.extent_at(0.0);
        let (mut from, mut to) = (low, low + size);
        if let Some(region) = groups.first().and_then(|group| group.region) {
            (from, to) = (from.max(region.min), to.min(region.max));
        }
        let dimension = self.container.dimension();
        let volume: f64 = (0..dimension.count()).map(|axis| to[axis] - from[axis]).product();
        groups.iter().map(|group| group.count as f64 * dimension.ball(group.species.radius)).sum::<f64>() / volume
    }

    /// Places groups of one region on the sites of a lattice, in random order.
    fn place_on_lattice(&mut self, groups: &[Group], random: &mut Random) -> Option<Vec<Vec<DVec3>>> {
        let widest = groups.iter().max_by(|a, b| a.species.radius.total_cmp(&b.species.radius))?;
        let (low, size) = self.room(widest);
        let radius = widest.species.radius;
        // Sites keep their distance across the faces of the box they fill; walls allow half a spacing more.
        let (mut outer, mut edges) = (low, size);
        for (axis, period) in self.container.periods().to_array().into_iter().enumerate().take(self.container.axes.len()) {
            if edges[axis] < period || period == 0.0 {
                outer[axis] -= 0.49 * radius;
                edges[axis] += 0.98 * radius;
            }
        }
        let count = groups.iter().map(|group| group.count).sum();
        let dimension = self.container.dimension();
        let spacing = 2.0 * radius * (1.0 + 1e-9);
        let fits = |site: &DVec3| (0..dimension.count()).all(|axis| site[axis] >= low[axis] && site[axis] <= low[axis] + size[axis]);
        let sites = lattice::sites(dimension, outer, edges, count, spacing).filter(|sites| sites.iter().all(fits));
        let mut sites = sites.or_else(|| lattice::sites(dimension, low, size, count, spacing))?;
        random.shuffle(&mut sites);
        sites.retain(|&site| self.is_free(site, radius));
        let mut sites = sites.into_iter();
        let mut places = Vec::new();
        for group in groups {
            let found: Vec<DVec3> = sites.by_ref().take(group.count).collect();
            if found.len() < group.count {
                return None;
            }
            found.iter().for_each(|&place| self.add(place, group.species.radius));
            places.push(found);
        }
        Some(places)
    }
}

fn velocities(group: &Group, dimension: Dimension, random: &mut Random) -> Vec<DVec3> {
    let axes = dimension.count();
    let draw = |random: &mut Random| match group.speeds {
        SpeedDistribution::Maxwell => random.normals(axes),
        SpeedDistribution::Equal => random.direction(axes),
    };
    let mut velocities: Vec<DVec3> = (0..group.count).map(|_| draw(random)).collect();
    let mean = velocities.iter().sum::<DVec3>() / group.count as f64;
    let correct = group.count > 1;
    if correct {
        velocities.iter_mut().for_each(|velocity| *velocity -= mean);
    }
    let square = velocities.iter().map(|velocity| velocity.length_squared()).sum::<f64>() / group.count as f64;
    let wanted = axes as f64 * group.temperature / group.species.mass;
    let scale = if square > 0.0 { (wanted / square).sqrt() } else { 0.0 };
    velocities.into_iter().map(|velocity| group.velocity + scale * velocity).collect()
}
