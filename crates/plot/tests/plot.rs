//! Diagrams of tables, checked from the written files.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
};

use plimsoll_contract::{
    chart::{ColumnGroup, Diagram, Quantity, RecordedTable},
    frame::name_and_unit,
    simulator::Unwatched,
};
use plimsoll_plot::{Panel, Picture, PictureFormat, Scale, Series, pictures, to_svg, write_picture};
use plimsoll_run::{Run, RunFolder, RunPlan, Silent, Simulation};
use plimsoll_scene::Scene;
use quick_xml::{Reader, escape::unescape, events::Event};

/// An element of an SVG with its attributes and its text.
struct Element {
    name: String,
    attributes: BTreeMap<String, String>,
    text: String,
}

impl Element {
    fn number(&self, attribute: &str) -> f64 {
        self.attributes[attribute].parse().unwrap()
    }

    fn points(&self) -> Vec<(f64, f64)> {
        let pairs = self.attributes["points"].split_whitespace();
        pairs.map(|pair| pair.split_once(',').map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap())).unwrap()).collect()
    }
}

/// All elements of well-formed XML.
fn elements(svg: &str) -> Vec<Element> {
    let mut reader = Reader::from_str(svg);
    let mut elements: Vec<Element> = Vec::new();
    loop {
        match reader.read_event().expect("well-formed XML") {
            Event::Start(tag) | Event::Empty(tag) => elements.push(Element {
                name: String::from_utf8(tag.name().as_ref().to_vec()).unwrap(),
                attributes: tag
                    .attributes()
                    .map(|attribute| attribute.expect("a well-formed attribute"))
                    .map(|attribute| {
                        (
                            String::from_utf8(attribute.key.as_ref().to_vec()).unwrap(),
                            unescape(str::from_utf8(&attribute.value).unwrap()).unwrap().into_owned(),
                        )
                    })
                    .collect(),
                text: String::new(),
            }),
            Event::Text(text) => {
                if let Some(element) = elements.last_mut() {
                    element.text += str::from_utf8(&text).unwrap();
                }
            }
            Event::GeneralRef(entity) => {
                if let Some(element) = elements.last_mut() {
                    element.text += &format!("&{};", str::from_utf8(&entity).unwrap());
                }
            }
            Event::Eof => {
                elements.iter_mut().for_each(|element| element.text = unescape(element.text.trim()).unwrap().into_owned());
                return elements;
            }
            _ => {}
        }
    }
}

fn texts(elements: &[Element]) -> Vec<&str> {
    elements.iter().filter(|element| element.name == "text").map(|element| element.text.as_str()).collect()
}

fn picture(panels: Vec<Panel>) -> Picture {
    Picture { name: "test".into(), title: "Test".into(), subtitle: "a < b & c".into(), horizontal: "Time (s)".into(), panels }
}

fn line(name: &str, color: usize, points: &[(f64, f64)]) -> Series {
    Series { name: name.into(), color, points: points.to_vec() }
}

const BLUE: &str = "#0072B2";

/// The position of a point at the labels `x` and `y` of the axes.
fn labeled(elements: &[Element], x: &str, y: &str) -> (f64, f64) {
    let find = |label: &str, anchor: &str| {
        let is = |element: &&Element| element.text == label && element.attributes.get("text-anchor").is_some_and(|found| found == anchor);
        elements.iter().find(is).unwrap_or_else(|| panic!("no label {label}"))
    };
    (find(x, "middle").number("x"), find(y, "end").number("y"))
}

/// The height of a line at `x`.
fn height_at(points: &[(f64, f64)], x: f64) -> f64 {
    let ends = points.windows(2).find(|ends| ends[0].0 <= x && x <= ends[1].0).expect("a line over x");
    ends[0].1 + (ends[1].1 - ends[0].1) * (x - ends[0].0) / (ends[1].0 - ends[0].0)
}

#[test]
fn a_line_goes_through_the_pixels_of_its_values() {
    let square: Vec<(f64, f64)> = (0..=1000).map(|step| 0.01 * f64::from(step)).map(|time| (time, time * time)).collect();
    let decay: Vec<(f64, f64)> = square.iter().map(|(time, _)| (*time, 10_f64.powf(-time / 2.0))).collect();
    for (scale, points, checks) in [
        (Scale::Linear, &square, [("2", "4"), ("6", "36"), ("10", "100")]),
        (Scale::Logarithmic, &decay, [("2", "10⁻¹"), ("6", "10⁻³"), ("8", "10⁻⁴")]),
    ] {
        let svg = to_svg(&picture(vec![Panel::new("Value", "m", scale, vec![line("", 0, points)])])).unwrap();
        let elements = elements(&svg);
        let drawn = elements.iter().find(|element| element.name == "polyline" && element.attributes["stroke"] == BLUE).unwrap().points();
        for (x, y) in checks {
            let (x, y) = match y {
                "4" | "36" => {
                    let [(_, low), (_, high)] = ["0", "100"].map(|label| labeled(&elements, x, label));
                    let (place, _) = labeled(&elements, x, "0");
                    (place, low + (high - low) * y.parse::<f64>().unwrap() / 100.0)
                }
                _ => labeled(&elements, x, y),
            };
            let found = height_at(&drawn, x);
            assert!((found - y).abs() < 3.0, "{scale:?}: line at {x} is at {found}, expected {y}");
        }
    }
}

#[test]
fn pictures_are_svg_with_titles_units_and_legend() {
    let panels = vec![
        Panel::new(
            "Height",
            "m",
            Scale::Linear,
            vec![line("hull & keel", 0, &[(0.0, 1.0), (1.0, 2.0)]), line("ball", 1, &[(0.0, 2.0), (1.0, 0.5)])],
        ),
        Panel::new(
            "Force",
            "N",
            Scale::Linear,
            vec![
                line("ball", 1, &[(0.0, 2e5), (0.5, f64::NAN), (0.7, 5e5), (1.0, 4e5)]),
                line("theory", 2, &[(0.0, f64::NAN), (1.0, f64::NAN)]),
            ],
        ),
    ];
    let svg = to_svg(&picture(panels)).unwrap();
    let elements = elements(&svg);
    assert_eq!(elements[0].name, "svg");
    assert_eq!(elements[0].attributes["width"], "960");
    let texts = texts(&elements);
    for expected in ["Test", "a < b & c", "Height (m)", "Force (kN)", "Time (s)", "hull & keel"] {
        assert!(texts.contains(&expected), "no text {expected}: {texts:?}");
    }
    assert_eq!(texts.iter().filter(|text| **text == "ball").count(), 1, "one entry a name");
    assert!(!texts.contains(&"theory"), "no entry without values");
    let view: Vec<f64> = elements[0].attributes["viewBox"].split(' ').map(|number| number.parse().unwrap()).collect();
    for (x, y) in elements.iter().filter(|element| element.name == "polyline").flat_map(Element::points) {
        assert!((0.0..=view[2]).contains(&x) && (0.0..=view[3]).contains(&y), "({x}, {y}) lies outside the picture");
    }
}

#[test]
fn long_tables_are_decimated_without_losing_peaks() {
    let points: Vec<(f64, f64)> = (0..500_000).map(|step| (f64::from(step), if step == 123_456 { 1.0 } else { 0.1 })).collect();
    let svg = to_svg(&picture(vec![Panel::new("Value", "", Scale::Linear, vec![line("", 0, &points)])])).unwrap();
    assert!(svg.len() < 400_000, "{} bytes", svg.len());
    let elements = elements(&svg);
    let drawn = elements.iter().find(|element| element.name == "polyline" && element.attributes["stroke"] == BLUE).unwrap().points();
    let top = drawn.iter().map(|(_, y)| *y).fold(f64::INFINITY, f64::min);
    let (_, one) = labeled(&elements, "0", "1.0");
    assert!((top - one).abs() < 3.0, "peak at {top}, expected {one}");
}

#[test]
fn png_shows_the_line_where_the_svg_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let picture = picture(vec![Panel::new("Value", "", Scale::Linear, vec![line("", 0, &[(0.0, 0.0), (10.0, 5.0)])])]);
    let path = folder.path().join("picture.png");
    write_picture(&path, &picture, PictureFormat::Png).unwrap();
    let mut reader = png::Decoder::new(std::io::BufReader::new(fs::File::open(&path).unwrap())).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!(info.width, 1920);
    let svg = to_svg(&picture).unwrap();
    let drawn =
        elements(&svg).into_iter().find(|element| element.name == "polyline" && element.attributes["stroke"] == BLUE).unwrap().points();
    for part in [0.1, 0.5, 0.9] {
        let x = drawn[0].0 + (drawn[1].0 - drawn[0].0) * part;
        let (column, row) = ((x / 2.0) as usize, (height_at(&drawn, x) / 2.0) as usize);
        let pixel = &pixels[3 * (row * info.width as usize + column)..][..3];
        assert!(pixel[0] < 80 && pixel[2] > 130, "pixel {pixel:?} of the line");
        let above = &pixels[3 * ((row - 30) * info.width as usize + column)..][..3];
        assert!(above.iter().all(|&value| value > 200), "pixel {above:?} above the line");
    }
    let letters = pixels.chunks(3).filter(|pixel| pixel.iter().all(|&value| value < 60)).count();
    assert!(letters > 300, "{letters} pixels of letters");
}

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).unwrap();
}

#[test]
fn any_table_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let names = |folder: &Path| pictures(folder, "").map(|pictures| pictures.into_iter().map(|picture| picture.name).collect::<Vec<_>>());
    let complaint = |folder: &Path| format!("{:#}", anyhow::Error::from(names(folder).unwrap_err()));
    assert!(complaint(folder.path()).contains("diagnostics.csv"));
    write(folder.path(), "diagnostics.csv", "step,time\n");
    assert!(complaint(folder.path()).contains("the table has no rows"));
    let head = "step,time,temperature,spin_x,spin_y,spin_z,walls_seconds,pressure_seconds,nothing";
    write(folder.path(), "diagnostics.csv", &format!("{head}\n1,0.1,3,1,2,3,0.5,0.25,0\n2,0.2,4,2,3,4,0.4,0.5,0\n3,0.3,5,3"));
    assert_eq!(names(folder.path()).unwrap(), ["stages", "other"]);
    let all = pictures(folder.path(), "").unwrap();
    let titles: Vec<&str> = all[1].panels.iter().map(|panel| panel.title.as_str()).collect();
    assert_eq!(titles, ["temperature", "spin"]);
    assert_eq!(all[1].panels[0].series[0].points, [(0.1, 3.0), (0.2, 4.0)]);
    assert_eq!(all[1].panels[1].series.iter().map(|series| series.name.as_str()).collect::<Vec<_>>(), ["x", "y", "z"]);
    // The stages fill the diagram up to their sum.
    let svg = to_svg(&all[0]).unwrap();
    let elements = elements(&svg);
    let bands: Vec<&Element> = elements.iter().filter(|element| element.name == "polygon").skip(1).collect();
    let (_, tenth) = labeled(&elements, "0.10", "0.8");
    let (_, zero) = labeled(&elements, "0.10", "0.0");
    let top = bands[1].points()[0].1;
    let expected = zero + (tenth - zero) * 0.75 / 0.8;
    assert!((top - expected).abs() < 3.0, "first sum at {top}, expected {expected}");
}

#[test]
fn bodies_have_a_line_each_and_fixed_ones_none_in_the_motion() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "diagnostics.csv", "step,time,dt\n1,0.1,0.1\n2,0.2,0.1\n");
    let head = "step,time,body,center_x,center_y,center_z,rotation_x,rotation_y,rotation_z,rotation_w,force_x,force_y,force_z,charge";
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let rows = format!(
        "1,0.1,tank,0,0,0,0,0,0,1,0,-5,0,1\n1,0.1,ball,0,1,0,0,0,0,1,3,7,4,2\n2,0.2,tank,0,0,0,0,0,0,1,0,-6,0,1\n2,0.2,ball,3,2,4,0,0,{half},{half},0,8,0,2\n"
    );
    write(folder.path(), "bodies.csv", &format!("{head}\n{rows}"));
    let all = pictures(folder.path(), "").unwrap();
    assert_eq!(all.iter().map(|picture| picture.name.as_str()).collect::<Vec<_>>(), ["time_step", "bodies", "forces", "bodies_other"]);
    let find = |picture: usize, title: &str| all[picture].panels.iter().find(|panel| panel.title == title).unwrap();
    let only = |panel: &Panel, name: &str| {
        assert_eq!(panel.series.iter().map(|series| series.name.as_str()).collect::<Vec<_>>(), [name]);
        panel.series[0].points.clone()
    };
    assert_eq!(only(find(1, "Height of the center"), "ball"), [(0.1, 1.0), (0.2, 2.0)]);
    assert_eq!(only(find(1, "Horizontal distance from the start"), "ball"), [(0.1, 0.0), (0.2, 5.0)]);
    assert!((only(find(1, "Rotation angle since the start"), "ball")[1].1 - 90.0).abs() < 1e-9);
    assert_eq!(only(find(2, "Horizontal force"), "ball"), [(0.1, 5.0), (0.2, 0.0)]);
    assert_eq!(only(find(2, "Vertical force on fixed bodies"), "tank"), [(0.1, -5.0), (0.2, -6.0)]);
    assert_eq!(find(3, "charge").series.len(), 2);
}

#[test]
fn diagrams_show_values_changes_and_increments() {
    let mut table = RecordedTable::new(["time", "kinetic", "potential", "clock", "count"]);
    for row in [["0", "1", "5", "2", "7"], ["1", "4", "3", "6", "7"], ["2", "6", "x", "1", "7"]] {
        table.push(row);
    }
    let points = |quantity: Quantity, columns: &[&'static str]| {
        let start = Diagram::linear("Title", "J").of(quantity);
        let diagram = columns.iter().enumerate().fold(start, |diagram, (color, column)| diagram.line(column, column, color));
        let values = |series: &Series| series.points.iter().map(|point| point.1).collect::<Vec<_>>();
        diagram.panel(&table).series.iter().map(values).collect::<Vec<_>>()
    };
    let same =
        |found: &[f64], expected: &[f64]| found.iter().zip(expected).all(|(one, other)| one == other || (one.is_nan() && other.is_nan()));
    let changes = points(Quantity::Change, &["kinetic", "potential", "missing"]);
    assert_eq!(changes.len(), 3, "two columns and their sum: {changes:?}");
    assert!(same(&changes[0], &[0.0, 3.0, 5.0]) && same(&changes[2], &[0.0, 1.0, f64::NAN]), "{changes:?}");
    // The clock was set back before the last row.
    let increments = points(Quantity::Increment, &["clock"]);
    assert!(same(&increments[0], &[2.0, 4.0, f64::NAN]), "{increments:?}");
    assert_eq!(points(Quantity::VaryingValue, &["count", "clock"]), [[2.0, 6.0, 1.0]]);
    assert_eq!(points(Quantity::Value, &["count"]), [[7.0; 3]]);
}

/// The folder of a completed run of a scene.
fn run(folder: &Path, scene: &str) -> PathBuf {
    let out = folder.join("out");
    let read = Scene::parse(scene, &folder.join("scene.toml")).expect("a sound scene");
    let plan = RunPlan::new(&read, scene.to_owned());
    let run = Run::start(plan, Simulation::new(read.definition, &Unwatched).unwrap(), RunFolder::claim(&out).unwrap()).unwrap();
    run.go(None, &AtomicBool::new(false), &mut Silent).unwrap();
    out
}

fn find<'p>(pictures: &'p [Picture], name: &str) -> &'p Picture {
    let names: Vec<&str> = pictures.iter().map(|picture| picture.name.as_str()).collect();
    pictures.iter().find(|picture| picture.name == name).unwrap_or_else(|| panic!("no picture {name} in {names:?}"))
}

const DISCS: &str = r#"
title = "Discs"
simulator = "gas"
duration = 2.0
frames_per_second = 5

[gas]
dimension = 2
box = { min = [0, 0, 0], max = [1, 1, 0] }
periodic = ["x", "y"]

[[gas.group]]
count = 1500
radius = 0.006
mass = 1.0
temperature = 1.0
speeds = "equal"

[[gas.group]]
count = 1500
radius = 0.006
mass = 4.0
temperature = 1.0

[[gas.sphere]]
radius = 0.006
mass = 1.0
position = [0.5, 0.5, 0]
velocity = [1.5, -0.4, 0]
trace = true
"#;

#[test]
fn a_gas_is_drawn_with_theory_speeds_and_path() {
    let folder = tempfile::tempdir().unwrap();
    let out = run(folder.path(), DISCS);
    let all = pictures(&out, "").unwrap();
    let gas = find(&all, "gas");
    let titles: Vec<(&str, &str)> = gas.panels.iter().map(|panel| (panel.title.as_str(), panel.unit.as_str())).collect();
    // Without walls there is no work of walls to show.
    let expected = [("Temperature", "J"), ("Pressure", "N/m"), ("Compressibility p V / (N T)", ""), ("Impact rate per sphere", "1/s")];
    assert_eq!(titles, expected);
    for panel in &gas.panels[2..] {
        let last = |series: usize| panel.series[series].points.last().unwrap().1;
        assert_eq!((panel.series[0].name.as_str(), panel.series[1].name.as_str()), ("measured", "theory"));
        assert!((last(0) / last(1) - 1.0).abs() < 0.1, "{}: {} and {}", panel.title, last(0), last(1));
    }
    check_speeds(find(&all, "speeds"));
    check_path(find(&all, "path"), &out);
    assert!(!all.iter().any(|picture| picture.name.starts_with("bodies") || picture.name.starts_with("force")));
    // Frames may be missing, but not damaged.
    fs::write(out.join("particles_000010.vtu"), "<VTKFile>").unwrap();
    let error = pictures(&out, "").unwrap_err().to_string();
    assert!(error.contains("particles_000010.vtu"), "{error}");
    fs::remove_file(out.join("run.json")).unwrap();
    assert!(!pictures(&out, "").unwrap().iter().any(|picture| picture.name == "speeds"));
}

const LAYERS: &str = r#"
title = "Two sizes at rest"
simulator = "grains"
duration = 1e-4
frames_per_second = 10000
gravity = [0, 0, -9.81]

[grains]
box = { min = [0, 0, 0], max = [1, 1, 1] }

[[grains.material]]
name = "glass"
density = 2500
young_modulus = 1e7

[[grains.grain]]
position = [0.2, 0.2, 0.1]
radius = 0.1
velocity = [3, 0, 0]
material = "glass"

[[grains.grain]]
position = [0.6, 0.6, 0.1]
radius = 0.05
velocity = [1, 0, 0]
material = "glass"

[[grains.grain]]
position = [0.6, 0.6, 0.7]
radius = 0.1
material = "glass"
"#;

#[test]
fn grains_are_drawn_by_height_and_size() {
    let folder = tempfile::tempdir().unwrap();
    let all = pictures(&run(folder.path(), LAYERS), "").unwrap();
    let profiles = find(&all, "profiles");
    let [area, share, speed] = &profiles.panels[..] else { panic!("three panels in {profiles:?}") };
    let names: Vec<&str> = area.series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(names, ["100 mm", "200 mm"]);
    // From 0 to 0.8 m in four layers along z; the lowest and the highest contain grains.
    let volume = |radius: f64| 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
    let close = |found: f64, expected: f64, what: &str| {
        assert!((found - expected).abs() < 1e-3 * expected.max(0.01), "{what}: {found}, expected {expected}")
    };
    for (series, radius, upper) in [(&area.series[0], 0.05, 0.0), (&area.series[1], 0.1, volume(0.1))] {
        let heights: Vec<f64> = series.points.iter().map(|point| point.0).collect();
        assert_eq!(heights.len(), 4, "{heights:?}");
        close(heights[0], 0.1, "height");
        let thickness = heights[1] - heights[0];
        close(series.points[0].1 * thickness, volume(radius), "volume below");
        close(series.points[3].1 * thickness, upper, "volume above");
    }
    close(share.series[0].points[0].1, 1.0 / 9.0, "share of the small one");
    close(share.series[1].points[0].1, 8.0 / 9.0, "share of the large one");
    close(speed.series[0].points[0].1, 1.0, "speed of the small one");
    close(speed.series[1].points[0].1, 3.0, "speed of the large one");
    assert!(speed.series[0].points[3].1.is_nan() && share.series[0].points[1].1.is_nan(), "nothing where nothing lies");
}

const MEASURED: &str = r#"
title = "A falling and a loaded block"
simulator = "blocks"
duration = 0.2
frames_per_second = 10

[[blocks.material]]
name = "rock"
density = 2500
young_modulus = 1e8

[[blocks.joint]]
friction_angle = 30

[[blocks.block]]
vertices = [[0, 0], [1, 0], [1, 1], [0, 1]]
velocity = [1, 0]

[[blocks.block]]
vertices = [[-3, -6], [3, -6], [3, -5], [-3, -5]]
fixed = true

[[blocks.block]]
vertices = [[-2, -5], [-1, -5], [-1, -4], [-2, -4]]

[[blocks.measured_point]]
name = "falling"
at = [0.5, 0.5]

[[blocks.measured_point]]
name = "resting"
at = [-1.5, -4.5]
"#;

#[test]
fn measured_points_and_stress_of_blocks_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let all = pictures(&run(folder.path(), MEASURED), "").unwrap();
    let (motion, stress) = (find(&all, "points"), find(&all, "stress"));
    let line = |picture: &Picture, panel: &str, name: &str| -> Series {
        let panel = picture.panels.iter().find(|candidate| candidate.title.starts_with(panel)).expect("a panel of this title");
        panel.series.iter().find(|series| series.name == name).expect("a line of this name").clone()
    };
    for &(time, value) in &line(motion, "Displacement along x", "falling").points {
        assert!((value - time).abs() < 1e-6, "{value} m at {time} s");
    }
    let &(time, fallen) = line(motion, "Displacement along y", "falling").points.last().unwrap();
    assert!((fallen + 0.5 * 9.81 * time * time).abs() < 1e-6, "{fallen} m at {time} s");
    let &(_, speed) = line(motion, "Speed", "falling").points.last().unwrap();
    assert!((speed - (9.81 * time).hypot(1.0)).abs() < 1e-6, "{speed} m/s");
    assert!(line(stress, "Stress σ_y", "resting").points.iter().any(|point| point.1 < -5e3), "the resting block is pressed");
    assert!(!all.iter().any(|picture| picture.name == "bodies"), "points are not bodies");
}

/// Area under a line.
fn area(points: &[(f64, f64)]) -> f64 {
    points.windows(2).map(|ends| 0.5 * (ends[1].0 - ends[0].0) * (ends[0].1 + ends[1].1)).sum()
}

fn check_speeds(picture: &Picture) {
    let [found, curve] = &picture.panels[0].series[..] else { panic!("a histogram and a curve") };
    assert_eq!((found.name.as_str(), curve.name.as_str()), ("3001 discs", "Rayleigh"));
    assert_eq!(picture.title, "Speeds at 2 s");
    assert!((area(&found.points) - 1.0).abs() < 1e-9 && (area(&curve.points) - 1.0).abs() < 0.01, "areas 1");
    // Two masses, 1 and 4, half each, at T = 1: v exp(−v²/2) / 2 + 4 v exp(−2 v²) / 2.
    for &(v, value) in &curve.points {
        let expected = 0.5 * v * (-0.5 * v * v).exp() + 2.0 * v * (-2.0 * v * v).exp();
        assert!((value - expected).abs() < 0.03, "at {v}: {value}, expected {expected}");
    }
    // Initially all speeds were equal; now they follow the curve. No bin deviates from it by more than statistical fluctuations.
    let bins: Vec<(f64, f64)> =
        found.points[1..found.points.len() - 1].chunks(2).map(|ends| (0.5 * (ends[0].0 + ends[1].0), ends[0].1)).collect();
    for &(v, share) in &bins {
        let expected = height_at(&curve.points, v);
        assert!((share - expected).abs() < 0.12, "at {v}: {share}, expected {expected}");
    }
    let svg = to_svg(picture).unwrap();
    let elements = elements(&svg);
    assert!(elements.iter().any(|element| element.name == "polyline" && element.attributes["stroke"] == "#D55E00"));
    let filled: Vec<&Element> = elements.iter().filter(|element| element.name == "polygon").skip(1).collect();
    let zero = elements.iter().find(|element| element.text == "0.0" && element.attributes["text-anchor"] == "end").unwrap().number("y");
    let lowest = filled[0].points().iter().map(|(_, y)| *y).fold(0.0, f64::max);
    assert!((lowest - zero).abs() < 3.0, "bars stand at {lowest}, zero is at {zero}");
    assert!(texts(&elements).contains(&"Speed (m/s)"));
}

fn check_path(picture: &Picture, out: &Path) {
    let points = &picture.panels[0].series[0].points;
    let rows = fs::read_to_string(out.join("bodies.csv")).unwrap().lines().count() - 1;
    assert_eq!((picture.panels.len(), points.len()), (1, rows));
    assert!(rows > 50, "{rows} turns");
    // The path continues through the faces of the periodic box: it is longer than the box, without jumps.
    let longest = points.windows(2).map(|ends| (ends[1].0 - ends[0].0).hypot(ends[1].1 - ends[0].1)).fold(0.0, f64::max);
    assert!(longest < 0.5, "a flight of {longest}");
    // Both axes have the same scale.
    let svg = to_svg(picture).unwrap();
    let drawn = elements(&svg).into_iter().find(|element| element.name == "polyline" && element.attributes["stroke"] == BLUE).unwrap();
    let extent = |points: &[(f64, f64)]| {
        let of = |axis: fn(&(f64, f64)) -> f64| {
            let (least, most) =
                points.iter().map(axis).fold((f64::MAX, f64::MIN), |(least, most), value| (least.min(value), most.max(value)));
            most - least
        };
        (of(|point| point.0), of(|point| point.1))
    };
    let (meters, pixels) = (extent(points), extent(&drawn.points()));
    let ratio = (pixels.0 / meters.0) / (pixels.1 / meters.1);
    assert!((ratio - 1.0).abs() < 0.01, "a meter across is {ratio} of one upwards");
}

#[test]
fn paths_in_space_are_seen_from_two_sides_and_unknown_tables_do_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "diagnostics.csv", "step,time,dt\n1,1,1\n");
    let head = "step,time,sphere,impacts,position_x,position_y,position_z,velocity_x,velocity_y,velocity_z";
    // Sphere 3 crosses the end of an axis of period 2 on its second flight; sphere 8 does not.
    let rows = "1,1,3,1,1.5,1,0.5,1,0,0\n1,1.5,8,1,0.1,0.2,0.3,0,1,0\n1,2,3,2,0.5,1,0.5,0,1,1\n1,2.5,8,2,0.1,1.2,0.3,0,1,0\n1,3,3,3,0.5,0,1.5,0,0,1\n";
    write(folder.path(), "bodies.csv", &format!("{head}\n{rows}"));
    let all = pictures(folder.path(), "").unwrap();
    assert_eq!(all.iter().map(|picture| picture.name.as_str()).collect::<Vec<_>>(), ["time_step", "path"]);
    let panels = &all[1].panels;
    assert_eq!(panels.iter().map(|panel| panel.title.as_str()).collect::<Vec<_>>(), ["y", "z"]);
    assert_eq!(panels[0].series[0].points, [(1.5, 1.0), (2.5, 1.0), (2.5, 2.0)]);
    assert_eq!(panels[1].series[0].points, [(1.5, 0.5), (2.5, 0.5), (2.5, 1.5)]);
    assert_eq!(panels[0].series[1].points, [(0.1, 0.2), (0.1, 1.2)]);
    assert_eq!(panels[0].series.iter().map(|series| series.name.as_str()).collect::<Vec<_>>(), ["sphere 3", "sphere 8"]);
    write(folder.path(), "bodies.csv", "step,time,cluster\n1,1,2\n");
    assert_eq!(pictures(folder.path(), "").unwrap().len(), 1);
}

#[test]
fn no_name_and_no_value_breaks_a_picture() {
    let points = [(0.0, 1.0), (1.0, 2.0)];
    let lines = vec![line("hull\u{1b}[31m", 0, &points), line("ball", 1, &points)];
    let svg = to_svg(&picture(vec![Panel::new("Height", "m", Scale::Linear, lines)])).unwrap();
    assert!(texts(&elements(&svg)).iter().any(|text| text.starts_with('h') && text.contains('\u{fffd}')), "{svg}");
    let values = [0.0, 5e-324, 1e-310, f64::MIN_POSITIVE, 1.0, 1e300, f64::MAX, -f64::MAX, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    for scale in [Scale::Linear, Scale::Logarithmic] {
        for first in values {
            for second in values {
                let points = [(0.0, first), (0.5, second), (1.0, first)];
                elements(&to_svg(&picture(vec![Panel::new("Value", "N", scale, vec![line("", 0, &points)])])).unwrap());
                // Times, too.
                let points = [(first.abs(), 1.0), (second.abs(), 2.0)];
                elements(&to_svg(&picture(vec![Panel::new("Value", "N", scale, vec![line("", 0, &points)])])).unwrap());
            }
        }
    }
}

#[test]
fn columns_are_found_with_and_without_units() {
    let heads = [["time [s]", "body", "force_x [N]", "force_y [N]", "force_z [N]"], ["time", "body", "force_x", "force_y", "force_z"]];
    for (head, unit) in heads.into_iter().zip(["N", ""]) {
        let mut table = RecordedTable::new(head);
        table.push(["0.5", "hull", "3", "4", "0"]);
        assert_eq!((table.times(), table.time_title(), table.length("force")), (vec![0.5], "Time (s)", Some(vec![5.0])));
        let (name, part) = &table.by("body")[0];
        assert_eq!((name.as_str(), part.unit("force_y"), part.column("force_y")), ("hull", unit, Some(&[4.0][..])));
        let groups = table.groups(|name| name.starts_with("force"));
        let columns = vec![("force_x", "x"), ("force_y", "y"), ("force_z", "z")];
        assert_eq!(groups, [ColumnGroup { name: "force", is_vector: true, columns }]);
    }
    assert_eq!(name_and_unit("kernel [m³/s]"), ("kernel", "m³/s"));
    assert_eq!(name_and_unit("wall_seconds"), ("wall_seconds", ""));
}
