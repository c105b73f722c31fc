//! The blocks that bring samples into memory, in the order of time: clock manager, PCM, SMI, DMA,
//! and the parts on the pins.
//!
//! Whatever changes a clock, a pin's function or a wire calls [`Sampling::rewire`]: what a pin's
//! function does not route does not arrive.
//!
//! Source of the pins: BCM2835 ARM Peripherals, table 6-31: PCM_CLK, PCM_FS and PCM_DIN are ALT0 of
//! GPIO 18, 19 and 20 and ALT2 of 28, 29 and 30; GPCLK0 is ALT0 of GPIO 4; SOE_N is ALT1 of GPIO 6,
//! SD0 to SD15 of 8 to 23.

use super::NEVER;
use super::clock_manager::{ClockManager, Output};
use super::dma::{Dma, DmaBus, Paced};
use super::gpio::{Gpio, OutsideLevels};
use super::oscillation::Oscillation;
use super::pcm::{Data, Link, Role};
use super::pull::Pull;
use super::smi;
use crate::config::Config;
use crate::defect::{DmaHold, Holds};
use crate::fault::{FaultKind, Mistake};
use crate::parts::i2s::FRAME_CLOCKS;
use crate::parts::parallel::{FIRST_PIN, ParallelAdc};
use crate::parts::{I2sPart, I2sPins, ParallelPart, ParallelWiring, Wiring};
use crate::rules::BrokenRules;

const ALT0: u32 = 4;
const ALT1: u32 = 5;
const ALT2: u32 = 6;
/// Offset of the data pin, and of the frame clock's, from that of the bit clock.
const FRAME: u32 = 1;
const DATA: u32 = 2;
const GPCLK0: u32 = 4;
const SOE: u32 = 6;
const SD0: u32 = 8;
/// Fastest bit clock of PCM. Source: G. J. van Loo, "BCM2835 Audio & PWM clocks".
const MOST_BIT_HZ: f64 = 25e6;

/// The blocks.
pub struct Sampling {
    /// The clock manager.
    pub clocks: ClockManager,
    /// PCM and SMI.
    pub paced: Paced,
    /// DMA.
    pub dma: Dma,
    part: Option<I2sPart>,
    /// The bit clock of a part that gives one, since it was wired.
    own_clock: Option<Oscillation>,
    /// The clock up to which time has passed: what a register starts comes later.
    until: u64,
}

impl Sampling {
    /// Everything off, with parts that were switched on at `now`.
    pub fn new(config: &Config, now: u64) -> Self {
        let mut sampling = Self::without_parts(config, now);
        sampling.set_part(config.i2s.clone(), now);
        sampling.set_parallel(config.parallel.clone());
        sampling
    }

    /// Everything off at `now`, and nothing on the pins.
    fn without_parts(config: &Config, now: u64) -> Self {
        Self {
            clocks: ClockManager::new(config.plld_ppb),
            paced: Paced::new(config),
            dma: Dma::new(Holds::new(config.dma_hold)),
            part: None,
            own_clock: None,
            until: now,
        }
    }

    /// Holds DMA up at times from now on, or no longer; time has been brought up to now.
    pub fn set_dma_hold(&mut self, hold: Option<DmaHold>) {
        self.dma.holds = Holds::new(hold);
    }

    /// Wires another parallel ADC; time has been brought up to now.
    pub fn set_parallel(&mut self, part: Option<ParallelPart>) {
        self.paced.smi.pins.adc = ParallelAdc::new(part);
    }

    /// Changes the wires of the parallel ADC; time has been brought up to now.
    pub fn set_parallel_wiring(&mut self, wiring: ParallelWiring) {
        self.paced.smi.pins.adc.set_wiring(wiring);
    }

    /// Wires another part at `now`; [`Sampling::rewire`] has to follow.
    pub fn set_part(&mut self, part: Option<I2sPart>, now: u64) {
        if let Some(feed) = part.as_ref().and_then(I2sPart::feed) {
            feed.begin();
        }
        let rate = part.as_ref().and_then(I2sPart::own_rate);
        self.own_clock = rate.map(|(numerator, denominator)| {
            Oscillation::new(now, numerator * FRAME_CLOCKS, denominator)
        });
        self.part = part;
    }

    /// Tells a part whose frames the host brings that it is `now`, up to which time has passed;
    /// gives the clock at which it needs a frame that has not come.
    pub fn fed_until(&self, now: u64) -> u64 {
        let feed = self.part.as_ref().and_then(I2sPart::feed);
        let (Some(feed), Some(clock)) = (feed, self.own_clock) else {
            return NEVER;
        };
        let end = feed.play(clock.cycles_at(now) / FRAME_CLOCKS);
        // An instruction may end after the clock at which a run should, so a frame stays in hand.
        clock.clock_after(end.saturating_sub(1) * FRAME_CLOCKS)
    }

    /// Changes the part's wires at `now`; [`Sampling::rewire`] has to follow.
    pub fn set_wiring(&mut self, wiring: Wiring, now: u64) {
        let Some(part) = &mut self.part else { return };
        let before = part.own_rate();
        part.wiring = wiring;
        if part.own_rate() != before {
            let part = self.part.take();
            self.set_part(part, now);
        }
    }

    /// The blocks after a reset of the board at `now`, at which the parts go on, and the counts.
    pub fn after_reset(self, config: &Config, now: u64) -> Self {
        let mut fresh = Self {
            part: self.part,
            own_clock: self.own_clock,
            ..Self::without_parts(config, now)
        };
        let (before, paced) = (self.paced, &mut fresh.paced);
        paced.smi.count_from(before.smi.counts());
        paced.pcm.count_from(before.pcm.counts());
        paced.smi.pins.adc = before.smi.pins.adc;
        fresh
    }

    /// Lets time pass up to `now`; gives the clock of the next event.
    pub fn advance(&mut self, now: u64, bus: &mut DmaBus<'_>) -> u64 {
        let next = loop {
            let next = self.dma.next_event(&self.paced);
            if next > now || bus.fault.is_some() {
                break next;
            }
            if let Err((kind, address)) = self.dma.act(next.max(self.until), &mut self.paced, bus) {
                *bus.fault = Some(Mistake::new(kind, address));
            }
        };
        self.paced.advance(now);
        self.until = self.until.max(now);
        let next = next.min(self.dma.next_event(&self.paced));
        next.min(self.paced.pcm.interrupt_at())
    }

    /// The rules of DMA, PCM and SMI that were broken.
    pub fn broken(&mut self) -> [&mut BrokenRules; 3] {
        let Paced { pcm, smi } = &mut self.paced;
        [&mut self.dma.broken, &mut pcm.broken, &mut smi.broken]
    }

    /// True if `function` is that of PCM on a pin of these.
    fn routes(gpio: &Gpio, pins: I2sPins, signal: u32) -> bool {
        let function = match pins {
            I2sPins::Header => ALT0,
            I2sPins::P5 => ALT2,
        };
        gpio.function(pins.first() + signal) == function
    }

    /// The pins on which PCM hears a signal; which one it is with two of them is not documented,
    /// and here neither.
    fn heard(gpio: &Gpio, signal: u32) -> Option<I2sPins> {
        let [header, p5] =
            [I2sPins::Header, I2sPins::P5].map(|pins| Self::routes(gpio, pins, signal));
        match (header, p5) {
            (true, false) => Some(I2sPins::Header),
            (false, true) => Some(I2sPins::P5),
            _ => None,
        }
    }

    /// Looks at all wires anew; time has been brought up to `now`.
    ///
    /// # Errors
    /// A bit clock that PCM does not reach.
    pub fn rewire(&mut self, gpio: &Gpio, now: u64) -> Result<(), FaultKind> {
        let link = match self.paced.pcm.role() {
            Role::Off => None,
            Role::Master => self.as_master(gpio),
            Role::Slave => self.as_slave(gpio),
        };
        if link
            .as_ref()
            .is_some_and(|link| link.clock.hz() > MOST_BIT_HZ)
        {
            let what = "its bit clock is faster than 25 MHz";
            return Err(FaultKind::Misuse("PCM", what));
        }
        self.paced.pcm.set_link(link, now);
        self.rewire_smi(gpio, now);
        Ok(())
    }

    fn rewire_smi(&mut self, gpio: &Gpio, now: u64) {
        let smi = &mut self.paced.smi;
        let is_smi = |pin: u32| gpio.function(pin) == ALT1;
        let routed = (0..smi::DATA_PINS).filter(|pin| is_smi(SD0 + pin));
        smi.pins.routed = routed.fold(0, |pins, pin| pins | 1 << pin);
        smi.pins.strobes = is_smi(SOE);
        let of_data = |pull: Pull| {
            let pins = (0..smi::DATA_PINS).filter(|pin| gpio.pull(SD0 + pin) == pull);
            pins.fold(0, |pins, pin| pins | 1 << pin)
        };
        smi.pins.pulled_up = of_data(Pull::Up);
        smi.pins.floating = of_data(Pull::Off);
        smi.set_clock(self.clocks.output(Output::Smi), now);
        smi.look_at_pins();
    }

    fn as_master(&self, gpio: &Gpio) -> Option<Link> {
        let clock = self.clocks.output(Output::Pcm)?;
        Some(Link {
            clock,
            first: NEVER,
            frame_clocks: self.paced.pcm.frame_clocks(),
            sync: self.paced.pcm.frame_sync(),
            data: self.data_of_master(gpio),
        })
    }

    fn data_of_master(&self, gpio: &Gpio) -> Data {
        let Some(pins) = Self::heard(gpio, DATA) else {
            return Data::Level(false);
        };
        let Some(part) = self.part.as_ref().filter(|part| part.drives(pins)) else {
            return Data::undriven(gpio.pull(pins.first() + DATA));
        };
        if let Some(level) = part.stuck() {
            return Data::Level(level);
        }
        let part = Box::new(part.clone());
        if let Some(clock) = self.own_clock {
            return Data::OutOfStep { part, clock };
        }
        // Both clocks have to reach it, and as it needs them.
        let clocked = Self::routes(gpio, part.pins, 0) && Self::routes(gpio, part.pins, FRAME);
        let framed = self.paced.pcm.frame_clocks() == FRAME_CLOCKS
            && self.paced.pcm.frame_sync().0 == FRAME_CLOCKS / 2;
        if !clocked || !framed || part.wiring == Wiring::NoClock {
            return Data::Level(false);
        }
        self.in_step(part)
    }

    fn in_step(&self, part: Box<I2sPart>) -> Data {
        Data::InStep {
            part,
            left_at: if self.paced.pcm.starts_on_fall() {
                0
            } else {
                32
            },
            on_edge: !self.paced.pcm.samples_on_rise(),
        }
    }

    fn as_slave(&self, gpio: &Gpio) -> Option<Link> {
        let part = self.part.as_ref()?;
        let clock = self.own_clock?;
        let hears = |signal| Self::heard(gpio, signal) == Some(part.pins);
        if !hears(0) || !hears(FRAME) || part.wiring == Wiring::NoClock {
            return None;
        }
        let data = match part.stuck() {
            _ if !hears(DATA) => Data::Level(false),
            Some(level) => Data::Level(level),
            None => self.in_step(Box::new(part.clone())),
        };
        let on_fall = self.paced.pcm.starts_on_fall();
        Some(Link {
            clock,
            first: if on_fall { 0 } else { FRAME_CLOCKS / 2 },
            frame_clocks: FRAME_CLOCKS,
            sync: (FRAME_CLOCKS / 2, !on_fall),
            data,
        })
    }

    /// Levels of the pins that these blocks and the part drive.
    pub fn levels(&self, gpio: &Gpio, now: u64) -> OutsideLevels {
        let mut levels = OutsideLevels::default();
        let mut set = |pin: u32, high: bool| levels.drive(pin, high);
        if let Some(clock) = self.clocks.output(Output::Gp0)
            && gpio.function(GPCLK0) == ALT0
        {
            set(GPCLK0, clock.is_high(now));
        }
        if let (Role::Master, Some(link)) = (self.paced.pcm.role(), self.paced.pcm.link()) {
            let [bit, frame, _] = link.levels(now);
            for pins in [I2sPins::Header, I2sPins::P5] {
                for (signal, high) in [(0, bit), (FRAME, frame)] {
                    if Self::routes(gpio, pins, signal) {
                        set(pins.first() + signal, high);
                    }
                }
            }
        }
        let adc = &self.paced.smi.pins.adc;
        let wires = (0..smi::DATA_PINS - 8).filter(|wire| adc.driven() >> wire & 1 != 0);
        wires.for_each(|wire| set(FIRST_PIN + wire, adc.levels() >> wire & 1 != 0));
        if gpio.function(SOE) == ALT1 {
            // Between reads, which are shorter than a look, the strobe is off.
            set(SOE, true);
        }
        let Some(part) = &self.part else {
            return levels;
        };
        let first = part.pins.first();
        if let Some(clock) = self.own_clock {
            let frame = clock.cycles_at(now) % FRAME_CLOCKS >= FRAME_CLOCKS / 2;
            if part.wiring != Wiring::NoClock {
                set(first, clock.is_high(now));
            }
            set(first + FRAME, frame);
        }
        if part.wiring == Wiring::Absent {
            return levels;
        }
        let data = match (part.stuck(), self.paced.pcm.link()) {
            (Some(level), _) => level,
            (None, Some(link)) => link.levels(now)[2],
            (None, None) => false,
        };
        set(first + DATA, data);
        levels
    }
}
