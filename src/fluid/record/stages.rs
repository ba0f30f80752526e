//! Where the time of a step goes.

use std::time::{Duration, Instant};

/// Parts of a step that are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Sorting into cells, neighbour lists.
    Neighbours,
    /// Mapping of the slab-cut balls, wall integrals.
    Walls,
    /// Densities and kernel gradients.
    Densities,
    Divergence,
    Forces,
    Pressure,
    Bodies,
    Collisions,
    /// Motion, ledger, diagnostics.
    Rest,
}

impl Stage {
    pub const ALL: [Self; 9] = [
        Self::Neighbours,
        Self::Walls,
        Self::Densities,
        Self::Divergence,
        Self::Forces,
        Self::Pressure,
        Self::Bodies,
        Self::Collisions,
        Self::Rest,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Neighbours => "neighbours",
            Self::Walls => "walls",
            Self::Densities => "densities",
            Self::Divergence => "divergence",
            Self::Forces => "forces",
            Self::Pressure => "pressure",
            Self::Bodies => "bodies",
            Self::Collisions => "collisions",
            Self::Rest => "rest",
        }
    }

    /// Of the diagnostics table.
    pub fn column(self) -> &'static str {
        match self {
            Self::Neighbours => "neighbours_seconds",
            Self::Walls => "walls_seconds",
            Self::Densities => "densities_seconds",
            Self::Divergence => "divergence_seconds",
            Self::Forces => "forces_seconds",
            Self::Pressure => "pressure_seconds",
            Self::Bodies => "bodies_seconds",
            Self::Collisions => "collisions_seconds",
            Self::Rest => "rest_seconds",
        }
    }
}

/// Wall-clock time of each stage since the simulation was built or restored.
#[derive(Clone, Copy, Debug, Default)]
pub struct StageTimes {
    spent: [Duration; Stage::ALL.len()],
    since: Option<Instant>,
}

impl StageTimes {
    /// The clock runs from here on.
    pub fn start(&mut self) {
        self.since = Some(Instant::now());
    }

    /// What has passed since the last call belongs to `stage`.
    pub fn finish(&mut self, stage: Stage) {
        let now = Instant::now();
        if let Some(since) = self.since.replace(now) {
            self.spent[stage as usize] += now - since;
        }
    }

    pub fn of(&self, stage: Stage) -> Duration {
        self.spent[stage as usize]
    }

    pub fn total(&self) -> Duration {
        self.spent.iter().sum()
    }

    /// Shares of the total in words, the greatest first; nothing before the first step.
    pub fn summary(&self) -> Option<String> {
        let total = self.total().as_secs_f64();
        if total == 0.0 {
            return None;
        }
        let mut stages = Stage::ALL;
        stages.sort_by_key(|&stage| std::cmp::Reverse(self.of(stage)));
        let shares = stages.map(|stage| format!("{} {:.0} %", stage.name(), 100.0 * self.of(stage).as_secs_f64() / total));
        Some(format!("time of a step: {}", shares.join(", ")))
    }
}
