//! Integral of a radial function over one triangle, with its gradient.
//!
//! ```text
//! V(x)  = ∫_t g(|x − x'|) dS = [foot in t] F(z) − (1/2π) Σ_edges ± ∫ F(s) dθ
//! ∇V(x) = n (±z) (Σ_edges ± ∫ g dθ − 2π [foot in t] g(z)) − Σ_edges ν ∫ g dt
//! ```
//!
//! Here `ν` is the edge's outward normal in the plane, and `±` depends on which side of the edge the foot is. Where two triangles of one
//! plane meet, their edge terms cancel: these edges are not sharp and are left out on both sides. A particle near a flat wall costs one
//! polynomial, however the wall is triangulated.

use std::f64::consts::TAU;

use glam::{DMat3, DVec3};
use parry3d_f64::{
    query::{PointQuery, PointQueryWithLocation},
    shape::Triangle,
};

use crate::walls::{
    edge::{EdgeView, integrate_edge},
    radial::RadialFunction,
};

/// A triangle prepared for integration.
#[derive(Clone, Copy, Debug)]
pub struct WallTriangle {
    /// World or body coordinates, m.
    pub corners: [DVec3; 3],
    /// Unit normal.
    pub normal: DVec3,
    /// m².
    pub area: f64,
    /// Unit directions of the edges, corner k to corner k + 1.
    directions: [DVec3; 3],
    lengths: [f64; 3],
    /// Whether edge k has to be integrated: false if a triangle of the same plane continues beyond it.
    sharp: [bool; 3],
    center: DVec3,
    /// Distance from the center to the farthest corner.
    extent: f64,
}

/// Value and gradient of a surface integral.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SurfaceIntegral {
    /// The integral.
    pub value: f64,
    /// Its gradient at the point, 1/m.
    pub gradient: DVec3,
}

impl std::ops::AddAssign for SurfaceIntegral {
    fn add_assign(&mut self, other: Self) {
        self.value += other.value;
        self.gradient += other.gradient;
    }
}

/// What triangles add along their normals `n_t`, of the integrals `f_t` over them and the distances `d_t` of the point to their planes.
#[derive(Clone, Copy, Debug)]
pub struct NormalParts {
    /// `−Σ_t d_t (n_t·∇f_t) n_t ⊗ n_t`
    pub moment: DMat3,
    /// `−Σ_t sgn(d_t) n_t·∇f_t`, 1/m; not of absolute values, because the terms of edges within a plane cancel only in sums over its triangles
    pub slope: f64,
}

impl Default for NormalParts {
    /// Nothing; the default of a matrix is the identity.
    fn default() -> Self {
        Self { moment: DMat3::ZERO, slope: 0.0 }
    }
}

impl std::ops::AddAssign for NormalParts {
    fn add_assign(&mut self, other: Self) {
        self.moment += other.moment;
        self.slope += other.slope;
    }
}

/// A foot on an edge must belong to only one side. Points are shifted by this share of the cutoff in a direction that does not occur in
/// meshes, so a foot is never exactly on an edge and coplanar neighbours always agree.
const GENERIC_SHIFT: DVec3 = DVec3::new(0.547_213e-7, 0.311_897e-7, -0.776_541e-7);

/// A triangle whose extent is less than this share of its distance is integrated by quadrature.
const QUADRATURE_RATIO: f64 = 0.45;

impl WallTriangle {
    /// `corners` counter-clockwise seen from the side to which the normal points; edge k runs from corner k to corner k + 1.
    pub fn new(corners: [DVec3; 3], sharp: [bool; 3]) -> Self {
        let cross = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let edges = [corners[1] - corners[0], corners[2] - corners[1], corners[0] - corners[2]];
        let center = (corners[0] + corners[1] + corners[2]) / 3.0;
        Self {
            corners,
            normal: cross.normalize_or_zero(),
            area: 0.5 * cross.length(),
            directions: edges.map(DVec3::normalize_or_zero),
            lengths: edges.map(DVec3::length),
            sharp,
            center,
            extent: corners.iter().map(|corner| corner.distance(center)).fold(0.0, f64::max),
        }
    }

    /// Distance from the center to the farthest corner, m.
    pub(super) fn extent(&self) -> f64 {
        self.extent
    }

    /// Makes edge `edge` one that has to be integrated.
    pub(super) fn make_sharp(&mut self, edge: usize) {
        self.sharp[edge] = true;
    }

    /// Signed distance from `point` to the triangle's plane, positive on the side of the normal.
    pub fn plane_distance(&self, point: DVec3) -> f64 {
        (point - self.corners[0]).dot(self.normal)
    }

    /// Distance from `point` to the triangle, m.
    pub fn distance(&self, point: DVec3) -> f64 {
        Triangle::new(self.corners[0], self.corners[1], self.corners[2]).distance_to_local_point(point, true)
    }

    /// The point of the triangle that is closest to `point`, and the weights of the corners there.
    pub(super) fn closest(&self, point: DVec3) -> (DVec3, [f64; 3]) {
        let triangle = Triangle::new(self.corners[0], self.corners[1], self.corners[2]);
        let (projection, place) = triangle.project_local_point_and_get_location(point, true);
        (projection.point, place.barycentric_coordinates().unwrap_or([1.0 / 3.0; 3]))
    }

    /// Angular velocity (rad/s) of the triangle if its corners move with `velocities` (m/s): that of its normal, and the mean one in its plane.
    pub(super) fn spin(&self, velocities: &[DVec3; 3]) -> DVec3 {
        let n = self.normal;
        if self.area == 0.0 {
            return DVec3::ZERO;
        }
        let (mut tilt, mut curl) = (DVec3::ZERO, DVec3::ZERO);
        for (corner, &velocity) in velocities.iter().enumerate() {
            let opposite = self.corners[(corner + 2) % 3] - self.corners[(corner + 1) % 3];
            let gradient = n.cross(opposite) / (2.0 * self.area);
            tilt += gradient * velocity.dot(n);
            curl += gradient.cross(velocity);
        }
        tilt.cross(n) + 0.5 * curl.dot(n) * n
    }

    /// Where a point that keeps its place relative to the triangle is when this is in its place `after` a deformation: its foot keeps its weights, and
    /// its height stays.
    pub fn carry(&self, after: &Self, point: DVec3) -> DVec3 {
        let [a, b, c] = self.corners;
        let [along, across, offset] = [b - a, c - a, point - a];
        let twice_area = 2.0 * self.area;
        let v = along.cross(offset).dot(self.normal) / twice_area;
        let u = offset.cross(across).dot(self.normal) / twice_area;
        let height = offset.dot(self.normal);
        let [a, b, c] = after.corners;
        a + u * (b - a) + v * (c - a) + height * after.normal
    }

    /// What the triangle adds along its normal to an `integral` around `point` (m).
    pub fn normal_parts(&self, point: DVec3, integral: &SurfaceIntegral) -> NormalParts {
        let (n, distance) = (self.normal, self.plane_distance(point));
        let along = integral.gradient.dot(n);
        NormalParts { moment: DMat3::from_cols(n * n.x, n * n.y, n * n.z) * (-distance * along), slope: -distance.signum() * along }
    }

    /// A lower bound of the distance (m) from `point` to the triangle, if the triangle may be closer than `cutoff`.
    pub fn distance_bound(&self, point: DVec3, cutoff: f64) -> Option<f64> {
        let height = self.plane_distance(point).abs();
        let squared = point.distance_squared(self.center);
        let far = self.extent + cutoff;
        (height < cutoff && squared < far * far).then(|| height.max(squared.sqrt() - self.extent))
    }

    /// Whether all edges are sharp: then no edge term cancels with a neighbour, and the triangle may be integrated on its own.
    fn stands_alone(&self) -> bool {
        self.sharp == [true; 3]
    }

    /// Integral over the triangle of `function` (in units of `cutoff`, meters) around `point`; the value in units of the function times
    /// cutoff², the gradient per meter.
    pub fn integrate(&self, function: &RadialFunction, point: DVec3, cutoff: f64) -> SurfaceIntegral {
        let far = self.extent + cutoff;
        let squared_distance = point.distance_squared(self.center);
        if squared_distance > far * far {
            return SurfaceIntegral::default();
        }
        if self.stands_alone() && self.extent * self.extent < QUADRATURE_RATIO * QUADRATURE_RATIO * squared_distance {
            return self.integrate_by_quadrature(function, point, cutoff);
        }
        self.integrate_exactly(function, point, cutoff)
    }

    /// Closed form.
    pub fn integrate_exactly(&self, function: &RadialFunction, point: DVec3, cutoff: f64) -> SurfaceIntegral {
        let point = point + cutoff * GENERIC_SHIFT;
        let scale = 1.0 / cutoff;
        let signed_z = self.plane_distance(point) * scale;
        let z = signed_z.abs();
        if z >= 1.0 {
            return SurfaceIntegral::default();
        }
        let (mut value, mut normal, mut tangential) = (0.0, 0.0, DVec3::ZERO);
        let mut inside = true;
        for k in 0..3 {
            let along = self.directions[k];
            let outward = along.cross(self.normal);
            let offset = point - self.corners[k];
            let signed_d = -offset.dot(outward) * scale;
            inside &= signed_d > 0.0;
            if !self.sharp[k] || z * z + signed_d * signed_d >= 1.0 {
                continue;
            }
            let start = -offset.dot(along) * scale;
            let view = EdgeView { z, d: signed_d.abs(), start, end: start + self.lengths[k] * scale };
            let integrals = integrate_edge(function, view);
            value -= signed_d.signum() * integrals.plane / TAU;
            normal += signed_d.signum() * integrals.normal;
            tangential -= outward * integrals.tangential;
        }
        if inside {
            value += function.plane(z);
            normal -= TAU * z * function.point(z.max(f64::MIN_POSITIVE));
        }
        SurfaceIntegral { value, gradient: (self.normal * (signed_z.signum() * normal) + tangential) * scale }
    }

    /// Quadrature of degree five on seven points (Radon 1948); on three points (degree two) if the triangle is far away.
    fn integrate_by_quadrature(&self, function: &RadialFunction, point: DVec3, cutoff: f64) -> SurfaceIntegral {
        let scale = 1.0 / cutoff;
        let area = self.area * scale * scale;
        let far = self.extent < 0.3 * QUADRATURE_RATIO * point.distance(self.center) && self.extent < 0.2 * cutoff;
        let nodes: &[([f64; 3], f64)] = if far { &THREE_POINTS } else { &SEVEN_POINTS };
        let mut sum = SurfaceIntegral::default();
        for (barycentric, weight) in nodes {
            let node = self.corners[0] * barycentric[0] + self.corners[1] * barycentric[1] + self.corners[2] * barycentric[2];
            let offset = (point - node) * scale;
            let s = offset.length();
            if s < 1.0 {
                sum.value += weight * area * function.point(s);
                sum.gradient += offset * (weight * area * function.point_slope(s) / s * scale);
            }
        }
        sum
    }
}

const THREE_POINTS: [([f64; 3], f64); 3] = [
    ([2.0 / 3.0, 1.0 / 6.0, 1.0 / 6.0], 1.0 / 3.0),
    ([1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0], 1.0 / 3.0),
    ([1.0 / 6.0, 1.0 / 6.0, 2.0 / 3.0], 1.0 / 3.0),
];

const A: f64 = 0.470_142_064_105_115_1;
const B: f64 = 0.101_286_507_323_456_3;
const WEIGHT_A: f64 = 0.132_394_152_788_506_2;
const WEIGHT_B: f64 = 0.125_939_180_544_827_1;
const SEVEN_POINTS: [([f64; 3], f64); 7] = [
    ([1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0], 0.225),
    ([1.0 - 2.0 * A, A, A], WEIGHT_A),
    ([A, 1.0 - 2.0 * A, A], WEIGHT_A),
    ([A, A, 1.0 - 2.0 * A], WEIGHT_A),
    ([1.0 - 2.0 * B, B, B], WEIGHT_B),
    ([B, 1.0 - 2.0 * B, B], WEIGHT_B),
    ([B, B, 1.0 - 2.0 * B], WEIGHT_B),
];
