//! glTF 2.0, text (`.gltf`) and binary (`.glb`), read by `gltf`: the triangles of all nodes of the default scene where they stand. Skins, morph
//! targets and compressed meshes are not applied.

use std::path::Path;

use base64::prelude::{BASE64_STANDARD, Engine};
use glam::{DMat4, Mat4};
use gltf::{
    Accessor, Document, Gltf, Node, Primitive, Semantic,
    accessor::{DataType, Dimensions},
    buffer::{Source, View},
    json::validation::Checked,
    mesh::Mode,
};
use plimsoll_base::input::Files;

use super::{ImportOptions, MeshError, geometry::Geometry};

/// Bytes before the parts of a binary file; the last four are the length of the whole file.
const HEADER: usize = 12;
/// The beginning of an address that is the data itself.
const DATA: &str = "data:";
/// Nodes within nodes. Each is a call within a call.
const DEEPEST: usize = 1000;

/// Reads the content of the glTF file at `path` among `files`, and the files of its buffers.
pub fn read(files: &dyn Files, path: &Path, bytes: &[u8], options: &ImportOptions) -> Result<Geometry, MeshError> {
    let invalid = |reason: String| MeshError::Invalid { path: path.into(), format: "a glTF file", reason };
    let bytes = content(bytes).map_err(invalid)?;
    let Gltf { document, blob } = Gltf::from_slice_without_validation(bytes).map_err(|error| invalid(error.to_string()))?;
    let document = validated(document).map_err(invalid)?;
    if let Some(extension) = document.extensions_required().next() {
        return Err(invalid(format!("it requires the extension {extension}, which is not supported")));
    }
    let buffers = buffers(files, path, &document, blob).map_err(invalid)?;
    let seen = vec![false; document.nodes().len()];
    let mut reader = Reader { path, options, buffers, geometry: Geometry::default(), seen };
    let scene = document.default_scene().or_else(|| document.scenes().next());
    for node in scene.iter().flat_map(gltf::Scene::nodes) {
        reader.read_node(&node, DMat4::IDENTITY, 0)?;
    }
    Ok(reader.geometry)
}

/// The bytes of a file that the library reads: JSON without a byte order mark and without what some programs write after its end, or a binary file
/// that has the length in its header.
fn content(bytes: &[u8]) -> Result<&[u8], String> {
    let Some(header) = bytes.first_chunk::<HEADER>().filter(|header| header.starts_with(b"glTF")) else {
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let end = text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        return Ok(&text[..end]);
    };
    // The library subtracts the header from the length.
    let length = u32::from_le_bytes([header[8], header[9], header[10], header[11]]) as usize;
    if (HEADER..=bytes.len()).contains(&length) {
        Ok(bytes)
    } else {
        Err(format!("its header states a length of {length} bytes, and the file has {}", bytes.len()))
    }
}

/// The document, if what it refers to exists. The library checks this, but relies on the positions of primitives when it does.
fn validated(document: Document) -> Result<Document, String> {
    let json = document.into_json();
    let positions = Checked::Valid(Semantic::Positions);
    let primitives = json.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let mut accessors = primitives.filter_map(|primitive| primitive.attributes.get(&positions));
    if let Some(missing) = accessors.find(|accessor| accessor.value() >= json.accessors.len()) {
        return Err(format!("accessor {missing} of positions does not exist"));
    }
    Document::from_json(json).map_err(|error| error.to_string())
}

/// The content of all buffers.
fn buffers(files: &dyn Files, path: &Path, document: &gltf::Document, mut blob: Option<Vec<u8>>) -> Result<Vec<Vec<u8>>, String> {
    let content = |buffer: gltf::Buffer| {
        let mut bytes = match buffer.source() {
            Source::Bin => blob.take().ok_or("its binary part is missing")?,
            Source::Uri(uri) => match uri.split_at_checked(DATA.len()) {
                Some((scheme, data)) if scheme.eq_ignore_ascii_case(DATA) => decode(data)?,
                _ => {
                    let name = percent_encoding::percent_decode_str(uri).decode_utf8_lossy().into_owned();
                    let file = path.parent().unwrap_or(Path::new("")).join(name);
                    files.read(&file).map_err(|error| format!("its buffer {}: {error}", file.display()))?
                }
            },
        };
        if bytes.len() < buffer.length() {
            return Err(format!("buffer {} has {} bytes, expected {}", buffer.index(), bytes.len(), buffer.length()));
        }
        bytes.truncate(buffer.length());
        Ok(bytes)
    };
    document.buffers().map(content).collect()
}

fn decode(data: &str) -> Result<Vec<u8>, String> {
    let (_, text) = data.split_once(";base64,").ok_or("a buffer is neither base64 nor a file")?;
    BASE64_STANDARD.decode(text).map_err(|error| format!("a buffer is not base64: {error}"))
}

struct Reader<'a> {
    path: &'a Path,
    options: &'a ImportOptions,
    buffers: Vec<Vec<u8>>,
    geometry: Geometry,
    /// Whether each node has been read. In a tree each has one parent; with several, the number of paths to a node could be any.
    seen: Vec<bool>,
}

impl Reader<'_> {
    fn read_node(&mut self, node: &Node, parent: DMat4, depth: usize) -> Result<(), MeshError> {
        if depth > DEEPEST {
            return Err(self.invalid(format!("node {} is deeper than {DEEPEST} others", node.index())));
        }
        if std::mem::replace(&mut self.seen[node.index()], true) {
            return Err(self.invalid(format!("node {} has more than one parent", node.index())));
        }
        let pose = parent * Mat4::from_cols_array_2d(&node.transform().matrix()).as_dmat4();
        if let Some(mesh) = node.mesh() {
            self.geometry.begin_object(node.name().or(mesh.name()).unwrap_or_default());
            for primitive in mesh.primitives() {
                self.read_primitive(&primitive, pose)?;
            }
        }
        node.children().try_for_each(|child| self.read_node(&child, pose, depth + 1))
    }

    fn read_primitive(&mut self, primitive: &Primitive, pose: DMat4) -> Result<(), MeshError> {
        let (path, options) = (self.path, self.options);
        let are_positions = |accessor: &Accessor| (accessor.dimensions(), accessor.data_type()) == (Dimensions::Vec3, DataType::F32);
        let are_indices = |accessor: &Accessor| {
            accessor.dimensions() == Dimensions::Scalar && matches!(accessor.data_type(), DataType::U8 | DataType::U16 | DataType::U32)
        };
        let positions = primitive.get(&Semantic::Positions).map(|accessor| (are_positions(&accessor), accessor));
        let indices = primitive.indices().map(|accessor| (are_indices(&accessor), accessor));
        if let Some((_, wrong)) = positions.into_iter().chain(indices).find(|(is_known, accessor)| !is_known || !self.has_values(accessor))
        {
            return Err(self.invalid(format!("accessor {} is of the wrong type or exceeds its buffer", wrong.index())));
        }
        let content = primitive.reader(|buffer| self.buffers.get(buffer.index()).map(Vec::as_slice));
        let Some(positions) = content.read_positions() else { return Ok(()) };
        let corners = content.read_indices().map(|indices| indices.into_u32().collect::<Vec<u32>>());
        let first = self.geometry.positions.len() as u32;
        for position in positions {
            let point = pose.transform_point3(glam::Vec3::from_array(position).as_dvec3());
            self.geometry.push_position(point, path, options)?;
        }
        let corners = corners.unwrap_or_else(|| (0..self.geometry.positions.len() as u32 - first).collect());
        for mut triangle in triangles(primitive.mode(), &corners) {
            if pose.determinant() < 0.0 {
                triangle.swap(1, 2);
            }
            self.geometry.push_face(&triangle.map(|corner| first.saturating_add(corner)), path)?;
        }
        Ok(())
    }

    /// Whether all bytes of `accessor` exist. The library does not check it.
    fn has_values(&self, accessor: &Accessor) -> bool {
        let (size, holds) = (accessor.size(), |view, offset, count, size| self.holds(&view, offset, count, size));
        // Without a view, all values are zero and their number could be any.
        let base = accessor.view().is_some_and(|view| holds(view, accessor.offset(), accessor.count(), size));
        let sparse = accessor.sparse().is_none_or(|sparse| {
            let (count, indices, values) = (sparse.count(), sparse.indices(), sparse.values());
            holds(indices.view(), indices.offset(), count, indices.index_type().size())
                && holds(values.view(), values.offset(), count, size)
        });
        base && sparse
    }

    /// Whether `view` has `count` values of `size` bytes from `offset`.
    fn holds(&self, view: &View, offset: usize, count: usize, size: usize) -> bool {
        let stride = view.stride().unwrap_or(size);
        let others = count.checked_sub(1).and_then(|others| others.checked_mul(stride));
        let needed = others.and_then(|others| others.checked_add(size)?.checked_add(offset));
        let end = view.offset().checked_add(view.length());
        let has = |length: usize, needed: Option<usize>| needed.is_some_and(|needed| needed <= length);
        stride >= size && has(view.length(), needed) && has(self.buffers[view.buffer().index()].len(), end)
    }

    fn invalid(&self, reason: String) -> MeshError {
        MeshError::Invalid { path: self.path.into(), format: "a glTF file", reason }
    }
}

/// The triangles of a list, a strip or a fan of `corners`; points and lines have none.
fn triangles(mode: Mode, corners: &[u32]) -> Vec<[u32; 3]> {
    match mode {
        Mode::Triangles => corners.as_chunks().0.to_vec(),
        Mode::TriangleStrip => {
            let turned = |(index, corners): (usize, &[u32])| match index % 2 {
                0 => [corners[0], corners[1], corners[2]],
                _ => [corners[1], corners[0], corners[2]],
            };
            corners.windows(3).enumerate().map(turned).collect()
        }
        Mode::TriangleFan => corners.get(1..).unwrap_or_default().windows(2).map(|pair| [corners[0], pair[0], pair[1]]).collect(),
        Mode::Points | Mode::Lines | Mode::LineLoop | Mode::LineStrip => Vec::new(),
    }
}
