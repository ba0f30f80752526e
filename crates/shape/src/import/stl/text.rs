//! STL as text. Keywords may be in upper or lower case, and several statements on one line.
//!
//! Kept: the names of solids and the corners of facets. Skipped: normals, which follow from the corners, and everything outside of solids.

use std::{path::Path, str::SplitWhitespace};

use glam::DVec3;

use super::{
    super::{
        ImportOptions, MeshError,
        geometry::{Geometry, is_within_reach},
        lines::lines,
    },
    corners::Corners,
};

const VERTEX_EXPECTED: &str = "three finite numbers below 1e12 m after scaling";

/// Reads the text of the file at `path`.
pub fn read(path: &Path, text: &str, options: &ImportOptions) -> Result<Geometry, MeshError> {
    let (geometry, corners) = (Geometry::default(), Corners::default());
    let mut reader = Reader { path, options, geometry, corners, place: Place::Start, vertices: 0 };
    let mut last = 1;
    for (line, content) in lines(text) {
        reader.read_line(line, content)?;
        last = line;
    }
    match reader.place {
        Place::Outside => Ok(reader.geometry),
        place => Err(MeshError::BadLine { path: path.into(), line: last, found: "the end of the file".into(), expected: place.expected() }),
    }
}

/// Where in the file the reader is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Before the first solid.
    Start,
    /// After a solid.
    Outside,
    Solid,
    /// After the keyword `facet`.
    Facet,
    /// After some of the corners of a facet.
    Loop {
        corners: [u32; 3],
        count: usize,
    },
    /// After the corners of a facet.
    LoopEnd,
}

struct Reader<'a> {
    path: &'a Path,
    options: &'a ImportOptions,
    geometry: Geometry,
    corners: Corners,
    place: Place,
    /// Statements `vertex` so far.
    vertices: usize,
}

impl Reader<'_> {
    fn read_line(&mut self, line: usize, content: &str) -> Result<(), MeshError> {
        let mut words = content.split_whitespace();
        while let Some(word) = words.next() {
            self.place = match (self.place, &*word.to_ascii_lowercase()) {
                (Place::Start | Place::Outside, "solid") => {
                    self.geometry.begin_object(&words.by_ref().collect::<Vec<_>>().join(" "));
                    Place::Solid
                }
                (Place::Solid, "endsolid") => {
                    words.by_ref().for_each(drop);
                    Place::Outside
                }
                (Place::Solid, "facet") => Place::Facet,
                (Place::Facet, "loop") => Place::Loop { corners: [0; 3], count: 0 },
                (Place::Loop { corners, count }, "vertex") if count < corners.len() => {
                    self.read_vertex(line, &mut words, corners, count)?
                }
                (Place::Loop { corners, count }, "endloop") if count == corners.len() => {
                    self.geometry.push_face(&corners, self.path)?;
                    Place::LoopEnd
                }
                (Place::LoopEnd, "endfacet") => Place::Solid,
                // What stands here has no meaning: the words of a normal, `outer`, or what is not part of a solid.
                (place @ (Place::Start | Place::Outside | Place::Facet), _) => place,
                (place, _) => {
                    let (found, expected) = (format!("\"{word}\""), place.expected());
                    return Err(MeshError::BadLine { path: self.path.into(), line, found, expected });
                }
            };
        }
        Ok(())
    }

    /// Reads the coordinates of corner `count` of a facet.
    fn read_vertex(&mut self, line: usize, words: &mut SplitWhitespace, mut corners: [u32; 3], count: usize) -> Result<Place, MeshError> {
        self.vertices += 1;
        let given: Vec<&str> = words.take(3).collect();
        let numbers: Vec<f64> = given.iter().map_while(|word| word.parse().ok()).collect();
        let position = <[f64; 3]>::try_from(numbers).ok().map(DVec3::from_array);
        let Some(position) = position.filter(|&position| is_within_reach(position, self.options)) else {
            let (path, found) = (self.path.into(), given.join(" "));
            return Err(MeshError::BadVertex { path, line, vertex: self.vertices, found, expected: VERTEX_EXPECTED });
        };
        corners[count] = self.corners.add(position, &mut self.geometry, self.path, self.options)?;
        Ok(Place::Loop { corners, count: count + 1 })
    }
}

impl Place {
    /// What follows here.
    fn expected(self) -> &'static str {
        match self {
            Self::Start => "a line that begins with `solid`",
            Self::Outside => "`solid` or the end of the file",
            Self::Solid => "`facet` or `endsolid`",
            Self::Facet => "`outer loop`",
            Self::Loop { count: 3, .. } => "`endloop` after three vertices",
            Self::Loop { .. } => "`vertex` with three numbers, three times in each loop",
            Self::LoopEnd => "`endfacet`",
        }
    }
}
