//! Pictures without a window.

use kiss3d::{
    pollster::block_on,
    renderer::RayTracer,
    window::{CanvasSetup, NumSamples, OffscreenSurface},
};

use crate::{
    frame::Frame,
    math::Aabb,
    scene::Viewpoint,
    viewer::{
        adapter::{self, guarded},
        camera::orbit_camera,
        drawing::{Drawing, WaterMesh},
        error::ViewerError,
        film::Picture,
        look::Look,
    },
};

/// Bounces of a path of light.
const BOUNCES: u32 = 12;

/// A place where pictures of one scene are taken.
pub struct Studio {
    surface: OffscreenSurface,
    drawing: Drawing,
    /// Paths of light per pixel, if they are traced.
    paths: Option<u32>,
}

impl Studio {
    /// A studio for pictures `size` pixels wide and high of what is within `bounds`; with `paths`, so many paths of light are traced for
    /// each pixel.
    ///
    /// # Errors
    /// If there is nothing to draw with.
    pub fn open(size: [u32; 2], bounds: &Aabb, look: &Look, paths: Option<u32>) -> Result<Self, ViewerError> {
        if paths.is_some() {
            // kiss3d asks for what its path tracer can use.
            adapter::find()?;
        } else {
            adapter::prepare()?;
        }
        guarded(|| {
            let setup = CanvasSetup { samples: NumSamples::Four, vsync: false, ..CanvasSetup::default() };
            let mut surface = block_on(OffscreenSurface::with_setup(size[0], size[1], setup));
            let drawing = Drawing::new(surface.window_mut(), bounds, look);
            Ok(Self { surface, drawing, paths })
        })
    }

    /// A picture of `frame`, with the surface of the fluid if there is one, from `viewpoint`.
    ///
    /// # Errors
    /// If the frame lacks the field that colours it, or the driver fails.
    pub fn picture(&mut self, frame: &Frame, look: &Look, viewpoint: &Viewpoint, water: Option<WaterMesh>) -> Result<Picture, ViewerError> {
        guarded(|| {
            let mut camera = orbit_camera(viewpoint);
            self.drawing.update(frame, look, viewpoint.position.as_vec3(), water.as_ref())?;
            self.drawing.draw_fleeting(self.surface.window_mut(), look.legend);
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
        })
    }

    /// Widens the range of colours to what `frame` needs.
    pub fn foresee(&mut self, frame: &Frame, look: &Look) -> Result<(), ViewerError> {
        self.drawing.foresee(frame, look)
    }
}
