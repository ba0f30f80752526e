//! Sites of a close-packed lattice stretched to fill a box, for gases too dense for random placement.

use glam::DVec3;

use super::super::container::Dimension;

/// At least `count` lattice sites, no closer than `spacing`, that fill the box from `low` with edges `size` (m); `None` if there is no such
/// lattice. The lattice is face-centered cubic (triangular in two dimensions), stretched along the axes. Its sites are half a row from the
/// faces of the box, so distances are kept across periodic faces too.
pub fn sites(dimension: Dimension, low: DVec3, size: DVec3, count: usize, spacing: f64) -> Option<Vec<DVec3>> {
    let (basis, ideal): (&[DVec3], DVec3) = match dimension {
        Dimension::Two => (&[DVec3::ZERO, DVec3::new(0.5, 0.5, 0.0)], DVec3::new(1.0, 3_f64.sqrt(), f64::INFINITY)),
        Dimension::Three => {
            (&[DVec3::ZERO, DVec3::new(0.5, 0.5, 0.0), DVec3::new(0.5, 0.0, 0.5), DVec3::new(0.0, 0.5, 0.5)], DVec3::splat(2_f64.sqrt()))
        }
    };
    let axes = dimension.count();
    // From the widest lattice with enough sites to narrower ones.
    let volume: f64 = (0..axes).map(|axis| size[axis] / ideal[axis]).product();
    let widest = (volume * basis.len() as f64 / count as f64).powf(1.0 / axes as f64);
    for trial in 0..40 {
        let unit = widest * (1.0 - 0.01 * f64::from(trial));
        let cells: [usize; 3] =
            std::array::from_fn(|axis| if axis < axes { ((size[axis] / (unit * ideal[axis])).floor() as usize).max(1) } else { 1 });
        let cell = DVec3::from_array(std::array::from_fn(|axis| if axis < axes { size[axis] / cells[axis] as f64 } else { 0.0 }));
        if cells.iter().product::<usize>() * basis.len() < count {
            continue;
        }
        if closest(dimension, cell) < spacing {
            continue;
        }
        let corner = low + 0.25 * cell;
        let place = |x, y, z| basis.iter().map(move |site| corner + cell * (site + DVec3::new(x as f64, y as f64, z as f64)));
        let sites = (0..cells[2]).flat_map(|z| (0..cells[1]).flat_map(move |y| (0..cells[0]).flat_map(move |x| place(x, y, z))));
        return Some(sites.collect());
    }
    None
}

/// The minimum distance between two sites, m.
fn closest(dimension: Dimension, cell: DVec3) -> f64 {
    let half = 0.5 * cell;
    match dimension {
        Dimension::Two => half.x.hypot(half.y).min(cell.x).min(cell.y),
        Dimension::Three => {
            let diagonals = half.x.hypot(half.y).min(half.x.hypot(half.z)).min(half.y.hypot(half.z));
            diagonals.min(cell.min_element())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_keep_their_distance_and_stay_inside() {
        for (dimension, size, count, spacing) in
            [(Dimension::Two, DVec3::new(10.0, 10.0, 0.0), 90, 1.0), (Dimension::Three, DVec3::new(5.0, 6.0, 7.0), 220, 1.0)]
        {
            let sites = sites(dimension, DVec3::ZERO, size, count, spacing).expect("a lattice");
            assert!(sites.len() >= count && sites.len() < 2 * count, "{}", sites.len());
            for (index, a) in sites.iter().enumerate() {
                assert!(a.cmpge(DVec3::ZERO).all() && a.cmple(size).all(), "{a}");
                assert!(sites[..index].iter().all(|b| a.distance(*b) >= spacing * 0.999_999));
            }
        }
        assert!(sites(Dimension::Three, DVec3::ZERO, DVec3::splat(5.0), 300, 1.0).is_none());
    }
}
