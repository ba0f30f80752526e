//! Why hydrostatics cannot be computed.

use plimsoll_base::math::format::significant;

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum HydrostaticsError {
    /// The mesh has a boundary, so it displaces no definite volume.
    #[error(
        "found {open} open edges and {crowded} edges of more than two triangles, expected a closed mesh (every edge with two triangles)"
    )]
    NotClosed {
        /// Edges with one triangle.
        open: usize,
        /// Edges with more than two triangles.
        crowded: usize,
    },
    /// Neighbouring triangles are wound in opposite directions.
    #[error("found {0} edges between triangles with opposite windings, expected a surface with an inside and an outside")]
    NotOriented(usize),
    /// The mesh is flat or inside out.
    #[error("found a volume of {} m³, expected a positive volume", significant(*.0))]
    NoVolume(f64),
    /// The plane does not cut the body.
    #[error("found a draft of {draft} m, expected more than 0 and less than {} m, the height of the mesh", significant(*height))]
    Draft {
        /// Given draft, m.
        draft: f64,
        /// Vertical extent of the upright body, m.
        height: f64,
    },
    /// The body is too heavy to float.
    #[error("the body sinks: its mass is {} kg, but it displaces at most {} kg of water", significant(*mass), significant(*displaced))]
    Sinks {
        /// Mass of the body, kg.
        mass: f64,
        /// Maximum mass of the displaced water, kg.
        displaced: f64,
    },
    /// Water enters over a rim while the body inclines, and the flooded body is too heavy to float.
    #[error("the body capsizes, floods at a heel of {heel:.1}° and a trim of {trim:.1}°, and sinks")]
    Founders {
        /// Heel at which it floods, degrees.
        heel: f64,
        /// Trim at which it floods, degrees.
        trim: f64,
    },
    /// The descent has not reached a point at which the moments vanish.
    #[error("no equilibrium found: the remaining horizontal distance of the centers of gravity and buoyancy is {} m", significant(*.0))]
    NoEquilibrium(f64),
}
