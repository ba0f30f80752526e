use glam::*;
use plimsoll::{bodies::*, fluid::*, math::Pose, shape::*};
fn main() {
    let r: f64 = std::env::args().nth(1).map_or(0.02, |s| s.parse().unwrap());
    let kind = std::env::args().nth(2).unwrap_or("pool".into());
    let secs: f64 = std::env::args().nth(3).map_or(1.0, |s| s.parse().unwrap());
    let load = |name: &str, scale: f64| {
        let mut m =
            plimsoll::shape::obj::load(std::path::Path::new(name), &ImportOptions { scale: DVec3::splat(scale), up_axis: UpAxis::Y })
                .unwrap();
        orient_outwards(&mut m);
        m
    };
    let tilt: f64 = std::env::var("TILT").ok().map_or(0.0, |s| s.parse().unwrap());
    let fixed =
        |name: &str, mesh, pose| BodyDefinition { name: name.into(), mesh, pose, kind: BodyKind::Static, friction: 0.5, restitution: 0.0 };
    let floating = |name: &str, mesh, pose, density| BodyDefinition {
        name: name.into(),
        mesh,
        pose,
        friction: 0.5,
        restitution: 0.0,
        kind: BodyKind::Floating(Floating {
            mass: MassSource::Density(density),
            center_of_mass: None,
            inertia: None,
            locked_translation: [false; 3],
            locked_rotation: [false; 3],
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            force: DVec3::ZERO,
            torque: DVec3::ZERO,
        }),
    };
    let meshes = std::env::var("MESHES").unwrap_or("/tmp/wt-shape/meshes".into());
    let rot = DQuat::from_axis_angle(DVec3::new(0.3, 0.2, 1.0).normalize(), tilt.to_radians());
    let mut bodies = vec![];
    let mut fill = vec![];
    match kind.as_str() {
        "pool" => {
            bodies.push(fixed("tank", load(&format!("{meshes}/small_tank.obj"), 0.5), Pose::new(rot, DVec3::ZERO)));
            fill.push(Fill {
                shape: FillShape::Box { min: DVec3::new(-0.3, -0.3, -0.3), max: DVec3::new(0.8, 0.24, 0.8) },
                velocity: DVec3::ZERO,
            });
            if tilt == 0.0 {
                fill[0].shape = FillShape::Box { min: DVec3::ZERO, max: DVec3::new(0.5, 0.24, 0.5) };
            }
        }
        "float" => {
            let density: f64 = std::env::args().nth(4).map_or(500.0, |s| s.parse().unwrap());
            bodies.push(fixed("tank", load(&format!("{meshes}/small_tank.obj"), 0.5), Pose::IDENTITY));
            fill.push(Fill { shape: FillShape::Box { min: DVec3::ZERO, max: DVec3::new(0.5, 0.32, 0.5) }, velocity: DVec3::ZERO });
            let edge = 0.2;
            bodies.push(floating(
                "box",
                load(&format!("{meshes}/box.obj"), edge),
                Pose::from_translation(DVec3::new(0.25, 0.32 + edge * (0.5 - density / 1000.0), 0.25)),
                density,
            ));
        }
        _ => {
            bodies.push(fixed("tank", load(&format!("{meshes}/tank.obj"), 1.0), Pose::IDENTITY));
            fill.push(Fill { shape: FillShape::Box { min: DVec3::ZERO, max: DVec3::new(0.625, 0.8, 1.0) }, velocity: DVec3::ZERO });
        }
    }
    let settings = FluidSettings {
        particle_radius: r,
        density: 1000.0,
        gravity: DVec3::new(0.0, -9.81, 0.0),
        pressure: PressureSolver::Dfsph(DensitySolve::default()),
        viscosity: Viscosity {
            kinematic: std::env::var("NU").ok().map_or(0.0, |s| s.parse().unwrap()),
            artificial: std::env::var("ALPHA").ok().map_or(0.0, |s| s.parse().unwrap()),
            xsph: 0.0,
            wall_friction: std::env::var("FRICTION").ok().map_or(0.0, |s| s.parse().unwrap()),
        },
        time_step: TimeStep { minimum: 1e-6, maximum: 0.005, cfl: 0.5 },
        settle: std::env::var("SETTLE").is_ok(),
        fills: fill,
    };
    let t = std::time::Instant::now();
    let mut sim = FluidSimulation::new(settings, bodies).unwrap();
    println!("{} particles, setup {:.2}s {:?}", sim.particle_count(), t.elapsed().as_secs_f64(), sim.summary());
    let t = std::time::Instant::now();
    let (mut k, mut sweeps, mut vmax) = (0, 0u64, 0.0f64);
    while sim.time() < secs {
        sim.advance((sim.time() / 0.02 + 1e-9).floor() * 0.02 + 0.02);
        let d = *sim.last_step();
        sweeps += (d.pressure_iterations + d.divergence_iterations) as u64;
        vmax = vmax.max(d.greatest_speed);
        if std::env::var("FAST").is_ok() && sim.steps() < 60 {
            let p = sim.particles();
            let mut o: Vec<usize> = (0..p.len()).collect();
            o.sort_by(|&a, &b| p.velocities[b].length().total_cmp(&p.velocities[a].length()));
            for &i in &o[..3] {
                eprintln!(
                    "{} id {} x {:.4} v {:.4} rho {:.2} q {:.4} qd {:.4}",
                    sim.steps(),
                    p.ids[i],
                    p.positions[i],
                    p.velocities[i],
                    p.densities[i],
                    p.density_pressures[i],
                    p.divergence_pressures[i]
                );
            }
        }
        if sim.time() >= k as f64 * secs / 20.0 {
            k += 1;
            let ymax = sim.particles().positions.iter().map(|p| p.y).fold(0.0, f32::max);
            let b = sim.bodies().last().unwrap();
            println!(
                "t {:.3} dt {:.4} it {}+{} err {:.4} {:.4} ke {:.4} v {:.4} vmax {:.4} ymax {ymax:.4} mom {:.1e} {:.1e} coll {} leaked {} F {:.3} pos {:.4?} com {:.4}",
                d.time,
                d.dt,
                d.pressure_iterations,
                d.divergence_iterations,
                d.density_error_percent,
                d.divergence_error_percent,
                d.kinetic_energy,
                d.greatest_speed,
                vmax,
                d.momentum_error,
                d.angular_momentum_error,
                d.collisions,
                d.leaked,
                b.load.total().linear.y / d.dt,
                b.pose.translation.y,
                sim.particles().positions.iter().map(|p| p.y as f64).sum::<f64>() / sim.particle_count() as f64
            );
        }
    }
    let e = t.elapsed().as_secs_f64();
    println!(
        "wall {e:.2} steps {} sweeps/step {:.2} Msweeps/s {:.2}",
        sim.steps(),
        sweeps as f64 / sim.steps() as f64,
        sweeps as f64 * sim.particle_count() as f64 / e / 1e6
    );
    let g = 9.81;
    let _ = g;
    if std::env::var("EDGE").is_ok() {
        let p = sim.particles();
        let h = 0.25 * 2.0;
        for (name, sel) in [("bottom edge x=0", 0), ("vertical edge", 1), ("vertical wall x=0", 2), ("bottom", 3)] {
            let mut n = 0;
            let (mut a, mut b) = (0.0, 0.0);
            let mut rho = 0.0;
            for i in 0..p.len() {
                let x = p.positions[i].as_dvec3() / r;
                let far = |v: f64| v > 3.0 && v < h / r - 3.0;
                let ok = match sel {
                    0 => x.x < 2.0 && x.y < 2.0 && far(x.z),
                    1 => x.x < 2.0 && x.z < 2.0 && x.y > 3.0 && x.y < 13.0,
                    2 => x.x < 2.0 && far(x.z) && x.y > 3.0 && x.y < 13.0,
                    _ => x.y < 2.0 && far(x.x) && far(x.z),
                };
                if ok {
                    n += 1;
                    a += x.x.min(x.z);
                    b += if sel == 1 { x.z } else { x.y };
                    rho += p.densities[i] as f64;
                }
            }
            let len = h / r - 6.0;
            let expect = match sel {
                0 => len / 2.0,
                1 => 10.0 / 2.0,
                2 => len * 10.0 / 4.0,
                _ => len * len / 4.0,
            };
            println!("{name}: n {n} lattice {expect:.1} mean {:.3} {:.3} rho {:.2}", a / n as f64, b / n as f64, rho / n as f64);
        }
    }
    if kind == "pool" {
        let mut by: std::collections::BTreeMap<i32, (f64, f64, usize)> = Default::default();
        for (i, p) in sim.particles().positions.iter().enumerate() {
            let k = (p.y as f64 / (2.0 * r)).floor() as i32;
            let e = by.entry(k).or_default();
            e.0 += p.y as f64;
            e.1 += sim.particles().pressure(i) as f64;
            e.2 += 1;
        }
        for (k, (y, p, n)) in by {
            println!("layer {k}: n {n} y/r {:.3} p {:.1} ", y / n as f64 / r, p / n as f64);
        }
        println!("min y/r {:.3}", sim.particles().positions.iter().map(|p| p.y).fold(9.0, f32::min) as f64 / r);
    }
}
