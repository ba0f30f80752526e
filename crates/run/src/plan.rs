//! The input of a run.

use std::collections::BTreeSet;

use plimsoll_base::math::ticks::tick;
use plimsoll_blocks::BlocksSettings;
use plimsoll_fluid::{FillShape, FluidSettings};
use plimsoll_output::{Format, SceneRecord};
use plimsoll_scene::{Definition, FrameFormat, Scene};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Everything that a run needs besides its simulation.
#[derive(Clone, Debug)]
pub struct RunPlan {
    /// Title of the scene.
    pub title: String,
    /// Seed of the random number generators.
    pub seed: u64,
    /// When and how the run writes.
    pub schedule: Schedule,
    /// Settings to record in `run.json`.
    pub settings: Value,
    /// The scene file, for `run.json`.
    pub scene: SceneRecord,
}

/// When and how a run writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    /// Time at which the run begins, s.
    pub start_time: f64,
    /// Simulated seconds.
    pub duration: f64,
    /// Frames written per simulated second.
    pub frames_per_second: f64,
    /// Seconds of wall time.
    pub checkpoint_interval: f64,
    /// Formats in which frames are written.
    pub formats: Vec<Format>,
}

impl RunPlan {
    /// The plan of `scene`, read from `text`.
    pub fn new(scene: &Scene, text: String) -> Self {
        let schedule = Schedule {
            start_time: scene.start.as_ref().map_or(0.0, |start| start.time),
            duration: scene.duration,
            frames_per_second: scene.frames_per_second,
            checkpoint_interval: scene.checkpoint_interval,
            formats: scene.formats.iter().copied().map(file_format).collect(),
        };
        let settings = match &scene.definition {
            Definition::Fluid { settings, .. } => json!({ "run": schedule, "fluid": fluid_settings(settings) }),
            Definition::Gas(settings) => json!({ "run": schedule, "gas": settings }),
            Definition::Aggregates(settings) => json!({ "run": schedule, "aggregates": settings }),
            Definition::Blocks(settings) => json!({ "run": schedule, "blocks": block_settings(settings) }),
            Definition::Grains { settings, .. } => json!({ "run": schedule, "grains": settings }),
        };
        Self { title: scene.title.clone(), seed: scene.seed, settings, schedule, scene: SceneRecord { path: scene.path.clone(), text } }
    }

    /// Writes frames in `formats`, without duplicates, instead of those of the scene.
    pub fn set_formats(&mut self, formats: impl IntoIterator<Item = Format>) {
        self.schedule.formats = formats.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
        self.settings["run"] = json!(self.schedule);
    }
}

/// The format of the files for a format of the scene.
fn file_format(format: FrameFormat) -> Format {
    match format {
        FrameFormat::Vtk => Format::Vtk,
        FrameFormat::Ply => Format::Ply,
    }
}

/// Settings with meshes replaced by their sizes.
fn fluid_settings(settings: &FluidSettings) -> Value {
    let mut fills = settings.fills.clone();
    let sizes: Vec<_> = fills
        .iter_mut()
        .map(|fill| match &mut fill.shape {
            FillShape::Mesh(mesh) => {
                let mesh = std::mem::take(mesh);
                Some(json!({ "vertices": mesh.vertices.len(), "triangles": mesh.triangles.len() }))
            }
            FillShape::Box { .. } | FillShape::Sphere { .. } => None,
        })
        .collect();
    let mut value = json!(FluidSettings { fills, ..settings.clone() });
    for (index, size) in sizes.into_iter().enumerate() {
        if let Some(size) = size {
            value["fills"][index]["shape"] = json!({ "Mesh": size });
        }
    }
    value
}

/// Settings with the blocks replaced by their number.
fn block_settings(settings: &BlocksSettings) -> Value {
    let mut value = json!(BlocksSettings { blocks: Vec::new(), ..settings.clone() });
    value["blocks"] = json!({ "count": settings.blocks.len() });
    value
}

impl Schedule {
    /// Time of frame number `frame`, seconds; computed only from the number, so that it never drifts.
    pub fn frame_time(&self, frame: u64) -> f64 {
        tick(self.start_time, self.frames_per_second, frame)
    }

    /// Number of frames up to `end` (from [`Schedule::end`]), including frame 0.
    pub fn frame_count(&self, end: f64) -> u64 {
        let last = self.nearest_frame(end);
        if self.frame_time(last) <= end { last + 1 } else { last }
    }

    /// Number of the first frame after `time` (s).
    pub fn next_frame(&self, time: f64) -> u64 {
        let nearest = self.nearest_frame(time);
        if self.frame_time(nearest) > time { nearest } else { nearest + 1 }
    }

    /// Number of the frame closest to `time` (s); 0 before the start.
    fn nearest_frame(&self, time: f64) -> u64 {
        ((time - self.start_time) * self.frames_per_second).round() as u64
    }

    /// The time at which a run ends: `until`, or else the duration after the start. A time that equals a frame time up to rounding is replaced by that
    /// frame time, to avoid a step of almost zero length after it.
    pub fn end(&self, until: Option<f64>) -> f64 {
        let end = until.unwrap_or(self.start_time + self.duration);
        let nearest = self.frame_time(self.nearest_frame(end));
        if ((nearest - end) * self.frames_per_second).abs() < 1e-9 { nearest } else { end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(duration: f64, frames_per_second: f64) -> Schedule {
        Schedule { start_time: 0.0, duration, frames_per_second, checkpoint_interval: 60.0, formats: vec![Format::Vtk] }
    }

    #[test]
    fn the_end_is_a_frame_time_but_for_rounding() {
        for frames_per_second in [24.0, 30.0, 50.0, 59.94, 1000.0] {
            for frame in 1..500 {
                let schedule = schedule(1.0, frames_per_second);
                let time = schedule.frame_time(frame);
                for rounded in [time, time.next_up(), time.next_down(), time * (1.0 + 1e-14)] {
                    assert_eq!(schedule.end(Some(rounded)), time);
                }
                assert_eq!(schedule.frame_count(time), frame + 1);
                assert_eq!(schedule.frame_count(time * (1.0 - 1e-6)), frame);
            }
        }
    }

    #[test]
    fn an_end_between_frames_stays() {
        let schedule = schedule(0.3333, 30.0);
        assert_eq!(schedule.end(None), 0.3333);
        assert_eq!(schedule.frame_count(0.3333), 10);
        assert_eq!(schedule.frame_count(0.34), 11);
    }

    #[test]
    fn frames_are_counted_from_the_start() {
        for start_time in [0.0, 1.5, 60.0, 0.123_456] {
            let schedule = Schedule { start_time, ..schedule(0.5, 50.0) };
            assert_eq!((schedule.frame_time(0), schedule.frame_count(schedule.end(None))), (start_time, 26));
            assert_eq!(schedule.end(None), schedule.frame_time(25));
            let times = [start_time, start_time + 0.01, schedule.frame_time(1), start_time + 0.03];
            assert_eq!(times.map(|time| schedule.next_frame(time)), [1, 1, 2, 2], "{start_time}");
            assert_eq!(schedule.end(Some(start_time + 0.013)), start_time + 0.013);
        }
        assert_eq!(Schedule { start_time: 60.0, ..schedule(0.5, 50.0) }.end(Some(3.0)), 3.0);
    }
}
