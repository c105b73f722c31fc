//! Samples that are lost on the way to memory: the firmware's count beside what the part delivered.
//!
//! DMA is held up for a while, so that the FIFO runs over. The truth is the part's: frames that its
//! clock called for, less those that DMA took. What the firmware may miss is what
//! docs/what-a-number-means.md says, in "Lost samples".

use std::time::Duration;

use crate::host::{Host, Spectrum};
use crate::line::Virtual;
use tests::{NO_KERNEL, need};
use virtual_pi::{
    Config, DmaHold, HoldsAfter, I2sPart, I2sRole, ParallelPart, Signal, SmiLevels, Tone,
};
use wire::{Counters, Kind, Message};

/// Microseconds of the two readings of the timer around DMA's place, and one more.
const UNSURE_US: f64 = 3.0;
/// The part of the rate that a clock may be slow by.
const SLOPE: f64 = 0.1e-6;

/// An input that runs.
#[derive(Clone, Copy, Debug)]
enum Input {
    /// A parallel ADC, and the words of SMI's FIFO.
    Parallel { fifo_words: u32 },
    /// I2S with both slots, clocked by the board or by the ADC.
    I2s { is_master: bool },
}

/// Holds of DMA while samples come at a rate.
#[derive(Clone, Copy, Debug)]
struct Case {
    input: Input,
    rate_hz: u64,
    held_us: f64,
    period_us: f64,
    after: HoldsAfter,
    levels: SmiLevels,
}

impl Case {
    const fn parallel(fifo_words: u32, rate_hz: u64, held_us: f64, period_us: f64) -> Self {
        Self {
            input: Input::Parallel { fifo_words },
            rate_hz,
            held_us,
            period_us,
            after: HoldsAfter::PowerOn,
            levels: SmiLevels::SinceStart,
        }
    }

    const fn i2s(is_master: bool, rate_hz: u64, held_us: f64, period_us: f64) -> Self {
        let case = Self::parallel(16, rate_hz, held_us, period_us);
        Self {
            input: Input::I2s { is_master },
            ..case
        }
    }

    /// The same with holds that begin right behind a look of the firmware, which sees nothing of
    /// them.
    const fn unseen(self) -> Self {
        Self {
            after: HoldsAfter::Look,
            ..self
        }
    }

    const fn with_levels(self, levels: SmiLevels) -> Self {
        Self { levels, ..self }
    }

    /// The frames that one look of the firmware does not see, by the documents.
    fn unseen_frames(&self) -> u64 {
        let held = match self.input {
            // As many as the register could say.
            Input::Parallel { .. } if self.levels == SmiLevels::Zero => 2 * (64 + 1),
            Input::Parallel { fifo_words } => 2 * (fifo_words + 1),
            Input::I2s { .. } => 65_u32.div_ceil(2),
        };
        let unsure = self.rate_hz as f64 * UNSURE_US / 1e6;
        u64::from(held) + unsure as u64 + 1
    }

    fn hold(&self) -> DmaHold {
        let time = |us: f64| Duration::from_nanos((us * 1000.0) as u64);
        let hold = DmaHold::new(time(self.held_us), time(self.period_us));
        hold.expect("shorter than its period").after(self.after)
    }

    fn settings(&self) -> String {
        let rate = self.rate_hz;
        match self.input {
            Input::Parallel { .. } => {
                format!("input=smi rate={rate} n=1024 avg=16 window=flat-top detector=max out=u8")
            }
            Input::I2s { is_master } => {
                let clock = if is_master { "board" } else { "adc" };
                format!("input=i2s channel=iq clock={clock} rate={rate} n=256 avg=4 out=u8")
            }
        }
    }

    fn config(&self) -> Config {
        let tone = Tone {
            hz: self.rate_hz as f64 / 16.0,
            dbfs: -3.0,
        };
        let signal = Signal::Tones {
            tones: vec![tone],
            noise_dbfs: Some(-60.0),
            seed: 43,
        };
        let config = Config {
            revision: Some(0x0010),
            host_baud: 115_200,
            smi_levels: self.levels,
            ..Config::default()
        };
        match self.input {
            Input::Parallel { fifo_words } => Config {
                parallel: Some(ParallelPart::new(signal)),
                smi_fifo_words: fifo_words,
                ..config
            },
            Input::I2s { is_master } => {
                let role = match is_master {
                    true => I2sRole::Slave,
                    false => I2sRole::Master(self.rate_hz, 1),
                };
                Config {
                    i2s: Some(I2sPart::new(role, signal)),
                    ..config
                }
            }
        }
    }
}

/// Frames that DMA has taken, and the time.
fn taken(host: &mut Host<Virtual>, case: &Case) -> (u64, u64) {
    let pi = &mut host.line.pi;
    let frames = match case.input {
        Input::Parallel { .. } => pi.smi_reads().taken,
        Input::I2s { .. } => pi.pcm_words().taken / 2,
    };
    (frames, pi.now_ns())
}

/// The counters of the board's next heartbeat.
fn status(host: &mut Host<Virtual>) -> Counters {
    host.until("status", 3_000, |event| match event {
        crate::host::Event::Frame(reply) if reply.header.kind == Kind::STATUS => {
            match reply.message() {
                Message::Status(status) => Some(status.counters),
                _ => None,
            }
        }
        _ => None,
    })
}

/// What came of a case.
struct Outcome {
    /// Frames that the clock called for and DMA did not take.
    truth: u64,
    counters: Counters,
    records: Vec<Spectrum>,
}

/// Lets samples come for a while, `span_ms` of it with holds.
fn run(image: &[u8], case: &Case, span_ms: u64) -> Outcome {
    let mut line = Virtual::boot(image, case.config());
    // SMI drives its data pins while its FIFO is full.
    line.expect_message("smi-pause");
    let mut host = Host::new(line);
    host.line_with("next:", 10_000);
    host.quiet();
    host.must(&Message::Baud(3_000_000));
    host.collect(20);
    host.line.pi.set_host_baud(3_000_000);
    host.must(&Message::Set(&case.settings()));
    host.must(&Message::Start);
    let first = host.spectrum(2_000);
    assert_eq!(first.head.counters.overruns, 0, "{case:?}");
    let (before, from_ns) = taken(&mut host, case);
    host.line.pi.set_dma_hold(Some(case.hold()));
    let mut records = host.spectra(span_ms);
    host.line.pi.set_dma_hold(None);
    // The last holds are seen.
    records.extend(host.spectra(20));
    let (after, to_ns) = taken(&mut host, case);
    host.must(&Message::Stop);
    let text = host.text.split("next:").last().unwrap_or_default();
    assert!(!text.contains("expected"), "{case:?}: {text}");
    let called_for = (to_ns - from_ns) as f64 * case.rate_hz as f64 / 1e9;
    Outcome {
        truth: (called_for as u64).saturating_sub(after - before),
        counters: status(&mut host),
        records,
    }
}

/// Holds a case to what the documents say; returns how much was lost.
fn assert_counted(image: &[u8], case: &Case, span_ms: u64) -> u64 {
    let Outcome {
        truth,
        counters,
        records,
    } = run(image, case, span_ms);
    let counted = counters.overruns;
    // What the FIFO holds at the two moments of the truth, and what is rounded.
    const EDGES: u64 = 20;
    let slope = SLOPE * case.rate_hz as f64 * span_ms as f64 / 1000.0;
    // The line of an ADC's clock is that of the last seconds, and forgets what each loss left.
    let losses = match case.input {
        Input::I2s { is_master: false } => 1 + (span_ms as f64 * 1000.0 / case.period_us) as u64,
        Input::I2s { .. } | Input::Parallel { .. } => 1,
    };
    let unseen = losses * case.unseen_frames() + EDGES + slope as u64;
    eprintln!(
        "{case:?}: {truth} lost, {counted} counted, {} left out, {} records",
        counters.left_out,
        records.len()
    );
    assert!(
        counted <= truth + EDGES && truth <= counted + unseen,
        "{case:?}: {counted} counted of {truth}, up to {unseen} unseen"
    );
    assert!(counted == 0 || counters.left_out > 0, "{case:?}");
    if matches!(case.input, Input::I2s { .. }) {
        for Spectrum { levels_db, .. } in &records {
            // Left and right are what they were: swapped, they would turn the frequency's sign.
            let [tone, image] = [levels_db[128 + 16], levels_db[128 - 16]];
            assert!(tone > image + 20.0, "{case:?}: {tone}, {image} dBFS");
        }
    }
    let lost_at_a_time = (case.held_us * case.rate_hz as f64 / 1e6) as u64;
    if matches!(case.input, Input::Parallel { .. }) && lost_at_a_time > 2 * unseen {
        for record in &records {
            // Far from the tone, a gap in a block shows as noise.
            let floor = record.levels_db[200..]
                .iter()
                .fold(f64::MIN, |a, b| a.max(*b));
            assert!(
                floor < -45.0,
                "{case:?}: {floor} in record {}",
                record.head.record
            );
        }
    }
    truth
}

#[test]
fn what_a_full_fifo_loses_is_counted() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut lost = vec![];
    for case in [
        // Right behind a look, and at times of its own.
        Case::parallel(16, 20_000_000, 5.0, 1_000.0).unseen(),
        Case::parallel(16, 20_000_000, 9.0, 5_000.0),
        // A FIFO whose level reads 0 when it is full.
        Case::parallel(64, 20_000_000, 12.0, 3_000.0).with_levels(SmiLevels::SinceRead),
        Case::parallel(8, 5_000_000, 60.0, 20_000.0).with_levels(SmiLevels::Zero),
        Case::parallel(16, 1_000_000, 300.0, 40_000.0).unseen(),
    ] {
        lost.push(assert_counted(&image, &case, 60));
    }
    assert!(lost.iter().all(|lost| *lost > 100), "{lost:?}");
}

#[test]
fn frames_of_i2s_are_counted_whoever_gives_the_clock() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut lost = vec![];
    for case in [
        Case::i2s(true, 50_000, 3_000.0, 150_000.0),
        Case::i2s(true, 300_000, 500.0, 80_000.0),
        Case::i2s(false, 48_000, 2_500.0, 180_000.0),
        Case::i2s(false, 384_000, 400.0, 170_000.0),
    ] {
        lost.push(assert_counted(&image, &case, 400));
    }
    assert!(lost.iter().all(|lost| *lost > 100), "{lost:?}");
}

#[test]
fn an_unattended_board_finds_an_adc_that_comes_late_and_one_that_was_away() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let case = Case::i2s(false, 48_000, 1.0, 2.0);
    let config = Config {
        cmdline: "start=1 out=text input=i2s clock=adc rate=auto n=1024 avg=16".into(),
        ..case.config()
    };
    let adc = config.i2s.clone();
    let absent = Config {
        i2s: None,
        ..config
    };
    let mut host = Host::new(Virtual::boot(&image, absent));
    host.line_with("is tried again in 2 s", 5_000);
    host.line.pi.set_i2s(adc.clone());
    host.line_with("16 blocks", 4_000);
    host.line.pi.set_i2s(None);
    host.line_with("the clock stopped", 1_000);
    host.line.pi.set_i2s(adc);
    host.line_with("16 blocks", 9_000);
    // Anything from the host ends it.
    host.quiet();
    assert_eq!(host.ask(&Message::Ping(7)).message(), Message::Pong(7));
    let lost = status(&mut host).overruns;
    // Four seconds of them, at a rate that was known to a few percent.
    assert!((180_000..230_000).contains(&lost), "{lost}: {}", host.text);
}

/// Every rate, depth and reading of the level, with holds of many lengths.
#[test]
#[ignore = "long: cargo xtask soak"]
fn soak_losses() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    for rate_hz in [1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000] {
        let us_a_word = 2e6 / rate_hz as f64;
        for fifo_words in [8, 16, 32, 64] {
            for levels in [SmiLevels::SinceStart, SmiLevels::SinceRead, SmiLevels::Zero] {
                for words in [0.5, 1.2, 2.0, 8.0] {
                    let held_us = words * us_a_word * f64::from(fifo_words);
                    let period_us = 300.0 * held_us;
                    let case = Case::parallel(fifo_words, rate_hz, held_us, period_us);
                    let case = case.with_levels(levels);
                    assert_counted(&image, &case, 100);
                    assert_counted(&image, &case.unseen(), 100);
                }
            }
        }
    }
    for is_master in [true, false] {
        for rate_hz in [25_000, 50_000, 100_000, 300_000, 384_000] {
            if is_master && 300_000 % rate_hz != 0 {
                continue;
            }
            for held_us in [200.0, 1_000.0, 4_000.0] {
                // To begin again takes more than a millisecond, and 1 % is refused.
                let case = Case::i2s(is_master, rate_hz, held_us, 150.0 * (held_us + 2_000.0));
                assert_counted(&image, &case, 1_000);
                assert_counted(&image, &case.unseen(), 1_000);
            }
        }
    }
}
