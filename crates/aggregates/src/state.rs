//! All clusters of a simulation and their positions.

use glam::{DQuat, DVec3};
use plimsoll_base::math::Domain;
use serde::{Deserialize, Serialize};

use super::{
    cluster::{Cluster, Motion},
    detect::{Encounter, FaceContact},
    flight::Flight,
    impact::{self, Struck},
};

/// Rotation of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turning {
    /// At `since` of the flight, from cluster axes to world axes.
    pub orientation: DQuat,
    /// rad/s, world axes.
    pub spin: DVec3,
}

/// Clusters in their box, sorted by the lowest member ids. All lists have the same order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Population {
    /// The box.
    pub domain: Domain,
    /// Centers and velocities.
    pub flights: Vec<Flight>,
    /// Orientations and spins.
    pub turnings: Vec<Turning>,
    /// Shapes and masses.
    pub clusters: Vec<Cluster>,
    /// Lowest member id of each cluster.
    pub numbers: Vec<u32>,
    /// Whether merged clusters keep the pair sums that the drag needs.
    pub keeps_pair_sums: bool,
    /// Whether clusters rotate; if not, their spin is zero.
    pub turns: bool,
}

/// A merger of two clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Merger {
    /// Seconds from time zero.
    pub time: f64,
    /// Numbers of the two, the lower first, which is also the number of the new cluster.
    pub numbers: [u32; 2],
    /// Numbers of spheres in them.
    pub sizes: [u32; 2],
    /// Ids of the two spheres that touch.
    pub spheres: [u32; 2],
    /// Distance of their centers divided by the sum of their radii.
    pub epsilon: f64,
    /// Midpoint of the two centers, m; in the box.
    pub position: DVec3,
    /// Relative speed of the centers of the clusters, m/s.
    pub relative_speed: f64,
}

impl Population {
    /// Spheres with `centers` and `radii` (m) of one `density` (kg/m³), at rest.
    pub fn new(domain: Domain, centers: &[DVec3], radii: &[f64], density: f64, keeps_pair_sums: bool) -> Self {
        let flight = |(&center, &radius): (&DVec3, &f64)| Flight { center, since: 0.0, velocity: DVec3::ZERO, radius };
        Self {
            domain,
            flights: centers.iter().zip(radii).map(flight).collect(),
            turnings: vec![Turning { orientation: DQuat::IDENTITY, spin: DVec3::ZERO }; radii.len()],
            clusters: (0..).zip(radii).map(|(id, &radius)| Cluster::sphere(id, radius, density)).collect(),
            numbers: (0..radii.len() as u32).collect(),
            keeps_pair_sums,
            turns: true,
        }
    }

    /// Number of places; some may be empty within a step.
    pub fn len(&self) -> usize {
        self.clusters.len()
    }

    /// Whether there are no clusters.
    pub fn is_empty(&self) -> bool {
        self.clusters.is_empty()
    }

    /// Motion of the cluster at `index` at `time` (s from the beginning of the step).
    #[inline]
    pub fn motion_at(&self, index: usize, time: f64) -> Motion {
        let (flight, turning) = (&self.flights[index], &self.turnings[index]);
        let motion = Motion { center: flight.center, velocity: flight.velocity, orientation: turning.orientation, spin: turning.spin };
        motion.after(time - flight.since)
    }

    /// Moves only the cluster at `place` to `time`, s from the beginning of the step.
    pub fn settle(&mut self, place: usize, time: f64) {
        let motion = self.motion_at(place, time);
        self.set_motion(place, &Motion { orientation: motion.orientation.normalize(), ..motion }, time);
    }

    fn set_motion(&mut self, place: usize, motion: &Motion, time: f64) {
        let flight = &mut self.flights[place];
        (flight.center, flight.velocity, flight.since) = (motion.center, motion.velocity, time);
        self.turnings[place] = Turning { orientation: motion.orientation, spin: motion.spin };
    }

    /// Position of a member of the cluster at `place` with this motion.
    fn position(&self, place: usize, motion: &Motion, member: u32) -> DVec3 {
        motion.center + motion.orientation * self.clusters[place].members[member as usize].offset
    }

    /// Two clusters that touch at `time` (s from the beginning of the step) bounce. Both are moved to that time.
    pub fn bounce(&mut self, encounter: &Encounter, time: f64) {
        let ([a, b], [m, n]) = (encounter.pair, encounter.contact.members);
        encounter.pair.iter().for_each(|&place| self.settle(place, time));
        let mut motions = [self.motion_at(a, time), self.motion_at(b, time)];
        motions[1].center += encounter.shift;
        let [place_a, place_b] = [self.position(a, &motions[0], m), self.position(b, &motions[1], n)];
        let normal = (place_b - place_a).normalize();
        let point = place_a + self.clusters[a].members[m as usize].radius * normal;
        let struck = [(a, &motions[0]), (b, &motions[1])].map(|(place, at)| Struck::new(&self.clusters[place], at, point, self.turns));
        let [one, other] = &mut motions;
        impact::bounce([&struck[0], &struck[1]], [one, other], normal);
        motions[1].center -= encounter.shift;
        self.set_motion(a, &motions[0], time);
        self.set_motion(b, &motions[1], time);
    }

    /// The cluster at `place` bounces off a wall at `time` (s from the beginning of the step), and is moved to that time.
    pub fn rebound(&mut self, place: usize, contact: &FaceContact, time: f64) {
        self.settle(place, time);
        let mut motion = self.motion_at(place, time);
        let radius = self.clusters[place].members[contact.member as usize].radius;
        let point = self.position(place, &motion, contact.member) - radius * contact.normal;
        let struck = Struck::new(&self.clusters[place], &motion, point, self.turns);
        impact::rebound(&struck, &mut motion, contact.normal);
        self.set_motion(place, &motion, time);
    }

    /// Merges two clusters at `time` (s from the beginning of the step). The new cluster takes the place with the lower number; the other
    /// place becomes empty. `start` is the time at the beginning of the step.
    pub fn merge(&mut self, encounter: &Encounter, time: f64, start: f64) -> Merger {
        let Encounter { pair: [a, b], shift, contact } = *encounter;
        let motion_a = self.motion_at(a, time);
        let mut motion_b = self.motion_at(b, time);
        motion_b.center += shift;
        let [id_a, id_b] =
            [(a, contact.members[0]), (b, contact.members[1])].map(|(at, member)| self.clusters[at].members[member as usize].id);
        let (place_a, place_b) = (self.position(a, &motion_a, contact.members[0]), self.position(b, &motion_b, contact.members[1]));
        let swapped = self.numbers[a] > self.numbers[b];
        let order = |values: [u32; 2]| if swapped { [values[1], values[0]] } else { values };
        let merger = Merger {
            time: start + time,
            numbers: order([self.numbers[a], self.numbers[b]]),
            sizes: order([self.clusters[a].len() as u32, self.clusters[b].len() as u32]),
            spheres: order([id_a, id_b]),
            epsilon: contact.epsilon,
            position: self.domain.wrap(0.5 * (place_a + place_b)),
            relative_speed: motion_a.velocity.distance(motion_b.velocity),
        };
        let (cluster, motion) = Cluster::merged((&self.clusters[a], &motion_a), (&self.clusters[b], &motion_b), self.keeps_pair_sums);
        let (kept, gone) = if swapped { (b, a) } else { (a, b) };
        self.flights[kept] = Flight { center: motion.center, since: time, velocity: motion.velocity, radius: cluster.radius };
        let spin = if self.turns { motion.spin } else { DVec3::ZERO };
        self.turnings[kept] = Turning { orientation: motion.orientation, spin };
        self.clusters[kept] = cluster;
        self.clusters[gone].members.clear();
        merger
    }

    /// Moves all clusters to `time` (s from the beginning of the step) and into the box; this becomes the new time origin.
    pub fn advance(&mut self, time: f64) {
        for index in 0..self.len() {
            let flight = &mut self.flights[index];
            let seconds = time - flight.since;
            flight.center = self.domain.wrap(flight.center + seconds * flight.velocity);
            flight.since = 0.0;
            if self.clusters[index].len() > 1 {
                let turning = &mut self.turnings[index];
                turning.orientation = (DQuat::from_scaled_axis(seconds * turning.spin) * turning.orientation).normalize();
            }
        }
    }

    /// Removes the places that mergers left empty; returns which places are kept.
    pub fn close_gaps(&mut self) -> Vec<bool> {
        let kept: Vec<bool> = self.clusters.iter().map(|cluster| !cluster.is_empty()).collect();
        retain(&mut self.flights, &kept);
        retain(&mut self.turnings, &kept);
        retain(&mut self.clusters, &kept);
        retain(&mut self.numbers, &kept);
        kept
    }
}

/// Keeps the values whose entry in `kept` is true.
pub fn retain<T>(values: &mut Vec<T>, kept: &[bool]) {
    let mut flags = kept.iter();
    values.retain(|_| *flags.next().expect("one flag a value"));
}
