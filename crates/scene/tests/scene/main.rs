//! Good scenes and bad ones.

mod bad_scenes;
mod files;
mod scenes;
mod sheets;
mod vessels;
mod warnings;
