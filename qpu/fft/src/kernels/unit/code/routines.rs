//! The layers of a transform that are once in the program and done four times: routines.
//!
//! Column n2 are points m = 4 n1 + n2: looked up and made what they are by the program that reads
//! them ([`Column`]), transformed by radix 4 over n1 and multiplied by W16^(n2 k1). What differs
//! from column to column is in the row list. What a column gives is copied to where it stays, but
//! for the last one's.
//!
//! Group k1 are outputs k1, k1 + 4, k1 + 8 and k1 + 12: radix 4 over what the columns gave for k1,
//! multiplied and transformed across lanes. All come where the first did, and go where the last
//! ones stay; the others are copied.
//!
//! Lookups are asked for [`AHEAD`] early: each begins with those on their way, and ends with those
//! of the next.

use super::across::Across;
use super::codelet::{AHEAD, Codelet, Lookup};
use crate::Role;
use crate::codelet::op_list::{Complex, OpList, Value, Wish, positive};
use crate::codelet::radix16::{CodeletEnds, file_of, outputs_of_column, radix4_of};
use crate::kernels::program::{Kind, Samples};
use crate::kernels::unit::uniforms::Row;
use crate::kernels::unit_loop::{Source, Word};
use core::array::from_fn;
use qpu::generate::schedule::{Operation, Place};
use qpu::isa::File;

/// Numbers of the routines.
const COLUMN: usize = 0;
const GROUP: usize = 1;
/// n1 in the order in which points are read: partners of the first layer next to each other.
const ORDER: [u8; 4] = [0, 2, 1, 3];

/// The layers of a program that are routines: the loop would not fit the instruction cache of a
/// slice otherwise.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Routines {
    /// None.
    None,
    /// The first two ([`columns`]).
    Columns,
    /// All ([`groups`], too).
    ColumnsAndGroups,
}

impl Routines {
    /// The routines of first and single passes that share no tiles.
    pub fn of(kind: Kind) -> Self {
        // Those that need more operations than others.
        let are_long = matches!(kind.samples, Samples::HighBytes | Samples::Bytes);
        match (kind.role, kind.radix, kind.samples) {
            (_, 128, _) => Self::ColumnsAndGroups,
            (Role::First, 64, _) if are_long => Self::ColumnsAndGroups,
            (Role::Single, 64, Samples::Points) => Self::None,
            (_, 64, _) => Self::Columns,
            (Role::First, 32, _) if are_long => Self::Columns,
            _ => Self::None,
        }
    }
}

/// Points of which columns are made.
pub trait Column: Sized {
    /// The codelet that reads them.
    fn codelet(&mut self) -> &mut Codelet;

    /// The lookups for point m, in the order in which [`Column::point`] fetches them. They are
    /// alike for all columns.
    fn lookups(&self, m: u8) -> Vec<Lookup>;

    /// Lookups that go to one TMU before some go to the other: 1, 2 or 4.
    fn in_a_row(&self) -> usize {
        2
    }

    /// Writes what is different for the points of a column, before it is called.
    fn begin_column(&mut self, _n2: u8) {}

    /// Point m, where it is wished; `fetch` fetches what was looked up for it.
    fn point(&mut self, m: u8, wish: Wish, fetch: &mut impl FnMut(&mut Self) -> Value) -> Complex;

    /// All points are there.
    fn end_input(&mut self);
}

/// The columns of a transform, as [`dft16_of_columns`] takes them. Behind them, the lookups
/// `behind` are on their way: those of both components of a vector go to the same TMU, of the first
/// vector to TMU 0.
///
/// [`dft16_of_columns`]: crate::codelet::radix16::dft16_of_columns
pub fn columns<C: Column>(points: &mut C, behind: Option<[Lookup; AHEAD]>) -> [[Complex; 4]; 4] {
    points.codelet().program.has_routines();
    let first = lookups(points, 0);
    // What the end of a column asks for is not always points.
    let mut ahead: Vec<[Place; 2]> = Vec::new();
    if behind.is_some() {
        for &Lookup { lanes, .. } in &first[..AHEAD] {
            if ahead.iter().all(|&[of_points, _]| of_points != lanes) {
                let ops = &mut points.codelet().program.ops;
                ahead.push([lanes, ops.load(lanes, Wish::AnyFile)]);
            }
        }
    }
    if points.codelet().asked == 0 {
        ask_all(points, &first[..AHEAD], Codelet::ask);
    }
    let ops = &mut points.codelet().program.ops;
    let stay: [[Complex; 4]; 3] = from_fn(|n2| {
        from_fn(|k1| {
            let wish = Wish::File(file_of(4 * n2 + k1));
            [0, 1].map(|_| positive(ops.take(wish)))
        })
    });
    let free = ops.clone();
    let mut last = None;
    for n2 in 0..4_u8 {
        let own = lookups(points, n2);
        let next = match (n2, behind) {
            (..3, _) => lookups(points, n2 + 1),
            (_, Some(behind)) => {
                let program = &mut points.codelet().program;
                for (&[_, to], Lookup { lanes, .. }) in ahead.iter().zip(behind) {
                    program.ops.copy(lanes, to);
                }
                in_order_of(points, behind)
            }
            // Dropped.
            (_, None) => vec![own[0]; AHEAD],
        };
        // They are added to what points are, whichever they are.
        let next = next.into_iter().zip(&first[..AHEAD]).map(|(next, like)| {
            let of_ahead = ahead.iter().find(|[of_points, _]| *of_points == like.lanes);
            let lanes = of_ahead.map_or(like.lanes, |&[_, of_ahead]| of_ahead);
            Lookup { lanes, ..next }
        });
        let next: Vec<_> = next.collect();
        points.begin_column(n2);
        let program = &mut points.codelet().program;
        program.piece(None);
        program.ops.restore_free(&free);
        let column = column(points, n2, &own, &next);
        assert!(
            column.as_flattened().iter().all(|value| !value.negative),
            "copies have their sign"
        );
        points.codelet().program.call(COLUMN);
        let ops = &mut points.codelet().program.ops;
        if let Some(stay) = stay.get(usize::from(n2)) {
            copy(ops, &column, stay);
        }
        last = Some(column);
    }
    points.end_input();
    let codelet = points.codelet();
    for [_, of_ahead] in ahead {
        codelet.program.ops.give_back(of_ahead);
    }
    codelet.begin_asked();
    if behind.is_none() {
        codelet.drop_asked();
    }
    let last = last.expect("four columns");
    from_fn(|k1| from_fn(|n2| stay.get(n2).map_or(last[k1], |stay| stay[k1])))
}

/// The lookups of a column, in order.
fn lookups(points: &impl Column, n2: u8) -> Vec<Lookup> {
    let of_point = |n1| points.lookups(4 * n1 + n2);
    ORDER.into_iter().flat_map(of_point).collect()
}

/// Lookups of vectors for the TMUs in turn, in the order in which a column's lookups go to the
/// TMUs.
fn in_order_of(points: &impl Column, of_vectors: [Lookup; AHEAD]) -> Vec<Lookup> {
    let mut of_tmus = [0, 1].map(|tmu| {
        let vectors = of_vectors.chunks(2).skip(tmu).step_by(2);
        vectors.flatten().copied()
    });
    let tmus = (0..AHEAD).map(|number| usize::from(tmu_of(points, number)));
    let lookups = tmus.map(|tmu| of_tmus[tmu].next());
    lookups
        .map(|lookup| lookup.expect("as many for each"))
        .collect()
}

/// To which TMU a column's lookup goes.
fn tmu_of(points: &impl Column, lookup: usize) -> u8 {
    (lookup / points.in_a_row() % 2) as u8
}

/// Asks for some of a column, from a multiple of [`AHEAD`] on.
fn ask_all(points: &mut impl Column, lookups: &[Lookup], ask: fn(&mut Codelet, u8, Lookup)) {
    for (number, &lookup) in lookups.iter().enumerate() {
        let tmu = tmu_of(points, number);
        ask(points.codelet(), tmu, lookup);
    }
}

/// A column. The first [`AHEAD`] of its own lookups are on their way; asks for the next column's.
fn column<C: Column>(points: &mut C, n2: u8, own: &[Lookup], next: &[Lookup]) -> [Complex; 4] {
    let mut number = 0;
    // Asked for in program order when as many are fetched: so the scheduler sees how many are on
    // their way.
    let mut fetch = |points: &mut C| {
        if number > 0 && number % AHEAD == 0 {
            let more = &own[number..own.len().min(number + AHEAD)];
            ask_all(points, more, Codelet::ask_by_either);
        }
        let fetch = Operation::fetch(tmu_of(points, number));
        points.codelet().program.ops.push(fetch);
        number += 1;
        positive(Place::R4)
    };
    let [even, odd] = [0, 1].map(|pair| {
        let files = [File::A, File::B];
        let [x, y] = [0, 1].map(|which| {
            let point = 4 * ORDER[2 * pair + which] + n2;
            points.point(point, Wish::File(files[which]), &mut fetch)
        });
        let wish = Wish::File(files[pair]);
        let ops = &mut points.codelet().program.ops;
        let sum = [0, 1].map(|c| ops.add(x[c], y[c], wish));
        let difference = [0, 1].map(|c| ops.subtract(x[c], y[c], wish));
        ops.give_back_complex(x);
        ops.give_back_complex(y);
        [sum, difference]
    });
    assert_eq!(number, own.len(), "what is looked up is fetched");
    ask_all(points, next, Codelet::ask);
    let stays = [0, 1, 2, 3].map(|k1| Wish::File(file_of(12 + k1)));
    let ops = &mut points.codelet().program.ops;
    let [wish, ..] = stays;
    let wishes = [wish, Wish::AnyFile, Wish::AnyFile, Wish::AnyFile];
    let outputs = radix4_of(ops, [even, odd], wishes);
    from_fn(|k1| {
        if k1 == 0 {
            return outputs[0];
        }
        let [cos, sin] = [0, 1].map(|component| {
            let (column, output) = (n2, k1 as u8);
            let word = Row::Column {
                column,
                output,
                component,
            };
            [Source::Uniform(Word::row(word)); 2]
        });
        ops.multiply_complex(outputs[k1], cos, sin, [stays[k1]; 2])
    })
}

/// The twiddle factors of group k1.
pub fn words_of_group(across: &Across, k1: usize) -> [Word; AHEAD] {
    from_fn(|number| across.root_of(k1 + 4 * (number / 2), number % 2))
}

/// The outputs of a transform of which these are the columns, multiplied by `shared`;
/// [`words_of_group`] of group 0 are on their way.
pub fn groups(
    codelet: &mut Codelet,
    across: &Across,
    columns: &[[Complex; 4]; 4],
    shared: Option<[Place; 2]>,
) -> [[Place; 2]; 16] {
    let ops = &mut codelet.program.ops;
    let results = from_fn(|_| [0, 1].map(|_| positive(ops.take(Wish::AnyFile))));
    let free = ops.clone();
    let [inputs, later @ ..] = columns;
    let mut stay = [results; 4];
    for (k1, stay) in stay.iter_mut().enumerate() {
        let program = &mut codelet.program;
        program.piece(None);
        program.ops.restore_free(&free);
        codelet.begin_asked();
        let mut group = Group {
            codelet,
            across,
            shared,
            results,
        };
        outputs_of_column(&mut group, 0, *inputs);
        // Behind the last one they are dropped.
        for (number, word) in words_of_group(across, (k1 + 1) % 4).into_iter().enumerate() {
            let lanes = across.roots();
            let tmu = (number / 2 % 2) as u8;
            codelet.ask(tmu, Lookup { lanes, word });
        }
        codelet.program.call(GROUP);
        // There is room where the next group was.
        if let Some(next) = later.get(k1) {
            copy(&mut codelet.program.ops, next, inputs);
            copy(&mut codelet.program.ops, &results, next);
            *stay = *next;
        }
    }
    codelet.program.ops.restore_free(&free);
    codelet.begin_asked();
    codelet.drop_asked();
    from_fn(|k| stay[k % 4][k / 4].map(|part| part.place))
}

/// Copies four numbers to where others are.
pub fn copy(ops: &mut OpList<Word>, from: &[Complex; 4], to: &[Complex; 4]) {
    for (from, to) in from.as_flattened().iter().zip(to.as_flattened()) {
        ops.copy(from.place, to.place);
    }
}

/// A call of the routine: its outputs are 0, 4, 8 and 12, whichever they are.
struct Group<'a> {
    codelet: &'a mut Codelet,
    across: &'a Across,
    shared: Option<[Place; 2]>,
    results: [Complex; 4],
}

impl CodeletEnds for Group<'_> {
    type Uniform = Word;

    fn ops(&mut self) -> &mut OpList<Word> {
        &mut self.codelet.program.ops
    }

    fn wish(&self, _component: usize) -> Wish {
        Wish::AnyFile
    }

    fn output(&mut self, k: usize, y: Complex) {
        let result = self.results[k / 4].map(|part| part.place);
        let factor = |codelet: &mut Codelet, _| {
            let fetched = codelet.fetch_asked().expect("asked for");
            Source::Place(fetched.place)
        };
        let z = self
            .codelet
            .multiply_looked_up(y, factor, Wish::Accumulator);
        let wishes = result.map(Wish::At);
        let z = self.across.finished(self.codelet, z, self.shared, wishes);
        assert_eq!(z, result.map(positive), "outputs have their sign and place");
    }
}
