//! WAV files, as the parts on the virtual Pi's pins read them.

use signal::Rate;

use super::Samples;

/// The samples have 24 bits, left-justified in 32.
const FULL_SCALE: f32 = (1u32 << 31) as f32;

/// Opens a file; mono is on both channels.
pub fn open(name: &str, bytes: Vec<u8>) -> Result<Samples, String> {
    let format = virtual_pi::Wav::of(&bytes).map_err(|error| format!("{name}: {error}."))?;
    let rate = Rate::new(format.rate_hz.into(), 1)
        .ok_or_else(|| format!("{name} states a rate of 0 Hz: save it again with its rate."))?;
    let is_stereo = format.channels == 2;
    Ok(Samples {
        format: format!(
            "WAV, {} bits{}, {}",
            format.bits,
            if format.is_float { " float" } else { "" },
            if is_stereo { "stereo" } else { "mono" }
        ),
        frame: Box::new(move |index| {
            let frame = format.frame(&bytes, index)?;
            Some(frame.map(|sample| sample as f32 / FULL_SCALE))
        }),
        next: 0,
        rate,
        is_complex: false,
        is_stereo,
        full_scale: None,
    })
}
