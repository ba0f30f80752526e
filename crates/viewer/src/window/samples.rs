//! The samples of one quantity, thinned so that they need a fixed amount of memory and no peak is lost.

/// Maximum number of buckets; even.
const BUCKETS: usize = 1024;

/// Samples in the order of time. Each bucket has the first, lowest and highest of equally many samples; when all buckets are full, pairs of
/// them are merged.
#[derive(Clone, Debug)]
pub struct Samples {
    buckets: Vec<Bucket>,
    /// Samples in a full bucket.
    capacity: u64,
    /// Samples in the last bucket.
    filled: u64,
    /// Time (s) and value of the last sample.
    last: Option<(f64, f64)>,
}

#[derive(Clone, Copy, Debug)]
struct Bucket {
    /// Time of the first sample, s.
    time: f64,
    first: f64,
    min: f64,
    max: f64,
}

impl Default for Samples {
    fn default() -> Self {
        Self { buckets: Vec::new(), capacity: 1, filled: 1, last: None }
    }
}

impl Samples {
    /// Adds a sample, which is later than all others; values that are not finite are left out.
    pub fn push(&mut self, time: f64, value: f64) {
        if !value.is_finite() {
            return;
        }
        self.last = Some((time, value));
        if self.filled < self.capacity
            && let Some(bucket) = self.buckets.last_mut()
        {
            (bucket.min, bucket.max) = (bucket.min.min(value), bucket.max.max(value));
            self.filled += 1;
            return;
        }
        if self.buckets.len() == BUCKETS {
            let merged = |pair: &[Bucket]| Bucket { min: pair[0].min.min(pair[1].min), max: pair[0].max.max(pair[1].max), ..pair[0] };
            self.buckets = self.buckets.chunks_exact(2).map(merged).collect();
            self.capacity *= 2;
        }
        self.buckets.push(Bucket { time, first: value, min: value, max: value });
        self.filled = 1;
    }

    /// Points of a line through all samples: times (s), which do not decrease, and values.
    pub fn points(&self) -> Vec<(f64, f64)> {
        let mut points = Vec::with_capacity(3 * self.buckets.len() + 1);
        for &Bucket { time, first, min, max } in &self.buckets {
            points.extend([first, min, max].map(|value| (time, value)));
        }
        points.extend(self.last);
        points.dedup();
        points
    }

    /// The value at `time` (s), linear between the first samples of the buckets; before the first and after the last sample the nearest.
    pub fn at(&self, time: f64) -> Option<f64> {
        let after = self.buckets.partition_point(|bucket| bucket.time <= time);
        let Some(before) = after.checked_sub(1).map(|place| self.buckets[place]) else {
            return self.buckets.first().map(|bucket| bucket.first);
        };
        let (end, value) = self.buckets.get(after).map(|bucket| (bucket.time, bucket.first)).or(self.last)?;
        let share = if end > before.time { ((time - before.time) / (end - before.time)).clamp(0.0, 1.0) } else { 1.0 };
        Some(before.first + share * (value - before.first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples of `value` at 0 s, 0.001 s, ...
    fn samples(count: u32, value: impl Fn(f64) -> f64) -> Samples {
        let mut samples = Samples::default();
        for time in (0..count).map(|number| 1e-3 * f64::from(number)) {
            samples.push(time, value(time));
        }
        samples
    }

    #[test]
    fn few_samples_are_kept_as_they_are() {
        let samples = samples(5, |time| 2.0 * time);
        assert_eq!(samples.points(), [0.0, 1e-3, 2e-3, 3e-3, 4e-3].map(|time| (time, 2.0 * time)));
        for time in [0.0, 0.4e-3, 2e-3, 3.9e-3, 4e-3] {
            assert!((samples.at(time).unwrap() - 2.0 * time).abs() < 1e-12);
        }
        assert_eq!((samples.at(-1.0), samples.at(9.0)), (Some(0.0), Some(8e-3)));
    }

    #[test]
    fn many_samples_need_little_memory_and_keep_every_peak() {
        let peak = |time: f64| if (time - 54.321).abs() < 1e-6 { 7.0 } else { 0.0 };
        let samples = samples(100_000, |time| time.sin() + peak(time));
        let points = samples.points();
        assert!(points.len() <= 3 * BUCKETS + 1 && points.len() > BUCKETS, "{}", points.len());
        assert!(points.is_sorted_by(|a, b| a.0 <= b.0));
        let highest = points.iter().fold((0.0, 0.0), |best, point| if point.1 > best.1 { *point } else { best });
        assert!(highest.1 > 6.0 && (highest.0 - 54.321).abs() < 0.2, "{highest:?}");
        for time in [0.0, 1.234, 50.0, 99.999] {
            assert!((samples.at(time).unwrap() - time.sin()).abs() < 0.01, "{time}");
        }
    }

    #[test]
    fn values_that_are_not_finite_are_left_out() {
        let samples = samples(3, |time| if time > 1.5e-3 { f64::NAN } else { 1.0 });
        assert_eq!((samples.points(), samples.at(2e-3)), (vec![(0.0, 1.0), (1e-3, 1.0)], Some(1.0)));
        assert_eq!((Samples::default().points(), Samples::default().at(0.0)), (vec![], None));
    }
}
