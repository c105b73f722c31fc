//! The microbenchmarks on the simulator: each tells its constant, and none of the others.

use qpu::job::QpuSet;
use qpu_programs::microbench::{LIST, Microbench, Prepared, What, recovery, reservations};
use v3d_sim::{Constants, SimRunner};

const RAM_BYTES: u32 = 4 << 20;

/// A change: what is changed, and by how much the figures that depend on it are then multiplied.
type Change = (&'static str, f64, &'static [(&'static str, [f64; 2])]);

/// Figures within these limits of what they are with the documented constants; those that are not
/// named must not change by more than 2 %.
const CHANGES: &[Change] = &[
    ("tmu_run", 2.0, &[("lookups-16", [1.99, 2.01])]),
    (
        "l2c_interval",
        8.0,
        &[
            ("lookups-l2c", [1.99, 2.01]),
            ("relaunch-cleared", [1.0, 1.2]),
        ],
    ),
    (
        "launch_interval",
        80.0,
        &[
            ("launch-1", [1.9, 2.1]),
            ("launch-12", [1.9, 2.1]),
            ("queue", [1.98, 2.02]),
            ("queue-later", [1.98, 2.02]),
        ],
    ),
    ("semaphore_handover", 20.0, &[("handover", [2.0, 2.3])]),
    (
        "vpm_vector",
        8.0,
        &[
            ("rows-1", [1.3, 2.0]),
            ("rows-4", [1.98, 2.02]),
            ("rows-12", [1.98, 2.02]),
        ],
    ),
    ("vpm_column", 18.0, &[("columns-12", [1.98, 2.02])]),
    (
        "uniform_cache_lines",
        2.0,
        &[
            ("uniforms-1-3", [1.2, 2.0]),
            ("uniforms-1-4", [1.2, 2.0]),
            ("uniforms-4-1", [1.2, 4.0]),
        ],
    ),
    (
        "instruction_cache_bytes",
        2048.0,
        &[
            ("code-3k", [1.3, 1.5]),
            ("code-4k", [1.3, 1.5]),
            ("relaunch-kept", [1.2, 1.6]),
        ],
    ),
];

/// V3D clocks of an operation.
fn clocks(bench: &Microbench, constants: &Constants) -> f64 {
    let What::Time { test, repetitions } = bench.what else {
        panic!("{} is no time", bench.name);
    };
    let mut runner = SimRunner::new(RAM_BYTES).with(|config| config.constants = constants.clone());
    let mut prepared = Prepared::new(&mut runner, test).expect("it fits");
    let mut run = |repetitions| {
        let report = prepared.run(&mut runner, repetitions);
        report.expect("it ends").cycles.expect("timed") as f64
    };
    let few = repetitions[0].min(8);
    run(few);
    // Fewer than on a board, whose clock counts microseconds; of programs in a queue as many as
    // there are.
    let many = if bench.name.starts_with("queue") {
        repetitions[1]
    } else {
        few + ((repetitions[1] - few) / 16).clamp(2, 24)
    };
    (run(many) - run(few)) / f64::from(many - few) / f64::from(test.operations())
}

fn times() -> impl Iterator<Item = &'static Microbench> {
    LIST.iter()
        .filter(|bench| matches!(bench.what, What::Time { .. }))
        // What a transform depends on is not for these to say.
        .filter(|bench| !bench.name.starts_with("transform"))
}

#[test]
#[ignore = "prints, for those who change a microbenchmark"]
fn print_all() {
    for bench in LIST {
        if let What::Time { .. } = bench.what {
            let clocks = clocks(bench, &Constants::recommended());
            println!("{:18} {clocks:9.3}", bench.name);
        }
    }
}

#[test]
fn each_constant_changes_its_figures_and_no_others() {
    let documented = Constants::recommended();
    let before: Vec<f64> = times().map(|bench| clocks(bench, &documented)).collect();
    for (constant, value, figures) in CHANGES {
        let mut constants = documented.clone();
        constants.change(constant, *value).expect("a constant");
        for (bench, before) in times().zip(&before) {
            let ratio = clocks(bench, &constants) / before;
            let found = figures.iter().find(|(name, _)| *name == bench.name);
            let [least, most] = found.map_or([0.98, 1.02], |(_, limits)| *limits);
            assert!(
                (least..=most).contains(&ratio),
                "{constant}={value}: {} becomes {ratio} times as long",
                bench.name
            );
        }
    }
}

#[test]
fn programs_run_at_any_address() {
    let mut runner = SimRunner::new(RAM_BYTES);
    assert_eq!(reservations(&mut runner), Ok(QpuSet::ALL));
}

#[test]
fn a_runner_works_again_after_a_program_that_does_not_end() {
    let mut runner = SimRunner::new(RAM_BYTES);
    let (_, works) = recovery(&mut runner);
    assert!(works);
}

#[test]
fn names_differ() {
    let mut names: Vec<_> = LIST.iter().map(|bench| bench.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), LIST.len());
}
