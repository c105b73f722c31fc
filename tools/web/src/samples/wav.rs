//! WAV files: PCM of 8 to 32 bits and float, mono and stereo.

use std::io::Cursor;

use hound::{SampleFormat, WavReader};

use super::{Reader, Samples};

/// An open file.
pub struct Wav {
    reader: WavReader<Cursor<Vec<u8>>>,
    is_stereo: bool,
    /// The factor that makes a sample one of -1 .. 1; `None` for float.
    factor: Option<f32>,
}

/// Opens a file.
pub fn open(name: &str, bytes: Vec<u8>) -> Result<Samples, String> {
    let reader = WavReader::new(Cursor::new(bytes)).map_err(|error| {
        format!("{name} is no WAV file that can be played ({error}): save it as PCM or float.")
    })?;
    let spec = reader.spec();
    let is_float = spec.sample_format == SampleFormat::Float;
    if !matches!(spec.channels, 1 | 2) {
        return Err(format!(
            "{name} has {} channels: save one of them, or two, as a file.",
            spec.channels
        ));
    }
    if spec.sample_rate == 0 {
        return Err(format!(
            "{name} states a rate of 0 Hz: save it again with its rate."
        ));
    }
    let factor = (!is_float).then(|| 0.5f32.powi(i32::from(spec.bits_per_sample) - 1));
    let is_stereo = spec.channels == 2;
    let mut wav = Wav {
        reader,
        is_stereo,
        factor,
    };
    if wav.next_frame().is_none() {
        return Err(format!("{name} holds no samples: record some first."));
    }
    wav.rewind();
    Ok(Samples {
        reader: Reader::Wav(wav),
        format: format!(
            "WAV, {} bits{}, {}",
            spec.bits_per_sample,
            if is_float { " float" } else { "" },
            if is_stereo { "stereo" } else { "mono" }
        ),
        rate: (spec.sample_rate.into(), 1),
        is_complex: false,
        is_stereo,
        full_scale: None,
    })
}

impl Wav {
    fn next_sample(&mut self) -> Option<f32> {
        // A file that was cut off ends where it was cut.
        match self.factor {
            Some(factor) => {
                let sample = self.reader.samples::<i32>().next()?.ok()?;
                Some(sample as f32 * factor)
            }
            None => self.reader.samples::<f32>().next()?.ok(),
        }
    }

    /// The next frame; mono is on both channels.
    pub fn next_frame(&mut self) -> Option<[f32; 2]> {
        let left = self.next_sample()?;
        let right = match self.is_stereo {
            true => self.next_sample()?,
            false => left,
        };
        Some([left, right])
    }

    /// Goes back to the first frame.
    pub fn rewind(&mut self) {
        // A cursor can always go back.
        let _ = self.reader.seek(0);
    }
}
