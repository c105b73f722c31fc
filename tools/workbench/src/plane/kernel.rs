//! Convolution kernels: a picture whose pixels are the weights of a point's neighbours.
//!
//! Weights are divided by their sum, so that brightness stays. The kernel's middle pixel is the
//! point itself, so that the picture stays where it is; beyond an edge of the plane the opposite
//! edge follows.

use super::{Picture, Spectrum};
use common::failure::{Failure, Result};

/// The kernel on a plane of this size: the weight of a pixel by its distance to the right and down,
/// circularly.
///
/// # Errors
/// Usage, when it is larger than the plane, or all its pixels are black.
pub fn plane(kernel: &Picture, width: usize, height: usize) -> Result<Picture> {
    if kernel.width > width || kernel.height > height {
        return Err(Failure::usage(format!(
            "the kernel has {} x {} pixels and the plane {width} x {height}; take a smaller kernel",
            kernel.width, kernel.height
        )));
    }
    let sum: f64 = kernel.pixels.iter().map(|&x| f64::from(x)).sum();
    if sum <= 0.0 {
        return Err(Failure::usage(
            "all pixels of the kernel are black, so there is nothing to weigh with; draw its weights brighter",
        ));
    }
    let mut pixels = vec![0.0; width * height];
    let (left, top) = (kernel.width / 2, kernel.height / 2);
    for (index, weight) in kernel.pixels.iter().enumerate() {
        let (x, y) = (index % kernel.width, index / kernel.width);
        let (x, y) = ((x + width - left) % width, (y + height - top) % height);
        pixels[y * width + x] = (f64::from(*weight) / sum) as f32;
    }
    Ok(Picture {
        width,
        height,
        pixels,
    })
}

/// Multiplies bins by those of a kernel of the same size: a circular convolution of what both are
/// the spectra of.
pub fn multiply(spectrum: &mut Spectrum, kernel: &Spectrum) {
    for (bin, factor) in spectrum.bins.iter_mut().zip(&kernel.bins) {
        let ([a, b], [c, d]) = (*bin, *factor);
        *bin = [a * c - b * d, a * d + b * c];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width: usize, pixels: &[f32]) -> Picture {
        Picture {
            width,
            height: pixels.len() / width,
            pixels: pixels.to_vec(),
        }
    }

    #[test]
    fn the_middle_of_a_kernel_is_the_origin_and_weights_add_up_to_1() {
        let kernel = picture(3, &[0.0, 0.1, 0.0, 0.2, 0.4, 0.3, 0.0, 0.0, 0.0]);
        let plane = plane(&kernel, 16, 32).unwrap();
        let at = |x: usize, y: usize| plane.pixels[y * 16 + x];
        assert_eq!(
            [at(0, 0), at(15, 0), at(1, 0), at(0, 31)],
            [0.4, 0.2, 0.3, 0.1]
        );
        assert_eq!(plane.pixels.iter().filter(|&&x| x > 0.0).count(), 4);
    }

    #[test]
    fn kernels_without_weight_or_room_are_refused() {
        let black = plane(&picture(2, &[0.0; 4]), 16, 16).unwrap_err();
        assert!(black.message.contains("black"), "{black}");
        let wide = plane(&picture(17, &[1.0; 17]), 16, 16).unwrap_err();
        assert!(wide.message.contains("smaller kernel"), "{wide}");
    }

    #[test]
    fn bins_are_multiplied_as_complex_numbers() {
        let of = |bin| Spectrum {
            width: 1,
            height: 1,
            bins: vec![bin],
        };
        let mut spectrum = of([1.0, 2.0]);
        multiply(&mut spectrum, &of([3.0, -1.0]));
        assert_eq!(spectrum, of([5.0, 5.0]));
    }
}
