//! A codelet being written: operations in program order, on registers that are given out.
//!
//! Registers are reused oldest first, so that an operation rarely has to wait for a register
//! whose last reader is still to come.

use qpu::generate::schedule::{Destination, Operation, Place, Source};
use qpu::isa::{AddOp, Cond, File, MulOp, Unpack};
use std::collections::VecDeque;

/// The registers that will do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wish {
    /// This file.
    File(File),
    /// The file that has more registers left.
    AnyFile,
    /// r0 to r3.
    Accumulator,
    /// This place, which the caller that wishes for it keeps.
    At(Place),
}

/// A number, up to its sign: subtraction absorbs signs, so that negating costs nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value {
    /// The place where it is.
    pub place: Place,
    /// True: the place holds the negative.
    pub negative: bool,
}

/// A complex number: real and imaginary part.
pub type Complex = [Value; 2];

/// Operations in program order, and the registers that are free after them.
#[derive(Clone)]
pub struct OpList<U> {
    operations: Vec<Operation<U>>,
    files: [VecDeque<u8>; 2],
    accumulators: VecDeque<u8>,
    /// See [`OpList::saving_registers`].
    saves_registers: bool,
}

impl<U: Copy + PartialEq> OpList<U> {
    /// Nothing written, all registers free but ra14 and rb14, which the end of a program must not
    /// touch, and the accumulator `kept`.
    pub fn new(kept: Place) -> Self {
        let file: VecDeque<u8> = (0..32).filter(|&n| n != 14).collect();
        Self {
            operations: Vec::new(),
            files: [file.clone(), file],
            accumulators: (0..4).filter(|&n| Place::Accumulator(n) != kept).collect(),
            saves_registers: false,
        }
    }

    /// An op list as of [`OpList::new`], for programs that need nearly all registers: ra14 and rb14
    /// are free as well, and a multiplication by a twiddle factor gives its registers back before
    /// it takes others, which leaves the scheduler less choice. Such a program must not end within
    /// three instructions of what is written here.
    pub fn saving_registers(kept: Place) -> Self {
        let mut ops = Self::new(kept);
        ops.saves_registers = true;
        for file in [File::A, File::B] {
            ops.give_back(Place::Register(file, 14));
        }
        ops
    }

    /// True if it was made by [`OpList::saving_registers`].
    pub const fn saves_registers(&self) -> bool {
        self.saves_registers
    }

    /// Nothing written yet, and nothing free but these registers and the accumulators.
    #[must_use]
    pub fn on(registers: &[Place]) -> Self {
        let mut ops = Self::new(Place::R4);
        ops.files = Default::default();
        registers.iter().for_each(|&place| ops.give_back(place));
        ops
    }

    /// Takes the operations that were written so far; those that follow are scheduled apart from
    /// them, on the registers left.
    pub fn cut(&mut self) -> Vec<Operation<U>> {
        std::mem::take(&mut self.operations)
    }

    /// Takes this register, which must be free.
    pub fn reserve(&mut self, place: Place) {
        if let Place::Register(file, number) = place {
            self.files[file as usize].retain(|&free| free != number);
        }
    }

    /// A free register.
    ///
    /// # Panics
    /// When none is left: a bug of the codelet, found when the programs are built.
    pub fn take(&mut self, wish: Wish) -> Place {
        let file = match wish {
            Wish::Accumulator => {
                let number = self.accumulators.pop_front().expect("a free accumulator");
                return Place::Accumulator(number);
            }
            Wish::At(place) => return place,
            Wish::File(file) => file,
            Wish::AnyFile if self.files[0].len() >= self.files[1].len() => File::A,
            Wish::AnyFile => File::B,
        };
        let number = self.files[file as usize]
            .pop_front()
            .expect("a free register");
        Place::Register(file, number)
    }

    /// A free register of file A of even number, to which a branch can go back.
    ///
    /// # Panics
    /// As [`OpList::take`].
    pub fn take_even(&mut self) -> Place {
        let free = &mut self.files[File::A as usize];
        let even = free.iter().position(|number| number.is_multiple_of(2));
        let number = even.and_then(|index| free.remove(index));
        Place::Register(File::A, number.expect("a free even register"))
    }

    /// Makes the same registers free as in `then`.
    pub fn restore_free(&mut self, then: &Self) {
        self.files.clone_from(&then.files);
        self.accumulators.clone_from(&then.accumulators);
    }

    /// Gives a register back after its last reader was written.
    pub fn give_back(&mut self, place: Place) {
        match place {
            Place::Register(file, number) => self.files[file as usize].push_back(number),
            Place::Accumulator(number) => self.accumulators.push_back(number),
            Place::R4 | Place::R5 => {}
        }
    }

    /// Gives back both parts.
    pub fn give_back_complex(&mut self, z: Complex) {
        for value in z {
            self.give_back(value.place);
        }
    }

    /// Writes an operation as it is.
    pub fn push(&mut self, operation: Operation<U>) {
        self.operations.push(operation);
    }

    /// An operation of the add ALU.
    pub fn add_op(
        &mut self,
        op: AddOp,
        first: impl Into<Source<U>>,
        second: impl Into<Source<U>>,
        to: impl Into<Destination>,
    ) {
        self.push(Operation::add(op, first.into(), second.into(), to.into()));
    }

    /// Sets flags from an operation of the add ALU.
    pub fn set_flags(
        &mut self,
        op: AddOp,
        first: impl Into<Source<U>>,
        second: impl Into<Source<U>>,
    ) {
        self.push(Operation::add(op, first, second, Destination::Nothing).setting_flags());
    }

    /// Sets flag Z in the lanes whose number has none of the bits of `mask`.
    pub fn set_lane_flags(&mut self, mask: i32) {
        self.set_flags(AddOp::And, Source::Lane, mask);
    }

    /// A copy, on either ALU.
    pub fn copy(&mut self, from: impl Into<Source<U>>, to: impl Into<Destination>) {
        self.push(Operation::copy(from, to));
    }

    /// A copy of `place`, moved up by `rotation` lanes, into those lanes of `into` where `cond`
    /// holds.
    pub fn merge_rotated(&mut self, place: Place, rotation: u8, cond: Cond, into: Place) {
        let copy = Operation::mul(MulOp::V8min, place, place, into);
        self.push(copy.when(cond).rotated(rotation));
    }

    /// A copy in a register that is taken for it.
    pub fn load(&mut self, from: impl Into<Source<U>>, wish: Wish) -> Place {
        let place = self.take(wish);
        self.copy(from, place);
        place
    }

    /// A constant.
    pub fn immediate(&mut self, value: u32, to: impl Into<Destination>) {
        self.push(Operation::immediate(
            value,
            [to.into(), Destination::Nothing],
        ));
    }

    /// Asks for a lookup at `lanes` + uniform, which is fetched later.
    ///
    /// The addresses must be such that no carry crosses a byte: then both ALUs can add.
    pub fn ask(&mut self, tmu: u8, lanes: Place, address: U) {
        self.push(Operation::either(
            AddOp::Add,
            MulOp::V8adds,
            lanes,
            Source::Uniform(address),
            Destination::Tmu(tmu),
        ));
    }

    /// [`OpList::ask`], fetched into r4, where it stays until the next one.
    pub fn lookup(&mut self, tmu: u8, lanes: Place, address: U) -> Place {
        self.ask(tmu, lanes, address);
        self.push(Operation::fetch(tmu));
        Place::R4
    }

    /// The integer in a byte or half of a register of file A, as f32: exactly. Halves are signed,
    /// bytes not.
    ///
    /// For an operation that takes integers, as itof does, unpacking extends them (Architecture
    /// Reference Guide, section 3, "Pack/unpack"); Mesa's driver converts vertex attributes so.
    pub fn float_of_integer(&mut self, from: Place, part: Unpack, wish: Wish) -> Value {
        let place = self.take(wish);
        self.push(Operation::add(AddOp::Itof, from, from, place).unpacking(part));
        positive(place)
    }

    /// A lookup at `lanes` + uniform, whatever the addresses, fetched into r4, where it stays until
    /// the next one.
    pub fn lookup_sum(&mut self, tmu: u8, lanes: Place, address: U) -> Place {
        self.add_op(
            AddOp::Add,
            lanes,
            Source::Uniform(address),
            Destination::Tmu(tmu),
        );
        self.push(Operation::fetch(tmu));
        Place::R4
    }

    /// The product with a positive factor.
    pub fn multiply(&mut self, x: Value, factor: Source<U>, wish: Wish) -> Value {
        let place = self.take(wish);
        self.push(Operation::mul(MulOp::Fmul, x.place, factor, place));
        Value {
            place,
            negative: x.negative,
        }
    }

    /// x + y to a destination, which must not be negative.
    pub fn add_into(&mut self, x: Value, y: Value, destination: Destination) {
        let (op, [first, second], negative) = sum(x, y);
        assert!(!negative, "the codelets add no two negatives");
        self.add_op(op, first.place, second.place, destination);
    }

    /// x + y.
    pub fn add(&mut self, x: Value, y: Value, wish: Wish) -> Value {
        let place = self.take(wish);
        let (op, [first, second], negative) = sum(x, y);
        self.add_op(op, first.place, second.place, place);
        Value { place, negative }
    }

    /// x - y.
    pub fn subtract(&mut self, x: Value, y: Value, wish: Wish) -> Value {
        self.add(x, negate(y), wish)
    }

    /// z · (cos - i sin), each part where its wish says: multiplies back by the angle. Gives back
    /// z.
    pub fn multiply_complex(
        &mut self,
        z: Complex,
        cos: [Source<U>; 2],
        sin: [Source<U>; 2],
        wishes: [Wish; 2],
    ) -> Complex {
        let [re, im] = z;
        let re_cos = self.multiply(re, cos[0], Wish::Accumulator);
        let im_sin = self.multiply(im, sin[0], Wish::Accumulator);
        let multiplied_re = self.add(re_cos, im_sin, wishes[0]);
        self.give_back(re_cos.place);
        self.give_back(im_sin.place);
        let im_cos = self.multiply(im, cos[1], Wish::Accumulator);
        let re_sin = self.multiply(re, sin[1], Wish::Accumulator);
        let multiplied_im = self.subtract(im_cos, re_sin, wishes[1]);
        self.give_back(im_cos.place);
        self.give_back(re_sin.place);
        self.give_back_complex(z);
        [multiplied_re, multiplied_im]
    }
}

/// The operation that makes x + y, its operands, and whether the result is the negative.
fn sum(x: Value, y: Value) -> (AddOp, [Value; 2], bool) {
    match (x.negative, y.negative) {
        (false, false) => (AddOp::Fadd, [x, y], false),
        (false, true) => (AddOp::Fsub, [x, y], false),
        (true, false) => (AddOp::Fsub, [y, x], false),
        (true, true) => (AddOp::Fadd, [x, y], true),
    }
}

/// -x.
pub fn negate(x: Value) -> Value {
    Value {
        negative: !x.negative,
        ..x
    }
}

/// The value in a place, with its sign.
pub fn positive(place: Place) -> Value {
    Value {
        place,
        negative: false,
    }
}
