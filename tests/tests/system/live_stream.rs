//! Live input goes on: through a line that is held or cut, samples at full scale, and QPUs that do
//! not end. Its levels, its age, and its spectra beside those of the same samples uploaded.

use crate::host::{Host, Spectrum};
use crate::line::{Line, Virtual};
use crate::live::{RECORD, SETTINGS, assert_no_hole, board, tone};
use tests::{NO_KERNEL, need};
use virtual_pi::{Config, I2sPart, I2sRole, ParallelPart, Signal, Tone};
use wire::{Domain, Engine, Message, Rate, SampleFormat};

/// Rate of the stream, as the board's clock gives it.
const RATE_HZ: u64 = 50_000;

/// An ADC that the board clocks, with this signal.
fn adc(signal: Signal) -> Option<I2sPart> {
    Some(I2sPart::new(I2sRole::Slave, signal))
}

#[test]
fn a_line_that_is_held_or_cut_costs_records_and_no_sample() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = board(&image, adc(tone()), SETTINGS);
    host.must(&Message::Set("out=u8"));
    host.must(&Message::Start);
    assert_no_hole(&host.spectra(500), RECORD);
    // The host does not follow to the new rate, so the board says nothing for half a second.
    host.must(&Message::Baud(921_600));
    let held = host.spectra(1_000);
    assert_no_hole(&held, RECORD);
    let dropped = held[held.len() - 1].head.counters.dropped;
    assert!(
        dropped >= 500 * RATE_HZ as u32 / 1000 / RECORD as u32,
        "{dropped}"
    );
    // Pulled out in the middle of a frame and put back a second later.
    for _ in 0..503 {
        host.line.receive(2);
    }
    let after = host.spectra(300);
    assert_no_hole(&after, RECORD);
    let numbers = [&held[held.len() - 1], &after[0]].map(|it| u64::from(it.head.record));
    assert!(
        numbers[1] - numbers[0] >= 1_000 * RATE_HZ / 1000 / RECORD,
        "{numbers:?}"
    );
    host.quiet();
    assert_eq!(host.ask(&Message::Ping(7)).message(), Message::Pong(7));
}

#[test]
fn qpus_that_do_not_end_are_reset_in_mid_stream_and_no_sample_is_lost() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = board(&image, adc(tone()), SETTINGS);
    host.must(&Message::Set("out=u8"));
    host.must(&Message::Start);
    let before = host.spectra(400);
    assert_no_hole(&before, RECORD);
    host.line.pi.hang_v3d();
    let after = host.spectra(600);
    assert_no_hole(&after, RECORD);
    assert!(host.text.contains("V3D was restarted"), "{}", host.text);
    let fallbacks = after.iter().filter(|it| it.head.fallback);
    assert_eq!(fallbacks.count(), 1);
    let last = after.last().expect("some");
    assert_eq!((last.head.engine, last.head.fallback), (Engine::Qpu, false));
    for Spectrum { levels_db, .. } in &after {
        // Half decibels.
        assert!((levels_db[64] + 3.0).abs() <= 0.25, "{}", levels_db[64]);
    }
    host.quiet();
    host.must(&Message::Start);
    assert_no_hole(&host.spectra(300), RECORD);
}

#[test]
fn samples_at_full_scale_are_counted() {
    // One frame in 1,000 on either side, and one with both.
    const PERIOD: usize = 1000;
    let (most, least) = (i32::MAX & !0xff, i32::MIN);
    let mut frames = vec![[0x1234_5600, -0x1234_5600]; PERIOD];
    frames[7] = [most, 0];
    frames[500] = [0, least];
    frames[900] = [least, most];
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = board(&image, adc(Signal::Frames(frames.into())), SETTINGS);
    for (channel, a_period) in [("left", 2), ("iq", 3)] {
        host.must(&Message::Set(&format!("channel={channel} out=u8")));
        host.must(&Message::Start);
        let spectra = host.spectra(600);
        assert_no_hole(&spectra, RECORD);
        let head = spectra[spectra.len() - 1].head;
        let end = head.first_sample + 1024 + 3 * 512;
        let wanted = end * a_period / PERIOD as u64;
        let clipped = u64::from(head.counters.clipped);
        assert!(
            clipped.abs_diff(wanted) <= a_period,
            "{channel}: {clipped}, {wanted}"
        );
        host.quiet();
    }
    host.line.pi.set_i2s(adc(tone()));
    host.must(&Message::Start);
    let spectra = host.spectra(400);
    assert_eq!(spectra[spectra.len() - 1].head.counters.clipped, 0);
}

/// Holds a sine of -3 dBFS at `bin` to its level, by QPUs and ARM.
fn assert_level(host: &mut Host<Virtual>, bin: f64) {
    for (engine, wanted) in [("auto", Engine::Qpu), ("cpu", Engine::Cpu)] {
        host.must(&Message::Set(&format!("engine={engine}")));
        host.must(&Message::Start);
        let spectrum = host.spectrum(1_000);
        assert_eq!(spectrum.head.engine, wanted);
        let level = spectrum.levels_db.iter().copied().fold(f64::MIN, f64::max);
        assert!(
            (level + 3.0).abs() < 0.02,
            "bin {bin}, {engine}: {level} dBFS"
        );
        host.quiet();
    }
}

#[test]
fn a_sine_reads_its_level_on_a_bin_and_between_bins_by_qpus_and_arm() {
    /// A quarter of a bin and a half from bin 100 of 1024.
    const BETWEEN: [f64; 2] = [100.25, 100.5];
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = board(&image, adc(tone()), SETTINGS);
    for (bin, window) in [
        (64.0, "hann"),
        (BETWEEN[0], "flat-top"),
        (BETWEEN[1], "flat-top"),
    ] {
        let tones = vec![Tone {
            hz: bin * RATE_HZ as f64 / 1024.0,
            dbfs: -3.0,
        }];
        host.line.pi.set_i2s(adc(Signal::Tones {
            tones,
            noise_dbfs: None,
            seed: 1,
        }));
        host.must(&Message::Set(&format!("window={window} avg=1")));
        assert_level(&mut host, bin);
    }
}

#[test]
fn a_spectrum_is_at_most_two_blocks_old_when_it_leaves() {
    const N: u64 = 4096;
    const AVERAGE: u64 = 16;
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let settings = "input=i2s channel=iq n=4096 overlap=75% avg=16 out=u8";
    let mut host = board(&image, adc(tone()), settings);
    // The first start makes and proves plans before it samples.
    host.must(&Message::Start);
    host.spectra(1_000);
    host.must(&Message::Stop);
    let begin_us = host.ask(&Message::Ping(1)).header.time_us;
    host.must(&Message::Start);
    for Spectrum { head, left_us, .. } in host.spectra(3_000) {
        // Its first sample came after the request.
        let end = head.first_sample + N + (AVERAGE - 1) * N / 4;
        let age_us = left_us as f64 - begin_us as f64 - end as f64 * 1e6 / RATE_HZ as f64;
        let blocks = age_us * 1e-6 * RATE_HZ as f64 / N as f64;
        println!(
            "record {}: {:.1} ms, {blocks:.2} blocks",
            head.record,
            age_us / 1000.0
        );
        assert!(blocks > 0.0 && (head.record == 0 || blocks <= 2.0));
    }
}

/// The power of bin `bin` of `n` samples from `first` on, of one period of them.
fn power(period: &[f64], first: usize, n: usize, bin: usize) -> f64 {
    let (mut re, mut im) = (0.0, 0.0);
    for index in 0..n {
        let sample = period[(first + index) % period.len()];
        let phase = std::f64::consts::TAU * (bin * index % n) as f64 / n as f64;
        re += sample * phase.cos();
        im += sample * phase.sin();
    }
    (re * re + im * im) / (n * n) as f64 * 4.0
}

/// The place in a period of sample 0 of the stream that a record of one block is of, without a
/// window: the part has begun before the board listened.
fn place_of(record: &Spectrum, period: &[f64]) -> usize {
    let n = record.descriptor.n as usize;
    let differs = |first: &usize| {
        let first = first + record.head.first_sample as usize;
        let of = |bin: usize| {
            let db = 10.0 * power(period, first, n, bin).log10();
            (db - record.levels_db[bin]).abs()
        };
        [3, 77, 200, 411].map(of).into_iter().fold(0.0, f64::max)
    };
    let best = (0..period.len()).min_by(|a, b| differs(a).total_cmp(&differs(b)));
    let best = best.expect("there are samples");
    assert!(differs(&best) < 0.001, "{} dB", differs(&best));
    best
}

#[test]
fn spectra_of_a_part_are_those_of_its_samples_uploaded_bit_for_bit() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut random = tests::mutate::Random::new(tests::seed());
    // A period is a record, so all records are equal.
    let frames: Vec<[i32; 2]> = (0..RECORD)
        .map(|_| [(); 2].map(|()| (random.bits() as i32) & !0xff))
        .collect();
    let settings = "input=i2s n=1024 window=rectangular avg=1 overlap=0 out=f32";
    let mut host = board(&image, adc(Signal::Frames(frames.clone().into())), settings);
    host.must(&Message::Start);
    let one = host.spectrum(1_000);
    host.quiet();
    let left = |frame: &[i32; 2]| f64::from(frame[0]) / f64::from(1u32 << 31);
    let begin = place_of(&one, &frames.iter().map(left).collect::<Vec<_>>());
    let all = || (0..4 * RECORD as usize).map(|index| frames[(begin + index) % frames.len()]);
    for channel in ["left", "iq"] {
        host.must(&Message::Set(&format!(
            "channel={channel} window=hann avg=4 overlap=50%"
        )));
        host.must(&Message::Start);
        let live = host.spectrum(1_000);
        host.quiet();
        let (domain, bytes): (_, Vec<u8>) = match channel {
            "left" => {
                let left = all().flat_map(|[left, _]| left.to_le_bytes());
                (Domain::Real, left.collect())
            }
            _ => (
                Domain::Complex,
                all().flatten().flat_map(i32::to_le_bytes).collect(),
            ),
        };
        let uploaded = host.upload(SampleFormat::I32, domain, Rate::hz(RATE_HZ), &bytes);
        let record = (live.head.first_sample / RECORD) as usize;
        assert_eq!(uploaded[0].head.engine, Engine::Qpu);
        assert!(live.raw == uploaded[record].raw, "{channel}");
    }
}

/// A board with a parallel ADC that has this signal.
fn parallel(image: &[u8], signal: Signal, settings: &str) -> Host<Virtual> {
    let config = Config {
        parallel: Some(ParallelPart::new(signal)),
        revision: Some(0x0010),
        ..Config::default()
    };
    let mut host = Host::new(Virtual::boot(image, config));
    host.line_with("next:", 1_000);
    host.quiet();
    host.must(&Message::Set(settings));
    host
}

#[test]
fn spectra_of_a_parallel_adc_are_those_of_its_bytes_uploaded_bit_for_bit() {
    const N: usize = 1024;
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut random = tests::mutate::Random::new(tests::seed());
    let bytes: Vec<u8> = (0..2 * N).map(|_| random.below(256) as u8).collect();
    let signal = Signal::raw_u8(&bytes).expect("there are samples");
    let settings = "input=smi rate=1M n=1024 window=rectangular avg=1 overlap=0 out=f32";
    let mut host = parallel(&image, signal, settings);
    host.must(&Message::Start);
    let live = host.spectrum(1_000);
    host.quiet();
    let value = |byte: &u8| (f64::from(*byte) - 127.5) / 127.5;
    let begin = place_of(&live, &bytes.iter().map(value).collect::<Vec<_>>());
    let first = begin + live.head.first_sample as usize;
    let samples = (first..first + N).flat_map(|index| [0x5a, bytes[index % bytes.len()]]);
    let samples: Vec<u8> = samples.collect();
    let rate = Rate::hz(1_000_000);
    let uploaded = host.upload(SampleFormat::U8High, Domain::Real, rate, &samples);
    assert_eq!(uploaded[0].head.engine, Engine::Qpu);
    assert!(live.raw == uploaded[0].raw);
}

#[test]
fn a_sine_at_a_parallel_adc_reads_its_level_by_qpus_and_arm() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let settings = "input=smi rate=1M n=1024 avg=16 out=f32";
    let mut host = parallel(&image, Signal::Silence, settings);
    for (bin, window) in [(64.0, "hann"), (100.25, "flat-top"), (100.5, "flat-top")] {
        host.line
            .pi
            .set_parallel(Some(ParallelPart::new(Signal::Tones {
                tones: vec![Tone {
                    hz: bin * 1e6 / 1024.0,
                    dbfs: -3.0,
                }],
                noise_dbfs: Some(-50.0),
                seed: 1,
            })));
        host.must(&Message::Set(&format!("window={window}")));
        assert_level(&mut host, bin);
    }
}
