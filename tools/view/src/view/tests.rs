//! Synthetic records through the view.

use ::tests::mutate::Random;
use wire::{
    Averaging, Clocks, Counters, Dc, Detector, Domain, Encoding, Engine, Name, Source, Unit, Window,
};

use super::*;
use crate::markers::Towards;

/// The noise of every bin beside a tone of power 1.
const NOISE: f64 = 1e-9;

/// A board that sends records: the descriptor, and the head of the next record.
pub(super) struct Board {
    pub(super) descriptor: Descriptor,
    pub(super) head: RecordHead,
    pub(super) tones: Vec<(f64, f64)>,
    random: Random,
}

impl Board {
    /// Real samples at 48 kHz, records of 16 blocks of 4096 that overlap by half.
    pub(super) fn new() -> Self {
        let n = 4096;
        let descriptor = Descriptor {
            id: 1,
            rate: Rate::hz(48_000),
            n,
            domain: Domain::Real,
            window: Window::Hann,
            enbw_bins: 1.5,
            coherent_gain: 0.5,
            overlap: n / 2,
            averaging: Averaging::Linear,
            average_count: 16,
            first_bin: 0,
            bins: n / 2 + 1,
            centre_hz: 0.0,
            unit: Unit::Dbfs,
            encoding: Encoding::F32,
            scale: 1.0,
            offset: 0.0,
            source: Source::Generator,
            engine: Engine::Qpu,
            board_revision: 0x10,
            clocks: Clocks::default(),
            firmware: Name::new("0.1.0"),
            board: Name::new("Raspberry Pi 1"),
            detector: Detector::Mean,
            dc: Dc::Keep,
            rate_within_hz: 0.0,
            exponential: 0,
        };
        let head = RecordHead {
            record: 0,
            total: n / 2 + 1,
            descriptor: 1,
            encoding: Encoding::F32,
            engine: Engine::Qpu,
            fallback: false,
            replaced: false,
            doubt: None,
            duty_ppm: None,
            blocks: 16,
            first_sample: 0,
            counters: Counters::default(),
        };
        Self {
            descriptor,
            head,
            tones: vec![(6_000.0, 0.25)],
            random: Random::new(::tests::seed()),
        }
    }

    /// Another length; complex samples have all bins.
    fn with_length(n: u32, domain: Domain) -> Self {
        let mut board = Self::new();
        let is_complex = domain == Domain::Complex;
        board.descriptor.n = n;
        board.descriptor.domain = domain;
        board.descriptor.overlap = n / 2;
        board.descriptor.bins = if is_complex { n } else { n / 2 + 1 };
        board.descriptor.first_bin = if is_complex { -(n as i32) / 2 } else { 0 };
        board
    }

    /// Linear powers of the next record: the tones as the window shows them, and noise.
    fn powers(&mut self) -> Vec<f32> {
        let Descriptor { window, n, .. } = self.descriptor;
        let bin_hz = self.descriptor.rate.to_hz() / f64::from(n);
        (0..self.descriptor.bins)
            .map(|index| {
                let bin = f64::from(self.descriptor.first_bin) + f64::from(index);
                let tones = self.tones.iter().map(|&(hz, power)| {
                    let response = window.response(bin - hz / bin_hz);
                    power * response * response
                });
                let grain = 0.5 + self.random.below(1000) as f64 / 1000.0;
                (tones.sum::<f64>() + NOISE * grain) as f32
            })
            .collect()
    }

    /// Sends a record of these powers.
    pub(super) fn send_powers(&mut self, view: &mut View, powers: &[f32]) {
        self.head.total = powers.len() as u32;
        let arrived = Arrived {
            stream: 0,
            head: self.head,
            missing: 0,
            values: &mut powers.iter().map(|&power| Value::Power(power)),
        };
        view.push(arrived, &self.descriptor);
        self.skip(1);
    }

    /// Sends records.
    pub(super) fn send(&mut self, view: &mut View, records: u32) {
        for _ in 0..records {
            let mut powers = self.powers();
            if self.descriptor.detector == Detector::MeanMax {
                powers.extend_from_within(..);
                let second = powers.len() / 2;
                powers[second..].iter_mut().for_each(|power| *power *= 8.0);
            }
            self.send_powers(view, &powers);
        }
    }

    /// Records that never come.
    fn skip(&mut self, records: u32) {
        let hop = self.descriptor.n - self.descriptor.overlap;
        self.head.record += records;
        self.head.first_sample += u64::from(records) * u64::from(hop * self.head.blocks);
    }
}

/// A view after so many records.
fn after(records: u32) -> (View, Board) {
    let (mut view, mut board) = (View::default(), Board::new());
    board.send(&mut view, records);
    (view, board)
}

/// Seconds from one record of [`Board::new`] to the next.
const DISTANCE_S: f64 = 16.0 * 2048.0 / 48_000.0;

#[test]
fn a_tone_between_bins_is_found_within_a_tenth_of_a_bin_and_of_a_db() {
    for (hz, power) in [(6_000.0, 0.25), (7_003.7, 1.0), (15_555.5, 1e-4)] {
        for window in [Window::Hann, Window::BlackmanHarris, Window::FlatTop] {
            let (mut view, mut board) = (View::default(), Board::new());
            board.tones = vec![(hz, power)];
            board.descriptor.window = window;
            board.send(&mut view, 3);
            let peak = view.peaks(5)[0];
            let bins = (peak.hz - hz).abs() / view.bin_hz().expect("bins");
            let db = (peak.level_db - decibels(power)).abs();
            assert!(
                bins < 0.1 && db < 0.1,
                "{hz} {window}: {bins} bins, {db} dB"
            );
            // A marker on it reads the same.
            view.add_marker(hz + 5.0, 20.0);
            let reading = view.readings()[0];
            assert!(
                reading.is_peak && (reading.hz - hz).abs() < 1.2,
                "{reading:?}"
            );
            assert!((reading.level_db - decibels(power)).abs() < 0.1);
        }
    }
}

#[test]
fn markers_move_from_peak_to_peak_and_say_the_difference() {
    let (mut view, mut board) = (View::default(), Board::new());
    board.tones = vec![(3_000.0, 0.01), (6_000.0, 1.0), (9_003.0, 0.1)];
    board.send(&mut view, 2);
    view.move_to_peak(Towards::Strongest);
    assert!((view.readings()[0].hz - 6_000.0).abs() < 1.0);
    view.add_marker(8_950.0, 100.0);
    let readings = view.readings();
    let (hz, db) = readings[1].difference.expect("another marker");
    assert!(
        (hz - 3_003.0).abs() < 2.0 && (db + 10.0).abs() < 0.1,
        "{hz} {db}"
    );
    assert!(readings[0].is_reference && readings[0].difference.is_none());
    view.move_to_peak(Towards::Lower);
    view.move_to_peak(Towards::Lower);
    assert!((view.readings()[1].hz - 3_000.0).abs() < 1.0);
    view.move_to_peak(Towards::Lower);
    assert!(
        (view.readings()[1].hz - 3_000.0).abs() < 1.0,
        "there is none below"
    );
    view.move_to_peak(Towards::Higher);
    assert!((view.readings()[1].hz - 6_000.0).abs() < 1.0);
    view.refer_to_marker(2);
    view.remove_marker(2);
    assert!(view.readings()[0].is_reference);
    // Away from any peak it reads its bin.
    view.move_marker(1, 20_000.0, 0.0);
    let reading = view.readings()[0];
    assert!(
        !reading.is_peak && (reading.level_db + 90.0).abs() < 4.0,
        "{reading:?}"
    );
    view.move_marker(1, f64::NAN, 0.0);
    view.nudge_marker(1.0);
    assert!((view.readings()[0].hz - reading.hz - 48_000.0 / 4096.0).abs() < 1e-6);
    view.clear_markers();
    assert!(view.readings().is_empty());
}

#[test]
fn a_paused_picture_stands_while_records_go_on() {
    let (mut view, mut board) = after(20);
    view.pause(true);
    let picture = |view: &View| {
        let pixels = view.lines(view.end_line(), 20, 300);
        (
            view.end_line(),
            view.points(Trace::Live, 300),
            pixels,
            view.generation(),
        )
    };
    let before = picture(&view);
    board.tones = vec![(12_000.0, 1.0)];
    board.send(&mut view, 30);
    assert_eq!(picture(&view), before);
    assert!((view.peaks(1)[0].hz - 6_000.0).abs() < 1.0);
    assert_eq!(view.status().expect("a record").records, 50);
    view.pause(false);
    assert_eq!(view.end_line(), 50);
    assert_ne!(view.generation(), before.3);
    assert!((view.peaks(1)[0].hz - 12_000.0).abs() < 1.0);
}

#[test]
fn holds_are_reset_and_begin_anew_with_other_settings() {
    let (mut view, mut board) = after(1);
    board.tones.clear();
    board.send(&mut view, 4);
    assert_eq!(view.held(), 5);
    let level = |view: &View, trace| view.level_db(trace, 6_000.0).expect("a level");
    assert!((level(&view, Trace::HoldMax) + 6.02).abs() < 0.01);
    // The mean of one record with the tone and four without, in power.
    assert!((level(&view, Trace::HoldMean) + 6.02 + 6.99).abs() < 0.01);
    assert!(level(&view, Trace::HoldMin) < -80.0);
    view.reset_hold();
    board.send(&mut view, 1);
    assert_eq!(view.held(), 1);
    assert!(level(&view, Trace::HoldMax) < -80.0);
    board.descriptor.window = Window::FlatTop;
    board.send(&mut view, 2);
    assert_eq!(
        (view.held(), view.status().expect("status").sections),
        (2, 2)
    );
}

#[test]
fn both_detectors_of_a_record_are_traces() {
    let (mut view, mut board) = (View::default(), Board::new());
    board.descriptor.detector = Detector::MeanMax;
    board.send(&mut view, 2);
    let level = |trace| view.level_db(trace, 6_000.0).expect("a level");
    assert!((level(Trace::Greatest) - level(Trace::Live) - 9.03).abs() < 0.01);
    assert_eq!(level(Trace::HoldMax), level(Trace::Greatest));
    let lines = |view: &View| view.lines(2, 1, 100);
    let greatest = lines(&view);
    view.lock_levels(true);
    view.set_greatest(false);
    assert_ne!(lines(&view), greatest);
}

#[test]
fn samples_and_records_that_are_lost_are_gaps_at_their_time() {
    let (mut view, mut board) = after(10);
    board.skip(5);
    board.head.counters.dropped = 5;
    board.send(&mut view, 10);
    board.skip(2);
    board.head.counters.overruns = 123;
    board.send(&mut view, 1);
    board.skip(3);
    board.send(&mut view, 1);
    let reasons: Vec<Reason> = view.gaps().map(|gap| gap.reason).collect();
    assert_eq!(reasons, [Reason::Dropped, Reason::Overrun, Reason::Line]);
    let gap = view.gaps().next().expect("a gap");
    assert!((gap.to_s - 15.0 * DISTANCE_S).abs() < 1e-9, "{gap:?}");
    let status = view.status().expect("status");
    assert_eq!(
        (status.missing_records, status.gaps, status.records),
        (10, 3, 22)
    );
    // A line for each record that is missing.
    assert_eq!(view.end_line(), 22 + 5 + 2 + 3);
    let pixels = view.lines(15, 1, 64);
    let colours: std::collections::BTreeSet<&[u8]> = pixels.chunks(4).collect();
    assert_eq!(colours.len(), 2, "hatched");
}

#[test]
fn a_very_long_gap_takes_few_lines_and_the_times_stay_true() {
    let (mut view, mut board) = after(20);
    board.skip(1_000_000);
    board.send(&mut view, 10);
    assert!(view.end_line() < 60);
    let marks = view.time_marks(60, 6).expect("marks");
    let words: Vec<&str> = marks.places.iter().map(|(_, words)| &**words).collect();
    // 1,000,020 records of 0.683 s.
    assert!(words[0].starts_with("189:38:"), "{words:?}");
    assert!(
        words.last().is_some_and(|word| *word == "0:00:10"),
        "{words:?}"
    );
}

#[test]
fn regular_drops_are_the_usual_distance_and_no_gaps() {
    let (mut view, mut board) = after(1);
    for _ in 0..30 {
        board.skip(3);
        board.send(&mut view, 1);
    }
    assert_eq!(view.gaps().count(), 0);
    assert_eq!(view.status().expect("status").missing_records, 90);
}

#[test]
fn a_line_that_was_down_leaves_a_gap_and_a_restarted_board_a_section() {
    let (mut view, mut board) = after(10);
    view.line_was_down();
    board.skip(7);
    board.send(&mut view, 5);
    assert_eq!(
        view.gaps().map(|gap| gap.reason).collect::<Vec<_>>(),
        [Reason::Line]
    );
    assert_eq!(view.status().expect("status").sections, 1);
    let mut again = Board::new();
    again.send(&mut view, 5);
    assert_eq!(view.status().expect("status").sections, 2);
    assert_eq!(view.held(), 20, "its spectra are of the same kind");
    view.line_was_down();
    Board::new().send(&mut view, 5);
    assert_eq!(view.held(), 5, "it may be another board");
}

#[test]
fn other_lengths_rates_and_domains_begin_sections_that_are_drawn_by_frequency() {
    let mut view = View::default();
    let mut boards = [
        Board::new(),
        Board::with_length(1024, Domain::Real),
        Board::with_length(1024, Domain::Complex),
        Board::new(),
    ];
    boards[3].descriptor.rate = Rate::hz(96_000);
    for board in &mut boards {
        board.send(&mut view, 5);
    }
    assert_eq!(view.status().expect("status").sections, 4);
    assert_eq!(view.span().map(|span| span.to_hz.round()), Some(48_012.0));
    // The tone of 6 kHz is in the same column of all lines.
    view.set_span(Span {
        from_hz: 3_000.0,
        to_hz: 9_000.0,
    });
    let (end, width) = (view.end_line(), 101);
    let pixels = view.lines(end, end as usize, width);
    let brightest = |line: &[u8]| {
        let sums = line
            .chunks(4)
            .map(|pixel| pixel[..3].iter().map(|&it| u32::from(it)).sum());
        let sums: Vec<u32> = sums.collect();
        let most = sums.iter().max().copied().unwrap_or(0);
        (sums.iter().position(|&sum| sum == most).unwrap_or(0), most)
    };
    let lines: Vec<&[u8]> = pixels.chunks(width * 4).collect();
    for (index, line) in lines.iter().enumerate() {
        if (index % 8) < 5 {
            let (column, _) = brightest(line);
            assert!((49..=51).contains(&column), "line {index}: {column}");
        }
    }
    assert_eq!(lines.len(), 4 * 5 + 3 * BREAK_ROWS as usize);
}

#[test]
fn a_rate_that_is_measured_better_is_the_same_section() {
    let (mut view, mut board) = (View::default(), Board::new());
    board.descriptor.rate_within_hz = 8.0;
    board.send(&mut view, 5);
    (board.descriptor.id, board.descriptor.rate) = (2, Rate::hz(48_003));
    board.descriptor.rate_within_hz = 4.0;
    board.send(&mut view, 5);
    let status = view.status().expect("status");
    assert_eq!((status.sections, status.axis.rate_hz()), (1, 48_003.0));
    assert_eq!(view.gaps().count(), 0);
    board.descriptor.rate = Rate::hz(48_100);
    board.send(&mut view, 5);
    assert_eq!(view.status().expect("status").sections, 2);
}

#[test]
fn a_multiplier_scales_frequency_and_time_exactly() {
    let (mut view, mut board) = (View::default(), Board::new());
    view.set_multiplier(Rate { num: 50, den: 1 });
    board.send(&mut view, 20);
    assert!((view.peaks(1)[0].hz - 300_000.0).abs() < 50.0);
    assert_eq!(view.status().expect("status").axis.rate_hz(), 2_400_000.0);
    board.skip(1);
    board.head.counters.overruns = 1;
    board.send(&mut view, 1);
    let gap = view.gaps().next().expect("a gap");
    assert!(
        (gap.to_s - 21.0 * DISTANCE_S / 50.0).abs() < 1e-9,
        "{gap:?}"
    );
    // An hourly series, played at 50 kS/s.
    let (mut view, mut board) = (View::default(), Board::new());
    board.descriptor.rate = Rate::hz(50_000);
    view.set_multiplier(Rate {
        num: 1,
        den: 3600 * 50_000,
    });
    board.send(&mut view, 1);
    let axis = view.status().expect("status").axis;
    assert_eq!(axis.hz(2048.0), 1.0 / 7200.0);
    assert!(axis.is_slow());
}

#[test]
fn numbers_that_are_none_poison_nothing() {
    let (mut view, mut board) = after(20);
    let (levels, scale) = (view.levels(), view.scale());
    let mut powers = board.powers();
    for (index, power) in powers
        .iter_mut()
        .enumerate()
        .filter(|(index, _)| index % 3 == 0)
    {
        let odd = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0];
        *power = odd[index / 3 % odd.len()];
    }
    board.send_powers(&mut view, &powers);
    board.send_powers(&mut view, &vec![f32::NAN; powers.len()]);
    let near = |a: f64, b: f64, tolerance: f64| (a - b).abs() <= tolerance;
    assert!(near(view.levels().from_db, levels.from_db, 2.0));
    // One of the tone's three bins was lost, which has 6 dB less than the others.
    assert!(near(view.levels().to_db, levels.to_db, 6.1));
    assert_eq!(
        (view.scale().reference_db, view.scale().range_db),
        (scale.reference_db, scale.range_db)
    );
    let hold = view.points(Trace::HoldMean, 500);
    assert!(hold.iter().all(|[_, db]| db.is_finite()));
    assert!(
        view.peaks(5).is_empty(),
        "all bins of the last record were lost"
    );
    board.send(&mut view, 1);
    assert!((view.peaks(1)[0].hz - 6_000.0).abs() < 1.0);
}

#[test]
fn a_record_that_is_none_of_its_descriptor_changes_nothing() {
    let (mut view, mut board) = after(3);
    let powers = board.powers();
    board.send_powers(&mut view, &powers[1..]);
    board.send_powers(&mut view, &[]);
    assert_eq!(view.status().expect("status").records, 3);
    // The same record twice counts once.
    let mut twice = Board::new();
    let mut view = View::default();
    let powers = twice.powers();
    twice.send_powers(&mut view, &powers);
    (twice.head.record, twice.head.first_sample) = (0, 0);
    twice.send_powers(&mut view, &powers);
    assert_eq!(view.status().expect("status").records, 1);
}

#[test]
fn rows_take_bounded_memory() {
    const BYTES: usize = 1 << 20;
    let (mut view, mut board) = (View::new(BYTES), Board::new());
    let powers = board.powers();
    for _ in 0..1000 {
        board.send_powers(&mut view, &powers);
    }
    assert!(view.row_bytes() <= BYTES && view.row_bytes() > BYTES / 2);
    assert!(view.first_line() > 500 && view.end_line() == 1000);
    // Lines that are gone are empty, and the last ones are there.
    let gone = view.lines(10, 5, 8);
    assert!(gone.chunks(4).all(|pixel| pixel == &gone[..4]));
    assert_eq!(view.lines(1000, 3, 8).len(), 3 * 8 * 4);
    assert!(
        view.lines(1000, usize::MAX / 64, 8).is_empty(),
        "no picture is that large"
    );
}

#[test]
fn zoom_keeps_its_place_and_stays_on_the_axis() {
    let (mut view, mut board) = after(2);
    view.zoom(8.0, 0.25);
    let span = view.span().expect("a span");
    assert!((span.at(0.25) - 6_000.0).abs() < 10.0, "{span:?}");
    assert!((span.width_hz() - 24_011.7 / 8.0).abs() < 1.0);
    assert_eq!(view.peaks(3).len(), 1);
    view.pan(100.0);
    let span = view.span().expect("a span");
    assert!((span.to_hz - 24_005.86).abs() < 0.1, "{span:?}");
    assert!(view.peaks(3).is_empty());
    view.zoom(1e9, 0.5);
    assert!(view.span().expect("a span").width_hz() > 40.0);
    view.zoom(f64::NAN, 0.5);
    view.set_span(Span {
        from_hz: 5_000.0,
        to_hz: 7_000.0,
    });
    // Another length keeps the frequencies.
    let mut other = Board::with_length(1024, Domain::Real);
    other.send(&mut view, 2);
    assert_eq!(
        view.span().map(|span| (span.from_hz, span.to_hz)),
        Some((5_000.0, 7_000.0))
    );
    view.show_all();
    board.send(&mut view, 1);
    assert!(view.span().expect("a span").from_hz < 0.0);
}

#[test]
fn lines_are_drawn_once_unless_something_changes() {
    let (mut view, mut board) = after(60);
    let generation = view.generation();
    let first = view.lines(60, 60, 400);
    board.send(&mut view, 10);
    assert_eq!((view.generation(), view.end_line()), (generation, 70));
    assert_eq!(view.lines(60, 60, 400), first);
    view.set_rows_per_line(4);
    assert_eq!(view.end_line(), 17);
    assert_ne!(view.generation(), generation);
    let generation = view.generation();
    view.set_levels(crate::Ends {
        from_db: -80.0,
        to_db: -20.0,
    });
    assert_ne!(view.generation(), generation);
    assert!(view.levels_are_locked());
}

#[test]
fn marks_of_time_are_round_and_count_from_the_first_sample() {
    let (view, _) = after(100);
    let marks = view.time_marks(100, 6).expect("marks");
    assert_eq!(marks.name, "Time (s)");
    let marks = marks.places;
    let words: Vec<&str> = marks.iter().map(|(_, words)| &**words).collect();
    assert_eq!(words, ["60", "45", "30", "15"]);
    for (line, words) in &marks {
        let seconds: f64 = words.parse().expect("seconds");
        let from_s = (99 - line) as f64 * DISTANCE_S;
        assert!(
            (0.0..DISTANCE_S).contains(&(from_s - seconds)),
            "{line} {words}"
        );
    }
}

#[test]
fn the_table_has_the_shown_span_and_every_trace() {
    let (mut view, mut board) = after(3);
    let mut powers = board.powers();
    powers[513] = f32::NAN;
    board.send_powers(&mut view, &powers);
    view.set_span(Span {
        from_hz: 5_990.0,
        to_hz: 6_030.0,
    });
    let table = view.csv().expect("a record");
    let lines: Vec<&str> = table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .collect();
    assert_eq!(
        lines[0],
        "bin,frequency_hz,live_dBFS,hold_max_dBFS,hold_min_dBFS,hold_mean_dBFS"
    );
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("512,6000,-6.0206,-6.02")),
        "{lines:?}"
    );
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("513,6011.71875,,")),
        "{lines:?}"
    );
    assert!(lines.len() >= 4 && lines.len() <= 6, "{lines:?}");
    assert!(table.contains("window hann (ENBW 1.5000 bins)"), "{table}");
}

#[test]
fn an_empty_view_has_nothing_and_survives_every_command() {
    let mut view = View::default();
    view.pause(true);
    view.zoom(2.0, 0.5);
    view.pan(1.0);
    view.move_to_peak(Towards::Strongest);
    view.nudge_marker(1.0);
    view.reset_hold();
    view.follow_levels();
    view.line_was_down();
    view.set_rows_per_line(0);
    assert!(!view.is_paused());
    assert!(view.points(Trace::Live, 100).is_empty() && view.peaks(3).is_empty());
    assert!(view.lines(5, 5, 5).is_empty() && view.time_marks(5, 5).is_none());
    assert!(view.csv().is_none() && view.status().is_none() && view.span().is_none());
    assert!(view.frequency_marks(5).is_none() && view.level_marks(5).is_none());
    assert_eq!(view.legend(16).len(), 64);
}
