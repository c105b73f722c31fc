//! Assembles and generates the QPU programs: const tables in OUT_DIR, listings in the target
//! directory.

use qpu::asm::{Options, assemble};
use qpu_fft::Plan;
use qpu_fft::kernels::catalogue::programs::{self, Generated};
use qpu_fft::program::Program;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

#[path = "src/firmware.rs"]
mod firmware;

/// The programs that are written as text, and the names of their tables.
const TEXTS: [(&str, &str); 14] = [
    ("hello", "HELLO"),
    ("sha256", "SHA256"),
    ("memcpy", "MEMCPY"),
    ("transpose", "TRANSPOSE"),
    ("transpose-points", "TRANSPOSE_POINTS"),
    ("bench-empty", "BENCH_EMPTY"),
    ("bench-spin", "BENCH_SPIN"),
    ("bench-endless", "BENCH_ENDLESS"),
    ("bench-number", "BENCH_NUMBER"),
    ("bench-handover", "BENCH_HANDOVER"),
    ("bench-uniforms", "BENCH_UNIFORMS"),
    ("bench-lookups", "BENCH_LOOKUPS"),
    ("bench-vectors", "BENCH_VECTORS"),
    ("bench-code", "BENCH_CODE"),
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    for piece in programs::stale_schedules() {
        println!(
            "cargo::warning=the searched schedule of {piece} is of other operations and ignored: search anew, or remove \
             its line from qpu/fft/src/schedules/schedules.txt"
        );
    }
    let generated = programs::all();
    let catalogue = generated.iter().cloned().map(Generated::leak);
    let catalogue: &[Program] = catalogue.collect::<Vec<_>>().leak();
    let mut table = String::new();
    for (number, entry) in generated.iter().map(entry).enumerate() {
        let _ = writeln!(table, "const P{number}: Program = {entry};");
    }
    table.push_str(&list(
        "The FFT programs, for plans of any kind and length: those that run units of 256 points, and those that \
         take transforms through the VPM.",
        "FFT",
        "P",
        0..catalogue.len(),
    ));
    table.push_str(&of_the_firmware(catalogue));
    fs::write(out.join("fft.rs"), table).expect("OUT_DIR is writable");

    let texts = TEXTS.map(|(name, constant)| (name, constant, words(name)));
    let mut tables: String = texts.iter().map(constant).collect();
    tables.push_str("/// Every program that is written as text, by name.\n");
    tables.push_str("pub const ALL: &[(&str, &[u64])] = &[\n");
    for (name, constant, _) in &texts {
        let _ = writeln!(tables, "    (\"{name}\", {constant}),");
    }
    tables.push_str("];\n");
    fs::write(out.join("text.rs"), tables).expect("OUT_DIR is writable");

    let Some(target) = target_directory(&out) else {
        return;
    };
    let listings = target.join("listings");
    fs::create_dir_all(&listings).expect("the target directory is writable");
    for program in &generated {
        let path = listings.join(program.name() + ".lst");
        fs::write(path, program.listing()).expect("the target directory is writable");
    }
    for (name, _, words) in &texts {
        let path = listings.join(format!("{name}.lst"));
        fs::write(path, qpu::disasm::listing(words)).expect("the target directory is writable");
    }
}

/// A list of programs, by their numbers, as Rust text.
fn list(what: &str, name: &str, letter: &str, numbers: impl IntoIterator<Item = usize>) -> String {
    let mut text = format!("/// {what}\npub const {name}: &[Program] = &[");
    for number in numbers {
        let _ = write!(text, "{letter}{number}, ");
    }
    text + "];\n"
}

/// The programs of the firmware, whose instructions share tables of halves, as Rust text.
fn of_the_firmware(catalogue: &'static [Program]) -> String {
    let numbers = used_by_the_firmware(catalogue);
    let (mut upper, mut lower) = (Halves::default(), Halves::default());
    let mut text = String::new();
    for &number in &numbers {
        let _ = writeln!(
            text,
            "const F{number}: Program = Program {{ code: Code::Halves {{ tables: &HALVES, places: &["
        );
        for word in catalogue[number].code.iter() {
            let places = [upper.place((word >> 32) as u32), lower.place(word as u32)];
            let _ = writeln!(text, "    {places:?},");
        }
        let _ = writeln!(text, "] }}, ..P{number} }};");
    }
    let _ = writeln!(
        text,
        "static HALVES: Tables = Tables {{ upper: &{:?}, lower: &{:?} }};",
        upper.table, lower.table
    );
    text + &list(
        "Those of them that the firmware's plans have ([`firmware`](crate::firmware)), in the same order.",
        "FIRMWARE",
        "F",
        numbers,
    )
}

/// Halves of instructions, each once.
#[derive(Default)]
struct Halves {
    table: Vec<u32>,
    places: HashMap<u32, u16>,
}

impl Halves {
    /// The place of a half, which becomes the last one if it is new.
    fn place(&mut self, half: u32) -> u16 {
        *self.places.entry(half).or_insert_with(|| {
            self.table.push(half);
            u16::try_from(self.table.len() - 1).expect("the programs have fewer halves")
        })
    }
}

/// The programs that the plans of the firmware have.
fn used_by_the_firmware(catalogue: &'static [Program]) -> Vec<usize> {
    let mut is_used = vec![false; catalogue.len()];
    for request in firmware::requests() {
        let plan = Plan::arrangement_of::<()>(catalogue, &request);
        for pass in plan.expect("all programs are there").passes() {
            let of_pass = catalogue
                .iter()
                .position(|program| program.task == pass.program.task);
            is_used[of_pass.expect("it came from there")] = true;
        }
    }
    let used = is_used.iter().enumerate().filter(|(_, is_used)| **is_used);
    used.map(|(number, _)| number).collect()
}

/// The words of a text. It has no hazards: warnings are errors.
fn words(name: &str) -> Vec<u64> {
    let file = format!("{name}.qasm");
    // Cargo runs the script in its package's folder. A whole path would be that of another tree in
    // a copy that kept its times.
    println!("cargo::rerun-if-changed={file}");
    let text = fs::read_to_string(&file).expect("the sources lie beside the build script");
    let options = Options {
        file: &file,
        strict: true,
        ..Options::default()
    };
    match assemble(&text, &options) {
        Ok(assembly) => assembly.words,
        Err(errors) => panic!("{errors}"),
    }
}

/// A program that was text, as Rust text.
fn constant((name, constant, words): &(&str, &str, Vec<u64>)) -> String {
    let mut text = format!("/// The words of `{name}.qasm`.\npub const {constant}: &[u64] = &[\n");
    for word in words {
        let _ = writeln!(text, "    {word:#018x},");
    }
    text.push_str("];\n");
    text
}

/// A generated program as Rust text.
fn entry(program: &Generated) -> String {
    let mut text = format!(
        "Program {{\n    task: Task::{:?},\n    code: Code::Words(&[\n",
        program.task
    )
    .replace("role: ", "role: Role::")
    .replace("samples: ", "samples: Samples::")
    .replace("Convert(", "Convert(Samples::")
    .replace("Bins(", "Bins(Bins::");
    for word in &program.code {
        let _ = writeln!(text, "        {word:#018x},");
    }
    text.push_str("    ]),\n");
    let mut list = |name: &str, kind: &str, words: Vec<String>| {
        let _ = writeln!(text, "    {name}: &[");
        for word in words {
            let word = word
                .replace("Record(", "Record(Record::")
                .replace("Lanes(", "Lanes(Lanes::");
            let _ = writeln!(text, "        {kind}{word},");
        }
        text.push_str("    ],\n");
    };
    list("start", "Start::", debug(&program.start));
    list("record", "Record::", debug(&program.record));
    list("tail", "Tail::", debug(&program.tail));
    list("rows", "", debug(&program.rows));
    list("scalars", "", debug(&program.scalars));
    text.push('}');
    text
}

/// Each as Rust text, without the name of its type where that is an enum.
fn debug(words: &[impl std::fmt::Debug]) -> Vec<String> {
    words.iter().map(|word| format!("{word:?}")).collect()
}

/// The directory that cargo marked as its own, of those around OUT_DIR.
fn target_directory(out: &Path) -> Option<&Path> {
    out.ancestors()
        .find(|directory| directory.join("CACHEDIR.TAG").exists())
}
