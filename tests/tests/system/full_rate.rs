//! A parallel ADC at 20 MS/s: every sample in a transform, or counted as lost.
//!
//! Simulated: shares of time are those of the cycle model and of the virtual Pi's ARM.

use crate::host::{Host, Spectrum};
use crate::line::Virtual;
use qpu::fft::kernels::spectral::power::{Detector, Removed};
use qpu::fft::samples::{Channels, Format};
use qpu::fft::{Direction, Plan};
use qpu_programs::FIRMWARE;
use qpu_programs::firmware::{self, Blocks};
use tests::{NO_KERNEL, need};
use v3d_sim::SimRunner;
use virtual_pi::{Config, ParallelPart, Signal};
use wire::{Engine, Message};

/// Rate of the line.
const BAUD: u32 = 3_000_000;
/// The shares of the time that QPUs and ARM may be busy.
const MOST: [f64; 2] = [0.8, 0.6];

/// Samples from a burst to the next, and how many it has.
const PERIOD: usize = 200_000;
const BURST: usize = 200;

/// A tone of -30 dBFS on bin 64 of 1024, and in each period a burst of -6 dBFS on bin 256.
fn train() -> Signal {
    let tone = |index: usize, bin: usize, dbfs: f64| {
        let phase = std::f64::consts::TAU * (index * bin % 1024) as f64 / 1024.0;
        10_f64.powf(dbfs / 20.0) * phase.sin()
    };
    let frames = (0..PERIOD).map(|index| {
        let burst = match index {
            0..BURST => tone(index, 256, -6.0),
            _ => 0.0,
        };
        let value = tone(index, 64, -30.0) + burst;
        [(value * f64::from(i32::MAX)) as i32, 0]
    });
    Signal::Frames(frames.collect::<Vec<_>>().into())
}

/// A board with a fast line, to which an ADC is connected.
fn board(image: &[u8], config: Config) -> Host<Virtual> {
    let config = Config {
        parallel: Some(ParallelPart::new(train())),
        revision: Some(0x0010),
        ..config
    };
    let mut host = Host::new(Virtual::boot(image, config));
    host.line_with("next:", 10_000);
    host.quiet();
    host.must(&Message::Baud(BAUD));
    // Until the board has changed too.
    host.collect(20);
    host.line.pi.set_host_baud(BAUD);
    host.must(&Message::Set(
        "input=smi rate=20M window=hann overlap=50% out=u8",
    ));
    host
}

/// The records of the first `span_ms` of a stream, which must have no hole. Prints how busy the
/// board was with them.
fn records(host: &mut Host<Virtual>, n: u64, average: u64, span_ms: u64) -> Vec<Spectrum> {
    host.must(&Message::Set(&format!("n={n} avg={average}")));
    host.must(&Message::Start);
    let mut records: Vec<Spectrum> = vec![];
    let step = average * n / 2;
    let wanted = |it: &Spectrum| span_ms as f64 * it.descriptor.rate.to_hz() / 1000.0;
    let is_enough = |it: &Spectrum| (it.head.first_sample + step + n / 2) as f64 >= wanted(it);
    while !records.last().is_some_and(is_enough) {
        records.push(host.spectrum(5_000));
    }
    host.must(&Message::Stop);
    let mut busy = [0.0; 2];
    for Spectrum {
        head, descriptor, ..
    } in &records
    {
        assert_eq!(head.counters.overruns, 0);
        assert_eq!(head.first_sample, u64::from(head.record) * step);
        assert_eq!((head.engine, head.fallback), (Engine::Qpu, false));
        let taken_us = step as f64 * 1e6 / descriptor.rate.to_hz();
        let times_us = [head.counters.qpu_us, head.counters.cpu_us];
        for (busy, us) in busy.iter_mut().zip(times_us) {
            *busy += f64::from(us) / taken_us / records.len() as f64;
        }
    }
    let [qpus, arm] = busy.map(|share| 100.0 * share);
    let rate = records[0].descriptor.rate.to_hz() / 1e6;
    eprintln!("{rate} MS/s, n={n}, Hann, 50 %: QPUs {qpus:.0} % busy, ARM {arm:.0} %");
    for (busy, most) in busy.into_iter().zip(MOST) {
        assert!(busy <= most, "n={n}: {busy:.3} of the time");
    }
    records
}

/// All records of 20 MS/s with blocks of these lengths, for so long.
fn assert_carried(line_fills: bool, spans_ms: [(u64, u64, u64); 3]) {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let config = Config {
        line_fills,
        ..Config::default()
    };
    let mut host = board(&image, config);
    for (n, average, span_ms) in spans_ms {
        records(&mut host, n, average, span_ms);
    }
}

#[test]
fn every_sample_of_20_msps_is_in_a_transform() {
    assert_carried(false, [(4096, 256, 200), (1024, 960, 48), (16384, 120, 48)]);
}

#[test]
#[ignore = "long: cargo xtask soak"]
fn soak_20_msps_for_a_second_with_line_fills() {
    assert_carried(
        true,
        [(4096, 256, 1_000), (1024, 960, 1_000), (16384, 120, 1_000)],
    );
}

/// The time that the conservative plan takes for a lot of blocks, on a simulator of its own.
#[test]
fn conservative_plans_carry_5_msps() {
    const BLOCKS: u32 = 16;
    let blocks = Blocks {
        is_real: true,
        format: Format::U8High,
        channels: Channels::All,
        log2_points: 12,
        hop: 2048,
        count: BLOCKS,
        windowed: true,
        bins: None,
        detector: Detector::Mean,
        removed: Removed::NOTHING,
    };
    let request = firmware::conservative(&blocks.request()).expect("there is one");
    let mut runner = SimRunner::new(8 << 20);
    let mut plan = Plan::with_buffers(FIRMWARE, &request, &mut runner).expect("there is room");
    let mut run = || plan.run(&mut runner, Direction::Forward, 1_000_000);
    // The second time its code is in the caches.
    let [_, report] = [(); 2].map(|()| run().expect("it ends"));
    let there_us = f64::from(BLOCKS * blocks.hop) / 5.0;
    let share = f64::from(report.elapsed_us) / there_us;
    eprintln!(
        "5 MS/s, n=4096, conservative plan: QPUs {:.0} % busy",
        100.0 * share
    );
    assert!(share <= MOST[0], "{share}");
}

/// Records of 3.3 ms: a burst shows in the record that has it and in no other.
#[test]
fn every_burst_that_is_shorter_than_a_block_is_found() {
    const AVERAGE: u64 = 128;
    /// The stream begins somewhat later than the part.
    const LATE: u64 = 1_000;
    /// A burst has 200 / 512 of the level of a tone, and half of that between two blocks.
    const SEEN_DBFS: f64 = -24.0;
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = board(&image, Config::default());
    host.must(&Message::Set("detector=max bins=300"));
    let (mut found, mut silent) = (0, 0);
    for Spectrum {
        head, levels_db, ..
    } in records(&mut host, 1024, AVERAGE, 50)
    {
        assert!((levels_db[64] + 30.0).abs() < 1.0, "{}", levels_db[64]);
        let first = head.first_sample;
        let end = first + (AVERAGE + 1) * 512;
        let shows = levels_db[256] > SEEN_DBFS;
        let period = PERIOD as u64;
        // From a whole burst to the next that may be in it.
        let has = |from: u64, until: u64| (from.div_ceil(period) * period) < until;
        let may_have = has(first.saturating_sub(BURST as u64), end + LATE);
        let must_have = has(first + LATE, end.saturating_sub(BURST as u64));
        assert!(may_have || !shows, "at {first}: {}", levels_db[256]);
        assert!(shows || !must_have, "at {first}: {}", levels_db[256]);
        found += u32::from(shows);
        silent += u32::from(!shows);
    }
    assert!(found >= 4 && silent >= 4, "{found}, {silent}");
}

/// Holds that records follow each other, but for samples that are counted; returns how many.
fn lost(records: &[Spectrum], step: u64, overlap: u64) -> u64 {
    let mut lost = 0;
    for pair in records.windows(2) {
        let [before, after] = [&pair[0].head, &pair[1].head];
        let numbers = u64::from(after.record - before.record);
        let hole = after.first_sample - before.first_sample - numbers * step;
        let counted = u64::from(after.counters.overruns - before.counters.overruns);
        // Behind a hole no block shares samples with the last one before it.
        let wanted = if counted > 0 { counted + overlap } else { 0 };
        assert_eq!(hole, wanted, "{before:?}, {after:?}");
        lost += counted;
    }
    lost
}

#[test]
fn what_the_arm_or_a_dead_qpu_leaves_is_counted_to_the_sample() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = board(&image, Config::default());
    let next = |host: &mut Host<Virtual>, count: usize| -> Vec<Spectrum> {
        (0..count).map(|_| host.spectrum(1_000)).collect()
    };
    // The ARM alone is too slow, so the ring runs over.
    host.must(&Message::Set("n=1024 avg=64 bins=16 engine=cpu"));
    host.must(&Message::Start);
    let by_the_arm = next(&mut host, 5);
    assert!(lost(&by_the_arm, 64 * 512, 512) > 1_000_000);
    host.must(&Message::Set("engine=auto"));
    let mut spectra = next(&mut host, 3);
    assert_eq!(lost(&spectra, 64 * 512, 512), 0);
    // If it is a check that does not end, its plan is dropped.
    host.may_drop_plans = true;
    host.line.pi.hang_v3d();
    spectra.extend(next(&mut host, 16));
    assert!(host.text.contains("V3D was restarted"), "{}", host.text);
    // The ring has room for 105 ms, which may be enough.
    let lost_behind = lost(&spectra, 64 * 512, 512);
    eprintln!("20 MS/s, a job that does not end: {lost_behind} samples lost");
    let last = spectra[spectra.len() - 1].head;
    assert_eq!((last.engine, last.fallback), (Engine::Qpu, false));
    host.must(&Message::Stop);
    records(&mut host, 1024, 64, 10);
}
