//! Recordings from files to levels: every format, what is said of it, and what is refused.

mod signal;

use std::path::{Path, PathBuf};
use std::process::Command;

use host::client::Client;
use host::link::{self, FIRST_BAUD, Opening};
use host::log::Logs;
use host::spectrum::Spectrum;
use signal::{N, RATE_HZ, SAMPLES, TONES, auxi, npy, raw, recordings, sigmf_meta, wav, wav_head};
use tests::tools::image;
use tests::tools::{qpuscope, run, sim};

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
    let mut client = Client::new(link, FIRST_BAUD, Logs::default(), true);
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

/// The status of `fft` for a file and a port that is not there, 3 where the file is right, and its
/// words.
fn fft(folder: &Path, name: &str, more: &[&str]) -> (i32, String) {
    let mut command = qpuscope();
    command
        .current_dir(folder)
        .args(["fft", "--port", "tcp:127.0.0.1:1", "--n", "64", name]);
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
    let audio = "HDSDR_20171123_005716Z_1130kHz_AF.wav";
    write(audio, &wav(b"RIFF", 1, "i16", &auxi()));
    write("auxi.wav", &wav(b"RIFF", 2, "cs16", &auxi()));
    let rows = (0..64).map(|at| format!("{:.1},{}\n", f64::from(at) / 2.0, at % 7));
    write(
        "seconds.csv",
        format!("time_s,v\n{}", rows.collect::<String>()).as_bytes(),
    );
    let stamp = |at: u32| format!("2026-03-28 {:02}:{:02}:00", 22 + at / 60, at % 60);
    let rows = (0..64).map(|at| format!("{},{}\n", stamp(at), at % 7));
    write(
        "stamps.csv",
        format!("time,v\n{}", rows.collect::<String>()).as_bytes(),
    );
    let rate = ["--rate", "48k"];
    for (name, more, wanted) in [
        (
            "a.iq",
            &rate[..],
            &["a.iq: cu8, 2048 complex samples at 48000 Hz"][..],
        ),
        ("a.cf32", &rate, &["a.cf32: cf32, 2048 complex samples"]),
        (
            "a.cf32",
            &["--rate", "48k", "--samples", "f32"],
            &["a.cf32: f32, 4096 real samples"],
        ),
        (
            "a.raw",
            &["--rate", "48k", "--samples", "cs16_be"],
            &["a.raw: cs16_be, 2048 complex samples"],
        ),
        ("a.npy", &rate, &["a.npy: NPY cf64, 2048 complex samples"]),
        (
            "a.sigmf-meta",
            &[],
            &[
                "SigMF ci16_le, 2048 complex samples at 48000 Hz",
                "centre 145000000 Hz",
                "begins 2023-08-06T15:18:38Z",
                "`beacon`: samples from 3 on, 2 of them",
            ],
        ),
        (
            receiver,
            &[],
            &[
                "RF64 WAV i16, 2 channels of 2048 real samples",
                "centre 1130000 Hz (not used",
                "begins 2017-11-23T00:57:16Z",
                "are I and Q of one signal; --stereo iq",
            ],
        ),
        (
            receiver,
            &["--stereo", "iq"],
            &["2048 complex samples", "centre 1130000 Hz\n"],
        ),
        (
            "auxi.wav",
            &[],
            &[
                "WAV i16",
                "centre 1130000 Hz",
                "begins 2017-11-23T00:57:16.25Z",
            ],
        ),
        (
            audio,
            &[],
            &["2048 real samples at 48000 Hz\n  begins 2017"],
        ),
        (
            "seconds.csv",
            &[],
            &["seconds.csv: CSV, 64 real samples at 2 Hz"],
        ),
        (
            "stamps.csv",
            &[],
            &[
                "64 real samples at 1/60 Hz\n  begins 2026-03-28T22:00:00Z",
                "taken as UTC",
            ],
        ),
        (
            "a.iq",
            &["--rate", "1.1574074074074073e-05"],
            &["2048 complex samples at "],
        ),
    ] {
        let (status, said) = fft(&folder, name, more);
        assert_eq!(status, 3, "{name}: {said}");
        for wanted in wanted {
            assert!(said.contains(wanted), "{name}: {wanted:?} is not in {said}");
        }
        assert!(
            !(said.contains("are I and Q") && more.contains(&"iq")),
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
        &[host::npy::encode("<c8", &[64, 64]), vec![0; 64 * 64 * 8]].concat(),
    );
    write("short.npy", &npy("<c16", "cf64")[..1000]);
    write("alone.sigmf-meta", sigmf_meta("ci16_le").as_bytes());
    write("broken.sigmf-meta", b"{\"global\": ");
    write("broken.sigmf", &[7; 2000]);
    write("half.sigmf-meta", sigmf_meta("cf64_le").as_bytes());
    write("half.sigmf-data", &[0; 9]);
    write("tone.flac", &[b"fLaC", &[0; 60][..]].concat());
    write("packed.sigmf", &[b"\x1f\x8b\x08", &[0; 60][..]].concat());
    write("spaces.csv", b"1 234\n2 345\n");
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
        ("tone.flac", &[], "`ffmpeg -i tone.flac tone.wav`"),
        (
            "tone.flac",
            &["--samples", "i16", "--rate", "48k"],
            "`ffmpeg -i tone.flac tone.wav`",
        ),
        ("packed.sigmf", &[], "is packed with gzip"),
        ("spaces.csv", &["--rate", "1"], "line 1: in `1 234`"),
        ("a.iq", &["--rate", "1e-20"], "1/18446744073709551615 to"),
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
            "512",
            "--out",
        ]);
        command.arg(&folder).arg(folder.join("a.sigmf-data"));
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

/// All numbers of a sparse file are checked in the memory of a short one, before there is a port.
#[test]
fn five_gigabytes_are_read_in_constant_memory() {
    const BYTES: u64 = 5_000_000_000;
    // In memory a hole costs nothing to read; on a disk each of its pages is made first.
    let memory = Path::new("/dev/shm");
    let folder = match memory.is_dir() {
        true => tempfile::tempdir_in(memory),
        false => tempfile::tempdir(),
    };
    let folder = folder.expect("a folder");
    let [rf64, riff] = [b"RF64", b"RIFF"].map(|kind| wav_head(kind, 1, "i16", &[], BYTES));
    // As recorders leave a RIFF file that got longer than its length can say.
    for (name, head, wanted) in [
        ("long.cf64", vec![], "cf64, 312500000 complex samples"),
        ("rf64.wav", rf64, "RF64 WAV i16, 2500000000 real samples"),
        ("riff.wav", riff, "WAV i16, 2500000000 real samples"),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, &head).expect("a file");
        let file = std::fs::File::options().write(true).open(&path);
        let length = BYTES + head.len() as u64;
        file.expect("a file")
            .set_len(length)
            .expect("a sparse file");
        let mut command = Command::new("sh");
        command
            .current_dir(folder.path())
            .env_remove("QPUSCOPE_PORT");
        // KiB of address space, of which the program itself takes a part.
        let tool = tests::tools::path("qpuscope");
        command
            .args(["-c", r#"ulimit -v 300000 && exec "$0" "$@""#])
            .arg(tool);
        command.args(["fft", "--port", "tcp:127.0.0.1:1", name]);
        if name.ends_with(".cf64") {
            command.args(["--rate", "2M"]);
        }
        let (_, status, said) = run(&mut command);
        assert_eq!(status, 3, "{said}");
        assert!(said.contains(wanted), "{said}");
    }
}
