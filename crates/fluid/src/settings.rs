//! Settings of the fluid in SI units, and derived quantities.

use glam::DVec3;
use plimsoll_base::math::{Aabb, Domain};
use plimsoll_bodies::MechanismDefinition;
use plimsoll_search::CellLayout;
use plimsoll_shape::{MassProperties, SegmentLimits, TriangleMesh};
use serde::{Deserialize, Serialize};

use crate::{
    acceleration::{AccelerationField, FieldStep},
    air::Air,
    domain_box::DomainBox,
    inflow::SpeedCourse,
    material::{ByMaterial, MAX_MATERIALS, Material, right_angle},
    micropolar::Micropolar,
    neighbourhood::Kernel,
    probes::{Probe, SampleGrid},
    rheology::{Rheology, Viscosity},
};

/// Maximum number of triangles in a segment.
const SEGMENT_TRIANGLES: usize = 512;
/// Longest side of the box of a segment that is not flat, in particle radii.
const SEGMENT_RADII: f64 = 8.0;
/// Minimum distance between particles and triangles, in particle radii.
const CLEARANCE: f64 = 0.05;
/// s
const MAX_STEP: f64 = 5e-3;
/// s/m
const MAX_STEP_PER_RADIUS: f64 = 0.25;
/// Minimum length of a period, in support radii.
const MIN_PERIOD: f64 = 4.0;

/// Settings of a fluid simulation. Lengths in meters, times in seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FluidSettings {
    /// Where the origin of all positions is in the coordinates of the scene, m. It has no effect, but a state continues only with the same one.
    #[serde(default)]
    pub origin: DVec3,
    /// Half the particle spacing; the kernel's support is four times this.
    pub particle_radius: f64,
    /// Rest density, kg/m³, unless there are `materials`.
    pub density: f64,
    /// The fluids, if they are given by name: at most [`crate::MAX_MATERIALS`]. If empty, there is one, with `density` and `viscosity.kinematic`.
    #[serde(default)]
    pub materials: Vec<Material>,
    /// m/s².
    pub gravity: DVec3,
    /// Which axes are periodic, and between which ends. Along the others, space is open: only bodies hold the fluid.
    pub domain: Domain,
    /// The box that the fluid should not leave, if there is one.
    #[serde(default)]
    pub domain_box: Option<DomainBox>,
    /// The pressure solver.
    pub pressure: PressureSolver,
    /// Whether the pressure of the water around gaps that are too narrow for particles acts in them.
    #[serde(default)]
    pub gap_pressure: bool,
    /// Whether frames contain the pressure of the last step in addition to the mean since the last output.
    pub momentary_pressure: bool,
    /// Viscosity of the fluid and at walls.
    pub viscosity: Viscosity,
    /// Tension of the fluid's surface, N/m, unless there are materials; zero for none.
    #[serde(default)]
    pub surface_tension: f64,
    /// Angle at which the surface meets walls, rad, unless there are materials.
    #[serde(default = "right_angle")]
    pub contact_angle: f64,
    /// Limits of the time step.
    pub time_step: TimeStep,
    /// Whether the fluid settles before the first step, with bodies held in place: for fluid that should start at rest.
    pub settle: bool,
    /// Regions of fluid at time zero.
    pub fills: Vec<Fill>,
    /// Where fluid flows in.
    pub emitters: Vec<Emitter>,
    /// Where fluid flows out: particles in these boxes are removed.
    pub drains: Vec<Aabb>,
    /// Where waves are absorbed.
    pub damping_zones: Vec<DampingZone>,
    /// Accelerations in addition to gravity.
    #[serde(default)]
    pub acceleration_fields: Vec<AccelerationField>,
    /// The air that drags on drops and spray, if there is any.
    #[serde(default)]
    pub air: Option<Air>,
    /// The constants of the spin, if the fluids have one.
    #[serde(default)]
    pub micropolar: Option<Micropolar>,
    /// Instruments.
    pub probes: Vec<Probe>,
    /// Grids at whose points the fluid is measured for each frame.
    #[serde(default)]
    pub grids: Vec<SampleGrid>,
    /// Joints, springs and moorings of the bodies.
    #[serde(default)]
    pub mechanism: MechanismDefinition,
}

impl FluidSettings {
    /// Water with particles of the given radius (m) and no fills; everything else has the default of the scene format.
    pub fn new(particle_radius: f64) -> Self {
        Self {
            origin: DVec3::ZERO,
            particle_radius,
            density: 1000.0,
            materials: Vec::new(),
            gravity: DVec3::new(0.0, -9.81, 0.0),
            domain: Domain::OPEN,
            domain_box: None,
            pressure: PressureSolver::default(),
            gap_pressure: false,
            momentary_pressure: false,
            viscosity: Viscosity::default(),
            surface_tension: 0.0,
            contact_angle: right_angle(),
            time_step: TimeStep::new(particle_radius, f64::INFINITY),
            settle: false,
            fills: Vec::new(),
            emitters: Vec::new(),
            drains: Vec::new(),
            damping_zones: Vec::new(),
            acceleration_fields: Vec::new(),
            air: None,
            micropolar: None,
            probes: Vec::new(),
            grids: Vec::new(),
            mechanism: MechanismDefinition::default(),
        }
    }
}

/// Quantities derived from the settings.
impl FluidSettings {
    /// Support radius of the kernel, m.
    pub fn support_radius(&self) -> f64 {
        4.0 * self.particle_radius
    }

    /// Unit vector against gravity; y without gravity.
    pub fn up(&self) -> DVec3 {
        (-self.gravity).try_normalize().unwrap_or(DVec3::Y)
    }

    /// Minimum length of a period, m: a particle never meets the same neighbour twice, nor a wall from both sides.
    pub fn min_period(&self) -> f64 {
        MIN_PERIOD * self.support_radius()
    }

    /// The cells of the neighbour search.
    pub(super) fn cell_layout(&self) -> CellLayout {
        CellLayout::new(self.support_radius() as f32, &self.domain)
    }

    pub(super) fn kernel(&self) -> Kernel {
        Kernel::new(self.support_radius() as f32)
    }

    /// Volume of a particle, m³: that of a cube as wide as the particle.
    pub fn particle_volume(&self) -> f64 {
        (2.0 * self.particle_radius).powi(3)
    }

    /// Distance up to which a wall acts on a particle, m.
    pub fn wall_cutoff(&self) -> f64 {
        2.0 * self.particle_radius
    }

    /// Minimum distance between a particle and a triangle at the end of a step, m.
    pub(super) fn wall_clearance(&self) -> f64 {
        CLEARANCE * self.particle_radius
    }

    /// The acceleration fields that act in the `dt` seconds from `time`.
    pub(super) fn fields_in(&self, time: f64, dt: f64) -> FieldStep<'_> {
        FieldStep::new(&self.acceleration_fields, self.origin, time, dt)
    }

    /// Moment of inertia of the spin per mass, m²; zero if the fluid has no spin.
    pub fn spin_inertia(&self) -> f64 {
        self.micropolar.map_or(0.0, |micropolar| micropolar.inertia)
    }

    /// Limits for cutting the meshes of bodies into segments, fine around the places where fluid begins.
    pub fn segment_limits(&self) -> SegmentLimits {
        let fills = self.fills.iter().map(|fill| fill.shape.aabb());
        let mouths = self.emitters.iter().map(|emitter| Aabb::around([emitter.position]).inflated(emitter.mouth.reach()));
        let sources = fills.chain(mouths).fold(Aabb::EMPTY, Aabb::union);
        SegmentLimits::new(SEGMENT_RADII * self.particle_radius, SEGMENT_TRIANGLES).around(sources)
    }
}

/// The fluids.
impl FluidSettings {
    /// Number of fluids.
    pub fn material_count(&self) -> usize {
        self.materials.len().max(1)
    }

    /// Rest densities, kg/m³.
    pub fn densities(&self) -> ByMaterial<f64> {
        ByMaterial::new(&self.materials, |material| material.map_or(self.density, |material| material.density))
    }

    /// Kinematic viscosities, m²/s.
    pub fn kinematic_viscosities(&self) -> ByMaterial<f64> {
        ByMaterial::new(&self.materials, |material| material.map_or(self.viscosity.kinematic, |material| material.kinematic_viscosity))
    }

    /// Kinematic viscosities at walls, m²/s.
    pub fn wall_viscosities(&self) -> ByMaterial<f64> {
        self.kinematic_viscosities().map(|kinematic| self.viscosity.wall.unwrap_or(kinematic))
    }

    /// Masses of the particles, kg: the numbers whose inverses are exactly [`FluidSettings::inverse_masses`], so that rounding of a mass does
    /// not appear as a loss of momentum.
    pub fn masses(&self) -> ByMaterial<f64> {
        self.inverse_masses().map(|inverse| 1.0 / f64::from(inverse))
    }

    /// Inverse masses of free particles, 1/kg.
    pub fn inverse_masses(&self) -> ByMaterial<f32> {
        let volume = self.particle_volume();
        self.densities().map(|density| (1.0 / (density * volume)) as f32)
    }

    /// How their viscosities depend on the shear rate.
    pub fn rheologies(&self) -> ByMaterial<Rheology> {
        ByMaterial::new(&self.materials, |material| material.map_or(self.viscosity.law, |material| material.law))
    }

    /// Whether no viscosity depends on the shear rate.
    pub fn is_newtonian(&self) -> bool {
        match self.materials.as_slice() {
            [] => self.viscosity.law == Rheology::Newtonian,
            materials => materials.iter().all(|material| material.law == Rheology::Newtonian),
        }
    }

    /// The largest effective kinematic viscosity, m²/s: that of the most viscous fluid acting on the lightest one.
    pub fn max_viscosity(&self) -> f64 {
        let (densities, viscosities) = (self.densities(), self.kinematic_viscosities());
        if self.materials.is_empty() {
            return viscosities.of(0);
        }
        let indices = 0..self.materials.len().min(MAX_MATERIALS) as u8;
        let dynamic = indices.map(|index| densities.of(index) * viscosities.of(index)).fold(0.0, f64::max);
        dynamic / self.min_density()
    }

    /// Rest densities in units of that of the first fluid.
    pub fn relative_densities(&self) -> ByMaterial<f64> {
        let densities = self.densities();
        densities.map(|density| density / densities.of(0))
    }

    /// The density of the lightest fluid, kg/m³.
    pub fn min_density(&self) -> f64 {
        self.materials.iter().map(|material| material.density).reduce(f64::min).unwrap_or(self.density)
    }

    /// The density of the densest fluid, kg/m³.
    pub fn max_density(&self) -> f64 {
        self.materials.iter().map(|material| material.density).reduce(f64::max).unwrap_or(self.density)
    }
}

/// How pressure is computed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum PressureSolver {
    /// Implicit: divergence-free velocity and constant density (Bender & Koschier 2017).
    Dfsph(DensitySolve),
    /// Explicit equation of state (Becker & Teschner 2007).
    Wcsph(TaitLaw),
}

impl Default for PressureSolver {
    fn default() -> Self {
        Self::Dfsph(DensitySolve::default())
    }
}

/// Tolerances of the implicit pressure solver.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DensitySolve {
    /// Mean density error allowed, percent.
    pub density_tolerance: f64,
    /// Maximum number of sweeps.
    pub density_iterations: u32,
    /// Mean divergence error allowed, percent of density per step.
    pub divergence_tolerance: f64,
    /// Maximum number of sweeps.
    pub divergence_iterations: u32,
}

impl Default for DensitySolve {
    fn default() -> Self {
        Self { density_tolerance: 0.01, density_iterations: 1000, divergence_tolerance: 0.1, divergence_iterations: 1000 }
    }
}

/// `p = density · sound_speed² / exponent · ((ρ/density)^exponent − 1)`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaitLaw {
    /// m/s; about ten times the maximum speed expected.
    pub sound_speed: f64,
    /// γ, dimensionless; 7 for water.
    pub exponent: f64,
}

/// Limits of the time step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimeStep {
    /// Shortest step, s.
    pub minimum: f64,
    /// Longest step, s.
    pub maximum: f64,
    /// Fraction of a particle diameter that the fastest particle may travel in one step.
    pub cfl: f64,
}

impl TimeStep {
    /// The default for a particle radius (m) and an output interval (s): steps of up to 5 ms, proportionally shorter for radii below 2 cm,
    /// and a Courant number of 0.5.
    pub fn new(particle_radius: f64, output_interval: f64) -> Self {
        let maximum = MAX_STEP.min(MAX_STEP_PER_RADIUS * particle_radius).min(output_interval);
        Self { minimum: Self::default_minimum(maximum), maximum, cfl: 0.5 }
    }

    /// The default minimum for steps of at most `maximum`, s.
    pub fn default_minimum(maximum: f64) -> f64 {
        (1e-6_f64).min(1e-3 * maximum)
    }
}

/// A region filled with fluid at time zero and carved by bodies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fill {
    /// The region.
    pub shape: FillShape,
    /// m/s.
    pub velocity: DVec3,
    /// Index of the material.
    #[serde(default)]
    pub material: u8,
}

impl Fill {
    /// Fluid at rest.
    pub fn at_rest(shape: FillShape) -> Self {
        Self { shape, velocity: DVec3::ZERO, material: 0 }
    }
}

/// The shape of a region, in world coordinates (m).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FillShape {
    /// An axis-aligned box.
    Box {
        /// Lowest corner.
        min: DVec3,
        /// Highest corner.
        max: DVec3,
    },
    /// A ball.
    Sphere {
        /// Its center.
        center: DVec3,
        /// Its radius.
        radius: f64,
    },
    /// The inside of a closed mesh, in world coordinates.
    Mesh(TriangleMesh),
}

impl FillShape {
    /// The bounding box, in world coordinates.
    pub fn aabb(&self) -> Aabb {
        match self {
            Self::Box { min, max } => Aabb { min: *min, max: *max },
            Self::Sphere { center, radius } => Aabb::around([*center]).inflated(*radius),
            Self::Mesh(mesh) => mesh.aabb(),
        }
    }

    /// Volume, m³, with all bodies in it.
    pub fn volume(&self) -> f64 {
        match self {
            Self::Box { min, max } => (max - min).element_product(),
            Self::Sphere { radius, .. } => 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3),
            Self::Mesh(mesh) => MassProperties::of(mesh).volume.abs(),
        }
    }
}

/// A mouth through which fluid flows in at a prescribed velocity, independent of the pressure against it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Emitter {
    /// Shape of the mouth.
    pub mouth: Mouth,
    /// Center of the mouth, of one that moves at time zero.
    pub position: DVec3,
    /// Unit vector along which the fluid flows in, of a mouth that moves at time zero.
    pub direction: DVec3,
    /// m/s; the largest one if it changes.
    pub speed: f64,
    /// How the speed changes, if it does.
    #[serde(default)]
    pub course: Option<SpeedCourse>,
    /// Index of the body with which the mouth moves, if any; it does not float.
    #[serde(default)]
    pub body: Option<usize>,
    /// Start time, s.
    pub start: f64,
    /// End time, s, if any.
    pub end: Option<f64>,
    /// Index of the material.
    #[serde(default)]
    pub material: u8,
}

/// Shape of an emitter's mouth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Mouth {
    /// A disc.
    Disc {
        /// m
        radius: f64,
    },
    /// The width is horizontal; a mouth that points straight up or down has it along x.
    Rectangle {
        /// m
        width: f64,
        /// m
        height: f64,
    },
}

/// A box in which the velocity of the fluid decays, so that waves are absorbed instead of reflected. The rate of decay grows quadratically
/// along a direction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DampingZone {
    /// World coordinates.
    pub region: Aabb,
    /// Unit vector along which the damping grows.
    pub direction: DVec3,
    /// Rate of decay where the box ends along `direction`, 1/s.
    pub rate: f64,
}
