//! A look at all samples of a recording before any is sent.
//!
//! Integers are right as they are. Of floating point numbers a tenth that are huge or none at all
//! show that the file holds something else. A single one that is none would make every bin none.
//! One that seems to mark what is missing is said. Powers have to stay within the range of f32.

use super::missing::{Ends, REMEDY};
use super::{Channel, Format, Recording, Unit};
use common::failure::{Failure, Result};

/// The largest magnitude whose power every length of transform still holds: (65536 x)^2 in f32.
const LARGEST: f64 = 1e13;
/// The smallest: power 140 dB below it is as small as f32 holds.
const SMALLEST: f64 = 1e-12;
/// Beyond this no number is a sample whose full scale is 1.
const FOREIGN: f64 = 1e6;

/// The result of a look at all numbers of a channel.
#[derive(Default)]
struct Findings {
    numbers: u64,
    /// The largest magnitude of those that are finite.
    largest: f64,
    /// Those beyond [`FOREIGN`], and those that are no numbers.
    foreign: u64,
    /// The sample of the first that is not finite.
    not_finite: Option<u64>,
    /// Those that f32 holds only nearly.
    rounded: u64,
    /// The ends of those that are finite.
    ends: Ends,
}

impl Findings {
    fn of(channel: &Channel) -> Result<Self> {
        let mut found = Self::default();
        let parts = channel.samples.format().parts() as u64;
        channel.samples.each(|first, values| {
            found.numbers += values.len() as u64;
            for (at, &value) in (0..).zip(values) {
                if value.is_finite() {
                    found.ends.take(value, first + at / parts);
                    found.largest = found.largest.max(value.abs());
                    found.rounded += u64::from(f64::from(value as f32) != value);
                } else {
                    found.not_finite.get_or_insert(first + at / parts);
                }
                found.foreign += u64::from(value.is_nan() || value.abs() > FOREIGN);
            }
            Ok(())
        })?;
        Ok(found)
    }
}

/// Refuses samples that cannot be transformed, and notes what is lost on the way.
pub fn check(recording: &mut Recording) -> Result<()> {
    let mut largest = 0.0_f64;
    let mut lost = (0, 0);
    let mut marks = vec![];
    for channel in &recording.channels {
        let number = channel.samples.format().number;
        if !number.is_float() && !number.is_finer_than_boards() {
            continue;
        }
        let found = Findings::of(channel)?;
        let has_full_scale = recording.unit == Unit::FullScale;
        if number.is_float() {
            let of = match channel.name.as_str() {
                "" => String::new(),
                name => format!("{name}: "),
            };
            let found = found.ends.marks(has_full_scale);
            marks.extend(found.iter().map(|mark| format!("{of}{mark}")));
        }
        if has_full_scale && number.is_float() {
            refuse_foreign(recording, &found, marks.first())?;
        }
        largest = largest.max(found.largest);
        // Decimal fractions of a table are never exact.
        if has_full_scale && number.is_finer_than_boards() {
            lost = (lost.0 + found.rounded, lost.1 + found.numbers);
        }
    }
    if let Some(mark) = marks.first().filter(|_| largest > LARGEST) {
        return Err(Failure::usage(format!(
            "{}: {mark}, and is too large for a power; {REMEDY}",
            recording.name
        )));
    }
    if largest != 0.0 && !(SMALLEST..=LARGEST).contains(&largest) {
        return Err(Failure::usage(format!(
            "{}: its largest value is {largest:e}, and power is computed for {SMALLEST:e} to {LARGEST:e}; multiply the \
             values by a power of ten, and say so with --unit",
            recording.name
        )));
    }
    if lost.0 > 0 {
        recording.notes.push(format!(
            "{} of {} numbers cut to the 24 significant bits that a board keeps",
            lost.0, lost.1
        ));
    }
    let taken = |mark| format!("{mark}, but was taken as a value; {REMEDY}");
    recording.doubts.extend(marks.into_iter().map(taken));
    Ok(())
}

/// Refuses floating point numbers that are something else.
fn refuse_foreign(recording: &Recording, found: &Findings, mark: Option<&String>) -> Result<()> {
    let name = &recording.name;
    let is_foreign = 10 * found.foreign >= found.numbers && found.foreign > 0;
    if let Some(mark) = mark.filter(|_| is_foreign) {
        return Err(Failure::usage(format!("{name}: {mark}; {REMEDY}")));
    }
    if is_foreign {
        let percent = 100.0 * found.foreign as f64 / found.numbers as f64;
        let remedy = match Format::from_name(&recording.format) {
            Some(_) => format!(
                "give the format that it has with --samples ({})",
                Format::names()
            ),
            None => "save it again".to_owned(),
        };
        return Err(Failure::usage(format!(
            "{name} is hardly {}: {percent:.0} % of its numbers are beyond {FOREIGN:e} or none at all; {remedy}, or \
             scale it to 1",
            recording.format
        )));
    }
    match found.not_finite {
        Some(at) => Err(Failure::usage(format!(
            "{name}: sample {at} is not a finite number; repair the recording or save it as integers"
        ))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Reading, read_bytes};
    use super::*;

    fn read(format: &str, bytes: Vec<u8>) -> Result<Recording> {
        let how = Reading {
            rate: signal::Rate::new(1, 1),
            samples: Format::from_name(format),
            ..Reading::default()
        };
        read_bytes("a.raw", bytes, &how)
    }

    #[test]
    fn other_formats_named_as_floats_are_found_out() {
        let sine = |at: u32| f64::from(at).sin() * 0.3;
        let cu8 = (0..4096).map(|at| (127.5 + 127.5 * sine(at)) as u8);
        let cs16 = (0..4096).flat_map(|at| ((32767.0 * sine(at)) as i16).to_le_bytes());
        let cf32 = (0..4096).flat_map(|at| (sine(at) as f32).to_be_bytes());
        let cf64 = (0..4096).flat_map(|at| sine(at).to_le_bytes());
        for (what, bytes) in [
            ("cu8", cu8.collect::<Vec<u8>>()),
            ("cs16", cs16.collect()),
            ("cf32_be", cf32.collect()),
            ("cf64", cf64.collect()),
        ] {
            let failure = read("cf32", bytes.clone()).expect_err(what).message;
            assert!(
                failure.contains("hardly cf32") && failure.contains("--samples"),
                "{failure}"
            );
            assert!(read(what, bytes).is_ok(), "{what}");
        }
    }

    #[test]
    fn one_number_that_is_none_is_named() {
        let mut bytes: Vec<u8> = (0..80_u8).flat_map(|_| 0.5_f32.to_le_bytes()).collect();
        bytes[40..44].copy_from_slice(&f32::NAN.to_le_bytes());
        let failure = read("cf32", bytes).expect_err("not a number");
        assert!(failure.message.contains("sample 5 is not"), "{failure}");
    }

    #[test]
    fn a_mark_of_missing_values_is_said_or_refused_as_one() {
        let floats = |mark: f32, every: usize| -> Vec<u8> {
            let value = |at: usize| match at % every {
                5 => mark,
                _ => 0.01 * (at % 40) as f32,
            };
            (0..80).flat_map(|at| value(at).to_le_bytes()).collect()
        };
        let doubts = read("f32", floats(-9999.0, 40)).expect("f32").doubts;
        assert_eq!(doubts.len(), 1);
        assert!(
            doubts[0].starts_with("-9999 stands in 2 of 80"),
            "{doubts:?}"
        );
        for every in [8, 40] {
            let failure = read("f32", floats(1e20, every)).expect_err("too large");
            assert!(failure.message.contains("1e20 stands in"), "{failure}");
        }
        assert_eq!(read("f32", floats(0.3, 8)).expect("f32").doubts.len(), 0);
    }

    #[test]
    fn lost_digits_are_said_where_they_are_lost() {
        let number = |x: i32| [x.to_le_bytes(), (1_i32 << 24).to_le_bytes()].concat();
        assert_eq!(read("i32", number(1 << 30)).expect("i32").notes.len(), 0);
        let notes = read("i32", number((1 << 30) + 1)).expect("i32").notes;
        assert_eq!(notes.len(), 1);
        assert!(notes[0].starts_with("1 of 2 numbers cut"), "{notes:?}");
    }
}
