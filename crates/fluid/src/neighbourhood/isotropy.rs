//! The isotropy correction: makes a sum over few neighbours isotropic.
//!
//! With the moments of particle `i`, of its neighbours and of the walls near it,
//!
//! ```text
//! M_i = −Σ_j V x_ij ⊗ ∇W_ij,     N_i = −Σ_t d_t (n_t·∇f_t) n_t ⊗ n_t,     t_i = tr (M_i + N_i) / 3
//! ```
//!
//! the density rate of a velocity field with constant gradient is `t_i` times its divergence only if `M_i + N_i = t_i I`. Otherwise shear
//! alone changes densities, the pressure resists it, and fluid at rest, which is packed like a lattice, has a yield stress: a body slightly
//! denser than water does not sink in it. The gradients of a particle's neighbours are therefore multiplied by
//!
//! ```text
//! L_i = I + (t_i I − M_i − N_i) M_i⁻¹
//! ```
//!
//! This makes the moment `t_i I`: the correction of Bonet & Lok (1999), but it preserves the trace, so that it vanishes where
//! neighbours are few. `L_i M_i` is symmetric, so rigid rotation does not change densities. The pressure forces are the adjoint of the
//! density rate, so they conserve momentum and angular momentum.

use plimsoll_base::math::lanes::{Lanes, algebra::*};

/// Maximum norm of `L − I`: the repulsion of a neighbour never becomes attraction, even with few neighbours.
pub const MAX_CORRECTION: f32 = 0.5;
/// Range of the determinant of the neighbours' moment over which the correction sets in; the determinant is normalized to one for isotropic
/// neighbours. Drops and thin sheets have no correction.
const DETERMINED: [f32; 2] = [0.1, 0.3];

/// `L` of the moments of neighbours and walls.
#[inline(always)]
pub fn isotropy_corrections<L: Lanes>(neighbours: Matrices<L>, walls: Matrices<L>) -> Matrices<L> {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let identity = add_diagonal([[zero; 3]; 3], one);
    let moment = add_matrices(neighbours, walls);
    let t = trace(moment) * L::splat(1.0 / 3.0);
    let determinant_of_neighbours = determinant(neighbours);
    let determinant = determinant_of_neighbours / (t * t * t);
    let missing = matrix_product(add_diagonal(scaled(moment, zero - one), t), inverse(neighbours, determinant_of_neighbours));
    let norm = square(missing).sqrt().max(L::splat(f32::MIN_POSITIVE));
    let [none, full] = DETERMINED;
    let determined = ((determinant - L::splat(none)) * L::splat(1.0 / (full - none))).min(one);
    let factor = determined.min(L::splat(MAX_CORRECTION) / norm);
    let corrected = add_matrices(identity, scaled(missing, factor));
    // Not a number where there are no neighbours.
    let corrected = select_matrices(L::splat(none), determinant, corrected, identity);
    select_matrices(zero, t, corrected, identity)
}
