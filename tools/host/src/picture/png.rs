//! Points as a PNG file: with a palette where there are few colours, without opacity.

use std::collections::BTreeMap;

use ::png::{BitDepth, ColorType, Compression, Encoder, EncodingError, FilterType};
use tiny_skia::Pixmap;

/// The most colours of a palette.
const PALETTE: usize = 256;

/// The file.
///
/// # Errors
/// When the points cannot be encoded.
pub(super) fn encode(pixels: &Pixmap) -> Result<Vec<u8>, EncodingError> {
    let colours = pixels
        .pixels()
        .iter()
        .map(|point| [point.red(), point.green(), point.blue()]);
    let mut numbers: BTreeMap<[u8; 3], u8> = BTreeMap::new();
    let mut palette = vec![];
    for colour in colours.clone() {
        if palette.len() <= 3 * PALETTE && !numbers.contains_key(&colour) {
            numbers.insert(colour, (palette.len() / 3) as u8);
            palette.extend(colour);
        }
    }
    let mut file = vec![];
    let mut encoder = Encoder::new(&mut file, pixels.width(), pixels.height());
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Default);
    let points: Vec<u8> = if palette.len() <= 3 * PALETTE {
        encoder.set_color(ColorType::Indexed);
        encoder.set_palette(palette);
        encoder.set_filter(FilterType::NoFilter);
        colours
            .map(|colour| numbers.get(&colour).copied().unwrap_or(0))
            .collect()
    } else {
        encoder.set_color(ColorType::Rgb);
        encoder.set_filter(FilterType::Sub);
        colours.flatten().collect()
    };
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&points)?;
    writer.finish()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiny_skia::PremultipliedColorU8;

    #[test]
    fn few_and_many_colours_come_out_as_they_are() {
        for colours in [1, 200, 256, 257, 4000] {
            let mut pixels = Pixmap::new(80, 50).expect("a size");
            for (index, point) in pixels.pixels_mut().iter_mut().enumerate() {
                let number = index % colours;
                let (red, green) = ((number % 256) as u8, (number / 256) as u8);
                *point = PremultipliedColorU8::from_rgba(red, green, 7, 255).expect("a colour");
            }
            let file = encode(&pixels).expect("a file");
            let read = Pixmap::decode_png(&file).expect("a PNG");
            assert!(read == pixels, "{colours} colours");
        }
    }
}
