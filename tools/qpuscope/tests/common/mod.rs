//! The firmware's image for tests that need it.

use std::io::Write;
use std::path::PathBuf;

/// The image, or a line in the list of skipped tests.
pub fn image(test: &str) -> Option<PathBuf> {
    if let Some(image) = std::env::var_os("QPUSCOPE_KERNEL") {
        return Some(PathBuf::from(image));
    }
    let reason = "QPUSCOPE_KERNEL names no image; `cargo xtask test` builds one";
    println!("skipped: {test}: {reason}");
    if let Some(list) = std::env::var_os("QPUSCOPE_SKIPS") {
        let mut list = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(list)
            .expect("the list of skipped tests can be written");
        writeln!(list, "{test}: {reason}").expect("the list can be written");
    }
    None
}
