//! The parts that all SVG files have: the head, escaped text, and short numbers.

use std::fmt::Display;

pub use flowgraph::svg::number;

use crate::text::shown;

/// The head of a file: its size, its title, styles, and white paper.
pub fn head(width: impl Display, height: impl Display, title: &str, styles: &str) -> String {
    flowgraph::svg::head(width, height, &shown(title), styles)
}

/// Text between tags, or in quotation marks.
pub fn escape(text: &str) -> String {
    // XML has no control characters, not even by number.
    flowgraph::svg::escape(&shown(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_escaped_and_control_characters_shown() {
        assert_eq!(escape("a<b & \x1b"), "a&lt;b &amp; \\x1b");
        assert!(head(1, 2, "a<\x1b", "").contains("<title>a&lt;\\x1b</title>"));
    }
}
