//! Samples of files for the parts on the virtual Pi's pins, read piece by piece.
//!
//! WAV, raw samples whose format is the file's ending, and the shipped series. A frame is two
//! numbers, of which full scale is 1: left and right, or the real and the imaginary part.

mod raw;
mod series;
mod wav;

use signal::Rate;

/// The most bytes of a file: it lies in the memory of the page's program.
pub const MOST_BYTES: usize = 64 << 20;

/// A file that is open.
pub struct Samples {
    /// Makes frame `n`; none behind the last. All of them may take many times the file's bytes.
    frame: Box<dyn Fn(usize) -> Option<[f32; 2]>>,
    /// The number of the next frame.
    next: usize,
    /// Format and form, for people.
    pub format: String,
    /// Frames a second.
    pub rate: Rate,
    /// True if the two numbers of a frame are a complex one.
    pub is_complex: bool,
    /// True if it has two channels.
    pub is_stereo: bool,
    /// The quantity and size of full scale, where it is not that of a converter.
    pub full_scale: Option<&'static str>,
}

impl Samples {
    /// Opens a file by what it begins with, or by the ending of its name. `rate_hz` is for raw
    /// samples, which do not say theirs; 0: nobody has said it.
    ///
    /// # Errors
    /// A sentence, for a file that cannot be played.
    pub fn open(name: &str, bytes: Vec<u8>, rate_hz: f64) -> Result<Self, String> {
        if bytes.is_empty() {
            return Err(format!(
                "{name} is empty: choose a file that holds samples."
            ));
        }
        if bytes.len() > MOST_BYTES {
            return Err(format!(
                "{name} has more than the {} MiB that the page takes: cut it, or use the program qpuscope.",
                MOST_BYTES >> 20
            ));
        }
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let ending = ending.to_ascii_lowercase();
        if bytes.starts_with(b"RIFF") || matches!(ending.as_str(), "wav" | "wave") {
            return wav::open(name, bytes);
        }
        raw::open(name, &ending, bytes, rate_hz)
    }

    /// The shipped series: hourly temperatures in degrees Fahrenheit.
    ///
    /// # Errors
    /// A sentence, for a table that is not the shipped one.
    pub fn temperatures(text: &str) -> Result<Self, String> {
        let values = series::temperatures(text)?;
        Ok(Self {
            frame: Box::new(move |index| Some([*values.get(index)?; 2])),
            next: 0,
            format: "hourly temperatures of Seattle in 2010".into(),
            rate: series::RATE,
            is_complex: false,
            is_stereo: false,
            full_scale: Some(series::FULL_SCALE),
        })
    }

    /// The next frame; `None` at the end.
    pub fn next_frame(&mut self) -> Option<[f32; 2]> {
        let frame = (self.frame)(self.next)?;
        self.next += 1;
        Some(frame)
    }

    /// Goes back to the first frame.
    pub fn rewind(&mut self) {
        self.next = 0;
    }
}

#[cfg(test)]
pub(crate) mod tests;
