//! Gaps: samples that do not come to the ring, at a port with losses.

use super::*;

const FAST: Wiring = Wiring::Smi { cycles: 5 };
const RATE: u64 = 20_000_000;

/// A capture at 20 MS/s that runs.
fn running(port: &mut FakePort) -> Capture {
    let mut capture = begun(port, FAST, Some(RATE));
    assert_eq!(run(&mut capture, port, 300), Event::Started);
    capture
}

#[test]
fn nothing_is_lost_in_a_day_at_20_msps_with_a_clock_that_is_off_by_a_fraction() {
    for factor in [1.0 - 0.02e-6, 1.0 + 0.02e-6] {
        let mut port = FakePort::new();
        port.factor = factor;
        port.part = |_| [0, 0];
        let mut capture = running(&mut port);
        // Nobody looks at the samples, so none has to be written.
        for _ in 0..86_400_000 / 50 {
            port.now_us += 50_000;
            port.skip_writing();
            let event = capture.step(&mut port);
            assert!(!matches!(event, Event::Failed(_)), "{event:?}");
        }
        assert_eq!((capture.take_lost(), capture.gap()), (0, None), "{factor}");
    }
}

#[test]
fn no_whole_sample_is_on_both_sides_of_a_gap() {
    let mut port = FakePort::new();
    port.part = |_| [0, 0];
    // 66 samples of each millisecond, in the middle of it.
    port.losses = (2..3000).map(|ms| (ms * 20_000 + 7_000, 200)).collect();
    let mut capture = running(&mut port);
    let (mut counted, mut passed) = (0, 0);
    let mut begin = capture.whole_end();
    for _ in 0..1000 {
        port.now_us += 970;
        port.skip_writing();
        let _ = capture.step(&mut port);
        counted += capture.take_lost();
        let truth = port.lost();
        assert!(
            counted <= truth && truth - counted < 100,
            "{counted} of {truth}"
        );
        // All that blocks may have by now is in one piece.
        if let Some(last) = capture
            .whole_end()
            .checked_sub(1)
            .filter(|last| *last > begin)
        {
            let missing = |frame| port.clocked_at(frame) - frame;
            let gap = missing(last) - missing(begin);
            assert!(gap < 100, "{gap} from {begin} to {last}");
        }
        if let Some(gap) = capture.gap() {
            assert!(gap.start <= capture.ring.frames() && gap.end % 64 == 0);
            capture.pass_gap(0);
            passed += 1;
            begin = gap.end;
            // The index in the stream is that of the clock.
            let clocked = port.clocked_at(gap.end);
            let in_stream = gap.end.saturating_add_signed(capture.ahead());
            // The next loss may be under way.
            assert!(clocked.abs_diff(in_stream) < 300, "{clocked} {in_stream}");
        }
    }
    assert!(passed > 900, "{passed}");
}

#[test]
fn an_overrun_is_a_gap_and_the_count_goes_on() {
    for (adc_hz, wiring, expected) in [(Some(50_000.0), SLAVE, None), (None, LEFT, Some(50_000))] {
        let mut port = FakePort::new();
        port.adc_hz = adc_hz;
        port.overruns = vec![100_000, 130_000];
        // The FIFO holds 8 words, and more than that were lost before it was emptied.
        port.losses = vec![(99_800, 200), (129_900, 100)];
        let mut capture = begun(&mut port, wiring, expected);
        assert_eq!(run(&mut capture, &mut port, 400), Event::Started);
        let (mut counted, mut gaps) = (0, 0);
        for _ in 0..4000 {
            let event = run(&mut capture, &mut port, 1);
            assert!(!matches!(event, Event::Failed(_)), "{event:?}");
            counted += capture.take_lost();
            if let Some(gap) = capture.gap() {
                gaps += 1;
                assert!(gap.end <= capture.ring.frames() + 200);
                capture.pass_gap(0);
            }
        }
        let truth = port.lost();
        assert!(truth > 300 && gaps >= 2, "{truth} {gaps}");
        assert!(
            counted <= truth && truth - counted < 40,
            "{counted} of {truth}"
        );
    }
}

#[test]
fn a_fifo_that_runs_over_before_the_rate_is_known_ends_it() {
    let mut port = FakePort::new();
    port.overruns = (1..10_000).map(|number| number * 10).collect();
    let mut capture = begun(&mut port, LEFT, Some(50_000));
    let event = run(&mut capture, &mut port, 400);
    let Event::Failed(trouble) = event else {
        panic!("{event:?}")
    };
    assert!(
        trouble.to_string().contains("runs over again and again"),
        "{trouble}"
    );
}

#[test]
fn what_came_after_an_overrun_is_in_no_block_however_little_was_lost() {
    let mut port = FakePort::new();
    port.held_words = 65;
    port.overruns = vec![100_000];
    // Fewer than the account can see.
    port.losses = vec![(99_997, 3)];
    let mut capture = begun(&mut port, LEFT, Some(50_000));
    assert_eq!(run(&mut capture, &mut port, 400), Event::Started);
    while port.now_us < 1_950_000 {
        run(&mut capture, &mut port, 1);
    }
    let before = capture.whole_end();
    // The look behind the overrun comes late.
    port.now_us += 80_000;
    let _ = capture.step(&mut port);
    assert_eq!(capture.whole_end(), before);
    let gap = capture.gap().expect("a gap");
    assert!(gap.start == before && gap.end >= 100_000, "{gap:?}");
}
