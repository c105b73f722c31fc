//! Launches of a job: programs, their starts, and the caches that each clears before.

use qpu::isa::INSTRUCTION_BYTES;
use qpu::job::{BusAddr, CacheClear, Program};
use serde_json::Value;
use v3d_sim::{JobLaunch, SparseMemory};

use super::memory::Placed;
use super::object::{Object, bad};
use common::failure::Result;
use common::text::quote;

/// The launches: those given, or one with all `programs`.
pub(super) fn launches(job: &Object) -> Result<Vec<JobLaunch>> {
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

/// Refuses programs whose first instruction is not in memory, and those whose code is text: a file
/// of words, of source or of another language was taken for a binary.
///
/// Two instructions of nothing but printable characters are none that anybody runs.
pub(super) fn check_code(memory: &mut SparseMemory, launches: &[JobLaunch]) -> Result<()> {
    for program in launches.iter().flat_map(|launch| &launch.programs) {
        let BusAddr(code) = program.code;
        if memory.check(code, INSTRUCTION_BYTES as usize).is_err() {
            let problem =
                format!("there is none at {code:#010x}, where a program's code should be");
            // The digits of a hexadecimal address, taken for a decimal one.
            let hex = u32::from_str_radix(&code.to_string(), 16).ok();
            let meant = hex.filter(|hex| memory.check(*hex, INSTRUCTION_BYTES as usize).is_ok());
            let help = match meant {
                Some(hex) => format!("{code} is decimal: write \"{hex:#x}\""),
                None => {
                    "name the file of the code under memory with this address in `at`".to_owned()
                }
            };
            return Err(bad("memory", format!("{problem}; {help}")));
        }
        let first = memory.get(code, 16).unwrap_or_default();
        let is_text = |byte: &u8| matches!(byte, b' '..=b'~' | b'\t' | b'\r' | b'\n');
        if !first.is_empty() && first.iter().all(is_text) {
            let text = String::from_utf8_lossy(&first);
            return Err(bad(
                "memory",
                format!(
                    "the code at {code:#010x} is text, {text:?}; make instructions of source with `qpu asm FILE -o \
                     CODE.bin`, of words with `qpu dis FILE | qpu asm - -o CODE.bin`, and name the result"
                ),
            ));
        }
    }
    Ok(())
}

/// Says which entries of `memory` lie over an earlier one that a program begins with: the program
/// is longer than its place, as a rule.
pub(super) fn over_code(entries: &[Placed], launches: &[JobLaunch]) -> Vec<String> {
    let programs = || launches.iter().flat_map(|launch| &launch.programs);
    let is_code = |placed: &Placed| programs().any(|program| placed.begins_at(program.code.0));
    let mut notes = vec![];
    for (index, code) in entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| is_code(entry))
    {
        let replaces = |later: &Placed| later.begins_at(code.at) && later.bytes >= code.bytes;
        let over = |(_, later): &(usize, &Placed)| later.meets(code) && !replaces(later);
        for (later, entry) in entries.iter().enumerate().skip(index + 1).filter(over) {
            notes.push(format!(
                "memory[{later}] at {:#010x} replaces part of memory[{index}], the {} bytes of code at {:#010x}; place it \
                 elsewhere, unless that is meant",
                entry.at, code.bytes, code.at
            ));
        }
    }
    notes
}

/// Refuses what stands where the address of it should: a file's name, or the words themselves.
fn refuse_content(field: &str, value: Option<&Value>) -> Result<()> {
    let is_content = match value {
        Some(Value::Array(_) | Value::Object(_)) => true,
        Some(Value::String(text)) => !text.starts_with(|c: char| c.is_ascii_digit()),
        _ => false,
    };
    if !is_content {
        return Ok(());
    }
    Err(bad(
        field,
        "is no address; put the file or the words under memory with an address in `at`, and give that here",
    ))
}

fn clear(field: &str, value: &Value) -> Result<CacheClear> {
    match value.as_str() {
        Some("all") => Ok(CacheClear::All),
        Some("data") => Ok(CacheClear::Data),
        Some("none") => Ok(CacheClear::None),
        _ => Err(bad(
            field,
            format!(
                "{} is unknown; give \"all\", \"data\" or \"none\"",
                quote(&value.to_string())
            ),
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
        for key in ["code", "uniforms"] {
            refuse_content(&program.field(key), program.get(key))?;
        }
        let (code, uniforms) = (
            program.address("code")?,
            // As SRQUA takes it: 0 for a program that reads none.
            program
                .number("uniforms", u64::from(u32::MAX))?
                .unwrap_or(0) as u32,
        );
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job_file::tests::{each_is_refused, parse};

    #[test]
    fn code_that_is_text_is_refused() {
        // `0x15827d80, 0x10`
        let words = "[892434480, 1681338936, 539766840, 808548400]";
        let job = |at: &str| {
            let program = format!(r#"{{"code": "{at}", "uniforms": 0}}"#);
            format!(r#"{{"memory": [{{"at": 64, "words": {words}}}], "programs": [{program}]}}"#)
        };
        each_is_refused(&[(&job("64"), "is text")]);
        // What is not all there is for the run to tell.
        assert!(parse(&job("72")).is_ok());
    }

    #[test]
    fn code_that_is_not_in_memory_is_refused() {
        let job = |code: &str| {
            let program = format!(r#"{{"code": "{code}", "uniforms": 0}}"#);
            format!(r#"{{"memory": [{{"at": 0, "zero": 8}}], "launches": [[{program}]]}}"#)
        };
        assert!(parse(&job("0xc0000000")).is_ok());
        each_is_refused(&[(&job("0x50000000"), "memory: there is none at 0x50000000")]);
    }

    #[test]
    fn the_digits_of_a_hexadecimal_address_are_known() {
        let text =
            r#"{"memory": [{"at": "0x40001000", "zero": 8}], "programs": [{"code": "40001000"}]}"#;
        each_is_refused(&[(text, "40001000 is decimal: write \"0x40001000\"")]);
    }

    #[test]
    fn what_lies_over_code_is_reported() {
        let job = |at: &str, rest: &str| {
            let code = r#"{"at": "0x40001000", "zero": 24}"#;
            let text = format!(
                r#"{{"memory": [{code}, {{"at": "{at}", {rest}}}], "programs": [{{"code": "0x40001000"}}]}}"#
            );
            let job = parse(&text).unwrap_or_else(|failure| panic!("{failure}"));
            job.notes
        };
        for at in ["0x40001000", "0x40001014", "0xc0001014"] {
            let notes = job(at, r#""words": [1]"#);
            assert!(
                matches!(&notes[..], [note] if note.contains("memory[1] at ")),
                "{notes:?}"
            );
        }
        assert!(job("0x40001018", r#""words": [1]"#).is_empty());
        assert!(job("0x40001000", r#""zero": 24"#).is_empty()); // an entry that takes its place
    }

    #[test]
    fn launches_replace_programs_and_say_what_is_cleared() {
        let with = |rest: &str| {
            parse(&format!(
                r#"{{"memory": [{{"at": 0, "zero": 8}}], {rest}}}"#
            ))
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
    fn programs_and_launches_that_are_wrong_name_their_field() {
        each_is_refused(&[
            (r#"{"memory": []}"#, "programs: is missing"),
            (
                r#"{"memory": [], "programs": [{"uniforms": 8}]}"#,
                "programs[0].code: is missing",
            ),
            (
                r#"{"memory": [], "programs": [{"code": "a.bin", "uniforms": 0}]}"#,
                "programs[0].code: is no address; put the file",
            ),
            (
                r#"{"memory": [], "programs": [{"code": 0, "uniforms": [1, 2]}]}"#,
                "programs[0].uniforms: is no address",
            ),
            (
                r#"{"memory": [], "programs": [{"code": 4, "uniforms": 0}]}"#,
                "programs[0].code: 0x00000004 must be a multiple of 8",
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
        ]);
    }
}
