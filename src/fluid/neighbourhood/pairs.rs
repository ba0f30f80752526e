//! Pairs of neighbours with kernel gradients, which the pressure solve reads in every sweep, eight at a time.
//!
//! All gradients are per volume: `V ∇W_ij` in 1/m, multiplied by the isotropy corrections `L_i` and `L_j` of [`super::isotropy`]. They are
//! stored in sixteen bits per coordinate, because a sweep waits for memory: in units of [`Pairs::quantum`], rounded symmetrically, so that
//! what `i` finds for `j` is exactly the opposite of what `j` finds for `i`.

use glam::{Mat3A, Vec3A};
use rayon::prelude::*;

use super::isotropy::{MAX_CORRECTION, isotropy_corrections};
use crate::{
    fluid::{coupling::WallContacts, neighbourhood::Kernel, particles::Particles},
    math::{
        Periods,
        lanes::{self, LANES, LaneWork, Lanes, PackedVectors, algebra::*},
        parallel::TASK,
    },
    search::{NeighbourBatch, NeighbourLists, make_room, reuse},
};

/// Number of blocks ahead of the current one that are asked for: a sweep takes as long as the pairs need to arrive. Without it,
/// `benches/scenes/dam_break_98k.toml` takes 1.27 times as long, `dam_break_19k.toml` 1.05 times.
pub const AHEAD: usize = 24;

/// All pairs of neighbours.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    pub neighbours: NeighbourLists,
    gradients: Vec<PairGradients>,
    /// Unit of the packed gradients, 1/m.
    quantum: f32,
    /// `Σ_j V L_i ∇W_ij + Σ_b ∇f_ib` of each particle, 1/m.
    pub gradient_sums: Vec<Vec3A>,
    /// `Σ_j w_j |V L_i ∇W_ij|²` of each particle, 1/(kg m²).
    pub neighbour_responses: Vec<f32>,
    corrections: Vec<Mat3A>,
}

/// Gradients of the pairs of a batch of particles, in the blocks of its neighbours. Where a block is filled up they are zero.
#[derive(Clone, Debug, Default)]
struct PairGradients {
    /// `V L_i ∇W_ij`
    own: Vec<PackedVectors>,
    /// `V L_j ∇W_ij`
    others: Vec<PackedVectors>,
}

/// The pairs of a batch of particles.
#[derive(Clone, Copy)]
pub struct PairBatch<'a> {
    pub neighbours: &'a NeighbourBatch,
    /// `V L_i ∇W_ij`, which determines how the density of `i` changes; in units of `quantum`.
    pub own: &'a [PackedVectors],
    /// `V L_j ∇W_ij`, which determines how the neighbour's pressure pushes `i`.
    pub others: &'a [PackedVectors],
    pub quantum: f32,
}

impl Pairs {
    /// Computes the gradients and the relative densities `s_i = V Σ_j W_ij + Σ_b f_ib`, including the particle itself. `volume` in m³.
    pub fn update(&mut self, kernel: &Kernel, volume: f32, particles: &mut Particles, contacts: &WallContacts) {
        let Particles { positions, inverse_masses, relative_densities, .. } = particles;
        let count = positions.len();
        self.quantum = (1.0 + MAX_CORRECTION) * volume * kernel.max_gradient() / f32::from(i16::MAX);
        self.gradient_sums.resize(count, Vec3A::ZERO);
        self.neighbour_responses.resize(count, 0.0);
        self.corrections.resize(count, Mat3A::ZERO);
        let pass = Pass { kernel, volume, positions, inverse_masses, periods: self.neighbours.periods(), contacts };
        let batches = self.neighbours.batches().par_iter();
        let results = self.corrections.par_chunks_mut(TASK).zip(relative_densities.par_chunks_mut(TASK));
        batches.zip(results).for_each(|(neighbours, (corrections, densities))| {
            lanes::compute(DensityPass { pass: &pass, neighbours, corrections, densities });
        });
        let gradients = reuse(&mut self.gradients, self.neighbours.batches().len()).par_iter_mut();
        let batches = self.neighbours.batches().par_iter().zip(gradients);
        let results = self.gradient_sums.par_chunks_mut(TASK).zip(self.neighbour_responses.par_chunks_mut(TASK));
        let (corrections, quantum) = (&self.corrections, self.quantum);
        batches.zip(results).for_each(|((neighbours, gradients), (sums, responses))| {
            lanes::compute(GradientPass { pass: &pass, neighbours, corrections, quantum, gradients, sums, responses });
        });
    }

    /// The pairs in batches of [`TASK`] particles.
    pub fn batches(&self) -> impl IndexedParallelIterator<Item = PairBatch<'_>> {
        let batches = self.neighbours.batches().par_iter().zip(&self.gradients);
        let quantum = self.quantum;
        batches.map(move |(neighbours, PairGradients { own, others })| PairBatch { neighbours, own, others, quantum })
    }
}

impl PairBatch<'_> {
    /// Asks for blocks of `gradients` that will be needed soon.
    #[inline(always)]
    pub fn prefetch<L: Lanes>(&self, gradients: &[PackedVectors], block: usize) {
        self.neighbours.prefetch::<L>(block + AHEAD);
        L::prefetch(gradients, block + AHEAD);
    }
}

/// What both passes read.
struct Pass<'a> {
    kernel: &'a Kernel,
    volume: f32,
    positions: &'a [Vec3A],
    inverse_masses: &'a [f32],
    periods: &'a Periods,
    contacts: &'a WallContacts,
}

/// Sums densities and moments, and makes the isotropy corrections of the latter.
struct DensityPass<'a> {
    pass: &'a Pass<'a>,
    neighbours: &'a NeighbourBatch,
    corrections: &'a mut [Mat3A],
    densities: &'a mut [f32],
}

impl LaneWork for DensityPass<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { pass, neighbours, corrections, densities } = self;
        let &Pass { kernel, volume, positions, periods, contacts, .. } = pass;
        let zero = L::splat(0.0);
        let first = neighbours.first();
        for (offset, (moment, density)) in corrections.iter_mut().zip(densities).enumerate() {
            let i = first + offset;
            let mut sum = zero;
            let (mut xx, mut xy, mut xz, mut yy, mut yz, mut zz) = (zero, zero, zero, zero, zero, zero);
            for block in neighbours.range(offset) {
                let block = &neighbours.places::<L>(offset, block);
                let [x, y, z] = periods.shortest(from::<L>(positions[i], L::gather_vectors(positions, block)));
                let r = (x * x + y * y + z * z).sqrt();
                sum = sum + kernel.values(r) * L::differ(block, i as u32);
                let factor = kernel.gradient_factors(r);
                let (gx, gy, gz) = (factor * x, factor * y, factor * z);
                (xx, xy, xz) = (xx + gx * x, xy + gx * y, xz + gx * z);
                (yy, yz, zz) = (yy + gy * y, yz + gy * z, zz + gz * z);
            }
            let (a, b, c) = (L::sums([sum, xx, xy]), L::sums([xz, yy, yz]), zz.sum());
            let columns = [Vec3A::new(a.y, a.z, b.x), Vec3A::new(a.z, b.y, b.z), Vec3A::new(b.x, b.z, c)];
            *moment = Mat3A::from_cols(columns[0], columns[1], columns[2]) * -volume;
            *density = volume * (kernel.value(0.0) + a.x) + contacts.of(i).iter().map(|contact| contact.value).sum::<f32>();
        }
        for at in (0..corrections.len()).step_by(LANES) {
            let walls = moments_of_walls::<L>(contacts, first + at..first + corrections.len());
            store_matrices(isotropy_corrections(load_matrices::<L>(corrections, at), walls), corrections, at);
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

/// Computes and sums the corrected gradients.
struct GradientPass<'a> {
    pass: &'a Pass<'a>,
    neighbours: &'a NeighbourBatch,
    corrections: &'a [Mat3A],
    quantum: f32,
    gradients: &'a mut PairGradients,
    sums: &'a mut [Vec3A],
    responses: &'a mut [f32],
}

impl LaneWork for GradientPass<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { pass, neighbours, corrections, quantum, gradients: PairGradients { own, others }, sums, responses } = self;
        let &Pass { kernel, volume, positions, inverse_masses, periods, contacts } = pass;
        make_room(own, neighbours.block_count());
        make_room(others, neighbours.block_count());
        let zero = L::splat(0.0);
        let scale = L::splat(volume / quantum);
        for (offset, (total, response)) in sums.iter_mut().zip(responses).enumerate() {
            let i = neighbours.first() + offset;
            let correction = splat_matrix::<L>(&corrections[i]);
            let (mut sx, mut sy, mut sz, mut square) = (zero, zero, zero, zero);
            for place in neighbours.range(offset) {
                let block = &neighbours.places::<L>(offset, place);
                let [x, y, z] = periods.shortest(from::<L>(positions[i], L::gather_vectors(positions, block)));
                let r = (x * x + y * y + z * z).sqrt();
                let factor = scale * kernel.gradient_factors(r);
                let gradient = [factor * x, factor * y, factor * z];
                own[place] = L::pack(product(correction, gradient));
                others[place] = L::pack(product(L::gather_matrices(corrections, block), gradient));
                let [gx, gy, gz] = L::unpack(&own[place]);
                (sx, sy, sz) = (sx + gx, sy + gy, sz + gz);
                square = square + L::gather(inverse_masses, block) * (gx * gx + gy * gy + gz * gz);
            }
            let walls = contacts.of(i).iter().fold(Vec3A::ZERO, |sum, contact| sum + contact.gradient);
            *total = quantum * L::sums([sx, sy, sz]) + walls;
            *response = quantum * quantum * square.sum();
        }
    }
}
