//! The job file of `qpu run`: memory, launches, and what is written out.
//!
//! The format is stable, because programs from other projects are run through it. Every mistake is
//! reported with the place of the field, as in `memory[1].at`, before anything runs.

mod json;
mod launches;
mod memory;
mod object;
mod options;

use std::path::{Path, PathBuf};

use serde_json::Value;
use v3d_sim::{JobLaunch, JobOptions, SparseMemory};

use common::failure::{Failure, Result};
use common::files::{are_one, input};
use common::say;
use launches::{check_code, launches, over_code};
use memory::{ADDRESS_SPACE, put_entry};
use object::{Object, bad};
use options::options;

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

/// A job, ready to run.
pub struct JobFile {
    /// The contents that the entries put there.
    pub memory: SparseMemory,
    /// In the order they run.
    pub launches: Vec<JobLaunch>,
    /// In the order they are written.
    pub dumps: Vec<Dump>,
    /// Board, clock, limit, order of the QPUs, strictness.
    pub options: JobOptions,
    /// Files that entries of memory came from.
    pub files: Vec<PathBuf>,
    /// Notes on what is no mistake, but is seldom meant; a sentence each.
    pub notes: Vec<String>,
}

impl JobFile {
    /// Reads a job and the files it names, which are relative to its own folder.
    ///
    /// # Errors
    /// Usage, with the field's name, for whatever is wrong with it.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = input::read(path, "a job file", input::TEXT)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let text = std::str::from_utf8(&bytes).map_err(|_| {
            Failure::usage(
                "it is no text; write a job in JSON that names the code, as docs/formats.md shows",
            )
        });
        let job = text.and_then(|text| Self::parse(text, folder));
        job.and_then(
            |job| match job.dumps.iter().any(|dump| are_one(&dump.file, path)) {
                true => Err(Failure::usage(
                    "dump: a file is the job file and would be overwritten; name another",
                )),
                false => Ok(job),
            },
        )
        .map_err(|failure| Failure::usage(format!("bad job file {}: {failure}", say::path(path))))
    }

    /// Reads a job from text.
    ///
    /// # Errors
    /// As [`JobFile::read`].
    pub fn parse(text: &str, folder: &Path) -> Result<Self> {
        let value = json::value(text)?;
        let keys = [
            "memory",
            "programs",
            "dump",
            "board",
            "limit_cycles",
            "functional",
            "clock_hz",
            "launches",
            "clear",
            "seed",
            "strict",
            "allow",
            "conflicts",
            "constants",
        ];
        let job = Object::new("", &value, &keys)?;
        let mut memory = SparseMemory::new();
        job.need("memory", "a list of what is in memory")?;
        let mut entries = vec![];
        for (index, entry) in job.list("memory")?.unwrap_or_default().iter().enumerate() {
            entries.push(put_entry(
                &mut memory,
                &format!("memory[{index}]"),
                entry,
                folder,
            )?);
        }
        let launches = launches(&job)?;
        check_code(&mut memory, &launches)?;
        let options = options(&job)?;
        let mut dumps = vec![];
        for (index, entry) in job.list("dump")?.unwrap_or_default().iter().enumerate() {
            dumps.push(dump(&mut memory, &format!("dump[{index}]"), entry, folder)?);
        }
        let files: Vec<_> = entries
            .iter()
            .filter_map(|placed| placed.file.clone())
            .collect();
        keep_files(&dumps, &files)?;
        Ok(Self {
            notes: over_code(&entries, &launches),
            memory,
            launches,
            dumps,
            files,
            options,
        })
    }
}

/// Reads one entry of `dump`, which stands at `at`; what it names must be in memory.
fn dump(memory: &mut SparseMemory, at: &str, entry: &Value, folder: &Path) -> Result<Dump> {
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
fn keep_files(dumps: &[Dump], read: &[PathBuf]) -> Result<()> {
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
    use std::path::Path;

    use qpu::job::BusAddr;

    use super::*;
    use common::failure::Exit;

    const WHOLE: &str = r#"{
        "memory": [ {"at": "0x40000000", "zero": 65536}, {"at": "0x40000010", "words": ["0x1", 2, "3"]} ],
        "programs": [ {"code": "0x40000100", "uniforms": 1073742336} ],
        "dump": [ {"at": "0x00000010", "bytes": 12, "file": "out.bin"} ],
        "board": "zero", "limit_cycles": 1000, "functional": true, "seed": 7, "strict": true, "allow": ["undefined-read"] }"#;

    /// A job whose files are in a folder that does not exist.
    pub(super) fn parse(text: &str) -> Result<JobFile> {
        JobFile::parse(text, Path::new("/folder"))
    }

    /// Each text is refused as usage, in words among which are those beside it.
    pub(super) fn each_is_refused(cases: &[(&str, &str)]) {
        for (text, named) in cases {
            let failure = parse(text)
                .err()
                .unwrap_or_else(|| panic!("{text} was taken"));
            assert_eq!(failure.exit, Exit::Usage);
            assert!(failure.message.contains(named), "{text}: {failure}");
        }
    }

    #[test]
    fn a_whole_job_is_understood() {
        let mut job = parse(WHOLE).unwrap_or_else(|failure| panic!("{failure}"));
        assert_eq!(
            job.memory.get(0xc000_0010, 12).expect("words"),
            [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]
        );
        assert_eq!(job.launches.len(), 1);
        assert_eq!(job.launches[0].programs[0].uniforms, BusAddr(0x4000_0200));
        assert_eq!(job.dumps[0].file, Path::new("/folder/out.bin"));
        let expected = JobOptions {
            board: v3d_sim::Board::Zero,
            clock_hz: 300_000_000,
            functional: true,
            limit_cycles: 1000,
            order_seed: Some(7),
            strict: true,
            allowed: vec![v3d_sim::Rule::UndefinedRead],
            conflicts: v3d_sim::Conflicts::default(),
            constants: v3d_sim::Constants::recommended(),
            ..JobOptions::default()
        };
        assert_eq!(job.options, expected);
    }

    #[test]
    fn a_good_job_is_taken() {
        let good = r#"{"memory": [{"at": 0, "zero": 16}], "programs": []}"#;
        assert!(parse(good).is_ok());
    }

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
