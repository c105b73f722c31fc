//! Making a plan for the QPUs, in memory that nobody runs.
//!
//! The runner keeps what is written and gives out addresses as V3D would see them. Cells and data
//! of a long plan lie behind the memory that there is: planning writes programs, lists and tables
//! only.

use qpu::job::{Buffer, BusAddr, Job, QpuSet, Report, Runner};
use qpu_fft::Plan;
use qpu_fft::request::Request;

use crate::{Task, Work};

/// Words of memory: the programs, lists and tables of any single transform.
pub const WORDS: usize = 4 << 20;
/// [`Task::engine`] of this work.
pub const ENGINE: u32 = 3;

/// Start of the first block, as V3D would see it.
const BASE: u32 = 0x4100_0000;
/// Input and output lie here: nothing is written there.
const DATA: u32 = 0x5000_0000;

/// Memory that planning wrote, and the end of the blocks given out.
#[repr(C)]
pub struct PlanMemory {
    /// From the beginning of the plan's block on.
    pub words: [u32; WORDS],
    /// Bytes given out.
    pub used: u32,
    /// 1 when the plan has been made.
    pub made: u32,
}

/// Error of an operation that [`PlanMemory`] cannot do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outside;

impl PlanMemory {
    /// Makes the plan of `task` and keeps what it writes.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn make(&mut self, task: &Task) -> Result<Plan, qpu_fft::request::Error<Outside>> {
        let request = Request::new(task.log2n, task.radix);
        let data = Buffer {
            addr: BusAddr(DATA),
            bytes: request.input_bytes() as u32,
        };
        Plan::new(qpu_programs::FFT, &request, [data; 2], self)
    }
}

impl Work for PlanMemory {
    fn prepare(&mut self, task: &Task) -> bool {
        (self.used, self.made) = (0, 0);
        let request = Request::new(task.log2n, task.radix);
        Plan::memory::<Outside>(qpu_programs::FFT, &request).is_ok()
    }

    fn transform(&mut self, task: &Task) {
        self.made = self.make(task).is_ok().into();
    }
}

impl Runner for PlanMemory {
    type Error = Outside;

    fn alloc(&mut self, bytes: u32, align: u32) -> Result<Buffer, Outside> {
        let start = self
            .used
            .checked_next_multiple_of(align.max(64))
            .ok_or(Outside)?;
        self.used = start.checked_add(bytes).ok_or(Outside)?;
        Ok(Buffer {
            addr: BusAddr(BASE + start),
            bytes,
        })
    }

    fn release_all(&mut self) {
        self.used = 0;
    }

    fn write(&mut self, buffer: Buffer, first: u32, words: &[u32]) -> Result<(), Outside> {
        let at = (buffer.addr.0.wrapping_sub(BASE) / 4 + first) as usize;
        let place = self.words.get_mut(at..).ok_or(Outside)?;
        place
            .get_mut(..words.len())
            .ok_or(Outside)?
            .copy_from_slice(words);
        Ok(())
    }

    fn read(&mut self, _: Buffer, _: u32, _: &mut [u32]) -> Result<(), Outside> {
        Err(Outside)
    }

    fn use_qpus(&mut self, _: QpuSet) {}

    fn run(&mut self, _: &Job, _: u32) -> Result<Report, Outside> {
        Err(Outside)
    }
}
