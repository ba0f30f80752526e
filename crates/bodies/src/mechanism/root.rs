//! A root of an increasing function.

/// Steps after which the search ends in any case.
const MAX_STEPS: u32 = 200;

/// Where `function`, which increases from `low` to `high`, is zero; the nearer end if it is zero nowhere between them. False position with
/// the weights of Illinois, and a bisection after each step that does not halve the interval.
pub fn root(function: impl Fn(f64) -> f64, low: f64, high: f64) -> f64 {
    let (mut low, mut high) = ((low, function(low)), (high, function(high)));
    if low.1 >= 0.0 {
        return low.0;
    }
    if high.1 <= 0.0 {
        return high.0;
    }
    let (mut below, mut above) = (low.1, high.1);
    let (mut last, mut bisects) = (0.0, false);
    for _ in 0..MAX_STEPS {
        let width = high.0 - low.0;
        let middle = 0.5 * (low.0 + high.0);
        let secant = (low.0 * above - high.0 * below) / (above - below);
        let guess = if !bisects && secant > low.0 && secant < high.0 { secant } else { middle };
        if guess <= low.0 || guess >= high.0 {
            break;
        }
        let value = function(guess);
        if value == 0.0 {
            return guess;
        }
        if value < 0.0 {
            (low, below) = ((guess, value), value);
            above = if last < 0.0 { 0.5 * above } else { high.1 };
        } else {
            (high, above) = ((guess, value), value);
            below = if last > 0.0 { 0.5 * below } else { low.1 };
        }
        (last, bisects) = (value, !bisects && high.0 - low.0 > 0.5 * width);
    }
    if -low.1 < high.1 { low.0 } else { high.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_exact_to_rounding() {
        for power in [1, 3, 7] {
            for expected in [1e-9, 0.3, 1.0, 700.0] {
                let function = |x: f64| x.powi(power) - f64::powi(expected, power);
                let found = root(function, 0.0, 1e4);
                assert!((found / expected - 1.0).abs() < 1e-14, "{found} for {expected}, power {power}");
            }
        }
        assert_eq!((root(|x| x + 1.0, 0.0, 1.0), root(|x| x - 2.0, 0.0, 1.0)), (0.0, 1.0));
    }
}
