//! GPU_FFT's own test programs, unchanged, on the two libraries with its names.
//!
//! Nothing of GPU_FFT is in this repository: tests compile it where `QPUSCOPE_USERLAND` names a
//! checkout of raspberrypi/userland, in a folder of their own.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::{NO_CC, cc, folder, installed, linked, must, once, scratch, text};
use tests::need;

const NO_USERLAND: &str = "QPUSCOPE_USERLAND names no checkout of raspberrypi/userland";

/// The relative rms errors that GPU_FFT 3.0 printed on a Pi 1, from 2^8 on.
const PUBLISHED: [f64; 5] = [3.3e-7, 4.6e-7, 5.2e-7, 5.9e-7, 7.8e-7];

/// Files of GPU_FFT that libqpuscope_mailbox leaves to it.
const SHADERS: [&str; 3] = ["gpu_fft.c", "gpu_fft_twiddles.c", "gpu_fft_shaders.c"];

/// GPU_FFT's folder in a checkout.
fn userland() -> Option<PathBuf> {
    let folder = tests::folder("QPUSCOPE_USERLAND")?;
    let folder = folder.join("host_applications/linux/apps/hello_pi/hello_fft");
    folder.join("hello_fft.c").is_file().then_some(folder)
}

/// Compiles files of GPU_FFT with a library.
fn compile(installed: &Path, userland: &Path, files: &[&str], library: &str) -> PathBuf {
    let program = scratch("gpu_fft").join(format!("{}-{library}", files[0]));
    once(&program, || {
        let mut cc = Command::new("cc");
        // Its warnings are its own.
        cc.args(["-O1", "-w", "-o"]).arg(&program);
        cc.args(files.iter().map(|file| userland.join(file)));
        let ours = format!("-lqpuscope_{library}");
        must(linked(&mut cc, installed, &[&ours, "-lqpuscope"]));
    });
    program
}

/// Compiles `hello_fft.c` or `hello_fft_2d.c` with GPU_FFT's shaders.
fn with_shaders(installed: &Path, userland: &Path, main: &str) -> PathBuf {
    let mut files = vec![main];
    files.extend(SHADERS);
    if main.contains("2d") {
        files.push("gpu_fft_trans.c");
    }
    compile(installed, userland, &files, "mailbox")
}

fn run(program: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(scratch("gpu_fft"));
    command.output().expect("it starts")
}

/// The error that hello_fft prints.
fn error(program: &Path, arguments: &[&str]) -> f64 {
    let output = run(program, arguments);
    let printed = text(&output.stdout);
    assert!(output.status.success(), "{printed}{}", text(&output.stderr));
    let error = printed
        .strip_prefix("rel_rms_err = ")
        .and_then(|rest| rest.split(',').next());
    error
        .and_then(|error| error.parse().ok())
        .unwrap_or_else(|| panic!("{printed}"))
}

#[test]
fn hello_fft_with_its_shaders_prints_the_published_errors() {
    let installed = need!(installed(), "{NO_CC}");
    let userland = need!(userland(), "{NO_USERLAND}");
    let program = with_shaders(installed, &userland, "hello_fft.c");
    for (log2, published) in (8..).zip(PUBLISHED) {
        let printed = error(&program, &[&log2.to_string()]);
        assert_eq!(printed, published, "2^{log2}");
    }
    // By its message to the mailbox, a batch at a time.
    assert!(error(&program, &["10", "24"]) < 1e-6);
}

#[test]
fn hello_fft_on_our_programs_is_as_exact() {
    let installed = need!(installed(), "{NO_CC}");
    let userland = need!(userland(), "{NO_USERLAND}");
    let program = compile(installed, &userland, &["hello_fft.c"], "gpu_fft");
    for (log2, published) in (8..).zip(PUBLISHED) {
        let printed = error(&program, &[&log2.to_string(), "3"]);
        assert!(printed < published, "2^{log2}: {printed}");
    }
    assert!(error(&program, &["16"]) < 1e-6);
}

#[test]
fn hello_fft_says_what_gpu_fft_says_to_what_it_has_not() {
    let installed = need!(installed(), "{NO_CC}");
    let userland = need!(userland(), "{NO_USERLAND}");
    let shaders = with_shaders(installed, &userland, "hello_fft.c");
    let ours = compile(installed, &userland, &["hello_fft.c"], "gpu_fft");
    for program in [&shaders, &ours] {
        for length in ["7", "23"] {
            let output = run(program, &[length]);
            let printed = text(&output.stdout);
            assert!(
                printed.contains(&format!("log2_N={length} not supported")),
                "{printed}"
            );
        }
        let output = run(program, &["20", "64"]);
        assert!(
            text(&output.stdout).starts_with("Out of memory."),
            "{}",
            text(&output.stdout)
        );
    }
}

/// The bitmap that hello_fft_2d writes.
fn bitmap(program: &Path) -> Vec<u8> {
    let output = run(program, &[]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("Transpose"));
    std::fs::read(scratch("gpu_fft").join("hello_fft_2d.bmp")).expect("a bitmap")
}

#[test]
fn hello_fft_2d_draws_the_same_waves_on_both() {
    let installed = need!(installed(), "{NO_CC}");
    let userland = need!(userland(), "{NO_USERLAND}");
    let shaders = with_shaders(installed, &userland, "hello_fft_2d.c");
    let files = ["hello_fft_2d.c"];
    let ours = compile(installed, &userland, &files, "gpu_fft");
    let [shaders, ours] = [shaders, ours].map(|program| bitmap(&program));
    assert_eq!(shaders.len(), 54 + 3 * 512 * 512);
    assert_eq!(shaders.len(), ours.len());
    // Two impulses of 60 make 120 cos(2 pi 2 (x + y) / 512) around 128; grey levels are cut off.
    let mut differ = 0;
    for (at, (theirs, ours)) in shaders[54..].iter().zip(&ours[54..]).enumerate() {
        let (x, y) = (at / 3 % 512, at / 3 / 512);
        let wave = 128.0 + 120.0 * (std::f64::consts::TAU * 2.0 * (x + y) as f64 / 512.0).cos();
        assert!(
            (f64::from(*theirs) - wave).abs() < 1.01,
            "{x}, {y}: {theirs} {wave}"
        );
        assert!(theirs.abs_diff(*ours) <= 1, "{x}, {y}: {theirs} {ours}");
        differ += usize::from(theirs != ours);
    }
    assert!(differ < 3 * 512 * 512 / 20, "{differ} levels differ");
}

/// The standard error of a program that is asked for clocks.
fn clocks(program: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(program);
    command.args(arguments).env("QPUSCOPE_CLOCKS", "1");
    let output = command.current_dir(scratch("gpu_fft/clocks")).output();
    text(&output.expect("it starts").stderr)
}

#[test]
fn clocks_are_printed_when_they_are_asked_for() {
    let installed = need!(installed(), "{NO_CC}");
    let userland = need!(userland(), "{NO_USERLAND}");
    let shaders = with_shaders(installed, &userland, "hello_fft.c");
    let ours = compile(installed, &userland, &["hello_fft.c"], "gpu_fft");
    for (program, head) in [(&shaders, ""), (&ours, "gpu_fft_execute: ")] {
        let said = clocks(program, &["8"]);
        let line = said.strip_prefix(head).unwrap_or_else(|| panic!("{said}"));
        assert!(line.starts_with(|c: char| c.is_ascii_digit()), "{said}");
        assert!(
            line.contains(" V3D clocks, ") && line.ends_with(" 250 MHz (modelled)\n"),
            "{said}"
        );
    }
    let ours = compile(installed, &userland, &["hello_fft_2d.c"], "gpu_fft");
    let said = clocks(&ours, &[]);
    let calls: Vec<&str> = said
        .lines()
        .filter_map(|line| line.split(':').next())
        .collect();
    let transform = "gpu_fft_execute";
    assert_eq!(
        calls,
        [transform, "gpu_fft_trans_execute", transform],
        "{said}"
    );
}

/// A program that prints where the fields of the interface are.
const LAYOUT: &str = r#"
#include <stddef.h>
#include <stdio.h>
#include "gpu_fft_trans.h"
#include "mailbox.h"
int main(void)
{
    printf("%zu %zu %zu %zu %zu\n", sizeof(struct GPU_FFT_BASE), sizeof(struct GPU_FFT), sizeof(struct GPU_FFT_TRANS),
           sizeof(struct GPU_FFT_PTR), sizeof(struct GPU_FFT_COMPLEX));
    printf("%zu %zu %zu %zu\n", offsetof(struct GPU_FFT, in), offsetof(struct GPU_FFT, out), offsetof(struct GPU_FFT, x),
           offsetof(struct GPU_FFT, step));
    printf("%zu %zu %zu %zu\n", offsetof(struct GPU_FFT_BASE, vc_msg), offsetof(struct GPU_FFT_BASE, vc_code),
           offsetof(struct GPU_FFT_BASE, vc_unifs), offsetof(struct GPU_FFT_BASE, peri));
    printf("%d %d %d %.17g\n", GPU_FFT_QPUS, GPU_FFT_FWD, GPU_FFT_REV, GPU_FFT_PI);
    return 0;
}
"#;

#[test]
fn our_headers_lay_out_what_gpu_ffts_do() {
    let installed = need!(installed(), "{NO_CC}");
    let userland = need!(userland(), "{NO_USERLAND}");
    let source = scratch("gpu_fft").join("layout.c");
    std::fs::write(&source, LAYOUT).expect("a file");
    let printed = [installed.join("include/gpu_fft"), userland].map(|include| {
        let program = scratch("gpu_fft").join("layout");
        let mut cc = Command::new("cc");
        must(
            cc.arg("-w")
                .arg("-I")
                .arg(include)
                .arg(&source)
                .arg("-o")
                .arg(&program),
        );
        must(&mut Command::new(program))
    });
    assert_eq!(printed[0], printed[1]);
}

/// A program for the mailbox alone, with code of its own, and what is said where it is wrong.
#[test]
fn a_program_of_the_mailbox_runs() {
    let installed = need!(installed(), "{NO_CC}");
    let program = scratch("gpu_fft").join("mailbox");
    let mut cc = cc(installed);
    cc.arg("-I").arg(installed.join("include/gpu_fft"));
    cc.arg(folder().join("examples/mailbox.c"))
        .arg("-o")
        .arg(&program);
    must(linked(
        &mut cc,
        installed,
        &["-lqpuscope_mailbox", "-lqpuscope"],
    ));
    let output = Command::new(program).output().expect("it starts");
    let said = text(&output.stderr);
    assert_eq!(text(&output.stdout), "1128 1128\n", "{said}");
    assert!(
        said.contains("registers of the peripherals are not simulated"),
        "{said}"
    );
    assert!(
        said.contains("execute_qpu: there is no memory at 0x"),
        "{said}"
    );
}
