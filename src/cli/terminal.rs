//! Output to the terminal. It never ends a run: a reader that has exited, a full device and a closed stream are not errors of the
//! simulation.

use std::io::Write;

/// Prints to standard output.
pub fn print(text: &str) {
    let mut output = std::io::stdout().lock();
    let _ = output.write_all(text.as_bytes()).and_then(|()| output.flush());
}

/// Writes a line to standard error.
pub fn report(line: &str) {
    let mut output = std::io::stderr().lock();
    let _ = writeln!(output, "{line}").and_then(|()| output.flush());
}
