//! `qpu digits`: which bin lies where after decimation in frequency.
//!
//! An index is written in digits, one for each stage and the first stage's on the left; the bin
//! that a transform in place leaves there has the same digits from right to left. Radices are those
//! of the stages, first stage first, and need not be powers of two.
//!
//! The CPU engine also reverses the bits of each digit, so that whatever its stages are, its order
//! is the one of radix 2. Here digits stay whole.

use std::fmt::Write;

use dsp::Radix;
use dsp::reversal::digit_reversed;
use serde_json::json;

use common::failure::{Failure, Result};
use common::quantity::whole;
use common::say;

/// The longest table.
const MAX_POINTS: u32 = 1 << dsp::MAX_LOG2;
/// Lines that are printed at a time.
const LINES: u32 = 4096;

/// Options of `digits`.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
    qpu digits 16 2        bit reversal of four bits\n  \
    qpu digits 32 8,4      a stage of radix 8 and one of radix 4\n  \
    qpu digits 1024 mixed  the stages of the CPU engine's mixed plan")]
pub struct Options {
    /// Points of the transform
    #[arg(value_name = "N", value_parser = whole::<u32>)]
    points: u32,
    /// Radix of every stage; or those of the stages, first stage first (8,8,4); or `mixed`
    #[arg(value_name = "RADIX")]
    radix: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Prints the table.
///
/// # Errors
/// Usage, when the radices do not multiply to the length.
pub fn run(options: &Options) -> Result<()> {
    let radices = radices(options.points, &options.radix)?;
    let bins = || (0..options.points).map(|index| digit_reversed(index, &radices));
    if options.json {
        let own_inverse = radices.iter().eq(radices.iter().rev());
        let object = json!({
            "points": options.points,
            "radices": radices,
            "self_inverse": own_inverse,
            "bins": bins().collect::<Vec<_>>(),
        });
        return say::json(&format!("{object}\n"));
    }
    let width = |text: &str, value: u32| text.len().max(value.to_string().len());
    let index_width = width("index", options.points - 1);
    let digit_width = width("reversed", 0).max(digits(options.points - 1, &radices).len());
    let mut out = format!(
        "{} points, {}\n{:>index_width$}  {:>digit_width$}  {:>digit_width$}  {:>index_width$}\n",
        options.points,
        stages(&radices),
        "index",
        "digits",
        "reversed",
        "bin"
    );
    for (index, bin) in (0..).zip(bins()) {
        let own = digits(index, &radices);
        let reversed = reversed(index, &radices);
        let _ = writeln!(
            out,
            "{index:>index_width$}  {own:>digit_width$}  {reversed:>digit_width$}  {bin:>index_width$}"
        );
        if index % LINES == LINES - 1 {
            say::data(&std::mem::take(&mut out))?;
        }
    }
    say::data(&out)
}

/// "stages of radix 8, 4", or what one point has.
fn stages(radices: &[u32]) -> String {
    match radices {
        [] => "no stage".to_owned(),
        [one] => format!("one stage of radix {one}"),
        many => format!("stages of radix {}", list(many)),
    }
}

/// The radices of the stages that `text` names for a transform of so many points.
///
/// # Errors
/// Usage, with what would be right.
pub fn radices(points: u32, text: &str) -> Result<Vec<u32>> {
    if points == 0 || points > MAX_POINTS {
        return Err(Failure::usage(format!(
            "a transform has 1 to {MAX_POINTS} points, not {points}; choose another N"
        )));
    }
    if text == "mixed" {
        return mixed(points);
    }
    let numbers: Option<Vec<u32>> = text
        .split([',', 'x'])
        .map(|word| word.trim().parse().ok().filter(|radix| *radix >= 2))
        .collect();
    let numbers = numbers.ok_or_else(|| {
        Failure::usage(format!(
            "`{text}` names no radix; give a number from 2 up, those of all stages (8,8,4), or `mixed`"
        ))
    })?;
    if let [radix] = numbers[..] {
        return powers(points, radix);
    }
    let product = numbers
        .iter()
        .try_fold(1u32, |product, radix| product.checked_mul(*radix));
    if product != Some(points) {
        let product = product.map_or("more than 2^32".to_owned(), |product| product.to_string());
        return Err(Failure::usage(format!(
            "the radices {} multiply to {product}, not to {points}; give those of every stage",
            list(&numbers)
        )));
    }
    Ok(numbers)
}

/// `points` as a power of `radix`.
fn powers(points: u32, radix: u32) -> Result<Vec<u32>> {
    let mut left = points;
    let mut stages = vec![];
    while left > 1 && left.is_multiple_of(radix) {
        left /= radix;
        stages.push(radix);
    }
    if left == 1 {
        return Ok(stages);
    }
    let instead = if points.is_power_of_two() {
        format!(
            "use `mixed`, radix 2, or give those of all stages, for example {}",
            {
                let mut all = stages;
                all.push(left);
                if all.len() == 1 && points > 2 {
                    all = vec![2, points / 2];
                }
                list(&all)
            }
        )
    } else {
        "give those of all stages, for example 3,4 for 12 points".to_owned()
    };
    Err(Failure::usage(format!(
        "{points} is not a power of {radix}; {instead}"
    )))
}

/// The stages of the CPU engine's mixed plan.
fn mixed(points: u32) -> Result<Vec<u32>> {
    let plan = points
        .is_power_of_two()
        .then(|| dsp::Plan::new(points.ilog2(), Radix::Mixed).ok())
        .flatten();
    let plan = plan.ok_or_else(|| {
        Failure::usage(format!(
            "{points} is not a power of two, for which alone there is a mixed plan; use {} or {}, or give the radices of all stages",
            1u32 << points.ilog2(),
            2u32 << points.ilog2()
        ))
    })?;
    Ok(plan.log2_radices().iter().map(|bits| 1 << bits).collect())
}

/// Numbers with commas between.
pub fn list(numbers: &[u32]) -> String {
    let words: Vec<_> = numbers.iter().map(u32::to_string).collect();
    words.join(",")
}

/// The digits of an index, the first stage's first; with dots between where one has two figures.
fn digits(index: u32, radices: &[u32]) -> String {
    let mut rest = index;
    let mut words = vec![];
    for radix in radices.iter().rev() {
        words.push((rest % radix).to_string());
        rest /= radix;
    }
    words.reverse();
    let is_wide = radices.iter().any(|radix| *radix > 10);
    words.join(if is_wide { "." } else { "" })
}

/// The digits from right to left.
fn reversed(index: u32, radices: &[u32]) -> String {
    let reversed: Vec<u32> = radices.iter().rev().copied().collect();
    digits(digit_reversed(index, radices), &reversed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_proposed_instead_is_taken() {
        for (points, radix) in [(2, 8), (4, 8), (2, 4), (16, 3), (32, 4), (4_194_304, 8)] {
            let text = powers(points, radix).unwrap_err().to_string();
            let (_, proposal) = text.rsplit_once(' ').unwrap();
            assert!(radices(points, proposal).is_ok(), "{text}");
        }
    }

    #[test]
    fn digits_are_written_as_the_stages_count_them() {
        assert_eq!(digits(11, &[2, 2, 2, 2]), "1011");
        assert_eq!(reversed(11, &[2, 2, 2, 2]), "1101");
        assert_eq!(digits(13, &[8, 4]), "31");
        assert_eq!(reversed(13, &[8, 4]), "13");
        assert_eq!(digits(65, &[16, 8]), "8.1");
        assert_eq!(digits(0, &[]), "");
    }

    #[test]
    fn radices_are_read_in_every_form() {
        assert_eq!(radices(512, "8").unwrap(), [8, 8, 8]);
        assert_eq!(radices(32, "8,4").unwrap(), [8, 4]);
        assert_eq!(radices(4096, "64x64").unwrap(), [64, 64]);
        assert_eq!(radices(1024, "mixed").unwrap(), [4, 4, 8, 8]);
        assert_eq!(radices(12, "3,4").unwrap(), [3, 4]);
        assert!(radices(1, "2").unwrap().is_empty());
        assert_eq!(radices(7, "7").unwrap(), [7]);
    }

    #[test]
    fn what_is_wrong_is_said_with_what_would_be_right() {
        for (points, text, needle) in [
            (
                32,
                "4",
                "32 is not a power of 4; use `mixed`, radix 2, or give those of all stages, for example 4,4,2",
            ),
            (12, "2", "for example 3,4"),
            (8, "3", "for example 2,4"),
            (12, "mixed", "use 8 or 16"),
            (16, "8,4", "multiply to 32, not to 16"),
            (16, "1", "`1` names no radix"),
            (16, "eight", "`eight` names no radix"),
            (16, "", "names no radix"),
            (0, "2", "1 to 4194304 points"),
            (1 << 23, "2", "1 to 4194304 points"),
            (16, "65536,65536", "multiply to more than 2^32"),
        ] {
            let failure = radices(points, text).unwrap_err();
            assert!(failure.message.contains(needle), "{text}: {failure}");
        }
    }
}
