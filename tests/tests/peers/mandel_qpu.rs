//! mandel-qpu: the Mandelbrot set on twelve QPUs, whose time on a Pi 2 its author published.
//!
//! Source: github.com/aengelke/mandel-qpu, whose words lie beside the program. A launch is a line
//! for each QPU; they wait for each other behind each sixteen columns, so that the slowest point of
//! all that are done together says how long these take. What was timed, a hundred thousand steps a
//! point, would take hours to simulate: lines are run with few steps instead, and those that then
//! are left are counted here.

use std::path::Path;
use std::process::Command;

use super::{NO_QPU, both, host, output_of, peer};
use fidelity::report::programs::MANDELBROT_CLOCKS;
use serde_json::{Value, json};
use tests::{need, skip};

const CODE: u32 = 0x4000_0000;
const UNIFORMS: u32 = 0x4010_0000;
const RESULTS: u32 = 0x4020_0000;
const QPUS: usize = 12;
const LANES: usize = 16;
/// The picture that the author timed.
const WIDTH: usize = 1920;
const HEIGHT: usize = 1080;
const STEPS: u32 = 100_000;
const LEFT: f32 = -2.0;
const TOP: f32 = -1.125;
const BOUND: f32 = 4.0;
/// Instructions of a step, and V3D clocks of each.
const LOOP: u64 = 10;
const INSTRUCTION: u64 = 4;
/// Steps of what is simulated: more than one number, so that what a step takes is seen.
const SIMULATED: [u32; 2] = [50, 100];

#[test]
fn its_set_takes_the_time_that_the_report_has() {
    let host = need!(host(), "{NO_QPU}");
    let tree = match peer("mandel-qpu") {
        Ok(tree) => tree,
        Err(why) => skip!("{why}"),
    };
    let folder = tests::root().join("target/peers/mandel-qpu");
    std::fs::create_dir_all(&folder).expect("target can be written");
    std::fs::write(folder.join("program.bin"), program(&tree)).expect("target can be written");

    let mut clocks = [0; SIMULATED.len()];
    let mut iterations = [0; SIMULATED.len()];
    let mut all_iterations = 0;
    for launch in 0..HEIGHT / QPUS {
        let slowest = slowest_points(launch);
        let iterations_of = |steps: u32| -> u64 {
            let iterations = slowest.iter().map(|&count| u64::from(count.min(steps)));
            iterations.sum()
        };
        for (n, steps) in SIMULATED.into_iter().enumerate() {
            clocks[n] += clocks_of(&host, &folder, launch, steps);
            iterations[n] += iterations_of(steps);
        }
        all_iterations += iterations_of(STEPS);
    }
    let [few, more] = clocks;
    let of_an_iteration = (more - few) as f64 / (iterations[1] - iterations[0]) as f64;
    let expected = (LOOP * INSTRUCTION) as f64;
    // What the QPUs take where they wait for each other differs a little by who comes there first.
    assert!(
        (of_an_iteration / expected - 1.0).abs() < 5e-3,
        "{of_an_iteration} clocks a step"
    );
    let total = more + LOOP * INSTRUCTION * (all_iterations - iterations[1]);
    assert_eq!(total, MANDELBROT_CLOCKS);
}

/// Its words, which lie beside its source as numbers of C.
fn program(tree: &Path) -> Vec<u8> {
    let text = std::fs::read_to_string(tree.join("gpu_code.hex")).expect("its words");
    let numbers = text.split(|char: char| !char.is_ascii_alphanumeric());
    let words =
        numbers.filter_map(|number| u32::from_str_radix(number.strip_prefix("0x")?, 16).ok());
    let words: Vec<u32> = words.collect();
    assert!(words.len() > 100, "{} words", words.len());
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The distance from a point to the next, and from a line to the next.
fn step() -> f32 {
    (-LEFT - LEFT) / WIDTH as f32
}

fn line(launch: usize, qpu: usize) -> f32 {
    TOP + step() * (qpu + QPUS * launch) as f32
}

/// V3D clocks of a launch, as its driver makes it.
fn clocks_of(host: &Path, folder: &Path, launch: usize, steps: u32) -> u64 {
    let blocks = (WIDTH / LANES) as u32;
    let uniforms = (0..QPUS as u32).flat_map(|qpu| {
        [
            qpu,
            0,
            RESULTS + qpu * 4 * WIDTH as u32,
            step().to_bits(),
            LEFT.to_bits(),
            line(launch, qpu as usize).to_bits(),
            steps,
            BOUND.to_bits(),
            blocks,
        ]
    });
    let uniforms: Vec<u32> = uniforms.collect();
    let of_a_program = (4 * uniforms.len() / QPUS) as u32;
    let programs: Vec<_> = (0..QPUS as u32)
        .map(|qpu| json!({"code": CODE, "uniforms": UNIFORMS + of_a_program * qpu}))
        .collect();
    let job = json!({
        "board": "pi2",
        "memory": [
            {"at": CODE, "file": "program.bin"},
            {"at": UNIFORMS, "words": uniforms},
            {"at": RESULTS, "zero": 4 * QPUS * WIDTH},
        ],
        "programs": programs,
    });
    std::fs::write(folder.join("job.json"), job.to_string()).expect("target can be written");
    let mut command = Command::new(host);
    command.args(["run", "job.json"]).current_dir(folder);
    let output = output_of(&mut command).expect("qpuscope is there");
    assert!(output.status.success(), "{}", both(&output));
    let report: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    report["cycles"].as_u64().expect("a count")
}

/// The steps of the point that takes most, for each sixteen columns of twelve lines.
fn slowest_points(launch: usize) -> Vec<u32> {
    let mut slowest = vec![0; WIDTH / LANES];
    for qpu in 0..QPUS {
        let im = line(launch, qpu);
        let mut block_start = [0; LANES].map(|_: u32| 0.0);
        for (lane, re) in block_start.iter_mut().enumerate() {
            *re = add(LEFT, multiply(step(), lane as f32));
        }
        for slowest in &mut slowest {
            for re in &mut block_start {
                *slowest = u32::max(*slowest, steps_of([*re, im]));
                *re = add(*re, multiply(step(), LANES as f32));
            }
        }
    }
    slowest
}

/// Steps until a point leaves the circle, or [`STEPS`]. Most points that stay come to a cycle,
/// which is looked for.
fn steps_of(c: [f32; 2]) -> u32 {
    let mut z = c;
    let mut remembered = z;
    for steps in 0..STEPS {
        let squares = z.map(|part| multiply(part, part));
        if add(add(squares[0], squares[1]), -BOUND) >= 0.0 {
            return steps;
        }
        let product = multiply(multiply(z[0], z[1]), 2.0);
        z = [add(add(squares[0], -squares[1]), c[0]), add(product, c[1])];
        if z == remembered {
            return STEPS;
        }
        if steps.is_power_of_two() {
            remembered = z;
        }
    }
    STEPS
}

/// A QPU's sum: cut towards zero.
fn add(a: f32, b: f32) -> f32 {
    let (x, y) = (f64::from(a), f64::from(b));
    let sum = x + y;
    let of_y = sum - x;
    let error = (x - (sum - of_y)) + (y - of_y);
    let is_too_large = error != 0.0 && (error < 0.0) != (sum < 0.0);
    cut(f64::from_bits(sum.to_bits() - u64::from(is_too_large)))
}

/// A QPU's product: cut towards zero.
fn multiply(a: f32, b: f32) -> f32 {
    cut(f64::from(a) * f64::from(b))
}

fn cut(value: f64) -> f32 {
    let below = (1 << (f64::MANTISSA_DIGITS - f32::MANTISSA_DIGITS)) - 1;
    let cut = f64::from_bits(value.to_bits() & !below);
    if cut.abs() < f64::from(f32::MIN_POSITIVE) {
        return 0.0;
    }
    cut as f32
}
