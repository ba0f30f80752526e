//! Lists of places in arrays of particles, eight by eight: the neighbours of consecutive particles.
//!
//! A list knows below which number all of its places are, so that a gather checks this number instead of eight places. Most lists store places
//! relative to their particle, in sixteen bits.

use std::ops::Range;

use super::{
    compute,
    interface::{Eight, LaneWork, Lanes, Offsets, Places, Sealed},
};

/// Maximum number of particles: twice a distance between two of them fits in 32 bits with its sign.
const MAX_COUNT: usize = 1 << 30;

/// The lists of consecutive particles.
#[derive(Clone, Debug, Default)]
pub struct BlockLists {
    first: usize,
    /// Number of all particles; all places are below.
    count: usize,
    /// Index of the first block of each particle; the number of blocks at the end.
    starts: Vec<u32>,
    near: Vec<Offsets>,
    /// The blocks if sixteen bits are too few for an offset.
    far: Vec<Places>,
    is_far: bool,
}

/// A loop over lists, in lanes.
pub trait BlockWork {
    /// What the loop returns.
    type Output;
    /// Must be `#[inline(always)]` and must not use lanes in closures, like [`LaneWork::run`].
    fn run<L: Lanes, B: Blocks>(self, blocks: B) -> Self::Output;
}

/// Lists, however they are stored.
pub trait Blocks: Copy {
    /// Eight places.
    type Eight: Eight;
    /// The blocks of the particle `offset` after the first.
    fn of(self, offset: usize) -> impl Iterator<Item = Self::Eight>;
}

impl BlockLists {
    /// Removes all lists and begins those of `first` and the following of `count` particles. With `far`, any place can be stored.
    ///
    /// # Panics
    /// With more than 2³⁰ particles.
    pub fn clear(&mut self, first: usize, count: usize, far: bool) {
        assert!(count <= MAX_COUNT, "{count} particles are more than lists can hold");
        (self.first, self.count, self.is_far) = (first, count, far);
        self.starts.clear();
        self.starts.push(0);
        self.near.clear();
        self.far.clear();
    }

    /// Adds the next particle with its `places`; returns whether they can be stored.
    ///
    /// # Panics
    /// If their number is not a multiple of eight, or one of them is not the number of a particle.
    #[inline(always)]
    pub fn push<L: Lanes>(&mut self, places: &[u32]) -> bool {
        let particle = (self.first + self.len()) as u32;
        let (blocks, []) = places.as_chunks() else { panic!("{} places are no blocks", places.len()) };
        if self.is_far {
            reserve(&mut self.far, blocks.len());
        } else {
            reserve(&mut self.near, blocks.len());
        }
        for &eight in blocks {
            let places = Places(eight);
            L::check(&places, self.count);
            if self.is_far {
                self.far.push(places);
            } else if let Some(offsets) = L::offsets(particle, &places) {
                self.near.push(offsets);
            } else {
                return false;
            }
        }
        self.starts.push((self.near.len() + self.far.len()) as u32);
        true
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are no particles.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Index of the first particle.
    pub fn first(&self) -> usize {
        self.first
    }

    /// Number of blocks of all particles.
    pub fn block_count(&self) -> usize {
        self.near.len() + self.far.len()
    }

    /// The blocks of the particle `offset` after the first.
    #[inline(always)]
    pub fn range(&self, offset: usize) -> Range<usize> {
        self.starts[offset] as usize..self.starts[offset + 1] as usize
    }

    /// The places of the particle `offset` after the first.
    pub fn places(&self, offset: usize) -> impl Iterator<Item = u32> + '_ {
        let eight = move |block: usize| match self.is_far {
            true => self.far[block],
            false => Near { first: (self.first + offset) as u32, count: self.count, offsets: &self.near[block] }.places(),
        };
        self.range(offset).flat_map(move |block| eight(block).0)
    }

    /// Runs `work` on these lists.
    pub fn compute<W: BlockWork>(&self, work: W) -> W::Output {
        compute(OnLists { lists: self, work })
    }
}

/// Makes room for `more` values after those of `values`. Grows by 1/8 instead of doubling.
fn reserve<T>(values: &mut Vec<T>, more: usize) {
    if values.capacity() < values.len() + more {
        values.reserve_exact(more.max(values.len() / 8));
    }
}

struct OnLists<'a, W> {
    lists: &'a BlockLists,
    work: W,
}

impl<W: BlockWork> LaneWork for OnLists<'_, W> {
    type Output = W::Output;

    #[inline(always)]
    fn run<L: Lanes>(self) -> W::Output {
        let Self { lists, work } = self;
        match lists.is_far {
            true => work.run::<L, _>(FarLists(lists)),
            false => work.run::<L, _>(NearLists(lists)),
        }
    }
}

#[derive(Clone, Copy)]
struct NearLists<'a>(&'a BlockLists);

impl<'a> Blocks for NearLists<'a> {
    type Eight = Near<'a>;

    #[inline(always)]
    fn of(self, offset: usize) -> impl Iterator<Item = Near<'a>> {
        let (first, count) = ((self.0.first + offset) as u32, self.0.count);
        self.0.near[self.0.range(offset)].iter().map(move |offsets| Near { first, count, offsets })
    }
}

#[derive(Clone, Copy)]
struct FarLists<'a>(&'a BlockLists);

impl<'a> Blocks for FarLists<'a> {
    type Eight = Far<'a>;

    #[inline(always)]
    fn of(self, offset: usize) -> impl Iterator<Item = Far<'a>> {
        let count = self.0.count;
        self.0.far[self.0.range(offset)].iter().map(move |places| Far { count, places })
    }
}

/// Eight places below `count`, relative to `first`.
#[derive(Clone, Copy, Debug)]
pub struct Near<'a> {
    first: u32,
    count: usize,
    offsets: &'a Offsets,
}

impl Sealed for Near<'_> {}

impl Eight for Near<'_> {
    #[inline(always)]
    fn places(self) -> Places {
        self.offsets.places(self.first)
    }

    #[inline(always)]
    fn below(self) -> Option<usize> {
        Some(self.count)
    }

    #[inline(always)]
    fn offsets(&self) -> Option<(usize, &Offsets)> {
        Some((self.first as usize, self.offsets))
    }

    #[inline(always)]
    fn prefetch<L: Lanes>(self, ahead: usize) {
        L::prefetch(self.offsets, ahead);
    }
}

/// Eight places below `count`.
#[derive(Clone, Copy, Debug)]
pub struct Far<'a> {
    count: usize,
    places: &'a Places,
}

impl Sealed for Far<'_> {}

impl Eight for Far<'_> {
    #[inline(always)]
    fn places(self) -> Places {
        *self.places
    }

    #[inline(always)]
    fn below(self) -> Option<usize> {
        Some(self.count)
    }

    #[inline(always)]
    fn prefetch<L: Lanes>(self, ahead: usize) {
        L::prefetch(self.places, ahead);
    }
}
