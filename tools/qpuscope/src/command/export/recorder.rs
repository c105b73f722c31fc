//! A runner that runs nothing: it keeps what a plan writes, and the launches that it asks for.

use qpu::job::{Buffer, BusAddr, CacheClear, Job, QpuSet, Report, Runner};

use crate::failure::{Failure, Result};

/// The common part of all caches and rows of stores.
const LINE: u32 = 64;

/// Programs that are queued together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recorded {
    /// Bus addresses of code and uniforms.
    pub programs: Vec<[u32; 2]>,
    /// Cleared before the first is queued.
    pub clear: CacheClear,
    /// The QPUs that they may start on.
    pub qpus: QpuSet,
}

/// Memory from a bus address on, and the launches of the job that was run last.
pub struct Recorder {
    base: u32,
    words: Vec<Option<u32>>,
    used: u32,
    launches: Vec<Recorded>,
}

impl Recorder {
    /// Memory of `bytes` bytes from `base` on, in which nothing is written.
    pub fn new(base: u32, bytes: u32) -> Self {
        Self {
            base,
            words: vec![None; bytes as usize / 4],
            used: 0,
            launches: vec![],
        }
    }

    /// The words, `None` where nothing was written, and the launches.
    pub fn into_parts(self) -> (Vec<Option<u32>>, Vec<Recorded>) {
        (self.words, self.launches)
    }

    /// The words of a buffer from its word `first` on.
    fn range(&mut self, buffer: Buffer, first: u32, count: usize) -> Result<&mut [Option<u32>]> {
        let start = (buffer.addr.0.wrapping_sub(self.base) / 4 + first) as usize;
        let is_inside = u64::from(first) + count as u64 <= u64::from(buffer.bytes / 4);
        let words = self.words.get_mut(start..start + count);
        words.filter(|_| is_inside).ok_or_else(|| {
            Failure::failed("the plan writes behind its memory; report this with the command")
        })
    }
}

impl Runner for Recorder {
    type Error = Failure;

    fn alloc(&mut self, bytes: u32, align: u32) -> Result<Buffer> {
        let start = self.used.next_multiple_of(align.max(LINE));
        let end = (start + bytes).next_multiple_of(LINE);
        if end as usize > 4 * self.words.len() {
            return Err(Failure::failed(
                "the plan takes more memory than it says; report this with the command",
            ));
        }
        self.used = end;
        Ok(Buffer {
            addr: BusAddr(self.base + start),
            bytes,
        })
    }

    fn release_all(&mut self) {
        self.used = 0;
    }

    fn write(&mut self, buffer: Buffer, first: u32, words: &[u32]) -> Result<()> {
        let to = self.range(buffer, first, words.len())?;
        for (to, word) in to.iter_mut().zip(words) {
            *to = Some(*word);
        }
        Ok(())
    }

    fn read(&mut self, buffer: Buffer, first: u32, words: &mut [u32]) -> Result<()> {
        let from = self.range(buffer, first, words.len())?;
        for (word, from) in words.iter_mut().zip(from) {
            *word = from.unwrap_or(0);
        }
        Ok(())
    }

    fn use_qpus(&mut self, _qpus: QpuSet) {}

    fn run(&mut self, job: &Job, _limit_us: u32) -> Result<Report> {
        let launches = job.launches.iter().map(|launch| Recorded {
            programs: launch
                .programs
                .iter()
                .map(|program| [program.code.0, program.uniforms.0])
                .collect(),
            clear: launch.clear,
            qpus: launch.qpus,
        });
        self.launches = launches.collect();
        Ok(Report::default())
    }
}
