//! Samples that the host brings while the board runs: none is lost, none is made up, and time waits
//! for them.

mod guest;

use guest::Guest;
use guest::capture::{Capture, RING};
use virtual_pi::{Config, Feed, I2sPart, I2sRole, Signal, Stop, VirtualPi};

const MS: u64 = 1_000_000;

/// A guest that receives as a slave, without an end.
fn guest() -> (Capture, Guest) {
    let capture = Capture {
        divider: 0,
        ..Capture::default()
    };
    let mut guest = Guest::new();
    capture.run(&mut guest);
    guest.hang();
    (capture, guest)
}

fn board(part: I2sPart) -> (VirtualPi, usize) {
    let (capture, guest) = guest();
    let config = Config {
        i2s: Some(part),
        ..Config::default()
    };
    let pi = VirtualPi::new(config, &guest.image()).expect("a good configuration");
    (pi, 2 * capture.half as usize)
}

/// Frames as [`Signal::Count`] has them.
fn counts(from: u64, frames: u64) -> impl Iterator<Item = [i32; 2]> {
    (from..from + frames).map(|index| Signal::Count.sample(index, 1.0))
}

#[test]
fn fed_samples_arrive_as_those_that_a_part_makes_itself_in_portions_of_any_size() {
    for (rate, over) in [(384_000, 1), (44_100, 1), (4_800_001, 100)] {
        let time = 23 * MS;
        let (mut made, bytes) = board(I2sPart::new(I2sRole::Master(rate, over), Signal::Count));
        assert_eq!(made.run_until_ns(time), Stop::Deadline);
        for portion in [1, 128, 1000] {
            let feed = Feed::new(1000);
            let (mut fed, _) = board(I2sPart::fed(rate, over, feed.clone()));
            let mut brought = 0;
            while fed.run_until_ns(time) == Stop::Starved {
                let room = portion.min(feed.room() as u64);
                assert!(room > 0, "it plays what has come");
                brought += feed.push(counts(brought, room)) as u64;
            }
            assert_eq!(fed.now_ns(), made.now_ns());
            assert_eq!(fed.clocks(), made.clocks());
            let ring = |pi: &VirtualPi| pi.read_memory(RING, bytes).expect("in memory");
            assert_eq!(
                ring(&fed),
                ring(&made),
                "{rate}/{over}, {portion} at a time"
            );
        }
    }
}

#[test]
fn time_stands_while_no_sample_has_come() {
    let feed = Feed::new(1 << 16);
    let (mut pi, _) = board(I2sPart::fed(48_000, 1, feed.clone()));
    assert_eq!(pi.run_until_ns(MS), Stop::Starved);
    assert_eq!(pi.now_ns(), 0);
    feed.push(counts(0, 4800));
    assert_eq!(pi.run_until_ns(1000 * MS), Stop::Starved);
    let now = pi.now_ns();
    // The last of 100 ms is in hand, and an instruction takes some nanoseconds.
    assert!(
        (100 * MS - 21_000..100 * MS - 20_000).contains(&now),
        "{now}"
    );
    assert_eq!(pi.run_until_ns(1000 * MS), Stop::Starved);
    assert_eq!((pi.now_ns(), feed.waiting()), (now, 1));
    assert_eq!(pi.run_until_ns(now), Stop::Deadline, "that time has come");
    pi.set_i2s(None);
    assert_eq!(
        pi.run_until_ns(200 * MS),
        Stop::Deadline,
        "no part, no wait"
    );
}
