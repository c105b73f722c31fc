//! WAV files: the samples of PCM and float, mono and stereo.
//!
//! Source: Multimedia Programming Interface and Data Specifications 1.0, "WAVE"; the format code
//! 0xfffe of WAVEFORMATEXTENSIBLE has its true code in the first two bytes of its GUID.

use std::ops::Range;

use super::quantise;

const PCM: u16 = 1;
const FLOAT: u16 = 3;
const EXTENSIBLE: u16 = 0xfffe;

/// A file that holds no samples for a part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignalError {
    /// Not a WAV file.
    #[error("this is no WAV file; give one that starts with RIFF and WAVE")]
    NotWav,
    /// A WAV file of another kind.
    #[error("the WAV file has {0}; give PCM of 8, 16, 24 or 32 bits or float, mono or stereo")]
    Kind(String),
    /// Nothing in it.
    #[error("the file holds no samples; record some first")]
    Empty,
}

/// The format of the samples of a file, and their place in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wav {
    /// Frames a second.
    pub rate_hz: u32,
    /// Channels: 1 or 2.
    pub channels: u16,
    /// Bits of a sample that count.
    pub bits: u16,
    /// True if samples are float.
    pub is_float: bool,
    /// Bytes from one sample to the next.
    container: usize,
    data: Range<usize>,
}

impl Wav {
    /// Finds the samples of a file. One that was cut off has the whole frames before the cut.
    ///
    /// # Errors
    /// A file without samples that can be played, with what to give instead.
    pub fn of(bytes: &[u8]) -> Result<Self, SignalError> {
        if bytes.get(..4) != Some(b"RIFF") || bytes.get(8..12) != Some(b"WAVE") {
            return Err(SignalError::NotWav);
        }
        let (mut at, mut format) = (12, None::<Self>);
        while let Some((head, body)) = bytes.get(at..).and_then(|rest| rest.split_at_checked(8)) {
            let size = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
            // Recorders that were cut off leave a size beyond the end.
            let chunk = &body[..size.min(body.len())];
            let start = at + 8;
            match (&head[..4], &mut format) {
                (b"fmt ", _) => format = Some(Self::format(chunk)?),
                (b"data", Some(wav)) => {
                    wav.data = start..start + chunk.len();
                    break;
                }
                _ => {}
            }
            at = start.saturating_add(size).saturating_add(size % 2);
        }
        format
            .filter(|wav| wav.frame(bytes, 0).is_some())
            .ok_or(SignalError::Empty)
    }

    /// The format that a chunk states.
    fn format(chunk: &[u8]) -> Result<Self, SignalError> {
        let half = |at: usize| match chunk.get(at..at + 2) {
            Some(two) => u16::from_le_bytes([two[0], two[1]]),
            None => 0,
        };
        let code = match half(0) {
            EXTENSIBLE => half(24),
            code => code,
        };
        let (channels, frame, bits) = (half(2), half(12), half(14));
        if !matches!((code, bits), (PCM, 8 | 16 | 24 | 32) | (FLOAT, 32))
            || !matches!(channels, 1 | 2)
        {
            return Err(SignalError::Kind(format!(
                "format {code}, {bits} bits and {channels} channels"
            )));
        }
        // `arecord -f S24_LE` writes 24 bits as the lower ones of 4 bytes.
        let container = match bits {
            24 if frame == 4 * channels => 4,
            bits => usize::from(bits / 8),
        };
        Ok(Self {
            rate_hz: u32::from(half(4)) | u32::from(half(6)) << 16,
            channels,
            bits,
            is_float: code == FLOAT,
            container,
            data: 0..0,
        })
    }

    /// Frame `index` of the file that these `bytes` are, left-justified in 32 bits; mono is on both
    /// channels. `None` behind the last whole one.
    pub fn frame(&self, bytes: &[u8], index: usize) -> Option<[i32; 2]> {
        let data = bytes.get(self.data.clone())?;
        let size = self.container * usize::from(self.channels);
        let from = index.checked_mul(size)?;
        let frame = data.get(from..from.checked_add(size)?)?;
        let (left, right) = frame.split_at(self.container);
        let left = self.sample(left);
        let is_mono = right.is_empty();
        Some([left, if is_mono { left } else { self.sample(right) }])
    }

    fn sample(&self, bytes: &[u8]) -> i32 {
        let bytes = &bytes[..usize::from(self.bits / 8)];
        let mut word = [0; 4];
        word[4 - bytes.len()..].copy_from_slice(bytes);
        if self.bits == 8 {
            // Eight bits are offset binary, all others two's complement.
            word[3] ^= 0x80;
        }
        if self.is_float {
            quantise(f32::from_le_bytes(word).into())
        } else {
            i32::from_le_bytes(word) & !0xff
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(file: &[u8]) -> Result<Vec<[i32; 2]>, SignalError> {
        let wav = Wav::of(file)?;
        assert_eq!(wav.rate_hz, 96_000);
        Ok((0..).map_while(|index| wav.frame(file, index)).collect())
    }

    fn file(code: u16, channels: u16, bits: u16, data: &[u8]) -> Vec<u8> {
        with_frame(code, channels, bits, channels * bits / 8, data)
    }

    fn with_frame(code: u16, channels: u16, bits: u16, frame: u16, data: &[u8]) -> Vec<u8> {
        let mut file = b"RIFF\0\0\0\0WAVEjunk\x01\0\0\0x\0fmt \x10\0\0\0".to_vec();
        file.extend(
            [code, channels, 0x7700, 1, 0, 0, frame, bits]
                .iter()
                .flat_map(|half| half.to_le_bytes()),
        );
        file.extend(b"data\xff\xff\0\0");
        file.extend(data);
        file
    }

    #[test]
    fn every_kind_is_left_justified() {
        let of = |code, channels, bits, data: &[u8]| frames(&file(code, channels, bits, data));
        assert_eq!(
            of(1, 2, 16, &[1, 2, 3, 0x80]),
            Ok(vec![[0x0201_0000, 0x8003_0000_u32 as i32]])
        );
        assert_eq!(of(1, 1, 8, &[0x81]), Ok(vec![[0x0100_0000; 2]]));
        assert_eq!(of(1, 1, 24, &[1, 2, 3]), Ok(vec![[0x0302_0100; 2]]));
        assert_eq!(of(1, 1, 32, &[9, 2, 3, 4]), Ok(vec![[0x0403_0200; 2]]));
        assert_eq!(
            of(3, 1, 32, &(-0.5f32).to_le_bytes()),
            Ok(vec![[-(1 << 30); 2]])
        );
        let padded = with_frame(1, 2, 24, 8, &[1, 2, 3, 0, 4, 5, 0x86, 0xff]);
        assert_eq!(
            frames(&padded),
            Ok(vec![[0x0302_0100, 0x8605_0400_u32 as i32]])
        );
    }

    #[test]
    fn what_cannot_be_played_is_said() {
        assert_eq!(frames(b"RIFX"), Err(SignalError::NotWav));
        assert_eq!(frames(&file(1, 1, 16, &[])[..46]), Err(SignalError::Empty));
        let error = frames(&file(1, 6, 12, &[0])).unwrap_err().to_string();
        assert!(error.contains("12 bits and 6 channels"), "{error}");
    }
}
