//! Studies as tables.

use plimsoll_base::math::format::{grouped, significant};

use super::{Expected, Figure, Study};

/// The study as a section of a Markdown page.
pub fn markdown(study: &Study) -> String {
    let case = &study.case;
    let mut text = format!("## {}\n\nExpected: {}. Resolutions are particle diameters per {}.\n\n", case.title, case.source, case.across);
    let columns: Vec<String> = study.outcomes.iter().map(|(resolution, _)| resolution.to_string()).collect();
    text += &row(&[&["", "expected"], &columns.iter().map(String::as_str).collect::<Vec<_>>()[..], &["order", "target", ""]].concat());
    text += &format!("|{}\n", "---|".repeat(columns.len() + 5));
    let counts: Vec<String> = study.outcomes.iter().map(|(_, outcome)| grouped(outcome.particles as u64)).collect();
    text += &row(&[&["particles", ""], &counts.iter().map(String::as_str).collect::<Vec<_>>()[..], &["", "", ""]].concat());
    let figures = study.outcomes.last().map_or(0, |(_, outcome)| outcome.figures.len());
    for index in 0..figures {
        text += &figure_row(study, index);
    }
    text
}

fn figure_row(study: &Study, index: usize) -> String {
    let figures: Vec<&Figure> = study.outcomes.iter().map(|(_, outcome)| &outcome.figures[index]).collect();
    let finest = figures[figures.len() - 1];
    let name = match finest.unit {
        "" => finest.quantity.to_string(),
        unit => format!("{}, {unit}", finest.quantity),
    };
    let found: Vec<String> = figures.iter().map(|figure| found(figure)).collect();
    let order = study.order(index).map_or_else(String::new, |order| format!("{order:.1}"));
    let target = finest.target.filter(|target| *target > 0.0).map_or_else(String::new, percent);
    let verdict = match finest.is_good() {
        Some(true) => "good",
        Some(false) => "off",
        None => "",
    };
    let mut cells = vec![name, expected(finest)];
    cells.extend(found);
    cells.extend([order, target, verdict.to_owned()]);
    row(&cells.iter().map(String::as_str).collect::<Vec<_>>())
}

/// All figures, one line each.
pub fn csv(study: &Study) -> String {
    let mut text = "resolution,particles,steps,quantity,unit,found,expected_low,expected_high,error,target\n".to_owned();
    for (resolution, outcome) in &study.outcomes {
        for figure in &outcome.figures {
            let (low, high) = match figure.expected {
                Expected::Value(value) => (value.to_string(), value.to_string()),
                Expected::Between(low, high) => (low.to_string(), high.to_string()),
                Expected::Nothing => (String::new(), String::new()),
            };
            let optional = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
            let Figure { quantity, unit, found, target, .. } = figure;
            let (error, target) = (optional(figure.error()), optional(*target));
            let (particles, steps) = (outcome.particles, outcome.steps);
            text += &format!("{resolution},{particles},{steps},\"{quantity}\",{unit},{found},{low},{high},{error},{target}\n");
        }
    }
    text
}

fn row(cells: &[&str]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

fn expected(figure: &Figure) -> String {
    match figure.expected {
        // An error needs no expected value.
        Expected::Value(0.0) if figure.unit.is_empty() => String::new(),
        Expected::Value(value) => significant(value),
        Expected::Between(low, high) => format!("{} to {}", significant(low), significant(high)),
        Expected::Nothing => String::new(),
    }
}

fn found(figure: &Figure) -> String {
    match (figure.expected, figure.error()) {
        (Expected::Value(0.0), Some(error)) if figure.unit.is_empty() => percent(error),
        (Expected::Value(_), Some(error)) => format!("{} ({})", significant(figure.found), signed_percent(error)),
        _ => significant(figure.found),
    }
}

fn percent(share: f64) -> String {
    format!("{} %", significant((1e4 * share).round() / 100.0))
}

fn signed_percent(share: f64) -> String {
    format!("{:+.1} %", 100.0 * share)
}
