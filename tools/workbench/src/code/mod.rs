//! QPU code from files: hexadecimal text, arrays of C, or binary, told apart by content.

mod arrays;
mod numbers;

use std::path::Path;

use arrays::{Array, arrays};
use common::failure::{Failure, Result};
use common::files::input;
use common::say;
use numbers::{Notation, without_tail};

/// The name that messages give a file, and its bytes; `-` is standard input.
///
/// # Errors
/// Usage, when it cannot be read.
pub fn read(path: &Path) -> Result<(String, Vec<u8>)> {
    let name = say::path(path);
    let bytes = input::read(path, "QPU code", input::TEXT)?;
    refuse_job(&name, &bytes)?;
    Ok((name, bytes))
}

/// Returns whether a text is source and no words: its first word is no hexadecimal number of a
/// word's length.
///
/// `add` and `fadd` are hexadecimal numbers too.
#[must_use]
pub fn is_source(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    if bytes.contains(&0) {
        return false;
    }
    let code = without_comments(text.trim_start_matches('\u{feff}'));
    if !arrays(&code).is_empty() {
        return false;
    }
    let mut lines = code.lines().map(without_tail);
    let Some(line) = lines.find(|line| !line.is_empty()) else {
        return false;
    };
    let separators = [' ', '\t', ',', '{', '}'];
    let word = line
        .split(separators)
        .find(|word| !word.is_empty())
        .unwrap_or("");
    let is_long =
        [8, 16].contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    !word.starts_with("0x") && !word.starts_with("0X") && !is_long && !word.is_empty()
}

/// The text of a source. Comments in old ones are Latin-1; code never is.
#[must_use]
pub fn source_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect())
}

/// Refuses the job file of a program where the program itself should be.
///
/// # Errors
/// Usage, when the bytes are an object of JSON by their looks, and it has programs.
pub fn refuse_job(name: &str, bytes: &[u8]) -> Result<()> {
    let text = bytes.trim_ascii_start();
    let is_job = text.starts_with(b"{") && text.windows(10).any(|part| part == b"\"programs\"");
    match is_job {
        true => Err(Failure::usage(format!(
            "{name} is a job; run it with `qpu run`, and give the file of the code that it names here"
        ))),
        false => Ok(()),
    }
}

/// Refuses a file of another language, by its name: as source of the assembler it would be
/// nonsense.
///
/// # Errors
/// Usage, for a name that sources of the assembler do not have.
pub fn refuse_other_language(name: &str) -> Result<()> {
    const SOURCES: [&str; 13] = [
        "c", "h", "cc", "cpp", "cxx", "hpp", "cs", "rs", "go", "js", "mjs", "ts", "py",
    ];
    let extension = Path::new(name).extension().and_then(|own| own.to_str());
    match extension.filter(|own| SOURCES.contains(own)) {
        Some(_) => Err(unknown(name)),
        None => Ok(()),
    }
}

/// The refusal of all that is no code in one of the three forms.
fn unknown(name: &str) -> Failure {
    Failure::usage(format!(
        "{name} has no QPU words that can be read; give binary code alone, hexadecimal words, or an array of \
         numbers in C without `#if`, as UTF-8"
    ))
}

/// Which array of a file has the code.
#[derive(clap::Args, Debug)]
pub struct Choice {
    /// Take this array of a file of C that has several
    #[arg(long, value_name = "NAME")]
    array: Option<String>,
}

impl Choice {
    /// Refuses a choice of what has no arrays.
    ///
    /// # Errors
    /// Usage, when an array was chosen.
    pub fn refuse(&self, name: &str) -> Result<()> {
        match &self.array {
            Some(array) => Err(Failure::usage(format!(
                "{name} is source, and has no array {array}; leave --array out"
            ))),
            None => Ok(()),
        }
    }
}

/// The instructions of a file.
///
/// # Errors
/// Usage, when the file is neither text nor whole instructions, or has not the array that is
/// wanted.
pub fn words(name: &str, bytes: &[u8], choice: &Choice) -> Result<Vec<u64>> {
    if bytes.is_empty() {
        return Err(Failure::usage(format!(
            "{name} is empty; give a file with QPU code"
        )));
    }
    // Comments may be in any language; code without a control character is rare.
    let is_text = bytes
        .iter()
        .all(|byte| matches!(byte, b' '..=b'~' | b'\t' | b'\r' | b'\n' | 0x80..));
    if is_text {
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_start_matches('\u{feff}');
        return hex_words(name, text, choice.array.as_deref());
    }
    if let Some(array) = &choice.array {
        return Err(Failure::usage(format!(
            "{name} is binary, and has no array {array}; leave --array out"
        )));
    }
    let is_utf16 = |(mark, place): ([u8; 2], usize)| {
        let mut units = bytes.chunks(2);
        units.next() == Some(&mark) && units.all(|unit| unit.get(place) == Some(&0))
    };
    let is_wide = [([0xff, 0xfe], 1), ([0xfe, 0xff], 0)]
        .into_iter()
        .any(is_utf16);
    if is_wide || bytes.starts_with(b"\x7fELF") {
        return Err(unknown(name));
    }
    numbers::whole(name, bytes)
}

/// The text with `/* ... */` blanked out, its lines kept.
fn without_block_comments(text: &str) -> String {
    let mut rest = text;
    let mut code = String::with_capacity(text.len());
    while let Some((before, comment)) = rest.split_once("/*") {
        let (comment, after) = comment.split_once("*/").unwrap_or((comment, ""));
        code.push_str(before);
        code.push(' ');
        code.extend(comment.chars().filter(|character| *character == '\n'));
        rest = after;
    }
    code + rest
}

/// The text without comments of C and assemblers, and so without lines of C's preprocessor.
fn without_comments(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    for line in without_block_comments(text).lines() {
        let line = line.split('#').next().unwrap_or("");
        let line = line.split("//").next().unwrap_or("").trim_end();
        // A line of C goes on behind a backslash.
        code.push_str(line.strip_suffix('\\').unwrap_or(line));
        code.push('\n');
    }
    code
}

/// Returns whether lines may be left out by a condition of C's preprocessor, which is not
/// evaluated.
fn has_conditions(text: &str) -> bool {
    let mut lines = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix('#'));
    lines.any(|line| line.trim_start().starts_with("if "))
}

/// The instructions of a text, or of one of its arrays.
fn hex_words(name: &str, text: &str, wanted: Option<&str>) -> Result<Vec<u64>> {
    let mut code = without_comments(text);
    let all = arrays(&code);
    let array = match (all.as_slice(), wanted) {
        ([], None) => None,
        ([array], None) => Some(array),
        (_, Some(wanted)) => {
            let mut own = all.iter().filter(|array| array.name == wanted);
            let (first, second) = (own.next(), own.next());
            if second.is_some() {
                return Err(Failure::usage(format!(
                    "{name} has several arrays {wanted}; give one of them in a file of its own"
                )));
            }
            Some(first.ok_or_else(|| {
                let known = match listed(&all).as_str() {
                    "" => "no arrays; leave --array out".to_owned(),
                    names => format!("no array {wanted}; its arrays are {names}"),
                };
                Failure::usage(format!("{name} has {known}"))
            })?)
        }
        (several, None) => {
            return Err(Failure::usage(format!(
                "{name} holds {} arrays; choose one with --array: {}",
                several.len(),
                listed(several)
            )));
        }
    };
    let Some(array) = array else {
        return numbers::instructions(name, &code, Notation::Hex).or_else(|failure| {
            refuse_other_language(name)?;
            Err(failure)
        });
    };
    if has_conditions(text) {
        return Err(unknown(name));
    }
    let lines_before = code[..array.contents.start].matches('\n').count();
    code = "\n".repeat(lines_before) + &code[array.contents.clone()];
    numbers::instructions(name, &code, Notation::C)
}

/// The names of arrays, but not all of hundreds.
fn listed(arrays: &[Array]) -> String {
    const MOST: usize = 20;
    let names = arrays.iter().map(|array| array.name);
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    let listed = names[..names.len().min(MOST)].join(", ");
    match names.len().saturating_sub(MOST) {
        0 => listed,
        left_out => format!("{listed} and {left_out} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: Choice = Choice { array: None };
    const NOP: u64 = 0x1000_09E7_009E_7000;

    #[test]
    fn all_spellings_are_the_same_code() {
        let texts = [
            "0x100009e7009e7000\n",
            "0x009e7000, 0x100009e7, // nop\n",
            "009e7000 100009e7 # nop",
            "{ 0x009e7000u, 0x100009e7u },\n",
            "0x009e7000, /* low; # of\n two */ 0x100009e7 /* high */",
            // As vc4asm and `qpu asm` write them.
            "#include \"a.h\"\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n__declspec(align(8))\nuint32_t a[2] = {\n0x009e7000, 0x100009e7\n};\n#pragma Align_to(8, a)\n}\n",
            "static const uint32_t code[] __attribute__((aligned(8))) =\n{ 0x009e7000, // nop = { 1 }\n0x100009e7 };",
            // As `xxd -i` writes it.
            "unsigned char a_bin[] = {\n  0x00, 0x70, 0x9e, 0x00, 0xe7, 0x09, 0x00, 0x10\n};\nunsigned int a_bin_len = 8;\n",
            // As Broadcom's driver has them.
            "uint32_t A[] = { \\\n0x009e7000, 0x100009e7 /* nop */ \\\n};\n",
            "int a[] = { 10383360, 268437991 };",
        ];
        for text in texts {
            assert_eq!(
                words("t", text.as_bytes(), &ANY).expect(text),
                [NOP],
                "{text}"
            );
        }
        assert_eq!(words("t", &NOP.to_le_bytes(), &ANY).expect("binary"), [NOP]);
    }

    #[test]
    fn comments_may_be_in_any_language() {
        for text in [
            "\u{feff}0x009e7000, 0x100009e7",
            "// für „nop“\n0x009e7000, 0x100009e7",
        ] {
            assert_eq!(words("t", text.as_bytes(), &ANY).expect(text), [NOP]);
            assert!(!is_source(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn a_choice_must_name_one_array() {
        let choice = Choice {
            array: Some("a".to_owned()),
        };
        let failure = choice.refuse("t").expect_err("source");
        assert!(failure.message.contains("leave --array out"), "{failure}");
        let text = b"int a[] = { 0x1, 0x2 };\nint a[] = { 0x3, 0x4 };";
        let failure = words("t", text, &choice).expect_err("two");
        assert!(failure.message.contains("several arrays a"), "{failure}");
    }

    #[test]
    fn an_array_can_be_chosen() {
        let text = b"int a[] = { 0x1, 0x2 };\nint b[][2] = { { 0x009e7000, 0x100009e7 },\n { 0x009e7000, 0x100009e7 } };";
        let chosen = |name: &str| {
            let array = Some(name.to_owned());
            words("t", text, &Choice { array })
        };
        assert_eq!(chosen("b").expect("b"), [NOP, NOP]);
        let message = chosen("c").expect_err("c").message;
        assert!(message.contains("its arrays are a, b"), "{message}");
        let array = Some("a".to_owned());
        let none = words("t", b"0x1, 0x2", &Choice { array }).expect_err("none");
        assert!(none.message.contains("leave --array out"), "{none}");
    }

    #[test]
    fn not_all_of_many_arrays_are_named() {
        let many: String = (0..23)
            .map(|n| format!("int a{n}[] = {{ 1, 2 }};\n"))
            .collect();
        let message = words("t", many.as_bytes(), &ANY).expect_err("many").message;
        assert!(message.ends_with("a19 and 3 more"), "{message}");
    }

    #[test]
    fn source_and_words_are_distinguished() {
        for source in [
            "add r0, r0, 1",
            ".set i, 1",
            ":top\nnop",
            "# a\n\n  fadd r0, r0, r1",
            ".set is(x) x >= [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-2]",
        ] {
            assert!(is_source(source.as_bytes()), "{source}");
        }
        for words in [
            "0x1",
            "100009e7009e7000",
            "/* a */ { 0x1, 0x2 }",
            "009e7000 100009e7",
            "",
            "\0a",
            "unsigned a[2] = { 0x009e7000, 0x100009e7 };",
        ] {
            assert!(!is_source(words.as_bytes()), "{words}");
        }
    }

    #[test]
    fn what_is_no_code_is_refused_with_what_to_do() {
        for (bytes, named) in [
            (&b""[..], "empty"),
            (b"hello", "line 1: `hello`"),
            (b"0x1", "other half"),
            (b"# only a comment\n", "no words"),
            (b"\x00\x01\x02", "no whole number"),
            (b"0x1 0x100009e7009e7000", "other half"),
            (
                b"int a[] = { 0x1, 0x2 };\nint b[] = { 0x1, 0x2 };",
                "2 arrays; choose one with --array: a, b",
            ),
            (b"int a[] = {\n 0x1,\n x };", "line 3: `x`"),
            (b"int a[] = {", "no words"),
            (b"\x7fELF\x01\x01\x01\0", "as UTF-8"),
            (b"\xff\xfen\0o\0p\0", "as UTF-8"),
            (
                b"#if 0\nint a[] = { 0x1, 0x2 };\n#endif\nvoid f();\n",
                "without `#if`",
            ),
        ] {
            let failure = words("t", bytes, &ANY).expect_err(named);
            assert!(failure.message.contains(named), "{failure}");
        }
        let text = b"pub const A: [u64; 1] = [0x100009e7009e7000];";
        let failure = words("t.rs", text, &ANY).expect_err("Rust");
        assert!(
            failure.message.contains("an array of numbers in C"),
            "{failure}"
        );
        assert_eq!(words("t.h", b"0x1, 0x2", &ANY).expect("words").len(), 1);
    }
}
