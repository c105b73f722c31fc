//! V3D: the QPU front door of the 3D block.
//!
//! A user program is queued by writing its uniforms address (SRQUA) and then its code address; the
//! write of SRQPC is what starts it. SRQCS counts completions modulo 256. The surprising thing: a
//! program that does not end cannot be stopped; only the whole block can be reset ([`power`]),
//! which [`Runner::run`] does before it reports the timeout.
//!
//! Jobs that are started ([`Runner::start`]) run while the ARM does something else. Nothing
//! interrupts it when one ends: whenever it touches memory of V3D, or asks, the next is launched.
//!
//! The ARM's caches are dealt with where memory is touched: every [`Runner::write`] ends with a
//! clean, every [`Runner::read`] starts with an invalidation, and a barrier stands between the last
//! write and the first register of a launch.
//!
//! Sources: VideoCore IV 3D Architecture Reference Guide, section 10 ("V3D registers"); power-up
//! order and SRQCS, SLCACTL values as gpu_fft and bare-metal projects use them.

mod jobs;
mod launch;
pub mod power;

use jobs::Jobs;
use launch::Progress;
use power::Supply;
use qpu::job::{Buffer, CacheClear, Job, Launch, LaunchOrder, QpuSet, Recovery, Report, Runner};
use static_cell::ConstStaticCell;
use tock_registers::fields::FieldValue;
use tock_registers::interfaces::{Readable, Writeable};
use tock_registers::registers::{ReadOnly, ReadWrite, WriteOnly};
use tock_registers::{register_bitfields, register_structs};

use crate::arch::cpu;
use crate::dma_buf::DmaBuf;
use crate::engine::EngineError;
use crate::job_memory::JobMemory;
use crate::log;
use crate::mmio::Mmio;
use crate::timer::Clock;

register_bitfields! { u32,
    L2CACTL [ L2CCLR OFFSET(2) NUMBITS(1) [], L2CENA OFFSET(0) NUMBITS(1) [] ],
    SLCACTL [
        T1CC OFFSET(24) NUMBITS(4) [],
        T0CC OFFSET(16) NUMBITS(4) [],
        UCC OFFSET(8) NUMBITS(4) [],
        ICC OFFSET(0) NUMBITS(4) []
    ],
    SRQCS [
        QPURQCC OFFSET(16) NUMBITS(8) [],
        QPURQCM OFFSET(8) NUMBITS(8) [],
        QPURQERR OFFSET(7) NUMBITS(1) [],
        QPURQL OFFSET(0) NUMBITS(6) []
    ]
}

register_structs! {
    /// The registers of V3D, as far as they are used.
    pub Registers {
        (0x000 => IDENT0: ReadOnly<u32>),
        (0x004 => IDENT1: ReadOnly<u32>),
        (0x008 => _reserved0),
        (0x010 => SCRATCH: ReadWrite<u32>),
        (0x014 => _reserved1),
        (0x020 => L2CACTL: WriteOnly<u32, L2CACTL::Register>),
        (0x024 => SLCACTL: WriteOnly<u32, SLCACTL::Register>),
        (0x028 => _reserved2),
        (0x030 => INTCTL: WriteOnly<u32>),
        (0x034 => _reserved3),
        (0x038 => INTDIS: WriteOnly<u32>),
        (0x03c => _reserved4),
        (0x410 => SQRSV: [WriteOnly<u32>; 2]),
        (0x418 => SQCNTL: WriteOnly<u32>),
        (0x41c => _reserved5),
        (0x430 => SRQPC: WriteOnly<u32>),
        (0x434 => SRQUA: WriteOnly<u32>),
        (0x438 => SRQUL: WriteOnly<u32>),
        (0x43c => SRQCS: ReadWrite<u32, SRQCS::Register>),
        (0x440 => _reserved6),
        (0x504 => VPMBASE: ReadWrite<u32>),
        (0x508 => _reserved7),
        (0xe00 => DBCFG: WriteOnly<u32>),
        (0xe04 => _reserved8),
        (0xe2c => DBQITE: WriteOnly<u32>),
        (0xe30 => DBQITC: WriteOnly<u32>),
        (0xe34 => _reserved9),
        (0xf20 => ERRSTAT: ReadOnly<u32>),
        (0xf24 => @END),
    }
}

/// "V3D", technology version 2.
pub const IDENT0_V3D: u32 = 0x0244_3356;

/// VPM for user programs, in units of 256 bytes: 4 KiB, all that user programs can reach.
const VPM_USER_UNITS: u32 = 16;

/// Uniforms a program may read: "unlimited".
const UNIFORMS_UNLIMITED: u32 = 0xfff;

/// Depth of the request queue; a request beyond it is dropped and QPURQERR set.
const QUEUE_DEPTH: u32 = 16;

/// ERRSTAT without VCDI, which reads 1 when all is well.
const ERRSTAT_ERRORS: u32 = 0x0000_efff;

/// Written to SCRATCH while V3D runs. A block that has been reset or without power has forgotten
/// it.
const POWERED: u32 = 0x7170_7531;

/// Written to SCRATCH in its place while programs of a host run: the address of their block, a
/// multiple of 4096, and its size in units of 16 KiB. The virtual Pi reads it (`virtual-pi`,
/// `devices/v3d.rs`); to V3D it means nothing.
fn mark_of(block: Buffer) -> u32 {
    (block.addr.0 & !0xfff) | block.bytes.div_ceil(16 << 10).min(0xfff)
}

/// Why V3D cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Absent {
    /// The value of IDENT0: 0 where V3D is not emulated, 0xdead_beef where it has no power.
    pub ident0: u32,
}

/// Why a job did not end well, or memory could not be had.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Error {
    /// Not enough memory left.
    NoMemory,
    /// Words outside the buffer, or a buffer that is not one of this runner's.
    OutOfBounds,
    /// A program did not end in time. V3D has been reset since and is ready again.
    Timeout {
        /// The limit.
        limit_us: u32,
        /// Programs of the launch that did end.
        ended: u32,
        /// Programs of the launch.
        of: u32,
    },
    /// A request was dropped by a full queue. V3D has been reset since and is ready again.
    QueueOverflow,
    /// V3D does not come back, neither by a reset nor by switching its power off and on.
    Lost,
}

impl From<Error> for EngineError {
    fn from(error: Error) -> Self {
        match error {
            Error::NoMemory => Self::NoMemory,
            Error::Timeout { limit_us, .. } => Self::Timeout { limit_us },
            Error::OutOfBounds | Error::QueueOverflow | Error::Lost => Self::Device,
        }
    }
}

/// The V3D block, powered and identified. Holding one proves that IDENT0 has read "V3D" version 2.
pub struct V3d {
    registers: Mmio<Registers>,
    supply: Supply,
    clock: Clock,
    memory: JobMemory,
    qpus: QpuSet,
    /// The contents of registers, where they are known.
    reserved: Option<QpuSet>,
    order: LaunchOrder,
    hz: u32,
    lost: bool,
    /// The contents of SCRATCH.
    mark: u32,
    /// No job has ended since the last reset, so that nothing shows that programs run.
    untried: bool,
    /// How V3D was last brought back after a program that did not end.
    recovery: Recovery,
    /// The progress of the launch that runs.
    progress: Progress,
    /// Too long for a stack.
    jobs: &'static mut Jobs,
}

impl V3d {
    /// Sets the clock, enables the QPUs, powers the domain if that was not enough, identifies and
    /// initialises the block. `memory` is what its jobs are made in.
    ///
    /// # Errors
    /// When IDENT0 does not say V3D version 2.
    ///
    /// # Panics
    /// When called twice.
    pub fn power_up(
        registers: Mmio<Registers>,
        supply: Supply,
        memory: DmaBuf,
        hz: u32,
    ) -> Result<Self, Absent> {
        static JOBS: ConstStaticCell<Jobs> = ConstStaticCell::new(Jobs::new());
        let mut v3d = Self {
            registers,
            clock: supply.clock,
            supply,
            memory: JobMemory::new(memory),
            qpus: QpuSet::ALL,
            reserved: None,
            order: LaunchOrder::DESCENDING,
            hz,
            lost: false,
            mark: POWERED,
            untried: false,
            recovery: Recovery::Unknown,
            progress: Progress::default(),
            jobs: JOBS.take(),
        };
        v3d.power_on()?;
        v3d.supply.learn();
        v3d.initialise();
        v3d.supply.mailbox.has_started();
        Ok(v3d)
    }

    /// In which order QPUs get programs, as was found out.
    pub fn set_launch_order(&mut self, order: LaunchOrder) {
        self.order = order;
    }

    /// V3D's clock as the mailbox returned it after it was set, in Hz.
    #[must_use]
    pub fn hz(&self) -> u32 {
        self.hz
    }

    fn power_on(&mut self) -> Result<(), Absent> {
        let (set, enabled) = self.supply.enable(self.hz);
        self.hz = set.unwrap_or(self.hz);
        // Firmware that keeps V3D for a driver (a device tree with vc4) refuses the first tag but
        // not the second; no register is read before, as one without power may hang the bus.
        if (!enabled || self.ident0() != IDENT0_V3D) && !self.supply.switch_domain(true) {
            log::warn!("V3D power domain: not acknowledged");
        }
        let ident0 = self.ident0();
        if ident0 == IDENT0_V3D {
            Ok(())
        } else {
            Err(Absent { ident0 })
        }
    }

    /// Reports if the block answers, and as one that has lost its state.
    fn has_forgotten(&self) -> bool {
        let scratch = || self.registers.visit(|v3d| v3d.SCRATCH.get());
        self.ident0() == IDENT0_V3D && scratch() != self.mark
    }

    fn ident0(&self) -> u32 {
        self.registers.visit(|v3d| v3d.IDENT0.get())
    }

    fn initialise(&mut self) {
        self.mark = POWERED;
        let (ident1, vpm) = self.registers.visit(|v3d| {
            let found = (v3d.IDENT1.get(), v3d.VPMBASE.get());
            v3d.SRQCS
                .write(SRQCS::QPURQL.val(1) + SRQCS::QPURQERR::SET + reset_counts());
            v3d.DBCFG.set(0);
            v3d.DBQITE.set(0);
            v3d.DBQITC.set(0xffff);
            v3d.INTDIS.set(0xf);
            v3d.INTCTL.set(0xf);
            v3d.VPMBASE.set(VPM_USER_UNITS);
            v3d.SQCNTL.set(0);
            v3d.SRQUL.set(UNIFORMS_UNLIMITED);
            v3d.L2CACTL.write(L2CACTL::L2CENA::SET);
            v3d.SCRATCH.set(self.mark);
            found
        });
        self.reserved = None;
        self.clear_caches(CacheClear::All);
        log::info!(
            "V3D at {=u32} Hz, IDENT1 {=u32:#010x}, VPMBASE was {=u32}",
            self.hz,
            ident1,
            vpm
        );
    }

    /// Keeps programs off all other QPUs.
    fn reserve(&mut self, qpus: QpuSet) {
        if self.reserved == Some(qpus) {
            return;
        }
        self.reserved = Some(qpus);
        let reservations = qpus.reservations();
        self.registers.visit(|v3d| {
            for (register, value) in v3d.SQRSV.iter().zip(reservations) {
                register.set(value);
            }
        });
    }

    fn clear_caches(&mut self, clear: CacheClear) {
        let code = match clear {
            CacheClear::None => return,
            CacheClear::Data => SLCACTL::ICC.val(0),
            CacheClear::All => SLCACTL::ICC.val(0xf),
        };
        self.registers.visit(|v3d| {
            v3d.L2CACTL.write(L2CACTL::L2CCLR::SET);
            v3d.SLCACTL.write(
                code + SLCACTL::UCC.val(0xf) + SLCACTL::T0CC.val(0xf) + SLCACTL::T1CC.val(0xf),
            );
        });
    }

    /// Begins a launch, none of whose programs is queued yet.
    fn begin(&mut self, clear: CacheClear, qpus: QpuSet) {
        // Everything written for V3D is in RAM (each write ended with a clean); nothing may reach a
        // register before it.
        cpu::data_sync_barrier();
        self.reserve(self.qpus.common(qpus));
        self.clear_caches(clear);
        self.registers.visit(|v3d| {
            v3d.SRQCS.write(SRQCS::QPURQERR::SET + reset_counts());
        });
        self.progress = Progress::begin(self.clock.now_us());
    }

    fn launch(&mut self, launch: &Launch, limit_us: u32) -> Result<(), Error> {
        self.begin(launch.clear, launch.qpus);
        loop {
            let progress = &mut self.progress;
            let result = progress.go_on(&self.registers, self.clock, launch.programs, limit_us);
            if let Some(result) = result {
                return result;
            }
        }
    }
    /// Tries once more to bring back what did not come back.
    fn come_back(&mut self) -> Result<(), Error> {
        if self.lost && !self.recover() {
            return Err(Error::Lost);
        }
        Ok(())
    }

    /// Brings V3D back after a launch that failed; returns the error of its job.
    fn after(&mut self, error: Error) -> Error {
        log::error!("V3D job: a program did not end, or was not taken");
        if self.recover() { error } else { Error::Lost }
    }

    /// The report of a job that began at a time and ends now.
    fn report(&mut self, began_us: u64, programs: u32) -> Report {
        self.untried = false;
        let elapsed_us = (self.clock.now_us() - began_us) as u32;
        let errors = self.registers.visit(|v3d| v3d.ERRSTAT.get()) & ERRSTAT_ERRORS;
        if errors != 0 {
            log::warn!("V3D ERRSTAT {=u32:#06x}", errors);
        }
        Report {
            programs,
            elapsed_us,
            ..Report::default()
        }
    }

    /// Goes on with the jobs that were started: a launch that has ended is followed by the next.
    fn advance(&mut self) {
        while let Some(job) = self.jobs.first() {
            let Some((launch, programs)) = job.launch() else {
                let (began_us, programs) = (job.began_us, job.programs_done());
                let report = self.report(began_us, programs);
                self.jobs.end(Ok(report));
                continue;
            };
            if job.has_begun {
                let progress = &mut self.progress;
                match progress.go_on(&self.registers, self.clock, programs, job.limit_us) {
                    None => return,
                    Some(Ok(())) => job.end_launch(),
                    Some(Err(error)) => {
                        let error = self.after(error);
                        self.jobs.fail(error);
                    }
                }
            } else {
                job.begin_launch(self.clock.now_us());
                self.begin(launch.clear, launch.qpus);
            }
        }
    }

    /// Waits for the end of the jobs that were started.
    fn finish_started(&mut self) {
        while !self.jobs.is_idle() {
            self.advance();
        }
    }
}

impl Runner for V3d {
    type Error = Error;

    fn alloc(&mut self, bytes: u32, align: u32) -> Result<Buffer, Error> {
        self.memory.alloc(bytes, align).ok_or(Error::NoMemory)
    }

    fn release_all(&mut self) {
        // What runs may store to its memory until it ends.
        self.finish_started();
        self.jobs.forget_ended();
        self.memory.release_all();
    }

    fn write(&mut self, buffer: Buffer, first: u32, words: &[u32]) -> Result<(), Error> {
        self.advance();
        let done = self.memory.write(buffer, first, words);
        done.ok_or(Error::OutOfBounds)
    }

    fn read(&mut self, buffer: Buffer, first: u32, words: &mut [u32]) -> Result<(), Error> {
        self.advance();
        let done = self.memory.read(buffer, first, words);
        done.ok_or(Error::OutOfBounds)
    }

    fn use_qpus(&mut self, qpus: QpuSet) {
        self.qpus = qpus;
    }

    fn launch_order(&self) -> LaunchOrder {
        self.order.on(self.qpus)
    }

    fn last_recovery(&self) -> Recovery {
        self.recovery
    }

    fn confine(&mut self, to: Option<Buffer>) {
        // One that is lost still has its mark, by which it is known when it comes back.
        if !self.lost {
            self.mark = to.map_or(POWERED, mark_of);
            self.registers.visit(|v3d| v3d.SCRATCH.set(self.mark));
        }
    }

    fn run(&mut self, job: &Job, limit_us: u32) -> Result<Report, Error> {
        self.finish_started();
        self.come_back()?;
        let began_us = self.clock.now_us();
        let mut programs = 0;
        for launch in job.launches {
            let result = self.launch(launch, limit_us);
            result.map_err(|error| self.after(error))?;
            programs += launch.programs.len() as u32;
        }
        Ok(self.report(began_us, programs))
    }

    fn start(&mut self, job: &Job, limit_us: u32) -> Result<Option<Report>, Error> {
        self.come_back()?;
        if !self.jobs.add(job, limit_us) {
            return self.run(job, limit_us).map(Some);
        }
        self.advance();
        Ok(None)
    }

    fn ended(&mut self) -> Option<Result<Report, Error>> {
        self.advance();
        self.jobs.take_ended()
    }
}

/// Writing 1 to the lowest bit of a counter resets it.
fn reset_counts() -> FieldValue<u32, SRQCS::Register> {
    SRQCS::QPURQCC.val(1) + SRQCS::QPURQCM.val(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::offset_of;

    #[test]
    fn registers_lie_where_the_manual_says() {
        assert_eq!(offset_of!(Registers, SCRATCH), 0x010);
        assert_eq!(offset_of!(Registers, L2CACTL), 0x020);
        assert_eq!(offset_of!(Registers, SLCACTL), 0x024);
        assert_eq!(offset_of!(Registers, INTDIS), 0x038);
        assert_eq!(offset_of!(Registers, SQRSV), 0x410);
        assert_eq!(offset_of!(Registers, SRQPC), 0x430);
        assert_eq!(offset_of!(Registers, SRQCS), 0x43c);
        assert_eq!(offset_of!(Registers, VPMBASE), 0x504);
        assert_eq!(offset_of!(Registers, DBQITC), 0xe30);
        assert_eq!(offset_of!(Registers, ERRSTAT), 0xf20);
    }

    #[test]
    fn field_values_are_those_gpu_fft_writes() {
        let all = SLCACTL::ICC.val(0xf)
            + SLCACTL::UCC.val(0xf)
            + SLCACTL::T0CC.val(0xf)
            + SLCACTL::T1CC.val(0xf);
        assert_eq!(all.value, 0x0f0f_0f0f);
        assert_eq!(
            (SRQCS::QPURQERR::SET + reset_counts()).value,
            1 << 7 | 1 << 8 | 1 << 16
        );
    }
}
