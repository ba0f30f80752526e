//! The instructions of this processor against the portable ones, bit by bit.

use glam::{Mat3A, Vec3A};

use super::{portable::Portable, *};
use crate::math::Random;

/// Results of every operation on pseudorandom numbers.
struct Everything {
    seed: u64,
}

impl LaneWork for Everything {
    type Output = Vec<u32>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<u32> {
        let mut random = Random::new(self.seed);
        let mut number = || (random.uniform() as f32 - 0.5) * 10.0_f32.powi((8.0 * random.uniform()) as i32 - 3);
        let scalars: Vec<f32> = (0..50).map(|_| number()).collect();
        let vectors: Vec<Vec3A> = (0..50).map(|_| Vec3A::new(number(), number(), number())).collect();
        let matrices: Vec<Mat3A> = vectors.iter().map(|&v| Mat3A::from_cols(v, v + 1.0, 2.0 * v)).collect();
        let places = Places([49, 3, 0, 17, 3, 21, 8, 40]);
        let (a, b) = (L::gather(&scalars, &places), L::load(&scalars[..LANES].try_into().unwrap()));
        let [x, y, z] = L::gather_vectors(&vectors, &places);
        let [[p, _, q], [r, _, _], [_, s, _]] = L::gather_matrices(&matrices, &places);
        let packed = L::pack([x, y, z]);
        let [ux, uy, uz] = L::unpack(&packed);
        let mut found = Vec::new();
        for lanes in [
            a + b,
            a - b,
            a * b,
            a / b,
            (a * a).sqrt(),
            a.min(b),
            a.max(b),
            a.round(),
            a.select_less(b, x, y),
            L::differ(&places, 3),
            L::splat(0.1) * z,
            p * q + r * s,
            ux,
            uy,
            uz,
        ] {
            found.extend(lanes.store().map(f32::to_bits));
        }
        found.extend(L::sums([a, x, z]).to_array().map(f32::to_bits));
        found.extend([a.sum().to_bits(), a.bits_less(b)]);
        for bits in 0..256 {
            let mut list = [0; 20];
            let end = L::append(&[9, 8, 700, 6, 5, 4, 3, u32::MAX], bits, &mut list, 5);
            found.extend(&list[..end]);
        }
        for first in [0, 20, 40, 16_383, 16_432, 16_433, u32::MAX] {
            let offsets = L::offsets(first, &places);
            found.extend(offsets.map_or([u32::MAX; LANES], |offsets| offsets.places(first).0));
        }
        for far in [false, true] {
            let mut lists = BlockLists::default();
            lists.clear(20, 50, far);
            assert!(lists.push::<L>(&places.0));
            found.extend(lists.compute(Gathers { scalars: &scalars, vectors: &vectors }));
        }
        found
    }
}

/// What gathers from a list find.
struct Gathers<'a> {
    scalars: &'a [f32],
    vectors: &'a [Vec3A],
}

impl BlockWork for Gathers<'_> {
    type Output = Vec<u32>;

    #[inline(always)]
    fn run<L: Lanes, B: Blocks>(self, blocks: B) -> Vec<u32> {
        let mut found = Vec::new();
        for eight in blocks.of(0) {
            let [x, y, z] = L::gather_vectors(self.vectors, eight);
            for lanes in [L::gather(self.scalars, eight), x, y, z] {
                found.extend(lanes.store().map(f32::to_bits));
            }
        }
        found
    }
}

#[test]
#[should_panic]
fn a_list_for_more_particles_is_refused() {
    let mut lists = BlockLists::default();
    lists.clear(0, 51, false);
    lists.push::<Portable>(&[1, 2, 3, 4, 5, 6, 7, 8]);
    lists.compute(Gathers { scalars: &[0.0; 50], vectors: &[Vec3A::ZERO; 50] });
}

#[test]
fn far_places_need_a_far_list() {
    let mut lists = BlockLists::default();
    for (far, stored) in [(false, false), (true, true)] {
        lists.clear(100_000, 200_000, far);
        assert_eq!(lists.push::<Portable>(&[100_000, 1, 2, 3, 4, 5, 6, 199_999]), stored);
    }
    assert!(lists.places(0).eq([100_000, 1, 2, 3, 4, 5, 6, 199_999]));
}

#[test]
fn all_instructions_compute_the_same_bits() {
    for seed in 0..100 {
        let portably = Everything { seed }.run::<Portable>();
        assert_eq!(compute(Everything { seed }), portably);
        #[cfg(target_arch = "x86_64")]
        if avx2::is_detected() {
            assert_eq!(avx2::run(Everything { seed }), portably);
        }
    }
}

struct Outside(Places);

impl LaneWork for Outside {
    type Output = f32;

    #[inline(always)]
    fn run<L: Lanes>(self) -> f32 {
        L::gather(&[1.0; 10], &self.0).sum()
    }
}

#[test]
#[should_panic]
fn a_place_outside_is_found() {
    compute(Outside(Places([0, 1, 2, 3, 4, 5, 6, 10])));
}
