//! Good scenes and bad ones.

mod bad_scenes;
mod scenes;
mod vessels;
mod warnings;
