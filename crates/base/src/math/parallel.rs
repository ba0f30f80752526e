//! Sums and loops over particles. Results do not depend on the number of threads, and nothing is allocated on the heap.

use std::{
    ops::Range,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rayon::{
    Yield,
    iter::plumbing::{Producer, ProducerCallback},
    prelude::*,
};

use crate::clock::Instant;

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

/// Sum of `partial(task)` over `tasks`, which must not be empty. It is compiled once for each type of sum.
fn tree<T>(tasks: Range<usize>, partial: &(dyn Fn(usize) -> T + Sync)) -> T
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

/// Parallel loops that compile quickly. Rayon's `for_each` generates its own scheduling code for each loop, which was 45 % of the code of the fluid
/// (`-Zdump-mono-stats`). Here all loops share one scheduler.
pub trait InTasks: IndexedParallelIterator {
    /// Divides the items into tasks of `size` items.
    fn in_tasks(self, size: usize) -> Tasks<Self> {
        Tasks { items: self, size }
    }
}

impl<I: IndexedParallelIterator> InTasks for I {}

/// Items in tasks of the same size; the last one may be smaller.
pub struct Tasks<I> {
    items: I,
    size: usize,
}

impl<I: IndexedParallelIterator> Tasks<I> {
    /// Calls `work` for each item.
    pub fn for_each(self, work: impl Fn(I::Item) + Sync) {
        let Self { items, size } = self;
        let count = items.len();
        items.with_producer(TaskLoop { count, size, work });
    }

    /// Replaces the contents of `results` by the items.
    pub fn collect_into(self, results: &mut Vec<I::Item>)
    where
        I::Item: Clone + Default,
    {
        results.resize(self.items.len(), I::Item::default());
        self.items.zip(results).in_tasks(self.size).for_each(|(item, result)| *result = item);
    }
}

/// Number of stretches of a loop. Threads start in different stretches, so that each thread works on about the same particles in every loop of a
/// step, and finds them in its cache.
const STRETCHES: usize = 16;

/// A loop over `count` items in tasks of `size`.
struct TaskLoop<F> {
    count: usize,
    size: usize,
    work: F,
}

impl<T, F: Fn(T) + Sync> ProducerCallback<T> for TaskLoop<F> {
    type Output = ();

    fn callback<P: Producer<Item = T>>(self, producer: P) {
        let Self { count, size, work } = self;
        let tasks = count.div_ceil(size);
        if tasks <= 1 {
            return producer.into_iter().for_each(work);
        }
        let mut all = Stretch { count, rest: Some(producer) };
        let stretches: [Mutex<Stretch<P>>; STRETCHES] = std::array::from_fn(|stretch| {
            let first = |stretch: usize| (stretch * tasks).div_ceil(STRETCHES);
            Mutex::new(all.split_off((first(stretch + 1) - first(stretch)) * size))
        });
        for_each_task(0..tasks, &|task| {
            let stretch = &stretches[task * STRETCHES / tasks];
            let items = stretch.lock().unwrap_or_else(PoisonError::into_inner).split_off(size).rest;
            if let Some(items) = items {
                items.into_iter().for_each(&work);
            }
        });
    }
}

/// What is left of consecutive items of a loop.
struct Stretch<P> {
    count: usize,
    rest: Option<P>,
}

impl<P: Producer> Stretch<P> {
    /// Takes the first `count` items, or all if there are fewer.
    fn split_off(&mut self, count: usize) -> Self {
        let count = count.min(self.count);
        if count == 0 {
            return Self { count, rest: None };
        }
        self.count -= count;
        match self.rest.take() {
            Some(items) if self.count > 0 => {
                let (first, rest) = items.split_at(count);
                self.rest = Some(rest);
                Self { count, rest: Some(first) }
            }
            rest => Self { count, rest },
        }
    }
}

/// Calls `work` once for each of `tasks`, in parallel.
fn for_each_task(tasks: Range<usize>, work: &(dyn Fn(usize) + Sync)) {
    if tasks.len() == 1 {
        return work(tasks.start);
    }
    let middle = tasks.start + tasks.len() / 2;
    rayon::join(|| for_each_task(tasks.start..middle, work), || for_each_task(middle..tasks.end, work));
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
    fn a_loop_in_tasks_meets_each_item_once() {
        for (count, size) in [(0, 4), (1, 4), (4, 4), (5, 4), (67, 4), (1000, 1), (1001, 7), (5000, 1024)] {
            let mut values: Vec<usize> = (0..count).collect();
            values.par_iter_mut().enumerate().in_tasks(size).for_each(|(index, value)| *value += index);
            assert!(values.iter().enumerate().all(|(index, &value)| value == 2 * index), "{count} items in tasks of {size}");
            values
                .par_chunks_mut(3)
                .enumerate()
                .in_tasks(size)
                .for_each(|(index, chunk)| chunk.iter_mut().for_each(|value| *value -= index));
            assert!(values.iter().enumerate().all(|(index, &value)| value == 2 * index - index / 3), "{count} items in chunks");
        }
    }

    #[test]
    fn what_a_loop_in_tasks_makes_keeps_its_order() {
        let mut results = vec![7; 3];
        for count in [5000, 100, 0] {
            (0..count).into_par_iter().map(|index: usize| 3 * index).in_tasks(64).collect_into(&mut results);
            assert!(results.len() == count && results.iter().enumerate().all(|(index, &result)| result == 3 * index));
        }
    }

    #[test]
    fn a_task_that_panics_ends_the_loop() {
        let mut values = vec![0; 100];
        let mut fail = || values.par_iter_mut().in_tasks(3).for_each(|value| assert!(*value > 0, "as intended"));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(&mut fail)).is_err());
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
