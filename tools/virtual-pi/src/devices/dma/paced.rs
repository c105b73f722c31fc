//! The blocks whose data requests pace DMA.
//!
//! Source of the numbers of requests: BCM2835 ARM Peripherals, section 4.2.1.3.

use crate::config::Config;
use crate::devices::NEVER;
use crate::devices::pcm::Pcm;
use crate::devices::smi::Smi;
use crate::fault::FaultKind;
use crate::map::{Block, bus_address};

/// Bus addresses of the FIFOs.
const PCM_FIFO: u32 = bus_address(Block::Pcm) + 0x04;
const SMI_FIFO: u32 = bus_address(Block::Smi) + 0x0c;
/// Data requests: of PCM's receiver, and of SMI.
const PCM_RX: u32 = 3;
const SMI: u32 = 4;

/// The blocks.
pub struct Paced {
    /// PCM.
    pub pcm: Pcm,
    /// SMI.
    pub smi: Smi,
}

impl Paced {
    /// The blocks after reset.
    pub fn new(config: &Config) -> Self {
        let (pcm, smi) = (Pcm::new(), Smi::new(config));
        Self { pcm, smi }
    }

    /// True if a data request is modelled; 0 is none.
    pub fn has(request: u32) -> bool {
        matches!(request, 0 | PCM_RX | SMI)
    }

    /// Brings the blocks to `now`.
    pub fn advance(&mut self, now: u64) {
        self.pcm.advance(now);
        self.smi.advance(now);
    }

    /// True if a block asks for a transfer; `advance` has been called.
    pub fn requests(&self, request: u32) -> bool {
        match request {
            PCM_RX => self.pcm.requests(),
            SMI => self.smi.requests(),
            _ => true,
        }
    }

    /// The time from which it asks, [`NEVER`] while only others can change that.
    pub fn requests_at(&self, request: u32) -> u64 {
        match request {
            PCM_RX => self.pcm.requests_at(),
            SMI => self.smi.requests_at(),
            0 => 0,
            _ => NEVER,
        }
    }

    /// Reads a word at a bus address of a peripheral, which has left its FIFO at the clock
    /// `leaves`.
    ///
    /// # Errors A peripheral that DMA does not reach here.
    pub fn read(&mut self, bus: u32, leaves: u64) -> Result<u32, FaultKind> {
        match bus {
            PCM_FIFO => self.pcm.read(PCM_FIFO & 0xfff),
            SMI_FIFO => Ok(self.smi.take(leaves)),
            _ => Err(FaultKind::NotModelled(format!(
                "DMA from the peripheral address {bus:#010x}"
            ))),
        }
    }
}
