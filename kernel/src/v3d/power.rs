//! V3D's power, and how a program that does not end is ended.
//!
//! Two ways lead back. First the block is reset: its bridges are stopped, its reset line is pulled
//! and let go, the bridges are started ([`crate::asb`], PM_GRAFX). This takes some microseconds and
//! needs no firmware. If the block is not as after a reset then, or if the first job after a reset
//! does not end either, its power is switched off and on by the mailbox, with 50 ms between.
//!
//! A register of V3D that is read while the block has no power or its bridge stands may hang the
//! ARM. So none is read before everything outside of V3D says that it is back: both bridges run,
//! and the power and reset bits of PM_GRAFX read what they read when IDENT0 was last right. Which
//! of these bits a board has set is learned at boot rather than assumed. Where there are no
//! bridges, the mailbox must have acknowledged that the QPUs are enabled.
//!
//! Sources: Linux bcm2835-power.c (a reset is a stop of both bridges, the reset line, and a start);
//! a VC4CL fork has ended programs on a Pi 3B by 50 ms without power.

use embedded_hal::delay::DelayNs;
use qpu::job::Recovery;

use super::V3d;
use crate::asb::Asb;
use crate::log;
use crate::mailbox::Mailbox;
use crate::pm::Grafx;
use crate::property::{ClockId, DOMAIN_V3D, Tag};
use crate::timer::Clock;

/// From power off to power on.
const OFF_MS: u32 = 50;

/// The sources of V3D's power, clock and reset.
pub struct Supply {
    /// The firmware, which switches power and clock.
    pub mailbox: Mailbox,
    /// V3D's bridges.
    pub asb: Asb,
    /// PM_GRAFX.
    pub grafx: Grafx,
    /// The time.
    pub clock: Clock,
    /// PM_GRAFX when IDENT0 was last right.
    on: u32,
}

impl Supply {
    /// Takes what V3D depends on.
    #[must_use]
    pub const fn new(mailbox: Mailbox, asb: Asb, grafx: Grafx, clock: Clock) -> Self {
        Self {
            mailbox,
            asb,
            grafx,
            clock,
            on: 0,
        }
    }

    /// Sets the clock and enables the QPUs, in this order: with the QPUs enabled but no clock set
    /// the registers answer and nothing runs. Returns the clock that was set, if the firmware says
    /// one, and whether the QPUs are acknowledged as enabled.
    pub(super) fn enable(&mut self, hz: u32) -> (Option<u32>, bool) {
        let set = [ClockId::V3d as u32, hz, 1];
        let set = match self.mailbox.property::<2>(Tag::SetClockRate, &set) {
            Ok([_, hz]) if hz != 0 => Some(hz),
            _ => {
                log::warn!("V3D clock: not set by the firmware");
                None
            }
        };
        let enabled = self.mailbox.property::<1>(Tag::EnableQpu, &[1]) == Ok([0]);
        if !enabled {
            log::warn!("enable QPU: not acknowledged");
        }
        (set, enabled)
    }

    /// Switches V3D's power domain; returns whether the firmware answers.
    pub(super) fn switch_domain(&mut self, on: bool) -> bool {
        let request = [DOMAIN_V3D, u32::from(on)];
        let answer = self.mailbox.property::<2>(Tag::SetDomainState, &request);
        answer.is_ok()
    }

    /// Learns from a V3D that answers what PM_GRAFX reads while it does.
    pub(super) fn learn(&mut self) {
        self.on = self.grafx.status();
        log::info!("PM_GRAFX reads {=u32:#x} while V3D answers", self.on);
    }

    /// Reports if an access to V3D's registers will end.
    fn reaches_v3d(&self, acknowledged: bool) -> bool {
        if self.asb.is_there() {
            self.asb.runs() && self.grafx.status() == self.on
        } else {
            acknowledged
        }
    }

    /// Resets the block; returns whether its registers may be read again.
    fn reset(&mut self) -> bool {
        if !self.asb.is_there() || self.grafx.status() != self.on {
            log::warn!("V3D: no reset, for want of bridges or power");
            return false;
        }
        if !self.asb.stop() {
            log::warn!("V3D: no reset, because its bridges do not stop");
            return false;
        }
        self.grafx.reset_v3d(self.clock);
        let started = self.asb.start();
        if !started {
            log::warn!("V3D: its bridges do not start after a reset");
        }
        started && self.reaches_v3d(false)
    }

    /// Switches the power off and on; returns whether the registers may be read again.
    fn cycle(&mut self, hz: u32) -> bool {
        // Both are needed: the firmware counts who wants the domain on, and either may be one.
        let disabled = self.mailbox.property::<1>(Tag::EnableQpu, &[0]).is_ok();
        let off = self.switch_domain(false) || disabled;
        self.clock.delay_ms(OFF_MS);
        let _ = self.switch_domain(true);
        let (_, enabled) = self.enable(hz);
        off && self.reaches_v3d(enabled)
    }
}

impl V3d {
    /// Ends whatever runs and makes the block ready again; returns whether that succeeded.
    ///
    /// A reset that was followed by no job that ended is not tried a second time.
    pub(super) fn recover(&mut self) -> bool {
        let start_us = self.clock.now_us();
        let reset = !self.untried && self.supply.reset() && self.has_forgotten();
        self.untried = reset;
        let back = reset || (self.supply.cycle(self.hz) && self.has_forgotten());
        self.lost = !back;
        if self.lost {
            log::error!("V3D: neither a reset nor a power cycle brought it back");
            return false;
        }
        self.initialise();
        let took_us = (self.clock.now_us() - start_us) as u32;
        if reset {
            log::warn!("V3D: reset in {=u32} us", took_us);
            self.recovery = Recovery::Reset;
        } else {
            log::warn!("V3D: power cycled in {=u32} us", took_us);
            self.recovery = Recovery::PowerCycle;
        }
        true
    }
}
