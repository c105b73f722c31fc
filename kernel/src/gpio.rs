//! GPIO: pin functions for UART, PCM and SMI, pin levels, and the ACT LED as embedded-hal's output.
//!
//! Source: BCM2835 ARM Peripherals, chapter 6. The pull sequence (GPPUD, 150 cycles, GPPUDCLK, 150
//! cycles) is its page 101; which pins may be UART0's, PCM's or SMI's, its section 6.2.

use core::convert::Infallible;

use embedded_hal::delay::DelayNs;
use embedded_hal::digital::{ErrorType, OutputPin};
use tock_registers::interfaces::{Readable, Writeable};
use tock_registers::register_structs;
use tock_registers::registers::{ReadOnly, ReadWrite, WriteOnly};

use crate::board::{ActLed, PcmPins};
use crate::mmio::Mmio;
use crate::timer::Clock;

register_structs! {
    /// The GPIO registers, as far as they are used.
    pub Registers {
        (0x00 => GPFSEL: [ReadWrite<u32>; 6]),
        (0x18 => _reserved0),
        (0x1c => GPSET: [WriteOnly<u32>; 2]),
        (0x24 => _reserved1),
        (0x28 => GPCLR: [WriteOnly<u32>; 2]),
        (0x30 => _reserved2),
        (0x34 => GPLEV: [ReadOnly<u32>; 2]),
        (0x3c => _reserved3),
        (0x94 => GPPUD: ReadWrite<u32>),
        (0x98 => GPPUDCLK: [ReadWrite<u32>; 2]),
        (0xa0 => @END),
    }
}

/// The function of a pin (GPFSEL encoding).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Function {
    Input = 0b000,
    Output = 0b001,
    Alt0 = 0b100,
    Alt1 = 0b101,
    Alt2 = 0b110,
    Alt3 = 0b111,
}

/// The pin of clock generator GP0.
const GP0_PIN: u8 = 4;

/// The pin of SOE, SMI's read strobe.
pub const SOE_PIN: u8 = 6;
/// The pins of SD8 to SD15, the upper byte of SMI's data.
pub const SMI_DATA_PINS: core::ops::Range<u8> = 16..24;

impl PcmPins {
    /// The pin of the bit clock, and the function of all. Frame clock and data input follow it.
    const fn place(self) -> (u8, Function) {
        match self {
            Self::Header => (18, Function::Alt0),
            Self::P5 => (28, Function::Alt2),
        }
    }

    /// The pin of the bit clock.
    #[must_use]
    pub const fn bit_clock(self) -> u8 {
        self.place().0
    }
}

/// UART0's TXD and RXD elsewhere than on pins 14 and 15. A Zero W has its Bluetooth on 32 and 33.
const UART0_ELSEWHERE: [(u8, Function); 4] = [
    (32, Function::Alt3),
    (33, Function::Alt3),
    (36, Function::Alt2),
    (37, Function::Alt2),
];

/// The time in which a pull takes a wire down: a pull of 65 kilohms needs 7 us for each 100 pF, and
/// a wire to an ADC has less than that.
const SETTLE_US: u32 = 50;

const PULL_OFF: u32 = 0b00;
const PULL_DOWN: u32 = 0b01;
const PULL_UP: u32 = 0b10;

/// GPFSEL register and value with `pin`'s three bits replaced.
fn selected(register: u32, pin: u8, function: Function) -> u32 {
    let shift = u32::from(pin % 10) * 3;
    (register & !(0b111 << shift)) | ((function as u32) << shift)
}

/// Reports if the GPFSEL register gives `pin` this function.
fn is_selected(register: u32, pin: u8, function: Function) -> bool {
    register == selected(register, pin, function)
}

/// The GPIO block.
pub struct Gpio {
    registers: Mmio<Registers>,
    delay: Clock,
}

impl Gpio {
    /// Takes the block.
    #[must_use]
    pub const fn new(registers: Mmio<Registers>, delay: Clock) -> Self {
        Self { registers, delay }
    }

    /// GPIO14 and 15 to the PL011 (ALT0): no pull on TXD, pull-up on RXD so that an open line
    /// idles.
    ///
    /// Which of two pins an input of a block hears is not documented, so pins that were UART0's
    /// before become inputs (Circle does the same with 32 and 33).
    pub fn route_uart0(&mut self) {
        for (pin, function) in UART0_ELSEWHERE {
            self.registers.visit(|gpio| {
                let register = &gpio.GPFSEL[usize::from(pin / 10)];
                if is_selected(register.get(), pin, function) {
                    register.set(selected(register.get(), pin, Function::Input));
                }
            });
        }
        self.select(14, Function::Alt0);
        self.select(15, Function::Alt0);
        self.pull(14, PULL_OFF);
        self.pull(15, PULL_UP);
    }

    /// A second handle, for pins that nobody else uses.
    #[must_use]
    pub const fn another(&self) -> Self {
        Self {
            registers: self.registers.again(),
            delay: self.delay,
        }
    }

    /// Pulls PCM's bit clock and frame clock down, so that a wire that nobody drives does not look
    /// like a clock. GPIO 18 and 19 are pulled down after a reset; 28 and 29 are not pulled at all
    /// (section 6.2), and float beside wires that are in use. Returns when they have settled.
    pub fn pull_pcm_clocks(&mut self, pins: PcmPins) {
        self.pull_mask(0, 0b11 << pins.bit_clock(), PULL_DOWN);
        self.delay.delay_us(SETTLE_US);
    }

    /// Gives PCM its bit clock, frame clock and data input, and GPIO 4 the clock generator GP0. A
    /// data line that nobody drives reads 0.
    pub fn route_pcm(&mut self, pins: PcmPins) {
        let (first, function) = pins.place();
        self.pull(first + 2, PULL_DOWN);
        for pin in first..first + 3 {
            self.select(pin, function);
        }
    }

    /// Gives GPIO 4 the clock generator GP0.
    pub fn route_gp0(&mut self) {
        self.select(GP0_PIN, Function::Alt0);
    }

    /// Makes all of them inputs again.
    pub fn release_pcm(&mut self, pins: PcmPins) {
        let (first, _) = pins.place();
        for pin in (first..first + 3).chain([GP0_PIN]) {
            self.select(pin, Function::Input);
        }
    }

    /// Pulls the pin of the read strobe up, its level between reads, before it is listened to.
    pub fn pull_smi_strobe(&mut self) {
        self.pull(SOE_PIN, PULL_UP);
    }

    /// Gives SMI the pin of its read strobe. Data lines that nobody drives read 0.
    pub fn route_smi_strobe(&mut self) {
        self.pull_mask(
            0,
            SMI_DATA_PINS.fold(0, |mask, pin| mask | 1 << pin),
            PULL_DOWN,
        );
        self.select(SOE_PIN, Function::Alt1);
    }

    /// Gives SMI its data pins.
    pub fn route_smi_data(&mut self) {
        for pin in SMI_DATA_PINS {
            self.select(pin, Function::Alt1);
        }
    }

    /// Makes SMI's pins inputs again, the data first.
    pub fn release_smi(&mut self) {
        for pin in SMI_DATA_PINS.chain([SOE_PIN]) {
            self.select(pin, Function::Input);
        }
    }

    /// Levels of GPIO 0 to 31, one bit each, whatever their functions are.
    #[must_use]
    pub fn levels(&self) -> u32 {
        self.registers.visit(|gpio| gpio.GPLEV[0].get())
    }

    /// Makes the board's activity light an output, dark. Without one no pin is touched.
    #[must_use]
    pub fn into_act_led(mut self, led: Option<ActLed>) -> ActLedPin {
        if let Some(led) = led {
            self.select(led.pin, Function::Output);
        }
        let mut pin = ActLedPin {
            registers: self.registers,
            led,
        };
        let Ok(()) = pin.set_low();
        pin
    }

    fn select(&mut self, pin: u8, function: Function) {
        self.registers.visit(|gpio| {
            let register = &gpio.GPFSEL[usize::from(pin / 10)];
            register.set(selected(register.get(), pin, function));
        });
    }

    fn pull(&mut self, pin: u8, pull: u32) {
        self.pull_mask(usize::from(pin / 32), 1 << (pin % 32), pull);
    }

    /// Sets the pull of the pins in `mask`, which belong to one clock register.
    fn pull_mask(&mut self, clock: usize, mask: u32, pull: u32) {
        self.registers.visit(|gpio| gpio.GPPUD.set(pull));
        self.delay.delay_us(1);
        self.registers.visit(|gpio| gpio.GPPUDCLK[clock].set(mask));
        self.delay.delay_us(1);
        self.registers.visit(|gpio| {
            gpio.GPPUD.set(PULL_OFF);
            gpio.GPPUDCLK[clock].set(0);
        });
    }
}

/// The activity light. High is lit, whichever way the board wires it.
pub struct ActLedPin {
    registers: Mmio<Registers>,
    led: Option<ActLed>,
}

impl ErrorType for ActLedPin {
    type Error = Infallible;
}

impl ActLedPin {
    fn drive(&mut self, lit: bool) {
        let Some(led) = self.led else { return };
        let bank = usize::from(led.pin / 32);
        let bit = 1 << (led.pin % 32);
        self.registers.visit(|gpio| {
            if lit == led.active_low {
                gpio.GPCLR[bank].set(bit);
            } else {
                gpio.GPSET[bank].set(bit);
            }
        });
    }
}

impl OutputPin for ActLedPin {
    fn set_low(&mut self) -> Result<(), Infallible> {
        self.drive(false);
        Ok(())
    }

    fn set_high(&mut self) -> Result<(), Infallible> {
        self.drive(true);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mmio::fake;
    use core::mem::offset_of;
    use std::sync::{Arc, Mutex};

    #[test]
    fn registers_lie_where_the_manual_says() {
        assert_eq!(offset_of!(Registers, GPSET), 0x1c);
        assert_eq!(offset_of!(Registers, GPCLR), 0x28);
        assert_eq!(offset_of!(Registers, GPLEV), 0x34);
        assert_eq!(offset_of!(Registers, GPPUDCLK), 0x98);
    }

    #[test]
    fn an_active_low_light_is_lit_by_clearing_its_pin() {
        for (active_low, lit, dark) in [(true, 0x2c, 0x20), (false, 0x20, 0x2c)] {
            let (registers, words) = fake::zeros();
            let mut pin = ActLedPin {
                registers,
                led: Some(ActLed {
                    pin: 47,
                    active_low,
                }),
            };
            let Ok(()) = pin.set_high();
            assert_eq!((words.at(lit), words.at(dark)), (1 << 15, 0));
            let Ok(()) = pin.set_low();
            assert_eq!(words.at(dark), 1 << 15);
        }
    }

    #[test]
    fn only_pins_that_are_another_uart0_are_taken_from_it() {
        assert!(is_selected(0b111 << 9, 33, Function::Alt3));
        for register in [0, 0b111 << 6, 0b110 << 9, 0b001 << 9] {
            assert!(!is_selected(register, 33, Function::Alt3), "{register:#o}");
        }
    }

    #[test]
    fn pcm_has_the_pins_of_the_header_or_of_p5() {
        for (pins, register, value) in [
            (PcmPins::Header, 0x04, 0b100 << 24 | 0b100 << 27),
            (PcmPins::P5, 0x08, 0b110 << 24 | 0b110 << 27),
        ] {
            let (registers, words) = fake::zeros();
            let mut gpio = Gpio::new(registers, crate::timer::fake::clock());
            gpio.route_pcm(pins);
            gpio.route_gp0();
            assert_eq!(words.at(register), value, "{pins:?}");
            assert_eq!(words.at(0x00), 0b100 << 12);
            gpio.release_pcm(pins);
            assert_eq!((words.at(0x00), words.at(register)), (0, 0));
        }
    }

    #[test]
    fn both_clocks_of_pcm_are_pulled_down_on_the_header_and_on_p5() {
        for (pins, mask) in [(PcmPins::Header, 0b11 << 18), (PcmPins::P5, 0b11 << 28)] {
            let (registers, words) = fake::zeros();
            let states = Arc::new(Mutex::new(Vec::new()));
            let seen = Arc::clone(&states);
            let clock = crate::timer::fake::watched(move || {
                let mut seen = seen.lock().unwrap();
                seen.push([words.at(0x94), words.at(0x98)]);
            });
            Gpio::new(registers, clock).pull_pcm_clocks(pins);
            let mut states = states.lock().unwrap().clone();
            states.dedup();
            let states: Vec<_> = states.iter().skip_while(|it| **it == [0, 0]).collect();
            assert_eq!(states, [&[0b01, 0], &[0b01, mask], &[0, 0]], "{pins:?}");
        }
    }

    #[test]
    fn smi_has_its_strobe_and_the_upper_byte_of_its_data() {
        let (registers, words) = fake::zeros();
        let mut gpio = Gpio::new(registers, crate::timer::fake::clock());
        gpio.route_smi_strobe();
        assert_eq!((words.at(0x00), words.at(0x04)), (0b101 << 18, 0));
        gpio.route_smi_data();
        assert_eq!(words.at(0x04), 0o5555 << 18);
        assert_eq!(words.at(0x08), 0o5555);
        gpio.release_smi();
        assert_eq!([0x00, 0x04, 0x08].map(|at| words.at(at)), [0; 3]);
    }

    #[test]
    fn a_pin_function_leaves_its_neighbours_alone() {
        assert_eq!(selected(0, 14, Function::Alt0), 0b100 << 12);
        assert_eq!(selected(0xffff_ffff, 47, Function::Output), !(0b110 << 21));
    }
}
