//! Writes frames in a background thread.

use std::{
    collections::BTreeSet,
    fs,
    io::{self, BufWriter},
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel},
    thread::{self, JoinHandle},
};

use plimsoll_contract::frame::Frame;

use super::{
    file::{OutputError, replace_file_unsynced, sync_files},
    format::Format,
    ply::{write_bodies_ply, write_contacts_ply, write_particles_ply, write_polygons_ply},
    vtk::{Collection, write_bodies_vtu, write_contacts_vtu, write_grid_vti, write_particles_vtu, write_polygons_vtu},
};

/// Maximum number of frames waiting to be written, besides the one being written. The simulation waits if there are more, which bounds memory.
const WAITING_FRAMES: usize = 1;

/// The frame files of one run: `particles_000000.vtu`, `bodies_000000.vtu`, `polygons_000000.vtu`, `contacts_000000.vtu`, … and their
/// collections, or `.ply`; grids as `grid_NAME_000000.vti` in either case.
#[derive(Debug)]
pub struct FrameFiles {
    folder: PathBuf,
    formats: Vec<Format>,
    particles: Series,
    bodies: Series,
    polygons: Series,
    contacts: Series,
    /// One for each grid of the frames, by name.
    grids: Vec<Series>,
    /// Times of the frames that already exist, s.
    earlier_times: Vec<f64>,
}

/// Files of one kind.
#[derive(Debug)]
struct Series {
    name: String,
    collection: Collection,
    /// Files that have not been passed to the device.
    unsynced: BTreeSet<PathBuf>,
}

/// A file being written.
type File = BufWriter<fs::File>;

impl FrameFiles {
    /// Files in `folder`; frames at `earlier_times` (s, starting at frame 0) already exist.
    pub fn new(folder: &Path, formats: Vec<Format>, earlier_times: &[f64]) -> Self {
        let series = |name: &str| Series::new(folder, name.to_owned(), "vtu", earlier_times);
        let [particles, bodies, polygons, contacts] = ["particles", "bodies", "polygons", "contacts"].map(series);
        let (folder, earlier_times) = (folder.to_owned(), earlier_times.to_owned());
        Self { folder, formats, particles, bodies, polygons, contacts, grids: Vec::new(), earlier_times }
    }

    /// Writes frame number `index` in every format. Files of bodies are written only if there are bodies, those of polygons only if there
    /// are polygons, those of contacts if requested, and those of particles unless there are only polygons.
    pub fn write(&mut self, index: u64, frame: &Frame) -> Result<(), OutputError> {
        let Self { folder, formats, particles, bodies, polygons, contacts, grids, earlier_times } = self;
        let Frame { time, .. } = *frame;
        for &format in formats.iter() {
            let place = Place { folder, format, index, time };
            if frame.polygons.is_empty() || !frame.particles.positions.is_empty() {
                particles.write(place, &frame.particles, |to, it| write_particles_vtu(to, it), |to, it| write_particles_ply(to, it))?;
            }
            if !frame.bodies.is_empty() {
                bodies.write(place, &frame.bodies, |to, it| write_bodies_vtu(to, it), |to, it| write_bodies_ply(to, it))?;
            }
            if !frame.polygons.is_empty() {
                polygons.write(place, &frame.polygons, |to, it| write_polygons_vtu(to, it), |to, it| write_polygons_ply(to, it))?;
            }
            if let Some(frame) = &frame.contacts {
                contacts.write(place, frame, |to, it| write_contacts_vtu(to, it), |to, it| write_contacts_ply(to, it))?;
            }
        }
        for grid in &frame.grids {
            let name = format!("grid_{}", grid.name);
            let known = grids.iter().position(|series| series.name == name);
            let place = known.unwrap_or_else(|| {
                grids.push(Series::new(folder, name, "vti", earlier_times));
                grids.len() - 1
            });
            grids[place].write_vtk(folder, index, time, "vti", |to| write_grid_vti(to, grid))?;
        }
        Ok(())
    }

    /// Waits until all files written so far are on the device.
    pub fn sync(&mut self) -> Result<(), OutputError> {
        let Self { folder, particles, bodies, polygons, contacts, grids, .. } = self;
        let series = [particles, bodies, polygons, contacts];
        sync_files(folder, series.into_iter().chain(grids).flat_map(|series| std::mem::take(&mut series.unsynced)))
    }

    /// The frames before number `count` of which a format has no file.
    pub fn missing(&self, count: u64) -> Vec<u64> {
        let exists = |index, extension| {
            let series = [&self.particles, &self.bodies, &self.polygons];
            series.iter().any(|series| self.folder.join(file_name(&series.name, index, extension)).is_file())
        };
        (0..count).filter(|&index| !self.formats.iter().all(|format| exists(index, format.extension()))).collect()
    }
}

/// Identifies the file of a frame in a series.
#[derive(Clone, Copy)]
struct Place<'a> {
    folder: &'a Path,
    format: Format,
    index: u64,
    /// Seconds.
    time: f64,
}

impl Series {
    /// Files called `name` in `folder`, of which those of frames at `earlier_times` (s) already exist.
    fn new(folder: &Path, name: String, extension: &str, earlier_times: &[f64]) -> Self {
        let entries = earlier_times.iter().enumerate().map(|(index, &time)| (time, file_name(&name, index as u64, extension))).collect();
        let collection = Collection::new(folder.join(format!("{name}.pvd")), entries);
        Self { name, collection, unsynced: BTreeSet::new() }
    }

    fn write<T>(
        &mut self,
        Place { folder, format, index, time }: Place,
        content: &T,
        vtu: impl FnOnce(&mut File, &T) -> io::Result<()>,
        ply: impl FnOnce(&mut File, &T) -> io::Result<()>,
    ) -> Result<(), OutputError> {
        if format == Format::Vtk {
            return self.write_vtk(folder, index, time, format.extension(), |writer| vtu(writer, content));
        }
        let path = folder.join(file_name(&self.name, index, format.extension()));
        replace_file_unsynced(&path, |writer| ply(writer, content))?;
        self.unsynced.insert(path);
        Ok(())
    }

    /// Writes frame number `index` at `time` (s) as a file for ParaView and adds it to the collection.
    fn write_vtk(
        &mut self,
        folder: &Path,
        index: u64,
        time: f64,
        extension: &str,
        write: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> Result<(), OutputError> {
        let name = file_name(&self.name, index, extension);
        let path = folder.join(&name);
        replace_file_unsynced(&path, write)?;
        self.collection.add(time, name)?;
        self.unsynced.extend([self.collection.path().to_owned(), path]);
        Ok(())
    }
}

fn file_name(series: &str, index: u64, extension: &str) -> String {
    format!("{series}_{index:06}.{extension}")
}

enum Job {
    Frame(u64, Box<Frame>),
    /// Completed once all previous frames are on the device.
    Flush(Sender<()>),
}

/// The writing thread. It stops after an error, which the next call returns.
#[derive(Debug)]
pub struct FrameWriter {
    jobs: Option<SyncSender<Job>>,
    thread: Option<JoinHandle<Result<(), OutputError>>>,
}

impl FrameWriter {
    /// Writes `files` on a separate thread.
    pub fn new(files: FrameFiles) -> Self {
        let (sender, receiver) = sync_channel(WAITING_FRAMES);
        let thread = thread::spawn(move || write_all(files, &receiver));
        Self { jobs: Some(sender), thread: Some(thread) }
    }

    /// Queues frame number `index`; waits if too many are queued already.
    pub fn write(&mut self, index: u64, frame: Frame) -> Result<(), OutputError> {
        self.send(Job::Frame(index, Box::new(frame)))
    }

    /// Waits until all queued frames are on the device.
    pub fn flush(&mut self) -> Result<(), OutputError> {
        let (done, wait) = channel();
        self.send(Job::Flush(done))?;
        if wait.recv().is_err() { self.finish() } else { Ok(()) }
    }

    /// Writes the queued frames and ends the thread. Later calls do nothing.
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
            // A caller that drops the writer without `finish` already has an error to report.
            let _ = thread.join();
        }
    }
}

fn write_all(mut files: FrameFiles, jobs: &Receiver<Job>) -> Result<(), OutputError> {
    for job in jobs {
        match job {
            Job::Frame(index, frame) => files.write(index, &frame)?,
            Job::Flush(done) => {
                files.sync()?;
                // If the receiver has been dropped, nobody is waiting.
                let _ = done.send(());
            }
        }
    }
    Ok(())
}
