//! Which program of a pass does which unit.

use qpu::fft::Plan;
use qpu::fft::memory::PassMemory;
use qpu::fft::request::{Request, Transform};
use qpu::fft::samples::Format;
use qpu_programs::FFT;
use v3d_sim::SimError;

/// Requests whose passes have programs that end at once, records in the start list, or more units than programs.
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
        let is_idle = pass.entry_of(program) > 0;
        assert_eq!(is_idle, count == 0, "{what}: program {program}");
        assert!(pass.records_of(program) >= records, "{what}");
        records =
            pass.records_of(program) + 4 * (count as usize * pass.program.record.len()) as u32;
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
    assert!(idle > 0, "none of them has programs that end at once");
}

/// Points that overlap are more than the input has.
#[test]
fn more_points_than_can_be_addressed_are_refused() {
    let powers = qpu::fft::bins::power::Powers::new(false, 12, 1 << 24);
    let mut request = Request::of(Transform::Powers(powers), 1);
    request.samples = Format::U8;
    request.hop = Some(2);
    let plan = Plan::arrangement_of::<SimError>(FFT, &request);
    assert!(
        matches!(plan, Err(qpu::fft::request::Error::TooLarge(_))),
        "{plan:?}"
    );
}
