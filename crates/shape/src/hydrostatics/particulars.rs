//! The hydrostatic particulars of an upright body.

use std::fmt;

use glam::DVec3;

use super::{Bow, Immersion, Loading, immersion::HOLD};
use crate::report::{significant, triple};

/// What a table of hydrostatics states for one draft of an upright body. Heights KB, KG and KM are over the lowest point of the body (K);
/// index T is for heel, index L for trim.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Particulars {
    /// The immersed part.
    pub immersion: Immersion,
    /// Mass and center of gravity.
    pub loading: Loading,
    /// Direction of the bow.
    pub bow: Bow,
    /// Length of the waterline, m.
    pub waterline_length: f64,
    /// Breadth of the waterline, m.
    pub waterline_breadth: f64,
    /// Displaced volume over length × breadth × draft.
    pub block_coefficient: f64,
    /// Waterplane area over length × breadth.
    pub waterplane_coefficient: f64,
    /// Height of the center of buoyancy, m.
    pub kb: f64,
    /// Height of the center of gravity, m.
    pub kg: f64,
    /// Transverse second moment of the waterplane, about the longitudinal axis through its centroid, m⁴.
    pub transverse_second_moment: f64,
    /// Longitudinal second moment of the waterplane, about the transverse axis through its centroid, m⁴.
    pub longitudinal_second_moment: f64,
    /// Metacentric radius for heel, m.
    pub bm_t: f64,
    /// Metacentric radius for trim, m.
    pub bm_l: f64,
    /// Metacentric height for heel, m.
    pub gm_t: f64,
    /// Metacentric height for trim, m.
    pub gm_l: f64,
}

impl Particulars {
    /// `immersion` is upright.
    pub fn of(immersion: &Immersion, loading: &Loading, bow: Bow) -> Self {
        let extent = immersion.waterplane.aabb.extent();
        let [length, breadth] = [bow.forward(), bow.starboard()].map(|axis| extent.dot(axis.abs()));
        let keel = immersion.level - immersion.draft;
        let [transverse, longitudinal] = [bow.starboard(), bow.forward()].map(|axis| immersion.waterplane.second_moment(axis));
        let [kb, kg] = [immersion.center_of_buoyancy, loading.center_of_gravity].map(|center| center.y - keel);
        let [bm_t, bm_l] = [transverse, longitudinal].map(|moment| moment / immersion.volume);
        Self {
            immersion: *immersion,
            loading: *loading,
            bow,
            waterline_length: length,
            waterline_breadth: breadth,
            block_coefficient: immersion.volume / (length * breadth * immersion.draft),
            waterplane_coefficient: immersion.waterplane.area / (length * breadth),
            kb,
            kg,
            transverse_second_moment: transverse,
            longitudinal_second_moment: longitudinal,
            bm_t,
            bm_l,
            gm_t: kb + bm_t - kg,
            gm_l: kb + bm_l - kg,
        }
    }

    /// Whether the dry hollows are more than dents of the surface.
    pub fn has_dry_hold(&self) -> bool {
        self.immersion.dry_volume > HOLD * self.immersion.volume
    }

    /// Additional mass that increases the draft by one centimeter, kg.
    pub fn mass_per_centimeter(&self) -> f64 {
        0.01 * self.loading.water_density * self.immersion.waterplane.area
    }

    /// Moment, as mass times horizontal distance, that changes the trim by one centimeter over the length of the waterline, kg m.
    pub fn moment_per_centimeter(&self) -> f64 {
        0.01 * self.loading.mass * self.gm_l / self.waterline_length
    }
}

impl fmt::Display for Particulars {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Immersion { draft, volume, center_of_buoyancy, wetted_area, waterplane, dry_volume, .. } = self.immersion;
        let mut line = |label: &str, value: f64, unit: &str| {
            let unit = if value.is_finite() { unit } else { "" };
            writeln!(formatter, "{}", format!("{label:<22} {:>10} {unit}", significant(value)).trim_end())
        };
        line("draft", draft, "m")?;
        line("waterline length", self.waterline_length, "m")?;
        line("waterline breadth", self.waterline_breadth, "m")?;
        line("displaced volume", volume, "m³")?;
        if self.has_dry_hold() {
            line("of it, dry hold", dry_volume, "m³")?;
        }
        line("mass", self.loading.mass, "kg")?;
        line("wetted area", wetted_area, "m²")?;
        line("waterplane area", waterplane.area, "m²")?;
        line("second moment I_T", self.transverse_second_moment, "m⁴")?;
        line("second moment I_L", self.longitudinal_second_moment, "m⁴")?;
        line("block coefficient", self.block_coefficient, "")?;
        line("waterplane coefficient", self.waterplane_coefficient, "")?;
        line("KB", self.kb, "m")?;
        line("KG", self.kg, "m")?;
        line("BM_T", self.bm_t, "m")?;
        line("BM_L", self.bm_l, "m")?;
        line("GM_T", self.gm_t, "m")?;
        line("GM_L", self.gm_l, "m")?;
        line("mass per cm of draft", self.mass_per_centimeter(), "kg")?;
        line("moment per cm of trim", self.moment_per_centimeter(), "kg m")?;
        // Zeros of a symmetric body, without their rounding errors.
        let point = |center: DVec3| triple(center.to_array().map(|x| if x.abs() < 1e-12 * draft { 0.0 } else { x }));
        writeln!(formatter, "center of buoyancy     {} m", point(center_of_buoyancy))?;
        writeln!(formatter, "center of gravity      {} m", point(self.loading.center_of_gravity))?;
        write!(formatter, "center of flotation    {} m", point(waterplane.centroid))
    }
}
