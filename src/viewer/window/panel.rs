//! The panel: what runs, how it is seen, what may be changed, and figures.

use std::path::{Path, PathBuf};

use kiss3d::egui::{self, Align2, Color32, ComboBox, Context, ProgressBar, RichText, Slider, Ui, vec2};

use super::{
    plot::{Curve, figure, plot},
    worker::Sample,
};
use crate::{
    fluid::{Conditions, PressureSolver},
    scene::ParticleStyle,
    stages,
    viewer::{drawing::OverlayChoice, look::Look},
};

const WIDTH: f32 = 250.0;
/// Height of the window that is not the panel's.
const TITLE_AND_MARGINS: f32 = 70.0;
const SPEEDS: [(&str, Option<f64>); 6] =
    [("0.1 x", Some(0.1)), ("0.25 x", Some(0.25)), ("0.5 x", Some(0.5)), ("1 x", Some(1.0)), ("2 x", Some(2.0)), ("fastest", None)];
/// Columns of the diagnostics that are plotted, if a simulator has them, with their unit; of several their sum.
const PLOTTED: [(&str, &str, &[&str]); 5] = [
    ("iterations", "", &["pressure_iterations", "divergence_iterations"]),
    ("temperature", "", &["temperature"]),
    ("contacts", "", &["contacts"]),
    ("clusters", "", &["clusters"]),
    ("time step", "s", &["dt"]),
];
const BLUE: Color32 = Color32::from_rgb(96, 170, 230);
const ORANGE: Color32 = Color32::from_rgb(240, 150, 70);
const GREEN: Color32 = Color32::from_rgb(120, 200, 120);

/// What the panel asks for.
pub enum PanelWish {
    Run(bool),
    Step,
    Restart,
    Load(PathBuf),
    Speed(Option<f64>),
    Set(Conditions),
    Drop(PathBuf, f64),
    /// Simulated time to be shown, of a recorded run.
    Seek(f64),
    ViewAll,
    Help,
    Pictures,
    Movie,
}

/// What the panel shows that it cannot change.
pub struct Shown<'s> {
    /// Of the window, points.
    pub height: f32,
    pub title: String,
    pub time: f64,
    pub steps: Option<u64>,
    /// Of particles or polygons, in words.
    pub count: String,
    pub running: bool,
    pub problem: Option<String>,
    /// Can the particles be shown as water?
    pub liquid: bool,
    pub fields: Vec<String>,
    pub recording: Option<PathBuf>,
    pub live: Option<Live<'s>>,
    /// First and last time of a recorded run.
    pub recorded: Option<[f64; 2]>,
}

/// Of a running simulation.
pub struct Live<'s> {
    pub path: &'s Path,
    /// Absent where nothing may be changed.
    pub conditions: Option<Conditions>,
    pub history: Vec<Sample>,
    pub stages: &'s [(&'static str, f64)],
}

/// The panel's own state.
pub struct Panel {
    pub open: bool,
    pub speed: Option<f64>,
    scenes: Vec<PathBuf>,
    meshes: Vec<PathBuf>,
    mesh: usize,
    density: f64,
}

impl Panel {
    pub fn new(scenes: &Path, meshes: &Path) -> Self {
        Self { open: true, speed: Some(1.0), scenes: files(scenes, "toml"), meshes: files(meshes, "obj"), mesh: 0, density: 500.0 }
    }

    /// Draws the panel; changes `look` and `overlay`, and returns what else is asked for.
    pub fn draw(&mut self, context: &Context, shown: &Shown, look: &mut Look, overlay: &mut OverlayChoice) -> Vec<PanelWish> {
        let mut wishes = Vec::new();
        if !self.open {
            return wishes;
        }
        let height = shown.height - TITLE_AND_MARGINS;
        egui::Window::new("plimsoll").anchor(Align2::LEFT_TOP, vec2(8.0, 8.0)).default_width(WIDTH).resizable(false).show(context, |ui| {
            egui::ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
                ui.set_width(WIDTH);
                self.draw_head(ui, shown, &mut wishes);
                section(ui, "View", true, |ui| draw_view(ui, shown, look, &mut wishes));
                if let Some(live) = &shown.live {
                    if let Some(conditions) = live.conditions {
                        section(ui, "Method", false, |ui| draw_overlay(ui, overlay));
                        section(ui, "Conditions", false, |ui| draw_conditions(ui, conditions, &mut wishes));
                        section(ui, "Drop a body", false, |ui| self.draw_drop(ui, &mut wishes));
                    }
                    section(ui, "Figures", false, |ui| draw_figures(ui, live));
                }
                section(ui, "Record", false, |ui| draw_record(ui, shown, &mut wishes));
            });
        });
        wishes
    }

    fn draw_head(&mut self, ui: &mut Ui, shown: &Shown, wishes: &mut Vec<PanelWish>) {
        if let Some(live) = &shown.live {
            ComboBox::from_id_salt("scene").width(WIDTH - 8.0).selected_text(shown.title.as_str()).show_ui(ui, |ui| {
                for path in &self.scenes {
                    if ui.selectable_label(path == live.path, name(path)).clicked() {
                        wishes.push(PanelWish::Load(path.clone()));
                    }
                }
            });
        } else {
            ui.label(RichText::new(shown.title.as_str()).strong());
        }
        ui.horizontal(|ui| {
            if ui.button(if shown.running { "⏸ pause" } else { "▶ run" }).clicked() {
                wishes.push(PanelWish::Run(!shown.running));
            }
            if ui.button("⏭ step").clicked() {
                wishes.push(PanelWish::Step);
            }
            if ui.button("⟲ restart").clicked() {
                wishes.push(PanelWish::Restart);
            }
        });
        ui.horizontal(|ui| {
            ui.label("speed");
            let text = SPEEDS.iter().find(|(_, speed)| *speed == self.speed).map_or("", |(text, _)| *text);
            ComboBox::from_id_salt("speed").width(90.0).selected_text(text).show_ui(ui, |ui| {
                for (text, speed) in SPEEDS.iter().filter(|(_, speed)| shown.live.is_some() || speed.is_some()) {
                    if ui.selectable_label(*speed == self.speed, *text).clicked() {
                        self.speed = *speed;
                        wishes.push(PanelWish::Speed(*speed));
                    }
                }
            });
        });
        let steps = shown.steps.map_or(String::new(), |steps| format!("   step {steps}"));
        ui.label(format!("t = {:.3} s{steps}", shown.time));
        ui.label(shown.count.as_str());
        if let Some([first, last]) = shown.recorded {
            let mut time = shown.time;
            ui.spacing_mut().slider_width = WIDTH - 70.0;
            if ui.add(Slider::new(&mut time, first..=last).fixed_decimals(2).suffix(" s")).changed() {
                wishes.push(PanelWish::Seek(time));
            }
        }
        if let Some(problem) = &shown.problem {
            ui.colored_label(Color32::from_rgb(240, 110, 100), problem);
        }
    }

    fn draw_drop(&mut self, ui: &mut Ui, wishes: &mut Vec<PanelWish>) {
        if self.meshes.is_empty() {
            ui.label("found no meshes/*.obj");
            return;
        }
        let selected = name(&self.meshes[self.mesh]);
        ComboBox::from_id_salt("mesh").width(WIDTH - 8.0).selected_text(selected).show_ui(ui, |ui| {
            for (index, path) in self.meshes.iter().enumerate() {
                ui.selectable_value(&mut self.mesh, index, name(path));
            }
        });
        ui.add(Slider::new(&mut self.density, 50.0..=5000.0).logarithmic(true).text("kg/m³").fixed_decimals(0));
        if ui.button("drop").clicked() {
            wishes.push(PanelWish::Drop(self.meshes[self.mesh].clone(), self.density));
        }
    }
}

fn section(ui: &mut Ui, title: &str, open: bool, contents: impl FnOnce(&mut Ui)) {
    egui::CollapsingHeader::new(RichText::new(title).strong()).default_open(open).show(ui, contents);
}

fn draw_view(ui: &mut Ui, shown: &Shown, look: &mut Look, wishes: &mut Vec<PanelWish>) {
    ui.horizontal(|ui| {
        ui.selectable_value(&mut look.style, ParticleStyle::Particles, "balls");
        ui.selectable_value(&mut look.style, ParticleStyle::Points, "dots");
        if shown.liquid {
            ui.selectable_value(&mut look.style, ParticleStyle::Surface, "water");
        }
    });
    ui.horizontal(|ui| {
        ui.label("colour");
        ComboBox::from_id_salt("field").width(110.0).selected_text(look.color_by.clone()).show_ui(ui, |ui| {
            for field in &shown.fields {
                ui.selectable_value(&mut look.color_by, field.clone(), field);
            }
        });
        ui.checkbox(&mut look.legend, "legend");
    });
    ui.horizontal(|ui| {
        if ui.button("see everything").clicked() {
            wishes.push(PanelWish::ViewAll);
        }
        if ui.button("help (H)").clicked() {
            wishes.push(PanelWish::Help);
        }
    });
}

fn draw_overlay(ui: &mut Ui, overlay: &mut OverlayChoice) {
    ui.horizontal(|ui| {
        ui.checkbox(&mut overlay.balls, "slab-cut balls");
        ui.checkbox(&mut overlay.segments, "segments");
    });
    ui.horizontal(|ui| {
        ui.checkbox(&mut overlay.cells, "kept cells");
        ui.checkbox(&mut overlay.contacts, "contacts");
    });
    ui.checkbox(&mut overlay.containers, "also of the tank");
}

fn draw_conditions(ui: &mut Ui, now: Conditions, wishes: &mut Vec<PanelWish>) {
    let mut wanted = now;
    ui.spacing_mut().slider_width = 100.0;
    ui.add(Slider::new(&mut wanted.gravity.y, -20.0..=5.0).text("gravity, m/s²").fixed_decimals(1));
    ui.add(Slider::new(&mut wanted.viscosity.kinematic, 0.0..=0.05).logarithmic(true).smallest_positive(1e-7).text("viscosity, m²/s"));
    ui.add(Slider::new(&mut wanted.viscosity.artificial, 0.0..=0.5).text("artificial").fixed_decimals(2));
    ui.add(Slider::new(&mut wanted.viscosity.wall_friction, 0.0..=1.0).text("wall friction").fixed_decimals(2));
    if let Some(rate) = &mut wanted.emission_rate {
        ui.add(Slider::new(rate, 0.0..=3.0).text("emitters, × speed").fixed_decimals(2));
    }
    if let PressureSolver::Dfsph(solve) = &mut wanted.pressure {
        ui.add(Slider::new(&mut solve.density_tolerance, 0.001..=1.0).logarithmic(true).text("density, %"));
        ui.add(Slider::new(&mut solve.divergence_tolerance, 0.01..=10.0).logarithmic(true).text("divergence, %"));
    }
    if wanted != now {
        wishes.push(PanelWish::Set(wanted));
    }
}

fn draw_figures(ui: &mut Ui, live: &Live) {
    let values = |columns: &[&str]| -> Vec<f64> {
        let sum = |sample: &Sample| columns.iter().filter_map(|column| sample.number(column)).reduce(|sum, value| sum + value);
        live.history.iter().filter_map(sum).collect()
    };
    let kinetic = values(&["kinetic_energy"]);
    // Of potential energies only changes mean anything.
    let mut potential = values(&["potential_energy"]);
    let first = potential.first().copied().unwrap_or(0.0);
    potential.iter_mut().for_each(|energy| *energy -= first);
    let mut energy = vec![Curve { name: "kin ", color: BLUE, values: &kinetic }, Curve { name: "pot ", color: ORANGE, values: &potential }];
    energy.retain(|curve| !curve.values.is_empty());
    if !energy.is_empty() {
        plot(ui, "energy", "J", &energy);
    }
    for (title, unit, columns) in PLOTTED {
        let values = values(columns);
        if !values.is_empty() {
            plot(ui, title, unit, &[Curve { name: "", color: GREEN, values: &values }]);
        }
    }
    let milliseconds: Vec<f64> = live.history.iter().map(|sample| sample.milliseconds).collect();
    plot(ui, "computing a step", "ms", &[Curve { name: "", color: BLUE, values: &milliseconds }]);
    let total: f64 = live.stages.iter().map(|(_, seconds)| seconds).sum();
    if total > 0.0 {
        ui.label("time by stage");
        for (stage, seconds) in live.stages {
            let share = seconds / total;
            let text = format!("{} {} %", stages::name(stage), figure(100.0 * share));
            ui.add(ProgressBar::new(share as f32).desired_height(14.0).fill(Color32::from_rgb(60, 100, 140)).text(text));
        }
    }
}

fn draw_record(ui: &mut Ui, shown: &Shown, wishes: &mut Vec<PanelWish>) {
    if let Some(path) = &shown.recording {
        ui.colored_label(Color32::from_rgb(240, 110, 100), format!("⏺ {}", path.display()));
        if ui.button("end recording").clicked() {
            wishes.push(PanelWish::Movie);
        }
        return;
    }
    ui.horizontal(|ui| {
        if ui.button("film (M)").clicked() {
            wishes.push(PanelWish::Movie);
        }
        if ui.button("pictures (P)").clicked() {
            wishes.push(PanelWish::Pictures);
        }
    });
}

/// Files with `ending` in `folder` and the folders in it, sorted; none if it cannot be read.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = entries
        .flat_map(|path| {
            if path.is_dir() {
                files(&path, ending)
            } else if path.extension().is_some_and(|found| found == ending) {
                vec![path]
            } else {
                Vec::new()
            }
        })
        .collect();
    found.sort();
    found
}

fn name(path: &Path) -> String {
    path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}
