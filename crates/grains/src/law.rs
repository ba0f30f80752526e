//! Contact laws: the forces and torques between two grains in contact.
//!
//! The overlap is `δ`, the unit normal `n` points from the first grain to the second, and `v` is the velocity of the first relative to the
//! second at the contact. With `v_n = v·n` and `v_t = v − v_n n`, the force on the first is `F = −F_n n + F_t`,
//!
//! ```text
//! F_n = k_n δ + γ_n v_n        F_t = −k_t ξ − γ_t v_t,  |F_t| ≤ μ F_n        ξ' = v_t
//! ```
//!
//! A grain also resists rolling, by a couple `R n × F_r`. `F_r` is computed like `F_t`, but from the rolling velocity `−R n × (ω_1 − ω_2)`
//! and with the limit `μ_r F_n` (Luding 2008, Granul. Matter 10, 235-246). `1/R = 1/R_1 + 1/R_2`, `1/m = 1/m_1 + 1/m_2`,
//! `β = −ln e / √(π² + ln² e)`.
//!
//! - Linear (Cundall & Strack 1979, Géotechnique 29, 47-65): `k_n` is a material constant, `γ_n = 2 β √(k_n m)`; `k_t = 2/7 k_n` and
//!   `γ_t = 2/7 γ_n`. The contact duration is `π / √(k_n/m (1 − β²))`.
//! - Hertz-Mindlin (Tsuji, Tanaka & Ishida 1992, Powder Technol. 71, 239-250): with `S_n = 2 E √(R δ)` and `S_t = 8 G √(R δ)`,
//!   `F_n = 2/3 S_n δ + 2 √(5/6) β √(S_n m) v_n`; `k_t = S_t`, `γ_t = 2 √(5/6) β √(S_t m)`;
//!   `1/E = Σ (1 − ν²)/E_i`, `1/G = Σ 2 (2 − ν)(1 + ν)/E_i`.
//!
//! A step knows only the velocity `w` in its middle. The velocity at its end, at which the positions are, is `v = w − h F` with
//! `h = Δt / 2m`. Damping `c w` is the same as `k δ / (1 − c h)` and `c / (1 − c h) v`. The damping ratio of both is `β` if
//! `c = γ (√(1 + (γ h / 2)²) − γ h / 2)`, so that the restitution does not depend on the step.

use std::f64::consts::PI;

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Ratio of tangential to normal stiffness in the linear law.
const TANGENTIAL_SHARE: f64 = 2.0 / 7.0;
/// Mass of the sliding motion at the contact of two solid spheres, which also turns them, as a share of the reduced mass.
const TANGENTIAL_MASS: f64 = 2.0 / 7.0;

/// Contact force law.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContactLaw {
    /// Linear springs and dashpots.
    Linear,
    /// Hertz-Mindlin springs.
    #[default]
    HertzMindlin,
}

/// Material of a grain or a wall.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Name in the scene.
    pub name: String,
    /// kg/m³
    pub density: f64,
    /// `k_n` between two grains of this material, N/m; linear law.
    pub stiffness: f64,
    /// Pa; Hertz-Mindlin.
    pub young_modulus: f64,
    /// Poisson's ratio; Hertz-Mindlin.
    pub poisson_ratio: f64,
    /// Restitution between two grains of this material, above 0, at most 1.
    pub restitution: f64,
    /// Coefficient of sliding friction.
    pub friction: f64,
    /// Coefficient of rolling friction.
    pub rolling_friction: f64,
}

impl Material {
    /// A material of the given density (kg/m³) and Young's modulus (Pa); everything else has the default of the scene format.
    pub fn new(name: &str, density: f64, young_modulus: f64) -> Self {
        Self {
            name: name.to_owned(),
            density,
            stiffness: 1.0,
            young_modulus,
            poisson_ratio: 0.3,
            restitution: 0.5,
            friction: 0.5,
            rolling_friction: 0.0,
        }
    }
}

/// History of a contact: the elastic part of the sliding and rolling of the first grain relative to the second, m.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// Elastic sliding displacement, m.
    pub tangential: DVec3,
    /// Elastic rolling displacement, m.
    pub rolling: DVec3,
}

impl History {
    /// The same history with the grains swapped.
    pub fn reversed(self) -> Self {
        Self { tangential: -self.tangential, rolling: -self.rolling }
    }
}

/// Kinematics of two grains in contact.
#[derive(Clone, Copy, Debug)]
pub struct ContactKinematics {
    /// Indices of both materials.
    pub materials: [u16; 2],
    /// Meters.
    pub overlap: f64,
    /// From the first to the second.
    pub normal: DVec3,
    /// Velocity of the first relative to the second at the contact, m/s.
    pub velocity: DVec3,
    /// Angular velocity of the first relative to the second, rad/s.
    pub spin: DVec3,
    /// `R`, meters.
    pub radius: f64,
    /// `m`, kg.
    pub mass: f64,
}

/// Action of the contact on the first grain; the second gets the opposite.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reaction {
    /// N
    pub force: DVec3,
    /// Couple in addition to the moment of the force, N m.
    pub couple: DVec3,
}

/// Damping of the velocity in the middle of a step of `dt` seconds that acts like `damping` of the velocity at its end; `mass` is that
/// of the relative motion.
#[inline]
fn mid_step(damping: f64, mass: f64, dt: f64) -> f64 {
    let half = 0.25 * damping * dt / mass;
    damping * ((1.0 + half * half).sqrt() - half)
}

/// The law for every pair of materials.
#[derive(Clone, Debug)]
pub struct Law {
    kind: ContactLaw,
    count: usize,
    pairs: Vec<PairLaw>,
}

#[derive(Clone, Copy, Debug)]
struct PairLaw {
    stiffness: f64,
    young: f64,
    shear: f64,
    damping: f64,
    /// `2 √(5/6) β √(S/√(R δ))` in the normal and tangential direction.
    hertz_damping: [f64; 2],
    friction: f64,
    rolling: f64,
}

/// `β` for a restitution.
fn damping_ratio(restitution: f64) -> f64 {
    let log = restitution.ln();
    -log / (PI * PI + log * log).sqrt()
}

impl PairLaw {
    fn between(a: &Material, b: &Material) -> Self {
        let compliance = |material: &Material| (1.0 - material.poisson_ratio.powi(2)) / material.young_modulus;
        let shear = |material: &Material| {
            let nu = material.poisson_ratio;
            2.0 * (2.0 - nu) * (1.0 + nu) / material.young_modulus
        };
        let (young, shear) = (1.0 / (compliance(a) + compliance(b)), 1.0 / (shear(a) + shear(b)));
        let damping = damping_ratio((a.restitution * b.restitution).sqrt());
        let factor = 2.0 * (5.0_f64 / 6.0).sqrt() * damping;
        Self {
            // Springs in series, so that two equal materials give the specified stiffness.
            stiffness: 2.0 / (1.0 / a.stiffness + 1.0 / b.stiffness),
            young,
            shear,
            damping,
            hertz_damping: [factor * (2.0 * young).sqrt(), factor * (8.0 * shear).sqrt()],
            friction: (a.friction * b.friction).sqrt(),
            rolling: (a.rolling_friction * b.rolling_friction).sqrt(),
        }
    }
}

impl Law {
    /// The law for all pairs of `materials`.
    pub fn new(kind: ContactLaw, materials: &[Material]) -> Self {
        let pairs = materials.iter().flat_map(|a| materials.iter().map(|b| PairLaw::between(a, b))).collect();
        Self { kind, count: materials.len(), pairs }
    }

    fn pair(&self, materials: [u16; 2]) -> &PairLaw {
        &self.pairs[usize::from(materials[0]) * self.count + usize::from(materials[1])]
    }

    /// Whether contacts can turn the grains.
    pub fn turns(&self) -> bool {
        self.pairs.iter().any(|pair| pair.friction > 0.0 || pair.rolling > 0.0)
    }

    /// Normal and tangential stiffness and damping.
    #[inline]
    fn springs(&self, pair: &PairLaw, touch: &ContactKinematics, dt: f64) -> Springs {
        match self.kind {
            ContactLaw::Linear => {
                let damping = 2.0 * pair.damping * (pair.stiffness * touch.mass).sqrt();
                Springs {
                    elastic: pair.stiffness * touch.overlap,
                    damping: mid_step(damping, touch.mass, dt),
                    tangential: TANGENTIAL_SHARE * pair.stiffness,
                    tangential_damping: mid_step(TANGENTIAL_SHARE * damping, TANGENTIAL_MASS * touch.mass, dt),
                }
            }
            ContactLaw::HertzMindlin => {
                let root = (touch.radius * touch.overlap).sqrt();
                let (normal, tangential) = (2.0 * pair.young * root, 8.0 * pair.shear * root);
                let inertia = (root * touch.mass).sqrt();
                Springs {
                    elastic: 2.0 / 3.0 * normal * touch.overlap,
                    damping: mid_step(pair.hertz_damping[0] * inertia, touch.mass, dt),
                    tangential,
                    tangential_damping: mid_step(pair.hertz_damping[1] * inertia, TANGENTIAL_MASS * touch.mass, dt),
                }
            }
        }
    }

    /// The reaction of a contact; advances its history by `dt` seconds.
    #[inline]
    pub fn react(&self, touch: &ContactKinematics, history: &mut History, dt: f64) -> Reaction {
        let pair = self.pair(touch.materials);
        let springs = self.springs(pair, touch, dt);
        let normal = touch.normal;
        let approach = touch.velocity.dot(normal);
        let pressing = springs.elastic + springs.damping * approach * springs.damped_share(touch, approach, dt);
        let mut force = -pressing * normal;
        let limit = pressing.max(0.0);
        if pair.friction > 0.0 {
            let slip = touch.velocity - approach * normal;
            force += springs.slide(&mut history.tangential, slip, normal, dt, pair.friction * limit);
        }
        let mut couple = DVec3::ZERO;
        if pair.rolling > 0.0 {
            let rolling = -touch.radius * normal.cross(touch.spin);
            couple = touch.radius * normal.cross(springs.slide(&mut history.rolling, rolling, normal, dt, pair.rolling * limit));
        }
        Reaction { force, couple }
    }

    /// Elastic energy of a contact, J.
    pub fn elastic_energy(&self, touch: &ContactKinematics, history: &History) -> f64 {
        let springs = self.springs(self.pair(touch.materials), touch, 0.0);
        let share = if self.kind == ContactLaw::Linear { 0.5 } else { 0.4 };
        share * springs.elastic * touch.overlap
            + 0.5 * springs.tangential * (history.tangential.length_squared() + history.rolling.length_squared())
    }

    /// Maximum overlap (m) at an impact; `twice_energy` is mass times squared speed, J.
    pub fn overlap_of_impact(&self, materials: [u16; 2], radius: f64, twice_energy: f64) -> f64 {
        let pair = self.pair(materials);
        match self.kind {
            ContactLaw::Linear => (twice_energy / pair.stiffness).sqrt(),
            ContactLaw::HertzMindlin => (15.0 / 16.0 * twice_energy / (pair.young * radius.sqrt())).powf(0.4),
        }
    }

    /// Overlap (m) under a constant normal force `load` (N).
    pub fn overlap_of_load(&self, materials: [u16; 2], radius: f64, load: f64) -> f64 {
        let pair = self.pair(materials);
        match self.kind {
            ContactLaw::Linear => load / pair.stiffness,
            ContactLaw::HertzMindlin => (0.75 * load / (pair.young * radius.sqrt())).powf(2.0 / 3.0),
        }
    }

    /// A safe time step and the longest possible one (s), and the reason for the limit, for grains no smaller than `smallest` (radius by
    /// material, m).
    pub fn time_steps(&self, materials: &[Material], smallest: &[f64]) -> (f64, f64, &'static str) {
        let present = || (0..materials.len()).filter(|&index| smallest[index].is_finite());
        match self.kind {
            ContactLaw::Linear => {
                let mass = |index: usize| 4.0 / 3.0 * PI * smallest[index].powi(3) * materials[index].density;
                let lightest = present().map(mass).fold(f64::INFINITY, f64::min);
                let stiffest = self.pairs.iter().map(|pair| pair.stiffness).fold(0.0, f64::max);
                let contact = PI * (0.5 * lightest / stiffest).sqrt();
                (contact / 25.0, contact / 8.0, "the contact of the lightest grains must last eight steps or more")
            }
            ContactLaw::HertzMindlin => {
                // Time a surface wave takes to cross half of the grain (Thornton & Randall 1988).
                let rayleigh = |index: usize| {
                    let Material { density, young_modulus, poisson_ratio, .. } = materials[index];
                    let shear = young_modulus / (2.0 * (1.0 + poisson_ratio));
                    PI * smallest[index] * (density / shear).sqrt() / (0.1631 * poisson_ratio + 0.8766)
                };
                let shortest = present().map(rayleigh).fold(f64::INFINITY, f64::min);
                (0.2 * shortest, 0.5 * shortest, "half the time in which a surface wave crosses half of the smallest grain")
            }
        }
    }
}

/// Stiffness and damping of a contact in its current state.
struct Springs {
    /// Elastic part of the normal force, N.
    elastic: f64,
    damping: f64,
    tangential: f64,
    tangential_damping: f64,
}

impl Springs {
    /// Duration of the damping in steps. A force acts from half a step before to half a step after its time. In its first and last step a
    /// contact lasts half a step, and the time in which the grains cross the overlap.
    #[inline]
    fn damped_share(&self, touch: &ContactKinematics, approach: f64, dt: f64) -> f64 {
        // Grains that separate do so with the velocity after this force.
        let parting = -approach + (self.elastic + self.damping * approach) / touch.mass * dt;
        let path = dt * if approach > 0.0 { approach } else { parting };
        // An impact at the very end of the last step may be found only now.
        if touch.overlap <= path * (1.0 + 1e-9) { touch.overlap / path + 0.5 } else { 1.0 }
    }

    /// Stretches a tangential spring by `velocity` over `dt` and returns its force. The contact slips where the force would exceed `limit`.
    #[inline]
    fn slide(&self, spring: &mut DVec3, velocity: DVec3, normal: DVec3, dt: f64, limit: f64) -> DVec3 {
        // The contact plane may have rotated since the last step.
        *spring += velocity * dt - spring.dot(normal) * normal;
        let mut force = -self.tangential * *spring - self.tangential_damping * velocity;
        let size = force.length_squared();
        if size > limit * limit {
            force *= limit / size.sqrt();
            *spring = (force + self.tangential_damping * velocity) * -self.tangential.recip();
        }
        force
    }
}
