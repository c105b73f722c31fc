//! Whole programs of others, which this tool cannot run: `tests/tests/peers` holds the simulator to
//! the clocks here.

use super::table::{Table, figure, percent};

/// The clock that the presets of Pi 1 and Pi 2 have.
const HZ: f64 = 250e6;

/// V3D clocks on preset pi2 of all launches of mandel-qpu's 1920 x 1080 points of the Mandelbrot
/// set, a hundred thousand steps each, on twelve QPUs.
pub const MANDELBROT_CLOCKS: u64 = 8_440_200_468;

/// rpi-playground's SHA-256, `final.asm` on twelve QPUs.
pub const SHA_256: Hashes = Hashes {
    laps: 1000,
    clocks: 16_421_424,
    instructions: 3_575_014,
};

/// Hashes of a block for each lane of twelve QPUs, again and again.
pub struct Hashes {
    /// Number of laps; the author's driver has 20,000.
    pub laps: u32,
    /// V3D clocks on preset pi1.
    pub clocks: u64,
    /// Instructions of a QPU.
    pub instructions: u64,
}

/// V3D clocks by preset of py-videocore's `sgemm.py` on twelve QPUs of boards that there were when
/// its author published 8 GFLOPS; the board was not said.
pub const EARLY_PRODUCT: [(&str, u64); 2] = [("pi1", 7_009_460), ("pi2", 5_782_972)];

/// An example of py-videocore, a product of 96 x 363 and 363 x 3072.
pub struct Product {
    /// Its file.
    pub example: &'static str,
    /// QPUs that it uses.
    pub qpus: u32,
    /// V3D clocks on preset pi3 at clocks in hertz; `tests/tests/peers` holds the simulator to
    /// them.
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

/// Programs whose whole time was published.
pub fn timed() -> Table {
    let mut table = Table::new(&[
        "program",
        "board",
        "published",
        "simulated",
        "error",
        "source",
    ]);
    let mut row =
        |what: &str, board: &str, [published, simulated]: [f64; 2], unit: &str, source: &str| {
            table.row(vec![
                what.into(),
                board.into(),
                format!("{} {unit}", figure(published)),
                format!("{} {unit}", figure(simulated)),
                percent(simulated / published - 1.0),
                source.into(),
            ]);
        };
    row(
        "Mandelbrot set, 1920 x 1080, 100,000 steps",
        "pi2",
        [33.781, MANDELBROT_CLOCKS as f64 / HZ],
        "s",
        "mandel-qpu, README: Pi 2, V3D at 250 MHz",
    );
    let clocks = SHA_256.clocks as f64;
    let hashes = 12.0 * 16.0 * f64::from(SHA_256.laps);
    let rate = hashes * HZ / clocks;
    let slots = 4.0 * SHA_256.instructions as f64 / clocks;
    let source = "rpi-playground's author, Raspberry Pi forum t=77231, May 2014: \"about\"";
    row(
        "SHA-256, hashes",
        "pi1",
        [3.1, rate / 1e6],
        "million/s",
        source,
    );
    row(
        "SHA-256, instructions a slot",
        "pi1",
        [0.93, slots],
        "",
        source,
    );
    for (board, clocks) in EARLY_PRODUCT {
        row(
            "sgemm.py, 96 x 363 times 363 x 3072",
            board,
            [26.9, clocks as f64 / HZ * 1e3],
            "ms",
            "8 GFLOPS by py-videocore's README of January 2016, before there was a Pi 3; board not said",
        );
    }
    table
}

/// Matrix products on a Pi 3.
pub fn products() -> Table {
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
    table
}
