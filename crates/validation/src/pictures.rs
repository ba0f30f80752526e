//! Studies as pictures.

use plimsoll_contract::chart::{Panel, Picture, Scale, Series};

use super::Study;

/// Color of what is expected: black.
const EXPECTED: usize = 6;

/// The charts of `study` with a curve for each resolution.
pub fn pictures(study: &Study) -> Vec<Picture> {
    let Some((_, finest)) = study.outcomes.last() else { return Vec::new() };
    let picture = |(index, chart): (usize, &super::Chart)| {
        let panels = (0..chart.panels.len()).map(|panel| compared(study, index, panel)).collect();
        let name = [study.case.name, chart.name].join("_");
        let mut picture = Picture::of(name.trim_end_matches('_'), study.case.title, chart.horizontal, panels)?;
        picture.subtitle = format!("particle diameters per {}", study.case.across);
        Some(picture)
    };
    finest.charts.iter().enumerate().filter_map(picture).collect()
}

fn compared(study: &Study, chart: usize, panel: usize) -> Panel {
    let of = |outcome: &super::Outcome| outcome.charts[chart].panels[panel].clone();
    let finest = of(&study.outcomes[study.outcomes.len() - 1].1);
    let expected = Series { name: finest.reference.to_owned(), color: EXPECTED, points: finest.expected };
    let found = study.outcomes.iter().enumerate().map(|(place, (resolution, outcome))| Series {
        name: resolution.to_string(),
        color: place,
        points: of(outcome).found,
    });
    let scale = if finest.measured { Scale::Measured } else { Scale::Linear };
    Panel::new(finest.title, finest.unit, scale, std::iter::once(expected).chain(found).collect())
}
