//! SMI: reads 8 or 16 bits at a time from the pins into its FIFO, and asks DMA to empty it.
//!
//! There is no manual. Strict where the sources leave room: timings and CS, but for START with a
//! new length, stay as they are while ACTIVE is set (SETERR; here the run stops); START needs
//! ENABLE and a length before it; a phase of a read has at least one cycle. RPACE has to be 0:
//! whether it counts between the reads of a transfer is not known (Linux' header says so,
//! librerpi's experiments saw none, iosoft's rates come out without). Not modelled, and stopping
//! the run: writes to a device, 9 and 18 bits (sources give their codes both ways round), external
//! requests, padding, tearing effect, pixel valve, System 68 mode and interrupts.
//!
//! Sources: Linux `bcm2835_smi.h` and `bcm2835_smi.c` (raspberrypi/linux); iosoft's
//! `rpi_smi_defs.h` and `rpi_smi_adc_test.c` (jbentham/rpi); grishka's `adc_stream.c`
//! (grishka/miscellaneous) for START while ACTIVE is set; librerpi, smi.txt.

mod fifo;
mod reads;

pub use reads::{DATA_PINS, Pins, SmiReads};
use reads::{Reads, Setup};

use super::oscillation::Oscillation;
use crate::config::Config;
use crate::fault::FaultKind;
use crate::rules::{BlockRule, BrokenRules};

const ENABLE: u32 = 1 << 0;
const DONE: u32 = 1 << 1;
const ACTIVE: u32 = 1 << 2;
const START: u32 = 1 << 3;
const CLEAR: u32 = 1 << 4;
const WRITE: u32 = 1 << 5;
/// PAD, TEEN, INTD, INTT, INTR, PVMODE.
const UNMODELLED: u32 = 3 << 6 | 1 << 8 | 7 << 9 | 1 << 12;
const PXLDAT: u32 = 1 << 14;
const AFERR: u32 = 1 << 25;
/// Bits that the idle writing side shows: TXW, TXD, TXE.
const TX_IDLE: u32 = 1 << 26 | 1 << 28 | 1 << 30;
const RXR: u32 = 1 << 27;
const RXD: u32 = 1 << 29;
const RXF: u32 = 1 << 31;
/// Bits of CS that hold what is written.
const CS_KEPT: u32 = ENABLE | WRITE | PXLDAT;

const DMAEN: u32 = 1 << 28;
const DMAP: u32 = 1 << 24;

const DIRECT_START: u32 = 1 << 1;
const DIRECT_DONE: u32 = 1 << 2;
const DIRECT_WRITE: u32 = 1 << 3;

/// Device settings that are not modelled: RDREQ, FSETUP and MODE68.
const DSR_UNMODELLED: u32 = 1 << 7 | 1 << 22 | 1 << 23;

/// The block.
pub struct Smi {
    cs: u32,
    length: u32,
    address: u32,
    /// DSR0, DSW0, DSR1 and so on.
    devices: [u32; 8],
    dmc: u32,
    dcs: u32,
    dca: u32,
    dcd: u32,
    aferr: bool,
    /// A transfer was started since ENABLE.
    started: bool,
    reads: Reads,
    /// A read without the FIFO.
    direct: Reads,
    /// The FIFO was cleared since ENABLE.
    was_cleared: bool,
    /// Its pins.
    pub pins: Pins,
    /// Rules that were broken.
    pub broken: BrokenRules,
}

impl Smi {
    /// The block after reset.
    pub fn new(config: &Config) -> Self {
        let reads = || Reads::new(config.smi_fifo_words as usize, config.smi_levels);
        Self {
            cs: 0,
            length: 0,
            address: 0,
            devices: [0; 8],
            dmc: 0,
            dcs: 0,
            dca: 0,
            dcd: 0,
            aferr: false,
            started: false,
            reads: reads(),
            direct: reads(),
            was_cleared: false,
            pins: Pins::default(),
            broken: BrokenRules::default(),
        }
    }

    /// Its clock is another one from `now` on; `advance` has been called.
    pub fn set_clock(&mut self, clock: Option<Oscillation>, now: u64) {
        self.reads.set_clock(clock, now);
        self.direct.set_clock(clock, now);
    }

    /// Reads up to `now`.
    pub fn advance(&mut self, now: u64) {
        let missed = self.reads.counts().missed();
        self.reads.advance(now, &mut self.pins);
        let waited = self.reads.counts().missed() != missed && self.pins.is_driven();
        self.broken.note_if(BlockRule::SmiPause, waited);
        self.look_at_pins();
        if self.direct.is_active() {
            self.direct.advance(now, &mut self.pins);
            if let Some(word) = self.direct.take(now) {
                self.dcd = word;
                self.dcs |= DIRECT_DONE;
            }
        }
    }

    /// The reads since power-on.
    pub fn counts(&self) -> SmiReads {
        self.reads.counts()
    }

    /// Goes on to count from there.
    pub fn count_from(&mut self, counts: SmiReads) {
        self.reads.count_from(counts);
    }

    /// Between reads the block drives its data pins.
    pub fn look_at_pins(&mut self) {
        let reads = self.reads.is_active() || self.direct.is_active();
        let fights = !reads && self.pins.is_driven();
        self.broken.note_if(BlockRule::SmiDrive, fights);
    }

    /// Words at which DMA is asked to read (REQR). Linux' header calls it the threshold at which a
    /// DREQ is generated, and its driver sets 1, so a level that is reached asks. That is all there
    /// is: so a level beyond the FIFO is never reached, and one of 0 always.
    fn request_level(&self) -> usize {
        (self.dmc >> 6 & 0x3f) as usize
    }

    fn asks(&self) -> bool {
        self.cs & (ENABLE | WRITE) == ENABLE && self.dmc & DMAEN != 0
    }

    /// True if DMA should read the FIFO; `advance` has been called.
    pub fn requests(&self) -> bool {
        let level = self.reads.fifo.level();
        let is_rest = !self.reads.is_active() && level != 0;
        self.asks() && (level >= self.request_level() || is_rest)
    }

    /// The time at which [`Smi::requests`] will be true, as far as can be seen.
    pub fn requests_at(&self) -> u64 {
        match self.asks() {
            _ if self.requests() => 0,
            true => self.reads.level_at(self.request_level()),
            false => super::NEVER,
        }
    }

    fn status(&self) -> u32 {
        let flag = |bit: u32, set: bool| if set { bit } else { 0 };
        let (fifo, active) = (&self.reads.fifo, self.reads.is_active());
        let (level, depth) = (fifo.occupied(self.reads.now()), fifo.depth());
        let done = self.started && !active && level == 0;
        let wants = level > depth * 3 / 4 || self.started && !active && level != 0;
        self.cs
            | TX_IDLE
            | flag(ACTIVE, active)
            | flag(DONE, done)
            | flag(RXD, level != 0)
            | flag(RXR, wants)
            | flag(RXF, level >= depth)
            | flag(AFERR, self.aferr)
    }

    /// Takes a word from the FIFO, whose place is free from the clock `leaves` on; `advance` has
    /// been called.
    pub fn take(&mut self, leaves: u64) -> u32 {
        let word = self.reads.take(leaves);
        self.aferr |= word.is_none();
        word.unwrap_or(0)
    }

    /// Reads a register; time has been brought up to now.
    ///
    /// # Errors
    /// No such register.
    pub fn read(&mut self, offset: u32) -> Result<u32, FaultKind> {
        Ok(match offset {
            0x00 => self.status(),
            0x04 if self.reads.is_active() => self.reads.left,
            0x04 => self.length,
            0x08 => self.address,
            0x0c => self.take(self.reads.now()),
            0x10..=0x2c => self.devices[(offset as usize - 0x10) / 4],
            0x30 => self.dmc,
            0x34 => self.dcs,
            0x38 => self.dca,
            0x3c => self.dcd,
            0x40 => self.reads.fifo.debug(self.reads.now()),
            _ => return Err(FaultKind::Unmapped),
        })
    }

    /// Writes a register at `now`; time has been brought up to it.
    ///
    /// # Errors
    /// No such register, something that is not modelled, or a change that the sources warn of.
    pub fn write(&mut self, offset: u32, value: u32, now: u64) -> Result<(), FaultKind> {
        let active = self.reads.is_active() || self.direct.is_active();
        match offset {
            0x00 => return self.control(value, now),
            0x04 => self.length = value,
            0x0c => return Err(gap("writes to the FIFO")),
            0x34 => return self.control_directly(value, now),
            0x08 | 0x10..=0x30 | 0x38 if active => {
                return Err(misuse("a timing was changed while ACTIVE is set (SETERR)"));
            }
            0x08 => self.address = value & 0x33f,
            0x10..=0x2c => self.devices[(offset as usize - 0x10) / 4] = value,
            0x30 if value & DMAP != 0 => return Err(gap("external requests")),
            0x30 => self.dmc = value & (DMAEN | 0x00ff_ffff),
            0x38 => self.dca = value & 0x33f,
            0x3c => self.dcd = value & 0x3_ffff,
            0x40 => {}
            _ => return Err(FaultKind::Unmapped),
        }
        Ok(())
    }

    fn control(&mut self, value: u32, now: u64) -> Result<(), FaultKind> {
        if value & UNMODELLED != 0 {
            return Err(gap("padding, tearing effect, pixel valve and interrupts"));
        }
        if value & AFERR != 0 {
            self.aferr = false;
        }
        let was = std::mem::replace(&mut self.cs, value & CS_KEPT);
        let active = self.reads.is_active();
        if value & ENABLE == 0 {
            self.reads.stop();
            self.started = false;
            self.was_cleared = false;
        } else if active && (was ^ value) & (WRITE | PXLDAT) != 0 {
            return Err(misuse("WRITE or PXLDAT was changed while ACTIVE is set"));
        }
        if value & CLEAR != 0 {
            if active && value & ENABLE != 0 {
                return Err(misuse("the FIFO was cleared while ACTIVE is set"));
            }
            self.reads.clear();
            self.was_cleared = true;
        }
        self.look_at_pins();
        if value & START == 0 {
            return Ok(());
        }
        if was & value & ENABLE == 0 {
            return Err(misuse("START was set before ENABLE"));
        }
        if value & WRITE != 0 {
            return Err(gap("writes to a device"));
        }
        let setup = self.setup(self.address, value & PXLDAT != 0)?;
        if self.length == 0 {
            return Err(misuse("START with a length of 0"));
        }
        if !active {
            self.note_start();
        }
        self.reads.start(self.length, setup, 0, now);
        self.started = true;
        Ok(())
    }

    /// The rules that a transfer breaks when it starts now.
    fn note_start(&mut self) {
        let is_empty = self.was_cleared && self.reads.fifo.level() == 0;
        self.broken.note_if(BlockRule::SmiClear, !is_empty);
        let [request, panic] = [6, 18].map(|at| (self.dmc >> at & 0x3f) as usize);
        let has_room = (1..=self.reads.fifo.depth()).contains(&request) && panic > request;
        let asks = self.dmc & DMAEN != 0;
        self.broken.note_if(BlockRule::SmiLevels, asks && !has_room);
    }

    /// A read without the FIFO.
    fn control_directly(&mut self, value: u32, now: u64) -> Result<(), FaultKind> {
        let kept = self.dcs & DIRECT_DONE & !value;
        self.dcs = value & (ENABLE | DIRECT_WRITE) | kept;
        if value & DIRECT_START == 0 {
            return Ok(());
        }
        if value & ENABLE == 0 || self.direct.is_active() || self.reads.is_active() {
            return Err(misuse("a direct transfer was started in vain"));
        }
        if value & DIRECT_WRITE != 0 {
            return Err(gap("writes to a device"));
        }
        let setup = self.setup(self.dca, false)?;
        self.dcs &= !DIRECT_DONE;
        self.direct.start(1, setup, self.direct.next, now);
        Ok(())
    }

    /// The settings of the device in an address register.
    fn setup(&self, address: u32, packs: bool) -> Result<Setup, FaultKind> {
        let dsr = self.devices[2 * (address >> 8 & 3) as usize];
        if dsr & DSR_UNMODELLED != 0 {
            return Err(gap("external requests, first setup and System 68 mode"));
        }
        let phase = |at: u32, mask: u32| u64::from(dsr >> at & mask);
        let phases = [phase(24, 0x3f), phase(0, 0x7f), phase(16, 0x3f)];
        if phases.contains(&0) {
            return Err(misuse("setup, strobe or hold has no cycle"));
        }
        if phase(8, 0x7f) != 0 {
            return Err(misuse(
                "RPACE is not 0: if it counts between two reads is not known",
            ));
        }
        let bits = match dsr >> 30 {
            0 => 8,
            1 => 16,
            _ => return Err(gap("transfers of 9 and 18 bits")),
        };
        Ok(Setup {
            cycles: phases.iter().sum(),
            bits,
            per_word: if packs { 32 / u64::from(bits) } else { 1 },
        })
    }
}

fn misuse(what: &'static str) -> FaultKind {
    FaultKind::Misuse("SMI", what)
}

fn gap(what: &str) -> FaultKind {
    FaultKind::NotModelled(format!("SMI: {what}"))
}
