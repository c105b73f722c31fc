//! What a job writes out: parts of memory, to files, after the run.

use std::path::{Path, PathBuf};

use serde_json::Value;
use v3d_sim::SparseMemory;

use super::memory::ADDRESS_SPACE;
use super::object::{Object, bad};
use crate::failure::Result;

/// A part of memory that is written to a file after the run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dump {
    /// Its first byte.
    pub at: u32,
    /// Its length.
    pub bytes: usize,
    /// Where it goes.
    pub file: PathBuf,
}

/// Reads one entry of `dump`, which stands at `at`; what it names must be in memory.
pub(super) fn dump(
    memory: &mut SparseMemory,
    at: &str,
    entry: &Value,
    folder: &Path,
) -> Result<Dump> {
    let entry = Object::new(at, entry, &["at", "bytes", "file"])?;
    let addr = entry.address("at")?;
    entry.need("bytes", "how many bytes to write")?;
    let bytes = entry.number("bytes", ADDRESS_SPACE)?.unwrap_or(0) as usize;
    entry.need("file", "the name of the file to write")?;
    let file = folder.join(entry.text("file")?.unwrap_or_default());
    memory.check(addr, bytes).map_err(|fault| {
        bad(
            at,
            format!(
                "there is no memory at {:#010x}; name it under memory",
                fault.addr
            ),
        )
    })?;
    Ok(Dump {
        at: addr,
        bytes,
        file,
    })
}

#[cfg(test)]
mod tests {
    use crate::job_file::tests::each_is_refused;

    #[test]
    fn a_dump_that_is_wrong_names_its_field() {
        each_is_refused(&[
            (
                r#"{"memory": [], "programs": [], "dump": [{"at": 0, "bytes": 4, "file": "o"}]}"#,
                "dump[0]: there is no memory at 0x00000000",
            ),
            (
                r#"{"memory": [], "programs": [], "dump": [{"at": 0, "file": "o"}]}"#,
                "dump[0].bytes: is missing",
            ),
        ]);
    }
}
