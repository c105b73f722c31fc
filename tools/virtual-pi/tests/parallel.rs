//! Samples of a parallel ADC on their way into memory, and what can be wrong with it.

mod guest;

use guest::Guest;
use guest::capture::{DMA, GPIO, RING};
use guest::parallel::{CS_CLEAR, CS_ON, CS_START, Parallel, SMI};
use virtual_pi::{Config, FaultKind, ParallelPart, ParallelWiring, Signal, Stop, VirtualPi};

const MS: u64 = 1_000_000;
/// Where guests leave words for the tests.
const NOTES: u32 = 0x0040_0000;

fn board(wiring: ParallelWiring, guest: &Guest) -> VirtualPi {
    let part = ParallelPart {
        wiring,
        ..ParallelPart::new(Signal::Count)
    };
    let config = Config {
        parallel: Some(part),
        ..Config::default()
    };
    VirtualPi::new(config, &guest.image()).expect("a good configuration")
}

fn capture(parallel: Parallel) -> Guest {
    let mut guest = Guest::new();
    parallel.run(&mut guest);
    guest.hang();
    guest
}

/// The upper byte of each sample in the ring, from the oldest on, of an ADC that counts.
fn counted(pi: &VirtualPi, half: u32) -> Vec<u8> {
    let bytes = pi.read_memory(RING, 2 * half as usize).expect("in memory");
    let mut counts: Vec<u8> = bytes.chunks_exact(2).map(|sample| sample[1]).collect();
    let is_hole = |index: &usize| counts[*index] != counts[*index - 1].wrapping_add(1);
    // One at most: where DMA is.
    let holes: Vec<usize> = (1..counts.len()).filter(is_hole).collect();
    assert!(holes.len() <= 1, "{} holes", holes.len());
    counts.rotate_left(holes.first().copied().unwrap_or(0));
    counts
}

fn fault(guest: &Guest) -> FaultKind {
    match board(ParallelWiring::Right, guest).run_until_ns(5 * MS) {
        Stop::Fault(fault) => fault.kind,
        stop => panic!("no fault: {stop:?}"),
    }
}

/// Words that a guest left, after some time.
fn notes(wiring: ParallelWiring, guest: &Guest, count: usize) -> Vec<u32> {
    let mut pi = board(wiring, guest);
    assert_eq!(pi.run_until_ns(5 * MS), Stop::Deadline);
    let bytes = pi.read_memory(NOTES, 4 * count).expect("in memory");
    let words = bytes.as_chunks().0;
    words.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Stores r0 in note `index`.
fn note(guest: &mut Guest, index: u32) {
    guest.set(1, NOTES + 4 * index).str(0, 1, 0);
}

#[test]
fn twenty_million_samples_a_second_reach_the_ring_without_a_hole() {
    for (phases, rate) in [([1, 3, 1], 20_000_000), ([25, 50, 25], 1_000_000)] {
        let parallel = Parallel {
            phases,
            half: 800,
            ..Parallel::default()
        };
        let mut pi = board(ParallelWiring::Right, &capture(parallel));
        // The ring's last sample, and the same some time later: 2^8 is short, time is not.
        let mut last = None;
        for step in 1..=8_u64 {
            assert_eq!(pi.run_until_ns(step * MS / 2), Stop::Deadline);
            if step < 4 {
                continue;
            }
            let counts = counted(&pi, parallel.half);
            let now = *counts.last().expect("samples");
            if let Some(last) = last {
                let samples = now.wrapping_sub(last);
                // DMA fetches four words at a time, and its writes take a while.
                let wanted = (rate / 2000) as u8;
                let off = samples.wrapping_sub(wanted) as i8;
                assert!(off.abs() <= 16, "{samples} of {wanted} modulo 256");
            }
            last = Some(now);
        }
        assert_eq!(pi.smi_missed(), 0);
    }
}

#[test]
fn a_lite_channel_does_not_keep_up_and_no_register_tells() {
    let parallel = Parallel {
        channel: 8,
        ..Parallel::default()
    };
    let mut pi = board(ParallelWiring::Right, &capture(parallel));
    assert_eq!(pi.run_until_ns(20 * MS), Stop::Deadline);
    assert!(pi.smi_missed() > 100, "{} missed", pi.smi_missed());
}

#[test]
fn a_length_that_runs_out_ends_the_transfer_and_a_new_one_in_time_does_not() {
    let short = Parallel {
        length: 20_000,
        ..Parallel::default()
    };
    for renewed in [false, true] {
        let mut guest = Guest::new();
        short.run(&mut guest);
        if renewed {
            let top = guest.here();
            guest.poke(SMI, CS_START).branch(14, top);
        }
        guest.hang();
        let mut pi = board(ParallelWiring::Right, &guest);
        assert_eq!(pi.run_until_ns(3 * MS), Stop::Deadline);
        let before = counted(&pi, short.half);
        assert_eq!(pi.run_until_ns(3 * MS + 20_000), Stop::Deadline);
        assert_eq!(counted(&pi, short.half) != before, renewed);
    }
}

#[test]
fn a_transfer_ends_with_done_when_its_fifo_is_empty() {
    let mut guest = Guest::new();
    let parallel = Parallel::default();
    parallel.pins(&mut guest);
    parallel.clock(&mut guest);
    guest
        .poke(SMI + 0x10, parallel.dsr())
        .poke(SMI + 0x04, 8)
        .poke(SMI, CS_ON)
        .poke(SMI, CS_CLEAR)
        .poke(SMI, CS_START)
        .poll(SMI, 1 << 2, false)
        .peek(SMI);
    note(&mut guest, 0);
    for _ in 0..4 {
        guest.peek(SMI + 0x0c);
    }
    guest.peek(SMI);
    note(&mut guest, 1);
    guest.peek(SMI + 0x40);
    note(&mut guest, 2);
    guest.peek(SMI + 0x0c).peek(SMI);
    note(&mut guest, 3);
    guest.hang();
    let found = notes(ParallelWiring::Right, &guest, 4);
    let [rxd, done, aferr] = [1 << 29, 1 << 1, 1 << 25];
    assert_eq!(found[0] & (rxd | done | aferr), rxd);
    assert_eq!(found[1] & (rxd | done | aferr), done);
    assert_eq!(found[2], 4 << 8, "at most four words were in the FIFO");
    assert_eq!(found[3] & aferr, aferr, "an empty FIFO was read");
}

#[test]
fn a_direct_read_takes_the_pins_as_they_are() {
    for (wiring, level) in [
        (ParallelWiring::Stuck(true), 0xff00),
        (ParallelWiring::Absent, 0),
    ] {
        let mut guest = Guest::new();
        let parallel = Parallel::default();
        parallel.pins(&mut guest);
        parallel.clock(&mut guest);
        guest
            .poke(SMI + 0x10, parallel.dsr())
            .poke(SMI + 0x34, 1)
            .poke(SMI + 0x34, 3)
            .poll(SMI + 0x34, 1 << 2, true)
            .peek(SMI + 0x3c);
        note(&mut guest, 0);
        guest.peek(GPIO + 0x34);
        note(&mut guest, 1);
        guest.hang();
        let found = notes(wiring, &guest, 2);
        assert_eq!(found[0] & 0xff00, level);
        assert_eq!(found[1] >> 8 & 0xff00, level, "GPIO 16 to 23 show the same");
    }
}

#[test]
fn what_a_pin_does_not_route_does_not_arrive() {
    // Without its clock the ADC stands still.
    let without_strobe = Parallel {
        leave_out: 6,
        ..Parallel::default()
    };
    let mut pi = board(ParallelWiring::Right, &capture(without_strobe));
    assert_eq!(pi.run_until_ns(2 * MS), Stop::Deadline);
    let ring = pi.read_memory(RING, 4096).expect("in memory");
    assert!(ring.chunks_exact(2).all(|sample| sample[1] == 0));
    // The lower byte comes from pins that are not routed: it is anything.
    let low: std::collections::HashSet<u8> = ring.chunks_exact(2).map(|two| two[0]).collect();
    assert!(low.len() > 200);
    // So is a bit whose pin is not routed, here the lowest of a count.
    let without_a_bit = Parallel {
        leave_out: 16,
        ..Parallel::default()
    };
    let mut pi = board(ParallelWiring::Right, &capture(without_a_bit));
    assert_eq!(pi.run_until_ns(2 * MS), Stop::Deadline);
    let ring = pi.read_memory(RING, 4096).expect("in memory");
    let highs: Vec<u8> = ring.chunks_exact(2).map(|two| two[1]).collect();
    assert!(highs.windows(2).any(|pair| pair[0] == pair[1]));
}

#[test]
fn what_the_sources_warn_of_is_found() {
    let started = |change: &dyn Fn(&mut Guest)| {
        let mut guest = Guest::new();
        Parallel::default().run(&mut guest);
        change(&mut guest);
        guest.hang();
        guest
    };
    let set_up = |parallel: Parallel| {
        let mut guest = Guest::new();
        parallel.clock(&mut guest);
        parallel.smi(&mut guest);
        guest
    };
    let without_cycles = Parallel {
        phases: [0, 3, 1],
        ..Parallel::default()
    };
    let no_length = Parallel {
        length: 0,
        ..Parallel::default()
    };
    let mut cases = vec![
        (
            "SETERR",
            started(&|guest| {
                guest.poke(SMI + 0x10, 0);
            }),
        ),
        (
            "cleared",
            started(&|guest| {
                guest.poke(SMI, CS_CLEAR);
            }),
        ),
        (
            "PXLDAT",
            started(&|guest| {
                guest.poke(SMI, 1);
            }),
        ),
    ];
    for (words, parallel) in [("no cycle", without_cycles), ("length of 0", no_length)] {
        let mut guest = set_up(parallel);
        guest.poke(SMI, CS_START).hang();
        cases.push((words, guest));
    }
    let mut guest = Guest::new();
    guest.poke(SMI + 4, 8).poke(SMI, CS_START).hang();
    cases.push(("before ENABLE", guest));
    let mut guest = set_up(Parallel::default());
    guest.poke(SMI + 0x10, Parallel::default().dsr() | 1 << 8);
    guest.poke(SMI, CS_START).hang();
    cases.push(("RPACE", guest));
    for (words, guest) in cases {
        let FaultKind::Misuse("SMI", what) = fault(&guest) else {
            panic!("{words}: {:?}", fault(&guest));
        };
        assert!(what.contains(words), "{words}: {what}");
    }
    let mut guest = set_up(Parallel::default());
    guest.poke(SMI, CS_ON | 1 << 5 | 1 << 3).hang();
    assert!(matches!(fault(&guest), FaultKind::NotModelled(_)));
    // DMA that reads more at once than there is finds an empty FIFO.
    let greedy = Parallel {
        burst: 8,
        threshold: 2,
        ..Parallel::default()
    };
    let mut guest = Guest::new();
    greedy.run(&mut guest);
    guest.poll(SMI, 1 << 25, true).peek(DMA);
    note(&mut guest, 0);
    guest.poke(NOTES, 7).hang();
    assert_eq!(notes(ParallelWiring::Right, &guest, 1), [7]);
}
