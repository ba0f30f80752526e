//! The reader by which the other one is tested: reads each line for itself, without `tobj`.

use std::{borrow::Cow, path::Path};

use glam::DVec3;

use crate::import::{
    ImportOptions, MeshError,
    geometry::{Geometry, is_within_reach},
    lines::lines,
};

const VERTEX_EXPECTED: &str = "three finite numbers below 1e12 m after scaling, optionally a nonzero weight or a color";

/// Reads the text of the OBJ file at `path`.
pub fn read(path: &Path, text: &str, options: &ImportOptions) -> Result<Geometry, MeshError> {
    let mut geometry = Geometry::default();
    let mut reader = Reader { path, options, geometry: &mut geometry };
    logical_lines(text, |line, content| reader.read_line(line, content))?;
    Ok(geometry)
}

struct Reader<'a> {
    path: &'a Path,
    options: &'a ImportOptions,
    geometry: &'a mut Geometry,
}

impl Reader<'_> {
    fn read_line(&mut self, line: usize, content: &str) -> Result<(), MeshError> {
        let mut words = words(content);
        match words.next() {
            Some("v" | "V") => self.read_vertex(line, words),
            Some("f" | "F") => self.read_face(line, words),
            Some("o" | "O" | "g" | "G") => {
                self.geometry.begin_object(&words.collect::<Vec<_>>().join(" "));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn read_vertex<'w>(&mut self, line: usize, words: impl Iterator<Item = &'w str> + Clone) -> Result<(), MeshError> {
        let bad_vertex = || MeshError::BadVertex {
            path: self.path.into(),
            line,
            vertex: self.geometry.positions.len() + 1,
            found: words.clone().collect::<Vec<_>>().join(" "),
            expected: VERTEX_EXPECTED,
        };
        let position = position(words.clone(), self.options).ok_or_else(bad_vertex)?;
        self.geometry.positions.push(position);
        Ok(())
    }

    fn read_face<'w>(&mut self, line: usize, words: impl Iterator<Item = &'w str>) -> Result<(), MeshError> {
        let Geometry { positions, faces, .. } = &mut *self.geometry;
        let vertices = positions.len();
        let bad_face = |found: &str, expected: String| MeshError::BadFace { path: self.path.into(), line, found: found.into(), expected };
        let first = faces.corners.len();
        for word in words {
            let expected = || format!("a vertex from 1 to {vertices}, or from -{vertices} to -1 counted backwards");
            let index = position_index(word, vertices).ok_or_else(|| bad_face(word, expected()))?;
            faces.corners.push(index - 1);
        }
        if faces.corners.len() == first {
            return Err(bad_face("", "vertex indices after f".into()));
        }
        faces.ends.push(faces.corners.len() as u32);
        Ok(())
    }
}

/// The words of a line, up to a comment.
fn words(content: &str) -> impl Iterator<Item = &str> + Clone {
    content.split_whitespace().take_while(|word| !word.starts_with('#'))
}

/// Calls `read` for each line with its number in the file, from 1. A line that ends with a backslash continues on the next one.
fn logical_lines(text: &str, mut read: impl FnMut(usize, &str) -> Result<(), MeshError>) -> Result<(), MeshError> {
    let mut open: Option<(usize, Cow<str>)> = None;
    for (number, line) in lines(text) {
        let (content, continues) = line.strip_suffix('\\').map_or((line, false), |content| (content, true));
        let (number, whole) = match open.take() {
            Some((number, begun)) => (number, Cow::Owned(format!("{begun} {content}"))),
            None => (number, Cow::Borrowed(content)),
        };
        if continues {
            open = Some((number, whole));
        } else {
            read(number, &whole)?;
        }
    }
    open.map_or(Ok(()), |(number, whole)| read(number, &whole))
}

/// The point of a `v` line: three coordinates, divided by a fourth (the weight of a rational curve) if present.
fn position<'w>(words: impl Iterator<Item = &'w str>, options: &ImportOptions) -> Option<DVec3> {
    let (mut given, mut count) = ([""; 4], 0);
    for word in words {
        if let Some(place) = given.get_mut(count) {
            *place = word;
        }
        count += 1;
    }
    if count < 3 || count == 5 {
        return None;
    }
    let mut numbers = [0.0, 0.0, 0.0, 1.0];
    for (number, word) in numbers.iter_mut().zip(&given[..if count == 4 { 4 } else { 3 }]) {
        *number = word.parse::<f64>().ok()?;
    }
    let [x, y, z, weight] = numbers;
    let position = DVec3::new(x, y, z) / weight;
    is_within_reach(position, options).then_some(position)
}

/// The position index, from 1, of a face corner `position/texture/normal`. Negative indices count backward from the last vertex.
fn position_index(corner: &str, vertices: usize) -> Option<u32> {
    let index: i64 = corner.split('/').next()?.parse().ok()?;
    let vertices = vertices as i64;
    let absolute = if index < 0 { vertices + 1 + index } else { index };
    if (1..=vertices).contains(&absolute) { u32::try_from(absolute).ok() } else { None }
}
