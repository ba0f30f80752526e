//! Probes applied to recorded frames.

use std::collections::HashMap;

use glam::{DVec3, Vec3A};
use plimsoll_bodies::{Bodies, BodyDefinition, Impulse};
use plimsoll_contract::{
    frame::{FieldValues, Frame, Value},
    simulator::Unwatched,
};
use plimsoll_search::CellGrid;

use super::{FluidSample, Probe, Signal};
use crate::{
    FluidSettings,
    coupling::{Load, WallSearch},
};

/// A frame lacks what a probe needs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the frame has no field `{0}`, which probes need")]
pub struct MissingField(&'static str);

/// Measures frame by frame. Frames are given in the order of time. Pressures and forces in frames are means since the previous frame.
pub struct RecordedProbes {
    settings: FluidSettings,
    bodies: Bodies,
    grid: CellGrid,
    walls: WallSearch,
    last: Option<LastFrame>,
}

/// What is needed of the previous frame.
struct LastFrame {
    time: f64,
    positions: HashMap<u32, Vec3A>,
    centers: Vec<DVec3>,
}

impl RecordedProbes {
    /// Probes in the fluid of a run with these settings and bodies.
    pub fn new(settings: FluidSettings, bodies: Vec<BodyDefinition>) -> Self {
        let limits = settings.segment_limits();
        let bodies = Bodies::new(bodies, limits, settings.domain, &Unwatched).unwrap_or_else(|_| unreachable!("nobody interrupts"));
        Self { settings, bodies, grid: CellGrid::default(), walls: WallSearch::default(), last: None }
    }

    /// The row of each of `probes` at `frame`. In the first frame, cells of means since the previous one are empty.
    ///
    /// # Errors
    /// The frame lacks identifiers, velocities or pressures.
    pub fn measure(&mut self, frame: &Frame, probes: &[Probe]) -> Result<Vec<Vec<(String, Value)>>, MissingField> {
        let fields = Fields::of(frame)?;
        let mut positions: Vec<Vec3A> = frame.particles.positions.iter().map(|&position| Vec3A::from(position)).collect();
        self.grid.update(&positions, self.settings.cell_layout());
        let order: Vec<usize> = self.grid.order().map(|index| index as usize).collect();
        positions = order.iter().map(|&index| positions[index]).collect();
        let ids: Vec<u32> = order.iter().map(|&index| fields.ids[index]).collect();
        let velocities: Vec<Vec3A> = order.iter().map(|&index| Vec3A::from(fields.velocities[index])).collect();
        let pressures: Vec<f32> = order.iter().map(|&index| fields.pressures[index]).collect();
        let materials: Vec<u8> = order.iter().map(|&index| fields.material(index, &self.settings)).collect();
        let dt = self.last.as_ref().map_or(1.0, |last| frame.time - last.time);
        let loads = self.place_bodies(frame, dt);
        self.walls.update(&self.bodies.list, &self.grid, &positions, self.settings.wall_cutoff());
        let known = |id: &u32, position: &Vec3A| self.last.as_ref().and_then(|last| last.positions.get(id)).copied().unwrap_or(*position);
        let before: Vec<Vec3A> = ids.iter().zip(&positions).map(|(id, position)| known(id, position)).collect();
        let sample = FluidSample {
            settings: &self.settings,
            time: frame.time,
            dt,
            positions: &positions,
            ids: &ids,
            materials: &materials,
            before: &before,
            after: &positions,
            velocities: &velocities,
            pressures: &pressures,
            bodies: &self.bodies.list,
            loads: &loads,
            walls: &self.walls,
        };
        let mut rows: Vec<_> = probes.iter().map(|probe| probe.row(&sample)).collect();
        if self.last.is_none() {
            rows.iter_mut().zip(probes).for_each(|(row, probe)| empty_means(row, probe));
        }
        let centers = self.bodies.list.iter().map(|body| body.center()).collect();
        self.last = Some(LastFrame { time: frame.time, positions: ids.into_iter().zip(positions).collect(), centers });
        Ok(rows)
    }

    /// Moves the bodies to their poses in `frame`. Returns their loads over the `dt` seconds before it.
    fn place_bodies(&mut self, frame: &Frame, dt: f64) -> Vec<Load> {
        let domain = self.settings.domain;
        for (index, (body, recorded)) in self.bodies.list.iter_mut().zip(&frame.bodies).enumerate() {
            (body.pose, body.previous_pose) = (recorded.pose, recorded.pose);
            (body.velocity, body.angular_velocity) = (recorded.velocity, recorded.angular_velocity);
            body.deform(frame.time);
            if let Some(last) = &self.last {
                let moved = body.center() - last.centers[index];
                body.wrapped += domain.nearest_image(moved) - moved;
            }
        }
        let load = |body: &plimsoll_contract::frame::BodyFrame| Load {
            pressure: Impulse { linear: body.force * dt, angular: body.torque * dt },
            ..Load::default()
        };
        frame.bodies.iter().map(load).collect()
    }
}

/// Empties the cells of means in a `row` of `probe`, which begins with the time.
fn empty_means(row: &mut [(String, Value)], probe: &Probe) {
    for ((_, value), quantity) in row[1..].iter_mut().zip(probe.kind.quantities()) {
        if quantity.signal == Signal::Mean {
            *value = Value::Text(String::new());
        }
    }
}

/// Fields of the particles.
struct Fields<'f> {
    ids: &'f [u32],
    velocities: &'f [[f32; 3]],
    pressures: &'f [f32],
    /// Absent in frames of one fluid.
    materials: Option<&'f [u32]>,
}

impl<'f> Fields<'f> {
    fn of(frame: &'f Frame) -> Result<Self, MissingField> {
        let particles = &frame.particles;
        let (Some(FieldValues::Integer(ids)), velocities, pressures) =
            (particles.field("id"), particles.field("velocity"), particles.field("pressure"))
        else {
            return Err(MissingField("id"));
        };
        let Some(FieldValues::Vector(velocities)) = velocities else { return Err(MissingField("velocity")) };
        let Some(FieldValues::Scalar(pressures)) = pressures else { return Err(MissingField("pressure")) };
        let materials = match particles.field("material") {
            Some(FieldValues::Integer(materials)) => Some(materials.as_slice()),
            _ => None,
        };
        Ok(Self { ids, velocities, pressures, materials })
    }

    /// Index of the material of a particle of the frame; the first one where there is none.
    fn material(&self, index: usize, settings: &FluidSettings) -> u8 {
        let material = self.materials.map_or(0, |materials| materials[index]) as usize;
        if material < settings.material_count() { material as u8 } else { 0 }
    }
}
