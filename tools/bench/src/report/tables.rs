//! Tables of lengths: a row each, and how its figures are written.

use crate::case::Case;
use crate::row::{Figures, Met, Row, microseconds};
use crate::side::Side;
use fidelity::report::table::{Table, figure};

/// Ours beside the peer's.
pub fn compared(rows: &[&Row], out: &mut String) {
    let mut table = Table::new(&[
        "log2 N",
        "us",
        "us by 0x4",
        "GPU_FFT us",
        "ratio",
        "ceiling",
        "target",
        "met",
        "memory us",
        "arithmetic us",
        "share",
        "met",
        "passes",
        "ppm",
        "GPU_FFT",
        "random ppm",
        "GPU_FFT",
        "met",
    ]);
    for row in rows {
        let figures: Figures = row.figures();
        table.row(vec![
            row.case.log2n.to_string(),
            time(figures.us),
            time(figures.allocating_us),
            time(figures.peer_us),
            decimals(figures.ratio),
            decimals(figures.ceiling),
            decimals(figures.target_reachable),
            met(figures.met),
            time(Some(figures.memory_us)),
            time(Some(figures.arithmetic_us)),
            decimals(figures.share),
            met(figures.share_met),
            figures
                .passes
                .map_or_else(dash, |passes| passes.to_string()),
            decimals(figures.ppm),
            decimals(figures.peer_ppm),
            decimals(figures.random_ppm),
            decimals(figures.peer_random_ppm),
            met(figures.errors_met),
        ]);
    }
    table.write(out);
}

/// One side's own figures.
pub fn side<'a>(
    name: &str,
    rows: &[&'a Row],
    of: impl Fn(&'a Row) -> Option<&'a Side>,
    out: &mut String,
) {
    let mut table = Table::new(&[
        name,
        "passes",
        "instructions",
        "clocks",
        "cold clocks",
        "us",
        "cold us",
        "GFLOPS",
        "GB/s",
        "slots",
    ]);
    let mut any = false;
    for row in rows {
        let Some(side) = of(row) else { continue };
        any = true;
        let name = format!("2^{}", row.case.log2n);
        table.row(own(name, &row.case, side));
    }
    if any {
        table.write(out);
    }
}

/// Writes the times that the firmware sees.
pub fn walls(rows: &[&Row], out: &mut String) {
    let mut table = Table::new(&[
        "firmware",
        "wall us, launch included",
        "first wall us",
        "V3D us",
    ]);
    let mut any = false;
    for row in rows {
        let (Some(wall), Some(ours)) = (&row.wall, &row.ours) else {
            continue;
        };
        any = true;
        table.row(vec![
            format!("2^{}", row.case.log2n),
            wall.us.to_string(),
            wall.first_us.to_string(),
            time(Some(microseconds(ours.cycles as f64))),
        ]);
    }
    if any {
        table.write(out);
    }
}

/// One side's row.
fn own(name: String, case: &Case, side: &Side) -> Vec<String> {
    let [us, cold_us] = [side.cycles, side.cold_cycles].map(|clocks| microseconds(clocks as f64));
    let bytes = side.moved(case) as f64;
    let slots = 4.0 * side.instructions as f64 / (12.0 * side.cycles as f64);
    vec![
        name,
        side.passes.to_string(),
        figure(side.instructions as f64),
        figure(side.cycles as f64),
        figure(side.cold_cycles as f64),
        time(Some(us)),
        time(Some(cold_us)),
        decimals(Some(case.flops() as f64 / (1e3 * us))),
        decimals(Some(bytes / (1e3 * us))),
        share(slots),
    ]
}

/// The text where there is no figure.
pub fn dash() -> String {
    "-".into()
}

/// Microseconds.
pub fn time(us: Option<f64>) -> String {
    us.map_or_else(dash, figure)
}

/// A ratio.
pub fn decimals(value: Option<f64>) -> String {
    value.map_or_else(dash, |value| format!("{value:.2}"))
}

/// A part of 1, in per cent.
pub fn share(part: f64) -> String {
    format!("{:.0} %", 100.0 * part)
}

/// The word for a target met or missed; nothing where there is no target.
pub fn met(met: Met) -> String {
    match met {
        None => "",
        Some(true) => "yes",
        Some(false) => "**no**",
    }
    .into()
}
