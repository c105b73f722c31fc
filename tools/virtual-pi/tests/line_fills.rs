//! Time of the ARM's line fills, switched off and on.

mod guest;

use guest::{Guest, TIMER};
use virtual_pi::{Config, Stop, VirtualPi};

const BUFFER: u32 = 0x0020_0000;
const NOTES: u32 = 0x0010_0000;

/// Leaves the system timer in the next note; keeps r4 and up.
fn note(guest: &mut Guest, index: u32) {
    guest
        .peek(TIMER + 4)
        .set(1, NOTES + 4 * index)
        .str(0, 1, 0)
        .clean(NOTES + 4 * index);
}

/// Loads from (or stores to) each of so many lines.
fn touch(guest: &mut Guest, lines: u32, store: bool) {
    guest.set(4, BUFFER).set(5, lines);
    let top = guest.here();
    if store {
        guest.str(5, 4, 0);
    } else {
        guest.ldr(0, 4, 0);
    }
    guest
        .word(0xe284_4020) // add r4, r4, #32
        .word(0xe255_5001) // subs r5, r5, #1
        .branch(1, top);
}

/// Microseconds of each of some passes over the lines.
fn passes(line_fills: bool, v3d_functional: bool, passes: &[(u32, bool)]) -> Vec<u32> {
    let mut guest = Guest::with_mmu(|_| ());
    note(&mut guest, 0);
    for (index, (lines, store)) in passes.iter().enumerate() {
        touch(&mut guest, *lines, *store);
        note(&mut guest, index as u32 + 1);
    }
    guest.hang();
    let config = Config {
        line_fills,
        v3d_functional,
        ..Config::default()
    };
    let mut pi = VirtualPi::new(config, &guest.image()).expect("a good configuration");
    assert_eq!(pi.run_until_ns(50_000_000), Stop::Deadline);
    let bytes = pi
        .read_memory(NOTES, 4 * (passes.len() + 1))
        .expect("in memory");
    let (words, _) = bytes.as_chunks();
    let times: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    times.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// 128 KiB, and 8 KiB; the data cache has 16.
const MANY: u32 = 4096;
const FEW: u32 = 256;

#[test]
fn a_line_that_is_not_there_is_waited_for() {
    let free = passes(false, false, &[(MANY, false), (MANY, false)]);
    let timed = passes(true, false, &[(MANY, false), (MANY, false)]);
    // Four instructions of two clocks are 11.4 ns.
    assert!(free.iter().all(|us| us.abs_diff(47) <= 2), "{free:?}");
    // A fill lies between a line of the L2, 88 ns, and a row of SDRAM that has to be opened, 172
    // ns; every second one finds its line of 64 bytes in the L2.
    for us in &timed {
        let fill = f64::from(us - free[0]) * 1000.0 / f64::from(MANY);
        assert!((88.0..=172.0).contains(&fill), "{fill} ns: {timed:?}");
    }
}

#[test]
fn what_fits_is_there_the_second_time_and_stores_do_not_wait() {
    let few = [(FEW, false); 3];
    let timed = passes(true, false, &few);
    let free = passes(false, false, &few);
    assert!(timed[0] > 3 * free[0], "{timed:?} {free:?}");
    assert!(timed[2].abs_diff(free[2]) <= 1, "{timed:?} {free:?}");
    let stores = [(MANY, true)];
    assert_eq!(passes(true, false, &stores), passes(false, false, &stores));
}

#[test]
fn without_the_cycle_model_a_fill_takes_the_slow_end() {
    let free = passes(false, true, &[(MANY, false)]);
    let timed = passes(true, true, &[(MANY, false)]);
    let fill = f64::from(timed[0] - free[0]) * 1000.0 / f64::from(MANY);
    assert!((fill - 172.0).abs() < 3.0, "{fill} ns");
}
