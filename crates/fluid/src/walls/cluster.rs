//! Clusters: small triangles next to each other, integrated together by quadrature where they are far from a particle for their size.
//!
//! A cluster is replaced by eight points of equal weight, with the area, the center and the second moments of its triangles. They are the corners of
//! a parallelepiped, so that all odd moments vanish.

use std::ops::Range;

use glam::{DMat3, DVec3, Vec3};
use plimsoll_base::math::lanes::{LANES, LaneWork, Lanes};
use plimsoll_shape::principal;

use crate::walls::{NormalParts, SurfaceIntegral, WallTriangle, mirror};

/// Number of clusters between one that is integrated and one whose memory is requested.
const AHEAD: usize = 6;
/// Signs of the three axes at the corners of a parallelepiped.
const SIGNS: [[f32; LANES]; 3] = [
    [-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0],
    [-1.0, -1.0, 1.0, 1.0, -1.0, -1.0, 1.0, 1.0],
    [-1.0, -1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0],
];

/// Points that replace triangles, in body coordinates. It fills one line of a cache: integrals mostly wait for memory.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Cluster {
    /// Center of the triangles' area, m.
    center: DVec3,
    /// The points are `±u ± v ± w` from the center, in cutoffs: `[u.x, u.y, u.z, v.y, v.z, w.z]`. The others are zero.
    axes: [f32; 6],
    /// Unit vector along the mean normal.
    normal: Vec3,
    /// Area per point, in squares of the cutoff.
    weight: f32,
}

/// What a cluster is made of: ranges of lists of the surface.
#[derive(Clone, Debug)]
pub enum ClusterParts {
    /// Blocks of clusters.
    Clusters(Range<u32>),
    Triangles(Range<u32>),
}

/// Where the triangles of a cluster are, in body coordinates.
#[derive(Clone, Copy, Debug)]
pub struct ClusterBounds {
    /// Center of the triangles' area, m.
    pub center: DVec3,
    /// Distance from the center to the farthest corner, m.
    pub extent: f64,
    /// Unit vector along the mean normal.
    pub normal: DVec3,
    /// Lowest and highest corner along it, relative to the center, m.
    pub slab: [f64; 2],
    /// Distance from the center to the farthest point that replaces the triangles, m.
    pub spread: f64,
}

impl Cluster {
    /// The cluster of `triangles`, whose normals are more or less alike, and its bounds; for integrals with this `cutoff` (m).
    pub fn around<'a>(triangles: impl Iterator<Item = &'a WallTriangle> + Clone, cutoff: f64) -> (Self, ClusterBounds) {
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
        let axes @ [u, v, w] = square_root(triangles.clone().map(moment).sum::<DMat3>() * (1.0 / area));
        let spread = [u + v + w, u + v - w, u - v + w, u - v - w].map(DVec3::length).into_iter().fold(0.0, f64::max);
        let corners = triangles.flat_map(|triangle| triangle.corners).map(|corner| corner - center);
        let extent = corners.clone().map(DVec3::length).fold(0.0, f64::max);
        let heights = corners.map(|corner| corner.dot(normal));
        let slab = heights.fold([0.0_f64; 2], |[lowest, highest], height| [lowest.min(height), highest.max(height)]);
        let [u, v, w] = axes.map(|axis| axis / cutoff);
        let axes = [u.x, u.y, u.z, v.y, v.z, w.z].map(|coordinate| coordinate as f32);
        let weight = (area / (LANES as f64 * cutoff * cutoff)) as f32;
        (Self { center, axes, normal: normal.as_vec3(), weight }, ClusterBounds { center, extent, normal, slab, spread })
    }
}

/// Vectors whose `v ⊗ v` add up to a positive semi-definite `matrix`, by Cholesky's decomposition: the second one has no x, the third no y
/// either.
fn square_root(mut matrix: DMat3) -> [DVec3; 3] {
    [0, 1, 2].map(|axis| {
        let pivot = matrix.col(axis)[axis];
        // What remains of a flat cluster across its plane is rounding error.
        let mut vector = if pivot > 0.0 { matrix.col(axis) / pivot.sqrt() } else { DVec3::ZERO };
        (0..axis).for_each(|done| vector[done] = 0.0);
        matrix -= principal::outer(vector);
        vector
    })
}

/// Integral of the mirror layer over clusters around a point.
pub struct ClusterIntegral<'a> {
    pub clusters: &'a [Cluster],
    /// Those to be integrated.
    pub chosen: &'a [u32],
    /// m
    pub point: DVec3,
    /// m
    pub cutoff: f64,
}

impl LaneWork for ClusterIntegral<'_> {
    type Output = (SurfaceIntegral, NormalParts);

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let scale = 1.0 / self.cutoff;
        let zero = L::splat(0.0);
        let (mut values, mut slopes) = (zero, zero);
        let mut gradients = [zero; 3];
        // Elements xx, xy, xz and yy, yz, zz.
        let (mut upper, mut lower) = ([zero; 3], [zero; 3]);
        let [of_u, of_v, of_w] = [L::load(&SIGNS[0]), L::load(&SIGNS[1]), L::load(&SIGNS[2])];
        for (place, &chosen) in self.chosen.iter().enumerate() {
            if let Some(&ahead) = self.chosen.get(place + AHEAD) {
                L::prefetch(&self.clusters[ahead as usize], 0);
            }
            let Cluster { center, axes: [ux, uy, uz, vy, vz, wz], normal, weight } = &self.clusters[chosen as usize];
            let offset = ((self.point - *center) * scale).as_vec3();
            let x = L::splat(offset.x) - L::splat(*ux) * of_u;
            let y = L::splat(offset.y) - (L::splat(*uy) * of_u + L::splat(*vy) * of_v);
            let z = L::splat(offset.z) - (L::splat(*uz) * of_u + L::splat(*vz) * of_v + L::splat(*wz) * of_w);
            let (value, slope) = mirror::values_and_slopes((x * x + y * y + z * z).sqrt());
            let weight = L::splat(*weight);
            values = values + weight * value;
            let slope = weight * slope;
            let (x, y, z) = (slope * x, slope * y, slope * z);
            gradients = [gradients[0] + x, gradients[1] + y, gradients[2] + z];
            let (nx, ny, nz) = (L::splat(normal.x), L::splat(normal.y), L::splat(normal.z));
            let along = x * nx + y * ny + z * nz;
            let distance = offset.dot(*normal);
            slopes = slopes + along * L::splat(-distance.signum());
            let factor = along * L::splat(-distance);
            let (x, y, z) = (factor * nx, factor * ny, factor * nz);
            upper = [upper[0] + x * nx, upper[1] + x * ny, upper[2] + x * nz];
            lower = [lower[0] + y * ny, lower[1] + y * nz, lower[2] + z * nz];
        }
        let sum = SurfaceIntegral { value: values.sum().into(), gradient: L::sums(gradients).as_dvec3() * scale };
        let [xx, xy, xz] = L::sums(upper).as_dvec3().to_array();
        let [yy, yz, zz] = L::sums(lower).as_dvec3().to_array();
        let moment = DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz));
        (sum, NormalParts { moment, slope: f64::from(slopes.sum()) * scale })
    }
}
