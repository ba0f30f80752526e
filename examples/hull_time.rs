//! Scratch: times of hulls.
use plimsoll::shape::*;
use rapier3d_f64::parry::{
    shape::*,
    transformation::{try_convex_hull, vhacd::*},
};
use std::time::Instant;
fn time<T>(name: &str, mut f: impl FnMut() -> T) -> T {
    let mut best = f64::INFINITY;
    let mut out = None;
    for _ in 0..4 {
        let t = Instant::now();
        out = Some(f());
        best = best.min(t.elapsed().as_secs_f64());
    }
    println!("{name:<34} best wall {:8.2} ms", 1e3 * best);
    out.unwrap()
}
fn main() {
    let path = std::path::PathBuf::from(std::env::args().nth(1).unwrap());
    let mut mesh = obj::load(&path, &ImportOptions::default()).unwrap();
    orient_outwards(&mut mesh);
    let v = &mesh.vertices;
    let t = &mesh.triangles;
    let (hv, ht) = time("try_convex_hull", || try_convex_hull(v).unwrap());
    println!("{} {}", hv.len(), ht.len());
    let hull = time("from_convex_mesh", || ConvexPolyhedron::from_convex_mesh(hv.clone(), &ht)).unwrap();
    println!("{} points {} faces", hull.points().len(), hull.faces().len());
    time("mass_properties", || hull.mass_properties(1.0).mass());
    if let Some(h) = time("from_convex_mesh of mesh", || ConvexPolyhedron::from_convex_mesh(v.clone(), t)) {
        println!("{} points {} faces", h.points().len(), h.faces().len());
    }
    let d = time("VHACD", || VHACD::decompose(&VHACDParameters::default(), v, t, true));
    let hulls = time("exact hulls", || d.compute_exact_convex_hulls(v, t));
    println!("{} parts {:?}", hulls.len(), hulls.iter().map(|h| h.0.len()).collect::<Vec<_>>());
    time("convex meshes", || hulls.iter().map(|(v, t)| SharedShape::convex_mesh(v.clone(), t)).collect::<Vec<_>>());
    for flags in [TriMeshFlags::empty(), TriMeshFlags::ORIENTED, TriMeshFlags::FIX_INTERNAL_EDGES] {
        time(&format!("TriMesh {flags:?}"), || TriMesh::with_flags(v.clone(), t.clone(), flags).unwrap());
    }
}
