//! Keyboard actions. The help overlay is made from the same list.

use kiss3d::event::Key;

/// The action of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    RunOrPause,
    Step,
    Restart,
    Particles,
    Points,
    Surface,
    Balls,
    Segments,
    Cells,
    Contacts,
    Instruments,
    ViewAll,
    Panel,
    Help,
    Picture,
    Pictures,
    Movie,
    Close,
}

/// Each key with its name in the help, its action and the description.
pub const KEYS: [(Key, &str, Action, &str); 18] = [
    (Key::Space, "Space", Action::RunOrPause, "run or pause"),
    (Key::N, "N", Action::Step, "next step or frame"),
    (Key::R, "R", Action::Restart, "restart"),
    (Key::Key1, "1", Action::Particles, "balls"),
    (Key::Key2, "2", Action::Points, "dots"),
    (Key::Key3, "3", Action::Surface, "water surface"),
    (Key::B, "B", Action::Balls, "slab-cut balls"),
    (Key::G, "G", Action::Segments, "segments"),
    (Key::C, "C", Action::Cells, "kept cells"),
    (Key::K, "K", Action::Contacts, "contacts"),
    (Key::I, "I", Action::Instruments, "probes"),
    (Key::F, "F", Action::ViewAll, "see everything"),
    (Key::Tab, "Tab", Action::Panel, "panel on or off"),
    (Key::H, "H", Action::Help, "this help"),
    (Key::F2, "F2", Action::Picture, "save a picture"),
    (Key::P, "P", Action::Pictures, "record pictures (PNG)"),
    (Key::M, "M", Action::Movie, "record a film (MP4)"),
    (Key::Escape, "Esc", Action::Close, "close the window"),
];

/// The actions of the mouse.
pub const MOUSE: [(&str, &str); 5] = [
    ("left drag", "turn the view; on a floating body: drag it"),
    ("right drag", "shift the view"),
    ("wheel", "nearer or farther"),
    ("Ctrl + left drag", "stir the particles"),
    ("panel: drop", "drop a body into the scene"),
];

/// The action of `key`.
pub fn action(key: Key) -> Option<Action> {
    KEYS.iter().find(|(of, ..)| *of == key).map(|(_, _, action, _)| *action)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_and_no_wish_is_there_twice() {
        for (index, (key, _, action, _)) in KEYS.iter().enumerate() {
            assert!(KEYS[..index].iter().all(|(other, _, other_wish, _)| other != key && other_wish != action), "{key:?}");
        }
    }
}
