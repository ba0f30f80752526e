//! Is there anything to draw with? Asked before kiss3d is, which would panic.

use std::panic::{AssertUnwindSafe, catch_unwind};

use kiss3d::pollster::block_on;
use wgpu::{Backends, DownlevelFlags, Instance, InstanceDescriptor, RequestAdapterOptions};

use super::error::ViewerError;

/// Name of the adapter that will draw.
///
/// # Errors
/// [`ViewerError::NoAdapter`] if there is none, or only one that lacks what is needed.
pub fn find() -> Result<String, ViewerError> {
    let descriptor = InstanceDescriptor { backends: Backends::all(), ..InstanceDescriptor::new_without_display_handle() };
    let found = block_on(Instance::new(descriptor).request_adapter(&RequestAdapterOptions::default()));
    let adapter = found.map_err(|error| ViewerError::NoAdapter(error.to_string()))?;
    let info = adapter.get_info();
    if !adapter.get_downlevel_capabilities().flags.contains(DownlevelFlags::COMPUTE_SHADERS) {
        return Err(ViewerError::NoAdapter(format!("{} has no compute shaders", info.name)));
    }
    Ok(info.name)
}

/// What `draw` gives, or the reason for which kiss3d or the driver panicked.
pub(super) fn guarded<T>(draw: impl FnOnce() -> Result<T, ViewerError>) -> Result<T, ViewerError> {
    catch_unwind(AssertUnwindSafe(draw)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
        Err(ViewerError::Driver(text.unwrap_or("for an unknown reason").to_owned()))
    })
}
