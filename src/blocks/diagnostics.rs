//! Frames, rows of tables and lines of text about blocks; energies; where the time goes.

use glam::DVec2;

use super::{
    block::Block,
    contact::{ContactLaw, ContactMemory},
    settings::BlocksSettings,
    simulation::BlocksSimulation,
    state::{BlocksState, Follower},
};
use crate::{
    frame::{Field, Frame, PolygonFrame, Row, Value},
    simulator::{Fact, TableRows},
    timing,
};

/// Parts of a step that are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlocksStage {
    /// Pairs of blocks near each other.
    Search,
    /// Vertices near edges in these pairs.
    Detection,
    /// The matrix.
    Assembly,
    /// The solution.
    Solution,
    /// Contacts brought up to date with it.
    Contacts,
    /// Geometry, stresses, memory of contacts.
    Update,
}

impl timing::Stage for BlocksStage {
    const COLUMNS: &'static [&'static str] =
        &["search_seconds", "detection_seconds", "assembly_seconds", "solution_seconds", "contacts_seconds", "update_seconds"];

    fn place(self) -> usize {
        self as usize
    }
}

/// Sums over all blocks that move.
#[derive(Clone, Copy, Debug, Default)]
pub struct Energies {
    /// J, as the next four.
    pub kinetic: f64,
    /// Of weight, zero at the origin.
    pub potential: f64,
    pub strain: f64,
    /// Of the springs in contacts.
    pub contact: f64,
    /// kg m/s
    pub momentum: DVec2,
    /// About the origin, kg m²/s.
    pub angular_momentum: f64,
}

impl Energies {
    pub fn of(state: &BlocksState, settings: &BlocksSettings, memory: &ContactMemory, law: &ContactLaw) -> Self {
        let mut sum = Self::default();
        for block in state.blocks.iter().filter(|block| block.moves()) {
            let matrix = block.mass_matrix();
            let momenta = matrix.map(|line| line.iter().zip(&block.velocity).map(|(mass, rate)| mass * rate).sum::<f64>());
            sum.kinetic += 0.5 * momenta.iter().zip(&block.velocity).map(|(momentum, rate)| momentum * rate).sum::<f64>();
            let momentum = DVec2::new(momenta[0], momenta[1]);
            sum.momentum += momentum;
            sum.angular_momentum += block.moments.centroid.perp_dot(momentum) + momenta[2];
            sum.potential -= block.mass * settings.gravity.dot(block.moments.centroid);
            let [direct, cross, shear] = settings.materials[block.material as usize].stiffness(settings.plane);
            let [x, y, xy] = block.stress;
            let inverse = 1.0 / (direct * direct - cross * cross);
            let density = inverse * (direct * (x * x + y * y) - 2.0 * cross * x * y) + xy * xy / shear;
            sum.strain += 0.5 * block.moments.area * density;
        }
        for contact in memory.entries() {
            sum.contact += 0.5 * (contact.normal_force.powi(2) / law.normal_stiffness + law.shear_stiffness * contact.shear.powi(2));
        }
        sum
    }
}

/// The current state as plain data.
pub fn frame(simulation: &BlocksSimulation) -> Frame {
    let state = simulation.state();
    let present: Vec<usize> = (0..state.blocks.len()).filter(|&index| !state.blocks[index].gone).collect();
    let mut polygons = PolygonFrame { offsets: vec![0], ..PolygonFrame::default() };
    for &index in &present {
        polygons.positions.extend(state.polygon(index).iter().map(|vertex| [vertex.x as f32, vertex.y as f32, 0.0]));
        polygons.offsets.push(polygons.positions.len() as u32);
    }
    let scalars = |name, value: &dyn Fn(&Block) -> f64| {
        Field::scalars(name, present.iter().map(|&index| value(&state.blocks[index]) as f32).collect())
    };
    let vectors = |name, value: &dyn Fn(&Block) -> DVec2| {
        let vector = |&index: &usize| value(&state.blocks[index]).extend(0.0).as_vec3().to_array();
        Field::vectors(name, present.iter().map(vector).collect())
    };
    let integers = |name, value: &dyn Fn(usize) -> u32| Field::integers(name, present.iter().map(|&index| value(index)).collect());
    polygons.fields = vec![
        integers("id", &|index| index as u32),
        vectors("velocity", &|block| DVec2::new(block.velocity[0], block.velocity[1])),
        scalars("angular_velocity", &|block| block.velocity[2]),
        vectors("displacement", &|block| block.moments.centroid - block.start),
        scalars("rotation", &|block| block.rotation),
        scalars("stress_xx", &|block| block.stress[0]),
        scalars("stress_yy", &|block| block.stress[1]),
        scalars("stress_xy", &|block| block.stress[2]),
        scalars("pressure", &|block| -0.5 * (block.stress[0] + block.stress[1])),
        integers("material", &|index| u32::from(state.blocks[index].material)),
        integers("fixed", &|index| u32::from(state.blocks[index].fixed)),
    ];
    Frame { time: simulation.time, polygons, ..Frame::default() }
}

/// The last step as a row of the table.
pub fn row(simulation: &BlocksSimulation) -> Row {
    use Value::{Integer, Real};
    let report = simulation.report();
    let Energies { kinetic, potential, strain, contact, momentum, angular_momentum } = simulation.energies();
    let speed = |block: &Block| DVec2::new(block.velocity[0], block.velocity[1]).length();
    let fastest = simulation.state().blocks.iter().map(speed).fold(0.0, f64::max);
    vec![
        ("step", Integer(simulation.steps)),
        ("time", Real(simulation.time)),
        ("dt", Real(report.dt)),
        ("iterations", Integer(report.iterations.into())),
        ("cuts", Integer(report.cuts.into())),
        ("settled", Integer(report.settled.into())),
        ("box_checks", Integer(report.checks)),
        ("pairs", Integer(report.pairs)),
        ("contacts", Integer(report.contacts)),
        ("closed", Integer(report.closed)),
        ("sliding", Integer(report.sliding)),
        ("kinetic_energy", Real(kinetic)),
        ("potential_energy", Real(potential)),
        ("strain_energy", Real(strain)),
        ("contact_energy", Real(contact)),
        ("momentum_x", Real(momentum.x)),
        ("momentum_y", Real(momentum.y)),
        ("angular_momentum", Real(angular_momentum)),
        ("support_x", Real(report.support.x)),
        ("support_y", Real(report.support.y)),
        ("greatest_speed", Real(fastest)),
        ("greatest_displacement", Real(report.greatest_displacement)),
        ("greatest_penetration", Real(report.greatest_penetration)),
    ]
}

/// The measured points.
pub fn tables(simulation: &BlocksSimulation) -> Vec<TableRows> {
    use Value::{Integer, Real, Text};
    let row = |(name, point): (&str, &Follower)| {
        let block = &simulation.state().blocks[point.block as usize];
        let velocity = block.field(point.position, &block.velocity);
        vec![
            ("step", Integer(simulation.steps)),
            ("time", Real(simulation.time)),
            ("point", Text(name.to_owned())),
            ("block", Integer(point.block.into())),
            ("x", Real(point.position.x)),
            ("y", Real(point.position.y)),
            ("displacement_x", Real(point.position.x - point.start.x)),
            ("displacement_y", Real(point.position.y - point.start.y)),
            ("velocity_x", Real(velocity.x)),
            ("velocity_y", Real(velocity.y)),
            ("rotation", Real(block.rotation)),
            ("stress_xx", Real(block.stress[0])),
            ("stress_yy", Real(block.stress[1])),
            ("stress_xy", Real(block.stress[2])),
        ]
    };
    let rows: Vec<Row> = simulation.measured().map(row).collect();
    rows.first().cloned().map(|template| TableRows::new("bodies", &template, rows)).into_iter().collect()
}

/// Results of the run so far.
pub fn summary(simulation: &BlocksSimulation) -> Vec<String> {
    let moved = |block: &Block| block.moments.centroid.distance(block.start);
    let farthest = simulation.state().blocks.iter().filter(|block| !block.gone).map(moved).fold(0.0, f64::max);
    let mut lines = vec![format!("{} blocks, moved by {farthest:.3} m at most", simulation.block_count())];
    if simulation.unsettled_steps() > 0 {
        lines.push(format!("{} of {} steps taken with contacts still changing", simulation.unsettled_steps(), simulation.steps));
    }
    lines
}

/// What is simulated.
pub fn facts(simulation: &BlocksSimulation) -> Vec<Fact> {
    let (state, settings) = (simulation.state(), simulation.settings());
    let count = |matches: &dyn Fn(usize) -> bool| (0..state.blocks.len()).filter(|&index| matches(index)).count();
    let fixed = count(&|index| state.blocks[index].fixed);
    let complex = count(&|index| state.complex[index]);
    let materials = settings.materials.iter().enumerate().map(|(index, material)| {
        let of = |block: usize| state.blocks[block].material as usize == index;
        let area: f64 = (0..state.blocks.len()).filter(|&block| of(block)).map(|block| state.blocks[block].moments.area).sum();
        format!("{} of {}, {area:.4} m²", count(&of), material.name)
    });
    let blocks = format!("{} ({fixed} of them fixed, {complex} complex in shape)", state.blocks.len());
    vec![
        Fact::new("blocks", blocks).with_details(materials),
        Fact::new("search", settings.search.method.name()),
        Fact::new("step", format!("at most {:.3e} s and {:.3e} m", settings.step.maximum, settings.step.maximum_displacement)),
    ]
}
