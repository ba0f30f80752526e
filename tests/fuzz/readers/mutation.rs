//! Damage to files.

use plimsoll::math::Random;

/// What numbers of a text become.
const NUMBERS: [&str; 20] = [
    "nan",
    "inf",
    "-inf",
    "0",
    "-0.0",
    "-1",
    "1",
    "3",
    "1e308",
    "-1e308",
    "1e-320",
    "1e15",
    "-1e12",
    "0.1",
    "1e-9",
    "255",
    "65536",
    "4294967295",
    "999999999999",
    "18446744073709551615",
];
/// What values of a scene become.
const VALUES: [&str; 12] = [
    "[]",
    "{}",
    "[1, 2, 3]",
    "[0, 0, 0]",
    "[-1e9, 0, 1e9]",
    "\"x\"",
    "\"\"",
    "true",
    "false",
    "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]",
    "[[]]",
    "[{}]",
];
/// Text that controls terminals or ends what is quoted.
const CONTROLS: [&str; 9] = ["\u{1b}[31m", "\u{7}", "\r", "\0", "\u{9b}2J", "\"", "<", "\n", "\u{85}"];
/// What integers and reals of a binary file become. Eight bytes of ones are a real that is not a number, whatever its place.
const INTEGERS: [u64; 8] = [0, 1, 0xff, 0xffff, 0x7fff_ffff, 0x7f80_0000_7f80_0000, u64::MAX >> 1, u64::MAX];
/// Changes of a file, at most.
const MAX_CHANGES: usize = 4;
/// Bytes of a file that grows.
const MAX_LENGTH: usize = 1 << 16;

/// `file` with a few changes.
pub fn mutate(file: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = file.to_vec();
    for _ in 0..=below(random, MAX_CHANGES) {
        change(&mut bytes, random);
    }
    bytes.truncate(MAX_LENGTH.max(file.len()));
    bytes
}

/// A whole number below `count`, or 0 if there is none.
fn below(random: &mut Random, count: usize) -> usize {
    ((random.uniform() * count as f64) as usize).min(count.saturating_sub(1))
}

fn one_of<T: Copy>(random: &mut Random, choices: &[T]) -> T {
    choices[below(random, choices.len())]
}

fn change(bytes: &mut Vec<u8>, random: &mut Random) {
    let place = below(random, bytes.len());
    match below(random, 18) {
        _ if bytes.is_empty() => bytes.push(b'0'),
        0 => bytes[place] ^= 1 << below(random, 8),
        1 => bytes[place] = below(random, 256) as u8,
        2 => {
            let integer = one_of(random, &INTEGERS).to_le_bytes();
            bytes.iter_mut().skip(place).zip(integer).take(one_of(random, &[1, 4, 8])).for_each(|(byte, new)| *byte = new);
        }
        3 => drop(bytes.drain(place..chunk_end(place, bytes.len(), random))),
        4 => {
            let chunk = bytes[place..chunk_end(place, bytes.len(), random)].to_vec();
            let target = below(random, bytes.len());
            bytes.splice(target..target, chunk);
        }
        5 => {
            let chunk = bytes[place..chunk_end(place, bytes.len(), random)].to_vec();
            let target = below(random, bytes.len());
            bytes.iter_mut().skip(target).zip(chunk).for_each(|(byte, new)| *byte = new);
        }
        6 => bytes.truncate(place),
        7 => {
            let text = one_of(random, &CONTROLS);
            bytes.splice(place..place, text.bytes());
        }
        8 => {
            let line = line_at(bytes, place);
            bytes.drain(line);
        }
        9 => {
            let line = bytes[line_at(bytes, place)].to_vec();
            let target = line_at(bytes, below(random, bytes.len())).start;
            bytes.splice(target..target, line);
        }
        10 => replace_value(bytes, place, random),
        // Numbers are what most files are made of.
        _ => replace_number(bytes, place, random),
    }
}

/// The end of a chunk that begins at `place`; short ones are more frequent.
fn chunk_end(place: usize, length: usize, random: &mut Random) -> usize {
    let longest = (length - place).min(1 << below(random, 11));
    place + 1 + below(random, longest)
}

/// The line of a byte, with its end.
fn line_at(bytes: &[u8], place: usize) -> std::ops::Range<usize> {
    let start = bytes[..place].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let end = bytes[place..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |end| place + end + 1);
    start..end
}

/// Replaces the next number after `place`.
fn replace_number(bytes: &mut Vec<u8>, place: usize, random: &mut Random) {
    let Some(start) = bytes[place..].iter().position(u8::is_ascii_digit).map(|offset| place + offset) else { return };
    let belongs = |byte: &u8| byte.is_ascii_digit() || b".-+e_".contains(byte);
    let length = bytes[start..].iter().take_while(|byte| belongs(byte)).count();
    let number = match (below(random, 2), std::str::from_utf8(&bytes[start..start + length]).ok().and_then(|text| text.parse::<f64>().ok()))
    {
        // Near what was there: these get further than extremes.
        (0, Some(number)) => (number * one_of(random, &[0.5, 0.9, 1.1, 2.0, 10.0, -1.0])).to_string(),
        _ => one_of(random, &NUMBERS).to_owned(),
    };
    bytes.splice(start..start + length, number.bytes());
}

/// Replaces the value of a key.
fn replace_value(bytes: &mut Vec<u8>, place: usize, random: &mut Random) {
    let line = line_at(bytes, place);
    let Some(equals) = bytes[line.clone()].iter().position(|&byte| byte == b'=') else { return };
    let value = line.start + equals + 1;
    let end = value + bytes[value..line.end].iter().take_while(|&&byte| byte != b'\n').count();
    bytes.splice(value..end, format!(" {}", one_of(random, &VALUES)).bytes());
}
