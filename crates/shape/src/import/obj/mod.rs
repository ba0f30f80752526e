//! Wavefront OBJ, read by the crate `tobj`.
//!
//! `tobj` gets only what describes a surface, in its plainest form ([`outline`]): `v` with three coordinates and an optional weight, and `f` with
//! position indices. `o` and `g` divide the faces. Skipped, because they are not part of a surface: normals, texture coordinates, vertex colors,
//! materials, lines, points and curves. From the whole text, `tobj` would refuse some of these, and comments behind a statement; it would take
//! lines for faces and ignore keywords in upper case.
//!
//! `tobj` reports no line numbers, and accepts numbers that are not finite and faces before their vertices. If it refuses the file or its result is
//! not sound, the lines are checked one after the other and the first wrong one is reported ([`mistake`]).

mod mistake;
mod outline;
#[cfg(test)]
mod reference;
mod statements;

use std::path::Path;

use super::{ImportOptions, MeshError, geometry::Geometry};
use outline::Outline;

/// Reads the text of the OBJ file at `path`.
pub fn read(path: &Path, text: &str, options: &ImportOptions) -> Result<Geometry, MeshError> {
    Outline::of(text).geometry(options).map_err(|reason| {
        let without_line = || MeshError::Invalid { path: path.into(), format: "an OBJ file", reason };
        mistake::first(path, text, options).unwrap_or_else(without_line)
    })
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use plimsoll_base::math::Random;

    use super::*;

    const GOOD_NUMBERS: [&str; 8] = ["0", "1", "-2.5", "1e3", "+3", ".5", "-0", "7.25e-3"];
    const ODD_NUMBERS: [&str; 9] = ["nan", "inf", "1e12", "1e400", "1e-400", "x", "1,5", "", "#"];
    const ODD_CORNERS: [&str; 12] =
        ["0", "-0", "+1", "", "/1", "9999", "-9999", "1.0", "18446744073709551615", "9223372036854775807", "-9223372036854775808", "#1"];
    const TAILS: [&str; 6] = ["", "/1", "//2", "/1/2", "/x", "/1/2/3/4"];
    const OTHERS: [&str; 26] = [
        "o",
        "g",
        "  g left  wing",
        "G\tright # the other",
        "O #",
        "# f 1 2 3",
        "# v 0 0 0 \\",
        "#",
        "",
        "\\",
        "vn 0 0 1",
        "vn 0",
        "vt 0.5",
        "vt 0 x",
        "l 1 2",
        "l 7 99999",
        "p 1",
        "s off",
        "mtllib no/such/file.mtl",
        "mtllib",
        "usemtl",
        "usemtl steel",
        "vp 1 2",
        "curv 0 1 1 2",
        "fo 1 2 3",
        "\u{feff}v 1 1 1",
    ];

    fn pick<'a>(random: &mut Random, from: &[&'a str]) -> &'a str {
        from[(from.len() as f64 * random.uniform()) as usize]
    }

    /// A vertex or face, odd with the given probability of each word.
    fn statement(random: &mut Random, vertices: &mut i32, odd: f64) -> String {
        let mut line;
        if random.uniform() < 0.45 {
            *vertices += 1;
            line = pick(random, &["v", "v", "v", "V", " v\t"]).to_owned();
            let odd_count = random.uniform() < odd;
            let count = if odd_count { (9.0 * random.uniform()) as usize } else { [3, 3, 3, 4, 6, 7][(6.0 * random.uniform()) as usize] };
            for word in 0..count {
                let number =
                    if random.uniform() < odd { pick(random, &ODD_NUMBERS) } else { pick(random, &GOOD_NUMBERS[usize::from(word == 3)..]) };
                line += &format!(" {number}");
            }
        } else {
            line = pick(random, &["f", "f", "f", "F", "\tf "]).to_owned();
            let fewest = usize::from(random.uniform() >= odd);
            for _ in 0..fewest + (5.0 * random.uniform()) as usize {
                let corner = 1 + (f64::from(*vertices) * random.uniform()) as i32;
                let corner = if random.uniform() < 0.2 { corner - *vertices - 1 } else { corner };
                let position = if random.uniform() < odd { pick(random, &ODD_CORNERS).to_owned() } else { corner.to_string() };
                line += &format!(" {position}{}", pick(random, &TAILS));
            }
        }
        line + pick(random, &["", "", "", "", " ", " # one two", " #1"])
    }

    /// Text of random statements, a sixth of them not part of a surface.
    fn random_text(random: &mut Random) -> String {
        let odd = [0.0, 0.004, 0.05][(3.0 * random.uniform()) as usize];
        let end = pick(random, &["\n", "\r\n", "\r"]);
        let mut text = pick(random, &["", "", "\u{feff}"]).to_owned();
        let mut vertices = 0;
        for line in 0..(60.0 * random.uniform()) as usize {
            let first = line == 0 && random.uniform() > odd;
            let mut content = match random.uniform() {
                _ if first => "v 0 0 0".to_owned(),
                kind if kind < 0.15 => pick(random, &OTHERS).to_owned(),
                _ => statement(random, &mut vertices, odd),
            };
            vertices += i32::from(first);
            if random.uniform() < 0.05 {
                content = content.replacen(' ', &format!("\\{end}"), 1);
            }
            text += &content;
            text += end;
        }
        text + pick(random, &["", "", "\0\0", "\u{1a}", "\\", "f 1"])
    }

    /// Same as the reference: positions, faces and objects bit for bit, and messages.
    #[test]
    fn files_are_read_as_by_the_reference() {
        let mut random = Random::new(6);
        let (mut accepted, mut refused) = (0, 0);
        for case in 0..20_000 {
            let text = random_text(&mut random);
            let path = Path::new("x.obj");
            let options = ImportOptions { scale: DVec3::splat(if case % 2 == 0 { 1.0 } else { 1e9 }), ..Default::default() };
            let result =
                |read: Result<Geometry, MeshError>| read.map(|geometry| format!("{geometry:?}")).map_err(|error| error.to_string());
            let found = result(read(path, &text, &options));
            assert_eq!(found, result(reference::read(path, &text, &options)), "{text:?}");
            *if found.is_ok() { &mut accepted } else { &mut refused } += 1;
        }
        assert!(accepted > 3_000 && refused > 3_000, "{accepted} accepted, {refused} refused");
    }
}
