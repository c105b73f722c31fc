//! DMA and the ARM beside V3D: what they take of its time, and what they leave in its caches.

use qpu::generate::*;
use qpu::isa::BranchCond;
use v3d_sim::{Config, Event, OutsideAccess, Rule, SparseMemory, V3d};

const CODE: u32 = 0x4001_0000;
const UNIFORMS: u32 = 0x4002_0000;
/// Lines that the program looks up, one after the other.
const DATA: u32 = 0x4010_0000;
const LINES: u32 = 2048;
/// Memory that DMA writes: in another bank of SDRAM for most of the time.
const RING: u32 = 0x4030_0000;
const SRQPC: u32 = 0x430;
const SRQUA: u32 = 0x434;
const ROUND: u64 = 400;

struct Board {
    v3d: V3d,
    memory: SparseMemory,
}

impl Board {
    /// A program that looks `LINES` lines up with both TMUs, four at a time.
    fn new() -> Self {
        let mut b = Builder::new();
        b.ldi(R0, DATA);
        b.mov(R1, ELEM_NUM);
        b.shl(R1, R1, 2);
        b.add(R0, R0, R1);
        b.ldi(R1, 64);
        b.ldi(R2, LINES / 4);
        let lines = b.here("lines");
        for unit in [TMU0_S, TMU1_S, TMU0_S, TMU1_S] {
            b.mov(unit, R0);
            b.add(R0, R0, R1);
        }
        for unit in [0, 1, 0, 1] {
            if unit == 0 {
                b.nop().ldtmu0();
            } else {
                b.nop().ldtmu1();
            }
        }
        b.sub(R2, R2, 1).setf();
        b.brr(BranchCond::AllZC, lines);
        b.nops(3);
        b.end();
        let words = b.finish_unchecked().expect("a program");
        let mut memory = SparseMemory::new();
        let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        memory.put(CODE, &code);
        memory.put_zero(UNIFORMS, 4096);
        memory.put_zero(DATA, 64 * (LINES as usize + 8));
        Self {
            v3d: V3d::new(Config::default()),
            memory,
        }
    }

    /// Rounds of the program, with an access each `every` rounds that `access` makes.
    fn run(&mut self, every: u64, access: impl FnMut(u32) -> OutsideAccess) -> u64 {
        self.run_noting(every, access, |_| ())
    }

    /// The same, and `note` is told for how long each access waits.
    fn run_noting(
        &mut self,
        every: u64,
        mut access: impl FnMut(u32) -> OutsideAccess,
        mut note: impl FnMut(u64),
    ) -> u64 {
        self.v3d.write_register(SRQUA, UNIFORMS);
        self.v3d.write_register(SRQPC, CODE);
        let (mut rounds, mut number) = (0, 0);
        while self.v3d.is_running() {
            if every != 0 && rounds % every == 0 {
                note(self.v3d.dma_access(access(number)));
                number += 1;
            }
            rounds += self.v3d.advance(&mut self.memory, 1);
            assert!(rounds < 1_000_000, "it ends");
        }
        rounds
    }
}

fn write(address: u32) -> OutsideAccess {
    OutsideAccess {
        ahead: 100,
        address,
        bytes: 16,
        write: true,
        busy: 200,
        passes: true,
    }
}

#[test]
fn traffic_of_others_takes_time_from_v3d() {
    let alone = Board::new().run(0, write);
    // 16 bytes each 25 rounds of 16 ns are 40 MB/s, what a parallel ADC brings at 20 MS/s.
    let beside_adc = || Board::new().run(25, |number| write(RING + 16 * number));
    // 333 MB/s, and a line of its own for each.
    let flooded = Board::new().run(12, |number| write(RING + 4096 * (number % 1024)));
    let adc = beside_adc();
    assert!(
        adc > alone && flooded > adc * 11 / 10,
        "{alone} {adc} {flooded}"
    );
    assert!(adc < alone * 115 / 100, "{alone} {adc}");
    assert_eq!(adc, beside_adc(), "runs are equal");
}

#[test]
fn dma_waits_for_lines_of_v3d_and_for_sdram_if_it_does_not_pass_others() {
    // Hundredths of a clock for which the accesses of a run wait, and the greatest of them.
    let waits = |passes| {
        let (mut sum, mut most) = (0, 0);
        let note = |waited: u64| {
            sum += waited;
            most = most.max(waited);
        };
        Board::new().run_noting(
            25,
            |number| OutsideAccess {
                passes,
                ..write(RING + 16 * number)
            },
            note,
        );
        (sum, most)
    };
    let (first, longest_of_first) = waits(true);
    let (queued, longest_queued) = waits(false);
    // A line of V3D is on its bus for 5.35 clocks, or 8.
    assert!(first > 0 && longest_of_first <= 800, "{longest_of_first}");
    assert!(queued > first && longest_queued > 800, "{longest_queued}");
    let mut idle = Board::new();
    assert_eq!(idle.v3d.dma_access(write(RING)), 0);
}

#[test]
fn traffic_while_v3d_is_idle_is_over_when_it_starts() {
    let mut board = Board::new();
    let alone = board.run(0, write);
    // A millisecond of an ADC, in another part of memory and past the L2.
    for number in 0..2_500_u64 {
        let access = OutsideAccess {
            ahead: number * 25 * ROUND,
            ..write(0xc000_0000 | (RING + 16 * number as u32))
        };
        board.v3d.dma_access(access);
    }
    board.v3d.pass_idle(62_500);
    let clocks = board.v3d.clocks();
    let later = board.run(0, write);
    assert!(later <= alone, "{later} instead of {alone}");
    assert_eq!(
        board.v3d.clocks() - clocks,
        later * 4,
        "idle time is not counted"
    );
}

#[test]
fn a_line_that_dma_wrote_is_old_in_the_tmus_until_they_are_cleared() {
    let mut board = Board::new();
    board.run(0, write);
    let is_stale = |board: &mut Board| {
        let events = board.v3d.take_events();
        events.iter().any(
            |event| matches!(event, Event::Warning(warning) if warning.rule == Rule::TmuStaleLine),
        )
    };
    board.run(0, write);
    assert!(!is_stale(&mut board));
    board.v3d.dma_access(write(DATA + 64 * (LINES - 1)));
    board.run(0, write);
    assert!(is_stale(&mut board));
}

#[test]
fn the_arm_waits_longer_behind_others_and_for_sdram() {
    let mut board = Board::new();
    board.run(0, write);
    let fill = |address| OutsideAccess {
        ahead: 0,
        bytes: 32,
        write: false,
        ..write(address)
    };
    let mut wait = |address| board.v3d.arm_access(fill(address)).expect("a timed run");
    let cold = wait(RING);
    // All at the same time: the second one comes behind the first.
    let behind = wait(RING + 4096);
    assert!(behind > cold, "{cold} {behind}");
    board.v3d.pass_idle(100);
    let there = board.v3d.arm_access(fill(RING + 32)).expect("a timed run");
    assert!(there < cold, "{there} {cold}");
    // A hit takes 22 clocks, and SDRAM with a row to open 43.
    assert_eq!((there, cold), (2200, 4300));
}
