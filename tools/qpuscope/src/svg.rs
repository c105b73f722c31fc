//! The parts that all SVG files have: the head, escaped text, and short numbers.

use std::fmt::Display;

/// The head of a file: its size, its title, styles, and white paper.
pub fn head(width: impl Display, height: impl Display, title: &str, styles: &str) -> String {
    let title = escape(title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{title}</title>\n{styles}\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    )
}

/// Text between tags, or in quotation marks.
pub fn escape(text: &str) -> String {
    // XML has no control characters, not even by number.
    crate::text::shown(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// To a hundredth, without zeros at the end.
pub fn number(value: f32) -> String {
    let text = format!("{value:.2}");
    match text.trim_end_matches('0').trim_end_matches('.') {
        "-0" => "0".to_owned(),
        short => short.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_letters_escaped() {
        assert_eq!(number(100.0), "100");
        assert_eq!(number(1.256), "1.26");
        assert_eq!(number(0.5), "0.5");
        assert_eq!(number(-0.001), "0");
        assert_eq!(escape("a<b & \"c\""), "a&lt;b &amp; &quot;c&quot;");
    }
}
