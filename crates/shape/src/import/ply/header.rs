//! The header of a PLY file, as the library expects it.

use std::borrow::Cow;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A file with a header in lower case and lines that end with a line feed; comments, which may be in any encoding, are left out.
#[derive(Clone, Debug)]
pub struct Content<'a> {
    pub header: String,
    /// What follows the header. If it is text, each of its lines has an end.
    pub body: Cow<'a, [u8]>,
}

impl<'a> Content<'a> {
    /// Splits the content of a file; `None` if no line says where the header ends.
    pub fn split(bytes: &'a [u8]) -> Option<Self> {
        let mut rest = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        let first_end = rest.iter().position(|byte| b"\r\n".contains(byte))?;
        // Files from before OS X end lines with a carriage return only.
        let separator = if rest[first_end] == b'\r' && rest.get(first_end + 1) != Some(&b'\n') { b'\r' } else { b'\n' };
        let mut header = String::new();
        while !header.ends_with("end_header\n") {
            if rest.is_empty() {
                return None;
            }
            let length = rest.iter().position(|&byte| byte == separator).unwrap_or(rest.len());
            let line = String::from_utf8_lossy(&rest[..length]).trim().to_lowercase();
            if !["comment", "obj_info"].iter().any(|comment| line.starts_with(comment)) {
                header.push_str(&line);
                header.push('\n');
            }
            rest = rest.get(length + 1..).unwrap_or_default();
        }
        let is_text = header.lines().any(|line| line.split_whitespace().take(2).eq(["format", "ascii"]));
        Some(Self { header, body: if is_text { with_line_ends(rest, separator) } else { rest.into() } })
    }
}

/// Text whose lines, which end with `separator`, end with a line feed. The last one may have no end.
fn with_line_ends(text: &[u8], separator: u8) -> Cow<'_, [u8]> {
    if separator == b'\n' && text.ends_with(b"\n") {
        return text.into();
    }
    let mut lines: Vec<u8> = text.iter().map(|&byte| if byte == separator { b'\n' } else { byte }).collect();
    lines.push(b'\n');
    lines.into()
}
