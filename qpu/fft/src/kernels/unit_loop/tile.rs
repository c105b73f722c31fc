//! The surroundings of the codelet of a program that shares tiles: exchange, locks, stores, end.
//!
//! Programs S p .. S p + S - 1 of a launch are group p, S = 2 or 4: QPUs of one slice, as a rule.
//! They exchange through VPM rows 0..32, of which each has as many, and which one group has at a
//! time. Rows 32..48 and 48..64 are stored from, one after the other, each with a lock: while one
//! is stored, the other is filled.
//!
//! The first program takes the mutex for its group when all are there, so that none waits for a
//! slow one. Then partners report to each other in each step that they have written, and that they
//! have read; in the end only those with odd numbers report, so that no program still waits when
//! the mutex is given back.
//!
//! | semaphore | is |
//! |---|---|
//! | 0, 1 | lock of rows 32.., of rows 48..: 1 is free |
//! | 2 + p | what the others of group p have told its first: they are there, they have ended |
//! | 2 | also what groups from 1 on report to the leader, which is the first of group 0: all have ended |
//! | 2 + 12 / S + p | what the first of group p reports to the others: the rows are theirs |
//! | 2 + 24 / S + S s + j | what the partner in step s reports to program j of the group with the mutex |
//! | 2 + 24 / S | of four also what program 2 of that group reports to the first: it and program 3 have read all |
//!
//! The leader may take an end for the arrival of another of its group. Then it has the rows before
//! that is there; for data, programs wait at the semaphores of the last three kinds only. When it
//! has counted as many as it has units and as there are others, all have ended. The numbers of
//! semaphores are in instructions: so each program has code of its own ([`super::per_qpu_code`]),
//! and a register that says where it is. All semaphores are 0 at rest.

use super::assemble::{Rows, length};
use super::per_qpu_code::{
    ALL_TABLES, IS_THERE, LINK, PROGRAMS, PerQpuCode, TABLE_ENTRY, TABLES, put_calling,
    put_per_qpu_code, steps,
};
use super::surroundings::put_rows;
use super::{Names, Scheduled, Source, UnitProgram, Word, lane_offsets, put_pieces};
use crate::Role;
use crate::codelet::lookups::LOOKUP_BYTES;
use crate::codelet::op_list::{OpList, Wish};
use crate::codelet::radix16::Constants;
use crate::codelet::register;
use crate::kernels::generated::Generated;
use crate::kernels::program::{Kind, Start, Tail, Task};
use crate::kernels::unit::uniforms;
use core::ops::Range;
use qpu::generate::schedule::{self, Destination, Place};
use qpu::generate::{
    Builder, Label, NONE, R0, R2, ST_ADDR, ST_WAIT, UNIF, UNIFORMS_ADDRESS, VPM, WR_SETUP, ra,
};
use qpu::isa::{AddOp, BranchCond, File};
use qpu::vpm::{Block, Store};

/// Lookups that both TMUs hold.
const MOST_LOOKUPS: u32 = 8;
/// The halves from which rows are stored.
const HALVES: [u8; 2] = [32, 48];

/// The state of a program that shares tiles.
pub struct Sharing {
    /// The blocks in which vectors are written to rows that are stored.
    write: [Block; 2],
    /// S.
    pub sharers: u8,
    /// For four: the factor of what comes in the first step, and of real parts in the second.
    pub sign: Option<Place>,
    /// The pieces that are the exchange.
    exchanged: Range<usize>,
    /// Units look up for the next one: where they end, as much as both TMUs hold is on its way.
    pub looks_ahead: bool,
}

impl UnitProgram {
    /// A program for tiles in which nothing but the start is written. `write` and `stores` are
    /// those of rows 0..16, and again of the 16 rows behind them.
    pub fn of_tiles(kind: Kind, write: Block, stores: &[Store], names: Names) -> Self {
        let mut ops = OpList::new(Place::R4);
        let constants = Constants::load(&mut ops);
        let [code, link] = [TABLES, LINK].map(|number| Place::Register(File::A, number));
        ops.reserve(code);
        ops.reserve(link);
        let records = ops.take(Wish::AnyFile);
        let units = ops.take(Wish::File(File::A));
        let addresses = (0..2 * stores.len()).map(|_| ops.take(Wish::AnyFile));
        let addresses = addresses.collect();
        let word_offsets = lane_offsets(&mut ops, 2, Wish::Accumulator);
        let mut read = |word, to| ops.copy(Source::Uniform(Word::Start(word)), to);
        read(Start::Number, Destination::Place(code));
        read(Start::Records, Destination::Place(records));
        read(Start::Units, Destination::Place(units));
        let pitch = (kind.role == Role::Last).then(|| ops.take(Wish::AnyFile));
        super::set_stride(&mut ops, pitch);
        let shift = Source::Small((8 * TABLE_ENTRY).trailing_zeros() as i32);
        let number = Source::Place(code);
        ops.add_op(AddOp::Shl, number, shift, code);
        let sharers = kind.sharers;
        let sign = Source::Uniform(Word::Start(Start::Sharer { bit: 0 }));
        let sign = (sharers > 2).then(|| ops.load(sign, Wish::AnyFile));
        let at = |y: u8| match write.place {
            qpu::vpm::Place::Row { .. } => Block::row(y),
            qpu::vpm::Place::Column { x, .. } => Block::column(y, x),
        };
        let fixed = HALVES.iter().flat_map(|&first| {
            stores.iter().map(move |store| Store {
                y: first + store.y,
                ..*store
            })
        });
        Self {
            task: Task::Points(kind),
            names,
            ops,
            constants,
            opening: Vec::new(),
            pieces: Vec::new(),
            word_offsets,
            lookups: 0,
            records,
            units,
            // Not read: programs have no half of their own.
            area: records,
            write_setup: records,
            store_setups: Vec::new(),
            stores: addresses,
            listed: 0,
            pitch,
            fixed: fixed.collect(),
            link: Some(link),
            sharing: Some(Sharing {
                write: HALVES.map(at),
                sharers,
                sign,
                exchanged: 0..0,
                looks_ahead: false,
            }),
        }
    }

    /// Begins the exchange: operations of the unit that follow write vectors for the partner. They
    /// end a piece, behind which are those that read vectors of the partner.
    pub fn begin_exchange(&mut self) {
        // What was read before is a piece already.
        if self.sharing().exchanged.is_empty() {
            self.piece(None);
            let first = self.pieces.len();
            self.of_sharing().exchanged = first..first;
        }
    }

    /// Ends the vectors of the partner: operations that follow write again, or come behind the
    /// exchange.
    pub fn taken(&mut self) {
        self.piece(None);
        self.of_sharing().exchanged.end = self.pieces.len();
    }

    /// Access to what belongs to tiles.
    pub fn sharing(&self) -> &Sharing {
        self.sharing.as_ref().expect("a program for tiles")
    }

    /// Mutable access to it.
    pub fn of_sharing(&mut self) -> &mut Sharing {
        self.sharing.as_mut().expect("a program for tiles")
    }

    /// The program.
    pub(super) fn finish_tile(self, unit: &[Scheduled], rows: &Rows) -> Generated {
        let opening = schedule::schedule(&self.opening);
        let mut b = Builder::new();
        let sharers = self.sharing().sharers;
        let code_bytes =
            8 * ((opening.instructions.len() + length(unit)) as u32 + 160 + ALL_TABLES);
        // More than the TMUs hold at once is not looked up.
        let lookups = code_bytes.div_ceil(LOOKUP_BYTES).min(MOST_LOOKUPS);
        let mut start = self.put_opening(&mut b, lookups, &opening);
        if sharers > 2 {
            // Groups begin one after the other.
            start.push(uniforms::Start::Delay.into());
            b.mov(R0, UNIF);
            let delay = b.here("delay");
            b.sub(R0, R0, 1).setf();
            b.brr(BranchCond::AllNC, delay);
            b.nops(3);
        } else {
            b.nop();
        }
        let code = PerQpuCode {
            enter: ["to-enter", "entered"].map(|name| b.label(name)),
            signal: ["step-0", "step-1"].map(|name| b.label(name)),
            leave: ["to-leave", "left"].map(|name| b.label(name)),
            end: b.label("to-end"),
        };
        let routines = self.put_routines(&mut b, unit);
        let units = b.here("unit");
        let Range { start: from, end } = self.sharing().exchanged;
        let (before, exchanged, after) = (&unit[..from - 1], &unit[from..end], &unit[end..]);
        let (last, _) = &unit[from - 1];
        put_pieces(&mut b, &routines, before);
        let behind = before.last();
        b.nops(behind.map_or(0, |before| routines.apart(before, last)));
        put_calling(&mut b, last, code.enter[0]);
        b.bind(code.enter[1]);
        let of_a_step = exchanged.len() / steps(sharers);
        for (number, (piece, _)) in exchanged.iter().enumerate() {
            let is_last = number + 1 == exchanged.len();
            let signal = if is_last {
                code.leave[0]
            } else {
                code.signal[number / of_a_step]
            };
            put_calling(&mut b, piece, signal);
        }
        b.bind(code.leave[1]);
        put_pieces(&mut b, &routines, after);
        let far = self.put_stores(&mut b, rows);
        let left = register(self.units);
        b.sub(left, left, 1).setf();
        b.brr(BranchCond::AnyZC, units);
        // Of the second half.
        let last_store = self.last_store();
        if let Some(address) = last_store {
            b.mov(ST_ADDR, register(address));
        }
        b.mov(NONE, ST_WAIT);
        b.srel(1);
        if last_store.is_none() {
            b.nop();
        }
        let end = b.len();
        let close = self.put_end(&mut b, code.end);
        for (half, far) in far.into_iter().enumerate() {
            self.put_far(&mut b, half, far);
        }
        put_per_qpu_code(&mut b, sharers, &code, close);
        self.generated(b, unit, routines.first..end, (start, vec![Tail::Peers]))
    }

    /// The address of the last store, which is started by the program that waits for it: none where
    /// rows may be stored one by one instead.
    fn last_store(&self) -> Option<Place> {
        let is_one = self.pitch.is_none();
        self.stores.last().copied().filter(|_| is_one)
    }

    /// Fills and stores one half, then the other, but for [`UnitProgram::last_store`] and the wait
    /// until that is stored. Gives where rows of each are stored one by one, if they are, and where
    /// that goes on.
    fn put_stores(&self, b: &mut Builder, rows: &Rows) -> Vec<[Label; 2]> {
        let Rows { outputs, factors } = rows;
        let per_half = self.fixed.len() / 2;
        let mut all = Vec::new();
        let halves = outputs.chunks(outputs.len() / 2).zip(self.sharing().write);
        for (half, (outputs, write)) in halves.enumerate() {
            let lock = half as u8;
            if let Some(factors) = factors {
                b.mov(R2, register(factors[half]));
            }
            b.sacq(lock);
            b.ldi(WR_SETUP, write.write_setup().expect("inside the VPM"));
            for output in outputs {
                match factors {
                    Some(_) => b.fmul(VPM, register(*output), R2),
                    None => b.mov(VPM, register(*output)),
                };
            }
            if half > 0 {
                b.mov(NONE, ST_WAIT);
                b.srel(lock - 1);
            }
            let far = self.branch_if_far(b);
            let stores = self.fixed.iter().zip(&self.stores);
            for (store, address) in stores.skip(half * per_half).take(per_half) {
                b.ldi(WR_SETUP, store.setup().expect("inside the VPM"));
                if self.last_store() != Some(*address) {
                    b.mov(ST_ADDR, register(*address));
                }
            }
            if let Some([_, back]) = far {
                b.bind(back);
            }
            all.extend(far);
        }
        all
    }

    /// Stores the rows of a half one by one: those that lie further apart than a stride can say.
    fn put_far(&self, b: &mut Builder, half: usize, [far, back]: [Label; 2]) {
        let Some(pitch) = self.pitch else {
            return;
        };
        b.bind(far);
        let per_half = self.fixed.len() / 2;
        let stores = self.fixed.iter().zip(&self.stores);
        for (store, address) in stores.skip(half * per_half).take(per_half) {
            let one = Store { rows: 1, ..*store };
            b.ldi(R0, one.setup().expect("inside the VPM"));
            put_rows(b, store.rows, *address, pitch, "row");
        }
        b.brr(BranchCond::Always, back);
        b.nops(3);
    }

    /// To the code with which a program ends, and what the leader does behind it.
    fn put_end(&self, b: &mut Builder, end: Label) -> Label {
        let close = b.label("close");
        if self.sharing().looks_ahead {
            // There is no next unit.
            for _ in 0..MOST_LOOKUPS / 2 {
                b.nop().ldtmu0();
                b.nop().ldtmu1();
            }
        }
        b.mov(UNIFORMS_ADDRESS, register(self.records));
        b.brr(BranchCond::Always, end).plus(ra(TABLES));
        b.nops(2);
        b.mov(R0, UNIF); // Peers
        b.bind(close);
        let sharers = self.sharing().sharers;
        for group in 1..PROGRAMS / sharers {
            let fewer = b.label("fewer");
            b.sub(NONE, R0, i32::from(sharers * group)).setf();
            b.brr(BranchCond::AllNS, fewer);
            b.nops(3);
            b.sacq(IS_THERE);
            b.bind(fewer);
        }
        b.sacq(0);
        b.sacq(1);
        b.end();
        close
    }
}
