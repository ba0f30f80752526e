//! What is in a box, from step to step, and the events in which that changes.

use glam::{DVec3, Vec3A};
use plimsoll_base::math::Aabb;
use plimsoll_contract::frame::{Row, Value, push_vector};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::FluidSample;

/// The contents of a box after the last step. Part of a checkpoint, so that no event is lost or repeated after a resume.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Contents {
    /// In increasing order of their identifiers.
    particles: Vec<Item>,
    /// In the order of the bodies.
    bodies: Vec<Item>,
    /// Particles with lower identifiers have been seen before.
    next_particle: u32,
    /// Indices of the bodies that were present, increasing.
    present: Vec<u32>,
    /// Whether anything has been seen at all.
    begun: bool,
}

/// A particle, or the center of a body.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Item {
    /// Identifier of the particle, or index of the body.
    id: u32,
    /// m
    position: DVec3,
    /// m/s
    velocity: DVec3,
}

/// What happens to an item.
#[derive(Clone, Copy)]
enum Event {
    Enters,
    Leaves,
    /// Is added to the simulation in the box.
    Appears,
    /// Is removed from the simulation in the box.
    Vanishes,
}

impl Event {
    fn name(self) -> &'static str {
        match self {
            Self::Enters => "enters",
            Self::Leaves => "leaves",
            Self::Appears => "appears",
            Self::Vanishes => "vanishes",
        }
    }
}

impl Contents {
    /// Compares the contents of `region` at the end of a step with those before. Returns the events, particles before bodies, in the order of their
    /// identifiers; at the first instant there are none.
    pub fn update(&mut self, region: &Aabb, sample: &FluidSample) -> Vec<Row> {
        let mut rows = Vec::new();
        let particles = particles_in(region, sample);
        let bodies = bodies_in(region, sample);
        let present: Vec<u32> = (0..sample.bodies.len()).filter(|&index| sample.bodies[index].is_present()).map(|i| i as u32).collect();
        if self.begun {
            let name = |item: &Item| ("particle", item.id.to_string());
            let gone = |ids: &[u32]| items_of(ids, sample);
            let added = |id: u32| id >= self.next_particle;
            compare(&self.particles, &particles, added, gone, |event, item| rows.push(row(sample.time, event, name(item), item)));
            let name = |item: &Item| ("body", sample.bodies[item.id as usize].name.clone());
            let gone = |ids: &[u32]| ids.iter().filter(|id| present.contains(id)).map(|&id| body_item(id, sample)).collect();
            let added = |id: u32| !self.present.contains(&id);
            compare(&self.bodies, &bodies, added, gone, |event, item| rows.push(row(sample.time, event, name(item), item)));
        }
        let next_particle = sample.ids.par_iter().max().map_or(0, |last| last + 1).max(self.next_particle);
        *self = Self { particles, bodies, next_particle, present, begun: true };
        rows
    }

    /// The columns of the rows.
    pub fn columns() -> Vec<&'static str> {
        let item = Item { id: 0, position: DVec3::ZERO, velocity: DVec3::ZERO };
        row(0.0, Event::Enters, ("particle", String::new()), &item).into_iter().map(|(column, _)| column).collect()
    }
}

/// Reports how the items of a box change from `before` to `after`, both in the order of their identifiers. `added` says whether an item is new in the
/// simulation, and `existing` returns those of some identifiers that are still in it, in the same order, as they are now.
fn compare(
    before: &[Item],
    after: &[Item],
    added: impl Fn(u32) -> bool,
    existing: impl Fn(&[u32]) -> Vec<Item>,
    mut report: impl FnMut(Event, &Item),
) {
    let missing: Vec<u32> =
        before.iter().map(|item| item.id).filter(|id| after.binary_search_by_key(id, |item| item.id).is_err()).collect();
    let outside = if missing.is_empty() { Vec::new() } else { existing(&missing) };
    let find = |items: &[Item], id: u32| items.binary_search_by_key(&id, |item| item.id).ok();
    let mut events: Vec<(Event, Item)> = Vec::new();
    for item in before.iter().filter(|item| missing.binary_search(&item.id).is_ok()) {
        events.push(find(&outside, item.id).map_or((Event::Vanishes, *item), |place| (Event::Leaves, outside[place])));
    }
    for item in after.iter().filter(|item| find(before, item.id).is_none()) {
        events.push((if added(item.id) { Event::Appears } else { Event::Enters }, *item));
    }
    events.sort_by_key(|(_, item)| item.id);
    events.iter().for_each(|(event, item)| report(*event, item));
}

/// A row of the table of events.
fn row(time: f64, event: Event, (kind, name): (&'static str, String), item: &Item) -> Row {
    let mut row: Row = vec![
        ("time [s]", Value::Real(time)),
        ("event", Value::Text(event.name().to_owned())),
        ("kind", Value::Text(kind.to_owned())),
        ("name", Value::Text(name)),
    ];
    push_vector(&mut row, ["position_x [m]", "position_y [m]", "position_z [m]"], item.position);
    push_vector(&mut row, ["velocity_x [m/s]", "velocity_y [m/s]", "velocity_z [m/s]"], item.velocity);
    row
}

/// Position at the end of the step, between the ends of periods.
fn place(sample: &FluidSample, position: Vec3A) -> DVec3 {
    sample.settings.domain.wrap(position.as_dvec3())
}

fn particle_item(place_in_arrays: usize, sample: &FluidSample) -> Item {
    let position = place(sample, sample.after[place_in_arrays]);
    Item { id: sample.ids[place_in_arrays], position, velocity: sample.velocities[place_in_arrays].as_dvec3() }
}

fn body_item(id: u32, sample: &FluidSample) -> Item {
    let body = &sample.bodies[id as usize];
    Item { id, position: body.center(), velocity: body.velocity }
}

fn particles_in(region: &Aabb, sample: &FluidSample) -> Vec<Item> {
    let inside = |&i: &usize| region.contains(place(sample, sample.after[i]));
    let mut items: Vec<Item> = (0..sample.after.len()).into_par_iter().filter(inside).map(|i| particle_item(i, sample)).collect();
    items.sort_unstable_by_key(|item| item.id);
    items
}

fn bodies_in(region: &Aabb, sample: &FluidSample) -> Vec<Item> {
    let present = (0..sample.bodies.len()).filter(|&index| sample.bodies[index].is_present());
    present.map(|index| body_item(index as u32, sample)).filter(|item| region.contains(item.position)).collect()
}

/// The particles with these identifiers, which increase, that still exist.
fn items_of(ids: &[u32], sample: &FluidSample) -> Vec<Item> {
    let wanted = |&i: &usize| ids.binary_search(&sample.ids[i]).is_ok();
    let mut items: Vec<Item> = (0..sample.ids.len()).into_par_iter().filter(wanted).map(|i| particle_item(i, sample)).collect();
    items.sort_unstable_by_key(|item| item.id);
    items
}
