//! Four scenes with the same numbers of blocks as the cases of the paper, and a wall of bricks.

use glam::DVec2;
use plimsoll::{
    blocks::{BlockDefinition, BlocksSettings, Cutting, Joint, JointSet, Material, Region, StepSettings, arch, generate, overlap_area},
    math::Rectangle,
    shape::polygon::Moments,
};

pub struct Scene {
    pub name: &'static str,
    pub settings: BlocksSettings,
}

impl Scene {
    pub fn count(&self) -> usize {
        self.settings.blocks.len()
    }

    fn boxes(&self) -> impl Iterator<Item = Rectangle> {
        self.settings.blocks.iter().map(|block| Rectangle::around(block.vertices.iter().copied()))
    }

    /// Longer side of the scene, meters.
    pub fn extent(&self) -> f64 {
        self.boxes().fold(Rectangle::EMPTY, Rectangle::union).extent().max_element()
    }

    /// Longer side of the median block, meters.
    pub fn median_side(&self) -> f64 {
        let mut sides: Vec<f64> = self.boxes().map(|one| one.extent().max_element()).collect();
        sides.sort_by(f64::total_cmp);
        sides[sides.len() / 2]
    }
}

fn points(corners: &[(f64, f64)]) -> Vec<DVec2> {
    corners.iter().map(|&(x, y)| DVec2::new(x, y)).collect()
}

fn rectangle(x: f64, y: f64, width: f64, height: f64) -> Vec<DVec2> {
    points(&[(x, y), (x + width, y), (x + width, y + height), (x, y + height)])
}

/// A trough with an inside `width` wide and `height` deep, walls one meter thick, the floor at y = 0 and the left wall at x = 0.
fn trough(width: f64, height: f64) -> Vec<DVec2> {
    let (w, h) = (width, height);
    points(&[(-1.0, -1.0), (w + 1.0, -1.0), (w + 1.0, h), (w, h), (w, 0.0), (0.0, 0.0), (0.0, h), (-1.0, h)])
}

fn set(angle: f64, spacing: f64) -> JointSet {
    JointSet { angle: f64::to_radians(angle), spacing, persistence: 1.0, length: 10.0, angle_scatter: 0.04, spacing_scatter: 0.3 }
}

/// A scene of exactly `count` blocks: the fixed one, the `given` ones, and the lowest pieces.
fn scene(name: &'static str, count: usize, fixed: Vec<DVec2>, given: Vec<Vec<DVec2>>, pieces: Vec<Vec<DVec2>>) -> Scene {
    let wanted = count - 1 - given.len();
    assert!(pieces.len() >= wanted, "{name}: {} pieces, {wanted} wanted", pieces.len());
    let mut blocks = vec![BlockDefinition::fixed(fixed)];
    blocks.extend(given.into_iter().chain(pieces.into_iter().take(wanted)).map(BlockDefinition::new));
    let mut sizes: Vec<f64> = blocks.iter().map(|block| Moments::of(&block.vertices).area.sqrt()).collect();
    sizes.sort_by(f64::total_cmp);
    let (size, young_modulus) = (sizes[sizes.len() / 2], 1e9);
    let material = Material { name: "rock".to_owned(), density: 2500.0, young_modulus, poisson_ratio: 0.25, initial_stress: [0.0; 3] };
    let joint = Joint { friction: 0.5, cohesion: 0.0, tensile_strength: 0.0 };
    let step = StepSettings {
        maximum: 2e-3,
        maximum_displacement: 0.01 * size,
        normal_stiffness: 10.0 * young_modulus,
        shear_stiffness: 4.0 * young_modulus,
        iterations: 12,
        cuts: 3,
        velocity_kept: 1.0,
    };
    Scene { name, settings: BlocksSettings::of_one_material(material, joint, blocks, step) }
}

/// At least `wanted` pieces: refines the cutting, starting from `spacing` (m), until there are enough.
fn pieces(mut spacing: f64, region: impl Fn(f64) -> Region, wanted: usize) -> Vec<Vec<DVec2>> {
    loop {
        let pieces = generate(&region(spacing), 11);
        if pieces.len() >= wanted {
            return pieces;
        }
        spacing *= 0.985;
    }
}

pub fn all() -> Vec<Scene> {
    let slope = |spacing: f64| Region {
        outline: points(&[(0.0, 0.0), (60.0, 0.0), (40.0, 45.0), (0.0, 45.0)]),
        holes: Vec::new(),
        cutting: Cutting::Joints(vec![set(-38.0, spacing), set(58.0, 1.1 * spacing)]),
    };
    let bed = points(&[(-2.0, -2.0), (90.0, -2.0), (90.0, 0.0), (0.0, 0.0), (0.0, 48.0), (-2.0, 48.0)]);
    let bar = |x: f64| points(&[(x, 0.0), (x + 18.0, 0.0), (x + 18.0, 12.0), (x + 17.0, 12.0), (x + 17.0, 1.0), (x, 1.0)]);
    let rock = |spacing: f64| Region {
        outline: rectangle(0.0, 0.0, 60.0, 50.0),
        holes: vec![bar(4.0), bar(32.0)],
        cutting: Cutting::Voronoi { spacing, scatter: 0.8 },
    };
    let tunnel = |spacing: f64| Region {
        outline: rectangle(0.0, 0.0, 70.0, 60.0),
        holes: vec![points(&[(30.0, 20.0), (40.0, 20.0), (40.0, 27.0), (37.0, 31.0), (33.0, 31.0), (30.0, 27.0)])],
        cutting: Cutting::Joints(vec![set(50.0, spacing), set(-35.0, 1.1 * spacing)]),
    };
    let radius = 12.0;
    let opening = |radius: f64| -> Vec<DVec2> {
        (0..=36).map(|k| DVec2::new(40.0, 10.0) + radius * DVec2::from_angle(std::f64::consts::PI * f64::from(k) / 36.0)).collect()
    };
    let masonry = |width: f64| Region {
        outline: rectangle(0.0, 0.0, 80.0, 50.0),
        holes: vec![opening(radius + 1.5), rectangle(40.0 - radius, 0.0, 2.0 * radius, 10.0)],
        cutting: Cutting::Bricks { width: 80.0 / (80.0 / width).round(), height: 0.5 * width, bonded: true },
    };
    let voussoirs = arch(DVec2::new(40.0, 10.0), [radius, radius + 1.5], [0.0, std::f64::consts::PI], 36);
    vec![
        scene("Slope", 713, bed, Vec::new(), pieces(4.0, slope, 712)),
        scene("Rock in a trough", 1689, trough(60.0, 55.0), vec![bar(4.0), bar(32.0)], pieces(4.0, rock, 1686)),
        scene("Tunnel", 2108, trough(70.0, 62.0), Vec::new(), pieces(4.0, tunnel, 2107)),
        scene("Masonry with an arch", 2395, trough(80.0, 52.0), voussoirs, pieces(4.0, masonry, 2395 - 37)),
    ]
}

/// Voronoi rock in a trough with concave blocks, two per about 1,700 blocks.
pub fn rock_in_trough(count: usize) -> Scene {
    let tiles = (count as f64 / 1700.0).sqrt().round().max(1.0);
    let (width, height) = (60.0 * tiles, 50.0 * tiles);
    let bar =
        |x: f64, y: f64| points(&[(x, y), (x + 18.0, y), (x + 18.0, y + 12.0), (x + 17.0, y + 12.0), (x + 17.0, y + 1.0), (x, y + 1.0)]);
    let tile = |index: usize| (60.0 * (index % tiles as usize) as f64, 50.0 * (index / tiles as usize) as f64);
    let bars: Vec<_> = (0..(tiles * tiles) as usize).map(tile).flat_map(|(x, y)| [bar(x + 4.0, y), bar(x + 32.0, y)]).collect();
    let wanted = count - 1 - bars.len();
    let rock = |spacing: f64| Region {
        outline: rectangle(0.0, 0.0, width, height),
        holes: bars.clone(),
        cutting: Cutting::Voronoi { spacing, scatter: 0.8 },
    };
    // Where short edges have been collapsed, a piece may overlap a bar.
    let mut pieces = pieces((width * height / wanted as f64).sqrt(), rock, wanted + 2 * bars.len());
    let around = |polygon: &[DVec2]| Rectangle::around(polygon.iter().copied());
    pieces.retain(|piece| !bars.iter().any(|bar| around(piece).overlaps(&around(bar)) && overlap_area(piece, bar) > 1e-4));
    scene("Rock in a trough", count, trough(width, height + 5.0), bars, pieces)
}

/// Stacked bricks in a trough, with two concave blocks among them.
pub fn wall() -> Scene {
    let region = Region {
        outline: rectangle(0.0, 0.0, 70.0, 34.0),
        holes: vec![bracket(10.0), bracket(45.0)],
        cutting: Cutting::Bricks { width: 1.0, height: 1.0, bonded: false },
    };
    let pieces = generate(&region, 1);
    let count = pieces.len() + 3;
    scene("Wall", count, trough(70.0, 36.0), vec![bracket(10.0), bracket(45.0)], pieces)
}

fn bracket(x: f64) -> Vec<DVec2> {
    let y = 8.0;
    points(&[(x, y), (x + 12.0, y), (x + 12.0, y + 6.0), (x + 11.0, y + 6.0), (x + 11.0, y + 1.0), (x, y + 1.0)])
}
