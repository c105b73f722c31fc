//! The recording that `read` is timed with: what a board sends of a band with noise and six tones.
//!
//! 4096 real samples at 48 kHz, Hann, four blocks a record, levels in hundredths of a decibel. The
//! noise of four blocks has four ripples for each bin that stands clear, as on a board, since
//! looking at them is most of the work of finding lines. One of the tones moves.

use std::f64::consts::PI;
use std::io::{Result, Write};

use wire::{
    Averaging, Chunk, Clocks, Dc, Descriptor, Detector, Domain, Encoder, Encoding, Engine,
    Envelope, MAX_CHUNK_DATA, MAX_FRAME, MAX_PAYLOAD, Message, Name, RecordHead, Source, Unit,
    Window,
};

use crate::samples::Random;

/// Records of the recording.
pub const RECORDS: u32 = 10_000;
/// Points of a transform.
const N: u32 = 4096;
/// Bins of a record.
const BINS: u32 = N / 2 + 1;
/// Power of the noise in a bin.
const NOISE: f64 = 1e-9;
/// Blocks of a record.
const BLOCKS: u32 = 4;
/// Microseconds between records.
const INTERVAL_US: u64 = 100_000;
/// Places in bins and powers of the tones that stand still.
const TONES: [(f64, f64); 5] = [
    (200.0, 0.25),
    (431.3, 0.04),
    (1300.5, 1e-4),
    (1777.2, 1e-6),
    (1900.0, 1e-5),
];
/// Power of the one that moves.
const MOVING: f64 = 1e-3;

/// Writes a recording of so many records.
///
/// # Errors
/// When it cannot be written.
pub fn write(out: &mut impl Write, records: u32) -> Result<()> {
    let mut encoder = Encoder::new();
    let (mut scratch, mut frame) = ([0; MAX_PAYLOAD], [0; MAX_FRAME]);
    let mut put = |out: &mut dyn Write, time_us: u64, message: &Message| {
        let envelope = Envelope {
            time_us,
            ..Envelope::default()
        };
        let length = encoder
            .message(envelope, message, &mut scratch, &mut frame)
            .map_err(std::io::Error::other)?;
        out.write_all(&frame[..length])
    };
    put(out, 0, &Message::Descriptor(descriptor()))?;
    let still: Vec<f64> = (0..BINS)
        .map(|bin| {
            let tones = TONES.iter();
            tones
                .map(|&(place, power)| power * response(f64::from(bin) - place))
                .sum()
        })
        .collect();
    let mut random = Random(1);
    for record in 0..records {
        let moving = 700.6 + 20.0 * (f64::from(record) / 300.0).sin();
        let data: Vec<u8> = (0_u32..)
            .zip(&still)
            .flat_map(|(bin, still)| {
                let tone = MOVING * response(f64::from(bin) - moving);
                let power = still + tone + NOISE * ripple(&mut random);
                let step = (10.0 * power.log10() + 400.0) * 100.0;
                (step.round() as u16).to_le_bytes()
            })
            .collect();
        for (part, data) in (0_u32..).zip(data.chunks(MAX_CHUNK_DATA)) {
            let chunk = Chunk {
                head: head(record),
                offset: part * (MAX_CHUNK_DATA / 2) as u32,
                data,
            };
            let time_us = u64::from(record) * INTERVAL_US;
            put(out, time_us, &Message::Spectrum(chunk))?;
        }
    }
    out.flush()
}

/// Power of a tone so many bins away, in a Hann window.
fn response(bins: f64) -> f64 {
    let (sinc, fall) = (sinc(bins), 1.0 - bins * bins);
    // On the next bin it is half of the amplitude.
    if fall.abs() < 1e-9 {
        return 0.25;
    }
    (sinc / fall) * (sinc / fall)
}

fn sinc(x: f64) -> f64 {
    if x.abs() < 1e-9 {
        return 1.0;
    }
    (PI * x).sin() / (PI * x)
}

/// Power of noise in one bin, averaged over the blocks of a record: 1 in the mean.
fn ripple(random: &mut Random) -> f64 {
    let blocks = (0..BLOCKS).map(|_| {
        let uniform = f64::midpoint(f64::from(random.next()), 1.0);
        -uniform.max(1e-9).ln()
    });
    blocks.sum::<f64>() / f64::from(BLOCKS)
}

fn head(record: u32) -> RecordHead {
    RecordHead {
        record,
        total: BINS,
        descriptor: 1,
        encoding: Encoding::U16,
        engine: Engine::Qpu,
        fallback: false,
        replaced: false,
        doubt: None,
        duty_ppm: None,
        blocks: BLOCKS,
        first_sample: u64::from(record * BLOCKS) * u64::from(N / 2),
        counters: wire::Counters::default(),
    }
}

fn descriptor() -> Descriptor {
    Descriptor {
        id: 1,
        rate: wire::Rate::hz(48_000),
        n: N,
        domain: Domain::Real,
        window: Window::Hann,
        enbw_bins: 1.5,
        coherent_gain: 0.5,
        overlap: N / 2,
        averaging: Averaging::Linear,
        average_count: BLOCKS,
        first_bin: 0,
        bins: BINS,
        centre_hz: 0.0,
        unit: Unit::Dbfs,
        encoding: Encoding::U16,
        scale: 0.01,
        offset: -400.0,
        source: Source::I2s,
        engine: Engine::Qpu,
        board_revision: 0x10,
        clocks: Clocks::default(),
        firmware: Name::new("0.1.0"),
        board: Name::new("a recording of `cargo xtask bench`"),
        detector: Detector::Mean,
        dc: Dc::Keep,
        rate_within_hz: 0.0,
        exponential: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::lines::strongest;
    use host::stream::{Event, Receiver};

    #[test]
    fn the_recording_is_read_back_with_its_tones_and_without_a_loss() {
        let mut bytes = vec![];
        write(&mut bytes, 2).expect("memory");
        let (mut receiver, mut events) = (Receiver::default(), vec![]);
        receiver.push(&bytes, &mut events);
        receiver.finish(&mut events);
        let health = receiver.health();
        assert_eq!((health.spectra, health.is_lossy()), (2, false), "{health}");
        let spectra = events.iter().filter_map(|event| match event {
            Event::Spectrum(spectrum, 0) => Some(spectrum),
            _ => None,
        });
        for spectrum in spectra {
            let lines = strongest(spectrum, 6);
            let mut bins: Vec<i64> = lines.iter().map(|line| line.bin).collect();
            bins.sort_unstable();
            assert_eq!(bins.len(), 6, "{bins:?}");
            for (bin, near) in bins.iter().zip([200, 431, 701, 1300, 1777, 1900]) {
                assert!((bin - near).abs() <= 1, "{bins:?}");
            }
        }
    }
}
