//! Which figures belong together, and which constants may explain them.

/// The method by which a constant is fitted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fit {
    /// One figure grows with it.
    Grows {
        constant: &'static str,
        figure: &'static str,
    },
    /// One of some values, by all figures of the group.
    OneOf {
        constant: &'static str,
        values: &'static [f64],
    },
}

/// Figures that belong together.
pub(super) struct Group {
    /// Their names.
    pub figures: &'static [&'static str],
    /// Lists of constants that may explain them.
    pub hypotheses: &'static [&'static [Fit]],
}

/// A figure that grows with a constant.
const fn grows(constant: &'static str, figure: &'static str) -> Fit {
    Fit::Grows { constant, figure }
}

const TMU_LOOKUP: Fit = grows("tmu_lookup", "lookups-1");
const TMU_RUN: Fit = grows("tmu_run", "lookups-16");

/// All groups, in the order in which they are decided.
pub(super) const GROUPS: &[Group] = &[
    Group {
        figures: &[
            "lookups-1",
            "lookups-2",
            "lookups-4",
            "lookups-8",
            "lookups-16",
        ],
        hypotheses: &[&[TMU_RUN], &[TMU_LOOKUP], &[TMU_LOOKUP, TMU_RUN]],
    },
    Group {
        figures: &["lookups-l2c"],
        hypotheses: &[&[grows("l2c_interval", "lookups-l2c")]],
    },
    Group {
        figures: &["rows-1", "rows-4", "rows-12"],
        hypotheses: &[&[grows("vpm_vector", "rows-12")]],
    },
    Group {
        figures: &["columns-12"],
        hypotheses: &[&[grows("vpm_column", "columns-12")]],
    },
    Group {
        figures: &["handover"],
        hypotheses: &[&[grows("semaphore_handover", "handover")]],
    },
    Group {
        figures: &["queue"],
        hypotheses: &[&[grows("launch_interval", "queue")]],
    },
    Group {
        figures: &[
            "uniforms-4-1",
            "uniforms-1-1",
            "uniforms-1-2",
            "uniforms-1-3",
            "uniforms-1-4",
            "uniforms-1-5",
            "uniforms-1-6",
            "uniforms-1-7",
            "uniforms-1-8",
            "uniforms-1-12",
            "uniforms-1-16",
        ],
        hypotheses: &[&[Fit::OneOf {
            constant: "uniform_cache_lines",
            values: &[
                1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 12.0, 14.0, 16.0,
            ],
        }]],
    },
    Group {
        figures: &[
            "code-1k", "code-2k", "code-3k", "code-4k", "code-5k", "code-6k", "code-8k",
        ],
        hypotheses: &[&[Fit::OneOf {
            constant: "instruction_cache_bytes",
            values: &[
                512.0, 1024.0, 1536.0, 2048.0, 2560.0, 3072.0, 3584.0, 4096.0, 4608.0, 5120.0,
                6144.0, 7168.0, 8192.0,
            ],
        }]],
    },
];
