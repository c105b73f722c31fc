//! Jobs: what to run on the QPUs, and the trait of all that runs it.
//!
//! The firmware's V3D driver and the simulator both implement [`Runner`], so a plan that is tested
//! on the simulator is the plan that ships. A runner owns the memory that V3D sees; cache
//! maintenance and queueing happen inside [`Runner::run`].

use crate::machine::QPUS;

/// An address as V3D sees it on the VideoCore bus, alias bits included.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct BusAddr(pub u32);

impl BusAddr {
    /// The address `bytes` further on, modulo 2^32.
    #[must_use]
    pub const fn offset(self, bytes: u32) -> Self {
        Self(self.0.wrapping_add(bytes))
    }

    /// This memory, for reads that leave no line behind in the system L2: alias 0x4 becomes 0x8;
    /// addresses with another alias stay as they are.
    ///
    /// Both see what the L2 holds. Stores must not use alias 0x8. Source: Broadcom's chip header
    /// for the aliases, and the list of errata in its driver sources, HW-2827.
    #[must_use]
    pub const fn streamed(self) -> Self {
        const ALLOCATING: u32 = 0x4000_0000;
        const STREAMED: u32 = 0x8000_0000;
        const ALIAS: u32 = 0xc000_0000;
        match self.0 & ALIAS {
            ALLOCATING => Self(self.0 & !ALIAS | STREAMED),
            _ => self,
        }
    }
}

/// A block of memory that V3D can reach and that its runner owns.
///
/// A handle, not a pointer: it is read and written through its runner only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Buffer {
    /// First byte, as V3D sees it.
    pub addr: BusAddr,
    /// Length in bytes.
    pub bytes: u32,
}

/// The V3D caches that are cleared before a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CacheClear {
    /// None: nothing that V3D reads has changed since the last launch.
    None,
    /// Uniform, TMU and L2 caches: data changed, code did not.
    Data,
    /// Data and instruction caches.
    #[default]
    All,
}

/// One request to the scheduler: a program on one QPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// Address of the first instruction, 8-byte aligned.
    pub code: BusAddr,
    /// Address of the first uniform, 4-byte aligned.
    pub uniforms: BusAddr,
}

/// Programs that are queued together and may run at the same time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Launch<'a> {
    /// Queued in this order.
    pub programs: &'a [Program],
    /// Cleared before the first is queued.
    pub clear: CacheClear,
    /// The QPUs that these programs may start on, among those that the runner allows
    /// ([`Runner::use_qpus`]).
    pub qpus: QpuSet,
}

/// Some of the twelve QPUs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct QpuSet(u16);

impl QpuSet {
    /// None of them.
    pub const NONE: Self = Self(0);
    /// All of them.
    pub const ALL: Self = Self((1 << QPUS) - 1);

    /// Just this one; [`QpuSet::NONE`] for a number from 12 on.
    #[must_use]
    pub const fn only(qpu: u8) -> Self {
        if qpu < QPUS { Self(1 << qpu) } else { Self(0) }
    }

    /// The QPUs of which a bit is set, the lowest for QPU 0; others are no QPU's.
    #[must_use]
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits).common(Self::ALL)
    }

    /// A bit for each.
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// These and those of `more`.
    #[must_use]
    pub const fn with(self, more: Self) -> Self {
        Self(self.0 | more.0)
    }

    /// The QPUs of these that are among `others`, too.
    #[must_use]
    pub const fn common(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    /// These but those of `others`.
    #[must_use]
    pub const fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// True if the QPU of this number is one of them.
    #[must_use]
    pub const fn contains(self, qpu: u8) -> bool {
        qpu < QPUS && self.0 >> qpu & 1 != 0
    }

    /// True if there is none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Their numbers, from the lowest.
    pub fn numbers(self) -> impl Iterator<Item = u8> {
        (0..QPUS).filter(move |qpu| self.contains(*qpu))
    }

    /// The values of SQRSV0 and SQRSV1 that keep user programs off all other QPUs: four bits for
    /// each QPU, the lowest of which excludes user programs.
    #[must_use]
    pub fn reservations(self) -> [u32; 2] {
        let mut registers = [0; 2];
        for qpu in (0..QPUS).filter(|qpu| !self.contains(*qpu)) {
            registers[usize::from(qpu / 8)] |= 1 << (4 * (qpu % 8));
        }
        registers
    }
}

/// The QPUs in the order in which they get queued programs when all of them are free.
///
/// Sources differ: "from the 12th QPU downwards" say notes on user programs (Zero, 2B, 3B),
/// Broadcom's list for fragments goes round the slices. Programs that work together may want their
/// neighbours in the same slice, whose caches they share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaunchOrder {
    qpus: [u8; QPUS as usize],
    count: u8,
}

impl LaunchOrder {
    /// 11, 10, 9 and so on.
    pub const DESCENDING: Self = Self {
        qpus: [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
        count: QPUS,
    };

    /// 11, 7, 3, 10 and so on: one of each slice.
    pub const ROUND_SLICES: Self = Self {
        qpus: [11, 7, 3, 10, 6, 2, 9, 5, 1, 8, 4, 0],
        count: QPUS,
    };

    /// This order; `None` where a QPU is missing.
    #[must_use]
    pub fn new(qpus: [u8; QPUS as usize]) -> Option<Self> {
        let all = qpus
            .iter()
            .fold(QpuSet::NONE, |all, &qpu| all.with(QpuSet::only(qpu)));
        (all == QpuSet::ALL).then_some(Self { qpus, count: QPUS })
    }

    /// This order where programs start on some QPUs only.
    #[must_use]
    pub fn on(&self, some: QpuSet) -> Self {
        let mut order = Self { count: 0, ..*self };
        for &qpu in self.qpus().iter().filter(|qpu| some.contains(**qpu)) {
            order.qpus[usize::from(order.count)] = qpu;
            order.count += 1;
        }
        order
    }

    /// The first, the second and so on.
    #[must_use]
    pub fn qpus(&self) -> &[u8] {
        &self.qpus[..usize::from(self.count)]
    }

    /// The number of the one of `programs` programs that is to be queued at `place`, so that the
    /// first gets the QPU of the greatest number, and those that follow each other QPUs that do:
    /// then slices have programs that follow each other.
    #[must_use]
    pub fn program_at(&self, place: u32, programs: u32) -> u32 {
        let getting = self.qpus().get(..programs as usize);
        let own = getting.and_then(|qpus| Some((qpus, qpus.get(place as usize)?)));
        own.map_or(place, |(qpus, own)| {
            qpus.iter().filter(|qpu| *qpu > own).count() as u32
        })
    }
}

/// Launches that run one after the other; each starts when all programs of the one before ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Job<'a> {
    /// Run in this order.
    pub launches: &'a [Launch<'a>],
}

/// The cost of a job: its time, and the programs that ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// From the first request to the end of the last program, in microseconds of the runner's
    /// clock.
    pub elapsed_us: u32,
    /// The time in V3D clocks, where the runner can count them.
    pub cycles: Option<u64>,
    /// Programs that ended.
    pub programs: u32,
}

/// The means by which a runner ended a program that did not end by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum Recovery {
    /// It has not had to, or does not know.
    #[default]
    Unknown = 0,
    /// By a reset of V3D alone.
    Reset = 1,
    /// By taking V3D's power away and giving it back.
    PowerCycle = 2,
}

/// Runs jobs, and owns the memory they use.
pub trait Runner {
    /// Why memory could not be had, or a job did not end well.
    type Error: core::fmt::Debug;

    /// Takes `bytes` bytes aligned to `align` (a power of two, at least 64 in effect).
    ///
    /// # Errors
    /// When not enough memory is left.
    fn alloc(&mut self, bytes: u32, align: u32) -> Result<Buffer, Self::Error>;

    /// Gives back every buffer. Handles from before must not be used again.
    fn release_all(&mut self);

    /// Writes `words` from word `first` of `buffer` on.
    ///
    /// # Errors
    /// When the words do not fit the buffer.
    fn write(&mut self, buffer: Buffer, first: u32, words: &[u32]) -> Result<(), Self::Error>;

    /// Reads `words.len()` words from word `first` of `buffer` on.
    ///
    /// # Errors
    /// When the words do not lie in the buffer.
    fn read(&mut self, buffer: Buffer, first: u32, words: &mut [u32]) -> Result<(), Self::Error>;

    /// Lets programs start on these QPUs only, until the next call; at first, on all. A program
    /// that is queued when there is none to start on does not end.
    fn use_qpus(&mut self, qpus: QpuSet);

    /// In which order QPUs that programs may start on get them, as far as it is known.
    fn launch_order(&self) -> LaunchOrder {
        LaunchOrder::DESCENDING
    }

    /// The means by which the last program was ended that did not end by itself.
    fn last_recovery(&self) -> Recovery {
        Recovery::Unknown
    }

    /// Says that what runs next are another user's programs, which may use the memory of this
    /// buffer only; `None` ends that. Hardware does not enforce it; a simulator can then attribute
    /// an access elsewhere to those programs.
    fn confine(&mut self, to: Option<Buffer>) {
        let _ = to;
    }

    /// Runs a job to its end.
    ///
    /// # Errors
    /// When a program has not ended `limit_us` microseconds after its launch, or V3D reports an
    /// error. The runner is then ready for another job.
    fn run(&mut self, job: &Job, limit_us: u32) -> Result<Report, Self::Error>;

    /// Starts a job behind those that were started before, and returns its report if it has come
    /// to its end already, as it has with a runner that does nothing else meanwhile. Otherwise
    /// [`Runner::ended`] has the report later. A job that is [`Runner::run`] begins when all that
    /// were started have ended.
    ///
    /// # Errors
    /// As [`Runner::run`].
    fn start(&mut self, job: &Job, limit_us: u32) -> Result<Option<Report>, Self::Error> {
        self.run(job, limit_us).map(Some)
    }

    /// Takes the report of the job that was started first, of those whose report was not taken;
    /// `None` while it is under way. When one fails, those behind it fail with it.
    fn ended(&mut self) -> Option<Result<Report, Self::Error>> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_reserves_the_others() {
        assert_eq!(QpuSet::ALL.reservations(), [0, 0]);
        assert_eq!(QpuSet::NONE.reservations(), [0x1111_1111, 0x1111]);
        assert_eq!(QpuSet::only(0).reservations(), [0x1111_1110, 0x1111]);
        assert_eq!(QpuSet::only(9).reservations(), [0x1111_1111, 0x1101]);
    }

    #[test]
    fn a_set_holds_what_was_put_in() {
        let set = QpuSet::only(3)
            .with(QpuSet::only(11))
            .with(QpuSet::only(12));
        assert!(set.numbers().eq([3, 11]));
        assert!(QpuSet::only(200).is_empty() && !QpuSet::ALL.contains(200));
        assert_eq!(QpuSet::from_bits(0xf000 | set.bits()), set);
        assert_eq!(set.common(QpuSet::only(3)), QpuSet::only(3));
        assert_eq!(set.without(QpuSet::only(3)), QpuSet::only(11));
    }

    #[test]
    fn programs_get_the_qpus_of_a_slice_in_any_order() {
        let round = LaunchOrder::ROUND_SLICES;
        for order in [LaunchOrder::DESCENDING, round] {
            let qpus = order.qpus().try_into().expect("twelve");
            assert_eq!(LaunchOrder::new(qpus), Some(order));
            for (place, &qpu) in (0..).zip(order.qpus()) {
                assert_eq!(order.program_at(place, 12), 11 - u32::from(qpu));
            }
        }
        // Fewer programs than QPUs: 11, 7, 3, 10 and 6.
        let programs: Vec<u32> = (0..5).map(|place| round.program_at(place, 5)).collect();
        assert_eq!(programs, [0, 2, 4, 1, 3]);
        let some = round.on(QpuSet::only(3).with(QpuSet::only(6)));
        assert_eq!(some.qpus(), [3, 6]);
        assert_eq!([0, 1].map(|place| some.program_at(place, 2)), [1, 0]);
        // More than there are take the order that they have.
        assert_eq!(some.program_at(2, 3), 2);
        assert_eq!(LaunchOrder::new([0; 12]), None);
    }
}
