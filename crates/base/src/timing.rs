//! Wall time of the stages of a step.

use std::{marker::PhantomData, time::Duration};

use crate::clock::Instant;

/// Stages of a simulator's step that are timed.
pub trait Stage: Copy {
    /// Columns of the stages in the diagnostics table: the name of each stage and `_seconds`.
    const COLUMNS: &'static [&'static str];

    /// Index of the stage in [`Self::COLUMNS`].
    fn place(self) -> usize;
}

/// Wall-clock time of each stage since the simulation was built or restored.
#[derive(Clone, Debug)]
pub struct StageTimes<S> {
    spent: Vec<Duration>,
    since: Option<Instant>,
    stages: PhantomData<S>,
}

impl<S: Stage> StageTimes<S> {
    /// Starts the clock.
    pub fn start(&mut self) {
        self.since = Some(Instant::now());
    }

    /// Adds the time since the last call of this function or of `start` to `stage`.
    pub fn finish(&mut self, stage: S) {
        let now = Instant::now();
        if let Some(since) = self.since.replace(now) {
            self.spent[stage.place()] += now - since;
        }
    }

    /// Time of `stage`, seconds.
    pub fn of(&self, stage: S) -> f64 {
        self.spent[stage.place()].as_secs_f64()
    }

    /// Column name and seconds of each stage.
    pub fn columns(&self) -> Vec<(&'static str, f64)> {
        S::COLUMNS.iter().copied().zip(self.spent.iter().map(Duration::as_secs_f64)).collect()
    }
}

impl<S: Stage> Default for StageTimes<S> {
    fn default() -> Self {
        Self { spent: vec![Duration::ZERO; S::COLUMNS.len()], since: None, stages: PhantomData }
    }
}

/// Percentages of the total as text, the largest first, from columns with seconds; `None` before the first step.
pub fn summary(columns: &[(&str, f64)]) -> Option<String> {
    let total: f64 = columns.iter().map(|(_, seconds)| seconds).sum();
    if total == 0.0 {
        return None;
    }
    let mut columns = columns.to_vec();
    columns.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let share = |&(column, seconds): &(&str, f64)| format!("{} {:.0} %", name(column), 100.0 * seconds / total);
    Some(format!("time by stage: {}", columns.iter().map(share).collect::<Vec<_>>().join(", ")))
}

/// Name of the stage with the column `column`.
pub fn name(column: &str) -> String {
    column.trim_end_matches("_seconds").replace('_', " ")
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;

    use super::*;

    #[derive(Clone, Copy)]
    enum Part {
        First,
        Second,
    }

    impl Stage for Part {
        const COLUMNS: &'static [&'static str] = &["first_seconds", "the_second_seconds"];

        fn place(self) -> usize {
            self as usize
        }
    }

    #[test]
    fn time_is_booked_on_the_stage_that_ends() {
        let mut times = StageTimes::default();
        times.finish(Part::First);
        assert_eq!((times.of(Part::First), summary(&times.columns())), (0.0, None));
        for _ in 0..2 {
            times.start();
            sleep(Duration::from_millis(2));
            times.finish(Part::First);
            sleep(Duration::from_millis(20));
            times.finish(Part::Second);
        }
        assert!(times.of(Part::First) >= 0.004 && times.of(Part::Second) >= 0.04);
        assert_eq!(times.columns().iter().map(|(column, _)| *column).collect::<Vec<_>>(), Part::COLUMNS);
        assert!(summary(&times.columns()).is_some_and(|text| text.starts_with("time by stage: the second ")));
    }
}
