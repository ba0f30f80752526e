//! Scratch: hashes of all that is prepared.
use plimsoll::{bodies::*, glam::DVec3, math::*, shape::*, simulator::Unwatched};
use std::hash::{Hash, Hasher};
fn h(s: &str) -> u64 {
    let mut x = std::collections::hash_map::DefaultHasher::new();
    s.hash(&mut x);
    x.finish()
}
fn main() {
    for arg in std::env::args().skip(1) {
        let path = std::path::PathBuf::from(&arg);
        for options in [ImportOptions::default(), ImportOptions { scale: DVec3::new(2.0, -0.3, 1.7), up_axis: UpAxis::Z }] {
            let loaded = obj::load_with_summary(&path, &options);
            let Ok((mesh, summary)) = loaded else {
                println!("{arg} {}", h(&format!("{}", loaded.unwrap_err())));
                continue;
            };
            let groups = obj::load_groups(&path, &options).unwrap();
            let mut o = mesh.clone();
            let orient = orient_outwards(&mut o);
            let report = MeshReport::of(&o);
            let d = o.aabb().extent().length();
            let s = Segmentation::build(&o, &SegmentLimits { size: d / 24.0, triangles: 32 });
            let s2 = Segmentation::build(&o, &SegmentLimits { size: d / 3.0, triangles: 8 });
            let inside = InsideTest::new(&o);
            let e = o.aabb();
            let mut r = Random::new(3);
            let mut t = String::new();
            let mut test = |p: DVec3| {
                t += &format!(
                    "{:?} {:?} {} {:?};",
                    inside.signed_distance(p),
                    inside.distance(p),
                    inside.contains(p),
                    inside.closest_point(p)
                )
            };
            for _ in 0..3000 {
                test(e.min + e.extent() * (1.2 * r.point() - 0.1));
            }
            for i in 0..o.vertices.len().min(2000) {
                test(o.vertices[i]);
                test(o.vertices[i] * (1.0 + 1e-9));
                test(o.vertices[i] + 1e-6 * d * (r.point() - 0.5));
            }
            for i in 0..o.triangles.len().min(2000) {
                let [a, b, c] = o.corners(i);
                test((a + b) / 2.0);
                test((a + b + c) / 3.0 + 1e-5 * d * (b - a).cross(c - a).normalize_or_zero());
                test((a + b + c) / 3.0 - 1e-5 * d * (b - a).cross(c - a).normalize_or_zero());
                test((a + b) / 2.0 + 1e-7 * d * (r.point() - 0.5));
            }
            let mut list = vec![if report.is_watertight() && report.mass.volume > 0.0 {
                BodyDefinition::floating("a", o.clone(), MassSource::Density(500.0))
            } else {
                BodyDefinition::fixed("a", o.clone())
            }];
            list.push(BodyDefinition::fixed("b", TriangleMesh::basin(DVec3::splat(10.0 * d))));
            list.push(
                BodyDefinition::floating("c", TriangleMesh::cuboid(DVec3::splat(0.3 * d)), MassSource::Density(500.0))
                    .at(DVec3::splat(4.0 * d)),
            );
            let mut b = Bodies::new(list, SegmentLimits { size: d / 8.0, triangles: 16 }, Domain::OPEN, &Unwatched).unwrap();
            for k in 0..6 {
                b.begin_step(f64::from(k) * 0.01, 0.01);
                b.apply_external_forces(DVec3::new(-3.0, -9.81, -3.0), 0.05);
                b.step(f64::from(k) * 0.01 + 0.01, 0.01);
            }
            let bodies = b.list.iter().map(|b| format!("{:?} {:?} {:?}", b.pose, b.velocity, b.angular_momentum)).collect::<String>();
            println!(
                "{arg} {} {} {} {} {} {} {} {} {} {}",
                mesh.triangles.len(),
                h(&format!("{mesh:?}")),
                h(&format!("{summary:?}")),
                h(&format!("{groups:?}")),
                h(&format!("{o:?}{orient:?}")),
                h(&format!("{report:?}")),
                h(&format!("{s:?}")),
                h(&format!("{s2:?}")),
                h(&t),
                h(&bodies)
            );
        }
    }
}
