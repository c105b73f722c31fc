//! Headless Chromium over its DevTools protocol, and the page served to it.
//!
//! Every wait is bounded. A failure says what was evaluated and what the page had reported.
#![forbid(unsafe_code)]

mod chromium;
mod page;
mod served;

pub use chromium::{Browser, Error, Result};
pub use page::{Page, Problem};
pub use served::Served;

/// Reason given by tests that need Chromium.
pub const NO_CHROMIUM: &str = "QPUSCOPE_CHROMIUM names no Chromium; `cargo xtask test` finds it, `cargo xtask setup` installs it";
