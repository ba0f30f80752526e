//! The geometry lines of an OBJ file. Each line is checked separately, so that errors contain its line number.
//!
//! Kept: `v` with three coordinates and an optional weight, `f` with position indices, `o` and `g`. Skipped, because they are not part of a
//! surface: normals, texture coordinates, vertex colors, materials, lines, points and curves.

use std::{fmt::Write, path::Path};

use glam::DVec3;

use super::{ImportOptions, MeshError};

/// Coordinates larger than this (m) indicate a broken file: their cubes would dominate all other lengths.
const FARTHEST: f64 = 1e12;

const VERTEX_EXPECTED: &str = "three finite numbers below 1e12 m after scaling, optionally a nonzero weight or a color";

/// Reduces the OBJ text to positions, faces and names, and joins `\` continuations.
pub(super) fn geometry_only(path: &Path, text: &str, options: &ImportOptions) -> Result<String, MeshError> {
    let mut geometry = String::with_capacity(text.len());
    let mut vertices = 0;
    for (line, content) in logical_lines(text) {
        let mut words = content.split_whitespace().take_while(|word| !word.starts_with('#'));
        match words.next() {
            Some("v") => {
                vertices += 1;
                let words: Vec<&str> = words.collect();
                let bad_vertex = || MeshError::BadVertex {
                    path: path.into(),
                    line,
                    vertex: vertices,
                    found: words.join(" "),
                    expected: VERTEX_EXPECTED,
                };
                let DVec3 { x, y, z } = position(&words, options).ok_or_else(bad_vertex)?;
                let _ = writeln!(geometry, "v {x:?} {y:?} {z:?}");
            }
            Some("f") => {
                let words: Vec<&str> = words.collect();
                let bad_face =
                    |found: &str, expected: String| MeshError::BadFace { path: path.into(), line, found: found.into(), expected };
                if words.is_empty() {
                    return Err(bad_face("", "vertex indices after f".into()));
                }
                geometry.push('f');
                for word in words {
                    let expected = || format!("a vertex from 1 to {vertices}, or from -{vertices} to -1 counted backwards");
                    let index = position_index(word, vertices).ok_or_else(|| bad_face(word, expected()))?;
                    let _ = write!(geometry, " {index}");
                }
                geometry.push('\n');
            }
            Some(keyword @ ("o" | "g")) => {
                let _ = writeln!(geometry, "{keyword} {}", words.collect::<Vec<_>>().join(" "));
            }
            _ => {}
        }
    }
    Ok(geometry)
}

/// Lines with their line number in the file, from 1. A line that ends with a backslash continues on the next one.
fn logical_lines(text: &str) -> Vec<(usize, String)> {
    let text = text.trim_start_matches('\u{feff}');
    // Files from before OS X end lines with a carriage return only.
    let separator = if text.contains('\n') { '\n' } else { '\r' };
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut continued = false;
    for (index, line) in text.split(separator).enumerate() {
        let line = line.trim_end();
        let (content, continues) = line.strip_suffix('\\').map_or((line, false), |content| (content, true));
        match lines.last_mut() {
            Some((_, open)) if continued => {
                open.push(' ');
                open.push_str(content);
            }
            _ => lines.push((index + 1, content.to_string())),
        }
        continued = continues;
    }
    lines
}

/// The point of a `v` line: three coordinates, divided by a fourth (the weight of a rational curve) if present.
fn position(words: &[&str], options: &ImportOptions) -> Option<DVec3> {
    if words.len() < 3 || words.len() == 5 {
        return None;
    }
    let mut numbers = [0.0, 0.0, 0.0, 1.0];
    let given = if words.len() == 4 { 4 } else { 3 };
    for (number, word) in numbers.iter_mut().zip(&words[..given]) {
        *number = word.parse::<f64>().ok()?;
    }
    let [x, y, z, weight] = numbers;
    let position = DVec3::new(x, y, z) / weight;
    let within_reach = |point: DVec3| point.is_finite() && point.abs().max_element() < FARTHEST;
    (within_reach(position) && within_reach(options.apply(position))).then_some(position)
}

/// The position index, from 1, of a face corner `position/texture/normal`. Negative indices count backward from the last vertex.
fn position_index(corner: &str, vertices: usize) -> Option<usize> {
    let index: i64 = corner.split('/').next()?.parse().ok()?;
    let vertices = vertices as i64;
    let absolute = if index < 0 { vertices + 1 + index } else { index };
    (1..=vertices).contains(&absolute).then_some(absolute as usize)
}
