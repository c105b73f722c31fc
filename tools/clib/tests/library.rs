//! `qpuscope.h` from C and Python: transforms, boards, and what is said to wrong arguments.

mod common;

use std::path::Path;
use std::process::Command;

use common::{
    NO_CC, NO_PYTHON, SHARED, clib, example, folder, installed, must, python, scratch, text,
};
use tests::{need, skip};

#[test]
fn installing_writes_what_a_c_program_needs() {
    let installed = need!(installed(), "{NO_CC}");
    for file in [
        "include/qpuscope.h",
        "include/v3d_sim.h",
        "include/gpu_fft/gpu_fft.h",
        "lib/libqpuscope.a",
        "lib/pkgconfig/qpuscope.pc",
        "share/doc/qpuscope/LICENSES-OTHERS.txt",
    ] {
        assert!(installed.join(file).is_file(), "{file}");
    }
    for name in ["qpuscope", "qpuscope_gpu_fft", "qpuscope_mailbox"] {
        let library = installed.join(format!("lib/lib{name}.{SHARED}"));
        assert!(library.is_file(), "{}", library.display());
    }
    let left = std::fs::read_dir(installed.join("lib"))
        .expect("a folder")
        .count();
    assert_eq!(left, 5, "lib has what was not asked for");
}

#[test]
fn installing_says_what_is_wrong() {
    for (arguments, status, said) in [
        (&[][..], 2, "usage: cargo xtask clib DIR"),
        (&["--into", "x"], 2, "usage: cargo xtask clib DIR"),
        (&["/dev/null/x"], 1, "cannot write /dev/null/x/include: "),
    ] {
        let output = clib(arguments);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
        assert!(
            text(&output.stderr).contains(said),
            "{}",
            text(&output.stderr)
        );
    }
    let folder = scratch("not-installed");
    let mut clib = Command::new(env!("CARGO_BIN_EXE_clib"));
    let output = clib.arg(&folder).env("CC", "/absent/cc -m64").output();
    let said = text(&output.expect("clib runs").stderr);
    assert!(said.contains("cannot start /absent/cc: ") && said.contains("install a C compiler"));
    let written = std::fs::read_dir(folder).expect("a folder").count();
    assert_eq!(written, 0, "{said}");
}

#[test]
fn pkg_config_finds_the_library() {
    let installed = need!(installed(), "{NO_CC}");
    if !common::has("pkg-config") {
        skip!("there is no pkg-config");
    }
    let mut pkg_config = Command::new("pkg-config");
    pkg_config.args(["--cflags", "--libs", "qpuscope"]);
    pkg_config.env("PKG_CONFIG_PATH", installed.join("lib/pkgconfig"));
    let flags = must(&mut pkg_config);
    let program = scratch("examples").join("fft-pkg-config");
    let mut cc = Command::new("cc");
    cc.arg("-std=c99").arg(folder().join("examples/fft.c"));
    cc.arg("-o").arg(&program).args(flags.split_whitespace());
    cc.args([
        "-lm",
        &format!("-Wl,-rpath,{}", installed.join("lib").display()),
    ]);
    must(&mut cc);
    assert!(must(Command::new(program).arg("16")).starts_with("forward: "));
}

/// The number behind `name` in a line.
fn number(line: &str, name: &str) -> f64 {
    let (_, behind) = line.split_once(name).unwrap_or_else(|| panic!("{line}"));
    let word = behind.split([' ', ',']).next().unwrap_or_default();
    word.parse().unwrap_or_else(|_| panic!("{line}"))
}

#[test]
fn a_c_program_transforms_forward_and_back() {
    let installed = need!(installed(), "{NO_CC}");
    let program = example(installed, "fft");
    for points in ["16", "1024", "65536"] {
        let printed = must(Command::new(&program).arg(points));
        let lines: Vec<&str> = printed.lines().collect();
        let [forward, first, inverse, second] = lines[..] else {
            panic!("{printed}");
        };
        for line in [first, second] {
            let error = number(line, "error ");
            assert!(error < 2e-6, "{points}: {line}");
        }
        for (line, name) in [(forward, "forward: "), (inverse, "inverse: ")] {
            assert!(number(line, name) > 100.0, "{points}: {line}");
            assert!(line.ends_with("us at 250 MHz (modelled)"), "{line}");
        }
    }
    let refused = Command::new(&program)
        .arg("1000")
        .output()
        .expect("it runs");
    let said = text(&refused.stderr);
    assert!(
        said.contains("no plan has 1000 points; lengths are"),
        "{said}"
    );
    assert_eq!(refused.status.code(), Some(1));
}

#[test]
fn structures_and_refusals_are_those_of_the_header() {
    let installed = need!(installed(), "{NO_CC}");
    let printed = must(&mut Command::new(example(installed, "layout")));
    let lines: Vec<&str> = printed.lines().map(str::trim_end).collect();
    let expected = [
        "40 48 24 1168 48 72",
        "40 16 144 32 64",
        "no options: -1 options is NULL",
        "no plan: -1 plan is NULL",
        "no size: -2 options.struct_size is 0; set it to sizeof, 40 here",
        "1000 points: -5 no plan has 1000 points; lengths are the powers of two 16, 32, 64 .. 4194304",
        "too many: -5 the QPUs transform 2^4 to 2^22 points, not 2^23",
        "too much: -7 with input and output the plan needs at least 2202427392 bytes",
        "kind: -5 options.kind is 4; 0 to 3 are known",
        "back from powers: -5 powers have no inverse; transform forward, or without powers",
        "direction: -5 options.direction is 2; 0 to 1 are known",
        "scale: -5 options.scale is 3; 0 to 2 are known",
        "board: -5 options.board is 5; 0 to 4 are known",
        "flags: -5 options.flags is 0x2; 0 and 1 have a meaning",
        "clock: -5 options.clock_hz is 1; give 50000000 to 1000000000, or 0 for the board's own",
        "plan is NULL",
        "nothing to execute: -1 plan is NULL",
        "good: 0",
        "short: -2 input_count is 31; 32 floats are needed",
        "no output: -1 output is NULL",
        "sizes: -2 sizes.struct_size is 0; set it to sizeof, 48 here",
        "in place: 0",
        "no matrix: -1 options is NULL",
        "no tiles: -2 options.struct_size is 0; set it to sizeof, 32 here",
        "half a tile: -5 a matrix of 8 rows and 8 columns, 8 points from a row of its transpose",
        "rows in rows: -5 options.to_step is 4; a row has 8 points",
        "a short matrix: -2 from_count is 64; 256 floats are needed",
        "no port: -1 port is NULL",
        "absent port: -8 ",
        "a rate: -5 baud is 1; give 9600 to 4000000, or 0 for 115200",
        "no image: -5 ",
        "no board: -2 info.struct_size is 0; set it to sizeof, 1168 here",
        "nobody to send to: -1 board is NULL",
        "nobody to read from: -2 spectrum.struct_size is 0; set it to sizeof, 72 here",
    ];
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.starts_with(expected), "{expected:?} in\n{printed}");
    }
    assert_eq!(lines.len(), expected.len(), "{printed}");
}

/// Python with NumPy, if it is there.
fn numpy() -> Option<&'static str> {
    let python = python()?;
    let imported = Command::new(python).args(["-c", "import numpy"]).output();
    imported
        .is_ok_and(|output| output.status.success())
        .then_some(python)
}

/// Runs the example in Python.
fn in_python(installed: &Path, python: &str, port: Option<&str>) -> String {
    let mut python = Command::new(python);
    python.arg("-B").arg(folder().join("examples/qpuscope.py"));
    python
        .arg(installed.join(format!("lib/libqpuscope.{SHARED}")))
        .args(port);
    must(&mut python)
}

#[test]
fn python_transforms_as_numpy_does() {
    let installed = need!(installed(), "{NO_CC}");
    let python = need!(numpy(), "{NO_PYTHON} with NumPy");
    let printed = in_python(installed, python, None);
    let lines: Vec<&str> = printed.lines().collect();
    let expected = [
        "complex, 4 x 1024: ",
        "and back: ",
        "real, 1024: ",
        "powers of 4 segments: ",
    ];
    assert_eq!(lines.len(), expected.len(), "{printed}");
    for (line, name) in lines.iter().zip(expected) {
        assert!(number(line, name) < 2e-6, "{line}");
        assert!(
            line.ends_with(" clocks") && !line.ends_with(" 0 clocks"),
            "{line}"
        );
    }
}

#[test]
fn spectra_of_recorded_bytes_are_read() {
    let installed = need!(installed(), "{NO_CC}");
    let program = example(installed, "spectra");
    let recorded = folder().join("../host/tests/recorded.bin");
    let printed = must(Command::new(&program).arg(recorded).arg("--listen"));
    let lines: Vec<&str> = printed.lines().collect();
    assert!(!lines.is_empty());
    for line in lines {
        assert!(
            line.contains(" points, ") && line.contains(" dBFS, by the "),
            "{line}"
        );
    }
    let output = Command::new(&program)
        .arg("/dev/null/x")
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).starts_with("spectra: "),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn a_c_program_sends_samples_to_a_virtual_pi() {
    let installed = need!(installed(), "{NO_CC}");
    let kernel = need!(tests::given("QPUSCOPE_KERNEL"), "{}", tests::NO_KERNEL);
    let port = format!("sim:{}", kernel.display());
    let printed = must(Command::new(example(installed, "spectra")).arg(&port));
    let lines: Vec<&str> = printed.lines().collect();
    assert!(lines[0].contains(", firmware "), "{printed}");
    assert_eq!(lines.len(), 2, "{printed}");
    let peak = number(lines[1], "strongest ");
    assert!((peak - 1000.0).abs() <= 24.0, "{printed}");
    assert!(lines[1].ends_with(", by the QPUs"), "{printed}");
    let level = number(lines[1], " at ");
    assert!((-7.5..-6.0).contains(&level), "{printed}");
}

#[test]
fn a_c_program_reads_the_spectra_of_a_generator() {
    let installed = need!(installed(), "{NO_CC}");
    let kernel = need!(tests::given("QPUSCOPE_KERNEL"), "{}", tests::NO_KERNEL);
    let port = format!("sim:{}", kernel.display());
    let mut program = Command::new(example(installed, "spectra"));
    let printed = must(program.args([&port, "--generator"]));
    let lines: Vec<&str> = printed.lines().skip(1).collect();
    assert_eq!(lines.len(), 3, "{printed}");
    for (record, line) in lines.iter().enumerate() {
        let head = format!("record {record}: 1024 points, 16 blocks, strongest ");
        assert!(line.starts_with(&head), "{printed}");
    }
}

#[test]
fn python_reads_the_spectrum_of_a_virtual_pi() {
    let installed = need!(installed(), "{NO_CC}");
    let python = need!(numpy(), "{NO_PYTHON} with NumPy");
    let kernel = need!(tests::given("QPUSCOPE_KERNEL"), "{}", tests::NO_KERNEL);
    let printed = in_python(
        installed,
        python,
        Some(&format!("sim:{}", kernel.display())),
    );
    let last = printed.lines().last().unwrap_or_default();
    assert!((number(last, ": ") - 1000.0).abs() <= 24.0, "{printed}");
}
