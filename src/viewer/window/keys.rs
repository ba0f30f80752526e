//! What keys do. The help overlay is made from the same list.

use kiss3d::event::Key;

/// Something a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
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
    ViewAll,
    Panel,
    Help,
    Picture,
    Pictures,
    Movie,
    Close,
}

/// Each key, what it asks for, and how that is called.
pub const KEYS: [(Key, &str, Wish, &str); 17] = [
    (Key::Space, "Space", Wish::RunOrPause, "run or pause"),
    (Key::N, "N", Wish::Step, "next step or frame"),
    (Key::R, "R", Wish::Restart, "restart"),
    (Key::Key1, "1", Wish::Particles, "balls"),
    (Key::Key2, "2", Wish::Points, "dots"),
    (Key::Key3, "3", Wish::Surface, "water surface"),
    (Key::B, "B", Wish::Balls, "slab-cut balls"),
    (Key::G, "G", Wish::Segments, "segments"),
    (Key::C, "C", Wish::Cells, "kept cells"),
    (Key::K, "K", Wish::Contacts, "contacts"),
    (Key::F, "F", Wish::ViewAll, "see everything"),
    (Key::Tab, "Tab", Wish::Panel, "panel on or off"),
    (Key::H, "H", Wish::Help, "this help"),
    (Key::F2, "F2", Wish::Picture, "save a picture"),
    (Key::P, "P", Wish::Pictures, "record pictures (PNG)"),
    (Key::M, "M", Wish::Movie, "record a film (MP4)"),
    (Key::Escape, "Esc", Wish::Close, "close the window"),
];

/// What the mouse does.
pub const MOUSE: [(&str, &str); 5] = [
    ("left drag", "turn the view; on a floating body: pull it"),
    ("right drag", "shift the view"),
    ("wheel", "nearer or farther"),
    ("Ctrl + left drag", "stir the fluid"),
    ("panel: drop", "let a body fall into the fluid"),
];

/// What `key` asks for.
pub fn wish(key: Key) -> Option<Wish> {
    KEYS.iter().find(|(of, ..)| *of == key).map(|(_, _, wish, _)| *wish)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_and_no_wish_is_there_twice() {
        for (index, (key, _, wish, _)) in KEYS.iter().enumerate() {
            assert!(KEYS[..index].iter().all(|(other, _, other_wish, _)| other != key && other_wish != wish), "{key:?}");
        }
    }
}
