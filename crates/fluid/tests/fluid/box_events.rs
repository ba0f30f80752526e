//! Tables of what enters and leaves a box.

use glam::DVec3;
use plimsoll_base::math::{Aabb, Pose};
use plimsoll_contract::{frame::Value, simulator::Simulator};
use plimsoll_fluid::{
    Emitter, FluidSettings, FluidSimulation, Mouth,
    probes::{BoxEvents, Probe, ProbeKind},
};

use crate::common::{box_fill, cuboid, floating, positions, run, settings, thrown};

const RADIUS: f64 = 0.02;

/// A table of events of a run of `seconds`: time, event, kind, name and position of each row.
fn events(simulation: &mut FluidSimulation, seconds: f64) -> Vec<(f64, String, String, String, DVec3)> {
    let mut rows = Vec::new();
    run(simulation, seconds, |simulation| {
        let table = simulation.tables().into_iter().find(|table| table.name == "events/gate").unwrap();
        let expected =
            "step,time [s],event,kind,name,position_x [m],position_y [m],position_z [m],velocity_x [m/s],velocity_y [m/s],velocity_z [m/s]";
        assert_eq!(table.columns.join(","), expected);
        for row in table.rows {
            let text = |place: usize| if let Value::Text(text) = &row[place] { text.clone() } else { panic!("{row:?}") };
            let real = |place: usize| if let Value::Real(number) = row[place] { number } else { panic!("{row:?}") };
            assert_eq!((row.len(), &row[0]), (11, &Value::Integer(simulation.steps())));
            rows.push((real(1), text(2), text(3), text(4), DVec3::new(real(5), real(6), real(7))));
        }
    });
    rows
}

/// A block of 27 particles and a cube that drift through a box at 1 m/s, and a jet that begins in the box and ends in a drain in it.
fn through_a_gate() -> FluidSimulation {
    let gate = Aabb { min: DVec3::new(0.0, -0.2, -0.2), max: DVec3::new(0.3, 0.2, 0.2) };
    let jet = Emitter { end: Some(0.3), ..Emitter::new(Mouth::Disc { radius: RADIUS }, DVec3::new(0.25, -0.15, -0.1), DVec3::Z, 1.0) };
    let settings = FluidSettings {
        settle: false,
        gravity: DVec3::ZERO,
        probes: vec![Probe { name: "gate".to_owned(), rate: 10.0, kind: ProbeKind::Events(BoxEvents { region: gate }) }],
        emitters: vec![jet],
        drains: vec![Aabb { min: DVec3::new(0.2, -0.2, 0.05), max: DVec3::new(0.3, -0.1, 0.1) }],
        ..settings(RADIUS, vec![box_fill(DVec3::new(-0.26, 0.04, -0.06), DVec3::new(-0.14, 0.16, 0.06), DVec3::X)])
    };
    let cube =
        floating("cube", cuboid(DVec3::splat(-0.03), DVec3::splat(0.03)), Pose::from_translation(DVec3::new(-0.2, -0.05, 0.1)), 500.0);
    FluidSimulation::new(settings, vec![thrown(cube, DVec3::X, DVec3::ZERO)]).unwrap()
}

/// Each particle of the block enters once and leaves once, when its position crosses the sides, and so does the cube.
#[test]
fn events_list_what_enters_and_leaves_a_box() {
    let mut simulation = through_a_gate();
    let block: Vec<(u32, f64)> = simulation.particles().ids.iter().copied().zip(positions(&simulation).map(|x| x.x)).collect();
    let rows = events(&mut simulation, 0.7);
    let of = |name: &str, kind: &str| {
        let rows = rows.iter().filter(|row| row.2 == kind && row.3 == name);
        rows.map(|row| (row.1.clone(), row.0, row.4.x)).collect::<Vec<_>>()
    };
    let step = 0.005;
    let crosses = |found: &[(String, f64, f64)], start: f64| {
        let [(enters, begin, first), (leaves, end, last)] = found else { panic!("{found:?}") };
        assert_eq!((enters.as_str(), leaves.as_str()), ("enters", "leaves"));
        assert!(
            (0.0..step).contains(&(begin + start)) && (0.0..1.1 * step).contains(&(end + start - 0.3)),
            "{begin} s, {end} s from {start} m"
        );
        assert!((first - start - begin).abs() < 1e-4 && (last - start - end).abs() < 1e-4, "{first} m, {last} m");
    };
    assert_eq!(block.len(), 27);
    block.iter().for_each(|(id, x)| crosses(&of(&id.to_string(), "particle"), *x));
    crosses(&of("cube", "body"), -0.2);
    let count = |event: &str, kind: &str| rows.iter().filter(|row| row.1 == event && row.2 == kind).count() as u64;
    let (emitted, drained) = (simulation.inflow().emitted, simulation.inflow().drained);
    assert!(emitted > 3 && emitted == drained, "{emitted} emitted, {drained} drained");
    assert_eq!((count("appears", "particle"), count("vanishes", "particle")), (emitted, drained));
    assert_eq!((count("enters", "particle"), count("enters", "body"), rows.len() as u64), (27, 1, 56 + 2 * emitted));
    assert!(rows.windows(2).all(|pair| pair[0].0 <= pair[1].0), "{rows:?}");
}

/// With a restart after every few steps.
#[test]
fn events_are_neither_lost_nor_repeated_after_a_resume() {
    let expected = events(&mut through_a_gate(), 0.7);
    let (mut simulation, mut found) = (through_a_gate(), Vec::new());
    for _ in 0..70 {
        found.extend(events(&mut simulation, 0.01));
        simulation = plimsoll_saved::fluid::restored(&simulation);
    }
    let names = |rows: &[(f64, String, String, String, DVec3)]| {
        let mut names: Vec<String> = rows.iter().map(|row| format!("{} {} {}", row.1, row.2, row.3)).collect();
        names.sort();
        names
    };
    assert_eq!(names(&found), names(&expected));
}
