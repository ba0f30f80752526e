//! Scratch: times of preparation.
use plimsoll::{bodies::*, glam::DVec3, math::*, run::Simulation, scene::Scene, shape::*, simulator::Unwatched};
use std::time::Instant;
fn cpu() -> f64 {
    let s = std::fs::read_to_string("/proc/self/stat").unwrap();
    let rest = s.rsplit_once(')').unwrap().1;
    let f: Vec<&str> = rest.split_whitespace().collect();
    (f[11].parse::<f64>().unwrap() + f[12].parse::<f64>().unwrap()) / 100.0
}
fn time<T>(name: &str, n: u32, mut f: impl FnMut() -> T) -> T {
    let mut best = f64::INFINITY;
    let c = cpu();
    let mut out = None;
    for _ in 0..n {
        let t = Instant::now();
        out = Some(f());
        best = best.min(t.elapsed().as_secs_f64());
    }
    println!("{name:<34} best wall {:8.2} ms, mean cpu {:8.2} ms", 1e3 * best, 1e3 * (cpu() - c) / f64::from(n));
    out.unwrap()
}
fn main() {
    let path = std::path::PathBuf::from(std::env::args().nth(1).unwrap());
    let n: u32 = std::env::args().nth(2).map_or(5, |a| a.parse().unwrap());
    let floating = std::env::args().nth(3).is_some();
    let options = ImportOptions::default();
    let bytes = time("read", n, || std::fs::read(&path).unwrap());
    println!("{} bytes", bytes.len());
    let mesh = time("obj::load", n, || obj::load(&path, &options).unwrap());
    println!("{} triangles {} vertices", mesh.triangles.len(), mesh.vertices.len());
    let mesh = time("+ clone, orient_outwards", n, || {
        let mut m = mesh.clone();
        orient_outwards(&mut m);
        m
    });
    let report = time("MeshReport", n, || MeshReport::of(&mesh));
    println!("watertight {}", report.is_watertight());
    time("MassProperties", n, || MassProperties::of(&mesh));
    time("InsideTest", n, || InsideTest::new(&mesh));
    time("Obstacle", n, || Obstacle::new(&mesh, Pose::IDENTITY, report.is_watertight()));
    let d = mesh.aabb().extent().length();
    let limits = SegmentLimits { size: d / 32.0, triangles: 32 };
    let s = time("Segmentation", n, || Segmentation::build(&mesh, &limits));
    println!("{} segments", s.segments.len());
    let bodies = || {
        let b = mesh.clone();
        if floating { BodyDefinition::floating("a", b, MassSource::Density(500.0)) } else { BodyDefinition::fixed("a", b) }
    };
    let small =
        || BodyDefinition::floating("b", TriangleMesh::cuboid(DVec3::splat(0.1 * d)), MassSource::Density(500.0)).at(DVec3::splat(3.0 * d));
    time("Bodies::new (one)", n.min(3), || Bodies::new(vec![bodies()], limits, Domain::OPEN, &Unwatched).unwrap());
    time("Bodies::new (and a floating cube)", n.min(3), || Bodies::new(vec![bodies(), small()], limits, Domain::OPEN, &Unwatched).unwrap());
    let kind = if floating { "kind = \"floating\", density = 500" } else { "kind = \"static\"" };
    let e = mesh.aabb();
    let r = d / 256.0;
    let low = e.min - DVec3::splat(0.1 * d);
    let text = format!(
        "title = \"x\"\nsimulator = \"fluid\"\nduration = 1\nframes_per_second = 50\nfluid.particle_radius = {r}\nfluid.fill = [{{ box = {{ min = [{},{},{}], max = [{},{},{}] }} }}]\nbody = [{{ name = \"a\", mesh = \"{}\", {kind} }}]\n",
        low.x,
        low.y,
        low.z,
        low.x + 8.0 * r,
        low.y + 8.0 * r,
        low.z + 8.0 * r,
        path.canonicalize().unwrap().display()
    );
    let scene_path = std::path::PathBuf::from("/tmp/x.toml");
    let scene = time("Scene::parse", n, || Scene::parse(&text, &scene_path).unwrap());
    let sim = time("Simulation::new (incl. clone)", n.min(3), || Simulation::new(scene.definition.clone(), &Unwatched).unwrap());
    println!("{} particles", sim.element_count());
}
