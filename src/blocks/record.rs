//! What is seen and told of blocks: frames, rows of tables, lines of text.

use glam::DVec2;

use super::{BlocksSimulation, Energies, Stage, state::Block};
use crate::{
    frame::{Field, Frame, PolygonFrame, Row, Value},
    simulator::{Fact, Interaction, Parameter, SimulationError, Simulator, TableRows},
    timing::StageTimes,
};

const GRAVITY: &str = "gravity";
const VELOCITY_KEPT: &str = "velocity kept per step";

impl BlocksSimulation {
    /// Wall time of the stages of a step.
    pub fn stage_times(&self) -> &StageTimes<Stage> {
        &self.working.times
    }
}

impl Simulator for BlocksSimulation {
    fn time(&self) -> f64 {
        self.time
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn element_count(&self) -> usize {
        self.block_count()
    }

    fn advance(&mut self, until: f64) -> Result<(), SimulationError> {
        if until > self.time { self.step(until) } else { Ok(()) }
    }

    fn frame(&self) -> Frame {
        let assembly = self.assembly();
        let present: Vec<usize> = (0..assembly.blocks.len()).filter(|&index| !assembly.blocks[index].gone).collect();
        let mut polygons = PolygonFrame { offsets: vec![0], ..PolygonFrame::default() };
        for &index in &present {
            polygons.positions.extend(assembly.polygon(index).iter().map(|vertex| [vertex.x as f32, vertex.y as f32, 0.0]));
            polygons.offsets.push(polygons.positions.len() as u32);
        }
        let scalars = |name, value: &dyn Fn(&Block) -> f64| {
            Field::scalars(name, present.iter().map(|&index| value(&assembly.blocks[index]) as f32).collect())
        };
        let vectors = |name, value: &dyn Fn(&Block) -> DVec2| {
            let vector = |&index: &usize| value(&assembly.blocks[index]).extend(0.0).as_vec3().to_array();
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
            integers("material", &|index| u32::from(assembly.blocks[index].material)),
            integers("fixed", &|index| u32::from(assembly.blocks[index].fixed)),
        ];
        Frame { time: self.time(), polygons, ..Frame::default() }
    }

    fn diagnostics(&self) -> Row {
        use Value::{Integer, Real};
        let report = self.report();
        let Energies { kinetic, potential, strain, contact, momentum, angular_momentum } = self.energies();
        let speed = |block: &Block| DVec2::new(block.velocity[0], block.velocity[1]).length();
        let fastest = self.assembly().blocks.iter().map(speed).fold(0.0, f64::max);
        vec![
            ("step", Integer(self.steps())),
            ("time", Real(self.time())),
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

    fn tables(&self) -> Vec<TableRows> {
        use Value::{Integer, Real, Text};
        let row = |(name, point): (&str, &super::Follower)| {
            let block = &self.assembly().blocks[point.block as usize];
            let velocity = block.field(point.position, &block.velocity);
            vec![
                ("step", Integer(self.steps())),
                ("time", Real(self.time())),
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
        let rows: Vec<Row> = self.measured().map(row).collect();
        rows.first().cloned().map(|template| TableRows::new("bodies", &template, rows)).into_iter().collect()
    }

    fn timings(&self) -> Vec<(&'static str, f64)> {
        self.working.times.columns()
    }

    fn summary(&self) -> Vec<String> {
        let moved = |block: &Block| block.moments.centroid.distance(block.start);
        let farthest = self.assembly().blocks.iter().filter(|block| !block.gone).map(moved).fold(0.0, f64::max);
        let mut lines = vec![format!("{} blocks, moved by {farthest:.3} m at most", self.block_count())];
        if self.unsettled_steps() > 0 {
            lines.push(format!("{} of {} steps taken with contacts still changing", self.unsettled_steps(), self.steps()));
        }
        lines
    }

    fn describe(&self) -> Vec<Fact> {
        let (assembly, settings) = (self.assembly(), self.settings());
        let count = |matches: &dyn Fn(usize) -> bool| (0..assembly.blocks.len()).filter(|&index| matches(index)).count();
        let fixed = count(&|index| assembly.blocks[index].fixed);
        let complex = count(&|index| assembly.complex[index]);
        let materials = settings.materials.iter().enumerate().map(|(index, material)| {
            let of = |block: usize| assembly.blocks[block].material as usize == index;
            let area: f64 = (0..assembly.blocks.len()).filter(|&block| of(block)).map(|block| assembly.blocks[block].moments.area).sum();
            format!("{} of {}, {area:.4} m²", count(&of), material.name)
        });
        let blocks = format!("{} ({fixed} of them fixed, {complex} complex in shape)", assembly.blocks.len());
        vec![
            Fact::new("blocks", blocks).with_details(materials),
            Fact::new("search", settings.search.method.name()),
            Fact::new("step", format!("at most {:.3e} s and {:.3e} m", settings.step.maximum, settings.step.maximum_displacement)),
        ]
    }

    fn interaction(&mut self) -> Option<&mut dyn Interaction> {
        Some(self)
    }
}

impl Interaction for BlocksSimulation {
    fn parameters(&self) -> Vec<Parameter> {
        vec![
            Parameter::linear(GRAVITY, "m/s²", self.settings.gravity.y, [-20.0, 5.0]),
            Parameter::linear(VELOCITY_KEPT, "", self.settings.step.velocity_kept, [0.0, 1.0]),
        ]
    }

    fn set_parameter(&mut self, name: &str, value: f64) {
        match name {
            GRAVITY => self.settings.gravity.y = value.clamp(-20.0, 5.0),
            VELOCITY_KEPT => self.settings.step.velocity_kept = value.clamp(0.0, 1.0),
            _ => {}
        }
    }
}
