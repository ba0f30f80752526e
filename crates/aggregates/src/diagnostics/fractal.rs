//! Fractal dimension of clusters: a least-squares fit of `N = k_f (2 R_g / d)^D_f` in logarithms.
//!
//! `N` is known exactly and `R_g` scatters, because clusters of one size differ in shape. So `ln R_g` is fitted as a function of `ln N`. In
//! the inverse fit, which is reported too, the scatter lowers the slope.

use std::fmt;

/// A fit is reliable from this number of clusters on, if their sizes span this factor: with fewer the confidence interval is wider than the
/// range of fractal dimensions.
const MIN_CLUSTERS: usize = 20;
const MIN_SPAN: f64 = 4.0;

/// One cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FractalPoint {
    /// Number of spheres.
    pub size: f64,
    /// m
    pub gyration_radius: f64,
}

/// `N = k_f (2 R_g / d)^D_f` with the half-widths of the 95 % confidence intervals (of the mean line, residuals taken as normal).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FractalFit {
    /// Fractal dimension `D_f`.
    pub dimension: f64,
    /// Half-width of the confidence interval of `dimension`.
    pub dimension_error: f64,
    /// Prefactor `k_f`.
    pub prefactor: f64,
    /// Factor that bounds the error of the prefactor.
    pub prefactor_factor: f64,
    /// Dimension from the fit of `ln N` as a function of `ln R_g`.
    pub dimension_of_sizes: f64,
    /// Number of clusters in the fit.
    pub clusters: usize,
}

impl FractalFit {
    /// [`FractalFit::new`], if `points` are enough for a reliable fit.
    ///
    /// # Errors
    /// The reason why there is no fit.
    pub fn reliable(points: &[FractalPoint], diameter: f64) -> Result<Self, String> {
        let sizes = || points.iter().map(|point| point.size);
        let (least, most) = (sizes().fold(f64::INFINITY, f64::min), sizes().fold(0.0, f64::max));
        let needed = format!("at least {MIN_CLUSTERS} whose sizes span a factor of {MIN_SPAN} are required");
        match points.len() {
            0 => Err(format!("no clusters, {needed}")),
            few if few < MIN_CLUSTERS || most < MIN_SPAN * least => Err(format!("{few} clusters of {least} to {most} spheres, {needed}")),
            _ => Self::new(points, diameter).ok_or_else(|| "the radii of gyration do not grow with the sizes".to_owned()),
        }
    }

    /// The fit through `points`; `diameter` (m) is the mean diameter of the primaries. `None` for fewer than three clusters, or if all are
    /// equal.
    pub fn new(points: &[FractalPoint], diameter: f64) -> Option<Self> {
        let count = points.len() as f64;
        let logs = || points.iter().map(|point| (point.size.ln(), (2.0 * point.gyration_radius / diameter).ln()));
        let (sum_x, sum_y) = logs().fold((0.0, 0.0), |sum, (x, y)| (sum.0 + x, sum.1 + y));
        let (mean_x, mean_y) = (sum_x / count, sum_y / count);
        let [sizes, radii, both] = logs().fold([0.0; 3], |[sizes, radii, both], (x, y)| {
            let (x, y) = (x - mean_x, y - mean_y);
            [sizes + x * x, radii + y * y, both + x * y]
        });
        if points.len() < 3 || sizes <= 0.0 || both <= 0.0 {
            return None;
        }
        let slope = both / sizes;
        let residual = logs().map(|(x, y)| (y - mean_y - slope * (x - mean_x)).powi(2)).sum::<f64>() / (count - 2.0);
        let quantile = student_quantile(count - 2.0);
        let slope_error = (residual / sizes).sqrt();
        // ln k = mean ln N − mean ln R / slope.
        let prefactor_error = (residual / (count * slope * slope) + (mean_y * slope_error / (slope * slope)).powi(2)).sqrt();
        Some(Self {
            dimension: 1.0 / slope,
            dimension_error: quantile * slope_error / (slope * slope),
            prefactor: (mean_x - mean_y / slope).exp(),
            prefactor_factor: (quantile * prefactor_error).exp(),
            dimension_of_sizes: both / radii,
            clusters: points.len(),
        })
    }

    /// Number of spheres that the fit predicts for the ratio of the radius of gyration to the radius of a primary.
    pub fn size_at(&self, ratio: f64) -> f64 {
        self.prefactor * ratio.powf(self.dimension)
    }
}

impl fmt::Display for FractalFit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { dimension, dimension_error, prefactor, prefactor_factor, dimension_of_sizes, clusters } = self;
        write!(
            formatter,
            "D = {dimension:.3} ± {dimension_error:.3}, k = {prefactor:.2} ({:.2} to {:.2}), 95 %, {clusters} clusters; N for given R_g: D = {dimension_of_sizes:.3}",
            prefactor / prefactor_factor,
            prefactor * prefactor_factor
        )
    }
}

/// 97.5 % quantile of Student's t (Cornish–Fisher expansion around the normal quantile; within 2 % from 4 degrees of freedom on).
fn student_quantile(freedom: f64) -> f64 {
    let z = 1.959_963_985_f64;
    let (cube, fifth) = (z.powi(3), z.powi(5));
    z + (cube + z) / (4.0 * freedom) + (5.0 * fifth + 16.0 * cube + 3.0 * z) / (96.0 * freedom * freedom)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_law_is_found_again() {
        let exact: Vec<FractalPoint> =
            (1..20).map(|k| FractalPoint { size: 1.3 * f64::from(k).powf(1.78), gyration_radius: 5.0 * f64::from(k) }).collect();
        let fit = FractalFit::new(&exact, 10.0).expect("points enough");
        assert!((fit.dimension - 1.78).abs() < 1e-12 && (fit.prefactor - 1.3).abs() < 1e-12 && fit.dimension_error < 1e-9);
        assert!((fit.size_at(2.0) - exact[1].size).abs() < 1e-9);
        let more: Vec<FractalPoint> = exact.iter().chain(&exact).copied().collect();
        assert_eq!(FractalFit::reliable(&more, 10.0).map(|fit| fit.clusters), Ok(38));
        let few = FractalFit::reliable(&exact, 10.0).expect_err("19 clusters");
        assert!(few.starts_with("19 clusters of 1.3 to ") && few.contains("at least 20"), "{few}");
        let alike = FractalFit::reliable(&vec![exact[3]; 30], 10.0).expect_err("clusters of one size");
        assert!(alike.starts_with("30 clusters of") && FractalFit::reliable(&[], 10.0).is_err(), "{alike}");
        assert!(FractalFit::new(&exact[..2], 10.0).is_none() && FractalFit::new(&[exact[0]; 5], 10.0).is_none());
        // Four points near a line: slope 1.4, with a sum of squared residuals of 4.2 over two degrees of freedom and a spread of 5.
        let points = [(1.0, 6.0), (2.0, 5.0), (3.0, 7.0), (4.0, 10.0_f64)];
        let points = points.map(|(x, y): (f64, f64)| FractalPoint { size: x.exp(), gyration_radius: y.exp() / 2.0 });
        let fit = FractalFit::new(&points, 1.0).expect("points enough");
        assert!((fit.dimension - 1.0 / 1.4).abs() < 1e-12 && (fit.dimension_of_sizes - 0.5).abs() < 1e-12);
        assert!((student_quantile(10.0) - 2.228).abs() < 0.005 && (student_quantile(4.0) - 2.776).abs() < 0.06);
        assert!((fit.dimension_error / student_quantile(2.0) - (2.1_f64 / 5.0).sqrt() / 1.96).abs() < 1e-12);
    }
}
