//! Viscosity: laminar, artificial, and XSPH smoothing.
//!
//! ```text
//! laminar      m a_i = −V Σ_j V (σ_i B_iᵀ L_i + σ_j B_jᵀ L_j) ∇W_ij,  σ_i = ρ0 ν (G_i + G_iᵀ − ⅔ tr G_i)
//! deviations   a_i = −(α h c + 2 ν) Σ_j V w_ij ½ (e_ij − e_ji),  e_ij = v_ij − G_i x_ij,  w_ij = |W'(x_ij)|/|x_ij|
//! ```
//!
//! `G_i` is the gradient of the linear flow that best fits the neighbours, by least squares with weights `w_ij` (a reconstruction as in
//! Frontiere, Raskin & Owen 2017), and `B_i` the inverse of their moment. The laminar force is the gradient of the dissipation
//! `½ Σ_i V σ_i : G_i` in the velocities. It is exact for linear flows, whatever the arrangement of the particles; forces along `x_ij`
//! (Monaghan 2005, eq. 8.9) lose a sixth of the viscosity when particles line up in a shear flow.
//!
//! The artificial viscosity is Monaghan's (1992), but acts only on deviations from the smooth flow. It damps the noise of single particles
//! and does not affect shear and rotation. The laminar viscosity damps this noise as Morris, Fox & Zhu's (1997) does, because `σ` does not
//! depend on it. As `G_i` minimizes `R_i = Σ_j w_ij |e_ij|²`, the accelerations are the gradient of `Σ_i R_i` in the velocities.
//! Where the neighbours of a particle move at random rather than with the flow, α is larger (`linear_flow.rs`).
//!
//! Both only remove energy, and because strain rates and `R_i` are invariant under translation and rotation, they conserve linear and
//! angular momentum. Particles whose neighbours do not determine a `G_i`, such as isolated drops, have neither.
//!
//! With several fluids, the artificial viscosity and XSPH of a particle count with the density of the lightest fluid among its neighbours: with
//! its own, heavy particles would push light ones beyond any stable step.
//!
//! XSPH (`v_i += ε Σ_j (m/ρ_j)(v_j − v_i) W_ij`, Schechter & Bridson 2012) acts along the velocity difference: it conserves only linear
//! momentum.

pub mod hyper;
mod implicit;
pub mod linear_flow;
pub mod micropolar;
mod pair_forces;
pub mod particle_factors;
pub mod wall_shear;

pub use implicit::{Predicted, ViscositySolve};
use pair_forces::PairForces;
use particle_factors::FluidFactors;

use super::term::{ForceContext, Impulses, Term};
use crate::{FluidSettings, coupling::Origin};

pub const TERM: Term = Term {
    origin: Origin::Inside,
    is_active: |context| {
        let viscosity = &context.settings.viscosity;
        let damps = viscosity.artificial > 0.0 && !viscosity.hyperviscosity;
        let acts = context.settings.max_viscosity() > 0.0 || damps || viscosity.xsph > 0.0;
        acts && !context.settings.is_viscosity_implicit()
    },
    impulses,
};

fn impulses(context: &ForceContext, impulses: &mut Impulses) {
    let Impulses { on_particles, flows, factors, .. } = impulses;
    let ForceContext { settings, velocities, materials, pairs, .. } = *context;
    let (viscosity, dt) = (&settings.viscosity, context.dt);
    let volume = settings.particle_volume() as f32;
    let (unit, kinematic) = (unit_of_deviations(settings), settings.kinematic_viscosities());
    let damped = |alpha: f64| kinematic.map(|kinematic| unit * -(-settings.deviation_rate(alpha, kinematic) * dt).exp_m1() as f32);
    let relative = settings.relative_densities();
    let fluids = FluidFactors {
        strain: kinematic.zip(relative, |kinematic, relative| volume * (relative * kinematic * dt) as f32),
        deviations: damped(viscosity.artificial),
        noise: damped(viscosity.of_noise()),
    };
    if settings.material_count() > 1 {
        factors.update(pairs, materials, &fluids, &relative.map(|relative| relative as f32));
    }
    let kernel = settings.kernel();
    let forces = PairForces {
        of_divergence: -2.0 / 3.0,
        xsph: volume * viscosity.xsph as f32,
        weights: &factors.weights,
        ..PairForces::new(context, &kernel, factors.of_flows(&fluids))
    };
    forces.impulses(velocities, flows, on_particles);
}

/// Factor of the deviations with which a step removes about all of them: `Σ_j V w_ij` is 12/h² where neighbours surround a particle.
fn unit_of_deviations(settings: &FluidSettings) -> f32 {
    let h = settings.support_radius();
    (0.5 * settings.particle_volume() * h * h / 12.0) as f32
}

#[cfg(test)]
mod tests {
    use glam::{DVec3, Mat3A, Vec3A, vec3a};
    use plimsoll_base::math::Random;
    use plimsoll_bodies::Mapping;

    use super::{linear_flow::LinearFlows, *};
    use crate::{
        FluidSettings, Particles, Viscosity,
        coupling::{BodyResponse, WallContacts},
        neighbourhood::Neighbourhood,
        step_length::LAMINAR_EIGENVALUE,
    };

    const RADIUS: f32 = 0.01;

    /// A perturbed lattice of 1,000 particles and a distant drop, with their neighbourhood.
    struct Cloud {
        particles: Particles,
        neighbourhood: Neighbourhood,
        contacts: WallContacts,
        corrections: Vec<Mat3A>,
    }

    impl Cloud {
        fn new() -> Self {
            Self::of(2.0 * RADIUS, 0.4)
        }

        /// A lattice with a spacing of `spacing` (m), each particle moved by up to half of the share `disorder` of it.
        fn of(spacing: f32, disorder: f32) -> Self {
            let mut random = Random::new(7);
            let (mut particles, mut neighbourhood, mut contacts) =
                (Particles::default(), Neighbourhood::default(), WallContacts::default());
            let settings = settings(&artificial(0.0));
            let w = &settings.inverse_masses();
            for i in 0..1000 {
                let lattice = vec3a((i % 10) as f32, (i / 10 % 10) as f32, (i / 100) as f32);
                particles.push(spacing * (lattice + disorder * (random.point().as_vec3a() - 0.5)), Vec3A::ZERO, 0, w);
            }
            particles.push(vec3a(1.0, 1.0, 1.0), Vec3A::ZERO, 0, w);
            particles.push(vec3a(1.0 + 2.0 * RADIUS, 1.0, 1.0), Vec3A::ZERO, 0, w);
            neighbourhood.find_pairs(&settings, &mut particles);
            contacts.integrate(&[], &[], &Mapping::default(), &particles.positions, settings.wall_cutoff());
            let mut corrections = Vec::new();
            neighbourhood.compute_densities(&settings, &mut particles, &contacts, &mut corrections);
            Self { particles, neighbourhood, contacts, corrections }
        }

        /// Velocity changes over `dt`.
        fn changes(&self, viscosity: &Viscosity, dt: f64, velocities: &[Vec3A]) -> Vec<Vec3A> {
            let settings = settings(viscosity);
            let response = BodyResponse::default();
            let Particles { positions, spins, inverse_masses, materials, relative_densities, .. } = &self.particles;
            let (pairs, contacts) = (&self.neighbourhood.pairs, &self.contacts);
            let context = ForceContext {
                settings: &settings,
                dt,
                positions,
                velocities,
                spins,
                inverse_masses,
                materials,
                relative_densities,
                pairs,
                contacts,
                response: &response,
                field_changes: &[],
                stirring: None,
            };
            let flows = LinearFlows { stresses: self.corrections.clone(), ..LinearFlows::default() };
            let mut found = Impulses { on_particles: vec![Vec3A::ZERO; positions.len()], flows, ..Impulses::default() };
            let of = if viscosity.hyperviscosity { hyper::TERM.impulses } else { impulses };
            of(&context, &mut found);
            found.on_particles.iter().map(|&impulse| settings.inverse_masses().of(0) * impulse).collect()
        }
    }

    /// Settings with a speed of sound of 5 m/s.
    fn settings(viscosity: &Viscosity) -> FluidSettings {
        let gravity = DVec3::new(0.0, -6.25, 0.0);
        FluidSettings { gravity, viscosity: *viscosity, ..FluidSettings::new(f64::from(RADIUS)) }
    }

    fn changes(viscosity: &Viscosity, velocities: impl Fn(Vec3A) -> Vec3A) -> (Vec<Vec3A>, Vec<Vec3A>, Vec<Vec3A>) {
        let cloud = Cloud::new();
        let velocities: Vec<Vec3A> = cloud.particles.positions.iter().map(|&x| velocities(x)).collect();
        let changes = cloud.changes(viscosity, 0.002, &velocities);
        (cloud.particles.positions, velocities, changes)
    }

    fn artificial(alpha: f64) -> Viscosity {
        Viscosity { kinematic: 0.0, artificial: alpha, xsph: 0.0, ..Viscosity::default() }
    }

    /// A velocity field that is far from linear.
    fn noise(x: Vec3A) -> Vec3A {
        let p = x * (700.0 / RADIUS);
        vec3a((p.x + 2.0 * p.y).sin(), (p.y - p.z).sin(), (3.0 * p.z + p.x).sin())
    }

    #[test]
    fn momentum_is_kept_and_energy_taken() {
        let hyper = Viscosity { hyperviscosity: true, ..artificial(50.0) };
        for viscosity in [artificial(0.3), artificial(50.0), hyper, Viscosity { kinematic: 3e-3, ..artificial(0.0) }] {
            let (positions, velocities, changes) = changes(&viscosity, noise);
            let linear: DVec3 = changes.iter().map(|change| change.as_dvec3()).sum();
            let angular: DVec3 = changes.iter().zip(&positions).map(|(change, x)| x.as_dvec3().cross(change.as_dvec3())).sum();
            let exchanged: f64 = changes.iter().map(|change| f64::from(change.length())).sum();
            assert!(exchanged > 10.0, "{exchanged}");
            assert!(linear.length() < 1e-6 * exchanged, "{linear} of {exchanged}");
            assert!(angular.length() < 1e-6 * exchanged, "{angular} of {exchanged}");
            let energy = |change: f32| -> f64 {
                velocities.iter().zip(&changes).map(|(&v, &dv)| f64::from((v + change * dv).length_squared())).sum()
            };
            assert!(energy(1.0) < 0.9 * energy(0.0), "{viscosity:?}: {} of {}", energy(1.0), energy(0.0));
        }
    }

    /// Where particles nearly coincide, the neighbours' moment may be indefinite.
    #[test]
    fn crushed_fluid_gains_no_energy() {
        let viscosity = Viscosity { kinematic: 1e-3, ..artificial(0.0) };
        for spacing in [0.3, 0.5, 0.8] {
            let cloud = Cloud::of(spacing * RADIUS, 6.0);
            let velocities: Vec<Vec3A> = cloud.particles.positions.iter().map(|&x| noise(x)).collect();
            let changes = cloud.changes(&viscosity, 1e-6, &velocities);
            let power = |i: usize| f64::from(velocities[i].dot(changes[i]));
            let gains = (0..velocities.len()).map(power).sum::<f64>();
            assert!(gains < 0.0, "{spacing}: {gains}");
        }
    }

    #[test]
    fn artificial_viscosity_leaves_linear_flows_alone_and_stills_noise() {
        let shear = |x: Vec3A| vec3a(3.0 * x.y - x.z, 0.5 * x.x, x.x + 2.0 * x.y - x.z);
        let (_, velocities, by_shear) = changes(&artificial(0.3), shear);
        let greatest = |values: &[Vec3A]| values.iter().map(|value| value.length()).fold(0.0, f32::max);
        assert!(greatest(&by_shear) < 1e-5 * greatest(&velocities), "{}", greatest(&by_shear));
        let (_, velocities, by_noise) = changes(&artificial(0.3), noise);
        assert!(greatest(&by_noise) > 0.3 * greatest(&velocities), "{}", greatest(&by_noise));
    }

    /// Power iteration on a perturbed lattice, whose pairs are closer than those of a fluid at rest.
    #[test]
    fn the_step_limit_bounds_the_spectrum_of_the_laminar_operator() {
        let cloud = Cloud::new();
        let viscosity = Viscosity { kinematic: 1e-3, ..artificial(0.0) };
        let norm = |field: &[Vec3A]| field.iter().map(|v| f64::from(v.length_squared())).sum::<f64>().sqrt();
        let mut velocities: Vec<Vec3A> = cloud.particles.positions.iter().map(|&x| noise(x)).collect();
        // So short that deviations decay in proportion to it.
        let dt = 1e-6;
        let mut eigenvalue = 0.0;
        for _ in 0..300 {
            let scale = (1.0 / norm(&velocities)) as f32;
            velocities.iter_mut().for_each(|v| *v *= scale);
            velocities = cloud.changes(&viscosity, dt, &velocities);
            eigenvalue = norm(&velocities) / dt;
        }
        let h = 4.0 * f64::from(RADIUS);
        let scaled = eigenvalue * h * h / viscosity.kinematic;
        println!("greatest eigenvalue {scaled:.1} ν/h²");
        assert!((0.25 * LAMINAR_EIGENVALUE..LAMINAR_EIGENVALUE).contains(&scaled), "{scaled}");
    }

    /// Power iteration, where a step removes all deviations: with eigenvalues of up to 2 the explicit step is stable.
    #[test]
    fn no_deviation_grows() {
        for disorder in [0.0, 0.4] {
            let cloud = Cloud::of(2.0 * RADIUS, disorder);
            for hyperviscosity in [false, true] {
                let viscosity = Viscosity { hyperviscosity, ..artificial(1e6) };
                let norm = |field: &[Vec3A]| field.iter().map(|v| f64::from(v.length_squared())).sum::<f64>().sqrt();
                let mut velocities: Vec<Vec3A> = cloud.particles.positions.iter().map(|&x| noise(x)).collect();
                let mut eigenvalue = 0.0;
                for _ in 0..200 {
                    let scale = (1.0 / norm(&velocities)) as f32;
                    velocities.iter_mut().for_each(|v| *v *= scale);
                    velocities = cloud.changes(&viscosity, 1.0, &velocities);
                    eigenvalue = norm(&velocities);
                }
                println!("disorder {disorder}, twice: {hyperviscosity}: {eigenvalue:.3}");
                assert!(eigenvalue < 1.5, "{eigenvalue}");
            }
        }
    }

    /// Rates at which terms damp the shear wave `v_x = sin(k y)` in the middle of a regular lattice, times its speed.
    fn damping_of_a_shear_wave(viscosity: &Viscosity, k: f32, dt: f64) -> f64 {
        let cloud = Cloud::of(2.0 * RADIUS, 0.0);
        let positions = &cloud.particles.positions;
        let velocities: Vec<Vec3A> = positions.iter().map(|x| vec3a((k * x.y).sin(), 0.0, 0.0)).collect();
        let changes = cloud.changes(viscosity, dt, &velocities);
        // Strain rates reach two support radii from the surface.
        let inside = |x: &Vec3A| (x.min_element() > 7.5 * RADIUS) && (x.max_element() < 10.5 * RADIUS);
        let of = |vectors: &[Vec3A]| -> f64 {
            (0..positions.len()).filter(|&i| inside(&positions[i])).map(|i| f64::from(velocities[i].x * vectors[i].x)).sum()
        };
        -of(&changes) / of(&velocities)
    }

    #[test]
    fn a_shear_wave_decays_at_the_rate_of_the_kinematic_viscosity() {
        let (nu, k, dt) = (1e-3, 0.1 / RADIUS, 1e-5);
        let rate = damping_of_a_shear_wave(&Viscosity { kinematic: nu, ..artificial(0.0) }, k, dt) / dt;
        let expected = nu * f64::from(k * k);
        assert!((rate / expected - 1.0).abs() < 0.05, "{rate} 1/s, expected {expected}");
    }

    #[test]
    fn noise_is_damped_more_than_waves() {
        let loss = |noisy: &Viscosity| {
            let (_, velocities, changes) = changes(noisy, noise);
            let power = |others: &[Vec3A]| velocities.iter().zip(others).map(|(a, b)| f64::from(a.dot(*b))).sum::<f64>();
            -power(&changes) / power(&velocities)
        };
        let calmer = Viscosity { noise: 0.2, ..artificial(0.05) };
        let plain = Viscosity { noise: 0.0, ..calmer };
        let [weak, found, strong] = [plain, calmer, Viscosity { artificial: 0.2, ..plain }].map(|viscosity| loss(&viscosity));
        println!("noise loses {weak:.3}, {found:.3} of what {strong:.3} would be");
        assert!(found > weak + 0.6 * (strong - weak) && found <= strong, "{weak} {found} {strong}");
        // A wave of 31 particles is no noise.
        let wave = |viscosity: &Viscosity| damping_of_a_shear_wave(viscosity, 0.1 / RADIUS, 0.001);
        let (before, now) = (wave(&plain), wave(&calmer));
        println!("a wave loses {now:.2e} instead of {before:.2e}");
        assert!((0.9..1.1).contains(&(now / before)), "{now} instead of {before}");
    }

    #[test]
    fn hyperviscosity_spares_waves() {
        let k = 0.15 / RADIUS;
        let once = damping_of_a_shear_wave(&artificial(0.3), k, 0.001);
        let twice = damping_of_a_shear_wave(&Viscosity { hyperviscosity: true, ..artificial(0.3) }, k, 0.001);
        println!(
            "a wave of {:.0} particles loses {once:.2e} in a step, with hyperviscosity {twice:.2e}",
            std::f32::consts::PI / (k * RADIUS)
        );
        assert!(twice < 0.1 * once, "{twice} of {once}");
    }

    /// With `∫ W r² dV = 0.225 h²`, a step removes the share `ε k² 0.225 h²/6` of a long wave.
    #[test]
    fn xsph_smooths_as_its_kernel() {
        let (epsilon, k) = (0.3, 0.1 / RADIUS);
        let share = damping_of_a_shear_wave(&Viscosity { xsph: epsilon, ..artificial(0.0) }, k, 0.001);
        let expected = epsilon * 0.225 / 6.0 * f64::from(4.0 * RADIUS * k).powi(2);
        assert!((share / expected - 1.0).abs() < 0.05, "{share}, expected {expected}");
    }

    #[test]
    fn drops_feel_no_artificial_viscosity() {
        let (positions, _, changes) = changes(&artificial(0.3), noise);
        let drops: Vec<Vec3A> = positions.iter().zip(&changes).filter(|(x, _)| x.x > 0.9).map(|(_, &change)| change).collect();
        assert_eq!(drops, [Vec3A::ZERO; 2]);
    }
}
