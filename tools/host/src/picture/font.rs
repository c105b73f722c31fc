//! The bundled font: widths and outlines of texts.
//!
//! Ubuntu Light (Ubuntu font licence) as packaged in the crate epaint_default_fonts.

use tiny_skia::{Path, PathBuilder};
use ttf_parser::{Face, OutlineBuilder};

fn face() -> Option<Face<'static>> {
    Face::parse(epaint_default_fonts::UBUNTU_LIGHT, 0).ok()
}

/// Width of a text in units of `size`.
pub fn width(text: &str, size: f32) -> f32 {
    let Some(face) = face() else { return 0.0 };
    let scale = size / f32::from(face.units_per_em());
    text.chars()
        .map(|letter| advance(&face, letter) * scale)
        .sum()
}

fn advance(face: &Face, letter: char) -> f32 {
    face.glyph_index(letter)
        .and_then(|glyph| face.glyph_hor_advance(glyph))
        .map_or(0.0, f32::from)
}

/// Outlines of a text whose baseline begins at the origin; nothing for a text without ink.
pub fn outline(text: &str, size: f32) -> Option<Path> {
    let face = face()?;
    let mut pen = Pen {
        path: PathBuilder::new(),
        scale: size / f32::from(face.units_per_em()),
        at: 0.0,
    };
    for letter in text.chars() {
        if let Some(glyph) = face.glyph_index(letter) {
            face.outline_glyph(glyph, &mut pen);
        }
        pen.at += advance(&face, letter) * pen.scale;
    }
    pen.path.finish()
}

/// Font units, y upwards, into drawing units, y downwards.
struct Pen {
    path: PathBuilder,
    scale: f32,
    at: f32,
}

impl Pen {
    fn place(&self, x: f32, y: f32) -> (f32, f32) {
        (self.at + x * self.scale, -y * self.scale)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.place(x1, y1), self.place(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let (first, second) = (self.place(x1, y1), self.place(x2, y2));
        let (x, y) = self.place(x, y);
        self.path
            .cubic_to(first.0, first.1, second.0, second.1, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_that_pictures_use_has_an_outline() {
        for letter in
            "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.,-−+()/·µ=%°".chars()
        {
            assert!(outline(&letter.to_string(), 12.0).is_some(), "{letter}");
            assert!(width(&letter.to_string(), 12.0) > 1.0, "{letter}");
        }
        assert!(outline(" ", 12.0).is_none());
    }
}
