//! Length and checksum of what is written.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3Default;

/// Identifies the content of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Bytes.
    pub length: u64,
    /// XXH3.
    pub checksum: u64,
}

/// Passes bytes on to `inner` and updates their length and checksum.
pub struct Marking<W> {
    inner: W,
    length: u64,
    checksum: Xxh3Default,
}

impl<W> Marking<W> {
    pub fn new(inner: W) -> Self {
        Self { inner, length: 0, checksum: Xxh3Default::new() }
    }

    /// The mark of everything written so far.
    pub fn mark(&self) -> Mark {
        Mark { length: self.length, checksum: self.checksum.digest() }
    }

    /// What has been written so far now goes on in `inner`.
    pub fn continue_in<V>(self, inner: V) -> Marking<V> {
        Marking { inner, length: self.length, checksum: self.checksum }
    }
}

impl<W: Write> Write for Marking<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.length += written as u64;
        self.checksum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
