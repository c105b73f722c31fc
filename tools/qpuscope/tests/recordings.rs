//! Recordings from files to levels: every format, what is said of it, and what is refused.

mod common;
#[path = "common/tool.rs"]
mod tool;

use std::f64::consts::TAU;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::image;
use qpuscope::client::Client;
use qpuscope::input::{self, Format, Reading, Recording, Stereo};
use qpuscope::link::{self, FIRST_BAUD, Opening};
use qpuscope::log::Logs;
use qpuscope::spectrum::Spectrum;
use tool::{qpuscope, run, sim};
use wire::Rate;

const RATE_HZ: u32 = 48_000;
const N: usize = 1024;
const SAMPLES: usize = 4 * N;
/// Bins and amplitudes of two tones, neither in the middle of its bin.
const TONES: [(f64, f64); 2] = [(100.3, 0.5), (307.8, 0.3)];

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
fn raw(name: &str) -> Vec<u8> {
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

/// A WAV file of two channels or one, in RIFF, RF64 or BW64; the samples are of a raw format.
fn wav(kind: &[u8; 4], channels: u16, format: &str, more: &[u8]) -> Vec<u8> {
    let (tag, bits) = match format.trim_start_matches('c') {
        "s16" | "i16" => (1_u16, 16_u16),
        "s32" | "i32" => (1, 32),
        "f32" => (3, 32),
        other => panic!("{other}"),
    };
    let samples = raw(format);
    let frame = channels * bits / 8;
    let mut fmt = vec![];
    [tag, channels]
        .iter()
        .for_each(|x| fmt.extend(x.to_le_bytes()));
    [RATE_HZ, RATE_HZ * u32::from(frame)]
        .iter()
        .for_each(|x| fmt.extend(x.to_le_bytes()));
    [frame, bits]
        .iter()
        .for_each(|x| fmt.extend(x.to_le_bytes()));
    let chunk =
        |name: &[u8], bytes: &[u8]| [name, &(bytes.len() as u32).to_le_bytes(), bytes].concat();
    let is_long = kind != b"RIFF";
    let mut file = [&kind[..], &[0xff; 4], b"WAVE"].concat();
    if is_long {
        let sizes = [0, samples.len() as u64, 0].map(u64::to_le_bytes);
        file.extend(chunk(b"ds64", &[sizes.as_flattened(), &[0; 4]].concat()));
    }
    file.extend(chunk(b"fmt ", &fmt));
    file.extend(more);
    file.extend(b"data");
    file.extend(if is_long {
        [0xff; 4]
    } else {
        (samples.len() as u32).to_le_bytes()
    });
    file.extend(samples);
    file
}

/// The chunk of receivers: 1130 kHz, 23 November 2017.
fn auxi() -> Vec<u8> {
    let mut chunk = [b"auxi".to_vec(), 164_u32.to_le_bytes().to_vec()].concat();
    for field in [2017_u16, 11, 4, 23, 0, 57, 16, 250] {
        chunk.extend(field.to_le_bytes());
    }
    chunk.extend([0; 16]);
    chunk.extend(1_130_000_u32.to_le_bytes());
    chunk.resize(8 + 164, 0);
    chunk
}

fn npy(descr: &str, format: &str) -> Vec<u8> {
    [qpuscope::npy::encode(descr, &[SAMPLES as u64]), raw(format)].concat()
}

fn sigmf_meta(datatype: &str) -> String {
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
fn recordings(is_complex: bool) -> Vec<Recording> {
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

/// The position in bins and the level in dB of the tone near `bin`, for the Hann window.
///
/// The ratio of the amplitudes of two neighbouring bins gives the offset d from the larger one:
/// d = (2 r - 1) / (r + 1); and the window's transform gives the level there.
fn tone(spectrum: &Spectrum, bin: f64) -> (f64, f64) {
    let amplitude = |bin: i64| spectrum.power[(bin - spectrum.first_bin) as usize].sqrt();
    let peak = bin.round() as i64;
    let side = if amplitude(peak + 1) > amplitude(peak - 1) {
        1
    } else {
        -1
    };
    let ratio = amplitude(peak + side) / amplitude(peak);
    let offset = (2.0 * ratio - 1.0) / (ratio + 1.0);
    let sinc = (std::f64::consts::PI * offset).sin() / (std::f64::consts::PI * offset);
    let response = sinc / (1.0 - offset * offset);
    let level = 20.0 * (amplitude(peak) / response).log10();
    (peak as f64 + side as f64 * offset, level)
}

#[test]
fn the_same_signal_reads_the_same_in_every_format() {
    const MOST_DB: f64 = 0.01;
    const MOST_BINS: f64 = 0.01;
    let Some(image) = image("the_same_signal_reads_the_same_in_every_format") else {
        return;
    };
    let link = link::open(Some(&sim(&image)), &Opening::default()).expect("a virtual Pi");
    let mut client = Client::new(link, FIRST_BAUD, Logs::without_elf(), true);
    client.hello().expect("an answer");
    client.stop().expect("an answer");
    client.change_baud(921_600).expect("an answer");
    client
        .set(&format!(
            "n={N} window=hann overlap={} avg=all out=f32",
            N / 2
        ))
        .expect("settings");
    for is_complex in [false, true] {
        for recording in recordings(is_complex) {
            let channel = &recording.channels[0];
            assert_eq!(channel.points(), SAMPLES as u64, "{}", recording.format);
            client.name_upload(&recording.format, &recording.unit);
            let spectra = client.upload(channel, recording.rate).expect("spectra");
            for (index, (bin, amplitude)) in TONES.into_iter().enumerate() {
                let bin = if is_complex && index == 1 { -bin } else { bin };
                let (at, level) = tone(&spectra[0], bin);
                let expected = 20.0 * amplitude.log10();
                assert!(
                    (at - bin).abs() < MOST_BINS && (level - expected).abs() < MOST_DB,
                    "{} at {bin}: bin {at}, {level} dB instead of {expected}",
                    recording.format
                );
            }
        }
    }
}

/// An empty folder.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("recordings")
        .join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// What `fft` says of a file to a port that is not there, and its status: 3 where the file is right.
fn fft(folder: &Path, name: &str, more: &[&str]) -> (i32, String) {
    let mut command = qpuscope();
    command.current_dir(folder).args([
        "fft",
        "--port",
        "tcp:127.0.0.1:1",
        "--n",
        "64",
        "--input",
        name,
    ]);
    let (_, status, said) = run(command.args(more));
    (status, said)
}

#[test]
fn the_format_that_was_taken_is_said() {
    let folder = folder("said");
    let write =
        |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).expect("a file");
    let receiver = "HDSDR_20171123_005716Z_1130kHz_RF.wav";
    write("a.iq", &raw("cu8"));
    write("a.cf32", &raw("cf32"));
    write("a.raw", &raw("cs16_be"));
    write("a.npy", &npy("<c16", "cf64"));
    write("a.sigmf-meta", sigmf_meta("ci16_le").as_bytes());
    write("a.sigmf-data", &raw("cs16"));
    write(receiver, &wav(b"RF64", 2, "cs16", &[]));
    write("auxi.wav", &wav(b"RIFF", 2, "cs16", &auxi()));
    let rate = ["--rate", "48k"];
    for (name, more, wanted) in [
        (
            "a.iq",
            &rate[..],
            &["a.iq: cu8, 4096 complex samples at 48000 Hz"][..],
        ),
        ("a.cf32", &rate, &["a.cf32: cf32, 4096 complex samples"]),
        (
            "a.cf32",
            &["--rate", "48k", "--samples", "f32"],
            &["a.cf32: f32, 8192 real samples"],
        ),
        (
            "a.raw",
            &["--rate", "48k", "--samples", "cs16_be"],
            &["a.raw: cs16_be, 4096 complex samples"],
        ),
        ("a.npy", &rate, &["a.npy: NPY cf64, 4096 complex samples"]),
        (
            "a.sigmf-meta",
            &[],
            &[
                "SigMF ci16_le, 4096 complex samples at 48000 Hz",
                "centre 145000000 Hz",
                "begins 2023-08-06 15:18:38",
                "`beacon`: samples from 3 on, 2 of them",
            ],
        ),
        (
            receiver,
            &[],
            &[
                "RF64 WAV i16, 2 channels of 4096 real samples",
                "centre 1130000 Hz (not used",
                "begins 2017-11-23 0:57:16",
                "look like I and Q of one signal; --stereo iq",
            ],
        ),
        (
            receiver,
            &["--stereo", "iq"],
            &["4096 complex samples", "centre 1130000 Hz\n"],
        ),
        (
            "auxi.wav",
            &[],
            &[
                "WAV i16",
                "centre 1130000 Hz",
                "begins 2017-11-23 0:57:16.25",
            ],
        ),
    ] {
        let (status, said) = fft(&folder, name, more);
        assert_eq!(status, 3, "{name}: {said}");
        for wanted in wanted {
            assert!(said.contains(wanted), "{name}: {wanted:?} is not in {said}");
        }
        assert!(
            !(said.contains("look like I and Q") && more.contains(&"iq")),
            "{said}"
        );
    }
}

#[test]
fn foreign_and_damaged_files_get_one_sentence_and_status_2() {
    let folder = folder("refused");
    let write =
        |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).expect("a file");
    let whole = wav(b"RF64", 2, "cs16", &[]);
    write("a.xyz", &raw("cf32"));
    write("a.raw", &raw("cf32"));
    write("a.iq", &raw("cu8"));
    write("not.cf32", &raw("cs16"));
    write("short.wav", &whole[..40]);
    write("law.wav", &{
        let mut law = wav(b"RIFF", 1, "i16", &[]);
        law[20] = 7;
        law
    });
    write(
        "plane.npy",
        &[
            qpuscope::npy::encode("<c8", &[64, 64]),
            vec![0; 64 * 64 * 8],
        ]
        .concat(),
    );
    write("short.npy", &npy("<c16", "cf64")[..1000]);
    write("alone.sigmf-meta", sigmf_meta("ci16_le").as_bytes());
    write("broken.sigmf-meta", b"{\"global\": ");
    write("broken.sigmf", &[7; 2000]);
    write("half.sigmf-meta", sigmf_meta("cf64_le").as_bytes());
    write("half.sigmf-data", &[0; 9]);
    for (name, more, wanted) in [
        (
            "a.xyz",
            &["--rate", "1M"][..],
            "is no recording that qpuscope knows",
        ),
        ("a.raw", &["--rate", "1M"], "say which with --samples"),
        ("a.iq", &[], "give it with --rate"),
        (
            "a.iq",
            &["--samples", "cf16"],
            "`cf16` is no format of samples; choose one of cu8",
        ),
        ("not.cf32", &["--rate", "1M"], "not.cf32 is hardly cf32"),
        ("short.wav", &[], "ends before its samples begin"),
        ("law.wav", &[], "save it as plain PCM"),
        ("plane.npy", &["--rate", "1M"], "2 dimensions (64 x 64)"),
        ("short.npy", &["--rate", "1M"], "ends before the array does"),
        ("alone.sigmf-meta", &[], "cannot read alone.sigmf-data"),
        ("broken.sigmf-meta", &[], "no description of samples"),
        ("broken.sigmf", &[], "cannot be read as a tar file"),
        ("half.sigmf-meta", &[], "ends before the samples begin"),
        (
            "half.sigmf-meta",
            &["--samples", "cf32"],
            "leave out --samples",
        ),
    ] {
        let (status, said) = fft(&folder, name, more);
        assert_eq!(status, 2, "{name}: {said}");
        assert!(said.contains(wanted), "{name}: {said}");
        let last = said.lines().last().unwrap_or_default();
        assert!(
            last.starts_with("qpuscope: ") || said.starts_with("error: "),
            "{said}"
        );
    }
}

/// The centre of the file, or the option's, is what the spectrum's frequencies stand at.
#[test]
fn the_centre_of_a_file_is_used_where_the_option_is_absent() {
    let Some(image) = image("the_centre_of_a_file_is_used_where_the_option_is_absent") else {
        return;
    };
    let folder = folder("centre");
    std::fs::write(folder.join("a.sigmf-meta"), sigmf_meta("ci16_le")).expect("a file");
    std::fs::write(folder.join("a.sigmf-data"), raw("cs16")).expect("a file");
    for (more, centre_hz) in [(&[][..], 145e6), (&["--centre", "7.1e6"], 7.1e6)] {
        let mut command = qpuscope();
        command.args([
            "fft",
            "-q",
            "--json",
            "--port",
            &sim(&image),
            "--n",
            "1024",
            "--out",
        ]);
        command
            .arg(&folder)
            .arg("--input")
            .arg(folder.join("a.sigmf-data"));
        let (output, status, said) = run(command.args(more));
        assert_eq!(status, 0, "{said}");
        let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(object["centre_hz"], centre_hz);
        let recording = &object["recording"];
        assert_eq!(recording["format"], "SigMF ci16_le");
        assert_eq!(recording["start"], "2023-08-06T15:18:38Z");
        assert_eq!(recording["annotations"][0]["label"], "beacon");
        let strongest = object["lines"][0]["frequency"]
            .as_f64()
            .expect("a frequency");
        let expected = centre_hz + 100.0 * f64::from(RATE_HZ) / N as f64;
        assert!(
            (strongest - expected).abs() < f64::from(RATE_HZ) / N as f64,
            "{strongest}"
        );
    }
}

/// A sparse file of 5 GB is looked through in the memory of a short one: its numbers are checked and
/// its trend is found, before there is a port.
#[test]
fn five_gigabytes_are_read_in_constant_memory() {
    const BYTES: u64 = 5_000_000_000;
    let folder = folder("long");
    let long = std::fs::File::create(folder.join("long.cf64")).expect("a file");
    long.set_len(BYTES).expect("a sparse file");
    let tool = env!("CARGO_BIN_EXE_qpuscope");
    let mut command = Command::new("sh");
    command.current_dir(&folder).env_remove("QPUSCOPE_PORT");
    // KiB of address space, of which the program itself takes a part.
    command.args(["-c", r#"ulimit -v 300000 && exec "$0" "$@""#, tool]);
    let (_, status, said) = run(command.args([
        "fft",
        "--input",
        "long.cf64",
        "--rate",
        "2M",
        "--port",
        "tcp:127.0.0.1:1",
    ]));
    drop(long);
    let _ = std::fs::remove_file(folder.join("long.cf64"));
    assert_eq!(status, 3, "{said}");
    assert!(said.contains("312500000 complex samples"), "{said}");
}
