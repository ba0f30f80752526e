//! The lines of a text file.

/// Characters after the end of a text: old systems fill the last block of a file with them, or mark its end.
const AFTER_END: [char; 2] = ['\0', '\u{1a}'];

/// The lines of `text` with their numbers, from 1, without a byte order mark and blanks at their ends.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.trim_start_matches('\u{feff}').trim_end_matches(AFTER_END);
    // Files from before OS X end lines with a carriage return only.
    let separator = if text.contains('\n') { '\n' } else { '\r' };
    text.split(separator).enumerate().map(|(index, line)| (index + 1, line.trim_end()))
}
