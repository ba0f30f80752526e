//! Frames, table rows and text lines about a gas.
//!
//! Temperature `T = 2 E / (d N)` in units of energy (Boltzmann's constant is one). Pressure from the virial over the impacts of the step,
//! `p V = N T + Σ r·J / (d Δt)`. Compressibility factor `Z = p V / (N T)`. SI units.

use std::sync::Arc;

use glam::DVec3;
use plimsoll_base::math::{Aabb, Pose, format::grouped};
use plimsoll_contract::{
    frame::{BodyFrame, Field, Frame, ParticleFrame, Row, Value},
    simulator::{Fact, TableRows},
};
use plimsoll_shape::TriangleMesh;

use super::{
    container::Dimension,
    fast::Gas,
    settings::Species,
    simulation::{GasSimulation, Turn},
    state::SphereState,
    theory::Mixture,
    totals::Totals,
};

/// The current state as plain data.
pub fn frame(simulation: &GasSimulation) -> Frame {
    let (states, species) = (simulation.gas.states(), &simulation.gas.setup().species);
    let vectors = |value: &dyn Fn(&SphereState) -> DVec3| states.iter().map(|sphere| value(sphere).as_vec3().to_array()).collect();
    let radii: Vec<f32> = states.iter().map(|sphere| species[sphere.species as usize].radius as f32).collect();
    let masses = states.iter().map(|sphere| species[sphere.species as usize].mass as f32).collect();
    let species = states.iter().map(|sphere| u32::from(sphere.species)).collect();
    let fields = vec![
        Field::integers("id", (0..states.len() as u32).collect()),
        Field::vectors("velocity", vectors(&|sphere| sphere.velocity)),
        Field::scalars("radius", radii.clone()),
        Field::scalars("mass", masses),
        Field::integers("species", species),
        Field::integers("impacts", simulation.gas.impact_counts()),
    ];
    let radius = radii.iter().copied().fold(f32::INFINITY, f32::min);
    let particles = ParticleFrame { radius, positions: vectors(&|sphere| sphere.position), fields, ..ParticleFrame::default() };
    Frame { time: simulation.time, particles, bodies: vec![room(simulation)], ..Frame::default() }
}

/// The box at the current time; in two dimensions its depth is the diameter of the largest disc.
fn room(simulation: &GasSimulation) -> BodyFrame {
    let (container, clock) = simulation.gas.container();
    let (mut min, extent) = container.extent_at(clock);
    let mut max = min + extent;
    if container.dimension() == Dimension::Two {
        let depth = simulation.gas.setup().species.iter().map(|species| species.radius).fold(0.0, f64::max);
        (min.z, max.z) = (-depth, depth);
    }
    let center = 0.5 * (min + max);
    let mesh = Arc::new(TriangleMesh::room(&Aabb { min: min - center, max: max - center }));
    BodyFrame {
        name: "box".to_owned(),
        mesh,
        surface_velocities: Vec::new(),
        pose: Pose::from_translation(center),
        center,
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
        force: DVec3::ZERO,
        torque: DVec3::ZERO,
    }
}

/// The last step as a table row.
pub fn row(simulation: &GasSimulation) -> Row {
    use Value::{Integer, Real};
    let states = simulation.gas.states();
    let Totals { energy, momentum, fastest, speed, moment } = Totals::new(&simulation.gas, &states);
    let (container, clock) = simulation.gas.container();
    let mixture = Mixture { dimension: container.dimension(), volume: container.volume_at(clock), parts: parts(&simulation.gas, &states) };
    let (axes, count) = (mixture.dimension.count() as f64, states.len() as f64);
    let temperature = 2.0 * energy / (axes * count);
    let (counters, before) = (simulation.gas.counters(), &simulation.last.before);
    let seconds = simulation.last.seconds;
    let [volume_column, pressure_column] = match container.dimension() {
        Dimension::Two => ["volume [m²]", "pressure [N/m]"],
        Dimension::Three => ["volume [m³]", "pressure [Pa]"],
    };
    let pressure = (count * temperature + (counters.virial - before.virial) / (axes * seconds)) / mixture.volume;
    // The theory is that of the fluid.
    let theory = |value: f64| defined(if mixture.is_fluid() { value } else { f64::NAN });
    let rate = 2.0 * (counters.pairs - before.pairs) as f64 / (count * seconds);
    let mut row = vec![
        ("step", Integer(simulation.steps)),
        ("time [s]", Real(simulation.time)),
        ("dt [s]", Real(seconds)),
        ("temperature [J]", Real(temperature)),
        (volume_column, Real(mixture.volume)),
        ("packing", Real(mixture.packing())),
        (pressure_column, Real(pressure)),
        ("compressibility", defined(pressure * mixture.volume / (count * temperature))),
        ("compressibility_theory", theory(mixture.compressibility())),
        ("impact_rate [1/s]", Real(rate)),
        ("impact_rate_theory [1/s]", theory(2.0 * mixture.impact_rate(temperature) / count)),
        ("mean_free_path [m]", defined(speed / rate)),
        ("kinetic_energy [J]", Real(energy)),
        ("wall_work [J]", Real(counters.work)),
        ("energy_error", defined((energy - simulation.initial_energy - counters.work) / simulation.initial_energy)),
        ("momentum_x [kg m/s]", Real(momentum.x)),
        ("momentum_y [kg m/s]", Real(momentum.y)),
        ("momentum_z [kg m/s]", Real(momentum.z)),
    ];
    row.extend([
        ("speed_moment_ratio", defined(moment)),
        ("max_speed [m/s]", Real(fastest)),
        ("impacts", Integer(counters.pairs)),
        ("wall_impacts", Integer(counters.walls)),
        ("particles", Integer(states.len() as u64)),
    ]);
    row
}

/// `value`, or an empty cell if it is not defined, such as a ratio to a temperature of zero.
fn defined(value: f64) -> Value {
    if value.is_finite() { Value::Real(value) } else { Value::Text(String::new()) }
}

/// Paths of the traced spheres in the last step.
pub fn tables(simulation: &GasSimulation) -> Vec<TableRows> {
    if simulation.traced.is_empty() {
        return Vec::new();
    }
    let template = turn_row(simulation, &Turn::default());
    vec![TableRows::new("bodies", &template, simulation.path.iter().map(|turn| turn_row(simulation, turn)))]
}

/// A traced sphere at an impact or at the end of the step.
fn turn_row(simulation: &GasSimulation, turn: &Turn) -> Row {
    use Value::{Integer, Real};
    let SphereState { position, velocity, .. } = turn.state;
    vec![
        ("step", Integer(simulation.steps)),
        ("time [s]", Real(turn.time)),
        ("sphere", Integer(turn.sphere.into())),
        ("impacts", Integer(turn.impacts.into())),
        ("position_x [m]", Real(position.x)),
        ("position_y [m]", Real(position.y)),
        ("position_z [m]", Real(position.z)),
        ("velocity_x [m/s]", Real(velocity.x)),
        ("velocity_y [m/s]", Real(velocity.y)),
        ("velocity_z [m/s]", Real(velocity.z)),
    ]
}

/// Results of the run so far.
pub fn summary(simulation: &GasSimulation) -> Vec<String> {
    let counters = simulation.gas.counters();
    let states = simulation.gas.states();
    let energy = Totals::new(&simulation.gas, &states).energy;
    let balance = (energy - simulation.initial_energy - counters.work) / simulation.initial_energy;
    let name = if simulation.gas.setup().impact.restitution < 1.0 { "energy change by inelastic impacts" } else { "energy error" };
    let balance = if balance.is_finite() { format!("{balance:.1e} of the initial energy") } else { "no energy at the start".to_owned() };
    vec![format!("{} impacts between spheres, {} on walls", counters.pairs, counters.walls), format!("{name}: {balance}")]
}

/// Description of what is simulated.
pub fn facts(simulation: &GasSimulation) -> Vec<Fact> {
    let states = simulation.gas.states();
    let (container, clock) = simulation.gas.container();
    let mixture = Mixture { dimension: container.dimension(), volume: container.volume_at(clock), parts: parts(&simulation.gas, &states) };
    let temperature = 2.0 * Totals::new(&simulation.gas, &states).energy / (mixture.dimension.count() as f64 * states.len() as f64);
    let impacts = match mixture.is_fluid() {
        true => format!("about {:.3e} per simulated second in equilibrium", mixture.impact_rate(temperature)),
        false => "no theory of the rate beyond freezing".to_owned(),
    };
    let species = |(species, count): &(Species, usize)| {
        format!("{} with radius {} m and mass {} kg", grouped(*count as u64), species.radius, species.mass)
    };
    vec![
        Fact::new("spheres", grouped(states.len() as u64)).with_details(mixture.parts.iter().map(species)),
        Fact::new("packing", format!("{:.4} in {} dimensions", mixture.packing(), mixture.dimension.count())),
        Fact::new("impacts", impacts),
    ]
}

fn parts(gas: &Gas, states: &[SphereState]) -> Vec<(Species, usize)> {
    let mut parts: Vec<_> = gas.setup().species.iter().map(|species| (*species, 0)).collect();
    states.iter().for_each(|sphere| parts[sphere.species as usize].1 += 1);
    parts
}
