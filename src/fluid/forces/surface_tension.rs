//! Surface tension: particles at a surface attract each other along it.
//!
//! ```text
//! n_i  = h (V Σ_j ∇W_ij + ½ Σ_b ∇f_ib)                             inward, of length one at a plane surface, zero inside
//! a_i  = (α |n_i|² − (n_i·e_ij)²) / (|n_i|² + ε²)                  e_ij = x_ij/|x_ij|
//! F_ij = −C σ V² h⁻⁵ q³ (1 − q)² (a_i + a_j) e_ij                  q = |x_ij|/h
//! ```
//!
//! The stress in the layer at the surface is that of the continuum surface stress (Lafaurie et al. 1994): larger along the surface than
//! across it by a tension whose integral over the layer is σ. As forces on pairs along the line between them (as in Tartakovsky & Panchenko
//! 2016) they keep linear and angular momentum. Other than with forces that depend on the distance alone, nothing acts inside the fluid,
//! where `n` vanishes: there the pressure is the Laplace pressure, without the pressure of cohesion, and the particles are not bound to a
//! lattice. The attraction grows with the distance up to `q = 3/5`, beyond the spacing of the particles, so that they do not form clumps.
//!
//! Walls count as fluid: half the gradient of their mirror layer is that of a layer of particles. Each fluid has a surface of its own, and the
//! tension of an interface is the sum of both.

use glam::Vec3A;
use rayon::prelude::*;

use super::term::{ForceContext, Impulses, Term};
use crate::{
    fluid::{
        coupling::Origin,
        neighbourhood::{AHEAD, Kernel},
    },
    math::{
        Periods,
        lanes::{BlockLists, BlockWork, Blocks, Eight, LANES, Lanes, algebra::*},
        parallel::TASK,
    },
};

/// `C`: with it the pressure in drops with a radius of eight particle diameters or more is the Laplace pressure
/// (`cargo test --release --test surface_tension`).
const STRENGTH: f64 = 275.0;
/// `α`, the attraction along the surface. A tension without a normal stress has 3/5: then nothing pulls particles back to the surface, and large
/// drops become hollow. With more the surface pulls them, and a drop at rest is noisier.
const ALONG: f32 = 0.8;
/// `ε`: where the arrangement of the particles inside is irregular, `n` is less than this. With 0.5 the noise inside adds to the tension.
const NOISE: f32 = 0.7;
/// Share of the gradient of a mirror layer that is that of the same layer of particles: the mirror image moves, too.
const OF_WALLS: f32 = 0.5;

pub const TERM: Term = Term { origin: Origin::Inside, is_active: |context| context.settings.max_tension() > 0.0, impulses };

fn impulses(context: &ForceContext, impulses: &mut Impulses) {
    let Impulses { on_particles, normals, .. } = impulses;
    let ForceContext { settings, positions, materials, pairs, .. } = *context;
    let (h, kernel, periods) = (settings.support_radius(), &settings.kernel(), pairs.neighbours.periods());
    let materials = if settings.material_count() > 1 { materials } else { &[] };
    let batches = || pairs.neighbours.batches().par_iter();
    normals.resize(positions.len(), Vec3A::ZERO);
    batches().zip(normals.par_chunks_mut(TASK)).for_each(|(neighbours, normals)| {
        neighbours.compute(NormalPass { neighbours, kernel, periods, positions, materials, normals });
    });
    weigh(context, normals);
    let volume = settings.particle_volume();
    let scale = (-STRENGTH * volume * volume / h.powi(5) * context.dt) as f32;
    let normals = &*normals;
    batches().zip(on_particles.par_chunks_mut(TASK)).for_each(|(neighbours, impulses)| {
        let inverse_radius = 1.0 / kernel.support_radius();
        neighbours.compute(TensionPass { neighbours, scale, inverse_radius, periods, positions, materials, normals, impulses });
    });
}

/// Makes `n √(σ/(|n|² + ε²))` of the sums of gradients.
fn weigh(context: &ForceContext, normals: &mut [Vec3A]) {
    let ForceContext { settings, materials, contacts, .. } = *context;
    let (h, volume) = (settings.support_radius() as f32, settings.particle_volume() as f32);
    let tensions = settings.tensions();
    normals.par_iter_mut().zip(materials).enumerate().with_min_len(TASK).for_each(|(i, (normal, &material))| {
        let walls = contacts.of(i).iter().fold(Vec3A::ZERO, |sum, contact| sum + contact.gradient);
        let n = h * (volume * *normal + OF_WALLS * walls);
        *normal = n * (tensions.of(material) as f32 / (n.length_squared() + NOISE * NOISE)).sqrt();
    });
}

/// 1 where neighbours are of the same material as particle `i`, otherwise 0. One fluid has no `materials`.
#[inline(always)]
fn of_same<L: Lanes>(materials: &[u8], i: usize, eight: impl Eight) -> L {
    if materials.is_empty() {
        return L::splat(1.0);
    }
    let mut same = [0.0; LANES];
    for (same, place) in same.iter_mut().zip(eight.places().0) {
        *same = f32::from(u8::from(materials[place as usize] == materials[i]));
    }
    L::load(&same)
}

/// `Σ_j ∇W_ij` of the particles of a batch over their own fluid, 1/m⁴.
struct NormalPass<'a> {
    neighbours: &'a BlockLists,
    kernel: &'a Kernel,
    periods: &'a Periods,
    positions: &'a [Vec3A],
    materials: &'a [u8],
    normals: &'a mut [Vec3A],
}

impl BlockWork for NormalPass<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes, B: Blocks>(self, blocks: B) {
        let Self { neighbours, kernel, periods, positions, materials, normals } = self;
        for (offset, normal) in normals.iter_mut().enumerate() {
            let i = neighbours.first() + offset;
            let mut sum = [L::splat(0.0); 3];
            for eight in blocks.of(offset) {
                eight.prefetch::<L>(AHEAD);
                let x = periods.shortest(from::<L>(positions[i], L::gather_vectors(positions, eight)));
                let factor = kernel.gradient_factors(dot(x, x).sqrt()) * of_same::<L>(materials, i, eight);
                sum = plus(sum, times(x, factor));
            }
            *normal = L::sums(sum);
        }
    }
}

/// Impulses on the particles of a batch, N s.
struct TensionPass<'a> {
    neighbours: &'a BlockLists,
    scale: f32,
    inverse_radius: f32,
    periods: &'a Periods,
    positions: &'a [Vec3A],
    materials: &'a [u8],
    normals: &'a [Vec3A],
    impulses: &'a mut [Vec3A],
}

impl BlockWork for TensionPass<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes, B: Blocks>(self, blocks: B) {
        let Self { neighbours, scale, inverse_radius, periods, positions, materials, normals, impulses } = self;
        let (one, along) = (L::splat(1.0), L::splat(ALONG));
        for (offset, impulse) in impulses.iter_mut().enumerate() {
            let i = neighbours.first() + offset;
            let own = [L::splat(normals[i].x), L::splat(normals[i].y), L::splat(normals[i].z)];
            let own_square = dot(own, own);
            let mut force = [L::splat(0.0); 3];
            for eight in blocks.of(offset) {
                eight.prefetch::<L>(AHEAD);
                let x = periods.shortest(from::<L>(positions[i], L::gather_vectors(positions, eight)));
                let other = L::gather_vectors(normals, eight);
                let r = dot(x, x).sqrt().max(L::splat(f32::MIN_POSITIVE));
                let e = times(x, one / r);
                let q = (r * L::splat(inverse_radius)).min(one);
                let (own_part, other_part) = (dot(own, e), dot(other, e));
                let across = own_part * own_part + other_part * other_part;
                let attraction = along * (own_square + dot(other, other)) - across;
                let far = one - q;
                let factor = q * q * q * far * far * attraction * of_same::<L>(materials, i, eight);
                force = plus(force, times(e, factor));
            }
            *impulse = scale * L::sums(force);
        }
    }
}
