//! Records in: sections, gaps, times, bad numbers, memory.

use signal::Rate;
use wire::Domain;

use super::*;

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
    let (levels, scale) = (view.levels.shown, view.scale);
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
    assert!(near(view.levels.shown.from_db, levels.from_db, 2.0));
    // One of the tone's three bins was lost, which has 6 dB less than the others.
    assert!(near(view.levels.shown.to_db, levels.to_db, 6.1));
    assert_eq!(
        (view.scale.reference_db, view.scale.range_db),
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
