//! Pictures, film and the window, drawn with any available adapter, including software Vulkan.
//!
//! References are in `tests/references`; `PLIMSOLL_WRITE_REFERENCES=1` rewrites them. Look at them when you do.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    thread::sleep,
    time::{Duration, Instant},
};

use plimsoll_contract::simulator::Unwatched;
use plimsoll_run::{RunPlan, Simulation};
use plimsoll_scene::{Definition, ParticleStyle, Scene};
use plimsoll_viewer::{Appearance, FrameSelection, FrameSource, LiveSource, Picture, RenderOptions, render};
use tempfile::TempDir;

/// Mean difference per channel, in steps of 256, that other drivers and rounding may cause.
const TOLERANCE: f64 = 3.0;
const SIZE: [u32; 2] = [320, 180];
const PATIENCE: Duration = Duration::from_secs(120);

fn package_file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The shipped scene `name`, with particles `coarsening` times as large, and only the first frames.
fn scene(name: &str, coarsening: f64) -> (Scene, LiveSource) {
    let path = package_file(&format!("scenes/fluid/{name}.toml"));
    let text = fs::read_to_string(&path).expect("a scene");
    let scene = Scene::parse(&text, &path).unwrap_or_else(|error| panic!("{error}"));
    let schedule = RunPlan::new(&scene, text).schedule;
    let Definition::Fluid { mut settings, bodies } = scene.definition.clone() else { panic!("{name} is a scene of a fluid") };
    settings.particle_radius *= coarsening;
    settings.settle = false;
    let simulation = Simulation::new(Definition::Fluid { settings, bodies }, &Unwatched).expect("a simulation");
    (scene, LiveSource::new(simulation, schedule))
}

/// A picture of frame `frame` of the scene.
fn picture(name: &str, frame: u64, style: ParticleStyle) -> Picture {
    let folder = TempDir::new().expect("a folder");
    let (scene, mut source) = scene(name, 1.6);
    let out = folder.path().join("picture.png");
    let options = options(&scene, &out, style, FrameSelection { first: frame, last: Some(frame), step: 1 });
    render(&mut source, &options, &mut |_, _| {}).unwrap_or_else(|error| panic!("{error:#}"));
    Picture::load_png(&out).expect("a picture")
}

fn options(scene: &Scene, out: &Path, style: ParticleStyle, frames: FrameSelection) -> RenderOptions {
    RenderOptions {
        out: out.to_owned(),
        size: SIZE,
        appearance: Appearance { style, ..Appearance::new(&scene.picture) },
        camera: scene.camera.clone(),
        orbit: None,
        frames: Some(frames),
        frames_per_second: None,
        paths: None,
    }
}

/// Checks that `picture` matches the reference `name`.
fn compare(picture: &Picture, name: &str) {
    let path = package_file(&format!("tests/references/{name}.png"));
    if std::env::var_os("PLIMSOLL_WRITE_REFERENCES").is_some() {
        picture.save_png(&path).expect("a reference can be written");
        return;
    }
    let reference = Picture::load_png(&path).expect("a reference");
    let difference = picture.difference(&reference);
    if difference > TOLERANCE {
        let seen = std::env::temp_dir().join(format!("plimsoll_{name}_seen.png"));
        picture.save_png(&seen).expect("a picture can be saved");
        panic!("{name}: the mean difference from the reference is {difference:.2}, expected at most {TOLERANCE}; see {}", seen.display());
    }
    println!("{name}: mean difference {difference:.3}");
}

#[test]
fn a_collapsing_column_looks_as_it_did() {
    compare(&picture("dam_break_bodies", 10, ParticleStyle::Particles), "dam_break_bodies");
}

#[test]
fn floating_bodies_in_clear_water_look_as_they_did() {
    compare(&picture("floating", 4, ParticleStyle::Surface), "floating");
}

#[test]
fn surfaces_of_fluids_have_their_colors() {
    let picture = picture("two_fluids", 4, ParticleStyle::Surface);
    let count = |is_of: fn(&[u8]) -> bool| picture.pixels.chunks_exact(3).filter(|pixel| is_of(pixel)).count();
    let blue = count(|pixel| u16::from(pixel[2]) > u16::from(pixel[0]) + 60);
    let yellow = count(|pixel| u16::from(pixel[0]) > u16::from(pixel[2]) + 60 && pixel[1] > 90);
    println!("{blue} pixels of water, {yellow} of oil");
    let least = picture.pixels.len() / 3 / 20;
    assert!(blue > least && yellow > least, "{blue} pixels of water, {yellow} of oil");
}

#[test]
fn a_funnel_of_dots_looks_as_it_did() {
    compare(&picture("funnel", 6, ParticleStyle::Points), "funnel");
}

#[test]
fn the_same_input_gives_the_same_pixels() {
    let first = picture("dam_break_bodies", 3, ParticleStyle::Particles);
    let second = picture("dam_break_bodies", 3, ParticleStyle::Particles);
    assert!(first == second, "mean difference {}", first.difference(&second));
    let other = picture("dam_break_bodies", 8, ParticleStyle::Particles);
    assert!(first.difference(&other) > 0.1, "another frame gives another picture");
}

#[test]
fn films_and_animations_hold_every_frame() {
    let folder = TempDir::new().expect("a folder");
    for name in ["film.mp4", "film.gif", "pictures"] {
        let (scene, mut source) = scene("dam_break", 2.0);
        let out = folder.path().join(name);
        let frames = FrameSelection { first: 0, last: Some(8), step: 2 };
        let pictures = render(&mut source, &options(&scene, &out, ParticleStyle::Particles, frames), &mut |_, _| {});
        assert_eq!(pictures.unwrap_or_else(|error| panic!("{error:#}")), 5);
        assert_eq!(source.frames_per_second(), 50.0);
    }
    let film = mp4::read_mp4(fs::File::open(folder.path().join("film.mp4")).expect("a film")).expect("a film can be read");
    let track = film.tracks().values().next().expect("a track");
    assert_eq!((track.sample_count(), track.width(), track.height()), (5, 320, 180));
    assert!((track.frame_rate() - 25.0).abs() < 0.1, "{} pictures a second", track.frame_rate());
    assert!(!track.sequence_parameter_set().expect("parameters").is_empty());
    let mut decoder = gif::DecodeOptions::new().read_info(fs::File::open(folder.path().join("film.gif")).expect("a GIF")).expect("a GIF");
    let mut delays = Vec::new();
    while let Some(frame) = decoder.read_next_frame().expect("a frame") {
        delays.push(frame.delay);
    }
    assert_eq!(delays, [4; 5]);
    let pictures: Vec<_> = (0..5).map(|number| folder.path().join(format!("pictures/picture_{number:06}.png"))).collect();
    assert!(pictures.iter().all(|path| Picture::load_png(path).is_ok_and(|picture| [picture.width, picture.height] == SIZE)));
}

fn plimsoll(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

fn run(command: &mut Command) -> (Option<i32>, String) {
    let Output { status, stderr, .. } = command.output().expect("plimsoll can be started");
    (status.code(), String::from_utf8_lossy(&stderr).into_owned())
}

#[test]
fn without_a_driver_the_packages_are_named() {
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("picture.png");
    let out = out.to_str().expect("a path in UTF-8");
    for arguments in
        [&["render", "scenes/fluid/dam_break.toml", "--frames", "0", "--out", out][..], &["view", "scenes/fluid/dam_break.toml"]]
    {
        let mut command = plimsoll(arguments);
        for name in ["VK_ICD_FILENAMES", "VK_DRIVER_FILES", "__EGL_VENDOR_LIBRARY_FILENAMES", "LIBGL_DRIVERS_PATH"] {
            command.env(name, "/nonexistent");
        }
        let (code, text) = run(&mut command);
        assert_eq!(code, Some(1), "{text}");
        assert!(text.contains("mesa-vulkan-drivers libvulkan1"), "{text}");
        assert!(!text.contains("panicked"), "{text}");
    }
}

/// A simulation that cannot continue ends a film with a message and exit code 1.
#[test]
fn a_film_of_a_run_that_cannot_go_on_exits_with_1() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("film.gif");
    for (name, expected) in [("gas", "inelastic collapse"), ("blocks", "have no solution")] {
        let scene = format!("tests/scenes/failing/{name}.toml");
        let (code, message) = run(&mut plimsoll(&["render", &scene, "--size", "320x240", "--out", out.to_str().unwrap()]));
        assert_eq!(code, Some(1), "{message}");
        assert!(message.contains(expected) && !message.contains("panicked"), "{message}");
    }
}

#[test]
fn without_a_display_there_is_no_window_but_a_reason() {
    for display in ["", ":99999"] {
        let mut command = plimsoll(&["view", "scenes/fluid/dam_break.toml"]);
        let (code, text) = run(command.env("DISPLAY", display).env_remove("WAYLAND_DISPLAY"));
        assert_eq!(code, Some(1), "{text}");
        assert!(text.contains("cannot open a window") && text.contains("libxkbcommon-x11-0") && !text.contains("panicked"), "{text}");
    }
}

#[test]
fn what_cannot_be_drawn_is_bad_input() {
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a path in UTF-8").to_owned();
    let cases = [
        (vec!["--out".to_owned(), path("a.avi")], ".avi"),
        (vec!["--out".to_owned(), path("a.mp4"), "--size".to_owned(), "321x180".to_owned()], "even numbers"),
        (vec!["--out".to_owned(), path("a.png"), "--frames".to_owned(), "9999".to_owned()], "9999"),
        (
            vec!["--out".to_owned(), path("a.png"), "--frames".to_owned(), "0".to_owned(), "--color-by".to_owned(), "speed".to_owned()],
            "\"velocity\"",
        ),
    ];
    for (arguments, expected) in cases {
        let mut command = plimsoll(&["render", "scenes/fluid/dam_break.toml"]);
        let (code, text) = run(command.args(&arguments));
        assert_eq!(code, Some(2), "{arguments:?}: {text}");
        assert!(text.contains(expected), "{text}");
    }
}

/// A virtual display that closes when dropped.
struct Display {
    server: Child,
    number: u32,
}

impl Display {
    fn open() -> Self {
        static OPENED: AtomicU32 = AtomicU32::new(0);
        let number = 100 + 2 * (std::process::id() % 400) + OPENED.fetch_add(1, Ordering::Relaxed);
        let name = format!(":{number}");
        // A server that resets when its last client leaves refuses the client that comes at that moment. Without "-r", keys
        // repeat while the machine is busy.
        let arguments = [&name, "-noreset", "-r", "-screen", "0", "800x520x24"];
        let server = Command::new("Xvfb").args(arguments).stderr(Stdio::null()).spawn();
        let server = server.expect("Xvfb can be started (apt-get install xvfb xdotool)");
        let display = Self { server, number };
        display.wait("the display", |display| display.hand(&["getmouselocation"]).is_some());
        display
    }

    fn name(&self) -> String {
        format!(":{}", self.number)
    }

    /// Runs xdotool; returns its output if it succeeds.
    fn hand(&self, arguments: &[&str]) -> Option<String> {
        let output = Command::new("xdotool").args(arguments).env("DISPLAY", self.name()).output();
        let output = output.expect("xdotool can be started (apt-get install xvfb xdotool)");
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    fn wait(&self, what: &str, come: impl Fn(&Self) -> bool) {
        let begin = Instant::now();
        while !come(self) {
            assert!(begin.elapsed() < PATIENCE, "{what} did not come");
            sleep(Duration::from_millis(100));
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The window of plimsoll on a display.
struct Viewer<'d> {
    display: &'d Display,
    process: Child,
    folder: TempDir,
    pictures: u32,
}

impl<'d> Viewer<'d> {
    fn open(display: &'d Display, arguments: &[&str]) -> Self {
        let folder = TempDir::new().expect("a folder");
        let recordings = folder.path().to_str().expect("a path in UTF-8");
        let mut command = plimsoll(&["view", "--size", "640x400", "--recordings", recordings]);
        let process = command.args(arguments).env("DISPLAY", display.name()).spawn().expect("plimsoll can be started");
        let mut viewer = Self { display, process, folder, pictures: 0 };
        let begin = Instant::now();
        while display.hand(&["search", "--name", "plimsoll"]).is_none() {
            let ended = viewer.process.try_wait().expect("a process");
            assert!(ended.is_none(), "plimsoll ended before its window came: {ended:?}");
            assert!(begin.elapsed() < PATIENCE, "the window did not come");
            sleep(Duration::from_millis(100));
        }
        let window = display.hand(&["search", "--name", "plimsoll"]).expect("a window");
        display.hand(&["windowfocus", "--sync", &window]);
        viewer
    }

    /// The contents of the window, saved by the window itself.
    fn picture(&mut self) -> Picture {
        self.pictures += 1;
        let path = self.folder.path().join(format!("plimsoll_{:03}.png", self.pictures));
        self.display.hand(&["key", "F2"]).expect("a key");
        self.display.wait("the picture", |_| Picture::load_png(&path).is_ok());
        Picture::load_png(&path).expect("a picture")
    }

    /// The contents of the window as soon as they differ from `before`; `what` should cause the change.
    fn wait_for_change(&mut self, before: &Picture, what: &str) -> Picture {
        self.wait_until(what, |now| now.difference(before) > 0.02)
    }

    /// The contents of the window as soon as `shows` holds; `what` should cause it.
    fn wait_until(&mut self, what: &str, shows: impl Fn(&Picture) -> bool) -> Picture {
        let begin = Instant::now();
        loop {
            let now = self.picture();
            if shows(&now) {
                return now;
            }
            assert!(begin.elapsed() < PATIENCE, "{what}: the expected change did not come");
        }
    }

    fn key(&self, key: &str) {
        self.display.hand(&["key", key]).expect("a key");
    }

    /// Moves to `from` and presses at once, so that both may come within one picture of the window. A picture follows each mouse action, so that
    /// the window has processed it before the next.
    fn press(&mut self, from: [u32; 2]) {
        self.display.hand(&["mousemove", &from[0].to_string(), &from[1].to_string(), "mousedown", "1"]).expect("a press");
        self.picture();
    }

    fn drag(&mut self, to: [u32; 2]) {
        self.display.hand(&["mousemove", &to[0].to_string(), &to[1].to_string()]).expect("a move");
        self.picture();
    }

    fn release(&mut self) {
        self.display.hand(&["mouseup", "1"]).expect("a release");
        self.picture();
    }

    fn click(&mut self, place: [u32; 2]) {
        self.press(place);
        self.release();
    }

    fn close(mut self) {
        self.key("Escape");
        let begin = Instant::now();
        while self.process.try_wait().expect("a process").is_none() {
            assert!(begin.elapsed() < PATIENCE, "the window did not close");
            sleep(Duration::from_millis(100));
        }
        assert!(self.process.wait().expect("a process").success());
    }
}

impl Drop for Viewer<'_> {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A small tank with a floating box, for windows.
const POND: &str = "tests/scenes/viewer/pond.toml";
/// The middle of the box in the window of [`POND`], and an empty place, in pixels.
const BOX: [u32; 2] = [320, 175];
const EMPTY: [u32; 2] = [600, 60];
/// The button in the panel that runs or pauses the simulation.
const RUN: [u32; 2] = [45, 79];

fn red_pixels(picture: &Picture) -> usize {
    picture.pixels.chunks_exact(3).filter(|pixel| pixel[0] > 170 && pixel[1] < 90 && pixel[2] < 90).count()
}

/// Pixels of the color of the panel.
fn dark_pixels(picture: &Picture) -> usize {
    picture.pixels.chunks_exact(3).filter(|pixel| pixel.iter().all(|&value| value < 50)).count()
}

#[test]
fn a_window_opens_runs_and_is_touched() {
    let display = Display::open();
    let mut viewer = Viewer::open(&display, &["--paused", POND]);
    // The first pictures lack the panel.
    viewer.wait_until("the panel", |picture| dark_pixels(picture) > 20_000);
    let still = wait_until_settled(&mut viewer);
    compare(&still, "window");
    // A drag in an empty place rotates the view; the key F restores it.
    viewer.press(EMPTY);
    viewer.drag([EMPTY[0] - 60, EMPTY[1]]);
    viewer.release();
    let turned = viewer.wait_for_change(&still, "turning the view");
    viewer.key("f");
    viewer.wait_for_change(&turned, "the key F");
    // A key advances by one step.
    let before = viewer.picture();
    viewer.key("n");
    let stepped = viewer.wait_for_change(&before, "a step");
    // The button in the panel starts and stops the simulation.
    viewer.click(RUN);
    let ran = viewer.wait_for_change(&stepped, "running");
    viewer.click(RUN);
    wait_until_settled(&mut viewer);
    assert!(ran.difference(&stepped) > 0.02);
    // Overlay of the method.
    let before = viewer.picture();
    viewer.key("b");
    viewer.key("c");
    let marked = viewer.wait_for_change(&before, "slab-cut balls");
    viewer.key("b");
    viewer.key("c");
    viewer.wait_for_change(&marked, "no slab-cut balls");
    // Grabbing the box shows the spring.
    let free = wait_until_settled(&mut viewer);
    viewer.press(BOX);
    viewer.drag([BOX[0] + 90, BOX[1] - 60]);
    viewer.wait_until("the spring of the held box", |picture| red_pixels(picture) > red_pixels(&free) + 50);
    viewer.release();
    viewer.close();
}

/// A gauge in the middle of a small tank.
const GAUGE: &str = "tests/scenes/viewer/gauge.toml";

/// Pixels of the color of marks of probes.
fn marked_pixels(picture: &Picture) -> usize {
    let is_mark = |pixel: &&[u8]| i32::from(pixel[0]) > i32::from(pixel[1]) + 60 && i32::from(pixel[2]) > i32::from(pixel[1]) + 30;
    picture.pixels.chunks_exact(3).filter(is_mark).count()
}

#[test]
fn probes_are_marked_live_and_in_recorded_runs() {
    let display = Display::open();
    let folder = TempDir::new().expect("a folder");
    let recorded = folder.path().join("run").to_str().expect("a path in UTF-8").to_owned();
    let (code, text) = run(&mut plimsoll(&["run", GAUGE, "--until", "0.1", "--out", &recorded]));
    assert_eq!(code, Some(0), "{text}");
    for source in [GAUGE, &recorded] {
        let mut viewer = Viewer::open(&display, &["--paused", source]);
        let marked = viewer.wait_until("marks", |picture| marked_pixels(picture) > 100);
        viewer.key("i");
        viewer.wait_until("no marks", |picture| marked_pixels(picture) + 50 < marked_pixels(&marked));
        viewer.close();
    }
}

/// The picture as soon as two in a row are the same.
fn wait_until_settled(viewer: &mut Viewer) -> Picture {
    let begin = Instant::now();
    let mut last = viewer.picture();
    loop {
        sleep(Duration::from_millis(300));
        let now = viewer.picture();
        if now.difference(&last) < 1e-3 {
            return now;
        }
        assert!(begin.elapsed() < PATIENCE, "the window never comes to rest");
        last = now;
    }
}
