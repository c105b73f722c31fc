//! Time of the ARM's way to memory: line fills of both caches, and what no cache holds.

mod guest;

use guest::{Guest, TIMER, UNCACHED, WRITE_THROUGH};
use virtual_pi::{Checks, Config, Stop, VirtualPi};

const BUFFER: u32 = 0x0020_0000;
const NOTES: u32 = 0x0010_0000;

/// Nanoseconds of an instruction: two clocks of 700 MHz.
const INSTRUCTION_NS: f64 = 2.0 / 0.7;
/// A line out of the system L2, and one for which SDRAM has to open a row.
const FILL_NS: std::ops::RangeInclusive<f64> = 85.0..=172.0;
/// The part of a note and of the first fetch of its code in each of [`FEW`] rounds, at most.
const NOTE_NS: f64 = 20.0;
/// Lines of 128 KiB, and of 8 KiB; a cache has 16 KiB.
const MANY: u32 = 4096;
const FEW: u32 = 256;

/// Leaves the system timer in the next note; keeps r4 and up.
fn note(guest: &mut Guest, index: u32) {
    guest
        .peek(TIMER + 4)
        .set(1, NOTES + 4 * index)
        .str(0, 1, 0)
        .clean(NOTES + 4 * index);
}

/// Microseconds that each part of a guest takes.
fn parts_us(mut guest: Guest, config: Config, parts: &[&dyn Fn(&mut Guest)]) -> Vec<u32> {
    // What takes a note is in the cache from the first on.
    note(&mut guest, 0);
    for (index, part) in parts.iter().enumerate() {
        part(&mut guest);
        note(&mut guest, index as u32 + 1);
    }
    guest.hang();
    let mut pi = VirtualPi::new(config, &guest.image()).expect("a good configuration");
    assert_eq!(pi.run_until_ns(50_000_000), Stop::Deadline);
    let bytes = pi
        .read_memory(NOTES, 4 * (parts.len() + 1))
        .expect("in memory");
    let (words, _) = bytes.as_chunks();
    let times: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    times.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// Executes `body`, which may change r0 to r3, once for each of so many lines, whose address is in
/// r4.
fn for_lines(lines: u32, body: &'static [u32]) -> impl Fn(&mut Guest) {
    move |guest| {
        guest.set(4, BUFFER).set(5, lines);
        let top = guest.here();
        for word in body {
            guest.word(*word);
        }
        guest
            .word(0xe284_4020) // add r4, r4, #32
            .word(0xe255_5001) // subs r5, r5, #1
            .branch(1, top);
    }
}

const LOAD: &[u32] = &[0xe594_0000]; // ldr r0, [r4]
const STORE: &[u32] = &[0xe584_0000]; // str r0, [r4]
const LOAD_BOTH: &[u32] = &[0xe894_0003]; // ldm r4, {r0, r1}
const MOVE: &[u32] = &[0xe1a0_0000]; // mov r0, r0

/// Nanoseconds of each round, beyond those of its instructions.
fn wait_ns(us: u32, rounds: u32, instructions: u32) -> f64 {
    f64::from(us) * 1000.0 / f64::from(rounds) - f64::from(instructions) * INSTRUCTION_NS
}

/// Asserts that times agree.
#[track_caller]
fn assert_close(first: f64, second: f64, within: f64) {
    assert!((first - second).abs() <= within, "{first} and {second}");
}

fn with_caches() -> Guest {
    Guest::with_mmu(|_| ())
}

#[test]
fn a_line_that_is_not_there_is_waited_for() {
    let load = for_lines(MANY, LOAD);
    for us in parts_us(with_caches(), Config::default(), &[&load, &load]) {
        // Every second line finds its line of 64 bytes in the system L2.
        let fill = wait_ns(us, MANY, 4);
        assert!(FILL_NS.contains(&fill), "{fill} ns");
    }
}

#[test]
fn what_fits_is_there_the_second_time() {
    let load = for_lines(FEW, LOAD);
    let us = parts_us(with_caches(), Config::default(), &[&load, &load]);
    assert!(FILL_NS.contains(&wait_ns(us[0], FEW, 4)), "{us:?}");
    assert_close(wait_ns(us[1], FEW, 4), 0.0, NOTE_NS);
}

#[test]
fn a_store_does_not_wait_and_brings_nothing_in() {
    let [load, store] = [LOAD, STORE].map(|body| for_lines(FEW, body));
    let parts: [&dyn Fn(&mut Guest); 5] = [&store, &store, &load, &store, &load];
    let us = parts_us(with_caches(), Config::default(), &parts);
    let waits: Vec<f64> = us.iter().map(|us| wait_ns(*us, FEW, 4)).collect();
    for index in [0, 1, 3, 4] {
        assert_close(waits[index], 0.0, NOTE_NS);
    }
    assert!(FILL_NS.contains(&waits[2]), "{waits:?}");
}

#[test]
fn without_the_cycle_model_a_fill_takes_the_slow_end() {
    let config = Config {
        v3d_functional: true,
        ..Config::default()
    };
    let us = parts_us(with_caches(), config, &[&for_lines(MANY, LOAD)]);
    assert_close(wait_ns(us[0], MANY, 4), *FILL_NS.end(), 3.0);
}

#[test]
fn time_is_the_same_with_no_check_on() {
    let [load, store] = [LOAD, STORE].map(|body| for_lines(FEW, body));
    let times = [Checks::ALL, Checks::NONE].map(|checks| {
        let config = Config {
            checks,
            ..Config::default()
        };
        parts_us(with_caches(), config, &[&store, &load, &load])
    });
    assert_eq!(times[0], times[1]);
}

/// Executes so many instructions that do nothing, `times` times.
fn straight(instructions: u32, times: u32) -> impl Fn(&mut Guest) {
    move |guest| {
        guest.set(5, times);
        let top = guest.here();
        for _ in 0..instructions {
            guest.word(MOVE[0]);
        }
        guest.word(0xe255_5001).branch(1, top); // subs r5, r5, #1
    }
}

#[test]
fn a_loop_that_fits_the_instruction_cache_is_fetched_once() {
    // 8 KiB, in which a round has 256 lines.
    let instructions = 8 * FEW;
    let [once, often] = [1, 11].map(|times| {
        parts_us(
            with_caches(),
            Config::default(),
            &[&straight(instructions, times)],
        )[0]
    });
    let fill = wait_ns(once, FEW, 8);
    assert!(FILL_NS.contains(&fill), "{fill} ns");
    assert_close(wait_ns(often - once, 10 * FEW, 8), 0.0, 1.0);
}

#[test]
fn a_loop_that_does_not_fit_waits_for_lines_in_each_round() {
    // 24 KiB of code and 16 KiB of cache, whose lines make room at random: in each round between a
    // third of the lines and all of them are missing.
    let (lines, rounds) = (3 * FEW, 10);
    let [once, often] = [1, 1 + rounds].map(|times| {
        parts_us(
            with_caches(),
            Config::default(),
            &[&straight(8 * lines, times)],
        )[0]
    });
    let wait = wait_ns(often - once, rounds * lines, 8);
    let least = FILL_NS.start() / 3.0;
    assert!((least..=*FILL_NS.end()).contains(&wait), "{wait} ns");
}

#[test]
fn after_an_invalidation_code_comes_from_memory_again() {
    let invalidate = |guest: &mut Guest| {
        guest.set(0, 0).cp15(0, 7, 5, 0).cp15(0, 7, 5, 4);
    };
    let nothing = |_: &mut Guest| ();
    let [kept, dropped] = [&nothing as &dyn Fn(&mut Guest), &invalidate].map(|between| {
        let call = |guest: &mut Guest| {
            // bl, to the code that the first part has jumped over.
            let target = guest::BASE + 0x1000;
            between(guest);
            let offset = target.wrapping_sub(guest.here() + 8) >> 2 & 0x00ff_ffff;
            guest.word(0xeb00_0000 | offset);
        };
        let prepare = |guest: &mut Guest| {
            while guest.here() < guest::BASE + 0x1000 {
                let end = guest::BASE + 0x3004;
                guest.branch(14, end);
            }
            for _ in 0..8 * FEW - 1 {
                guest.word(MOVE[0]);
            }
            guest.word(0xe12f_ff1e).word(MOVE[0]); // bx lr
        };
        parts_us(with_caches(), Config::default(), &[&prepare, &call, &call])[2]
    });
    let fill = f64::from(dropped - kept) * 1000.0 / f64::from(FEW);
    assert!(FILL_NS.contains(&fill), "{fill} ns");
}

/// Nanoseconds of an access that no cache holds.
const ACCESS_NS: f64 = 50.0;
/// Nanoseconds of a group of instructions that is not cached: 31, in whole clocks.
const FETCH_NS: f64 = 22.0 / 0.7;

#[test]
fn memory_that_is_not_cached_is_waited_for_each_time() {
    let bodies = [LOAD, STORE, LOAD_BOTH].map(|body| for_lines(FEW, body));
    let parts = bodies.each_ref().map(|body| body as &dyn Fn(&mut Guest));
    let uncached = Guest::with_mmu(|table| table[2] = BUFFER | UNCACHED);
    for us in parts_us(
        uncached,
        Config::default(),
        &[parts.as_slice(), &parts].concat(),
    ) {
        assert_close(wait_ns(us, FEW, 4), ACCESS_NS, NOTE_NS);
    }
}

#[test]
fn a_store_to_write_through_memory_waits_each_time() {
    let bodies = [LOAD, STORE, STORE, LOAD].map(|body| for_lines(FEW, body));
    let parts = bodies.each_ref().map(|body| body as &dyn Fn(&mut Guest));
    let guest = Guest::with_mmu(|table| table[2] = BUFFER | WRITE_THROUGH);
    let us = parts_us(guest, Config::default(), &parts);
    for (us, wait) in us[1..].iter().zip([ACCESS_NS, ACCESS_NS, 0.0]) {
        assert_close(wait_ns(*us, FEW, 4), wait, NOTE_NS);
    }
}

/// The MMU stays off; SCTLR.I as asked for.
fn without_mmu(instruction_cache: bool) -> Guest {
    let mut guest = Guest::new();
    guest
        .set(0, 0)
        .cp15(0, 7, 7, 0)
        .set(1, 0x0005_0078 | u32::from(instruction_cache) << 12)
        .cp15(1, 1, 0, 0);
    guest
}

#[test]
fn without_caches_every_branch_and_every_line_of_code_is_a_fetch() {
    let rounds = MANY;
    let config = || Config {
        // Peripherals are looked at with no barrier between.
        checks: Checks::NONE,
        ..Config::default()
    };
    // Two instructions, in one line or in two.
    let us = parts_us(without_mmu(false), config(), &[&straight(0, rounds)]);
    let fetches = wait_ns(us[0], rounds, 2) / FETCH_NS;
    assert!((0.99..2.01).contains(&fetches), "{fetches} fetches");
    let us = parts_us(without_mmu(true), config(), &[&straight(0, rounds)]);
    assert_close(wait_ns(us[0], rounds, 2), 0.0, 1.0);
    // Eight lines, and two instructions.
    let us = parts_us(without_mmu(false), config(), &[&straight(64, rounds)]);
    let fetches = wait_ns(us[0], rounds, 66) / FETCH_NS;
    assert!((8.99..10.01).contains(&fetches), "{fetches} fetches");
}

#[test]
fn without_the_mmu_data_is_waited_for_whatever_the_caches_are() {
    let load = for_lines(MANY, LOAD);
    let us = parts_us(without_mmu(true), Config::default(), &[&load]);
    assert_close(wait_ns(us[0], MANY, 4), ACCESS_NS, 1.0);
}

#[test]
fn the_counter_of_instructions_counts_no_wait() {
    let mut guest = with_caches();
    guest
        .set(4, BUFFER)
        .set(0, 0x0070_0007) // PMNC: from 0, and PMN0 counts event 7
        .cp15(0, 15, 12, 0)
        .word(0xee1f_6f5c) // mrc p15, 0, r6, c15, c12, 2
        .word(LOAD[0])
        .word(MOVE[0])
        .word(0xee1f_7f5c) // the same, to r7
        .word(0xe047_7006) // sub r7, r7, r6
        .set(1, NOTES)
        .str(7, 1, 0)
        .clean(NOTES)
        .hang();
    let mut pi = VirtualPi::new(Config::default(), &guest.image()).expect("a good configuration");
    assert_eq!(pi.run_until_ns(1_000_000), Stop::Deadline);
    assert_eq!(pi.read_memory(NOTES, 4), Some(vec![3, 0, 0, 0]));
}
