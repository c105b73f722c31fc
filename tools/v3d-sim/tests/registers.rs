//! V3D as its driver sees it: registers, queue, interrupts, counters, events.

use qpu::generate::*;
use qpu::isa::Signal;
use v3d_sim::{Config, Event, Memory, SparseMemory, V3d};

const SRQPC: u32 = 0x430;
const SRQUA: u32 = 0x434;
const SRQCS: u32 = 0x43c;

/// A V3D with programs at 0x1000, 0x2000, … of a sparse memory.
struct Board {
    v3d: V3d,
    memory: SparseMemory,
    programs: u32,
}

impl Board {
    /// Functional: these tests count rounds of one instruction each.
    fn new() -> Self {
        let mut v3d = V3d::new(Config {
            functional: true,
            deadlock_rounds: 100,
            ..Config::default()
        });
        v3d.write_register(0x504, 16);
        Self {
            v3d,
            memory: SparseMemory::new(),
            programs: 0,
        }
    }

    fn load(&mut self, body: impl FnOnce(&mut Builder)) -> u32 {
        let mut b = Builder::new();
        body(&mut b);
        b.end();
        let words = b.finish_unchecked().unwrap();
        self.programs += 1;
        let code = self.programs * 0x1000;
        self.memory.put(
            code,
            &words
                .iter()
                .flat_map(|word| word.to_le_bytes())
                .collect::<Vec<u8>>(),
        );
        code
    }

    fn queue(&mut self, code: u32) {
        self.v3d.write_register(SRQUA, 0x1000);
        self.v3d.write_register(SRQPC, code);
    }

    fn advance(&mut self, rounds: u64) -> u64 {
        self.v3d.advance(&mut self.memory, rounds)
    }

    fn status(&mut self) -> (u32, u32, bool, u32) {
        let status = self.v3d.read_register(SRQCS);
        (
            status >> 16 & 255,
            status >> 8 & 255,
            status & 128 != 0,
            status & 63,
        )
    }

    fn rules(&self) -> Vec<&'static str> {
        self.v3d
            .warnings()
            .map(|warning| warning.rule.id())
            .collect()
    }
}

#[test]
fn identity_is_that_of_the_chip() {
    let mut v3d = V3d::new(Config::default());
    assert_eq!(
        [0, 4, 8].map(|offset| v3d.read_register(offset)),
        [0x0244_3356, 0xc110_2431, 0x121]
    );
    assert_eq!(v3d.read_register(0xf20), 0x1000, "ERRSTAT: VCD idle");
    v3d.write_register(0x010, 0x1234_5678);
    assert_eq!(v3d.read_register(0x010), 0x1234_5678);
    v3d.reset();
    assert_eq!(v3d.read_register(0x010), 0);
}

#[test]
fn programs_are_counted_from_queue_to_end() {
    let mut board = Board::new();
    let code = board.load(|b| b.nops(2));
    board.queue(code);
    assert_eq!(board.status(), (0, 1, false, 0), "it starts at once");
    assert!(board.v3d.is_running());
    assert_eq!(board.advance(1000), 5, "two nops, thrend and two more");
    assert_eq!(board.status(), (1, 1, false, 0));
    assert!(!board.v3d.is_running());
    assert_eq!(board.advance(1000), 0);
    board.v3d.write_register(SRQCS, 1 << 16 | 1 << 8);
    assert_eq!(board.status(), (0, 0, false, 0));
}

#[test]
fn the_queue_holds_sixteen_and_then_drops_until_the_error_is_cleared() {
    let mut board = Board::new();
    let code = board.load(|b| b.nops(20));
    for _ in 0..12 + 16 {
        board.queue(code);
    }
    assert_eq!(board.status(), (0, 28, false, 16));
    board.queue(code);
    assert_eq!(board.status(), (0, 29, true, 16));
    assert_eq!(board.rules(), ["queue-overflow"]);
    board.advance(1000);
    board.queue(code);
    assert_eq!(
        board.status(),
        (28, 30, true, 0),
        "dropped, with room in the queue"
    );
    board.v3d.write_register(SRQCS, 1 << 7);
    board.queue(code);
    board.advance(1000);
    assert_eq!(board.status(), (29, 31, false, 0));
}

#[test]
fn reserved_qpus_get_no_programs() {
    let mut board = Board::new();
    // All but 5 and 9 are excluded.
    board.v3d.write_register(0x410, 0x1101_1111);
    board.v3d.write_register(0x414, 0x0000_1101);
    let code = board.load(|b| b.nops(3));
    for _ in 0..3 {
        board.queue(code);
    }
    board.advance(6);
    assert_eq!(board.status(), (2, 3, false, 0));
    board.advance(100);
    let instructions = board.v3d.statistics().instructions;
    assert_eq!((instructions[9], instructions[5]), (12, 6));
    // With every QPU excluded a program waits until the reservation is lifted.
    board.v3d.write_register(0x410, 0x1111_1111);
    board.v3d.write_register(0x414, 0x1111_1111);
    board.queue(code);
    assert_eq!(board.advance(50), 50);
    board.v3d.write_register(0x414, 0);
    board.advance(50);
    assert_eq!(board.status().0, 4);
}

#[test]
fn host_interrupts_are_latched_when_they_are_let_through() {
    let mut board = Board::new();
    let code = board.load(|b| {
        b.mov(HOST_INT, 1);
    });
    board.queue(code);
    board.advance(100);
    assert_eq!(board.v3d.read_register(0xe30), 0, "DBCFG is 0");
    board.v3d.write_register(0xe00, 1);
    board.v3d.write_register(0xe2c, 0xffff);
    board.queue(code);
    board.advance(100);
    assert_eq!(
        board.v3d.read_register(0xe30),
        0x800,
        "QPU 11, as seen on a Pi 1"
    );
    assert!(board.v3d.interrupt());
    board.v3d.write_register(0xe30, 0x800);
    assert!(!board.v3d.interrupt());
    let zero = board.load(|b| {
        b.mov(HOST_INT, 0);
    });
    board.queue(zero);
    board.advance(100);
    assert_eq!(board.v3d.read_register(0xe30), 0);
    assert!(
        board.rules().is_empty(),
        "a 0 is no interrupt, and no mistake"
    );
}

#[test]
fn a_breakpoint_halts_until_the_host_resumes() {
    let mut board = Board::new();
    board.v3d.write_register(0xe00, 1);
    let code = board.load(|b| {
        b.nop().signal(Signal::Breakpoint);
        b.nop();
    });
    board.queue(code);
    assert_eq!(board.advance(500), 500);
    assert_eq!(board.v3d.read_register(0xe24), 0x800);
    assert!(
        board.v3d.take_events().is_empty(),
        "a halt that the host asked for is no news"
    );
    board.v3d.write_register(0xe20, 0x800);
    board.advance(500);
    assert_eq!(board.status().0, 1);
}

#[test]
fn the_host_can_halt_a_qpu_for_a_look() {
    let mut board = Board::new();
    board.v3d.write_register(0xe00, 1);
    let code = board.load(|b| b.nops(50));
    board.queue(code);
    board.advance(10);
    board.v3d.write_register(0xe24, 0xfff);
    board.advance(10);
    assert_eq!(board.v3d.statistics().instructions[11], 10);
    board.v3d.write_register(0xe20, 0xfff);
    board.advance(100);
    assert_eq!(board.status().0, 1);
}

#[test]
fn counters_count_while_they_are_enabled() {
    let mut board = Board::new();
    let code = board.load(|b| b.nops(17));
    board.v3d.write_register(0x684, 16); // PCTRS0: clocks of valid instructions
    board.v3d.write_register(0x68c, 21); // PCTRS1: instruction cache misses
    board.queue(code);
    board.advance(100);
    assert_eq!(board.v3d.read_register(0x680), 0, "not enabled");
    board.v3d.write_register(0x674, 1 << 31 | 3);
    board.v3d.write_register(0x024, 0x0f0f_0f0f);
    board.queue(code);
    board.advance(100);
    assert_eq!(board.v3d.read_register(0x680), 20 * 4);
    assert_eq!(board.v3d.read_register(0x688), 3, "160 bytes of code");
    board.v3d.write_register(0x674, 1 << 31 | 1);
    board.v3d.write_register(0x670, 1);
    board.queue(code);
    board.advance(100);
    assert_eq!(board.v3d.read_register(0x680), 80);
    assert_eq!(
        board.v3d.read_register(0x688),
        3,
        "stopped, and nothing missed"
    );
}

#[test]
fn a_deadlock_is_reported_once_and_ends_when_the_arm_queues_what_is_missing() {
    let mut board = Board::new();
    let waiter = board.load(|b| {
        b.sacq(6);
    });
    let poster = board.load(|b| {
        b.srel(6);
    });
    board.queue(waiter);
    assert_eq!(board.advance(50), 50);
    assert!(
        board.v3d.take_events().is_empty(),
        "it may be short of a program that is still to come"
    );
    board.advance(10_000);
    let events = board.v3d.take_events();
    assert!(
        matches!(&events[..], [Event::Deadlock(report)] if report.waiting.len() == 1),
        "{events:?}"
    );
    board.advance(10_000);
    assert!(board.v3d.take_events().is_empty());
    board.queue(poster);
    board.advance(100);
    assert_eq!(board.status().0, 2);
    let statistics = board.v3d.statistics();
    assert!(statistics.stall[11]["semaphore"] >= 20_000 * 4);
}

#[test]
fn a_fault_leaves_its_qpu_hung_and_the_rest_running() {
    let mut board = Board::new();
    let bad = board.load(|b| {
        b.nop().ldtmu0();
    });
    let good = board.load(|b| b.nops(30));
    board.queue(bad);
    board.queue(good);
    board.advance(1000);
    let events = board.v3d.take_events();
    assert!(matches!(&events[..], [Event::Fault(_)]), "{events:?}");
    assert_eq!(
        events[0].to_string().split(" without").next(),
        Some("V3D fault: QPU 11 at 0x00001000 `nop; ldtmu0`: ldtmu0")
    );
    assert_eq!(board.status().0, 1);
    assert!(board.v3d.is_running(), "the hung one");
    board.v3d.reset();
    assert!(!board.v3d.is_running());
    assert_eq!(board.status(), (0, 0, false, 0));
}

#[test]
fn what_a_driver_should_not_do() {
    let mut board = Board::new();
    let code = board.load(|b| {
        b.ldi(R0, 0x1000u32);
        b.nop();
        b.mov(TMU0_S, R0);
        b.nops(20);
        b.nop().ldtmu0();
    });
    board.v3d.write_register(SRQUA, 0x1002);
    board.v3d.write_register(SRQPC, code);
    board.advance(10);
    board.v3d.write_register(0x020, 4);
    board.v3d.write_register(0x504, 8);
    board.v3d.write_register(0x308, 1);
    let mut rules = board.rules();
    rules.sort_unstable();
    assert_eq!(
        rules,
        [
            "cache-clear-while-running",
            "register-unknown",
            "uniforms-alignment",
            "vpmbase-while-running"
        ]
    );
}

#[test]
fn vpm_rows_that_are_not_reserved_are_masked() {
    let mut board = Board::new();
    board.v3d.write_register(0x504, 0);
    board.memory.put_zero(0x8000, 64);
    let code = board.load(|b| {
        b.ldi(WR_SETUP, 0x1a00u32);
        b.ldi(VPM, 5u32);
        b.ldi(WR_SETUP, 0x8090_4000u32);
        b.ldi(WR_SETUP, 0xc000_0000u32);
        b.ldi(ST_ADDR, 0x8000u32);
        b.mov(NONE, ST_WAIT);
    });
    board.queue(code);
    board.advance(1000);
    assert_eq!(board.rules(), ["vpm-outside-reservation"]);
    assert_eq!(board.memory.read_word(0x8000), Ok(0));
    assert_eq!(board.v3d.read_register(0xf20), 0x1080, "VPMEWNA");
}

/// Two vectors each, from row 62 and then from row 63 on.
#[test]
fn vectors_and_stores_that_leave_the_vpm_are_latched() {
    let mut board = Board::new();
    board.memory.put_zero(0x8000, 4096);
    let mut latched = |body: &dyn Fn(&mut Builder)| {
        let code = board.load(body);
        board.queue(code);
        board.advance(1000);
        assert!(!board.v3d.is_running());
        board.v3d.read_register(0xf20)
    };
    for (row, write, read) in [(62u32, 0x1000, 0x1000), (63, 0x1010, 0x1030)] {
        let written = latched(&|b| {
            b.ldi(WR_SETUP, 0x1a00 | row);
            b.ldi(VPM, 5u32);
            b.ldi(VPM, 6u32);
        });
        assert_eq!(written, write, "VPMEWR, row {row}");
        let found = latched(&|b| {
            b.ldi(RD_SETUP, 0x0020_1a00 | row);
            b.mov(R0, VPM);
            b.mov(R1, VPM);
        });
        assert_eq!(found, read, "VPMERR, row {row}");
    }
    for (row, errors) in [(126_u32, 0x1030), (127, 0x1430)] {
        let stored = latched(&|b| {
            b.ldi(WR_SETUP, 0x8110_4000 | row << 7);
            b.ldi(WR_SETUP, 0xc000_0000u32);
            b.ldi(ST_ADDR, 0x8000u32);
            b.mov(NONE, ST_WAIT);
        });
        assert_eq!(stored, errors, "VDWE, two rows from {row}");
    }
}

#[test]
fn vpm_rows_that_are_not_reserved_are_read_and_reported() {
    let mut board = Board::new();
    board.v3d.write_register(0x504, 1);
    let code = board.load(|b| {
        b.ldi(WR_SETUP, 0x1a03u32);
        b.mov(VPM, 0);
    });
    board.queue(code);
    board.advance(100);
    let read = |row: u32, kept: bool| {
        move |b: &mut Builder| {
            b.ldi(RD_SETUP, 0x0010_1a00 | row);
            let to: Dst = if kept { R0.into() } else { NONE };
            b.mov(to, VPM);
        }
    };
    for (row, kept, rules, errors) in [
        (3, true, &[][..], 0x1000),
        (4, false, &[], 0x1040),
        (4, true, &["vpm-read-outside-reservation"], 0x1040),
    ] {
        let code = board.load(read(row, kept));
        board.queue(code);
        board.advance(100);
        assert_eq!(board.rules(), rules, "row {row}");
        assert_eq!(board.v3d.read_register(0xf20), errors, "VPMERNA");
    }
}
