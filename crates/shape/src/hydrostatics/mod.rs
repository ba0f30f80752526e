//! Hydrostatics of a rigid body in still water: immersion, equilibrium, righting arms.
//!
//! Water is a half space below a plane. Nothing is sampled: the triangles of a closed mesh are clipped at the plane, and all integrals
//! follow from the divergence theorem. Air that water cannot reach, such as the hold of an open boat, is displaced too
//! ([`Hold`]). Theory: `docs/theory/hydrostatics.md`.

mod afloat;
mod attitude;
mod basins;
mod clip;
mod equilibrium;
mod error;
mod heights;
mod hull;
mod immersion;
mod inclined;
mod loading;
mod particulars;
mod pockets;
mod righting;
mod righting_point;
mod surface;

pub use attitude::{Attitude, Bow};
pub use equilibrium::{Equilibrium, Stability};
pub use error::HydrostaticsError;
pub use hull::Hull;
pub use immersion::{Hold, Immersion, Waterplane};
pub use loading::Loading;
pub use particulars::Particulars;
pub use righting::RightingCurve;
pub use righting_point::{RightingPoint, TrimMode};
