//! A launch: its programs are queued as V3D takes them, and counted as they end.

use qpu::job::Program;
use tock_registers::interfaces::{Readable, Writeable};

use super::{Error, QUEUE_DEPTH, Registers, SRQCS};
use crate::arch::cpu;
use crate::mmio::Mmio;
use crate::timer::Clock;

/// The progress of a launch.
#[derive(Default)]
pub struct Progress {
    began_us: u64,
    /// Programs that were queued, and those of them that have ended.
    queued: usize,
    ended: u32,
}

impl Progress {
    /// None of its programs is queued.
    pub const fn begin(now_us: u64) -> Self {
        Self {
            began_us: now_us,
            queued: 0,
            ended: 0,
        }
    }

    /// Queues programs as long as there is room; returns how the launch ended, if it has.
    pub fn go_on(
        &mut self,
        registers: &Mmio<Registers>,
        clock: Clock,
        programs: &[Program],
        limit_us: u32,
    ) -> Option<Result<(), Error>> {
        // The time is read first: a program that ended in time is not late because the ARM is.
        let is_late = clock.now_us() - self.began_us > u64::from(limit_us);
        let has_overflowed = registers.visit(|v3d| {
            let mut status = v3d.SRQCS.extract();
            while let Some(program) = programs.get(self.queued)
                && status.read(SRQCS::QPURQL) < QUEUE_DEPTH
            {
                v3d.SRQUA.set(program.uniforms.0);
                v3d.SRQPC.set(program.code.0);
                self.queued += 1;
                status = v3d.SRQCS.extract();
            }
            // The counter has 8 bits, and fewer programs are queued or run at a time.
            self.ended += (status.read(SRQCS::QPURQCC)).wrapping_sub(self.ended) & 0xff;
            status.is_set(SRQCS::QPURQERR)
        });
        let (ended, of) = (self.ended, programs.len() as u32);
        let result = match () {
            () if has_overflowed => Err(Error::QueueOverflow),
            () if ended == of => Ok(()),
            () if is_late => Err(Error::Timeout {
                limit_us,
                ended,
                of,
            }),
            () => return None,
        };
        cpu::data_sync_barrier();
        Some(result)
    }
}
