//! A board's QPUs as a runner of jobs: its memory is written and read over the line.
//!
//! Writes stay on the host until a job is run or words are read, so that small ones share frames.

use qpu::job::{Buffer, BusAddr, Job, LaunchOrder, QpuSet, Report, Runner};

use common::failure::{Failure, Result};
use host::client::Client;

/// The common part of all caches and rows of stores.
const LINE: u32 = 64;

/// The QPUs of a board, and a block of its memory.
pub struct Remote {
    client: Client,
    address: u32,
    launch_order: LaunchOrder,
    /// Written words, by word of the block.
    words: Vec<u32>,
    /// Which of them the board has not got yet.
    is_new: Vec<bool>,
    used_bytes: u32,
    runs: u32,
}

impl Remote {
    /// Takes a block of `bytes` bytes from the board, which computes no spectra from here on.
    ///
    /// # Errors
    /// What the board says, for example that it has not as much.
    pub fn new(mut client: Client, bytes: u32) -> Result<Self> {
        client.stop()?;
        let block = client.job_memory(bytes).map_err(|failure| Failure {
            message: format!("{bytes} bytes of the board's memory are needed: {failure}"),
            ..failure
        })?;
        let words = block.bytes as usize / 4;
        Ok(Self {
            client,
            address: block.address,
            launch_order: LaunchOrder::new(block.launch_order).unwrap_or(LaunchOrder::DESCENDING),
            words: vec![0; words],
            is_new: vec![false; words],
            used_bytes: 0,
            runs: 0,
        })
    }

    /// The other end of the line.
    #[must_use]
    pub fn description(&self) -> String {
        self.client.description()
    }

    /// Number in the block of word `first` of a buffer, when `count` words from there lie in the
    /// buffer.
    fn place(&self, buffer: Buffer, first: u32, count: usize) -> Result<usize> {
        let offset = buffer.addr.0.wrapping_sub(self.address);
        let is_given_out = u64::from(offset) + u64::from(buffer.bytes) <= self.used_bytes.into();
        let is_inside = u64::from(first) + count as u64 <= u64::from(buffer.bytes / 4);
        if is_given_out && is_inside {
            Ok((offset / 4 + first) as usize)
        } else {
            Err(Failure::usage(format!(
                "{count} words from number {first} on are not in a buffer of {} bytes",
                buffer.bytes
            )))
        }
    }

    /// Sends what the board has not got yet.
    fn flush(&mut self) -> Result<()> {
        let mut at = 0;
        while let Some(before) = self.is_new[at..].iter().position(|&new| new) {
            let first = at + before;
            let count = self.is_new[first..].iter().take_while(|&&new| new).count();
            at = first + count;
            self.client
                .job_write(first as u32, &self.words[first..at])?;
            self.is_new[first..at].fill(false);
        }
        Ok(())
    }
}

impl Drop for Remote {
    /// The next host begins at the first rate, whatever happened to this one. The board needs no
    /// word to take its memory back.
    fn drop(&mut self) {
        let _ = self.client.leave();
    }
}

impl Runner for Remote {
    type Error = Failure;

    fn alloc(&mut self, bytes: u32, align: u32) -> Result<Buffer> {
        let all = 4 * self.words.len() as u32;
        let next = |at: u32, to: u32| at.checked_next_multiple_of(to);
        // The block begins at a page.
        let start = next(self.used_bytes, align.max(LINE));
        let end = start.and_then(|start| start.checked_add(next(bytes, LINE)?));
        match (start, end) {
            (Some(start), Some(end)) if end <= all => {
                self.used_bytes = end;
                Ok(Buffer {
                    addr: BusAddr(self.address + start),
                    bytes: end - start,
                })
            }
            _ => Err(Failure::usage(format!(
                "{bytes} bytes more than the {all} that were asked of the board are needed; report this"
            ))),
        }
    }

    fn release_all(&mut self) {
        self.used_bytes = 0;
    }

    fn write(&mut self, buffer: Buffer, first: u32, words: &[u32]) -> Result<()> {
        let from = self.place(buffer, first, words.len())?;
        self.words[from..from + words.len()].copy_from_slice(words);
        self.is_new[from..from + words.len()].fill(true);
        Ok(())
    }

    fn read(&mut self, buffer: Buffer, first: u32, words: &mut [u32]) -> Result<()> {
        let from = self.place(buffer, first, words.len())?;
        self.flush()?;
        self.client.job_read(from as u32, words)
    }

    /// The protocol has no request for that: programs start on all QPUs.
    fn use_qpus(&mut self, _qpus: QpuSet) {}

    fn launch_order(&self) -> LaunchOrder {
        self.launch_order
    }

    fn run(&mut self, job: &Job, limit_us: u32) -> Result<Report> {
        self.flush()?;
        self.runs += 1;
        let elapsed_us = self.client.run_job(self.runs, job, limit_us)?;
        let programs = job.launches.iter().map(|launch| launch.programs.len());
        Ok(Report {
            elapsed_us,
            cycles: None,
            programs: programs.sum::<usize>() as u32,
        })
    }
}
