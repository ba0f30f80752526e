//! Clusters: small triangles next to each other, integrated together by quadrature where they are far from a particle for their size.
//!
//! A cluster is replaced by eight points of equal weight, with the area, the center and the second moments of its triangles. They are the corners of
//! a parallelepiped, so that all odd moments vanish.

use std::ops::Range;

use glam::{DMat3, DVec3};

use crate::{
    fluid::walls::{RadialFunction, SurfaceIntegral, WallTriangle},
    math::lanes::{LANES, LaneWork, Lanes},
    shape::principal,
};

/// A cluster is integrated by quadrature if its extent is less than this share of its distance. The error of the density that a wall adds
/// is then below 0.3 %, that of its gradient below 1 % (`cargo test --release --test wall clusters`).
pub const OPENING: f64 = 1.0 / 3.0;
/// Triangles and the points that replace them, in body coordinates.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// Center of the triangles' area, m.
    pub center: DVec3,
    /// Distance from the center to the farthest corner, m.
    pub extent: f64,
    /// Unit vector along the mean normal.
    normal: DVec3,
    /// Lowest and highest corner along it, relative to the center, m.
    slab: [f64; 2],
    /// The points relative to the center, m: coordinates one after the other.
    points: [[f32; LANES]; 3],
    /// Area per point, m².
    weight: f32,
    /// The clusters that it is made of, or its triangles.
    pub parts: ClusterParts,
}

/// Ranges of lists of the surface.
#[derive(Clone, Debug)]
pub enum ClusterParts {
    Clusters(Range<u32>),
    Triangles(Range<u32>),
}

impl Cluster {
    /// The cluster of `triangles`, whose normals are more or less alike.
    pub fn around<'a>(triangles: impl Iterator<Item = &'a WallTriangle> + Clone, parts: ClusterParts) -> Self {
        // Triangles without area need not divide by it.
        let area = triangles.clone().map(|triangle| triangle.area).sum::<f64>().max(f64::MIN_POSITIVE);
        let normal = triangles.clone().map(|triangle| triangle.area * triangle.normal).sum::<DVec3>().normalize_or_zero();
        let centroid = |triangle: &WallTriangle| triangle.corners.iter().sum::<DVec3>() / 3.0;
        let center = triangles.clone().map(|triangle| triangle.area * centroid(triangle)).sum::<DVec3>() / area;
        // ∫ y ⊗ y over a triangle is a twelfth of its area times the sum over its corners and over nine times its centroid.
        let moment = |triangle: &WallTriangle| {
            let corners: DMat3 = triangle.corners.iter().map(|&corner| principal::outer(corner - center)).sum();
            (corners + 9.0 * principal::outer(centroid(triangle) - center)) * (triangle.area / 12.0)
        };
        let [x, y, z] = square_root(triangles.clone().map(moment).sum::<DMat3>() * (1.0 / area));
        let mut points = [[0.0; LANES]; 3];
        for corner in 0..LANES {
            let sign = |axis: usize| if corner >> axis & 1 == 0 { -1.0 } else { 1.0 };
            let point = sign(0) * x + sign(1) * y + sign(2) * z;
            for (axis, coordinates) in points.iter_mut().enumerate() {
                coordinates[corner] = point[axis] as f32;
            }
        }
        let corners = triangles.flat_map(|triangle| triangle.corners).map(|corner| corner - center);
        let extent = corners.clone().map(DVec3::length).fold(0.0, f64::max);
        let heights = corners.map(|corner| corner.dot(normal));
        let slab = heights.fold([0.0_f64; 2], |[lowest, highest], height| [lowest.min(height), highest.max(height)]);
        Self { center, extent, normal, slab, points, weight: (area / LANES as f64) as f32, parts }
    }

    /// A lower bound of the distance (m) from `point`, at `distance` from the center, to the triangles. Where they are flat and `point` is above
    /// them, it is the distance.
    pub fn distance_bound(&self, point: DVec3, distance: f64) -> f64 {
        let height = (point - self.center).dot(self.normal);
        (distance - self.extent).max(self.slab[0] - height).max(height - self.slab[1])
    }
}

/// Vectors whose `v ⊗ v` add up to a positive semi-definite `matrix`, by Cholesky's decomposition.
fn square_root(mut matrix: DMat3) -> [DVec3; 3] {
    [0, 1, 2].map(|axis| {
        let pivot = matrix.col(axis)[axis];
        // What remains of a flat cluster across its plane is rounding error.
        let vector = if pivot > 0.0 { matrix.col(axis) / pivot.sqrt() } else { DVec3::ZERO };
        matrix -= principal::outer(vector);
        vector
    })
}

/// Integral of a function over clusters around a point.
pub struct ClusterIntegral<'a> {
    pub function: &'a RadialFunction,
    pub clusters: &'a [Cluster],
    /// Those to be integrated.
    pub chosen: &'a [u32],
    /// m
    pub point: DVec3,
    /// m
    pub cutoff: f64,
}

impl LaneWork for ClusterIntegral<'_> {
    /// The integral, and its moment as in [`WallTriangle::normal_moment`].
    type Output = (SurfaceIntegral, DMat3);

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let scale = 1.0 / self.cutoff;
        let factor = L::splat(scale as f32);
        let (mut sum, mut moment) = (SurfaceIntegral::default(), DMat3::ZERO);
        let mut values = L::splat(0.0);
        for &chosen in self.chosen {
            let cluster = &self.clusters[chosen as usize];
            let offset = self.point - cluster.center;
            let [px, py, pz] = &cluster.points;
            let x = (L::splat(offset.x as f32) - L::load(px)) * factor;
            let y = (L::splat(offset.y as f32) - L::load(py)) * factor;
            let z = (L::splat(offset.z as f32) - L::load(pz)) * factor;
            let (value, slope) = self.function.values_and_slopes((x * x + y * y + z * z).sqrt());
            let weight = L::splat(cluster.weight * (scale * scale) as f32);
            values = values + weight * value;
            let slope = weight * slope;
            let gradient = L::sums([slope * x, slope * y, slope * z]).as_dvec3() * scale;
            sum.gradient += gradient;
            let n = cluster.normal;
            let factor: f64 = -offset.dot(n) * gradient.dot(n);
            moment += DMat3::from_cols(n * (factor * n.x), n * (factor * n.y), n * (factor * n.z));
        }
        sum.value = values.sum().into();
        (sum, moment)
    }
}
