//! Two tones as files of every format.

use std::f64::consts::TAU;

use host::input::{self, Format, Reading, Recording, Stereo};
use wire::Rate;

pub const RATE_HZ: u32 = 48_000;
pub const N: usize = 512;
pub const SAMPLES: usize = 4 * N;
/// Bins and amplitudes of two tones, neither in the middle of its bin.
pub const TONES: [(f64, f64); 2] = [(100.3, 0.5), (207.8, 0.3)];

/// A sample of both tones: as a complex signal the second is below the centre.
fn sample(at: usize, is_complex: bool) -> [f64; 2] {
    let phase = |bin: f64| TAU * bin * at as f64 / N as f64;
    let [(first, high), (second, low)] = TONES;
    match is_complex {
        true => [
            high * phase(first).cos() + low * phase(second).cos(),
            high * phase(first).sin() - low * phase(second).sin(),
        ],
        false => [high * phase(first).cos() + low * phase(second).cos(), 0.0],
    }
}

/// All numbers of the signal, in the order of a file.
fn numbers(is_complex: bool) -> Vec<f64> {
    let parts = if is_complex { 2 } else { 1 };
    let samples = (0..SAMPLES).map(|at| sample(at, is_complex));
    samples
        .flat_map(|sample| sample.into_iter().take(parts))
        .collect()
}

/// The signal as a format of raw samples writes it, by its definition.
pub fn raw(name: &str) -> Vec<u8> {
    let (name, is_big) = match name.strip_suffix("_be") {
        Some(name) => (name, true),
        None => (name, false),
    };
    let is_complex = name.starts_with('c');
    let number = |x: f64| -> Vec<u8> {
        let scaled = |bits: i32| (x * f64::from(bits - 1).exp2()).round() as i64;
        let mut bytes = match name.trim_start_matches('c') {
            "u8" => vec![(127.5 + 127.5 * x).round() as u8],
            "i8" | "s8" => (scaled(8) as i8).to_le_bytes().to_vec(),
            "u16" => ((scaled(16) + 32768) as u16).to_le_bytes().to_vec(),
            "i16" | "s16" => (scaled(16) as i16).to_le_bytes().to_vec(),
            "i32" | "s32" => (scaled(32) as i32).to_le_bytes().to_vec(),
            "f32" => (x as f32).to_le_bytes().to_vec(),
            "f64" => x.to_le_bytes().to_vec(),
            other => panic!("{other}"),
        };
        if is_big {
            bytes.reverse();
        }
        bytes
    };
    numbers(is_complex).into_iter().flat_map(number).collect()
}

/// A WAV file of two channels or one, in RIFF, RF64 or BW64; the samples are of a raw format, and
/// `more` are chunks before them.
pub fn wav(kind: &[u8; 4], channels: u16, format: &str, more: &[u8]) -> Vec<u8> {
    let samples = raw(format);
    let mut file = wav_head(kind, channels, format, more, samples.len() as u64);
    file.extend(samples);
    file
}

/// Everything of such a file before `length` bytes of samples.
pub fn wav_head(kind: &[u8; 4], channels: u16, format: &str, more: &[u8], length: u64) -> Vec<u8> {
    let (tag, bits) = match format.trim_start_matches('c') {
        "s16" | "i16" => (1_u16, 16_u16),
        "s32" | "i32" => (1, 32),
        "f32" => (3, 32),
        other => panic!("{other}"),
    };
    let frame = channels * bits / 8;
    let mut fmt = [tag, channels].map(u16::to_le_bytes).concat();
    fmt.extend(
        [RATE_HZ, RATE_HZ * u32::from(frame)]
            .map(u32::to_le_bytes)
            .concat(),
    );
    fmt.extend([frame, bits].map(u16::to_le_bytes).concat());
    let chunk =
        |name: &[u8], bytes: &[u8]| [name, &(bytes.len() as u32).to_le_bytes(), bytes].concat();
    let is_long = kind != b"RIFF";
    let mut file = [&kind[..], &[0xff; 4], b"WAVE"].concat();
    if is_long {
        let sizes = [length + 1000, length, 0].map(u64::to_le_bytes);
        file.extend(chunk(b"ds64", &[sizes.as_flattened(), &[0; 4]].concat()));
    }
    file.extend(chunk(b"fmt ", &fmt));
    file.extend(more);
    file.extend(b"data");
    file.extend(if is_long {
        [0xff; 4]
    } else {
        (length as u32).to_le_bytes()
    });
    file
}

/// The chunk of receivers: 1130 kHz, 23 November 2017.
pub fn auxi() -> Vec<u8> {
    let mut chunk = [b"auxi".to_vec(), 164_u32.to_le_bytes().to_vec()].concat();
    for field in [2017_u16, 11, 4, 23, 0, 57, 16, 250] {
        chunk.extend(field.to_le_bytes());
    }
    chunk.extend([0; 16]);
    chunk.extend(1_130_000_u32.to_le_bytes());
    chunk.resize(8 + 164, 0);
    chunk
}

pub fn npy(descr: &str, format: &str) -> Vec<u8> {
    [host::npy::encode(descr, &[SAMPLES as u64]), raw(format)].concat()
}

pub fn sigmf_meta(datatype: &str) -> String {
    format!(
        r#"{{"global": {{"core:datatype": "{datatype}", "core:version": "1.2.0", "core:sample_rate": {RATE_HZ}}},
            "captures": [{{"core:sample_start": 0, "core:frequency": 145e6, "core:datetime": "2023-08-06T15:18:38Z"}}],
            "annotations": [{{"core:sample_start": 3, "core:sample_count": 2, "core:label": "beacon"}}]}}"#
    )
}

fn read(name: &str, bytes: Vec<u8>, how: &Reading) -> Recording {
    input::read_bytes(name, bytes, how).unwrap_or_else(|failure| panic!("{name}: {failure}"))
}

/// The signal in all formats, each with its name.
pub fn recordings(is_complex: bool) -> Vec<Recording> {
    let mut how = Reading {
        rate: Some(Rate::hz(RATE_HZ.into())),
        detrend: Some(false),
        ..Reading::default()
    };
    let names: &[&str] = match is_complex {
        true => &[
            "cu8", "cs8", "cu16", "cs16", "cs16_be", "cs32", "cf32", "cf32_be", "cf64",
        ],
        false => &["u8", "i8", "u16", "i16", "i32_be", "f32", "f64", "f64_be"],
    };
    let mut all = vec![];
    for name in names {
        how.samples = Format::from_name(name);
        all.push(read("a.raw", raw(name), &how));
    }
    how.samples = None;
    if is_complex {
        how.stereo = Some(Stereo::Iq);
        for (kind, format) in [(b"RIFF", "cs16"), (b"RF64", "cs32"), (b"BW64", "cf32")] {
            all.push(read("a.wav", wav(kind, 2, format, &auxi()), &how));
        }
        all.push(read("a.npy", npy("<c16", "cf64"), &how));
        let memory =
            input::sigmf::read_memory(sigmf_meta("ci16_be").as_bytes(), raw("cs16_be"), &how);
        all.push(memory.expect("SigMF"));
    } else {
        all.push(read("a.wav", wav(b"RIFF", 1, "i16", &[]), &how));
        all.push(read("a.wav", wav(b"BW64", 1, "f32", &[]), &how));
        all.push(read("a.npy", npy(">i2", "i16_be"), &how));
        let column: String = numbers(false).iter().map(|x| format!("{x}\n")).collect();
        all.push(read("a.csv", column.into(), &how));
    }
    all
}
