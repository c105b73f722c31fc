//! The cycle model: what instructions wait for, and how long.
//!
//! It runs beside the functional model and never touches a value: the QPUs ask it whether what
//! their next instruction needs is there, tell it what they have done, and it says in which round
//! each may try again. Units that act between rounds (TMUs, caches, buses, DMA engines) do so in
//! the order of time, by a queue of events; SDRAM and the system L2 are served in that order.
//!
//! | file | what |
//! |---|---|
//! | `constants` | every number, with its source |
//! | `ticks`, `events` | the unit of time, and what is due when |
//! | `issue` | when each QPU tries its next instruction; stalls |
//! | `instruction_cache`, `uniforms`, `tmu`, `vpm`, `handover` | what instructions wait for |
//! | `vdr`, `vdw` | the DMA engines |
//! | `l2c`, `system_l2`, `sdram`, `tags` | the way to memory |
//!
//! The structure is that of docs/hardware/timing.md section 2, whose constants were picked with
//! sight of all published times of GPU_FFT.

pub mod constants;
mod events;
mod handover;
mod instruction_cache;
mod issue;
mod l2c;
mod sdram;
mod system_l2;
mod tags;
mod ticks;
mod tmu;
mod uniforms;
mod vdr;
mod vdw;
mod vpm;

pub use constants::{Constants, Described, LaunchOrder, REFERENCE_HZ, Replacement};
pub use ticks::{CLOCK, NEVER, ROUND, round_from};
pub use vdw::Rows;

use crate::alu::Lanes;
use crate::chip::{QPUS, SLICES};
use crate::config::Config;
use crate::counters::CacheCounts;
use crate::event::Wait;
use crate::unit_event::DmaEngine;
use events::{Client, Event, Events};
use handover::Handover;
use instruction_cache::InstructionCache;
pub use issue::Issue;
use l2c::L2c;
use system_l2::SystemL2;
pub use system_l2::{Outside, Served};
use ticks::Ticks;
use tmu::Tmu;
use uniforms::Uniforms;
use vdr::Vdr;
use vdw::Vdw;
use vpm::VpmPort;

/// The work of the functional model when time has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Move the next row of the transfer that an engine has under way.
    Row(DmaEngine),
    /// Give out the next program.
    Dispatch,
}

/// The units that take time.
pub struct Time {
    events: Events,
    /// The times at which QPUs try, and their waits.
    pub issue: Issue,
    instructions: [InstructionCache; SLICES],
    uniforms: [Uniforms; SLICES],
    /// Addresses of the uniforms of the programs that have been given to QPUs.
    streams: [u32; QPUS],
    tmus: [Tmu; 2 * SLICES],
    /// The L2C, and memory behind it.
    pub l2c: L2c,
    vpm: VpmPort,
    vdr: Vdr,
    vdw: Vdw,
    handover: Handover,
    /// [`Event::Dispatch`] is on its way.
    dispatch_due: bool,
}

fn slice(qpu: usize) -> (usize, usize) {
    (qpu / 4, qpu % 4)
}

fn tmu_of(qpu: usize, unit: u8) -> usize {
    qpu / 4 * 2 + usize::from(unit & 1)
}

impl Time {
    /// Everything idle and empty.
    pub fn new(config: &Config) -> Self {
        let constants = &config.constants;
        let scale = f64::from(config.clock_hz) / f64::from(REFERENCE_HZ);
        let system = SystemL2::new(constants, config.board.has_system_l2(), scale);
        Self {
            events: Events::default(),
            issue: Issue::default(),
            instructions: std::array::from_fn(|n| InstructionCache::new(constants, n as u8)),
            uniforms: std::array::from_fn(|n| Uniforms::new(constants, n as u8)),
            streams: [0; QPUS],
            tmus: std::array::from_fn(|n| Tmu::new(constants, n as u8)),
            l2c: L2c::new(constants, system),
            vpm: VpmPort::new(constants),
            vdr: Vdr::new(constants),
            vdw: Vdw::new(constants),
            handover: Handover::new(constants),
            dispatch_due: false,
        }
    }

    /// True if nothing is due any more.
    pub fn is_quiet(&self) -> bool {
        self.events.is_empty()
    }

    /// Lets time pass from round `now` to the start of the next in which a QPU tries, but not
    /// beyond round `end`, or to the first effect, which comes with its time in ticks.
    pub fn pass(&mut self, now: u64, end: u64) -> Option<(Ticks, Effect)> {
        loop {
            let until = self.issue.next_round().max(now + 1).min(end);
            let until = until.saturating_mul(ROUND);
            let (at, event) = self.events.pop(until)?;
            if let Some(effect) = self.handle(at, until, event) {
                return Some((at, effect));
            }
        }
    }

    fn handle(&mut self, now: Ticks, until: Ticks, event: Event) -> Option<Effect> {
        match event {
            Event::TmuLookup(tmu) => {
                let tmu = &mut self.tmus[usize::from(tmu)];
                tmu.look_up(now, until, &mut self.l2c, &mut self.events, &mut self.issue);
            }
            Event::Dispatch => {
                self.dispatch_due = false;
                return Some(Effect::Dispatch);
            }
            Event::Start(qpu) => {
                let (slice, within) = slice(usize::from(qpu));
                let address = self.streams[usize::from(qpu)];
                let uniforms = &mut self.uniforms[slice];
                uniforms.restart(now, within, address, &mut self.l2c, &mut self.events);
            }
            Event::ReadBus => self.l2c.bus_takes(now, &mut self.events),
            Event::L2cLine(miss) => self.l2c.line_came(now, miss, &mut self.events),
            Event::Line(Client::Code { slice, line }) => {
                self.instructions[usize::from(slice)].line_came(now, line, &mut self.issue);
            }
            Event::Line(Client::Uniforms { slice, line }) => {
                let uniforms = &mut self.uniforms[usize::from(slice)];
                uniforms.line_came(now, line, &mut self.issue, &mut self.l2c, &mut self.events);
            }
            Event::Line(Client::Tmu { tmu, miss }) => {
                let tmu = &mut self.tmus[usize::from(tmu)];
                tmu.line_came(now, miss, &mut self.events, &mut self.issue);
            }
            Event::Line(Client::Vdr) => {
                self.vdr.line_came(now, &mut self.vpm, &mut self.events);
            }
            Event::VdrLine => self.vdr.ask(now, &mut self.l2c, &mut self.events),
            Event::VdrRow => {
                let seen = self.vdr.row(now, &mut self.events);
                return seen.then_some(Effect::Row(DmaEngine::Load));
            }
            Event::VdwRow => {
                let seen = self.vdw.row(now, &mut self.vpm, &mut self.events);
                return seen.then_some(Effect::Row(DmaEngine::Store));
            }
            Event::VdwLine => self.vdw.line(now, &mut self.l2c.system, &mut self.events),
        }
        None
    }

    /// True if a queued program is there to be given out in round `now`. When it is not,
    /// [`Effect::Dispatch`] says when it is: a host takes time to queue programs, and a QPU that
    /// has ended one by then may get the next.
    pub fn may_dispatch(&mut self, now: u64) -> bool {
        let at = self.handover.launch_free;
        if at <= now * ROUND {
            return true;
        }
        if !self.dispatch_due {
            self.dispatch_due = true;
            self.events.push(at, Event::Dispatch);
        }
        false
    }

    /// A program is given to a QPU in round `now`; gives the first round in which it is active.
    pub fn start(&mut self, qpu: usize, uniforms: u32, now: u64) -> u64 {
        let at = self.handover.launch(now * ROUND);
        let (slice, within) = slice(qpu);
        self.instructions[slice].start(within);
        // Its uniforms are asked for when it starts: the L2C serves in the order in which it is
        // asked.
        self.streams[qpu] = uniforms;
        self.uniforms[slice].stop(within);
        self.events.push(at, Event::Start(qpu as u8));
        self.tmus[tmu_of(qpu, 0)].drop_results(within);
        self.tmus[tmu_of(qpu, 1)].drop_results(within);
        let first = round_from(at + self.handover.program_start);
        self.issue.go_on(qpu, now, first);
        round_from(at)
    }

    /// Its program has ended.
    pub fn end(&mut self, qpu: usize, now: u64) {
        let (slice, within) = slice(qpu);
        self.uniforms[slice].stop(within);
        self.tmus[tmu_of(qpu, 0)].drop_results(within);
        self.tmus[tmu_of(qpu, 1)].drop_results(within);
        self.issue.stop(qpu, now);
    }

    /// True if the QPU has the line of the instruction at `pc`.
    pub fn has_code(&mut self, qpu: usize, pc: u32, now: u64) -> bool {
        let (slice, within) = slice(qpu);
        let cache = &mut self.instructions[slice];
        cache.fetch(
            now * ROUND,
            within,
            pc >> 6,
            &mut self.l2c,
            &mut self.events,
        )
    }

    /// The QPU has taken a uniform.
    pub fn took_uniform(&mut self, qpu: usize, now: u64) {
        let (slice, within) = slice(qpu);
        self.uniforms[slice].pop(now * ROUND, within, &mut self.l2c, &mut self.events);
    }

    /// The QPU's uniforms go on elsewhere.
    pub fn moved_uniforms(&mut self, qpu: usize, address: u32, now: u64) {
        let (slice, within) = slice(qpu);
        let at = (now + 1) * ROUND;
        self.uniforms[slice].restart(at, within, address, &mut self.l2c, &mut self.events);
    }

    /// The QPU has taken its oldest result on a TMU of its slice.
    pub fn took_result(&mut self, qpu: usize, unit: u8) {
        self.tmus[tmu_of(qpu, unit)].pop(qpu % 4);
    }

    /// The QPU has asked a TMU of its slice for sixteen words.
    pub fn looked_up(&mut self, qpu: usize, unit: u8, addresses: &Lanes, now: u64) {
        let tmu = &mut self.tmus[tmu_of(qpu, unit)];
        tmu.request(now * ROUND, qpu % 4, addresses, &mut self.events);
    }

    /// The QPU has taken a vector of the VPM.
    pub fn took_vector(&mut self, qpu: usize, column: bool, now: u64) {
        self.vpm.read(now * ROUND, qpu, column);
    }

    /// The QPU has given a read setup, with none of the one before left.
    pub fn set_up_reads(&mut self, qpu: usize, now: u64) {
        self.vpm.setup_read(now * ROUND, qpu);
    }

    /// The QPU has written a vector to the VPM, along a row or a column.
    pub fn wrote_vector(&mut self, qpu: usize, column: bool, now: u64) {
        self.vpm.write(now * ROUND, qpu, column);
    }

    /// The QPU uses the SFU of its slice.
    pub fn used_sfu(&mut self, qpu: usize, now: u64) {
        self.handover.use_sfu(qpu / 4, now * ROUND);
    }

    /// A load has been started.
    pub fn started_load(&mut self, rows: Rows, now: u64) {
        self.vdr.request(now * ROUND, rows, &mut self.events);
    }

    /// A store has been started.
    pub fn started_store(&mut self, qpu: usize, rows: Rows, now: u64) {
        let ready = self.vpm.written(qpu).max(now * ROUND);
        self.vdw.request(ready, rows, &mut self.events);
    }

    /// The transfer that an engine has under way has faulted.
    pub fn transfer_faulted(&mut self, engine: DmaEngine) {
        match engine {
            DmaEngine::Load => self.vdr.drop_transfer(),
            DmaEngine::Store => self.vdw.drop_transfer(),
        }
    }

    /// A semaphore was counted up or down in round `now`.
    pub fn semaphore_changed(&mut self, number: u8, up: bool, now: u64) {
        let wait = if up {
            Wait::SemaphoreDecrement(number)
        } else {
            Wait::SemaphoreIncrement(number)
        };
        let at = now * ROUND + self.handover.semaphore;
        self.issue.wake_first(wait, at);
    }

    /// The mutex was released in round `now`.
    pub fn mutex_released(&mut self, now: u64) {
        let at = now * ROUND + self.handover.mutex;
        self.issue.wake_first(Wait::Mutex, at);
    }

    /// True if what a QPU may wait for is there in round `now`.
    #[inline]
    pub fn is_ready(&self, qpu: usize, wait: Wait, now: u64) -> bool {
        self.ready_at(qpu, wait, now) <= now * ROUND
    }

    /// The round in which a QPU that waits in round `now` should try again; never, if it is woken.
    pub fn retry(&self, qpu: usize, wait: Wait, now: u64) -> u64 {
        let at = self.ready_at(qpu, wait, now);
        if at == NEVER { NEVER } else { round_from(at) }
    }

    #[inline]
    fn ready_at(&self, qpu: usize, wait: Wait, now: u64) -> Ticks {
        let (slice, within) = slice(qpu);
        match wait {
            Wait::Uniform => self.uniforms[slice].ready_at(within),
            Wait::TmuResult(unit) => self.tmus[tmu_of(qpu, unit)].ready_at(within),
            Wait::VpmRead => self.vpm.readable_at(qpu),
            Wait::VpmWrite => self.vpm.writable_at(now * ROUND, qpu),
            Wait::Sfu => self.handover.sfu_free[slice],
            _ => NEVER,
        }
    }

    /// SLCACTL: a bit for each slice and kind of cache.
    pub fn clear_slices(&mut self, value: u32) {
        for slice in 0..SLICES {
            if value & 1 << slice != 0 {
                self.instructions[slice].clear();
            }
            if value & 1 << (8 + slice) != 0 {
                self.uniforms[slice].clear();
            }
            for unit in 0..2 {
                if value & 1 << (16 + 8 * unit + slice) != 0 {
                    self.tmus[2 * slice + unit].clear();
                }
            }
        }
    }

    /// The counts since reset.
    pub fn counts(&self) -> CacheCounts {
        CacheCounts {
            code_lines: self.instructions.iter().map(|cache| cache.filled).sum(),
            uniform_lines: self.uniforms.iter().map(|cache| cache.filled).sum(),
            tmu_misses: self.tmus.iter().map(|tmu| tmu.missed).sum(),
            l2c_hits: self.l2c.work.hits,
            l2c_misses: self.l2c.work.misses,
            vdw_stall: self.vdw.vpm_stall / ticks::CLOCK,
            vdr_stall: self.vdr.vpm_stall / ticks::CLOCK,
        }
    }
}
