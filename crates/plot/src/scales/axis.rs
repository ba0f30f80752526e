//! Axes: positions of values, and ticks with labels.

/// SI prefixes by power of ten.
const PREFIXES: [(i32, &str); 9] = [(-12, "p"), (-9, "n"), (-6, "µ"), (-3, "m"), (0, ""), (3, "k"), (6, "M"), (9, "G"), (12, "T")];
/// Linear axes whose largest absolute value is in this range have labels without a power of ten.
const PLAIN: std::ops::Range<f64> = 0.02..1e4;
/// Margin around the data, relative to their range.
const MARGIN: f64 = 0.06;
/// Maximum number of decades of a logarithmic axis; smaller values are left out.
const DECADES: f64 = 16.0;

/// A range of values with its ticks.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    low: f64,
    high: f64,
    logarithmic: bool,
    /// Values with their labels.
    pub ticks: Vec<(f64, String)>,
    /// Values are the labels times ten to this power.
    pub exponent: i32,
}

impl Axis {
    /// An axis of time from `first` (or zero, if that is near) to `last`.
    pub fn time(first: f64, last: f64, ticks: usize) -> Self {
        let low = if first > 0.0 && first < 0.1 * last { 0.0 } else { first };
        Self::with_ticks(low, if last > low { last } else { low + 1.0 }, ticks)
    }

    /// An axis of values between `least` and `most` with a margin; it starts at zero if that is near.
    pub fn linear(least: f64, most: f64, ticks: usize) -> Self {
        let (mut low, mut high) = (least, most);
        let greatest = low.abs().max(high.abs());
        if high - low <= 1e-9 * greatest || greatest == 0.0 {
            // A constant is in the middle of an axis that starts at zero; if it is zero, the axis is symmetric around it.
            (low, high) = if greatest == 0.0 { (-1.0, 1.0) } else { (low.min(0.0) * 1.5, high.max(0.0) * 1.5) };
            return Self::with_ticks(low, high, ticks);
        }
        low = if low > 0.0 && low < 0.5 * high { 0.0 } else { low };
        high = if high < 0.0 && high > 0.5 * low { 0.0 } else { high };
        let margin = MARGIN * (high - low);
        Self::with_ticks(if low == 0.0 { 0.0 } else { low - margin }, if high == 0.0 { 0.0 } else { high + margin }, ticks)
    }

    /// An axis of positive values between `least` and `most`. It ends at powers of ten, or at round numbers if the values span less than
    /// two decades.
    pub fn logarithmic(least: f64, most: f64, ticks: usize) -> Self {
        let least = least.max(most * 10_f64.powf(-DECADES));
        let decades = (least.log10().floor() as i32, most.log10().ceil() as i32);
        let narrow = most / least < 100.0;
        let every = if narrow { 1 } else { ((decades.1 - decades.0) as f64 / ticks as f64).ceil() as i32 };
        let mantissas: &[i32] = match most / least {
            ..4.0 => &[1, 2, 3, 4, 5, 6, 7, 8, 9],
            ..100.0 => &[1, 2, 5],
            _ => &[1],
        };
        let candidates = (decades.0 - 1..=decades.1).flat_map(|decade| mantissas.iter().map(move |&mantissa| (mantissa, decade)));
        let value = |(mantissa, decade): (i32, i32)| f64::from(mantissa) * 10_f64.powi(decade);
        let candidates: Vec<(i32, i32)> = candidates.collect();
        let low = candidates.iter().copied().map(value).filter(|&value| value <= least).fold(0.0, f64::max);
        let high = candidates.iter().copied().map(value).filter(|&value| value >= most && value > low).fold(f64::INFINITY, f64::min);
        let shown = |tick: &(i32, i32)| (low..=high).contains(&value(*tick)) && tick.1.rem_euclid(every) == 0;
        let ticks = candidates.iter().filter(|tick| shown(tick)).map(|&(mantissa, decade)| {
            let label = match mantissa {
                _ if narrow && (-3..=3).contains(&decade) => value((mantissa, decade)).to_string(),
                1 => power_of_ten(decade),
                _ => format!("{mantissa}×{}", power_of_ten(decade)),
            };
            (value((mantissa, decade)), label)
        });
        Self { low, high, logarithmic: true, ticks: ticks.collect(), exponent: 0 }
    }

    /// Position of `value`, from 0 at the low end to 1 at the high end; `None` if it is not on the axis.
    pub fn place(&self, value: f64) -> Option<f64> {
        let place = if self.logarithmic {
            (value / self.low).log10() / (self.high / self.low).log10()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        (place.is_finite() && (-1e-9..=1.0 + 1e-9).contains(&place)).then_some(place)
    }

    /// `title` with `unit` and the power of ten of the labels.
    pub fn title(&self, title: &str, unit: &str) -> String {
        // A prefix applies to the first unit of a product; the kilogram already has one.
        let prefix = PREFIXES.iter().find(|(power, _)| *power == self.exponent);
        let prefixed = unit.starts_with(|first: char| first.is_ascii_alphabetic()) && !unit.starts_with("kg");
        match (unit, self.exponent, prefix) {
            ("", 0, _) => title.to_owned(),
            (_, 0, _) => format!("{title} ({unit})"),
            (_, _, Some((_, prefix))) if prefixed => format!("{title} ({prefix}{unit})"),
            (_, exponent, _) => format!("{title} ({})", format!("{} {unit}", power_of_ten(exponent)).trim_end()),
        }
    }

    /// An axis with about `count` ticks.
    fn with_ticks(low: f64, high: f64, count: usize) -> Self {
        Self::spaced(low, high, (high - low) / count as f64)
    }

    /// An axis from `low` to `high`, with ticks at multiples of 1, 2 or 5 times a power of ten, about `spacing` apart.
    pub fn spaced(low: f64, high: f64, spacing: f64) -> Self {
        let power = 10_f64.powf(spacing.log10().floor());
        let distance = |step: &f64| (1.0 / step - 1.0 / spacing).abs();
        let steps = [1.0, 2.0, 5.0, 10.0].map(|nice| nice * power);
        let step = steps.into_iter().min_by(|one, other| distance(one).total_cmp(&distance(other))).unwrap_or(power);
        let greatest = low.abs().max(high.abs());
        let exponent = if PLAIN.contains(&greatest) { 0 } else { 3 * (greatest.log10() / 3.0).floor() as i32 };
        let unit = 10_f64.powi(exponent);
        let decimals = (-(step / unit).log10() - 1e-9).ceil().max(0.0) as usize;
        let (first, last) = ((low / step - 1e-9).ceil() as i64, (high / step + 1e-9).floor() as i64);
        // Where the distance of two ticks is not a number of normal size, there are none.
        let is_drawn = step.is_normal() && unit.is_normal();
        let label = |value: f64| {
            let text = format!("{:.decimals$}", value / unit);
            // A hyphen is too short for a minus.
            if value == 0.0 { text.trim_start_matches('-').to_owned() } else { text.replace('-', "−") }
        };
        let tick = |number: i64| (number as f64 * step, label(number as f64 * step));
        let ticks = if is_drawn { (first..=last).map(tick).collect() } else { Vec::new() };
        Self { low, high, logarithmic: false, ticks, exponent }
    }
}

/// `10⁻³`, `1`, `10²`, …
fn power_of_ten(exponent: i32) -> String {
    let raised = |digit: char| match digit {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '0' => '⁰',
        digit => char::from_u32('⁰' as u32 + digit as u32 - '0' as u32).unwrap_or(digit),
    };
    match exponent {
        0 => "1".to_owned(),
        1 => "10".to_owned(),
        _ => format!("10{}", exponent.to_string().chars().map(raised).collect::<String>()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, label)| label.as_str()).collect()
    }

    #[test]
    fn ticks_are_round_numbers_in_the_range() {
        assert_eq!(labels(&Axis::time(0.005, 1.0, 5)), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(&Axis::time(2.0, 3.0, 4)), ["2.0", "2.2", "2.4", "2.6", "2.8", "3.0"]);
        assert_eq!(labels(&Axis::linear(-3.0, 11.0, 4)), ["0", "5", "10"]);
        assert_eq!(labels(&Axis::linear(2520.931, 2520.966, 4)), ["2520.93", "2520.94", "2520.95", "2520.96"]);
        assert_eq!(labels(&Axis::linear(-8.0, 7.0, 3)), ["−5", "0", "5"]);
    }

    #[test]
    fn powers_of_ten_go_into_the_title() {
        let small = Axis::linear(0.0, 0.005, 4);
        assert_eq!((small.exponent, labels(&small)), (-3, vec!["0", "1", "2", "3", "4", "5"]));
        assert_eq!(small.title("Step", "s"), "Step (ms)");
        assert_eq!(small.title("Momentum", "kg m/s"), "Momentum (10⁻³ kg m/s)");
        assert_eq!(small.title("Share", ""), "Share (10⁻³)");
        assert_eq!(Axis::linear(0.0, 2.5e6, 4).title("Torque", "N m"), "Torque (MN m)");
        assert_eq!(Axis::linear(0.0, 2.5e17, 4).title("Torque", "N m"), "Torque (10¹⁵ N m)");
        let plain = Axis::linear(0.0, 200.0, 4);
        assert_eq!((plain.title("Force", "N"), plain.title("Steps", "")), ("Force (N)".to_owned(), "Steps".to_owned()));
    }

    #[test]
    fn values_lie_between_the_ends() {
        for (least, most) in [(0.0, 0.0), (5.0, 5.0), (-5.0, -5.0), (-1.0, 3.0), (99.0, 100.0), (-9.0, -1.0), (1e-30, 2e-30)] {
            let axis = Axis::linear(least, most, 4);
            let [low, high] = [least, most].map(|value| axis.place(value).expect("a place"));
            assert!((0.0..=1.0).contains(&low) && (0.0..=1.0).contains(&high) && low <= high, "{least} to {most}: {low} to {high}");
            assert!(axis.ticks.len() >= 2, "{least} to {most}: {:?}", axis.ticks);
        }
        let axis = Axis::logarithmic(2e-5, 0.3, 8);
        assert_eq!(labels(&axis), ["10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "1"]);
        assert_eq!(labels(&Axis::logarithmic(3.1e-8, 1.3e-7, 4)), ["2×10⁻⁸", "5×10⁻⁸", "10⁻⁷", "2×10⁻⁷"]);
        assert_eq!(labels(&Axis::logarithmic(1e-9, 1e3, 4)), ["10⁻⁹", "10⁻⁶", "10⁻³", "1", "10³"]);
        assert_eq!(labels(&Axis::logarithmic(6.1e-8, 6.9e-8, 4)), ["6×10⁻⁸", "7×10⁻⁸"]);
        assert_eq!(labels(&Axis::logarithmic(1.0, 1.0, 4)), ["1", "2"]);
        assert_eq!(labels(&Axis::logarithmic(0.012, 0.3, 4)), ["0.01", "0.02", "0.05", "0.1", "0.2", "0.5"]);
        assert!((axis.place(1e-3).expect("a place") - 0.4).abs() < 1e-12);
        assert_eq!([axis.place(0.0), axis.place(-1.0), axis.place(f64::NAN)], [None; 3]);
    }
}
