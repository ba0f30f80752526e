//! Frames, table rows and text lines about grains.

use glam::DVec3;
use plimsoll_base::math::{
    Aabb,
    format::{bytes, grouped},
    parallel::{max, sum},
};
use plimsoll_bodies::{Body, Impulse, Momentum};
use plimsoll_contract::{
    frame::{Field, Frame, ParticleFrame, Row, Value, push_vector},
    simulator::{Fact, TableRows},
};
use plimsoll_search::hierarchical_grid::LevelChoice;

use super::{contacts::ContactTotals, counters::RebuildCounters, settings::SearchMethod, simulation::GrainsSimulation};

/// Memory per grain with its pairs in a packed bed, in bytes; rounded up to include the frame that is written.
const BYTES_PER_GRAIN: usize = 1500;
/// Overlaps above this, in radii, change packings and flow rates noticeably.
const LARGE_OVERLAP: f64 = 0.5;
/// Columns for the mean height and speed of groups.
const HEIGHTS: [&str; 8] =
    ["height_1 [m]", "height_2 [m]", "height_3 [m]", "height_4 [m]", "height_5 [m]", "height_6 [m]", "height_7 [m]", "height_8 [m]"];
const SPEEDS: [&str; 8] = [
    "speed_1 [m/s]",
    "speed_2 [m/s]",
    "speed_3 [m/s]",
    "speed_4 [m/s]",
    "speed_5 [m/s]",
    "speed_6 [m/s]",
    "speed_7 [m/s]",
    "speed_8 [m/s]",
];

/// Sums over all grains and floating bodies.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    kinetic: f64,
    rotational: f64,
    potential: f64,
    momentum: Momentum,
}

impl std::ops::AddAssign for Totals {
    fn add_assign(&mut self, other: Self) {
        self.kinetic += other.kinetic;
        self.rotational += other.rotational;
        self.potential += other.potential;
        self.momentum += other.momentum;
    }
}

/// Mean height and speed of a group.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    count: f64,
    height: f64,
    speed: f64,
}

impl GrainsSimulation {
    /// Translational and rotational kinetic energy, and gravitational potential energy, of grains and floating bodies, J.
    pub fn energies(&self) -> [f64; 3] {
        let Totals { kinetic, rotational, potential, .. } = self.totals();
        [kinetic, rotational, potential]
    }

    /// Energy in the springs of contacts between grains, J.
    pub fn elastic_energy(&self) -> f64 {
        let (contacts, context) = self.contacts();
        contacts.totals(&self.grains, context).energy
    }

    /// Momentum of grains and floating bodies, about the origin.
    pub fn momentum(&self) -> Momentum {
        self.totals().momentum
    }

    fn totals(&self) -> Totals {
        let (grains, gravity) = (&self.grains, self.settings.gravity);
        let mut totals: Totals = sum(grains.len(), |grain| {
            let (mass, sphere) = (grains.masses[grain], &grains.spheres[grain]);
            let (velocity, spin) = (grains.velocities[grain], grains.angular_velocities[grain]);
            let inertia = 0.4 * mass * sphere.radius * sphere.radius;
            let mut momentum = Momentum::at(sphere.center, mass * velocity);
            momentum.angular += inertia * spin;
            Totals {
                kinetic: 0.5 * mass * velocity.length_squared(),
                rotational: 0.5 * inertia * spin.length_squared(),
                potential: -mass * gravity.dot(sphere.center),
                momentum,
            }
        });
        totals += Totals {
            kinetic: self.bodies.kinetic_energy(),
            rotational: 0.0,
            potential: self.bodies.potential_energy(gravity),
            momentum: self.bodies.momentum(),
        };
        totals
    }

    /// Means of each group with grains.
    fn means(&self) -> Vec<Mean> {
        let up = (-self.settings.gravity).try_normalize().unwrap_or(DVec3::Y);
        let mut means = vec![Mean::default(); self.settings.groups.len() + usize::from(!self.settings.placed.is_empty())];
        for (grain, &group) in self.grains.groups.iter().enumerate() {
            let mean = &mut means[usize::from(group)];
            mean.count += 1.0;
            mean.height += self.grains.spheres[grain].center.dot(up);
            mean.speed += self.grains.velocities[grain].length();
        }
        means
    }

    /// The levels of the search, with the expected cost of the current list by the cost model and the actual cost.
    fn level_lines(&self) -> Vec<String> {
        let grid = &self.scratch.grid;
        if matches!(self.settings.search, SearchMethod::BruteForce) {
            return vec!["brute force".to_owned()];
        }
        let chosen = match self.settings.search {
            SearchMethod::HierarchicalGrid(LevelChoice::Automatic) => "chosen by cost",
            _ => "as specified",
        };
        let count = grid.plan.level_count();
        let mut lines = vec![format!("{count} {}, {chosen}", if count == 1 { "level" } else { "levels" })];
        for (level, (diameter, count)) in grid.plan.diameters.iter().zip(&grid.plan.counts).enumerate() {
            let cells = grid.cells.levels.get(level).map_or(0, |level| level.cell_count());
            lines.push(format!("  level {}: {count} grains of diameters up to {} m in {cells} cells", level + 1, rounded(*diameter)));
        }
        if !grid.cells.levels.is_empty() {
            let (expected, list) = (grid.expected(&self.grains.spheres), &grid.list);
            lines.push(format!(
                "  last search: {} cell rows (cost model {:.0}), {} tests (cost model, for a uniform distribution, {:.0})",
                list.searches, expected.searches, list.tests, expected.tests
            ));
        }
        lines
    }
}

/// The current state as plain data.
pub fn frame(simulation: &GrainsSimulation) -> Frame {
    let grains = &simulation.grains;
    let places = grains.places();
    let vectors = |values: &dyn Fn(usize) -> DVec3| places.iter().map(|&place| values(place as usize).as_vec3().to_array()).collect();
    let integers = |values: &dyn Fn(usize) -> u32| places.iter().map(|&place| values(place as usize)).collect();
    let radii: Vec<f32> = places.iter().map(|&place| grains.spheres[place as usize].radius as f32).collect();
    let (loads, touching) = simulation.loads_of_grains();
    let fields = vec![
        Field::integers("id", (0..grains.len() as u32).collect()),
        Field::vectors("velocity", vectors(&|place| grains.velocities[place])),
        Field::vectors("angular_velocity", vectors(&|place| grains.angular_velocities[place])),
        Field::scalars("radius", radii.clone()),
        Field::integers("group", integers(&|place| grains.groups[place].into())),
        Field::integers("contacts", integers(&|place| touching[place])),
        Field::scalars("load", places.iter().map(|&place| loads[place as usize] as f32).collect()),
    ];
    let radius = radii.iter().copied().fold(f32::INFINITY, f32::min);
    let particles = ParticleFrame { radius, positions: vectors(&|place| grains.spheres[place].center), fields, ..ParticleFrame::default() };
    let bodies = simulation.bodies.list.iter().zip(&simulation.loads).map(|(body, load)| body.frame(load.linear, load.angular)).collect();
    let contacts = simulation.settings.contact_lines.then(|| simulation.contact_frame());
    Frame { time: simulation.time, particles, bodies, contacts, ..Frame::default() }
}

/// The last step as a table row.
pub fn row(simulation: &GrainsSimulation) -> Row {
    use Value::{Integer, Real};
    let totals = simulation.totals();
    let (contacts, context) = simulation.contacts();
    let ContactTotals { contacts: touching, energy: elastic } = contacts.totals(&simulation.grains, context);
    let (on_box, on_bodies) = simulation.wall_totals();
    let (grains, box_force) = (&simulation.grains, simulation.box_force());
    let mut row = vec![
        ("step", Integer(simulation.steps)),
        ("time [s]", Real(simulation.time)),
        ("dt [s]", Real(simulation.dt)),
        ("kinetic_energy [J]", Real(totals.kinetic)),
        ("rotational_energy [J]", Real(totals.rotational)),
        ("potential_energy [J]", Real(totals.potential)),
        ("elastic_energy [J]", Real(elastic)),
    ];
    push_vector(&mut row, ["momentum_x [kg m/s]", "momentum_y [kg m/s]", "momentum_z [kg m/s]"], totals.momentum.linear);
    push_vector(
        &mut row,
        ["angular_momentum_x [kg m²/s]", "angular_momentum_y [kg m²/s]", "angular_momentum_z [kg m²/s]"],
        totals.momentum.angular,
    );
    row.extend([
        ("max_speed [m/s]", Real(max(grains.len(), |grain| grains.velocities[grain].length_squared()).sqrt())),
        ("max_overlap", Real(simulation.max_overlap)),
        ("contacts", Integer(touching)),
        ("wall_contacts", Integer(on_box + on_bodies)),
        ("coordination", Real((2.0 * touching as f64 + (on_box + on_bodies) as f64) / grains.len().max(1) as f64)),
    ]);
    push_vector(&mut row, ["box_force_x [N]", "box_force_y [N]", "box_force_z [N]"], box_force);
    row.extend([
        ("particles", Integer(grains.len() as u64)),
        ("pairs", Integer(contacts.pairs.len() as u64)),
        ("rebuilds", Integer(simulation.counts.rebuilds)),
        ("searches", Integer(simulation.counts.searches)),
        ("tests", Integer(simulation.counts.tests)),
    ]);
    for (group, mean) in simulation.means().iter().enumerate().take(HEIGHTS.len()) {
        row.extend([(HEIGHTS[group], Real(mean.height / mean.count)), (SPEEDS[group], Real(mean.speed / mean.count))]);
    }
    row
}

/// Loads on the bodies.
pub fn tables(simulation: &GrainsSimulation) -> Vec<TableRows> {
    let row = |(body, load): (&Body, &Impulse)| body.row(simulation.steps, simulation.time, load.linear, load.angular);
    let rows: Vec<Row> = simulation.bodies.list.iter().zip(&simulation.loads).map(row).collect();
    let bodies = rows.first().cloned().map(|template| TableRows::new("bodies", &template, rows));
    bodies.into_iter().chain(simulation.bodies.mechanism_tables(simulation.steps, simulation.time, simulation.dt)).collect()
}

/// Results of the run so far.
pub fn summary(simulation: &GrainsSimulation) -> Vec<String> {
    let RebuildCounters { rebuilds, searches, tests } = simulation.counts;
    let each = |count: u64| count as f64 / rebuilds.max(1) as f64;
    let mut lines = vec![format!(
        "{rebuilds} pair searches in {} steps, each of {:.3e} cell rows and {:.3e} tests",
        simulation.steps,
        each(searches),
        each(tests)
    )];
    lines.push(overlap_line(simulation.worst_overlap));
    let mut levels = simulation.level_lines().into_iter();
    lines.extend(levels.next().map(|search| format!("search: {search}")));
    lines.extend(levels);
    lines
}

/// The maximum overlap of the run, in radii, with a warning if results depend on it.
fn overlap_line(worst: f64) -> String {
    let line = format!("maximum overlap: {worst:.3} of the radius of the smaller grain");
    if worst > LARGE_OVERLAP { format!("warning: {line}: the grains are too soft for their speed or weight") } else { line }
}

/// Description of what is simulated, and its cost.
pub fn facts(simulation: &GrainsSimulation) -> Vec<Fact> {
    let radii = || simulation.grains.spheres.iter().map(|sphere| sphere.radius);
    let (smallest, largest) = (radii().fold(f64::INFINITY, f64::min), radii().fold(0.0, f64::max));
    let mass: f64 = simulation.grains.masses.iter().sum();
    let extent = Aabb::around(simulation.grains.spheres.iter().map(|sphere| sphere.center));
    let mut levels = simulation.level_lines().into_iter();
    let search = levels.next().unwrap_or_default();
    let mut facts = vec![
        Fact::new("grains", grouped(simulation.grains.len() as u64)),
        Fact::new("radii", format!("{} to {} m, {mass:.4} kg in all", rounded(smallest), rounded(largest))),
        Fact::new("centers", format!("from {:.4} to {:.4} m", extent.min, extent.max)),
        Fact::new("step", format!("{:.3e} s at most", simulation.max_step())),
        Fact::new("memory", format!("about {}", bytes((simulation.grains.len() * BYTES_PER_GRAIN) as u64))),
        Fact::new("search", search).with_details(levels),
    ];
    facts.extend(simulation.bodies.describe());
    facts.extend(simulation.bodies.describe_mechanism());
    facts
}

/// A positive number rounded to four digits.
fn rounded(value: f64) -> f64 {
    let unit = 10.0_f64.powi(3 - value.log10().floor() as i32);
    (value * unit).round() / unit
}
