//! A plan in words and as JSON.

use serde_json::{Value, json};
use std::fmt::Write as _;

use qpu::fft::kernels::catalogue::Pass;
use qpu::fft::kernels::convert;
use qpu::fft::kernels::layout::OnePass;
use qpu::fft::kernels::spectral::Bins;
use qpu::fft::planner::memory::{Arrangement, PassMemory};
use qpu::fft::request::{Request, Transform};
use qpu::fft::samples::Format;
use v3d_sim::Constants;

use super::time::Measured;
use super::{Cost, Options, points, words};
use crate::constants;
use crate::plane::transform::MEMORY;

/// The description of a plan.
pub(super) struct Report<'a> {
    pub options: &'a Options,
    pub request: &'a Request,
    pub arrangement: &'a Arrangement,
    pub cost: &'a Cost,
    /// True if its clocks are concluded from those of other batches.
    pub is_predicted: bool,
    pub constants: &'a Constants,
    pub board: &'static str,
    pub measured: Option<&'a Measured>,
}

impl Report<'_> {
    /// For people.
    pub fn text(&self) -> String {
        let request = self.request;
        let memory = self.arrangement.memory();
        let mut text = format!(
            "{}: {}\n\n\
             pass         radix  points a unit reads  units  programs  code  read (bytes)  written (bytes)\n",
            self.title(),
            self.arrangement.split(),
        );
        for pass in self.arrangement.passes() {
            let line = Line::of(pass);
            let [read, written] = pass.layout().traffic(pass.step.batch);
            let radix = line.radix.map_or("-".into(), |radix| radix.to_string());
            let _ = writeln!(
                text,
                "{:11}  {radix:>5}  {:19}  {:5}  {:8}  {:4}  {read:12}  {written:15}",
                line.name,
                line.points,
                pass.units(),
                pass.running(),
                pass.program.code.len(),
            );
        }
        for line in self.explanations() {
            let _ = writeln!(text, "{line}");
        }
        let _ = write!(
            text,
            "\nmemory beside input and output: {} bytes (programs and lists {}, twiddles {}, between passes {})\n\
             input {} bytes, output {} bytes; {}\n",
            memory.total(),
            memory.programs,
            memory.tables,
            memory.scratch,
            request.input_bytes(),
            request.output_bytes(),
            if request.may_be_in_place() {
                "they may be the same"
            } else {
                "not the same memory"
            },
        );
        if self.needed_bytes() > MEMORY {
            let _ = writeln!(
                text,
                "together {} bytes: a board has {MEMORY} for the QPUs, take a smaller batch or shorter transforms",
                self.needed_bytes(),
            );
        }
        match (self.cost.clocks, self.cost.us()) {
            (Some(clocks), Some(us)) => {
                let points = points(self.request);
                let source = if self.is_predicted {
                    "predicted from other batches: --time runs this one"
                } else {
                    "simulated, second run"
                };
                let _ = writeln!(
                    text,
                    "{clocks:.0} V3D clocks ({source}), {:.2} a point, {us:.0} us on {}",
                    clocks / points as f64,
                    self.board,
                );
            }
            _ => {
                let _ = writeln!(
                    text,
                    "clocks of this kind are not tabled, and it is too long to run unasked: --time runs it on the simulator"
                );
            }
        }
        if let Some(Measured { us, runs, place }) = self.measured {
            let _ = writeln!(text, "{us} us on {place} (the shortest of {runs} runs)");
        }
        match (self.cost.floor, self.cost.share()) {
            (Some(floor), Some(share)) => {
                let _ = writeln!(text, "floor {floor:.0} clocks: {share:.2} of the roofline");
            }
            (Some(floor), None) => {
                let _ = writeln!(text, "floor {floor:.0} clocks");
            }
            _ => {}
        }
        text
    }

    /// Lines that explain the table: steps of a shared pass, marks, QPUs left out, launches.
    fn explanations(&self) -> Vec<String> {
        let mut passes = self.arrangement.passes();
        let steps = passes.find_map(|pass| Some(words::steps(pass.layout().one_pass()?)));
        let marks = words::marks(&self.arrangement.split());
        let left_out = self.arrangement.passes().filter_map(|pass| {
            let left_out = pass.programs - pass.running();
            (left_out > 0).then(|| {
                format!(
                    "the {} pass leaves {left_out} QPUs out, so that fewer share their caches",
                    Line::of(pass).name,
                )
            })
        });
        let stretches = self.arrangement.passes().filter(|pass| pass.stretches > 1);
        let stretches = stretches.map(|pass| {
            format!(
                "the {} pass is done in {} launches, so that programs that read the same rows stay together",
                Line::of(pass).name,
                pass.stretches,
            )
        });
        let lines = steps.into_iter().chain(marks);
        lines.chain(left_out).chain(stretches).collect()
    }

    /// Bytes of everything, in place where that may be.
    fn needed_bytes(&self) -> u64 {
        let [input, output] = [self.request.input_bytes(), self.request.output_bytes()];
        let buffers = if self.request.may_be_in_place() {
            input.max(output)
        } else {
            input + output
        };
        u64::from(self.arrangement.memory().total()) + buffers
    }

    fn title(&self) -> String {
        let Options {
            n, batch, inverse, ..
        } = self.options;
        let (s, each) = if *batch == 1 {
            ("", "")
        } else {
            ("s", " each")
        };
        let direction = if *inverse { "inverse" } else { "forward" };
        let samples = match self.request.samples {
            Format::F32 => String::new(),
            format => format!(" in {format}"),
        };
        let window = if self.options.windowed {
            ", times a window"
        } else {
            ""
        };
        match self.request.transform {
            Transform::Plane { log2_rows, .. } => {
                let rows = 1u64 << log2_rows;
                format!(
                    "{batch} {direction} transform{s} of planes, {rows} rows of {n} points{each}"
                )
            }
            Transform::Powers(powers) => {
                let kind = if powers.is_real { "real" } else { "complex" };
                let segments = powers.segments;
                format!(
                    "{batch} power spectr{} of {segments} x {n} {kind} samples{samples}{window}{each}",
                    if *batch == 1 { "um" } else { "a" }
                )
            }
            Transform::RealToBins { .. } | Transform::BinsToReal { .. } => {
                format!(
                    "{batch} {direction} transform{s} of {n} real points{samples}{window}{each}"
                )
            }
            _ => format!("{batch} {direction} transform{s} of {n} points{samples}{window}{each}"),
        }
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let memory = self.arrangement.memory();
        let radices: Vec<_> = self.arrangement.split().radices().collect();
        let passes: Vec<_> = self.arrangement.passes().map(pass_json).collect();
        let kind = match self.request.transform {
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
            "direction": if self.options.inverse { "inverse" } else { "forward" },
            "board": self.board,
            "radices": radices,
            "split": self.arrangement.split().to_string(),
            "passes": passes,
            "memory_bytes": memory.total(),
            "program_bytes": memory.programs,
            "table_bytes": memory.tables,
            "scratch_bytes": memory.scratch,
            "input_bytes": self.request.input_bytes(),
            "output_bytes": self.request.output_bytes(),
            "fits": self.needed_bytes() <= MEMORY,
            "clocks": self.cost.clocks,
            "clocks_are_predicted": self.cost.clocks.is_some() && self.is_predicted,
            "us": self.cost.us(),
            "floor_clocks": self.cost.floor,
            "share": self.cost.share(),
            "constants": constants::changed(self.constants),
            "measured_us": self.measured.map(|measured| measured.us),
            "measured_on": self.measured.map(|measured| &measured.place),
        })
    }
}

fn pass_json(pass: &PassMemory) -> Value {
    let line = Line::of(pass);
    let [read, written] = pass.layout().traffic(pass.step.batch);
    json!({
        "role": line.name,
        "radix": line.radix,
        "steps": pass.layout().one_pass().map(OnePass::radices),
        "parts": line.parts,
        "units": pass.units(),
        "programs": pass.running(),
        "qpus_left_out": pass.programs - pass.running(),
        "launches": pass.stretches,
        "instructions": pass.program.code.len(),
        "read_bytes": read,
        "written_bytes": written,
        "twiddle_bytes": pass.layout().table_bytes(),
        "stores_row_by_row": line.stores_row_by_row,
    })
}

/// The kind of a pass.
struct Line {
    name: String,
    /// Passes of transforms.
    radix: Option<u32>,
    /// That read the same points.
    parts: u32,
    /// That a unit reads.
    points: u32,
    stores_row_by_row: bool,
}

impl Line {
    fn of(pass: &PassMemory) -> Self {
        if let Some(one) = pass.layout().one_pass() {
            return Self {
                name: words::SHARED.into(),
                radix: Some(1 << one.log2_points()),
                parts: 1,
                points: one.points_of_a_unit(),
                stores_row_by_row: false,
            };
        }
        match &pass.step.pass {
            Pass::Points(geometry) => Self {
                name: words::name(geometry.role()).into(),
                radix: Some(geometry.radix()),
                parts: geometry.parts(),
                points: geometry.vectors() * 16,
                stores_row_by_row: geometry.is_stored_by_rows(),
            },
            Pass::Real(real) => {
                Self::bins(if real.to_bins { "split" } else { "join" }, real.bins())
            }
            Pass::Product(_) => Self::bins("product", Bins::Product),
            Pass::Power(power) => Self::bins("power", power.bins()),
            _ => Self {
                name: "convert".into(),
                radix: None,
                parts: 1,
                points: 16 * convert::VECTORS,
                stores_row_by_row: false,
            },
        }
    }

    fn bins(name: &str, bins: Bins) -> Self {
        Self {
            name: name.into(),
            radix: None,
            parts: 1,
            points: u32::from(bins.runs()) * bins.run_bins(),
            stores_row_by_row: false,
        }
    }
}
