//! `cargo xtask test`: every test there is, counted honestly.
//!
//! Each test program is started by xtask itself with a time limit, so that one that hangs or
//! crashes is one failure and not the end of the run. A test that lacks something appends its name
//! and reason to the file named by `QPUSCOPE_SKIPS` and returns; libtest calls that a pass, and the
//! count here calls it skipped. Failures are shown together at the end.

mod programs;
mod results;
mod selection;
mod soak;

pub use soak::run as soak;

use crate::toolchain::Toolchain;
use crate::{browser, firmware, process, qemu, reproduce, toolchain, web, workspace};
use anyhow::{Result, bail};
use programs::Program;
use results::Results;
use selection::Selection;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};
use std::{fs, panic, thread};

/// The seed of every run, so that a failure can be repeated.
const SEED: &str = "2835";

/// Test programs that run side by side: one alone keeps fewer than two cores busy.
const WORKERS: usize = 2;

/// Longest time for one test program, beside another.
const PROGRAM_LIMIT: Duration = Duration::from_secs(600);

/// Runs every test, or those whose name contains FILTER.
pub fn run(rest: &[String]) -> Result<ExitCode> {
    let filter = match rest {
        [] => None,
        [filter] if !filter.starts_with('-') => Some(filter.as_str()),
        _ => bail!("`cargo xtask test` takes at most a part of test names"),
    };
    workspace::forget_copied_tests()?;
    let started = Instant::now();
    let selection = filter.map_or(Ok(Selection::ALL), Selection::of)?;
    let mut results = Results::default();
    let mut environment = vec![("QPUSCOPE_SEED".to_string(), SEED.to_string())];
    let toolchain = selection.wants_environment.then(toolchain::find_or_install);
    let toolchain = toolchain.transpose()?;
    // Firmware and page each have a step that takes one core alone, and a folder of their own.
    let built = thread::scope(|scope| {
        let building = scope.spawn(|| programs::build(&selection));
        if let Some(toolchain) = &toolchain {
            eprintln!("firmware compiler: {toolchain}");
            environment.extend(prepare(toolchain, filter, &mut results));
        }
        building.join()
    });
    let built = built.unwrap_or_else(|panic| panic::resume_unwind(panic));
    let built = results.step("xtask: the tests are built", built);
    if let Some(built) = built.as_ref().filter(|_| selection.wants_environment)
        && let Some(host) = results.step("xtask: qpuscope is built", built.host())
    {
        environment.push(named("QPUSCOPE_HOST", &host));
        environment.push(named("QPUSCOPE_QPU", &host.with_file_name("qpu")));
    }
    let programs = built.map(|built| built.tests).unwrap_or_default();
    run_programs(programs, filter, &environment, &mut results)?;
    if filter.is_none() {
        let mut doc = programs::command();
        doc.args([
            "test",
            "--locked",
            "--quiet",
            "--workspace",
            "--doc",
            "--no-fail-fast",
            "--",
        ]);
        let outcome = Outcome::of(doc.arg("--format=pretty"), "documentation")?;
        outcome.add_to(&mut results, "documentation");
    }
    eprintln!("{} s", started.elapsed().as_secs());
    println!("{results}");
    Ok(if results.failed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Builds what the tests take from the environment; what cannot be built is a failure of its own.
fn prepare(
    toolchain: &Toolchain,
    filter: Option<&str>,
    results: &mut Results,
) -> Vec<(String, String)> {
    let mut environment = vec![];
    let mut put = |name: &str, path: &Path| environment.push(named(name, path));
    if let Some(image) = results.step("xtask: kernel.img is built", firmware::build(toolchain)) {
        eprintln!("{image}");
        put("QPUSCOPE_KERNEL", &image.img);
        put("QPUSCOPE_KERNEL_ELF", &image.elf);
        if filter.is_none() {
            let same = reproduce::check(toolchain, &image);
            results.step("xtask: kernel.img is the same from another folder", same);
        }
    }
    let guest = firmware::build_guest(toolchain, "guest-cpu");
    if let Some(guest) = results.step("xtask: the CPU test guest is built", guest) {
        put("QPUSCOPE_GUEST_CPU", &guest.elf);
        put("QPUSCOPE_GUEST_CPU_IMG", &guest.img);
    }
    let guest = firmware::build_guest(toolchain, "guest-fft");
    if let Some(guest) = results.step("xtask: the guest of `qpu bench` is built", guest) {
        put("QPUSCOPE_GUEST_FFT", &guest.img);
    }
    if let Some(chromium) = browser::find() {
        put("QPUSCOPE_CHROMIUM", &chromium);
        let page = web::build(&web::default_folder());
        if let Some(page) = results.step("xtask: the page is built", page) {
            put("QPUSCOPE_PAGE", Path::new(&page));
        }
    } else {
        eprintln!("tests of the page will be skipped: {}", browser::MISSING);
    }
    match qemu::find_or_install() {
        Ok(program) => put("QPUSCOPE_QEMU", &program),
        Err(error) => eprintln!("tests that need QEMU will be skipped: {error:#}"),
    }
    environment
}

/// A variable that names a file.
fn named(variable: &str, path: &Path) -> (String, String) {
    (variable.to_string(), path.display().to_string())
}

/// Runs test programs, [`WORKERS`] at a time.
fn run_programs(
    mut programs: Vec<Program>,
    filter: Option<&str>,
    environment: &[(String, String)],
    results: &mut Results,
) -> Result<()> {
    // Those of whole systems take longest: at the end, one of them would run alone.
    programs.sort_by_key(|program| !program.name.starts_with("tests "));
    let (waiting, results) = (Mutex::new(programs.into_iter()), Mutex::new(results));
    let next = || locked(&waiting).next();
    let work = || {
        while let Some(program) = next() {
            let mut command = program.command(filter);
            command.envs(environment.iter().cloned());
            let outcome = Outcome::of(&mut command, &program.name)?;
            outcome.add_to(&mut locked(&results), &program.name);
        }
        Ok(())
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(work)).collect();
        let mut ended = workers.into_iter().map(ScopedJoinHandle::join);
        ended.try_for_each(|ended| ended.unwrap_or_else(|panic| panic::resume_unwind(panic)))
    })
}

/// Locks what all workers use: a panic of one ends the run anyway.
fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The end of a test program.
struct Outcome {
    output: process::Output,
    /// The file of its skips: equal test names in two programs are two tests.
    skipped: String,
    took: Duration,
}

impl Outcome {
    fn of(command: &mut Command, name: &str) -> Result<Self> {
        let folder = workspace::target().join("skips");
        fs::create_dir_all(&folder)?;
        let skips = folder.join(name.replace(' ', "-"));
        fs::write(&skips, "")?;
        let started = Instant::now();
        let output = process::capture(command.env("QPUSCOPE_SKIPS", &skips), PROGRAM_LIMIT)?;
        Ok(Self {
            output,
            skipped: fs::read_to_string(skips).unwrap_or_default(),
            took: started.elapsed(),
        })
    }

    fn add_to(&self, results: &mut Results, name: &str) {
        let summary = results.add(name, &self.output, &self.skipped, PROGRAM_LIMIT);
        eprintln!("{name}: {summary}, {:.1} s", self.took.as_secs_f32());
    }
}
