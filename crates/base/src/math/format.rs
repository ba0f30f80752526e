//! Formatting of numbers for people.

use glam::DVec3;

/// `1234567` as `1 234 567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// Bytes, in the unit that leaves one to three digits before the point.
pub fn bytes(bytes: u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"];
    let power = (bytes.max(1).ilog10() / 3).min(units.len() as u32 - 1);
    let value = bytes as f64 / 1000_f64.powi(power as i32);
    if power == 0 { format!("{bytes} B") } else { format!("{value:.1} {}", units[power as usize]) }
}

/// A number with four significant digits, without trailing zeros.
pub fn significant(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let exponent = value.abs().log10().floor();
    if !(-4.0..6.0).contains(&exponent) {
        return format!("{value:.3e}");
    }
    let text = format!("{value:.*}", (3.0 - exponent).max(0.0) as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A vector in the syntax of a scene file.
pub fn list(vector: DVec3) -> String {
    format!("[{}, {}, {}]", vector.x, vector.y, vector.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1 000", "1 234 567"]);
        assert_eq!([0, 999, 1500, 2_500_000_000].map(bytes), ["0 B", "999 B", "1.5 kB", "2.5 GB"]);
        assert_eq!(
            [0.0, 0.1, 1234.56, 0.012_346, 123_456.0, 1e9, -2.5e-7].map(significant),
            ["0", "0.1", "1235", "0.01235", "123456", "1.000e9", "-2.500e-7"]
        );
    }
}
