//! PL011: 16-deep FIFOs, interrupts, and a line that takes real time.
//!
//! A frame leaves at the rate that IBRD, FBRD and the reference clock give, latched by the write to
//! LCRH. Interrupts are the events of the manual: RX when the level is reached from below, TX when
//! it is reached from above, RT after 32 bits without a new character. Not modelled: DMA, modem
//! lines, parity and word lengths other than 8, loopback.
//!
//! Source: PrimeCell UART (PL011) TRM, DDI 0183; BCM2835 ARM Peripherals, section 13.

use std::collections::VecDeque;

use super::NEVER;
use super::host_end::{Arrival, HostEnd};
use super::serial_line::{BitTime, FRAME_BITS};
use crate::fault::FaultKind;

const UARTEN: u32 = 1 << 0;
const LBE: u32 = 1 << 7;
const TXE: u32 = 1 << 8;
const RXE: u32 = 1 << 9;
const LCRH_FEN: u32 = 1 << 4;
const LCRH_WLEN: u32 = 3 << 5;
const FR_BUSY: u32 = 1 << 3;
const FR_RXFE: u32 = 1 << 4;
const FR_TXFF: u32 = 1 << 5;
const FR_RXFF: u32 = 1 << 6;
const FR_TXFE: u32 = 1 << 7;
const INT_RX: u32 = 1 << 4;
const INT_TX: u32 = 1 << 5;
const INT_RT: u32 = 1 << 6;
const INT_FE: u32 = 1 << 7;
const INT_BE: u32 = 1 << 9;
const INT_OE: u32 = 1 << 10;
const DR_FE: u32 = 1 << 8;
const DR_BE: u32 = 1 << 10;
const DR_OE: u32 = 1 << 11;
/// Quiet time that raises RT, in bits.
const TIMEOUT_BITS: u32 = 32;

/// The UART and the line to the host.
#[derive(Default)]
pub struct Uart {
    reference_hz: u32,
    ibrd: u32,
    fbrd: u32,
    lcrh: u32,
    cr: u32,
    ifls: u32,
    imsc: u32,
    ris: u32,
    /// The rate in force, and nothing before LCRH was written.
    bit: Option<BitTime>,
    tx: VecDeque<u8>,
    /// The byte on the wire and when it ends.
    sending: Option<(u8, u64)>,
    rx: VecDeque<u32>,
    overrun: bool,
    errors: u32,
    timeout_at: u64,
    /// The other end of the line.
    pub host: HostEnd,
    /// True for GPIO 14 and for 15 if connected.
    pins: (bool, bool),
    lost_at_pins: u64,
    /// Bytes until the transmitter stands still.
    left: Option<u64>,
}

impl Uart {
    /// A UART after reset, with the host's side at `host_baud`, whose transmitter stands still
    /// after so many bytes.
    pub fn new(reference_hz: u32, host_baud: u32, sticks_after: Option<u64>) -> Self {
        Self {
            reference_hz,
            cr: TXE | RXE,
            ifls: 0x12,
            timeout_at: NEVER,
            host: HostEnd::new(host_baud),
            left: sticks_after,
            ..Self::default()
        }
    }

    /// A reset of the board: the registers forget, the host's side goes on.
    pub fn reset(&mut self, reference_hz: u32) {
        let host = std::mem::take(&mut self.host);
        *self = Self {
            host,
            ..Self::new(reference_hz, 1, self.left)
        };
    }

    /// The firmware changed the reference clock.
    pub fn set_reference(&mut self, hz: u32) {
        if self.reference_hz != hz {
            self.reference_hz = hz;
            if self.bit.is_some() {
                self.latch_divisor();
            }
        }
    }

    /// GPIO connected or disconnected the pins.
    pub fn set_pins(&mut self, sends: bool, receives: bool) {
        self.pins = (sends, receives);
    }

    /// Bytes that went nowhere because GPIO 14 was not ALT0, since the last call.
    pub fn take_lost(&mut self) -> u64 {
        std::mem::take(&mut self.lost_at_pins)
    }

    /// GPU interrupt 57.
    pub fn interrupt(&self) -> bool {
        self.ris & self.imsc != 0
    }

    fn depth(&self) -> usize {
        if self.lcrh & LCRH_FEN != 0 { 16 } else { 1 }
    }

    /// Characters at which RX (`shift` 3) or TX (`shift` 0) is raised.
    fn level(&self, shift: u32) -> usize {
        if self.lcrh & LCRH_FEN == 0 {
            return usize::from(shift == 3);
        }
        match self.ifls >> shift & 7 {
            0 => 2,
            1 => 4,
            2 => 8,
            3 => 12,
            _ => 14,
        }
    }

    fn latch_divisor(&mut self) {
        let divisor = self.ibrd << 6 | self.fbrd;
        // A divisor below 1 stops the baud generator.
        self.bit = (self.ibrd != 0).then(|| BitTime::from_divisor(divisor, self.reference_hz));
    }

    /// Moves bytes along the line up to `now`; returns when the next one arrives.
    pub fn advance(&mut self, now: u64) -> u64 {
        let sent = self.advance_transmitter(now);
        while let Some((item, ends)) = self.host.next_arrival(now) {
            self.arrive(item, ends);
        }
        if self.timeout_at <= now {
            self.timeout_at = NEVER;
            self.ris |= INT_RT;
        }
        sent.min(self.host.arrives()).min(self.timeout_at)
    }

    fn advance_transmitter(&mut self, now: u64) -> u64 {
        loop {
            match self.sending {
                Some((value, ends)) if ends <= now => {
                    self.deliver(value, ends);
                    self.sending = None;
                    self.load_shifter(ends);
                }
                Some((_, ends)) => return ends,
                None => {
                    self.load_shifter(now);
                    if self.sending.is_none() {
                        return NEVER;
                    }
                }
            }
        }
    }

    fn load_shifter(&mut self, at: u64) {
        let on = self.cr & (UARTEN | TXE) == UARTEN | TXE && self.left != Some(0);
        let (true, Some(bit)) = (on, self.bit) else {
            return;
        };
        if let Some(value) = self.tx.pop_front() {
            self.left = self.left.map(|left| left - 1);
            self.sending = Some((value, at + bit.clocks(FRAME_BITS)));
            if self.tx.len() == self.level(0) {
                self.ris |= INT_TX;
            }
        }
    }

    fn deliver(&mut self, value: u8, at: u64) {
        let Some(bit) = self.bit else { return };
        if !self.pins.0 {
            self.lost_at_pins += 1;
            return;
        }
        self.host.receive(value, bit, at);
    }

    fn arrive(&mut self, item: Arrival, at: u64) {
        let on = self.cr & (UARTEN | RXE) == UARTEN | RXE && self.pins.1;
        let (true, Some(bit)) = (on, self.bit) else {
            return;
        };
        let received = item.sampled(bit);
        let mut errors = 0;
        if received.framing {
            errors |= DR_FE;
            self.ris |= INT_FE;
        }
        if received.line_break {
            errors |= DR_BE;
            self.ris |= INT_BE;
        }
        if self.rx.len() == self.depth() {
            self.overrun = true;
            self.ris |= INT_OE;
            return;
        }
        if std::mem::take(&mut self.overrun) {
            errors |= DR_OE;
        }
        self.rx.push_back(u32::from(received.value) | errors);
        if self.rx.len() == self.level(3) {
            self.ris |= INT_RX;
        }
        if self.lcrh & LCRH_FEN != 0 {
            self.timeout_at = at + bit.clocks(TIMEOUT_BITS);
        }
    }

    fn flags(&self) -> u32 {
        let flag = |condition: bool, bit: u32| if condition { bit } else { 0 };
        flag(self.sending.is_some() || !self.tx.is_empty(), FR_BUSY)
            | flag(self.rx.is_empty(), FR_RXFE)
            | flag(self.rx.len() >= self.depth(), FR_RXFF)
            | flag(self.tx.is_empty(), FR_TXFE)
            | flag(self.tx.len() >= self.depth(), FR_TXFF)
    }

    fn read_data(&mut self) -> u32 {
        // What an empty FIFO reads is not defined; 0 is what a driver would notice last.
        let value = self.rx.pop_front().unwrap_or(0);
        self.errors = value >> 8 & 15;
        if self.rx.len() < self.level(3) {
            self.ris &= !INT_RX;
        }
        if self.rx.is_empty() {
            self.ris &= !INT_RT;
            self.timeout_at = NEVER;
        }
        value
    }

    fn write_data(&mut self, value: u32, now: u64) {
        // A write to a full FIFO is lost.
        if self.tx.len() < self.depth() {
            self.tx.push_back(value as u8);
        }
        if self.sending.is_none() {
            self.load_shifter(now);
        }
        if self.tx.len() > self.level(0) {
            self.ris &= !INT_TX;
        }
    }

    /// Reads a register; `advance` has been called.
    pub fn read(&mut self, offset: u32) -> Result<u32, FaultKind> {
        Ok(match offset {
            0x00 => self.read_data(),
            0x04 => self.errors,
            0x18 => self.flags(),
            0x24 => self.ibrd,
            0x28 => self.fbrd,
            0x2c => self.lcrh,
            0x30 => self.cr,
            0x34 => self.ifls,
            0x38 => self.imsc,
            0x3c => self.ris,
            0x40 => self.ris & self.imsc,
            0x48 => 0,
            // Peripheral and cell identification.
            0xfe0..=0xffc => {
                [0x11, 0x10, 0x14, 0x00, 0x0d, 0xf0, 0x05, 0xb1][(offset as usize - 0xfe0) / 4]
            }
            _ => return Err(gap(offset)),
        })
    }

    /// Writes a register; `advance` has been called.
    pub fn write(&mut self, offset: u32, value: u32, now: u64) -> Result<(), FaultKind> {
        match offset {
            0x00 => self.write_data(value, now),
            0x04 => {
                self.errors = 0;
                self.overrun = false;
            }
            0x18 => {}
            0x24 => self.ibrd = value & 0xffff,
            0x28 => self.fbrd = value & 0x3f,
            0x2c => self.write_line_control(value)?,
            0x30 => {
                if value & LBE != 0 {
                    return Err(FaultKind::NotModelled("PL011 loopback (CR.LBE)".into()));
                }
                self.cr = value & 0xffff;
                self.check_frame()?;
                if self.sending.is_none() {
                    self.load_shifter(now);
                }
            }
            0x34 => self.ifls = value & 0x3f,
            0x38 => self.imsc = value & 0x7ff,
            0x44 => self.ris &= !value,
            0x48 if value == 0 => {}
            0x48 => return Err(FaultKind::NotModelled("DMA by the PL011 (DMACR)".into())),
            _ => return Err(gap(offset)),
        }
        Ok(())
    }

    fn write_line_control(&mut self, value: u32) -> Result<(), FaultKind> {
        if (self.lcrh ^ value) & LCRH_FEN != 0 {
            // Switching the FIFOs flushes them.
            self.tx.clear();
            self.rx.clear();
            self.timeout_at = NEVER;
            self.ris &= !(INT_RX | INT_RT);
        }
        self.lcrh = value & 0xff;
        self.latch_divisor();
        self.check_frame()
    }

    /// Frames must be ones that the line knows by the time the UART is on.
    fn check_frame(&self) -> Result<(), FaultKind> {
        let is_8n1 = self.lcrh & (LCRH_WLEN | 0x8f) == LCRH_WLEN;
        if self.cr & UARTEN == 0 || is_8n1 {
            return Ok(());
        }
        let what = format!(
            "PL011 frames other than 8N1, and breaks by the board (LCRH = {:#04x})",
            self.lcrh
        );
        Err(FaultKind::NotModelled(what))
    }
}

fn gap(offset: u32) -> FaultKind {
    match offset {
        0x20 | 0x80..=0x8c => FaultKind::NotModelled(format!("PL011 register +{offset:#05x}")),
        _ => FaultKind::Unmapped,
    }
}

#[cfg(test)]
#[path = "uart_tests.rs"]
mod tests;
