//! Sums and loops over particles. Results do not depend on the number of threads, and nothing is allocated on the heap.

use std::{
    ops::Range,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use rayon::{Yield, prelude::*};

/// Number of particles per task. It is fixed, so that sums do not depend on the number of threads.
pub const TASK: usize = 1024;

/// How long a thread of the pool looks for work before it may fall asleep. Longer than the serial parts of a step, which take microseconds.
const PATIENCE: Duration = Duration::from_millis(1);

/// Runs `work` in the thread pool, whose other threads stay awake meanwhile. A step consists of hundreds of short loops; rayon lets a thread sleep
/// after some 20 µs without work, and waking it takes as long. `benches/scenes/dam_break_19k.toml` takes 1.33 instead of 1.41 s on two threads.
pub fn run_awake<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let done = &AtomicBool::new(false);
    rayon::scope(|scope| {
        let own = rayon::current_thread_index();
        scope.spawn_broadcast(move |_, thread| {
            if own != Some(thread.index()) {
                stay_awake(done);
            }
        });
        let result = work();
        done.store(true, Ordering::Relaxed);
        result
    })
}

/// Does what other threads have for this one until all is `done`. Ends without work for a while, too: it may have begun while its own thread was
/// waiting for others.
fn stay_awake(done: &AtomicBool) {
    let mut last = Instant::now();
    while !done.load(Ordering::Relaxed) && last.elapsed() < PATIENCE {
        match rayon::yield_now() {
            Some(Yield::Executed) => last = Instant::now(),
            _ => std::thread::yield_now(),
        }
    }
}

/// `Σ term(i)` over `0 .. count`: partial sums of [`TASK`] terms, added as a binary tree.
pub fn sum<T>(count: usize, term: impl Fn(usize) -> T + Sync) -> T
where
    T: Default + std::ops::AddAssign + Send,
{
    let partial = |task: usize| {
        let mut sum = T::default();
        for index in task * TASK..((task + 1) * TASK).min(count) {
            sum += term(index);
        }
        sum
    };
    if count == 0 { T::default() } else { tree(0..count.div_ceil(TASK), &partial) }
}

/// Sum of `partial(task)` over `tasks`, which must not be empty.
fn tree<T>(tasks: Range<usize>, partial: &(impl Fn(usize) -> T + Sync)) -> T
where
    T: std::ops::AddAssign + Send,
{
    if tasks.len() == 1 {
        return partial(tasks.start);
    }
    let middle = tasks.start + tasks.len() / 2;
    let (mut sum, other) = rayon::join(|| tree(tasks.start..middle, partial), || tree(middle..tasks.end, partial));
    sum += other;
    sum
}

/// Maximum of `term(i)` over `0 .. count`; zero if there are none.
pub fn max<T>(count: usize, term: impl Fn(usize) -> T + Sync + Send) -> T
where
    T: Default + PartialOrd + Send,
{
    let greater = |one: T, other: T| if other > one { other } else { one };
    (0..count).into_par_iter().with_min_len(TASK).map(term).reduce(T::default, greater)
}

/// Values in consecutive parts that can be split between two parts. A pair of `Parts` is also `Parts`.
pub trait Parts: Send + Sized {
    /// Splits into the parts before `part` and those from it on.
    fn cut(self, part: usize) -> (Self, Self);
}

/// A slice divided into parts: part `i` ends before index `end(i)`.
pub struct SliceParts<'a, T, E> {
    /// Values of the parts in this slice.
    pub values: &'a mut [T],
    first: usize,
    end: E,
}

impl<T: Send, E: Fn(usize) -> usize + Copy + Send> Parts for SliceParts<'_, T, E> {
    fn cut(self, part: usize) -> (Self, Self) {
        let middle = (self.end)(part - 1);
        let (lower, upper) = self.values.split_at_mut(middle - self.first);
        (Self { values: lower, first: self.first, end: self.end }, Self { values: upper, first: middle, end: self.end })
    }
}

impl<A: Parts, B: Parts> Parts for (A, B) {
    fn cut(self, part: usize) -> (Self, Self) {
        let ((a, b), (c, d)) = (self.0.cut(part), self.1.cut(part));
        ((a, c), (b, d))
    }
}

/// `values` divided into parts that end at `end(part)`.
pub fn parts<T, E: Fn(usize) -> usize + Copy>(values: &mut [T], end: E) -> SliceParts<'_, T, E> {
    SliceParts { values, first: 0, end }
}

/// Calls `work(part, values of the part)` for each part in `range`, in parallel.
pub fn for_each_part<P: Parts>(values: P, range: Range<usize>, work: &(impl Fn(usize, P) + Sync)) {
    match range.len() {
        0 => {}
        1 => work(range.start, values),
        count => {
            let middle = range.start + count / 2;
            let (lower, upper) = values.cut(middle);
            rayon::join(|| for_each_part(lower, range.start..middle, work), || for_each_part(upper, middle..range.end, work));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_a_loop() {
        for count in [0, 1, 1023, 1024, 1025, 10_000] {
            assert_eq!(sum(count, |i| i as u64), (0..count as u64).sum::<u64>());
        }
    }

    #[test]
    fn work_that_is_awake_may_use_all_threads_and_be_nested() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let total = |count: usize| run_awake(|| sum(count, |i| i as u64));
        let nested = || (0..20_usize).into_par_iter().map(|i| total(5000 + i)).sum::<u64>();
        let expected: u64 = (5000..5020).map(|count| (0..count).sum::<u64>()).sum();
        assert_eq!(pool.install(nested), expected);
        assert_eq!(pool.install(|| run_awake(nested)), expected);
        let fail = || pool.install(|| run_awake(|| panic!("as intended")));
        let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(fail));
        assert!(failed.is_err());
        assert_eq!(pool.install(nested), expected);
    }

    #[test]
    fn parts_are_the_stretches_between_their_ends() {
        let ends = [3_usize, 3, 7, 12];
        let (mut values, mut twins) = (vec![0; 12], vec![0; 12]);
        let end = |part: usize| ends[part];
        for_each_part((parts(&mut values, end), parts(&mut twins, end)), 0..4, &|part, (values, twins)| {
            values.values.iter_mut().zip(twins.values).for_each(|(value, twin)| (*value, *twin) = (part, 10 * part));
        });
        assert_eq!(values, [0, 0, 0, 2, 2, 2, 2, 3, 3, 3, 3, 3]);
        assert!(twins.iter().zip(&values).all(|(twin, value)| *twin == 10 * value));
    }
}
