//! Jobs on the QPUs that a host makes: in a block of their memory, into which it writes what it
//! likes.

use core::iter::Map;
use core::slice;

use signal::Code;

use crate::PayloadError;
use crate::field::{Field, Reader, Writer, payload};

/// A block of the QPUs' memory. Words of it are counted from its start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JobBlock {
    /// Bus address of its first byte, a multiple of 4096.
    pub address: u32,
    /// Its bytes.
    pub bytes: u32,
    /// QPUs in the order in which free ones get queued programs, as far as the instrument knows it.
    pub launch_order: [u8; JobBlock::QPUS],
}

impl JobBlock {
    /// QPUs of a board.
    pub const QPUS: usize = 12;
}

payload!(JobBlock {
    address,
    bytes,
    launch_order
});

/// Words of a block, as many as the payload has: 32-bit, little-endian.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JobWords<'a> {
    /// The first of them.
    pub first: u32,
    /// Their bytes.
    bytes: &'a [u8],
}

impl<'a> JobWords<'a> {
    /// The most words that are read at a time.
    pub const MAX: usize = 1008;

    /// Words from number `first` on; bytes behind the last whole word are left out.
    #[must_use]
    pub fn new(first: u32, bytes: &'a [u8]) -> Self {
        let bytes = &bytes[..bytes.len() / 4 * 4];
        Self { first, bytes }
    }

    /// The words.
    pub fn words(&self) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        let words = self.bytes.as_chunks().0.iter();
        words.map(|word| u32::from_le_bytes(*word))
    }
}

impl<'a> Field<'a> for JobWords<'a> {
    fn read(r: &mut Reader<'a>) -> Result<Self, PayloadError> {
        Ok(Self::new(r.get()?, r.rest()))
    }

    fn write(&self, w: &mut Writer) -> Result<(), PayloadError> {
        self.first.write(w)?;
        w.bytes(self.bytes)
    }
}

signal::code! {
    /// The caches that are cleared before programs are queued.
    JobClear, "clear" {
        /// Nothing: nothing that is read has changed since the launch before.
        None = 0 "none",
        /// The caches of data: those of the TMUs, of uniforms and V3D's second level.
        Data = 1 "data",
        /// The caches of instructions as well.
        #[default]
        All = 2 "all",
    }
}

/// A program that is queued: addresses on V3D's bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct JobProgram {
    /// The address of its first instruction.
    pub code: u32,
    /// The address of its first uniform.
    pub uniforms: u32,
}

payload!(JobProgram { code, uniforms });

/// Launches one after the other, each of programs that may run at the same time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunJob<'a> {
    /// Chosen by the host. A number that is the last one's is answered as that was, and nothing is
    /// run: the answer had been lost.
    pub number: u32,
    /// Time after which the programs are given up, at most [`RunJob::MAX_LIMIT_US`].
    pub limit_us: u32,
    /// The number of launches.
    count: u8,
    /// Launches as they are on the line.
    launches: &'a [u8],
}

impl<'a> RunJob<'a> {
    /// The most launches.
    pub const MAX_LAUNCHES: usize = 16;
    /// The most programs of a launch.
    pub const MAX_PROGRAMS: usize = 12;
    /// Bits of all QPUs.
    pub const ALL_QPUS: u16 = (1 << Self::MAX_PROGRAMS) - 1;
    /// The longest time limit.
    pub const MAX_LIMIT_US: u32 = 1_000_000;

    /// A job of launches that [`RunJob::put_launch`] has put one behind the other.
    ///
    /// # Errors
    /// [`PayloadError::OutOfRange`] as for one that is received.
    pub fn new(number: u32, limit_us: u32, launches: &'a [u8]) -> Result<Self, PayloadError> {
        let mut r = Reader::new(launches);
        let mut count = 0;
        while !r.is_empty() {
            launch(&mut r)?;
            count += 1;
        }
        Self::checked(number, limit_us, count, launches)
    }

    fn checked(
        number: u32,
        limit_us: u32,
        count: usize,
        launches: &'a [u8],
    ) -> Result<Self, PayloadError> {
        let out_of_range = |field| Err(PayloadError::OutOfRange { field });
        if limit_us > Self::MAX_LIMIT_US {
            return out_of_range("time limit");
        }
        if !(1..=Self::MAX_LAUNCHES).contains(&count) {
            return out_of_range("launches");
        }
        Ok(Self {
            number,
            limit_us,
            count: count as u8,
            launches,
        })
    }

    /// Puts a launch to the front of `out`, on those QPUs of which a bit of `qpus` is set; returns
    /// its bytes.
    ///
    /// # Errors
    /// [`PayloadError::TooLong`] when it does not fit, [`PayloadError::OutOfRange`] for no or too
    /// many programs.
    pub fn put_launch(
        clear: JobClear,
        qpus: u16,
        programs: &[JobProgram],
        out: &mut [u8],
    ) -> Result<usize, PayloadError> {
        if !(1..=Self::MAX_PROGRAMS).contains(&programs.len()) {
            return Err(PayloadError::OutOfRange { field: "programs" });
        }
        let mut w = Writer::new(out);
        (clear as u8).write(&mut w)?;
        qpus.write(&mut w)?;
        (programs.len() as u8).write(&mut w)?;
        for program in programs {
            program.write(&mut w)?;
        }
        Ok(w.used())
    }

    /// The launches.
    pub fn launches(&self) -> impl Iterator<Item = JobLaunch<'a>> + use<'a> {
        let mut r = Reader::new(self.launches);
        core::iter::from_fn(move || launch(&mut r).ok())
    }
}

impl<'a> Field<'a> for RunJob<'a> {
    fn read(r: &mut Reader<'a>) -> Result<Self, PayloadError> {
        let (number, limit_us, count): (_, _, u8) = (r.get()?, r.get()?, r.get()?);
        let all = r.rest();
        let mut behind = Reader::new(all);
        for _ in 0..count {
            launch(&mut behind)?;
        }
        let launches = &all[..all.len() - behind.rest().len()];
        Self::checked(number, limit_us, count.into(), launches)
    }

    fn write(&self, w: &mut Writer) -> Result<(), PayloadError> {
        self.number.write(w)?;
        self.limit_us.write(w)?;
        self.count.write(w)?;
        w.bytes(self.launches)
    }
}

/// A launch of a job.
#[derive(Clone, Debug)]
pub struct JobLaunch<'a> {
    /// The caches that are cleared before.
    pub clear: JobClear,
    /// QPUs that its programs may start on, a bit each, the lowest for QPU 0; of those that there
    /// are.
    pub qpus: u16,
    /// Its programs, in the order in which they are queued.
    pub programs: JobPrograms<'a>,
}

/// The programs of a launch.
pub type JobPrograms<'a> = Map<slice::Iter<'a, [u8; 8]>, fn(&'a [u8; 8]) -> JobProgram>;

/// The next launch.
fn launch<'a>(r: &mut Reader<'a>) -> Result<JobLaunch<'a>, PayloadError> {
    let out_of_range = |field| PayloadError::OutOfRange { field };
    let clear = JobClear::from_code(r.get()?).ok_or(out_of_range("clear"))?;
    let qpus: u16 = r.get()?;
    if qpus & RunJob::ALL_QPUS == 0 {
        return Err(out_of_range("QPUs"));
    }
    let count = usize::from(r.get::<u8>()?);
    if !(1..=RunJob::MAX_PROGRAMS).contains(&count) {
        return Err(out_of_range("programs"));
    }
    // Eight bytes are a whole program, so that reading them does not fail.
    let program: fn(&'a [u8; 8]) -> JobProgram = |it| Reader::new(it).get().unwrap_or_default();
    Ok(JobLaunch {
        clear,
        qpus,
        programs: r.take(8 * count)?.as_chunks().0.iter().map(program),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_come_back_in_order() {
        let program = |code| JobProgram { code, uniforms: 1 };
        let mut bytes = [0; 64];
        let all = RunJob::ALL_QPUS;
        let first = RunJob::put_launch(JobClear::All, all, &[program(8), program(16)], &mut bytes);
        let first = first.expect("it fits");
        let second = RunJob::put_launch(JobClear::Data, 0x8f, &[program(24)], &mut bytes[first..]);
        let length = first + second.expect("it fits");
        let job = RunJob::new(3, 10, &bytes[..length]).expect("it is one");
        let launches: Vec<_> = job
            .launches()
            .map(|launch| {
                (
                    launch.clear,
                    launch.qpus,
                    launch.programs.collect::<Vec<_>>(),
                )
            })
            .collect();
        let expected = [
            (JobClear::All, all, vec![program(8), program(16)]),
            (JobClear::Data, 0x8f, vec![program(24)]),
        ];
        assert_eq!(launches, expected);
    }

    #[test]
    fn what_is_no_job_is_refused() {
        let refused = |limit_us, launches: &[u8]| RunJob::new(0, limit_us, launches).err();
        let field = |field| Some(PayloadError::OutOfRange { field });
        assert_eq!(refused(1_000_001, &[]), field("time limit"));
        assert_eq!(refused(1, &[]), field("launches"));
        assert_eq!(refused(1, &[3, 1, 0, 1]), field("clear"));
        assert_eq!(refused(1, &[0, 0, 0xf0, 1]), field("QPUs"));
        assert_eq!(refused(1, &[0, 1, 0, 0]), field("programs"));
        assert_eq!(refused(1, &[0, 1, 0, 13]), field("programs"));
        assert_eq!(refused(1, &[0, 1]), Some(PayloadError::Short));
        assert_eq!(
            refused(1, &[0, 1, 0, 1, 0, 0, 0]),
            Some(PayloadError::Short)
        );
        let many = [[0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]; RunJob::MAX_LAUNCHES + 1].concat();
        assert_eq!(refused(1, &many), field("launches"));
        assert_eq!(refused(1, &many[12..]), None);
    }
}
