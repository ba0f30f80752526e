//! The part of one face that lies over another (Sutherland and Hodgman, CACM 17, 1974), in the plane across the contact normal.

use glam::{DVec2, DVec3};

/// A corner of a clipped face.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    /// In the plane across the normal, m.
    pub at: DVec2,
    /// Coordinate along the normal, m.
    pub height: f64,
    pub origin: Origin,
    /// The side that leaves the corner.
    side: Side,
}

/// What a corner of a clipped face is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A vertex of the clipped face.
    Vertex(u32),
    /// A vertex of the face that clips.
    Reference(u32),
    /// Where a side of the face that clips and a side of the clipped face cross, by the vertices at which they begin.
    Crossing(u32, u32),
}

#[derive(Clone, Copy, Debug)]
enum Side {
    Own(u32),
    Reference,
}

/// The plane across a contact normal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane {
    pub normal: DVec3,
    axes: [DVec3; 2],
}

impl Plane {
    /// The plane across the unit vector `normal`.
    pub fn across(normal: DVec3) -> Self {
        Self { normal, axes: normal.any_orthonormal_pair().into() }
    }

    /// A point or direction projected into the plane.
    #[inline]
    pub fn project(&self, point: DVec3) -> DVec2 {
        DVec2::new(point.dot(self.axes[0]), point.dot(self.axes[1]))
    }

    /// The point at `height` along the normal over a point of the plane.
    #[inline]
    pub fn raise(&self, at: DVec2, height: f64) -> DVec3 {
        at.x * self.axes[0] + at.y * self.axes[1] + height * self.normal
    }
}

/// A face whose corners go round counterclockwise seen against the normal of the plane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outline<'a> {
    pub points: &'a [DVec3],
    pub vertices: &'a [u32],
    /// Whether the vertices go round clockwise.
    pub reversed: bool,
}

impl Outline<'_> {
    fn corners(&self, plane: &Plane) -> impl Iterator<Item = (u32, DVec3, DVec2)> {
        let count = self.vertices.len();
        (0..count).map(move |index| {
            let vertex = self.vertices[if self.reversed { count - 1 - index } else { index }];
            let point = self.points[vertex as usize];
            (vertex, point, plane.project(point))
        })
    }
}

/// Buffers of the clipping.
#[derive(Debug, Default)]
pub(crate) struct Clipping {
    reference: Vec<(u32, DVec2)>,
    subject: Vec<Corner>,
    clipped: Vec<Corner>,
}

impl Clipping {
    /// The corners of the part of `subject` over `reference`; points closer than `same` (m) are one.
    pub fn clip(&mut self, plane: &Plane, reference: &Outline, subject: &Outline, same: f64) -> &[Corner] {
        self.reference.clear();
        self.reference.extend(reference.corners(plane).map(|(vertex, _, at)| (vertex, at)));
        self.subject.clear();
        self.subject.extend(subject.corners(plane).map(|(vertex, point, at)| {
            let height = point.dot(plane.normal);
            Corner { at, height, origin: Origin::Vertex(vertex), side: Side::Own(vertex) }
        }));
        for index in 0..self.reference.len() {
            let ends = [self.reference[index], self.reference[(index + 1) % self.reference.len()]];
            self.clip_at(ends, same);
        }
        &self.subject
    }

    /// Removes what is to the right of a side.
    fn clip_at(&mut self, [(from, start), (to, end)]: [(u32, DVec2); 2], same: f64) {
        let Some(side) = Some(end - start).filter(|side| side.length() > same).map(DVec2::normalize) else { return };
        let inside = |corner: &Corner| side.perp_dot(corner.at - start);
        if self.subject.iter().all(|corner| inside(corner) >= -same) {
            return;
        }
        self.clipped.clear();
        for (index, current) in self.subject.iter().enumerate() {
            let next = &self.subject[(index + 1) % self.subject.len()];
            let (x, y) = (inside(current), inside(next));
            let (stays, next_stays) = (x >= -same, y >= -same);
            if stays {
                self.clipped.push(*current);
            }
            if stays != next_stays {
                let share = (x / (x - y)).clamp(0.0, 1.0);
                let origin = match current.side {
                    Side::Own(own) => Origin::Crossing(from, own),
                    Side::Reference => Origin::Reference(if stays { from } else { to }),
                };
                let at = current.at.lerp(next.at, share);
                let height = current.height + share * (next.height - current.height);
                self.clipped.push(Corner { at, height, origin, side: if stays { Side::Reference } else { current.side } });
            }
        }
        std::mem::swap(&mut self.subject, &mut self.clipped);
    }
}
