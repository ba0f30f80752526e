//! Frames, table rows and lines of text about blocks.

use glam::DVec2;
use plimsoll_contract::{
    frame::{Field, Frame, PolygonFrame, Row, Value},
    simulator::{Fact, TableRows},
};

use super::{block::Block, energies::Energies, simulation::BlocksSimulation, state::Follower};

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
        ("time [s]", Real(simulation.time)),
        ("dt [s]", Real(report.dt)),
        ("iterations", Integer(report.iterations.into())),
        ("cuts", Integer(report.cuts.into())),
        ("settled", Integer(report.settled.into())),
        ("box_checks", Integer(report.checks)),
        ("pairs", Integer(report.pairs)),
        ("contacts", Integer(report.contacts)),
        ("closed", Integer(report.closed)),
        ("sliding", Integer(report.sliding)),
        ("kinetic_energy [J/m]", Real(kinetic)),
        ("potential_energy [J/m]", Real(potential)),
        ("strain_energy [J/m]", Real(strain)),
        ("contact_energy [J/m]", Real(contact)),
        ("momentum_x [kg/s]", Real(momentum.x)),
        ("momentum_y [kg/s]", Real(momentum.y)),
        ("angular_momentum [kg m/s]", Real(angular_momentum)),
        ("support_x [N/m]", Real(report.support.x)),
        ("support_y [N/m]", Real(report.support.y)),
        ("max_speed [m/s]", Real(fastest)),
        ("max_displacement [m]", Real(report.max_displacement)),
        ("max_penetration [m]", Real(report.max_penetration)),
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
            ("time [s]", Real(simulation.time)),
            ("point", Text(name.to_owned())),
            ("block", Integer(point.block.into())),
            ("x [m]", Real(point.position.x)),
            ("y [m]", Real(point.position.y)),
            ("displacement_x [m]", Real(point.position.x - point.start.x)),
            ("displacement_y [m]", Real(point.position.y - point.start.y)),
            ("velocity_x [m/s]", Real(velocity.x)),
            ("velocity_y [m/s]", Real(velocity.y)),
            ("rotation [rad]", Real(block.rotation)),
            ("stress_xx [Pa]", Real(block.stress[0])),
            ("stress_yy [Pa]", Real(block.stress[1])),
            ("stress_xy [Pa]", Real(block.stress[2])),
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

/// Description of the simulation.
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
    let blocks = format!("{} ({fixed} fixed, {complex} of complex shape)", state.blocks.len());
    vec![
        Fact::new("blocks", blocks).with_details(materials),
        Fact::new("search", settings.search.method.name()),
        Fact::new("step", format!("at most {:.3e} s and {:.3e} m", settings.step.maximum, settings.step.maximum_displacement)),
    ]
}
