//! Vectors and matrices in lanes.

use glam::{Mat3A, Vec3A};

use super::interface::{LANES, Lanes, Places};

/// Eight vectors.
pub type Vectors<L> = [L; 3];
/// Eight matrices, by columns.
pub type Matrices<L> = [[L; 3]; 3];

/// `vector − vectors`
#[inline(always)]
pub fn from<L: Lanes>(vector: Vec3A, [x, y, z]: Vectors<L>) -> Vectors<L> {
    [L::splat(vector.x) - x, L::splat(vector.y) - y, L::splat(vector.z) - z]
}

/// `a + b`
#[inline(always)]
pub fn plus<L: Lanes>(a: Vectors<L>, b: Vectors<L>) -> Vectors<L> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// `factor a`
#[inline(always)]
pub fn times<L: Lanes>(a: Vectors<L>, factor: L) -> Vectors<L> {
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

/// `a · b`
#[inline(always)]
pub fn dot<L: Lanes>(a: Vectors<L>, b: Vectors<L>) -> L {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn cross<L: Lanes>(a: Vectors<L>, b: Vectors<L>) -> Vectors<L> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// A matrix in all lanes.
#[inline(always)]
pub fn splat_matrix<L: Lanes>(matrix: &Mat3A) -> Matrices<L> {
    let (x, y, z) = (matrix.x_axis, matrix.y_axis, matrix.z_axis);
    [
        [L::splat(x.x), L::splat(x.y), L::splat(x.z)],
        [L::splat(y.x), L::splat(y.y), L::splat(y.z)],
        [L::splat(z.x), L::splat(z.y), L::splat(z.z)],
    ]
}

/// Matrices times vectors.
#[inline(always)]
pub fn product<L: Lanes>([a, b, c]: Matrices<L>, [x, y, z]: Vectors<L>) -> Vectors<L> {
    [a[0] * x + b[0] * y + c[0] * z, a[1] * x + b[1] * y + c[1] * z, a[2] * x + b[2] * y + c[2] * z]
}

/// Matrices times matrices.
#[inline(always)]
pub fn matrix_product<L: Lanes>(a: Matrices<L>, [x, y, z]: Matrices<L>) -> Matrices<L> {
    [product(a, x), product(a, y), product(a, z)]
}

/// The sum of two matrices.
#[inline(always)]
pub fn add_matrices<L: Lanes>([a, b, c]: Matrices<L>, [x, y, z]: Matrices<L>) -> Matrices<L> {
    [plus(a, x), plus(b, y), plus(c, z)]
}

/// Matrices times a factor.
#[inline(always)]
pub fn scaled<L: Lanes>([a, b, c]: Matrices<L>, factor: L) -> Matrices<L> {
    [times(a, factor), times(b, factor), times(c, factor)]
}

/// `matrices + diagonal I`
#[inline(always)]
pub fn add_diagonal<L: Lanes>([a, b, c]: Matrices<L>, diagonal: L) -> Matrices<L> {
    [[a[0] + diagonal, a[1], a[2]], [b[0], b[1] + diagonal, b[2]], [c[0], c[1], c[2] + diagonal]]
}

/// The transposed matrices.
#[inline(always)]
pub fn transpose<L: Lanes>([a, b, c]: Matrices<L>) -> Matrices<L> {
    [[a[0], b[0], c[0]], [a[1], b[1], c[1]], [a[2], b[2], c[2]]]
}

/// Sum of the diagonal.
#[inline(always)]
pub fn trace<L: Lanes>([a, b, c]: Matrices<L>) -> L {
    a[0] + b[1] + c[2]
}

/// Sum of the squares of all elements.
#[inline(always)]
pub fn square<L: Lanes>([a, b, c]: Matrices<L>) -> L {
    dot(a, a) + dot(b, b) + dot(c, c)
}

/// The determinants.
#[inline(always)]
pub fn determinant<L: Lanes>([a, b, c]: Matrices<L>) -> L {
    dot(c, cross(a, b))
}

/// The curl of flows with these velocity gradients.
#[inline(always)]
pub fn curl<L: Lanes>([a, b, c]: Matrices<L>) -> Vectors<L> {
    [b[2] - c[1], c[0] - a[2], a[1] - b[0]]
}

/// The inverse of matrices with this `determinant`.
#[inline(always)]
pub fn inverse<L: Lanes>([a, b, c]: Matrices<L>, determinant: L) -> Matrices<L> {
    let factor = L::splat(1.0) / determinant;
    transpose([times(cross(b, c), factor), times(cross(c, a), factor), times(cross(a, b), factor)])
}

/// Where `value < limit`, `then`, otherwise `otherwise`.
#[inline(always)]
pub fn select_matrices<L: Lanes>(value: L, limit: L, then: Matrices<L>, otherwise: Matrices<L>) -> Matrices<L> {
    let ([a, b, c], [x, y, z]) = (then, otherwise);
    [select(value, limit, a, x), select(value, limit, b, y), select(value, limit, c, z)]
}

#[inline(always)]
fn select<L: Lanes>(value: L, limit: L, then: Vectors<L>, otherwise: Vectors<L>) -> Vectors<L> {
    [
        value.select_less(limit, then[0], otherwise[0]),
        value.select_less(limit, then[1], otherwise[1]),
        value.select_less(limit, then[2], otherwise[2]),
    ]
}

/// The eight matrices from index `at` on; beyond the end, the last one.
#[inline(always)]
pub fn load_matrices<L: Lanes>(matrices: &[Mat3A], at: usize) -> Matrices<L> {
    let (at, last) = (at as u32, matrices.len() as u32 - 1);
    let mut places = Places::default();
    let mut lane = 0;
    while lane < LANES {
        places.0[lane] = (at + lane as u32).min(last);
        lane += 1;
    }
    L::gather_matrices(matrices, &places)
}

/// Writes those of the eight matrices from index `at` on that are not beyond the end.
#[inline(always)]
pub fn store_matrices<L: Lanes>([a, b, c]: Matrices<L>, matrices: &mut [Mat3A], at: usize) {
    let (a, b, c) = (store(a), store(b), store(c));
    for (lane, matrix) in matrices[at..].iter_mut().take(LANES).enumerate() {
        *matrix = Mat3A::from_cols(a[lane], b[lane], c[lane]);
    }
}

/// The first eight vectors; zeros after the last one.
#[inline(always)]
pub fn load_vectors<L: Lanes>(vectors: &[Vec3A]) -> Vectors<L> {
    let (mut x, mut y, mut z) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
    for (lane, vector) in vectors.iter().take(LANES).enumerate() {
        (x[lane], y[lane], z[lane]) = (vector.x, vector.y, vector.z);
    }
    [L::load(&x), L::load(&y), L::load(&z)]
}

/// Writes those of the eight vectors for which there is room.
#[inline(always)]
pub fn store_vectors<L: Lanes>(values: Vectors<L>, vectors: &mut [Vec3A]) {
    vectors.iter_mut().zip(store(values)).for_each(|(vector, value)| *vector = value);
}

#[inline(always)]
fn store<L: Lanes>([x, y, z]: Vectors<L>) -> [Vec3A; LANES] {
    let (x, y, z) = (x.store(), y.store(), z.store());
    let mut vectors = [Vec3A::ZERO; LANES];
    let mut lane = 0;
    while lane < LANES {
        vectors[lane] = Vec3A::new(x[lane], y[lane], z[lane]);
        lane += 1;
    }
    vectors
}
