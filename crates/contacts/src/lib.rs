//! Contact points of rigid bodies: convex polyhedra with faces of any number of corners, bodies of convex parts, and triangle meshes, which push to
//! both sides where they are sheets. A rigid-body library (rapier, with parry) solves the contacts; its own search describes a face by four corners,
//! finds no contact where bodies touch exactly, and lets bodies through sheets from behind.

#![warn(missing_docs)]
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod clipping;
mod dispatcher;
mod edge_limits;
mod hull;
mod joining;
mod manifolds;
mod pair;
mod polyhedron;
mod reduction;
mod separation;
mod solid;
mod touching;
mod triangle;

pub use dispatcher::Dispatcher;
