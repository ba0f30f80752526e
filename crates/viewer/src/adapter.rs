//! Checks that there is a graphics adapter before kiss3d is called, which panics without one.

use std::panic::{AssertUnwindSafe, catch_unwind};

use kiss3d::{context::Context, pollster::block_on, resource::MaterialManager2d};
use wgpu::{
    Adapter, Backends, DeviceDescriptor, DownlevelFlags, Instance, InstanceDescriptor, RequestAdapterError, RequestAdapterOptions,
    TextureFormat,
};

use super::error::ViewerError;

/// The adapter to draw with, and the instance it came from.
///
/// # Errors
/// [`ViewerError::NoAdapter`] if there is none, or none with the required features.
pub fn find() -> Result<(Instance, Adapter), ViewerError> {
    // OpenGL only if nothing better is available: some drivers complain when it is merely probed.
    let adapter = request(Backends::PRIMARY).or_else(|_| request(Backends::all()));
    let (instance, adapter) = adapter.map_err(|error| ViewerError::NoAdapter(error.to_string()))?;
    if !adapter.get_downlevel_capabilities().flags.contains(DownlevelFlags::COMPUTE_SHADERS) {
        return Err(ViewerError::NoAdapter(format!("{} has no compute shaders", adapter.get_info().name)));
    }
    Ok((instance, adapter))
}

/// A warning about this adapter, if one is needed before many pictures are drawn.
pub fn warning() -> Option<String> {
    let info = find().ok()?.1.get_info();
    // This driver recompiles each draw call that loops over uniforms, and never frees the result.
    let keeps = info.name.contains("llvmpipe") && info.driver_info.starts_with("Mesa 22.");
    keeps.then(|| {
        let driver = info.driver_info.split(" (").next().unwrap_or_default().to_owned();
        format!("{driver} leaks 30 to 200 MB for each picture that it renders in software, until the program ends: see docs/pictures.md")
    })
}

fn request(backends: Backends) -> Result<(Instance, Adapter), RequestAdapterError> {
    let instance = Instance::new(InstanceDescriptor { backends, ..InstanceDescriptor::new_without_display_handle() });
    let adapter = block_on(instance.request_adapter(&RequestAdapterOptions::default()))?;
    Ok((instance, adapter))
}

/// Initializes kiss3d on this thread with an adapter, unless this has been done.
///
/// # Errors
/// As for [`find`], or the driver fails.
pub(super) fn prepare() -> Result<(), ViewerError> {
    if Context::is_initialized() {
        return Ok(());
    }
    let (instance, adapter) = find()?;
    let descriptor = DeviceDescriptor { required_limits: adapter.limits(), ..DeviceDescriptor::default() };
    let (device, queue) = block_on(adapter.request_device(&descriptor)).map_err(|error| ViewerError::Driver(error.to_string()))?;
    Context::init(instance, device, queue, adapter, TextureFormat::Rgba8Unorm);
    Ok(())
}

/// Creates what kiss3d creates lazily: if the window never draws anything, it would be created too late.
pub(super) fn complete() {
    MaterialManager2d::get_global_manager(|_| ());
}

/// Returns the result of `draw`, or the message if kiss3d or the driver panicked.
pub(super) fn guarded<T>(draw: impl FnOnce() -> Result<T, ViewerError>) -> Result<T, ViewerError> {
    catch_unwind(AssertUnwindSafe(draw)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
        Err(ViewerError::Driver(text.unwrap_or("for an unknown reason").to_owned()))
    })
}
