//! The whole V3D block.

use crate::config::Config;
use crate::event::Event;
use crate::memory::Memory;

/// The V3D block: starts powered, reset and idle.
pub struct V3d {
    config: Config,
}

impl V3d {
    /// A V3D that has just been reset.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self { config }
    }

    /// What it was made with.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// A power cycle.
    pub fn reset(&mut self) {}

    /// Reads the register at `offset` inside the 4 KiB window.
    pub fn read_register(&mut self, offset: u32) -> u32 {
        if offset == 0 { 0x0244_3356 } else { 0 }
    }

    /// Writes the register at `offset` inside the 4 KiB window.
    pub fn write_register(&mut self, _offset: u32, _value: u32) {}

    /// Whether any program runs, hangs or is queued.
    #[must_use]
    pub fn is_running(&self) -> bool {
        false
    }

    /// Advances by up to `rounds` rounds of 4 V3D clocks; stops early when idle. Returns rounds used.
    pub fn advance(&mut self, _memory: &mut impl Memory, _rounds: u64) -> u64 {
        0
    }

    /// What happened since the last call.
    pub fn take_events(&mut self) -> Vec<Event> {
        Vec::new()
    }

    /// The level of the interrupt line, GPU IRQ 10.
    #[must_use]
    pub fn interrupt(&self) -> bool {
        false
    }
}
