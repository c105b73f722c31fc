//! The debugger of `qpu debug`: a job that stops where it is asked to, and can be looked at.
//!
//! A stop lies between two rounds of 4 clocks: all QPUs stand still, each before its next
//! instruction. Looking changes nothing, so a job that is stopped often computes and takes what it
//! does alone.

mod code;
mod commands;
mod halt;
mod help;
mod memory;
mod show;
mod walk;

use std::path::PathBuf;

use v3d_sim::{JobEnd, JobRun, SparseMemory};

use crate::job_file::JobFile;
use code::CodeMap;
use common::failure::Result;
use common::stop::Stop;
use halt::Halt;
use memory::Watched;
use show::Format;

/// A job under the debugger.
pub struct Debugger {
    path: PathBuf,
    run: JobRun,
    memory: Watched<SparseMemory>,
    code: CodeMap,
    halt: Halt,
    /// The QPU that commands speak of.
    qpu: u8,
    format: Format,
    next_id: u32,
    stop: Stop,
    ended: Option<JobEnd>,
}

impl Debugger {
    /// A debugger whose job stands before its first instruction.
    ///
    /// # Errors
    /// Usage, for a bad job file.
    pub fn new(path: PathBuf, stop: Stop) -> Result<Self> {
        let mut job = JobFile::read(&path)?;
        let code = CodeMap::new(&mut job.memory, &job.launches);
        let mut run = JobRun::new(job.launches, &job.options);
        run.begin();
        let mut debugger = Self {
            path,
            run,
            memory: Watched::new(job.memory),
            code,
            halt: Halt::default(),
            qpu: 11,
            format: Format::Hex,
            next_id: 1,
            stop,
            ended: None,
        };
        debugger.begin();
        Ok(debugger)
    }

    /// The job as it was at its start; breakpoints stay.
    fn restart(&mut self) -> Result<()> {
        let fresh = Self::new(self.path.clone(), self.stop.clone())?;
        self.run = fresh.run;
        self.code = fresh.code;
        self.memory.replace(fresh.memory);
        self.ended = None;
        self.begin();
        Ok(())
    }

    /// All QPUs stand before the first instructions of the job.
    fn begin(&mut self) {
        let v3d = self.run.v3d();
        self.halt.begun_job((0..12).map(|qpu| v3d.qpu(qpu)));
        self.halt.found.clear();
        self.choose_running();
    }

    /// The QPU that commands speak of, for the prompt.
    #[must_use]
    pub fn qpu(&self) -> u8 {
        self.qpu
    }

    /// When the chosen QPU has no program, the highest one that has.
    fn choose_running(&mut self) {
        let running = self.run.v3d().running();
        if !running.iter().any(|place| place.qpu == self.qpu)
            && let Some(place) = running.last()
        {
            self.qpu = place.qpu;
        }
    }
}
