//! Contact angles: what a wall does to the edge of a surface, beyond being a plane of symmetry.
//!
//! With full images the tension between fluid and wall is zero, and the contact angle is 90°. Young's equation, `γ = −σ cos θ` for the tension `γ`
//! between fluid and wall, is met in two ways, because a negative tension cannot be one of attraction:
//!
//! ```text
//! θ > 90°   n_i counts the share b of its images: the layer on the wall is a surface with the tension γ
//!           F_i = A |cos θ| σ d · 4 (z/d − ½)(1 − z/d) e_i        adhesion of particles that leave the wall, z > d/2
//! θ < 90°   F_i = −σ d² |∇f_i| s_i cos θ t_i                      along the wall, at the edge of a surface; t_i is the direction of n_i along the wall
//! both      F_i = −σ d² |∇f_i| (1 + s_i) Z |cos θ| v_i/√(σ/(ρ d)) friction at the speed v_i along the wall, most at the edge
//! ```
//!
//! with the particle diameter `d`, the share `f_i` of the density that is the wall's, and `s_i`, which is one at the edge of a surface and zero
//! where `n` has no more of a part along the wall than noise gives it. The friction makes an edge move by molecular kinetics (Blake & Haynes 1969)
//! instead of overshooting. The adhesion keeps noise from lifting a drop off the wall.

use glam::Vec3A;
use plimsoll_base::math::parallel::{InTasks, TASK};
use rayon::prelude::*;

use super::super::term::{ForceContext, Impulses};
use crate::{FluidSettings, material::ByMaterial};

/// Tension between fluid and wall in units of `−σ cos θ` for angles above 90°, with which drops of 6 to 12 diameters meet a plate at 120°
/// (`cargo test --release --test fluid drops_meet`).
const OF_TENSION: f32 = 1.44;
/// Range of `|n|²/(|n|² + ε²)`, with the part of `n` along the wall, in which a particle begins to be at the edge of a surface. A plane surface has
/// 0.67. From 0.25 on, noise in the layer on the wall counts, and a drop of 10 diameters boils.
const EDGE: [f32; 2] = [0.4, 0.6];
/// `Z`. Without friction a drop of 12 diameters at 60° swung by 10°; with that of the edge alone a drop at 120° that recedes may leave the plate.
const FRICTION: f32 = 2.0;
/// `A`. With 0.8 noise lifts a drop of 12 diameters at 120° off the plate; with 2 a drop that lands leaves a film of one layer behind.
const ADHESION: f32 = 1.4;

/// Share of the images in `n` below thick fluid, with the `noise` `ε` in the weight of a surface.
pub fn least_shares(settings: &FluidSettings, noise: f32) -> ByMaterial<f32> {
    settings.contact_angles().map(|angle| {
        let tension = (-OF_TENSION * (angle as f32).cos()).max(0.0);
        // The weight of a surface with a normal of this length is the tension.
        let normal = (tension * noise * noise / (1.0 + noise * noise - tension)).sqrt();
        1.0 - normal
    })
}

/// Share of the images in the normal of a particle, with its `least` share, the parts of particles and of images in the normal, and the vector to its own
/// image. A film of one layer, with no particles above it, keeps all its images: a share of them would be a normal without a length, and the film
/// would have no tension.
#[inline(always)]
pub fn share_of_images(least: f32, of_particles: Vec3A, of_images: Vec3A, image: Vec3A) -> f32 {
    let (above, below) = (-of_particles.dot(image), of_images.dot(image));
    let thickness = if below > 0.0 { (above / below).clamp(0.0, 1.0) } else { 1.0 };
    1.0 - (1.0 - least) * thickness * thickness
}

/// Adds the impulses of walls to those of their images.
pub fn wet(context: &ForceContext, impulses: &mut Impulses) {
    let Impulses { on_particles, normals, images, by_images, .. } = impulses;
    let (normals, images) = (&*normals, &*images);
    let wall = Wall::new(context);
    on_particles.par_iter_mut().zip(by_images).enumerate().in_tasks(TASK).for_each(|(i, (impulse, by_images))| {
        if images[i] != Vec3A::ZERO {
            let added = wall.impulse(i, images[i], normals[i]);
            *impulse += added;
            *by_images += added;
        }
    });
}

/// What the impulses of walls depend on.
struct Wall<'a> {
    context: &'a ForceContext<'a>,
    diameter: f32,
    tensions: ByMaterial<f32>,
    cosines: ByMaterial<f32>,
    /// `√(σ/(ρ d))`, m/s.
    speeds: ByMaterial<f32>,
}

impl<'a> Wall<'a> {
    fn new(context: &'a ForceContext) -> Self {
        let settings = context.settings;
        let diameter = 2.0 * settings.particle_radius;
        Self {
            context,
            diameter: diameter as f32,
            tensions: settings.tensions().map(|tension| tension as f32),
            cosines: settings.contact_angles().map(|angle| angle.cos() as f32),
            speeds: settings.tensions().zip(settings.densities(), |tension, density| (tension / (density * diameter)).sqrt() as f32),
        }
    }

    /// The impulse on particle `i`, N s, with the vector to its `image` and its weighted normal.
    fn impulse(&self, i: usize, image: Vec3A, normal: Vec3A) -> Vec3A {
        let material = self.context.materials[i];
        let (tension, cosine) = (self.tensions.of(material), self.cosines.of(material));
        if tension == 0.0 || cosine.abs() < 1e-6 {
            return Vec3A::ZERO;
        }
        let d = self.diameter;
        let into_wall = image.normalize();
        let along = |x: Vec3A| x - into_wall * x.dot(into_wall);
        let inward = along(normal);
        let share = smooth_step(inward.length_squared() / tension);
        let (gradient, velocity) = self.contact(i);
        let young = -cosine.max(0.0) * share * inward.normalize_or_zero();
        let friction = -FRICTION * cosine.abs() * (1.0 + share) / self.speeds.of(material) * along(velocity);
        let distance = 0.5 * image.length() / d;
        let adhesion = ADHESION * (-cosine).max(0.0) * (4.0 * (distance - 0.5) * (1.0 - distance)).max(0.0) * into_wall;
        (self.context.dt as f32 * tension * d) * (d * gradient * (young + friction) + adhesion)
    }

    /// The length of the gradient of the walls' share (1/m), and the velocity relative to the walls (m/s) of particle `i`.
    fn contact(&self, i: usize) -> (f32, Vec3A) {
        let ForceContext { contacts, response, velocities, .. } = *self.context;
        let (mut gradient, mut of_walls) = (Vec3A::ZERO, Vec3A::ZERO);
        for place in contacts.range_of(i) {
            let (contact, detail) = (&contacts.list[place], &contacts.details[place]);
            gradient += contact.gradient;
            of_walls += contact.value * (response.motions[contact.body as usize].at(contact.point) + detail.surface_velocity);
        }
        (gradient.length(), velocities[i] - of_walls / contacts.share(i))
    }
}

/// From zero to one over the range [`EDGE`].
fn smooth_step(value: f32) -> f32 {
    let [low, high] = EDGE;
    let share = ((value - low) / (high - low)).clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_count_less_the_less_a_wall_is_wetted() {
        let share = |degrees: f64| {
            let settings = FluidSettings { contact_angle: degrees.to_radians(), ..FluidSettings::new(0.01) };
            least_shares(&settings, 0.7).of(0)
        };
        assert_eq!([share(60.0), share(89.9)], [1.0, 1.0]);
        assert!((share(90.0) - 1.0).abs() < 1e-3, "{}", share(90.0));
        assert!((share(105.0) - 0.60).abs() < 0.01 && (share(120.0) - 0.33).abs() < 0.01, "{} {}", share(105.0), share(120.0));
    }
}
