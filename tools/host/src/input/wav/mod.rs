//! WAV recordings: 8, 16, 24 and 32 bits and float, mono or stereo, RIFF, RF64 or BW64.
//!
//! Samples of up to 16 bits travel as i16 (8-bit ones times 256, which is exact), wider integers as
//! i32, and others as f32.

mod auxi;
mod bext;
mod chunks;
mod header;

use super::{Bytes, Channel, Format, Reading, Recording, Samples, Stereo, names, rate_of};
use auxi::Auxi;
use common::failure::{Failure, Result};
use signal::Rate;

/// Returns whether a file begins as WAV files do.
pub fn is_wav(head: &[u8]) -> bool {
    let kinds: [&[u8]; 3] = [b"RIFF", b"RF64", b"BW64"];
    kinds.iter().any(|kind| head.starts_with(kind))
}

/// A file that is called WAV and is none: says what it holds instead.
fn not_a_wav(name: &str, head: &[u8]) -> Failure {
    let hex =
        |bytes: &[u8]| -> String { bytes.iter().map(|byte| format!("{byte:02x} ")).collect() };
    let begins = match is_wav(head) {
        true => format!(
            "holds {}behind \"RIFF\" instead of \"WAVE\"",
            hex(&head[8..12])
        ),
        false => format!(
            "begins with {}instead of \"RIFF\"",
            hex(&head[..head.len().min(4)])
        ),
    };
    Failure::usage(format!(
        "{name} is not a WAV file: it {begins}; convert it first (for example with `ffmpeg -i {name} out.wav`), or name \
         it .iq and give --rate if it is raw 8-bit I/Q"
    ))
}

/// Reads a WAV file.
pub fn read(name: &str, bytes: Bytes, how: &Reading) -> Result<Recording> {
    let head = bytes.some(0, 12)?;
    if !is_wav(&head) || head.len() == 12 && !head.ends_with(b"WAVE") {
        return Err(not_a_wav(name, &head));
    }
    let kind = if head.starts_with(b"RIFF") {
        "WAV"
    } else {
        "RF64 WAV"
    };
    let wav = header::read(name, &bytes)?;
    let mut notes = wav.notes;
    let rate = match (Rate::new(wav.rate.into(), 1), how.rate) {
        (Some(stated), _) => rate_of(how, stated, &mut notes),
        (None, Some(rate)) => rate,
        (None, None) => {
            return Err(Failure::usage(format!(
                "{name} gives a sample rate of 0; set it with --rate HZ"
            )));
        }
    };
    let one = Format::new(wav.number, false);
    let count = wav.frames * u64::from(wav.channels);
    let all = Samples::new(bytes.clone(), one, wav.start, count);
    let pairs = Samples::new(bytes, Format::new(wav.number, true), wav.start, wav.frames);
    let side = |name: &str, channel| Channel {
        name: name.to_owned(),
        samples: all.clone().every_second(channel),
    };
    let channels = match (wav.channels, how.stereo.unwrap_or(Stereo::Both)) {
        (1, Stereo::Iq) => {
            return Err(Failure::usage(format!(
                "{name} has one channel, and I/Q needs two; leave out --stereo iq"
            )));
        }
        (1, _) => vec![Channel::only(all)],
        (2, Stereo::Iq) => vec![Channel::only(pairs)],
        (2, Stereo::Left) => vec![side("left", 0)],
        (2, Stereo::Right) => vec![side("right", 1)],
        (2, Stereo::Both) => vec![side("left", 0), side("right", 1)],
        (count, _) => {
            return Err(Failure::usage(format!(
                "{name} has {count} channels; qpuscope takes one or two: split it first \
                 (for example with `ffmpeg -i {name} -ac 1 out.wav`)"
            )));
        }
    };
    let format = format!("{kind} {}", one.name());
    let mut recording = Recording::new(name, format, rate, channels);
    recording.notes = notes;
    of_receiver(&mut recording, wav.auxi.as_deref(), wav.bext.as_deref());
    if how.stereo.is_none() && wav.channels == 2 && recording.centre_hz.is_some() {
        recording.hints.push(
            "a receiver wrote it, so its two channels are I and Q of one signal; --stereo iq makes one spectrum of both"
                .to_owned(),
        );
    }
    Ok(recording)
}

/// Takes centre and time from the chunk of a receiver or of a broadcaster, or else from the file's
/// name. A time that is not understood is said.
fn of_receiver(recording: &mut Recording, auxi: Option<&[u8]>, bext: Option<&[u8]>) {
    let Auxi {
        centre_hz,
        start,
        no_time,
    } = auxi.map(auxi::read).unwrap_or_default();
    let named = names::of(&recording.name).unwrap_or_default();
    // The chunk has 32 bits for the frequency: above 4.29 GHz the name has all of it.
    let is_same = |named: f64| centre_hz.is_none_or(|hz| named % 2_f64.powi(32) == hz);
    let centre_hz = named.centre_hz.filter(|&hz| is_same(hz)).or(centre_hz);
    recording.centre_hz = centre_hz.filter(|_| !named.is_audio);
    recording.start = start.or(named.start);
    let mut not_understood = |chunk: &str, text: &str| {
        recording.notes.push(format!(
            "the time in its chunk `{chunk}` is not understood and was left out: {text}"
        ));
    };
    if let Some(text) = no_time {
        not_understood("auxi", &text);
    }
    match bext.and_then(bext::read) {
        Some(Err(text)) => not_understood("bext", &text),
        Some(Ok(start)) if recording.start.is_none() => {
            recording.start = Some(start);
            recording.notes.push(
                "the time in its chunk `bext` has no time zone and was taken as UTC".to_owned(),
            );
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests;
