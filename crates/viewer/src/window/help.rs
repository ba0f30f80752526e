//! The help overlay: keys and mouse.

use kiss3d::egui::{self, Align2, Context, Grid, RichText};

use super::keys::{KEYS, MOUSE};

/// Shows the keys in the middle of the window while `open` is set.
pub fn draw_help(context: &Context, open: &mut bool) {
    egui::Window::new("Keys and mouse")
        .anchor(Align2::CENTER_CENTER, egui::Vec2::ZERO)
        .min_width(470.0)
        .collapsible(false)
        .resizable(false)
        .open(open)
        .show(context, |ui| {
            Grid::new("keys").num_columns(4).spacing([16.0, 5.0]).show(ui, |ui| {
                for pair in KEYS.chunks(2) {
                    for (_, name, _, meaning) in pair {
                        ui.label(RichText::new(*name).strong());
                        ui.label(*meaning);
                    }
                    ui.end_row();
                }
            });
            ui.separator();
            Grid::new("mouse").num_columns(2).spacing([16.0, 5.0]).show(ui, |ui| {
                for (name, meaning) in MOUSE {
                    ui.label(RichText::new(name).strong());
                    ui.label(meaning);
                    ui.end_row();
                }
            });
        });
}
