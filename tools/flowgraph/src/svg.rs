//! A flow graph as SVG: one path for the edges of a stage, texts as text.
//!
//! The file has a viewBox, so that it scales, and its texts can be searched. Every stage is a group
//! with an id.

use std::fmt::{Display, Write};

use crate::scene::{Anchor, SMALL, Scene, Text};

const STYLES: &str = "<style>text{font-family:Helvetica,Arial,sans-serif}\
    path{fill:none;stroke:#345;stroke-width:.6}.d{stroke:#9ab;stroke-dasharray:2 3}\
    .n{stroke:#123;stroke-width:3;stroke-linecap:round}\
    circle{fill:#fff;stroke:#123;stroke-width:.6}</style>\n";

/// The whole file.
#[must_use]
pub fn write(scene: &Scene) -> String {
    let mut out = head(scene.width, scene.height, &scene.title, STYLES);
    for layer in &scene.layers {
        let _ = writeln!(out, "<g id=\"{}\">", layer.name);
        path(&mut out, "", &layer.lines);
        path(&mut out, " class=\"d\"", &layer.dashed);
        // A dot is a line of no length with round ends.
        let dots: Vec<_> = layer.dots.iter().map(|at| [*at, *at]).collect();
        path(&mut out, " class=\"n\"", &dots);
        for ((x, y), radius) in &layer.hubs {
            let _ = writeln!(
                out,
                "<circle cx=\"{}\" cy=\"{}\" r=\"{}\"/>",
                number(*x),
                number(*y),
                number(*radius)
            );
        }
        for one in &layer.texts {
            text(&mut out, one);
        }
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

fn path(out: &mut String, class: &str, lines: &[[(f32, f32); 2]]) {
    if lines.is_empty() {
        return;
    }
    let _ = write!(out, "<path{class} d=\"");
    for [(x0, y0), (x1, y1)] in lines {
        let _ = write!(out, "M{} {}", number(*x0), number(*y0));
        if y0 == y1 {
            let _ = write!(out, "H{}", number(*x1));
        } else {
            let _ = write!(out, "L{} {}", number(*x1), number(*y1));
        }
    }
    out.push_str("\"/>\n");
}

fn text(out: &mut String, text: &Text) {
    let anchor = match text.anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    let _ = write!(
        out,
        "<text x=\"{}\" y=\"{}\" font-size=\"{}\"{anchor}>{}",
        number(text.at.0),
        number(text.at.1),
        number(text.size),
        escape(&text.text)
    );
    if !text.raised.is_empty() {
        let raised = escape(&text.raised);
        let _ = write!(
            out,
            "<tspan dy=\"-2.5\" font-size=\"{SMALL}\">{raised}</tspan>"
        );
    }
    out.push_str("</text>\n");
}

/// The head of a file: its size, its title, styles, and white paper.
pub fn head(width: impl Display, height: impl Display, title: &str, styles: &str) -> String {
    let title = escape(title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{title}</title>\n{styles}\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    )
}

/// Text between tags, or in quotation marks. It has no control characters: XML has none.
#[must_use]
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// To a hundredth, without zeros at the end.
#[must_use]
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
