//! Memory of a job before its run: zeros, words, and parts of files.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde_json::Value;
use v3d_sim::SparseMemory;

use super::object::{Object, TOO_LARGE, bad, number, unsigned};
use common::failure::{Failure, Result};
use common::say;
use common::text::quote;

/// Bytes behind the alias bits of a bus address.
pub(super) const ADDRESS_SPACE: u64 = 1 << 30;

/// Files are read in pieces, so that a job takes little more memory than what it puts there.
const PIECE_BYTES: usize = 1 << 20;

/// Where an entry lies in memory.
pub(super) struct Placed {
    /// The file that it came from, if it was one.
    pub file: Option<PathBuf>,
    pub at: u32,
    pub bytes: u64,
}

impl Placed {
    /// The distance of a bus address from its first byte, through whatever alias.
    fn distance(&self, addr: u32) -> u64 {
        u64::from(addr.wrapping_sub(self.at)) % ADDRESS_SPACE
    }

    /// Returns whether a bus address lies in it.
    pub fn holds(&self, addr: u32) -> bool {
        self.distance(addr) < self.bytes
    }

    /// Returns whether it begins at a bus address.
    pub fn begins_at(&self, addr: u32) -> bool {
        self.distance(addr) == 0
    }

    /// Returns whether a byte is in both.
    pub fn meets(&self, other: &Self) -> bool {
        self.bytes > 0 && other.bytes > 0 && (self.holds(other.at) || other.holds(self.at))
    }
}

/// Puts one entry of `memory`, which stands at `at`, where it says.
pub(super) fn put_entry(
    memory: &mut SparseMemory,
    at: &str,
    entry: &Value,
    folder: &Path,
) -> Result<Placed> {
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
    let mut path = None;
    let bytes = match kind {
        "zero" => {
            let bytes = entry.number("zero", ADDRESS_SPACE)?.unwrap_or(0);
            must_fit(&field, addr, bytes)?;
            memory.put_zero(addr, bytes as usize);
            bytes
        }
        "words" => {
            let mut bytes = vec![];
            for (index, word) in entry.list("words")?.unwrap_or_default().iter().enumerate() {
                let word = memory_word(&format!("{field}[{index}]"), word)?;
                bytes.extend_from_slice(&word.to_le_bytes());
            }
            must_fit(&field, addr, bytes.len() as u64)?;
            memory.put(addr, &bytes);
            bytes.len() as u64
        }
        _ => {
            let path = path.insert(folder.join(entry.text("file")?.unwrap_or_default()));
            if path
                .extension()
                .is_some_and(|extension| extension == "qasm")
            {
                let problem = "is source text; assemble it with `qpu asm FILE -o CODE.bin` and name the result";
                return Err(bad(&field, format!("{} {problem}", say::path(path))));
            }
            put_file(memory, &entry, path, addr)?
        }
    };
    Ok(Placed {
        file: path,
        at: addr,
        bytes,
    })
}

/// Puts what an entry takes of a file at `addr`; gives how many bytes that is.
fn put_file(memory: &mut SparseMemory, entry: &Object, path: &Path, addr: u32) -> Result<u64> {
    let field = entry.field("file");
    let name = say::path(path);
    let cannot_read = |error: std::io::Error| {
        let problem = format!("cannot read {name}: {error}; paths are relative to the job file");
        bad(&field, problem)
    };
    let known = std::fs::metadata(path).map_err(cannot_read)?;
    let kind = known.file_type();
    if !kind.is_file() && !kind.is_dir() {
        let problem = format!(
            "{name} is a device or a pipe, of which no part can be chosen; write it to a file and name that"
        );
        return Err(bad(&field, problem));
    }
    let mut file = File::open(path).map_err(cannot_read)?;
    let all = known.len();
    let offset = entry.number("offset", u64::MAX)?.unwrap_or(0);
    if offset > all {
        let problem = format!("{offset} lies behind the end of {name} ({all} bytes)");
        return Err(bad(&entry.field("offset"), problem));
    }
    let count = entry.number("bytes", u64::MAX)?.unwrap_or(all - offset);
    if count > all - offset {
        let left = all - offset;
        let problem = format!("{name} has only {left} bytes from offset {offset} on");
        return Err(bad(&entry.field("bytes"), problem));
    }
    if all == 0 {
        return Err(bad(&field, format!("{name} is empty; name another file")));
    }
    must_fit(&field, addr, count)?;
    file.seek(SeekFrom::Start(offset)).map_err(cannot_read)?;
    let mut buffer = vec![0; PIECE_BYTES.min(count as usize)];
    let mut done = 0;
    while done < count {
        let piece = &mut buffer[..PIECE_BYTES.min((count - done) as usize)];
        file.read_exact(piece).map_err(cannot_read)?;
        memory.put(addr.wrapping_add(done as u32), piece);
        done += piece.len() as u64;
    }
    Ok(count)
}

/// Refuses an entry that goes on past the last address: all aliases being one memory, it would go
/// on over what lies at the first.
fn must_fit(field: &str, addr: u32, bytes: u64) -> Result<()> {
    let left = ADDRESS_SPACE - u64::from(addr) % ADDRESS_SPACE;
    if bytes <= left {
        return Ok(());
    }
    Err(bad(
        field,
        format!(
            "{bytes} bytes do not fit at {addr:#010x}: V3D addresses 1 GiB, of which {left} bytes are left there; place \
             them lower, or fewer"
        ),
    ))
}

/// A word of memory: unsigned, or negative in two's complement.
fn memory_word(field: &str, value: &Value) -> Result<u32> {
    let negative = match value {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
    .filter(|value| *value < 0);
    if let Some(float) = float(value) {
        let bits = float.to_bits();
        let value = quote(&value.to_string());
        let problem = format!("{value} is no integer; of a float give its bits, \"{bits:#010x}\"");
        return Err(bad(field, problem));
    }
    match negative {
        Some(value) => i32::try_from(value)
            .map(|value| value as u32)
            .map_err(|_| bad(field, format!("{value} is too small; at least -2^31 fits"))),
        None => number(field, value, u64::from(u32::MAX))
            .map(|word| word as u32)
            .map_err(|failure| match unsigned(value) {
                Ok(_) | Err(TOO_LARGE) => {
                    let more = "and an instruction is two words, low half first";
                    Failure::usage(format!("{failure}, {more}"))
                }
                Err(_) => failure,
            }),
    }
}

/// A number that is no integer.
fn float(value: &Value) -> Option<f32> {
    let text = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        _ => return None,
    };
    let is_integer = text.parse::<i128>().is_ok();
    text.parse().ok().filter(|_| !is_integer)
}

#[cfg(test)]
mod tests {
    use crate::job_file::JobFile;
    use crate::job_file::tests::each_is_refused;

    #[test]
    fn an_entry_of_memory_that_is_wrong_names_its_field() {
        each_is_refused(&[
            (r#"{"programs": []}"#, "memory: is missing"),
            (
                r#"{"memory": [{"zero": 1}], "programs": []}"#,
                "memory[0].at: is missing",
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
                r#"{"memory": [{"at": 0, "file": "absent.bin"}], "programs": []}"#,
                "memory[0].file: cannot read /folder/absent.bin",
            ),
            (
                r#"{"memory": [{"at": 0, "words": [1, 1.5]}], "programs": []}"#,
                "memory[0].words[1]: 1.5 is no integer; of a float give its bits, \"0x3fc00000\"",
            ),
            (
                r#"{"memory": [{"at": 0, "words": ["-2.0"]}], "programs": []}"#,
                "give its bits, \"0xc0000000\"",
            ),
            (
                r#"{"memory": [{"at": 0, "size": 1}], "programs": []}"#,
                "memory[0].size: unknown key",
            ),
            (
                r#"{"memory": [{"at": 0, "file": "add.qasm"}], "programs": []}"#,
                "memory[0].file: /folder/add.qasm is source text; assemble it",
            ),
            (
                r#"{"memory": [{"at": 0, "words": ["0x100009e7009e7000"]}], "programs": []}"#,
                "memory[0].words[0]: \"0x100009e7009e7000\" is too large; at most 0xffffffff fits, and an",
            ),
        ]);
    }

    #[test]
    fn a_word_of_more_than_64_bits_has_32_too() {
        each_is_refused(&[(
            r#"{"memory": [{"at": 0, "words": ["0x10000000000000000"]}], "programs": []}"#,
            "is too large; at most 0xffffffff fits, and an instruction is two words",
        )]);
    }

    #[test]
    fn no_entry_goes_on_at_the_first_address() {
        each_is_refused(&[
            (
                r#"{"memory": [{"at": "0x7ffffff8", "zero": 16}], "programs": []}"#,
                "memory[0].zero: 16 bytes do not fit at 0x7ffffff8: V3D addresses 1 GiB, of which 8 bytes are left",
            ),
            (
                r#"{"memory": [{"at": "0x3ffffffc", "words": [1, 2]}], "programs": []}"#,
                "memory[0].words: 8 bytes do not fit",
            ),
        ]);
        let last = r#"{"memory": [{"at": "0xfffffffc", "words": [1]}, {"at": 0, "zero": "0x40000000"}], "programs": []}"#;
        assert!(JobFile::parse(last, std::path::Path::new(".")).is_ok());
    }

    #[test]
    fn words_may_be_negative() {
        let text = r#"{"memory": [{"at": 0, "words": [-1, "-2", "0x10"]}], "programs": []}"#;
        let mut job = JobFile::parse(text, std::path::Path::new(".")).expect("a good job");
        let words = [0xffff_ffffu32, 0xffff_fffe, 16].map(u32::to_le_bytes);
        assert_eq!(job.memory.get(0, 12).expect("words"), words.concat());
        each_is_refused(&[(
            r#"{"memory": [{"at": 0, "words": [-2147483649]}], "programs": []}"#,
            "memory[0].words[0]: -2147483649 is too small",
        )]);
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
