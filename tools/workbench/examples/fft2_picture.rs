//! Draws the pictures that docs/fft2.md begins with: a screen with a trace, over which stripes lie,
//! and a ring as the kernel of a convolution.
//!
//! ```text
//! cargo run -p workbench --example fft2_picture docs/fft2-before.png
//! cargo run -p workbench --example fft2_picture docs/fft2-kernel.png ring
//! ```

use std::f32::consts::TAU;
use std::path::Path;

use workbench::plane::{Picture, png};

/// Pixels of a side.
const SIDE: usize = 256;
/// Frequency of the stripes to the right and down, in cycles per pixel.
const STRIPES: [f32; 2] = [0.25, 0.1875];

/// Pixels of a side of the kernel: odd, so that it has a middle.
const KERNEL_SIDE: usize = 15;
/// Radius of the ring, in pixels.
const RING: f32 = 5.0;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (path, picture) = match words[..] {
        [path] => (path, drawn(SIDE, striped)),
        [path, "ring"] => (path, drawn(KERNEL_SIDE, ring)),
        _ => {
            eprintln!("usage: cargo run -p workbench --example fft2_picture FILE.png [ring]");
            std::process::exit(2);
        }
    };
    if let Err(failure) = png::write(&picture, Path::new(path)) {
        eprintln!("{failure}");
        std::process::exit(1);
    }
}

/// A square picture of what a pixel at (x, y) is.
fn drawn(side: usize, pixel: fn(f32, f32) -> f32) -> Picture {
    let pixels = (0..side * side)
        .map(|index| pixel((index % side) as f32, (index / side) as f32))
        .collect();
    Picture {
        width: side,
        height: side,
        pixels,
    }
}

/// The screen, and stripes over it.
fn striped(x: f32, y: f32) -> f32 {
    let stripe = (TAU * (STRIPES[0] * x + STRIPES[1] * y)).sin();
    0.12 + 0.72 * screen(x, y) + 0.12 * stripe
}

/// A ring as a point out of focus makes it in a telescope with mirrors.
fn ring(x: f32, y: f32) -> f32 {
    let middle = (KERNEL_SIDE / 2) as f32;
    let radius = (x - middle).hypot(y - middle);
    (1.5 - (radius - RING).abs()).clamp(0.0, 1.0)
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
