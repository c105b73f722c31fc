//! `qpuscope fft`: samples to the device, spectra back.
//!
//! The device windows, transforms and averages; here the recording is read, sent, and what comes
//! back is written and drawn. This is also all that `cargo xtask demo` runs.

mod answer;
mod coverage;
mod options;
mod report;
mod transform;
mod values;

use common::failure::{Failure, Result};
use host::input::{self, Recording};
use options::{check, check_folder, reading};
use report::Results;
use transform::transform;

pub use options::Options;

/// Runs the command.
///
/// # Errors
/// Usage for options and recordings, otherwise what the port and the device say.
pub fn run(options: &Options) -> Result<()> {
    let overlap = check(options)?;
    let recording = input::read(options.input(), &reading(options))?;
    common::say::remark!("{}: {}", recording.name, describe(&recording));
    introduce(&recording);
    for channel in &recording.channels {
        if channel.points() < options.n.into() {
            return Err(Failure::usage(format!(
                "{} holds {} samples, fewer than one block of {}; choose a smaller --n",
                recording.name,
                channel.points(),
                options.n
            )));
        }
    }
    check_folder(&options.out)?;
    let mut client = options.port.choice()?.connect()?;
    let wanted = report::wanted(options, &recording);
    let mut results = Results::new(options, &wanted, &recording);
    let mut take = |channel, spectrum| results.take(channel, spectrum);
    let done = transform(options, &mut client, &recording, overlap, &mut take);
    // The next host begins at the first rate, whatever happened to this one.
    let left = client.leave();
    done?;
    left?;
    if let Some(remark) = client.log_remark() {
        common::say::remark!("{remark}");
    }
    let health = client.health();
    if health.is_lossy() {
        common::say::remark!("line: {health}");
    }
    results.finish(&health)
}

fn describe(recording: &Recording) -> String {
    let channel = &recording.channels[0];
    let channels = match recording.channels.len() {
        1 => String::new(),
        count => format!("{count} channels of "),
    };
    let kind = if channel.is_complex() {
        "complex"
    } else {
        "real"
    };
    format!(
        "{}, {channels}{} {kind} samples at {}",
        recording.format,
        channel.points(),
        recording.rate
    )
}

/// Annotations that are shown; JSON has all.
const SHOWN_ANNOTATIONS: usize = 10;

/// Says what the file says of itself, and what was done to it.
fn introduce(recording: &Recording) {
    if let Some(hz) = recording.centre_hz {
        let unused = if recording.is_complex() {
            ""
        } else {
            " (not used: samples are real)"
        };
        common::say::remark!("  centre {hz} Hz{unused}");
    }
    if let Some(start) = recording.start_text() {
        common::say::remark!("  begins {start}");
    }
    for note in recording.notes.iter().chain(&recording.hints) {
        common::say::remark!("  {note}");
    }
    for annotation in recording.annotations.iter().take(SHOWN_ANNOTATIONS) {
        common::say::remark!("  {annotation}");
    }
    let more = recording
        .annotations
        .len()
        .saturating_sub(SHOWN_ANNOTATIONS);
    if more > 0 {
        common::say::remark!("  and {more} more annotations");
    }
}
