//! Runs that are interrupted, and run with other numbers of threads.

use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::FluidSimulation;

use crate::common::run;

/// Particles, bodies and momentum. The boxes in which the contact solver searches for pairs may differ: after a restart, they fit bodies that have appeared
/// later.
fn state(simulation: &FluidSimulation) -> (Vec<u8>, Vec<u8>, f64) {
    let bytes = postcard::to_allocvec(simulation.particles()).unwrap();
    (bytes, postcard::to_allocvec(simulation.bodies()).unwrap(), simulation.last_step().momentum_error)
}

/// Runs for `seconds` more; panics if the state is then not, bit by bit, that of a run that is saved now, resumed, and runs on one thread, or on three.
pub fn assert_a_restart_changes_nothing(simulation: &mut FluidSimulation, seconds: f64) {
    let begin = simulation.time();
    let saved = plimsoll_saved::fluid::save(simulation);
    run(simulation, seconds, |_| {});
    for threads in [1, 3] {
        let mut resumed = plimsoll_saved::fluid::load(&saved);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(&mut resumed, seconds, |_| {}));
        assert!(state(&resumed) == state(simulation), "from {begin} s with {threads} threads");
    }
}
