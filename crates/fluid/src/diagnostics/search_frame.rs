//! The wall search at one instant, as marks to draw.

use glam::DVec3;
use plimsoll_bodies::Body;
use plimsoll_contract::frame::{BallMark, CellMark, ContactMark, SearchFrame};

use crate::{coupling::WallSearch, neighbourhood::Neighbourhood};

/// What the last step searched and found, for `bodies` at their current poses; without the segments.
pub fn search_frame(bodies: &[Body], neighbourhood: &Neighbourhood, walls: &WallSearch) -> SearchFrame {
    let grid = &neighbourhood.grid;
    let balls = bodies.iter().enumerate().flat_map(|(index, body)| {
        body.segmentation.segments.iter().map(move |segment| {
            let ball = segment.ball.transformed(&body.pose);
            let (center, radius, normal) = (ball.center, ball.radius, ball.normal);
            BallMark { body: index as u32, center, radius, normal, lower: ball.lower, upper: ball.upper }
        })
    });
    let cells = walls.mapping.kept(grid).into_iter().map(|(cell, body)| CellMark { body, center: grid.layout().center(cell) });
    let acting = walls.contacts.list.iter().filter(|contact| contact.value > 0.0);
    let contacts = acting.map(|contact| ContactMark {
        body: contact.body,
        position: contact.point.as_dvec3(),
        direction: contact.gradient.as_dvec3().try_normalize().unwrap_or(DVec3::ZERO),
        share: contact.value,
    });
    SearchFrame {
        balls: balls.collect(),
        cell_size: grid.layout().min_size,
        cells: cells.collect(),
        contacts: contacts.collect(),
        segments: Vec::new(),
    }
}
