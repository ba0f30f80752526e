//! plimsoll simulates fluids and rigid bodies from triangle meshes and writes frames, tables and pictures.
//!
//! The layers, from the bottom up (a layer uses only lower ones):
//!
//! | layer | modules | content |
//! |---|---|---|
//! | F0 | [`math`], [`input`] | poses, boxes, domains, offset lists, random numbers, sums in a fixed order; reading files |
//! | F1 | [`shape`], [`frame`], [`simulator`], [`timing`], [`chart`] | triangle meshes, mass properties, hydrostatics, segments and slab-cut balls; the state at one instant as plain data; the interface of all simulators; wall times of a step; charts as plain data |
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

pub mod aggregates;
pub mod blocks;
pub mod bodies;
pub mod chart;
#[cfg(feature = "cli")]
pub mod cli;
// Not fully documented yet.
pub mod fluid;
pub mod frame;
pub mod gas;
pub mod grains;
pub mod input;
pub mod math;
#[cfg(feature = "files")]
pub mod output;
#[cfg(feature = "plot")]
pub mod plot;
#[cfg(feature = "files")]
pub mod run;
#[cfg(feature = "files")]
pub mod scene;
pub mod search;
pub mod shape;
pub mod simulator;
#[cfg(feature = "surface")]
pub mod surface;
pub mod timing;
pub mod validation;
#[cfg(feature = "viewer")]
pub mod viewer;

/// The vectors, matrices and quaternions of all interfaces.
pub use glam;
