//! The register blocks of the BCM2835, each handed out once.
//!
//! This file names every driver, and every driver names [`Mmio`], so it lies apart from that.

use core::sync::atomic::{AtomicBool, Ordering};

use super::Mmio;
use crate::{asb, clock_manager, dma, gpio, interrupt, mailbox, pcm, pm, smi, timer, uart, v3d};

/// Every block the firmware drives. Offsets: BCM2835 ARM Peripherals and `v3d`'s own source.
pub struct Peripherals {
    /// System timer: the counter.
    pub clock: Mmio<timer::Counter>,
    /// System timer: the compare registers.
    pub alarm: Mmio<timer::Compare>,
    /// Interrupt controller.
    pub interrupts: Mmio<interrupt::Registers>,
    /// Mailbox to the VideoCore.
    pub mailbox: Mmio<mailbox::Registers>,
    /// Power management: reset and watchdog.
    pub pm: Mmio<pm::Registers>,
    /// GPIO, pin functions and levels.
    pub gpio: Mmio<gpio::Registers>,
    /// DMA.
    pub dma: Mmio<dma::Registers>,
    /// Clock manager.
    pub clocks: Mmio<clock_manager::Registers>,
    /// PCM, the I2S block.
    pub pcm: Mmio<pcm::Registers>,
    /// SMI.
    pub smi: Mmio<smi::Registers>,
    /// PL011, UART0.
    pub uart: Mmio<uart::Registers>,
    /// V3D's bridges.
    pub asb: Mmio<asb::Registers>,
    /// Power management: power and reset of V3D.
    pub grafx: Mmio<pm::GrafxRegisters>,
    /// V3D.
    pub v3d: Mmio<v3d::Registers>,
}

static TAKEN: AtomicBool = AtomicBool::new(false);

impl Peripherals {
    /// All blocks, once.
    ///
    /// # Panics
    /// When called a second time.
    #[must_use]
    pub fn take() -> Self {
        assert!(
            !TAKEN.swap(true, Ordering::Relaxed),
            "peripherals are taken once, in main"
        );
        // SAFETY: first and only handles (but for `steal`), at the BCM2835's addresses; the MMU
        // maps the whole peripheral range as Device. Clock and alarm share a block, as do pm and
        // grafx, and touch different registers of it.
        unsafe { Self::at_their_addresses() }
    }

    /// All blocks again, for the report of a fault: the program they belonged to has ended.
    pub(crate) fn steal() -> Self {
        // SAFETY: called with interrupts masked by code that does not return to the first owner
        // (`fault::report_and_reset`).
        unsafe { Self::at_their_addresses() }
    }

    /// # Safety
    /// As [`Mmio::at`].
    unsafe fn at_their_addresses() -> Self {
        // SAFETY: offsets are those of BCM2835 ARM Peripherals; the caller answers for the handles.
        unsafe {
            Self {
                clock: Mmio::at(0x00_3000),
                alarm: Mmio::at(0x00_3000),
                interrupts: Mmio::at(0x00_b200),
                mailbox: Mmio::at(0x00_b880),
                dma: Mmio::at(0x00_7000),
                asb: Mmio::at(0x00_a000),
                pm: Mmio::at(0x10_0000),
                grafx: Mmio::at(0x10_010c),
                clocks: Mmio::at(0x10_1000),
                gpio: Mmio::at(0x20_0000),
                uart: Mmio::at(0x20_1000),
                pcm: Mmio::at(0x20_3000),
                smi: Mmio::at(0x60_0000),
                v3d: Mmio::at(0xc0_0000),
            }
        }
    }
}
