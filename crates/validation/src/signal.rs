//! Periods and decay of signals.

use glam::{DMat3, DVec3};
use plimsoll_contract::frame::Value;

/// A value of a table as a number.
pub fn number(value: &Value) -> f64 {
    match value {
        Value::Integer(value) => *value as f64,
        Value::Real(value) => *value,
        Value::Text(_) => f64::NAN,
    }
}

/// Local extremes of `signal` about zero: of each stretch of one sign the largest magnitude, by a parabola through three samples. Stretches
/// below `least` and the first and last stretch, which may be cut, are left out.
pub fn extremes(signal: &[(f64, f64)], least: f64) -> Vec<(f64, f64)> {
    let stretches: Vec<&[(f64, f64)]> = signal.chunk_by(|a, b| (a.1 > 0.0) == (b.1 > 0.0)).collect();
    let inner = stretches.iter().take(stretches.len().saturating_sub(1)).skip(1);
    inner.filter_map(|stretch| peak(stretch)).filter(|(_, value)| value.abs() >= least).collect()
}

fn peak(stretch: &[(f64, f64)]) -> Option<(f64, f64)> {
    let top = (0..stretch.len()).max_by(|&a, &b| stretch[a].1.abs().total_cmp(&stretch[b].1.abs()))?;
    if top == 0 || top + 1 == stretch.len() {
        return Some(stretch[top]);
    }
    let [a, b, c] = [stretch[top - 1], stretch[top], stretch[top + 1]];
    // The parabola through three points, by divided differences.
    let first = (b.1 - a.1) / (b.0 - a.0);
    let second = ((c.1 - b.1) / (c.0 - b.0) - first) / (c.0 - a.0);
    if second == 0.0 {
        return Some(b);
    }
    let time = 0.5 * (a.0 + b.0) - 0.5 * first / second;
    Some((time, a.1 + first * (time - a.0) + second * (time - a.0) * (time - b.0)))
}

/// Period of a signal about zero: twice the mean distance of its first `count` sign changes; not a number if there are fewer than two. Late
/// ones may be noise.
pub fn period(signal: &[(f64, f64)], count: usize) -> f64 {
    let changes = zeros(signal);
    match changes[..count.min(changes.len())] {
        [first, .., last] => 2.0 * (last - first) / (count.min(changes.len()) - 1) as f64,
        _ => f64::NAN,
    }
}

/// Times at which a signal changes its sign, by linear interpolation.
fn zeros(signal: &[(f64, f64)]) -> Vec<f64> {
    signal
        .windows(2)
        .filter(|pair| (pair[0].1 > 0.0) != (pair[1].1 > 0.0))
        .map(|pair| pair[0].0 + (pair[1].0 - pair[0].0) * pair[0].1 / (pair[0].1 - pair[1].1))
        .collect()
}

/// Rate (1/s) at which `|value|` decays: the least-squares line through its logarithm.
pub fn decay_rate(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|&(time, value)| (time, value.abs().ln())).collect();
    -slope(&logs)
}

/// Slope of the least-squares line.
pub fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean = |part: fn(&(f64, f64)) -> f64| points.iter().map(part).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let (cross, square) = points.iter().fold((0.0, 0.0), |sum, point| {
        let dx = point.0 - x;
        (sum.0 + dx * (point.1 - y), sum.1 + dx * dx)
    });
    cross / square
}

/// Mean and coefficients of sin ωt and cos ωt in the signal after `from`, by least squares; samples count with the time since the last one.
pub fn harmonic(points: &[(f64, f64)], omega: f64, from: f64) -> [f64; 3] {
    let (mut matrix, mut right) = (DMat3::ZERO, DVec3::ZERO);
    for pair in points.windows(2).filter(|pair| pair[1].0 > from) {
        let (weight, (time, value)) = (pair[1].0 - pair[0].0, pair[1]);
        let (sin, cos) = (omega * time).sin_cos();
        let row = DVec3::new(1.0, sin, cos);
        matrix += weight * DMat3::from_cols(row * row.x, row * row.y, row * row.z);
        right += weight * value * row;
    }
    (matrix.inverse() * right).into()
}

/// Mean of `points` over `from..to`, by trapezoids.
pub fn mean_between(points: &[(f64, f64)], from: f64, to: f64) -> f64 {
    integral(points, from, to) / (to - from)
}

/// Integral of `points`, linear in between, over `from..to`.
pub fn integral(points: &[(f64, f64)], from: f64, to: f64) -> f64 {
    let piece = |pair: &[(f64, f64)]| {
        let ((a, u), (b, v)) = (pair[0], pair[1]);
        let (low, high) = (a.max(from), b.min(to));
        if high <= low {
            return 0.0;
        }
        let at = |time: f64| u + (v - u) * (time - a) / (b - a);
        0.5 * (at(low) + at(high)) * (high - low)
    };
    points.windows(2).map(piece).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decaying() -> Vec<(f64, f64)> {
        (0..2000).map(|i| 0.005 * f64::from(i)).map(|t| (t, (-0.3 * t).exp() * (2.5 * t + 0.4).cos())).collect()
    }

    #[test]
    fn a_decaying_oscillation_is_taken_apart() {
        let signal = decaying();
        for count in [2, 4, usize::MAX] {
            let found = period(&signal, count);
            assert!((found / (std::f64::consts::TAU / 2.5) - 1.0).abs() < 1e-4, "{count}: {found}");
        }
        let peaks = extremes(&signal, 0.01);
        assert!(peaks.len() > 5 && peaks.windows(2).all(|pair| pair[0].1 * pair[1].1 < 0.0));
        assert!((decay_rate(&peaks) / 0.3 - 1.0).abs() < 1e-3, "{}", decay_rate(&peaks));
    }

    #[test]
    fn a_harmonic_is_found_in_uneven_samples() {
        let time = |i: i32| 0.01 * f64::from(i) + 0.004 * f64::from(i % 3);
        let signal: Vec<(f64, f64)> = (0..1000).map(time).map(|t| (t, 3.0 + 2.0 * (5.0 * t).sin() - 0.5 * (5.0 * t).cos())).collect();
        let [mean, sine, cosine] = harmonic(&signal, 5.0, 1.0);
        assert!((mean - 3.0).abs() + (sine - 2.0).abs() + (cosine + 0.5).abs() < 1e-9, "{mean} {sine} {cosine}");
    }

    #[test]
    fn integrals_cut_the_ends() {
        let ramp = [(0.0, 0.0), (1.0, 1.0), (3.0, 3.0)];
        assert!((integral(&ramp, 0.5, 2.0) - 1.875).abs() < 1e-12);
        assert!((mean_between(&ramp, 1.0, 3.0) - 2.0).abs() < 1e-12);
    }
}
