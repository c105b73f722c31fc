//! Exported plans in C: compiled, and run on the simulated V3D as a driver would.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::{NO_CC, cc, folder, installed, linked, must, scratch, text};
use qpu::job::Runner;
use qpu_fft::request::{Request, Scale, Transform};
use qpu_fft::{Direction, Plan};
use qpu_programs::FFT;
use tests::need;
use v3d_sim::SimRunner;

const NO_QPU: &str = "QPUSCOPE_QPU names no qpu; `cargo xtask test` builds it";

/// A program that runs the plan which `qpu export` writes for these words.
fn program(host: &Path, installed: &Path, name: &str, words: &[&str]) -> PathBuf {
    let folder_of_plans = scratch("plans");
    let header = folder_of_plans.join(format!("{name}.h"));
    let mut export = Command::new(host);
    export.arg("export").args(words).args(["--to", "c", "-o"]);
    must(export.arg(&header));
    let program = folder_of_plans.join(name);
    let mut cc = cc(installed);
    cc.arg(format!("-DPLAN={name}"))
        .arg(format!("-DPLAN_H=\"{name}.h\""));
    cc.arg("-I").arg(&folder_of_plans);
    cc.arg(folder().join("examples/run_plan.c"))
        .arg("-o")
        .arg(&program);
    must(linked(&mut cc, installed, &["-lqpuscope"]));
    program
}

#[test]
fn an_exported_plan_has_the_bits_of_the_library() {
    let installed = need!(installed(), "{NO_CC}");
    let host = need!(tests::given("QPUSCOPE_QPU"), "{NO_QPU}");
    for (name, words) in [
        ("fft_16", &["16"][..]),
        ("fft_4096", &["4096"]),
        (
            "fft_256_x10_inverse",
            &["256", "--batch", "10", "--inverse", "--scale", "points"],
        ),
        ("fft_32768", &["32768", "--board", "pi2"]),
        ("real_1024", &["1024", "--real"]),
        ("real_1024_inverse", &["1024", "--real", "--inverse"]),
        ("powers_256_of_4", &["256", "--powers", "4"]),
        (
            "real_powers_512_of_2_x3",
            &["512", "--real", "--powers", "2", "--batch", "3"],
        ),
    ] {
        let printed = must(&mut Command::new(program(&host, installed, name, words)));
        assert!(printed.starts_with("launch 0: "), "{name}: {printed}");
        let last = printed.lines().last().unwrap_or_default();
        assert!(
            last.ends_with(" floats, all bits those of qpuscope_fft_execute"),
            "{name}: {printed}"
        );
    }
}

#[test]
fn an_exported_plan_has_the_bits_of_fft_complex() {
    let installed = need!(installed(), "{NO_CC}");
    let host = need!(tests::given("QPUSCOPE_QPU"), "{NO_QPU}");
    let folder = scratch("plans");
    for (name, words, transform, points) in [
        ("fft_64", &["64"][..], &["--n", "64"][..], 64),
        ("fft_8192", &["8192"], &["--n", "8192"], 8192),
        (
            "fft_1024_x4_inverse",
            &["1024", "--batch", "4", "--inverse", "--scale", "points"],
            &["--n", "1024", "--batch", "4", "--inverse"],
            4096,
        ),
    ] {
        let program = program(&host, installed, name, words);
        let input = folder.join(format!("{name}.cf32"));
        let noise: Vec<u8> = (0..2 * points)
            .flat_map(|at: u32| (at as f32 * 1.37).sin().to_le_bytes())
            .collect();
        std::fs::write(&input, noise).expect("a file");
        let outputs = ["exported", "complex"].map(|by| folder.join(format!("{name}-{by}.cf32")));
        must(Command::new(program).args([&input, &outputs[0]]));
        let mut fft = Command::new(&host);
        fft.args(["fft", "--engine", "sim"]);
        must(fft.arg(&input).args(transform).arg("-o").arg(&outputs[1]));
        let [exported, complex] = outputs.map(|path| std::fs::read(path).expect("an output"));
        assert_eq!(exported.len(), 8 * points as usize);
        assert!(exported == complex, "{name}");
    }
}

/// A plane by the plan that was exported, beside one that was made here.
#[test]
fn an_exported_plane_has_the_bits_of_its_plan() {
    let installed = need!(installed(), "{NO_CC}");
    let host = need!(tests::given("QPUSCOPE_QPU"), "{NO_QPU}");
    let words = [
        "64",
        "--rows",
        "32",
        "--inverse",
        "--scale",
        "points",
        "--name",
        "ocean",
    ];
    let program = program(&host, installed, "ocean", &words);
    let transform = Transform::Plane {
        log2_rows: 5,
        log2_columns: 6,
    };
    let request = Request {
        inverse: Scale::ByPoints,
        ..Request::of(transform, 1)
    };
    let words: Vec<u32> = (0..2 * 64 * 32u32)
        .map(|at| (at as f32 * 0.37).sin().to_bits())
        .collect();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let [input, output] = ["ocean.in", "ocean.out"].map(|name| scratch("plans").join(name));
    std::fs::write(&input, bytes).expect("a file");
    must(Command::new(&program).args([&input, &output]));

    let mut runner = SimRunner::new(1 << 20).with_functional(true);
    let mut plan = Plan::with_buffers(FFT, &request, &mut runner).expect("a plan");
    runner.write(plan.input(), 0, &words).expect("room");
    plan.run(&mut runner, Direction::Inverse, 1_000_000)
        .expect("a run");
    let mut bins = vec![0; words.len()];
    runner.read(plan.output(), 0, &mut bins).expect("room");
    let bytes: Vec<u8> = bins.iter().flat_map(|word| word.to_le_bytes()).collect();
    assert!(std::fs::read(output).expect("an output") == bytes);

    let refused = Command::new(&program)
        .args(["absent", "out"])
        .output()
        .expect("it starts");
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("cannot read 16384 bytes of absent"));
}
