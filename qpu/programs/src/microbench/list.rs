//! The list, in the order of the protocol's numbers.

use qpu::job::CacheClear;

use super::{Microbench, Test, What};

const fn time(name: &'static str, test: Test, repetitions: [u32; 2]) -> Microbench {
    Microbench {
        name,
        what: What::Time { test, repetitions },
    }
}

const fn launch(name: &'static str, programs: u8) -> Microbench {
    time(name, Test::Launch { programs }, [2, 12])
}

const fn uniforms(name: &'static str, qpus: u8, lines: u8) -> Microbench {
    let many = 1200 / lines as u32;
    time(name, Test::Uniforms { qpus, lines }, [many / 8, many])
}

const fn lookups(name: &'static str, lines: u8) -> Microbench {
    let test = Test::Lookups {
        qpus: 1,
        lines,
        misses: false,
    };
    time(name, test, [75, 600])
}

const fn vectors(name: &'static str, qpus: u8, columns: bool, many: u32) -> Microbench {
    time(name, Test::Vectors { qpus, columns }, [many / 8, many])
}

const fn code(name: &'static str, bytes: u32) -> Microbench {
    // Twice, so that the shortest time is not of one time round alone.
    let many = 160 * 1024 / bytes;
    time(name, Test::Code { bytes }, [many / 8, many])
}

/// All microbenchmarks. The last restarts V3D.
pub const LIST: &[Microbench] = &[
    launch("launch-1", 1),
    launch("launch-12", 12),
    time("queue", Test::Queue { spins: 100 }, [1, 15]),
    time("queue-later", Test::Queue { spins: 300 }, [1, 15]),
    time("handover", Test::Handover, [250, 2000]),
    uniforms("uniforms-4-1", 4, 1),
    uniforms("uniforms-1-1", 1, 1),
    uniforms("uniforms-1-2", 1, 2),
    uniforms("uniforms-1-3", 1, 3),
    uniforms("uniforms-1-4", 1, 4),
    uniforms("uniforms-1-5", 1, 5),
    uniforms("uniforms-1-6", 1, 6),
    uniforms("uniforms-1-7", 1, 7),
    uniforms("uniforms-1-8", 1, 8),
    uniforms("uniforms-1-12", 1, 12),
    uniforms("uniforms-1-16", 1, 16),
    lookups("lookups-1", 1),
    lookups("lookups-2", 2),
    lookups("lookups-4", 4),
    lookups("lookups-8", 8),
    lookups("lookups-16", 16),
    time(
        "lookups-l2c",
        Test::Lookups {
            qpus: 12,
            lines: 16,
            misses: true,
        },
        [2, 16],
    ),
    vectors("rows-1", 1, false, 800),
    vectors("rows-4", 4, false, 320),
    vectors("rows-12", 12, false, 112),
    vectors("columns-12", 12, true, 48),
    code("code-1k", 1024),
    code("code-2k", 2048),
    code("code-3k", 3072),
    code("code-4k", 4096),
    code("code-5k", 5120),
    code("code-6k", 6144),
    code("code-8k", 8192),
    time(
        "relaunch-kept",
        Test::Relaunch {
            clear: CacheClear::None,
        },
        [1, 3],
    ),
    time(
        "relaunch-cleared",
        Test::Relaunch {
            clear: CacheClear::All,
        },
        [1, 3],
    ),
    time("transform-0x4", Test::Transform { streamed: false }, [1, 2]),
    time("transform-0x8", Test::Transform { streamed: true }, [1, 2]),
    Microbench {
        name: "reservations",
        what: What::Reservations,
    },
    Microbench {
        name: "recovery",
        what: What::Recovery,
    },
];
