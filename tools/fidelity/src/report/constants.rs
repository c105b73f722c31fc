//! Tables of the constants: how they were found, what is left open, and all of them.

use super::table::{Table, figure};
use crate::fit::{free, value};
use crate::fits::fits;
use v3d_sim::{Constants, REFERENCE_HZ};

const LINE_BYTES: f64 = 64.0;

/// The values that each descent found from the fitting set alone, and those recommended after it.
pub fn found(recommended: &Constants) -> Table {
    let free: Vec<String> = free().into_iter().map(|free| free.name).collect();
    let mut headings = vec!["order", "start", "printed", "cost"];
    headings.extend(free.iter().map(String::as_str));
    let mut table = Table::new(&headings);
    for descent in &fits().descents {
        let mut cells = vec![
            descent.order.clone(),
            descent.start.clone(),
            descent.printed.clone(),
            format!("{:.3}", descent.cost),
        ];
        for wanted in &free {
            let found = descent.found.get(wanted);
            cells.push(found.map_or_else(String::new, |value| figure(*value)));
        }
        table.row(cells);
    }
    let mut cells = vec![
        recommended.launch_order.name().into(),
        "recommended".into(),
        String::new(),
        String::new(),
    ];
    let values = free.iter().map(|wanted| value(recommended, wanted));
    cells.extend(values.map(|value| value.map_or_else(String::new, figure)));
    table.row(cells);
    table
}

/// Sustained rates of SDRAM and of the system L2, with the ends of what the fitting set leaves.
pub fn rates(recommended: &Constants) -> Table {
    let ends = ["fast", "middle", "slow"].map(|printed| {
        let mut constants = recommended.clone();
        for (name, value) in fits().found(recommended.launch_order, printed) {
            constants.set(name, *value);
        }
        constants
    });
    let mut table = Table::new(&["rate", "fast end", "as printed", "slow end", "recommended"]);
    type Rate = fn(&Constants) -> f64;
    let rates: [(&str, Rate); 3] = [
        ("lines of open rows of SDRAM", |constants| {
            constants.sdram_line
        }),
        (
            "lines of SDRAM that each open a row of one bank",
            |constants| constants.sdram_line + constants.sdram_row,
        ),
        ("lines that the system L2 holds", |constants| {
            constants.read_bus
        }),
    ];
    for (what, clocks) in rates {
        let mut cells = vec![what.into()];
        for constants in ends.iter().chain([recommended]) {
            let clocks = clocks(constants);
            let megabytes = LINE_BYTES * f64::from(REFERENCE_HZ) / clocks / 1e6;
            cells.push(format!("{megabytes:.0} MB/s ({} clocks)", figure(clocks)));
        }
        table.row(cells);
    }
    table
}

/// All constants.
pub fn all(constants: &Constants) -> Table {
    let mut table = Table::new(&["constant", "value", "unit", "what it is", "source"]);
    for constant in constants.describe() {
        table.row(vec![
            format!("`{}`", constant.name),
            figure(constant.value),
            constant.unit.into(),
            constant.what.into(),
            constant.source.into(),
        ]);
    }
    table
}
