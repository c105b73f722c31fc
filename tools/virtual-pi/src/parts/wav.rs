//! WAV files: the samples of PCM and float, mono and stereo.
//!
//! Source: Multimedia Programming Interface and Data Specifications 1.0, "WAVE"; the format code
//! 0xfffe of WAVEFORMATEXTENSIBLE has its true code in the first two bytes of its GUID.

use super::sample::quantise;

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

struct Format {
    code: u16,
    channels: u16,
    bits: u16,
}

/// The frames of a file, left-justified in 32 bits.
pub fn frames(bytes: &[u8]) -> Result<Vec<[i32; 2]>, SignalError> {
    if bytes.get(..4) != Some(b"RIFF") || bytes.get(8..12) != Some(b"WAVE") {
        return Err(SignalError::NotWav);
    }
    let (mut rest, mut format) = (&bytes[12..], None);
    while let Some((head, body)) = rest.split_at_checked(8) {
        let size = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
        // Recorders that were cut off leave a size beyond the end.
        let chunk = &body[..size.min(body.len())];
        match (&head[..4], &format) {
            (b"fmt ", _) => format = Some(Format::of(chunk)?),
            (b"data", Some(format)) => return Ok(format.frames(chunk)),
            _ => {}
        }
        rest = body.get(size + size % 2..).unwrap_or(&[]);
    }
    Err(SignalError::Empty)
}

impl Format {
    fn of(chunk: &[u8]) -> Result<Self, SignalError> {
        let half = |at: usize| match chunk.get(at..at + 2) {
            Some(two) => u16::from_le_bytes([two[0], two[1]]),
            None => 0,
        };
        let code = match half(0) {
            EXTENSIBLE => half(24),
            code => code,
        };
        let (channels, bits) = (half(2), half(14));
        if !matches!((code, bits), (PCM, 8 | 16 | 24 | 32) | (FLOAT, 32))
            || !matches!(channels, 1 | 2)
        {
            return Err(SignalError::Kind(format!(
                "format {code}, {bits} bits and {channels} channels"
            )));
        }
        Ok(Self {
            code,
            channels,
            bits,
        })
    }

    fn sample(&self, bytes: &[u8]) -> i32 {
        let mut word = [0; 4];
        word[4 - bytes.len()..].copy_from_slice(bytes);
        if self.bits == 8 {
            // Eight bits are offset binary, all others two's complement.
            word[3] ^= 0x80;
        }
        if self.code == FLOAT {
            quantise(f32::from_le_bytes(word).into())
        } else {
            i32::from_le_bytes(word) & !0xff
        }
    }

    fn frames(&self, data: &[u8]) -> Vec<[i32; 2]> {
        let bytes = usize::from(self.bits / 8);
        let whole = data.chunks_exact(bytes * usize::from(self.channels));
        whole
            .map(|frame| {
                let left = self.sample(&frame[..bytes]);
                let right = frame.get(bytes..).filter(|right| !right.is_empty());
                [left, right.map_or(left, |right| self.sample(right))]
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(code: u16, channels: u16, bits: u16, data: &[u8]) -> Vec<u8> {
        let mut file = b"RIFF\0\0\0\0WAVEjunk\x01\0\0\0x\0fmt \x10\0\0\0".to_vec();
        file.extend(
            [code, channels, 0, 0, 0, 0, 0, bits]
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
    }

    #[test]
    fn what_cannot_be_played_is_said() {
        assert_eq!(frames(b"RIFX"), Err(SignalError::NotWav));
        assert_eq!(frames(&file(1, 1, 16, &[])[..46]), Err(SignalError::Empty));
        let error = frames(&file(1, 6, 12, &[0])).unwrap_err().to_string();
        assert!(error.contains("12 bits and 6 channels"), "{error}");
    }
}
