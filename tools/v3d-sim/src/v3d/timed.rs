//! V3D with time: QPUs try when the cycle model says so, and what lies between is skipped.
//!
//! A QPU tries its next instruction in a round; if it has to wait it tries again when what it waits
//! for is there, and not before. Stalls and active clocks are counted when they end, and when the
//! caller gets control back.
//!
//! A run of plain instructions in the line of code that the QPU has takes its rounds whatever else
//! happens, and nobody can see it: the QPU owes it, and executes it when it tries again, or as far
//! as its rounds have come when the caller gets control back.

use super::V3d;
use crate::chip::QPUS;
use crate::chip::ROUND_CLOCKS;
use crate::code::LINE_CODES;
use crate::event::Wait;
use crate::memory::Memory;
use crate::observe::{Observer, Stall};
use crate::qpu::Step;
use crate::time::{CLOCK, Effect, NEVER, ROUND, round_from};
use crate::unit_event::DmaEngine;

/// Instructions that the other QPUs of a slice read at most while one owes a run.
const READ_WHILE_OWING: usize = 4 * LINE_CODES;

impl V3d {
    /// Like [`V3d::advance_observed`], with the cycle model.
    pub(crate) fn advance_timed<O: Observer>(
        &mut self,
        memory: &mut impl Memory,
        rounds: u64,
        observer: &mut O,
    ) -> u64 {
        let first = self.shared.now;
        let end = first.saturating_add(rounds);
        while self.shared.now < end && !self.is_news() {
            if !self.pass(memory, end, observer) {
                break;
            }
        }
        self.pay_all();
        self.settle(observer);
        self.shared.now - first
    }

    /// On to the next round in which a QPU tries, or to `end`. False when V3D is idle.
    fn pass<O: Observer>(&mut self, memory: &mut impl Memory, end: u64, observer: &mut O) -> bool {
        let now = self.shared.now;
        let Some(time) = &mut self.shared.time else {
            return false;
        };
        if time.issue.next_round() == NEVER {
            if !self.is_running() {
                return false;
            }
            if self.is_quiet() {
                if self.stops_at_news {
                    self.note_stuck(0);
                    return false;
                }
                self.shared.now = end;
                self.note_stuck(end - now);
                return true;
            }
        }
        let Some(time) = &mut self.shared.time else {
            return false;
        };
        if let Some((at, effect)) = time.pass(now, end) {
            self.apply(at, effect, memory, observer);
            if !self.has_programs() {
                self.shared.now = now.max(round_from(at)).min(end);
            }
            return true;
        }
        let next = time.issue.next_round().max(now + 1);
        self.shared.now = next.min(end);
        if next <= end {
            self.timed_round(memory, observer);
        }
        true
    }

    /// Nothing is on its way to anybody.
    fn is_quiet(&self) -> bool {
        self.shared.time.as_ref().is_none_or(|time| time.is_quiet())
    }

    /// A round in which at least one QPU tries.
    fn timed_round<O: Observer>(&mut self, memory: &mut impl Memory, observer: &mut O) {
        let now = self.shared.now;
        self.shared.vpm.advance(now);
        self.set_stuck(false);
        let mut below = QPUS;
        while let Some(time) = &self.shared.time
            && let Some(number) = time.issue.last_to_try(below, now)
        {
            self.timed_step(number, memory, observer);
            below = number;
        }
        if let Some(time) = &mut self.shared.time {
            time.issue.find_next_round();
        }
        self.end_launch();
    }

    fn timed_step<O: Observer>(
        &mut self,
        number: usize,
        memory: &mut impl Memory,
        observer: &mut O,
    ) {
        let now = self.shared.now;
        if O::ACTIVE {
            self.tell_stall(number, now, observer);
        } else {
            self.pay(number, u32::MAX);
            let owed = self.owe(number);
            if owed > 0
                && let Some(time) = &mut self.shared.time
            {
                time.issue.go_on(number, now, now + u64::from(owed));
                self.waits[number] = None;
                return;
            }
        }
        let pc = self.qpus[number].pc;
        let step = self.qpus[number].step(&mut self.code[number / 4], &mut self.shared, memory);
        let Some(time) = &mut self.shared.time else {
            return;
        };
        match step {
            Step::Executed => {
                time.issue.go_on(number, now, now + 1);
                self.waits[number] = None;
            }
            Step::Ended => {
                time.end(number, now);
                self.waits[number] = None;
                self.count_active(number, now + 1);
            }
            Step::Waited(wait) => {
                let until = time.retry(number, wait, now);
                time.issue.stall(number, wait, now, until);
                self.waits[number] = Some(wait);
                if wait == Wait::Hung {
                    self.note_news();
                }
                return;
            }
        }
        if O::ACTIVE {
            self.tell_step(number, pc, step, observer);
        }
        if step == Step::Ended {
            self.note_news();
            self.note_end(number);
            self.scheduler.complete();
            self.dispatch();
            if O::ACTIVE {
                self.tell_starts(observer);
            }
        }
    }

    /// Lets a QPU owe the run of instructions that it comes to, of whatever length.
    #[inline]
    fn owe(&mut self, number: usize) -> u32 {
        let (qpu, cache) = (&mut self.qpus[number], &mut self.code[number / 4]);
        // While it owes others may read code, and must not make the cache forget.
        if !cache.has_room(READ_WHILE_OWING) || self.shared.may_fault(number as u8) {
            return 0;
        }
        let run = qpu.run_length(cache);
        if run > 0
            && let Some(time) = &mut self.shared.time
            && time.has_code(number, qpu.pc, self.shared.now)
        {
            qpu.owed = run;
            run
        } else {
            0
        }
    }

    /// Lets a QPU execute what it owes, or the first `most` instructions of it.
    #[inline]
    fn pay(&mut self, number: usize, most: u32) {
        let qpu = &mut self.qpus[number];
        let count = std::mem::take(&mut qpu.owed).min(most);
        if count > 0 {
            qpu.execute_run(&self.code[number / 4], count);
            self.shared.totals.instructions[number] += u64::from(count);
        }
    }

    /// Lets all QPUs execute what they owe up to now; from the next round on they try as if they
    /// had never owed anything.
    fn pay_all(&mut self) {
        let now = self.shared.now;
        for number in 0..QPUS {
            let owed = self.qpus[number].owed;
            let Some(time) = &mut self.shared.time else {
                return;
            };
            if owed == 0 {
                continue;
            }
            let left = time.issue.tries_at(number).saturating_sub(now + 1);
            time.issue.go_on(number, now, now + 1);
            self.pay(number, owed.saturating_sub(left as u32));
            self.shared.vpm.advance(now);
        }
    }

    /// Applies the effect that a DMA engine has at `at`.
    fn apply<O: Observer>(
        &mut self,
        at: u64,
        effect: Effect,
        memory: &mut impl Memory,
        observer: &mut O,
    ) {
        self.shared.vpm.advance(at / ROUND);
        let Effect::Row(engine) = effect else {
            let now = round_from(at);
            self.dispatch_in(now);
            if O::ACTIVE {
                // It may try in that round, which began a round before its end.
                self.tell_starts_in(now - 1, observer);
            }
            return;
        };
        let moved = self.shared.move_row(engine, memory);
        let (Some((qpu, fault)), Some(time)) = (moved, &mut self.shared.time) else {
            return;
        };
        let wait = match engine {
            DmaEngine::Load => Wait::DmaLoad,
            DmaEngine::Store => Wait::DmaStore,
        };
        time.issue.wake(usize::from(qpu), wait, at);
        if let Some((place, kind)) = fault {
            time.transfer_faulted(engine);
            self.hang(place, kind);
        }
        if O::ACTIVE {
            let clock = (at / CLOCK).saturating_sub(ROUND_CLOCKS);
            for event in self.shared.log.take() {
                observer.unit(clock, event);
            }
        }
    }

    /// Reports a stall up to round `now`, as far as it has not been reported.
    fn tell_stall(&mut self, number: usize, now: u64, observer: &mut impl Observer) {
        let Some((wait, since)) = self
            .shared
            .time
            .as_ref()
            .and_then(|time| time.issue.uncounted(number))
        else {
            return;
        };
        if now > since {
            observer.stalled(Stall {
                clock: (since - 1) * ROUND_CLOCKS,
                clocks: (now - since) * ROUND_CLOCKS,
                qpu: number as u8,
                pc: self.qpus[number].pc,
                word: self.qpus[number].word,
                wait,
            });
        }
    }

    /// Counts the active rounds of a QPU before round `until`.
    fn count_active(&mut self, number: usize, until: u64) {
        let from = self.active_from[number];
        self.shared.totals.active_rounds += until.saturating_sub(from);
        self.active_from[number] = from.max(until);
    }

    /// Brings all counts up to now.
    fn settle<O: Observer>(&mut self, observer: &mut O) {
        let next = self.shared.now + 1;
        for number in 0..QPUS {
            if O::ACTIVE {
                self.tell_stall(number, next, observer);
            }
            if !self.qpus[number].is_idle() {
                self.count_active(number, next);
            }
        }
        let Some(time) = &mut self.shared.time else {
            return;
        };
        let totals = &mut self.shared.totals;
        totals.rounds += self.shared.now - self.settled_at;
        self.settled_at = self.shared.now;
        for (total, counted) in totals
            .stall_rounds
            .iter_mut()
            .flatten()
            .zip(time.issue.take_counted(next).iter().flatten())
        {
            *total += counted;
        }
        totals.caches = time.counts();
    }
}
