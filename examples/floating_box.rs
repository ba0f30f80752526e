//! A box with half the density of water floats in a tank. Prints its draft and the force of the water, with Archimedes' values for
//! comparison.

use plimsoll::{
    bodies::{BodyDefinition, MassSource},
    fluid::{Fill, FillShape, FluidSettings, FluidSimulation},
    glam::DVec3,
    shape::TriangleMesh,
    simulator::Simulator,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Lengths are in meters, y points up. The box starts at its equilibrium draft.
    let (tank, edge, depth) = (DVec3::new(1.0, 0.8, 1.0), 0.4, 0.4);
    let bodies = vec![
        BodyDefinition::fixed("tank", TriangleMesh::basin(tank)),
        BodyDefinition::floating("box", TriangleMesh::cuboid(DVec3::splat(edge)), MassSource::Density(500.0)).at(DVec3::Y * depth),
    ];
    let mut settings = FluidSettings::new(0.025);
    let (min, max) = (DVec3::new(-0.5 * tank.x, 0.0, -0.5 * tank.z), DVec3::new(0.5 * tank.x, depth, 0.5 * tank.z));
    settings.fills = vec![Fill::at_rest(FillShape::Box { min, max })];

    let mut simulation = FluidSimulation::new(settings, bodies)?;
    for until in [1.0, 2.0] {
        // Forces in frames are means since the previous frame, here from 1 s to 2 s.
        simulation.take_frame();
        while simulation.time() < until {
            simulation.advance(until)?;
        }
    }

    let (body, water) = (&simulation.bodies()[1], simulation.particles().len() as f64 * 0.05_f64.powi(3));
    let bottom = body.center().y - 0.5 * edge;
    let level = (water - edge * edge * bottom) / (tank.x * tank.z - edge * edge);
    let force = simulation.frame().bodies[1].force.y;
    println!("draft {:.3} m, Archimedes {:.3} m", level - bottom, 0.5 * edge);
    println!("force {:.1} N, Archimedes {:.1} N", force, 9.81 * body.mass);
    Ok(())
}
