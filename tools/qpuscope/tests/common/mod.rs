//! The firmware's image for tests that need it, and how a test says that it was skipped.

use std::io::Write;
use std::path::PathBuf;

/// The image, or a line in the list of skipped tests.
pub fn image(test: &str) -> Option<PathBuf> {
    let image = std::env::var_os("QPUSCOPE_KERNEL").map(PathBuf::from);
    if image.is_none() {
        skip(
            test,
            "QPUSCOPE_KERNEL names no image; `cargo xtask test` builds one",
        );
    }
    image
}

/// Says that a test was skipped, where xtask counts it.
pub fn skip(test: &str, reason: &str) {
    println!("skipped: {test}: {reason}");
    if let Some(list) = std::env::var_os("QPUSCOPE_SKIPS") {
        let mut list = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(list)
            .expect("the list of skipped tests can be written");
        writeln!(list, "{test}: {reason}").expect("the list can be written");
    }
}
