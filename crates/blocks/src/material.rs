//! Materials of blocks and of the joints between them.

use serde::{Deserialize, Serialize};

/// Plane stress (thin plates) or plane strain (slices of a long body).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Plane {
    /// No stress perpendicular to the plane.
    Stress,
    /// No strain perpendicular to the plane.
    Strain,
}

/// Material of a block: isotropic and linearly elastic, one meter thick.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Name in the scene.
    pub name: String,
    /// kg/m³
    pub density: f64,
    /// Pa
    pub young_modulus: f64,
    /// Below 0.5.
    pub poisson_ratio: f64,
    /// σ_x, σ_y, τ_xy at time zero, Pa, tension positive.
    pub initial_stress: [f64; 3],
}

impl Material {
    /// `C` of `σ = C ε` with `ε = (ε_x, ε_y, γ_xy)`, Pa, as `[C_11 = C_22, C_12, C_33]`.
    ///
    /// Plane stress: `E / (1 − ν²) [1, ν, (1 − ν)/2]`. Plane strain: the same with `E / (1 − ν²)` for `E` and `ν / (1 − ν)` for `ν`.
    pub fn stiffness(&self, plane: Plane) -> [f64; 3] {
        let (e, nu) = match plane {
            Plane::Stress => (self.young_modulus, self.poisson_ratio),
            Plane::Strain => (self.young_modulus / (1.0 - self.poisson_ratio.powi(2)), self.poisson_ratio / (1.0 - self.poisson_ratio)),
        };
        let factor = e / (1.0 - nu * nu);
        [factor, factor * nu, factor * (1.0 - nu) / 2.0]
    }
}

/// Coulomb strength of a joint between two faces.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Joint {
    /// tan φ
    pub friction: f64,
    /// Pa, until the joint first slides or opens.
    pub cohesion: f64,
    /// Pa, until the joint first slides or opens.
    pub tensile_strength: f64,
}

/// Joints by pairs of materials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointTable {
    material_count: usize,
    /// The joint of materials `i` and `j` is at `i · count + j`.
    joints: Vec<Joint>,
}

impl JointTable {
    /// The same `joint` for all pairs of `material_count` materials.
    pub fn uniform(material_count: usize, joint: Joint) -> Self {
        Self { material_count, joints: vec![joint; material_count * material_count] }
    }

    /// Sets the joint between two materials, given by their indices, in both orders.
    pub fn set(&mut self, one: usize, other: usize, joint: Joint) {
        self.joints[one * self.material_count + other] = joint;
        self.joints[other * self.material_count + one] = joint;
    }

    /// The joint between two materials, given by their indices.
    pub fn between(&self, one: usize, other: usize) -> &Joint {
        &self.joints[one * self.material_count + other]
    }
}
