//! Times at a fixed rate.

/// Time number `count` at `rate` (1/s) from `start` (s). It is computed only from the number, so that it never drifts. If `start` is itself a
/// whole number of intervals, the times are bit by bit those counted from zero.
pub fn tick(start: f64, rate: f64, count: u64) -> f64 {
    let first = (start * rate).round();
    if first / rate == start { (first + count as f64) / rate } else { start + count as f64 / rate }
}

/// The interval between two times (s), without the rounding of the times if it belongs to a rate with up to three decimals: the interval
/// between two frames is the same, bit by bit, at any time.
pub fn interval(from: f64, to: f64) -> f64 {
    let raw = to - from;
    let exact = 1e3 / (1e3 / raw).round();
    let rounding = 4.0 * f64::EPSILON * from.abs().max(to.abs());
    if (exact - raw).abs() <= rounding { exact } else { raw }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_on_the_grid_continues_it() {
        for rate in [24.0, 29.97, 30.0, 50.0, 1000.0] {
            for first in [0_u64, 1, 7, 1234, 98_765] {
                let start = tick(0.0, rate, first);
                for count in [0, 1, 2, 333] {
                    assert_eq!(tick(start, rate, count), tick(0.0, rate, first + count), "{rate} {first} {count}");
                }
            }
        }
        assert_eq!(tick(0.333, 50.0, 3), 0.333 + 0.06);
    }

    #[test]
    fn intervals_of_frames_do_not_depend_on_the_time() {
        for rate in [24.0, 29.97, 30.0, 50.0, 59.94, 1000.0] {
            for first in [0, 1, 7, 1234, 98_765, 10_000_000] {
                assert_eq!(interval(tick(0.0, rate, first), tick(0.0, rate, first + 1)), interval(0.0, 1.0 / rate), "{rate} {first}");
            }
        }
        // Neither a frame nor a difference beyond rounding.
        assert_eq!(interval(0.1, 0.313_131), 0.313_131 - 0.1);
        assert_eq!(interval(0.0, 0.02 + 1e-15), 0.02 + 1e-15);
        assert!(interval(1.0, f64::INFINITY).is_infinite());
    }
}
