//! Draws the picture of docs/fft2.md: a screen with a trace, over which stripes lie.
//!
//! ```text
//! cargo run -p qpuscope --example fft2_picture docs/fft2-before.png
//! ```

use std::f32::consts::TAU;
use std::path::Path;

use qpuscope::plane::{Picture, png};

/// Pixels of a side.
const SIDE: usize = 256;
/// Frequency of the stripes to the right and down, in cycles per pixel.
const STRIPES: [f32; 2] = [0.25, 0.1875];

fn main() {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: cargo run -p qpuscope --example fft2_picture FILE.png");
        std::process::exit(2);
    };
    let pixels = (0..SIDE * SIDE).map(|index| {
        let (x, y) = ((index % SIDE) as f32, (index / SIDE) as f32);
        let stripe = (TAU * (STRIPES[0] * x + STRIPES[1] * y)).sin();
        0.12 + 0.72 * screen(x, y) + 0.12 * stripe
    });
    let picture = Picture {
        width: SIDE,
        height: SIDE,
        pixels: pixels.collect(),
    };
    if let Err(failure) = png::write(&picture, Path::new(&path)) {
        eprintln!("{failure}");
        std::process::exit(1);
    }
}

/// A round screen with a graticule and the trace of a beat.
fn screen(x: f32, y: f32) -> f32 {
    let centre = SIDE as f32 / 2.0;
    let (dx, dy) = (x - centre, y - centre);
    let radius = dx.hypot(dy);
    // Edges two pixels wide.
    let inside = ((116.0 - radius) / 2.0).clamp(0.0, 1.0);
    let graticule = [dx, dy].map(|d| {
        let off = (d / 29.0 - (d / 29.0).round()).abs() * 29.0;
        (1.0 - off).clamp(0.0, 1.0)
    });
    let grid = 0.25 * graticule[0].max(graticule[1]);
    let beat = |dx: f32| 66.0 * (TAU * dx / 232.0).cos() * (TAU * dx / 58.0).sin();
    // Distance from the trace, by its slope.
    let slope = (beat(dx + 0.5) - beat(dx - 0.5)).hypot(1.0);
    let trace = (2.6 - (dy + beat(dx)).abs() / slope).clamp(0.0, 1.0);
    inside * (0.22 + grid).max(trace)
}
