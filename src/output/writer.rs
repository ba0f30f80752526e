//! Writes frames on a thread of its own, so that the simulation goes on meanwhile.

use std::{
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel},
    thread::{self, JoinHandle},
};

use super::{
    file::{OutputError, replace_file},
    format::Format,
    ply::{write_bodies_ply, write_particles_ply, write_polygons_ply},
    vtk::{Collection, write_bodies_vtu, write_particles_vtu, write_polygons_vtu},
};
use crate::frame::Frame;

/// Frames that may wait to be written; the simulation waits when there are more, which bounds memory.
const WAITING_FRAMES: usize = 2;

/// The frame files of one run: `particles_000000.vtu`, `bodies_000000.vtu`, `polygons_000000.vtu`, … and their collections, or `.ply`.
#[derive(Debug)]
pub struct FrameFiles {
    folder: PathBuf,
    formats: Vec<Format>,
    particles: Collection,
    bodies: Collection,
    polygons: Collection,
}

impl FrameFiles {
    /// Files in `folder`; the frames of which `earlier_times` (seconds, from frame 0 on) tells are there already.
    pub fn new(folder: &Path, formats: Vec<Format>, earlier_times: &[f64]) -> Self {
        let collection = |series: &str| {
            let entries = earlier_times.iter().enumerate().map(|(index, &time)| (time, file_name(series, index as u64, "vtu"))).collect();
            Collection::new(folder.join(format!("{series}.pvd")), entries)
        };
        let [particles, bodies, polygons] = ["particles", "bodies", "polygons"].map(collection);
        Self { folder: folder.to_owned(), formats, particles, bodies, polygons }
    }

    /// Writes frame number `index` in every format. Files of bodies are written only if there are bodies, those of polygons only if there
    /// are polygons, and those of particles unless there are polygons only.
    pub fn write(&mut self, index: u64, frame: &Frame) -> Result<(), OutputError> {
        let has_particles = frame.polygons.is_empty() || !frame.particles.positions.is_empty();
        for format in &self.formats {
            let place = |series: &str, extension: &str| self.folder.join(file_name(series, index, extension));
            match format {
                Format::Vtk => {
                    if has_particles {
                        replace_file(&place("particles", "vtu"), |writer| write_particles_vtu(writer, &frame.particles))?;
                        self.particles.add(frame.time, file_name("particles", index, "vtu"))?;
                    }
                    if !frame.bodies.is_empty() {
                        replace_file(&place("bodies", "vtu"), |writer| write_bodies_vtu(writer, &frame.bodies))?;
                        self.bodies.add(frame.time, file_name("bodies", index, "vtu"))?;
                    }
                    if !frame.polygons.is_empty() {
                        replace_file(&place("polygons", "vtu"), |writer| write_polygons_vtu(writer, &frame.polygons))?;
                        self.polygons.add(frame.time, file_name("polygons", index, "vtu"))?;
                    }
                }
                Format::Ply => {
                    if has_particles {
                        replace_file(&place("particles", "ply"), |writer| write_particles_ply(writer, &frame.particles))?;
                    }
                    if !frame.bodies.is_empty() {
                        replace_file(&place("bodies", "ply"), |writer| write_bodies_ply(writer, &frame.bodies))?;
                    }
                    if !frame.polygons.is_empty() {
                        replace_file(&place("polygons", "ply"), |writer| write_polygons_ply(writer, &frame.polygons))?;
                    }
                }
            }
        }
        Ok(())
    }
}

fn file_name(series: &str, index: u64, extension: &str) -> String {
    format!("{series}_{index:06}.{extension}")
}

enum Job {
    Frame(u64, Box<Frame>),
    /// Answered once all frames before it lie on disk.
    Flush(Sender<()>),
}

/// The writing thread. After an error it stops; the error comes back from the next call.
#[derive(Debug)]
pub struct FrameWriter {
    jobs: Option<SyncSender<Job>>,
    thread: Option<JoinHandle<Result<(), OutputError>>>,
}

impl FrameWriter {
    pub fn new(files: FrameFiles) -> Self {
        let (sender, receiver) = sync_channel(WAITING_FRAMES);
        let thread = thread::spawn(move || write_all(files, &receiver));
        Self { jobs: Some(sender), thread: Some(thread) }
    }

    /// Queues frame number `index`; waits if too many are queued already.
    pub fn write(&mut self, index: u64, frame: Frame) -> Result<(), OutputError> {
        self.send(Job::Frame(index, Box::new(frame)))
    }

    /// Returns when all queued frames lie on disk.
    pub fn flush(&mut self) -> Result<(), OutputError> {
        let (done, wait) = channel();
        self.send(Job::Flush(done))?;
        if wait.recv().is_err() { self.finish() } else { Ok(()) }
    }

    /// Writes what is queued and ends the thread. Calls after this one do nothing.
    pub fn finish(&mut self) -> Result<(), OutputError> {
        self.jobs = None;
        match self.thread.take().map(JoinHandle::join) {
            None => Ok(()),
            Some(Ok(written)) => written,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
        }
    }

    fn send(&mut self, job: Job) -> Result<(), OutputError> {
        match &self.jobs {
            Some(jobs) if jobs.send(job).is_ok() => Ok(()),
            _ => self.finish(),
        }
    }
}

impl Drop for FrameWriter {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // Whoever drops the writer without `finish` has an error of its own to report.
            let _ = thread.join();
        }
    }
}

fn write_all(mut files: FrameFiles, jobs: &Receiver<Job>) -> Result<(), OutputError> {
    for job in jobs {
        match job {
            Job::Frame(index, frame) => files.write(index, &frame)?,
            // Nobody waits for the answer any more if the receiver is gone.
            Job::Flush(done) => drop(done.send(())),
        }
    }
    Ok(())
}
