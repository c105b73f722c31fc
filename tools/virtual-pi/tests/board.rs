//! The board as a guest and its host see it: boot state, line, timer, WFI, reset, V3D.

mod guest;

use guest::capture::GPIO;
use guest::{ASB, Guest, INTC, MAILBOX, PM, TIMER, UART, UNCACHED, V3D};
use virtual_pi::{Config, Error, Stop, VirtualPi};

const SECOND: u64 = 1_000_000_000;

fn boot(config: Config, guest: &Guest) -> VirtualPi {
    VirtualPi::new(config, &guest.image()).expect("a good configuration")
}

/// Bytes that the board has sent, which must have arrived without errors.
fn text(pi: &mut VirtualPi) -> Vec<u8> {
    let bytes = pi.serial_received();
    assert!(bytes.iter().all(|byte| !byte.error));
    bytes.iter().map(|byte| byte.value).collect()
}

/// Sends the four bytes of r0, lowest first; keeps r4 and up.
fn send_word(guest: &mut Guest) {
    guest.set(1, UART);
    for _ in 0..4 {
        guest.str(0, 1, 0).word(0xe1a0_0420); // lsr r0, r0, #8
    }
}

/// The words that a guest sent with [`send_word`].
fn words(pi: &mut VirtualPi) -> Vec<u32> {
    let bytes = text(pi);
    bytes
        .chunks_exact(4)
        .map(|four| u32::from_le_bytes(four.try_into().unwrap()))
        .collect()
}

#[test]
fn the_core_starts_as_the_boot_firmware_leaves_it() {
    let mut guest = Guest::new();
    guest
        .word(0xe1a0_4000) // mov r4, r0
        .word(0xe1a0_5001) // mov r5, r1
        .word(0xe1a0_6002) // mov r6, r2
        .word(0xe10f_7000) // mrs r7, cpsr
        .word(0xe1a0_8004);
    guest.uart();
    for register in 4..=7 {
        guest.word(0xe1a0_0000 | register); // mov r0, register
        send_word(&mut guest);
    }
    guest.hang();
    let mut pi = boot(Config::default(), &guest);
    assert_eq!(pi.run_until_ns(SECOND), Stop::Deadline);
    assert_eq!(words(&mut pi), [0, 0xc42, 0x100, 0x4000_01d3]);
}

#[test]
fn atags_carry_memory_and_command_line() {
    let mut guest = Guest::new();
    guest.uart();
    for offset in [0, 4, 0x0c, 0x10, 0x14, 0x18, 0x1c, 0x20] {
        guest.peek(0x100 + offset - if offset > 8 { 4 } else { 0 });
        send_word(&mut guest);
        // Twice sixteen bytes fit into FIFO and time.
        guest.poll(UART + 0x18, 1 << 7, true);
    }
    guest.hang();
    let config = Config {
        cmdline: "n=64".into(),
        ram_mib: 256,
        gpu_mib: 64,
        ..Config::default()
    };
    let mut pi = boot(config, &guest);
    pi.run_until_ns(SECOND);
    let found = words(&mut pi);
    assert_eq!(found[..2], [2, 0x5441_0001]);
    assert_eq!(found[2..6], [4, 0x5441_0002, 192 << 20, 0]);
    assert_eq!(found[6..8], [4, 0x5441_0009]);
}

#[test]
fn an_idle_hour_costs_nothing() {
    let mut guest = Guest::new();
    let top = guest.here();
    guest.wfi().branch(14, top);
    let mut pi = boot(Config::default(), &guest);
    assert_eq!(pi.run_until_ns(3600 * SECOND), Stop::Deadline);
    assert!(pi.now_ns() >= 3600 * SECOND);
}

/// Waits by WFI until the timer's compare 1 is `us` from now, without taking the interrupt.
fn sleep_us(guest: &mut Guest, us: u32) {
    guest.peek(TIMER + 4).set(2, us);
    guest
        .word(0xe080_0002) // add r0, r0, r2
        .str(0, 1, 0x0c)
        .poke(INTC + 0x10, 2)
        .wfi()
        .poke(TIMER, 2);
}

#[test]
fn wfi_wakes_on_the_tick_of_the_timer() {
    let mut guest = Guest::new();
    guest.uart();
    sleep_us(&mut guest, 250_000);
    guest.poke(UART, b'!'.into()).hang();
    let mut pi = boot(Config::default(), &guest);
    pi.run_until_ns(SECOND);
    let bytes = pi.serial_received();
    // A quarter of a second, ten bits, and some instructions.
    let late = bytes[0].at_ns - 250_000_000 - 86_800;
    assert!(late < 5_000, "{late} ns late");
}

#[test]
fn the_same_inputs_give_the_same_bytes_at_the_same_times() {
    let mut guest = Guest::new();
    guest.uart();
    let top = guest.here();
    guest.poll(UART + 0x18, 1 << 4, false).peek(UART);
    guest
        .word(0xe280_0001)
        .set(1, UART)
        .str(0, 1, 0)
        .branch(14, top); // echo, plus one
    let run = |slices: u64| {
        let mut pi = boot(Config::default(), &guest);
        pi.run_until_ns(1_000_000);
        pi.serial_send(b"HAL");
        for slice in 1..=slices {
            pi.run_until_ns(1_000_000 + SECOND / 100 * slice / slices);
        }
        (pi.serial_received(), pi.now_ns())
    };
    let (bytes, end) = run(1);
    assert_eq!(
        bytes.iter().map(|byte| byte.value).collect::<Vec<_>>(),
        b"IBM"
    );
    // How often the host looks does not matter.
    assert_eq!(run(1), (bytes.clone(), end));
    assert_eq!(run(1000).0, bytes);
}

#[test]
fn a_wrong_rate_garbles_and_the_right_one_heals() {
    let mut guest = Guest::new();
    guest.uart();
    let top = guest.here();
    guest.poke(UART, b'U'.into());
    sleep_us(&mut guest, 10_000);
    guest.branch(14, top);
    let mut pi = boot(
        Config {
            host_baud: 9600,
            ..Config::default()
        },
        &guest,
    );
    pi.run_until_ns(100_000_000);
    let bytes = pi.serial_received();
    assert!(!bytes.is_empty() && bytes.iter().all(|byte| byte.error));
    pi.set_host_baud(115_200);
    pi.run_until_ns(200_000_000);
    assert!(text(&mut pi).iter().all(|&byte| byte == b'U'));
}

#[test]
fn the_watchdog_reboots_the_board_and_says_why() {
    let mut guest = Guest::new();
    // PM_RSTS as the firmware found it, and then the register, which that has cleared.
    guest.uart().property(0x0010_0000, 0x0004_0011, &[0]);
    guest.peek(0x0010_0014);
    send_word(&mut guest);
    guest.peek(PM + 0x20);
    send_word(&mut guest);
    guest.poll(UART + 0x18, 1 << 3, false);
    guest
        .poke(PM + 0x24, 0x5a00_0000 | 655)
        .poke(PM + 0x1c, 0x5a00_0020)
        .hang();
    let mut pi = boot(Config::default(), &guest);
    assert_eq!(pi.run_until_ns(SECOND), Stop::Reset);
    let first = pi.now_ns();
    assert!((10_000_000..11_000_000).contains(&first), "{first}");
    assert_eq!(pi.run_until_ns(SECOND), Stop::Reset);
    assert_eq!(words(&mut pi), [0x1000, 0, 0x20, 0]);
    let mut pi = boot(
        Config {
            no_reboot: true,
            ..Config::default()
        },
        &guest,
    );
    assert_eq!(pi.run_until_ns(SECOND), Stop::Reset);
    assert_eq!(pi.run_until_ns(SECOND), Stop::Reset);
    assert_eq!(words(&mut pi), [0x1000, 0]);
}

#[test]
fn v3d_shows_itself_only_with_power() {
    let mut guest = Guest::new();
    guest.uart().peek(V3D);
    send_word(&mut guest);
    guest.property(0x0010_0000, 0x0003_0012, &[1]).peek(V3D);
    send_word(&mut guest);
    guest.property(0x0010_0000, 0x0003_0012, &[0]).peek(V3D);
    send_word(&mut guest);
    guest.hang();
    for (v3d, wanted) in [
        (true, [0xdead_beef, 0x0244_3356, 0xdead_beef]),
        (false, [0; 3]),
    ] {
        let mut pi = boot(
            Config {
                v3d,
                ..Config::default()
            },
            &guest,
        );
        assert_eq!(pi.run_until_ns(SECOND), Stop::Deadline);
        assert_eq!(words(&mut pi), wanted);
        assert_eq!(pi.messages().is_empty(), v3d);
    }
}

/// `nop; thrend`, `nop`, `nop`: the shortest program (docs/hardware/qpu.md 1.14).
const SHORTEST: [u64; 3] = [
    0x3000_09e7_009e_7000,
    0x1000_09e7_009e_7000,
    0x1000_09e7_009e_7000,
];

fn put_program(guest: &mut Guest, at: u32, program: &[u64]) {
    for (index, word) in program.iter().enumerate() {
        let at = at + 8 * index as u32;
        guest
            .poke(at, *word as u32)
            .poke(at + 4, (*word >> 32) as u32);
    }
}

#[test]
fn v3d_runs_in_step_with_the_arm() {
    let mut guest = Guest::new();
    guest.uart().property(0x0010_0000, 0x0003_0012, &[1]);
    put_program(&mut guest, 0x0010_1000, &SHORTEST);
    guest
        .dsb()
        .poke(V3D + 0x43c, 0x0001_0181)
        .poke(V3D + 0x430, 0x4010_1000);
    guest.poll(V3D + 0x43c, 1 << 16, true).peek(V3D + 0x43c);
    send_word(&mut guest);
    guest.hang();
    let mut pi = boot(Config::default(), &guest);
    assert_eq!(
        pi.run_until_ns(SECOND),
        Stop::Deadline,
        "{:?}",
        pi.messages()
    );
    // One made, one completed; and the same to the nanosecond when the host looks more often.
    let bytes = pi.serial_received();
    assert_eq!(
        bytes.iter().map(|byte| byte.value).collect::<Vec<_>>(),
        [0, 1, 1, 0]
    );
    let mut sliced = boot(Config::default(), &guest);
    for slice in 1..2000 {
        sliced.run_until_ns(slice * 777);
    }
    sliced.run_until_ns(SECOND);
    assert_eq!(sliced.serial_received(), bytes);
}

/// Stores a word that a program has looked up before, and runs the program again.
fn look_up_twice(clear_caches: bool) -> Vec<String> {
    const UNIFORMS: u32 = 0x0020_2000;
    const DATA: u32 = 0x0020_3000;
    let nop = SHORTEST[1];
    let [look_up, wait] = [0x1002_0e27_1582_7d80, 0xa000_09e7_009e_7000]; // mov tmu0_s, unif; ldtmu0
    let program = [nop, nop, look_up, nop, wait, SHORTEST[0], nop, nop];
    // Property buffers of a guest are uncached memory.
    let mut guest = Guest::with_mmu(|table| table[1] = 1 << 20 | UNCACHED);
    guest.property(0x0010_0000, 0x0003_0012, &[1]);
    put_program(&mut guest, 0x0020_1000, &program);
    guest.poke(UNIFORMS, 0x4000_0000 | DATA);
    for line in [0x0020_1000, 0x0020_1020, UNIFORMS] {
        guest.clean(line);
    }
    for run in 1..=2 {
        guest.poke(DATA, run).clean(DATA).dsb();
        if clear_caches {
            guest.poke(V3D + 0x20, 4).poke(V3D + 0x24, 0x0f0f_0f0f);
        }
        guest
            .poke(V3D + 0x434, 0x4000_0000 | UNIFORMS)
            .poke(V3D + 0x430, 0x4020_1000)
            .poll(V3D + 0x43c, run << 16, true);
    }
    guest.hang();
    let mut pi = boot(Config::default(), &guest);
    assert_eq!(pi.run_until_ns(SECOND), Stop::Deadline);
    pi.messages()
}

#[test]
fn v3d_s_caches_must_be_cleared_after_the_arm_has_stored() {
    assert_eq!(look_up_twice(true), Vec::<String>::new());
    let messages = look_up_twice(false).join("\n");
    assert!(
        messages.contains("before the caches are cleared"),
        "{messages}"
    );
}

/// SRQCS while a program without end runs and, after V3D was off for `off_us`, when a short one has
/// had time.
fn power_cycled(off_us: u32) -> Vec<u32> {
    // A branch to itself: bra, with its three delay slots.
    let branch = 0xf000_0000_0000_0000 | 0x00f8_09e7_u64 << 32 | 0xffff_ffe0;
    let nop = SHORTEST[1];
    let mut guest = Guest::new();
    guest.uart().property(0x0010_0000, 0x0003_0012, &[1]);
    put_program(&mut guest, 0x0010_1000, &[branch, nop, nop, nop]);
    guest.dsb().poke(V3D + 0x430, 0x4010_1000);
    sleep_us(&mut guest, 1_000);
    guest.peek(V3D + 0x43c);
    send_word(&mut guest);
    guest.property(0x0010_0000, 0x0003_0012, &[0]);
    sleep_us(&mut guest, off_us);
    guest.property(0x0010_0000, 0x0003_0012, &[1]);
    put_program(&mut guest, 0x0010_1000, &SHORTEST);
    guest.dsb().poke(V3D + 0x430, 0x4010_1000);
    sleep_us(&mut guest, 100);
    guest.peek(V3D + 0x43c);
    send_word(&mut guest);
    guest.hang();
    let mut pi = boot(Config::default(), &guest);
    assert_eq!(
        pi.run_until_ns(SECOND / 10),
        Stop::Deadline,
        "{:?}",
        pi.messages()
    );
    words(&mut pi)
}

#[test]
fn a_program_that_never_ends_is_gone_after_50_ms_without_power() {
    assert_eq!(power_cycled(50_000), [0x0000_0100, 0x0001_0100]);
    // The caches still hold the old code, so the second program does not end either.
    assert_eq!(power_cycled(40_000), [0x0000_0100, 0x0000_0200]);
}

#[test]
fn bytes_sent_before_the_pins_are_connected_are_reported() {
    let mut guest = Guest::new();
    guest
        .uart()
        .poke(GPIO + 0x04, 0)
        .poke(UART, b'x'.into())
        .hang();
    let mut pi = boot(Config::default(), &guest);
    pi.run_until_ns(SECOND);
    assert_eq!(pi.serial_received(), []);
    assert!(pi.messages()[0].contains("ALT0"));
}

#[test]
fn a_break_and_bytes_arrive_in_order() {
    let mut guest = Guest::new();
    guest.uart();
    for _ in 0..2 {
        guest.poll(UART + 0x18, 1 << 4, false).peek(UART);
        send_word(&mut guest);
    }
    guest.hang();
    let mut pi = boot(Config::default(), &guest);
    pi.run_until_ns(1_000_000);
    pi.serial_send_break();
    pi.serial_send(b"a");
    assert_eq!(pi.serial_pending(), 2);
    pi.run_until_ns(SECOND);
    assert_eq!(words(&mut pi), [0x500, b'a'.into()]);
    assert_eq!(pi.serial_pending(), 0);
}

#[test]
fn the_led_is_recorded() {
    let mut guest = Guest::new();
    guest.poke(GPIO + 0x04, 1 << 18);
    sleep_us(&mut guest, 1000);
    guest.poke(GPIO + 0x1c, 1 << 16).hang();
    let mut pi = boot(Config::default(), &guest);
    pi.run_until_ns(SECOND);
    let changes = pi.led_changes();
    assert_eq!(
        changes.iter().map(|&(_, lit)| lit).collect::<Vec<_>>(),
        [true, false]
    );
    assert!(changes[1].0 - changes[0].0 > 1_000_000);
}

#[test]
fn bad_configurations_say_what_to_do() {
    let bad = |config: Config, image: &[u8]| VirtualPi::new(config, image).err().expect("an error");
    let good = Config::default();
    let image = [0xff; 4];
    assert_eq!(bad(good.clone(), &[]), Error::ImageEmpty);
    assert_eq!(bad(good.clone(), b"\x7fELF...."), Error::ImageIsElf);
    assert_eq!(
        bad(
            Config {
                ram_mib: 128,
                ..good.clone()
            },
            &image
        ),
        Error::RamSize(128)
    );
    assert_eq!(
        bad(
            Config {
                gpu_mib: 16,
                ..good.clone()
            },
            &image
        ),
        Error::GpuSize(16)
    );
    assert_eq!(
        bad(
            Config {
                host_baud: 0,
                ..good.clone()
            },
            &image
        ),
        Error::Rate
    );
    let cmdline = "x".repeat(2000);
    assert_eq!(
        bad(
            Config {
                cmdline,
                ..good.clone()
            },
            &image
        ),
        Error::CommandLine(2000)
    );
    let huge = vec![1; 500 << 20];
    assert_eq!(bad(good, &huge), Error::ImageSize(500 << 20));
}

/// Whatever the words are, the run ends in a stop and never in a panic of ours.
#[test]
fn any_words_run_to_a_stop() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for round in 0..300 {
        let mut guest = if round % 2 == 0 {
            Guest::new()
        } else {
            Guest::with_mmu(|_| ())
        };
        guest.vfp(0x0300_0000);
        for register in 0..15 {
            // Pointers into memory, registers of peripherals, small numbers.
            let value = match next() % 4 {
                0 => UART | next() as u32 & 0xffc,
                1 => MAILBOX | next() as u32 & 0x3c,
                2 => next() as u32 & 0xff,
                _ => 0x0010_0000 | next() as u32 & 0xffff,
            };
            guest.set(register, value);
        }
        for _ in 0..64 {
            let word = next() as u32;
            // Mostly unconditional, and coprocessor instructions of coprocessors that exist.
            let word = if next() % 4 == 0 {
                word
            } else {
                word & 0x0fff_ffff | 0xe000_0000
            };
            let coprocessor = [0xa00, 0xb00, 0xf00][next() as usize % 3];
            guest.word(if word >> 26 & 3 == 3 {
                word & !0xf00 | coprocessor
            } else {
                word
            });
        }
        guest.hang();
        let checks = if round % 3 == 0 {
            virtual_pi::Checks::NONE
        } else {
            virtual_pi::Checks::ALL
        };
        let mut pi = boot(
            Config {
                checks,
                ..Config::default()
            },
            &guest,
        );
        pi.serial_send(b"noise");
        pi.run_until_ns(200_000);
        pi.messages();
    }
}

/// PM_GRAFX with V3D's reset line pulled, and V3D without power.
const PULLED: u32 = 0x5a00_1000;

#[test]
fn a_reset_of_v3d_hangs_the_bus_unless_its_bridges_are_stopped() {
    for bridges in [&[][..], &[0x08], &[0x0c], &[0x08, 0x0c]] {
        let mut guest = Guest::new();
        guest.uart();
        for bridge in bridges {
            guest.poke(ASB + bridge, 0x5a00_0001);
        }
        guest
            .poke(PM + 0x10c, PULLED)
            .poke(UART, b'!'.into())
            .hang();
        let mut pi = boot(Config::default(), &guest);
        assert_eq!(pi.run_until_ns(SECOND), Stop::Deadline);
        let goes_on = bridges.len() == 2;
        assert_eq!(text(&mut pi) == b"!", goes_on, "{bridges:?}");
        assert_eq!(pi.messages().is_empty(), goes_on, "{bridges:?}");
    }
}

#[test]
fn a_register_of_v3d_is_cut_off_while_the_slave_bridge_stands() {
    for again in [false, true] {
        let mut guest = Guest::new();
        guest.uart().poke(ASB + 0x08, 0x5a00_0001);
        if again {
            guest.poke(ASB + 0x08, 0x5a00_0000);
        }
        guest.peek(V3D).poke(UART, b'!'.into()).hang();
        let mut pi = boot(Config::default(), &guest);
        pi.run_until_ns(SECOND);
        assert_eq!(text(&mut pi) == b"!", again);
    }
}

#[test]
fn pages_are_made_when_they_are_written_and_not_when_they_are_read() {
    const FRESH: u32 = 0x0123_4000;
    const NOTES: u32 = 0x0040_0000;
    for mmu in [false, true] {
        let mut guest = if mmu {
            Guest::with_mmu(|table| {
                // The same memory again, uncached.
                table[0x80] = (0x0010_0000 * (FRESH >> 20)) | UNCACHED;
            })
        } else {
            Guest::new()
        };
        guest.set(5, FRESH).set(6, NOTES);
        let alias = if mmu {
            0x0800_0000 | FRESH & 0xf_ffff
        } else {
            FRESH
        };
        guest.set(7, alias).set(1, 0x1234_5678);
        guest.ldr(2, 7, 8).str(2, 6, 0); // never written
        guest.ldr(2, 7, 8).str(2, 6, 4); // by the entry that this made
        guest.str(1, 5, 8);
        if mmu {
            guest.clean(FRESH).dsb();
        }
        guest.ldr(2, 7, 8).str(2, 6, 8); // at the other address
        guest.ldr(2, 7, 12).str(2, 6, 12);
        if mmu {
            guest.clean(NOTES).dsb();
        }
        guest.hang();
        let mut pi = boot(Config::default(), &guest);
        let before = pi.memory_in_use();
        assert_eq!(pi.run_until_ns(SECOND / 1000), Stop::Deadline);
        let notes = pi.read_memory(NOTES, 16).expect("in memory");
        let notes: Vec<u32> = notes
            .as_chunks()
            .0
            .iter()
            .map(|word| u32::from_le_bytes(*word))
            .collect();
        assert_eq!(notes, [0, 0, 0x1234_5678, 0], "mmu {mmu}");
        assert_eq!(pi.memory_in_use() - before, 2 * 4096, "mmu {mmu}");
    }
}
