//! Writes to the blocks that bring samples into memory, control blocks of DMA among them.
//!
//! A pause is behind each. Bytes name registers and values that mean something, so that many inputs
//! start transfers.

use std::cell::RefCell;

use virtual_pi::{
    Blocks, Checks, Config, FaultKind, I2sPart, I2sPins, I2sRole, ParallelPart, ParallelWiring,
    Signal, Wiring,
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

/// Addresses: registers of DMA's channels 0, 5 and 8, the clock manager, GPIO, PCM and SMI, and
/// words of control blocks.
const ADDRESSES: [u32; 48] = [
    0x2000_7000,
    0x2000_7004,
    0x2000_7020,
    0x2000_7500,
    0x2000_7504,
    0x2000_7500,
    0x2000_7800,
    0x2000_7804,
    0x2000_7ff0,
    0x2010_1098,
    0x2010_109c,
    0x2010_10b0,
    0x2010_10b4,
    0x2010_1070,
    0x2010_1074,
    0x2020_0000,
    0x2020_0004,
    0x2020_0008,
    0x2020_000c,
    0x2020_3000,
    0x2020_3000,
    0x2020_3004,
    0x2020_3008,
    0x2020_300c,
    0x2020_3014,
    0x2020_3018,
    0x2060_0000,
    0x2060_0000,
    0x2060_0004,
    0x2060_0008,
    0x2060_000c,
    0x2060_0010,
    0x2060_0030,
    0x2060_0034,
    0x2060_0038,
    0x2060_0040,
    0x0002_0000,
    0x0002_0004,
    0x0002_0008,
    0x0002_000c,
    0x0002_0014,
    0x0002_0020,
    0x0002_0024,
    0x0002_0028,
    0x0002_002c,
    0x0002_0034,
    0x0002_0010,
    0x0002_0030,
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
            if address >= 0x2000_0000 {
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
