//! Reports of a QPU about accesses that nothing orders.

use super::Qpu;
use crate::alu::Lanes;
use crate::dma::Transfer;
use crate::dma::vdr::Load;
use crate::dma::vdw::Store;
use crate::race::{Actor, Race};
use crate::report::At;
use crate::rule::Rule;
use crate::shared::{ERRSTAT_VDWE, Shared};
use crate::tmu::stale::LineRead;
use crate::vpm::Words;
use crate::vpm::{COLUMNS, ROWS, USER_ROWS};

impl Qpu {
    /// A load is about to start: it reads memory and writes the VPM. The QPU's last one is over.
    pub(super) fn order_load(&self, load: &Load, shared: &mut Shared) {
        let races = &mut shared.races;
        races.start_transfer(self.number, Actor::Loads);
        let at = self.at();
        let (mut vpm, mut memory, mut highest) = (None, None, 0);
        for row in 0..load.rows() {
            for words in load.words(row) {
                highest = highest.max(words.last() / COLUMNS);
                let race = races.write_vpm(at, Actor::Loads, words);
                vpm = vpm.or(race);
            }
            let race = races.read_memory(self.number, load.row_address(row), load.row_bytes());
            memory = memory.or(race);
        }
        for race in [vpm, memory].into_iter().flatten() {
            self.warn_race(race, "loads", shared);
        }
        self.check_window(highest, shared);
    }

    /// A store is about to start: it reads the VPM and writes memory. The QPU's last one is over.
    pub(super) fn order_store(&self, store: &Store, shared: &mut Shared) {
        let races = &mut shared.races;
        races.start_transfer(self.number, Actor::Stores);
        let at = self.at();
        let (mut vpm, mut memory, mut highest) = (None, None, 0);
        let mut not_put = store.words(0).next();
        for row in 0..store.rows() {
            for words in store.words(row) {
                not_put = not_put.filter(|_| !shared.vpm.is_put(words));
                highest = highest.max(words.last() / COLUMNS);
                vpm = vpm.or(races.store_vpm(at, words));
            }
            let (address, bytes) = (store.row_address(row), store.row_bytes());
            if highest >= ROWS || address.checked_add(bytes - 1).is_none() {
                shared.errors |= ERRSTAT_VDWE;
            }
            memory = memory.or(races.store_memory(at, address, bytes));
            shared.stale.start_store(address, bytes);
        }
        if let Some(words) = not_put {
            self.warn_not_put("stores", words, shared);
        }
        for race in [vpm, memory].into_iter().flatten() {
            self.warn_race(race, "stores", shared);
        }
        self.check_window(highest, shared);
    }

    /// Checks for values that a lookup may get and that memory does not, or should not, hold.
    pub(super) fn check_lookup(&self, addresses: &Lanes, shared: &mut Shared) {
        let has_open = shared.races.has_open_stores(self.number);
        // Neighbours mostly share a line, and most lines are as they should be.
        let (mut line, mut all) = (None, LineRead::default());
        for address in addresses {
            if line != Some(address / 64) {
                line = Some(address / 64);
                let state = shared.stale.read_lookup(*address);
                all.is_stale |= state.is_stale;
                all.is_stored |=
                    has_open && state.is_stored && shared.races.line_is_open(self.number, *address);
            }
        }
        if all != LineRead::default() {
            self.check_lanes(addresses, shared);
        }
    }

    /// Like [`Qpu::check_lookup`] when there may be something to say of a lane.
    #[inline(never)]
    fn check_lanes(&self, addresses: &Lanes, shared: &mut Shared) {
        let (mut stale, mut race) = (None, None);
        for address in addresses {
            let state = shared.stale.read_lookup(*address);
            if state.is_stale && shared.stale.is_word_stale(*address) {
                stale.get_or_insert(*address);
            }
            if race.is_none() && state.is_stored && shared.races.word_is_open(self.number, *address)
            {
                race = shared.races.read_memory(self.number, *address & !3, 4);
            }
        }
        if let Some(race) = race {
            self.warn_race(race, "looks up", shared);
        }
        if let Some(address) = stale {
            self.warn_stale(Rule::TmuStaleLine, address, shared);
        }
    }

    /// A line that is read may be an old copy.
    #[cold]
    pub(super) fn warn_stale(&self, rule: Rule, address: u32, shared: &mut Shared) {
        let storer = shared.stale.storer(address);
        let story = || {
            let other = storer.map(At::place);
            let named = match &other {
                Some(place) => format!("a DMA store by {place}"),
                None => "the ARM".into(),
            };
            (format!("{address:#010x}, changed by {named}"), other)
        };
        shared.report.warn_with(rule, self.at(), story);
    }

    /// Warns when a transfer leaves the rows of user programs; `highest` is the last row it
    /// touches.
    fn check_window(&self, highest: usize, shared: &mut Shared) {
        let rule = if highest >= ROWS {
            Rule::DmaRowsWrap
        } else if highest >= USER_ROWS {
            Rule::DmaOutsideWindow
        } else {
            return;
        };
        self.warn(rule, shared, || format!("row {highest}"));
    }

    /// Reports words of the VPM whose value is undefined; `does` is what this instruction does
    /// to them.
    #[cold]
    pub(super) fn warn_not_put(&self, does: &str, words: Words, shared: &mut Shared) {
        let (row, column) = (words.first / COLUMNS % ROWS, words.first % COLUMNS);
        self.warn(Rule::VpmNotPut, shared, || {
            format!("{does} VPM row {row}, column {column}")
        });
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
