//! `qpuscope read`: spectra out of a live line or of recorded bytes.
//!
//! Text goes to standard error as it comes, spectra to standard output or into files. Whatever does
//! not decode is counted, and a line on which nothing decodes, or nothing comes, is explained while
//! the reader still waits.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::client::{Client, closed, nothing_decodes};
use crate::command::LineOptions;
use crate::failure::{Failure, Result};
use crate::files::{self, Input};
use crate::lines::{Line, strongest};
use crate::link::{Link, Received};
use crate::log::Logs;
use crate::output::series::{Kind, Series, Wanted, of_record};
use crate::output::{RtlPower, Times};
use crate::picture::Theme;
use crate::picture::waterfall::Merge;
use crate::progress::Progress;
use crate::quantity::{seconds, whole};
use crate::spectrum::{Hold, Spectrum};
use crate::stop::Stop;
use crate::stream::{Event, Receiver};
use crate::utc::Utc;
use crate::{output, say, stop, text};

/// The time that a live line may be silent before that is explained.
const SILENCE: Duration = Duration::from_secs(5);
/// So many bytes without a frame among them are no accident, when there are several pieces of them.
const NOISE_BYTES: u64 = 600;
/// A host that begins in the middle of a frame finds one damaged piece.
const NOISE_PIECES: u64 = 3;
/// So many bytes are no accident in one piece either: the rest of one frame and most of the next.
const LONG_NOISE_BYTES: u64 = 2 * wire::MAX_FRAME as u64;

/// The form in which a spectrum is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Format {
    /// The strongest lines of each, for people
    Table,
    /// One line each: time, settings, and the level of every bin
    Csv,
    /// One JSON object a line each
    Json,
    /// One line of rtl_power each
    #[value(name = "rtl_power")]
    RtlPower,
    /// One binary record of soapy_power each
    #[value(alias = "soapy_power_bin")]
    Sdrff,
    /// An array of all for NumPy, and a description in JSON
    Npy,
    /// A picture of all, with time downwards; of each with --each
    Png,
    /// That picture as shapes
    Svg,
    /// Nothing: only count
    None,
}

/// Options of `read`.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// /dev/ttyUSB0, tcp:HOST:PORT, sim:IMAGE, a file of recorded bytes, or - for standard input
    #[arg(env = "QPUSCOPE_PORT", value_name = "PORT|FILE|-")]
    source: Option<String>,
    /// Source, named as other commands name it
    #[arg(short, long, value_name = "PORT", conflicts_with = "source")]
    port: Option<String>,
    #[command(flatten)]
    line: LineOptions,
    /// Output for each spectrum
    #[arg(short = 'F', long, value_enum, default_value = "table")]
    format: Format,
    /// Short for --format json
    #[arg(long)]
    json: bool,
    /// Folder for files
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
    /// A picture of each spectrum instead of one of all
    #[arg(long)]
    each: bool,
    /// Background of pictures
    #[arg(long, value_enum, default_value = "print")]
    theme: Theme,
    /// Level of spectra and bins that share a point of a picture of all
    #[arg(long, value_enum, default_value = "max")]
    merge: Merge,
    /// Number of strongest lines to list and mark
    #[arg(long, default_value_t = 5, value_parser = whole::<usize>)]
    lines: usize,
    /// End after so many spectra
    #[arg(long, value_parser = count)]
    count: Option<u64>,
    /// End after so many seconds (of a virtual Pi: virtual seconds)
    #[arg(long, value_parser = seconds)]
    seconds: Option<Duration>,
    /// Show the greatest or least of each bin in all records so far, instead of each record
    #[arg(long, value_enum)]
    hold: Option<Hold>,
    /// Change settings first, as key=value words: "n=2048 window=flat-top detector=max"
    #[arg(long, value_name = "WORDS")]
    set: Option<String>,
    /// Tell an instrument that is idle to start
    #[arg(long)]
    start: bool,
    /// Exit status 5 when anything was lost
    #[arg(long)]
    strict: bool,
}

/// A number of spectra, as an option gives it.
fn count(text: &str) -> std::result::Result<u64, String> {
    whole(text).and_then(|count| match count {
        0 => Err("0 spectra are none; give 1 or more".to_owned()),
        count => Ok(count),
    })
}

impl Options {
    fn source(&self) -> Option<&str> {
        self.source.as_deref().or(self.port.as_deref())
    }

    /// The files that spectra go to, if any.
    fn wanted(&self) -> Wanted {
        Wanted {
            folder: self.out.clone(),
            kinds: match self.format {
                Format::Png => vec![Kind::Png],
                Format::Svg => vec![Kind::Svg],
                Format::Npy => vec![Kind::Npy],
                _ => vec![],
            },
            theme: self.theme,
            merge: self.merge,
            each: self.each,
            notes: vec![],
            recorded: None,
        }
    }

    /// The progress of reading, where its end is known.
    fn progress(&self) -> Option<(Progress, Goal)> {
        let of = |total, unit, goal| Some((Progress::new("reading", total, unit), goal));
        if let Some(count) = self.count {
            return of(count, "spectra", Goal::Spectra);
        }
        if let Some(time) = self.seconds {
            return of(time.as_secs(), "s", Goal::Seconds);
        }
        let file = std::fs::metadata(self.source()?).ok()?;
        file.is_file()
            .then(|| of(file.len(), "bytes", Goal::Bytes))?
    }

    /// The files that no output may be.
    fn inputs(&self) -> Vec<Input<'_>> {
        let source = self.source();
        let mut inputs = self.line.inputs(source);
        inputs.extend(source.map(|source| (Path::new(source), "what is read")));
        inputs
    }

    /// Opens what is read; tells a board what to do first, if it is to be told anything.
    fn open(&self) -> Result<(Box<dyn Link>, Receiver, Logs)> {
        let (link, logs) = self.line.open(self.source())?;
        if !self.start && self.set.is_none() {
            return Ok((link, Receiver::default(), logs));
        }
        let mut client = Client::new(link, self.line.baud, logs, self.line.quiet);
        client.hello()?;
        if let Some(words) = &self.set {
            client.set(words)?;
        }
        client.command(&wire::Message::Start)?;
        Ok(client.into_parts())
    }
}

/// Reads until the end, the count, the time, Ctrl-C, SIGTERM or a hang-up.
///
/// # Errors
/// No device when nothing came, link when nothing decoded, integrity for losses under `--strict`.
pub fn run(options: &Options) -> Result<()> {
    let stop = Stop::on_ctrl_c();
    let (link, receiver, logs) = stop::blocking(|| options.open())?;
    let wanted = options.wanted();
    let inputs = options.inputs();
    let mut reader = Reader {
        options,
        wanted: &wanted,
        inputs: &inputs,
        link,
        receiver,
        logs,
        written: 0,
        headings: None,
        held: None,
        clock: None,
        rtl_power: RtlPower::default(),
        series: None,
        count_of_series: 0,
        doubt: None,
        idle: false,
        explained: false,
    };
    let read = reader.read_all(&stop);
    let closed = reader.close_series();
    let concluded = reader.conclude();
    // What broke the line is the better reason, after the counters have been shown.
    read.and(closed).and(concluded)
}

/// A count towards the end of reading.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Goal {
    Spectra,
    Seconds,
    Bytes,
}

struct Reader<'a> {
    options: &'a Options,
    wanted: &'a Wanted,
    inputs: &'a [Input<'a>],
    link: Box<dyn Link>,
    receiver: Receiver,
    logs: Logs,
    /// Spectra given out.
    written: u64,
    /// The headings of the CSV lines given out last.
    headings: Option<String>,
    /// The values that `--hold` has of the records so far.
    held: Option<Spectrum>,
    /// The places of records in time, and the device time of the last one.
    clock: Option<(Times, u64)>,
    rtl_power: RtlPower,
    /// The files of the records that come now.
    series: Option<Series<'a>>,
    count_of_series: usize,
    /// The last record's warning of results that may be wrong.
    doubt: Option<wire::Doubt>,
    /// The board says that it waits for a command.
    idle: bool,
    /// The trouble with the line has been told.
    explained: bool,
}

impl Reader<'_> {
    fn read_all(&mut self, stop: &Stop) -> Result<()> {
        let started = self.link.now();
        let mut heard = started;
        let mut buffer = [0; 4096];
        let mut events = vec![];
        let mut progress = self.options.progress();
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
                    Goal::Spectra => self.written,
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
            .is_some_and(|count| self.written >= count)
    }

    fn take(&mut self, events: &mut Vec<Event>) -> Result<()> {
        for event in events.drain(..) {
            match event {
                Event::Text(text) if !self.options.line.quiet => {
                    crate::say::note(&text.replace('\r', ""))
                }
                Event::Log(bytes) => self.logs.show(&bytes),
                Event::Fault(text) => {
                    crate::say::remark!("the firmware reports a fault: {}", text::sentence(&text))
                }
                Event::Status(status) => self.idle = status.state == wire::State::Idle,
                Event::Spectrum(mut spectrum, missing) if !self.has_enough() => {
                    if missing > 0 {
                        crate::say::remark!(
                            "spectrum {}: {missing} values were lost on the line",
                            spectrum.record
                        );
                    }
                    if spectrum.doubt != self.doubt
                        && let Some(doubts) = spectrum.doubts()
                    {
                        crate::say::remark!("{doubts}");
                    }
                    self.doubt = spectrum.doubt;
                    if let Some(hold) = self.options.hold {
                        spectrum.hold(hold, self.held.as_ref());
                        self.held = Some(*spectrum.clone());
                    }
                    self.give(&spectrum)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn give(&mut self, spectrum: &Spectrum) -> Result<()> {
        self.written += 1;
        let lines = strongest(spectrum, self.options.lines);
        let format = if self.options.json {
            Format::Json
        } else {
            self.options.format
        };
        match format {
            Format::None => Ok(()),
            Format::Json => say::json(&output::json_line(spectrum, &lines)),
            Format::Csv => {
                let headings = output::csv_row_headings(spectrum);
                if self.headings.as_ref() != Some(&headings) {
                    say::data(&headings)?;
                    self.headings = Some(headings);
                }
                say::data(&output::csv_row(spectrum))
            }
            Format::Table => say::data(&format!(
                "{:.3} s, record {}: N = {}, {} window, {}, engine {}\n{}",
                spectrum.device_us as f64 * 1e-6,
                spectrum.record,
                spectrum.n,
                spectrum.window,
                spectrum.made_of(),
                spectrum.engine.name(),
                output::table(spectrum, &lines)
            )),
            Format::RtlPower => {
                let times = self.times(spectrum);
                say::data(&self.rtl_power.line(spectrum, &times))
            }
            Format::Sdrff => {
                let times = self.times(spectrum);
                say::bytes(&output::sdrff(spectrum, &times))
            }
            Format::Png | Format::Svg if self.options.each => self.picture(spectrum, &lines),
            Format::Npy | Format::Png | Format::Svg => self.put(spectrum, &lines),
        }
    }

    /// The places of records in time, from this record on. Of a live line this computer's clock
    /// says when it came; nobody has noted when bytes were recorded, and a virtual Pi has a time of
    /// its own.
    fn times(&mut self, spectrum: &Spectrum) -> Times {
        let device_us = spectrum.device_us;
        let known = self.clock.filter(|(_, last)| device_us >= *last);
        let times = known.map_or_else(
            || {
                let is_virtual = |source: &str| source.starts_with("sim:");
                let has_clock =
                    self.link.is_live() && !self.options.source().is_some_and(is_virtual);
                let now = i64::try_from(device_us).unwrap_or(i64::MAX / 4);
                Times::of_device(has_clock.then(|| Utc::now().after(-now)))
            },
            |(times, _)| times,
        );
        if self.clock.is_none()
            && times.zero().is_none()
            && matches!(self.options.format, Format::RtlPower | Format::Sdrff)
        {
            crate::say::remark!(
                "nobody noted when this was recorded: times count from 1970-01-01, when the board started"
            );
        }
        self.clock = Some((times, device_us));
        times
    }

    /// Writes a record to the files of all.
    fn put(&mut self, spectrum: &Spectrum, lines: &[Line]) -> Result<()> {
        let times = self.times(spectrum);
        if let Some(series) = &mut self.series
            && series.takes(spectrum)
        {
            let done = series.push(spectrum, lines);
            if done.is_err() {
                // A file that cannot be written on is not to look whole.
                self.series = None;
            }
            return done;
        }
        self.close_series()?;
        let out = &self.options.out;
        std::fs::create_dir_all(out).map_err(|error| Failure::writing(out, &error))?;
        self.count_of_series += 1;
        let number = self.count_of_series;
        let series = Series::begin(self.wanted, self.inputs, number, times, spectrum, lines)?;
        self.series = Some(series);
        Ok(())
    }

    /// Gives the files of the records that have come their names, and prints these.
    fn close_series(&mut self) -> Result<()> {
        let Some(series) = self.series.take() else {
            return Ok(());
        };
        for path in series.finish()? {
            say::data(&format!("{}\n", say::path(&path)))?;
        }
        Ok(())
    }

    /// Draws a record by itself.
    fn picture(&self, spectrum: &Spectrum, lines: &[Line]) -> Result<()> {
        let out = &self.options.out;
        std::fs::create_dir_all(out).map_err(|error| Failure::writing(out, &error))?;
        for kind in &self.wanted.kinds {
            if let Some((ending, bytes)) = of_record(self.wanted, *kind, spectrum, lines)? {
                let path = out.join(format!("spectrum-{:04}.{ending}", self.written));
                files::apart(&[&path], self.inputs)?;
                files::output::write(&path, &bytes)?;
                say::data(&format!("{}\n", say::path(&path)))?;
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
            crate::say::remark!("{text} (still waiting; Ctrl-C ends)");
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
        crate::say::remark!("{health}");
        if health.unexplained_spectra > 0 {
            crate::say::remark!(
                "{} spectra came without the descriptor that explains them; it is repeated once a second: read for longer",
                health.unexplained_spectra
            );
        }
        if let Some(remark) = self.logs.remark() {
            crate::say::remark!("{remark}");
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
        if let Some(count) = self.options.count.filter(|&count| self.written < count) {
            return Err(Failure::failed(format!(
                "only {} of {count} spectra came; wait longer, or use --start if the instrument is idle",
                self.written
            )));
        }
        Ok(())
    }
}
