//! Races: accesses that nothing orders.
//!
//! Two accesses of one place, by two QPUs or by a QPU and its own DMA, one of them a write, must be
//! ordered by something that holds on every chip and in every run: a semaphore, the mutex, a wait
//! for DMA. Each QPU carries a vector clock ([`Clock`]) that grows with what it acquires; each
//! place remembers its last accesses as an [`Epoch`]; an access whose epoch is not in the clock is
//! unordered, even if it came out right this time. This is FastTrack (Flanagan and Freund, 2009),
//! with three more actors for each QPU: its queue of VPM writes, which is only sure to be empty
//! after a VPM read or a DMA start (Broadcom's HW-2497; GPU_FFT drains so), and its two DMA
//! engines, which are only sure to be done after ld_wait and st_wait. Such a wait also covers what
//! other QPUs are known to have started on the same engine before: it takes transfers in turn.
//!
//! Clocks tick on synchronization only. Everything is forgotten when V3D is idle.

mod clock;
mod stores;
#[cfg(test)]
mod tests;
mod vpm;

pub use clock::{Actor, Clock, Epoch};

use crate::chip::QPUS;
use crate::event::Place;
use crate::report::At;
use crate::rule::Rule;
use crate::vpm::Words;
use std::collections::VecDeque;
use stores::Stores;
use vpm::Shadow;

/// An access that nothing orders after an earlier one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Race {
    /// The rule that asks for the order.
    pub rule: Rule,
    /// The earlier access.
    pub other: Epoch,
    /// True if that was a write.
    pub other_wrote: bool,
    /// The place: a VPM word as 16 * Y + X, or a bus address.
    pub place: u32,
}

/// The knowledge of a QPU.
#[derive(Clone, Copy)]
struct Knowledge {
    /// Accesses that are known to be over.
    seen: Clock,
    /// Accesses known to be over at its last VPM read setup, which may fetch its vectors at once.
    at_setup: Clock,
    /// Accesses known to be over at the start of its last load and its last store.
    at_start: [Clock; 2],
    /// Its own time; starts at 1.
    now: u32,
    /// True if it has accessed anything since its time last passed.
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
            at_start: [seen; 2],
            now: 1,
            accessed: false,
            busy: 0,
        }
    }
}

/// The knowledge that a semaphore hands over.
#[derive(Clone, Default)]
struct Tokens {
    /// The knowledge at each increment that no decrement has taken, oldest first.
    ups: VecDeque<Clock>,
    /// The knowledge at each decrement that makes room for an increment to come.
    downs: VecDeque<Clock>,
    increments: u64,
}

/// The order of everything since V3D was last idle.
pub struct Races {
    qpus: [Knowledge; QPUS],
    semaphores: [Tokens; 16],
    mutex: Clock,
    /// The knowledge of the ARM: programs that ended, host interrupts.
    arm: Clock,
    vpm: Shadow,
    stores: Stores,
    /// Instructions that accessed something, by [`code_place`]: an epoch has no room for the word.
    code: Box<[(u32, Option<u64>); CODE]>,
    /// True if anything has happened since the last reset.
    used: bool,
}

/// Increments that a semaphore takes before the next waits for a decrement.
const SEMAPHORE_ROOM: u64 = crate::semaphore::LARGEST as u64;

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

    /// The knowledge of the ARM when it queues a program.
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
        let knowledge = self.release(qpu);
        self.arm.join(&knowledge);
    }

    /// A QPU's VPM writes, loads or stores are over: it has drained or waited.
    pub fn complete(&mut self, qpu: u8, actor: Actor) {
        let own = &mut self.qpus[usize::from(qpu)];
        if own.busy & 1 << actor as u8 != 0 {
            own.busy &= !(1 << actor as u8);
            own.seen.pass(actor, usize::from(qpu), own.now);
            if let Some(engine) = actor.engine() {
                own.seen.pass_in_order(actor, &own.at_start[engine]);
            }
            self.tick(qpu);
        }
    }

    /// A QPU starts a load or a store: its last one is over, and its VPM writes have drained.
    pub fn start_transfer(&mut self, qpu: u8, actor: Actor) {
        self.complete(qpu, Actor::Writes);
        self.complete(qpu, actor);
        let own = &mut self.qpus[usize::from(qpu)];
        if let Some(engine) = actor.engine() {
            own.at_start[engine] = own.seen;
        }
    }

    /// True if a QPU knows that the last load or store it started is over.
    #[must_use]
    pub fn is_over(&self, qpu: u8, actor: Actor) -> bool {
        let (own, qpu) = (&self.qpus[usize::from(qpu)], usize::from(qpu));
        actor.engine().is_none_or(|engine| {
            own.seen.passed(actor, qpu) >= own.at_start[engine].passed(Actor::Program, qpu)
        })
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

    /// The place of an earlier access.
    #[must_use]
    pub fn place(&self, epoch: Epoch) -> Place {
        let (qpu, pc) = (epoch.qpu(), epoch.pc());
        let (at, word) = self.code[code_place(pc)];
        let word = word.filter(|_| at == pc);
        At { qpu, pc, word }.place()
    }

    /// The knowledge that a QPU passes to those that synchronize with it now; its later accesses
    /// are not part of it.
    fn release(&mut self, qpu: u8) -> Clock {
        self.used = true;
        let knowledge = self.qpus[usize::from(qpu)].seen;
        self.tick(qpu);
        knowledge
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

    /// A semaphore was counted up.
    pub fn increment(&mut self, qpu: u8, number: u8) {
        let knowledge = self.release(qpu);
        let tokens = &mut self.semaphores[usize::from(number & 15)];
        tokens.ups.push_back(knowledge);
        tokens.increments += 1;
        if tokens.increments > SEMAPHORE_ROOM
            && let Some(room) = tokens.downs.pop_front()
        {
            self.qpus[usize::from(qpu)].seen.join(&room);
        }
    }

    /// A semaphore was counted down. Increments are taken in their order: a program that is right
    /// must be so with every way to match them.
    pub fn decrement(&mut self, qpu: u8, number: u8) {
        let tokens = &mut self.semaphores[usize::from(number & 15)];
        if let Some(token) = tokens.ups.pop_front() {
            self.qpus[usize::from(qpu)].seen.join(&token);
        }
        let knowledge = self.release(qpu);
        self.semaphores[usize::from(number & 15)]
            .downs
            .push_back(knowledge);
    }

    /// The mutex was taken.
    pub fn acquire_mutex(&mut self, qpu: u8) {
        self.qpus[usize::from(qpu)].seen.join(&self.mutex);
    }

    /// The mutex was given back.
    pub fn release_mutex(&mut self, qpu: u8) {
        let knowledge = self.release(qpu);
        self.mutex.join(&knowledge);
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

    /// Accesses that a QPU knows to be over.
    fn seen(&self, qpu: u8) -> &Clock {
        &self.qpus[usize::from(qpu)].seen
    }

    /// True if there are stores at all that a QPU must not read the bytes of.
    #[must_use]
    pub fn has_open_stores(&self, qpu: u8) -> bool {
        self.stores.are_open(self.seen(qpu))
    }

    /// True if there are bytes in the line at `addr` that a QPU must not read.
    #[inline]
    #[must_use]
    pub fn line_is_open(&self, qpu: u8, addr: u32) -> bool {
        let all = u64::MAX;
        self.stores.bytes_are_open(self.seen(qpu), addr, all)
    }

    /// Like [`Races::line_is_open`] of the four bytes at `addr`.
    #[inline]
    #[must_use]
    pub fn word_is_open(&self, qpu: u8, addr: u32) -> bool {
        let bytes = 15 << (addr & 0x3c);
        self.stores.bytes_are_open(self.seen(qpu), addr, bytes)
    }

    /// A QPU, by a lookup or a DMA load, reads `bytes` bytes of memory at `addr`.
    pub fn read_memory(&self, qpu: u8, addr: u32, bytes: u32) -> Option<Race> {
        self.stores.read(self.seen(qpu), addr, bytes)
    }
}
