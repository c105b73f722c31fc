//! Prints what FFT plans take on the simulated QPUs, for each length.
//!
//! `cargo run --release -p tests --example qpu_fft_rounds`. A round is one instruction on every QPU
//! that does not wait, 4 V3D clocks; the functional simulator knows no memory latency, so these are
//! no times of the hardware.

use qpu::fft::{Direction, MAX_LOG2_POINTS, MIN_LOG2_POINTS, Pass, Plan};
use qpu::job::Runner;
use qpu_programs::CATALOGUE;
use v3d_sim::SimRunner;

fn main() {
    println!("points  programs  instructions of each  rounds (simulated, no memory latency)");
    for log2n in MIN_LOG2_POINTS..=MAX_LOG2_POINTS {
        let mut runner = SimRunner::new(1 << 20);
        let mut plan = Plan::new(&CATALOGUE, log2n, &mut runner).expect("memory for one plan");
        let zeros = vec![0; 2 << log2n];
        runner
            .write(plan.input(), 0, &zeros)
            .expect("the input has this length");
        let report = plan
            .run(&mut runner, Direction::Forward, 100_000)
            .expect("the transform runs");
        let layout = *plan.layout();
        let length = |pass| {
            CATALOGUE
                .find(pass, layout.parts(pass))
                .map_or(0, |program| program.code.len())
        };
        println!(
            "{:6}  2 x {:4}  {:9} + {:8}  {:6}",
            plan.points(),
            layout.programs(),
            length(Pass::First),
            length(Pass::Second),
            report
                .cycles
                .map_or_else(|| "?".into(), |cycles| (cycles / 4).to_string()),
        );
    }
}
