//! The files that a job's memory goes to.
//!
//! A file that cannot be written is a mistake in the job, like any other that can be told before it
//! runs. What fails afterwards, as on a full disk, costs no other file. A job may come from
//! another author: unless the user allows more, its dumps stay in its own folder.

use std::io::Write;
use std::path::Path;

use v3d_sim::SparseMemory;

use common::failure::{Failure, Result};
use common::files::output::{self, Output};
use common::say;
use workbench::job_file::{Dump, JobFile};

/// Dumps are written in pieces, so that they take no second copy of memory.
const PIECE_BYTES: usize = 1 << 20;

/// Refuses dumps that cannot be written, or leave the folder of the job at `path`, before the job
/// takes its time. What their files hold stays until then.
pub(super) fn check(job: &JobFile, path: &Path, anywhere: bool) -> Result<()> {
    for (index, dump) in job.dumps.iter().enumerate() {
        let bad = |problem: &str| {
            Failure::usage(format!(
                "bad job file {}: dump[{index}].file: {problem}",
                say::path(path)
            ))
        };
        if !anywhere && !is_inside(&dump.file, path) {
            let file = say::path(&dump.file);
            return Err(bad(&format!(
                "{file} is not in the job's folder; name a file there, or allow it with --dump-anywhere"
            )));
        }
        output::check(&dump.file).map_err(|failure| bad(&failure.message))?;
    }
    Ok(())
}

/// Returns whether a dump stays in the folder of its job, behind all links. One that cannot be
/// written at all does, to be refused for that.
fn is_inside(dump: &Path, job: &Path) -> bool {
    let folder = match job.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    match (output::target(dump), folder.canonicalize()) {
        (Ok(Some(target)), Ok(folder)) => target.starts_with(folder),
        (Ok(None), _) => false,
        _ => true,
    }
}

/// Writes what memory holds after the run to the files that the job names; all that can be written.
pub(super) fn write(job: &mut JobFile) -> Result<()> {
    let memory = &mut job.memory;
    let written = job.dumps.iter().map(|dump| write_dump(memory, dump));
    written.fold(Ok(()), Result::and)
}

fn write_dump(memory: &mut SparseMemory, dump: &Dump) -> Result<()> {
    let mut file = Output::create(&dump.file)?;
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
        let written = file.write_all(&bytes);
        written.map_err(|error| file.failure(&error))?;
    }
    file.finish()
}
