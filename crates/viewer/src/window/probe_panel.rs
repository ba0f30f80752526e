//! The section of the panel with the curves of the instruments.

use kiss3d::egui::{Color32, ComboBox, Ui};

use super::{plot::plot_over_time, readings::Readings};
use crate::drawing::OverlayChoice;

const PROBLEM: Color32 = Color32::from_rgb(240, 110, 100);

/// The instrument and the quantity whose curve is shown.
#[derive(Default)]
pub struct ProbePanel {
    instrument: String,
    quantity: String,
}

impl ProbePanel {
    /// Draws the section, `width` points wide; `now` is the time (s) that is shown.
    pub fn draw(&mut self, ui: &mut Ui, width: f32, readings: &Readings, now: f64, overlay: &mut OverlayChoice) {
        ui.checkbox(&mut overlay.instruments, "show where they measure (I)");
        if let Some(problem) = &readings.problem {
            ui.colored_label(PROBLEM, problem);
        }
        let instruments = &readings.instruments;
        let names = instruments.iter().map(|instrument| instrument.name.as_str());
        let Some(place) = choose(ui, "instrument", width, &mut self.instrument, names) else { return };
        let quantities = &instruments[place].quantities;
        let names = quantities.iter().map(|quantity| quantity.name.as_str());
        let Some(place) = choose(ui, "quantity", width, &mut self.quantity, names) else { return };
        let shown = &quantities[place];
        plot_over_time(ui, &shown.unit, &shown.samples.points(), shown.samples.at(now), now);
    }
}

/// Lets the user choose one of `names`; returns its place. Without a valid choice the first is chosen.
fn choose<'n>(ui: &mut Ui, id: &str, width: f32, chosen: &mut String, names: impl Iterator<Item = &'n str> + Clone) -> Option<usize> {
    if !names.clone().any(|name| name == chosen) {
        names.clone().next()?.clone_into(chosen);
    }
    ComboBox::from_id_salt(id).width(width).selected_text(chosen.as_str()).show_ui(ui, |ui| {
        for name in names.clone() {
            ui.selectable_value(chosen, name.to_owned(), name);
        }
    });
    names.clone().position(|name| name == chosen)
}
