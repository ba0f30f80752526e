//! The nozzle of an emitter: a cup, open at the mouth, with walls one particle thick.
//!
//! Particles enter the cup in layers of a square lattice. A layer just fills the mouth, and layers are spaced such that each particle has
//! its volume: the flow rate is the mouth's area times the speed. The cup is half a particle deeper than the kernel's support radius. Its
//! walls keep the particles inside from interacting with those outside, because the distance between them is at least the support radius.

use std::f64::consts::{PI, TAU};

use glam::DVec3;
use plimsoll_base::math::Pose;
use plimsoll_bodies::{BodyDefinition, BodyKind, Presence};
use plimsoll_shape::TriangleMesh;
use serde::{Deserialize, Serialize};

use crate::settings::{Emitter, Mouth};

/// Depth of the cup and thickness of its walls, in particle radii.
const DEPTH: f64 = 5.0;
const THICKNESS: f64 = 2.0;
/// Minimum number of particles in a layer, relative to the number that would fill the mouth at rest.
const MIN_SHARE: f64 = 0.8;
/// Number of times at which a flow is sampled.
const SAMPLES: u32 = 1000;
/// Sides of the polygon that approximates a disc.
const SIDES: usize = 32;

/// The cavity behind the mouth, and its walls.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cup {
    emitter: Emitter,
    /// The mouth, fitted to the lattice of particles.
    opening: Mouth,
    particle_radius: f64,
}

impl Emitter {
    /// An emitter of the first material at rest whose constant `speed` (m/s) never ends; `direction` is a unit vector.
    pub fn new(mouth: Mouth, position: DVec3, direction: DVec3, speed: f64) -> Self {
        Self { mouth, position, direction, speed, course: None, body: None, start: 0.0, end: None, material: 0 }
    }

    /// The largest flow, m³/s.
    pub fn flow(&self) -> f64 {
        self.mouth.area() * self.speed
    }

    /// The speed at `time` (s), m/s, between zero and the largest one.
    pub fn speed_at(&self, time: f64) -> f64 {
        // Not a number becomes zero.
        self.course.as_ref().map_or(self.speed, |course| course.value(time).max(0.0).min(self.speed))
    }

    /// The volume that flows in between two times (s), m³; the flow is sampled.
    pub fn volume(&self, [from, to]: [f64; 2]) -> f64 {
        let (start, end) = (from.max(self.start), self.end.map_or(to, |end| end.min(to)));
        let step = (end - start).max(0.0) / f64::from(SAMPLES);
        let speeds = (0..SAMPLES).map(|sample| self.speed_at(start + (f64::from(sample) + 0.5) * step));
        self.mouth.area() * step * speeds.sum::<f64>()
    }

    /// Distance between layers of particles of `particle_radius` (m), m.
    pub fn layer_thickness(&self, particle_radius: f64) -> f64 {
        let width = 2.0 * particle_radius;
        self.mouth.lattice(width).len() as f64 * width.powi(3) / self.mouth.area()
    }

    /// Where particles of `particle_radius` (m) enter: half a particle above the cup's bottom.
    pub fn places(&self, particle_radius: f64) -> Vec<DVec3> {
        let ground = (1.0 - DEPTH) * particle_radius;
        self.mouth.lattice(2.0 * particle_radius).into_iter().map(|[u, v]| self.at([u, v, ground])).collect()
    }

    /// Closed surface of the nozzle for particles of `particle_radius` (m), in world coordinates at time zero.
    pub fn walls(&self, particle_radius: f64) -> TriangleMesh {
        Cup::of(self, particle_radius).walls()
    }

    /// The cup as a body that moves with the emitter's body, of which `carrier` gives kind and definition of the pose; without one, it is static.
    pub fn body(&self, name: String, particle_radius: f64, carrier: impl Fn(usize) -> (BodyKind, Pose)) -> BodyDefinition {
        let mut mesh = self.walls(particle_radius);
        let (kind, pose) = match self.body.map(carrier) {
            Some((BodyKind::Moving(motion), pose)) => {
                let motion = motion.rigid().clone();
                let start = motion.pose(&pose, 0.0);
                mesh.vertices.iter_mut().for_each(|vertex| *vertex = start.inverse_transform_point(*vertex));
                (BodyKind::Moving(motion), pose)
            }
            _ => (BodyKind::Static, Pose::IDENTITY),
        };
        BodyDefinition { name, mesh, pose, kind, friction: 0.3, restitution: 0.3, presence: Presence::default() }
    }

    /// World position of a point given by its coordinates along the mouth's two axes and the direction, relative to the mouth's center.
    fn at(&self, [u, v, along]: [f64; 3]) -> DVec3 {
        let across = self.across();
        self.position + u * across[0] + v * across[1] + along * self.direction
    }

    /// Unit vectors along the mouth's width and height.
    fn across(&self) -> [DVec3; 2] {
        let level = DVec3::Y.cross(self.direction);
        let width = if level.length() > 1e-6 { level.normalize() } else { DVec3::X };
        [width, self.direction.cross(width)]
    }
}

impl Cup {
    /// The cup of `emitter` for particles of `particle_radius`, m.
    pub fn of(emitter: &Emitter, particle_radius: f64) -> Self {
        Self { emitter: emitter.clone(), opening: emitter.mouth.opening(2.0 * particle_radius), particle_radius }
    }

    /// Whether the cup is at the same place as `other` and has the same shape.
    pub fn is_at(&self, other: &Self) -> bool {
        let place = |cup: &Self| (cup.emitter.mouth, cup.emitter.position, cup.emitter.direction);
        place(self) == place(other)
    }

    /// Whether `point` is inside, of a cup that moves where it is at time zero.
    pub fn contains(&self, point: DVec3) -> bool {
        let offset = point - self.emitter.position;
        let [u, v] = self.emitter.across().map(|axis| axis.dot(offset));
        (-DEPTH * self.particle_radius..0.0).contains(&self.emitter.direction.dot(offset))
            && match self.opening {
                Mouth::Disc { radius } => u.hypot(v) <= radius,
                Mouth::Rectangle { width, height } => u.abs() <= 0.5 * width && v.abs() <= 0.5 * height,
            }
    }

    /// Closed surface of the walls in world coordinates at time zero, with normals pointing outwards.
    pub fn walls(&self) -> TriangleMesh {
        let [depth, thickness] = [DEPTH, THICKNESS].map(|length| length * self.particle_radius);
        let (inner, outer) = (self.opening.outline(0.0), self.opening.outline(thickness));
        let ring = |outline: &[[f64; 2]], along: f64| outline.iter().map(|&[u, v]| self.emitter.at([u, v, along])).collect::<Vec<_>>();
        // From the center of the bottom over the rim to the center of the back: each ring is joined to the next.
        let rings = [ring(&inner, -depth), ring(&inner, 0.0), ring(&outer, 0.0), ring(&outer, -depth - thickness)];
        let count = inner.len() as u32;
        let corner = |ring: u32, place: u32| ring * count + place % count;
        let mut triangles = Vec::new();
        for place in 0..count {
            for ring in 0..3 {
                let [a, b] = [corner(ring, place), corner(ring, place + 1)];
                let [c, d] = [corner(ring + 1, place), corner(ring + 1, place + 1)];
                triangles.extend([[a, c, b], [b, c, d]]);
            }
        }
        for place in 1..count - 1 {
            triangles.push([corner(0, 0), corner(0, place), corner(0, place + 1)]);
            triangles.push([corner(3, 0), corner(3, place + 1), corner(3, place)]);
        }
        TriangleMesh { vertices: rings.concat(), triangles }
    }
}

impl Mouth {
    /// Largest distance from the center to the rim, m.
    pub fn reach(&self) -> f64 {
        match *self {
            Self::Disc { radius } => radius,
            Self::Rectangle { width, height } => 0.5 * width.hypot(height),
        }
    }

    /// m²
    pub fn area(&self) -> f64 {
        match *self {
            Self::Disc { radius } => PI * radius * radius,
            Self::Rectangle { width, height } => width * height,
        }
    }

    /// Positions of a layer of particles of `width` (m), relative to the center of the mouth.
    fn lattice(&self, width: f64) -> Vec<[f64; 2]> {
        match *self {
            Self::Disc { .. } => {
                let wanted = self.area() / (width * width);
                let cluster = cluster(wanted);
                let spacing = (self.area() / cluster.len() as f64).sqrt();
                cluster.into_iter().map(|[u, v]| [spacing * u, spacing * v]).collect()
            }
            Self::Rectangle { width: wide, height } => {
                let counts = [wide, height].map(|side| (side / width).round().max(1.0) as usize);
                let [wide, height] = [wide / counts[0] as f64, height / counts[1] as f64];
                square(counts).map(|[u, v]| [wide * u, height * v]).collect()
            }
        }
    }

    /// The mouth fitted to the lattice.
    fn opening(&self, width: f64) -> Self {
        let places = self.lattice(width);
        match self {
            Self::Disc { .. } => {
                let farthest = places.iter().map(|[u, v]| u.hypot(*v)).fold(0.0, f64::max);
                Self::Disc { radius: farthest + 0.5 * width }
            }
            Self::Rectangle { .. } => {
                let [wide, height] = [0, 1].map(|axis| 2.0 * places.iter().map(|place| place[axis]).fold(0.0, f64::max) + width);
                Self::Rectangle { width: wide, height }
            }
        }
    }

    /// Corners of a polygon around the mouth at a distance of `margin` (m), counter-clockwise.
    fn outline(&self, margin: f64) -> Vec<[f64; 2]> {
        match *self {
            Self::Disc { radius } => {
                let corner = (radius + margin) / (PI / SIDES as f64).cos();
                (0..SIDES).map(|side| (TAU * side as f64 / SIDES as f64).sin_cos()).map(|(v, u)| [corner * u, corner * v]).collect()
            }
            Self::Rectangle { width, height } => {
                let (u, v) = (0.5 * width + margin, 0.5 * height + margin);
                vec![[u, v], [-u, v], [-u, -v], [u, -v]]
            }
        }
    }
}

/// A square lattice of `counts` places, centered at the origin, with unit spacing.
fn square(counts: [usize; 2]) -> impl Iterator<Item = [f64; 2]> {
    let place = move |index: usize, count: usize| index as f64 - 0.5 * (count - 1) as f64;
    (0..counts[1]).flat_map(move |v| (0..counts[0]).map(move |u| [place(u, counts[0]), place(v, counts[1])]))
}

/// A round part of a square lattice with unit spacing, centered at a place or between places, whose number of places is closest to
/// `wanted`. It has at least [`MIN_SHARE`] times as many, since otherwise layers would be too close.
fn cluster(wanted: f64) -> Vec<[f64; 2]> {
    let side = (2.0 * (wanted / PI).sqrt()) as usize + 3;
    let distance = |[u, v]: &[f64; 2]| u.hypot(*v);
    let miss = |count: usize| (count as f64 / wanted).ln().abs();
    let round = |side: usize| {
        let mut places: Vec<[f64; 2]> = square([side; 2]).filter(|place| distance(place) <= 0.5 * side as f64).collect();
        places.sort_by(|one, other| distance(one).total_cmp(&distance(other)));
        // Whole shells only.
        let whole = |count: usize| places.get(count).is_none_or(|next| distance(next) > distance(&places[count - 1]) + 1e-9);
        let counts = (1..=places.len()).filter(|&count| whole(count) && count as f64 >= MIN_SHARE * wanted);
        let count = counts.min_by(|&one, &other| miss(one).total_cmp(&miss(other))).unwrap_or(places.len());
        places.truncate(count);
        places
    };
    let [one, other] = [side, side + 1].map(round);
    if miss(one.len()) <= miss(other.len()) { one } else { other }
}

#[cfg(test)]
mod tests {
    use plimsoll_shape::{MassProperties, MeshReport};

    use super::*;

    #[test]
    fn a_cup_is_closed_and_holds_all_its_places() {
        for mouth in [Mouth::Disc { radius: 0.05 }, Mouth::Disc { radius: 0.01 }, Mouth::Rectangle { width: 0.1, height: 0.03 }] {
            for direction in [DVec3::X, DVec3::NEG_Y, DVec3::new(1.0, 2.0, -3.0).normalize()] {
                let emitter = Emitter::new(mouth, DVec3::new(0.3, 0.2, 0.1), direction, 1.0);
                let cup = Cup::of(&emitter, 0.01);
                let mesh = cup.walls();
                assert!(MeshReport::of(&mesh).is_watertight());
                assert!(MassProperties::of(&mesh).volume > 0.0, "{mouth:?} {direction}: inside out");
                let places = emitter.places(0.01);
                let volume = places.len() as f64 * 0.02_f64.powi(3) / mouth.area();
                assert_eq!(emitter.layer_thickness(0.01), volume);
                assert!((0.75..1.5).contains(&(volume / 0.02)), "{mouth:?}: layers {volume} m apart");
                assert!(!places.is_empty() && places.iter().all(|&place| cup.contains(place)));
                assert!(!cup.contains(emitter.position + 1e-3 * direction));
            }
        }
    }

    #[test]
    fn the_cup_of_a_rectangle_has_the_volume_of_its_walls() {
        let mouth = Mouth::Rectangle { width: 0.1, height: 0.06 };
        let emitter = Emitter::new(mouth, DVec3::ZERO, DVec3::Z, 1.0);
        let expected = 0.14 * 0.1 * 0.07 - 0.1 * 0.06 * 0.05;
        assert!((MassProperties::of(&Cup::of(&emitter, 0.01).walls()).volume / expected - 1.0).abs() < 1e-9);
    }
}
