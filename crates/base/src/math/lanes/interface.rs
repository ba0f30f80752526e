//! What all implementations of lanes have in common.

use std::ops::{Add, Div, Mul, Sub};

use glam::{Mat3A, Vec3A};

/// Number of lanes.
pub const LANES: usize = 8;
/// Eight places in arrays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct Places(
    /// Indices.
    pub [u32; LANES],
);

/// Eight places in sixteen bits each: twice their distances from a place that is known, because a processor multiplies an index by at most
/// eight bytes, and vectors have sixteen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct Offsets(pub(super) [i16; LANES]);

impl Offsets {
    /// The places at these offsets from `first`.
    #[inline(always)]
    pub(super) fn places(&self, first: u32) -> Places {
        Places(self.0.map(|offset| first.wrapping_add_signed(i32::from(offset) / 2)))
    }
}

/// Only these modules know whether places are below the number they claim.
pub trait Sealed {}

/// Eight places as a gather takes them.
pub trait Eight: Copy + Sealed {
    /// All places.
    fn places(self) -> Places;
    /// A number below which all places are, if it is known.
    fn below(self) -> Option<usize> {
        None
    }
    /// A place and the offsets from it, if places are stored in this way.
    fn offsets(&self) -> Option<(usize, &Offsets)> {
        None
    }
    /// Prefetches the places `ahead` blocks later.
    fn prefetch<L: Lanes>(self, _ahead: usize) {}
}

impl Sealed for &Places {}

impl Eight for &Places {
    #[inline(always)]
    fn places(self) -> Places {
        *self
    }
}

/// Eight vectors in sixteen bits per coordinate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct PackedVectors(pub [[i16; LANES]; 3]);

/// `first` and the seven numbers after it.
#[inline(always)]
pub fn consecutive(first: u32) -> [u32; LANES] {
    let mut numbers = [0; LANES];
    numbers.iter_mut().zip(first..).for_each(|(number, value)| *number = value);
    numbers
}

/// Eight numbers.
pub trait Lanes: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> {
    /// `value` in all lanes.
    fn splat(value: f32) -> Self;
    /// The lanes from an array.
    fn load(values: &[f32; LANES]) -> Self;
    /// The lanes as an array.
    fn store(self) -> [f32; LANES];
    /// Eight values from index `at` on; zero beyond the end.
    #[inline(always)]
    fn load_at(values: &[f32], at: usize) -> Self {
        match values.get(at..at + LANES) {
            Some(eight) => Self::load(eight.try_into().expect("eight values")),
            None => {
                let mut eight = [0.0; LANES];
                eight[..values.len() - at].copy_from_slice(&values[at..]);
                Self::load(&eight)
            }
        }
    }
    /// Writes those of the eight values from index `at` on that are not beyond the end.
    #[inline(always)]
    fn store_at(self, values: &mut [f32], at: usize) {
        match values.get_mut(at..at + LANES) {
            Some(eight) => eight.copy_from_slice(&self.store()),
            None => {
                let rest = &mut values[at..];
                rest.copy_from_slice(&self.store()[..rest.len()]);
            }
        }
    }
    /// The square roots.
    fn sqrt(self) -> Self;
    /// The smaller of two numbers in each lane.
    fn min(self, other: Self) -> Self;
    /// The larger of two numbers in each lane.
    fn max(self, other: Self) -> Self;
    /// The nearest integers, halves to even ones.
    fn round(self) -> Self;
    /// `then` where `self < limit`, otherwise `otherwise`.
    fn select_less(self, limit: Self, then: Self, otherwise: Self) -> Self;
    /// One bit for each lane that is less than `limit`.
    fn bits_less(self, limit: Self) -> u32;
    /// 1 where `places` differ from `place`, otherwise 0.
    fn differ(places: impl Eight, place: u32) -> Self;
    /// Sums over the lanes of three numbers: `((0 + 4) + (2 + 6)) + ((1 + 5) + (3 + 7))`.
    fn sums(vectors: [Self; 3]) -> Vec3A;
    /// Rounds to sixteen bits, halves to even numbers; out of range, to its end.
    fn pack(vectors: [Self; 3]) -> PackedVectors;
    /// The numbers that [`Lanes::pack`] rounded.
    fn unpack(packed: &PackedVectors) -> [Self; 3];
    /// The values at `places`.
    ///
    /// # Panics
    /// If a place is outside `values`; so do the others.
    fn gather(values: &[f32], places: impl Eight) -> Self;
    /// As [`Lanes::gather`], of vectors.
    fn gather_vectors(values: &[Vec3A], places: impl Eight) -> [Self; 3];
    /// The columns.
    fn gather_matrices(values: &[Mat3A], places: impl Eight) -> [[Self; 3]; 3];
    /// One bit for each of `numbers` that is not `number`.
    fn others(numbers: &[u32; LANES], number: u32) -> u32;
    /// Writes those of `numbers` whose bit is set into `list` from `end` on, which needs room for eight; returns the new end.
    fn append(numbers: &[u32; LANES], bits: u32, list: &mut [u32], end: usize) -> usize;
    /// Checks places before a loop that does not.
    ///
    /// # Panics
    /// If one of `places` is not below `count`.
    fn check(places: &Places, count: usize);
    /// The places relative to `first`; `None` if sixteen bits are too few for one of them.
    fn offsets(first: u32, places: &Places) -> Option<Offsets>;
    /// Prefetches the value `ahead` values after this one of a slice, which may be beyond the end.
    fn prefetch<T>(value: &T, ahead: usize);

    /// Sum over the lanes.
    #[inline(always)]
    fn sum(self) -> f32 {
        Self::sums([self, self, self]).x
    }
}

/// A loop over lanes. `run` must be `#[inline(always)]` and must not use lanes in closures: those would be compiled without AVX2 and called.
pub trait LaneWork {
    /// What the loop returns.
    type Output;
    /// Runs the loop with lanes of type `L`.
    fn run<L: Lanes>(self) -> Self::Output;
}
