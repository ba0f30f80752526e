//! The state of all blocks and of the points attached to them.

use glam::DVec2;
use plimsoll_base::math::Rectangle;
use plimsoll_search::planar::{Outlines, is_complex};
use plimsoll_shape::polygon::{Moments, winding_number};
use serde::{Deserialize, Serialize};

use super::{
    block::{Block, Dof6, turned},
    settings::{BlockDefinition, BlocksSettings},
};

/// Polygons and their data.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BlocksState {
    /// All blocks, removed ones included.
    pub blocks: Vec<Block>,
    /// Vertices of all blocks, consecutive, counterclockwise, meters.
    pub vertices: Vec<DVec2>,
    /// Block `k` has the vertices from `offsets[k]` up to `offsets[k + 1]`.
    pub offsets: Vec<u32>,
    /// Bounding box of each block; empty for removed ones.
    pub boxes: Vec<Rectangle>,
    /// Whether the shape of each block is complex, for the search.
    pub complex: Vec<bool>,
    /// Points that move with their blocks.
    pub points: Vec<Follower>,
}

/// A point attached to a block.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Follower {
    /// Index of the block.
    pub block: u32,
    /// Current position, m.
    pub position: DVec2,
    /// Position at time zero.
    pub start: DVec2,
}

impl BlocksState {
    /// The state at time zero.
    pub fn new(settings: &BlocksSettings) -> Self {
        let (mut vertices, mut offsets) = (Vec::new(), vec![0]);
        for block in &settings.blocks {
            vertices.extend(&block.vertices);
            offsets.push(vertices.len() as u32);
        }
        let block = |definition: &BlockDefinition| {
            let material = &settings.materials[definition.material as usize];
            let moments = Moments::of(&definition.vertices);
            let DVec2 { x, y } = definition.velocity;
            Block {
                material: definition.material,
                fixed: definition.fixed,
                gone: false,
                moments,
                mass: material.density * moments.area,
                velocity: if definition.fixed { [0.0; 6] } else { [x, y, definition.angular_velocity, 0.0, 0.0, 0.0] },
                stress: if definition.fixed { [0.0; 3] } else { material.initial_stress },
                rotation: 0.0,
                start: moments.centroid,
            }
        };
        let blocks: Vec<Block> = settings.blocks.iter().map(block).collect();
        let complex = is_complex(&vertices, &offsets);
        let boxes = vec![Rectangle::EMPTY; blocks.len()];
        let mut state = Self { blocks, vertices, offsets, boxes, complex, points: Vec::new() };
        state.update_boxes();
        state
    }

    /// Polygons and boxes for the search.
    pub fn outlines(&self) -> Outlines<'_> {
        Outlines { vertices: &self.vertices, offsets: &self.offsets, boxes: &self.boxes, complex: &self.complex }
    }

    /// Vertices of one block, counterclockwise, m.
    pub fn polygon(&self, block: usize) -> &[DVec2] {
        &self.vertices[self.offsets[block] as usize..self.offsets[block + 1] as usize]
    }

    /// The block with `point` (m) inside at more than `tolerance` from its edges; otherwise a moving block within `tolerance` of it, or
    /// else a fixed one. If there are several, the first.
    pub fn block_at(&self, point: DVec2, tolerance: f64) -> Option<u32> {
        let edge_near = |polygon: &[DVec2]| {
            (0..polygon.len()).any(|k| {
                let (a, along) = (polygon[k], polygon[(k + 1) % polygon.len()] - polygon[k]);
                let share = ((point - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
                point.distance(a + share * along) <= tolerance
            })
        };
        let within = |block: usize, by: f64| {
            let polygon = self.polygon(block);
            let inside = !self.blocks[block].gone && winding_number(polygon, point) != 0;
            inside && (by == 0.0 || !edge_near(polygon))
        };
        let present = || (0..self.blocks.len()).filter(|&block| !self.blocks[block].gone);
        let well_inside = present().find(|&block| within(block, tolerance));
        let near = |moves: bool| {
            let belongs = |&block: &usize| self.blocks[block].moves() == moves && (within(block, 0.0) || edge_near(self.polygon(block)));
            present().find(belongs)
        };
        well_inside.or_else(|| near(true)).or_else(|| near(false)).map(|block| block as u32)
    }

    /// Attaches a point to `block` and returns its index among the points.
    pub fn follow(&mut self, block: u32, position: DVec2) -> u32 {
        self.points.push(Follower { block, position, start: position });
        self.points.len() as u32 - 1
    }

    /// Moves block `index` by `d`, with the points attached to it.
    pub fn move_block(&mut self, index: usize, d: &Dof6) {
        let range = self.offsets[index] as usize..self.offsets[index + 1] as usize;
        let block = &mut self.blocks[index];
        for vertex in &mut self.vertices[range.clone()] {
            *vertex = block.moved(*vertex, d);
        }
        block.rotation += d[2];
        block.stress = turned(block.stress, d[2], 1.0);
        let [.., x, y, xy] = block.velocity;
        let rates = turned([x, y, xy], d[2], 2.0);
        block.velocity[3..].copy_from_slice(&rates);
        block.moments = Moments::of(&self.vertices[range]);
    }

    /// Updates the boxes after blocks have moved.
    pub fn update_boxes(&mut self) {
        for index in 0..self.blocks.len() {
            self.boxes[index] =
                if self.blocks[index].gone { Rectangle::EMPTY } else { Rectangle::around(self.polygon(index).iter().copied()) };
        }
    }
}
