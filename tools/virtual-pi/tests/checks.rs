//! Each check finds its mistake, with PC and address, and lets the correct program pass.
//!
//! Most guests hand a property buffer to the firmware, which reads and writes memory as V3D does.

mod guest;

use guest::{
    Guest, MAILBOX, PERIPHERALS, STRONGLY_ORDERED, TIMER, UART, UNCACHED, V3D, WRITE_BACK,
    WRITE_THROUGH,
};
use virtual_pi::{Agent, Checks, Config, Fault, FaultKind, Stop, VirtualPi};

/// Address of the guests' buffer: in the second MiB.
const BUFFER: u32 = 0x0010_0040;
const BUS: u32 = 0x4000_0000;
/// Data aborts must not hide a check: no guest here takes one.
const TIME_NS: u64 = 50_000_000;

fn run_with(config: Config, guest: &Guest) -> Stop {
    let mut pi = VirtualPi::new(config, &guest.image()).expect("a good configuration");
    let stop = pi.run_until_ns(TIME_NS);
    assert_eq!(pi.run_until_ns(TIME_NS), stop, "a stop stays");
    stop
}

fn run(guest: &Guest) -> Stop {
    run_with(Config::default(), guest)
}

fn fault(guest: &Guest) -> Fault {
    match run(guest) {
        Stop::Fault(fault) => {
            let text = fault.to_string();
            let pc = fault.by.as_ref().map_or(fault.pc, |place| place.pc);
            assert!(
                text.contains(&format!("{pc:#010x}")) && text.contains(';'),
                "{text}"
            );
            fault
        }
        stop => panic!("no fault: {stop:?}"),
    }
}

/// True for a gap of the model, which is no mistake of the guest.
fn is_gap(fault: &Fault) -> bool {
    matches!(fault.kind, FaultKind::NotModelled(_))
}

/// The kind and address of a fault of the guest.
fn guest_fault(guest: &Guest) -> (FaultKind, Option<u32>) {
    let fault = fault(guest);
    assert!(!is_gap(&fault), "{fault}");
    (fault.kind, fault.address)
}

/// A request for the board revision, in cacheable memory.
fn write_request(guest: &mut Guest) {
    for (index, word) in [28, 0, 0x0001_0002, 4, 4, 0, 0].iter().enumerate() {
        guest.poke(BUFFER + 4 * index as u32, *word);
    }
}

fn submit(guest: &mut Guest, address: u32) {
    guest
        .poke(MAILBOX + 0x20, address | 8)
        .poll(MAILBOX + 0x18, 1 << 30, false)
        .peek(MAILBOX);
}

#[test]
fn a_request_with_all_its_maintenance_passes() {
    let mut guest = Guest::with_mmu(|_| ());
    write_request(&mut guest);
    guest.clean(BUFFER).dsb();
    submit(&mut guest, BUFFER | BUS);
    guest.invalidate(BUFFER).peek(BUFFER + 20).hang();
    assert_eq!(run(&guest), Stop::Deadline);
}

#[test]
fn check_1_the_firmware_reads_a_dirty_line() {
    let mut guest = Guest::with_mmu(|_| ());
    write_request(&mut guest);
    guest.dsb();
    submit(&mut guest, BUFFER | BUS);
    guest.hang();
    let found = guest_fault(&guest);
    assert_eq!(
        found,
        (FaultKind::DirtyLineRead(Agent::Mailbox), Some(BUFFER))
    );
}

#[test]
fn check_1_the_arm_reads_an_old_copy() {
    let mut guest = Guest::with_mmu(|_| ());
    write_request(&mut guest);
    guest.clean(BUFFER).dsb();
    submit(&mut guest, BUFFER | BUS);
    guest.set(1, BUFFER + 20);
    let pc = guest.here();
    guest.ldr(0, 1, 0).hang();
    let fault = fault(&guest);
    assert_eq!(fault.kind, FaultKind::StaleLineRead(Agent::Mailbox));
    assert_eq!((fault.pc, fault.address), (pc, Some(BUFFER + 20)));
}

#[test]
fn check_1_applies_to_cacheable_mappings_only() {
    let mut guest = Guest::with_mmu(|table| table[1] = 1 << 20 | UNCACHED);
    write_request(&mut guest);
    guest.dsb();
    submit(&mut guest, BUFFER | BUS);
    guest.peek(BUFFER + 20).hang();
    assert_eq!(run(&guest), Stop::Deadline);
}

#[test]
fn check_1_write_through_is_never_dirty_but_goes_stale() {
    let mut guest = Guest::with_mmu(|table| table[1] = 1 << 20 | WRITE_THROUGH);
    guest.peek(BUFFER);
    write_request(&mut guest);
    guest.dsb();
    submit(&mut guest, BUFFER | BUS);
    guest.peek(BUFFER + 20).hang();
    assert_eq!(
        guest_fault(&guest).0,
        FaultKind::StaleLineRead(Agent::Mailbox)
    );
}

#[test]
fn check_1_dirty_data_that_is_overwritten_or_thrown_away() {
    let mut guest = Guest::with_mmu(|_| ());
    guest.poke(BUFFER, 1).invalidate(BUFFER).peek(BUFFER).hang();
    let found = guest_fault(&guest);
    assert_eq!(
        found,
        (FaultKind::DiscardedLineRead(Agent::Arm), Some(BUFFER))
    );

    // The request fills one line and the response goes on in the next, which is dirty.
    let mut guest = Guest::with_mmu(|_| ());
    let start = BUFFER + 16;
    for (index, word) in [28, 0, 0x0001_0002, 4, 4, 0, 0].iter().enumerate() {
        guest.poke(start + 4 * index as u32, *word);
    }
    guest.clean(start).clean(start + 16).dsb();
    guest.poke(MAILBOX + 0x20, start | BUS | 8);
    // After the firmware has been given the buffer, before it writes its answer.
    guest
        .poke(start + 16, 4)
        .poll(MAILBOX + 0x18, 1 << 30, false)
        .hang();
    let kind = guest_fault(&guest).0;
    assert_eq!(kind, FaultKind::DirtyLineRead(Agent::Mailbox));
}

#[test]
fn check_1_the_cache_must_be_invalidated_before_it_is_enabled() {
    let mut guest = Guest::new();
    guest.set(0, 0x0005_0078 | 4);
    let pc = guest.here();
    guest.cp15(0, 1, 0, 0).hang();
    let fault = fault(&guest);
    assert_eq!((fault.kind, fault.pc), (FaultKind::CacheNotInvalidated, pc));
}

#[test]
fn check_2_subnormals_bounce_without_fz() {
    for (fpscr, fails) in [(0, true), (0x0300_0000, false)] {
        let mut guest = Guest::new();
        guest.vfp(fpscr).set(0, 0x0000_0001);
        guest.word(0xee00_0a10); // fmsr s0, r0
        let pc = guest.here();
        guest.word(0xee30_0a00).hang(); // fadds s0, s0, s0
        if fails {
            let fault = fault(&guest);
            assert!(matches!(fault.kind, FaultKind::VfpBounce(_)), "{fault}");
            assert_eq!(fault.pc, pc);
        } else {
            assert_eq!(run(&guest), Stop::Deadline);
        }
    }
}

#[test]
fn check_2_tiny_results_and_nans_bounce_too() {
    // fmuls s0, s0, s1 of 2^-100 and 2^-40; of a NaN and 1.
    for (a, b) in [(0x0d80_0000, 0x2b80_0000), (0x7fc0_0000, 0x3f80_0000)] {
        let mut guest = Guest::new();
        guest
            .vfp(0)
            .set(0, a)
            .word(0xee00_0a10)
            .set(0, b)
            .word(0xee00_0a90);
        guest.word(0xee20_0a20).hang();
        let found = guest_fault(&guest).0;
        assert!(matches!(found, FaultKind::VfpBounce(_)), "{found:?}");
        let checks = Checks {
            vfp_bounce: false,
            ..Checks::ALL
        };
        let config = Config {
            checks,
            ..Config::default()
        };
        assert_eq!(run_with(config, &guest), Stop::Deadline);
    }
}

#[test]
fn check_3_unaligned_loads_rotate_without_sctlr_u() {
    let mut guest = Guest::new();
    guest.peek(0x9001).hang();
    assert_eq!(
        guest_fault(&guest),
        (FaultKind::UnalignedLegacy, Some(0x9001))
    );
}

#[test]
fn check_3_unaligned_access_to_ordered_memory() {
    // With the MMU off all data is Strongly-ordered; SCTLR.U set.
    let mut guest = Guest::new();
    guest
        .set(0, 0x0005_0078 | 1 << 22)
        .cp15(0, 1, 0, 0)
        .peek(0x9001)
        .hang();
    assert_eq!(
        guest_fault(&guest),
        (FaultKind::UnalignedDevice, Some(0x9001))
    );
    let mut guest = Guest::with_mmu(|table| table[1] = 1 << 20 | STRONGLY_ORDERED);
    guest.poke(0x0010_0002, 1).hang();
    assert_eq!(guest_fault(&guest).0, FaultKind::UnalignedDevice);
    let mut guest = Guest::with_mmu(|_| ());
    guest.poke(0x0010_0002, 1).peek(0x0010_0ffe).hang();
    assert_eq!(run(&guest), Stop::Deadline);
}

#[test]
fn check_4_exclusives_need_cacheable_memory() {
    let ldrex = 0xe191_0f9f; // ldrex r0, [r1]
    let mut off = Guest::new();
    off.set(1, BUFFER).word(ldrex).hang();
    assert_eq!(
        guest_fault(&off),
        (FaultKind::ExclusiveUncached, Some(BUFFER))
    );
    let shared = WRITE_BACK | 1 << 16;
    for (section, fails) in [(UNCACHED, true), (shared, true), (WRITE_BACK, false)] {
        let mut guest = Guest::with_mmu(|table| table[1] = 1 << 20 | section);
        guest.set(1, BUFFER).word(ldrex).hang();
        if fails {
            assert_eq!(guest_fault(&guest).0, FaultKind::ExclusiveUncached);
        } else {
            assert_eq!(run(&guest), Stop::Deadline);
        }
    }
}

#[test]
fn check_5_a_clean_without_a_dsb() {
    for (barrier, agent) in [(false, Some(Agent::Mailbox)), (true, None)] {
        let mut guest = Guest::with_mmu(|_| ());
        write_request(&mut guest);
        guest.clean(BUFFER);
        if barrier {
            guest.dsb();
        }
        guest.set(0, BUFFER | BUS | 8).set(1, MAILBOX);
        let pc = guest.here();
        guest.str(0, 1, 0x20).hang();
        match agent {
            Some(agent) => {
                let fault = fault(&guest);
                assert_eq!(
                    (fault.kind, fault.pc),
                    (FaultKind::MissingBarrier(agent), pc)
                );
            }
            None => assert_eq!(run(&guest), Stop::Deadline),
        }
    }
}

#[test]
fn check_5_two_peripherals_are_read_in_order_only_with_a_barrier_between() {
    let dmb = 0xee07_0fba; // mcr p15, 0, r0, c7, c10, 5
    for (second, between, faults) in [
        (UART + 0x18, None, true),
        (UART + 0x18, Some(dmb), false),
        (TIMER + 0x08, None, false),
    ] {
        let mut guest = Guest::new();
        guest.set(1, TIMER).set(2, second).ldr(0, 1, 4);
        if let Some(barrier) = between {
            guest.word(barrier);
        }
        guest.ldr(0, 2, 0).hang();
        if faults {
            let found = guest_fault(&guest);
            assert_eq!(found, (FaultKind::PeripheralOrder, Some(second)));
        } else {
            assert_eq!(run(&guest), Stop::Deadline);
        }
    }
}

#[test]
fn check_5_an_uncached_store_without_a_dsb_before_srqpc() {
    for barrier in [false, true] {
        let mut guest = Guest::with_mmu(|table| {
            table[0] = WRITE_BACK;
            table[1] = 1 << 20 | UNCACHED;
        });
        guest
            .property(BUFFER, 0x0003_0012, &[1])
            .poke(BUFFER + 0x100, 5);
        if barrier {
            guest.dsb();
        }
        // Registers other than SRQPC start nothing.
        guest
            .poke(V3D + 0x434, 0)
            .poke(V3D + 0x430, 0x4000_9000)
            .hang();
        let stop = run(&guest);
        let missing = matches!(
            &stop,
            Stop::Fault(fault) if fault.kind == FaultKind::MissingBarrier(Agent::V3d)
                && fault.address == Some(V3D + 0x430)
        );
        assert_eq!(missing, !barrier, "{stop:?}");
    }
}

#[test]
fn check_6_registers_are_words() {
    let mut guest = Guest::new();
    guest.set(1, UART + 0x18).word(0xe5d1_0000).hang(); // ldrb r0, [r1]
    assert_eq!(
        guest_fault(&guest),
        (FaultKind::MmioWidth(1), Some(UART + 0x18))
    );
}

#[test]
fn check_6_nothing_is_there() {
    for (address, gap) in [
        (PERIPHERALS + 0x30_5000, false),
        (PERIPHERALS, false),
        (0x5000_0000, false),
        (UART + 0x0c, false),
        (PERIPHERALS + 0x20_4000, true),
    ] {
        let mut guest = Guest::new();
        guest.peek(address).hang();
        let fault = fault(&guest);
        assert_eq!(
            (is_gap(&fault), fault.address),
            (gap, Some(address)),
            "{fault}"
        );
    }
}

#[test]
fn check_6_a_bus_address_needs_its_alias() {
    for (alias, fails) in [
        (0, true),
        (0x8000_0000, true),
        (0x4000_0000, false),
        (0xc000_0000, false),
    ] {
        let mut guest = Guest::with_mmu(|_| ());
        write_request(&mut guest);
        guest.clean(BUFFER).dsb();
        submit(&mut guest, BUFFER | alias);
        guest.hang();
        if fails {
            let wanted = FaultKind::BusAlias {
                agent: Agent::Mailbox,
                wanted: BUS,
            };
            assert_eq!(guest_fault(&guest), (wanted, Some(BUFFER | alias)));
        } else {
            assert_eq!(run(&guest), Stop::Deadline);
        }
    }
}

#[test]
fn check_6_v3d_needs_the_alias_of_the_board() {
    for alias in [0, 0xc000_0000] {
        let mut guest = Guest::new();
        guest.property(BUFFER, 0x0003_0012, &[1]);
        guest.poke(V3D + 0x430, 0x9000 | alias).hang();
        let wanted = FaultKind::BusAlias {
            agent: Agent::V3d,
            wanted: BUS,
        };
        let fault = fault(&guest);
        assert_eq!(fault.kind, wanted);
        assert_eq!(
            fault.address.map(|address| address & 0xc000_0000),
            Some(alias)
        );
        // Not the ARM, which only waits.
        assert_eq!(
            fault.by.map(|place| (place.qpu, place.pc)),
            Some((11, 0x9000 | alias))
        );
    }
}

#[test]
fn checks_can_be_switched_off() {
    let config = Config {
        checks: Checks::NONE,
        ..Config::default()
    };
    let mut guest = Guest::with_mmu(|_| ());
    write_request(&mut guest);
    submit(&mut guest, BUFFER);
    guest
        .peek(BUFFER + 20)
        .set(1, UART + 0x18)
        .word(0xe5d1_0000)
        .hang();
    assert_eq!(run_with(config, &guest), Stop::Deadline);
}

#[test]
fn what_this_model_lacks_is_distinguished() {
    type Case = (&'static str, fn(&mut Guest));
    let cases: [Case; 5] = [
        ("Thumb", |guest| {
            guest.set(1, 0x9001).word(0xe12f_ff11); // bx r1
        }),
        ("FPSCR.LEN", |guest| {
            guest.vfp(0x0303_0000);
        }),
        ("FPSCR.RMode", |guest| {
            guest.vfp(0x0340_0000);
        }),
        ("CPSR.E", |guest| {
            guest.set(1, 0x3d3).word(0xe122_f001); // msr cpsr_x, r1
        }),
        ("subpage", |guest| {
            guest.set(1, 0x0005_0079).cp15(1, 1, 0, 0);
        }),
    ];
    for (what, add) in cases {
        let mut guest = Guest::new();
        add(&mut guest);
        guest.hang();
        let fault = fault(&guest);
        assert!(is_gap(&fault), "{what}: {fault}");
        let text = fault.to_string();
        assert!(
            text.contains(what) || what == "CPSR.E" && text.contains("big-endian"),
            "{text}"
        );
    }
}

#[test]
fn a_handler_that_raises_its_own_exception_stops_the_run() {
    // An undefined instruction, and VBAR (0 from reset) on an undefined instruction at +4.
    let mut guest = Guest::new();
    guest.poke(4, 0xe7f0_00f0).word(0xe7f0_00f0).hang();
    let fault = fault(&guest);
    assert_eq!((fault.kind, fault.pc), (FaultKind::Lockup, 4));
}
