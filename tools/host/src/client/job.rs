//! Jobs on the board's QPUs: memory, programs, results.

use std::time::Duration;

use qpu::job::{CacheClear, Job};
use wire::{JobBlock, JobClear, JobProgram, JobWords, MAX_PAYLOAD, Message, PayloadError, RunJob};

use super::diagnosis::unexpected;
use super::{ANSWER, Client, TRIES};
use crate::stream::Answer;
use common::failure::{Failure, Result};
use common::progress::Progress;

/// The time that a frame full of words may take, either way: twice what it takes at 38,400 baud.
const TRANSFER: Duration = Duration::from_millis(2500);

impl Client {
    /// Takes a block of the QPUs' memory; with 0 bytes gives it back.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub fn job_memory(&mut self, bytes: u32) -> Result<JobBlock> {
        match self.ask(&Message::JobMemory(bytes), ANSWER, TRIES)? {
            Answer::JobBlock(block) => Ok(block),
            other => Err(unexpected("JOB_MEMORY", &other)),
        }
    }

    /// Writes words of the block from number `first` on.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub fn job_write(&mut self, first: u32, words: &[u32]) -> Result<()> {
        let mut progress = Progress::new("writing", 4 * words.len() as u64, "bytes");
        for (number, piece) in words.chunks(JobWords::MAX).enumerate() {
            let bytes: Vec<u8> = piece.iter().flat_map(|word| word.to_le_bytes()).collect();
            let first = first + (number * JobWords::MAX) as u32;
            let message = Message::JobWrite(JobWords::new(first, &bytes));
            match self.ask(&message, TRANSFER, TRIES)? {
                Answer::Ack(_) => {}
                other => return Err(unexpected("JOB_WRITE", &other)),
            }
            progress.add(bytes.len() as u64);
        }
        Ok(())
    }

    /// Reads words of the block from number `first` on.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub fn job_read(&mut self, first: u32, words: &mut [u32]) -> Result<()> {
        let mut progress = Progress::new("reading", 4 * words.len() as u64, "bytes");
        for (number, piece) in words.chunks_mut(JobWords::MAX).enumerate() {
            let first = first + (number * JobWords::MAX) as u32;
            let message = Message::JobRead {
                first,
                words: piece.len() as u16,
            };
            match self.ask(&message, TRANSFER, TRIES)? {
                Answer::JobWords(from, read) if from == first && read.len() == piece.len() => {
                    piece.copy_from_slice(&read);
                }
                other => return Err(unexpected("JOB_READ", &other)),
            }
            progress.add(4 * piece.len() as u64);
        }
        Ok(())
    }

    /// Runs a job, whose number is not that of the one before; gives the microseconds that it took.
    ///
    /// # Errors
    /// As [`Client::ask`]; usage, when it has more launches or programs than a request can have.
    pub fn run_job(&mut self, number: u32, job: &Job, limit_us: u32) -> Result<u32> {
        let too_large = |error: PayloadError| {
            Failure::usage(format!(
                "the job is larger than a request to the board can be ({error}); run fewer programs at a time"
            ))
        };
        let mut bytes = [0; MAX_PAYLOAD];
        let mut length = 0;
        for launch in job.launches {
            let clear = match launch.clear {
                CacheClear::None => JobClear::None,
                CacheClear::Data => JobClear::Data,
                CacheClear::All => JobClear::All,
            };
            let programs = launch.programs.iter().map(|program| JobProgram {
                code: program.code.0,
                uniforms: program.uniforms.0,
            });
            let programs: Vec<_> = programs.collect();
            let (qpus, out) = (launch.qpus.bits(), &mut bytes[length..]);
            length += RunJob::put_launch(clear, qpus, &programs, out).map_err(too_large)?;
        }
        let limit_us = limit_us.min(RunJob::MAX_LIMIT_US);
        let job = RunJob::new(number, limit_us, &bytes[..length]).map_err(too_large)?;
        let wait = TRANSFER + Duration::from_micros(limit_us.into());
        match self.ask(&Message::RunJob(job), wait, TRIES)? {
            Answer::QpuResult(elapsed_us) => Ok(elapsed_us),
            other => Err(unexpected("RUN_JOB", &other)),
        }
    }
}
