//! Samples of an I2S part on their way into memory, and everything that can be wrong with it.

mod guest;

use guest::capture::{BLOCKS, BUS, CM, CS_RECEIVE, Capture, DMA, GPIO, PCM, RING};
use guest::{Guest, TIMER};
use virtual_pi::{
    Agent, Config, FaultKind, I2sPart, I2sPins, I2sRole, MicrophoneSide, Signal, Stop, VirtualPi,
    Wiring,
};

const MS: u64 = 1_000_000;
/// Where guests leave words for the tests.
const NOTES: u32 = 0x0040_0000;
/// An ADC that takes the board's clocks.
const ADC: I2sRole = I2sRole::Slave;

fn count(role: I2sRole) -> I2sPart {
    I2sPart::new(role, Signal::Count)
}

fn board(part: impl Into<Option<I2sPart>>, guest: &Guest) -> VirtualPi {
    let config = Config {
        i2s: part.into(),
        ..Config::default()
    };
    VirtualPi::new(config, &guest.image()).expect("a good configuration")
}

fn words(pi: &VirtualPi, address: u32, count: usize) -> Vec<u32> {
    let bytes = pi.read_memory(address, 4 * count).expect("in memory");
    let (words, _) = bytes.as_chunks();
    words.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Runs a capture for some time, and gives what the ring then holds.
fn ring(part: impl Into<Option<I2sPart>>, capture: Capture, time_ns: u64) -> Vec<u32> {
    let mut guest = Guest::new();
    capture.run(&mut guest);
    guest.hang();
    let mut pi = board(part, &guest);
    assert_eq!(pi.run_until_ns(time_ns), Stop::Deadline);
    words(&pi, RING, capture.half as usize / 2)
}

/// The frames in the ring, from the oldest on, of a part that counts. The one that is being
/// written is left out: its left word is new, and its right one a lap old.
fn counted(ring: &[u32]) -> Vec<u32> {
    let frames: Vec<[u32; 2]> = ring.as_chunks().0.to_vec();
    let lap = (frames.len() as u32) << 8;
    let mut lefts: Vec<u32> = Vec::new();
    for [left, right] in &frames {
        assert_eq!(left & 0xff, 0, "24 bits");
        if *right != !left & !0xff {
            assert_eq!(
                *right,
                !left.wrapping_sub(lap) & !0xff,
                "left and right of one frame"
            );
            continue;
        }
        lefts.push(left >> 8);
    }
    assert!(lefts.len() + 1 >= frames.len());
    let oldest = (0..lefts.len())
        .min_by_key(|index| lefts[*index])
        .expect("frames");
    lefts.rotate_left(oldest);
    lefts
}

fn assert_consecutive(lefts: &[u32]) {
    for pair in lefts.windows(2) {
        assert_eq!(pair[1], pair[0] + 1, "no hole");
    }
}

/// The fault of a guest; it must end in one.
fn fault(part: impl Into<Option<I2sPart>>, guest: &Guest) -> (FaultKind, Option<u32>) {
    match board(part, guest).run_until_ns(20 * MS) {
        Stop::Fault(fault) => (fault.kind, fault.address),
        stop => panic!("no fault: {stop:?}"),
    }
}

#[test]
fn every_sample_reaches_the_ring_at_the_rate_of_the_crystal() {
    for (divider, rate) in [(6, 50_000), (1, 300_000)] {
        for channel in [5, 8] {
            let capture = Capture {
                divider,
                channel,
                ..Capture::default()
            };
            let last = |ms| {
                let lefts = counted(&ring(count(ADC), capture, ms * MS));
                assert_consecutive(&lefts);
                lefts[lefts.len() - 1]
            };
            let frames = last(24) - last(14);
            assert!(frames.abs_diff(rate / 100) <= 1, "{frames} in 10 ms");
        }
    }
}

#[test]
fn half_a_minute_of_frames_is_counted_exactly() {
    let capture = Capture::default();
    let of = |seconds: u64| counted(&ring(count(ADC), capture, seconds * 1000 * MS + 7 * MS));
    let (early, late) = (of(1), of(31));
    assert_consecutive(&late);
    let last = |lefts: &[u32]| lefts[lefts.len() - 1];
    assert_eq!(last(&late) - last(&early), 30 * 50_000);
}

#[test]
fn an_adc_that_gives_the_clocks_is_heard_at_its_own_rate() {
    let capture = Capture {
        divider: 0,
        ..Capture::default()
    };
    for (rate, ppm) in [(384_000, 0), (48_000, 20_000), (48_000, -20_000)] {
        let mut part = count(I2sRole::Master(rate, 1));
        if ppm != 0 {
            part.wiring = Wiring::ClockOff(ppm);
        }
        let last = |ms| {
            let lefts = counted(&ring(part.clone(), capture, ms * MS));
            assert_consecutive(&lefts);
            i64::from(lefts[lefts.len() - 1])
        };
        let wanted = rate as i64 * i64::from(1_000_000 + ppm) / 50_000_000;
        let frames = last(40) - last(20);
        assert!((frames - wanted).abs() <= 1, "{frames} of {wanted}");
    }
}

#[test]
fn what_a_pin_does_not_route_does_not_arrive() {
    let capture = Capture::default();
    // Without its clocks the part stays silent; without the data pin PCM hears nothing.
    for leave_out in [18, 19, 20] {
        let mut guest = Guest::new();
        capture.pins(&mut guest);
        let register = GPIO + leave_out / 10 * 4;
        let function = |pin: u32| if pin == leave_out { 0 } else { 4 };
        let value = match leave_out {
            20 => 0,
            _ => function(18) << 24 | function(19) << 27,
        };
        guest.poke(register, value);
        capture.clock(&mut guest);
        capture.pcm(&mut guest);
        capture.blocks(&mut guest);
        capture.start(&mut guest);
        guest.hang();
        let mut pi = board(count(ADC), &guest);
        pi.run_until_ns(10 * MS);
        assert_eq!(words(&pi, RING, 128), vec![0; 128], "GPIO {leave_out}");
        assert_ne!(words(&pi, BLOCKS, 1), [0], "the guest ran");
    }
    // The part hangs on one set of pins, and PCM looks at the other.
    for p5 in [false, true] {
        for pins in [I2sPins::Header, I2sPins::P5] {
            let part = I2sPart { pins, ..count(ADC) };
            let capture = Capture { p5, ..capture };
            let heard = ring(part, capture, 10 * MS).iter().any(|word| *word != 0);
            assert_eq!(heard, p5 == (pins == I2sPins::P5));
        }
    }
}

#[test]
fn every_wrong_wiring_shows_as_it_does_on_a_board() {
    let capture = Capture::default();
    let with = |wiring| {
        let part = I2sPart {
            wiring,
            ..count(ADC)
        };
        ring(part, capture, 12 * MS)
    };
    for silent in [Wiring::NoClock, Wiring::Absent, Wiring::Stuck(false)] {
        assert_eq!(with(silent), [0; 128], "{silent:?}");
    }
    assert_eq!(with(Wiring::Stuck(true)), [!0; 128]);
    let swapped = with(Wiring::Swapped);
    let back: Vec<u32> = swapped.iter().map(|word| !word & !0xff).collect();
    assert_consecutive(&counted(&back));
    let fighting = with(Wiring::MasterAgainstMaster(48_000, 1));
    let whole = |[left, right]: &&[u32; 2]| *right == !*left & !0xff;
    assert!(fighting.as_chunks().0.iter().filter(whole).count() < 8);
    // A master whose clock wire is off, or that is not there, gives no frames at all.
    let slave = Capture {
        divider: 0,
        ..capture
    };
    for wiring in [Wiring::NoClock, Wiring::Absent] {
        let part = I2sPart {
            wiring,
            signal: Signal::Count,
            ..count(I2sRole::Master(48_000, 1))
        };
        assert_eq!(ring(part, slave, 12 * MS), [0; 128]);
    }
}

#[test]
fn a_microphone_starts_after_its_clocks_and_talks_on_one_side() {
    for (side, index) in [(MicrophoneSide::Left, 0), (MicrophoneSide::Right, 1)] {
        let part = count(I2sRole::Microphone(side));
        // 2^18 clocks of 3.2 MHz are 81.92 ms.
        let early = ring(part.clone(), Capture::default(), 81 * MS);
        assert_eq!(early, [0; 128]);
        let late = ring(part, Capture::default(), 90 * MS);
        let frames = late.as_chunks::<2>().0;
        assert!(
            frames
                .iter()
                .all(|frame| frame[1 - index] == 0 && frame[index] != 0)
        );
    }
}

#[test]
fn the_frame_edge_and_the_bit_edge_decide_what_is_heard() {
    let with = |mode| {
        ring(
            count(ADC),
            Capture {
                mode,
                ..Capture::default()
            },
            12 * MS,
        )
    };
    let base = 63 << 10 | 32;
    // Frames that start with the rising edge: right first, which belongs to the frame before.
    let rising = with(1 << 22 | base);
    let frames = rising.as_chunks::<2>().0;
    let shifted = frames.iter().filter(|[first, second]| {
        let before = (second >> 8).wrapping_sub(1) << 8;
        *first == !before & !0xff
    });
    assert!(
        shifted.count() >= 62,
        "right of the frame before, then left"
    );
    let wrong_edge = with(1 << 20 | base);
    let right = |[left, right]: &&[u32; 2]| *right == !*left & !0xff;
    assert!(wrong_edge.as_chunks().0.iter().filter(right).count() < 8);
    // A part needs 64 clocks a frame.
    assert_eq!(with(1 << 22 | 1 << 20 | 47 << 10 | 24), [0; 128]);
}

#[test]
fn a_full_fifo_loses_what_comes_and_says_so() {
    let capture = Capture::default();
    let mut guest = Guest::new();
    capture.pins(&mut guest);
    capture.clock(&mut guest);
    capture.pcm(&mut guest);
    // RXON without DMA: 64 words are 640 us.
    guest.poke(PCM, CS_RECEIVE);
    guest.poll(PCM, 1 << 16, true);
    for index in 0..65 {
        guest.peek(PCM + 4).set(1, NOTES + 4 * index).str(0, 1, 0);
    }
    guest.peek(PCM).set(1, NOTES + 4 * 65).str(0, 1, 0);
    guest.hang();
    let mut pi = board(count(ADC), &guest);
    assert_eq!(pi.run_until_ns(10 * MS), Stop::Deadline);
    let read = words(&pi, NOTES, 66);
    let lefts: Vec<u32> = read[..64].iter().step_by(2).map(|word| word >> 8).collect();
    assert_consecutive(&lefts);
    // What came meanwhile stands behind a hole.
    assert_ne!(read[64] >> 8, lefts[31] + 1);
    assert_ne!(read[65] & 1 << 16, 0, "RXERR stays until it is cleared");
}

#[test]
fn reception_ends_with_the_frame_and_starts_with_one() {
    let capture = Capture::default();
    let mut guest = Guest::new();
    capture.pins(&mut guest);
    capture.clock(&mut guest);
    capture.pcm(&mut guest);
    for round in 0..2 {
        // As soon as the left word is there, in the middle of the frame, reception is stopped.
        guest.poke(PCM, CS_RECEIVE).poll(PCM, 1 << 20, true);
        guest.poke(PCM, CS_RECEIVE & !2);
        wait(&mut guest);
        for (index, register) in [0, 4, 4, 0].into_iter().enumerate() {
            let note = NOTES + 16 * round + 4 * index as u32;
            guest.peek(PCM + register).set(1, note).str(0, 1, 0);
        }
    }
    guest.hang();
    let mut pi = board(count(ADC), &guest);
    assert_eq!(pi.run_until_ns(10 * MS), Stop::Deadline);
    for notes in words(&pi, NOTES, 8).as_chunks::<4>().0 {
        let [before, left, right, after] = *notes;
        assert_ne!(before & 1 << 14, 0, "RXSYNC");
        assert_eq!([left, right], [0, !0xff], "frame 0");
        assert_eq!(after & 1 << 20, 0, "RXD: no more than the frame");
    }
}

#[test]
fn nothing_is_received_while_the_fifo_stands_by_or_without_a_clock() {
    let mut guest = Guest::new();
    let capture = Capture::default();
    capture.pins(&mut guest);
    // No clock: neither SYNC nor RXCLR ends.
    guest.poke(PCM, guest::capture::CS_ON);
    guest.poke(PCM, guest::capture::CS_ON | 1 << 24);
    guest.peek(PCM).set(1, NOTES).str(0, 1, 0);
    capture.clock(&mut guest);
    capture.pcm(&mut guest);
    // Standby: words do not stay.
    guest.poke(PCM, CS_RECEIVE & !(1 << 25));
    wait(&mut guest);
    guest.peek(PCM).set(1, NOTES + 4).str(0, 1, 0).hang();
    let mut pi = board(count(ADC), &guest);
    assert_eq!(pi.run_until_ns(20 * MS), Stop::Deadline);
    let [no_clock, standby] = words(&pi, NOTES, 2)[..] else {
        panic!("two words");
    };
    assert_eq!(no_clock & 1 << 24, 0);
    assert_eq!(standby & 1 << 20, 0, "RXD");
}

#[test]
fn the_levels_of_the_pins_show_clocks_and_data() {
    let mut guest = Guest::new();
    let capture = Capture::default();
    capture.pins(&mut guest);
    guest.poke(GPIO, 4 << 12); // GPCLK0 on GPIO 4
    guest
        .poke(CM + 0x74, 0x5a00_5000)
        .poke(CM + 0x70, 0x5a00_0001)
        .poke(CM + 0x70, 0x5a00_0011);
    for index in 0..332 {
        if index == 32 {
            capture.run(&mut guest);
        }
        guest
            .peek(GPIO + 0x34)
            .set(1, NOTES + 4 * index)
            .str(0, 1, 0);
    }
    guest.hang();
    let mut pi = board(count(ADC), &guest);
    assert_eq!(pi.run_until_ns(10 * MS), Stop::Deadline);
    let read = words(&pi, NOTES, 332);
    let moves = |words: &[u32], pin: u32| {
        let high = words.iter().filter(|word| *word >> pin & 1 != 0).count();
        high > 0 && high < words.len()
    };
    assert!(moves(&read[..32], 4), "GPCLK0");
    assert!(
        !moves(&read[..32], 18),
        "no bit clock before it is switched on"
    );
    assert!(moves(&read[32..], 18) && moves(&read[32..], 19) && moves(&read[32..], 20));
}

#[test]
fn interrupts_of_dma_wake_the_arm_block_by_block() {
    let capture = Capture {
        ti: guest::capture::TI | 1,
        ..Capture::default()
    };
    let mut guest = Guest::new();
    // 16 and the number of the channel.
    guest.poke(guest::INTC + 0x10, 1 << 21);
    capture.run(&mut guest);
    for index in 0..4 {
        guest.wfi().poke(capture.dma(), 1 << 2 | 1 << 1 | 1);
        guest.peek(TIMER + 4).set(1, NOTES + 4 * index).str(0, 1, 0);
    }
    guest.hang();
    let mut pi = board(count(ADC), &guest);
    assert_eq!(pi.run_until_ns(10 * MS), Stop::Deadline);
    let at = words(&pi, NOTES, 4);
    for pair in at.windows(2) {
        // 32 frames of 20 us.
        assert!((pair[1] - pair[0]).abs_diff(640) <= 1, "{at:?}");
    }
}

#[test]
fn a_read_error_stops_the_channel_until_it_is_cleared() {
    let capture = Capture::default();
    let mut guest = Guest::new();
    capture.run(&mut guest);
    let cs = capture.dma();
    guest.poll(cs, 1 << 8, true);
    guest.peek(cs).set(1, NOTES).str(0, 1, 0);
    guest.peek(cs + 0x20).set(1, NOTES + 4).str(0, 1, 0);
    guest.poke(cs + 0x20, 1 << 2).poke(cs, 1 << 2 | 1).hang();
    let mut pi = board(count(ADC), &guest);
    pi.run_until_ns(5 * MS);
    pi.fail_dma();
    assert_eq!(pi.run_until_ns(20 * MS), Stop::Deadline);
    let [status, debug] = words(&pi, NOTES, 2)[..] else {
        panic!("two words");
    };
    assert_eq!(
        status & (1 << 8 | 1 << 2 | 1),
        1 << 8 | 1 << 2,
        "ERROR, INT, not ACTIVE"
    );
    assert_eq!(debug & 7, 1 << 2, "READ_ERROR");
    assert_consecutive(&counted(&words(&pi, RING, 128)));
}

#[test]
fn dest_ad_runs_ahead_of_memory_without_wait_resp() {
    for (ti, lags) in [(guest::capture::TI, false), (guest::capture::TI & !8, true)] {
        let capture = Capture {
            ti,
            ..Capture::default()
        };
        let mut guest = Guest::new();
        capture.run(&mut guest);
        // As soon as DEST_AD moves, its last word is read: 200 times.
        guest.set(3, 0).set(4, 200).set(5, 0);
        guest.set(1, capture.dma() + 0x10).ldr(6, 1, 0);
        let top = guest.here();
        guest
            .set(1, capture.dma() + 0x10)
            .ldr(0, 1, 0)
            .word(0xe150_0006) // cmp r0, r6
            .branch(0, top)
            .word(0xe1a0_6000) // mov r6, r0
            .set(2, BUS + 4)
            .word(0xe040_2002) // sub r2, r0, r2
            .ldr(7, 2, 0) // the word
            .word(0xe357_0000) // cmp r7, #0
            .word(0x0285_5001) // addeq r5, r5, #1
            .set(0, 0)
            .str(0, 2, 0) // and it is taken away
            .word(0xe254_4001) // subs r4, r4, #1
            .branch(1, top)
            .set(1, NOTES)
            .str(5, 1, 0)
            .hang();
        let mut part = count(ADC);
        part.wiring = Wiring::Stuck(true);
        let mut pi = board(part, &guest);
        pi.run_until_ns(20 * MS);
        let missing = words(&pi, NOTES, 1)[0];
        // Where the ring starts again, the word in front of it is nobody's.
        assert_eq!(missing > 2, lags, "{missing} of 200 words had not arrived");
    }
}

/// A guest with caches on, and DMA that is about to start.
fn cached(capture: Capture, prepare: impl FnOnce(&mut Guest)) -> Guest {
    let mut guest = Guest::with_mmu(|_| ());
    capture.pins(&mut guest);
    capture.clock(&mut guest);
    capture.pcm(&mut guest);
    capture.blocks(&mut guest);
    prepare(&mut guest);
    guest
}

fn clean_blocks(guest: &mut Guest) {
    guest.clean(BLOCKS).clean(BLOCKS + 32);
}

/// Waits 2 ms: longer than two blocks of the ring.
fn wait(guest: &mut Guest) {
    guest.peek(TIMER + 4).word(0xe280_2e7d); // add r2, r0, #2000
    let top = guest.here();
    guest.ldr(0, 1, 0).word(0xe150_0002).branch(3, top); // until it is not below r2
    guest.set(1, 0).cp15(1, 7, 10, 5);
}

#[test]
fn dma_is_an_agent_of_the_cache_checks() {
    let capture = Capture::default();
    let mut right = cached(capture, clean_blocks);
    capture.start(&mut right);
    wait(&mut right);
    right.invalidate(RING).peek(RING).hang();
    assert_eq!(
        board(count(ADC), &right).run_until_ns(20 * MS),
        Stop::Deadline
    );

    let mut dirty_blocks = cached(capture, |_| ());
    capture.start(&mut dirty_blocks);
    dirty_blocks.hang();
    let found = fault(count(ADC), &dirty_blocks);
    assert_eq!(found, (FaultKind::DirtyLineRead(Agent::Dma), Some(BLOCKS)));

    let mut dirty_ring = cached(capture, |guest| {
        clean_blocks(guest);
        guest.poke(RING + 64, 1);
    });
    capture.start(&mut dirty_ring);
    dirty_ring.hang();
    let found = fault(count(ADC), &dirty_ring);
    assert_eq!(
        found,
        (FaultKind::DirtyLineOverwritten(Agent::Dma), Some(RING + 64))
    );

    let mut stale = cached(capture, |guest| {
        clean_blocks(guest);
        guest.peek(RING);
    });
    capture.start(&mut stale);
    wait(&mut stale);
    stale.peek(RING).hang();
    let found = fault(count(ADC), &stale);
    assert_eq!(found, (FaultKind::StaleLineRead(Agent::Dma), Some(RING)));

    let mut no_barrier = cached(capture, |guest| {
        guest.poke(capture.dma() + 4, BUS | BLOCKS);
        clean_blocks(guest);
    });
    no_barrier.poke(capture.dma(), 1).hang();
    let found = fault(count(ADC), &no_barrier);
    assert_eq!(found.0, FaultKind::MissingBarrier(Agent::Dma));
}

#[test]
fn memory_that_dma_wrote_past_the_l2_may_not_be_read_through_it() {
    let past = |guest: &mut Guest| {
        clean_blocks(guest);
        // Only the data goes past: the control blocks lie where the ARM has put them.
        guest.poke(BLOCKS + 8, 0xc000_0000 | RING).clean(BLOCKS);
    };
    let capture = Capture::default();
    let mut guest = cached(capture, past);
    capture.start(&mut guest);
    wait(&mut guest);
    guest.peek(RING).hang();
    let found = fault(count(ADC), &guest);
    assert_eq!(found, (FaultKind::StaleL2Read(Agent::Arm), Some(RING)));

    let mut blocks = cached(
        Capture {
            alias: 0xc000_0000,
            ..capture
        },
        clean_blocks,
    );
    blocks.dsb().poke(capture.dma() + 4, 0xc000_0000 | BLOCKS);
    blocks.poke(capture.dma(), 1).hang();
    let found = fault(count(ADC), &blocks);
    assert_eq!(found, (FaultKind::L2Passed(Agent::Dma), Some(BLOCKS)));

    let mut no_alias = cached(
        Capture {
            alias: 0,
            ..capture
        },
        clean_blocks,
    );
    no_alias
        .dsb()
        .poke(capture.dma() + 4, BLOCKS)
        .poke(capture.dma(), 1)
        .hang();
    let found = fault(count(ADC), &no_alias).0;
    assert!(
        matches!(
            found,
            FaultKind::BusAlias {
                agent: Agent::Dma,
                ..
            }
        ),
        "{found:?}"
    );
}

#[test]
fn what_the_manual_forbids_stops_the_run() {
    let misuse = |register, value| {
        let mut guest = Guest::new();
        Capture::default().run(&mut guest);
        guest.poke(register, value).hang();
        match fault(count(ADC), &guest).0 {
            FaultKind::Misuse(block, what) => (block, what),
            other => panic!("{other:?}"),
        }
    };
    for (register, value, block, word) in [
        (DMA + 0x300, 1, "DMA", "firmware"),
        (DMA + 0x504, BUS | BLOCKS, "DMA", "CONBLK_AD"),
        (PCM + 8, 0, "PCM", "MODE"),
        (PCM, CS_RECEIVE & !(1 << 9), "PCM", "CS"),
        (CM + 0x9c, 0x5a00_7000, "the clock manager", "BUSY"),
    ] {
        let found = misuse(register, value);
        assert!(found.0 == block && found.1.contains(word), "{found:?}");
    }
    let fast = Capture {
        mode: 1 << 20,
        ..Capture::default()
    };
    let mut guest = Guest::new();
    // 500 MHz of PLLD, divided by 19: 26.3 MHz.
    guest
        .poke(PCM, guest::capture::CS_ON)
        .poke(PCM + 8, fast.mode)
        .poke(CM + 0x9c, 0x5a01_3000)
        .poke(CM + 0x98, 0x5a00_0006)
        .poke(CM + 0x98, 0x5a00_0016)
        .hang();
    let found = fault(count(ADC), &guest).0;
    assert!(matches!(found, FaultKind::Misuse("PCM", what) if what.contains("25 MHz")));
    let lite = Capture {
        channel: 9,
        half: 0x1_0000,
        ..Capture::default()
    };
    let mut guest = Guest::new();
    lite.run(&mut guest);
    guest.hang();
    let found = fault(count(ADC), &guest).0;
    assert!(matches!(found, FaultKind::Misuse("DMA", what) if what.contains("65,535")));
}

#[test]
fn the_wire_can_be_cut_and_fixed_while_samples_come() {
    let capture = Capture::default();
    let mut guest = Guest::new();
    capture.run(&mut guest);
    guest.hang();
    let mut pi = board(count(ADC), &guest);
    pi.run_until_ns(10 * MS);
    pi.set_i2s_wiring(Wiring::NoClock);
    pi.run_until_ns(20 * MS);
    assert_eq!(words(&pi, RING, 128), [0; 128]);
    pi.set_i2s_wiring(Wiring::Right);
    pi.run_until_ns(30 * MS);
    let lefts = counted(&words(&pi, RING, 128));
    assert_consecutive(&lefts);
    // The frames went on meanwhile.
    let last = lefts[lefts.len() - 1];
    assert!((1450..1500).contains(&last), "{last}");
}
