//! What a job writes out: parts of memory, to files, after the run.

use std::path::{Path, PathBuf};

use serde_json::Value;
use v3d_sim::{JobLaunch, SparseMemory};

use super::memory::{ADDRESS_SPACE, Placed};
use super::object::{Object, bad};
use crate::failure::Result;
use crate::files::are_one;

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

/// Refuses dumps that go to one file, of which the last would remain, and one over a file with code that the job runs.
/// Over data it may go: the next run goes on with it.
pub(super) fn keep_files(dumps: &[Dump], entries: &[Placed], launches: &[JobLaunch]) -> Result<()> {
    let programs = || launches.iter().flat_map(|launch| &launch.programs);
    let holds_code = |placed: &&Placed| programs().any(|program| placed.holds(program.code.0));
    for (index, dump) in dumps.iter().enumerate() {
        let field = format!("dump[{index}].file");
        let name = dump.file.display();
        if dumps[..index]
            .iter()
            .any(|other| are_one(&other.file, &dump.file))
        {
            let problem = format!("{name} is named for two dumps; give each its own file");
            return Err(bad(&field, problem));
        }
        let mut code = entries.iter().filter(holds_code);
        if code.any(|placed| {
            let file = placed.file.as_ref();
            file.is_some_and(|file| are_one(file, &dump.file))
        }) {
            let problem = format!(
                "{name} holds code that the job runs, and would be overwritten; name another file"
            );
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
    fn no_dump_goes_over_code_or_another_dump() {
        let folder = std::env::temp_dir();
        let name = format!("qpuscope-dump-{}.bin", std::process::id());
        std::fs::write(folder.join(&name), [0; 16]).expect("temporary file");
        let parse = |code: u32, files: [&str; 2]| {
            let dumps = files.map(|file| format!(r#"{{"at": 64, "bytes": 8, "file": "{file}"}}"#));
            let text = format!(
                r#"{{"memory": [{{"at": "0xc0000040", "file": "{name}"}}, {{"at": 0, "zero": 8}}],
                    "programs": [{{"code": {code}}}], "dump": [{}]}}"#,
                dumps.join(", ")
            );
            JobFile::parse(&text, &folder)
                .err()
                .map(|failure| failure.message)
        };
        let over_code = parse(72, ["a.bin", &name]).expect("code would be overwritten");
        assert!(over_code.contains("dump[1].file: ") && over_code.contains("holds code"));
        let twice = parse(0, ["a.bin", "a.bin"]).expect("one file for two dumps");
        assert!(twice.contains("dump[1].file: ") && twice.contains("two dumps"));
        // Data may be brought up to date.
        assert_eq!(parse(0, ["a.bin", &name]), None);
        std::fs::remove_file(folder.join(&name)).expect("temporary file");
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
