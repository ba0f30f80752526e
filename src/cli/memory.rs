//! Whether the machine has the memory that a scene takes.

use std::path::Path;

use anyhow::anyhow;
use sysinfo::{MemoryRefreshKind, RefreshKind, System};

use super::Failure;
use crate::{math::format::bytes, scene::Scene};

/// Memory that could be used, bytes, and what limits it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Limit {
    bytes: u64,
    of: &'static str,
}

/// Adds a warning to the scene if it takes more memory than is free.
///
/// # Errors
/// If it takes more than there is.
pub fn check_memory(path: &Path, scene: &mut Scene) -> Result<(), Failure> {
    let needed = scene.definition.memory_estimate();
    // A system that cannot be asked limits nothing.
    let system = System::new_with_specifics(RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram())).ok();
    let smallest = limits(system.as_ref()).into_iter().min_by_key(|limit| limit.bytes);
    if let Some(Limit { bytes: most, of }) = smallest.filter(|limit| needed > limit.bytes as f64) {
        let (needed, most) = (bytes(needed as u64), bytes(most));
        return Err(Failure::BadInput(anyhow!(
            "{}: found a scene that takes about {needed} of memory, expected at most {most}, {of}: use larger or fewer particles",
            path.display()
        )));
    }
    let free = system.map_or(0, |system| system.available_memory());
    if free > 0 && needed > free as f64 {
        let (needed, free) = (bytes(needed as u64), bytes(free));
        scene.warnings.push(format!("{}: takes about {needed} of memory, only {free} is free: close other programs first", path.display()));
    }
    Ok(())
}

/// All limits that are known; systems that report none have zero bytes.
fn limits(system: Option<&System>) -> Vec<Limit> {
    let machine = system.map(|system| Limit { bytes: system.total_memory(), of: "the memory of this machine" });
    let group = system.and_then(System::cgroup_limits);
    let group = group.map(|group| Limit { bytes: group.total_memory, of: "the limit of its control group or container" });
    [machine, group, address_space()].into_iter().flatten().filter(|limit| limit.bytes > 0).collect()
}

/// The limit that a shell sets with `ulimit -v`.
#[cfg(unix)]
fn address_space() -> Option<Limit> {
    let (bytes, _) = rlimit::Resource::AS.get().ok()?;
    Some(Limit { bytes, of: "the limit of this process (ulimit -v)" })
}

#[cfg(not(unix))]
fn address_space() -> Option<Limit> {
    None
}
