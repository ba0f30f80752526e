//! Initial state of the blocks: checks that they do not overlap, and assigns fixed points, bolts, loads and measured points to blocks.

use glam::DVec2;
use plimsoll_contract::simulator::Watch;
use plimsoll_search::planar::{PairSearch, SearchMethod};

use super::{
    error::BlocksError,
    generation::overlap_area,
    settings::{BlockEntry, BlocksSettings},
    state::BlocksState,
    step::{Bolt, Load, Supports},
};

/// Maximum overlap of two blocks at time zero, as a share of the smaller one.
const OVERLAP: f64 = 1e-3;

/// Blocks with their supports and loads, and the measured followers.
pub struct Placement {
    pub state: BlocksState,
    pub supports: Supports,
    /// Indices into the followers.
    pub measured: Vec<u32>,
}

impl Placement {
    /// # Errors
    /// If blocks overlap, a point is outside all blocks, or no block can move.
    pub fn new(settings: &BlocksSettings, watch: &dyn Watch) -> Result<Self, BlocksError> {
        let mut state = BlocksState::new(settings);
        let cutoff = settings.step.cutoff();
        check_overlaps(&state, settings, watch)?;
        let mut follow = |what: &'static str, (table, index, end): (&str, usize, &str), point: DVec2| match state.block_at(point, cutoff) {
            Some(block) => Ok(state.follow(block, point)),
            None => Err(BlocksError::NoBlock { key: format!("blocks.{table}[{}].{end}", index + 1), what, point }),
        };
        let fixed_points =
            settings.fixed_points.iter().enumerate().map(|(index, &point)| follow("fixed point", ("fixed_point", index, "at"), point));
        let fixed_points = fixed_points.collect::<Result<Vec<_>, _>>()?;
        let measured = settings
            .measured
            .iter()
            .enumerate()
            .map(|(index, point)| follow("measured point", ("measured_point", index, "at"), point.point));
        let measured = measured.collect::<Result<Vec<_>, _>>()?;
        let bolts = settings.bolts.iter().enumerate().map(|(index, bolt)| {
            let from = follow("bolt", ("bolt", index, "from"), bolt.ends[0])?;
            let ends = [from, follow("bolt", ("bolt", index, "to"), bolt.ends[1])?];
            let length = bolt.ends[0].distance(bolt.ends[1]) - bolt.pretension / bolt.stiffness;
            Ok(Bolt { ends, stiffness: bolt.stiffness, length })
        });
        let bolts = bolts.collect::<Result<Vec<_>, BlocksError>>()?;
        let loads = settings.loads.iter().enumerate().map(|(index, load)| {
            let point = follow("load", ("load", index, "at"), load.point)?;
            Ok(Load { point, force: load.force, from: load.from, until: load.until })
        });
        let loads = loads.collect::<Result<Vec<_>, BlocksError>>()?;
        if !state.blocks.iter().any(|block| block.moves()) {
            return Err(BlocksError::NothingMoves);
        }
        Ok(Self { state, supports: Supports { fixed_points, bolts, loads }, measured })
    }
}

fn check_overlaps(state: &BlocksState, settings: &BlocksSettings, watch: &dyn Watch) -> Result<(), BlocksError> {
    let mut pairs = Vec::new();
    // Searches by boxes only: a block completely inside a complex one has no edge near its edges.
    PairSearch::new(SearchMethod::DoubleEndedSort, None).find(&state.outlines(), 0.0, &mut pairs);
    pairs.sort_unstable();
    let count = pairs.len();
    for (done, [first, second]) in pairs.into_iter().enumerate() {
        watch.progress("checking blocks for overlaps", done, count)?;
        let blocks = [first, second].map(|index| &state.blocks[index as usize]);
        if blocks.iter().all(|block| block.fixed) {
            continue;
        }
        let area = overlap_area(state.polygon(first as usize), state.polygon(second as usize));
        if area > OVERLAP * blocks.iter().map(|block| block.moments.area).fold(f64::INFINITY, f64::min) {
            let place = state.blocks[first.max(second) as usize].moments.centroid;
            let entry = settings.blocks[second as usize].entry;
            let key = entry.map_or_else(|| "blocks".to_owned(), BlockEntry::key);
            return Err(BlocksError::Overlap { key, first: first as usize + 1, second: second as usize + 1, area, place });
        }
    }
    Ok(())
}
