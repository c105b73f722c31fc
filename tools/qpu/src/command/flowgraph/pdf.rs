//! A flow graph as PDF: one page of its size, texts in Helvetica, which every viewer has.
//!
//! Pages beyond 14,400 units are scaled down to that, the most that viewers take (ISO 32000-1,
//! annex C); the drawing is of lines and letters, so that zooming in loses nothing.

use flowgraph::scene::{Anchor, Layer, SMALL, Scene, Text};
use pdf_writer::types::LineCapStyle;
use pdf_writer::{Content, Filter, Name, Pdf, Rect, Ref, Str, TextStr};

/// Longest side of a page.
const LONGEST: f32 = 14_400.0;
/// Share of a radius by which four Bézier curves come nearest to a circle.
const CIRCLE: f32 = 0.5523;
const FONT: Name<'static> = Name(b"F1");

/// The whole file.
pub fn write(scene: &Scene) -> Vec<u8> {
    let [catalog, pages, page, font, content, info] = [1, 2, 3, 4, 5, 6].map(Ref::new);
    let scale = (LONGEST / scene.width.max(scene.height)).min(1.0);
    let mut pdf = Pdf::new();
    pdf.catalog(catalog).pages(pages);
    pdf.pages(pages).kids([page]).count(1);
    let mut leaf = pdf.page(page);
    leaf.media_box(Rect::new(
        0.0,
        0.0,
        scene.width * scale,
        scene.height * scale,
    ));
    leaf.parent(pages).contents(content);
    leaf.resources().fonts().pair(FONT, font);
    drop(leaf);
    pdf.type1_font(font).base_font(Name(b"Helvetica"));
    pdf.document_info(info).title(TextStr(&scene.title));
    let drawn = draw(scene, scale);
    let packed = miniz_oxide::deflate::compress_to_vec_zlib(&drawn, 6);
    pdf.stream(content, &packed).filter(Filter::FlateDecode);
    pdf.finish()
}

fn draw(scene: &Scene, scale: f32) -> Vec<u8> {
    let mut content = Content::new();
    // The scene's y runs downwards from the top.
    content.transform([scale, 0.0, 0.0, -scale, 0.0, scene.height * scale]);
    for layer in &scene.layers {
        edges(&mut content, layer);
        for ((x, y), radius) in &layer.hubs {
            hub(&mut content, (*x, *y), *radius);
        }
        content.set_fill_rgb(0.0, 0.0, 0.0);
        for one in &layer.texts {
            text(&mut content, one);
        }
    }
    content.finish().to_vec()
}

fn edges(content: &mut Content, layer: &Layer) {
    content.set_line_width(0.6);
    content.set_stroke_rgb(0.2, 0.27, 0.33);
    lines(content, &layer.lines);
    content.save_state();
    content.set_stroke_rgb(0.6, 0.67, 0.73);
    content.set_dash_pattern([2.0, 3.0], 0.0);
    lines(content, &layer.dashed);
    content.restore_state();
    content.save_state();
    content.set_line_cap(LineCapStyle::RoundCap);
    content.set_line_width(3.0);
    let dots: Vec<_> = layer.dots.iter().map(|at| [*at, *at]).collect();
    lines(content, &dots);
    content.restore_state();
}

fn lines(content: &mut Content, lines: &[[(f32, f32); 2]]) {
    for [(x0, y0), (x1, y1)] in lines {
        content.move_to(*x0, *y0).line_to(*x1, *y1);
    }
    if !lines.is_empty() {
        content.stroke();
    }
}

fn hub(content: &mut Content, (x, y): (f32, f32), r: f32) {
    let c = CIRCLE * r;
    content.set_fill_rgb(1.0, 1.0, 1.0);
    content.move_to(x + r, y);
    content.cubic_to(x + r, y + c, x + c, y + r, x, y + r);
    content.cubic_to(x - c, y + r, x - r, y + c, x - r, y);
    content.cubic_to(x - r, y - c, x - c, y - r, x, y - r);
    content.cubic_to(x + c, y - r, x + r, y - c, x + r, y);
    content.close_path().fill_nonzero_and_stroke();
}

fn text(content: &mut Content, text: &Text) {
    // Where the letters begin, by their true widths.
    let (main, raised) = (width(&text.text, text.size), width(&text.raised, SMALL));
    let (x, y) = text.at;
    let x = match text.anchor {
        Anchor::Start => x,
        Anchor::Middle => x - 0.5 * (main + raised),
        Anchor::End => x - main - raised,
    };
    content.begin_text();
    // Letters stand upright in a space that was turned over.
    content.set_text_matrix([1.0, 0.0, 0.0, -1.0, x, y]);
    content.set_font(FONT, text.size);
    content.show(Str(text.text.as_bytes()));
    if !text.raised.is_empty() {
        content.set_rise(2.5).set_font(FONT, SMALL);
        content.show(Str(text.raised.as_bytes()));
        content.set_rise(0.0);
    }
    content.end_text();
}

/// Width of a text in Helvetica.
///
/// Source: Adobe's font metrics of Helvetica (Helvetica.afm), for the letters that graphs are
/// labelled with; others are taken for digits.
fn width(text: &str, size: f32) -> f32 {
    let letter = |letter: char| match letter {
        'W' => 944,
        'X' => 667,
        'x' => 500,
        '[' | ']' | ' ' | ',' => 278,
        'm' => 833,
        'r' => 333,
        _ => 556,
    };
    text.chars().map(letter).sum::<i32>() as f32 * size * 1e-3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_the_size_of_the_drawing_up_to_the_largest() {
        let mut layer = Layer::default();
        layer.lines.push([(0.0, 0.0), (10.0, 10.0)]);
        layer.hubs.push(((5.0, 5.0), 2.0));
        layer.texts.push(Text {
            at: (1.0, 1.0),
            text: "W".to_owned(),
            raised: "17".to_owned(),
            size: 8.0,
            anchor: Anchor::Middle,
        });
        let scene = |height: f32| Scene {
            width: 300.0,
            height,
            title: "title".to_owned(),
            layers: vec![layer.clone()],
        };
        let file = |height| String::from_utf8_lossy(&write(&scene(height))).into_owned();
        let small = file(400.0);
        assert!(small.starts_with("%PDF-") && small.ends_with("%%EOF"));
        assert!(small.contains("/MediaBox [0 0 300 400]"), "{small}");
        assert!(file(28_800.0).contains("/MediaBox [0 0 150 14400]"));
        let content = String::from_utf8_lossy(&draw(&scene(400.0), 1.0)).into_owned();
        assert!(
            content.contains("(W) Tj") && content.contains("(17) Tj"),
            "{content}"
        );
    }
}
