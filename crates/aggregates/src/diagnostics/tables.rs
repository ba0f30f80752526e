//! Frames, table rows and lines of text about aggregates.
//!
//! Clusters are not split at the sides of the box: the center of mass is in the box, and members may be outside.

use super::{FractalFit, FractalPoint};
use crate::{
    medium::{BOLTZMANN, diffusion_kernel, free_flight_kernel},
    settings::MotionLaw,
    simulation::AggregateSimulation,
    state::Merger,
};
use Value::{Integer, Real};
use plimsoll_base::math::format::grouped;
use plimsoll_contract::{
    frame::{Field, Frame, ParticleFrame, Row, Value},
    simulator::{Fact, TableRows},
};

/// Clusters smaller than this are not used for the fractal dimension.
const MIN_SIZE: usize = 8;

/// The current state as plain data.
pub fn frame(simulation: &AggregateSimulation) -> Frame {
    let count = simulation.primaries;
    let (mut positions, mut velocities) = (vec![[0.0; 3]; count], vec![[0.0; 3]; count]);
    let (mut radii, mut numbers, mut sizes) = (vec![0.0; count], vec![0; count], vec![0; count]);
    for (place, cluster) in simulation.population.clusters.iter().enumerate() {
        let motion = simulation.population.motion_at(place, 0.0);
        for member in &cluster.members {
            let id = member.id as usize;
            let arm = motion.orientation * member.offset;
            positions[id] = (motion.center + arm).as_vec3().to_array();
            velocities[id] = (motion.velocity + motion.spin.cross(arm)).as_vec3().to_array();
            radii[id] = member.radius as f32;
            numbers[id] = simulation.population.numbers[place];
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
    Frame { time: simulation.time, particles: ParticleFrame { radius, positions, fields, ..ParticleFrame::default() }, ..Frame::default() }
}

/// The last step as a row of the table.
pub fn row(simulation: &AggregateSimulation) -> Row {
    let clusters = simulation.population.len();
    let sizes = || simulation.population.clusters.iter().map(|cluster| cluster.len() as f64);
    let (count, seconds) = (simulation.primaries as f64, simulation.last.seconds);
    let square: f64 = sizes().map(|size| size * size).sum();
    let singles = simulation.population.clusters.iter().filter(|cluster| cluster.len() == 1).count();
    let volume = simulation.population.domain.size.x.powi(3);
    let mergers = simulation.last.mergers.len() as f64;
    let density = 0.5 * (simulation.last.clusters_before + clusters) as f64 / volume;
    let (translation, rotation) = simulation.temperatures();
    let mut row = vec![
        ("step", Integer(simulation.steps)),
        ("time [s]", Real(simulation.time)),
        ("dt [s]", Real(seconds)),
        ("clusters", Integer(clusters as u64)),
        ("singles", Integer(singles as u64)),
        ("mean_size", Real(count / clusters as f64)),
        ("weight_mean_size", Real(square / count)),
        ("largest", Integer(sizes().fold(0.0, f64::max) as u64)),
        ("mergers", Integer(simulation.totals.mergers)),
        ("merger_rate [1/(m³ s)]", Real(mergers / (volume * seconds))),
        ("kernel [m³/s]", Real(2.0 * mergers / (volume * seconds * density * density))),
        ("temperature [K]", Real(translation)),
        ("rotation_temperature [K]", Real(rotation)),
    ];
    row.extend(simulation.momentum());
    row.extend([
        ("rounds", Integer(simulation.totals.rounds)),
        ("moves", Integer(simulation.totals.moves)),
        ("pairs", Integer(simulation.totals.pairs)),
        ("narrow_pairs", Integer(simulation.totals.narrow)),
        ("deep_contacts", Integer(simulation.totals.deep_contacts)),
        ("bounces", Integer(simulation.totals.bounces)),
        ("wall_bounces", Integer(simulation.totals.wall_bounces)),
        ("particles", Integer(simulation.primaries as u64)),
    ]);
    row
}

/// Mergers of the last step, and the clusters if the step ended at a frame.
pub fn tables(simulation: &AggregateSimulation) -> Vec<TableRows> {
    let clusters = if simulation.last.arrived { simulation.cluster_rows() } else { Vec::new() };
    let mergers = simulation.last.mergers.iter().map(|merger| simulation.merger_row(merger));
    vec![
        TableRows::new("mergers", &simulation.merger_row(&Merger::default()), mergers),
        TableRows::new("clusters", &simulation.cluster_row(0), clusters),
    ]
}

/// Results of the run so far.
pub fn summary(simulation: &AggregateSimulation) -> Vec<String> {
    let clusters = simulation.population.len();
    let largest = simulation.population.clusters.iter().map(|cluster| cluster.len()).max().unwrap_or(0);
    let mean = simulation.primaries as f64 / clusters as f64;
    let mut lines = vec![format!(
        "{} mergers; {clusters} clusters of {mean:.1} primaries on average, the largest of {largest}",
        simulation.totals.mergers
    )];
    lines.push(match FractalFit::reliable(&simulation.fractal_points(MIN_SIZE), simulation.mean_diameter()) {
        Ok(fit) => format!("N = k (2 R_g / d)^D over clusters of {MIN_SIZE} and more: {fit}"),
        Err(reason) => format!("no fractal dimension over clusters of {MIN_SIZE} and more: {reason}"),
    });
    let widest = simulation.population.clusters.iter().map(|cluster| 2.0 * cluster.radius).fold(0.0, f64::max);
    if widest > simulation.population.domain.size.x && simulation.population.domain.is_periodic() {
        lines.push(format!(
            "the widest cluster, of {widest:.3e} m, is wider than the box of {:.3e} m: it may have passed through its own images",
            simulation.population.domain.size.x
        ));
    }
    lines
}

/// Description of the simulation.
pub fn facts(simulation: &AggregateSimulation) -> Vec<Fact> {
    let medium = &simulation.settings.medium;
    let first = super::super::cluster::Cluster::sphere(0, 0.5 * simulation.settings.diameter, simulation.settings.density);
    let volume = simulation.population.domain.size.x.powi(3);
    let number_density = simulation.primaries as f64 / volume;
    let kernel = free_flight_kernel(simulation.settings.diameter, first.mass, medium.thermal_energy());
    let relaxation = medium.relaxation_time(&first);
    let walls = if simulation.population.domain.is_periodic() { "periodic" } else { "with walls" };
    let velocities = match simulation.settings.law {
        MotionLaw::Fixed { time_step } => format!("drawn every {time_step:e} s, {:.1} relaxation times", time_step / relaxation),
        MotionLaw::Relaxation => format!("drawn after two relaxation times, {:.3e} s and more", 2.0 * relaxation),
        MotionLaw::Brownian { time_step } => {
            let path = (2.0 * medium.diffusivity(&first) * time_step).sqrt();
            format!(
                "replaced by displacements every {time_step:e} s of {:.3} diameters along each axis",
                path / simulation.settings.diameter
            )
        }
    };
    let diffusive = diffusion_kernel(simulation.settings.diameter, medium.diffusivity(&first));
    let half = |kernel: f64| 2.0 / (kernel * number_density);
    let mut facts = vec![
        Fact::new("particles", grouped(simulation.primaries as u64)),
        Fact::new("box", format!("{:.4e} m wide, {walls}", simulation.population.domain.size.x)),
        Fact::new("medium", format!("{:.3e} Pa s, mean free path {:.3e} m", medium.viscosity, medium.mean_free_path)),
        Fact::new("primary", format!("relaxation time {relaxation:.3e} s, diffusivity {:.3e} m²/s", medium.diffusivity(&first))),
        Fact::new("velocity", velocities),
    ];
    if simulation.settings.sticking < 1.0 {
        facts.push(Fact::new("contacts", format!("stick with a probability of {}", simulation.settings.sticking)));
    }
    let all = if simulation.settings.sticking < 1.0 { " if all contacts stuck" } else { "" };
    facts.push(Fact::new(
        "half time",
        format!("{:.3e} s by free flight, {:.3e} s by diffusion{all}; the longer one counts", half(kernel), half(diffusive)),
    ));
    facts
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
        let scale = 3.0 * BOLTZMANN * self.population.len() as f64;
        (translation / scale, rotation / scale)
    }

    fn momentum(&self) -> [(&'static str, Value); 4] {
        let parts = || self.population.clusters.iter().zip(&self.population.flights);
        let momentum: glam::DVec3 = parts().map(|(cluster, flight)| cluster.mass * flight.velocity).sum();
        let energy: f64 = parts().map(|(cluster, flight)| 0.5 * cluster.mass * flight.velocity.length_squared()).sum();
        [
            ("momentum_x [kg m/s]", Real(momentum.x)),
            ("momentum_y [kg m/s]", Real(momentum.y)),
            ("momentum_z [kg m/s]", Real(momentum.z)),
            ("kinetic_energy [J]", Real(energy)),
        ]
    }

    /// All clusters of at least two spheres.
    fn cluster_rows(&self) -> Vec<Row> {
        let several = (0..self.population.len()).filter(|&place| self.population.clusters[place].len() > 1);
        several.map(|place| self.cluster_row(place)).collect()
    }

    fn cluster_row(&self, place: usize) -> Row {
        let (cluster, center) = (&self.population.clusters[place], self.population.flights[place].center);
        vec![
            ("step", Integer(self.steps)),
            ("time [s]", Real(self.time)),
            ("cluster", Integer(self.population.numbers[place].into())),
            ("size", Integer(cluster.len() as u64)),
            ("gyration_radius [m]", Real(cluster.gyration_radius())),
            ("bounding_radius [m]", Real(cluster.radius)),
            ("mass [kg]", Real(cluster.mass)),
            ("position_x [m]", Real(center.x)),
            ("position_y [m]", Real(center.y)),
            ("position_z [m]", Real(center.z)),
        ]
    }

    fn merger_row(&self, merger: &Merger) -> Row {
        vec![
            ("step", Integer(self.steps)),
            ("time [s]", Real(merger.time)),
            ("first", Integer(merger.numbers[0].into())),
            ("second", Integer(merger.numbers[1].into())),
            ("first_size", Integer(merger.sizes[0].into())),
            ("second_size", Integer(merger.sizes[1].into())),
            ("first_sphere", Integer(merger.spheres[0].into())),
            ("second_sphere", Integer(merger.spheres[1].into())),
            ("epsilon", Real(merger.epsilon)),
            ("position_x [m]", Real(merger.position.x)),
            ("position_y [m]", Real(merger.position.y)),
            ("position_z [m]", Real(merger.position.z)),
            ("relative_speed [m/s]", Real(merger.relative_speed)),
        ]
    }

    /// Size and radius of gyration of all clusters of at least `least` spheres.
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
