//! Raw samples: numbers and nothing else, as receivers record them; the ending is the format.

use signal::Rate;

use super::Samples;

/// Form of a number; little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    U8,
    I8,
    I16,
    F32,
}

/// Endings, with the number and whether two of them are a complex sample.
const ENDINGS: [(&str, Number, bool); 17] = [
    ("cu8", Number::U8, true),
    ("cs8", Number::I8, true),
    ("cs16", Number::I16, true),
    ("cf32", Number::F32, true),
    ("i8", Number::I8, false),
    ("i16", Number::I16, false),
    ("f32", Number::F32, false),
    // Names that programs use; what RTL-SDR programs record as `iq` and `u8` is complex.
    ("iq", Number::U8, true),
    ("u8", Number::U8, true),
    ("ci8", Number::I8, true),
    ("sc8", Number::I8, true),
    ("ci16", Number::I16, true),
    ("sc16", Number::I16, true),
    ("fc32", Number::F32, true),
    ("cfile", Number::F32, true),
    ("s8", Number::I8, false),
    ("s16", Number::I16, false),
];

/// Endings that a refusal names.
const SHOWN: usize = 7;

/// The rates that can be typed, in hertz, and their steps.
const RATES_HZ: std::ops::RangeInclusive<f64> = 0.001..=1e10;
const STEPS: u64 = 1000;

impl Number {
    const fn bytes(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::I16 => 2,
            Self::F32 => 4,
        }
    }

    fn value(self, bytes: &[u8]) -> Option<f32> {
        Some(match (self, bytes) {
            (Self::U8, [byte]) => (2.0 * f32::from(*byte) - 255.0) / 255.0,
            (Self::I8, [byte]) => f32::from(*byte as i8) / 128.0,
            (Self::I16, [low, high]) => f32::from(i16::from_le_bytes([*low, *high])) / 32_768.0,
            (Self::F32, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]),
            _ => return None,
        })
    }
}

/// Opens a file with this ending; a real sample is on both channels.
pub fn open(name: &str, ending: &str, bytes: Vec<u8>, rate_hz: f64) -> Result<Samples, String> {
    let known = ENDINGS.iter().find(|known| known.0 == ending);
    let Some((_, number, is_complex)) = known.copied() else {
        let shown = ENDINGS[..SHOWN].iter().map(|known| known.0);
        return Err(format!(
            "{name} is no WAV file, and its ending says no format of samples: end its name with one of {}.",
            shown.collect::<Vec<_>>().join(", ")
        ));
    };
    let rate = rate(rate_hz).ok_or_else(|| {
        format!("{name} holds samples without their rate: type the rate in hertz, and choose the file again.")
    })?;
    let size = number.bytes();
    let number = move |index: usize| {
        let from = index * size;
        number.value(bytes.get(from..from + size)?)
    };
    let frame = move |index: usize| match is_complex {
        true => Some([number(2 * index)?, number(2 * index + 1)?]),
        false => Some([number(index)?; 2]),
    };
    if frame(0).is_none() {
        return Err(format!(
            "{name} holds not one whole sample: choose another file."
        ));
    }
    let form = if is_complex { "complex" } else { "real" };
    Ok(Samples {
        frame: Box::new(frame),
        next: 0,
        format: format!("raw {form} samples ({ending})"),
        rate,
        is_complex,
        is_stereo: false,
        full_scale: None,
    })
}

/// A typed rate in whole steps.
fn rate(hz: f64) -> Option<Rate> {
    let steps = RATES_HZ.contains(&hz).then_some(hz * STEPS as f64)?;
    Rate::new(steps.round() as u64, STEPS)
}
