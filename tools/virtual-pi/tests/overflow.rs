//! Live inputs that lose samples: FIFOs that run over, DMA that is late, and what shows it.

mod guest;

use std::time::Duration;

use guest::Guest;
use guest::capture::{Capture, DMA, PCM, RING};
use guest::parallel::{CS_CLEAR, CS_ON, CS_START, Parallel, SMI};
use virtual_pi::{
    Config, DmaHold, Error, HoldsAfter, I2sPart, I2sRole, ParallelPart, Signal, SmiLevels, Stop,
    VirtualPi,
};

const MS: u64 = 1_000_000;
/// Where guests leave words for the tests.
const NOTES: u32 = 0x0040_0000;

fn board(config: Config, guest: &Guest) -> VirtualPi {
    VirtualPi::new(config, &guest.image()).expect("a good configuration")
}

/// A board with a parallel ADC.
fn with_adc(config: Config, guest: &Guest) -> VirtualPi {
    let parallel = Some(ParallelPart::new(Signal::Count));
    board(Config { parallel, ..config }, guest)
}

fn run(pi: &mut VirtualPi, ms: u64) {
    let until = pi.now_ns() + ms * MS;
    assert_eq!(pi.run_until_ns(until), Stop::Deadline);
}

fn hold(held_us: u64, period_us: u64) -> DmaHold {
    let us = Duration::from_micros;
    DmaHold::new(us(held_us), us(period_us)).expect("a hold")
}

fn capture(parallel: Parallel) -> Guest {
    let mut guest = Guest::new();
    parallel.run(&mut guest);
    guest.hang();
    guest
}

/// Samples of 20 MS/s that are missing in 10 ms, once the input runs.
fn missed(config: Config) -> u64 {
    let mut pi = with_adc(config, &capture(Parallel::default()));
    run(&mut pi, 1);
    let before = pi.smi_reads();
    run(&mut pi, 10);
    let after = pi.smi_reads();
    let due = after.due - before.due;
    assert!(due.abs_diff(200_000) <= 1, "{due} in 10 ms");
    // What was done and not taken is in the FIFO.
    let in_fifo = |reads: virtual_pi::SmiReads| (reads.done - reads.taken) as i64;
    let taken = (after.taken - before.taken) as i64;
    let missed = after.missed() - before.missed();
    assert_eq!(
        due as i64,
        taken + missed as i64 + in_fifo(after) - in_fifo(before)
    );
    missed
}

/// The words that a guest leaves.
fn notes(config: Config, guest: &Guest, count: usize) -> Vec<u32> {
    let mut pi = with_adc(config, guest);
    run(&mut pi, 5);
    let bytes = pi.read_memory(NOTES, 4 * count).expect("in memory");
    let words = bytes.as_chunks().0;
    words.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Stores r0 in note `index`.
fn note(guest: &mut Guest, index: u32) {
    guest.set(1, NOTES + 4 * index).str(0, 1, 0);
}

#[test]
fn a_hold_loses_what_the_fifo_cannot_keep() {
    // Words come each 100 ns, and up to a burst of four is there when the hold begins.
    for (words, held_us) in [(16, 5), (8, 5), (64, 20), (16, 2)] {
        let config = Config {
            smi_fifo_words: words,
            dma_hold: Some(hold(held_us, 1000)),
            ..Config::default()
        };
        let lost = missed(config) / 10;
        let most = 20 * held_us - 2 * (u64::from(words) - 5);
        let least = 20 * held_us - 2 * u64::from(words);
        assert!(
            (least..=most).contains(&lost),
            "{words} words, {held_us} us: {lost} of {least}..={most}"
        );
    }
    for (words, held_us) in [(16, 1), (64, 5)] {
        let config = Config {
            smi_fifo_words: words,
            dma_hold: Some(hold(held_us, 1000)),
            ..Config::default()
        };
        assert_eq!(missed(config), 0, "{words} words, {held_us} us");
    }
}

#[test]
fn a_hold_can_begin_and_end_while_the_board_runs() {
    let mut pi = with_adc(Config::default(), &capture(Parallel::default()));
    run(&mut pi, 2);
    assert_eq!(pi.smi_missed(), 0);
    pi.set_dma_hold(Some(hold(5, 100)));
    run(&mut pi, 2);
    let missed = pi.smi_missed();
    assert!(missed > 1_000, "{missed}");
    pi.set_dma_hold(None);
    run(&mut pi, 2);
    assert!(pi.smi_missed() - missed < 100);
}

#[test]
fn a_hold_behind_a_look_is_over_before_the_next_one() {
    let look = Some(hold(5, 1000).after(HoldsAfter::Look));
    let config = Config {
        dma_hold: look,
        ..Config::default()
    };
    assert_eq!(missed(config.clone()), 0, "nobody looks");
    // Each look asks if the FIFO is full, and then where DMA is.
    let mut guest = Guest::new();
    Parallel::default().run(&mut guest);
    guest.set(3, 0);
    let top = guest.here();
    guest
        .peek(SMI)
        .word(0xe183_3000) // orr r3, r3, r0
        .peek(DMA + 0x510)
        .word(0xe1a0_0003) // mov r0, r3
        .set(1, NOTES)
        .str(0, 1, 0)
        .set(2, 2_000);
    let wait = guest.here();
    guest
        .word(0xe252_2001) // subs r2, r2, #1
        .branch(1, wait)
        .branch(14, top);
    let mut pi = with_adc(config, &guest);
    run(&mut pi, 11);
    let missed = pi.smi_missed();
    assert!((600..=900).contains(&missed), "{missed}");
    let seen = pi.read_memory(NOTES + 3, 1).expect("in memory")[0];
    assert_eq!(seen & 0x80, 0, "RXF was never seen");
}

#[test]
fn the_debug_register_reads_as_it_was_asked_to() {
    let mut guest = Guest::new();
    let parallel = Parallel::default();
    parallel.pins(&mut guest);
    parallel.clock(&mut guest);
    // 200 reads for which there is no DMA.
    guest
        .poke(SMI + 0x10, parallel.dsr())
        .poke(SMI + 0x04, 200)
        .poke(SMI, CS_ON)
        .poke(SMI, CS_CLEAR)
        .poke(SMI, CS_START)
        .poll(SMI, 1 << 31, true);
    guest.peek(SMI + 0x40);
    note(&mut guest, 0);
    guest.peek(SMI);
    note(&mut guest, 1);
    guest.hang();
    let read = |smi_fifo_words, smi_levels| {
        let config = Config {
            smi_fifo_words,
            smi_levels,
            ..Config::default()
        };
        notes(config, &guest, 2)
    };
    for (words, levels, wanted) in [
        (16, SmiLevels::SinceStart, 0x1010),
        (8, SmiLevels::SinceStart, 0x0808),
        (63, SmiLevels::SinceRead, 0x3f3f),
        (64, SmiLevels::SinceStart, 0),
        (16, SmiLevels::Zero, 0),
    ] {
        let found = read(words, levels);
        assert_eq!(found[0], wanted, "{words} words, {levels:?}");
        assert_eq!(found[1] >> 31, 1, "RXF");
    }
}

#[test]
fn a_level_beyond_the_fifo_never_asks_and_one_of_zero_always() {
    let with = |threshold| {
        let parallel = Parallel {
            threshold,
            ..Parallel::default()
        };
        let mut guest = Guest::new();
        parallel.run(&mut guest);
        guest.set(2, 100_000);
        let wait = guest.here();
        guest.word(0xe252_2001).branch(1, wait).peek(SMI);
        note(&mut guest, 0);
        guest.hang();
        let mut pi = with_adc(Config::default(), &guest);
        run(&mut pi, 5);
        let status = pi.read_memory(NOTES, 4).expect("in memory");
        let status = u32::from_le_bytes(status.try_into().expect("a word"));
        (pi.smi_reads(), status)
    };
    let [rxf, aferr] = [1 << 31, 1 << 25];
    let (reads, status) = with(17);
    assert_eq!((reads.taken, reads.done), (0, 32));
    assert_eq!(status & (rxf | aferr), rxf);
    let (reads, status) = with(16);
    assert!(reads.taken > 10_000 && reads.missed() > 0, "{reads:?}");
    assert_eq!(status & aferr, 0);
    // DMA reads what is not there.
    let (reads, status) = with(0);
    assert_eq!(reads.missed(), 0);
    assert_eq!(status & aferr, aferr);
}

#[test]
fn clocks_of_plld_are_off_against_the_system_timer_as_plld_is() {
    for (ppb, wanted) in [(0, 200_000), (500_000, 200_100), (-1_000_000, 199_800)] {
        let config = Config {
            plld_ppb: ppb,
            ..Config::default()
        };
        let mut pi = with_adc(config, &capture(Parallel::default()));
        run(&mut pi, 1);
        let before = pi.smi_reads().due;
        run(&mut pi, 10);
        let due = pi.smi_reads().due - before;
        assert!(due.abs_diff(wanted) <= 1, "{ppb}: {due} of {wanted}");
    }
    // The crystal is that of the system timer.
    let off = Config {
        plld_ppb: 1_000_000,
        ..Config::default()
    };
    assert!(frames(off, I2sRole::Slave).abs_diff(500) <= 1);
}

/// Frames of PCM in 10 ms: 50 kHz of the crystal.
fn frames(config: Config, role: I2sRole) -> u64 {
    let mut guest = Guest::new();
    Capture::default().run(&mut guest);
    guest.hang();
    let i2s = Some(I2sPart::new(role, Signal::Count));
    let mut pi = board(Config { i2s, ..config }, &guest);
    run(&mut pi, 5);
    let before = pi.pcm_words().due;
    run(&mut pi, 10);
    (pi.pcm_words().due - before) / 2
}

#[test]
fn a_late_write_holds_the_channel_up_when_too_many_are_on_their_way() {
    // Writes of 16 bytes come each 400 ns. One takes 200 ns and the delay, and one of so many ends
    // each 400 ns at the most.
    let with = |dma_outstanding_writes, dma_write_delay_ns, smi_fifo_words| {
        missed(Config {
            dma_outstanding_writes,
            dma_write_delay_ns,
            smi_fifo_words,
            ..Config::default()
        })
    };
    for (outstanding, kept, lost) in [(1, 100, 300), (2, 500, 700), (15, 5_500, 6_000)] {
        assert_eq!(with(outstanding, kept, 16), 0, "{outstanding}");
        assert!(with(outstanding, lost, 16) > 0, "{outstanding}");
    }
    // In the long run the depth of the FIFO changes nothing.
    for words in [8, 16, 64] {
        assert_eq!(with(3, 900, words), 0, "{words} words");
        assert!(with(3, 1_100, words) > 0, "{words} words");
    }
}

#[test]
fn words_of_25_msps_reach_memory_one_by_one() {
    // iosoft's program: a burst of one word, a write of four bytes, four cycles of 10 ns.
    let parallel = Parallel {
        phases: [1, 2, 1],
        burst: 1,
        wide: false,
        ..Parallel::default()
    };
    for (dma_outstanding_writes, keeps_up) in [(3, true), (2, false)] {
        let config = Config {
            dma_outstanding_writes,
            ..Config::default()
        };
        let mut pi = with_adc(config, &capture(parallel));
        run(&mut pi, 5);
        assert_eq!(pi.smi_missed() == 0, keeps_up, "{dma_outstanding_writes}");
    }
}

#[test]
fn dma_waits_for_the_arm_at_the_way_to_memory() {
    // The ARM loads one line after the other, of 512 KiB, for some 10 ms.
    let guest = |loads: bool| {
        let mut guest = Guest::with_mmu(|_| ());
        let parallel = Parallel::default();
        parallel.pins(&mut guest);
        parallel.clock(&mut guest);
        parallel.smi(&mut guest);
        parallel.blocks(&mut guest);
        guest
            .clean(guest::capture::BLOCKS)
            .clean(guest::capture::BLOCKS + 32);
        parallel.start(&mut guest);
        if loads {
            let again = guest.here();
            guest.set(4, 0x0100_0000).set(5, 16 << 10);
            let top = guest.here();
            guest
                .ldr(0, 4, 0)
                .word(0xe284_4020) // add r4, r4, #32
                .word(0xe255_5001) // subs r5, r5, #1
                .branch(1, top)
                .branch(14, again);
        }
        guest.hang();
        guest
    };
    let lost = |dma_write_delay_ns, loads| {
        // Without the ARM the channel just keeps up.
        let config = Config {
            dma_outstanding_writes: 2,
            dma_write_delay_ns,
            ..Config::default()
        };
        let mut pi = with_adc(config, &guest(loads));
        run(&mut pi, 10);
        pi.smi_missed()
    };
    assert_eq!(lost(590, false), 0);
    let [idle, busy] = [false, true].map(|loads| lost(600, loads));
    assert!(busy > 2 * idle, "{idle} and {busy}");
}

#[test]
fn a_full_fifo_of_pcm_loses_words_and_channels_change_places() {
    // An ADC of 384 kS/s that gives the clocks: 64 words are 83 us.
    let capture = Capture {
        divider: 0,
        half: 4096,
        ..Capture::default()
    };
    let mut guest = Guest::new();
    capture.run(&mut guest);
    guest.poll(PCM, 1 << 16, true).peek(guest::TIMER + 4);
    note(&mut guest, 0);
    guest.hang();
    let i2s = Some(I2sPart::new(I2sRole::Master(384_000, 1), Signal::Count));
    let config = Config {
        i2s,
        ..Config::default()
    };
    let mut pi = board(config, &guest);
    run(&mut pi, 5);
    assert_eq!((pi.pcm_missed(), pi.pcm_words().lost), (0, 0));
    // 201 us and 384 kHz: sometimes an odd number of words is lost.
    pi.set_dma_hold(Some(hold(201, 1000)));
    let mut swapped = 0;
    for _ in 0..20 {
        run(&mut pi, 1);
        let ring = pi.read_memory(RING, 4096).expect("in memory");
        let word = |at: usize| u32::from_le_bytes(ring[at..at + 4].try_into().expect("a word"));
        // The right sample is the complement of the left one, whose upper bits are 0.
        swapped += usize::from(word(0) >> 31 != 0);
    }
    let words = pi.pcm_words();
    let frames = pi.pcm_missed();
    // 201 us, of which the FIFO keeps 32 to 64 words.
    assert!((1_800..=2_500).contains(&words.lost), "{words:?}");
    assert!(frames * 2 >= words.lost && frames * 2 <= words.lost + 40);
    assert!(words.due - words.lost - words.taken <= 64);
    assert!(swapped > 0 && swapped < 20, "{swapped} of 20");
    let at_us = pi.read_memory(NOTES, 4).expect("in memory");
    assert_ne!(at_us, [0; 4], "RXERR was seen");
}

#[test]
fn settings_that_no_board_has_are_refused() {
    let refused = |config: Config| VirtualPi::new(config, &[0; 4]).err();
    let config = Config::default;
    for smi_fifo_words in [0, 65] {
        let error = refused(Config {
            smi_fifo_words,
            ..config()
        });
        assert_eq!(error, Some(Error::SmiFifo(smi_fifo_words)));
    }
    for dma_outstanding_writes in [0, 16] {
        let error = refused(Config {
            dma_outstanding_writes,
            ..config()
        });
        assert_eq!(error, Some(Error::DmaWrites(dma_outstanding_writes)));
    }
    let plld_ppb = i32::MIN;
    let error = refused(Config {
        plld_ppb,
        ..config()
    });
    assert_eq!(error, Some(Error::Plld(plld_ppb)));
}
