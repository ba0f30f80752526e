//! plimsoll simulates fluids and rigid bodies from triangle meshes and writes frames, tables and pictures.
//!
//! Each module is a crate of its own (`plimsoll::fluid` is `plimsoll-fluid`) or part of one. The layers, from the bottom up (a layer uses only
//! lower ones):
//!
//! | layer | modules | content |
//! |---|---|---|
//! | F0 | [`math`], [`input`], [`clock`], [`timing`] | poses, boxes, domains, offset lists, random numbers, sums in a fixed order; reading files; the clock; wall times of a step |
//! | F1 | [`shape`], [`frame`], [`simulator`], [`chart`] | triangle meshes, mass properties, hydrostatics, segments and slab-cut balls; the state at one instant as plain data; the interface of all simulators; charts as plain data |
//! | F2 | [`search`] | cell grid, neighbour lists, hierarchical grid for many sizes, cells for moving spheres and swept boxes, free space, brute force as test oracle |
//! | F3 | [`bodies`] | rigid bodies, their motion, slab-cut balls mapped to cells, contacts between bodies |
//! | F4 | [`fluid`], [`gas`], [`grains`], [`aggregates`], [`blocks`] | the simulators: SPH with meshes; event-driven hard spheres; grains with friction; Brownian aggregation; polygonal blocks (DDA) |
//! | F5 | [`scene`], [`output`], [`run`], [`surface`], [`plot`], [`validation`] | TOML scenes, frame files, checkpoints, the run loop, the fluid's surface, diagrams, flows with known solutions |
//! | F6 | [`cli`], `viewer` | the command line; pictures, film and a window (feature `viewer`) |
//!
//! # A simulation in code
//!
//! ```no_run
#![doc = include_str!("../examples/floating_box.rs")]
//! ```
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | none | the simulators and all layers below them |
//! | `files` | [`scene`], [`output`], [`run`] |
//! | `plot` | [`plot`]; implies `files` |
//! | `surface` | [`surface`]; implies `files` |
//! | `cli` (default) | [`cli`] and the program; implies `files`, `plot`, `surface` |
//! | `viewer` | `viewer`; implies `cli` |

#![warn(missing_docs)]
// These macros panic if a stream is closed; `cli::terminal` is used instead.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub use plimsoll_aggregates as aggregates;
pub use plimsoll_base::{clock, input, math, timing};
pub use plimsoll_blocks as blocks;
pub use plimsoll_bodies as bodies;
pub use plimsoll_contract::{chart, frame, simulator};
pub use plimsoll_fluid as fluid;
pub use plimsoll_gas as gas;
pub use plimsoll_grains as grains;
#[cfg(feature = "files")]
pub use plimsoll_output as output;
#[cfg(feature = "plot")]
pub use plimsoll_plot as plot;
#[cfg(feature = "files")]
pub use plimsoll_run as run;
#[cfg(feature = "files")]
pub use plimsoll_scene as scene;
pub use plimsoll_search as search;
pub use plimsoll_shape as shape;
#[cfg(feature = "surface")]
pub use plimsoll_surface as surface;
pub use plimsoll_validation as validation;
#[cfg(feature = "viewer")]
pub use plimsoll_viewer as viewer;

#[cfg(feature = "cli")]
pub mod cli;

/// The vectors, matrices and quaternions of all interfaces.
pub use glam;
