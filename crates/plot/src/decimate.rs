//! Decimation of lines: keeps only the first, lowest, highest and last point in each column of pixels, in their order. The line covers the
//! same pixels as before.

/// Reduces `points`, which are sorted by abscissa, to at most four per column of width `column`.
pub fn decimate(points: &[(f64, f64)], column: f64) -> Vec<(f64, f64)> {
    let column_of = |point: &(f64, f64)| (point.0 / column).floor();
    let mut kept = Vec::new();
    for group in points.chunk_by(|one, other| column_of(one) == column_of(other)) {
        let extreme = |wanted: fn(&f64, &f64) -> bool| {
            (1..group.len()).fold(0, |best, index| if wanted(&group[index].1, &group[best].1) { index } else { best })
        };
        let mut indices = [0, extreme(f64::lt), extreme(f64::gt), group.len() - 1];
        indices.sort_unstable();
        let mut last = None;
        for index in indices {
            if last.replace(index) != Some(index) {
                kept.push(group[index]);
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_of_each_column_are_kept() {
        let points: Vec<(f64, f64)> = (0..100_000).map(|place| (place as f64 * 1e-3, (place as f64 * 0.37).sin())).collect();
        let kept = decimate(&points, 1.0);
        assert!(kept.len() <= 400 && kept.len() >= 300, "{} points", kept.len());
        assert!(kept.is_sorted_by(|one, other| one.0 < other.0));
        for column in 0..100 {
            let range = |points: &[(f64, f64)]| {
                let inside = points.iter().filter(|(x, _)| x.floor() == f64::from(column)).map(|(_, y)| *y);
                inside.fold((f64::MAX, f64::MIN), |(least, most), y| (least.min(y), most.max(y)))
            };
            assert_eq!(range(&kept), range(&points));
        }
        assert_eq!(decimate(&points[..3], 1e-4), &points[..3]);
        assert!(decimate(&[], 1.0).is_empty());
    }
}
