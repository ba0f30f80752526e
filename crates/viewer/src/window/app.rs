//! Draws the window picture by picture.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use glam::{DVec3, Vec2, Vec3};
use kiss3d::{
    camera::{Camera3d, OrbitCamera3d},
    event::{Action as ButtonAction, WindowEvent},
    prelude::Color,
    window::Window,
};
use plimsoll_base::math::{Aabb, Pose};
use plimsoll_contract::{
    frame::{Frame, ParticleFrame},
    simulator::Instrument,
};
use plimsoll_scene::{ParticleStyle, PictureSettings, Viewpoint};

use super::{
    drop::body_above,
    help::draw_help,
    keys::{Action, action},
    marks::{Projection, draw_marks},
    mouse::{Mouse, Target},
    options::ViewOptions,
    panel::{Live, Panel, PanelAction, Shown},
    readings::Readings,
    recorder::{Medium, Recorder},
    source::Source,
    worker::{Command, Snapshot},
};
use crate::{
    appearance::Appearance,
    camera::{automatic, bounds, orbit_camera},
    drawing::{Drawing, Marks, OverlayChoice, WaterMesh},
    error::ViewerError,
    water::water_surfaces,
};

/// Color of the spring that drags a body.
const SPRING: Color = Color::new(0.9, 0.05, 0.05, 1.0);
const SPRING_WIDTH: f32 = 3.0;
/// Size of particles while the overlay is shown, relative to their actual size.
const AMONG_MARKS: f32 = 0.3;

/// Everything between source and window.
pub struct App<'o> {
    options: &'o ViewOptions,
    source: Source,
    panel: Panel,
    mouse: Mouse,
    recorder: Recorder,
    overlay: OverlayChoice,
    help: bool,
    /// Why the last requested action failed.
    problem: Option<String>,
    view: Option<View>,
    closing: bool,
}

/// State of one scene or run.
struct View {
    generation: u64,
    drawing: Drawing,
    camera: OrbitCamera3d,
    appearance: Appearance,
    bounds: Aabb,
    /// The frame that is shown, and when it arrived.
    frame: Arc<Frame>,
    came: Instant,
    /// Previous poses of the bodies, and the time between the two frames, seconds.
    before: Option<(Vec<Pose>, f64)>,
    snapshot: Option<Arc<Snapshot>>,
    instruments: Arc<Vec<Instrument>>,
    water: Vec<WaterMesh>,
    /// Style, coloring, eye and presence of the overlay when last drawn, to detect what is stale.
    drawn: Option<(ParticleStyle, String, Vec3, bool)>,
    fresh: bool,
}

impl<'o> App<'o> {
    pub fn new(source: Source, options: &'o ViewOptions) -> Self {
        Self {
            options,
            source,
            panel: Panel::new(&options.scenes, &options.meshes),
            mouse: Mouse::default(),
            recorder: Recorder::new(&options.recordings),
            overlay: OverlayChoice { instruments: true, ..OverlayChoice::default() },
            help: false,
            problem: None,
            view: None,
            closing: false,
        }
    }

    /// Shows one picture; returns false when the window should close.
    pub async fn show(&mut self, window: &mut Window) -> bool {
        self.take_events(window);
        self.receive(window);
        let drawn = self.draw(window);
        self.note(drawn);
        self.draw_panel(window);
        let open = match &mut self.view {
            Some(view) => window.render_3d(view.drawing.scene_mut(), &mut view.camera).await,
            None => window.render_3d(&mut kiss3d::prelude::SceneNode3d::empty(), &mut OrbitCamera3d::default()).await,
        };
        let recorded = self.recorder.record(window);
        self.note(recorded);
        open && !self.closing
    }

    /// Finishes the current recording.
    pub fn finish(mut self) -> Result<(), ViewerError> {
        self.recorder.finish()
    }

    fn note<T>(&mut self, result: Result<T, impl std::fmt::Display>) -> Option<T> {
        result.map_err(|error| self.problem = Some(error.to_string())).ok()
    }

    fn take_events(&mut self, window: &mut Window) {
        for mut event in window.events().iter() {
            if let (WindowEvent::Key(key, ButtonAction::Press, _), false) = (event.value, window.is_egui_capturing_keyboard())
                && let Some(action) = action(key)
            {
                event.inhibited = true;
                self.apply(action, window);
            }
            let (Some(view), Source::Live(worker)) = (&self.view, &self.source) else { continue };
            let Some(snapshot) = &view.snapshot else { continue };
            let target = Target { frame: &view.frame, touch: &snapshot.touch, camera: &view.camera, bounds: &view.bounds };
            if let Some(commands) = self.mouse.take(&event.value, window, &target) {
                event.inhibited = true;
                commands.into_iter().for_each(|command| worker.send(command));
            }
        }
    }

    fn apply(&mut self, action: Action, window: &mut Window) {
        match action {
            Action::RunOrPause => self.run(!self.is_running()),
            Action::Step => self.step(),
            Action::Restart => self.restart(),
            Action::Particles => self.set_style(ParticleStyle::Particles),
            Action::Points => self.set_style(ParticleStyle::Points),
            Action::Surface => self.set_style(ParticleStyle::Surface),
            Action::Balls => self.overlay.balls = !self.overlay.balls,
            Action::Segments => self.overlay.segments = !self.overlay.segments,
            Action::Cells => self.overlay.cells = !self.overlay.cells,
            Action::Contacts => self.overlay.contacts = !self.overlay.contacts,
            Action::Instruments => self.overlay.instruments = !self.overlay.instruments,
            Action::ViewAll => self.view_all(window),
            Action::Panel => self.panel.open = !self.panel.open,
            Action::Help => self.help = !self.help,
            Action::Picture => {
                let saved = self.recorder.picture(window);
                self.note(saved);
            }
            Action::Pictures => self.record(window, Medium::Pictures),
            Action::Movie => self.record(window, Medium::Movie),
            Action::Close => self.closing = true,
        }
    }

    fn is_running(&self) -> bool {
        match &self.source {
            Source::Live(worker) => worker.is_running(),
            Source::Recorded(playback) => playback.running,
        }
    }

    fn run(&mut self, running: bool) {
        match &mut self.source {
            Source::Live(worker) => worker.send(Command::Run(running)),
            Source::Recorded(playback) => playback.running = running,
        }
    }

    fn step(&mut self) {
        match &mut self.source {
            Source::Live(worker) => worker.send(Command::Step),
            Source::Recorded(playback) => playback.step(),
        }
    }

    fn restart(&mut self) {
        match &mut self.source {
            Source::Live(worker) => worker.send(Command::Restart),
            Source::Recorded(playback) => playback.time = playback.times[0],
        }
    }

    fn set_style(&mut self, style: ParticleStyle) {
        if let Some(view) = &mut self.view {
            view.appearance.style = style;
        }
    }

    fn view_all(&mut self, window: &Window) {
        if let Some(view) = &mut self.view {
            let aspect = f64::from(window.width()) / f64::from(window.height().max(1));
            view.camera = orbit_camera(&automatic(&bounds(&view.frame), aspect));
        }
    }

    fn record(&mut self, window: &Window, medium: Medium) {
        let toggled = self.recorder.toggle(window, medium);
        self.note(toggled);
    }

    /// Takes the latest frame, if there is a new one.
    fn receive(&mut self, window: &mut Window) {
        match &mut self.source {
            Source::Live(worker) => {
                let known = self.view.as_ref().and_then(|view| view.snapshot.as_ref());
                let Some(latest) = worker.latest() else { return };
                if known.is_some_and(|known| Arc::ptr_eq(known, &latest)) {
                    return;
                }
                let frame = Arc::new(latest.frame.clone());
                let (camera, picture) = (latest.scene.camera.as_ref().map(|path| path.at(0.0)), latest.scene.picture.clone());
                self.enter(window, latest.generation, frame, (camera, &picture));
                if let Some(view) = &mut self.view {
                    view.water.clone_from(&latest.water);
                    view.instruments = Arc::clone(&latest.instruments);
                    view.snapshot = Some(latest);
                }
            }
            Source::Recorded(playback) => {
                playback.advance();
                let Some(latest) = playback.latest() else { return };
                let (camera, picture) = (playback.camera.as_ref().map(|path| path.at(0.0)), playback.picture.clone());
                let Some((_, frame)) = self.note(latest) else { return };
                if self.view.as_ref().is_some_and(|view| Arc::ptr_eq(&view.frame, &frame)) {
                    return;
                }
                let surface = self.view.as_ref().is_some_and(|view| view.appearance.style == ParticleStyle::Surface);
                let water = if surface { self.note(water_surfaces(&frame)).unwrap_or_default() } else { Vec::new() };
                let instruments = self.source.recorded_instruments(&frame);
                self.enter(window, 0, frame, (camera, &picture));
                if let Some(view) = &mut self.view {
                    (view.water, view.instruments) = (water, Arc::new(instruments));
                }
            }
        }
    }

    /// Shows `frame`; builds new surroundings if the generation has changed.
    fn enter(
        &mut self,
        window: &mut Window,
        generation: u64,
        frame: Arc<Frame>,
        (viewpoint, picture): (Option<Viewpoint>, &PictureSettings),
    ) {
        if let Some(view) = self.view.as_mut().filter(|view| view.generation == generation) {
            let interval = view.came.elapsed().as_secs_f64();
            view.before = Some((view.frame.bodies.iter().map(|body| body.pose).collect(), interval));
            (view.frame, view.came, view.fresh) = (frame, Instant::now(), true);
            return;
        }
        let appearance = self.options.appearance.appearance(picture);
        let bounds = bounds(&frame);
        let aspect = f64::from(window.width()) / f64::from(window.height().max(1));
        // A restarted scene keeps its viewpoint.
        let same = self.view.take().filter(|view| view.bounds == bounds);
        let camera = same.map_or_else(|| orbit_camera(&viewpoint.unwrap_or_else(|| automatic(&bounds, aspect))), |view| view.camera);
        let drawing = Drawing::new(window, &bounds, &appearance);
        self.view = Some(View {
            generation,
            drawing,
            camera,
            appearance,
            bounds,
            frame,
            came: Instant::now(),
            before: None,
            snapshot: None,
            instruments: Arc::default(),
            water: Vec::new(),
            drawn: None,
            fresh: true,
        });
    }

    fn draw(&mut self, window: &mut Window) -> Result<(), ViewerError> {
        let Some(view) = &mut self.view else { return Ok(()) };
        if let Source::Live(worker) = &self.source {
            worker.send_changed(self.overlay.needs_method(), view.appearance.style == ParticleStyle::Surface);
        }
        let eye = view.camera.eye();
        // Smaller particles make room for the overlay.
        let marked = self.overlay.needs_method() || self.overlay.segments;
        view.appearance.particle_scale = if marked { AMONG_MARKS } else { 1.0 };
        let drawn = (view.appearance.style, view.appearance.color_by.clone(), eye, marked);
        if view.fresh || view.drawn.as_ref() != Some(&drawn) {
            let water: &[WaterMesh] = if view.appearance.style == ParticleStyle::Surface { &view.water } else { &[] };
            view.drawing.update(&view.frame, &view.appearance, eye, water)?;
            (view.fresh, view.drawn) = (false, Some(drawn));
        }
        let (snapshot, instruments) = (view.snapshot.clone(), Arc::clone(&view.instruments));
        let marks = Marks {
            choice: self.overlay,
            method: snapshot.as_ref().and_then(|snapshot| snapshot.search.as_ref()),
            segments: snapshot.as_ref().map_or(&[], |snapshot| &snapshot.segments),
            instruments: &instruments,
        };
        view.drawing.move_bodies(&view.interpolated(), &marks);
        view.drawing.draw_transient(window, view.appearance.legend);
        view.drawing.draw_marks(window, &marks);
        if let Some([from, to]) = self.mouse.spring(&view.frame) {
            window.draw_line(from, to, SPRING, SPRING_WIDTH, false);
        }
        Ok(())
    }

    fn draw_panel(&mut self, window: &mut Window) {
        let mut overlay = self.overlay;
        let mut appearance = self
            .view
            .as_ref()
            .map_or_else(|| self.options.appearance.appearance(&PictureSettings::default()), |view| view.appearance.clone());
        let snapshot = self.view.as_ref().and_then(|view| view.snapshot.clone());
        let frame = self.view.as_ref().map(|view| Arc::clone(&view.frame)).unwrap_or_default();
        let height = window.height() as f32 / window.scale_factor() as f32;
        let size = Vec2::new(window.width() as f32, window.height() as f32) / window.scale_factor() as f32;
        let marks = self
            .view
            .as_ref()
            .filter(|_| self.overlay.instruments)
            .map(|view| (Arc::clone(&view.instruments), Projection { matrix: view.camera.transformation(), size }));
        let readings = self.readings();
        let readings = readings.lock().unwrap_or_else(PoisonError::into_inner);
        let measured = !readings.instruments.is_empty() || readings.problem.is_some();
        let shown = Shown { height, readings: Some(&*readings).filter(|_| measured), ..self.shown(snapshot.as_deref(), &frame) };
        let (panel, help) = (&mut self.panel, &mut self.help);
        let mut actions = Vec::new();
        window.draw_ui(|context| {
            // Slow pictures must not turn a click into a long press, which does not press a button.
            context.options_mut(|options| options.input_options.max_click_duration = f64::INFINITY);
            if let Some((instruments, projection)) = &marks {
                draw_marks(context, instruments, projection);
            }
            actions = panel.draw(context, &shown, &mut appearance, &mut overlay);
            if *help {
                draw_help(context, help);
            }
        });
        self.overlay = overlay;
        if let Some(view) = &mut self.view {
            view.appearance = appearance;
        }
        for action in actions {
            self.apply_panel(action, window);
        }
    }

    /// What is measured: the readings, if there is any instrument.
    fn readings(&self) -> Arc<Mutex<Readings>> {
        match &self.source {
            Source::Live(worker) => worker.readings(),
            Source::Recorded(playback) => playback.readings(),
        }
    }

    fn shown<'s>(&self, snapshot: Option<&'s Snapshot>, frame: &Frame) -> Shown<'s> {
        let (live, recorded, problem, title) = match &self.source {
            Source::Live(worker) => {
                let live = snapshot.map(|snapshot| Live {
                    path: &snapshot.scene.path,
                    touch: &snapshot.touch,
                    history: worker.history(),
                    timings: &snapshot.timings,
                });
                let title = match (worker.preparation(), snapshot) {
                    (Some((task, percent)), _) => format!("preparing: {task} {percent} %"),
                    (None, Some(snapshot)) => snapshot.scene.title.clone(),
                    (None, None) => "preparing …".to_owned(),
                };
                (live, None, worker.problem(), title)
            }
            Source::Recorded(playback) => {
                let ends = [playback.times[0], playback.times[playback.times.len() - 1]];
                (None, Some(ends), None, playback.title.clone())
            }
        };
        Shown {
            height: 0.0,
            title,
            time: frame.time,
            steps: snapshot.map(|snapshot| snapshot.steps),
            count: count_of(frame),
            liquid: frame.particles.is_liquid(),
            running: self.is_running(),
            problem: problem.or_else(|| self.problem.clone()),
            fields: frame.fields().iter().map(|field| field.name.to_string()).collect(),
            recording: self.recorder.path().map(Path::to_owned),
            live,
            readings: None,
            recorded,
        }
    }

    fn apply_panel(&mut self, action: PanelAction, window: &mut Window) {
        match action {
            PanelAction::Run(running) => self.run(running),
            PanelAction::Step => self.step(),
            PanelAction::Restart => self.restart(),
            PanelAction::Seek(time) => {
                if let Source::Recorded(playback) = &mut self.source {
                    playback.time = time;
                    playback.running = false;
                }
            }
            PanelAction::Speed(speed) => match &mut self.source {
                Source::Live(worker) => worker.send(Command::Speed(speed)),
                Source::Recorded(playback) => playback.speed = speed.unwrap_or(1.0),
            },
            PanelAction::Load(path) => self.send(Command::Load(path)),
            PanelAction::Set(name, value) => self.send(Command::Set(name, value)),
            PanelAction::Drop(mesh, density) => {
                if let Some(view) = &self.view {
                    let dropped = body_above(&view.frame, view.camera.at().as_dvec3(), &mesh, density);
                    if let Some(body) = self.note(dropped) {
                        self.send(Command::Drop(Box::new(body)));
                    }
                }
            }
            PanelAction::ViewAll => self.view_all(window),
            PanelAction::Help => self.help = !self.help,
            PanelAction::Pictures => self.record(window, Medium::Pictures),
            PanelAction::Movie => self.record(window, Medium::Movie),
        }
    }

    fn send(&self, command: Command) {
        if let Source::Live(worker) = &self.source {
            worker.send(command);
        }
    }
}

impl View {
    /// The bodies interpolated between their previous and current poses, which they reach when the next frame is due. Without particles.
    fn interpolated(&self) -> Frame {
        let domain = self.frame.particles.domain;
        let particles = ParticleFrame { domain, ..ParticleFrame::default() };
        let mut frame = Frame { time: self.frame.time, bodies: self.frame.bodies.clone(), particles, ..Frame::default() };
        let Some((before, interval)) = &self.before else { return frame };
        let share = (self.came.elapsed().as_secs_f64() / interval.max(1e-3)).min(1.0);
        for (body, from) in frame.bodies.iter_mut().zip(before) {
            let center: DVec3 = body.pose.inverse_transform_point(body.center);
            let rotation = from.rotation.slerp(body.pose.rotation, share);
            // The body may have gone through a periodic end in between.
            let left = domain.nearest_image(body.center - from.transform_point(center)) * (1.0 - share);
            let way = body.center - left;
            body.pose = Pose::new(rotation, way - rotation * center);
        }
        frame
    }
}

fn count_of(frame: &Frame) -> String {
    match frame.polygons.len() {
        0 => format!("{} particles", frame.particles.positions.len()),
        polygons => format!("{polygons} polygons"),
    }
}
