//! `qpu export`: jobs run and have the bits of their plan.

use std::fs;
use std::path::{Path, PathBuf};

use qpu::job::Runner;
use qpu_fft::kernels::spectral::power::Powers;
use qpu_fft::request::{Request, Scale, Transform};
use qpu_fft::{Direction, Plan};
use qpu_programs::FFT;
use tests::tools::{qpu, run};
use v3d_sim::SimRunner;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("export")
        .join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// The bytes of a file of floats; no two numbers are equal.
fn samples(bytes: u64) -> Vec<u32> {
    let value = |at: u64| ((at as f32) * 0.37).sin() + at as f32 * 1e-6;
    (0..bytes / 4).map(|at| value(at).to_bits()).collect()
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The output of a plan that is made and run here.
fn expected(request: &Request, direction: Direction) -> Vec<u8> {
    let mut runner = SimRunner::new(8 << 20).with_functional(true);
    let mut plan = Plan::with_buffers(FFT, request, &mut runner).expect("a plan");
    let input = samples(request.input_bytes());
    runner.write(plan.input(), 0, &input).expect("room");
    let output = vec![0; request.output_bytes() as usize / 4];
    // What a pass leaves alone is 0 in a job.
    runner.write(plan.output(), 0, &output).expect("room");
    plan.run(&mut runner, direction, 10_000_000).expect("a run");
    let mut words = output;
    runner.read(plan.output(), 0, &mut words).expect("room");
    bytes_of(&words)
}

/// Writes a job for these words, and its input.
fn job(name: &str, words: &[&str], input: &str, request: &Request) -> PathBuf {
    let folder = folder(name);
    let mut command = qpu();
    command
        .arg("export")
        .args(words)
        .args(["--to", "job", "-o"]);
    let (written, status, said) = run(command.arg(folder.join("job.json")));
    assert_eq!(status, 0, "{name}: {said}");
    let about = String::from_utf8_lossy(&written.stdout).into_owned();
    let reads = format!(", which reads {input} and writes ");
    assert!(
        about.starts_with("wrote ") && about.contains(&reads),
        "{about}"
    );
    let bytes = bytes_of(&samples(request.input_bytes()));
    fs::write(folder.join(input), bytes).expect("an input");
    folder
}

#[test]
fn an_exported_job_has_the_bits_of_its_plan() {
    let complex = |log2_points| Request::new(log2_points, 1);
    let of = |transform, batch| Request::of(transform, batch);
    let plane = Transform::Plane {
        log2_rows: 4,
        log2_columns: 6,
    };
    let scaled = Request {
        inverse: Scale::ByRootOfPoints,
        ..Request::new(8, 10)
    };
    let (forward, inverse) = (Direction::Forward, Direction::Inverse);
    for (name, words, request, direction, files) in [
        (
            "short",
            &["16"][..],
            complex(4),
            forward,
            ["input.cf32", "output.cf32"],
        ),
        (
            "one-pass",
            &["4096"],
            complex(12),
            forward,
            ["input.cf32", "output.cf32"],
        ),
        (
            "three-passes",
            &["65536", "--inverse"],
            complex(16),
            inverse,
            ["input.cf32", "output.cf32"],
        ),
        (
            "batch",
            &["256", "--batch", "10", "--inverse", "--scale", "root"],
            scaled,
            inverse,
            ["input.cf32", "output.cf32"],
        ),
        (
            "real",
            &["2048", "--real"],
            of(Transform::RealToBins { log2_points: 11 }, 1),
            forward,
            ["input.f32", "output.cf32"],
        ),
        (
            "bins",
            &["64", "--real", "--inverse", "--batch", "3"],
            of(Transform::BinsToReal { log2_points: 6 }, 3),
            inverse,
            ["input.cf32", "output.f32"],
        ),
        (
            "powers",
            &["256", "--powers", "4"],
            of(Transform::Powers(Powers::new(false, 8, 4)), 1),
            forward,
            ["input.cf32", "output.f32"],
        ),
        (
            "plane",
            &["64", "--rows", "16"],
            of(plane, 1),
            forward,
            ["input.cf32", "output.cf32"],
        ),
    ] {
        let folder = job(name, words, files[0], &request);
        let (_, status, said) = run(qpu()
            .arg("run")
            .arg(folder.join("job.json"))
            .args(["--functional", "--strict"]));
        assert_eq!(status, 0, "{name}: {said}");
        let output = fs::read(folder.join(files[1])).expect("an output");
        assert!(output == expected(&request, direction), "{name}");
    }
}

/// The address of a job is that of the memory that the firmware gives to jobs.
#[test]
fn a_board_runs_an_exported_job() {
    let name = "a_board_runs_an_exported_job";
    let Some(image) = tests::tools::image(name) else {
        return;
    };
    let request = Request::new(10, 1);
    let folder = job("board", &["1024"], "input.cf32", &request);
    let mut command = qpu();
    command.arg("run").arg(folder.join("job.json")).args([
        "-q",
        "--port",
        &tests::tools::sim(&image),
    ]);
    let (_, status, said) = run(&mut command);
    assert_eq!(status, 0, "{said}");
    let output = fs::read(folder.join("output.cf32")).expect("an output");
    assert!(output == expected(&request, Direction::Forward));
}

#[test]
fn what_cannot_be_exported_is_refused_with_what_to_do() {
    for (words, parts) in [
        (
            &["1000", "--to", "c"][..],
            "no plan has 1000 points; lengths are",
        ),
        (&["4194304", "--batch", "8", "--to", "c"], "bytes"),
        (&["64", "--to", "c", "--board", "pi9"], "choose one of"),
        (
            &["64", "--to", "c", "--name", "Fft"],
            "use lower-case letters",
        ),
        (
            &["64", "--to", "c", "--name", "int"],
            "use lower-case letters",
        ),
        (&["64", "--to", "c", "--input", "x"], "use --to job"),
        (&["64", "--to", "pascal"], "possible values: c, job"),
        (&["64"], "--to <FORM>"),
        (&["64", "--to", "c", "--batch", "0"], "batch"),
    ] {
        let (output, status, said) = run(qpu().arg("export").args(words));
        assert_eq!(status, 2, "{words:?}: {said}");
        assert!(said.contains(parts), "{words:?}: {said}");
        assert!(output.stdout.is_empty());
    }
    let (_, status, said) = run(qpu().args(["export", "64", "--to", "c", "-o", "/absent/x.h"]));
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("/absent/x.h"), "{said}");
}

#[test]
fn the_head_of_an_exported_plan_has_its_map() {
    let (output, status, said) = run(qpu().args(["export", "65536", "--to", "c"]));
    assert_eq!((status, said.as_str()), (0, ""));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with(
        "/* 1 forward transform of 65536 complex points, on the QPUs of VideoCore IV."
    ));
    // Each area begins where the one before ends, and the last one ends with the memory.
    let mut end = 0;
    let mut names = vec![];
    let (_, map) = text.split_once("contents\n").expect("a map");
    for line in map.lines().take_while(|line| line.starts_with(" * ")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let offset = u64::from_str_radix(words[1].trim_start_matches("0x"), 16).expect("an offset");
        let bytes: u64 = words[2].parse().expect("bytes");
        assert!((end..end + 4096).contains(&offset), "{line}");
        end = offset + bytes;
        names.push(words[3..].join(" "));
    }
    assert_eq!(names[..3], ["input", "output", "pass 1: code"]);
    assert!(
        names.contains(&"pass 2: twiddle factors".to_owned())
            || names.contains(&"pass 1: twiddle factors".to_owned())
    );
    assert!(
        names
            .last()
            .is_some_and(|name| name.starts_with("scratch "))
    );
    let whole = format!("{:#x}, 0x1000, 0x40000000u,", end.next_multiple_of(4096));
    assert!(text.contains(&whole), "{whole}");
}
