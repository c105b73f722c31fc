//! Who must have been before whom: finds accesses that nothing orders.
//!
//! Two accesses of one place, by two QPUs or by a QPU and its own DMA, one of them a write, must be
//! ordered by something that holds on every chip and in every run: a semaphore, the mutex, a wait for
//! DMA. Each QPU carries a vector clock ([`Clock`]) that grows with what it acquires; each place
//! remembers its last accesses as an [`Epoch`]; an access whose epoch is not in the clock is unordered,
//! even if it came out right this time. This is FastTrack (Flanagan and Freund, 2009), with three more
//! actors for each QPU: its queue of VPM writes, which is only sure to be empty after a VPM read or a
//! DMA start (Broadcom's HW-2497; GPU_FFT drains so), and its two DMA engines, which are only sure to
//! be done after ld_wait and st_wait.
//!
//! Clocks tick on synchronization only. Everything is forgotten when V3D is idle.

mod clock;
mod stores;
mod vpm;

pub use clock::{Actor, Clock, Epoch};
pub use vpm::Words;

use crate::event::Place;
use crate::report::At;
use crate::rule::Rule;
use crate::shared::QPUS;
use std::collections::VecDeque;
use stores::Stores;
use vpm::Shadow;

/// Increments that a semaphore takes before the next waits for a decrement.
const SEMAPHORE_ROOM: u64 = crate::semaphore::LARGEST as u64;

/// An access that nothing orders after an earlier one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Race {
    /// How the order is missing.
    pub rule: Rule,
    /// The earlier access.
    pub other: Epoch,
    /// Whether that was a write.
    pub other_wrote: bool,
    /// Where: a VPM word as 16 * Y + X, or a bus address.
    pub place: u32,
}

/// What a QPU knows.
#[derive(Clone, Copy)]
struct Knowledge {
    /// What is known to be over.
    seen: Clock,
    /// The same as of its last VPM read setup, which may fetch its vectors at once.
    at_setup: Clock,
    /// Its own time; starts at 1.
    now: u32,
    /// Whether it has accessed anything since its time last passed.
    accessed: bool,
    /// Actors that have done something since they were last known to be over, a bit each.
    busy: u8,
}

impl Knowledge {
    fn new(qpu: usize) -> Self {
        let mut seen = Clock::default();
        seen.pass(Actor::Program, qpu, 1);
        Self {
            seen,
            at_setup: seen,
            now: 1,
            accessed: false,
            busy: 0,
        }
    }
}

/// What a semaphore hands over.
#[derive(Clone, Default)]
struct Tokens {
    /// What was known at each increment that no decrement has taken, oldest first.
    ups: VecDeque<Clock>,
    /// What was known at each decrement that makes room for an increment to come.
    downs: VecDeque<Clock>,
    increments: u64,
}

/// The order of everything since V3D was last idle.
pub struct Races {
    qpus: [Knowledge; QPUS],
    semaphores: [Tokens; 16],
    mutex: Clock,
    /// What the ARM can know: programs that ended, host interrupts.
    arm: Clock,
    vpm: Shadow,
    stores: Stores,
    /// Instructions that accessed something, by [`code_place`]: an epoch has no room for the word.
    code: Box<[(u32, Option<u64>); CODE]>,
    /// Whether anything has happened since the last reset.
    used: bool,
}

/// Instructions that are remembered; one more takes the place of another.
const CODE: usize = 1024;

fn code_place(pc: u32) -> usize {
    (pc / qpu::isa::INSTRUCTION_BYTES) as usize % CODE
}

impl Default for Races {
    fn default() -> Self {
        Self {
            qpus: std::array::from_fn(Knowledge::new),
            semaphores: Default::default(),
            mutex: Clock::default(),
            arm: Clock::default(),
            vpm: Shadow::default(),
            stores: Stores::default(),
            code: Box::new([(0, None); CODE]),
            used: false,
        }
    }
}

impl Races {
    /// V3D is idle: whatever comes next comes after all that was.
    pub fn forget(&mut self) {
        if self.used {
            self.qpus = std::array::from_fn(Knowledge::new);
            self.semaphores = Default::default();
            self.mutex = Clock::default();
            self.arm = Clock::default();
            self.vpm.forget();
            self.stores.forget();
            self.used = false;
        }
    }

    /// What the ARM knows when it queues a program.
    #[must_use]
    pub fn arm(&self) -> Clock {
        self.arm
    }

    /// A program starts that the ARM queued when it knew `arm`.
    pub fn start(&mut self, qpu: u8, arm: &Clock) {
        self.used = true;
        self.qpus[usize::from(qpu)].seen.join(arm);
    }

    /// A program has ended, or has raised its host interrupt: the ARM may see it.
    pub fn tell_arm(&mut self, qpu: u8) {
        let told = self.release(qpu);
        self.arm.join(&told);
    }

    /// A semaphore was counted up.
    pub fn increment(&mut self, qpu: u8, number: u8) {
        let told = self.release(qpu);
        let tokens = &mut self.semaphores[usize::from(number & 15)];
        tokens.ups.push_back(told);
        tokens.increments += 1;
        if tokens.increments > SEMAPHORE_ROOM
            && let Some(room) = tokens.downs.pop_front()
        {
            self.qpus[usize::from(qpu)].seen.join(&room);
        }
    }

    /// A semaphore was counted down. Increments are taken in their order: a program that is right must
    /// be so with every way to match them.
    pub fn decrement(&mut self, qpu: u8, number: u8) {
        let tokens = &mut self.semaphores[usize::from(number & 15)];
        if let Some(token) = tokens.ups.pop_front() {
            self.qpus[usize::from(qpu)].seen.join(&token);
        }
        let told = self.release(qpu);
        self.semaphores[usize::from(number & 15)]
            .downs
            .push_back(told);
    }

    /// The mutex was taken.
    pub fn acquire_mutex(&mut self, qpu: u8) {
        self.qpus[usize::from(qpu)].seen.join(&self.mutex);
    }

    /// The mutex was given back.
    pub fn release_mutex(&mut self, qpu: u8) {
        let told = self.release(qpu);
        self.mutex.join(&told);
    }

    /// A QPU's VPM writes, loads or stores are over: it has drained or waited.
    pub fn complete(&mut self, qpu: u8, actor: Actor) {
        let own = &mut self.qpus[usize::from(qpu)];
        if own.busy & 1 << actor as u8 != 0 {
            own.busy &= !(1 << actor as u8);
            own.seen.pass(actor, usize::from(qpu), own.now);
            self.tick(qpu);
        }
    }

    /// A VPM read setup was written.
    pub fn setup(&mut self, qpu: u8) {
        let own = &mut self.qpus[usize::from(qpu)];
        own.at_setup = own.seen;
    }

    /// The epoch of an access by one of a QPU's actors.
    fn access(&mut self, at: At, actor: Actor) -> Epoch {
        let At { qpu, pc, word } = at;
        self.used = true;
        self.code[code_place(pc)] = (pc, word);
        let own = &mut self.qpus[usize::from(qpu)];
        own.accessed = true;
        own.busy |= 1 << actor as u8;
        Epoch::new(qpu, actor, own.now, pc)
    }

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

    /// A QPU, by a lookup or a DMA load, reads `bytes` bytes of memory at `addr`.
    pub fn read_memory(&self, qpu: u8, addr: u32, bytes: u32) -> Option<Race> {
        let own = &self.qpus[usize::from(qpu)];
        self.stores.read(&own.seen, addr, bytes)
    }

    /// Where an earlier access was.
    #[must_use]
    pub fn place(&self, epoch: Epoch) -> Place {
        let (qpu, pc) = (epoch.qpu(), epoch.pc());
        let (at, word) = self.code[code_place(pc)];
        let word = word.filter(|_| at == pc);
        At { qpu, pc, word }.place()
    }

    /// What a QPU tells those who synchronize with it now; what it does later it has not told.
    fn release(&mut self, qpu: u8) -> Clock {
        self.used = true;
        let told = self.qpus[usize::from(qpu)].seen;
        self.tick(qpu);
        told
    }

    fn tick(&mut self, qpu: u8) {
        let own = &mut self.qpus[usize::from(qpu)];
        if !std::mem::take(&mut own.accessed) {
            return;
        }
        own.now += 1;
        own.seen.pass(Actor::Program, usize::from(qpu), own.now);
        // Millions of hand-overs in one launch: begin anew, which can only miss something.
        if own.now >= Epoch::LAST_TIME {
            self.used = true;
            self.forget();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: Words = Words::row(3);

    fn at(qpu: u8, pc: u32) -> At {
        let word = Some(0x1000_09e7_009e_7000);
        At { qpu, pc, word }
    }

    fn wrote(races: &mut Races, qpu: u8) {
        assert_eq!(races.write_vpm(at(qpu, 0x40), Actor::Writes, ROW), None);
    }

    #[test]
    fn a_semaphore_orders_what_was_drained() {
        let mut races = Races::default();
        wrote(&mut races, 3);
        races.increment(3, 0);
        races.decrement(4, 0);
        races.setup(4);
        let race = races.read_vpm(at(4, 0x80), ROW).unwrap();
        assert_eq!(race.rule, Rule::VpmWriteUndrained);
        assert_eq!(
            (race.other.qpu(), race.other.pc(), race.place),
            (3, 0x40, 48)
        );
        assert_eq!(
            races.place(race.other).to_string(),
            "QPU 3 at 0x00000040 `nop`"
        );
        races.complete(3, Actor::Writes);
        races.increment(3, 0);
        races.decrement(4, 0);
        races.setup(4);
        assert_eq!(races.read_vpm(at(4, 0x80), ROW), None);
    }

    #[test]
    fn without_a_hand_over_nothing_is_ordered() {
        let mut races = Races::default();
        wrote(&mut races, 3);
        races.complete(3, Actor::Writes);
        races.setup(4);
        assert_eq!(races.read_vpm(at(4, 0), ROW).unwrap().rule, Rule::VpmRace);
        // Nor the reader before the next write.
        races.increment(3, 0);
        races.decrement(4, 0);
        let race = races.write_vpm(at(3, 0x48), Actor::Writes, ROW).unwrap();
        assert_eq!(
            (race.rule, race.other.qpu(), race.other_wrote),
            (Rule::VpmRace, 4, false)
        );
    }

    #[test]
    fn a_setup_before_the_acquire_may_fetch_old_rows() {
        let mut races = Races::default();
        wrote(&mut races, 3);
        races.complete(3, Actor::Writes);
        races.increment(3, 0);
        races.setup(4);
        races.decrement(4, 0);
        assert_eq!(
            races.read_vpm(at(4, 0), ROW).unwrap().rule,
            Rule::VpmSetupBeforeAcquire
        );
    }

    #[test]
    fn the_mutex_orders_its_holders() {
        let mut races = Races::default();
        for qpu in [1, 2, 1, 3] {
            races.acquire_mutex(qpu);
            races.setup(qpu);
            assert_eq!(races.read_vpm(at(qpu, 0), ROW), None);
            wrote(&mut races, qpu);
            races.complete(qpu, Actor::Writes);
            races.release_mutex(qpu);
        }
        assert_eq!(
            races.write_vpm(at(4, 0), Actor::Writes, ROW).unwrap().rule,
            Rule::VpmRace
        );
    }

    #[test]
    fn two_increments_of_one_count_are_two_tokens() {
        let mut races = Races::default();
        wrote(&mut races, 1);
        races.complete(1, Actor::Writes);
        races.increment(2, 0);
        races.increment(1, 0);
        races.decrement(3, 0);
        assert!(
            races.write_vpm(at(3, 0), Actor::Writes, ROW).is_some(),
            "that was QPU 2's"
        );
        let mut races = Races::default();
        wrote(&mut races, 1);
        races.complete(1, Actor::Writes);
        races.increment(2, 0);
        races.increment(1, 0);
        races.decrement(3, 0);
        races.decrement(3, 0);
        assert_eq!(races.write_vpm(at(3, 0), Actor::Writes, ROW), None);
    }

    /// Fifteen increments need nobody; the sixteenth has waited for a decrement.
    #[test]
    fn a_full_semaphore_orders_backwards() {
        let mut races = Races::default();
        races.setup(2);
        assert_eq!(races.read_vpm(at(2, 0), ROW), None);
        for _ in 0..15 {
            races.increment(1, 0);
        }
        races.decrement(2, 0);
        let mut early = Races::default();
        std::mem::swap(&mut early, &mut races);
        early.increment(1, 0);
        assert_eq!(early.write_vpm(at(1, 0), Actor::Writes, ROW), None);
        races.read_vpm(at(2, 0), ROW);
        races.increment(1, 0);
        races.decrement(2, 0);
        assert!(
            races.write_vpm(at(1, 0), Actor::Writes, ROW).is_some(),
            "it never was full"
        );
    }

    #[test]
    fn dma_is_over_when_its_qpu_has_waited() {
        let mut races = Races::default();
        wrote(&mut races, 5);
        races.complete(5, Actor::Writes);
        assert_eq!(races.store_vpm(at(5, 0x50), ROW), None);
        let race = races.write_vpm(at(5, 0x58), Actor::Writes, ROW).unwrap();
        assert_eq!((race.rule, race.other_wrote), (Rule::DmaNotAwaited, false));
        races.complete(5, Actor::Stores);
        wrote(&mut races, 5);
        races.complete(5, Actor::Writes);
        assert_eq!(races.write_vpm(at(5, 0x60), Actor::Loads, ROW), None);
        races.increment(5, 1);
        races.decrement(6, 1);
        races.setup(6);
        assert_eq!(
            races.read_vpm(at(6, 0), ROW).unwrap().rule,
            Rule::DmaNotAwaited
        );
        races.complete(5, Actor::Loads);
        races.increment(5, 1);
        races.decrement(6, 1);
        races.setup(6);
        assert_eq!(races.read_vpm(at(6, 0), ROW), None);
    }

    #[test]
    fn stores_to_the_same_bytes_need_an_order_and_reads_a_wait() {
        let mut races = Races::default();
        assert_eq!(races.store_memory(at(1, 0x50), 0x4000_0020, 64), None);
        assert_eq!(
            races.store_memory(at(2, 0x58), 0x4000_0060, 64),
            None,
            "next to it"
        );
        let race = races.store_memory(at(2, 0x58), 0x4000_0030, 4).unwrap();
        assert_eq!(
            (race.rule, race.other.qpu(), race.place),
            (Rule::StoreRace, 1, 0x4000_0030)
        );
        let race = races.read_memory(3, 0x4000_005c, 4).unwrap();
        assert_eq!((race.rule, race.place), (Rule::LoadRace, 0x4000_005c));
        races.increment(1, 0);
        races.decrement(3, 0);
        assert!(
            races.read_memory(3, 0x4000_005c, 4).is_some(),
            "not waited for"
        );
        assert_eq!(
            races.store_memory(at(3, 0), 0x4000_0040, 4),
            None,
            "one engine, in order"
        );
        races.complete(1, Actor::Stores);
        races.increment(1, 0);
        races.decrement(4, 0);
        assert_eq!(races.read_memory(4, 0x4000_005c, 4), None);
        assert_eq!(races.read_memory(4, 0x4000_0010, 4), None);
    }

    #[test]
    fn the_arm_orders_programs_it_queues_after_others_ended() {
        let mut races = Races::default();
        wrote(&mut races, 7);
        races.complete(7, Actor::Writes);
        races.tell_arm(7);
        let (before, after) = (Clock::default(), races.arm());
        races.start(6, &before);
        races.start(5, &after);
        assert_eq!(
            races.write_vpm(at(5, 0), Actor::Writes, Words::row(4)),
            None
        );
        races.setup(5);
        assert_eq!(races.read_vpm(at(5, 0), ROW), None);
        races.setup(6);
        assert!(races.read_vpm(at(6, 0), ROW).is_some());
        races.forget();
        assert_eq!(races.write_vpm(at(6, 0), Actor::Writes, ROW), None);
    }

    /// Millions of hand-overs do not make old epochs look new.
    #[test]
    fn time_ends_and_begins_anew() {
        let mut races = Races::default();
        wrote(&mut races, 1);
        races.qpus[2].now = Epoch::LAST_TIME - 1;
        races.write_vpm(at(2, 0), Actor::Writes, Words::row(9));
        races.release_mutex(2);
        wrote(&mut races, 3);
        assert!(races.write_vpm(at(4, 0), Actor::Writes, ROW).is_some());
    }
}
