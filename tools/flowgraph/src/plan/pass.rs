//! A pass over memory as a line of a table.

use qpu_fft::kernels::catalogue::Pass;
use qpu_fft::kernels::convert;
use qpu_fft::kernels::layout::OnePass;
use qpu_fft::kernels::spectral::Bins;
use qpu_fft::planner::memory::PassMemory;

use super::words;

/// A pass, in numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct PassLine {
    /// Its name: `first`, `shared`, `split`, say.
    pub name: &'static str,
    /// Radix of passes of transforms.
    pub radix: Option<u32>,
    /// Radices of the steps of a shared pass.
    pub steps: Option<[u32; 2]>,
    /// Units that read the same points.
    pub parts: u32,
    /// Points that a unit reads.
    pub points: u32,
    /// Units of the pass.
    pub units: u32,
    /// Programs that run at the same time.
    pub programs: u32,
    /// QPUs between them that are left out.
    pub left_out: u32,
    /// Launches, one after the other.
    pub launches: u32,
    /// Instructions of its program.
    pub instructions: usize,
    /// Bytes of points that it reads.
    pub read_bytes: u64,
    /// Bytes that it writes.
    pub written_bytes: u64,
    /// Bytes of its table of twiddles.
    pub twiddle_bytes: u32,
    /// True if it stores rows one by one.
    pub stores_row_by_row: bool,
}

impl PassLine {
    /// The line of a pass.
    #[must_use]
    pub fn of(pass: &PassMemory) -> Self {
        let layout = pass.layout();
        let [read_bytes, written_bytes] = layout.traffic(pass.step.batch);
        // A pass without a radix; the kinds below replace the fields in which they differ.
        let line = |name, points| Self {
            name,
            radix: None,
            steps: layout.one_pass().map(OnePass::radices),
            parts: 1,
            points,
            units: pass.units(),
            programs: pass.running(),
            left_out: pass.programs - pass.running(),
            launches: pass.stretches,
            instructions: pass.program.code.len(),
            read_bytes,
            written_bytes,
            twiddle_bytes: layout.table_bytes(),
            stores_row_by_row: false,
        };
        let of_bins = |name, bins: Bins| line(name, u32::from(bins.runs()) * bins.run_bins());
        if let Some(one) = layout.one_pass() {
            return Self {
                radix: Some(1 << one.log2_points()),
                ..line(words::SHARED, one.points_of_a_unit())
            };
        }
        match &pass.step.pass {
            Pass::Points(geometry) => Self {
                radix: Some(geometry.radix()),
                parts: geometry.parts(),
                stores_row_by_row: geometry.is_stored_by_rows(),
                ..line(words::name(geometry.role()), geometry.vectors() * 16)
            },
            Pass::Real(real) if real.to_bins => of_bins("split", real.bins()),
            Pass::Real(real) => of_bins("join", real.bins()),
            Pass::Product(_) => of_bins("product", Bins::Product),
            Pass::Power(power) => of_bins("power", power.bins()),
            _ => line("convert", 16 * convert::VECTORS),
        }
    }
}
