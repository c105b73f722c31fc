//! Clock manager: the generators of GPCLK0 to 2, PCM, PWM and SMI.
//!
//! A generator divides its source by DIVI, or with MASH on average by DIVI + DIVF / 4096; the
//! jitter of MASH is not modelled. Its source, MASH and divider must not change while BUSY is set:
//! the manual warns of lock-ups and glitches, here the run stops. A write without the password has
//! no effect. PLLD may be off its nominal rate ([`crate::Config::plld_ppb`]).
//!
//! Sources: BCM2835 ARM Peripherals, section 6.3, with its errata for the rates of sources; Linux
//! `clk-bcm2835.c` for the offsets and for PCM, PWM and SMI, whose divider has four bits of DIVI
//! and eight of DIVF.

use super::oscillation::Oscillation;
use crate::fault::FaultKind;

const PASSWORD: u32 = 0x5a;
/// Bits of CTL that can be written: MASH, FLIP, KILL, ENAB, SRC.
const CTL_MASK: u32 = 0x0000_073f;
const SRC: u32 = 0xf;
const ENAB: u32 = 1 << 4;
const KILL: u32 = 1 << 5;
const BUSY: u32 = 1 << 7;
const MASH: u32 = 3 << 9;
/// Bits that must not change while BUSY is set.
const SETUP: u32 = MASH | 1 << 8 | SRC;
/// Least DIVI for each MASH (table 6-32).
const LEAST_DIVI: [u32; 4] = [1, 2, 3, 5];

/// Offsets of the CTL registers; DIV is 4 above each.
const OFFSETS: [u32; GENERATORS] = [0x070, 0x078, 0x080, 0x098, 0x0a0, 0x0b0];
const GENERATORS: usize = 6;
/// Bits of each DIV that there are.
const DIV_MASKS: [u32; GENERATORS] = [
    0x00ff_ffff,
    0x00ff_ffff,
    0x00ff_ffff,
    0x00ff_ffff,
    0x00ff_ffff,
    0x0000_fff0,
];

/// The generators that something listens to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// GPCLK0.
    Gp0 = 0,
    /// The PCM block's clock.
    Pcm = 3,
    /// The SMI block's clock.
    Smi = 5,
}

#[derive(Clone, Copy, Default)]
struct Generator {
    ctl: u32,
    div: u32,
    /// What it puts out.
    output: Option<Oscillation>,
    /// The end of its last cycle, after it was told to stop.
    busy_until: u64,
    /// Parts in 10^9 by which PLLD is too fast.
    plld_ppb: i32,
}

/// The clock manager.
#[derive(Default)]
pub struct ClockManager {
    generators: [Generator; GENERATORS],
}

impl Generator {
    fn is_busy(&self, now: u64) -> bool {
        self.output.is_some() || now < self.busy_until
    }

    fn start(&mut self, now: u64) -> Result<(), FaultKind> {
        // PLLD's 500 MHz are half a cycle a nanosecond.
        let plld = (1_000_000_000 + i64::from(self.plld_ppb)).max(1) as u64;
        let (hz, parts) = match self.ctl & SRC {
            1 => (19_200_000, 1),
            5 => (1_000_000_000, 1),
            6 => (plld, 2),
            7 => (216_000_000, 1),
            // Ground, test clocks, and PLLA, which is off: no edge ever comes.
            _ => return Ok(()),
        };
        let (divi, divf) = (self.div >> 12 & 0xfff, self.div & 0xfff);
        let mash = (self.ctl & MASH) >> 9;
        if divi < LEAST_DIVI[mash as usize] {
            return Err(misuse("DIVI is less than MASH allows"));
        }
        let fraction = if mash == 0 { 0 } else { divf };
        let divisor = u64::from(divi << 12 | fraction);
        self.output = Some(Oscillation::new(now, hz << 12, parts * divisor));
        Ok(())
    }

    fn stop(&mut self, now: u64) {
        if let Some(output) = self.output.take() {
            self.busy_until = output.clock_after(output.cycles_at(now) + 1);
        }
    }

    fn control(&mut self, value: u32, now: u64) -> Result<(), FaultKind> {
        let value = value & CTL_MASK;
        let changes = (self.ctl ^ value) & SETUP != 0;
        if changes && self.is_busy(now) {
            return Err(misuse("source, MASH or FLIP was changed while BUSY is set"));
        }
        let starts = value & (ENAB | KILL) == ENAB && self.ctl & ENAB == 0;
        if starts && changes {
            return Err(misuse("the source was changed together with ENAB"));
        }
        self.ctl = value;
        if value & KILL != 0 {
            self.output = None;
            self.busy_until = now;
        } else if value & ENAB == 0 {
            self.stop(now);
        } else if starts {
            self.start(now)?;
        }
        Ok(())
    }
}

impl ClockManager {
    /// All generators off, with PLLD too fast by so many parts in 10^9.
    pub fn new(plld_ppb: i32) -> Self {
        let off = Generator {
            plld_ppb,
            ..Generator::default()
        };
        Self {
            generators: [off; GENERATORS],
        }
    }

    /// All generators run since `now`, with MASH and as slowly as they can: what a program that ran
    /// before may have left.
    pub fn running(plld_ppb: i32, now: u64) -> Self {
        let mut clocks = Self::new(plld_ppb);
        for (generator, mask) in clocks.generators.iter_mut().zip(DIV_MASKS) {
            generator.div = 0xfff << 12 & mask;
            generator.ctl = 1 << 9 | ENAB | 1;
            // The slowest division is one that MASH allows.
            let _ = generator.start(now);
        }
        clocks
    }

    /// The clock that a generator puts out.
    pub fn output(&self, of: Output) -> Option<Oscillation> {
        self.generators[of as usize].output
    }

    /// Reads a register.
    ///
    /// # Errors
    /// A register that is not modelled.
    pub fn read(&self, offset: u32, now: u64) -> Result<u32, FaultKind> {
        let (index, is_div) = place(offset)?;
        let generator = &self.generators[index];
        Ok(match is_div {
            true => generator.div,
            false => generator.ctl | if generator.is_busy(now) { BUSY } else { 0 },
        })
    }

    /// Writes a register.
    ///
    /// # Errors
    /// A register that is not modelled, or a change that may lock the generator up.
    pub fn write(&mut self, offset: u32, value: u32, now: u64) -> Result<(), FaultKind> {
        let (index, is_div) = place(offset)?;
        if value >> 24 != PASSWORD {
            return Ok(());
        }
        let generator = &mut self.generators[index];
        if !is_div {
            return generator.control(value, now);
        }
        let value = value & DIV_MASKS[index];
        if value != generator.div && generator.is_busy(now) {
            return Err(misuse("the divider was changed while BUSY is set"));
        }
        generator.div = value;
        Ok(())
    }
}

/// The generator of a register, and true for DIV.
fn place(offset: u32) -> Result<(usize, bool), FaultKind> {
    let found = OFFSETS.iter().position(|&ctl| ctl == offset & !4);
    match found {
        Some(index) => Ok((index, offset & 4 != 0)),
        None => Err(FaultKind::NotModelled(format!(
            "the clock manager's register +{offset:#05x}"
        ))),
    }
}

fn misuse(what: &'static str) -> FaultKind {
    FaultKind::Misuse("the clock manager", what)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CTL: u32 = 0x098;
    const DIV: u32 = 0x09c;
    const WORD: u32 = PASSWORD << 24;

    fn running() -> ClockManager {
        let mut clocks = ClockManager::default();
        clocks.write(DIV, WORD | 6 << 12, 0).unwrap();
        clocks.write(CTL, WORD | 1, 0).unwrap();
        clocks.write(CTL, WORD | ENAB | 1, 10).unwrap();
        clocks
    }

    #[test]
    fn the_crystal_divided_by_six_runs_until_its_cycle_ends() {
        let mut clocks = running();
        let output = clocks.output(Output::Pcm).unwrap();
        assert_eq!(output, Oscillation::new(10, 3_200_000, 1));
        assert_eq!(clocks.read(CTL, 11), Ok(ENAB | BUSY | 1));
        // A cycle is 218.75 clocks.
        clocks.write(CTL, WORD | 1, 300).unwrap();
        assert_eq!(clocks.output(Output::Pcm), None);
        assert_eq!(clocks.read(CTL, 447), Ok(BUSY | 1));
        assert_eq!(clocks.read(CTL, 448), Ok(1));
    }

    #[test]
    fn nothing_happens_without_the_password() {
        let mut clocks = ClockManager::default();
        clocks.write(DIV, 6 << 12, 0).unwrap();
        clocks.write(CTL, 0x5b00_0011, 0).unwrap();
        assert_eq!((clocks.read(DIV, 1), clocks.read(CTL, 1)), (Ok(0), Ok(0)));
    }

    #[test]
    fn what_may_lock_it_up_is_found() {
        for (offset, value) in [(DIV, 7 << 12), (CTL, ENAB | 6), (CTL, ENAB | 1 << 9 | 1)] {
            let mut clocks = running();
            let found = clocks.write(offset, WORD | value, 500);
            assert!(matches!(found, Err(FaultKind::Misuse(..))), "{value:#x}");
        }
        let mut clocks = ClockManager::default();
        clocks.write(DIV, WORD | 6 << 12, 0).unwrap();
        let at_once = clocks.write(CTL, WORD | ENAB | 1, 0);
        assert!(at_once.is_err(), "source and ENAB in one write");
        let mut clocks = ClockManager::default();
        clocks.write(CTL, WORD | 1, 0).unwrap();
        assert!(clocks.write(CTL, WORD | ENAB | 1, 0).is_err(), "DIVI is 0");
    }

    #[test]
    fn mash_divides_by_the_fraction_on_average_and_integers_drop_it() {
        for (mash, numerator, denominator) in
            [(1, 19_200_000 * 4096, 6 * 4096 + 1024), (0, 3_200_000, 1)]
        {
            let mut clocks = ClockManager::default();
            clocks.write(DIV, WORD | 6 << 12 | 1024, 0).unwrap();
            clocks.write(CTL, WORD | mash << 9 | 1, 0).unwrap();
            clocks.write(CTL, WORD | mash << 9 | ENAB | 1, 0).unwrap();
            let wanted = Oscillation::new(0, numerator, denominator);
            assert_eq!(clocks.output(Output::Pcm), Some(wanted));
        }
    }

    #[test]
    fn a_divider_of_thirteen_bits_wraps_as_on_silicon() {
        // rpi-hal: 12,500 becomes 212.
        let mut clocks = ClockManager::default();
        clocks
            .write(DIV, WORD | (12_500 << 12 & 0x00ff_ffff), 0)
            .unwrap();
        assert_eq!(clocks.read(DIV, 0), Ok(212 << 12));
    }

    #[test]
    fn the_divider_of_smi_has_four_bits() {
        let mut clocks = ClockManager::default();
        clocks.write(0x0b4, WORD | 0x15 << 12 | 0xf, 0).unwrap();
        assert_eq!(clocks.read(0x0b4, 0), Ok(5 << 12));
        clocks.write(0x0b0, WORD | 6, 0).unwrap();
        clocks.write(0x0b0, WORD | ENAB | 6, 0).unwrap();
        let wanted = Oscillation::new(0, 100_000_000, 1);
        assert_eq!(clocks.output(Output::Smi), Some(wanted));
    }

    #[test]
    fn what_comes_from_plld_is_off_as_plld_is() {
        for (source, ppb, numerator) in [
            (6, 100, 1_000_000_100_u64),
            (6, -10, 999_999_990),
            (5, 100, 2_000_000_000),
        ] {
            let mut clocks = ClockManager::new(ppb);
            clocks.write(0x0b4, WORD | 5 << 12, 0).unwrap();
            clocks.write(0x0b0, WORD | source, 0).unwrap();
            clocks.write(0x0b0, WORD | ENAB | source, 0).unwrap();
            let wanted = Oscillation::new(0, numerator, 10);
            assert_eq!(clocks.output(Output::Smi), Some(wanted), "{source} {ppb}");
        }
    }
}
