//! Interrupt controller: which lines are enabled, who serves them, and sleeping until one comes.
//!
//! Two GPU lines are used: 1 (system timer compare 1) and 57 (PL011). None of V3D's: its jobs are
//! polled. An interrupt that nobody enabled is a fault.
//!
//! Source: BCM2835 ARM Peripherals, chapter 7.

use core::cell::RefCell;

use critical_section::Mutex;
use tock_registers::interfaces::{Readable, Writeable};
use tock_registers::registers::{ReadOnly, WriteOnly};
use tock_registers::{register_bitfields, register_structs};

use crate::arch::cpu;
use crate::mmio::Mmio;
use crate::timer::{Alarm, Clock};
use crate::uart;

register_bitfields! { u32,
    /// GPU lines 0 to 31.
    IRQ1 [ TIMER1 OFFSET(1) NUMBITS(1) [] ],
    /// GPU lines 32 to 63.
    IRQ2 [ UART OFFSET(25) NUMBITS(1) [] ]
}

register_structs! {
    /// The interrupt controller's registers, as far as they are used.
    pub Registers {
        (0x00 => _basic_pending),
        (0x04 => PENDING1: ReadOnly<u32, IRQ1::Register>),
        (0x08 => PENDING2: ReadOnly<u32, IRQ2::Register>),
        (0x0c => FIQ_CONTROL: WriteOnly<u32>),
        (0x10 => ENABLE1: WriteOnly<u32, IRQ1::Register>),
        (0x14 => ENABLE2: WriteOnly<u32, IRQ2::Register>),
        (0x18 => _enable_basic),
        (0x1c => DISABLE1: WriteOnly<u32>),
        (0x20 => DISABLE2: WriteOnly<u32>),
        (0x24 => DISABLE_BASIC: WriteOnly<u32>),
        (0x28 => @END),
    }
}

struct Lines {
    controller: Mmio<Registers>,
    alarm: Alarm,
}

static LINES: Mutex<RefCell<Option<Lines>>> = Mutex::new(RefCell::new(None));

/// Turns every line off but the alarm's and the UART's, and lets IRQ through.
pub fn start(controller: Mmio<Registers>, alarm: Alarm) {
    controller.visit(|lines| {
        lines.FIQ_CONTROL.set(0);
        lines.DISABLE1.set(!0);
        lines.DISABLE2.set(!0);
        lines.DISABLE_BASIC.set(!0);
        lines.ENABLE1.write(IRQ1::TIMER1::SET);
        lines.ENABLE2.write(IRQ2::UART::SET);
    });
    critical_section::with(|token| {
        LINES
            .borrow_ref_mut(token)
            .replace(Lines { controller, alarm })
    });
    cpu::unmask_interrupts();
}

/// Serves what is pending. Called by the IRQ vector, with IRQ masked.
///
/// Other lines are passed over: the VideoCore's own show in these registers too, and a line that
/// fell between its signal and this look leaves nothing to serve.
///
/// # Panics
/// When it is called before [`start`].
pub fn dispatch() {
    critical_section::with(|token| {
        let mut lines = LINES.borrow_ref_mut(token);
        let Some(lines) = lines.as_mut() else {
            panic!("interrupt before the controller was set up");
        };
        let (first, second) = lines
            .controller
            .visit(|lines| (lines.PENDING1.extract(), lines.PENDING2.extract()));
        let timer = first.is_set(IRQ1::TIMER1);
        let uart = second.is_set(IRQ2::UART);
        if timer {
            lines.alarm.clear();
        }
        if uart {
            uart::interrupt(token);
        }
    });
}

/// Sleeps until `at_us` or any interrupt, unless `ready` says that there is something to do
/// already, or `at_us` is too near for the alarm: the caller, who asks the clock again, spins the
/// rest.
///
/// `ready` is asked after IRQ is masked, so an interrupt that makes it true cannot slip in between
/// the question and the sleep: a pending interrupt ends the wait even while it is masked.
pub fn sleep_unless(clock: Clock, at_us: u64, ready: impl FnOnce() -> bool) {
    cpu::mask_interrupts();
    let armed = critical_section::with(|token| {
        let mut lines = LINES.borrow_ref_mut(token);
        let lines = lines.as_mut();
        lines.is_some_and(|lines| lines.alarm.set(clock.now_us(), at_us))
    });
    // What lies between the two looks at the clock may have been longer than the alarm was ahead.
    if armed && !ready() && clock.now_us() < at_us {
        cpu::wait_for_interrupt();
    }
    cpu::unmask_interrupts();
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::offset_of;

    #[test]
    fn registers_lie_where_the_manual_says() {
        assert_eq!(offset_of!(Registers, PENDING2), 0x08);
        assert_eq!(offset_of!(Registers, ENABLE1), 0x10);
        assert_eq!(offset_of!(Registers, DISABLE_BASIC), 0x24);
    }

    #[test]
    fn gpu_line_57_is_the_uart() {
        assert_eq!(IRQ2::UART::SET.value, 1 << (57 - 32));
    }
}
