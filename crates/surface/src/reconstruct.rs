//! Reconstructs a closed triangle mesh from particles.
//!
//! A cubic kernel spreads the particles, `φ(x) = Σ_j V_j W(x − x_j)`, and marching cubes finds where `φ` crosses the threshold (F.
//! Löschner, T. Böttcher, S. R. Jeske, J. Bender, "Weighted Laplacian Smoothing for Surface Reconstruction of Particle-based Fluids",
//! Vision, Modeling, and Visualization 2023). The vertices are then smoothed as in the same paper, with the weight
//! `w = 6 c⁵ − 15 c⁴ + 10 c³` where `c = min(1, n/13)` and `n` counts the neighbouring particles, weighted by distance. This smooths large
//! surfaces, while drops, where `n` is small, do not shrink.

use plimsoll_contract::frame::{FieldValues, ParticleFrame};
use splashsurf_lib::{
    GridDecompositionParameters, Parameters, SpatialDecomposition,
    mesh::{Mesh3d, TriMesh3d},
    nalgebra::Vector3,
    postprocessing::{marching_cubes_cleanup, par_laplacian_smoothing_inplace, par_laplacian_smoothing_normals_inplace},
    reconstruct_surface,
    sph_interpolation::SphInterpolator,
};

use super::{mesh::Surface, order::put_in_order, periodic, settings::SurfaceSettings};

/// Density of a fluid at rest; only ratios to it matter.
const REST_DENSITY: f32 = 1.0;
/// Number of neighbours of a particle from which on its neighbourhood is smoothed fully.
const FULL_NEIGHBOURHOOD: f32 = 13.0;
/// Maximum number of rounds in which sliver triangles are merged.
const CLEANUP_ROUNDS: usize = 5;
/// Beyond this many particle radii, the precision of coordinates is coarser than a cube.
const MAX_COORDINATE: f32 = 1e6;

/// Why a surface cannot be reconstructed.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages explain the fields")]
pub enum SurfaceError {
    /// The particles are of different sizes.
    #[error("found particles of different radii, expected a liquid with one particle radius")]
    NotALiquid,
    /// The radius is not positive.
    #[error("found particles of radius {0}, expected a positive radius")]
    Radius(f32),
    /// A setting is out of range.
    #[error("found {name} {value}, expected {expected}")]
    Setting { name: &'static str, value: f32, expected: &'static str },
    /// A position is not finite or too far away.
    #[error("particle {index}: found position {position:?} m, expected a distance of at most {MAX_COORDINATE:e} radii from the origin")]
    Position { index: usize, position: [f32; 3] },
    /// The reconstruction failed.
    #[error("cannot reconstruct the surface: {0}")]
    Reconstruction(String),
}

/// The surface around `particles`, independent of the number of threads; empty if there are no particles. At periodic ends of their domain
/// it is cut off and open: its next image continues it.
///
/// # Errors
/// If the radius, a setting or a position is invalid.
pub fn reconstruct(particles: &ParticleFrame, settings: &SurfaceSettings) -> Result<Surface, SurfaceError> {
    if !particles.domain.is_periodic() {
        return reconstruct_closed(particles, settings);
    }
    check(particles, settings)?;
    // As far as the kernel and the smoothing of the vertices reach.
    let reach = 2.0 * settings.smoothing_length + 0.5 * settings.smoothing_iterations as f32 * settings.cube_size;
    let all = periodic::extend(particles, f64::from(reach * particles.radius));
    Ok(periodic::cut(reconstruct_closed(&all, settings)?, &particles.domain))
}

fn reconstruct_closed(particles: &ParticleFrame, settings: &SurfaceSettings) -> Result<Surface, SurfaceError> {
    let velocities = match particles.field("velocity") {
        Some(FieldValues::Vector(velocities)) => Some(velocities),
        _ => None,
    };
    if particles.positions.is_empty() {
        return Ok(Surface { velocities: velocities.map(|_| Vec::new()), ..Surface::default() });
    }
    check(particles, settings)?;
    let positions = to_vectors(&particles.positions);
    let parameters = parameters(particles.radius, settings);
    // Uses one thread: with more, it is random which subdomain owns the data on its border.
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|error| SurfaceError::Reconstruction(error.to_string()))?;
    let mut found = alone
        .install(|| reconstruct_surface::<i64, f32>(&positions, &parameters))
        .map_err(|error| SurfaceError::Reconstruction(error.to_string()))?;
    let (Some(densities), Some(neighbours)) = (found.particle_densities.take(), found.particle_neighbors.take()) else {
        return Err(SurfaceError::Reconstruction("missing densities or neighbours of the particles".to_owned()));
    };
    let mass = (2.0 * particles.radius).powi(3) * REST_DENSITY;
    let interpolator = SphInterpolator::new(&positions, &densities, mass, parameters.compact_support_radius);
    let mut mesh = found.mesh;
    put_in_order(&mut mesh);
    marching_cubes_cleanup(&mut mesh, &found.grid, None, CLEANUP_ROUNDS, false);
    let connectivity = mesh.vertex_vertex_connectivity();
    if settings.smoothing_iterations > 0 {
        let counts = neighbour_counts(&positions, &neighbours, parameters.compact_support_radius);
        let mut weights = interpolator.interpolate_scalar_quantity(&counts, mesh.vertices(), true);
        weights.iter_mut().for_each(|weight| *weight = smoothing_weight(*weight));
        par_laplacian_smoothing_inplace(&mut mesh, &connectivity, settings.smoothing_iterations, 1.0, &weights);
    }
    let normals = smooth_normals(&mesh, &connectivity, settings.normal_smoothing_iterations);
    let velocities = velocities.map(|velocities| {
        let at_vertices = interpolator.interpolate_vector_quantity(&to_vectors(velocities), mesh.vertices(), true);
        at_vertices.into_iter().map(|velocity: Vector3<f32>| finite(velocity.into())).collect()
    });
    Ok(Surface {
        vertices: mesh.vertices.iter().map(|&vertex| vertex.into()).collect(),
        normals,
        velocities,
        triangles: mesh.triangles.iter().map(|triangle| triangle.map(|vertex| vertex as u32)).collect(),
    })
}

fn check(particles: &ParticleFrame, settings: &SurfaceSettings) -> Result<(), SurfaceError> {
    if particles.field("radius").is_some() {
        return Err(SurfaceError::NotALiquid);
    }
    let radius = particles.radius;
    if !(radius > 0.0 && radius.is_finite()) {
        return Err(SurfaceError::Radius(radius));
    }
    let between = |value: f32, least: f32, most: f32| least <= value && value <= most;
    let wrong = [
        ("smoothing length", settings.smoothing_length, between(settings.smoothing_length, 0.5, 10.0), "0.5 to 10 particle radii"),
        ("cube size", settings.cube_size, between(settings.cube_size, 0.05, 4.0), "0.05 to 4 particle radii"),
        ("threshold", settings.threshold, between(settings.threshold, 0.01, 0.99), "0.01 to 0.99 of the density"),
    ];
    if let Some(&(name, value, _, expected)) = wrong.iter().find(|(_, _, sound, _)| !sound) {
        return Err(SurfaceError::Setting { name, value, expected });
    }
    let limit = MAX_COORDINATE * radius;
    let lost = particles.positions.iter().position(|position| !position.iter().all(|coordinate| coordinate.abs() <= limit));
    lost.map_or(Ok(()), |index| Err(SurfaceError::Position { index, position: particles.positions[index] }))
}

fn parameters(radius: f32, settings: &SurfaceSettings) -> Parameters<f32> {
    Parameters {
        particle_radius: radius,
        rest_density: REST_DENSITY,
        compact_support_radius: 2.0 * settings.smoothing_length * radius,
        cube_size: settings.cube_size * radius,
        iso_surface_threshold: settings.threshold,
        particle_aabb: None,
        enable_multi_threading: true,
        enable_simd: true,
        // Without subdomains, the order in which threads sum densities is random, and so are the last bits.
        spatial_decomposition: SpatialDecomposition::UniformGrid(GridDecompositionParameters {
            auto_disable: false,
            ..GridDecompositionParameters::default()
        }),
        global_neighborhood_list: true,
    }
}

/// Number of neighbours of each particle; one at distance `d` counts as `1 − (d/support)²`.
fn neighbour_counts(positions: &[Vector3<f32>], neighbours: &[Vec<usize>], support: f32) -> Vec<f32> {
    let count = |(position, neighbours): (&Vector3<f32>, &Vec<usize>)| {
        let squares = neighbours.iter().map(|&other| (positions[other] - position).norm_squared());
        squares.map(|square| 1.0 - (square / (support * support)).clamp(0.0, 1.0)).sum()
    };
    positions.iter().zip(neighbours).map(count).collect()
}

/// From 0 for a lone particle to 1 for one surrounded by others.
fn smoothing_weight(neighbours: f32) -> f32 {
    let c = (neighbours / FULL_NEIGHBOURHOOD).clamp(0.0, 1.0);
    if c.is_nan() { 0.0 } else { 6.0 * c.powi(5) - 15.0 * c.powi(4) + 10.0 * c.powi(3) }
}

fn smooth_normals(mesh: &TriMesh3d<f32>, connectivity: &[Vec<usize>], iterations: usize) -> Vec<[f32; 3]> {
    // Sums the triangles in order: in parallel the order, and so the last bits, would be random.
    let mut normals: Vec<Vector3<f32>> = mesh.vertex_normals().into_iter().map(|normal| normal.into_inner()).collect();
    par_laplacian_smoothing_normals_inplace(&mut normals, connectivity, iterations);
    normals.into_iter().map(|normal| finite(normal.try_normalize(0.0).unwrap_or(Vector3::y()).into())).collect()
}

fn finite(vector: [f32; 3]) -> [f32; 3] {
    if vector.iter().all(|component| component.is_finite()) { vector } else { [0.0; 3] }
}

fn to_vectors(values: &[[f32; 3]]) -> Vec<Vector3<f32>> {
    values.iter().map(|&value| Vector3::from(value)).collect()
}
