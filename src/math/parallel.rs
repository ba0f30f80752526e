//! Sums over particles in a fixed order, independent of the number of threads.

use rayon::prelude::*;

/// Particles that one task handles; fixed, so that sums do not depend on the number of threads.
pub const TASK: usize = 1024;

/// `Σ term(i)` over `0 .. count`.
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
    let partial_sums: Vec<T> = (0..count.div_ceil(TASK)).into_par_iter().map(partial).collect();
    let mut sum = T::default();
    for partial in partial_sums {
        sum += partial;
    }
    sum
}

/// Greatest `term(i)` over `0 .. count`; zero if there is none.
pub fn greatest<T>(count: usize, term: impl Fn(usize) -> T + Sync + Send) -> T
where
    T: Default + PartialOrd + Send,
{
    let greater = |one: T, other: T| if other > one { other } else { one };
    (0..count).into_par_iter().with_min_len(TASK).map(term).reduce(T::default, greater)
}
