//! A board with broken silicon ([`v3d_sim::Defect`]), and what must hold of its spectra.
//!
//! A wrong spectrum is one that no record says to be in doubt: of a defect that begins in
//! mid-stream the board finds out later, and then says from which sample on.

use crate::generated::{self, Generated};
use crate::host::{ANSWER_MS, Host, Spectrum};
use crate::line::Virtual;
use reference_fft::Complex;
use std::ops::Range;
use tests::mutate::Random;
use v3d_sim::Defect;
use virtual_pi::{Checks, Config};
use wire::{Domain, Engine, Message, Rate, SampleFormat};

/// Rate of the line, so that spectra take little time.
const BAUD: u32 = 3_000_000;

/// Boots a board with a defect, with its line at the higher rate and nothing streaming.
pub fn boot(image: &[u8], defect: Option<Defect>) -> Host<Virtual> {
    let config = Config {
        v3d_defect: defect,
        checks: Checks {
            // Old code with new uniforms reads and writes anywhere; no mistake of the firmware's.
            bus_address: false,
            cache: false,
            ..Checks::ALL
        },
        ..Config::default()
    };
    let mut line = Virtual::boot(image, config);
    // QPUs that do wrong things break rules.
    line.expect_message("V3D: ");
    let mut host = Host::new(line);
    host.may_drop_plans = true;
    host.line_with("qpuscope", 10_000);
    host.quiet();
    host.must(&Message::Baud(BAUD));
    // Until the board has changed too.
    host.collect(20);
    host.line.pi.set_host_baud(BAUD);
    assert_eq!(host.ask(&Message::Ping(1)).message(), Message::Pong(1));
    host
}

/// Spectra that were right, and those that were wrong and were not called doubtful.
#[derive(Default)]
pub struct Tally {
    generated: Generated,
    /// Records so far.
    pub records: u32,
    /// Records so far that the QPUs computed.
    pub by_qpus: u32,
    /// Samples of a record, and what is wrong.
    wrong: Vec<(Range<usize>, String)>,
    last_is_right: bool,
}

impl Tally {
    /// Takes the next record of the generator.
    fn take(&mut self, record: &Spectrum) {
        let checked = self.generated.check(record);
        self.note(record, checked);
    }

    fn note(&mut self, record: &Spectrum, checked: Result<(), String>) {
        if let Some(doubt) = record.head.doubt {
            self.wrong
                .retain(|(samples, _)| !doubt.concerns(samples.start as u64, samples.len() as u64));
        }
        self.records += 1;
        self.by_qpus += u32::from(record.head.engine == Engine::Qpu);
        self.last_is_right = checked.is_ok();
        if let Err(error) = checked {
            let samples = generated::samples_of(record);
            let is_in_doubt = record
                .head
                .doubt
                .is_some_and(|doubt| doubt.concerns(samples.start as u64, samples.len() as u64));
            if !is_in_doubt {
                self.wrong.push((samples, error));
            }
        }
    }

    /// Holds that no spectrum was wrong without a word, and that the last one was right.
    pub fn assert_right(&self, what: &str) {
        println!(
            "{what}: {} records, {} by the QPUs",
            self.records, self.by_qpus
        );
        let examples: Vec<&str> = self.wrong.iter().map(|(_, error)| error.as_str()).collect();
        assert!(
            examples.is_empty(),
            "{what}: {} of {} spectra are wrong and not in doubt:\n{}",
            examples.len(),
            self.records,
            examples[..examples.len().min(5)].join("\n")
        );
        assert!(
            self.records > 0 && self.last_is_right,
            "{what}: no right spectrum at the end"
        );
    }
}

/// Spectra of the generator with these settings, as long as `goes_on` says of the records and the
/// board so far.
pub fn stream(
    host: &mut Host<Virtual>,
    settings: &str,
    mut goes_on: impl FnMut(&Tally, &mut Host<Virtual>) -> bool,
) -> Tally {
    host.must(&Message::Set(settings));
    host.must(&Message::Start);
    let mut tally = Tally::default();
    while goes_on(&tally, host) {
        tally.take(&host.spectrum(4 * ANSWER_MS));
    }
    host.quiet();
    tally
}

/// Spectra of samples that the host sends, with a plan for each of some lengths, made anew where
/// others have been.
pub fn upload(host: &mut Host<Virtual>) -> Tally {
    let mut random = Random::new(tests::seed());
    let bytes: Vec<u8> = (0..20_000).map(|_| random.below(256) as u8).collect();
    // Unsigned bytes are offset binary, with half a step between zero and the nearest values.
    let samples: Vec<_> = bytes
        .chunks_exact(2)
        .map(|pair| {
            let [re, im] = [pair[0], pair[1]].map(|byte| (f64::from(byte) - 127.5) / 127.5);
            Complex::new(re, im)
        })
        .collect();
    let mut tally = Tally::default();
    for (n, avg) in [
        (4096, "2"),
        (1024, "2"),
        (64, "all"),
        (256, "all"),
        (32, "all"),
        (128, "all"),
    ] {
        host.forget_plans();
        host.must(&Message::Set(&format!(
            "n={n} window=hann overlap=50% avg={avg} out=f32"
        )));
        let rate = Rate { num: 1, den: 1 };
        for record in host.upload(SampleFormat::U8, Domain::Complex, rate, &bytes) {
            let checked = generated::check(&record, &samples[generated::samples_of(&record)]);
            tally.note(&record, checked);
        }
    }
    tally
}
