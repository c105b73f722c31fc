//! The sixteen performance counters: PCTRC, PCTRE, PCTRn and PCTRSn.
//!
//! A counter counts while its bit and bit 31 of PCTRE are set (bit 31 is missing in the guide;
//! vc4asm, Linux). What a source has counted so far is in [`Totals`]; a counter remembers where it
//! started.

use crate::counters::{SOURCES, Totals};

/// Bit 31 of PCTRE: all counters.
const ENABLE_ALL: u32 = 1 << 31;

#[derive(Clone, Copy, Default)]
struct Counter {
    source: usize,
    /// The count when it last stopped.
    stopped_at: u32,
    /// The source's total when it last started; `None` when it stands still.
    started_at: Option<u64>,
}

impl Counter {
    fn value(&self, totals: &Totals) -> u32 {
        let since = self
            .started_at
            .map_or(0, |start| totals.source(self.source) - start);
        self.stopped_at.wrapping_add(since as u32)
    }

    fn set(&mut self, value: u32, totals: &Totals) {
        self.stopped_at = value;
        self.started_at = self.started_at.map(|_| totals.source(self.source));
    }

    fn run(&mut self, running: bool, totals: &Totals) {
        self.stopped_at = self.value(totals);
        self.started_at = running.then(|| totals.source(self.source));
    }
}

/// All counters and PCTRE.
#[derive(Default)]
pub struct Performance {
    /// PCTRE.
    pub enabled: u32,
    counters: [Counter; 16],
}

impl Performance {
    /// Writes PCTRE.
    pub fn enable(&mut self, value: u32, totals: &Totals) {
        self.enabled = value & (ENABLE_ALL | 0xffff);
        for (number, counter) in self.counters.iter_mut().enumerate() {
            counter.run(value & ENABLE_ALL != 0 && value & 1 << number != 0, totals);
        }
    }

    /// Writes PCTRC.
    pub fn clear(&mut self, value: u32, totals: &Totals) {
        for (number, counter) in self.counters.iter_mut().enumerate() {
            if value & 1 << number != 0 {
                counter.set(0, totals);
            }
        }
    }

    /// Reads PCTRn or PCTRSn, by the offset from PCTR0.
    pub fn read(&self, offset: u32, totals: &Totals) -> u32 {
        let counter = &self.counters[(offset / 8 % 16) as usize];
        if offset & 4 == 0 {
            counter.value(totals)
        } else {
            counter.source as u32
        }
    }

    /// Writes PCTRn or PCTRSn.
    pub fn write(&mut self, offset: u32, value: u32, totals: &Totals) {
        let counter = &mut self.counters[(offset / 8 % 16) as usize];
        if offset & 4 == 0 {
            counter.set(value, totals);
        } else {
            let running = counter.started_at.is_some();
            counter.run(false, totals);
            // Ids beyond the sources count nothing.
            counter.source = (value as usize & 31).min(SOURCES);
            counter.run(running, totals);
        }
    }
}
