//! Anything that a program may write to DMA, PCM, SMI, the clock manager and the pins ends in an
//! answer: a register, a fault with words, or nothing.

use super::Board;
use crate::clock::ARM_HZ;
use crate::config::{Checks, Config};
use crate::map::{Block, MemoryMap, bus_address};
use crate::parts::{
    I2sPart, I2sPins, I2sRole, MicrophoneSide, ParallelPart, ParallelWiring, Signal, Wiring,
};

/// Boards, and writes to each.
const BOARDS: u64 = 60;
const WRITES: usize = 300;
/// Memory of the control blocks.
const BLOCKS: u32 = 0x1000;

/// splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed >> 32) as u32
    }

    fn of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.next() as usize % values.len()]
    }

    /// Any bits, few bits, or bits that mean something.
    fn word(&mut self, known: &[u32]) -> u32 {
        match self.next() % 4 {
            0 => self.next(),
            1 => self.next() & self.next() & self.next(),
            _ => {
                self.of(known)
                    ^ if self.next().is_multiple_of(8) {
                        1 << (self.next() % 32)
                    } else {
                        0
                    }
            }
        }
    }
}

fn part(random: &mut Random) -> Option<I2sPart> {
    let role = random.of(&[
        I2sRole::Slave,
        I2sRole::Master(384_000, 1),
        I2sRole::Master(479_982, 10),
        I2sRole::Microphone(MicrophoneSide::Right),
    ]);
    let wiring = random.of(&[
        Wiring::Right,
        Wiring::NoClock,
        Wiring::ClockOff(20_000),
        Wiring::MasterAgainstMaster(44_100, 1),
        Wiring::Swapped,
        Wiring::Stuck(true),
        Wiring::Absent,
    ]);
    let pins = random.of(&[I2sPins::Header, I2sPins::P5]);
    Some(I2sPart {
        pins,
        wiring,
        ..I2sPart::new(role, Signal::Count)
    })
}

fn parallel(random: &mut Random) -> Option<ParallelPart> {
    let wiring = random.of(&[
        ParallelWiring::Right,
        ParallelWiring::NoClock,
        ParallelWiring::Stuck(true),
        ParallelWiring::WireOff(3),
        ParallelWiring::Absent,
    ]);
    Some(ParallelPart {
        wiring,
        ..ParallelPart::new(Signal::Count)
    })
}

/// A write to one of the blocks: its address and value.
fn write(random: &mut Random) -> (u32, u32) {
    const TI: u32 = 3 << 16 | 1 << 10 | 1 << 4;
    const SMI_TI: u32 = 4 << 16 | 3 << 12 | 1 << 10 | 1 << 5 | 1 << 4;
    let at = |block| MemoryMap::BCM2835.address(block);
    match random.next() % 10 {
        0 | 1 => {
            let channel = random.of(&[0, 2, 5, 8, 14, 3]) << 8;
            let offset = random.of(&[0, 0, 4, 4, 0x1c, 0x20, 0x08, 0xfc]);
            let blocks = BLOCKS + 32 * (random.next() % 8);
            let known = [1, 0, 1 << 31, 1 << 30 | 1, 6, 0x4000_0000 | blocks, blocks];
            (at(Block::Dma) + channel + offset, random.word(&known))
        }
        2 => {
            let offset = random.of(&[0x70, 0x74, 0x98, 0x98, 0x9c, 0x9c, 0xb0, 0xb4, 0x10]);
            let known = [1, 6, 0x11, 0x16, 6 << 12, 1 << 12, 0x20, 0];
            (
                at(Block::ClockManager) + offset,
                0x5a00_0000 | random.word(&known) & 0xff_ffff,
            )
        }
        3 | 4 => {
            let offset = random.of(&[0, 0, 0, 4, 8, 0x0c, 0x14, 0x18, 0x1c, 0x20]);
            let master = 1 << 22 | 1 << 20 | 63 << 10 | 32;
            let known = [
                1 << 25 | 1,
                1 << 25 | 1 << 9 | 3,
                1 << 24 | 1 << 4 | 1,
                master,
                master | 1 << 23 | 1 << 21,
                0xc018_c218,
                0x20,
            ];
            (at(Block::Pcm) + offset, random.word(&known))
        }
        5 => {
            let offset = random.of(&[0, 4, 8, 12, 0x1c]);
            let known = [
                4 << 24 | 4 << 27,
                4,
                6,
                5 << 18,
                0o5555 << 18,
                0o5555,
                4 << 12,
            ];
            (at(Block::Gpio) + offset, random.word(&known))
        }
        6 | 7 => {
            let offset = random.of(&[0, 0, 0, 4, 8, 0x10, 0x10, 0x18, 0x30, 0x34, 0x38, 0x0c]);
            let reads = 1 << 14 | 1;
            let known = [
                reads,
                reads | 1 << 4,
                reads | 1 << 3,
                reads | 1 << 3,
                1 << 30 | 0x0101_0003,
                0x0101_0001,
                1 << 28 | 4 << 6,
                3,
                100_000,
            ];
            (at(Block::Smi) + offset, random.word(&known))
        }
        // A word of a control block.
        _ => {
            let at = BLOCKS + 4 * (random.next() % 64);
            let next = 0x4000_0000 | BLOCKS | (32 * (random.next() % 8));
            let known = [
                TI,
                TI | 9,
                SMI_TI,
                bus_address(Block::Pcm) + 0x04,
                bus_address(Block::Smi) + 0x0c,
                0x4020_0000,
                256,
                0,
                next,
                0xc000_2000,
            ];
            (at, random.word(&known))
        }
    }
}

#[test]
fn no_write_to_the_sampling_blocks_breaks_the_model() {
    let mut answers = [0_u32; 3];
    for seed in 0..BOARDS {
        let mut random = Random(seed);
        let config = Config {
            i2s: part(&mut random),
            parallel: parallel(&mut random),
            // Half of them without the checks, as an emulator, which lets more through.
            checks: if seed.is_multiple_of(2) {
                Checks::ALL
            } else {
                Checks::NONE
            },
            ..Config::default()
        };
        let mut board = Board::new(&config);
        let mut now = 0;
        for _ in 0..WRITES {
            let (address, value) = write(&mut random);
            if address < board.memory.size() {
                *board.memory.word_mut(address) = value;
                continue;
            }
            let written = board.write_register(address, value, now);
            answers[usize::from(written.is_err())] += 1;
            board.barrier();
            let _ = board.read_register(address, now);
            board.barrier();
            if random.next().is_multiple_of(16) {
                let changed = part(&mut random);
                board.wire(now, |parts, now| parts.set_part(changed, now));
                let changed = parallel(&mut random);
                board.wire(now, |parts, _| parts.set_parallel(changed));
            }
            now += u64::from(random.next()) % (ARM_HZ / 5_000);
            let next = board.advance(now);
            assert!(next > now || board.fault.is_some(), "time goes on");
            if let Some(mistake) = board.take_fault() {
                assert!(!mistake.kind.to_string().is_empty());
                answers[2] += 1;
            }
        }
    }
    // The writes are no noise: most do something, and each kind of answer comes.
    assert!(answers.iter().all(|count| *count > 100), "{answers:?}");
}
