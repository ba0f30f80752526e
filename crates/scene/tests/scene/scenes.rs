//! Every scene in `scenes/` loads, can be set up and runs a few steps, and satisfies the rules of its folder.

use std::{
    fs,
    path::{Path, PathBuf},
};

use plimsoll_aggregates::AggregateSimulation;
use plimsoll_blocks::BlocksSimulation;
use plimsoll_contract::{
    frame::{Value, name_and_unit},
    simulator::Simulator,
};
use plimsoll_fluid::FluidSimulation;
use plimsoll_gas::GasSimulation;
use plimsoll_grains::{GrainsSimulation, Sizes};
use plimsoll_scene::{Definition, Scene};

const STEPS: u64 = 5;

/// Factor on the particle radius: a seventh of the particles, so that all scenes together take seconds. The full resolution is not tested
/// here.
const COARSENING: f64 = 1.9;

/// The waves of a shipped scene are low for its particles, so that it runs in minutes.
const KNOWN_WARNING: &str = "waves.toml:39: body \"paddle\".motion.height: 0.12 m are 2.4 particle diameters";

/// All `*.toml` under `folder`, sorted by path.
pub fn scenes_under(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder can be read").map(|entry| entry.expect("an entry can be read").path());
    let mut paths: Vec<PathBuf> = entries
        .flat_map(|path| if path.is_dir() { scenes_under(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    paths.sort();
    paths
}

fn all_scenes() -> Vec<PathBuf> {
    let paths = scenes_under(&Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("scenes"));
    assert!(paths.len() >= 8, "{} scenes", paths.len());
    paths
}

#[test]
fn every_scene_says_what_to_look_at_and_loads_without_a_warning() {
    let mut titles = Vec::new();
    for path in all_scenes() {
        let text = fs::read_to_string(&path).expect("a scene can be read");
        let comment: String = text.lines().take_while(|line| line.starts_with("# ")).collect();
        assert!(comment.len() > 60 && comment.ends_with('.'), "{}: {comment:?}", path.display());
        let scene = Scene::load(&path).unwrap_or_else(|error| panic!("{error}"));
        let unknown: Vec<&String> = scene.warnings.iter().filter(|warning| !warning.contains(KNOWN_WARNING)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
        assert!(!titles.contains(&scene.title), "{}: two scenes are called {:?}", path.display(), scene.title);
        titles.push(scene.title);
    }
}

#[test]
fn every_scene_runs() {
    for path in all_scenes() {
        let scene = Scene::load(&path).unwrap_or_else(|error| panic!("{error}"));
        let (mut settings, bodies) = match scene.definition {
            Definition::Fluid { settings, bodies } => (*settings, bodies),
            Definition::Gas(settings) => {
                let mut gas = GasSimulation::new(&settings).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                gas.advance(1.0 / scene.frames_per_second).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                assert_units(&gas);
                assert!(gas.element_count() > 100 && gas.gas().counters().pairs > 0, "{}", path.display());
                continue;
            }
            Definition::Aggregates(settings) => {
                let mut aggregates = AggregateSimulation::new(&settings).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                aggregates.advance(1.0 / scene.frames_per_second).unwrap();
                assert_units(&aggregates);
                assert!(aggregates.element_count() > 100 && aggregates.totals().mergers > 0, "{}", path.display());
                continue;
            }
            Definition::Blocks(settings) => {
                let mut blocks = BlocksSimulation::new(*settings).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                for _ in 0..STEPS {
                    blocks.advance(scene.duration).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                }
                assert_units(&blocks);
                assert!(
                    blocks.state().vertices.iter().all(|vertex| vertex.is_finite()) && blocks.report().closed > 0,
                    "{}",
                    path.display()
                );
                continue;
            }
            Definition::Grains { mut settings, bodies } => {
                // The largest scenes use few grains: a tenth of them, twice as wide.
                for group in settings.groups.iter_mut().filter(|group| group.count > 20_000) {
                    group.count /= 10;
                    if let Sizes::Uniform { smallest, largest } = &mut group.sizes {
                        (*smallest, *largest) = (2.0 * *smallest, 2.0 * *largest);
                    }
                }
                let mut grains = GrainsSimulation::new(*settings, bodies).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                grains.advance((5.0 * grains.max_step()).min(1.0 / scene.frames_per_second)).unwrap();
                assert_units(&grains);
                assert!(grains.element_count() > 100 && grains.steps() >= 5, "{}", path.display());
                assert!(grains.energies().into_iter().all(f64::is_finite), "{}", path.display());
                continue;
            }
        };
        settings.particle_radius *= COARSENING;
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let mut simulation = FluidSimulation::new(settings, bodies).unwrap_or_else(|error| panic!("{name}: {error}"));
        let count = simulation.element_count();
        assert!(count > 100 || !simulation.settings().emitters.is_empty(), "{name}: {count} particles");
        while simulation.steps() < STEPS {
            simulation.advance(scene.duration).unwrap();
        }
        assert_units(&simulation);
        let particles = simulation.particles();
        let flowed = simulation.inflow().emitted - simulation.inflow().drained;
        assert_eq!(particles.len(), count + flowed as usize, "{name}");
        assert!(particles.positions.iter().chain(&particles.velocities).all(|vector| vector.is_finite()), "{name}");
        assert!(particles.relative_densities.iter().all(|&density| density > 0.0 && density.is_finite()), "{name}");
        for body in simulation.bodies() {
            assert!(body.pose.translation.is_finite() && body.pose.rotation.is_normalized(), "{name}: {}", body.name);
        }
        assert_eq!(simulation.totals().leaked, 0, "{name}");
        let fastest = 1.0 + settled_speed(&simulation);
        assert!(simulation.last_step().max_speed < fastest, "{name}: {} m/s", simulation.last_step().max_speed);
        println!("{name}: {count} particles, {:.4} s, at most {:.3} m/s", simulation.time(), simulation.last_step().max_speed);
    }
}

/// A window or a page runs a simulation in a thread of its own.
#[test]
fn simulations_may_move_to_another_thread() {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("scenes/gas/discs.toml");
    let scene = Scene::load(&path).unwrap_or_else(|error| panic!("{error}"));
    let Definition::Gas(settings) = scene.definition else { panic!("a gas") };
    let mut simulation: Box<dyn Simulator> = Box::new(GasSimulation::new(&settings).expect("a sound scene"));
    let moved = std::thread::spawn(move || simulation.advance(1.0 / scene.frames_per_second).map(|()| simulation));
    let simulation = moved.join().expect("no panic").expect("a step");
    assert!(simulation.time() > 0.0);
}

/// Columns of real numbers without a unit.
const PURE: [&str; 16] = [
    "packing",
    "compressibility",
    "compressibility_theory",
    "energy_error",
    "speed_moment_ratio",
    "momentum_error",
    "angular_momentum_error",
    "max_overlap",
    "coordination",
    "mean_size",
    "weight_mean_size",
    "epsilon",
    "rotation_x",
    "rotation_y",
    "rotation_z",
    "rotation_w",
];

/// Every column of real numbers has a unit, or is known to have none.
fn assert_units(simulation: &dyn Simulator) {
    let diagnostics = simulation.diagnostics();
    let of_tables = simulation.tables();
    let cells = of_tables.iter().flat_map(|table| table.rows.iter().flat_map(|row| table.columns.iter().map(AsRef::as_ref).zip(row)));
    for (column, value) in diagnostics.iter().map(|(column, value)| (*column, value)).chain(cells) {
        let (name, unit) = name_and_unit(column);
        let is_pure = PURE.contains(&name) || name.ends_with("_percent");
        assert!(!matches!(value, Value::Real(_)) || is_pure == unit.is_empty(), "{column}");
        assert!(!name.contains(['[', ' ']), "{column}");
    }
}

/// Upper bound on the speed by now, from gravity, fills, emitters and moving bodies, m/s.
fn settled_speed(simulation: &FluidSimulation) -> f64 {
    let settings = simulation.settings();
    let emitted = settings.emitters.iter().map(|emitter| emitter.speed);
    let poured = settings.fills.iter().map(|fill| fill.velocity.length()).chain(emitted).fold(0.0, f64::max);
    let driven =
        simulation.bodies().iter().map(|body| body.velocity.length() + body.angular_velocity.length() * body.extent()).fold(0.0, f64::max);
    settings.gravity.length() * simulation.time() + poured + driven
}
