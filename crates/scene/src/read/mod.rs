//! Checked reading of TOML: every value has its line, and every key is either read or reported.

mod document;
mod extremes;
mod key_offset;
mod planar;
mod quantity;
mod table;

pub(super) use document::Document;
pub(super) use extremes::{EXPECTED as NOT_EXTREME, is_extreme, report_extremes};
pub(super) use key_offset::offset_of;
pub(super) use quantity::{Quantity, Range};
pub(super) use table::{Table, nearest};
