//! The surface of a ball of particles, against its known properties.

#[path = "../../output/tests/output/vtu.rs"]
mod vtu;

use std::{collections::BTreeMap, f64::consts::PI};

use glam::{DVec3, Vec3};
use plimsoll_base::math::Domain;
use plimsoll_contract::frame::{Field, ParticleFrame};
use plimsoll_surface::{Surface, SurfaceFormat, SurfaceSettings, reconstruct, write_surface};

const RADIUS: f32 = 0.02;
const BALL: f32 = 0.25;
const CENTER: Vec3 = Vec3::new(0.3, -0.2, 1.1);
const SPIN: Vec3 = Vec3::new(0.5, 2.0, -1.0);

/// Particles of a cubic lattice within a ball that rotates about its center and moves along x.
fn ball() -> ParticleFrame {
    let spacing = 2.0 * RADIUS;
    let cells = (BALL / spacing) as i32 + 1;
    let mut positions = Vec::new();
    for x in -cells..=cells {
        for y in -cells..=cells {
            for z in -cells..=cells {
                let offset = spacing * Vec3::new(x as f32, y as f32, z as f32);
                if offset.length() <= BALL {
                    positions.push((CENTER + offset).to_array());
                }
            }
        }
    }
    let velocities = positions.iter().map(|&position| velocity(Vec3::from(position)).to_array()).collect();
    let fields = vec![Field::vectors("velocity", velocities)];
    ParticleFrame { radius: RADIUS, positions, fields, ..ParticleFrame::default() }
}

fn velocity(position: Vec3) -> Vec3 {
    SPIN.cross(position - CENTER) + Vec3::X
}

/// Volume and centroid, by the divergence theorem.
fn volume_and_centroid(surface: &Surface) -> (f64, DVec3) {
    let vertex = |index: u32| Vec3::from(surface.vertices[index as usize]).as_dvec3();
    let (mut volume, mut moment) = (0.0, DVec3::ZERO);
    for triangle in &surface.triangles {
        let [a, b, c] = triangle.map(vertex);
        let part = a.dot(b.cross(c)) / 6.0;
        volume += part;
        moment += part * (a + b + c) / 4.0;
    }
    (volume, moment / volume)
}

fn assert_closed(surface: &Surface) {
    let mut edges: BTreeMap<(u32, u32), i32> = BTreeMap::new();
    for [a, b, c] in &surface.triangles {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            *edges.entry((*from.min(to), *from.max(to))).or_default() += if from < to { 1 } else { -1 };
        }
    }
    assert!(!edges.is_empty() && edges.values().all(|&balance| balance == 0), "an edge without its opposite");
}

#[test]
fn a_ball_of_particles_has_a_closed_surface_of_its_volume() {
    let particles = ball();
    let surface = reconstruct(&particles, &SurfaceSettings::default()).unwrap();
    assert_closed(&surface);
    let (volume, centroid) = volume_and_centroid(&surface);
    let expected = particles.positions.len() as f64 * f64::from(2.0 * RADIUS).powi(3);
    println!("volume {volume} of {expected}, centroid off by {}", centroid.distance(CENTER.as_dvec3()));
    assert!((volume / expected - 1.0).abs() < 0.05, "volume {volume}, expected {expected}");
    assert!((expected / (4.0 / 3.0 * PI * f64::from(BALL).powi(3)) - 1.0).abs() < 0.1);
    assert!(centroid.distance(CENTER.as_dvec3()) < 1e-3, "centroid {centroid}");
    for (&vertex, &normal) in surface.vertices.iter().zip(&surface.normals) {
        let (outwards, normal) = ((Vec3::from(vertex) - CENTER).normalize(), Vec3::from(normal));
        assert!((normal.length() - 1.0).abs() < 1e-4 && normal.dot(outwards) > 0.9, "normal {normal} where outwards is {outwards}");
    }
}

#[test]
fn velocities_of_a_turning_ball_are_those_of_the_rotation() {
    let surface = reconstruct(&ball(), &SurfaceSettings::default()).unwrap();
    let velocities = surface.velocities.expect("the particles have velocities");
    assert_eq!(velocities.len(), surface.vertices.len());
    let greatest = SPIN.length() * BALL + 1.0;
    let errors = velocities
        .iter()
        .zip(&surface.vertices)
        .map(|(&found, &vertex)| Vec3::from(found).distance(velocity(Vec3::from(vertex))) / greatest);
    let (worst, sum) = errors.fold((0.0_f32, 0.0), |(worst, sum), error| (worst.max(error), sum + error));
    let mean = sum / velocities.len() as f32;
    println!("velocity off by {mean} in the mean, {worst} at worst");
    assert!(worst < 0.05 && mean < 0.03, "off by {mean} in the mean, {worst} at worst");
}

#[test]
fn the_surface_is_the_same_for_any_number_of_threads() {
    let particles = ball();
    // Many subdomains, and fewer cubes than one subdomain has.
    for cube_size in [0.2, 0.5, 2.0] {
        let settings = SurfaceSettings { cube_size, ..SurfaceSettings::default() };
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| reconstruct(&particles, &settings).unwrap())
        };
        let alone = with(1);
        for threads in [2, 3, 5, 2, 3, 5] {
            assert!(with(threads) == alone, "another surface with {threads} threads and cubes of {cube_size}");
        }
    }
}

#[test]
fn a_lone_particle_is_a_drop_and_none_is_no_surface() {
    let none = ParticleFrame { radius: RADIUS, ..ParticleFrame::default() };
    assert_eq!(reconstruct(&none, &SurfaceSettings::default()).unwrap(), Surface::default());
    let none = ParticleFrame { radius: 0.0, ..ParticleFrame::default() };
    assert_eq!(reconstruct(&none, &SurfaceSettings::default()).unwrap(), Surface::default());
    let one = ParticleFrame { radius: RADIUS, positions: vec![CENTER.to_array()], ..ParticleFrame::default() };
    let surface = reconstruct(&one, &SurfaceSettings::default()).unwrap();
    assert_closed(&surface);
    let (volume, centroid) = volume_and_centroid(&surface);
    assert!(volume > 0.2 * f64::from(2.0 * RADIUS).powi(3), "volume {volume}: the drop has shrunk");
    assert!(centroid.distance(CENTER.as_dvec3()) < 1e-3 && surface.velocities.is_none());
}

#[test]
fn what_makes_no_sense_is_named() {
    let complaint = |particles: &ParticleFrame, settings| reconstruct(particles, &settings).unwrap_err().to_string();
    let settings = SurfaceSettings::default();
    let flat = ParticleFrame { radius: 0.0, ..ball() };
    assert!(complaint(&flat, settings).contains("radius 0, expected a positive radius"));
    let coarse = SurfaceSettings { cube_size: f32::NAN, ..settings };
    assert!(complaint(&ball(), coarse).contains("found cube size NaN, expected 0.05 to 4 particle radii"));
    let mut lost = ball();
    lost.positions[7][1] = f32::INFINITY;
    assert!(complaint(&lost, settings).starts_with("particle 7: found position"));
}

#[test]
fn files_hold_the_surface() {
    let folder = tempfile::tempdir().unwrap();
    let surface = reconstruct(&ball(), &SurfaceSettings::default()).unwrap();
    let path = |format: SurfaceFormat| folder.path().join(format!("surface.{}", format.extension()));
    for format in [SurfaceFormat::Vtu, SurfaceFormat::Ply, SurfaceFormat::Obj] {
        write_surface(&path(format), &surface, format).unwrap();
    }
    let grid = vtu::read(&path(SurfaceFormat::Vtu));
    assert_eq!(grid.points, surface.vertices.as_flattened());
    assert_eq!(grid.connectivity, surface.triangles.as_flattened());
    assert_eq!(grid.types, vec![5; surface.triangles.len()], "triangles");
    assert_eq!(grid.point_data["velocity"].reals(), surface.velocities.as_ref().unwrap().as_flattened());
    assert_eq!(grid.point_data["normal"].reals(), surface.normals.as_flattened());

    let (models, _) = tobj::load_obj(path(SurfaceFormat::Obj), &tobj::GPU_LOAD_OPTIONS).unwrap();
    assert_eq!(models[0].mesh.indices.len(), 3 * surface.triangles.len());

    let ply = std::fs::read(path(SurfaceFormat::Ply)).unwrap();
    let start = ply.windows(11).position(|window| window == b"end_header\n").unwrap() + 11;
    let real = |place: usize| f32::from_le_bytes(std::array::from_fn(|byte| ply[start + 4 * place + byte]));
    let second: Vec<f32> = (9..18).map(real).collect();
    assert_eq!(second[..3], surface.vertices[1]);
    assert_eq!(second[3..6], surface.normals[1]);
    assert_eq!(second[6..], surface.velocities.as_ref().unwrap()[1]);
    assert_eq!(ply.len(), start + 36 * surface.vertices.len() + 13 * surface.triangles.len());
}

/// A pool with waves on it that fills its domain along both level axes: the surface is a sheet, cut off at the ends, where it continues.
#[test]
fn a_periodic_surface_ends_where_its_image_continues() {
    let (spacing, counts) = (2.0 * RADIUS, [20, 16]);
    let domain = Domain {
        low: DVec3::new(-0.3, 0.0, 0.1),
        size: DVec3::new(f64::from(spacing) * 20.0, 0.0, f64::from(spacing) * 16.0),
        periodic: [true, false, true],
        dimension: 3,
    };
    let mut positions = Vec::new();
    for x in 0..counts[0] {
        for z in 0..counts[1] {
            let wave = (std::f32::consts::TAU * x as f32 / 20.0).sin();
            for y in 0..(6.5 + 2.0 * wave) as i32 {
                let offset = spacing * (Vec3::new(x as f32, y as f32, z as f32) + 0.5);
                positions.push((domain.low.as_vec3() + offset).to_array());
            }
        }
    }
    let count = positions.len();
    let particles =
        ParticleFrame { radius: RADIUS, positions, domain, fields: vec![Field::vectors("velocity", vec![[1.0, 2.0, 3.0]; count])] };
    let surface = reconstruct(&particles, &SurfaceSettings::default()).unwrap();
    assert!(surface.velocities.as_ref().is_some_and(|velocities| velocities.len() == surface.vertices.len()));
    // Each side that is not at an end has its opposite.
    let mut edges: BTreeMap<(u32, u32), i32> = BTreeMap::new();
    for [a, b, c] in &surface.triangles {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            *edges.entry((*from.min(to), *from.max(to))).or_default() += if from < to { 1 } else { -1 };
        }
    }
    let end_of = |vertex: u32| {
        let vertex = Vec3::from(surface.vertices[vertex as usize]).as_dvec3();
        [0, 2].map(|axis| [domain.low[axis], domain.high()[axis]].map(|end| (vertex[axis] - end).abs() < 1e-5))
    };
    for (&(a, b), _) in edges.iter().filter(|&(_, &balance)| balance != 0) {
        let [one, other] = [end_of(a), end_of(b)];
        let shared = (0..2).any(|axis| (0..2).any(|side| one[axis][side] && other[axis][side]));
        assert!(shared, "an open side between {:?} and {:?}", surface.vertices[a as usize], surface.vertices[b as usize]);
    }
    // The profiles at opposite ends agree.
    for (k, axis) in [0, 2].into_iter().enumerate() {
        let profile = |side: usize| {
            let at_end = (0..surface.vertices.len() as u32).filter(|&vertex| end_of(vertex)[k][side]);
            let mut profile: Vec<[f32; 2]> = at_end.map(|vertex| surface.vertices[vertex as usize]).map(|x| [x[2 - axis], x[1]]).collect();
            profile.sort_by(|a, b| a[0].total_cmp(&b[0]));
            profile
        };
        let (low, high) = (profile(0), profile(1));
        assert!(low.len() > 30 && high.len() > 30);
        for [along, up] in &low {
            let nearest = high.iter().map(|x| (x[0] - along).hypot(x[1] - up)).fold(f32::INFINITY, f32::min);
            assert!(nearest < RADIUS, "axis {axis}: {nearest} m apart at {along}");
        }
    }
    // The surface above and the one below are each as large as the domain seen from above.
    let above: f64 = surface
        .triangles
        .iter()
        .map(|triangle| {
            let [a, b, c] = triangle.map(|vertex| Vec3::from(surface.vertices[vertex as usize]).as_dvec3());
            0.5 * (b - a).cross(c - a).y
        })
        .filter(|area| *area > 0.0)
        .sum();
    assert!((above / (domain.size.x * domain.size.z) - 1.0).abs() < 0.01, "{above} m²");
}

#[test]
fn each_of_several_fluids_has_its_own_surface() {
    let (mut both, shift) = (ball(), [3.0 * BALL, 0.0, 0.0]);
    let count = both.positions.len();
    both.positions.extend(ball().positions.iter().map(|place| [0, 1, 2].map(|axis| place[axis] + shift[axis])));
    let speeds: Vec<[f32; 3]> = both.positions.iter().map(|&position| velocity(Vec3::from(position)).to_array()).collect();
    let materials = (0..2 * count).map(|index| u32::from(index >= count)).collect();
    both.fields = vec![Field::vectors("velocity", speeds), Field::integers("material", materials)];
    for (material, expected) in [(0, CENTER), (1, CENTER + Vec3::from(shift))] {
        let part = both.of_material(material);
        assert_eq!(part.positions.len(), count);
        let (volume, centroid) = volume_and_centroid(&reconstruct(&part, &SurfaceSettings::default()).unwrap());
        assert!(volume > 0.0 && (centroid - expected.as_dvec3()).length() < 0.1 * f64::from(RADIUS), "{material}: {volume} {centroid}");
    }
    assert!(both.of_material(2).positions.is_empty());
}
