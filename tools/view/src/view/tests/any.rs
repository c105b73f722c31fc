//! Any records and commands: nothing panics, and what is given is finite or says that it is lost.

use wire::Domain;

use super::*;
use crate::markers::Towards;

/// Numbers that come from a line or a page and may be anything.
const ODD: [f64; 8] = [
    0.0,
    -1.0,
    0.5,
    24_000.0,
    1e15,
    -1e300,
    f64::NAN,
    f64::INFINITY,
];

fn odd(random: &mut Random) -> f64 {
    ODD[random.below(ODD.len())]
}

/// A descriptor of few bins with odd numbers in it, now and then.
fn any_descriptor(descriptor: &mut Descriptor, random: &mut Random) {
    let sizes = [1, 16, 64, u32::MAX];
    let rates = [1, 48_000, 1_000_003, u64::MAX];
    descriptor.n = sizes[random.below(sizes.len())];
    descriptor.bins = [0, 1, 2, 9, 33][random.below(5)];
    descriptor.first_bin = [0, -16, i32::MIN, i32::MAX][random.below(4)];
    descriptor.overlap = sizes[random.below(sizes.len())];
    descriptor.domain = [Domain::Real, Domain::Complex][random.below(2)];
    descriptor.detector = [Detector::Mean, Detector::MeanMax, Detector::Min][random.below(3)];
    descriptor.window = Window::ALL[random.below(Window::ALL.len())];
    descriptor.rate = Rate {
        num: rates[random.below(rates.len())],
        den: rates[random.below(rates.len())],
    };
    descriptor.centre_hz = odd(random);
    descriptor.enbw_bins = odd(random);
    descriptor.rate_within_hz = odd(random);
}

fn any_record(view: &mut View, board: &mut Board, random: &mut Random) {
    let powers = [0.0, 1e-9, 1.0, f32::MAX, f32::NAN, f32::INFINITY, -1.0];
    let values = board.descriptor.values() as usize + usize::from(random.below(20) == 0);
    let powers: Vec<f32> = (0..values)
        .map(|_| powers[random.below(powers.len())])
        .collect();
    let head = &mut board.head;
    match random.below(8) {
        0 => (head.record, head.first_sample) = (u32::MAX - 1, u64::MAX / 2),
        1 => (head.record, head.first_sample) = (0, 0),
        2 => head.counters.overruns = random.below(5) as u64,
        3 => head.blocks = [0, 1, u32::MAX][random.below(3)],
        _ => {}
    }
    head.record = head.record.saturating_add(1);
    head.first_sample = head
        .first_sample
        .saturating_add(random.below(100_000) as u64);
    let arrived = Arrived {
        stream: random.below(2) as u16,
        head: *head,
        missing: 0,
        values: &mut powers.iter().map(|&power| Value::Power(power)),
    };
    view.push(arrived, &board.descriptor);
}

fn any_command(view: &mut View, random: &mut Random) {
    let (a, b) = (odd(random), odd(random));
    match random.below(16) {
        0 => view.zoom(a, b),
        1 => view.pan(a),
        2 => view.set_span(Span {
            from_hz: a,
            to_hz: b,
        }),
        3 => view.scale.set(a, b),
        4 => view.set_levels(crate::Ends {
            from_db: a,
            to_db: b,
        }),
        5 => view.pause(random.below(2) == 0),
        6 => view.set_rows_per_line(random.below(5) as u32),
        7 => view.set_merge([Merge::Max, Merge::Mean][random.below(2)]),
        8 => view.move_to_peak(Towards::Higher),
        9 => view.nudge_marker(a),
        10 => view.markers.remove(1),
        11 => view.set_multiplier(Rate { num: 1, den: 50 }),
        12 => view.line_was_down(),
        13 => view.show_all(),
        14 => view.reset_hold(),
        _ => {
            view.add_marker(a, b);
        }
    }
}

#[test]
fn any_records_and_commands_are_survived() {
    let mut random = Random::new(::tests::seed());
    let (mut view, mut board) = (View::new(20_000), Board::new());
    for round in 0..400 {
        if random.below(30) == 0 {
            any_descriptor(&mut board.descriptor, &mut random);
        }
        any_record(&mut view, &mut board, &mut random);
        any_command(&mut view, &mut random);
        if round % 10 == 0 {
            for trace in Trace::ALL {
                let points = view.points(trace, 40);
                assert!(points.iter().all(|[x, _]| x.is_finite()), "{round}");
            }
            let lines = view.lines(view.end_line(), 30, 40);
            assert_eq!(lines.len() % (40 * 4), 0);
            let marks = view
                .frequency_marks(6)
                .into_iter()
                .chain(view.level_marks(6));
            assert!(
                marks
                    .map(|marks| marks.places.len())
                    .all(|count| count < 100)
            );
            assert!(
                view.time_marks(30, 5)
                    .is_none_or(|marks| marks.places.len() <= 30)
            );
            let readings = view.readings().len();
            assert!(view.peaks(5).len() <= 5 && readings <= 12);
            let _ = view.csv();
            assert!(view.row_bytes() <= 20_000);
        }
    }
    assert!(view.status().expect("records").records > 20);
}
