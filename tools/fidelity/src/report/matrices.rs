//! Matrix products of others on a Pi 3, whose programs this tool cannot run.

use super::table::Table;
use std::fmt::Write;

/// An example of py-videocore, a product of 96 x 363 and 363 x 3072.
pub struct Product {
    /// Its file.
    pub example: &'static str,
    /// QPUs that it uses.
    pub qpus: u32,
    /// V3D clocks on preset pi3 at clocks in hertz; `tests/tests/peers` holds the simulator to them.
    pub clocks: [(u32, u64); 2],
    /// Milliseconds on boards, and who published them.
    published: &'static [(f64, &'static str)],
}

/// Both examples.
pub const PRODUCTS: [Product; 2] = [
    Product {
        example: "sgemm.py",
        qpus: 12,
        clocks: [(300_000_000, 7_220_148), (400_000_000, 10_117_800)],
        published: &[
            (26.9, "8 GFLOPS by py-videocore's README, board not said"),
            (
                24.89,
                "QMKL's pull request 1, in C, board with four cores not said",
            ),
            (32.1, "py-videocore's issue 5, Pi 3 beside Kodi"),
        ],
    },
    Product {
        example: "sgemm_1thread.py",
        qpus: 1,
        clocks: [(300_000_000, 50_227_732), (400_000_000, 52_428_720)],
        published: &[
            (267.6, "py-videocore's issue 5, Pi 3 beside Kodi"),
            (
                245.6,
                "0.875 GFLOPS by QMKL's issue 8, Pi 3, another program: were it this product",
            ),
        ],
    },
];

/// The section.
pub fn write(out: &mut String) {
    out.push_str(
        "## Matrix products on a Pi 3\n\n\
         Not in the rows above: whole programs of others, published with their time and without V3D's clock, not all of them \
         with their board. Simulated from py-videocore's own examples (`tests/tests/peers`, with `QPUSCOPE_PEERS`).\n\n",
    );
    let mut headings = vec!["program".to_string(), "QPUs".into(), "published".into()];
    let clocks = PRODUCTS[0].clocks.map(|(hz, _)| hz);
    headings.extend(clocks.map(|hz| format!("at {} MHz", hz / 1_000_000)));
    headings.push("source".into());
    let headings: Vec<_> = headings.iter().map(String::as_str).collect();
    let mut table = Table::new(&headings);
    for product in &PRODUCTS {
        let times = product.clocks;
        let times = times.map(|(hz, clocks)| clocks as f64 / f64::from(hz) * 1e3);
        for (ms, source) in product.published {
            let mut cells = vec![
                product.example.into(),
                product.qpus.to_string(),
                format!("{ms} ms"),
            ];
            cells.extend(times.map(|ms| format!("{ms:.1} ms")));
            cells.push((*source).into());
            table.row(cells);
        }
    }
    table.write(out);
    let _ = writeln!(
        out,
        "Raspberry Pi's documentation (overclocking options of config.txt) gave the V3D of a Pi 3 300 MHz when these were \
         published, and still beside the first Pi 4; its later table has 400. QMKL 0.0.0's products with 363 x 4608 and 363 x 15360 took 27.9 and 80.9 ms on a Pi 3B (its issue 42), and 29.2 and \
         99.6 ms here at 400 MHz, run once from words that its own tools made: no command repeats that.\n\n\
         Twelve QPUs, which memory holds up, take from 10 % less to 23 % more than published, and 25 % less than beside Kodi. One QPU reads a uniform with each instruction \
         and waits for nothing else: 0.51 us for a line of 16 uniforms by issue 5, 0.32 or 0.25 us here, \
         where Terminus-IMRC's 0.43 us on a Pi 2 is met (\"64 uniforms back to back\"). So on preset `pi3` what one or few QPUs \
         read from memory word by word may take as little as half the time that it takes on a board; how long a Pi 3's memory takes to \
         answer was not found published.\n",
    );
}
