//! The cases.

mod added_mass;
mod balls;
mod cavity;
mod channel;
mod cylinder;
mod dam_break;
mod flume;
mod heave_decay;
mod layers;
mod lock_exchange;
mod paddle_waves;
mod plates;
mod roll;
mod rotating_tank;
mod ship;
mod sinking_ball;
mod standing_wave;
mod surge_front;
mod taylor_green;
mod wedge_entry;

use super::Case;

/// All cases, in the order of the page.
pub fn all() -> &'static [Case] {
    &[
        plates::POISEUILLE,
        plates::COUETTE,
        taylor_green::CASE,
        cavity::CASE,
        standing_wave::CASE,
        paddle_waves::CASE,
        flume::CASE,
        surge_front::CASE,
        dam_break::CASE,
        wedge_entry::CASE,
        heave_decay::CASE,
        roll::CASE,
        ship::CASE,
        added_mass::CASE,
        balls::CASE,
        cylinder::CASE,
        rotating_tank::CASE,
        sinking_ball::CASE,
        channel::CARREAU,
        channel::YIELD_STRESS,
        layers::INTERNAL_WAVE,
        layers::AIR_OVER_WATER,
        layers::RAYLEIGH_TAYLOR,
        lock_exchange::CASE,
    ]
}
