//! What blocks and the joints between them are made of.

use serde::{Deserialize, Serialize};

/// Whether the blocks are slices of something long or thin plates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Plane {
    /// No stress across the plane.
    Stress,
    /// No strain across the plane.
    Strain,
}

/// Of a block; isotropic and linearly elastic, one meter thick.
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
    /// Plane stress `E / (1 − ν²) [1, ν, (1 − ν)/2]`; plane strain the same with `E / (1 − ν²)` for `E` and `ν / (1 − ν)` for `ν`.
    pub fn stiffness(&self, plane: Plane) -> [f64; 3] {
        let (e, nu) = match plane {
            Plane::Stress => (self.young_modulus, self.poisson_ratio),
            Plane::Strain => (self.young_modulus / (1.0 - self.poisson_ratio.powi(2)), self.poisson_ratio / (1.0 - self.poisson_ratio)),
        };
        let factor = e / (1.0 - nu * nu);
        [factor, factor * nu, factor * (1.0 - nu) / 2.0]
    }
}

/// What holds two faces together (Coulomb).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Joint {
    /// tan φ
    pub friction: f64,
    /// Pa, until the joint first slides or opens.
    pub cohesion: f64,
    /// Pa, likewise.
    pub tensile_strength: f64,
}

/// Joints by the materials that meet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointTable {
    material_count: usize,
    /// Of materials `i` and `j` at `i · count + j`.
    joints: Vec<Joint>,
}

impl JointTable {
    /// All pairs of `material_count` materials joined by `joint`.
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
