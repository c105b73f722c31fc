//! Tests of which program of a pass does which unit.

use super::harness::{Pace, bits, transform};
use super::signals::{Random, dft};
use dsp::Direction;
use dsp::dft::relative_rms_error;
use qpu_fft::Plan;
use qpu_fft::planner::memory::PassMemory;
use qpu_fft::planner::steps::MAX_LAUNCHES;
use qpu_fft::planner::tuning::{self, Chip};
use qpu_fft::request::{Kernels, Points, Request, Transform};
use qpu_fft::samples::Format;
use qpu_programs::FFT;
use v3d_sim::SimError;
use wire::RunJob;

/// Requests whose passes leave QPUs out, with records in the start list, or more units than
/// programs.
fn requests() -> impl Iterator<Item = Request> {
    let sizes = (5..=13).flat_map(|log2| [1, 2, 3, 9].map(|batch| (log2, batch)));
    let all =
        sizes.flat_map(|(log2_points, batch)| (2..=12).map(move |qpus| (log2_points, batch, qpus)));
    all.flat_map(|(log2_points, batch, qpus)| {
        let transforms = [
            Transform::Complex { log2_points },
            Transform::RealToBins { log2_points },
            Transform::BinsToReal { log2_points },
        ];
        let formats = [Format::F32, Format::I16];
        let requests = transforms.into_iter().flat_map(move |transform| {
            formats.map(|samples| Request {
                samples,
                qpus,
                ..Request::of(transform, batch)
            })
        });
        requests.filter(|request| request.check::<SimError>().is_ok())
    })
}

fn check(what: &str, pass: &PassMemory) {
    if pass.program.record.is_empty() {
        // Those through the VPM count their units themselves.
        return;
    }
    let mut units = Vec::new();
    let mut records = 0;
    for program in 0..pass.programs {
        let count = pass.units_of(program);
        let is_idle = pass.entry_of(program).is_none();
        assert_eq!(is_idle, count == 0, "{what}: program {program}");
        let in_stretches = (0..pass.stretches).map(|stretch| {
            let units = pass.units_in(program, stretch);
            assert_eq!(
                units == 0,
                is_idle,
                "{what}: program {program} in {stretch}"
            );
            assert!(pass.records_of(program, stretch) >= records, "{what}");
            records = pass.records_of(program, stretch)
                + 4 * (units as usize * pass.program.record.len()) as u32;
            units
        });
        assert_eq!(in_stretches.sum::<u32>(), count, "{what}");
        units.extend((0..count).map(|number| pass.unit_of(program, number)));
    }
    units.sort_unstable();
    assert!(units.into_iter().eq(0..pass.units()), "{what}");
}

#[test]
fn every_unit_is_done_by_one_program() {
    let mut idle = 0;
    for request in requests() {
        let plan = Plan::arrangement_of::<SimError>(FFT, &request);
        let plan = plan.unwrap_or_else(|error| panic!("{request:?}: {error}"));
        for pass in plan.passes() {
            check(&format!("{request:?}, {:?}", pass.step.pass), pass);
            idle += pass.idle;
        }
    }
    assert!(idle > 0, "none of them leaves QPUs out");
}

/// Points that overlap are more than the input has.
#[test]
fn more_points_than_can_be_addressed_are_refused() {
    let powers = qpu_fft::kernels::spectral::power::Powers::new(false, 12, 1 << 24);
    let mut request = Request::of(Transform::Powers(powers), 1);
    request.samples = Format::U8;
    request.hop = Some(2);
    let plan = Plan::arrangement_of::<SimError>(FFT, &request);
    assert!(
        matches!(plan, Err(qpu_fft::request::Error::TooLarge(_))),
        "{plan:?}"
    );
}

/// Long transforms of every kind, which have a middle pass, and a convolution two.
fn long_requests() -> Vec<Request> {
    let complex = (17..=22).flat_map(|log2_points| {
        [1, 3].map(|batch| Request::of(Transform::Complex { log2_points }, batch))
    });
    let real = Request::of(Transform::RealToBins { log2_points: 23 }, 1);
    let plane = Transform::Plane {
        log2_rows: 5,
        log2_columns: 17,
    };
    let convolution = Transform::Convolution {
        log2_points: 19,
        points: Points::Complex,
        kernels: Kernels::One,
    };
    let others = [real, Request::of(plane, 1), Request::of(convolution, 1)];
    complex.chain(others).collect()
}

/// Programs of middle passes lose the order in which they began, which a launch restores. A board
/// takes only so many launches from a host at a time.
#[test]
fn long_middle_passes_take_several_launches_and_no_plan_too_many() {
    assert_eq!(MAX_LAUNCHES, RunJob::MAX_LAUNCHES);
    for request in long_requests() {
        let plan = Plan::arrangement_of::<SimError>(FFT, &request);
        let plan = plan.unwrap_or_else(|error| panic!("{request:?}: {error}"));
        for pass in plan.passes() {
            check(&format!("{request:?}, {:?}", pass.step.pass), pass);
        }
        let opening = plan.passes().filter(|pass| pass.gate == 0);
        let launches: u32 = opening.map(|pass| pass.stretches).sum();
        let most = plan.passes().map(|pass| pass.stretches).max();
        assert!(launches as usize <= MAX_LAUNCHES, "{request:?}: {launches}");
        let is_long = request.transform.log2_points() > 18;
        assert!(!is_long || most > Some(1), "{request:?}");
    }
}

/// Programs begin and end once for each launch, and go on in their lists where they were.
#[test]
fn a_pass_in_several_launches_is_a_dft() {
    let (log2_points, batch) = (17, 3);
    let points = 1 << log2_points;
    let input = Random::new(11).complex(batch << log2_points);
    let mut outputs = Vec::new();
    for one_launch in [false, true] {
        let request = Request {
            one_launch,
            ..Request::new(log2_points, batch as u32)
        };
        let plan = Plan::arrangement_of::<SimError>(FFT, &request).expect("a plan");
        assert!(plan.passes().any(|pass| pass.stretches > 1));
        let pace = if one_launch {
            Pace::Shuffled(3)
        } else {
            Pace::Functional
        };
        outputs.push(transform(&request, pace, false, Direction::Forward, &input));
    }
    let same = outputs
        .iter()
        .all(|output| bits(output) == bits(&outputs[0]));
    assert!(same, "other launches, or another order, give other bits");
    for (input, output) in input.chunks(points).zip(outputs[0].chunks(points)) {
        let error = relative_rms_error(output, &dft(Direction::Forward, input));
        assert!(error < 1e-6, "{error}");
    }
}

/// The table of the other chip has splits of its own.
#[test]
fn plans_for_either_chip_are_dfts() {
    let mut others = 0;
    for (log2_points, batch) in (4..=16).flat_map(|log2| [(log2, 1), (log2, 10)]) {
        let split = |chip| tuning::split(chip, log2_points, batch);
        let request = Request {
            chip: Chip::Bcm2836,
            ..Request::new(log2_points, batch)
        };
        if split(Chip::Bcm2836) == split(Chip::Bcm2835) {
            continue;
        }
        others += 1;
        let input = Random::new(7).complex((batch as usize) << log2_points);
        let output = transform(
            &request,
            Pace::Functional,
            false,
            Direction::Forward,
            &input,
        );
        let points = 1 << log2_points;
        for (input, output) in input.chunks(points).zip(output.chunks(points)) {
            let error = relative_rms_error(output, &dft(Direction::Forward, input));
            assert!(error < 1e-6, "2^{log2_points} x {batch}: {error}");
        }
    }
    assert!(others > 0, "both tables have the same splits");
}
