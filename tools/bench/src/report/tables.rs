//! Tables of lengths: a row each, and how its figures are written.

use crate::case::Case;
use crate::row::Row;
use crate::side::{Side, microseconds};
use fidelity::report::table::{Table, figure};

/// The table of a reader who chooses: times, ratio and errors.
pub fn chosen(rows: &[&Row]) -> Table {
    let mut table = Table::new(&["points", "us", "GPU_FFT us", "ratio", "ppm", "GPU_FFT ppm"]);
    for row in rows {
        let (ours, peer) = (row.ours.as_ref(), row.peer.as_ref());
        table.row(vec![
            figure(f64::from(1u32 << row.case.log2n)),
            time(ours.map(Side::us)),
            time(peer.map(Side::us)),
            decimals(row.ratio()),
            decimals(ours.map(|side| side.hello_ppm)),
            decimals(peer.map(|side| side.hello_ppm)),
        ]);
    }
    table
}

/// Ours beside the peer's.
pub fn compared(rows: &[&Row]) -> Table {
    let mut table = Table::new(&[
        "log2 N",
        "us",
        "us by 0x4",
        "GPU_FFT us",
        "ratio",
        "ceiling",
        "bound us",
        "share",
        "passes",
        "ppm",
        "GPU_FFT",
        "random ppm",
        "GPU_FFT",
    ]);
    for row in rows {
        let (ours, peer) = (row.ours.as_ref(), row.peer.as_ref());
        let hello = |side: &Side| side.hello_ppm;
        let random = |side: &Side| side.random_ppm;
        table.row(vec![
            row.case.log2n.to_string(),
            time(ours.map(Side::us)),
            time(ours.and_then(Side::allocating_us)),
            time(peer.map(Side::us)),
            decimals(row.ratio()),
            decimals(row.ceiling()),
            time(Some(microseconds(row.bound.clocks()))),
            decimals(row.share()),
            ours.map_or_else(dash, |side| side.passes.to_string()),
            decimals(ours.map(hello)),
            decimals(peer.map(hello)),
            decimals(ours.map(random)),
            decimals(peer.map(random)),
        ]);
    }
    table
}

/// One side's own figures; `None` where there are none.
pub fn side<'a>(
    name: &str,
    rows: &[&'a Row],
    of: impl Fn(&'a Row) -> Option<&'a Side>,
) -> Option<Table> {
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
    let sides = rows.iter().filter_map(|row| Some((&row.case, of(row)?)));
    for (case, side) in sides {
        table.row(own(case, side));
    }
    table.has_rows().then_some(table)
}

/// The times that the firmware sees; `None` where there are none.
pub fn walls(rows: &[&Row]) -> Option<Table> {
    let mut table = Table::new(&[
        "firmware",
        "wall us, launch included",
        "first wall us",
        "V3D us",
    ]);
    for row in rows {
        let (Some(wall), Some(ours)) = (&row.wall, &row.ours) else {
            continue;
        };
        table.row(vec![
            format!("2^{}", row.case.log2n),
            wall.us.to_string(),
            wall.first_us.to_string(),
            time(Some(ours.us())),
        ]);
    }
    table.has_rows().then_some(table)
}

/// One side's row.
fn own(case: &Case, side: &Side) -> Vec<String> {
    vec![
        format!("2^{}", case.log2n),
        side.passes.to_string(),
        figure(side.instructions as f64),
        figure(side.cycles as f64),
        figure(side.cold_cycles as f64),
        time(Some(side.us())),
        time(Some(microseconds(side.cold_cycles as f64))),
        decimals(Some(side.gflops(case))),
        decimals(Some(side.gigabytes_per_second(case))),
        share(side.slot_use()),
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
