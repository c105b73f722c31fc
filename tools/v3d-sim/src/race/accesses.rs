//! Accesses of the VPM and of memory, each held against those before it.

use super::{Actor, Race, Races};
use crate::report::At;
use crate::rule::Rule;
use crate::vpm::Words;

impl Races {
    /// A QPU writes VPM words, or starts a DMA load that does.
    pub fn write_vpm(&mut self, at: At, actor: Actor, words: Words) -> Option<Race> {
        let me = self.access(at, actor);
        self.vpm
            .write(me, &self.qpus[usize::from(at.qpu)].seen, words)
    }

    /// A QPU reads VPM words.
    pub fn read_vpm(&mut self, at: At, words: Words) -> Option<Race> {
        let me = self.access(at, Actor::Program);
        let own = &self.qpus[usize::from(at.qpu)];
        let mut race = self.vpm.read(me, &own.at_setup, words)?;
        // Ordered by now, but not when the setup was written.
        if own.seen.orders(race.other, me) {
            race.rule = Rule::VpmSetupBeforeAcquire;
        }
        Some(race)
    }

    /// A DMA store that a QPU starts reads VPM words.
    pub fn store_vpm(&mut self, at: At, words: Words) -> Option<Race> {
        let me = self.access(at, Actor::Stores);
        self.vpm
            .read(me, &self.qpus[usize::from(at.qpu)].seen, words)
    }

    /// A DMA store that a QPU starts writes `bytes` bytes of memory at `addr`.
    pub fn store_memory(&mut self, at: At, addr: u32, bytes: u32) -> Option<Race> {
        let me = self.access(at, Actor::Stores);
        let seen = &self.qpus[usize::from(at.qpu)].seen;
        self.stores.write(me, seen, addr, bytes)
    }

    /// True if there are stores at all that a QPU must not read the bytes of.
    #[must_use]
    pub fn has_open_stores(&self, qpu: u8) -> bool {
        self.stores.are_open(&self.qpus[usize::from(qpu)].seen)
    }

    /// True if there are bytes in the line at `addr` that a QPU must not read.
    #[inline]
    #[must_use]
    pub fn line_is_open(&self, qpu: u8, addr: u32) -> bool {
        let own = &self.qpus[usize::from(qpu)];
        self.stores.line_is_open(&own.seen, addr)
    }

    /// Like [`Races::line_is_open`] of the four bytes at `addr`.
    #[inline]
    #[must_use]
    pub fn word_is_open(&self, qpu: u8, addr: u32) -> bool {
        let own = &self.qpus[usize::from(qpu)];
        self.stores
            .bytes_are_open(&own.seen, addr, 15 << (addr & 0x3c))
    }

    /// A QPU, by a lookup or a DMA load, reads `bytes` bytes of memory at `addr`.
    pub fn read_memory(&self, qpu: u8, addr: u32, bytes: u32) -> Option<Race> {
        let own = &self.qpus[usize::from(qpu)];
        self.stores.read(&own.seen, addr, bytes)
    }
}
