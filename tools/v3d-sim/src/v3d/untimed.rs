//! V3D without time: round after round, in which every QPU takes a step.
//!
//! What only a QPU itself can see it may do early: after an instruction it executes those that
//! follow, up to the next by which QPUs order each other ([`crate::qpu::Qpu::run_ahead`]), and acts
//! again when their rounds are over. Rounds in which nobody acts are skipped, and who waits is
//! asked only when something has changed that others wait for.

use super::V3d;
use crate::chip::QPUS;
use crate::event::Wait;
use crate::memory::Memory;
use crate::observe::Observer;
use crate::qpu::Step;

/// Rounds that a QPU may be ahead of the others, in instructions that nobody else can see. What a
/// report of another QPU's fault says of where this one is may be so far off. Longer saves steps,
/// and keeps one QPU's registers in the host's cache.
const FURTHEST_AHEAD: u64 = 256;

impl V3d {
    /// Like [`V3d::advance_observed`], without the cycle model.
    pub(crate) fn advance_untimed<O: Observer>(
        &mut self,
        memory: &mut impl Memory,
        rounds: u64,
        observer: &mut O,
    ) -> u64 {
        // Nobody looks on and the order is fixed: what only a QPU itself can see may be early.
        let runs_ahead = !O::ACTIVE && self.config().order_seed.is_none();
        let first = self.shared.now;
        let end = first.saturating_add(rounds);
        self.count_ahead(true);
        while self.shared.now < end && self.is_running() && !self.is_news() {
            if self.stuck && self.stops_at_news {
                break;
            } else if self.stuck {
                self.pass_time(end - self.shared.now, observer);
                break;
            }
            let left = end - self.shared.now - 1;
            let limit = if runs_ahead {
                left.min(FURTHEST_AHEAD)
            } else {
                0
            };
            self.round(memory, limit as u32, observer);
            if runs_ahead && !self.is_news() {
                self.skip_rounds(end - self.shared.now, memory);
            }
        }
        self.count_ahead(false);
        self.shared.now - first
    }

    /// Counts what QPUs have executed ahead of their rounds, or takes it back: while V3D advances,
    /// all that was executed counts, and otherwise what belongs to the rounds that have come.
    fn count_ahead(&mut self, counts: bool) {
        // With a seed they are held until then, and have executed nothing.
        if self.config().order_seed.is_some() {
            return;
        }
        for (number, instructions) in self.shared.totals.instructions.iter_mut().enumerate() {
            let ahead = self.acts_at[number].saturating_sub(self.shared.now + 1);
            *instructions = if counts {
                *instructions + ahead
            } else {
                *instructions - ahead
            };
        }
    }

    /// A round, after which a QPU may be up to `limit` rounds ahead.
    fn round<O: Observer>(&mut self, memory: &mut impl Memory, limit: u32, observer: &mut O) {
        let busy = self.shared.is_busy();
        self.shared.now += 1;
        self.shared.totals.rounds += 1;
        if busy {
            for (at, kind) in self.shared.advance(memory).into_iter().flatten() {
                self.hang(at, kind);
            }
            if O::ACTIVE {
                let now = self.now();
                for event in self.shared.log.take() {
                    observer.unit(now, event);
                }
            }
        }
        // All who wait are asked in this round; what changes from here on they are asked about in
        // the next.
        self.shared.stirred = false;
        let progress = match self.order.next_round() {
            None => self.steps(memory, limit, observer),
            Some(order) => self.steps_in_order(order, memory, observer),
        };
        self.set_stuck(!(busy || progress));
        self.end_launch();
    }

    /// The QPUs that are not ahead, a bit each.
    fn due(&self) -> u16 {
        let acts_at = self.acts_at.iter().enumerate();
        let due = acts_at.fold(0, |due, (number, at)| {
            due | u16::from(*at <= self.shared.now) << number
        });
        due & self.active
    }

    /// The steps of a round, from QPU 11 down to 0. True if a QPU could go on.
    fn steps<O: Observer>(
        &mut self,
        memory: &mut impl Memory,
        limit: u32,
        observer: &mut O,
    ) -> bool {
        let mut active = self.active;
        let mut due = self.due();
        self.shared.totals.active_rounds += u64::from(active.count_ones());
        let mut progress = active != due;
        while due != 0 {
            let number = due.ilog2() as usize;
            due ^= 1 << number;
            progress |= self.step(number, memory, limit, observer);
            if self.active != active {
                // The end of a program has started others, some of which have a step yet.
                let later = (1 << number) - 1;
                let started = self.active & !active & later;
                self.shared.totals.active_rounds += u64::from(started.count_ones());
                active = self.active;
                due = self.due() & later;
            }
        }
        progress
    }

    /// The steps of a round in an order that a seed has made.
    fn steps_in_order<O: Observer>(
        &mut self,
        order: [u8; QPUS],
        memory: &mut impl Memory,
        observer: &mut O,
    ) -> bool {
        let mut progress = false;
        for number in order.map(usize::from) {
            if self.active & 1 << number != 0 {
                self.shared.totals.active_rounds += 1;
                progress |= self.acts_at[number] > self.shared.now
                    || self.step(number, memory, 0, observer);
            }
        }
        progress
    }

    /// The step of a QPU that is not ahead. True if it could go on.
    fn step<O: Observer>(
        &mut self,
        number: usize,
        memory: &mut impl Memory,
        limit: u32,
        observer: &mut O,
    ) -> bool {
        if let Some(wait) = self.waits[number]
            && !O::ACTIVE
            && self.shared.still_waits(number as u8, wait)
        {
            self.shared.totals.stall_rounds[number][wait.cause_number()] += 1;
            return false;
        }
        self.waits[number] = None;
        let qpu = &mut self.qpus[number];
        let pc = qpu.pc;
        let step = qpu.step(&mut self.code[number / 4], &mut self.shared, memory);
        if O::ACTIVE {
            self.tell_step(number, pc, step, observer);
        }
        match step {
            Step::Executed => {
                let mut rounds = self.order.next_hold(number);
                // The fault of a transfer stops its QPU where it is.
                if limit > 0 && !self.shared.may_fault(number as u8) {
                    let cache = &mut self.code[number / 4];
                    let ahead = self.qpus[number].run_ahead(cache, limit, &mut self.shared, memory);
                    self.shared.totals.instructions[number] += u64::from(ahead);
                    rounds += ahead;
                }
                self.acts_at[number] = self.shared.now + 1 + u64::from(rounds);
            }
            Step::Ended => {
                self.note_news();
                self.note_end(number);
                self.scheduler.complete();
                self.dispatch();
                if O::ACTIVE {
                    self.tell_starts(observer);
                }
            }
            Step::Waited(wait) => {
                if wait == Wait::Hung {
                    self.note_news();
                }
                self.waits[number] = Some(wait);
                self.shared.totals.stall_rounds[number][wait.cause_number()] += 1;
                return false;
            }
        }
        true
    }

    /// Lets the rounds pass, up to `limit`, in which all QPUs only do what they have done ahead, or
    /// wait for what those who run will not give them. Transfers move their rows meanwhile, but for
    /// the last.
    fn skip_rounds(&mut self, limit: u64, memory: &mut impl Memory) {
        let next = self.shared.now + 1;
        let mut until = u64::MAX;
        let mut waiting = false;
        for number in 0..QPUS {
            if self.active & 1 << number == 0 {
                continue;
            }
            if self.waits[number].is_none() {
                until = until.min(self.acts_at[number].max(next));
            } else {
                waiting = true;
            }
        }
        if until == next || (waiting && self.shared.stirred) {
            return;
        }
        if until == u64::MAX {
            // With nobody going on, what is on its way is waited for.
            if !self.shared.is_busy() {
                return;
            }
            until = self.shared.vpm.next_due();
        }
        let last = self.shared.now.saturating_add(limit);
        let until = self.move_rows(until.min(last.saturating_add(1)), memory);
        let rounds = until.saturating_sub(next);
        let totals = &mut self.shared.totals;
        totals.active_rounds += rounds * u64::from(self.active.count_ones());
        for (number, wait) in self.waits.iter().enumerate() {
            if let Some(wait) = wait
                && self.active & 1 << number != 0
            {
                totals.stall_rounds[number][wait.cause_number()] += rounds;
            }
        }
        self.shared.now += rounds;
        totals.rounds += rounds;
    }

    /// Moves the rows that are due before round `until` and that nobody waits for: none is the last
    /// of its transfer, and none can fault. Gives the first round in which another is due, or
    /// `until`.
    fn move_rows(&mut self, until: u64, memory: &mut impl Memory) -> u64 {
        let shared = &mut self.shared;
        loop {
            let due = shared.next_row();
            if due >= until {
                return until;
            }
            if shared.rows_matter(due) {
                return due;
            }
            let faults = shared.advance_to(due, memory);
            debug_assert!(faults.iter().all(Option::is_none), "the memory is there");
        }
    }
}
