//! Published figures of GPU_FFT on real boards: facts, with their sources.
//!
//! Times are microseconds of a transform and include the call: the programs and the host's share.
//! Figures have two significant digits, so that each may be off by up to 5 % of itself.

use crate::userland::Release;

/// gpu_fft.txt of each release: a Pi 1, 700 MHz ARM; release 3.0 says that the L2 is on.
pub const TEXT_3: &str = "GPU_FFT 3.0, gpu_fft.txt";
/// The gpu_fft.txt of release 2.0.
pub const TEXT_2: &str = "GPU_FFT 2.0, gpu_fft.txt";
/// The author's page on release 2.0, with its table of performance counters.
pub const COUNTER_PAGE: &str = "A. Holme, GPU_FFT web page, counters of release 2";
/// Counts of instructions, proven by the counter table for release 2.0 and by decoding for 3.0.
pub const INSTRUCTION_COUNTS: &str = "functional study of the hex files (gpu_fft.md T3)";
/// Another user of GPU_FFT on a Pi 1B.
pub const SECOND_AUTHOR: &str = "a second author's Pi 1B (peers.md)";
/// A third one, on a Pi 1 "slightly overclocked".
pub const THIRD_AUTHOR: &str = "a third author's Pi 1, slightly overclocked (peers.md)";

/// Errors of a table, in parts per million.
pub struct Errors {
    /// The release of the shaders.
    pub release: Release,
    /// The source.
    pub source: &'static str,
    /// log2 of the length, transforms in the batch, error.
    pub figures: &'static [(u32, u32, f64)],
}

/// All published errors. Release 2.0 states its batches; of 3.0's table batch 1 is what fits.
#[rustfmt::skip]
pub const ERRORS: &[Errors] = &[
    Errors {
        release: Release::V3,
        source: TEXT_3,
        figures: &[
            (8, 1, 0.33), (9, 1, 0.46), (10, 1, 0.52), (11, 1, 0.59), (12, 1, 0.78), (13, 1, 0.83),
            (14, 1, 0.92), (15, 1, 0.98), (16, 1, 1.0), (17, 1, 1.3), (18, 1, 1.3), (19, 1, 1.4),
            (20, 1, 1.5), (21, 1, 1.5), (22, 1, 1.5),
        ],
    },
    Errors {
        release: Release::V2,
        source: TEXT_2,
        figures: &[
            (8, 10, 0.27), (9, 10, 0.42), (10, 10, 0.50), (11, 10, 0.70), (12, 10, 2.3),
            (13, 10, 4.4), (14, 10, 7.6), (15, 10, 9.2), (16, 10, 18.0), (17, 10, 70.0),
            (18, 1, 100.0), (19, 1, 180.0), (20, 1, 360.0), (21, 1, 720.0),
        ],
    },
    Errors {
        release: Release::V3,
        source: SECOND_AUTHOR,
        figures: &[
            (8, 2, 0.31), (8, 4, 0.28), (8, 8, 0.27), (8, 16, 0.26), (8, 64, 0.25), (12, 2, 0.74),
            (12, 8, 0.69), (12, 64, 0.61), (12, 256, 0.59), (20, 10, 1.4),
        ],
    },
];

/// Times of a table.
pub struct Times {
    /// The release of the shaders.
    pub release: Release,
    /// The source.
    pub source: &'static str,
    /// log2 of the length, transforms in the batch, shortest and longest time in microseconds.
    pub figures: &'static [(u32, u32, f64, f64)],
}

const fn one(log2n: u32, jobs: u32, us: f64) -> (u32, u32, f64, f64) {
    (log2n, jobs, us, us)
}

/// The author's times of release 3.0.
#[rustfmt::skip]
pub const TIMES_3: Times = Times {
    release: Release::V3,
    source: TEXT_3,
    figures: &[
        one(8, 1, 33.0), one(9, 1, 49.0), one(10, 1, 70.0), one(11, 1, 120.0), one(12, 1, 250.0),
        one(13, 1, 610.0), one(14, 1, 1200.0), one(15, 1, 3500.0), one(16, 1, 7000.0),
        one(17, 1, 17_000.0), one(18, 1, 43_000.0), one(19, 1, 97_000.0), one(20, 1, 194_000.0),
        one(21, 1, 388_000.0), one(22, 1, 786_000.0), one(8, 10, 17.0), one(9, 10, 29.0),
        one(10, 10, 49.0), one(11, 10, 110.0), one(12, 10, 270.0), one(13, 10, 660.0),
        one(14, 10, 1200.0), one(15, 10, 3300.0),
    ],
};

/// The author's times of release 2.0.
#[rustfmt::skip]
pub const TIMES_2: Times = Times {
    release: Release::V2,
    source: TEXT_2,
    figures: &[
        one(8, 1, 36.0), one(9, 1, 51.0), one(10, 1, 70.0), one(11, 1, 110.0), one(12, 1, 240.0),
        one(13, 1, 580.0), one(14, 1, 1200.0), one(15, 1, 3300.0), one(16, 1, 6800.0),
        one(17, 1, 16_000.0), one(18, 1, 42_000.0), one(19, 1, 95_000.0), one(20, 1, 190_000.0),
        one(21, 1, 380_000.0), one(8, 10, 16.0), one(9, 10, 27.0), one(10, 10, 45.0),
        one(11, 10, 95.0), one(12, 10, 250.0), one(13, 10, 610.0), one(14, 10, 1200.0),
        one(15, 10, 3200.0),
    ],
};

/// Times that others measured with release 3.0.
#[rustfmt::skip]
pub const OTHER_TIMES: &[Times] = &[
    Times {
        release: Release::V3,
        source: SECOND_AUTHOR,
        figures: &[
            (8, 1, 29.0, 33.0), one(8, 8192, 15.0), (12, 1, 252.0, 284.0), one(20, 1, 191_700.0),
            one(22, 1, 781_500.0),
        ],
    },
    Times {
        release: Release::V3,
        source: THIRD_AUTHOR,
        figures: &[
            one(8, 1, 25.0), one(9, 1, 39.0), one(10, 1, 57.0), one(11, 1, 102.0),
            one(12, 1, 230.0), one(13, 1, 598.0), one(14, 1, 1120.0), one(15, 1, 3080.0),
            one(16, 1, 6050.0), one(20, 1, 181_600.0), one(22, 1, 731_800.0), one(8, 10, 16.0),
            one(9, 10, 28.0), one(10, 10, 48.0), one(11, 10, 100.6), one(12, 10, 250.0),
            one(13, 10, 612.0), one(14, 10, 1148.0), one(15, 10, 2960.0), one(16, 10, 5930.0),
        ],
    },
];

/// Lengths (log2) of release 3.0 whose times at batch 1 constants may be fitted to.
pub const FITTING_LENGTHS: [u32; 6] = [8, 10, 12, 14, 16, 18];

/// Instructions of release 3.0 at batch 1, all QPUs together, by log2 of the length.
#[rustfmt::skip]
pub const INSTRUCTIONS_3: &[(u32, u64)] = &[
    (8, 3_900), (10, 14_272), (12, 80_804), (16, 1_112_380), (20, 23_420_552),
];
