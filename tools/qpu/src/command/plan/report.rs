//! A plan in words and as JSON.

use serde_json::{Value, json};
use std::fmt::Write as _;

use flowgraph::plan::{BOARD_BYTES, PassLine, Planned, cost};
use qpu_fft::Direction;
use qpu_fft::request::Transform;
use v3d_sim::{Board, Constants};

use super::{Measured, Options, RUNS};
use common::constants;
use workbench::transform;

/// The description of a plan.
pub(super) struct Report<'a> {
    pub options: &'a Options,
    pub planned: &'a Planned,
    pub direction: Direction,
    pub clocks: Option<f64>,
    pub bound: Option<f64>,
    /// True if its clocks are concluded from those of other batches.
    pub is_predicted: bool,
    pub constants: &'a Constants,
    pub board: Board,
    pub measured: Option<&'a Measured>,
}

impl Report<'_> {
    fn clock_hz(&self) -> f64 {
        f64::from(self.board.clock_hz())
    }

    /// For people.
    pub fn text(&self) -> String {
        let planned = self.planned;
        let mut text = format!(
            "{}: {}\n\n\
             pass         radix  points a unit reads  units  programs  code  read (bytes)  written (bytes)\n",
            planned.title(self.direction),
            planned.arrangement.split,
        );
        for pass in planned.passes() {
            let radix = pass.radix.map_or("-".into(), |radix| radix.to_string());
            let _ = writeln!(
                text,
                "{:11}  {radix:>5}  {:19}  {:5}  {:8}  {:4}  {:12}  {:15}",
                pass.name,
                pass.points,
                pass.units,
                pass.programs,
                pass.instructions,
                pass.read_bytes,
                pass.written_bytes,
            );
        }
        for line in planned.explanations() {
            let _ = writeln!(text, "{line}");
        }
        text.push('\n');
        for line in planned.memory() {
            let _ = writeln!(text, "{line}");
        }
        let _ = match self.clocks {
            Some(clocks) => {
                let source = if self.is_predicted {
                    "predicted from other batches: --time runs this one"
                } else {
                    "simulated, second run"
                };
                let (clock_hz, board) = (self.clock_hz(), self.board.name());
                let line = cost::sentence(planned, clocks, source, clock_hz, board);
                writeln!(text, "{line}")
            }
            None => writeln!(
                text,
                "clocks of this kind are not tabled, and it is too long to run unasked: --time runs it on the simulator"
            ),
        };
        if let Some(Measured { us, place }) = self.measured {
            let _ = writeln!(text, "{us} us on {place} (the shortest of {RUNS} runs)");
        }
        if let Some(bound) = self.bound {
            let line = cost::bound_sentence(bound, self.clocks);
            let _ = writeln!(text, "{line}");
        }
        text
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let arrangement = &self.planned.arrangement;
        let request = &self.planned.request;
        let memory = arrangement.memory;
        let radices: Vec<_> = arrangement.split.radices().collect();
        let passes: Vec<_> = self.planned.passes().map(|pass| pass_json(&pass)).collect();
        let kind = match request.transform {
            Transform::Complex { .. } | Transform::Convolution { .. } => "complex",
            Transform::RealToBins { .. } | Transform::BinsToReal { .. } => "real",
            Transform::Plane { .. } => "plane",
            Transform::Powers(_) => "powers",
        };
        json!({
            "n": self.options.n,
            "kind": kind,
            "rows": self.options.rows,
            "segments": self.options.powers,
            "samples": self.options.samples,
            "windowed": self.options.windowed,
            "batch": self.options.batch,
            "direction": transform::name(self.direction),
            "board": self.board.name(),
            "radices": radices,
            "split": arrangement.split.to_string(),
            "passes": passes,
            "memory_bytes": memory.total(),
            "program_bytes": memory.programs,
            "table_bytes": memory.tables,
            "scratch_bytes": memory.scratch,
            "input_bytes": request.input_bytes(),
            "output_bytes": request.output_bytes(),
            "fits": self.planned.needed_bytes() <= BOARD_BYTES,
            "clocks": self.clocks,
            "clocks_are_predicted": self.clocks.is_some() && self.is_predicted,
            "us": self.clocks.map(|clocks| clocks * 1e6 / self.clock_hz()),
            "floor_clocks": self.bound,
            "share": self.bound.zip(self.clocks).map(|(bound, clocks)| bound / clocks),
            "constants": constants::changed(self.constants),
            "measured_us": self.measured.map(|measured| measured.us),
            "measured_on": self.measured.map(|measured| &measured.place),
        })
    }
}

fn pass_json(pass: &PassLine) -> Value {
    json!({
        "role": pass.name,
        "radix": pass.radix,
        "steps": pass.steps,
        "parts": pass.parts,
        "units": pass.units,
        "programs": pass.programs,
        "qpus_left_out": pass.left_out,
        "launches": pass.launches,
        "instructions": pass.instructions,
        "read_bytes": pass.read_bytes,
        "written_bytes": pass.written_bytes,
        "twiddle_bytes": pass.twiddle_bytes,
        "stores_row_by_row": pass.stores_row_by_row,
    })
}
