//! Dumps of a job: parts of memory that are written to files after the run.

use std::path::{Path, PathBuf};

use serde_json::Value;
use v3d_sim::SparseMemory;

use super::memory::ADDRESS_SPACE;
use super::object::{Object, bad};
use crate::failure::Result;
use crate::files::are_one;
use crate::say;

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

/// Refuses dumps that go to one file, of which the last would remain, and one over a file that the
/// job reads: the next run would be another.
pub(super) fn keep_files(dumps: &[Dump], read: &[PathBuf]) -> Result<()> {
    for (index, dump) in dumps.iter().enumerate() {
        let field = format!("dump[{index}].file");
        let name = say::path(&dump.file);
        let mut before = dumps[..index].iter();
        if before.any(|other| are_one(&other.file, &dump.file)) {
            let problem = format!("{name} is named for two dumps; give each its own file");
            return Err(bad(&field, problem));
        }
        if read.iter().any(|file| are_one(file, &dump.file)) {
            let problem =
                format!("{name} is read by the job and would be overwritten; name another file");
            return Err(bad(&field, problem));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::job_file::JobFile;
    use crate::job_file::tests::each_is_refused;

    #[test]
    fn no_dump_goes_over_an_input_or_another_dump() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("data.bin"), [0; 16]).expect("a file");
        std::fs::hard_link(at("data.bin"), at("hard.bin")).expect("a link");
        std::os::unix::fs::symlink("data.bin", at("soft.bin")).expect("a link");
        let parse = |files: [&str; 2]| {
            let dumps = files.map(|file| format!(r#"{{"at": 64, "bytes": 8, "file": "{file}"}}"#));
            let text = format!(
                r#"{{"memory": [{{"at": "0xc0000040", "file": "data.bin"}}], "programs": [], "dump": [{}]}}"#,
                dumps.join(", ")
            );
            JobFile::parse(&text, folder.path())
                .err()
                .map(|failure| failure.message)
        };
        for input in ["data.bin", "hard.bin", "soft.bin"] {
            let problem = parse(["a.bin", input]).expect("an input would be overwritten");
            assert!(problem.contains("dump[1].file: ") && problem.contains("is read by the job"));
        }
        let twice = parse(["a.bin", "./a.bin"]).expect("one file for two dumps");
        assert!(twice.contains("dump[1].file: ") && twice.contains("two dumps"));
        assert_eq!(parse(["a.bin", "b.bin"]), None);
    }

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
