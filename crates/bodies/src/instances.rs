//! Bodies that are copies of one mesh share its memory: the mesh, its segments and its collision shape.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use plimsoll_base::math::{Domain, Pose};
use plimsoll_shape::{SegmentLimits, Segmentation, TriangleMesh};
use rapier3d_f64::prelude::SharedShape;
use rayon::prelude::*;

use crate::{
    Body, BodyKind,
    contacts::collision_shape,
    cutting::{limits_of, segmentation},
};

/// What a body's segments and collision shape are made of.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    pub mesh: &'a TriangleMesh,
    pub kind: &'a BodyKind,
    /// Pose at time zero, or where a static body is.
    pub pose: &'a Pose,
}

/// What is made of a mesh.
#[derive(Clone)]
pub struct Prepared {
    pub segmentation: Arc<Segmentation>,
    /// If the bodies may touch.
    pub shape: Option<SharedShape>,
}

/// Prepares every source; equal ones share the result. `prepared` is called after each. Also returns the index of the first equal source of each.
pub fn prepare<E: Send>(
    sources: &[Source],
    limits: &SegmentLimits,
    domain: &Domain,
    with_shapes: bool,
    prepared: impl Fn(usize) -> Result<(), E> + Sync,
) -> Result<(Vec<Prepared>, Vec<usize>), E> {
    let firsts = firsts(sources, limits, domain);
    let make = |(index, source): (usize, &Source)| {
        if firsts[index] != index {
            return Ok(None);
        }
        let Source { mesh, kind, pose } = *source;
        let (segmentation, shape) =
            rayon::join(|| segmentation(mesh, kind, pose, limits, domain), || with_shapes.then(|| collision_shape(mesh, kind)));
        prepared(index)?;
        Ok(Some(Prepared { segmentation: Arc::new(segmentation), shape }))
    };
    let made = sources.par_iter().enumerate().map(make).collect::<Result<Vec<Option<Prepared>>, E>>()?;
    let shared = firsts.iter().map(|&first| made[first].clone().expect("the first of equal sources is prepared")).collect();
    Ok((shared, firsts))
}

/// Lets bodies have the mesh of the first body that is equal to them.
pub fn share_meshes(bodies: &mut [Body], firsts: &[usize]) {
    for (index, &first) in firsts.iter().enumerate().filter(|(index, first)| index != *first) {
        bodies[index].mesh = bodies[first].mesh.clone();
    }
}

/// The index of the first source of which the same segments and shape are made as of each.
fn firsts(sources: &[Source], limits: &SegmentLimits, domain: &Domain) -> Vec<usize> {
    let is_same = |a: usize, b: usize| {
        let (a, b) = (&sources[a], &sources[b]);
        let floats = |source: &Source| matches!(source.kind, BodyKind::Floating(_));
        let limits_of = |source: &Source| limits_of(source.kind, source.pose, limits, domain);
        // In a periodic domain, what is kept of a body that does not float depends on its place.
        let rigid = [a, b].iter().all(|source| source.kind.deformation().is_none());
        rigid && floats(a) == floats(b) && (floats(a) || !domain.is_periodic()) && limits_of(a) == limits_of(b) && a.mesh == b.mesh
    };
    let mut by_hash: HashMap<u64, Vec<usize>> = HashMap::new();
    let hashes: Vec<u64> = sources.par_iter().map(|source| hash_of(source.mesh)).collect();
    (0..sources.len())
        .map(|index| {
            let candidates = by_hash.entry(hashes[index]).or_default();
            let first = candidates.iter().copied().find(|&first| is_same(first, index));
            first.unwrap_or_else(|| {
                candidates.push(index);
                index
            })
        })
        .collect()
}

fn hash_of(mesh: &TriangleMesh) -> u64 {
    let mut hasher = DefaultHasher::new();
    mesh.triangles.hash(&mut hasher);
    mesh.vertices.iter().for_each(|vertex| vertex.to_array().map(f64::to_bits).hash(&mut hasher));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::{Floating, MassSource};

    #[test]
    fn copies_of_a_mesh_share_what_is_made_of_it() {
        let (cube, brick) = (TriangleMesh::cuboid(DVec3::ONE), TriangleMesh::cuboid(DVec3::new(1.0, 2.0, 1.0)));
        let floating = BodyKind::Floating(Floating::new(MassSource::Density(500.0)));
        let poses = [0.0, 3.0, 6.0].map(|x| Pose::from_translation(DVec3::new(x, 0.0, 0.0)));
        let source = |mesh, kind, pose: usize| Source { mesh, kind, pose: &poses[pose] };
        let sources = [
            source(&cube, &floating, 0),
            source(&brick, &floating, 0),
            source(&cube, &floating, 1),
            source(&cube, &BodyKind::Static, 0),
            source(&brick, &floating, 2),
            source(&cube, &BodyKind::Static, 0),
        ];
        let limits = SegmentLimits::new(0.3, 100);
        let (prepared, firsts) = prepare(&sources, &limits, &Domain::OPEN, true, |_| Ok::<(), ()>(())).unwrap();
        assert_eq!(firsts, [0, 1, 0, 3, 1, 3]);
        for (one, &first) in prepared.iter().zip(&firsts) {
            assert!(Arc::ptr_eq(&one.segmentation, &prepared[first].segmentation));
            assert_eq!(*one.segmentation, segmentation(sources[first].mesh, sources[first].kind, &poses[0], &limits, &Domain::OPEN));
        }
        assert!(!Arc::ptr_eq(&prepared[0].segmentation, &prepared[3].segmentation));
    }
}
