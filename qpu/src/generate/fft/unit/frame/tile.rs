//! What surrounds the codelet of a program that shares tiles: exchange, locks, stores, end.
//!
//! Programs 2p and 2p + 1 of a launch are a pair: each keeps half of the outputs of its codelet and gives the
//! other half to its partner, through VPM rows 0..32, which one pair has at a time. Rows 32..48 and 48..64 are
//! stored from, one after the other, each with a lock: while one is stored, the other is filled.
//!
//! The first program takes the mutex for its pair when both are there, so that nobody waits for a slow one.
//!
//! | semaphore | is |
//! |---|---|
//! | 0, 1 | lock of rows 32.., of rows 48..: 1 is free |
//! | 2 | what the second program of the pair with the mutex has told the first: it has written, it has read |
//! | 3 | what the first has told the second: it has written |
//! | 4 + p | what the first of pair p has told the second: the rows are theirs |
//! | 10 + p | what the second has told the first: it is there, it has ended |
//! | 10 | also what pairs from 1 on tell the leader, which is the first of pair 0: both have ended |
//!
//! The leader may take an end for the arrival of its partner. Then it has the rows before that is there; for data,
//! programs wait at semaphores 2 to 9 only. When it has counted as many as it has units and as there are others, all have
//! ended.
//! The numbers of semaphores are in instructions: so each program has stubs of its own, and a register that says
//! where they are. All semaphores are 0 at rest.

use super::{Frame, LOOKUP_BYTES, Shape, Source, Stores, pick, put, reg};
use crate::fft::Role;
use crate::fft::program::{Start, Tail, Task};
use crate::generate::fft::dft16::Constants;
use crate::generate::fft::draft::{Draft, Wish};
use crate::generate::fft::unit::{Generated, Word};
use crate::generate::schedule::{self, Destination, Operation, Place, Scheduled};
use crate::generate::{
    Builder, Label, MUTEX_ACQUIRE, MUTEX_RELEASE, NONE, R0, R1, R2, R3, RD_SETUP, ST_ADDR, ST_WAIT,
    UNIF, UNIFORMS_ADDRESS, VPM, WR_SETUP, ra,
};
use crate::isa::{AddOp, BranchCond, File, MulOp};
use crate::vpm::{Block, Store};

/// Semaphores of the pair with the mutex: from its second program to its first.
const TO_FIRST: u8 = 2;
/// And from its first to its second.
const TO_SECOND: u8 = 3;
/// Of the first pair: its second program may write.
const MAY_WRITE: u8 = 4;
/// And is there.
const IS_THERE: u8 = 10;
/// Pairs of twelve programs.
const PAIRS: u8 = 6;
/// Rows that a program gives to its partner.
const GIVEN: u8 = 16;
/// Lookups that both TMUs hold.
const MOST_LOOKUPS: u32 = 8;
/// The halves from which rows are stored.
const HALVES: [u8; 2] = [32, 48];
/// Register of file A that says where a program's stubs are; an even one.
const STUBS: u8 = 30;
/// Instructions of the stubs of a program: three times a power of two.
const STUB: u32 = 24;

/// What a pair exchanges: between the pieces of a unit.
pub struct Exchange {
    /// Vectors that go to the partner.
    pub given: Vec<Place>,
    /// Where those go that come from it, in its order.
    pub taken: Vec<Place>,
}

/// What a frame knows of a program that shares tiles.
pub struct Sharing {
    /// How vectors are written to rows that are stored.
    write: [Block; 2],
    /// In order, as many of each half.
    fixed: Vec<Store>,
    exchange: Option<Exchange>,
}

impl Frame {
    /// A program for tiles in which nothing but the start is written. `shape` is that of rows 0..16, and again
    /// of the 16 rows behind them.
    pub fn of_tiles(task: Task, shape: &Shape) -> Self {
        let Stores::Fixed(stores) = &shape.stores else {
            unreachable!("all units of a tile store as much")
        };
        let mut draft = Draft::new(Place::R4);
        let constants = Constants::load(&mut draft);
        let stubs = Place::Register(File::A, STUBS);
        draft.reserve(stubs);
        let records = draft.take(Wish::AnyFile);
        let units = draft.take(Wish::File(File::A));
        let area = records;
        let addresses = (0..2 * stores.len()).map(|_| draft.take(Wish::AnyFile));
        let addresses = addresses.collect();
        let word_offsets = draft.take(Wish::Accumulator);
        let sources = [Source::Lane, Source::Small(2)];
        draft.add_op(AddOp::Shl, sources, Destination::Place(word_offsets));
        let mut read = |word, to| draft.copy(Source::Uniform(Word::Start(word)), to);
        read(Start::Number, Destination::Place(stubs));
        read(Start::Records, Destination::Place(records));
        read(Start::Units, Destination::Place(units));
        let is_last = matches!(task, Task::Points(kind) if kind.role == Role::Last);
        let pitch = is_last.then(|| draft.take(Wish::AnyFile));
        super::set_stride(&mut draft, pitch);
        let shift = Source::Small((8 * STUB).trailing_zeros() as i32);
        let [one, two] = [0, 1].map(|_| draft.take(Wish::Accumulator));
        let [to_one, to_two] = [one, two].map(Destination::Place);
        draft.add_op(AddOp::Shl, [Source::Place(stubs), shift], to_one);
        draft.add_op(AddOp::Add, [Source::Place(one); 2], to_two);
        let sources = [one, two].map(Source::Place);
        draft.add_op(AddOp::Add, sources, Destination::Place(stubs));
        draft.give_back(one);
        draft.give_back(two);
        let at = |block: Block, y: u8| match block.place {
            crate::vpm::Place::Row { .. } => Block::row(y),
            crate::vpm::Place::Column { x, .. } => Block::column(y, x),
        };
        let fixed = HALVES.iter().flat_map(|&first| {
            stores.iter().map(move |store| Store {
                y: first + store.y,
                ..*store
            })
        });
        Self {
            task,
            draft,
            constants,
            opening: Vec::new(),
            pieces: Vec::new(),
            word_offsets,
            lookups: 0,
            records,
            units,
            area,
            write_setup: area,
            store_setups: Vec::new(),
            stores: addresses,
            listed: 0,
            pitch,
            fixed: Vec::new(),
            sharing: Some(Sharing {
                write: HALVES.map(|y| at(shape.write, y)),
                fixed: fixed.collect(),
                exchange: None,
            }),
        }
    }

    /// The product of a number of the start and another of the start list.
    pub fn number_times(&mut self, x: Place, start: Start) -> Place {
        let factor = self.draft.take(Wish::Accumulator);
        let word = Source::Uniform(Word::Start(start));
        self.draft.copy(word, Destination::Place(factor));
        let sources = [factor, x].map(Source::Place);
        let product = self.draft.take(Wish::AnyFile);
        let to = Destination::Place(product);
        self.draft.push(Operation::mul(MulOp::Fmul, sources, to));
        self.draft.give_back(factor);
        product
    }

    /// What follows of the unit comes behind an exchange.
    pub fn exchange(&mut self, exchange: Exchange) {
        self.piece(None);
        if let Some(sharing) = &mut self.sharing {
            sharing.exchange = Some(exchange);
        }
    }

    /// The program.
    pub(super) fn finish_tile(
        self,
        unit: &[(Scheduled<Word>, Option<Place>)],
        outputs: &[Place],
        factors: Option<[Place; 2]>,
    ) -> Generated {
        let opening = schedule::schedule(&self.opening);
        let mut b = Builder::new();
        let mut start = vec![Start::Opens, Start::Code];
        let length: usize = unit.iter().map(|(piece, _)| piece.instructions.len()).sum();
        let stubs = 2 * u32::from(PAIRS) * STUB;
        let code_bytes = 8 * (opening.instructions.len() as u32 + length as u32 + 160 + stubs);
        // More than the TMUs hold at once is not looked up.
        self.open(&mut b, code_bytes.div_ceil(LOOKUP_BYTES).min(MOST_LOOKUPS));
        put(&mut b, &opening);
        start.extend(opening.uniforms.iter().filter_map(|word| match word {
            Word::Start(start) => Some(*start),
            _ => None,
        }));
        b.nop();
        let first = b.len();
        let units = b.here("unit");
        let [(before, _), (after, _)] = unit else {
            unreachable!("a tile is exchanged once")
        };
        put(&mut b, before);
        b.nop();
        let [enter, written, read] = self.put_exchange(&mut b);
        b.nop();
        put(&mut b, after);
        let far = self.put_stores(&mut b, outputs, factors);
        let left = reg(self.units);
        b.sub(left, left, 1).setf();
        b.brr(BranchCond::AnyZC, units);
        b.nops(3);
        let end = b.len();
        let ends = self.put_end(&mut b);
        for (half, far) in far.into_iter().enumerate() {
            self.put_far(&mut b, half, far);
        }
        put_stubs(&mut b, [enter, written, read], ends);
        let program = b
            .assemble()
            .unwrap_or_else(|error| panic!("FFT {:?}: {error}", self.task));
        Generated {
            task: self.task,
            code: program.words,
            units: first..end,
            start,
            record: pick(unit, |word| match word {
                Word::Record(record) => Some(record),
                _ => None,
            }),
            tail: vec![Tail::Peers],
            rows: pick(unit, |word| match word {
                Word::Row(row) => Some(row),
                _ => None,
            }),
            scalars: Vec::new(),
            labels: program.labels,
        }
    }

    /// From the outputs of a program to its own and its partner's; gives the stubs, and where they go on.
    fn put_exchange(&self, b: &mut Builder) -> [[Label; 2]; 3] {
        let sharing = self.sharing.as_ref().expect("a program for tiles");
        let exchange = sharing.exchange.as_ref().expect("written");
        let labels = ["enter", "written", "read"]
            .map(|name| [b.label(&format!("to-{name}")), b.label(name)]);
        let call = |b: &mut Builder, [stub, back]: [Label; 2], last: &dyn Fn(&mut Builder)| {
            b.brr(BranchCond::Always, stub).plus(ra(STUBS));
            last(b);
            b.bind(back);
        };
        call(b, labels[0], &|b| b.nops(3));
        let last = exchange.given.len() - 3;
        let give = |b: &mut Builder, places: &[Place]| {
            for place in places {
                b.mov(VPM, reg(*place));
            }
        };
        give(b, &exchange.given[..last]);
        call(b, labels[1], &|b| give(b, &exchange.given[last..]));
        let take = |b: &mut Builder, places: &[Place]| {
            for place in places {
                b.mov(reg(*place), VPM);
            }
        };
        take(b, &exchange.taken[..last]);
        call(b, labels[2], &|b| take(b, &exchange.taken[last..]));
        labels
    }

    /// Fills and stores one half, then the other. Gives where rows of each are stored one by one, if they are,
    /// and where that goes on.
    fn put_stores(
        &self,
        b: &mut Builder,
        outputs: &[Place],
        factors: Option<[Place; 2]>,
    ) -> Vec<[Label; 2]> {
        let sharing = self.sharing.as_ref().expect("a program for tiles");
        let per_half = sharing.fixed.len() / 2;
        let mut all = Vec::new();
        let halves = outputs.chunks(outputs.len() / 2).zip(sharing.write);
        for (half, (outputs, write)) in halves.enumerate() {
            let lock = half as u8;
            if let Some(factors) = factors {
                b.mov(R2, reg(factors[half]));
            }
            b.sacq(lock);
            b.ldi(WR_SETUP, write.write_setup().expect("inside the VPM"));
            for output in outputs {
                match factors {
                    Some(_) => b.fmul(VPM, reg(*output), R2),
                    None => b.mov(VPM, reg(*output)),
                };
            }
            if half > 0 {
                b.mov(NONE, ST_WAIT);
                b.srel(lock - 1);
            }
            let far = self.pitch.map(|pitch| {
                let labels = ["one-by-one", "begun"].map(|name| b.label(name));
                b.mov(NONE, reg(pitch)).setf();
                b.brr(BranchCond::AllNC, labels[0]);
                b.nops(2);
                labels
            });
            // The first setup is in the branch's last delay slot.
            let stores = sharing.fixed.iter().zip(&self.stores);
            for (store, address) in stores.skip(half * per_half).take(per_half) {
                b.ldi(WR_SETUP, store.setup().expect("inside the VPM"));
                b.mov(ST_ADDR, reg(*address));
            }
            if let Some([_, back]) = far {
                b.bind(back);
            }
            all.extend(far);
        }
        b.mov(NONE, ST_WAIT);
        b.srel(1);
        all
    }

    /// Stores the rows of a half one by one: those that lie further apart than a stride can say.
    fn put_far(&self, b: &mut Builder, half: usize, [far, back]: [Label; 2]) {
        let (Some(sharing), Some(pitch)) = (&self.sharing, self.pitch) else {
            return;
        };
        b.bind(far);
        let per_half = sharing.fixed.len() / 2;
        let stores = sharing.fixed.iter().zip(&self.stores);
        for (store, address) in stores.skip(half * per_half).take(per_half) {
            let one = Store { rows: 1, ..*store };
            b.ldi(R0, one.setup().expect("inside the VPM"));
            b.mov(R1, reg(*address));
            b.ldi(R3, u32::from(store.rows));
            b.ldi(R2, 1 << 7); // a row of the VPM further
            let again = b.here("row");
            b.mov(WR_SETUP, R0);
            b.mov(ST_ADDR, R1);
            b.sub(R3, R3, 1).setf();
            b.brr(BranchCond::AnyZC, again);
            b.add(R0, R0, R2);
            b.add(R1, R1, reg(pitch));
            b.nop();
        }
        b.brr(BranchCond::Always, back);
        b.nops(3);
    }

    /// To the stub with which a program ends, and what the leader does behind it.
    fn put_end(&self, b: &mut Builder) -> [Label; 2] {
        let [end, close] = ["to-end", "close"].map(|name| b.label(name));
        b.mov(UNIFORMS_ADDRESS, reg(self.records));
        b.brr(BranchCond::Always, end).plus(ra(STUBS));
        b.nops(2);
        b.mov(R0, UNIF); // Peers
        b.bind(close);
        for pair in 1..PAIRS {
            let fewer = b.label("fewer");
            b.sub(NONE, R0, 2 * i32::from(pair)).setf();
            b.brr(BranchCond::AllNS, fewer);
            b.nops(3);
            b.sacq(IS_THERE);
            b.bind(fewer);
        }
        b.sacq(0);
        b.sacq(1);
        b.end();
        [end, close]
    }
}

/// What programs do that is different for each, [`STUB`] instructions.
fn put_stubs(b: &mut Builder, [enter, written, read]: [[Label; 2]; 3], [end, close]: [Label; 2]) {
    for number in 0..2 * PAIRS {
        let (pair, second) = (number / 2, number % 2);
        // Whom it tells, and who tells it.
        let [there, here] = match second {
            0 => [TO_SECOND, TO_FIRST],
            _ => [TO_FIRST, TO_SECOND],
        };
        let from = b.len();
        let bind = |b: &mut Builder, label: Label, at: usize| {
            assert_eq!(b.len() - from, at, "stubs are as long for each program");
            if number == 0 {
                b.bind(label);
            }
        };
        bind(b, enter[0], 0);
        if second == 0 {
            b.sacq(IS_THERE + pair);
            b.brr(BranchCond::Always, enter[1]);
            b.mov(NONE, MUTEX_ACQUIRE);
            b.srel(MAY_WRITE + pair);
        } else {
            b.srel(IS_THERE + pair);
            b.brr(BranchCond::Always, enter[1]);
            b.sacq(MAY_WRITE + pair);
            b.nop();
        }
        let own = GIVEN * second;
        let setup = Block::row(own).write_setup();
        b.ldi(WR_SETUP, setup.expect("inside the VPM"));
        bind(b, written[0], 5);
        // Reading any vector waits until the writes are in the VPM (HW-2497).
        let [drain, other] = [(own, 1), (GIVEN - own, GIVEN)]
            .map(|(y, rows)| Block::row(y).read_setup(rows).expect("inside the VPM"));
        b.ldi(RD_SETUP, drain);
        b.mov(NONE, VPM);
        b.srel(there);
        b.brr(BranchCond::Always, written[1]);
        b.sacq(here);
        b.ldi(RD_SETUP, other);
        b.nop();
        bind(b, read[0], 12);
        b.brr(BranchCond::Always, read[1]);
        if second == 0 {
            b.sacq(here);
            b.mov(MUTEX_RELEASE, 0);
            b.nop();
        } else {
            b.srel(there);
            b.nops(2);
        }
        bind(b, end, 16);
        match (pair, second) {
            (_, 1) => {
                b.srel(IS_THERE + pair);
                b.end();
            }
            (0, _) => {
                b.sacq(IS_THERE);
                b.brr(BranchCond::Always, close);
                b.nops(3);
            }
            _ => {
                b.sacq(IS_THERE + pair);
                b.srel(IS_THERE);
                b.end();
            }
        }
        b.nops(from + STUB as usize - b.len());
    }
}
