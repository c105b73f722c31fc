//! The whole V3D block: twelve QPUs that advance together, and what they share.
//!
//! A round is 4 V3D clocks: every QPU with a program executes one instruction or waits. The
//! scheduler starts queued programs on idle QPUs at once.

mod outside;
mod registers;
mod still;
mod timed;
mod untimed;

use crate::chip::{QPUS, ROUND_CLOCKS, SLICES};
use crate::code::{CodeCache, LINE_BYTES as CODE_LINE_BYTES};
use crate::config::Config;
use crate::counters::Statistics;
use crate::defect::Defect;
use crate::event::{DeadlockReport, Event, Fault, FaultKind, Place, Wait, Warning};
use crate::memory::Memory;
use crate::observe::{Issue, Observer, Stall, Unobserved};
use crate::order::Order;
use crate::qpu::{Qpu, Step};
use crate::report::At;
use crate::rule::Rule;
use crate::scheduler::Scheduler;
use crate::shared::Shared;
use crate::time::ROUND;
use crate::view::QpuView;
pub use outside::OutsideAccess;
use registers::Registers;
pub use registers::offset;

/// The V3D block: starts powered, reset and idle.
pub struct V3d {
    config: Config,
    pub(crate) qpus: [Qpu; QPUS],
    pub(crate) scheduler: Scheduler,
    pub(crate) shared: Shared,
    /// Instruction caches.
    pub(crate) code: [CodeCache; SLICES],
    pub(crate) registers: Registers,
    pub(crate) order: Order,
    /// The first round in which each QPU may act again; without time only.
    pub(crate) acts_at: [u64; QPUS],
    /// A bit for each QPU with a program.
    pub(crate) active: u16,
    /// The wait of each QPU in the last round.
    pub(crate) waits: [Option<Wait>; QPUS],
    /// Nothing could go on in the last round, so nothing will until the ARM writes a register.
    pub(crate) stuck: bool,
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
        let defect = config.defect;
        let mut v3d = Self {
            qpus: std::array::from_fn(|number| Qpu::new(number as u8, config.conflicts)),
            scheduler: Scheduler::default(),
            shared: Shared::new(&config),
            code: Default::default(),
            registers: Registers::default(),
            order: Order::new(config.order_seed),
            acts_at: [0; QPUS],
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
        };
        v3d.set_defect(defect);
        v3d
    }

    /// Breaks something from now on, or repairs it. What a [`Defect`] has done stays done, and a
    /// reset keeps it.
    pub fn set_defect(&mut self, defect: Option<Defect>) {
        self.config.defect = defect;
        let is = |other| defect == Some(other);
        self.shared.vpm.set_late(is(Defect::LateVpm));
        let semaphores = &mut self.shared.semaphores;
        semaphores.let_two_through(is(Defect::SemaphoreTwo));
        self.scheduler.ignores_reservations = is(Defect::NoReservation);
        let lines = (self.config.constants.instruction_cache_bytes / CODE_LINE_BYTES) as usize;
        for cache in &mut self.code {
            cache.hold_lines(is(Defect::StaleInstructions).then_some(lines));
        }
        for qpu in &mut self.qpus {
            qpu.set_wrong(is(Defect::WrongQpu(qpu.number)));
        }
        // A program may have waited for a reserved QPU.
        self.dispatch();
    }

    /// The settings that it was made with.
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

    /// True if any program runs, hangs or is queued, or DMA is not finished.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.has_programs() || self.shared.is_busy()
    }

    pub(crate) fn has_programs(&self) -> bool {
        self.active != 0 || self.scheduler.queued() > 0
    }

    /// True if programs are there, and none of them can go on unless the ARM does something.
    #[must_use]
    pub fn is_stuck(&self) -> bool {
        self.stuck && self.has_programs()
    }

    /// Advances by up to `rounds` rounds of 4 V3D clocks; stops early when idle. Returns rounds
    /// used.
    pub fn advance(&mut self, memory: &mut impl Memory, rounds: u64) -> u64 {
        self.advance_observed(memory, rounds, &mut Unobserved)
    }

    /// Like [`V3d::advance`], with an observer.
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
        self.news = false;
        let used = if self.shared.time.is_some() {
            self.advance_timed(memory, rounds, observer)
        } else {
            self.advance_untimed(memory, rounds, observer)
        };
        if O::ACTIVE {
            self.shared.log.keep(false);
        }
        used
    }

    /// Like [`V3d::advance_observed`], but not beyond a round in which a program ends, a QPU
    /// faults, or nothing can go on.
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

    /// True if something has happened that the caller wants to see.
    pub(crate) fn is_news(&self) -> bool {
        self.news && self.stops_at_news
    }

    pub(crate) fn note_news(&mut self) {
        self.news = true;
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
        self.qpus[number].halted = halted;
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
    pub(crate) fn now(&self) -> u64 {
        (self.shared.now - 1) * ROUND_CLOCKS
    }

    /// Ends a launch if its last program has ended.
    pub(crate) fn end_launch(&mut self) {
        if self.launched && !self.has_programs() {
            self.launched = false;
            self.shared.races.forget();
            self.check_semaphores();
        }
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
        for event in self.shared.log.take() {
            observer.unit(clock, event);
        }
        if step == Step::Ended {
            observer.program_ended(clock + ROUND_CLOCKS, qpu);
        }
    }

    /// Reports programs that have been started since the last report.
    pub(crate) fn tell_starts(&mut self, observer: &mut impl Observer) {
        self.tell_starts_in(self.shared.now, observer);
    }

    /// Reports programs that were started when `now` rounds had passed.
    pub(crate) fn tell_starts_in(&mut self, now: u64, observer: &mut impl Observer) {
        let clock = now * ROUND_CLOCKS;
        for number in 0..QPUS {
            if std::mem::take(&mut self.started[number]) && !self.qpus[number].is_idle() {
                observer.program_started(clock, QpuView(&self.qpus[number]));
            }
        }
    }

    /// Starts queued programs on idle QPUs, in the order that the constants name.
    pub(crate) fn dispatch(&mut self) {
        self.dispatch_in(self.shared.now);
    }

    /// Starts queued programs in round `now`, with time one after the other.
    pub(crate) fn dispatch_in(&mut self, now: u64) {
        let order = self.config.constants.launch_order.order();
        for number in order.qpus().iter().copied().map(usize::from) {
            if !self.qpus[number].is_idle() || self.scheduler.queued() == 0 {
                continue;
            }
            if let Some(time) = &mut self.shared.time
                && !time.may_dispatch(now)
            {
                return;
            }
            if let Some(request) = self.scheduler.next_for(number) {
                self.qpus[number].start(request, &mut self.shared);
                if let Some(time) = &mut self.shared.time {
                    let address = request.uniforms.address;
                    self.active_from[number] = time.start(number, address, now);
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
    pub(crate) fn pass_time<O: Observer>(&mut self, rounds: u64, observer: &mut O) {
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

    /// The waits of all QPUs, as of the last round.
    #[must_use]
    pub fn deadlock_report(&self) -> DeadlockReport {
        let waiting = (0..QPUS)
            .rev()
            .filter(|number| !self.qpus[*number].is_idle());
        DeadlockReport {
            waiting: waiting
                .filter_map(|number| Some((self.qpus[number].place(), self.waits[number]?)))
                .collect(),
            semaphores: self.shared.semaphores.counts,
            mutex_holder: self.shared.mutex,
            queued: self.scheduler.queued() as u32,
        }
    }

    /// Semaphores survive programs: one that is left up will surprise the next launch.
    pub(crate) fn check_semaphores(&mut self) {
        let counts = self.shared.semaphores.counts;
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

    /// The events since the last call: faults, the first warning of each kind, deadlocks.
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

    /// The counts since reset.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.shared.totals.statistics()
    }

    /// Someone other than V3D has stored `bytes` bytes at `addr`: a line that a TMU has read there
    /// is an old copy until the caches are cleared (rule `tmu-stale-line`).
    pub fn memory_changed(&mut self, addr: u32, bytes: u32) {
        self.shared.stale.store(addr, bytes, None);
        self.arm_touched(addr, bytes);
    }

    /// The ARM has written or read `bytes` bytes at `addr` through the L2 that it shares with V3D
    /// on some boards ([`crate::Board::has_system_l2`]): they lie there until others take their
    /// place. [`V3d::memory_changed`] says so by itself.
    pub fn arm_touched(&mut self, addr: u32, bytes: u32) {
        if let Some(time) = &mut self.shared.time {
            time.l2c.system.arm_wrote(addr, bytes);
        }
    }

    /// The place of every QPU with a program.
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
