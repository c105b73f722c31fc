//! Plans of the project's FFT that come out wrong on broken silicon.
//!
//! A plan is wrong when it ends with an error, or with another result than on a sound V3D. Plans
//! hand rows from QPU to QPU, wait at barriers and take turns, so every defect but one must be seen
//! by some; passes apart from each other, whose programs share nothing but a lock, must see those
//! of their own QPU, of its code and of that lock only.

use qpu::job::{Buffer, Runner};
use qpu_fft::kernels::catalogue::Pass;
use qpu_fft::request::Request;
use qpu_fft::{Direction, Plan, Split};
use qpu_programs::FFT;
use v3d_sim::{Defect, SimError, SimRunner};

const LIMIT_US: u32 = 1_000_000;

/// Enough for the longest plan of these tests with its buffer.
const RAM_BYTES: u32 = 4 << 20;

/// The result of a plan for numbers that look like noise.
fn result(runner: &mut SimRunner, request: &Request) -> Result<Vec<u32>, String> {
    let fail = |error: SimError| error.to_string();
    let bytes = request.input_bytes() as u32;
    runner.release_all();
    let buffer = runner.alloc(bytes, 4096).map_err(fail)?;
    let plan = Plan::new(FFT, request, [buffer; 2], runner);
    let mut plan = plan.map_err(|error| error.to_string())?;
    let mut random = 1_u32;
    let points: Vec<u32> = (0..bytes / 4)
        .map(|_| {
            // Numerical Recipes' generator.
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (f32::from((random >> 16) as u16) / 65_536.0 - 0.5).to_bits()
        })
        .collect();
    runner.write(buffer, 0, &points).map_err(fail)?;
    let run = plan.run(runner, Direction::Forward, LIMIT_US);
    run.map_err(|error| error.to_string())?;
    read(runner, buffer).map_err(fail)
}

fn read(runner: &mut SimRunner, buffer: Buffer) -> Result<Vec<u32>, SimError> {
    let mut words = vec![0; buffer.bytes as usize / 4];
    runner.read(buffer, 0, &mut words)?;
    Ok(words)
}

/// A V3D that has run another plan in the same memory before.
fn used(runner: SimRunner) -> SimRunner {
    let mut runner = runner;
    // What it gives is nobody's business here.
    let _ = result(&mut runner, &Request::new(6, 1));
    runner
}

fn sound(functional: bool) -> SimRunner {
    used(SimRunner::new(RAM_BYTES).with_functional(functional))
}

/// The requests that come out wrong on a V3D with this defect.
fn wrong(requests: &[(String, Request)], defect: Defect, functional: bool) -> Vec<String> {
    let is_wrong = |request: &Request| {
        let broken = SimRunner::new(RAM_BYTES).with_functional(functional);
        let broken = broken.with(|config| {
            config.defect = Some(defect);
            // What breaks lets programs break rules.
            config.strict = false;
        });
        let got = result(&mut used(broken), request);
        let wanted = result(&mut sound(functional), request).expect("a sound V3D");
        got.as_ref() != Ok(&wanted)
    };
    let wrong = requests.iter().filter(|(_, request)| is_wrong(request));
    wrong.map(|(name, _)| name.clone()).collect()
}

/// One transform of each length that is one pass, as the firmware's tables have it.
fn of_one_pass() -> Vec<(String, Request)> {
    (4..=12)
        .map(|log2n| (format!("2^{log2n}"), Request::new(log2n, 1)))
        .collect()
}

/// Passes in launches of their own, of programs that share neither tiles nor rows.
fn in_passes() -> Vec<(String, Request)> {
    let splits = (8..=14).filter_map(|log2n| {
        let mut splits = Split::all(log2n);
        splits.find(|split| {
            let shares = (0..split.passes()).any(|pass| split.is_shared(pass));
            split.passes() > 1 && !shares && Pass::of(split).is_none()
        })
    });
    splits
        .map(|split| {
            let mut request = Request::new(split.log2_points(), 1);
            request.split = Some(split);
            request.one_launch = false;
            (format!("2^{} as {split}", split.log2_points()), request)
        })
        .collect()
}

#[test]
fn every_defect_but_one_spoils_some_plan() {
    let requests = of_one_pass();
    for functional in [true, false] {
        for defect in Defect::EACH {
            let wrong = wrong(&requests, defect, functional);
            println!("{defect}, functional {functional}: {}", wrong.join(", "));
            // Programs find all that they need in their uniforms, wherever they run.
            let spoils = defect != Defect::NoReservation;
            assert_eq!(!wrong.is_empty(), spoils, "{defect}: {wrong:?}");
        }
    }
}

#[test]
fn passes_that_share_nothing_but_a_lock_see_what_is_their_own_and_the_lock() {
    let requests = in_passes();
    assert!(requests.len() >= 4, "{requests:?}");
    for functional in [true, false] {
        for defect in Defect::EACH {
            let wrong = wrong(&requests, defect, functional);
            println!("{defect}, functional {functional}: {}", wrong.join(", "));
            let survives = matches!(defect, Defect::LateVpm | Defect::NoReservation);
            assert_eq!(wrong.is_empty(), survives, "{defect}: {wrong:?}");
        }
    }
}

/// The lock of passes is a semaphore: it is broken too, but where no two can wait for it.
#[test]
fn passes_on_two_qpus_survive_a_semaphore_that_lets_two_through() {
    let mut requests = in_passes();
    for (_, request) in &mut requests {
        request.qpus = 2;
    }
    for functional in [true, false] {
        let wrong = wrong(&requests, Defect::SemaphoreTwo, functional);
        assert_eq!(wrong, [""; 0]);
    }
}
