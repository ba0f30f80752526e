//! Pictures without a window.
//!
//! kiss3d keeps its GPU state per thread and cannot reuse it after it has been freed, so each renderer has its own thread.

use std::{
    sync::{
        Arc,
        mpsc::{Receiver, Sender, channel},
    },
    thread::{self, JoinHandle},
};

use kiss3d::{
    pollster::block_on,
    renderer::RayTracer,
    window::{CanvasSetup, NumSamples, OffscreenSurface},
};
use plimsoll_base::math::Aabb;
use plimsoll_contract::frame::Frame;
use plimsoll_scene::Viewpoint;

use crate::{
    adapter::{self, guarded},
    appearance::Appearance,
    camera::orbit_camera,
    drawing::{Drawing, WaterMesh},
    error::ViewerError,
    film::Picture,
};

/// Maximum bounces of a light path.
const BOUNCES: u32 = 12;

/// Takes pictures of one scene.
pub struct Offscreen {
    /// Absent only during shutdown.
    requests: Option<Sender<Request>>,
    answers: Receiver<Result<Option<Picture>, ViewerError>>,
    thread: Option<JoinHandle<()>>,
}

enum Request {
    /// Requests a picture.
    Take(Box<View>),
    /// Widens the color range to include the frame.
    Foresee(Arc<Frame>, Box<Appearance>),
}

/// Contents of a picture.
pub struct View {
    /// The frame to draw.
    pub frame: Arc<Frame>,
    /// How it is drawn.
    pub appearance: Appearance,
    /// Where it is seen from.
    pub viewpoint: Viewpoint,
    /// The fluid surfaces, if they are drawn.
    pub water: Vec<WaterMesh>,
}

impl Offscreen {
    /// A renderer for pictures `size` pixels wide and high of what is within `bounds`; with `paths`, it traces that many light paths per
    /// pixel.
    ///
    /// # Errors
    /// If there is nothing to draw with.
    pub fn open(size: [u32; 2], bounds: &Aabb, appearance: &Appearance, paths: Option<u32>) -> Result<Self, ViewerError> {
        let (requests, received) = channel();
        let (sender, answers) = channel();
        let (bounds, appearance) = (*bounds, appearance.clone());
        let thread = thread::spawn(move || {
            let renderer = Renderer::open(size, &bounds, &appearance, paths);
            let (opened, mut renderer) = match renderer {
                Ok(renderer) => (Ok(None), Some(renderer)),
                Err(error) => (Err(error), None),
            };
            let mut open = sender.send(opened).is_ok();
            while let (true, Some(renderer), Ok(request)) = (open, &mut renderer, received.recv()) {
                open = sender.send(renderer.serve(request)).is_ok();
            }
        });
        let offscreen = Self { requests: Some(requests), answers, thread: Some(thread) };
        offscreen.answer().map(|_| offscreen)
    }

    /// Takes a picture.
    ///
    /// # Errors
    /// If the frame lacks the field that colors it, or the driver fails.
    pub fn picture(&mut self, shot: View) -> Result<Picture, ViewerError> {
        let picture = self.ask(Request::Take(Box::new(shot)))?;
        Ok(picture.expect("a shot is answered by a picture"))
    }

    /// Widens the color range to include `frame`.
    ///
    /// # Errors
    /// If the frame lacks the field that colors it.
    pub fn include_range(&mut self, frame: Frame, appearance: &Appearance) -> Result<(), ViewerError> {
        self.ask(Request::Foresee(Arc::new(frame), Box::new(appearance.clone()))).map(|_| ())
    }

    fn ask(&self, request: Request) -> Result<Option<Picture>, ViewerError> {
        // If the thread has ended, there is no answer either.
        let _ = self.requests.as_ref().map(|requests| requests.send(request));
        self.answer()
    }

    fn answer(&self) -> Result<Option<Picture>, ViewerError> {
        self.answers.recv().unwrap_or_else(|_| Err(ViewerError::Driver("the drawing thread has ended".to_owned())))
    }
}

impl Drop for Offscreen {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported or comes too late to matter.
            let _ = thread.join();
        }
    }
}

/// The renderer, on its thread.
struct Renderer {
    // Dropped in this order: without a surface, kiss3d has no context to free a drawing.
    drawing: Drawing,
    surface: OffscreenSurface,
    /// Light paths per pixel, if light is traced.
    paths: Option<u32>,
}

impl Renderer {
    fn open(size: [u32; 2], bounds: &Aabb, appearance: &Appearance, paths: Option<u32>) -> Result<Self, ViewerError> {
        if paths.is_some() {
            // kiss3d requests the features that its path tracer can use.
            adapter::find()?;
        } else {
            adapter::prepare()?;
        }
        guarded(|| {
            let setup = CanvasSetup { samples: NumSamples::Four, vsync: false, ..CanvasSetup::default() };
            let mut surface = block_on(OffscreenSurface::with_setup(size[0], size[1], setup));
            adapter::complete();
            let drawing = Drawing::new(surface.window_mut(), bounds, appearance);
            Ok(Self { surface, drawing, paths })
        })
    }

    fn serve(&mut self, request: Request) -> Result<Option<Picture>, ViewerError> {
        match request {
            Request::Take(shot) => guarded(|| self.take(&shot)).map(Some),
            Request::Foresee(frame, appearance) => self.drawing.include_range(&frame, &appearance).map(|()| None),
        }
    }

    fn take(&mut self, shot: &View) -> Result<Picture, ViewerError> {
        let mut camera = orbit_camera(&shot.viewpoint);
        self.drawing.update(&shot.frame, &shot.appearance, shot.viewpoint.position.as_vec3(), &shot.water)?;
        self.drawing.draw_transient(self.surface.window_mut(), shot.appearance.legend);
        let scene = self.drawing.scene_mut();
        if let Some(paths) = self.paths {
            let mut tracer = RayTracer::new();
            tracer.set_max_bounces(BOUNCES);
            for _ in 0..paths {
                block_on(self.surface.raytrace_3d(scene, &mut camera, &mut tracer));
            }
        } else {
            block_on(self.surface.render_3d(scene, &mut camera));
        }
        let image = self.surface.snap_image();
        Ok(Picture { width: image.width(), height: image.height(), pixels: image.into_raw() })
    }
}
