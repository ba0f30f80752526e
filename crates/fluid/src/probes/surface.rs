//! Where the surface of the water is on a line.

use glam::DVec3;

use super::FluidSample;

/// Share of the density at rest that marks the surface.
const SURFACE: f64 = 0.5;
/// Steps of the search, in particle radii.
const STEP: f64 = 0.5;

/// Height (m) above `point` of the highest place on the vertical line through it where there is fluid; zero if the line is dry.
pub fn surface_height(sample: &FluidSample, point: DVec3) -> f64 {
    let (kernel, up) = (sample.kernel(), sample.up());
    let support = f64::from(kernel.support_radius());
    let volume = sample.settings.particle_volume();
    let offsets = sample.after.iter().map(|&position| sample.offset(point, position));
    let near = offsets.filter_map(|offset| {
        let height = offset.dot(up);
        let across = (offset - height * up).length_squared();
        (across < support * support && height > -support).then_some((height, across))
    });
    let mut column: Vec<(f64, f64)> = near.collect();
    column.sort_by(|a, b| b.0.total_cmp(&a.0));
    let Some(&(top, _)) = column.first() else { return 0.0 };
    let density = |height: f64| -> f64 {
        let within = column.iter().skip_while(|(other, _)| *other > height + support).take_while(|(other, _)| *other > height - support);
        within.map(|(other, across)| volume * f64::from(kernel.value(((other - height).powi(2) + across).sqrt() as f32))).sum()
    };
    let step = STEP * sample.settings.particle_radius;
    let (mut height, mut above) = (top + support, 0.0);
    while height > 0.0 {
        let here = density(height);
        if here >= SURFACE {
            // Linear between the last two places.
            return (height + step * (here - SURFACE) / (here - above)).max(0.0);
        }
        (above, height) = (here, height - step);
    }
    0.0
}

/// Height (m) of the column of water above `point`: the volume of fluid over it, divided by area, with a kernel around the line.
pub fn column_height(sample: &FluidSample, point: DVec3) -> f64 {
    let (up, support) = (sample.up(), sample.settings.support_radius());
    let volume = sample.settings.particle_volume();
    let term = |&position: &glam::Vec3A| {
        let offset = sample.offset(point, position);
        let height = offset.dot(up);
        if height > 0.0 { volume * plane_kernel((offset - height * up).length() / support) / (support * support) } else { 0.0 }
    };
    sample.after.iter().map(term).sum()
}

/// The cubic spline in the plane, for a support radius of one.
fn plane_kernel(q: f64) -> f64 {
    let (far, near) = ((1.0 - q).max(0.0), (0.5 - q).max(0.0));
    40.0 / (7.0 * std::f64::consts::PI) * (2.0 * far.powi(3) - 8.0 * near.powi(3))
}
