//! Blocks against closed forms, and the searches against brute force.

mod common;
mod dynamics;
mod generation;
mod search;
mod statics;
mod whole;
