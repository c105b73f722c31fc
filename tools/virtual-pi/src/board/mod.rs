//! Everything outside of the core: memory, peripherals, and the bus between them.
//!
//! Addresses are those that the ARM sees: memory from 0, peripherals where the board's
//! [`crate::MemoryMap`] has them. Blocks that exist on silicon but not here are faults of the class
//! "not modelled", addresses where nothing exists are faults of the guest.

mod registers;
#[cfg(test)]
mod tests;

use crate::checks::{LINE_BYTES, Lines};
use crate::clock::{ARM_HZ, DMA_WRITE_CLOCKS, clocks_from_ns};
use crate::config::{Config, V3dReset};
use crate::defect::DmaHold;
use crate::devices::asb::Asb;
use crate::devices::clock_manager::ClockManager;
use crate::devices::dma::{DmaBus, Writes};
use crate::devices::gpio::Gpio;
use crate::devices::intc::InterruptController;
use crate::devices::mailbox::Mailbox;
use crate::devices::pm::Pm;
use crate::devices::property::{Firmware, PARSE_ERROR};
use crate::devices::sampling::Sampling;
use crate::devices::timer::SystemTimer;
use crate::devices::uart::Uart;
use crate::devices::v3d::{Access, Bus, V3dPort};
use crate::fault::{Agent, FaultKind, Mistake};
use crate::map::{self, Block, PAST_L2};
use crate::memory::Memory;

/// Mailbox channel of property requests.
const PROPERTY_CHANNEL: u32 = 8;
/// A property buffer longer than this is taken for a wrong size word.
const PROPERTY_LIMIT: u32 = 64 << 10;

/// Memory and peripherals.
pub struct Board {
    /// SDRAM.
    pub memory: Memory,
    /// Its lines in the ARM's data cache.
    pub lines: Lines,
    /// Serial line.
    pub uart: Uart,
    timer: SystemTimer,
    intc: InterruptController,
    /// Pins.
    pub gpio: Gpio,
    pm: Pm,
    mailbox: Mailbox,
    /// The VideoCore's own program.
    pub firmware: Firmware,
    /// V3D, as far as it was run; see [`Board::v3d_at`].
    pub v3d: V3dPort,
    asb: Asb,
    /// The blocks that bring samples into memory, and the parts on their pins.
    pub sampling: Sampling,
    /// V3D was reset in the middle of a transfer, and no access to a peripheral ends.
    bus_hangs: bool,
    /// Clocks at which imprecise aborts become pending, the next one last.
    aborts: Vec<u64>,
    abort: bool,
    /// The peripheral that was read last, until a barrier.
    read_from: Option<u32>,
    fault: Option<Mistake>,
    notes: Vec<String>,
    config: Config,
}

impl Board {
    /// A board at power-on.
    pub fn new(config: &Config) -> Self {
        let sampling = Sampling::new(config, 0);
        Self::with_pm(config, Pm::new(), 0, sampling)
    }

    /// A board that starts at `now`.
    fn with_pm(config: &Config, pm: Pm, now: u64, mut sampling: Sampling) -> Self {
        if config.clocks_run_at_boot {
            sampling.clocks = ClockManager::running(config.plld_ppb, now);
        }
        let firmware = Firmware::new(config, pm.found);
        let aborts = config.aborts_at_us.iter();
        let aborts = aborts.map(|us| us * (ARM_HZ / 1_000_000));
        let mut aborts: Vec<u64> = aborts.filter(|&clock| clock >= now).collect();
        aborts.sort_unstable_by(|first, second| second.cmp(first));
        Self {
            memory: Memory::new(config.ram_mib << 20),
            lines: Lines::new(config.checks.cache),
            uart: Uart::new(config.uart_hz, config.host_baud, config.uart_sticks_after),
            timer: SystemTimer::new(now, config.timer_misses_us),
            intc: InterruptController::default(),
            gpio: Gpio::new(config),
            mailbox: Mailbox::new(config.mailbox_us),
            firmware,
            pm,
            v3d: V3dPort::new(config),
            asb: Asb::default(),
            sampling,
            bus_hangs: false,
            aborts,
            abort: false,
            read_from: None,
            fault: None,
            notes: Vec::new(),
            config: config.clone(),
        }
    }

    /// The board after a reset at `now`: memory keeps its contents, the host's side of the line
    /// goes on, everything else starts anew.
    pub fn after_reset(mut self, now: u64) -> Self {
        self.uart.reset(self.config.uart_hz);
        let notes = self.take_notes(now);
        let sampling = self.sampling.after_reset(&self.config, now);
        let fresh = Self::with_pm(&self.config, self.pm.after_watchdog(), now, sampling);
        Self {
            memory: self.memory,
            uart: self.uart,
            notes,
            ..fresh
        }
    }

    /// Breaks something in V3D from `now` on, or repairs it.
    pub fn set_v3d_defect(&mut self, now: u64, defect: Option<v3d_sim::Defect>) {
        self.config.v3d_defect = defect;
        self.v3d_at(now).set_defect(defect);
    }

    /// Holds DMA up at times from `now` on, or no longer.
    pub fn set_dma_hold(&mut self, now: u64, hold: Option<DmaHold>) {
        self.config.dma_hold = hold;
        self.sampling_at(now).set_dma_hold(hold);
    }

    /// Switches the blocks that sample off and on at `now`, with the parts of `config`.
    pub fn restart_sampling(&mut self, config: &Config, now: u64) {
        self.sampling = Sampling::new(config, now);
        self.gpio = Gpio::new(config);
        self.fault = None;
    }

    /// Changes the parts on the pins, or their wires, at `now`.
    pub fn wire(&mut self, now: u64, change: impl FnOnce(&mut Sampling, u64)) {
        self.advance_sampling(now);
        change(&mut self.sampling, now);
        if let Err(kind) = self.sampling.rewire(&self.gpio, now) {
            let pcm = self.config.map.address(Block::Pcm);
            self.fault.get_or_insert(Mistake::new(kind, pcm));
        }
    }

    /// The clock at which the I2S part needs a sample that the host has not brought yet.
    pub fn fed_until(&mut self, now: u64) -> u64 {
        self.sampling_at(now).fed_until(now)
    }

    /// The blocks that sample at `now`.
    pub fn sampling_at(&mut self, now: u64) -> &mut Sampling {
        self.advance_sampling(now);
        &mut self.sampling
    }

    /// True if an imprecise abort has become pending since the last call.
    pub fn take_abort(&mut self) -> bool {
        std::mem::take(&mut self.abort)
    }

    /// Brings every device to `now`; returns the clock of the next event.
    pub fn advance(&mut self, now: u64) -> u64 {
        while let Some(request) = self.mailbox.take_request(now) {
            self.serve(request, now);
        }
        while self.aborts.pop_if(|clock| *clock <= now).is_some() {
            self.abort = true;
        }
        let abort = self.aborts.last().copied().unwrap_or(u64::MAX);
        let sampling = self.advance_sampling(now);
        let v3d = self.act_on_v3d(|v3d, bus| v3d.advance(now, bus));
        self.uart
            .advance(now)
            .min(self.timer.advance(now))
            .min(self.pm.advance(now))
            .min(self.mailbox.next_event())
            .min(v3d)
            .min(sampling)
            .min(abort)
    }

    /// Brings the blocks that sample to `now`; returns the clock of their next event.
    fn advance_sampling(&mut self, now: u64) -> u64 {
        let delay = clocks_from_ns(self.config.dma_write_delay_ns.into());
        let mut bus = DmaBus {
            memory: &mut self.memory,
            lines: &mut self.lines,
            map: self.config.map,
            check_alias: self.config.checks.bus_address,
            writes: Writes {
                outstanding: self.config.dma_outstanding_writes as usize,
                clocks: DMA_WRITE_CLOCKS + delay,
            },
            passes: !self.config.dma_waits_for_sdram,
            v3d: &mut self.v3d,
            fault: &mut self.fault,
        };
        self.sampling.advance(now, &mut bus)
    }

    /// The ARM fills or writes back a line at `now`; gives the clocks until its data is there.
    pub fn arm_access(&mut self, physical: u32, write: bool, now: u64) -> u64 {
        let bus = physical | self.config.map.alias;
        self.v3d_at(now).arm_access(Access {
            at: now,
            bus,
            bytes: LINE_BYTES,
            write,
            passes: false,
        })
    }

    /// V3D at `now`, which has seen what DMA has done by then.
    pub fn v3d_at(&mut self, now: u64) -> &mut V3dPort {
        self.advance_sampling(now);
        self.act_on_v3d(|v3d, bus| v3d.catch_up(now, bus));
        &mut self.v3d
    }

    /// Acts on V3D at the time to which the blocks that sample have been brought.
    fn act_on_v3d<T>(&mut self, act: impl FnOnce(&mut V3dPort, &mut Bus<'_>) -> T) -> T {
        let mut bus = Bus {
            memory: &mut self.memory,
            lines: &mut self.lines,
            fault: &mut self.fault,
            guest: None,
            map: self.config.map,
            check_alias: self.config.checks.bus_address,
        };
        act(&mut self.v3d, &mut bus)
    }

    /// The lines to the core: (IRQ, FIQ).
    pub fn interrupts(&mut self) -> (bool, bool) {
        let gpu = u64::from(self.timer.matched)
            | u64::from(self.v3d.interrupt()) << 10
            | self.sampling.dma.interrupts()
            | u64::from(self.sampling.paced.pcm.interrupt()) << 55
            | u64::from(self.uart.interrupt()) << 57;
        let basic = u32::from(self.mailbox.interrupt()) << 1;
        self.intc.update(gpu, basic)
    }

    /// A mistake that V3D, DMA or the firmware ran into.
    pub fn take_fault(&mut self) -> Option<Mistake> {
        self.fault.take()
    }

    /// True if the watchdog has reset the board.
    pub fn reset_requested(&self) -> bool {
        self.pm.fired
    }

    /// Notes for people since the last call, up to `now`.
    pub fn take_notes(&mut self, now: u64) -> Vec<String> {
        self.advance_sampling(now);
        let mut notes = std::mem::take(&mut self.notes);
        notes.append(&mut self.v3d.take_messages());
        notes.append(&mut self.firmware.notes);
        let blocks = self.sampling.broken().into_iter();
        for broken in blocks.chain([self.gpio.broken()]) {
            notes.extend(broken.take_messages());
        }
        let lost = self.uart.take_lost();
        if lost != 0 {
            notes.push(format!(
                "UART: {lost} bytes went nowhere; set GPIO 14 and 15 to ALT0 before sending"
            ));
        }
        notes
    }

    /// True if an access to this address never ends.
    pub fn hangs(&self, address: u32) -> bool {
        let dark = self.config.unpowered_v3d_hangs && !self.firmware.v3d_powered();
        let cut_off = dark || self.asb.slave.stands || self.pm.v3d_held;
        let is_v3d = || matches!(self.config.map.block(address), Some((Block::V3d, _)));
        self.bus_hangs || (cut_off && is_v3d())
    }

    /// The ARM pulls V3D's reset line. A block that still has a way to memory may be in the middle
    /// of a transfer, and the bus waits for the rest of it.
    fn reset_v3d(&mut self) {
        if !(self.asb.slave.stands && self.asb.master.stands) {
            self.bus_hangs = true;
            self.notes.push(
                "V3D was reset while a bridge was not stopped: the bus hangs; stop both first"
                    .into(),
            );
        } else if self.config.v3d_reset != V3dReset::NoEffect {
            self.v3d.reset();
        }
    }

    /// The firmware takes a request from the mailbox.
    fn serve(&mut self, request: u32, now: u64) {
        let (address, channel) = (request & !15, request & 15);
        if channel != PROPERTY_CHANNEL {
            self.notes.push(format!(
                "mailbox: channel {channel} is not modelled; the request gets no answer"
            ));
            return;
        }
        match self.serve_property(address, now) {
            Ok(()) => self.mailbox.answer(request),
            Err((kind, address)) => {
                self.fault.get_or_insert(Mistake::new(kind, address));
            }
        }
    }

    fn serve_property(&mut self, address: u32, now: u64) -> Result<(), (FaultKind, u32)> {
        // The firmware takes the uncached alias as well as the one of the L2 (docs/hardware/qpu.md
        // 7.2).
        let wanted = self.config.map.alias;
        let aliased = [wanted, PAST_L2].contains(&map::alias(address));
        if self.config.checks.bus_address && !aliased {
            return Err((
                FaultKind::BusAlias {
                    agent: Agent::Mailbox,
                    wanted,
                },
                address,
            ));
        }
        let start = map::physical(address);
        let inside =
            |bytes: u32| u64::from(start) + u64::from(bytes) <= u64::from(self.memory.size());
        if !inside(12) {
            return Err((FaultKind::BusAddress(Agent::Mailbox), address));
        }
        self.lines.outside_read(start, 12, Agent::Mailbox)?;
        let bytes = self.memory.word(start);
        if !(12..=PROPERTY_LIMIT).contains(&bytes) || bytes & 3 != 0 || !inside(bytes) {
            self.notes.push(format!(
                "mailbox: a property buffer of {bytes} bytes is refused; check its size word"
            ));
            self.lines.outside_write(start + 4, 4, Agent::Mailbox)?;
            *self.memory.word_mut(start + 4) = PARSE_ERROR;
            return Ok(());
        }
        self.lines.outside_read(start, bytes, Agent::Mailbox)?;
        let mut words: Vec<u32> = (0..bytes / 4)
            .map(|index| self.memory.word(start + index * 4))
            .collect();
        let had_power = self.firmware.v3d_powered();
        self.firmware.process(&mut words);
        self.lines.outside_write(start, bytes, Agent::Mailbox)?;
        for (index, word) in words.iter().enumerate() {
            *self.memory.word_mut(start + index as u32 * 4) = *word;
        }
        let has_power = self.firmware.v3d_powered();
        if has_power && !had_power {
            // The firmware starts the bridges.
            self.asb = Asb::default();
            self.v3d.halted = false;
            self.abort |= self.config.v3d_power_aborts;
        }
        self.pm.set_v3d_power(has_power);
        self.v3d.set_power(has_power, now);
        self.uart.set_reference(self.firmware.uart_hz());
        Ok(())
    }
}
