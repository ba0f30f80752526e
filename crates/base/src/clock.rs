//! The clock. A browser has one, but not where the standard library looks for it; everywhere else these are the types of the standard library.

pub use web_time::{Instant, SystemTime, UNIX_EPOCH};
