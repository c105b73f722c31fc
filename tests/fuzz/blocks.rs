//! Writes to the blocks that bring samples into memory, control blocks of DMA among them.
//!
//! A pause is behind each. Bytes name registers and values that mean something, so that many inputs
//! start transfers.

use std::cell::RefCell;

use virtual_pi::{
    Blocks, Checks, Config, FaultKind, I2sPart, I2sPins, I2sRole, MemoryMap, ParallelPart,
    ParallelWiring, Signal, Wiring,
};

/// Bytes of a write.
const WRITE: usize = 4;
/// Writes of an input at most.
const MOST: usize = 64;
/// Where control blocks are.
const CONTROL_BLOCKS: u32 = 0x0002_0000;
/// Clocks for which the blocks go on behind the last write: 50 us.
const REST: u64 = 35_000;

thread_local! {
    /// Switched off and on for each input: to build a board takes longer than an input.
    /// Lines of caches would outlive an input, so they are not checked.
    static BLOCKS: RefCell<Blocks> = RefCell::new(Blocks::new(&Config {
        checks: Checks { cache: false, ..Checks::ALL },
        ..Config::default()
    }));
}

/// Registers, from the peripherals' base.
const PERIPHERALS: u32 = MemoryMap::BCM2835.peripherals;
const DMA: u32 = PERIPHERALS + 0x00_7000;
const CLOCKS: u32 = PERIPHERALS + 0x10_1000;
const GPIO: u32 = PERIPHERALS + 0x20_0000;
const PCM: u32 = PERIPHERALS + 0x20_3000;
const SMI: u32 = PERIPHERALS + 0x60_0000;

/// Addresses: registers of DMA's channels 0, 5 and 8, the clock manager, GPIO, PCM and SMI, and
/// words of control blocks.
const ADDRESSES: [u32; 48] = [
    DMA,
    DMA + 0x004,
    DMA + 0x020,
    DMA + 0x500,
    DMA + 0x504,
    DMA + 0x500,
    DMA + 0x800,
    DMA + 0x804,
    DMA + 0xff0,
    CLOCKS + 0x098,
    CLOCKS + 0x09c,
    CLOCKS + 0x0b0,
    CLOCKS + 0x0b4,
    CLOCKS + 0x070,
    CLOCKS + 0x074,
    GPIO,
    GPIO + 0x004,
    GPIO + 0x008,
    GPIO + 0x00c,
    PCM,
    PCM,
    PCM + 0x004,
    PCM + 0x008,
    PCM + 0x00c,
    PCM + 0x014,
    PCM + 0x018,
    SMI,
    SMI,
    SMI + 0x004,
    SMI + 0x008,
    SMI + 0x00c,
    SMI + 0x010,
    SMI + 0x030,
    SMI + 0x034,
    SMI + 0x038,
    SMI + 0x040,
    CONTROL_BLOCKS,
    CONTROL_BLOCKS + 0x004,
    CONTROL_BLOCKS + 0x008,
    CONTROL_BLOCKS + 0x00c,
    CONTROL_BLOCKS + 0x014,
    CONTROL_BLOCKS + 0x020,
    CONTROL_BLOCKS + 0x024,
    CONTROL_BLOCKS + 0x028,
    CONTROL_BLOCKS + 0x02c,
    CONTROL_BLOCKS + 0x034,
    CONTROL_BLOCKS + 0x010,
    CONTROL_BLOCKS + 0x030,
];

/// Values that mean something to one of them.
const VALUES: [u32; 40] = [
    0,
    1,
    3,
    8,
    0x4000_0001,
    0x8000_0000,
    0x4002_0000,
    0x4002_0020,
    0x0002_0000,
    0xc002_0000,
    0x5a00_0001,
    0x5a00_0006,
    0x5a00_0011,
    0x5a00_0016,
    0x5a00_6000,
    0x5a00_5000,
    0x5a00_1000,
    0x5a00_0020,
    5 << 18,
    0o5555 << 18,
    0o5555,
    4 << 24 | 4 << 27,
    4,
    0x0200_0001,
    0x0200_0203,
    0x0100_0011,
    0x0050_fc20,
    0xc018_c218,
    0x0000_4001,
    0x0000_4011,
    0x0000_4009,
    0x4101_0003,
    0x1000_0100,
    0x0004_3430,
    0x0003_0411,
    0x7e20_3004,
    0x7e60_000c,
    0x4030_0000,
    4096,
    u32::MAX,
];

/// Whatever is written, the blocks go on, or stop with a sentence; the same each time.
pub fn control_blocks(bytes: &[u8]) {
    let (first, writes) = bytes.split_first().unwrap_or((&0, &[]));
    let stopped = run(*first, writes);
    if let Err(kind) = &stopped {
        assert!(!kind.to_string().is_empty());
    }
    if first >> 4 == 0 {
        assert_eq!(run(*first, writes), stopped);
    }
}

fn run(first: u8, writes: &[u8]) -> Result<(), FaultKind> {
    BLOCKS.with_borrow_mut(|blocks| {
        blocks.restart(&config(first));
        for word in 0..16 {
            blocks.write(CONTROL_BLOCKS + 4 * word, 0)?;
        }
        for write in writes.chunks_exact(WRITE).take(MOST) {
            let [at, value, tweak, pause] =
                [write[0], write[1], write[2], write[3]].map(usize::from);
            let changed = if tweak < 32 { 1 << tweak } else { 0 };
            let address = ADDRESSES[at % ADDRESSES.len()];
            blocks.write(address, VALUES[value % VALUES.len()] ^ changed)?;
            blocks.pass(8 * pause as u64 + 1)?;
            if address >= PERIPHERALS {
                blocks.read(address)?;
            }
        }
        blocks.pass(REST)
    })
}

/// A board with parts on its pins, as some bits choose.
fn config(bits: u8) -> Config {
    let roles = [I2sRole::Slave, I2sRole::Master(384_000, 1)];
    let wirings = [Wiring::Right, Wiring::ClockOff(20_000)];
    let part = I2sPart {
        pins: I2sPins::Header,
        wiring: wirings[usize::from(bits >> 1 & 1)],
        ..I2sPart::new(roles[usize::from(bits & 1)], Signal::Count)
    };
    let parallel = ParallelPart {
        wiring: match bits >> 2 & 1 {
            0 => ParallelWiring::Right,
            _ => ParallelWiring::NoClock,
        },
        ..ParallelPart::new(Signal::Count)
    };
    let has_i2s = bits >> 3 & 1 == 0;
    Config {
        i2s: has_i2s.then_some(part),
        parallel: (!has_i2s).then_some(parallel),
        ..Config::default()
    }
}
