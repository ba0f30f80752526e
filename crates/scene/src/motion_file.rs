//! A table of the positions and rotations of a moving body over time, in a CSV file.

use std::io::ErrorKind;

use csv::{ReaderBuilder, StringRecord, Trim};
use glam::{DQuat, DVec3};
use plimsoll_base::math::format::significant;
use plimsoll_bodies::Keyframe;

use super::read::{NOT_EXTREME, Table, is_extreme, nearest};

const FILE: &str = "the path of a CSV file, relative to the folder of the scene";
const REQUIRED: [&str; 4] = ["time", "x", "y", "z"];
/// A rotation vector in degrees, as `rotation` of a sinusoid.
const VECTOR: [&str; 3] = ["rx", "ry", "rz"];
const QUATERNION: [&str; 4] = ["qw", "qx", "qy", "qz"];
/// What separates columns in files of programs that write decimal commas, and of those that align columns.
const OTHER_SEPARATORS: [(char, &str); 2] = [(';', "semicolons"), ('\t', "tabs")];
/// Quaternions are normalized; shorter ones have no direction.
const SHORTEST: f64 = 1e-6;
/// Characters of a value that a message quotes.
const QUOTE_LENGTH: usize = 40;

/// What is wrong in a file.
struct Defect {
    found: String,
    expected: String,
    hint: Option<String>,
}

impl Defect {
    fn new(found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { found: found.into(), expected: expected.into(), hint: None }
    }
}

/// The keyframes in the file under `file`, with positions relative to the scene's origin.
pub(super) fn read(table: &Table) -> Option<Vec<Keyframe>> {
    let name = table.text("file", FILE)?;
    let path = table.document.path.parent().map_or_else(|| name.into(), |folder| folder.join(name));
    let report = |defect: Defect| {
        let texts = (format!("\"{name}\"{}", defect.found), defect.expected);
        table.document.report_with_hint(table.line_of("file"), &table.key("file"), texts, defect.hint);
    };
    let text = match table.document.files.read_text(&path) {
        Ok(text) => text,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            report(Defect::new(format!(": missing file {}", path.display()), FILE));
            return None;
        }
        Err(error) => {
            report(Defect::new(format!(", which cannot be read ({error})"), FILE));
            return None;
        }
    };
    match keyframes(&text) {
        Ok(mut keyframes) => {
            keyframes.iter_mut().for_each(|keyframe| keyframe.position -= table.document.origin.get());
            Some(keyframes)
        }
        Err(defect) => {
            report(defect);
            None
        }
    }
}

fn keyframes(text: &str) -> Result<Vec<Keyframe>, Defect> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = ReaderBuilder::new().flexible(true).trim(Trim::All).from_reader(text.as_bytes());
    let unreadable = |error: csv::Error| Defect::new(format!(", which is not a CSV file ({error})"), "a table in CSV");
    let columns = Columns::of(reader.headers().map_err(unreadable)?)?;
    let mut keyframes: Vec<Keyframe> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(unreadable)?;
        let row = Row { line: record.position().map_or(0, csv::Position::line), record, columns: &columns };
        let keyframe = row.keyframe()?;
        if let Some(last) = keyframes.last()
            && keyframe.time <= last.time
        {
            return Err(row.wrong("time", format!("a time after that of the row before, {} s", last.time)));
        }
        keyframes.push(keyframe);
    }
    match keyframes.len() {
        0 => Err(Defect::new(" without rows", "at least two rows")),
        1 => Err(Defect::new(" with one row", "at least two rows")),
        _ => Ok(keyframes),
    }
}

/// The columns of the file.
struct Columns {
    names: Vec<String>,
}

impl Columns {
    fn of(header: &StringRecord) -> Result<Self, Defect> {
        if header.is_empty() {
            return Err(Defect::new(", which is empty", format!("a header with the columns {} in line 1", in_words(&REQUIRED))));
        }
        if let Some((_, separators)) = OTHER_SEPARATORS.iter().find(|(letter, _)| header.iter().any(|name| name.contains(*letter))) {
            let found = format!(", line 1: columns separated by {separators}");
            return Err(Defect::new(found, "columns separated by commas, and numbers with decimal points"));
        }
        let known: Vec<&str> = [&REQUIRED[..], &VECTOR, &QUATERNION].concat();
        let names: Vec<String> = header.iter().map(str::to_lowercase).collect();
        for (place, name) in names.iter().enumerate() {
            if !known.contains(&name.as_str()) {
                let hint = nearest(name, known.iter().copied()).map(|known| format!("did you mean `{known}`?"));
                let found = format!(", line 1, column {}: unknown column {}", place + 1, quoted(&header[place]));
                return Err(Defect { hint, ..Defect::new(found, format!("one of {}", in_words(&known))) });
            }
            if names[..place].contains(name) {
                return Err(Defect::new(format!(", line 1, column {}: column `{name}` twice", place + 1), "each column once"));
            }
        }
        let columns = Self { names };
        let mut required = REQUIRED.to_vec();
        let given = |set: &[&str]| set.iter().any(|name| columns.place(name).is_some());
        match (given(&VECTOR), given(&QUATERNION)) {
            (true, true) => {
                let found = ", line 1: a rotation vector and a quaternion";
                return Err(Defect::new(found, format!("{} or {}", in_words(&VECTOR), in_words(&QUATERNION))));
            }
            (true, false) => required.extend(VECTOR),
            (false, true) => required.extend(QUATERNION),
            (false, false) => {}
        }
        match required.iter().find(|name| columns.place(name).is_none()) {
            Some(missing) => Err(Defect::new(format!(", line 1: no column `{missing}`"), format!("the columns {}", in_words(&required)))),
            None => Ok(columns),
        }
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|other| other == name)
    }
}

/// One row of the file.
struct Row<'a> {
    line: u64,
    record: StringRecord,
    columns: &'a Columns,
}

impl Row<'_> {
    fn keyframe(&self) -> Result<Keyframe, Defect> {
        let (count, expected) = (self.record.len(), self.columns.names.len());
        if count != expected {
            let values = if count == 1 { "value" } else { "values" };
            return Err(Defect::new(format!(", line {}: {count} {values}", self.line), format!("{expected} values, as in the header")));
        }
        let time = self.number("time")?;
        if time < 0.0 {
            return Err(self.wrong("time", "a time in seconds, 0 or more"));
        }
        let position = DVec3::new(self.number("x")?, self.number("y")?, self.number("z")?);
        Ok(Keyframe { time, position, rotation: self.rotation()? })
    }

    fn rotation(&self) -> Result<DQuat, Defect> {
        if self.columns.place(VECTOR[0]).is_some() {
            let [x, y, z] = VECTOR.map(|name| self.number(name));
            return Ok(DQuat::from_scaled_axis(DVec3::new(x?, y?, z?).map(f64::to_radians)));
        }
        if self.columns.place(QUATERNION[0]).is_none() {
            return Ok(DQuat::IDENTITY);
        }
        let [w, x, y, z] = QUATERNION.map(|name| self.number(name));
        let quaternion = DQuat::from_xyzw(x?, y?, z?, w?);
        if quaternion.length() < SHORTEST {
            let found = format!(
                ", line {}, columns {}: a quaternion of length {}",
                self.line,
                in_words(&QUATERNION),
                significant(quaternion.length())
            );
            return Err(Defect::new(found, "a quaternion of length 1"));
        }
        Ok(quaternion.normalize())
    }

    fn value(&self, column: &str) -> &str {
        self.columns.place(column).and_then(|place| self.record.get(place)).unwrap_or_default()
    }

    fn number(&self, column: &str) -> Result<f64, Defect> {
        let number = self.value(column).parse::<f64>().map_err(|_| self.wrong(column, "a number"))?;
        if !number.is_finite() {
            return Err(self.wrong(column, "a finite number"));
        }
        if is_extreme(number) {
            return Err(self.wrong(column, NOT_EXTREME));
        }
        Ok(number)
    }

    fn wrong(&self, column: &str, expected: impl Into<String>) -> Defect {
        Defect::new(format!(", line {}, column `{column}`: {}", self.line, quoted(self.value(column))), expected)
    }
}

/// A value of the file as messages show it: without control characters, on one line.
fn quoted(text: &str) -> String {
    let shown: String = text.chars().take(QUOTE_LENGTH).map(|letter| if letter.is_control() { '�' } else { letter }).collect();
    let more = if text.chars().nth(QUOTE_LENGTH).is_some() { "…" } else { "" };
    format!("\"{shown}{more}\"")
}

fn in_words(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
