//! `plot`: a spectrum as 20 lines of text, for people who have a terminal and nothing else.
//!
//! A title, 17 rows of levels, an axis, and frequencies under it; no line is longer than 79
//! characters. A column stands for several bins, or for a part of one, and shows the greatest of
//! them. A row has a mark where the column reaches the level written in front of it: of two
//! detectors `#` where the first does, and `.` where only the second does.

use core::fmt::{self, Write};

use dsp::level;
use wire::{Descriptor, RecordHead};

use super::settings::rounded;

/// Rows of levels.
const ROWS: i32 = 17;
/// Columns: five times the width of a frequency under the axis.
const COLUMNS: usize = 5 * TICK;
/// Columns from one frequency to the next.
const TICK: usize = 14;
/// Decibels from one row to the next that are chosen from.
const STEPS: [i32; 6] = [1, 2, 3, 5, 6, 10];
/// Stands for power 0, for which no row is made; the least f32 is -448 dB.
const LOWEST_DB: f64 = -500.0;
/// More than any level of an f32.
const HIGHEST_DB: f64 = 400.0;
/// Units of frequency, with their size in millionths of a hertz.
const UNITS: [(&str, f64); 6] = [
    ("GHz", 1e15),
    ("MHz", 1e12),
    ("kHz", 1e9),
    ("Hz", 1e6),
    ("mHz", 1e3),
    ("uHz", 1.0),
];

/// Draws the bins of a record, in order of frequency: those of its detector and, where there are
/// any, those of its second.
pub(super) fn draw(
    [power, second]: [&[f32]; 2],
    head: &RecordHead,
    descriptor: &Descriptor,
    out: &mut impl Write,
) -> fmt::Result {
    let levels = [power, second].map(columns);
    let (top, step) = scale(levels.as_flattened());
    write!(
        out,
        "spectrum {}: n={}, {} blocks, {}; greatest bins, in {}\r\n",
        head.record,
        descriptor.n,
        head.blocks,
        head.engine.name(),
        descriptor.unit.name()
    )?;
    for row in 0..ROWS {
        let level = top - row * step;
        write!(out, "{level:>5} |")?;
        let reached = |db: f64| db >= f64::from(level);
        let mark = |column: usize| match [levels[0][column], levels[1][column]].map(reached) {
            [true, _] => '#',
            [false, true] => '.',
            [false, false] => ' ',
        };
        let end = (0..COLUMNS).rposition(|column| mark(column) != ' ');
        let end = end.map_or(0, |last| last + 1);
        (0..end).try_for_each(|column| out.write_char(mark(column)))?;
        out.write_str("\r\n")?;
    }
    out.write_str("       ")?;
    for column in 0..COLUMNS {
        out.write_char(if column % TICK == 0 { '+' } else { '-' })?;
    }
    out.write_str("\r\n       ")?;
    write_frequencies(power.len(), descriptor, out)?;
    out.write_str("\r\n")
}

/// Bins that a column stands for; at least one.
fn bins_of(column: usize, bins: usize) -> core::ops::Range<usize> {
    let first = column * bins / COLUMNS;
    first..((column + 1) * bins / COLUMNS).max(first + 1)
}

/// The greatest level of each column.
fn columns(power: &[f32]) -> [f64; COLUMNS] {
    core::array::from_fn(|column| {
        let bins = power.get(bins_of(column, power.len())).unwrap_or(&[]);
        let greatest = bins.iter().copied().fold(0.0, f32::max);
        level::decibels(greatest).clamp(LOWEST_DB, HIGHEST_DB)
    })
}

/// The level of the highest row and the step to the next: the finest that shows every level, or the
/// coarsest.
fn scale(levels: &[f64]) -> (i32, i32) {
    let seen = || levels.iter().copied().filter(|db| *db > LOWEST_DB);
    let highest = libm::floor(seen().fold(LOWEST_DB, f64::max)) as i32;
    let lowest = libm::floor(seen().fold(HIGHEST_DB, f64::min)) as i32;
    if highest < lowest {
        return (0, 1);
    }
    let top = |step: i32| highest.div_euclid(step) * step;
    let shows_all = |step: &i32| top(*step) - (ROWS - 1) * step <= lowest;
    let step = STEPS.into_iter().find(shows_all);
    let step = step.unwrap_or(STEPS[STEPS.len() - 1]);
    (top(step), step)
}

/// Writes the frequency of every column that has a mark on the axis, then the unit.
fn write_frequencies(bins: usize, descriptor: &Descriptor, out: &mut impl Write) -> fmt::Result {
    let frequency = |bin: usize| descriptor.frequency_hz(bin as u32) * 1e6;
    let last = frequency(bins.saturating_sub(1));
    let greatest = libm::fabs(frequency(0)).max(libm::fabs(last));
    let unit = UNITS.into_iter().find(|(_, size)| greatest >= *size);
    let (name, size) = unit.unwrap_or(UNITS[UNITS.len() - 1]);
    for column in (0..COLUMNS).step_by(TICK) {
        let mut number = heapless::String::<TICK>::new();
        let value = frequency(bins_of(column, bins).start) / size;
        let _ = write!(number, "{}", rounded(value, 3));
        let last = column + TICK == COLUMNS;
        write!(out, "{number:<width$}", width = if last { 0 } else { TICK })?;
    }
    write!(out, " {name}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::EngineKind;
    use wire::{
        Averaging, Clocks, Counters, Dc, Detector, Domain, Encoding, Name, Rate, Source, Unit,
        Window,
    };

    fn descriptor(n: u32, first_bin: i32, bins: u32, rate: Rate, centre_hz: f64) -> Descriptor {
        Descriptor {
            id: 1,
            rate,
            n,
            domain: Domain::Real,
            window: Window::Hann,
            enbw_bins: 1.5,
            coherent_gain: 0.5,
            overlap: 0,
            averaging: Averaging::Linear,
            average_count: 16,
            first_bin,
            bins,
            centre_hz,
            unit: Unit::Dbfs,
            encoding: Encoding::U16,
            scale: 0.01,
            offset: -500.0,
            source: Source::Generator,
            engine: EngineKind::Cpu,
            board_revision: 0,
            clocks: Clocks::default(),
            firmware: Name::new(""),
            board: Name::new(""),
            detector: Detector::Mean,
            dc: Dc::Keep,
            rate_within_hz: 0.0,
            exponential: 0,
        }
    }

    fn drawn(power: &[f32], descriptor: &Descriptor, record: u32) -> Vec<String> {
        let head = RecordHead {
            record,
            total: power.len() as u32,
            descriptor: 1,
            encoding: Encoding::U16,
            engine: EngineKind::Cpu,
            fallback: false,
            replaced: false,
            doubt: None,
            duty_ppm: None,
            blocks: record,
            first_sample: 0,
            counters: Counters::default(),
        };
        let mut text = heapless::String::<2048>::new();
        draw([power, &[]], &head, descriptor, &mut text).expect("there is room");
        assert!(text.ends_with("\r\n"));
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_line_stands_where_its_frequency_is_and_as_high_as_its_level() {
        let mut power = [1.01e-6f32; 513];
        power[128] = 0.25;
        let descriptor = descriptor(1024, 0, 513, Rate::hz(51_200), 0.0);
        let lines = drawn(&power, &descriptor, 16);
        assert_eq!(lines.len(), 20);
        assert_eq!(
            lines[0],
            "spectrum 16: n=1024, 16 blocks, cpu; greatest bins, in dBFS"
        );
        // Bin 128 of 513 is in column 17 of 70.
        assert_eq!(lines[1], format!("  -10 |{:>18}", "#"));
        assert_eq!(lines[10], format!("  -55 |{:>18}", "#"));
        assert_eq!(lines[11], format!("  -60 |{}", "#".repeat(70)));
        assert_eq!(lines[17], format!("  -90 |{}", "#".repeat(70)));
        assert_eq!(lines[18], format!("{:7}{}", "", "+-------------".repeat(5)));
        let frequencies = "0.000         5.100         10.250        15.350        20.500 kHz";
        assert_eq!(lines[19], format!("{:7}{frequencies}", ""));
    }

    #[test]
    fn no_line_is_longer_than_a_terminal_is_wide() {
        let hour = Rate { num: 1, den: 3600 };
        for (power, descriptor) in [
            (vec![1.0], descriptor(16, 0, 1, Rate::hz(1), 0.0)),
            (vec![0.0; 9], descriptor(16, 0, 9, hour, 0.0)),
            (
                vec![f32::MIN_POSITIVE, f32::MAX],
                descriptor(16, -8, 2, hour, -1e15),
            ),
            (
                vec![f32::NAN; 65536],
                descriptor(65536, -32768, 65536, Rate::hz(1), 1e9),
            ),
            (
                vec![f32::INFINITY; 70],
                descriptor(16, 0, 70, Rate::hz(1), 1.0),
            ),
        ] {
            let lines = drawn(&power, &descriptor, u32::MAX);
            assert_eq!(lines.len(), 20);
            for line in lines {
                assert!(line.len() <= 79, "{} characters: {line}", line.len());
            }
        }
    }

    #[test]
    fn few_bins_are_drawn_wide_and_nothing_for_no_power() {
        let descriptor = descriptor(16, 0, 2, Rate::hz(16), 0.0);
        let lines = drawn(&[1.0, 0.5], &descriptor, 0);
        assert_eq!(lines[1], format!("    0 |{}", "#".repeat(35)));
        assert_eq!(lines[5], format!("   -4 |{}", "#".repeat(70)));
        let lines = drawn(&[0.0, 0.0], &descriptor, 0);
        assert!(
            lines[1..18].iter().all(|line| line.ends_with('|')),
            "{lines:?}"
        );
    }
}
