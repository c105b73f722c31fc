//! The microbenchmarks on the simulator.

use std::cell::RefCell;
use std::collections::HashMap;

use qpu_programs::microbench::{LIST, Prepared, Test, What};
use v3d_sim::{Board, Config, Constants, SimRunner};

/// Memory of the simulated board.
const RAM_BYTES: u32 = 4 << 20;

/// The simulator at the clock of a board.
pub struct Model {
    clock_hz: u32,
    /// Clocks of an operation with the documented constants, by name.
    documented: RefCell<HashMap<&'static str, Option<f64>>>,
}

/// The test of that name.
fn test(name: &str) -> Option<(&'static str, Test, [u32; 2])> {
    LIST.iter().find_map(|bench| match bench.what {
        What::Time { test, repetitions } if bench.name == name => {
            Some((bench.name, test, repetitions))
        }
        _ => None,
    })
}

impl Model {
    /// The model of a board whose V3D runs at `clock_hz`.
    #[must_use]
    pub fn new(clock_hz: u32) -> Self {
        Self {
            clock_hz,
            documented: RefCell::default(),
        }
    }

    /// V3D clocks of an operation of the microbenchmark of that name, with these constants; `None`
    /// when there is none, or it does not run with them.
    #[must_use]
    pub fn clocks(&self, name: &str, constants: &Constants) -> Option<f64> {
        let (name, test, repetitions) = test(name)?;
        let is_documented = *constants == Constants::recommended();
        if is_documented && let Some(known) = self.documented.borrow().get(name) {
            return *known;
        }
        let clocks = self.run(test, repetitions, constants);
        if is_documented {
            self.documented.borrow_mut().insert(name, clocks);
        }
        clocks
    }

    fn run(&self, test: Test, [few, many]: [u32; 2], constants: &Constants) -> Option<f64> {
        let config = Config {
            strict: true,
            constants: constants.clone(),
            clock_hz: self.clock_hz,
            ..Config::for_board(Board::Pi1)
        };
        let mut runner = SimRunner::with_config(RAM_BYTES, config);
        let mut prepared = Prepared::new(&mut runner, test).ok()?;
        // The simulator counts clocks and not microseconds: fewer repetitions do, but for programs
        // that wait in a queue, which are what is repeated there.
        let [few, many] = match test {
            Test::Queue { .. } | Test::Transform { .. } => [few, many],
            _ => {
                let few = few.min(8);
                [few, few + ((many - few) / 16).clamp(2, 24)]
            }
        };
        let mut run = |repetitions| {
            let report = prepared.run(&mut runner, repetitions).ok()?;
            Some(report.cycles? as f64)
        };
        run(few)?;
        let short = run(few)?;
        let long = run(many)?;
        Some((long - short) / f64::from(many - few) / f64::from(test.operations()))
    }
}
