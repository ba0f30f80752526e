//! Eight lanes in one AVX2 register.
//!
//! The processors that have AVX2 also count and shift bits in one instruction (BMI, POPCNT).
//!
//! Unsafe, because it calls instructions that not every processor has, and reads neighbours without a check for each: one check covers
//! eight places.

#![allow(unsafe_code)]

use std::{
    arch::x86_64::*,
    ops::{Add, Div, Mul, Sub},
};

use glam::{Mat3A, Vec3A};

use super::interface::{Eight, LANES, LaneWork, Lanes, Offsets, PackedVectors, Places};

/// Exists only within [`run`] and [`run_with_more_registers`], so AVX2 is available.
#[derive(Clone, Copy)]
pub struct Avx2(__m256);

/// Whether this processor has the instructions.
pub fn is_detected() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("avx2") && has!("bmi1") && has!("bmi2") && has!("popcnt")
}

/// Whether this processor also has the same instructions with 32 registers instead of 16, as part of AVX-512.
pub fn has_more_registers() -> bool {
    use std::arch::is_x86_feature_detected as has;
    is_detected() && has!("avx512f") && has!("avx512vl") && has!("avx512dq") && has!("avx512bw")
}

/// Runs `work` with AVX2.
///
/// # Panics
/// Without AVX2.
pub fn run<W: LaneWork>(work: W) -> W::Output {
    assert!(is_detected(), "AVX2 is not available");
    // SAFETY: AVX2 is available.
    unsafe { run_with_avx2(work) }
}

/// Runs `work` with AVX2 and more registers: loops with many sums take a tenth less time.
///
/// # Panics
/// Without these.
pub fn run_with_more_registers<W: LaneWork>(work: W) -> W::Output {
    assert!(has_more_registers(), "AVX-512 is not available");
    // SAFETY: AVX-512 is available.
    unsafe { run_with_avx512(work) }
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn run_with_avx2<W: LaneWork>(work: W) -> W::Output {
    work.run::<Avx2>()
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,avx512f,avx512vl,avx512dq,avx512bw")]
fn run_with_avx512<W: LaneWork>(work: W) -> W::Output {
    work.run::<Avx2>()
}

macro_rules! operator {
    ($trait:ident, $method:ident, $instruction:ident) => {
        impl $trait for Avx2 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: AVX2 is available.
                Self(unsafe { $instruction(self.0, other.0) })
            }
        }
    };
}
operator!(Add, add, _mm256_add_ps);
operator!(Sub, sub, _mm256_sub_ps);
operator!(Mul, mul, _mm256_mul_ps);
operator!(Div, div, _mm256_div_ps);

/// Eight of sixteen bits.
#[inline(always)]
fn widen(values: &[i16; LANES]) -> Avx2 {
    // SAFETY: AVX2 is available, and `PackedVectors` are aligned.
    unsafe { Avx2(_mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_load_si128(values.as_ptr().cast())))) }
}

#[inline(always)]
fn narrow(lanes: Avx2, values: &mut [i16; LANES]) {
    // SAFETY: as above.
    unsafe {
        let whole = _mm256_cvtps_epi32(lanes.0);
        let half = _mm_packs_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256::<1>(whole));
        _mm_store_si128(values.as_mut_ptr().cast(), half);
    }
}

/// Sums of lanes 0 and 4, 1 and 5, and so on.
#[inline(always)]
fn fold(lanes: Avx2) -> __m128 {
    // SAFETY: AVX2 is available.
    unsafe { _mm_add_ps(_mm256_castps256_ps128(lanes.0), _mm256_extractf128_ps::<1>(lanes.0)) }
}

/// Two vectors of four floats.
///
/// # Safety
/// Both addresses must be readable and aligned.
#[inline(always)]
unsafe fn two(low: *const f32, high: *const f32) -> __m256 {
    // SAFETY: by the caller.
    unsafe { _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(_mm_load_ps(low)), _mm_load_ps(high)) }
}

#[inline(always)]
fn load(places: &Places) -> __m256i {
    // SAFETY: AVX2 is available, and `places` are aligned.
    unsafe { _mm256_load_si256(places.0.as_ptr().cast()) }
}

/// Checks that all `places` are below `count`.
#[inline(always)]
fn check_each(places: &Places, count: usize) {
    // Arrays of particles are shorter than 2³² elements; a longer one is cut for this check only.
    let count = count.min(u32::MAX as usize) as u32;
    // SAFETY: AVX2 is available.
    let inside = unsafe {
        let places = load(places);
        let last = _mm256_set1_epi32(count.wrapping_sub(1) as i32);
        let inside = _mm256_cmpeq_epi32(_mm256_max_epu32(places, last), last);
        _mm256_movemask_ps(_mm256_castsi256_ps(inside)) == 0xff
    };
    assert!(inside && count > 0, "a place outside {count} values");
}

/// Checks that all places are below `count`.
#[inline(always)]
fn check(places: impl Eight, count: usize) {
    match places.below() {
        Some(below) => assert!(below <= count, "places up to {below}, and {count} values"),
        None => check_each(&places.places(), count),
    }
}

/// Distance in bytes of the place of a lane from [`base`], in arrays of elements of `size` bytes. It is read from memory by itself: of eight
/// indices read at once, the compiler takes half out of a register again, in more instructions.
#[inline(always)]
fn distance(places: &impl Eight, whole: &Places, lane: usize, size: usize) -> isize {
    // SAFETY: references are valid.
    unsafe {
        match places.offsets() {
            Some((_, offsets)) => std::ptr::read_volatile(&offsets.0[lane]) as isize * (size / 2) as isize,
            None => std::ptr::read_volatile(&whole.0[lane]) as isize * size as isize,
        }
    }
}

/// The element that distances are relative to.
#[inline(always)]
fn base(places: &impl Eight) -> usize {
    places.offsets().map_or(0, |(first, _)| first)
}

/// Transposes the first three of every four floats at `first` and the distances of the places, in arrays of elements of `size` bytes.
///
/// # Safety
/// Sixteen bytes at each of these addresses must be readable and aligned, and AVX2 available.
#[inline(always)]
unsafe fn gather_columns(first: *const f32, size: usize, places: impl Eight) -> [Avx2; 3] {
    let whole = places.places();
    let first = first.wrapping_byte_add(size * base(&places));
    let at = |lane: usize| first.wrapping_byte_offset(distance(&places, &whole, lane, size));
    // SAFETY: by the caller.
    unsafe {
        let (a, b) = (two(at(0), at(4)), two(at(1), at(5)));
        let (c, d) = (two(at(2), at(6)), two(at(3), at(7)));
        let (ab, cd) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
        let x = _mm256_shuffle_ps::<0b01_00_01_00>(ab, cd);
        let y = _mm256_shuffle_ps::<0b11_10_11_10>(ab, cd);
        let z = _mm256_shuffle_ps::<0b01_00_01_00>(_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
        [Avx2(x), Avx2(y), Avx2(z)]
    }
}

impl Lanes for Avx2 {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        // SAFETY: AVX2 is available; so it is below.
        Self(unsafe { _mm256_set1_ps(value) })
    }

    #[inline(always)]
    fn load(values: &[f32; LANES]) -> Self {
        Self(unsafe { _mm256_loadu_ps(values.as_ptr()) })
    }

    #[inline(always)]
    fn store(self) -> [f32; LANES] {
        let mut values = [0.0; LANES];
        unsafe { _mm256_storeu_ps(values.as_mut_ptr(), self.0) };
        values
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(unsafe { _mm256_sqrt_ps(self.0) })
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self(unsafe { _mm256_min_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(unsafe { _mm256_max_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn round(self) -> Self {
        Self(unsafe { _mm256_round_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(self.0) })
    }

    #[inline(always)]
    fn select_less(self, limit: Self, then: Self, otherwise: Self) -> Self {
        Self(unsafe { _mm256_blendv_ps(otherwise.0, then.0, _mm256_cmp_ps::<_CMP_LT_OQ>(self.0, limit.0)) })
    }

    #[inline(always)]
    fn bits_less(self, limit: Self) -> u32 {
        unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(self.0, limit.0)) as u32 }
    }

    #[inline(always)]
    fn differ(places: impl Eight, place: u32) -> Self {
        unsafe {
            let equal = _mm256_cmpeq_epi32(load(&places.places()), _mm256_set1_epi32(place as i32));
            Self(_mm256_andnot_ps(_mm256_castsi256_ps(equal), _mm256_set1_ps(1.0)))
        }
    }

    #[inline(always)]
    fn sums([x, y, z]: [Self; 3]) -> Vec3A {
        unsafe {
            let (x, y, z, zero) = (fold(x), fold(y), fold(z), _mm_setzero_ps());
            let xy = _mm_add_ps(_mm_unpacklo_ps(x, y), _mm_unpackhi_ps(x, y));
            let z = _mm_add_ps(_mm_unpacklo_ps(z, zero), _mm_unpackhi_ps(z, zero));
            Vec3A::from(_mm_add_ps(_mm_movelh_ps(xy, z), _mm_movehl_ps(z, xy)))
        }
    }

    #[inline(always)]
    fn pack([x, y, z]: [Self; 3]) -> PackedVectors {
        let mut packed = PackedVectors::default();
        let [px, py, pz] = &mut packed.0;
        narrow(x, px);
        narrow(y, py);
        narrow(z, pz);
        packed
    }

    #[inline(always)]
    fn unpack(packed: &PackedVectors) -> [Self; 3] {
        let [x, y, z] = &packed.0;
        [widen(x), widen(y), widen(z)]
    }

    #[inline(always)]
    fn gather(values: &[f32], places: impl Eight) -> Self {
        check(places, values.len());
        // SAFETY: all places are inside. Indices of the instruction are signed: they reach 2³¹ elements.
        unsafe {
            match places.offsets() {
                Some((first, offsets)) => {
                    let offsets = _mm256_cvtepi16_epi32(_mm_load_si128(offsets.0.as_ptr().cast()));
                    Self(_mm256_i32gather_ps::<2>(values.as_ptr().wrapping_add(first), offsets))
                }
                None => {
                    assert!(values.len() <= i32::MAX as usize);
                    Self(_mm256_i32gather_ps::<4>(values.as_ptr(), load(&places.places())))
                }
            }
        }
    }

    #[inline(always)]
    fn gather_vectors(values: &[Vec3A], places: impl Eight) -> [Self; 3] {
        check(places, values.len());
        // SAFETY: all places are inside; a vector has sixteen bytes and is aligned to them.
        unsafe { gather_columns(values.as_ptr().cast(), 16, places) }
    }

    #[inline(always)]
    fn gather_matrices(values: &[Mat3A], places: impl Eight) -> [[Self; 3]; 3] {
        check(places, values.len());
        let first: *const f32 = values.as_ptr().cast();
        // SAFETY: all places are inside; a matrix has three columns of sixteen bytes.
        unsafe { [gather_columns(first, 48, places), gather_columns(first.add(4), 48, places), gather_columns(first.add(8), 48, places)] }
    }

    #[inline(always)]
    fn others(numbers: &[u32; LANES], number: u32) -> u32 {
        unsafe {
            let equal = _mm256_cmpeq_epi32(_mm256_loadu_si256(numbers.as_ptr().cast()), _mm256_set1_epi32(number as i32));
            !_mm256_movemask_ps(_mm256_castsi256_ps(equal)) as u32
        }
    }

    #[inline(always)]
    fn append(numbers: &[u32; LANES], bits: u32, list: &mut [u32], end: usize) -> usize {
        let order = &ORDERS[(bits & 0xff) as usize];
        let room: &mut [u32; LANES] = (&mut list[end..end + LANES]).try_into().expect("eight places");
        unsafe {
            let order = _mm256_cvtepu8_epi32(_mm_loadl_epi64(order.as_ptr().cast()));
            let chosen = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(numbers.as_ptr().cast()), order);
            _mm256_storeu_si256(room.as_mut_ptr().cast(), chosen);
        }
        end + bits.count_ones() as usize
    }

    #[inline(always)]
    fn check(places: &Places, count: usize) {
        check_each(places, count);
    }

    #[inline(always)]
    fn offsets(first: u32, places: &Places) -> Option<Offsets> {
        let mut offsets = Offsets::default();
        let fit = unsafe {
            let places = _mm256_load_si256(places.0.as_ptr().cast());
            let wide = _mm256_slli_epi32::<1>(_mm256_sub_epi32(places, _mm256_set1_epi32(first as i32)));
            let narrow = _mm_packs_epi32(_mm256_castsi256_si128(wide), _mm256_extracti128_si256::<1>(wide));
            _mm_store_si128(offsets.0.as_mut_ptr().cast(), narrow);
            _mm256_movemask_epi8(_mm256_cmpeq_epi32(_mm256_cvtepi16_epi32(narrow), wide)) == -1
        };
        fit.then_some(offsets)
    }

    #[inline(always)]
    fn prefetch<T>(value: &T, ahead: usize) {
        // SAFETY: a prefetch of any address is harmless.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).wrapping_add(ahead).cast()) }
    }
}

/// For each set of lanes its members in order.
static ORDERS: [[u8; LANES]; 256] = {
    let mut orders = [[0; LANES]; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut lane, mut end) = (0, 0);
        while lane < LANES {
            if bits >> lane & 1 == 1 {
                orders[bits][end] = lane as u8;
                end += 1;
            }
            lane += 1;
        }
        bits += 1;
    }
    orders
};
