//! A drawing as SVG text.

use std::fmt::Write;

use data_encoding::BASE64;
use flowgraph::svg;
use tiny_skia::{Path, PathSegment};

use super::drawing::{Drawing, Ink, Style};
use common::text::shown;

/// The paper of every file.
const WHITE: Ink = Ink(255, 255, 255, 1.0);

/// The whole file.
pub fn write(drawing: &Drawing) -> String {
    let (width, height) = (drawing.width, drawing.height);
    let mut out = svg::head(width, height, &shown(&drawing.title), "");
    if drawing.paper != WHITE {
        let paper = colour(drawing.paper);
        let _ = writeln!(
            out,
            "<rect width=\"{width}\" height=\"{height}\" fill=\"{paper}\"/>"
        );
    }
    for raster in &drawing.rasters {
        // What cannot be encoded has no points.
        let file = super::png::encode(&raster.pixels).unwrap_or_default();
        let _ = writeln!(
            out,
            "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" style=\"image-rendering:pixelated\" \
             role=\"img\" aria-label=\"{}\" href=\"data:image/png;base64,{}\"/>",
            raster.at.0,
            raster.at.1,
            raster.pixels.width(),
            raster.pixels.height(),
            escape(&raster.title),
            BASE64.encode(&file)
        );
    }
    for shape in &drawing.shapes {
        let style = match shape.style {
            Style::Fill(ink) => format!("fill=\"{}\"{}", colour(ink), opacity("fill", ink)),
            Style::Stroke(ink, width) => format!(
                "fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" stroke-linejoin=\"bevel\"{}",
                colour(ink),
                opacity("stroke", ink)
            ),
        };
        let label = match &shape.text {
            Some(text) => format!(" role=\"img\" aria-label=\"{}\"", escape(text)),
            None => String::new(),
        };
        let _ = writeln!(out, "<path{label} {style} d=\"{}\"/>", data(&shape.path));
    }
    out.push_str("</svg>\n");
    out
}

fn colour(Ink(red, green, blue, _): Ink) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn opacity(what: &str, ink: Ink) -> String {
    if ink.3 < 1.0 {
        format!(" {what}-opacity=\"{}\"", ink.3)
    } else {
        String::new()
    }
}

/// Path commands, to a hundredth of a unit.
fn data(path: &Path) -> String {
    let mut out = String::new();
    let mut put = |letter: char, numbers: &[f32]| {
        out.push(letter);
        let numbers: Vec<_> = numbers.iter().map(|it| svg::number(*it)).collect();
        out.push_str(&numbers.join(" "));
    };
    for segment in path.segments() {
        match segment {
            PathSegment::MoveTo(p) => put('M', &[p.x, p.y]),
            PathSegment::LineTo(p) => put('L', &[p.x, p.y]),
            PathSegment::QuadTo(a, p) => put('Q', &[a.x, a.y, p.x, p.y]),
            PathSegment::CubicTo(a, b, p) => put('C', &[a.x, a.y, b.x, b.y, p.x, p.y]),
            PathSegment::Close => put('Z', &[]),
        }
    }
    out
}

/// Text in quotation marks.
fn escape(text: &str) -> String {
    // XML has no control characters, not even by number.
    svg::escape(&shown(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_escaped_and_control_characters_shown() {
        assert_eq!(escape("a<b & \x1b"), "a&lt;b &amp; \\x1b");
        let drawing = write(&Drawing::new(1, 2, "a<\x1b"));
        assert!(drawing.contains("<title>a&lt;\\x1b</title>"));
    }
}
