//! Frames and tables.
//!
//! Positions are such that clusters are seen whole: the centre of mass lies in the box, and members may stick out of it.

use super::super::{
    medium::{diffusion_kernel, free_flight_kernel},
    population::Merger,
    settings::MotionLaw,
    simulation::AggregateSimulation,
};
use crate::{
    aggregates::record::{FractalFit, FractalPoint},
    frame::{Field, Frame, ParticleFrame, Row, Value},
    math::format::grouped,
    simulator::{Fact, Interaction, Parameter, SimulationError, Simulator, TableRows},
};
use Value::{Integer, Real};

/// Clusters smaller than this tell nothing of their fractal dimension.
const LEAST_SIZE: usize = 8;
const STICKING: &str = "sticking probability";

impl Simulator for AggregateSimulation {
    fn time(&self) -> f64 {
        self.time
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn element_count(&self) -> usize {
        self.primaries
    }

    fn frame(&self) -> Frame {
        let count = self.primaries;
        let (mut positions, mut velocities) = (vec![[0.0; 3]; count], vec![[0.0; 3]; count]);
        let (mut radii, mut numbers, mut sizes) = (vec![0.0; count], vec![0; count], vec![0; count]);
        for (place, cluster) in self.population.clusters.iter().enumerate() {
            let motion = self.population.motion_at(place, 0.0);
            for member in &cluster.members {
                let id = member.id as usize;
                let arm = motion.orientation * member.offset;
                positions[id] = (motion.center + arm).as_vec3().to_array();
                velocities[id] = (motion.velocity + motion.spin.cross(arm)).as_vec3().to_array();
                radii[id] = member.radius as f32;
                numbers[id] = self.population.numbers[place];
                sizes[id] = cluster.len() as u32;
            }
        }
        let radius = radii.iter().copied().fold(f32::INFINITY, f32::min);
        let fields = vec![
            Field::integers("id", (0..count as u32).collect()),
            Field::vectors("velocity", velocities),
            Field::scalars("radius", radii),
            Field::integers("cluster", numbers),
            Field::integers("cluster_size", sizes),
        ];
        Frame { time: self.time, particles: ParticleFrame { radius, positions, fields }, ..Frame::default() }
    }

    fn diagnostics(&self) -> Row {
        let clusters = self.population.len();
        let sizes = || self.population.clusters.iter().map(|cluster| cluster.len() as f64);
        let (count, seconds) = (self.primaries as f64, self.last.seconds);
        let square: f64 = sizes().map(|size| size * size).sum();
        let singles = self.population.clusters.iter().filter(|cluster| cluster.len() == 1).count();
        let volume = self.population.space.side.powi(3);
        let mergers = self.last.mergers.len() as f64;
        let density = 0.5 * (self.last.clusters_before + clusters) as f64 / volume;
        let (translation, rotation) = self.temperatures();
        let mut row = vec![
            ("step", Integer(self.steps)),
            ("time", Real(self.time)),
            ("dt", Real(seconds)),
            ("clusters", Integer(clusters as u64)),
            ("singles", Integer(singles as u64)),
            ("mean_size", Real(count / clusters as f64)),
            ("weight_mean_size", Real(square / count)),
            ("largest", Integer(sizes().fold(0.0, f64::max) as u64)),
            ("mergers", Integer(self.totals.mergers)),
            ("merger_rate", Real(mergers / (volume * seconds))),
            ("kernel", Real(2.0 * mergers / (volume * seconds * density * density))),
            ("temperature", Real(translation)),
            ("rotation_temperature", Real(rotation)),
        ];
        row.extend(self.momentum());
        row.extend([
            ("rounds", Integer(self.totals.rounds)),
            ("moves", Integer(self.totals.moves)),
            ("pairs", Integer(self.totals.pairs)),
            ("narrow_pairs", Integer(self.totals.narrow)),
            ("deep_contacts", Integer(self.totals.deep_contacts)),
            ("bounces", Integer(self.totals.bounces)),
            ("wall_bounces", Integer(self.totals.wall_bounces)),
            ("particles", Integer(self.primaries as u64)),
        ]);
        row
    }

    fn tables(&self) -> Vec<TableRows> {
        let clusters = if self.last.arrived { self.cluster_rows() } else { Vec::new() };
        let mergers = self.last.mergers.iter().map(|merger| self.merger_row(merger));
        vec![
            TableRows::new("mergers", &self.merger_row(&Merger::default()), mergers),
            TableRows::new("clusters", &self.cluster_row(0), clusters),
        ]
    }

    fn advance(&mut self, until: f64) -> Result<(), SimulationError> {
        if until > self.time {
            self.step(until);
        }
        Ok(())
    }

    fn timings(&self) -> Vec<(&'static str, f64)> {
        self.times.columns()
    }

    fn is_finished(&self) -> bool {
        let (clusters, stop) = (self.population.len() as u64, self.settings.stop);
        stop.clusters.is_some_and(|few| clusters <= few)
            || stop.mean_size.is_some_and(|size| self.primaries as f64 >= size * clusters as f64)
    }

    fn summary(&self) -> Vec<String> {
        let clusters = self.population.len();
        let largest = self.population.clusters.iter().map(|cluster| cluster.len()).max().unwrap_or(0);
        let mean = self.primaries as f64 / clusters as f64;
        let mut lines = vec![format!(
            "{} mergers; {clusters} clusters of {mean:.1} primaries on average, the largest of {largest}",
            self.totals.mergers
        )];
        if let Some(fit) = FractalFit::new(&self.fractal_points(LEAST_SIZE), self.mean_diameter()) {
            lines.push(format!("N = k (2 R_g / d)^D over clusters of {LEAST_SIZE} and more: {fit}"));
        }
        let widest = self.population.clusters.iter().map(|cluster| 2.0 * cluster.radius).fold(0.0, f64::max);
        if widest > self.population.space.side && !self.population.space.has_walls() {
            lines.push(format!(
                "the widest cluster, of {widest:.3e} m, is wider than the box of {:.3e} m: it may have passed through its own images",
                self.population.space.side
            ));
        }
        lines
    }

    fn describe(&self) -> Vec<Fact> {
        let medium = &self.settings.medium;
        let first = super::super::cluster::Cluster::sphere(0, 0.5 * self.settings.diameter, self.settings.density);
        let volume = self.population.space.side.powi(3);
        let number_density = self.primaries as f64 / volume;
        let kernel = free_flight_kernel(self.settings.diameter, first.mass, medium.thermal_energy());
        let relaxation = medium.relaxation_time(&first);
        let walls = if self.population.space.has_walls() { "with walls" } else { "periodic" };
        let velocities = match self.settings.law {
            MotionLaw::Fixed { time_step } => format!("drawn every {time_step:e} s, {:.1} relaxation times", time_step / relaxation),
            MotionLaw::Relaxation => format!("drawn after two relaxation times, {:.3e} s and more", 2.0 * relaxation),
            MotionLaw::Brownian { time_step } => {
                let path = (2.0 * medium.diffusivity(&first) * time_step).sqrt();
                format!("replaced by displacements every {time_step:e} s of {:.3} diameters along each axis", path / self.settings.diameter)
            }
        };
        let diffusive = diffusion_kernel(self.settings.diameter, medium.diffusivity(&first));
        let half = |kernel: f64| 2.0 / (kernel * number_density);
        let mut facts = vec![
            Fact::new("particles", grouped(self.primaries as u64)),
            Fact::new("box", format!("{:.4e} m wide, {walls}", self.population.space.side)),
            Fact::new("medium", format!("{:.3e} Pa s, mean free path {:.3e} m", medium.viscosity, medium.mean_free_path)),
            Fact::new("primary", format!("relaxation time {relaxation:.3e} s, diffusivity {:.3e} m2/s", medium.diffusivity(&first))),
            Fact::new("velocity", velocities),
        ];
        if self.settings.sticking < 1.0 {
            facts.push(Fact::new("contacts", format!("stick with a probability of {}", self.settings.sticking)));
        }
        let all = if self.settings.sticking < 1.0 { " if all contacts stuck" } else { "" };
        facts.push(Fact::new(
            "half time",
            format!("{:.3e} s by free flight, {:.3e} s by diffusion{all}; the longer one counts", half(kernel), half(diffusive)),
        ));
        facts
    }

    fn interaction(&mut self) -> Option<&mut dyn Interaction> {
        Some(self)
    }
}

impl Interaction for AggregateSimulation {
    fn parameters(&self) -> Vec<Parameter> {
        vec![Parameter::linear(STICKING, "", self.settings.sticking, [0.0, 1.0])]
    }

    fn set_parameter(&mut self, name: &str, value: f64) {
        if name == STICKING {
            self.settings.sticking = value.clamp(0.0, 1.0);
        }
    }
}

impl AggregateSimulation {
    /// `<m v²> / 3k` and `<ω I ω> / 3k`, K.
    fn temperatures(&self) -> (f64, f64) {
        let (mut translation, mut rotation) = (0.0, 0.0);
        for (place, cluster) in self.population.clusters.iter().enumerate() {
            let turning = &self.population.turnings[place];
            let own = turning.orientation.conjugate() * turning.spin;
            translation += cluster.mass * self.population.flights[place].velocity.length_squared();
            rotation += own.dot(cluster.inertia * own);
        }
        let scale = 3.0 * super::super::medium::BOLTZMANN * self.population.len() as f64;
        (translation / scale, rotation / scale)
    }

    fn momentum(&self) -> [(&'static str, Value); 4] {
        let parts = || self.population.clusters.iter().zip(&self.population.flights);
        let momentum: glam::DVec3 = parts().map(|(cluster, flight)| cluster.mass * flight.velocity).sum();
        let energy: f64 = parts().map(|(cluster, flight)| 0.5 * cluster.mass * flight.velocity.length_squared()).sum();
        [
            ("momentum_x", Real(momentum.x)),
            ("momentum_y", Real(momentum.y)),
            ("momentum_z", Real(momentum.z)),
            ("kinetic_energy", Real(energy)),
        ]
    }

    /// All clusters of two and more.
    fn cluster_rows(&self) -> Vec<Row> {
        let several = (0..self.population.len()).filter(|&place| self.population.clusters[place].len() > 1);
        several.map(|place| self.cluster_row(place)).collect()
    }

    fn cluster_row(&self, place: usize) -> Row {
        let (cluster, center) = (&self.population.clusters[place], self.population.flights[place].center);
        vec![
            ("step", Integer(self.steps)),
            ("time", Real(self.time)),
            ("cluster", Integer(self.population.numbers[place].into())),
            ("size", Integer(cluster.len() as u64)),
            ("gyration_radius", Real(cluster.gyration_radius())),
            ("bounding_radius", Real(cluster.radius)),
            ("mass", Real(cluster.mass)),
            ("position_x", Real(center.x)),
            ("position_y", Real(center.y)),
            ("position_z", Real(center.z)),
        ]
    }

    fn merger_row(&self, merger: &Merger) -> Row {
        vec![
            ("step", Integer(self.steps)),
            ("time", Real(merger.time)),
            ("first", Integer(merger.numbers[0].into())),
            ("second", Integer(merger.numbers[1].into())),
            ("first_size", Integer(merger.sizes[0].into())),
            ("second_size", Integer(merger.sizes[1].into())),
            ("first_sphere", Integer(merger.spheres[0].into())),
            ("second_sphere", Integer(merger.spheres[1].into())),
            ("epsilon", Real(merger.epsilon)),
            ("position_x", Real(merger.position.x)),
            ("position_y", Real(merger.position.y)),
            ("position_z", Real(merger.position.z)),
            ("relative_speed", Real(merger.relative_speed)),
        ]
    }

    /// Size and radius of gyration of all clusters of `least` spheres and more.
    pub fn fractal_points(&self, least: usize) -> Vec<FractalPoint> {
        let large = self.population.clusters.iter().filter(|cluster| cluster.len() >= least.max(2));
        large.map(|cluster| FractalPoint { size: cluster.len() as f64, gyration_radius: cluster.gyration_radius() }).collect()
    }

    /// Mean diameter of the primaries, m.
    pub fn mean_diameter(&self) -> f64 {
        let members = self.population.clusters.iter().flat_map(|cluster| &cluster.members);
        members.map(|member| 2.0 * member.radius).sum::<f64>() / self.primaries as f64
    }
}
