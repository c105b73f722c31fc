//! Pictures out, and a user's commands.

use wire::{Domain, Window};

use super::*;
use crate::markers::Towards;

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
    view.markers.refer(2);
    view.markers.remove(2);
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
    view.markers.clear();
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
    // The waterfall shows the greatest: as a view of records that have nothing else.
    let (mut other, mut single) = (View::default(), Board::new());
    let powers = board.powers();
    let greatest: Vec<f32> = powers.iter().map(|power| 8.0 * power).collect();
    board.send_powers(&mut view, &[&powers[..], &greatest].concat());
    single.send_powers(&mut other, &greatest);
    for view in [&mut view, &mut other] {
        view.set_levels(crate::Ends {
            from_db: -100.0,
            to_db: 0.0,
        });
    }
    assert_eq!(view.lines(3, 1, 100), other.lines(1, 1, 100));
}

#[test]
fn zoom_does_not_change_which_peaks_are_listed() {
    let (mut view, mut board) = (View::default(), Board::new());
    // Strong tones below, and a weak one beside the foot of a wide signal.
    board.tones = (1..=8).map(|k| (f64::from(k) * 1_000.0, 1.0)).collect();
    board.tones.push((20_000.0, 1e-7));
    board
        .tones
        .extend((10..60).map(|k| (20_000.0 + f64::from(k) * 11.71875, 1e-6)));
    board.send(&mut view, 1);
    let all = view.peaks(usize::MAX);
    assert!(
        all.iter().any(|peak| (peak.hz - 20_000.0).abs() < 2.0),
        "{all:?}"
    );
    for centre_hz in [3_500.0, 8_000.0, 20_000.0, 20_400.0] {
        for width_hz in [50.0, 120.0, 300.0, 900.0, 8_000.0] {
            let (from_hz, to_hz) = (centre_hz - width_hz / 2.0, centre_hz + width_hz / 2.0);
            view.set_span(Span { from_hz, to_hz });
            let wanted = all
                .iter()
                .filter(|peak| (from_hz..=to_hz).contains(&peak.hz));
            let wanted: Vec<_> = wanted.take(3).copied().collect();
            assert_eq!(view.peaks(3), wanted, "{width_hz} Hz around {centre_hz} Hz");
        }
    }
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
    assert!(view.levels.is_locked);
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
