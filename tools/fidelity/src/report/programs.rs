//! Whole programs of others, which this tool cannot run: `tests/tests/peers` holds the simulator to
//! the clocks here.

use super::table::{Table, figure, percent};
use std::fmt::Write;

/// The clock that the presets of Pi 1 and Pi 2 have.
const HZ: f64 = 250e6;

/// mandel-qpu's 1920 x 1080 points of the Mandelbrot set, a hundred thousand steps each, on twelve
/// QPUs.
pub const MANDELBROT: Mandelbrot = Mandelbrot {
    clocks: 8_440_200_468,
    seconds: 33.781,
};

/// A picture.
pub struct Mandelbrot {
    /// V3D clocks of all launches on preset pi2.
    pub clocks: u64,
    /// Seconds on a board.
    seconds: f64,
}

/// rpi-playground's SHA-256, `final.asm` on twelve QPUs.
pub const SHA_256: Hashes = Hashes {
    laps: 1000,
    clocks: 16_421_424,
    instructions: 3_575_014,
    rate: 3.1e6,
    slots: 0.93,
};

/// Hashes of a block for each lane of twelve QPUs, again and again.
pub struct Hashes {
    /// Number of laps; the author's driver has 20,000.
    pub laps: u32,
    /// V3D clocks on preset pi1.
    pub clocks: u64,
    /// Instructions of a QPU.
    pub instructions: u64,
    /// Hashes a second on a board.
    rate: f64,
    /// Instructions a slot on a board.
    slots: f64,
}

impl Hashes {
    /// Hashes of a lap.
    const OF_A_LAP: u32 = 12 * 16;

    /// Hashes a second, and instructions a slot.
    fn simulated(&self) -> [f64; 2] {
        let hashes = f64::from(Self::OF_A_LAP) * f64::from(self.laps);
        let clocks = self.clocks as f64;
        [
            hashes * HZ / clocks,
            4.0 * self.instructions as f64 / clocks,
        ]
    }
}

/// py-videocore's `sgemm.py` on twelve QPUs of boards that there were when its author published 8
/// GFLOPS.
pub const EARLY_PRODUCT: EarlyProduct = EarlyProduct {
    clocks: [("pi1", 7_009_460), ("pi2", 5_782_972)],
    ms: 26.9,
};

/// A product of matrices on a board that was not said.
pub struct EarlyProduct {
    /// V3D clocks by preset.
    pub clocks: [(&'static str, u64); 2],
    /// Milliseconds on a board.
    ms: f64,
}

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

/// The section.
pub fn write(out: &mut String) {
    out.push_str(
        "## Whole programs of others\n\n\
         These programs are not in the rows above: their authors or users published a time, but not V3D's \
         clock.\n\
         They are simulated from their authors' own words and sources (`tests/tests/peers`, with \
         `QPUSCOPE_PEERS`).\n\n",
    );
    timed(out);
    products(out);
}

fn timed(out: &mut String) {
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
    let picture = &MANDELBROT;
    row(
        "Mandelbrot set, 1920 x 1080, 100,000 steps",
        "pi2",
        [picture.seconds, picture.clocks as f64 / HZ],
        "s",
        "mandel-qpu, README: Pi 2, V3D at 250 MHz",
    );
    let hashes = &SHA_256;
    let [rate, slots] = hashes.simulated();
    let source = "rpi-playground's author, Raspberry Pi forum t=77231, May 2014: \"about\"";
    row(
        "SHA-256, hashes",
        "pi1",
        [hashes.rate / 1e6, rate / 1e6],
        "million/s",
        source,
    );
    row(
        "SHA-256, instructions a slot",
        "pi1",
        [hashes.slots, slots],
        "",
        source,
    );
    for (board, clocks) in EARLY_PRODUCT.clocks {
        row(
            "sgemm.py, 96 x 363 times 363 x 3072",
            board,
            [EARLY_PRODUCT.ms, clocks as f64 / HZ * 1e3],
            "ms",
            "8 GFLOPS by py-videocore's README of January 2016, before there was a Pi 3; board not said",
        );
    }
    table.write(out);
    out.push_str(
        "The picture takes ten instructions a step on each of twelve QPUs, which wait for each other after \
         each sixteen columns.\n\
         So it shows that an instruction takes four clocks, also a branch with its three delay slots, \
         independent of the other QPUs of a slice.\n\
         Lines are simulated with up to 100 steps a point; the rest of the hundred thousand steps is counted \
         with 40 clocks each, which simulated steps take within half a percent.\n\
         Hashes load and store their words by DMA, and wait for each other and for the load engine longer \
         here than on the board.\n\
         With 10 clocks for `vdr_row` there would be 3.10 million a second (`\"constants\"` in the job, by \
         hand), but 690 MB/s were published for loads of 16 rows, which 20 clocks give.\n\
         No constant was changed for either program.\n\n",
    );
}

fn products(out: &mut String) {
    out.push_str(
        "Matrix products on a Pi 3 by py-videocore's own examples, without V3D's clock, and some without \
         their board:\n\n",
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
        "Raspberry Pi's documentation (overclocking options of config.txt) gave 300 MHz for the V3D of a Pi 3 \
         when these were published, and still at the time of the first Pi 4; its later table has 400.\n\
         QMKL 0.0.0's products with 363 x 4608 and 363 x 15360 took 27.9 and 80.9 ms on a Pi 3B (its issue \
         42).\n\
         Here they took 29.2 and 99.6 ms at 400 MHz, run once from words that its own tools made; no command \
         repeats that.\n\n\
         Twelve QPUs wait for memory and take from 3 % less to 23 % more than published, and 25 % less than \
         beside Kodi.\n\
         One QPU reads a uniform with each instruction and waits for nothing else.\n\
         A line of 16 uniforms takes 0.51 us by issue 5, but 0.32 or 0.25 us here; Terminus-IMRC's 0.43 us on \
         a Pi 2 is met (\"64 uniforms back to back\").\n\
         So on preset `pi3`, reads of one or few QPUs from memory word by word may take as little as half the \
         time of a board; no published figure for the latency of a Pi 3's memory was found.\n",
    );
}
