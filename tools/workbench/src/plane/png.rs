//! Grey pictures from PNG files and to them.

use std::io::BufReader;
use std::path::Path;

use png::{BitDepth, ColorType, Transformations};

use super::Picture;
use common::failure::{Failure, Result};
use common::files::{input, output};
use common::{say, stop};

/// Most bytes that a file may unpack to.
const MAX_BYTES: usize = 1 << 28;
/// Shares of red, green and blue in the luma of a picture: ITU-R BT.709.
const LUMA: [f32; 3] = [0.2126, 0.7152, 0.0722];

/// Reads a picture of any PNG format, and whether it had colours: their luma is taken. Transparency
/// is not looked at.
///
/// # Errors
/// Usage, when the file cannot be read or is none; what `fits` says of its width and height, before
/// there is memory for its pixels.
pub fn read(path: &Path, fits: impl Fn(usize, usize) -> Result<()>) -> Result<(Picture, bool)> {
    let wrong = |error: &dyn std::fmt::Display| {
        Failure::usage(format!(
            "{} cannot be read as PNG: {error}; convert it first (for example with `magick IN OUT.png`)",
            say::path(path)
        ))
    };
    let file = stop::blocking(|| input::open(path));
    let file = file.map_err(|error| Failure::reading(path, &error))?;
    let limits = png::Limits { bytes: MAX_BYTES };
    let mut decoder = png::Decoder::new_with_limits(BufReader::new(file), limits);
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(|error| wrong(&error))?;
    let (width, height) = reader.info().size();
    fits(width as usize, height as usize)?;
    let bytes = reader.output_buffer_size();
    if bytes > MAX_BYTES {
        return Err(wrong(&format!("it has {bytes} bytes of pixels")));
    }
    let mut data = vec![0; bytes];
    let info = reader
        .next_frame(&mut data)
        .map_err(|error| wrong(&error))?;
    let samples: Vec<f32> = match info.bit_depth {
        BitDepth::Sixteen => data
            .chunks_exact(2)
            .map(|pair| f32::from(u16::from_be_bytes([pair[0], pair[1]])) / 65535.0)
            .collect(),
        _ => data.iter().map(|&byte| f32::from(byte) / 255.0).collect(),
    };
    let channels = info.color_type.samples();
    let pixels = samples.chunks_exact(channels);
    let is_grey = matches!(
        info.color_type,
        ColorType::Grayscale | ColorType::GrayscaleAlpha
    );
    let pixels: Vec<f32> = if is_grey {
        pixels.map(|pixel| pixel[0]).collect()
    } else {
        let luma = |pixel: &[f32]| pixel.iter().zip(LUMA).map(|(x, share)| x * share).sum();
        pixels.map(luma).collect()
    };
    let (width, height) = (info.width as usize, info.height as usize);
    Ok((
        Picture {
            width,
            height,
            pixels: pixels.into_iter().take(width * height).collect(),
        },
        !is_grey,
    ))
}

/// Writes a picture of 8 bits a pixel; gives how many pixels were darker than black or lighter than
/// white.
///
/// # Errors
/// When the file cannot be written.
pub fn write(picture: &Picture, path: &Path) -> Result<usize> {
    let failed = |error: png::EncodingError| {
        Failure::failed(format!(
            "cannot write {}: {error}; choose another place",
            say::path(path)
        ))
    };
    // Half a step beyond either end is rounding.
    let is_beyond = |x: &&f32| !(-0.5 / 255.0..=255.5 / 255.0).contains(*x);
    let beyond = picture.pixels.iter().filter(is_beyond).count();
    let bytes: Vec<u8> = picture
        .pixels
        .iter()
        .map(|x| (255.0 * x).round().clamp(0.0, 255.0) as u8)
        .collect();
    let mut file = vec![];
    let (width, height) = (picture.width as u32, picture.height as u32);
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(ColorType::Grayscale);
    encoder.set_depth(BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(failed)?;
    writer
        .write_image_data(&bytes)
        .and_then(|()| writer.finish())
        .map_err(failed)?;
    output::write(path, &file)?;
    Ok(beyond)
}
