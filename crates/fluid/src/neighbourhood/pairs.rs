//! Pairs of neighbours with kernel gradients, which the pressure solve reads in every sweep, eight at a time.
//!
//! All gradients are per volume: `g_ij = V ∇W_ij` in 1/m, multiplied by the isotropy corrections `L_i` and `L_j` of [`super::isotropy`]. They
//! are stored in sixteen bits per coordinate, because a sweep waits for memory: in units of [`Pairs::quantum`], rounded symmetrically, so that
//! what `i` finds for `j` is exactly the opposite of what `j` finds for `i`.

use glam::{Mat3A, Vec3A};
use plimsoll_base::math::{
    Periods,
    lanes::{BlockLists, BlockWork, Blocks, LANES, Lanes, PackedVectors, algebra::*},
    parallel::{TASK, for_each_part, parts},
};
use plimsoll_search::{NeighbourLists, make_room};
use rayon::prelude::*;

use super::{
    isotropy::{MAX_CORRECTION, isotropy_corrections},
    smoothing::{MIN_SMOOTHED, Mean, SmoothingPass},
};
use crate::{coupling::WallContacts, neighbourhood::Kernel, particles::Particles};

/// All pairs of neighbours.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    pub neighbours: NeighbourLists,
    /// `L_i g_ij` and `L_j g_ij`, batch by batch in the blocks of the neighbours. Where a block is filled up they are zero.
    own: Vec<PackedVectors>,
    others: Vec<PackedVectors>,
    /// Number of blocks of all batches up to each.
    ends: Vec<usize>,
    /// Unit of the packed gradients, 1/m.
    quantum: f32,
    /// `Σ_j L_i g_ij + Σ_b ∇f_ib` of each particle, 1/m.
    pub gradient_sums: Vec<Vec3A>,
    /// `Σ_j w_j |L_i g_ij|²` of each particle, 1/(kg m²).
    pub neighbour_responses: Vec<f32>,
    /// Relative densities smoothed over the neighbours, once and twice ([`super::smoothing`]).
    smoothed_once: Vec<f32>,
    pub smoothed_densities: Vec<f32>,
}

/// The pairs of a batch of particles.
#[derive(Clone, Copy)]
pub struct PairBatch<'a> {
    pub neighbours: &'a BlockLists,
    /// `L_i g_ij`, which determines how the density of `i` changes; in units of `quantum`.
    pub own: &'a [PackedVectors],
    /// `L_j g_ij`, which determines how the neighbour's pressure pushes `i`.
    pub others: &'a [PackedVectors],
    pub quantum: f32,
}

impl Pairs {
    /// Computes the gradients and the relative densities `s_i = V Σ_j W_ij + Σ_b f_ib`, including the particle itself. `volume` in m³.
    /// `corrections` gets the `L_i`.
    pub fn update(
        &mut self,
        kernel: &Kernel,
        volume: f32,
        particles: &mut Particles,
        contacts: &WallContacts,
        corrections: &mut Vec<Mat3A>,
    ) {
        let Particles { positions, inverse_masses, relative_densities, .. } = particles;
        let count = positions.len();
        self.quantum = (1.0 + MAX_CORRECTION) * volume * kernel.max_gradient() / f32::from(i16::MAX);
        corrections.resize(count, Mat3A::ZERO);
        self.gradient_sums.resize(count, Vec3A::ZERO);
        for values in [&mut self.neighbour_responses, &mut self.smoothed_once, &mut self.smoothed_densities] {
            values.resize(count, 0.0);
        }
        self.place_batches();
        let Self { neighbours, own, others, ends, quantum, gradient_sums, neighbour_responses, smoothed_once, smoothed_densities } = self;
        let (quantum, periods, common) = (*quantum, neighbours.periods(), common_value(inverse_masses));
        let pass = Pass { kernel, volume, quantum, positions, inverse_masses, common, periods, contacts };
        let (batches, end) = (neighbours.batches(), |batch: usize| ends[batch]);
        let of_particles = |batch: usize| ((batch + 1) * TASK).min(count);
        let results = (parts(corrections, of_particles), parts(relative_densities, of_particles));
        for_each_part((parts(&mut *own, end), results), 0..batches.len(), &|batch, (own, (corrections, densities))| {
            let (neighbours, own) = (&batches[batch], own.values);
            let (corrections, densities) = (corrections.values, densities.values);
            neighbours.compute(DensityPass { pass: &pass, neighbours, own, corrections, densities });
        });
        let results = (parts(gradient_sums, of_particles), parts(neighbour_responses, of_particles));
        let results = (results, parts(&mut *smoothed_once, of_particles));
        let gradients = (parts(&mut *own, end), parts(others, end));
        let (corrections, densities) = (&*corrections, &**relative_densities);
        for_each_part((gradients, results), 0..batches.len(), &|batch, ((own, others), ((sums, responses), smoothed))| {
            let (neighbours, own, others) = (&batches[batch], own.values, others.values);
            let (sums, responses, smoothed) = (sums.values, responses.values, smoothed.values);
            neighbours.compute(CorrectionPass { pass: &pass, neighbours, corrections, densities, own, others, sums, responses, smoothed });
        });
        let (own, once) = (&**own, &**smoothed_once);
        for_each_part(parts(smoothed_densities, of_particles), 0..batches.len(), &|batch, smoothed| {
            let (neighbours, gradients) = (&batches[batch], &own[end(batch) - batches[batch].block_count()..end(batch)]);
            neighbours.compute(SmoothingPass { neighbours, gradients, densities, once, smoothed: smoothed.values });
        });
    }

    /// Makes room for the gradients of all batches. Arrays by batch would be moved whenever a batch grows, which leaves gaps in memory.
    fn place_batches(&mut self) {
        let Self { neighbours, own, others, ends, .. } = self;
        ends.clear();
        ends.extend(neighbours.batches().iter().scan(0, |end, batch| {
            *end += batch.block_count();
            Some(*end)
        }));
        for gradients in [own, others] {
            make_room(gradients, ends.last().copied().unwrap_or(0));
        }
    }

    /// The pairs in batches of [`TASK`] particles.
    pub fn batches(&self) -> impl IndexedParallelIterator<Item = PairBatch<'_>> {
        let Self { own, others, ends, quantum, .. } = self;
        self.neighbours.batches().par_iter().zip(ends).map(move |(neighbours, &end)| {
            let blocks = end - neighbours.block_count()..end;
            PairBatch { neighbours, own: &own[blocks.clone()], others: &others[blocks], quantum: *quantum }
        })
    }
}

/// The value that all of `values` have, if they are equal.
fn common_value(values: &[f32]) -> Option<f32> {
    let &first = values.first()?;
    values.par_chunks(TASK).all(|values| values.iter().all(|&value| value == first)).then_some(first)
}

/// What the pass over all batches reads.
struct Pass<'a> {
    kernel: &'a Kernel,
    volume: f32,
    quantum: f32,
    positions: &'a [Vec3A],
    inverse_masses: &'a [f32],
    /// The inverse mass of all particles, if it is the same.
    common: Option<f32>,
    periods: &'a Periods,
    contacts: &'a WallContacts,
}

/// Computes densities, corrections and the gradients without them.
struct DensityPass<'a> {
    pass: &'a Pass<'a>,
    neighbours: &'a BlockLists,
    own: &'a mut [PackedVectors],
    corrections: &'a mut [Mat3A],
    densities: &'a mut [f32],
}

impl BlockWork for DensityPass<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes, B: Blocks>(self, blocks: B) {
        let Self { pass, neighbours, own, corrections, densities } = self;
        let &Pass { kernel, volume, quantum, positions, periods, contacts, .. } = pass;
        let (zero, scale) = (L::splat(0.0), L::splat(volume / quantum));
        let first = neighbours.first();
        for (offset, (moment, density)) in corrections.iter_mut().zip(densities).enumerate() {
            let i = first + offset;
            let mut sum = zero;
            let (mut xx, mut xy, mut xz, mut yy, mut yz, mut zz) = (zero, zero, zero, zero, zero, zero);
            for (eight, own) in blocks.of(offset).zip(&mut own[neighbours.range(offset)]) {
                let [x, y, z] = periods.shortest(from::<L>(positions[i], L::gather_vectors(positions, eight)));
                let r = (x * x + y * y + z * z).sqrt();
                sum = sum + kernel.values(r) * L::differ(eight, i as u32);
                let factor = scale * kernel.gradient_factors(r);
                let (gx, gy, gz) = (factor * x, factor * y, factor * z);
                *own = L::pack([gx, gy, gz]);
                (xx, xy, xz) = (xx + gx * x, xy + gx * y, xz + gx * z);
                (yy, yz, zz) = (yy + gy * y, yz + gy * z, zz + gz * z);
            }
            *moment = symmetric(L::sums([xx, xy, xz]), L::sums([yy, yz, zz])) * -quantum;
            let walls = contacts.of(i).iter().map(|contact| contact.value).sum::<f32>();
            *density = volume * (kernel.value(0.0) + sum.sum()) + walls;
        }
        for at in (0..corrections.len()).step_by(LANES) {
            let walls = moments_of_walls::<L>(contacts, first + at..first + corrections.len());
            store_matrices(isotropy_corrections(load_matrices::<L>(corrections, at), walls), corrections, at);
        }
    }
}

/// Corrects the gradients, sums them, and smooths the densities for the first time.
struct CorrectionPass<'a> {
    pass: &'a Pass<'a>,
    neighbours: &'a BlockLists,
    corrections: &'a [Mat3A],
    densities: &'a [f32],
    own: &'a mut [PackedVectors],
    others: &'a mut [PackedVectors],
    sums: &'a mut [Vec3A],
    responses: &'a mut [f32],
    smoothed: &'a mut [f32],
}

impl BlockWork for CorrectionPass<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes, B: Blocks>(self, blocks: B) {
        let Self { pass, neighbours, corrections, densities, own, others, sums, responses, smoothed } = self;
        let &Pass { quantum, inverse_masses, common, contacts, .. } = pass;
        for (offset, ((total, response), smoothed)) in sums.iter_mut().zip(responses).zip(smoothed).enumerate() {
            let i = neighbours.first() + offset;
            let correction = splat_matrix::<L>(&corrections[i]);
            let (mut sum, mut responses, mut mean) = ([L::splat(0.0); 3], L::splat(0.0), Mean::<L>::new());
            let gradients = own[neighbours.range(offset)].iter_mut().zip(&mut others[neighbours.range(offset)]);
            for (eight, (own, other)) in blocks.of(offset).zip(gradients) {
                let gradient = L::unpack(own);
                *own = L::pack(product(correction, gradient));
                *other = L::pack(product(L::gather_matrices(corrections, eight), gradient));
                let gradient = L::unpack(own);
                sum = plus(sum, gradient);
                let square = dot(gradient, gradient);
                mean.add(L::gather(densities, eight).max(L::splat(MIN_SMOOTHED)), square);
                responses = responses + if common.is_some() { square } else { L::gather(inverse_masses, eight) * square };
            }
            let walls = contacts.of(i).iter().fold(Vec3A::ZERO, |sum, contact| sum + contact.gradient);
            *total = quantum * L::sums(sum) + walls;
            *response = quantum * quantum * common.unwrap_or(1.0) * responses.sum();
            *smoothed = mean.with(densities[i].max(MIN_SMOOTHED));
        }
    }
}

/// The moments of the walls near the first eight of `particles`.
#[inline(always)]
fn moments_of_walls<L: Lanes>(contacts: &WallContacts, particles: std::ops::Range<usize>) -> Matrices<L> {
    let mut moments = [Mat3A::ZERO; LANES];
    for (moment, i) in moments.iter_mut().zip(particles) {
        for contact in contacts.details_of(i) {
            *moment += contact.moment;
        }
    }
    load_matrices(&moments, 0)
}

/// The symmetric matrix with the elements `xx, xy, xz` and `yy, yz, zz`.
#[inline]
pub fn symmetric(x: Vec3A, rest: Vec3A) -> Mat3A {
    Mat3A::from_cols(x, Vec3A::new(x.y, rest.x, rest.y), Vec3A::new(x.z, rest.y, rest.z))
}
