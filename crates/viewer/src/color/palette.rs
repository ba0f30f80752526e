//! Colors that distinguish things: warm ones first, which stand out from water.

const PALETTE: [[u8; 3]; 10] = [
    [232, 112, 58],
    [244, 190, 73],
    [193, 68, 83],
    [250, 243, 224],
    [126, 176, 105],
    [216, 150, 196],
    [148, 98, 190],
    [240, 128, 128],
    [104, 81, 68],
    [236, 232, 150],
];

/// Color (sRGB, 0 to 1) number `index`; the colors repeat.
pub fn palette(index: usize) -> [f32; 3] {
    PALETTE[index % PALETTE.len()].map(|channel| f32::from(channel) / 255.0)
}
