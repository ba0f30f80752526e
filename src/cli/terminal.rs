//! Output to the terminal. It never ends a run: a reader that has exited, a full device and a closed stream are not errors of the
//! simulation. Results that could not be printed are an error of the command, but only at its end; a reader that has exited wanted no more of them.

use std::{
    borrow::Cow,
    io::{self, Write},
    path::Path,
    sync::OnceLock,
};

/// The first error of standard output.
static UNPRINTED: OnceLock<io::Error> = OnceLock::new();

/// Prints to standard output.
pub fn print(text: &str) {
    let mut output = io::stdout().lock();
    match output.write_all(printable(text).as_bytes()).and_then(|()| output.flush()) {
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
    let _ = writeln!(output, "{}", printable(line)).and_then(|()| output.flush());
}

/// A path as a word of a command line: in quotes if a shell would divide or change it.
pub fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:@%".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// `text` with control characters as escapes, apart from ends of lines and tabs: names in files may not control the terminal.
fn printable(text: &str) -> Cow<'_, str> {
    let controls = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if !text.contains(controls) {
        return Cow::Borrowed(text);
    }
    text.chars().map(|c| if controls(c) { c.escape_default().to_string() } else { c.to_string() }).collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(printable("title\tof a run\n"), "title\tof a run\n");
        assert_eq!(printable("a\u{1b}[31mb\r\u{7}\u{9b}c ä"), "a\\u{1b}[31mb\\r\\u{7}\\u{9b}c ä");
    }
}
