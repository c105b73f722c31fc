//! Rules of the blocks: a small program that keeps all of them says nothing, and the same with one
//! step left out has a message that names the rule.

mod guest;

use guest::Guest;
use guest::capture::{BLOCKS, BUS, CM, CS_ON, CS_RECEIVE, Capture, DMA, GPIO, PCM};
use guest::parallel::{CS_CLEAR, CS_ON as SMI_ON, CS_START, Parallel, SMI};
use virtual_pi::{Config, FaultKind, I2sPart, I2sRole, ParallelPart, Signal, Stop, VirtualPi};

const MS: u64 = 1_000_000;
/// No step is left out.
const RIGHT: &str = "";

const SYNC: u32 = 1 << 24;
const RXCLR: u32 = 1 << 4;
const STBY: u32 = 1 << 25;
const RESET: u32 = 1 << 31;

/// Names of the rules that a guest has broken after some time.
fn broken(guest: &Guest, config: Config) -> Vec<String> {
    let mut pi = VirtualPi::new(config, &guest.image()).expect("a good configuration");
    assert_eq!(pi.run_until_ns(4 * MS), Stop::Deadline);
    let messages = pi.messages();
    pi.run_until_ns(5 * MS);
    assert_eq!(pi.messages(), [""; 0], "each is told once");
    let name = |message: &String| message.split(':').next().unwrap_or_default().to_owned();
    messages.iter().map(name).collect()
}

/// Makes channel 5 ready.
fn dma(guest: &mut Guest, wrong: &str) {
    if wrong != "ENABLE" {
        guest.poke(DMA + 0xff0, 1 << 5);
    }
    if wrong != "RESET" {
        guest.poke(DMA + 0x500, RESET);
    }
    if wrong != "a look at RESET" {
        guest.poll(DMA + 0x500, RESET, false);
    }
}

/// Receives I2S, in the order of the manual.
fn i2s(wrong: &str) -> Guest {
    let capture = Capture::default();
    let mut guest = Guest::new();
    capture.pins(&mut guest);
    capture.clock(&mut guest);
    capture.blocks(&mut guest);
    dma(&mut guest, wrong);
    let slot = |position: u32| 1 << 15 | 1 << 14 | position << 4 | 8;
    let levels = match wrong {
        "a panic level" => 0x1000_3020,
        "room in the FIFO" => 0x1030_303f,
        _ => 0x1030_3020,
    };
    let (on, sync) = (CS_ON & !STBY, SYNC);
    let on = if wrong == "STBY in time" { on } else { CS_ON };
    guest
        .poke(PCM + 0x08, capture.mode)
        .poke(PCM + 0x0c, slot(1) << 16 | slot(33))
        .poke(PCM + 0x14, levels)
        .poke(PCM, on)
        .poke(PCM, on | sync)
        .poll(PCM, SYNC, true);
    if wrong != "RXCLR" {
        guest.poke(PCM, on | sync | RXCLR);
    }
    if wrong != "a wait for RXCLR" {
        guest.poke(PCM, on).poll(PCM, SYNC, false);
    }
    guest.poke(DMA + 0x504, BUS | BLOCKS);
    if wrong != "a wait for RXCLR" {
        guest.poke(DMA + 0x500, 1);
    }
    guest.poke(PCM, CS_RECEIVE).hang();
    guest
}

fn with_i2s() -> Config {
    Config {
        i2s: Some(I2sPart::new(I2sRole::Slave, Signal::Count)),
        ..Config::default()
    }
}

#[test]
fn a_capture_of_i2s_without_one_of_its_steps_breaks_the_rule_of_that_step() {
    assert_eq!(broken(&i2s(RIGHT), with_i2s()), [""; 0]);
    for (wrong, rule) in [
        ("ENABLE", "dma-enable"),
        ("RESET", "dma-reset"),
        ("a look at RESET", "dma-reset-wait"),
        ("a panic level", "pcm-levels"),
        ("room in the FIFO", "pcm-levels"),
        ("STBY in time", "pcm-standby"),
        ("RXCLR", "pcm-clear"),
        ("a wait for RXCLR", "pcm-clear-wait"),
    ] {
        let found = broken(&i2s(wrong), with_i2s());
        assert!(found.contains(&rule.to_owned()), "{wrong}: {found:?}");
    }
}

/// Reads a parallel ADC, which gets SMI's data pins while reads are under way.
fn parallel(wrong: &str) -> Guest {
    let parallel = match wrong {
        "a request level" => Parallel {
            threshold: 0,
            ..Parallel::default()
        },
        "room in the FIFO" => Parallel {
            threshold: 0x3f,
            ..Parallel::default()
        },
        "a panic level" => Parallel {
            threshold: 8,
            ..Parallel::default()
        },
        _ => Parallel::default(),
    };
    let mut guest = Guest::new();
    parallel.clock(&mut guest);
    parallel.smi(&mut guest);
    if wrong == "CLEAR" {
        guest.poke(SMI, 0).poke(SMI, SMI_ON);
    }
    parallel.blocks(&mut guest);
    dma(&mut guest, wrong);
    guest.poke(DMA + 0x504, BUS | BLOCKS);
    if wrong != "DMA" {
        guest.poke(DMA + 0x500, 1);
    }
    if wrong == "START before the pins" {
        parallel.pins(&mut guest);
    }
    guest.poke(SMI, CS_START);
    parallel.pins(&mut guest);
    if wrong == "pins taken away before the end" {
        guest.poke(SMI, 0);
    } else if wrong == "an end" {
        guest
            .poke(GPIO + 4, 0)
            .poke(GPIO + 8, 0)
            .poke(SMI, 0)
            .poke(SMI, SMI_ON)
            .poke(SMI, CS_CLEAR);
    }
    guest.hang();
    guest
}

fn with_parallel() -> Config {
    Config {
        parallel: Some(ParallelPart::new(Signal::Count)),
        ..Config::default()
    }
}

#[test]
fn a_capture_of_smi_without_one_of_its_steps_breaks_the_rule_of_that_step() {
    for right in [RIGHT, "an end"] {
        assert_eq!(broken(&parallel(right), with_parallel()), [""; 0]);
    }
    for (wrong, rule) in [
        ("ENABLE", "dma-enable"),
        ("RESET", "dma-reset"),
        ("a look at RESET", "dma-reset-wait"),
        ("a request level", "smi-levels"),
        ("room in the FIFO", "smi-levels"),
        ("a panic level", "smi-levels"),
        ("CLEAR", "smi-clear"),
        ("START before the pins", "smi-drive"),
        ("pins taken away before the end", "smi-drive"),
        ("DMA", "smi-pause"),
    ] {
        let found = broken(&parallel(wrong), with_parallel());
        assert!(found.contains(&rule.to_owned()), "{wrong}: {found:?}");
    }
    // Without an ADC nothing drives the wires.
    let alone = broken(&parallel("START before the pins"), Config::default());
    assert_eq!(alone, [""; 0]);
}

/// Pulls GPIO 28 up, notes its level, and sleeps; `wait` and `hold` laps of a loop of two
/// instructions.
fn pull(laps: [u32; 2]) -> Guest {
    let mut guest = Guest::new();
    let wait = |guest: &mut Guest, laps: u32| {
        guest.set(2, laps);
        let top = guest.here();
        guest.word(0xe252_2001).branch(1, top); // subs r2, r2, #1; bne
    };
    guest.poke(GPIO + 0x94, 2);
    wait(&mut guest, laps[0]);
    guest.poke(GPIO + 0x98, 1 << 28);
    wait(&mut guest, laps[1]);
    guest.poke(GPIO + 0x94, 0).poke(GPIO + 0x98, 0).hang();
    guest
}

#[test]
fn a_pull_takes_150_cycles_of_250_mhz_before_and_after() {
    // A lap is four clocks of 700 MHz, and a fetch that no cache holds.
    for (laps, rules) in [
        ([150, 150], &[][..]),
        ([5, 150], &["gpio-pull"]),
        ([150, 5], &["gpio-pull"]),
    ] {
        assert_eq!(broken(&pull(laps), Config::default()), rules, "{laps:?}");
    }
}

#[test]
fn a_generator_that_ran_before_is_stopped_and_waited_for() {
    let ctl = CM + 0x98;
    for (halts, waits) in [(true, true), (true, false), (false, false)] {
        let mut guest = Guest::new();
        if halts {
            // The source, the crystal, and MASH stay.
            guest.poke(ctl, 0x5a00_0201);
        }
        if waits {
            guest.poll(ctl, 1 << 7, false);
        }
        Capture::default().clock(&mut guest);
        guest.hang();
        let config = Config {
            clocks_run_at_boot: true,
            ..Config::default()
        };
        let mut pi = VirtualPi::new(config, &guest.image()).expect("a good configuration");
        match pi.run_until_ns(4 * MS) {
            Stop::Deadline => assert!(waits),
            Stop::Fault(fault) => {
                assert!(!waits, "{fault}");
                assert!(matches!(
                    fault.kind,
                    FaultKind::Misuse("the clock manager", _)
                ));
            }
            stop => panic!("{stop:?}"),
        }
    }
}
