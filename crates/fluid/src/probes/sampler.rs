//! Sampling at a fixed rate: the value at each sample time, and mean and extremes since the last one.
//!
//! Sample times need not be times of steps, so that probes do not disturb the simulation.

use plimsoll_base::math::ticks::tick;
use serde::{Deserialize, Serialize};

use super::Signal;

/// Share of a sampling interval within which a time counts as a sample time.
const ROUNDING: f64 = 1e-9;

/// The state of the sampling of several signals.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sampler {
    start: f64,
    rate: f64,
    signals: Vec<Signal>,
    /// Samples taken.
    count: u64,
    /// Time up to which the signals are known, s.
    time: f64,
    last: Vec<f64>,
    sums: Vec<Sum>,
}

/// A signal since the last sample.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Sum {
    /// Integral over time.
    integral: f64,
    min: f64,
    max: f64,
}

impl Default for Sum {
    fn default() -> Self {
        Self { integral: 0.0, min: f64::INFINITY, max: f64::NEG_INFINITY }
    }
}

impl Sum {
    fn add(&mut self, from: f64, to: f64, seconds: f64) {
        self.integral += 0.5 * (from + to) * seconds;
        self.min = self.min.min(from).min(to);
        self.max = self.max.max(from).max(to);
    }
}

impl Sampler {
    /// `rate` samples per second, from `start` (s).
    pub fn new(start: f64, rate: f64, signals: Vec<Signal>) -> Self {
        let sums = vec![Sum::default(); signals.len()];
        Self { start, rate, signals, count: 0, time: start, last: Vec::new(), sums }
    }

    /// The last values.
    pub fn last(&self) -> &[f64] {
        &self.last
    }

    /// Adds the `values` of a step from `start` to `end` (s). `rows` gets the samples that it completes, each with its time and, for each
    /// signal, value, mean, minimum and maximum.
    pub fn add(&mut self, start: f64, end: f64, values: &[f64], rows: &mut Vec<Vec<f64>>) {
        rows.clear();
        if self.last.is_empty() {
            self.last = values.to_vec();
            self.time = start;
        }
        let at = |signal: Signal, last: f64, value: f64, time: f64| match signal {
            Signal::Mean => value,
            // The first instant has no duration.
            Signal::State if end <= start => value,
            Signal::State => last + (value - last) * ((time - start) / (end - start)).clamp(0.0, 1.0),
        };
        loop {
            let next = tick(self.start, self.rate, self.count + 1);
            let due = next <= end + ROUNDING / self.rate;
            let until = if due { next.min(end) } else { end };
            let seconds = (until - self.time).max(0.0);
            let mut row = vec![next];
            for (place, sum) in self.sums.iter_mut().enumerate() {
                let (signal, last, value) = (self.signals[place], self.last[place], values[place]);
                let (from, to) = (at(signal, last, value, self.time), at(signal, last, value, until));
                // A mean over no time is no value.
                let is_defined = signal == Signal::State || end > start;
                if seconds > 0.0 || sum.min > sum.max && is_defined {
                    sum.add(from, to, seconds);
                }
                // Rounding must not carry the mean past the extremes.
                row.extend([to, (sum.integral * self.rate).max(sum.min).min(sum.max), sum.min, sum.max]);
            }
            self.time = until;
            if !due {
                break;
            }
            rows.push(row);
            self.sums.fill(Sum::default());
            self.count += 1;
        }
        self.last.copy_from_slice(values);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples of `signal` over steps of irregular length.
    fn samples(rate: f64, signal: Signal, value: impl Fn(f64, f64) -> f64) -> Vec<Vec<f64>> {
        let mut sampler = Sampler::new(0.0, rate, vec![signal]);
        let (mut time, mut all, mut rows) = (0.0, Vec::new(), Vec::new());
        for step in 0..400 {
            let end = time + 0.002 + 0.0015 * (f64::from(step)).sin();
            sampler.add(time, end, &[value(time, end)], &mut rows);
            all.append(&mut rows);
            time = end;
        }
        all
    }

    #[test]
    fn means_of_forces_are_exact_over_each_interval() {
        // A force that grows linearly, given as means over the steps.
        for rate in [20.0, 113.0, 2000.0] {
            let rows = samples(rate, Signal::Mean, |start, end| 0.5 * (start + end));
            assert!(rows.len() as f64 > 0.7 * rate);
            let total: f64 = rows.iter().map(|row| row[2] / rate).sum();
            let end = rows.last().unwrap()[0];
            assert!((total - 0.5 * end * end).abs() < 2e-6 + 0.004 / rate, "{rate}: {total} {end}");
            for (place, row) in (1..).zip(&rows) {
                assert!((row[0] - f64::from(place) / rate).abs() < 1e-12);
                assert!(row[3] <= row[2] && row[2] <= row[4] && (row[1] - row[0]).abs() < 0.004);
            }
        }
    }

    #[test]
    fn the_first_instant_has_no_duration() {
        let mut sampler = Sampler::new(0.0, 1.0, vec![Signal::State]);
        let mut rows = Vec::new();
        sampler.add(0.0, 0.0, &[2.0], &mut rows);
        assert!(rows.is_empty() && sampler.last() == [2.0]);
        sampler.add(0.0, 1.0, &[4.0], &mut rows);
        assert_eq!(rows, [[1.0, 4.0, 3.0, 2.0, 4.0]]);
    }

    /// Before the first step, forces and pressures are not known.
    #[test]
    fn means_begin_with_the_first_step() {
        let mut sampler = Sampler::new(0.0, 1.0, vec![Signal::Mean]);
        let mut rows = Vec::new();
        sampler.add(0.0, 0.0, &[0.0], &mut rows);
        sampler.add(0.0, 0.5, &[2.0], &mut rows);
        sampler.add(0.5, 1.0, &[4.0], &mut rows);
        assert_eq!(rows, [[1.0, 4.0, 3.0, 2.0, 4.0]]);
    }

    #[test]
    fn samples_are_counted_from_the_start() {
        let mut sampler = Sampler::new(0.75, 2.0, vec![Signal::State]);
        let mut rows = Vec::new();
        sampler.add(0.75, 0.75, &[2.0], &mut rows);
        assert!(rows.is_empty());
        sampler.add(0.75, 1.75, &[4.0], &mut rows);
        assert_eq!(rows, [[1.25, 3.0, 2.5, 2.0, 3.0], [1.75, 4.0, 3.5, 3.0, 4.0]]);
    }

    #[test]
    fn states_are_interpolated_to_the_sample_times() {
        for rate in [20.0, 113.0, 2000.0] {
            for row in samples(rate, Signal::State, |_, end| 3.0 * end - 1.0).iter().skip(rate as usize / 100 + 1) {
                let [time, value, mean, min, max] = row[..] else { panic!() };
                assert!((value - (3.0 * time - 1.0)).abs() < 1e-9);
                assert!((mean - (3.0 * (time - 0.5 / rate) - 1.0)).abs() < 1e-9);
                assert!((max - value).abs() < 1e-9 && (min - (value - 3.0 / rate)).abs() < 1e-9);
            }
        }
    }
}
