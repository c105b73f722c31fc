//! A parallel ADC at 20 MS/s: every sample in a transform, or counted as lost.
//!
//! Simulated: shares of time are those of the cycle model and of the virtual Pi's ARM.

use crate::host::{Host, Spectrum};
use crate::line::Virtual;
use tests::{NO_KERNEL, need};
use virtual_pi::{Bursts, Config, ParallelPart, Signal, Tone};
use wire::{Engine, Kind, Message};

/// Rate of the line.
const BAUD: u32 = 3_000_000;
/// The shares of the time that QPUs and ARM may be busy.
const MOST: [f64; 2] = [0.8, 0.6];

/// Bins in which bursts are looked for; that of their tone is in the middle.
const BINS: u64 = 9;
/// The longest blocks of which all bins pass the line often enough to tell bursts apart.
const ALL_BINS_TO: u64 = 4096;
/// Samples by which the stream may be behind the ADC: its pipeline, and what the driver drops.
const BEHIND: u64 = 4_096;

/// Bursts of 600 samples, one in each 10 ms.
const BURSTS: Bursts = Bursts {
    tone: Tone {
        hz: 7e6,
        dbfs: -30.0,
    },
    samples: 600,
    period: 200_000,
    seed: 32,
};

/// Two tones, noise and the bursts.
fn signal() -> Signal {
    let tone = |hz, dbfs| Tone { hz, dbfs };
    let tones = Signal::Tones {
        tones: vec![tone(2.1e6, -20.0), tone(4.7e6, -40.0)],
        noise_dbfs: Some(-60.0),
        seed: 32,
    };
    Signal::WithBursts(Box::new(tones), BURSTS)
}

/// The number of bursts that touch the samples `from..to`.
fn touching(from: u64, to: u64) -> usize {
    let near = from / BURSTS.period..to / BURSTS.period + 1;
    let starts = near.map(|number| BURSTS.start(number));
    starts
        .filter(|start| start + BURSTS.samples > from && *start < to)
        .count()
}

/// A board with a fast line, to which an ADC is connected.
pub fn board(image: &[u8], config: Config) -> Host<Virtual> {
    let config = Config {
        parallel: Some(ParallelPart::new(signal())),
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
    let missed = host.line.pi.smi_missed();
    let mut records: Vec<Spectrum> = vec![];
    let step = average * n / 2;
    let wanted = |it: &Spectrum| span_ms as f64 * it.descriptor.rate.to_hz() / 1000.0;
    let is_enough = |it: &Spectrum| (it.head.first_sample + step + n / 2) as f64 >= wanted(it);
    while !records.last().is_some_and(is_enough) {
        records.push(host.spectrum(5_000));
    }
    let missed_after = host.line.pi.smi_missed();
    assert_eq!(missed_after, missed, "SMI's FIFO was full");
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
    eprintln!("{rate} MS/s, n={n}, Hann, 50 %: QPUs {qpus:.1} % busy, ARM {arm:.1} %");
    for (busy, most) in busy.into_iter().zip(MOST) {
        assert!(busy <= most, "n={n}: {busy:.3} of the time");
    }
    records
}

/// Holds that records with the greatest of their blocks show each burst in the record that has it
/// and in no other, and that one block of each record, as a viewer takes it for a screen, has few
/// of them.
fn assert_bursts(host: &mut Host<Virtual>, n: u64, average: u64, span_ms: u64) {
    let bin = (BURSTS.tone.hz / 20e6 * n as f64) as u64;
    let first = bin - BINS / 2;
    let (shown, skipped) = if n > ALL_BINS_TO {
        (format!("first={first} bins={BINS}"), 0)
    } else {
        ("first=all bins=0".into(), first as usize)
    };
    host.must(&Message::Set(&format!("detector=max {shown}")));
    let records = records(host, n, average, span_ms);
    host.must(&Message::Set("detector=mean first=all bins=0"));
    // Where two blocks overlap, each has half of the window's height, which is its mean.
    let share = BURSTS.samples as f64 / n as f64;
    let least_dbfs = BURSTS.tone.dbfs + 20.0 * share.log10() - 5.0;
    let (mut found, mut empty, mut seen) = (0, 0, 0);
    for Spectrum {
        head, levels_db, ..
    } in &records
    {
        let first = head.first_sample;
        let end = first + (average + 1) * n / 2;
        let near = levels_db.iter().skip(skipped).take(BINS as usize);
        let level = near.copied().fold(f64::MIN, f64::max);
        let shows = level > least_dbfs;
        // Half a burst at an edge lies in the middle of a block of the record beside it.
        let inside = touching(first + n / 2 + BEHIND, end - n / 2);
        let outside = touching(first.saturating_sub(BEHIND), end + BEHIND);
        assert!(shows || inside == 0, "n={n} at {first}: {level} dBFS");
        assert!(!shows || outside > 0, "n={n} at {first}: {level} dBFS");
        found += inside;
        empty += usize::from(!shows);
        seen += usize::from(touching(first, first + n) > 0);
    }
    assert!(
        found >= 4 && empty >= 3,
        "n={n}: {found} bursts, {empty} records without"
    );
    assert!(seen * 2 < found, "n={n}: {seen} of {found} bursts");
}

/// All samples of 20 MS/s in blocks of each length, for so long, with every burst found.
fn assert_carried(image: &[u8], [long_ms, short_ms]: [u64; 2]) -> Host<Virtual> {
    let mut host = board(image, Config::default());
    assert_bursts(&mut host, 4096, 80, long_ms);
    assert_bursts(&mut host, 1024, 128, short_ms);
    // The line carries all bins of the longest blocks 30 times a second.
    records(&mut host, 16384, 80, short_ms);
    assert_bursts(&mut host, 16384, 8, short_ms);
    host
}

#[test]
fn every_sample_of_20_msps_is_in_a_transform() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = assert_carried(&image, [200, 50]);
    // Nine blocks and eight: the last of a record are fewer, and have a plan of their own.
    records(&mut host, 16384, 17, 13);
}

#[test]
#[ignore = "long: cargo xtask soak"]
fn soak_20_msps_for_a_second() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    assert_carried(&image, [1_000, 1_000]);
}

/// The fastest plan is dropped, because V3D hangs when it is proven.
#[test]
fn conservative_plans_carry_5_msps() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = board(&image, Config::default());
    host.must(&Message::Set("rate=5M"));
    host.may_drop_plans = true;
    host.line.pi.hang_v3d();
    let records = records(&mut host, 4096, 64, 100);
    let text = &host.text;
    let dropped = "plan dropped: n=4096 real u8-high x 32, fastest plan: FAILED, it did not end in \
                   time; V3D was restarted; the conservative plan is next";
    assert!(text.contains(dropped), "{text}");
    assert!(records.iter().all(|it| it.head.replaced), "{text}");
}

/// Samples of 20 MS/s that are lost in 20 ms of a stream of 4096 points, by the board's account and
/// by the part's; `None` where the board refuses them, because more than 1 % is missing.
fn lost_of_20_ms(image: &[u8], config: Config) -> Option<[u64; 2]> {
    let mut host = board(image, config);
    host.line.expect_message("smi-pause");
    host.must(&Message::Set("n=4096 avg=32 bins=16"));
    if host.ask(&Message::Start).header.kind != Kind::ACK {
        return None;
    }
    // Plans are made first.
    host.spectra(40);
    let missed = host.line.pi.smi_missed();
    let spectra = host.spectra(20);
    let counted = spectra.last()?.head.counters.overruns;
    Some([counted, host.line.pi.smi_missed() - missed])
}

/// The delay of each write of DMA at which the first sample is lost, by the depth of SMI's FIFO:
/// the table in docs/what-a-number-means.md.
#[test]
#[ignore = "long: cargo xtask soak"]
fn soak_slow_writes_at_20_msps() {
    const STEP_NS: u32 = 10;
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    for fifo_words in [8, 16, 64] {
        let lost = |delay_ns, waits| {
            let config = Config {
                smi_fifo_words: fifo_words,
                dma_write_delay_ns: delay_ns,
                dma_waits_for_sdram: waits,
                ..Config::default()
            };
            lost_of_20_ms(&image, config)
        };
        let is_lost = |delay_ns: &u32| lost(*delay_ns, false) != Some([0, 0]);
        let first_ns = (0..=200).step_by(STEP_NS as usize).find(is_lost);
        println!(
            "{fifo_words} words: the first sample is lost at {first_ns:?} ns; with waits for SDRAM {:?} of 400,000 are \
             counted and missing",
            lost(0, true)
        );
    }
}

/// Holds that records follow each other, but for samples that are counted; returns how many.
fn lost(records: &[Spectrum], step: u64, overlap: u64) -> u64 {
    let mut lost = 0;
    for pair in records.windows(2) {
        let [before, after] = [&pair[0].head, &pair[1].head];
        let numbers = u64::from(after.record - before.record);
        let hole = after.first_sample - before.first_sample - numbers * step;
        let counted = after.counters.overruns - before.counters.overruns;
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
