//! A rigid cluster of touching spheres, or a single sphere: its shape in its own axes, and its motion.
//!
//! The center is the center of mass, `Σ r³ x / Σ r³` for uniform density. The bounding sphere about it has radius `max(l + r)` and stays
//! valid however the cluster rotates. Between two changes a cluster moves at constant velocity and rotates about its center at constant
//! angular velocity. SI units.

mod member;
mod tree;

use std::f64::consts::PI;

use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};

pub use member::Member;
pub use tree::{NONE, Node};

/// Pose and velocity of a cluster at some instant.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Motion {
    /// m
    pub center: DVec3,
    /// m/s
    pub velocity: DVec3,
    /// Rotates from cluster axes to world axes.
    pub orientation: DQuat,
    /// rad/s, world axes.
    pub spin: DVec3,
}

impl Motion {
    /// The motion `seconds` later.
    pub fn after(&self, seconds: f64) -> Self {
        Self { center: self.center + seconds * self.velocity, orientation: self.orientation_after(seconds), ..*self }
    }

    /// The orientation `seconds` later.
    #[inline]
    pub fn orientation_after(&self, seconds: f64) -> DQuat {
        DQuat::from_scaled_axis(seconds * self.spin) * self.orientation
    }
}

/// Shape and mass of a cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cluster {
    /// In no particular order; empty if the cluster has merged into another one.
    pub members: Vec<Member>,
    /// kg
    pub mass: f64,
    /// Moment of inertia about the center, cluster axes, kg m².
    pub inertia: DMat3,
    /// Radius of the bounding sphere, m.
    pub radius: f64,
    /// Maximum distance of a sphere's center from the cluster's center, m.
    pub arm: f64,
    /// Radius of the smallest sphere, m.
    pub smallest: f64,
    /// `Σ r_m r_n / |x_m − x_n|` over ordered pairs of different spheres, m; computed only if the drag depends on it.
    pub pair_sum: f64,
    /// Bounding spheres of groups of members; empty for one sphere.
    nodes: Vec<Node>,
    /// `A` with `A Aᵀ = I⁻¹`, cluster axes. It turns three independent standard normal numbers into an angular velocity with
    /// `<ω ωᵀ> = I⁻¹`.
    pub spin_factor: DMat3,
}

impl Cluster {
    /// One sphere with `radius` (m) and `density` (kg/m³).
    pub fn sphere(id: u32, radius: f64, density: f64) -> Self {
        let mass = density * 4.0 / 3.0 * PI * radius.powi(3);
        Self {
            members: vec![Member { id, radius, offset: DVec3::ZERO }],
            mass,
            inertia: DMat3::from_diagonal(DVec3::splat(0.4 * mass * radius * radius)),
            radius,
            arm: 0.0,
            smallest: radius,
            pair_sum: 0.0,
            nodes: Vec::new(),
            spin_factor: DMat3::from_diagonal(DVec3::splat((0.4 * mass * radius * radius).sqrt().recip())),
        }
    }

    /// The cluster that consists of `a` and `b`, and its motion, which conserves momentum and angular momentum. Its axes are the world
    /// axes. `with_pair_sum`: whether [`Cluster::pair_sum`] is computed.
    pub fn merged(a: (&Self, &Motion), b: (&Self, &Motion), with_pair_sum: bool) -> (Self, Motion) {
        let mass = a.0.mass + b.0.mass;
        let center = a.1.center + (b.0.mass / mass) * (b.1.center - a.1.center);
        let velocity = (a.0.mass * a.1.velocity + b.0.mass * b.1.velocity) / mass;
        let mut members = Vec::with_capacity(a.0.members.len() + b.0.members.len());
        let (mut inertia, mut angular) = (DMat3::ZERO, DVec3::ZERO);
        for (cluster, motion) in [a, b] {
            let shift = motion.center - center;
            members.extend(cluster.members.iter().map(|member| Member { offset: motion.orientation * member.offset + shift, ..*member }));
            let own = cluster.world_inertia(motion.orientation);
            inertia += own + point_inertia(cluster.mass, shift);
            angular += own * motion.spin + cluster.mass * shift.cross(motion.velocity - velocity);
        }
        let pair_sum = if with_pair_sum { a.0.pair_sum + b.0.pair_sum + 2.0 * cross_sum(&members, a.0.members.len()) } else { 0.0 };
        let spin = inertia.inverse() * angular;
        let motion = Motion { center, velocity, orientation: DQuat::IDENTITY, spin };
        let smallest = a.0.smallest.min(b.0.smallest);
        let spin_factor = spin_factor(inertia);
        let mut cluster = Self { members, mass, inertia, radius: 0.0, arm: 0.0, smallest, pair_sum, nodes: Vec::new(), spin_factor };
        for Member { offset, radius, .. } in &cluster.members {
            cluster.arm = cluster.arm.max(offset.length());
            cluster.radius = cluster.radius.max(offset.length() + radius);
        }
        cluster.nodes = tree::build(&mut cluster.members);
        (cluster, motion)
    }

    /// Number of spheres.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether it has merged into another cluster.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Moment of inertia in world axes, kg m².
    pub fn world_inertia(&self, orientation: DQuat) -> DMat3 {
        let rotation = DMat3::from_quat(orientation);
        rotation * self.inertia * rotation.transpose()
    }

    /// Node `index` of the sphere tree; node 0 contains all members.
    #[inline]
    pub fn node(&self, index: u32) -> Node {
        match self.nodes.get(index as usize) {
            Some(node) => *node,
            None => Node { center: DVec3::ZERO, radius: self.members[0].radius, children: [NONE, 0] },
        }
    }

    /// `√(Σ r³ l² / Σ r³)`, from the centers of the spheres, m.
    pub fn gyration_radius(&self) -> f64 {
        let weights: f64 = self.members.iter().map(|member| member.radius.powi(3)).sum();
        (self.members.iter().map(|member| member.radius.powi(3) * member.offset.length_squared()).sum::<f64>() / weights).sqrt()
    }
}

/// `A` with `A Aᵀ = I⁻¹`.
fn spin_factor(inertia: DMat3) -> DMat3 {
    // I = L Lᵀ (Cholesky), A = L⁻ᵀ.
    let inertia = inertia.to_cols_array_2d();
    let mut lower = [[0.0_f64; 3]; 3];
    for row in 0..3 {
        for column in 0..=row {
            let known: f64 = (0..column).map(|index| lower[row][index] * lower[column][index]).sum();
            let rest = inertia[column][row] - known;
            lower[row][column] = if row == column { rest.sqrt() } else { rest / lower[column][column] };
        }
    }
    // The rows of L, used as columns, give Lᵀ.
    DMat3::from_cols_array_2d(&lower).inverse()
}

/// Moment of inertia of a point of `mass` at `r`, about the origin.
fn point_inertia(mass: f64, r: DVec3) -> DMat3 {
    let outer = DMat3::from_cols(r.x * r, r.y * r, r.z * r);
    mass * (DMat3::from_diagonal(DVec3::splat(r.length_squared())) - outer)
}

/// `Σ r_m r_n / |x_m − x_n|` over pairs of one member before `split` and one from `split` on.
fn cross_sum(members: &[Member], split: usize) -> f64 {
    let (a, b) = members.split_at(split);
    let row = |m: &Member| b.iter().map(|n| m.radius * n.radius / m.offset.distance(n.offset)).sum::<f64>();
    a.iter().map(row).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn motion(center: DVec3, velocity: DVec3, spin: DVec3) -> Motion {
        Motion { center, velocity, orientation: DQuat::from_scaled_axis(DVec3::new(0.3, -1.1, 0.4)), spin }
    }

    /// Momentum and angular momentum about the origin, computed from the members.
    fn momenta(cluster: &Cluster, motion: &Motion, density: f64) -> (DVec3, DVec3) {
        let (mut linear, mut angular) = (DVec3::ZERO, DVec3::ZERO);
        for member in &cluster.members {
            let mass = density * 4.0 / 3.0 * PI * member.radius.powi(3);
            let arm = motion.orientation * member.offset;
            let velocity = motion.velocity + motion.spin.cross(arm);
            linear += mass * velocity;
            angular += mass * (motion.center + arm).cross(velocity) + 0.4 * mass * member.radius.powi(2) * motion.spin;
        }
        (linear, angular)
    }

    #[test]
    fn a_merger_keeps_mass_momentum_and_angular_momentum() {
        let density = 1.7;
        let a =
            (Cluster::sphere(0, 1.0, density), motion(DVec3::new(1.0, 2.0, 3.0), DVec3::new(0.5, -1.0, 0.2), DVec3::new(2.0, 0.0, 1.0)));
        let b =
            (Cluster::sphere(1, 0.7, density), motion(DVec3::new(2.7, 2.0, 3.0), DVec3::new(-0.5, 0.3, 0.9), DVec3::new(0.0, 1.0, -3.0)));
        let (pair, paired) = Cluster::merged((&a.0, &a.1), (&b.0, &b.1), true);
        let c = (Cluster::sphere(2, 0.4, density), motion(DVec3::new(2.7, 3.1, 3.0), DVec3::new(0.1, 0.3, 0.9), DVec3::Z));
        let (three, moving) = Cluster::merged((&pair, &paired), (&c.0, &c.1), true);
        let expected = [(&a.0, &a.1), (&b.0, &b.1), (&c.0, &c.1)].map(|(cluster, motion)| momenta(cluster, motion, density));
        let found = momenta(&three, &moving, density);
        let linear: DVec3 = expected.iter().map(|(linear, _)| linear).sum();
        let angular: DVec3 = expected.iter().map(|(_, angular)| angular).sum();
        assert!(found.0.abs_diff_eq(linear, 1e-13 * linear.length()) && found.1.abs_diff_eq(angular, 1e-13 * angular.length()));
        assert!((three.mass - a.0.mass - b.0.mass - c.0.mass).abs() < 1e-14 * three.mass);
        let reach = three.members.iter().map(|member| member.offset.length() + member.radius).fold(0.0, f64::max);
        assert!(three.radius == reach && three.smallest == 0.4);
        let mut sum = 0.0;
        for m in &three.members {
            for n in three.members.iter().filter(|n| n.id != m.id) {
                sum += m.radius * n.radius / m.offset.distance(n.offset);
            }
        }
        assert!((three.pair_sum - sum).abs() < 1e-13 * sum);
        let factor = three.spin_factor;
        let unity = factor * factor.transpose() * three.inertia;
        assert!(unity.abs_diff_eq(DMat3::IDENTITY, 1e-12), "{unity}");
    }
}
