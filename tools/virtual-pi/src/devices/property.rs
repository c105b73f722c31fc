//! Property tags: what the VideoCore firmware of a Pi 1 answers.
//!
//! A tag that the firmware does not know keeps its request and gets no response bit, while the
//! buffer as a whole still says success. The response length is what the answer has, even where
//! the buffer holds less.
//!
//! Source: docs/hardware/qpu.md 7.2; raspberrypi/firmware wiki, "Mailbox property interface".

use super::dma::FREE_CHANNELS;
use crate::clock::{ARM_HZ, V3D_HZ};
use crate::config::Config;
use crate::map;

/// Buffer code: request processed.
pub const SUCCESS: u32 = 0x8000_0000;
/// Buffer code: the buffer could not be read.
pub const PARSE_ERROR: u32 = 0x8000_0001;
const RESPONSE: u32 = 1 << 31;

const CLOCK_UART: u32 = 2;
const CLOCK_ARM: u32 = 3;
const CLOCK_V3D: u32 = 5;
const DOMAIN_V3D: u32 = 11;

/// State that the firmware knows and sets.
#[derive(Default)]
pub struct Firmware {
    /// The board; `uart_hz` follows what is set.
    config: Config,
    /// PM_RSTS as it was when the firmware started.
    reset_status: u32,
    /// Requests to switch V3D on or off.
    pub v3d_requests: u64,
    /// Enable QPU (0x0003_0012) was asked for.
    pub qpu_enabled: bool,
    /// The V3D domain (0x0003_8030) is on.
    pub v3d_domain: bool,
    /// Blocks of GPU memory: (bus address, bytes).
    blocks: Vec<Option<(u32, u32)>>,
    /// Notes for people.
    pub notes: Vec<String>,
}

impl Firmware {
    /// The firmware of a board, started with this in PM_RSTS.
    pub fn new(config: &Config, reset_status: u32) -> Self {
        Self {
            config: config.clone(),
            reset_status,
            ..Self::default()
        }
    }

    /// Reference clock of the PL011.
    pub fn uart_hz(&self) -> u32 {
        self.config.uart_hz
    }

    fn ram_bytes(&self) -> u32 {
        self.config.ram_mib << 20
    }

    fn gpu_bytes(&self) -> u32 {
        self.config.gpu_mib << 20
    }

    /// True if V3D has power.
    pub fn v3d_powered(&self) -> bool {
        self.config.v3d && (self.qpu_enabled || self.v3d_domain)
    }

    /// The ARM's part of memory, in bytes from 0.
    pub fn arm_bytes(&self) -> u32 {
        self.ram_bytes() - self.gpu_bytes()
    }

    /// Answers a whole buffer in place; its first word has been checked to be its size in bytes.
    pub fn process(&mut self, words: &mut [u32]) {
        if words[1] != 0 {
            words[1] = PARSE_ERROR;
            return;
        }
        let mut at = 2;
        while at < words.len() && words[at] != 0 {
            let Some(&[tag, room, _]) = words[at..].first_chunk::<3>() else {
                words[1] = PARSE_ERROR;
                return;
            };
            let first = at + 3;
            let next = first + room.div_ceil(4) as usize;
            if next > words.len() {
                words[1] = PARSE_ERROR;
                return;
            }
            if let Some(bytes) = self.answer(tag, &words[first..next]) {
                for (word, chunk) in words[first..next].iter_mut().zip(bytes.chunks(4)) {
                    let mut full = word.to_le_bytes();
                    full[..chunk.len()].copy_from_slice(chunk);
                    *word = u32::from_le_bytes(full);
                }
                words[at + 2] = RESPONSE | bytes.len() as u32;
            } else {
                self.notes.push(format!(
                    "mailbox: the firmware does not answer property tag {tag:#010x}"
                ));
            }
            at = next;
        }
        // A list without its end tag is what the firmware calls a parse error too.
        words[1] = if at < words.len() {
            SUCCESS
        } else {
            PARSE_ERROR
        };
    }

    /// The response of one tag, or nothing for a tag that is not answered.
    fn answer(&mut self, tag: u32, request: &[u32]) -> Option<Vec<u8>> {
        let argument = |index: usize| request.get(index).copied().unwrap_or(0);
        let id = argument(0);
        let words = match tag {
            // Firmware of 2023; any date will do.
            0x0000_0001 => vec![0x6414_60a0],
            0x0001_0001 => vec![0],
            // Old style: model B, 512 MiB (0x000e) or 256 MiB (0x0002).
            0x0001_0002 => {
                let model_b = if self.ram_bytes() > 256 << 20 {
                    0x0e
                } else {
                    0x02
                };
                vec![self.config.revision.unwrap_or(model_b)]
            }
            0x0001_0003 => return Some(vec![0xb8, 0x27, 0xeb, 0x00, 0x51, 0x05]),
            0x0001_0004 => vec![0x0000_5105, 0],
            0x0001_0005 => vec![0, self.arm_bytes()],
            0x0001_0006 => vec![self.arm_bytes(), self.gpu_bytes()],
            0x0002_0001 | 0x0002_8001 => vec![id, if id <= 8 { argument(1) & 1 } else { 2 }],
            0x0003_0001 | 0x0003_8001 => vec![id, if self.clock(id).is_some() { 1 } else { 2 }],
            0x0003_0002 | 0x0003_0004 | 0x0003_0007 => vec![id, self.stated_clock(id)],
            0x0003_0047 if self.config.measures_clocks => vec![id, self.clock(id).unwrap_or(0)],
            0x0003_8002 => vec![id, self.set_clock(id, argument(1))],
            0x0003_0006 => vec![id, 45_000],
            0x0003_000a => vec![id, 85_000],
            0x0003_000c => vec![self.allocate(id, argument(1))],
            0x0003_000d => vec![self.lock(id)],
            0x0003_000e => vec![self.release(id, false)],
            0x0003_000f => vec![self.release(id, true)],
            0x0003_0012 if self.config.v3d => {
                self.v3d_requests += 1;
                let kept = self.qpu_enabled && !self.config.v3d_powers_off;
                self.qpu_enabled = (id != 0 && self.config.enables_qpu) || kept;
                vec![u32::from(!self.config.enables_qpu) << 31]
            }
            0x0003_0030 => vec![id, u32::from(id == DOMAIN_V3D && self.v3d_domain)],
            0x0003_8030 => {
                self.v3d_requests += u64::from(id == DOMAIN_V3D);
                if id == DOMAIN_V3D && self.config.powers_v3d {
                    let kept = self.v3d_domain && !self.config.v3d_powers_off;
                    self.v3d_domain = argument(1) & 1 != 0 || kept;
                }
                vec![id, argument(1) & 1]
            }
            0x0003_0046 => vec![0],
            0x0004_0011 => vec![self.reset_status],
            0x0005_0001 => {
                let mut text = self.config.cmdline.clone().into_bytes();
                text.push(0);
                return Some(text);
            }
            // DMA channels that the ARM may use.
            0x0006_0001 => vec![FREE_CHANNELS],
            _ => return None,
        };
        Some(words.iter().flat_map(|word| word.to_le_bytes()).collect())
    }

    /// Hz of a clock, or nothing for one that does not exist. Maximum, minimum and measured rates
    /// are the same on a Pi 1 without overclocking.
    fn clock(&self, id: u32) -> Option<u32> {
        Some(match id {
            CLOCK_UART => self.config.uart_hz,
            CLOCK_ARM => ARM_HZ as u32,
            CLOCK_V3D => V3D_HZ as u32,
            1 | 4 | 6 | 7 => 250_000_000,
            8 => 400_000_000,
            9 | 10 => 0,
            _ => return None,
        })
    }

    /// The rate that the firmware states.
    fn stated_clock(&self, id: u32) -> u32 {
        match self.config.uart_stated_hz {
            Some(hz) if id == CLOCK_UART => hz,
            _ => self.clock(id).unwrap_or(0),
        }
    }

    /// The UART's clock follows, unless it is misstated; the others stay at what the board runs at.
    fn set_clock(&mut self, id: u32, hz: u32) -> u32 {
        if id == CLOCK_UART && hz != 0 && self.config.uart_stated_hz.is_none() {
            self.config.uart_hz = hz;
        }
        self.stated_clock(id)
    }

    /// A handle, from 1 on, or 0 when there is no room. Blocks lie one after the other in the GPU's
    /// part of memory, behind the firmware's own 16 MiB.
    fn allocate(&mut self, bytes: u32, align: u32) -> u32 {
        if bytes == 0 || align > 1 << 28 {
            return 0;
        }
        let align = align.max(4096).next_power_of_two();
        let start = self
            .blocks
            .iter()
            .flatten()
            .map(|block| map::physical(block.0) + block.1)
            .max();
        let start = start
            .unwrap_or(self.arm_bytes() + (16 << 20))
            .next_multiple_of(align);
        let fits = start
            .checked_add(bytes)
            .is_some_and(|end| end <= self.ram_bytes());
        if !fits {
            return 0;
        }
        self.blocks
            .push(Some((start | self.config.map.alias, bytes)));
        self.blocks.len() as u32
    }

    /// The address of a block. Blocks never move, so that no lock is kept.
    fn lock(&self, handle: u32) -> u32 {
        match self.blocks.get((handle as usize).wrapping_sub(1)) {
            Some(Some(block)) => block.0,
            _ => 0,
        }
    }

    /// Unlocks, and with `free` gives back: 0 for success.
    fn release(&mut self, handle: u32, free: bool) -> u32 {
        match self.blocks.get_mut((handle as usize).wrapping_sub(1)) {
            Some(slot @ Some(_)) => {
                if free {
                    *slot = None;
                }
                0
            }
            _ => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn firmware() -> Firmware {
        let config = Config {
            cmdline: "start=0".into(),
            gpu_mib: 32,
            ..Config::default()
        };
        Firmware::new(&config, 0)
    }

    #[test]
    fn each_tag_carries_its_own_length() {
        let mut firmware = firmware();
        let mut words = vec![
            56,
            0,
            0x0001_0005,
            8,
            0,
            0,
            0,
            0x0003_0012,
            4,
            4,
            1,
            0x00ff_0001,
            0,
            0,
        ];
        words.push(0);
        words[0] = words.len() as u32 * 4;
        firmware.process(&mut words);
        assert_eq!(words[1], SUCCESS);
        assert_eq!(words[4..7], [RESPONSE | 8, 0, 480 << 20]);
        assert_eq!(words[9..11], [RESPONSE | 4, 0]);
        assert_eq!(words[13], 0);
        assert!(firmware.v3d_powered());
        assert_eq!(firmware.notes.len(), 1);
    }

    #[test]
    fn a_misstated_clock_is_not_set_and_measured_truly() {
        let mut firmware = firmware();
        firmware.config.uart_stated_hz = Some(3_000_000);
        let mut ask = |tag, request: &[u32]| {
            let bytes = firmware.answer(tag, request)?;
            Some(u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]))
        };
        assert_eq!(ask(0x0003_8002, &[2, 16_000_000, 0]), Some(3_000_000));
        assert_eq!(ask(0x0003_0002, &[2]), Some(3_000_000));
        assert_eq!(ask(0x0003_0047, &[2]), Some(48_000_000));
        firmware.config.measures_clocks = false;
        assert_eq!(firmware.answer(0x0003_0047, &[2]), None);
    }

    #[test]
    fn the_command_line_is_cut_to_the_room_but_not_its_length() {
        let mut words = vec![28, 0, 0x0005_0001, 4, 0, 0, 0];
        firmware().process(&mut words);
        assert_eq!(words[4], RESPONSE | 8);
        assert_eq!(words[5].to_le_bytes(), *b"star");
        assert_eq!(words[6], 0);
    }

    #[test]
    fn a_buffer_that_ends_early_is_a_parse_error() {
        for mut words in [
            vec![16, 0, 1, 8],
            vec![24, 0, 1, 64, 0, 0],
            vec![20, 1, 0, 0, 0],
        ] {
            firmware().process(&mut words);
            assert_eq!(words[1], PARSE_ERROR);
        }
    }

    #[test]
    fn gpu_memory_is_handed_out_and_taken_back() {
        let mut firmware = firmware();
        let first = firmware.allocate(8192, 4096);
        let second = firmware.allocate(100, 65_536);
        assert_eq!((first, second), (1, 2));
        assert_eq!(firmware.lock(second), 0x4000_0000 + (496 << 20) + 65_536);
        assert_eq!(firmware.release(second, false), 0);
        assert_eq!(firmware.release(second, true), 0);
        assert_eq!(firmware.release(second, true), 1);
        assert_eq!(firmware.allocate(1 << 30, 4096), 0);
        assert_eq!(firmware.allocate(4096, !0), 0);
    }
}
