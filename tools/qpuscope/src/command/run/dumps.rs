//! The files that a job's memory goes to.
//!
//! A file that cannot be written is a mistake in the job, like any other that can be told before it runs. What fails
//! afterwards, as on a full disk, costs no other file.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use v3d_sim::SparseMemory;

use crate::failure::{Failure, Result};
use crate::job_file::{Dump, JobFile};

/// Dumps are written in pieces, so that they take no second copy of memory.
const PIECE_BYTES: usize = 1 << 20;

/// Refuses dumps that cannot be written before the job takes its time. What their files hold stays until then.
pub(super) fn check(job: &JobFile, path: &Path) -> Result<()> {
    for (index, dump) in job.dumps.iter().enumerate() {
        // A pipe's reader would take this for its end.
        let is_pipe = std::fs::metadata(&dump.file).is_ok_and(|it| !it.is_file() && !it.is_dir());
        if is_pipe {
            continue;
        }
        let tried = File::options().append(true).create(true).open(&dump.file);
        tried.map_err(|error| {
            Failure::usage(format!(
                "bad job file {}: dump[{index}].file: cannot write {}: {error}; check the folder and its permissions, or \
                 name another file",
                path.display(),
                dump.file.display()
            ))
        })?;
    }
    Ok(())
}

/// Writes what memory holds after the run to the files that the job names; all that can be written.
pub(super) fn write(job: &mut JobFile) -> Result<()> {
    let memory = &mut job.memory;
    let written = job.dumps.iter().map(|dump| write_dump(memory, dump));
    written.fold(Ok(()), Result::and)
}

fn write_dump(memory: &mut SparseMemory, dump: &Dump) -> Result<()> {
    let mut file = File::create(&dump.file).map_err(|e| writing(&dump.file, &e))?;
    for done in (0..dump.bytes).step_by(PIECE_BYTES) {
        let count = PIECE_BYTES.min(dump.bytes - done);
        let bytes = memory
            .get(dump.at.wrapping_add(done as u32), count)
            .map_err(|fault| {
                Failure::failed(format!(
                    "{:#010x} went away during the run; report this",
                    fault.addr
                ))
            })?;
        file.write_all(&bytes)
            .map_err(|e| writing(&dump.file, &e))?;
    }
    Ok(())
}

fn writing(path: &Path, error: &std::io::Error) -> Failure {
    Failure::failed(format!(
        "cannot write {}: {error}; check the folder that dump names",
        path.display()
    ))
}
