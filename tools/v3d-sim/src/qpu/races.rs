//! What a QPU says about accesses that nothing orders.

use super::Qpu;
use crate::dma::Transfer;
use crate::dma::vdr::Load;
use crate::dma::vdw::Store;
use crate::race::{Actor, Race};
use crate::rule::Rule;
use crate::shared::Shared;
use crate::vpm::COLUMNS;

impl Qpu {
    /// A load is about to start: it reads memory and writes the VPM. The QPU's last one is over.
    pub(super) fn order_load(&self, load: &Load, shared: &mut Shared) {
        let races = &mut shared.races;
        races.complete(self.number, Actor::Writes);
        races.complete(self.number, Actor::Loads);
        let at = self.at();
        let (mut vpm, mut memory) = (None, None);
        for row in 0..load.rows() {
            for words in load.words(row) {
                let race = races.write_vpm(at, Actor::Loads, words);
                vpm = vpm.or(race);
            }
            let race = races.read_memory(self.number, load.row_address(row), load.row_bytes());
            memory = memory.or(race);
        }
        for race in [vpm, memory].into_iter().flatten() {
            self.warn_race(race, "loads", shared);
        }
    }

    /// A store is about to start: it reads the VPM and writes memory. The QPU's last one is over.
    pub(super) fn order_store(&self, store: &Store, shared: &mut Shared) {
        let races = &mut shared.races;
        races.complete(self.number, Actor::Writes);
        races.complete(self.number, Actor::Stores);
        let at = self.at();
        let (mut vpm, mut memory) = (None, None);
        for row in 0..store.rows() {
            for words in store.words(row) {
                vpm = vpm.or(races.store_vpm(at, words));
            }
            let (address, bytes) = (store.row_address(row), store.row_bytes());
            memory = memory.or(races.store_memory(at, address, bytes));
            shared.stale.start_store(address, bytes);
        }
        for race in [vpm, memory].into_iter().flatten() {
            self.warn_race(race, "stores", shared);
        }
    }

    /// Tells both sides of a race; `does` is what this instruction does to the place.
    #[cold]
    pub(super) fn warn_race(&self, race: Race, does: &str, shared: &mut Shared) {
        let other = shared.races.place(race.other);
        let story = || {
            let in_memory = matches!(race.rule, Rule::StoreRace | Rule::LoadRace);
            let did = match (race.other.actor(), race.other_wrote) {
                (Actor::Loads, _) => "started a DMA load into it",
                (Actor::Stores, _) if in_memory => "started a DMA store to it",
                (Actor::Stores, _) => "started a DMA store of it",
                (_, true) => "wrote it",
                (_, false) => "read it",
            };
            let place = if in_memory {
                format!("memory at {:#010x}", race.place)
            } else {
                let (row, column) = (race.place / COLUMNS as u32, race.place % COLUMNS as u32);
                format!("VPM row {row}, column {column}")
            };
            let detail = format!("{does} {place}; before, {other} {did}");
            (detail, Some(other))
        };
        shared.report.warn_with(race.rule, self.at(), story);
    }
}
