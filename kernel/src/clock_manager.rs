//! Clock manager: the generators of the PCM bit clock, of the clock on GPIO 4, and of SMI's clock.
//!
//! The first two divide the 19.2 MHz crystal by a whole number, and SMI's divides PLLD, which the
//! boot firmware runs at 500 MHz. Whole numbers give no jitter, and PCM and the ADC stay in step. A
//! generator is changed only while it stands still: changing it while it runs may lock it up. A
//! register takes a value only with the password in its highest byte.
//!
//! Sources: BCM2835 ARM Peripherals, section 6.3, for GP0; G. J. van Loo, "BCM2835 Audio & PWM
//! clocks", for the PCM generator at 0x98, which works alike; crystal and order: Linux
//! clk-bcm2835.c and bcm2835-i2s.c; SMI's generator at 0xb0, source 6 and 500 MHz: Linux
//! bcm2835_smi.h, iosoft's rpi_smi_adc_test.c.

use tock_registers::fields::FieldValue;
use tock_registers::interfaces::{ReadWriteable, Readable, Writeable};
use tock_registers::registers::ReadWrite;
use tock_registers::{register_bitfields, register_structs};

use crate::mmio::Mmio;
use crate::timer::{Clock, Timeout};

register_bitfields! { u32,
    CTL [
        PASSWD OFFSET(24) NUMBITS(8) [ Password = 0x5a ],
        MASH OFFSET(9) NUMBITS(2) [ Integer = 0 ],
        BUSY OFFSET(7) NUMBITS(1) [],
        KILL OFFSET(5) NUMBITS(1) [],
        ENAB OFFSET(4) NUMBITS(1) [],
        SRC OFFSET(0) NUMBITS(4) [ Oscillator = 1, PllD = 6 ]
    ],
    DIV [
        PASSWD OFFSET(24) NUMBITS(8) [ Password = 0x5a ],
        DIVI OFFSET(12) NUMBITS(12) [],
        DIVF OFFSET(0) NUMBITS(12) []
    ]
}

register_structs! {
    /// A generator.
    pub Generator {
        (0x0 => CTL: ReadWrite<u32, CTL::Register>),
        (0x4 => DIV: ReadWrite<u32, DIV::Register>),
        (0x8 => @END),
    },
    /// The generators that are used.
    pub Registers {
        (0x00 => _reserved0),
        (0x70 => GP0: Generator),
        (0x78 => _reserved1),
        (0x98 => PCM: Generator),
        (0xa0 => _reserved2),
        (0xb0 => SMI: Generator),
        (0xb8 => @END),
    }
}

/// The divisor of PLLD for SMI's clock of 100 MHz.
const SMI_DIVISOR: u32 = 5;

/// The greatest divisor.
pub const MAX_DIVISOR: u32 = 0xfff;

/// The time that a generator may take to start or to stop: some periods of its slowest output.
const CHANGE_US: u64 = 1000;

/// The clock manager.
pub struct ClockManager {
    registers: Mmio<Registers>,
    clock: Clock,
}

impl ClockManager {
    /// Takes the block.
    #[must_use]
    pub const fn new(registers: Mmio<Registers>, clock: Clock) -> Self {
        Self { registers, clock }
    }

    /// Gives PCM the crystal divided by `divisor`.
    ///
    /// # Errors
    /// When the generator does not start.
    pub fn start_pcm(&mut self, divisor: u32) -> Result<(), Timeout> {
        self.start(|it| &it.PCM, CTL::SRC::Oscillator, divisor)
    }

    /// Gives GPIO 4 the crystal's clock.
    ///
    /// # Errors
    /// When the generator does not start.
    pub fn start_gp0(&mut self) -> Result<(), Timeout> {
        self.start(|it| &it.GP0, CTL::SRC::Oscillator, 1)
    }

    /// Gives SMI 100 MHz.
    ///
    /// # Errors
    /// When the generator does not start.
    pub fn start_smi(&mut self) -> Result<(), Timeout> {
        self.start(|it| &it.SMI, CTL::SRC::PllD, SMI_DIVISOR)
    }

    /// Stops SMI's clock.
    pub fn stop_smi(&mut self) {
        // As in `stop`.
        let _ = self.halt(|it| &it.SMI);
    }

    /// Stops the clocks of PCM and of GPIO 4.
    pub fn stop(&mut self) {
        // One that does not stop is left as it is: nothing hears it.
        let _ = self.halt(|it| &it.PCM);
        let _ = self.halt(|it| &it.GP0);
    }

    fn start(
        &self,
        of: fn(&Registers) -> &Generator,
        source: FieldValue<u32, CTL::Register>,
        divisor: u32,
    ) -> Result<(), Timeout> {
        self.halt(of)?;
        let setup = CTL::PASSWD::Password + CTL::MASH::Integer + source;
        self.registers.visit(|it| {
            let generator = of(it);
            generator
                .DIV
                .write(DIV::PASSWD::Password + DIV::DIVI.val(divisor));
            // The source is not to change with the write that starts it.
            generator.CTL.write(setup);
            generator.CTL.write(setup + CTL::ENAB::SET);
        });
        self.wait(of, true)
    }

    fn halt(&self, of: fn(&Registers) -> &Generator) -> Result<(), Timeout> {
        // All but ENAB stays as it is while the generator runs: another program may have started
        // it.
        let off = CTL::PASSWD::Password + CTL::ENAB::CLEAR;
        self.registers.visit(|it| of(it).CTL.modify(off));
        self.wait(of, false).or_else(|_| {
            self.registers
                .visit(|it| of(it).CTL.modify(off + CTL::KILL::SET));
            self.wait(of, false)
        })
    }

    fn wait(&self, of: fn(&Registers) -> &Generator, runs: bool) -> Result<(), Timeout> {
        let is_there = || self.registers.visit(|it| of(it).CTL.is_set(CTL::BUSY)) == runs;
        let in_time = self.clock.wait_for(CHANGE_US, is_there);
        in_time.then_some(()).ok_or(Timeout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mmio::fake;
    use crate::timer::fake::clock as fake_clock;
    use core::mem::offset_of;

    #[test]
    fn registers_lie_where_the_manual_says() {
        assert_eq!(offset_of!(Registers, GP0), 0x70);
        assert_eq!(offset_of!(Registers, PCM), 0x98);
        assert_eq!(offset_of!(Registers, SMI), 0xb0);
    }

    #[test]
    fn a_generator_that_does_not_start_is_reported_with_its_setup_written() {
        let (registers, words) = fake::zeros();
        let mut manager = ClockManager::new(registers, fake_clock());
        assert_eq!(manager.start_pcm(6), Err(Timeout));
        assert_eq!(words.at(0x9c), 0x5a00_6000);
        assert_eq!(words.at(0x98), 0x5a00_0011);
        assert_eq!(manager.start_smi(), Err(Timeout));
        assert_eq!((words.at(0xb4), words.at(0xb0)), (0x5a00_5000, 0x5a00_0016));
    }
}
