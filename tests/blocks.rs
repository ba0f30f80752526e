//! Blocks against closed forms, and the searches against brute force.

#[path = "blocks/common.rs"]
mod common;
#[path = "blocks/dynamics.rs"]
mod dynamics;
#[path = "blocks/generation.rs"]
mod generation;
#[path = "blocks/search.rs"]
mod search;
#[path = "blocks/statics.rs"]
mod statics;
#[path = "blocks/whole.rs"]
mod whole;
