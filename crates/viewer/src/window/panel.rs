//! The panel: source, view, adjustable parameters and figures.

use std::path::{Path, PathBuf};

use kiss3d::egui::{self, Align2, Color32, ComboBox, Context, ProgressBar, RichText, Slider, Ui, vec2};
use plimsoll_base::timing;
use plimsoll_contract::simulator::Parameter;
use plimsoll_scene::ParticleStyle;

use super::{
    plot::{Curve, figure, numbered, plot},
    probe_panel::ProbePanel,
    readings::Readings,
    worker::{Sample, Touch},
};
use crate::{appearance::Appearance, drawing::OverlayChoice};

const WIDTH: f32 = 250.0;
/// Height of the title and the margins, outside the panel.
const TITLE_AND_MARGINS: f32 = 70.0;
const SPEEDS: [(&str, Option<f64>); 6] =
    [("0.1 x", Some(0.1)), ("0.25 x", Some(0.25)), ("0.5 x", Some(0.5)), ("1 x", Some(1.0)), ("2 x", Some(2.0)), ("fastest", None)];
/// Columns of the diagnostics that are plotted, if a simulator has them, with their unit; several columns are added.
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

/// Actions requested in the panel.
pub enum PanelAction {
    Run(bool),
    Step,
    Restart,
    Load(PathBuf),
    Speed(Option<f64>),
    Set(&'static str, f64),
    Drop(PathBuf, f64),
    /// Seeks to this simulated time of a recorded run.
    Seek(f64),
    ViewAll,
    Help,
    Pictures,
    Movie,
}

/// What the panel shows but does not change.
pub struct Shown<'s> {
    /// Height of the window, points.
    pub height: f32,
    pub title: String,
    pub time: f64,
    pub steps: Option<u64>,
    /// Number of particles or polygons, as text.
    pub count: String,
    pub running: bool,
    pub problem: Option<String>,
    /// Whether the particles can be shown as water.
    pub liquid: bool,
    pub fields: Vec<String>,
    pub recording: Option<PathBuf>,
    pub live: Option<Live<'s>>,
    /// What the instruments have measured; absent if there are none.
    pub readings: Option<&'s Readings>,
    /// First and last time of a recorded run.
    pub recorded: Option<[f64; 2]>,
}

/// Data of a running simulation.
pub struct Live<'s> {
    pub path: &'s Path,
    pub touch: &'s Touch,
    pub history: Vec<Sample>,
    pub timings: &'s [(&'static str, f64)],
}

/// State of the panel.
pub struct Panel {
    pub open: bool,
    pub speed: Option<f64>,
    scenes: Vec<PathBuf>,
    meshes: Vec<PathBuf>,
    mesh: usize,
    density: f64,
    probes: ProbePanel,
}

impl Panel {
    pub fn new(scenes: &Path, meshes: &Path) -> Self {
        Self {
            open: true,
            speed: Some(1.0),
            scenes: files(scenes, "toml"),
            meshes: files(meshes, "obj"),
            mesh: 0,
            density: 500.0,
            probes: ProbePanel::default(),
        }
    }

    /// Draws the panel. Changes `appearance` and `overlay`, and returns the other requested actions.
    pub fn draw(&mut self, context: &Context, shown: &Shown, appearance: &mut Appearance, overlay: &mut OverlayChoice) -> Vec<PanelAction> {
        let mut actions = Vec::new();
        if !self.open {
            return actions;
        }
        let height = shown.height - TITLE_AND_MARGINS;
        egui::Window::new("plimsoll").anchor(Align2::LEFT_TOP, vec2(8.0, 8.0)).default_width(WIDTH).resizable(false).show(context, |ui| {
            egui::ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
                ui.set_width(WIDTH);
                self.draw_head(ui, shown, &mut actions);
                section(ui, "View", true, |ui| draw_view(ui, shown, appearance, &mut actions));
                if let Some(live) = &shown.live {
                    if live.touch.shows_search {
                        section(ui, "Method", false, |ui| draw_overlay(ui, overlay));
                    }
                    if !live.touch.parameters.is_empty() {
                        section(ui, "Parameters", false, |ui| draw_parameters(ui, &live.touch.parameters, &mut actions));
                    }
                    if live.touch.accepts_bodies {
                        section(ui, "Drop a body", false, |ui| self.draw_drop(ui, &mut actions));
                    }
                }
                if let Some(readings) = shown.readings {
                    section(ui, "Probes", true, |ui| self.probes.draw(ui, WIDTH - 8.0, readings, shown.time, overlay));
                }
                if let Some(live) = &shown.live {
                    section(ui, "Figures", false, |ui| draw_figures(ui, live));
                }
                section(ui, "Record", false, |ui| draw_record(ui, shown, &mut actions));
            });
        });
        actions
    }

    fn draw_head(&mut self, ui: &mut Ui, shown: &Shown, actions: &mut Vec<PanelAction>) {
        if let Some(live) = &shown.live {
            ComboBox::from_id_salt("scene").width(WIDTH - 8.0).selected_text(shown.title.as_str()).show_ui(ui, |ui| {
                for path in &self.scenes {
                    if ui.selectable_label(path == live.path, name(path)).clicked() {
                        actions.push(PanelAction::Load(path.clone()));
                    }
                }
            });
        } else {
            ui.label(RichText::new(shown.title.as_str()).strong());
        }
        ui.horizontal(|ui| {
            if ui.button(if shown.running { "⏸ pause" } else { "▶ run" }).clicked() {
                actions.push(PanelAction::Run(!shown.running));
            }
            if ui.button("⏭ step").clicked() {
                actions.push(PanelAction::Step);
            }
            if ui.button("⟲ restart").clicked() {
                actions.push(PanelAction::Restart);
            }
        });
        ui.horizontal(|ui| {
            ui.label("speed");
            let text = SPEEDS.iter().find(|(_, speed)| *speed == self.speed).map_or("", |(text, _)| *text);
            ComboBox::from_id_salt("speed").width(90.0).selected_text(text).show_ui(ui, |ui| {
                for (text, speed) in SPEEDS.iter().filter(|(_, speed)| shown.live.is_some() || speed.is_some()) {
                    if ui.selectable_label(*speed == self.speed, *text).clicked() {
                        self.speed = *speed;
                        actions.push(PanelAction::Speed(*speed));
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
                actions.push(PanelAction::Seek(time));
            }
        }
        if let Some(problem) = &shown.problem {
            ui.colored_label(Color32::from_rgb(240, 110, 100), problem);
        }
    }

    fn draw_drop(&mut self, ui: &mut Ui, actions: &mut Vec<PanelAction>) {
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
            actions.push(PanelAction::Drop(self.meshes[self.mesh].clone(), self.density));
        }
    }
}

fn section(ui: &mut Ui, title: &str, open: bool, contents: impl FnOnce(&mut Ui)) {
    egui::CollapsingHeader::new(RichText::new(title).strong()).default_open(open).show(ui, contents);
}

fn draw_view(ui: &mut Ui, shown: &Shown, appearance: &mut Appearance, actions: &mut Vec<PanelAction>) {
    ui.horizontal(|ui| {
        ui.selectable_value(&mut appearance.style, ParticleStyle::Particles, "balls");
        ui.selectable_value(&mut appearance.style, ParticleStyle::Points, "dots");
        if shown.liquid {
            ui.selectable_value(&mut appearance.style, ParticleStyle::Surface, "water");
        }
    });
    ui.horizontal(|ui| {
        ui.label("color");
        ComboBox::from_id_salt("field").width(110.0).selected_text(appearance.color_by.clone()).show_ui(ui, |ui| {
            for field in &shown.fields {
                ui.selectable_value(&mut appearance.color_by, field.clone(), field);
            }
        });
        ui.checkbox(&mut appearance.legend, "legend");
    });
    ui.horizontal(|ui| {
        if ui.button("see everything").clicked() {
            actions.push(PanelAction::ViewAll);
        }
        if ui.button("help (H)").clicked() {
            actions.push(PanelAction::Help);
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

fn draw_parameters(ui: &mut Ui, parameters: &[Parameter], actions: &mut Vec<PanelAction>) {
    ui.spacing_mut().slider_width = 100.0;
    for parameter in parameters {
        let mut value = parameter.value;
        let label = if parameter.unit.is_empty() { parameter.name.to_owned() } else { format!("{}, {}", parameter.name, parameter.unit) };
        let slider = Slider::new(&mut value, parameter.min..=parameter.max).text(label);
        let slider = match parameter.logarithmic {
            Some(smallest) => slider.logarithmic(true).smallest_positive(smallest),
            None => slider.fixed_decimals(2),
        };
        if ui.add(slider).changed() {
            actions.push(PanelAction::Set(parameter.name, value));
        }
    }
}

fn draw_figures(ui: &mut Ui, live: &Live) {
    let values = |columns: &[&str]| -> Vec<(f64, f64)> {
        let sum = |sample: &Sample| columns.iter().filter_map(|column| sample.number(column)).reduce(|sum, value| sum + value);
        numbered(live.history.iter().filter_map(sum))
    };
    let kinetic = values(&["kinetic_energy"]);
    // Only changes of potential energies are meaningful.
    let mut potential = values(&["potential_energy"]);
    let first = potential.first().map_or(0.0, |(_, energy)| *energy);
    potential.iter_mut().for_each(|(_, energy)| *energy -= first);
    let mut energy = vec![Curve { name: "kin ", color: BLUE, points: &kinetic }, Curve { name: "pot ", color: ORANGE, points: &potential }];
    energy.retain(|curve| !curve.points.is_empty());
    if !energy.is_empty() {
        plot(ui, "energy", "J", &energy);
    }
    for (title, unit, columns) in PLOTTED {
        let values = values(columns);
        if !values.is_empty() {
            plot(ui, title, unit, &[Curve { name: "", color: GREEN, points: &values }]);
        }
    }
    let milliseconds = numbered(live.history.iter().map(|sample| sample.milliseconds));
    plot(ui, "computing a step", "ms", &[Curve { name: "", color: BLUE, points: &milliseconds }]);
    let total: f64 = live.timings.iter().map(|(_, seconds)| seconds).sum();
    if total > 0.0 {
        ui.label("time by stage");
        for (stage, seconds) in live.timings {
            let share = seconds / total;
            let text = format!("{} {} %", timing::name(stage), figure(100.0 * share));
            ui.add(ProgressBar::new(share as f32).desired_height(14.0).fill(Color32::from_rgb(60, 100, 140)).text(text));
        }
    }
}

fn draw_record(ui: &mut Ui, shown: &Shown, actions: &mut Vec<PanelAction>) {
    if let Some(path) = &shown.recording {
        ui.colored_label(Color32::from_rgb(240, 110, 100), format!("⏺ {}", path.display()));
        if ui.button("end recording").clicked() {
            actions.push(PanelAction::Movie);
        }
        return;
    }
    ui.horizontal(|ui| {
        if ui.button("film (M)").clicked() {
            actions.push(PanelAction::Movie);
        }
        if ui.button("pictures (P)").clicked() {
            actions.push(PanelAction::Pictures);
        }
    });
}

/// Files with the extension `ending` in `folder` and its subfolders, sorted; none if it cannot be read.
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
