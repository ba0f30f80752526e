//! The kinds of probes, one per file.

mod body_force;
mod body_motion;
mod box_events;
mod flow;
mod fluid_totals;
mod patch;
mod pressure_point;
mod velocities;
mod volume;
mod water_height;

use serde::{Deserialize, Serialize};

pub use body_force::BodyForce;
pub use body_motion::BodyMotion;
pub use box_events::BoxEvents;
pub use flow::Flow;
pub use fluid_totals::FluidTotals;
pub use patch::Patch;
pub use pressure_point::PressurePoint;
pub use velocities::Velocities;
pub use volume::Volume;
pub use water_height::WaterHeight;

use super::{FluidSample, Quantity};

/// What a probe measures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProbeKind {
    /// Pressure at a point.
    Pressure(PressurePoint),
    /// Pressure and force on a part of a body's surface.
    Patch(Patch),
    /// Force and torque on a body.
    Force(BodyForce),
    /// Height of the water over a point.
    Height(WaterHeight),
    /// Velocity at points.
    Velocity(Velocities),
    /// Flow through a rectangle.
    Flow(Flow),
    /// Volume of fluid in a box.
    Volume(Volume),
    /// Motion of a body.
    Motion(BodyMotion),
    /// Center of mass, momentum and energy of the fluid.
    Fluid(FluidTotals),
    /// What enters and leaves a box.
    Events(BoxEvents),
}

/// An instrument: the quantities that it measures, and how.
trait Instrument {
    /// The quantities, always the same.
    fn quantities(&self) -> Vec<Quantity>;

    /// The value of each quantity.
    fn measure(&self, sample: &FluidSample) -> Vec<f64>;
}

impl ProbeKind {
    /// The quantities that it measures.
    pub fn quantities(&self) -> Vec<Quantity> {
        self.instrument().quantities()
    }

    /// The value of each quantity.
    pub fn measure(&self, sample: &FluidSample) -> Vec<f64> {
        self.instrument().measure(sample)
    }

    fn instrument(&self) -> &dyn Instrument {
        match self {
            Self::Pressure(instrument) => instrument,
            Self::Patch(instrument) => instrument,
            Self::Force(instrument) => instrument,
            Self::Height(instrument) => instrument,
            Self::Velocity(instrument) => instrument,
            Self::Flow(instrument) => instrument,
            Self::Volume(instrument) => instrument,
            Self::Motion(instrument) => instrument,
            Self::Fluid(instrument) => instrument,
            Self::Events(instrument) => instrument,
        }
    }
}
