//! Output to the terminal. It never ends a run: a reader that has exited, a full device and a closed stream are not errors of the
//! simulation. Results that could not be printed are an error of the command, but only at its end; a reader that has exited wanted no more of them.

use std::{
    io::{self, Write},
    sync::OnceLock,
};

/// The first error of standard output.
static UNPRINTED: OnceLock<io::Error> = OnceLock::new();

/// Prints to standard output.
pub fn print(text: &str) {
    let mut output = io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => drop(UNPRINTED.set(error)),
        _ => {}
    }
}

/// Why something could not be printed to standard output, if so.
pub fn unprinted() -> Option<&'static io::Error> {
    UNPRINTED.get()
}

/// Writes a line to standard error.
pub fn report(line: &str) {
    let mut output = io::stderr().lock();
    let _ = writeln!(output, "{line}").and_then(|()| output.flush());
}
