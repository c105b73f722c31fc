//! Jobs of a host on the QPUs: the block that it writes into, and programs that it runs there.

use qpu_programs::microbench::{LIST, Microbench};
use wire::{Envelope, JobWords, Measured, Message, NakCode, RunJob, State};

use super::board::{Board, Stage};
use super::hub::Hub;
use super::refusal::Refusal;
use crate::engine::host_job::HostJob;
use crate::engine::measure::Words;
use crate::engine::{EngineError, Fft, QpuHost};

impl<Q: Fft + QpuHost> Hub<'_, Q> {
    pub(super) fn job_memory(&mut self, bytes: u32, envelope: Envelope) -> Result<(), Refusal> {
        self.require_allowed()?;
        let block = self.analyser.qpu().and_then(|qpu| qpu.host_block(bytes));
        let block = block.map_err(refusal)?;
        self.link.outbox.put(envelope, &Message::JobBlock(block));
        Ok(())
    }

    pub(super) fn job_write(&mut self, words: JobWords) -> Result<(), Refusal> {
        self.require_allowed()?;
        self.host_job(HostJob::Write(words))?;
        Ok(())
    }

    pub(super) fn job_read(
        &mut self,
        first: u32,
        words: u16,
        envelope: Envelope,
    ) -> Result<(), Refusal> {
        self.require_allowed()?;
        let bytes = &mut self.words[..4 * usize::from(words)];
        let read = HostJob::Read {
            first,
            bytes: &mut *bytes,
        };
        let result = self.analyser.qpu().and_then(|qpu| qpu.host_job(read));
        result.map_err(refusal)?;
        let words = JobWords::new(first, bytes);
        self.link.outbox.put(envelope, &Message::JobWords(words));
        Ok(())
    }

    pub(super) fn run_job(
        &mut self,
        job: RunJob,
        envelope: Envelope,
        board: &mut impl Board,
    ) -> Result<(), Refusal> {
        self.require_allowed()?;
        board.stage(Stage::QpuWait);
        let before = board.checksum();
        let result = self.host_job(HostJob::Run(job));
        if board.checksum() != before {
            board.memory_changed();
        }
        board.stage(Stage::Idle);
        let message = Message::QpuResult(result?);
        self.link
            .put(envelope.request, envelope.stream, &message, board);
        Ok(())
    }

    pub(super) fn measure(
        &mut self,
        number: u8,
        envelope: Envelope,
        board: &mut impl Board,
    ) -> Result<(), Refusal> {
        self.require_idle()?;
        let bench = LIST.get(usize::from(number));
        let bench = bench.ok_or(Refusal::Plain(
            NakCode::BAD_VALUE,
            "there is no microbenchmark of this number; numbers begin at 0, and each answer says how many there are",
        ))?;
        let (elapsed_us, words) = time_bench(self.analyser.qpu(), bench, board).map_err(refusal)?;
        let bytes = &mut self.words[..4 * words.len()];
        for (bytes, word) in bytes.chunks_exact_mut(4).zip(&words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        let of = LIST.len() as u8;
        let measured = Measured::new(number, of, elapsed_us, bench.name, bytes);
        let message = Message::Measured(measured);
        self.link
            .put(envelope.request, envelope.stream, &message, board);
        Ok(())
    }

    fn host_job(&mut self, job: HostJob) -> Result<u32, Refusal> {
        let result = self.analyser.qpu().and_then(|qpu| qpu.host_job(job));
        result.map_err(refusal)
    }

    /// Refuses programs of a host unless the card allows them, and while spectra are computed.
    fn require_allowed(&self) -> Result<(), Refusal> {
        if self.settings.allows_run {
            return self.require_idle();
        }
        Err(Refusal::Plain(
            NakCode::NOT_ALLOWED,
            "programs of a host are not run on this board, because they reach all of its memory; its owner allows them \
             with allow=run in cmdline.txt on the card",
        ))
    }

    fn require_idle(&self) -> Result<(), Refusal> {
        if self.stream.state() == State::Idle {
            return Ok(());
        }
        Err(Refusal::Plain(
            NakCode::WRONG_STATE,
            "the QPUs are computing spectra; end that with STOP before a job",
        ))
    }
}

/// Runs a microbenchmark: the microseconds that all of it took, and what it found.
fn time_bench<Q: QpuHost>(
    qpu: Result<&mut Q, EngineError>,
    bench: &Microbench,
    board: &mut impl Board,
) -> Result<(u32, Words), EngineError> {
    board.stage(Stage::QpuWait);
    let start_us = board.now_us();
    let result = qpu.and_then(|qpu| qpu.measure(bench));
    let elapsed_us = (board.now_us() - start_us) as u32;
    board.stage(Stage::Idle);
    result.map(|words| (elapsed_us, words))
}

/// The refusal of a job that failed.
fn refusal(error: EngineError) -> Refusal {
    match error {
        EngineError::NotAvailable => Refusal::Plain(
            NakCode::NOT_AVAILABLE,
            "V3D was not found, so there are no QPUs to run a program on",
        ),
        EngineError::NoMemory => Refusal::Plain(
            NakCode::NO_MEMORY,
            "this does not fit the QPUs' memory; send a smaller program, or ask for a smaller block",
        ),
        EngineError::Timeout { limit_us } => Refusal::QpuTimeout(limit_us),
        EngineError::Stray(stray) => Refusal::Stray(stray),
        EngineError::OutsideBlock => Refusal::Plain(
            NakCode::BAD_VALUE,
            "that is not in the block of memory which JOB_MEMORY gave, or the block has been given back; ask for one, \
             and write it anew",
        ),
        EngineError::Length | EngineError::Device | EngineError::Busy | EngineError::Lost => {
            Refusal::Plain(
                NakCode::QPU_FAILED,
                "the QPU program failed and V3D was restarted; check it with `qpu run`",
            )
        }
    }
}
