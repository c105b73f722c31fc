//! The limits that lint holds the tree to, in one place.
//!
//! Each is the number found when it was written down, or the one that was decided, if that is
//! reached. A limit may only fall: `cargo xtask lint --count` prints what is found beside it.

/// Import circles by package: how many, and how many modules the largest has. Others have none.
/// Decided: qpu 2 circles, v3d-sim 1 of 12 modules, virtual-pi 1 of 11, others none.
pub const CIRCLES: &[(&str, usize, usize)] = &[
    ("qpu", 9, 10),
    ("kernel", 1, 10),
    ("dsp", 1, 2),
    ("v3d-sim", 1, 6),
    ("v3d-sim-c", 1, 2),
    ("qpuscope", 1, 2),
    ("virtual-pi", 1, 11),
];

/// Lines of the longest of nine tenths of all files. Decided: 350.
pub const P90: usize = 361;

/// Lines of the longest function of the product. Decided: 100.
pub const FUNCTION: usize = 126;

/// Lines of Markdown over 100 columns that are not one sentence, by document. Decided: none.
pub const MARKDOWN: &[(&str, usize)] = &[
    ("ARCHITECTURE.md", 34),
    ("CHANGELOG.md", 76),
    ("README.md", 29),
    ("SECURITY.md", 19),
    ("boot/sdcard/README.md", 17),
    ("clients/python/README.md", 3),
    ("data/README.md", 1),
    ("docs/below-target.md", 27),
    ("docs/cpu-engine.md", 11),
    ("docs/fft2.md", 14),
    ("docs/fidelity.md", 19),
    ("docs/formats.md", 21),
    ("docs/hardware-checklist.md", 10),
    ("docs/performance.md", 10),
    ("docs/protocol.md", 4),
    ("docs/qpu-tutorial/1-hello/README.md", 14),
    ("docs/qpu-tutorial/2-collatz/README.md", 12),
    ("docs/qpu-tutorial/3-sum/README.md", 14),
    ("docs/qpu-tutorial/4-fast/README.md", 9),
    ("docs/qpu-tutorial/README.md", 4),
    ("docs/simulator.md", 30),
    ("docs/what-a-number-means.md", 25),
    ("docs/wiring.md", 15),
    ("editors/vscode/README.md", 3),
    ("kernel/wire/PROTOCOL.md", 43),
    ("tests/corpus/README.md", 1),
];

/// Comments over 100 columns, by package. Decided: none.
pub const COMMENTS: &[(&str, usize)] = &[
    ("kernel", 207),
    ("kernel/dsp", 19),
    ("kernel/wire", 18),
    ("qpu", 976),
    ("qpu/programs", 62),
    ("tests", 82),
    ("tests/guest-cpu", 2),
    ("tools/bench", 43),
    ("tools/card", 18),
    ("tools/fidelity", 43),
    ("tools/guest-fft", 10),
    ("tools/qpuscope", 278),
    ("tools/v3d-sim", 1),
    ("tools/v3d-sim-c", 15),
    ("tools/virtual-pi", 66),
];

/// Lines with names that are gone, by package. Decided: none but where a word means something else.
pub const NAMES: &[(&str, usize)] = &[
    ("kernel", 5),
    ("kernel/dsp", 24),
    ("kernel/wire", 1),
    ("qpu", 3130),
    ("qpu/programs", 14),
    ("tests", 24),
    ("tools/bench", 2),
    ("tools/card", 1),
    ("tools/fidelity", 10),
    ("tools/qpuscope", 43),
    ("tools/v3d-sim", 90),
    ("tools/virtual-pi", 2),
];

/// Lines of prose with terms that are gone, by document or package. Decided: none.
pub const TERMS: &[(&str, usize)] = &[
    ("ARCHITECTURE.md", 8),
    ("CHANGELOG.md", 21),
    ("README.md", 2),
    ("SECURITY.md", 5),
    ("boot/sdcard/README.md", 1),
    ("docs/below-target.md", 1),
    ("docs/fidelity.md", 2),
    ("docs/formats.md", 1),
    ("docs/qpu-tutorial/README.md", 1),
    ("docs/simulator.md", 2),
    ("kernel", 17),
    ("qpu", 55),
    ("tests", 5),
    ("tools/card", 1),
    ("tools/fidelity", 1),
    ("tools/qpuscope", 33),
    ("tools/v3d-sim", 29),
    ("tools/virtual-pi", 8),
];

/// Doc comments with a poor opening, in percent of the package. Decided: 2.
pub const OPENINGS_ALLOWED: usize = 2;
/// Packages that have more still.
pub const OPENINGS: &[(&str, usize)] = &[
    ("kernel", 16),
    ("kernel/dsp", 8),
    ("kernel/wire", 15),
    ("qpu", 19),
    ("qpu/programs", 16),
    ("tests", 16),
    ("tools/bench", 22),
    ("tools/card", 23),
    ("tools/fidelity", 18),
    ("tools/guest-fft", 15),
    ("tools/qpuscope", 17),
    ("tools/v3d-sim", 3),
    ("tools/v3d-sim-c", 10),
    ("tools/virtual-pi", 11),
];
