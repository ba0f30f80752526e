//! The color map viridis. It is perceptually uniform, also in gray and with color blindness.
//!
//! S. van der Walt and N. Smith, "mpl colormaps" (2015). Here its colors at nine equidistant points are interpolated linearly.

const VIRIDIS: [[f32; 3]; 9] = [
    [68.0, 1.0, 84.0],
    [71.0, 44.0, 122.0],
    [59.0, 81.0, 139.0],
    [44.0, 113.0, 142.0],
    [33.0, 144.0, 141.0],
    [39.0, 173.0, 129.0],
    [92.0, 200.0, 99.0],
    [170.0, 220.0, 50.0],
    [253.0, 231.0, 37.0],
];

/// Exponent that converts a screen color to linear light.
const GAMMA: f32 = 2.2;

/// Color (sRGB, 0 to 1) of a share from 0 to 1; other values are clamped.
pub fn viridis(share: f32) -> [f32; 3] {
    let place = share.clamp(0.0, 1.0) * (VIRIDIS.len() - 1) as f32;
    let below = (place as usize).min(VIRIDIS.len() - 2);
    let t = place - below as f32;
    std::array::from_fn(|channel| (VIRIDIS[below][channel] * (1.0 - t) + VIRIDIS[below + 1][channel] * t) / 255.0)
}

/// The linear light of a screen color.
pub fn linear(color: [f32; 3]) -> [f32; 3] {
    color.map(|channel| channel.powf(GAMMA))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_brightens_all_the_way_in_even_steps() {
        let lightness = |share| {
            let [red, green, blue] = linear(viridis(share));
            (0.2126 * red + 0.7152 * green + 0.0722 * blue).cbrt()
        };
        let steps: Vec<f32> = (0..20).map(|step| lightness((step + 1) as f32 / 20.0) - lightness(step as f32 / 20.0)).collect();
        let mean = steps.iter().sum::<f32>() / steps.len() as f32;
        for step in steps {
            assert!((step / mean - 1.0).abs() < 0.5, "{step} against {mean}");
        }
    }

    #[test]
    fn outside_is_the_nearer_end_and_no_number_is_the_lower() {
        assert_eq!(viridis(-3.0), viridis(0.0));
        assert_eq!(viridis(f32::INFINITY), viridis(1.0));
        assert_eq!(viridis(1.0), [253.0 / 255.0, 231.0 / 255.0, 37.0 / 255.0]);
    }
}
