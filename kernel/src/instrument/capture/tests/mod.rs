//! The state machine alone, with a DMA that is a program.

mod account;
pub mod fake;
mod gaps;

use super::*;
use fake::FakePort;

const fn left(divisor: Option<u32>) -> Wiring {
    Wiring::I2s(Slots {
        left: true,
        right: false,
        divisor,
    })
}
const LEFT: Wiring = left(Some(6));
const SLAVE: Wiring = left(None);

/// Makes a port a bad one.
type Spoil = fn(&mut FakePort);

/// Steps every millisecond until something happens, for at most `ms`.
fn run(capture: &mut Capture, port: &mut FakePort, ms: u64) -> Event {
    for _ in 0..ms {
        port.now_us += 1000;
        match capture.step(port) {
            Event::Nothing => {}
            event => return event,
        }
    }
    Event::Nothing
}

/// A capture that has been begun.
fn begun(port: &mut FakePort, wiring: Wiring, expected: Option<u64>) -> Capture {
    let mut capture = Capture::new();
    let rate = expected.map(Rate::hz);
    assert_eq!(capture.begin(port, wiring, rate, port.now_us), Ok(()));
    assert!(capture.is_open() && !capture.is_running());
    capture
}

#[test]
fn a_master_has_its_exact_rate_and_a_slave_the_measured_one() {
    let mut port = FakePort::new();
    let mut capture = begun(&mut port, LEFT, Some(50_000));
    assert_eq!(run(&mut capture, &mut port, 300), Event::Started);
    let rate = capture.rate().unwrap();
    assert_eq!((rate.rate, rate.within_hz), (Rate::hz(50_000), 0.0));

    port.adc_hz = Some(47_998.2);
    let mut capture = begun(&mut port, SLAVE, None);
    assert_eq!(run(&mut capture, &mut port, 300), Event::Started);
    let first = capture.rate().unwrap();
    assert!((first.rate.to_hz() - 47_998.2).abs() < first.within_hz);
    assert_eq!(run(&mut capture, &mut port, 1000), Event::Rate);
    for _ in 0..20_000 {
        run(&mut capture, &mut port, 1);
    }
    let last = capture.rate().unwrap();
    assert!((last.rate.to_hz() - 47_998.2).abs() < last.within_hz);
    assert!(last.within_hz < 2.0, "{last:?}");
}

#[test]
fn a_slow_part_starts_although_few_frames_say_its_rate() {
    for (true_hz, starts) in [(8000.0, true), (11_025.0, true), (7000.0, false)] {
        let mut port = FakePort::new();
        port.adc_hz = Some(true_hz);
        let mut capture = begun(&mut port, SLAVE, None);
        let event = run(&mut capture, &mut port, 400);
        if starts {
            assert_eq!(event, Event::Started, "{true_hz}");
            let rate = capture.rate().unwrap();
            assert!(
                (rate.rate.to_hz() - true_hz).abs() < rate.within_hz,
                "{rate:?}"
            );
            assert!(rate.within_hz < true_hz / 100.0, "{rate:?}");
            // The comparisons of the next seconds end nothing.
            for _ in 0..3_000 {
                let event = run(&mut capture, &mut port, 1);
                assert!(!matches!(event, Event::Failed(_)), "{true_hz}: {event:?}");
            }
        } else {
            assert!(
                matches!(event, Event::Failed(Trouble::Range(_))),
                "{event:?}"
            );
        }
    }
}

#[test]
fn troubles_end_it_and_the_next_one_works() {
    let stopped = |port: &mut FakePort| port.stops_at = 20_000;
    let slow = |port: &mut FakePort| port.factor = 0.98;
    let dma = |port: &mut FakePort| port.fails = Some((10_000, PortError::Dma(4)));
    let dead = |port: &mut FakePort| port.stops_at = 0;
    let cases: [(Spoil, &str); 4] = [
        (stopped, "the clock stopped after 19968 samples"),
        (slow, "frame clock 49,0"),
        (dma, "DEBUG 0x00000004"),
        (dead, "no sample came within 50 ms"),
    ];
    for (spoil, words) in cases {
        let mut port = FakePort::new();
        spoil(&mut port);
        let mut capture = begun(&mut port, LEFT, Some(50_000));
        let event = loop {
            match run(&mut capture, &mut port, 3000) {
                Event::Nothing => panic!("nothing happened: {words}"),
                Event::Started | Event::Rate => {}
                event @ Event::Failed(_) => break event,
            }
        };
        let Event::Failed(trouble) = event else {
            unreachable!()
        };
        assert!(trouble.to_string().contains(words), "{trouble}");
        assert!(!capture.is_open() && !port.is_open());
        let mut port = FakePort::new();
        let mut capture = begun(&mut port, LEFT, Some(50_000));
        assert_eq!(run(&mut capture, &mut port, 300), Event::Started);
    }
}

#[test]
fn a_clock_that_changes_later_is_noticed() {
    let mut port = FakePort::new();
    port.adc_hz = Some(96_000.0);
    let mut capture = begun(&mut port, SLAVE, None);
    assert_eq!(run(&mut capture, &mut port, 300), Event::Started);
    run(&mut capture, &mut port, 1000);
    port.adc_hz = Some(100_000.0);
    let failed = (0..5000).find_map(|_| match run(&mut capture, &mut port, 1) {
        Event::Failed(trouble) => Some(trouble),
        _ => None,
    });
    assert!(matches!(failed, Some(Trouble::Rate { .. })), "{failed:?}");
}

#[test]
fn what_cannot_be_opened_is_refused_at_once() {
    let mut port = FakePort::new();
    let mut capture = Capture::new();
    let refused = capture.begin(&mut port, SLAVE, None, 0);
    let wanted = Trouble::Port(PortError::NoClock { pin: 18 });
    assert_eq!((refused, capture.is_open()), (Err(wanted), false));
}

#[test]
fn samples_that_dma_overtook_are_counted_from_the_last_record_on() {
    let mut port = FakePort::new();
    let mut capture = begun(&mut port, LEFT, Some(50_000));
    assert_eq!(run(&mut capture, &mut port, 300), Event::Started);
    capture.cover(1000);
    // 30 s in which nobody looks are more than one round of 21 s.
    port.now_us += 30_000_000;
    assert_ne!(
        capture.step(&mut port),
        Event::Failed(Trouble::Nothing(LEFT))
    );
    let frames = capture.ring.frames();
    assert!(frames > 1_500_000 && !capture.ring.has(1000));
    let (from, lost) = capture.skip();
    assert!(from >= frames && from < frames + 64);
    assert_eq!(lost, from - 1000);
    assert!(capture.ring.has(from));
}
