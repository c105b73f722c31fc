//! A driver's use of V3D's registers to run programs and wait for them.
//!
//! Both [`crate::SimRunner`] and [`crate::run_job`] drive the simulator this way, through the same
//! registers as a driver on the chip (as GPU_FFT's direct method does).

use crate::memory::Memory;
use crate::observe::Observer;
use crate::scheduler::QUEUE;
use crate::v3d::V3d;
use crate::v3d::offset::{
    DBCFG, DBQITE, DBQRUN, L2CACTL, SLCACTL, SQRSV0, SQRSV1, SRQCS, SRQPC, SRQUA, SRQUL, VPMBASE,
};
use qpu::job::{CacheClear, Program, QpuSet};

/// Counts, error and queue.
const SRQCS_RESET: u32 = 1 << 16 | 1 << 8 | 1 << 7 | 1;

/// Rounds between two looks at whether V3D is stuck: a limit of time is exact to the round.
pub const AT_A_TIME: u64 = 1024;

/// Why a launch did not end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// A QPU has faulted; see [`V3d::faults`].
    Fault,
    /// Nothing can go on; see [`V3d::deadlock_report`].
    Deadlock,
    /// The limit is reached.
    Limit,
}

/// Once after reset: all of the VPM for user programs, uniforms without limit, interrupts seen.
pub fn prepare(v3d: &mut V3d) {
    v3d.write_register(SRQCS, SRQCS_RESET);
    v3d.write_register(VPMBASE, 16);
    v3d.write_register(SRQUL, 0xfff);
    v3d.write_register(DBCFG, 1);
    v3d.write_register(DBQITE, 0xfff);
    v3d.write_register(L2CACTL, 1);
}

/// Keeps programs off the QPUs that are not to be used.
pub fn reserve(v3d: &mut V3d, qpus: QpuSet) {
    for (register, value) in [SQRSV0, SQRSV1].into_iter().zip(qpus.reservations()) {
        v3d.write_register(register, value);
    }
}

/// Lets QPUs go on that stand still for the host.
pub fn release_halted(v3d: &mut V3d) {
    v3d.write_register(DBQRUN, 0xfff);
}

/// Clears the caches that a launch asks for.
pub fn clear_caches(v3d: &mut V3d, clear: CacheClear) {
    let slices = match clear {
        CacheClear::None => return,
        CacheClear::Data => 0x0f0f_0f00,
        CacheClear::All => 0x0f0f_0f0f,
    };
    v3d.write_register(L2CACTL, 4);
    v3d.write_register(SLCACTL, slices);
}

/// A launch on its way: which of its programs have been queued.
#[derive(Default)]
pub struct Progress {
    begun: bool,
    queued: usize,
}

impl Progress {
    /// Queues what there is room for.
    pub fn queue(&mut self, v3d: &mut V3d, programs: &[Program]) {
        if !self.begun {
            self.begun = true;
            v3d.write_register(SRQCS, SRQCS_RESET);
        }
        while self.queued < programs.len() && v3d.queued() < QUEUE {
            let program = programs[self.queued];
            v3d.write_register(SRQUA, program.uniforms.0);
            v3d.write_register(SRQPC, program.code.0);
            self.queued += 1;
        }
    }

    /// Queues what there is room for and runs at most `rounds` rounds, which it counts down, but
    /// not beyond the end of a program or a fault. True when all programs have ended.
    pub fn step<O: Observer>(
        &mut self,
        v3d: &mut V3d,
        memory: &mut impl Memory,
        programs: &[Program],
        rounds: u64,
        rounds_left: &mut u64,
        observer: &mut O,
    ) -> Result<bool, Stop> {
        self.queue(v3d, programs);
        if !v3d.faults().is_empty() {
            return Err(Stop::Fault);
        }
        if self.queued == programs.len() && !v3d.is_running() {
            return Ok(true);
        }
        if v3d.is_stuck() {
            return Err(Stop::Deadlock);
        }
        if *rounds_left == 0 {
            return Err(Stop::Limit);
        }
        let rounds = rounds.min(*rounds_left);
        *rounds_left -= v3d.advance_to_news(memory, rounds, observer);
        Ok(false)
    }
}

/// Runs the programs of a launch to their end, for at most `rounds_left` rounds, which it counts
/// down.
pub fn run<O: Observer>(
    v3d: &mut V3d,
    memory: &mut impl Memory,
    programs: &[Program],
    rounds_left: &mut u64,
    observer: &mut O,
) -> Result<(), Stop> {
    let mut progress = Progress::default();
    while !progress.step(v3d, memory, programs, AT_A_TIME, rounds_left, observer)? {}
    Ok(())
}
