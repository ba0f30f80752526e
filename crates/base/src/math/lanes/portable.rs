//! Eight lanes as two vectors of four, for any processor.

use std::ops::{Add, Div, Mul, Sub};

use glam::{Mat3A, Vec3A, Vec4};

use super::interface::{Eight, LANES, Lanes, Offsets, PackedVectors, Places};

#[derive(Clone, Copy)]
pub struct Portable([Vec4; 2]);

macro_rules! operator {
    ($trait:ident, $method:ident, $operator:tt) => {
        impl $trait for Portable {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self([self.0[0] $operator other.0[0], self.0[1] $operator other.0[1]])
            }
        }
    };
}
operator!(Add, add, +);
operator!(Sub, sub, -);
operator!(Mul, mul, *);
operator!(Div, div, /);

impl Portable {
    #[inline(always)]
    fn of(lane: impl Fn(usize) -> f32) -> Self {
        Self([Vec4::new(lane(0), lane(1), lane(2), lane(3)), Vec4::new(lane(4), lane(5), lane(6), lane(7))])
    }

    #[inline(always)]
    fn vectors(vector: impl Fn(usize) -> Vec3A) -> [Self; 3] {
        let all: [Vec3A; LANES] = std::array::from_fn(vector);
        [Self::of(|lane| all[lane].x), Self::of(|lane| all[lane].y), Self::of(|lane| all[lane].z)]
    }
}

impl Lanes for Portable {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self([Vec4::splat(value); 2])
    }

    #[inline(always)]
    fn load(values: &[f32; LANES]) -> Self {
        Self([Vec4::from_slice(&values[..4]), Vec4::from_slice(&values[4..])])
    }

    #[inline(always)]
    fn store(self) -> [f32; LANES] {
        let mut values = [0.0; LANES];
        self.0[0].write_to_slice(&mut values[..4]);
        self.0[1].write_to_slice(&mut values[4..]);
        values
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        let root = |v: Vec4| Vec4::new(v.x.sqrt(), v.y.sqrt(), v.z.sqrt(), v.w.sqrt());
        Self([root(self.0[0]), root(self.0[1])])
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self([self.0[0].min(other.0[0]), self.0[1].min(other.0[1])])
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self([self.0[0].max(other.0[0]), self.0[1].max(other.0[1])])
    }

    #[inline(always)]
    fn round(self) -> Self {
        let values = self.store();
        Self::of(|lane| values[lane].round_ties_even())
    }

    #[inline(always)]
    fn select_less(self, limit: Self, then: Self, otherwise: Self) -> Self {
        let half = |half: usize| Vec4::select(self.0[half].cmplt(limit.0[half]), then.0[half], otherwise.0[half]);
        Self([half(0), half(1)])
    }

    #[inline(always)]
    fn bits_less(self, limit: Self) -> u32 {
        self.0[0].cmplt(limit.0[0]).bitmask() | self.0[1].cmplt(limit.0[1]).bitmask() << 4
    }

    #[inline(always)]
    fn differ(places: impl Eight, place: u32) -> Self {
        let places = places.places().0;
        Self::of(|lane| f32::from(u8::from(places[lane] != place)))
    }

    #[inline(always)]
    fn sums(vectors: [Self; 3]) -> Vec3A {
        let sum = |lanes: Self| {
            let four = lanes.0[0] + lanes.0[1];
            (four.x + four.z) + (four.y + four.w)
        };
        Vec3A::new(sum(vectors[0]), sum(vectors[1]), sum(vectors[2]))
    }

    #[inline(always)]
    fn pack(vectors: [Self; 3]) -> PackedVectors {
        let round = |number: f32| number.clamp(-32768.0, 32767.0).round_ties_even() as i16;
        PackedVectors(vectors.map(|lanes| lanes.store().map(round)))
    }

    #[inline(always)]
    fn unpack(packed: &PackedVectors) -> [Self; 3] {
        let [x, y, z] = &packed.0;
        [Self::of(|lane| f32::from(x[lane])), Self::of(|lane| f32::from(y[lane])), Self::of(|lane| f32::from(z[lane]))]
    }

    #[inline(always)]
    fn gather(values: &[f32], places: impl Eight) -> Self {
        let places = places.places().0;
        Self::of(|lane| values[places[lane] as usize])
    }

    #[inline(always)]
    fn gather_vectors(values: &[Vec3A], places: impl Eight) -> [Self; 3] {
        let places = places.places().0;
        Self::vectors(|lane| values[places[lane] as usize])
    }

    #[inline(always)]
    fn gather_matrices(values: &[Mat3A], places: impl Eight) -> [[Self; 3]; 3] {
        let places = places.places().0;
        [
            Self::vectors(|lane| values[places[lane] as usize].x_axis),
            Self::vectors(|lane| values[places[lane] as usize].y_axis),
            Self::vectors(|lane| values[places[lane] as usize].z_axis),
        ]
    }

    #[inline(always)]
    fn others(numbers: &[u32; LANES], number: u32) -> u32 {
        numbers.iter().enumerate().map(|(lane, &other)| u32::from(other != number) << lane).sum()
    }

    #[inline(always)]
    fn append(numbers: &[u32; LANES], mut bits: u32, list: &mut [u32], mut end: usize) -> usize {
        while bits != 0 {
            list[end] = numbers[bits.trailing_zeros() as usize];
            end += 1;
            bits &= bits - 1;
        }
        end
    }

    #[inline(always)]
    fn check(places: &Places, count: usize) {
        assert!(places.0.iter().all(|&place| (place as usize) < count), "a place outside {count} values");
    }

    #[inline(always)]
    fn offsets(first: u32, places: &Places) -> Option<Offsets> {
        let wide = places.0.map(|place| (place.wrapping_sub(first) as i32).wrapping_mul(2));
        let narrow = wide.map(|offset| offset as i16);
        (narrow.map(i32::from) == wide).then_some(Offsets(narrow))
    }

    #[inline(always)]
    fn prefetch<T>(_: &T, _: usize) {}
}
