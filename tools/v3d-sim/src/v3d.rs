//! The whole V3D block: twelve QPUs that advance together, and what they share.
//!
//! A round is 4 V3D clocks: every QPU with a program executes one instruction or waits. The scheduler
//! starts queued programs on idle QPUs at once.

use crate::code::CodeCache;
use crate::config::Config;
use crate::counters::{ROUND_CLOCKS, Statistics};
use crate::event::{DeadlockReport, Event, Fault, FaultKind, Place, Wait, Warning};
use crate::memory::Memory;
use crate::observe::{Issue, Observer, Stall, Unobserved};
use crate::order::Order;
use crate::qpu::{Qpu, Step};
use crate::registers::Registers;
use crate::report::At;
use crate::rule::Rule;
use crate::scheduler::Scheduler;
use crate::shared::{QPUS, SLICES, Shared};
use crate::time::ROUND;
use crate::view::QpuView;

/// Rounds that a QPU may be ahead of the others, in instructions that nobody else can see. What a report
/// of another QPU's fault says of where this one is may be so far off.
const FURTHEST_AHEAD: u64 = 32;

/// The V3D block: starts powered, reset and idle.
pub struct V3d {
    config: Config,
    pub(crate) qpus: [Qpu; QPUS],
    pub(crate) scheduler: Scheduler,
    pub(crate) shared: Shared,
    /// Instruction caches.
    pub(crate) code: [CodeCache; SLICES],
    pub(crate) registers: Registers,
    order: Order,
    /// How far QPUs may run ahead in this round.
    ahead: u32,
    /// A bit for each QPU with a program.
    active: u16,
    /// What each QPU waited for in the last round.
    pub(crate) waits: [Option<Wait>; QPUS],
    /// Nothing could go on in the last round, so nothing will until the ARM writes a register.
    stuck: bool,
    stuck_rounds: u64,
    deadlock_reported: bool,
    /// Programs have run since V3D was last idle.
    pub(crate) launched: bool,
    /// The first round of each QPU's program that has not been counted as active; with time only.
    pub(crate) active_from: [u64; QPUS],
    /// The round up to which all counts are right; with time only.
    pub(crate) settled_at: u64,
    /// Advancing ends when a program ends or a QPU faults.
    pub(crate) stops_at_news: bool,
    news: bool,
    /// QPUs that were given a program of which no observer has been told.
    started: [bool; QPUS],
}

impl V3d {
    /// A V3D that has just been reset.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self {
            qpus: std::array::from_fn(|number| Qpu::new(number as u8, config.conflicts)),
            scheduler: Scheduler::default(),
            shared: Shared::new(&config),
            code: Default::default(),
            registers: Registers::default(),
            order: Order::new(config.order_seed),
            ahead: 0,
            active: 0,
            waits: [None; QPUS],
            stuck: false,
            stuck_rounds: 0,
            deadlock_reported: false,
            launched: false,
            active_from: [0; QPUS],
            settled_at: 0,
            stops_at_news: false,
            news: false,
            started: [false; QPUS],
            config,
        }
    }

    /// What it was made with.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// A power cycle: as new, but for events that nobody has taken yet.
    pub fn reset(&mut self) {
        let events = self.take_events();
        *self = Self::new(self.config.clone());
        for event in events {
            self.shared.report.event(event);
        }
    }

    /// Whether any program runs, hangs or is queued, or DMA is not finished.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.has_programs() || self.shared.is_busy()
    }

    pub(crate) fn has_programs(&self) -> bool {
        self.active != 0 || self.scheduler.queued() > 0
    }

    /// Whether programs are there, and none of them can go on unless the ARM does something.
    #[must_use]
    pub fn is_stuck(&self) -> bool {
        self.stuck && self.has_programs()
    }

    /// Advances by up to `rounds` rounds of 4 V3D clocks; stops early when idle. Returns rounds used.
    pub fn advance(&mut self, memory: &mut impl Memory, rounds: u64) -> u64 {
        self.advance_observed(memory, rounds, &mut Unobserved)
    }

    /// As [`V3d::advance`], with somebody who looks on.
    pub fn advance_observed<O: Observer>(
        &mut self,
        memory: &mut impl Memory,
        rounds: u64,
        observer: &mut O,
    ) -> u64 {
        if O::ACTIVE {
            self.shared.log.keep(true);
            self.tell_starts(observer);
        }
        let mut used = 0;
        self.news = false;
        if self.shared.time.is_some() {
            used = self.advance_timed(memory, rounds, observer);
        }
        while self.shared.time.is_none() && used < rounds && self.is_running() && !self.is_news() {
            if self.stuck && self.stops_at_news {
                break;
            } else if self.stuck {
                self.pass_time(rounds - used, observer);
                used = rounds;
            } else {
                // Nobody looks on and the order is fixed: what only a QPU itself can see may be early.
                let runs_ahead = !O::ACTIVE && self.config.order_seed.is_none();
                self.ahead = if runs_ahead {
                    (rounds - used - 1).min(FURTHEST_AHEAD) as u32
                } else {
                    0
                };
                self.round(memory, observer);
                used += 1;
                if runs_ahead {
                    used += self.skip_rounds(rounds - used);
                }
            }
        }
        if O::ACTIVE {
            self.shared.log.keep(false);
        }
        used
    }

    /// As [`V3d::advance_observed`], but not beyond a round in which a program ends, a QPU faults, or
    /// nothing can go on.
    pub(crate) fn advance_to_news<O: Observer>(
        &mut self,
        memory: &mut impl Memory,
        rounds: u64,
        observer: &mut O,
    ) -> u64 {
        self.stops_at_news = true;
        let used = self.advance_observed(memory, rounds, observer);
        self.stops_at_news = false;
        used
    }

    /// Whether something has happened that the caller wants to see.
    pub(crate) fn is_news(&self) -> bool {
        self.news && self.stops_at_news
    }

    pub(crate) fn note_news(&mut self) {
        self.news = true;
    }

    fn round<O: Observer>(&mut self, memory: &mut impl Memory, observer: &mut O) {
        let busy = self.shared.is_busy();
        self.shared.now += 1;
        self.shared.totals.rounds += 1;
        if busy {
            for (at, kind) in self.shared.advance(memory).into_iter().flatten() {
                self.hang(at, kind);
            }
            if O::ACTIVE {
                self.shared.log.tell(self.now(), observer);
            }
        }
        let mut progress = busy;
        for number in self.order.next_round() {
            progress |= self.turn(usize::from(number), memory, observer);
        }
        self.set_stuck(!progress);
        if self.launched && !self.has_programs() {
            self.launched = false;
            self.shared.races.forget();
            self.check_semaphores();
        }
    }

    /// One QPU's turn. Whether it could go on.
    fn turn<O: Observer>(
        &mut self,
        number: usize,
        memory: &mut impl Memory,
        observer: &mut O,
    ) -> bool {
        if self.active & 1 << number == 0 {
            return false;
        }
        let qpu = &mut self.qpus[number];
        self.shared.totals.active_rounds += 1;
        if qpu.ahead > 0 {
            qpu.ahead -= 1;
            self.shared.totals.instructions[number] += 1;
            return true;
        }
        if qpu.hold > 0 {
            qpu.hold -= 1;
            return true;
        }
        if let Some(wait) = self.waits[number]
            && !O::ACTIVE
            && self.shared.still_waits(number as u8, wait)
        {
            self.shared.totals.stall_rounds[number][wait.cause_number()] += 1;
            return false;
        }
        self.waits[number] = None;
        let pc = qpu.pc;
        let step = qpu.step(&mut self.code[number / 4], &mut self.shared, memory);
        if O::ACTIVE {
            self.tell_step(number, pc, step, observer);
        }
        match step {
            Step::Executed => {
                let qpu = &mut self.qpus[number];
                qpu.hold = self.order.next_hold();
                // The fault of a transfer stops its QPU where it is.
                if self.ahead > 0 && !self.shared.has_transfer(number as u8) {
                    qpu.run_ahead(&mut self.code[number / 4], self.ahead);
                }
            }
            Step::Ended => {
                self.news = true;
                self.note_end(number);
                self.scheduler.complete();
                self.dispatch();
                if O::ACTIVE {
                    self.tell_starts(observer);
                }
            }
            Step::Waited(wait) => {
                self.news |= wait == Wait::Hung;
                self.waits[number] = Some(wait);
                self.shared.totals.stall_rounds[number][wait.cause_number()] += 1;
                return false;
            }
        }
        true
    }

    /// Lets the rounds pass, up to `limit`, in which no transfer moves a row, no write reaches the VPM, and
    /// all QPUs only do what they have done ahead, or wait for what those who run will not give them. How
    /// many these were.
    fn skip_rounds(&mut self, limit: u64) -> u64 {
        if self.is_news() {
            return 0;
        }
        let due = self.shared.next_due().saturating_sub(self.shared.now + 1);
        let going = self.qpus.iter().zip(&self.waits);
        let ahead = going
            .filter(|(qpu, wait)| !qpu.is_idle() && wait.is_none())
            .map(|(qpu, _)| qpu.ahead)
            .min();
        // With nobody going on, what is on its way is waited for.
        let ahead = match ahead {
            Some(ahead) => u64::from(ahead),
            None if self.shared.is_busy() => due,
            None => 0,
        };
        let rounds = ahead.min(due).min(limit).min(u64::from(u32::MAX)) as u32;
        if rounds == 0 {
            return 0;
        }
        let totals = &mut self.shared.totals;
        for (number, qpu) in self.qpus.iter_mut().enumerate() {
            if qpu.is_idle() {
                continue;
            }
            totals.active_rounds += u64::from(rounds);
            match self.waits[number] {
                Some(wait) => {
                    totals.stall_rounds[number][wait.cause_number()] += u64::from(rounds);
                }
                None => {
                    qpu.ahead -= rounds;
                    totals.instructions[number] += u64::from(rounds);
                }
            }
        }
        self.shared.now += u64::from(rounds);
        totals.rounds += u64::from(rounds);
        u64::from(rounds)
    }

    /// The transfer of a QPU has faulted; its program may have ended since it was started.
    pub(crate) fn hang(&mut self, at: At, kind: FaultKind) {
        self.qpus[usize::from(at.qpu)].hang(at, kind, &mut self.shared);
        self.active |= 1 << at.qpu;
        if self.shared.time.is_none() {
            self.waits[usize::from(at.qpu)] = None;
        }
        self.news = true;
    }

    /// QPU `number` is halted or resumed by the host: what it waits for changes.
    pub(crate) fn set_halted(&mut self, number: usize, halted: bool) {
        self.qpus[number].set_halted(halted);
        if self.shared.time.is_none() {
            self.waits[number] = None;
        }
    }

    /// A QPU has executed the last instruction of its program; it may hang all the same.
    pub(crate) fn note_end(&mut self, number: usize) {
        if self.qpus[number].is_idle() {
            self.active &= !(1 << number);
        }
    }

    /// The clock at which the round that runs now began.
    fn now(&self) -> u64 {
        (self.shared.now - 1) * ROUND_CLOCKS
    }

    /// Tells what a QPU did with the instruction at `pc`.
    pub(crate) fn tell_step(
        &mut self,
        number: usize,
        pc: u32,
        step: Step,
        observer: &mut impl Observer,
    ) {
        let clock = self.now();
        let qpu = number as u8;
        if let Step::Waited(wait) = step {
            let clocks = ROUND_CLOCKS;
            observer.stalled(Stall {
                clock,
                clocks,
                qpu,
                pc,
                word: self.qpus[number].word,
                wait,
            });
            return;
        }
        if let Some(word) = self.qpus[number].word {
            let issue = Issue {
                clock,
                qpu,
                pc,
                word,
            };
            observer.issued(issue, QpuView(&self.qpus[number]));
        }
        self.shared.log.tell(clock, observer);
        if step == Step::Ended {
            observer.program_ended(clock + ROUND_CLOCKS, qpu);
        }
    }

    /// Tells of programs that have been started since it was last told.
    pub(crate) fn tell_starts(&mut self, observer: &mut impl Observer) {
        let clock = self.shared.now * ROUND_CLOCKS;
        for number in 0..QPUS {
            if std::mem::take(&mut self.started[number]) && !self.qpus[number].is_idle() {
                observer.program_started(clock, QpuView(&self.qpus[number]));
            }
        }
    }

    /// Starts queued programs on idle QPUs, in the order that the constants name.
    pub(crate) fn dispatch(&mut self) {
        for number in self.config.constants.launch_order.qpus() {
            let number = usize::from(number);
            if self.qpus[number].is_idle()
                && let Some(request) = self.scheduler.next_for(number)
            {
                self.qpus[number].start(request, &mut self.shared);
                if let Some(time) = &mut self.shared.time {
                    let address = request.uniforms.address();
                    self.active_from[number] = time.start(number, address, self.shared.now);
                }
                self.launched = true;
                self.started[number] = true;
                self.active |= 1 << number;
            }
        }
    }

    /// The ARM has written something: what waited may go on.
    pub(crate) fn wake(&mut self) {
        self.set_stuck(false);
        if let Some(time) = &mut self.shared.time {
            for number in 0..QPUS {
                time.issue
                    .wake(number, Wait::Host, (self.shared.now + 1) * ROUND);
            }
        }
    }

    pub(crate) fn set_stuck(&mut self, stuck: bool) {
        self.stuck = stuck;
        if stuck {
            self.stuck_rounds += 1;
        } else {
            self.stuck_rounds = 0;
            self.deadlock_reported = false;
        }
    }

    /// Rounds in which nothing happens.
    fn pass_time<O: Observer>(&mut self, rounds: u64, observer: &mut O) {
        let clock = self.shared.now * ROUND_CLOCKS;
        self.shared.now += rounds;
        let totals = &mut self.shared.totals;
        totals.rounds += rounds;
        for (number, wait) in self.waits.iter().enumerate() {
            if let Some(wait) = wait
                && !self.qpus[number].is_idle()
            {
                totals.active_rounds += rounds;
                totals.stall_rounds[number][wait.cause_number()] += rounds;
                if O::ACTIVE {
                    observer.stalled(Stall {
                        clock,
                        clocks: rounds * ROUND_CLOCKS,
                        qpu: number as u8,
                        pc: self.qpus[number].pc,
                        word: self.qpus[number].word,
                        wait: *wait,
                    });
                }
            }
        }
        self.note_stuck(rounds);
    }

    /// Nothing has happened for `rounds` rounds more: a deadlock, if it has been long enough.
    pub(crate) fn note_stuck(&mut self, rounds: u64) {
        self.stuck = true;
        self.stuck_rounds += rounds;
        // A fault has been reported, and halted QPUs are the host's: neither is news.
        let explained = self
            .waits
            .iter()
            .any(|wait| matches!(wait, Some(Wait::Hung | Wait::Host)));
        if self.stuck_rounds >= self.config.deadlock_rounds && !self.deadlock_reported && !explained
        {
            self.deadlock_reported = true;
            let report = self.deadlock_report();
            self.shared.report.event(Event::Deadlock(report));
        }
    }

    /// Who waits for what, as of the last round.
    #[must_use]
    pub fn deadlock_report(&self) -> DeadlockReport {
        let waiting = (0..QPUS)
            .rev()
            .filter(|number| !self.qpus[*number].is_idle());
        DeadlockReport {
            waiting: waiting
                .filter_map(|number| Some((self.qpus[number].place(), self.waits[number]?)))
                .collect(),
            semaphores: self.shared.semaphores.counts(),
            mutex_holder: self.shared.mutex.holder(),
            queued: self.scheduler.queued() as u32,
        }
    }

    /// Semaphores survive programs: one that is left up will surprise the next launch.
    pub(crate) fn check_semaphores(&mut self) {
        let counts = self.shared.semaphores.counts();
        if counts != [0; 16] {
            let left = counts.iter().enumerate().filter(|(_, count)| **count > 0);
            let left: Vec<String> = left
                .map(|(number, count)| format!("{number} is {count}"))
                .collect();
            self.shared
                .report
                .warn_launch(Rule::SemaphoreLeft, || left.join(", "));
        }
    }

    /// What happened since the last call: faults, the first warning of each kind, deadlocks.
    pub fn take_events(&mut self) -> Vec<Event> {
        self.shared.report.take_events()
    }

    /// All faults since reset.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        self.shared.report.faults()
    }

    /// The first warning of each kind since reset, with how often it happened.
    pub fn warnings(&self) -> impl Iterator<Item = &Warning> {
        self.shared.report.warnings()
    }

    /// What was done since reset.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.shared.totals.statistics()
    }

    /// Someone other than V3D has stored `bytes` bytes at `addr`: a line that a TMU has read there is an
    /// old copy until the caches are cleared (rule `tmu-stale-line`).
    pub fn memory_changed(&mut self, addr: u32, bytes: u32) {
        self.shared.stale.store(addr, bytes, None);
        self.arm_touched(addr, bytes);
    }

    /// The ARM has written or read `bytes` bytes at `addr` through the L2 that it shares with V3D on
    /// some boards ([`crate::Board::has_system_l2`]): they lie there until others take their place.
    /// [`V3d::memory_changed`] says so by itself.
    pub fn arm_touched(&mut self, addr: u32, bytes: u32) {
        if let Some(time) = &mut self.shared.time {
            time.arm_wrote(addr, bytes);
        }
    }

    /// Where every QPU with a program is.
    #[must_use]
    pub fn running(&self) -> Vec<Place> {
        self.qpus
            .iter()
            .filter(|qpu| !qpu.is_idle())
            .map(Qpu::place)
            .collect()
    }

    /// Programs queued and not started.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.scheduler.queued()
    }

    /// V3D clocks since reset in which anything ran.
    #[must_use]
    pub fn clocks(&self) -> u64 {
        self.shared.totals.rounds * ROUND_CLOCKS
    }

    /// The level of the interrupt line, GPU IRQ 10.
    #[must_use]
    pub fn interrupt(&self) -> bool {
        self.shared.host_interrupts != 0 || self.registers.interrupt()
    }
}
