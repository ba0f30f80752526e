//! Tables of a run: one CSV row per step, appended in place and truncated to the checkpoint when a run is resumed.

use std::{
    fmt,
    fs::{self, File, OpenOptions},
    io::{self, BufReader, BufWriter, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use plimsoll_contract::{
    frame::{Row, Value},
    simulator::TableRows,
};

use super::{
    checksum::{Mark, Marking},
    file::{OutputError, sync_files},
};

/// Name of the column used to truncate a table.
const STEP: &str = "step";

/// A CSV file whose header comes from its first row. Reals are printed with the fewest digits that read back to exactly the same number.
/// The file is created with the first row.
pub struct Table {
    path: PathBuf,
    file: Option<CsvFile>,
}

type CsvFile = csv::Writer<BufWriter<Marking<File>>>;

impl Table {
    /// A new table; the first row replaces an existing file at `path`.
    pub fn new(path: PathBuf) -> Self {
        Self { path, file: None }
    }

    /// Resumes the table at `path` as it was when `mark` was taken, after step `last_step`. If the file has changed since, it is cut after the last
    /// whole row of a step not later than `last_step`, and a description of what is missing is returned, too. If it does not exist, a new one is
    /// created.
    pub fn resume(path: PathBuf, last_step: u64, mark: Mark) -> Result<(Self, Option<String>), OutputError> {
        match Self::open_marked(&path, last_step, mark) {
            Ok((file, warning)) => Ok((Self { path, file }, warning)),
            Err(error) => Err(OutputError::new(&path, "resume", error)),
        }
    }

    fn open_marked(path: &Path, last_step: u64, mark: Mark) -> io::Result<(Option<CsvFile>, Option<String>)> {
        let start = match read_start(path, mark.length) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let warning = (mark.length > 0).then(|| format!("{}: missing; a new table begins after step {last_step}", path.display()));
                return Ok((None, warning));
            }
            start => start?,
        };
        if start.mark() == mark || mark.length == 0 {
            return Ok((append_to(path, start)?, None));
        }
        let rows = kept_rows(path, last_step)?;
        let (found, expected) = (fs::metadata(path)?.len(), mark.length);
        let steps = rows.last_step.map_or("no rows".to_owned(), |step| format!("rows up to step {step}"));
        let warning = format!(
            "{}: changed since the checkpoint: found {found} bytes, expected {expected} with their checksum; {steps} are kept",
            path.display()
        );
        Ok((append_to(path, read_start(path, rows.length)?)?, Some(warning)))
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

    /// Waits until everything written so far is on the device; returns what identifies it.
    pub fn sync(&mut self) -> Result<Mark, OutputError> {
        self.flush()?;
        let Some(file) = &self.file else { return Ok(Mark::default()) };
        sync_files(self.path.parent().unwrap_or(Path::new(".")), [self.path.clone()])?;
        Ok(file.get_ref().get_ref().mark())
    }

    fn open<'c>(&mut self, columns: impl Iterator<Item = &'c str>) -> io::Result<&mut CsvFile> {
        if self.file.is_none() {
            if let Some(folder) = self.path.parent() {
                fs::create_dir_all(folder)?;
            }
            let mut file = csv_writer(Marking::new(File::create(&self.path)?));
            file.write_record(columns)?;
            self.file = Some(file);
        }
        Ok(self.file.as_mut().expect("it was just opened"))
    }
}

fn write_values<'v>(file: &mut CsvFile, values: impl Iterator<Item = &'v Value>) -> io::Result<()> {
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

fn csv_writer(file: Marking<File>) -> CsvFile {
    csv::Writer::from_writer(BufWriter::new(file))
}

/// The first `length` bytes of the file at `path`, or all if it is shorter.
fn read_start(path: &Path, length: u64) -> io::Result<Marking<io::Sink>> {
    let mut start = Marking::new(io::sink());
    io::copy(&mut File::open(path)?.take(length), &mut start)?;
    Ok(start)
}

/// Cuts the file at `path` after `start` and opens it to append to it; not if nothing is left, so that it gets a new header.
fn append_to(path: &Path, start: Marking<io::Sink>) -> io::Result<Option<CsvFile>> {
    if start.mark().length == 0 {
        return Ok(None);
    }
    let mut file = OpenOptions::new().write(true).open(path)?;
    file.set_len(start.mark().length)?;
    file.seek(SeekFrom::End(0))?;
    Ok(Some(csv_writer(start.continue_in(file))))
}

/// Rows at the start of a table.
struct Rows {
    /// Bytes, with the header.
    length: u64,
    last_step: Option<u64>,
}

/// The whole rows of steps not later than `last_step` at the start of the table at `path`.
fn kept_rows(path: &Path, last_step: u64) -> io::Result<Rows> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(BufReader::new(File::open(path)?));
    let header = reader.headers()?.clone();
    let mut rows = Rows { length: 0, last_step: None };
    if header.is_empty() {
        return Ok(rows);
    }
    let Some(column) = header.iter().position(|name| name == STEP) else {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("missing column '{STEP}' in the header")));
    };
    rows.length = reader.position().byte();
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record)? {
        let step = record.get(column).and_then(|text| text.parse::<u64>().ok());
        if record.len() != header.len() || step.is_none_or(|step| step > last_step) {
            break;
        }
        rows = Rows { length: reader.position().byte(), last_step: step };
    }
    Ok(rows)
}

impl fmt::Debug for Table {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.debug_struct("Table").field("path", &self.path).finish_non_exhaustive()
    }
}
