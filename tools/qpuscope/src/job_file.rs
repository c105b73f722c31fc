//! The job file of `qpuscope run`: what is in memory, what is started, what is written out.
//!
//! The format is stable, because programs from other projects are run through it. Every mistake is
//! reported with the place of the field, as in `memory[1].at`, before anything runs.

use std::path::{Path, PathBuf};

use qpu::job::{BusAddr, CacheClear, Program};
use serde_json::{Map, Value};
use v3d_sim::{JobLaunch, JobOptions, SparseMemory};

use crate::failure::{Failure, Result};

/// Bytes behind the alias bits of a bus address.
const ADDRESS_SPACE: u64 = 1 << 30;

/// Boards and the clock of their V3D in hertz (qpu.md section 0, "Default V3D clock").
const BOARDS: [(&str, u32); 5] = [
    ("pi1", 250_000_000),
    ("pi2", 250_000_000),
    ("zero", 300_000_000),
    ("pi3", 300_000_000),
    ("zero2", 300_000_000),
];

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
    /// What the entries put there.
    pub memory: SparseMemory,
    /// In the order they run.
    pub launches: Vec<JobLaunch>,
    /// In the order they are written.
    pub dumps: Vec<Dump>,
    /// Clock, limit, order of the QPUs, strictness.
    pub options: JobOptions,
}

/// A JSON object with its place in the file; knows which keys it may have.
struct Object<'a> {
    at: String,
    map: &'a Map<String, Value>,
}

/// A field that is not what it should be.
fn bad(field: &str, problem: impl std::fmt::Display) -> Failure {
    Failure::usage(format!("{field}: {problem}"))
}

impl<'a> Object<'a> {
    fn new(at: &str, value: &'a Value, keys: &[&str]) -> Result<Self> {
        let whole = if at.is_empty() { "the job" } else { at };
        let map = value
            .as_object()
            .ok_or_else(|| bad(whole, format!("must be an object with {}", keys.join(", "))))?;
        let object = Self {
            at: at.to_owned(),
            map,
        };
        match map.keys().find(|key| !keys.contains(&key.as_str())) {
            Some(key) => Err(bad(
                &object.field(key),
                format!("unknown key; known are {}", keys.join(", ")),
            )),
            None => Ok(object),
        }
    }

    fn field(&self, key: &str) -> String {
        if self.at.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.at)
        }
    }

    fn get(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key)
    }

    fn need(&self, key: &str, what: &str) -> Result<&'a Value> {
        self.get(key)
            .ok_or_else(|| bad(&self.field(key), format!("is missing; give {what}")))
    }

    /// A number of at most `most`, where the key is there.
    fn number(&self, key: &str, most: u64) -> Result<Option<u64>> {
        self.get(key)
            .map(|value| number(&self.field(key), value, most))
            .transpose()
    }

    fn address(&self, key: &str) -> Result<u32> {
        let value = self.need(key, "an address such as \"0x40000000\"")?;
        Ok(number(&self.field(key), value, u64::from(u32::MAX))? as u32)
    }

    fn flag(&self, key: &str) -> Result<bool> {
        match self.get(key) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(bad(&self.field(key), "must be true or false")),
        }
    }

    fn text(&self, key: &str) -> Result<Option<&'a str>> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(bad(&self.field(key), "must be a string")),
        }
    }

    fn list(&self, key: &str) -> Result<Option<&'a [Value]>> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Array(list)) => Ok(Some(list)),
            Some(_) => Err(bad(&self.field(key), "must be a list")),
        }
    }
}

/// A JSON integer, or a string with a decimal or 0x number.
fn number(field: &str, value: &Value, most: u64) -> Result<u64> {
    let parsed = match value {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
            Some(digits) => u64::from_str_radix(&digits.replace('_', ""), 16).ok(),
            None => text.parse().ok(),
        },
        _ => None,
    };
    let parsed = parsed.ok_or_else(|| {
        bad(
            field,
            format!("{value} is not a number; write an integer, or a string such as \"0x1000\" or \"4096\""),
        )
    })?;
    if parsed > most {
        return Err(bad(
            field,
            format!("{value} is too large; at most {most:#x} fits"),
        ));
    }
    Ok(parsed)
}

impl JobFile {
    /// Reads a job and the files it names, which are relative to its own folder.
    ///
    /// # Errors
    /// Usage, with the field's name, for whatever is wrong with it.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|error| Failure::reading(path, &error))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::parse(&text, folder).map_err(|failure| {
            Failure::usage(format!("bad job file {}: {failure}", path.display()))
        })
    }

    /// The same from text.
    ///
    /// # Errors
    /// As [`JobFile::read`].
    pub fn parse(text: &str, folder: &Path) -> Result<Self> {
        let value: Value = serde_json::from_str(text).map_err(|error| {
            Failure::usage(format!("it is not JSON ({error}); repair it there"))
        })?;
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
        ];
        let job = Object::new("", &value, &keys)?;
        let mut memory = SparseMemory::new();
        job.need("memory", "a list of what is in memory")?;
        for (index, entry) in job.list("memory")?.unwrap_or_default().iter().enumerate() {
            put_entry(&mut memory, &format!("memory[{index}]"), entry, folder)?;
        }
        let launches = launches(&job)?;
        job.flag("functional")?;
        let board = job.text("board")?.unwrap_or("pi1");
        let Some(&(_, board_hz)) = BOARDS.iter().find(|(name, _)| *name == board) else {
            let names = BOARDS.map(|(name, _)| name).join(", ");
            return Err(bad(
                "board",
                format!("\"{board}\" is unknown; give one of {names}"),
            ));
        };
        let clock_hz = job.number("clock_hz", u64::from(u32::MAX))?;
        if clock_hz == Some(0) {
            return Err(bad(
                "clock_hz",
                "must not be 0; leave it out for the board's clock",
            ));
        }
        let defaults = JobOptions::default();
        let options = JobOptions {
            clock_hz: clock_hz.map_or(board_hz, |hz| hz as u32),
            limit_cycles: job
                .number("limit_cycles", u64::MAX)?
                .unwrap_or(defaults.limit_cycles),
            order_seed: job.number("seed", u64::MAX)?,
            strict: job.flag("strict")?,
        };
        let mut dumps = vec![];
        for (index, entry) in job.list("dump")?.unwrap_or_default().iter().enumerate() {
            dumps.push(dump(&mut memory, &format!("dump[{index}]"), entry, folder)?);
        }
        Ok(Self {
            memory,
            launches,
            dumps,
            options,
        })
    }
}

fn put_entry(memory: &mut SparseMemory, at: &str, entry: &Value, folder: &Path) -> Result<()> {
    let entry = Object::new(
        at,
        entry,
        &["at", "file", "offset", "bytes", "zero", "words"],
    )?;
    let addr = entry.address("at")?;
    let kinds = ["file", "zero", "words"];
    let given: Vec<_> = kinds
        .into_iter()
        .filter(|kind| entry.get(kind).is_some())
        .collect();
    let [kind] = given[..] else {
        return Err(bad(at, "must have exactly one of file, zero and words"));
    };
    if kind != "file"
        && let Some(key) = ["offset", "bytes"]
            .into_iter()
            .find(|key| entry.get(key).is_some())
    {
        return Err(bad(
            &entry.field(key),
            "belongs to an entry with a file; remove it",
        ));
    }
    let field = entry.field(kind);
    match kind {
        "zero" => {
            let bytes = entry.number("zero", ADDRESS_SPACE)?.unwrap_or(0);
            memory.put_zero(addr, bytes as usize);
        }
        "words" => {
            let mut bytes = vec![];
            for (index, word) in entry.list("words")?.unwrap_or_default().iter().enumerate() {
                let word = number(&format!("{field}[{index}]"), word, u64::from(u32::MAX))?;
                bytes.extend_from_slice(&(word as u32).to_le_bytes());
            }
            memory.put(addr, &bytes);
        }
        _ => {
            let path = folder.join(entry.text("file")?.unwrap_or_default());
            let bytes = std::fs::read(&path).map_err(|error| {
                bad(
                    &field,
                    format!(
                        "cannot read {}: {error}; paths are relative to the job file",
                        path.display()
                    ),
                )
            })?;
            let all = bytes.len() as u64;
            let offset = entry.number("offset", u64::MAX)?.unwrap_or(0);
            if offset > all {
                return Err(bad(
                    &entry.field("offset"),
                    format!(
                        "{offset} lies behind the end of {} ({all} bytes)",
                        path.display()
                    ),
                ));
            }
            let count = entry.number("bytes", u64::MAX)?.unwrap_or(all - offset);
            if count > all - offset {
                return Err(bad(
                    &entry.field("bytes"),
                    format!(
                        "{} has only {} bytes from offset {offset} on",
                        path.display(),
                        all - offset
                    ),
                ));
            }
            if count > ADDRESS_SPACE {
                return Err(bad(
                    &field,
                    "is larger than the 1 GiB that V3D can address; give bytes",
                ));
            }
            memory.put(addr, &bytes[offset as usize..(offset + count) as usize]);
        }
    }
    Ok(())
}

/// The launches: those given, or one with all `programs`.
fn launches(job: &Object) -> Result<Vec<JobLaunch>> {
    let default_clear = match job.get("clear") {
        Some(Value::Array(_)) | None => CacheClear::All,
        Some(value) => clear("clear", value)?,
    };
    let Some(list) = job.list("launches")? else {
        let what = "a list of {\"code\": address, \"uniforms\": address}";
        let programs = programs("programs", job.need("programs", what)?)?;
        return Ok(vec![JobLaunch {
            programs,
            clear: default_clear,
        }]);
    };
    if job.list("programs")?.is_some_and(|list| !list.is_empty()) {
        return Err(bad(
            "launches",
            "replaces programs; leave one of the two out",
        ));
    }
    let clears = match job.get("clear") {
        Some(Value::Array(clears)) if clears.len() != list.len() => {
            return Err(bad(
                "clear",
                format!(
                    "has {} entries for {} launches; give one for each, or a single string",
                    clears.len(),
                    list.len()
                ),
            ));
        }
        Some(Value::Array(clears)) => Some(clears),
        _ => None,
    };
    let mut launches = vec![];
    for (index, value) in list.iter().enumerate() {
        let at = format!("launches[{index}]");
        let of_list = clears
            .map(|clears| clear(&format!("clear[{index}]"), &clears[index]))
            .transpose()?
            .unwrap_or(default_clear);
        launches.push(if value.is_object() {
            let launch = Object::new(&at, value, &["programs", "clear"])?;
            JobLaunch {
                programs: programs(
                    &launch.field("programs"),
                    launch.need("programs", "a list of programs")?,
                )?,
                clear: launch
                    .get("clear")
                    .map_or(Ok(of_list), |value| clear(&launch.field("clear"), value))?,
            }
        } else {
            JobLaunch {
                programs: programs(&at, value)?,
                clear: of_list,
            }
        });
    }
    Ok(launches)
}

fn clear(field: &str, value: &Value) -> Result<CacheClear> {
    match value.as_str() {
        Some("all") => Ok(CacheClear::All),
        Some("data") => Ok(CacheClear::Data),
        Some("none") => Ok(CacheClear::None),
        _ => Err(bad(
            field,
            format!("{value} is unknown; give \"all\", \"data\" or \"none\""),
        )),
    }
}

fn programs(field: &str, value: &Value) -> Result<Vec<Program>> {
    let list = value.as_array().ok_or_else(|| {
        bad(
            field,
            "must be a list of {\"code\": address, \"uniforms\": address}",
        )
    })?;
    let mut programs = vec![];
    for (index, value) in list.iter().enumerate() {
        let program = Object::new(&format!("{field}[{index}]"), value, &["code", "uniforms"])?;
        let (code, uniforms) = (program.address("code")?, program.address("uniforms")?);
        for (key, addr, step) in [("code", code, 8), ("uniforms", uniforms, 4)] {
            if addr % step != 0 {
                return Err(bad(
                    &program.field(key),
                    format!("{addr:#010x} must be a multiple of {step}"),
                ));
            }
        }
        programs.push(Program {
            code: BusAddr(code),
            uniforms: BusAddr(uniforms),
        });
    }
    Ok(programs)
}

fn dump(memory: &mut SparseMemory, at: &str, entry: &Value, folder: &Path) -> Result<Dump> {
    let entry = Object::new(at, entry, &["at", "bytes", "file"])?;
    let addr = entry.address("at")?;
    entry.need("bytes", "how many bytes to write")?;
    let bytes = entry.number("bytes", ADDRESS_SPACE)?.unwrap_or(0) as usize;
    entry.need("file", "the name of the file to write")?;
    let file = folder.join(entry.text("file")?.unwrap_or_default());
    memory.get(addr, bytes).map_err(|fault| {
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
    use super::*;

    const WHOLE: &str = r#"{
        "memory": [ {"at": "0x40000000", "zero": 65536}, {"at": "0x40000010", "words": ["0x1", 2, "3"]} ],
        "programs": [ {"code": "0x40000100", "uniforms": 1073742336} ],
        "dump": [ {"at": "0x00000010", "bytes": 12, "file": "out.bin"} ],
        "board": "zero", "limit_cycles": 1000, "functional": true, "seed": 7, "strict": true }"#;

    fn parse(text: &str) -> Result<JobFile> {
        JobFile::parse(text, Path::new("/folder"))
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
            clock_hz: 300_000_000,
            limit_cycles: 1000,
            order_seed: Some(7),
            strict: true,
        };
        assert_eq!(job.options, expected);
    }

    #[test]
    fn launches_replace_programs_and_say_what_is_cleared() {
        let with = |rest: &str| {
            parse(&format!(r#"{{"memory": [], {rest}}}"#))
                .unwrap_or_else(|failure| panic!("{failure}"))
                .launches
                .iter()
                .map(|launch| (launch.programs.len(), launch.clear))
                .collect::<Vec<_>>()
        };
        let one = r#"{"code": 0, "uniforms": 0}"#;
        assert_eq!(with(r#""programs": []"#), [(0, CacheClear::All)]);
        assert_eq!(
            with(&format!(
                r#""launches": [[{one}], [{one}, {one}]], "clear": "data""#
            )),
            [(1, CacheClear::Data), (2, CacheClear::Data)]
        );
        assert_eq!(
            with(&format!(
                r#""launches": [[{one}], {{"programs": [], "clear": "all"}}], "clear": ["none", "data"]"#
            )),
            [(1, CacheClear::None), (0, CacheClear::All)]
        );
    }

    #[test]
    fn every_mistake_names_its_field() {
        let good = r#"{"memory": [{"at": 0, "zero": 16}], "programs": []}"#;
        assert!(parse(good).is_ok());
        for (text, named) in [
            ("{", "not JSON"),
            ("[]", "the job"),
            (r#"{"programs": []}"#, "memory: is missing"),
            (r#"{"memory": []}"#, "programs: is missing"),
            (
                r#"{"memory": [], "programs": [], "speed": 1}"#,
                "speed: unknown key",
            ),
            (
                r#"{"memory": {}, "programs": []}"#,
                "memory: must be a list",
            ),
            (
                r#"{"memory": [{"zero": 1}], "programs": []}"#,
                "memory[0].at: is missing",
            ),
            (
                r#"{"memory": [{"at": "x", "zero": 1}], "programs": []}"#,
                "memory[0].at: \"x\" is not a number",
            ),
            (
                r#"{"memory": [{"at": -1, "zero": 1}], "programs": []}"#,
                "memory[0].at",
            ),
            (
                r#"{"memory": [{"at": 1.5, "zero": 1}], "programs": []}"#,
                "memory[0].at",
            ),
            (
                r#"{"memory": [{"at": "0x100000000", "zero": 1}], "programs": []}"#,
                "too large",
            ),
            (
                r#"{"memory": [{"at": 0}], "programs": []}"#,
                "memory[0]: must have exactly one of",
            ),
            (
                r#"{"memory": [{"at": 0, "zero": 1, "words": []}], "programs": []}"#,
                "exactly one of",
            ),
            (
                r#"{"memory": [{"at": 0, "zero": 1, "offset": 1}], "programs": []}"#,
                "memory[0].offset",
            ),
            (
                r#"{"memory": [{"at": 0, "words": [true]}], "programs": []}"#,
                "memory[0].words[0]",
            ),
            (
                r#"{"memory": [{"at": 0, "file": "absent.bin"}], "programs": []}"#,
                "memory[0].file: cannot read /folder/absent.bin",
            ),
            (
                r#"{"memory": [{"at": 0, "size": 1}], "programs": []}"#,
                "memory[0].size: unknown key",
            ),
            (
                r#"{"memory": [], "programs": [{"code": 8}]}"#,
                "programs[0].uniforms: is missing",
            ),
            (
                r#"{"memory": [], "programs": [{"code": 4, "uniforms": 0}]}"#,
                "programs[0].code: 0x00000004 must be a multiple of 8",
            ),
            (
                r#"{"memory": [], "programs": [], "board": "pi4"}"#,
                "board: \"pi4\" is unknown",
            ),
            (
                r#"{"memory": [], "programs": [], "strict": 1}"#,
                "strict: must be true or false",
            ),
            (
                r#"{"memory": [], "programs": [], "clock_hz": 0}"#,
                "clock_hz",
            ),
            (
                r#"{"memory": [], "programs": [], "clear": "some"}"#,
                "clear: \"some\" is unknown",
            ),
            (
                r#"{"memory": [], "launches": [[]], "clear": []}"#,
                "clear: has 0 entries for 1",
            ),
            (
                r#"{"memory": [], "launches": [[]], "programs": [{"code": 0, "uniforms": 0}]}"#,
                "launches: replaces",
            ),
            (
                r#"{"memory": [], "programs": [], "dump": [{"at": 0, "bytes": 4, "file": "o"}]}"#,
                "dump[0]: there is no memory at 0x00000000",
            ),
            (
                r#"{"memory": [], "programs": [], "dump": [{"at": 0, "file": "o"}]}"#,
                "dump[0].bytes: is missing",
            ),
        ] {
            let failure = parse(text)
                .err()
                .unwrap_or_else(|| panic!("{text} was taken"));
            assert_eq!(failure.exit, crate::failure::Exit::Usage);
            assert!(failure.message.contains(named), "{text}: {failure}");
        }
    }

    #[test]
    fn a_part_of_a_file_is_placed() {
        let folder = std::env::temp_dir();
        let name = format!("qpuscope-job-{}.bin", std::process::id());
        std::fs::write(folder.join(&name), [1, 2, 3, 4, 5, 6]).expect("temporary file");
        let with = |rest: &str| {
            JobFile::parse(
                &format!(r#"{{"memory": [{{"at": 16, "file": "{name}"{rest}}}], "programs": []}}"#),
                &folder,
            )
        };
        let mut whole = with("").unwrap_or_else(|failure| panic!("{failure}"));
        assert_eq!(
            whole.memory.get(15, 8).expect("file"),
            [0, 1, 2, 3, 4, 5, 6, 0]
        );
        let mut part =
            with(r#", "offset": 2, "bytes": "0x3""#).unwrap_or_else(|failure| panic!("{failure}"));
        assert_eq!(part.memory.get(16, 4).expect("file"), [3, 4, 5, 0]);
        for (rest, named) in [
            (r#", "offset": 7"#, "memory[0].offset: 7 lies behind"),
            (r#", "offset": 2, "bytes": 5"#, "memory[0].bytes"),
        ] {
            let failure = with(rest)
                .err()
                .unwrap_or_else(|| panic!("{rest} was taken"));
            assert!(failure.message.contains(named), "{failure}");
        }
        std::fs::remove_file(folder.join(&name)).expect("temporary file");
    }
}
