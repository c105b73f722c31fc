//! Shapes: what a picture is made of, before it is PNG or SVG.

pub use flowgraph::scene::Anchor;
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, PixmapPaint, Stroke,
    Transform,
};

use super::font;
use common::failure::{Failure, Result};

/// Red, green, blue and opacity.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ink(pub u8, pub u8, pub u8, pub f32);

/// The paint of a path.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Style {
    /// Its inside.
    Fill(Ink),
    /// Its outline, so many units wide.
    Stroke(Ink, f32),
}

/// One path with its style, and the text it spells if it is one.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Its outline.
    pub path: Path,
    /// Its paint.
    pub style: Style,
    /// Its text.
    pub text: Option<String>,
}

/// Coloured points that lie behind all shapes, each a unit wide and high.
#[derive(Clone, Debug)]
pub struct Raster {
    /// Its left and upper edge.
    pub at: (u32, u32),
    /// Its points.
    pub pixels: Pixmap,
    /// The name by which programs and screen readers call it.
    pub title: String,
}

/// Shapes from back to front on paper.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// In SVG units and PNG pixels.
    pub width: u32,
    /// In SVG units and PNG pixels.
    pub height: u32,
    /// The name by which programs and screen readers call it.
    pub title: String,
    /// The colour behind everything.
    pub paper: Ink,
    /// Behind all shapes.
    pub rasters: Vec<Raster>,
    /// From back to front.
    pub shapes: Vec<Shape>,
}

impl Drawing {
    /// White paper.
    #[must_use]
    pub fn new(width: u32, height: u32, title: &str) -> Self {
        Self {
            width,
            height,
            title: title.to_owned(),
            paper: Ink(255, 255, 255, 1.0),
            rasters: vec![],
            shapes: vec![],
        }
    }

    /// A line through `points`, or the area they enclose. Fewer than two points draw nothing.
    pub fn polygon(&mut self, points: &[(f32, f32)], style: Style) {
        let mut path = PathBuilder::new();
        for (at, &(x, y)) in points.iter().enumerate() {
            if at == 0 {
                path.move_to(x, y);
            } else {
                path.line_to(x, y);
            }
        }
        if matches!(style, Style::Fill(_)) {
            path.close();
        }
        self.push(path.finish(), style, None);
    }

    /// A straight line.
    pub fn line(&mut self, from: (f32, f32), to: (f32, f32), ink: Ink, width: f32) {
        self.polygon(&[from, to], Style::Stroke(ink, width));
    }

    /// A text whose baseline passes `at`.
    pub fn text(&mut self, text: &str, at: (f32, f32), size: f32, anchor: Anchor, ink: Ink) {
        self.place_text(text, at, size, anchor, ink, false);
    }

    /// A text that runs from the bottom up.
    pub fn text_upwards(
        &mut self,
        text: &str,
        at: (f32, f32),
        size: f32,
        anchor: Anchor,
        ink: Ink,
    ) {
        self.place_text(text, at, size, anchor, ink, true);
    }

    fn place_text(
        &mut self,
        text: &str,
        (x, y): (f32, f32),
        size: f32,
        anchor: Anchor,
        ink: Ink,
        upwards: bool,
    ) {
        let shift = match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -0.5 * font::width(text, size),
            Anchor::End => -font::width(text, size),
        };
        let mut place = Transform::from_translate(shift, 0.0);
        if upwards {
            place = place.post_concat(Transform::from_rotate(-90.0));
        }
        let place = place.post_translate(x, y);
        let path = font::outline(text, size).and_then(|path| path.transform(place));
        self.push(path, Style::Fill(ink), Some(text.to_owned()));
    }

    fn push(&mut self, path: Option<Path>, style: Style, text: Option<String>) {
        if let Some(path) = path {
            self.shapes.push(Shape { path, style, text });
        }
    }

    /// The drawing as SVG text.
    #[must_use]
    pub fn svg(&self) -> String {
        super::svg::write(self)
    }

    /// The drawing as a PNG file.
    ///
    /// # Errors
    /// When it cannot be encoded.
    pub fn png(&self) -> Result<Vec<u8>> {
        self.render()
            .and_then(|pixels| super::png::encode(&pixels).ok())
            .ok_or_else(|| {
                Failure::failed(
                    "the picture could not be encoded as PNG; write SVG instead and report this",
                )
            })
    }

    /// The drawing as pixels; nothing when it has no size.
    #[must_use]
    pub fn render(&self) -> Option<Pixmap> {
        let mut pixels = Pixmap::new(self.width, self.height)?;
        let Ink(red, green, blue, _) = self.paper;
        pixels.fill(Color::from_rgba8(red, green, blue, 255));
        for Raster { at, pixels: of, .. } in &self.rasters {
            let (at, paint) = ((at.0 as i32, at.1 as i32), PixmapPaint::default());
            pixels.draw_pixmap(at.0, at.1, of.as_ref(), &paint, Transform::identity(), None);
        }
        for shape in &self.shapes {
            let (Style::Fill(ink) | Style::Stroke(ink, _)) = shape.style;
            let mut paint = Paint {
                anti_alias: true,
                ..Paint::default()
            };
            let opacity = (ink.3.clamp(0.0, 1.0) * 255.0).round() as u8;
            paint.set_color_rgba8(ink.0, ink.1, ink.2, opacity);
            let place = Transform::identity();
            match shape.style {
                Style::Fill(_) => {
                    pixels.fill_path(&shape.path, &paint, FillRule::Winding, place, None);
                }
                Style::Stroke(_, width) => {
                    let stroke = Stroke {
                        width,
                        line_cap: LineCap::Butt,
                        line_join: LineJoin::Bevel,
                        ..Stroke::default()
                    };
                    pixels.stroke_path(&shape.path, &paint, &stroke, place, None);
                }
            }
        }
        Some(pixels)
    }
}
