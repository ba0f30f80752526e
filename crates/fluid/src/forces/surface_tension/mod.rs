//! Surface tension: particles at a surface attract each other along it.
//!
//! ```text
//! n_i  = h V Σ_j ∇W_ij                                             inward, of length one at a plane surface, zero inside
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
//! Behind a wall the fluid continues with its images (`images.rs`): the wall is a plane of symmetry. A surface meets it at 90°, its tension holds
//! it there, and the layer of fluid on the wall is not a surface. `wetting.rs` makes other contact angles of it. The reaction of what images and walls
//! do acts on the body. Each fluid has a surface of its own, and the tension of an interface is the sum of both.

mod images;
mod wetting;

use glam::Vec3A;
use images::{find_images, from_images, reflected, splat};
use plimsoll_base::math::{
    Periods,
    lanes::{BlockLists, BlockWork, Blocks, Eight, LANES, Lanes, algebra::*},
    parallel::{InTasks, TASK},
};
use rayon::prelude::*;
use wetting::{least_shares, share_of_images, wet};

use super::term::{ForceContext, Impulses, Term};
use crate::{
    coupling::{Origin, WallContact},
    material::ByMaterial,
    neighbourhood::{AHEAD, Kernel},
};

/// `C`: with it the pressure in drops with a radius of eight particle diameters or more is the Laplace pressure
/// (`cargo test --release --test fluid surface_tension::`).
const STRENGTH: f64 = 275.0;
/// `α`, the attraction along the surface. A tension without a normal stress has 3/5: then nothing pulls particles back to the surface, and large
/// drops become hollow. With more the surface pulls them, and a drop at rest is noisier.
const ALONG: f32 = 0.8;
/// `ε`: where the arrangement of the particles inside is irregular, `n` is less than this. With 0.5 the noise inside adds to the tension.
const NOISE: f32 = 0.7;

pub const TERM: Term = Term { origin: Origin::Inside, is_active: |context| context.settings.max_tension() > 0.0, impulses };

fn impulses(context: &ForceContext, impulses: &mut Impulses) {
    find_images(context.contacts, 2.0 * context.settings.particle_radius as f32, &mut impulses.images, context.positions.len());
    find_normals(context, impulses);
    weigh(context, &mut impulses.normals);
    attract(context, impulses);
    wet(context, impulses);
    react(context, impulses);
}

/// The materials if there are several.
fn materials_of<'a>(context: &ForceContext<'a>) -> &'a [u8] {
    if context.settings.material_count() > 1 { context.materials } else { &[] }
}

/// Sums the gradients of particles and images.
fn find_normals(context: &ForceContext, impulses: &mut Impulses) {
    let Impulses { normals, images, .. } = impulses;
    let ForceContext { settings, positions, pairs, .. } = *context;
    let (kernel, periods, materials, images) = (&settings.kernel(), pairs.neighbours.periods(), materials_of(context), &*images);
    let shares = &least_shares(settings, NOISE);
    normals.resize(positions.len(), Vec3A::ZERO);
    pairs.neighbours.batches().par_iter().zip(normals.par_chunks_mut(TASK)).in_tasks(1).for_each(|(neighbours, normals)| {
        neighbours.compute(NormalPass { neighbours, kernel, periods, positions, images, shares, materials, normals });
    });
}

/// Makes `n √(σ/(|n|² + ε²))` of the sums of gradients.
fn weigh(context: &ForceContext, normals: &mut [Vec3A]) {
    let ForceContext { settings, materials, .. } = *context;
    let (h, volume) = (settings.support_radius() as f32, settings.particle_volume() as f32);
    let tensions = settings.tensions();
    normals.par_iter_mut().zip(materials).in_tasks(TASK).for_each(|(normal, &material)| {
        let n = h * volume * *normal;
        *normal = n * (tensions.of(material) as f32 / (n.length_squared() + NOISE * NOISE)).sqrt();
    });
}

/// Lets particles attract each other, and images attract particles.
fn attract(context: &ForceContext, impulses: &mut Impulses) {
    let Impulses { on_particles, normals, images, by_images, .. } = impulses;
    let ForceContext { settings, positions, pairs, .. } = *context;
    let (h, volume) = (settings.support_radius(), settings.particle_volume());
    let scale = (-STRENGTH * volume * volume / h.powi(5) * context.dt) as f32;
    let (inverse_radius, periods, materials) = ((1.0 / h) as f32, pairs.neighbours.periods(), materials_of(context));
    let (normals, images) = (&*normals, &*images);
    by_images.resize(positions.len(), Vec3A::ZERO);
    let results = on_particles.par_chunks_mut(TASK).zip(by_images.par_chunks_mut(TASK));
    pairs.neighbours.batches().par_iter().zip(results).in_tasks(1).for_each(|(neighbours, (impulses, by_images))| {
        neighbours.compute(TensionPass {
            neighbours,
            scale,
            inverse_radius,
            periods,
            positions,
            images,
            materials,
            normals,
            impulses,
            by_images,
        });
    });
}

/// Pulls each body by its share of the images and walls.
fn react(context: &ForceContext, impulses: &mut Impulses) {
    let Impulses { attraction, images, by_images, surface_work, .. } = impulses;
    let ForceContext { contacts, response, .. } = *context;
    let (images, by_images) = (&*images, &*by_images);
    let reaction = |contact: &WallContact| {
        let i = contact.particle as usize;
        let share = if images[i] == Vec3A::ZERO { 0.0 } else { contact.value / contacts.share(i) };
        -(share * by_images[i]).as_dvec3()
    };
    attraction.extend(contacts.sum_by_body(|_, contact| response.wrench(contact, reaction(contact))));
    *surface_work = contacts.surface_work(|_, contact| reaction(contact));
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
    images: &'a [Vec3A],
    shares: &'a ByMaterial<f32>,
    materials: &'a [u8],
    normals: &'a mut [Vec3A],
}

impl BlockWork for NormalPass<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes, B: Blocks>(self, blocks: B) {
        let Self { neighbours, kernel, periods, positions, images, shares, materials, normals } = self;
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
            let image = images[i];
            if image == Vec3A::ZERO {
                continue;
            }
            let mut sum = [L::splat(0.0); 3];
            for eight in blocks.of(offset) {
                let x = periods.shortest(from::<L>(positions[i], L::gather_vectors(positions, eight)));
                let x = from_images(x, image);
                let counts = L::differ(eight, i as u32) * of_same::<L>(materials, i, eight);
                sum = plus(sum, times(x, kernel.gradient_factors(dot(x, x).sqrt()) * counts));
            }
            let share = shares.of(materials.get(i).copied().unwrap_or(0));
            let of_images = L::sums(sum) - kernel.gradient_factor(image.length()) * image;
            *normal += share_of_images(share, *normal, of_images, image) * of_images;
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
    images: &'a [Vec3A],
    materials: &'a [u8],
    normals: &'a [Vec3A],
    impulses: &'a mut [Vec3A],
    /// Those by images alone.
    by_images: &'a mut [Vec3A],
}

impl BlockWork for TensionPass<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes, B: Blocks>(self, blocks: B) {
        let Self { neighbours, scale, inverse_radius, periods, positions, images, materials, normals, impulses, by_images } = self;
        for (offset, impulse) in impulses.iter_mut().enumerate() {
            let i = neighbours.first() + offset;
            let own = splat::<L>(normals[i]);
            let mut force = [L::splat(0.0); 3];
            for eight in blocks.of(offset) {
                eight.prefetch::<L>(AHEAD);
                let x = periods.shortest(from::<L>(positions[i], L::gather_vectors(positions, eight)));
                let other = L::gather_vectors(normals, eight);
                let attraction = pull(own, other, x, inverse_radius);
                force = plus(force, times(attraction, of_same::<L>(materials, i, eight)));
            }
            *impulse = scale * L::sums(force);
            by_images[offset] = Vec3A::ZERO;
            let image = images[i];
            if image == Vec3A::ZERO {
                continue;
            }
            let mut force = times(pull(own, reflected(own, image), splat::<L>(-image), inverse_radius), L::splat(1.0 / LANES as f32));
            for eight in blocks.of(offset) {
                let x = periods.shortest(from::<L>(positions[i], L::gather_vectors(positions, eight)));
                let other = reflected(L::gather_vectors(normals, eight), image);
                let attraction = pull(own, other, from_images(x, image), inverse_radius);
                force = plus(force, times(attraction, L::differ(eight, i as u32) * of_same::<L>(materials, i, eight)));
            }
            by_images[offset] = scale * L::sums(force);
            *impulse += by_images[offset];
        }
    }
}

/// `q³ (1 − q)² (a_i + a_j) e_ij` of particles with the normal `own`, others with `other`, and the vector `x` (m) from these.
#[inline(always)]
fn pull<L: Lanes>(own: [L; 3], other: [L; 3], x: [L; 3], inverse_radius: f32) -> [L; 3] {
    let one = L::splat(1.0);
    let r = dot(x, x).sqrt().max(L::splat(f32::MIN_POSITIVE));
    let e = times(x, one / r);
    let q = (r * L::splat(inverse_radius)).min(one);
    let (own_part, other_part) = (dot(own, e), dot(other, e));
    let across = own_part * own_part + other_part * other_part;
    let along = L::splat(ALONG) * (dot(own, own) + dot(other, other));
    let far = one - q;
    times(e, q * q * q * far * far * (along - across))
}
