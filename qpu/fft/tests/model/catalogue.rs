//! Programs for the model alone: what their lists hold, without code.

use qpu_fft::kernels::code::Code;
use qpu_fft::kernels::uniform::{Pack, UniformId};
use qpu_fft::kernels::unit::uniforms::{self, Row, Scalars};
use qpu_fft::program::{Kind, Lanes, Program, Record, Samples, Start, Tail, Task};
use qpu_fft::split::{Axis, Role};

/// Programs for the model alone: every kind, with all words that it can have and no code but a
/// number that says which it is.
#[must_use]
pub fn catalogue() -> &'static [Program] {
    let roles = [Role::Single, Role::First, Role::Middle, Role::Last];
    let programs: Vec<Program> = roles
        .into_iter()
        .flat_map(|role| {
            Axis::Row
                .log2_radices(role, 0)
                .map(move |log2| (role, 1u16 << log2))
        })
        // Longer ones share the VPM.
        .filter(|&(role, radix)| role != Role::Single || radix <= 128)
        .chain([(Role::Middle, 16)])
        .flat_map(|(role, radix)| {
            let samples = Samples::ALL
                .into_iter()
                .filter(|samples| !samples.is_converted_apart())
                .filter(move |&samples| role == Role::First || samples == Samples::Points);
            samples.map(move |samples| Kind {
                role,
                radix,
                samples,
                sharers: 1,
            })
        })
        .map(symbols)
        .collect();
    programs.leak()
}

/// A program of [`catalogue`].
fn symbols(kind: Kind) -> Program {
    let Kind {
        role,
        radix,
        samples,
        ..
    } = kind;
    let lanes = match role {
        Role::Single | Role::First => radix / 16,
        _ => 1,
    };
    let parts = match role {
        Role::Middle | Role::Last => radix.div_ceil(32) as u8,
        _ => 1,
    };
    let pairs = |count: u8| (0..count).flat_map(|x| [0, 1].map(|component| (x, component)));
    let mut start = vec![
        Start::Lanes(Lanes::Input),
        Start::Records,
        Start::Units,
        Start::Area,
        Start::StoreStride,
        Start::Opens,
        Start::Code,
    ];
    let mut record = vec![Record::Rows, uniforms::Record::Input.into()];
    let mut rows = Vec::new();
    for (vector, component) in pairs(16 * parts) {
        if component == 0 || samples.has_words() {
            rows.push(Row::Input { vector, component });
        }
        if samples != Samples::Points {
            rows.push(Row::Factor { vector, component });
        }
    }
    if samples == Samples::HighBytes {
        rows.extend([Row::Flip, Row::Mask]);
    }
    if samples == Samples::Bytes {
        rows.extend([Row::Flip, Row::Middle]);
    }
    for (block, component) in pairs(parts).skip(2) {
        rows.push(Row::Sign { block, component });
    }
    for (vector, component) in pairs(16).filter(|&(vector, _)| parts > 1 && vector > 0) {
        rows.push(Row::Part { vector, component });
    }
    let has_roots = match role {
        Role::Single | Role::First => radix == 32,
        Role::Last => radix >= 32,
        Role::Middle => false,
    };
    for (output, component) in pairs(16) {
        if has_roots && (output > 0 || parts > 1) {
            rows.push(Row::Root { output, component });
        }
        let (is_first, is_looked_up) = (role == Role::First, lanes > 2);
        if is_looked_up && (output, component) != (0, 1) {
            rows.push(if is_first {
                Row::Before { output, component }
            } else {
                Row::RootVector { output, component }
            });
        }
        let has_twiddle =
            is_first && !is_looked_up || (is_first || role == Role::Middle) && output == 0;
        if has_twiddle {
            rows.push(Row::Twiddle { output, component });
        }
    }
    let mut scalars = Vec::new();
    if role == Role::Middle {
        record.push(Record::Scalars);
        for (output, component) in pairs(16) {
            scalars.extend((0..2.min(radix as u8 / 16)).map(|row| Scalars::Scalar {
                output,
                row,
                component,
            }));
        }
    }
    if matches!(role, Role::First | Role::Middle) {
        start.push(Start::Lanes(Lanes::Twiddle));
        record.push(uniforms::Record::Twiddle.into());
    }
    match (role, samples) {
        (Role::Single | Role::First, Samples::Points) => start.push(Start::Conjugate),
        (Role::First, _) => record.push(uniforms::Record::Factors.into()),
        _ => {}
    }
    match role {
        Role::Single => start.extend([0, 1].map(|component| Start::Scale { component })),
        Role::Last => start.push(Start::Lanes(Lanes::Scale)),
        Role::First | Role::Middle => {}
    }
    let stores = match role {
        Role::Single => radix as u8 / 8,
        Role::Last if radix == 16 => 2,
        _ => 1,
    };
    for index in 0..stores {
        record.push(Record::Store { index });
        if role == Role::Single {
            record.push(Record::StoreSetup { index });
        }
    }
    Program {
        task: Task::Points(kind),
        code: Code::Words(vec![u64::from(radix) << 8 | (samples as u64) << 4 | role as u64].leak()),
        start: start.leak(),
        record: record.leak(),
        tail: &[Tail::Peers, Tail::Gate, Tail::NextStart, Tail::NextCode],
        rows: ids(rows),
        scalars: ids(scalars),
    }
}

fn ids(words: Vec<impl Pack>) -> &'static [UniformId] {
    words.into_iter().map(Pack::id).collect::<Vec<_>>().leak()
}
