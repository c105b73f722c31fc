//! Pictures of spectra, as PNG and SVG.
//!
//! A picture is described once as shapes ([`drawing`]) and written in either format. Letters are
//! outlines of a bundled font in both, so that a picture looks the same on a machine without fonts;
//! in SVG each text also stands in an `aria-label`, where programs and screen readers find it.

mod axes;
mod chart;
pub mod drawing;
mod font;
mod look;
mod png;
mod svg;
mod theme;
pub mod waterfall;

pub use chart::draw;
pub use look::{LevelSpan, Look, level_span};
pub use theme::Theme;

/// Width of a picture, in SVG units and PNG pixels.
pub const WIDTH: u32 = 1280;
/// Height of a picture, in SVG units and PNG pixels.
pub const HEIGHT: u32 = 720;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::example;
    use crate::lines;
    use signal::Rate;

    #[test]
    fn a_png_has_its_size_and_is_not_blank() {
        let spectrum = example(4096, false);
        let marked = lines::strongest(&spectrum, 5);
        let file = draw(&spectrum, &marked, &Theme::Print.into())
            .png()
            .expect("a picture");
        let pixels = tiny_skia::Pixmap::decode_png(&file).expect("a PNG");
        assert_eq!((pixels.width(), pixels.height()), (WIDTH, HEIGHT));
        let dark = pixels.pixels().iter().filter(|p| p.red() < 128).count();
        assert!(dark > 2_000, "{dark} dark pixels: nothing was drawn");
    }

    #[test]
    fn an_svg_names_its_axes_and_reference() {
        let mut spectrum = example(4096, false);
        spectrum.rate = Rate { num: 1, den: 3600 };
        spectrum.unit = crate::input::Unit::One("degree <F>".into());
        let text = draw(
            &spectrum,
            &lines::strongest(&spectrum, 3),
            &Theme::Print.into(),
        )
        .svg();
        for label in [
            "Frequency (cycles per day)",
            "Frequency (µHz)",
            "Level (dB re 1 degree &lt;F&gt;)",
            "N = 4096",
            "engine QPU",
        ] {
            assert!(text.contains(label), "{label}");
        }
    }

    #[test]
    fn odd_spectra_are_drawn_without_a_panic() {
        for n in [16, 1 << 13] {
            for complex in [false, true] {
                for fill in [0.0, 1.0, 1e300, f64::NAN, f64::INFINITY] {
                    let mut spectrum = example(n, complex);
                    spectrum.power.fill(fill);
                    assert!(
                        draw(&spectrum, &[], &Theme::Dark.into())
                            .svg()
                            .ends_with("</svg>\n")
                    );
                    draw(&spectrum, &[], &Theme::Dark.into())
                        .png()
                        .expect("a picture");
                }
            }
        }
        let mut spectrum = example(16, false);
        spectrum.power.clear();
        draw(&spectrum, &[], &Theme::Dark.into())
            .png()
            .expect("a picture");
        spectrum.power = vec![1.0];
        draw(&spectrum, &[], &Theme::Dark.into())
            .png()
            .expect("a picture");
    }
}
