//! `qpuscope read`: spectra out of a live line or of recorded bytes.
//!
//! Text goes to standard error as it comes, spectra to standard output or into files. Whatever does
//! not decode is counted, and a line on which nothing decodes, or nothing comes, is explained while
//! the reader still waits.

mod losses;
mod options;
mod outputs;

use std::time::Duration;

use super::clipped::Clipped;
use common::failure::{Failure, Result};
use common::progress::Progress;
use common::stop::Stop;
use common::{stop, text};
use host::client::{closed, nothing_decodes};
use host::link::{Link, Received};
use host::log::Logs;
use host::spectrum::Spectrum;
use host::stream::{Event, Receiver};
use losses::Losses;
use options::Goal;
use outputs::Outputs;

pub use options::Options;

/// The time that a live line may be silent before that is explained.
const SILENCE: Duration = Duration::from_secs(5);
/// So many bytes without a frame among them are no accident, when there are several pieces of them.
const NOISE_BYTES: u64 = 600;
/// A host that begins in the middle of a frame finds one damaged piece.
const NOISE_PIECES: u64 = 3;
/// So many bytes are no accident in one piece either: the rest of one frame and most of the next.
const LONG_NOISE_BYTES: u64 = 2 * wire::MAX_FRAME as u64;

/// Reads until the end, the count, the time, Ctrl-C, SIGTERM or a hang-up.
///
/// # Errors
/// No device when nothing came, link when nothing decoded, integrity for losses under `--strict`.
pub fn run(options: &Options) -> Result<()> {
    options.check()?;
    let stop = Stop::on_ctrl_c();
    let port = options.port()?;
    let (link, receiver, logs) = stop::blocking(|| options.open(&port))?;
    let wanted = options.wanted();
    let inputs = Options::inputs(&port);
    // A virtual Pi in this process has a time of its own.
    let has_clock = link.is_live() && !port.is_virtual();
    let mut reader = Reader {
        options,
        outputs: Outputs::new(options, &wanted, &inputs, has_clock),
        link,
        receiver,
        logs,
        held: None,
        doubt: None,
        losses: Losses::default(),
        clipped: Clipped::default(),
        idle: false,
        explained: false,
    };
    let read = reader.read_all(&stop, options.progress(&port));
    let closed = reader.outputs.close();
    let concluded = reader.conclude();
    // What broke the line is the better reason, after the counters have been shown.
    read.and(closed).and(concluded)
}

/// Why `--strict` ends with an error although the line is sound.
const LOST_AT_INPUT: &str = "samples were lost at the board's input, and --strict was given; set a lower rate, or see docs/what-a-number-means.md, \"Lost samples\"";

struct Reader<'a> {
    options: &'a Options,
    outputs: Outputs<'a>,
    link: Box<dyn Link>,
    receiver: Receiver,
    logs: Logs,
    /// The values that `--hold` has of the records so far.
    held: Option<Spectrum>,
    /// The last record's warning of results that may be wrong.
    doubt: Option<wire::Doubt>,
    /// Samples lost at the board's input.
    losses: Losses,
    /// Samples at full scale in the records that were read.
    clipped: Clipped,
    /// The board says that it waits for a command.
    idle: bool,
    /// The trouble with the line has been told.
    explained: bool,
}

impl Reader<'_> {
    fn read_all(&mut self, stop: &Stop, mut progress: Option<(Progress, Goal)>) -> Result<()> {
        let started = self.link.now();
        let mut heard = started;
        let mut buffer = [0; 4096];
        let mut events = vec![];
        while !stop.asked() && !self.has_enough() {
            let now = self.link.now();
            let mut wait = Duration::from_millis(200);
            if let Some(limit) = self.options.seconds {
                let left = (started + limit).saturating_sub(now);
                if left.is_zero() {
                    break;
                }
                wait = wait.min(left);
            }
            match self.link.read(&mut buffer, wait)? {
                Received::Bytes(count) => {
                    heard = self.link.now();
                    self.receiver.push(&buffer[..count], &mut events);
                }
                Received::Nothing => {}
                Received::End => {
                    self.receiver.finish(&mut events);
                    self.take(&mut events)?;
                    return self.ended();
                }
            }
            self.take(&mut events)?;
            if let Some((progress, goal)) = &mut progress {
                progress.set(match goal {
                    Goal::Spectra => self.outputs.written,
                    Goal::Seconds => (self.link.now() - started).as_secs(),
                    Goal::Bytes => self.receiver.health().bytes,
                });
            }
            self.explain(self.link.now().saturating_sub(heard));
        }
        Ok(())
    }

    /// A recording ends; a line that does so was cut.
    fn ended(&self) -> Result<()> {
        if !self.link.is_live() || self.has_enough() {
            return Ok(());
        }
        Err(closed(&*self.link))
    }

    fn has_enough(&self) -> bool {
        self.options
            .count
            .is_some_and(|count| self.outputs.written >= count)
    }

    fn take(&mut self, events: &mut Vec<Event>) -> Result<()> {
        for event in events.drain(..) {
            match event {
                Event::Text(text) if !self.options.line.quiet => {
                    common::say::note(&text.replace('\r', ""))
                }
                Event::Log(bytes) => self.logs.show(&bytes),
                Event::Fault { code, text } => {
                    common::say::remark!("the firmware reports a fault: {}", text::sentence(&text));
                    if code == wire::Fault::SAMPLES_LOST && self.options.strict {
                        return Err(Failure::integrity(LOST_AT_INPUT));
                    }
                }
                Event::Status(status) => {
                    self.idle = status.state == wire::State::Idle;
                    if !self.idle {
                        let wire::Counters {
                            overruns, left_out, ..
                        } = status.counters;
                        // Of a stream that this command began, all losses are its own.
                        let is_own = self.options.begins_stream();
                        self.losses.note(overruns, left_out, is_own);
                    }
                }
                Event::Spectrum(mut spectrum, missing) if !self.has_enough() => {
                    if missing > 0 {
                        common::say::remark!(
                            "spectrum {}: {missing} values were lost on the line",
                            spectrum.record
                        );
                    }
                    if spectrum.doubt != self.doubt
                        && let Some(doubts) = spectrum.doubts()
                    {
                        common::say::remark!("{doubts}");
                    }
                    self.doubt = spectrum.doubt;
                    let totals = spectrum.totals;
                    let is_first = spectrum.record == 0;
                    let (overruns, left_out) = (totals.overruns, totals.left_out);
                    self.losses.note(overruns, left_out, is_first);
                    self.clipped.take(spectrum.counters.clipped);
                    if let Some(trace) = self.options.trace {
                        *spectrum = spectrum.with_trace(trace);
                    }
                    if let Some(hold) = self.options.hold {
                        spectrum.hold(hold, self.held.as_ref());
                        self.held = Some(*spectrum.clone());
                    }
                    self.outputs.give(&spectrum)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Says once what is wrong with a line on which nothing useful comes.
    fn explain(&mut self, silent: Duration) {
        let noise = self.is_noise();
        // An idle board is not silent: its heartbeat says so.
        if !self.explained && self.link.is_live() && (noise || self.idle || silent >= SILENCE) {
            self.explained = true;
            let text = if noise {
                nothing_decodes(&*self.link, &self.receiver)
            } else if self.idle {
                format!(
                    "the board at {} waits for a command, as after every host that has spoken to it: use --start",
                    self.link.description()
                )
            } else {
                self.nothing_comes()
            };
            common::say::remark!("{text} (still waiting; Ctrl-C ends)");
        }
    }

    /// Returns whether what came so far cannot be a stream of frames.
    fn is_noise(&self) -> bool {
        let health = self.receiver.health();
        let bytes = health.lost_bytes + self.receiver.pending();
        let pieces = self.receiver.damaged();
        health.frames == 0
            && (bytes >= LONG_NOISE_BYTES || (bytes >= NOISE_BYTES && pieces >= NOISE_PIECES))
    }

    fn nothing_comes(&self) -> String {
        let description = self.link.description();
        if !self.link.is_live() {
            return format!("{description} is empty; record again, or name a live port");
        }
        if self.receiver.health().frames > 0 {
            return format!(
                "nothing comes from {description} any more; an instrument that a host has spoken to waits for a \
                 command: use --start, or check the cable"
            );
        }
        format!(
            "nothing comes from {description}; is the board on, its TX wired to the adapter's RX, ground to ground? An \
             instrument that a host has spoken to waits for a command: use --start"
        )
    }

    fn conclude(&self) -> Result<()> {
        let health = self.receiver.health();
        common::say::remark!("{health}");
        if health.unexplained_spectra > 0 {
            common::say::remark!(
                "{} spectra came without the descriptor that explains them; it is repeated once a second: read for longer",
                health.unexplained_spectra
            );
        }
        if let Some(remark) = self.logs.remark() {
            common::say::remark!("{remark}");
        }
        if let Some(remark) = self.losses.remark() {
            common::say::remark!("{remark}");
        }
        if let Some(remark) = self.clipped.remark() {
            common::say::remark!(
                "{remark}; if the signal was cut off there, lower the level at the input"
            );
        }
        if health.bytes == 0 {
            return Err(Failure::no_device(self.nothing_comes()));
        }
        if health.frames == 0 {
            return Err(Failure::link(nothing_decodes(&*self.link, &self.receiver)));
        }
        if self.options.strict && health.is_lossy() {
            return Err(Failure::integrity(
                "something was lost on the line, and --strict was given; lower --baud or use a shorter cable",
            ));
        }
        if self.options.strict && self.losses.remark().is_some() {
            return Err(Failure::integrity(LOST_AT_INPUT));
        }
        if let Some(count) = self
            .options
            .count
            .filter(|&count| self.outputs.written < count)
        {
            return Err(Failure::failed(format!(
                "only {} of {count} spectra came; wait longer, or use --start if the instrument is idle",
                self.outputs.written
            )));
        }
        Ok(())
    }
}
