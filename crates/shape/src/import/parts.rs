//! Objects of a file in m with y up.

use glam::DVec3;

use super::{
    ImportOptions,
    geometry::{Geometry, Polygons},
};

/// Objects in m with y up. Each has its own vertices, in the order of their first use; welding joins them.
pub struct Parts<'a> {
    geometry: &'a Geometry,
    options: &'a ImportOptions,
    /// m
    pub vertices: Vec<DVec3>,
    pub polygons: Polygons,
    /// For each position of the file, its vertex in the last object that used it.
    places: Vec<Option<Place>>,
}

/// The vertex of a position in an object.
#[derive(Clone, Copy)]
struct Place {
    object: u32,
    vertex: u32,
}

impl<'a> Parts<'a> {
    /// No objects yet.
    pub fn new(geometry: &'a Geometry, options: &'a ImportOptions) -> Self {
        let places = vec![None; geometry.positions.len()];
        Self { geometry, options, vertices: Vec::with_capacity(places.len()), polygons: Polygons::default(), places }
    }

    /// Removes all objects.
    pub fn clear(&mut self) {
        self.vertices.clear();
        self.polygons = Polygons::default();
    }

    /// Adds the object with this number.
    pub fn append(&mut self, object: usize) {
        let Self { geometry, options, vertices, polygons, places } = self;
        let mut vertex_of = |position: u32| match &mut places[position as usize] {
            Some(place) if place.object == object as u32 => place.vertex,
            place => {
                let vertex = vertices.len() as u32;
                vertices.push(options.apply(geometry.positions[position as usize]));
                *place = Some(Place { object: object as u32, vertex });
                vertex
            }
        };
        let mut polygon = Vec::new();
        for face in geometry.faces_of(object) {
            polygon.clear();
            polygon.extend(geometry.faces.of(face).iter().map(|&position| vertex_of(position)));
            if options.mirrors() {
                polygon.reverse();
            }
            polygons.push(polygon.iter().copied());
        }
    }
}
