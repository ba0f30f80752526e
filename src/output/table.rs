//! Tables of a run: one CSV row per step, appended in place and truncated to the checkpoint when a run is resumed.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufReader, BufWriter, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use super::file::OutputError;
use crate::{
    frame::{Row, Value},
    simulator::TableRows,
};

/// Name of the column used to truncate a table.
const STEP: &str = "step";

/// A CSV file whose header comes from its first row. Reals are printed with the fewest digits that read back to exactly the same number.
/// The file is created with the first row.
#[derive(Debug)]
pub struct Table {
    path: PathBuf,
    file: Option<csv::Writer<BufWriter<File>>>,
}

impl Table {
    /// A new table; the first row replaces an existing file at `path`.
    pub fn new(path: PathBuf) -> Self {
        Self { path, file: None }
    }

    /// Resumes the table at `path`, after removing rows of steps later than `last_step` and any partial row left by a killed run. If the
    /// table does not exist, a new one is created.
    pub fn resume(path: PathBuf, last_step: u64) -> Result<Self, OutputError> {
        match kept_length(&path, last_step) {
            Ok(0) => Ok(Self::new(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::new(path)),
            Err(error) => Err(OutputError::new(&path, "read", error)),
            Ok(length) => {
                let file = OpenOptions::new().write(true).open(&path).and_then(|mut file| {
                    file.set_len(length)?;
                    file.seek(SeekFrom::End(0))?;
                    Ok(csv_writer(file))
                });
                match file {
                    Ok(file) => Ok(Self { path, file: Some(file) }),
                    Err(error) => Err(OutputError::new(&path, "go on with", error)),
                }
            }
        }
    }

    /// Appends a row; the first row of a new table also determines the header.
    pub fn write(&mut self, row: &Row) -> Result<(), OutputError> {
        let written = self.open(row.iter().map(|(name, _)| *name)).and_then(|file| write_values(file, row.iter().map(|(_, value)| value)));
        written.map_err(|error| OutputError::new(&self.path, "write", error))
    }

    /// Appends rows. For a new table it first writes the header, even if there are no rows.
    pub fn write_rows(&mut self, table: &TableRows) -> Result<(), OutputError> {
        let file = self.open(table.columns.iter().map(AsRef::as_ref));
        let written = file.and_then(|file| table.rows.iter().try_for_each(|row| write_values(file, row.iter())));
        written.map_err(|error| OutputError::new(&self.path, "write", error))
    }

    /// Appends a row of `values` under `columns`, which are the header of a new table.
    pub fn write_cells(&mut self, columns: &[&str], values: &[&Value]) -> Result<(), OutputError> {
        let written = self.open(columns.iter().copied()).and_then(|file| write_values(file, values.iter().copied()));
        written.map_err(|error| OutputError::new(&self.path, "write", error))
    }

    /// Passes everything written so far to the operating system.
    pub fn flush(&mut self) -> Result<(), OutputError> {
        let Some(file) = &mut self.file else { return Ok(()) };
        file.flush().map_err(|error| OutputError::new(&self.path, "write", error))
    }

    fn open<'c>(&mut self, columns: impl Iterator<Item = &'c str>) -> io::Result<&mut csv::Writer<BufWriter<File>>> {
        if self.file.is_none() {
            if let Some(folder) = self.path.parent() {
                fs::create_dir_all(folder)?;
            }
            let mut file = csv_writer(File::create(&self.path)?);
            file.write_record(columns)?;
            self.file = Some(file);
        }
        Ok(self.file.as_mut().expect("it was just opened"))
    }
}

fn write_values<'v>(file: &mut csv::Writer<BufWriter<File>>, values: impl Iterator<Item = &'v Value>) -> io::Result<()> {
    for value in values {
        match value {
            Value::Integer(value) => file.write_field(value.to_string())?,
            Value::Real(value) => file.write_field(format!("{value:?}"))?,
            Value::Text(value) => file.write_field(value)?,
        }
    }
    file.write_record(None::<&[u8]>)?;
    Ok(())
}

fn csv_writer(file: File) -> csv::Writer<BufWriter<File>> {
    csv::Writer::from_writer(BufWriter::new(file))
}

/// Bytes from the start of the table at `path` to the end of the last whole row of a step not later than `last_step`.
fn kept_length(path: &Path, last_step: u64) -> io::Result<u64> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(BufReader::new(File::open(path)?));
    let header = reader.headers()?.clone();
    if header.is_empty() {
        return Ok(0);
    }
    let Some(column) = header.iter().position(|name| name == STEP) else {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("missing column '{STEP}' in the header")));
    };
    let mut kept = reader.position().byte();
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record)? {
        let step = record.get(column).and_then(|text| text.parse::<u64>().ok());
        if record.len() != header.len() || step.is_none_or(|step| step > last_step) {
            break;
        }
        kept = reader.position().byte();
    }
    Ok(kept)
}
