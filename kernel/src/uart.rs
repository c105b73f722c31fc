//! PL011: the serial line, with a queue each way that the interrupt handler serves.
//!
//! [`Uart`] is the thread's side, an embedded-io reader and writer that never waits; the handler's
//! side holds the registers. Both meet in two heapless SPSC queues. The receive interrupt comes at
//! four bytes or when the line has been quiet for 32 bit times, the transmit interrupt when the
//! FIFO has drained to two bytes.
//!
//! The divisor is computed from the clock that the mailbox returns, never from an assumed one:
//! firmware has been seen with 3 MHz, 48 MHz and 1 GHz (raspberrypi/firmware 951).
//!
//! Source: ARM PrimeCell UART (PL011) TRM, DDI 0183, chapter 3.

use core::cell::RefCell;
use core::convert::Infallible;

use critical_section::{CriticalSection, Mutex};
use embedded_io::{ErrorType, Read, Write};
use heapless::spsc::{Consumer, Producer, Queue};
use static_cell::StaticCell;
use tock_registers::interfaces::{ReadWriteable, Readable, Writeable};
use tock_registers::registers::{ReadOnly, ReadWrite, WriteOnly};
use tock_registers::{register_bitfields, register_structs};

use crate::baud::{BaudError, Divisor};
use crate::mmio::Mmio;
use crate::timer::Clock;

register_bitfields! { u32,
    DR [
        OE OFFSET(11) NUMBITS(1) [],
        BE OFFSET(10) NUMBITS(1) [],
        PE OFFSET(9) NUMBITS(1) [],
        FE OFFSET(8) NUMBITS(1) [],
        DATA OFFSET(0) NUMBITS(8) []
    ],
    FR [
        TXFE OFFSET(7) NUMBITS(1) [],
        TXFF OFFSET(5) NUMBITS(1) [],
        RXFE OFFSET(4) NUMBITS(1) [],
        BUSY OFFSET(3) NUMBITS(1) []
    ],
    LCRH [
        WLEN OFFSET(5) NUMBITS(2) [ Eight = 3 ],
        FEN OFFSET(4) NUMBITS(1) []
    ],
    CR [
        RXE OFFSET(9) NUMBITS(1) [],
        TXE OFFSET(8) NUMBITS(1) [],
        UARTEN OFFSET(0) NUMBITS(1) []
    ],
    IFLS [
        RXIFLSEL OFFSET(3) NUMBITS(3) [ Quarter = 1 ],
        TXIFLSEL OFFSET(0) NUMBITS(3) [ Eighth = 0 ]
    ],
    /// IMSC, MIS and ICR share these bits.
    INT [
        OE OFFSET(10) NUMBITS(1) [],
        RT OFFSET(6) NUMBITS(1) [],
        TX OFFSET(5) NUMBITS(1) [],
        RX OFFSET(4) NUMBITS(1) []
    ]
}

register_structs! {
    /// The PL011's registers, as far as they are used.
    pub Registers {
        (0x00 => DR: ReadWrite<u32, DR::Register>),
        (0x04 => _reserved0),
        (0x18 => FR: ReadOnly<u32, FR::Register>),
        (0x1c => _reserved1),
        (0x24 => IBRD: WriteOnly<u32>),
        (0x28 => FBRD: WriteOnly<u32>),
        (0x2c => LCRH: ReadWrite<u32, LCRH::Register>),
        (0x30 => CR: ReadWrite<u32, CR::Register>),
        (0x34 => IFLS: ReadWrite<u32, IFLS::Register>),
        (0x38 => IMSC: ReadWrite<u32, INT::Register>),
        (0x3c => _ris),
        (0x40 => MIS: ReadOnly<u32, INT::Register>),
        (0x44 => ICR: WriteOnly<u32, INT::Register>),
        (0x48 => DMACR: WriteOnly<u32>),
        (0x4c => @END),
    }
}

/// Bytes from the host that may wait: a whole frame, and what arrives while it is worked on.
pub const RECEIVE_BYTES: usize = 16 * 1024;

/// Bytes to the host that may wait: some frames, so that a spectrum is computed while one is sent.
const TRANSMIT_BYTES: usize = 16 * 1024;

/// The line's rate after reset, and after a break.
pub const BOOT_BAUD: u32 = 115_200;

fn configure(uart: &Registers, divisor: Divisor) {
    uart.CR.set(0);
    // FEN = 0 flushes both FIFOs; writing LCRH is what latches the divisors.
    uart.LCRH.set(0);
    uart.IBRD.set(divisor.integer);
    uart.FBRD.set(divisor.fraction);
    uart.LCRH.write(LCRH::WLEN::Eight + LCRH::FEN::SET);
    uart.CR.write(CR::UARTEN::SET + CR::TXE::SET + CR::RXE::SET);
}

/// The interrupt handler's side.
struct Handler {
    registers: Mmio<Registers>,
    received: Producer<'static, u8>,
    transmit: Consumer<'static, u8>,
    errors: u32,
    breaks: u32,
}

static HANDLER: Mutex<RefCell<Option<Handler>>> = Mutex::new(RefCell::new(None));

impl Handler {
    fn receive(&mut self) {
        self.registers.visit(|uart| {
            while !uart.FR.is_set(FR::RXFE) {
                let entry = uart.DR.extract();
                if entry.is_set(DR::BE) {
                    self.breaks += 1;
                    continue;
                }
                self.errors += u32::from(entry.is_set(DR::OE));
                if entry.is_set(DR::FE) || entry.is_set(DR::PE) {
                    self.errors += 1;
                    continue;
                }
                if self.received.enqueue(entry.read(DR::DATA) as u8).is_err() {
                    self.errors += 1;
                }
            }
        });
    }

    fn transmit(&mut self) {
        self.registers.visit(|uart| {
            uart.ICR.write(INT::TX::SET);
            while !uart.FR.is_set(FR::TXFF) {
                let Some(byte) = self.transmit.dequeue() else {
                    uart.IMSC.modify(INT::TX::CLEAR);
                    return;
                };
                uart.DR.set(u32::from(byte));
            }
            uart.IMSC.modify(INT::TX::SET);
        });
    }
}

/// Serves the UART's interrupt line.
pub fn interrupt(token: CriticalSection) {
    if let Some(handler) = HANDLER.borrow_ref_mut(token).as_mut() {
        let pending = handler.registers.visit(|uart| {
            let pending = uart.MIS.extract();
            uart.ICR.write(INT::RX::SET + INT::RT::SET + INT::OE::SET);
            pending
        });
        handler.receive();
        if pending.is_set(INT::TX) {
            handler.transmit();
        }
    }
}

/// The serial line.
pub struct Uart {
    received: Consumer<'static, u8>,
    transmit: Producer<'static, u8>,
    clock: Clock,
    clock_hz: u32,
    baud: u32,
}

impl Uart {
    /// Starts the line at [`BOOT_BAUD`] with the UART clock at `clock_hz`. GPIO14/15 are routed
    /// already; bytes flow once interrupts are on.
    ///
    /// # Errors
    /// When the clock has no divisor for this rate.
    ///
    /// # Panics
    /// When called twice.
    pub fn start(
        registers: Mmio<Registers>,
        clock: Clock,
        clock_hz: u32,
    ) -> Result<Self, BaudError> {
        static RECEIVED: StaticCell<Queue<u8, RECEIVE_BYTES>> = StaticCell::new();
        static TRANSMIT: StaticCell<Queue<u8, TRANSMIT_BYTES>> = StaticCell::new();
        let divisor = Divisor::nearest(clock_hz, BOOT_BAUD)?;
        let (into_received, received) = RECEIVED.init_with(Queue::new).split();
        let (transmit, from_transmit) = TRANSMIT.init_with(Queue::new).split();
        // What the firmware may still be sending goes out first.
        clock.wait_for(DRAIN_US, || {
            registers.visit(|uart| !uart.FR.is_set(FR::BUSY))
        });
        registers.visit(|uart| {
            uart.IMSC.set(0);
            uart.DMACR.set(0);
            configure(uart, divisor);
            uart.ICR.set(0x7ff);
            uart.IFLS
                .write(IFLS::RXIFLSEL::Quarter + IFLS::TXIFLSEL::Eighth);
            uart.IMSC.write(INT::RX::SET + INT::RT::SET + INT::OE::SET);
        });
        critical_section::with(|token| {
            HANDLER.borrow_ref_mut(token).replace(Handler {
                registers,
                received: into_received,
                transmit: from_transmit,
                errors: 0,
                breaks: 0,
            })
        });
        Ok(Self {
            received,
            transmit,
            clock,
            clock_hz,
            baud: divisor.actual_baud,
        })
    }

    /// The UART's clock.
    #[must_use]
    pub fn clock_hz(&self) -> u32 {
        self.clock_hz
    }

    /// Changes the rate. What waits to be sent goes out first, at the old one; what was received is
    /// forgotten, in the FIFO and in the queue.
    ///
    /// # Errors
    /// When the clock has no divisor for this rate; the old one stays.
    pub fn set_baud(&mut self, baud: u32) -> Result<u32, BaudError> {
        let divisor = Divisor::nearest(self.clock_hz, baud)?;
        self.drain();
        with_handler(|handler| handler.registers.visit(|uart| configure(uart, divisor)));
        while self.received.dequeue().is_some() {}
        self.baud = divisor.actual_baud;
        Ok(self.baud)
    }

    /// Waits until the last byte has left, but not much longer than the queue takes. Works without
    /// interrupts too.
    pub fn drain(&mut self) {
        let queued_us = (self.transmit.len() as u64 + 32) * 10_000_000 / u64::from(self.baud);
        let clock = self.clock;
        clock.wait_for(queued_us + DRAIN_US, || {
            with_handler(Handler::transmit);
            self.is_idle()
        });
    }

    /// Reports if everything has been sent and the line is quiet.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.transmit.is_empty()
            && with_handler(|handler| {
                handler
                    .registers
                    .visit(|uart| uart.FR.is_set(FR::TXFE) && !uart.FR.is_set(FR::BUSY))
            })
            .unwrap_or(true)
    }

    /// Overruns, framing errors and bytes that found the queue full, since the last call.
    pub fn take_errors(&mut self) -> u32 {
        with_handler(|handler| core::mem::take(&mut handler.errors)).unwrap_or(0)
    }

    /// Breaks since the last call.
    pub fn take_breaks(&mut self) -> u32 {
        with_handler(|handler| core::mem::take(&mut handler.breaks)).unwrap_or(0)
    }

    /// Bytes that the transmit queue takes now.
    #[must_use]
    pub fn room(&self) -> usize {
        self.transmit.capacity() - self.transmit.len()
    }

    /// Reports if a byte has arrived. Asked with interrupts masked before a sleep.
    #[must_use]
    pub fn has_received(&self) -> bool {
        self.received.ready()
    }
}

/// Slack on top of what a wait for the line takes.
const DRAIN_US: u64 = 20_000;

fn with_handler<R>(serve: impl FnOnce(&mut Handler) -> R) -> Option<R> {
    critical_section::with(|token| HANDLER.borrow_ref_mut(token).as_mut().map(serve))
}

impl ErrorType for Uart {
    type Error = Infallible;
}

impl Read for Uart {
    /// Takes what has arrived; 0 when nothing has. Errors are counted ([`Uart::take_errors`]).
    fn read(&mut self, out: &mut [u8]) -> Result<usize, Infallible> {
        let mut count = 0;
        for slot in out {
            let Some(byte) = self.received.dequeue() else {
                break;
            };
            *slot = byte;
            count += 1;
        }
        Ok(count)
    }
}

impl Write for Uart {
    /// Queues what the queue takes, which may be nothing.
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        let mut count = 0;
        for &byte in bytes {
            if self.transmit.enqueue(byte).is_err() {
                break;
            }
            count += 1;
        }
        with_handler(Handler::transmit);
        Ok(count)
    }

    /// Waits until the line is quiet, within what the queue takes to drain.
    fn flush(&mut self) -> Result<(), Infallible> {
        self.drain();
        Ok(())
    }
}

/// The line without queues and interrupts: what is left after a fault.
pub struct LastWords {
    registers: Mmio<Registers>,
    clock: Clock,
    /// A byte has waited in vain.
    stuck: bool,
}

impl LastWords {
    /// Takes the line over, at the rate it has.
    #[must_use]
    pub const fn new(registers: Mmio<Registers>, clock: Clock) -> Self {
        Self {
            registers,
            clock,
            stuck: false,
        }
    }

    /// Sends all of `bytes`, giving each at most 20 ms (the slowest rate sends 16 bytes in that
    /// time). The first that waits in vain is the last: a line that is stuck would take all of the
    /// time to the reset.
    pub fn send(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            let has_room = || self.registers.visit(|uart| !uart.FR.is_set(FR::TXFF));
            self.stuck |= !self.clock.wait_for(DRAIN_US, has_room);
            if self.stuck {
                return;
            }
            self.registers.visit(|uart| uart.DR.set(u32::from(byte)));
        }
    }

    /// Waits until the last byte has left, unless the line is stuck.
    pub fn flush(&mut self) {
        if self.stuck {
            return;
        }
        self.clock.wait_for(DRAIN_US, || {
            self.registers.visit(|uart| !uart.FR.is_set(FR::BUSY))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::offset_of;

    #[test]
    fn registers_lie_where_the_manual_says() {
        assert_eq!(offset_of!(Registers, FR), 0x18);
        assert_eq!(offset_of!(Registers, IBRD), 0x24);
        assert_eq!(offset_of!(Registers, IMSC), 0x38);
        assert_eq!(offset_of!(Registers, ICR), 0x44);
    }
}
