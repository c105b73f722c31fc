//! The interface of the guest and the tool that runs it, and the work itself.
//!
//! The tool writes a [`Task`] into the image, lets a virtual Pi run it, and reads the task and the
//! points back from the board's memory. The guest makes its input, does one transform between two
//! readings of the counters of clocks and instructions, and resets the board. So what is counted is
//! the code of `dsp`, or of `microfft`, as the firmware's compiler made it, and of the guest only a
//! call. In the same way it counts what making a plan for the QPUs takes, and what digests
//! take.
//!
//! The guest has no unsafe code: its assembly (`start.s`) calls [`Work::prepare`] and
//! [`Work::transform`] with references to memory that it reserves for nothing else.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

pub mod digests;
pub mod plan;

use dsp::{Complex, Direction, Float, Plan, Radix};
use microfft::Complex32;

/// Offset of the task in the flat image, which is loaded at 0x8000.
pub const TASK_OFFSET: usize = 8;
/// Address of the first point.
pub const POINTS_AT: u32 = 0x0100_0000;
/// Most points, for which there is space at [`POINTS_AT`] in either precision.
pub const MAX_POINTS: usize = 1 << dsp::MAX_LOG2;
/// "FFT6" at [`TASK_OFFSET`] in every image of this layout.
pub const MAGIC: u32 = u32::from_le_bytes(*b"FFT6");
/// Points of the longest transform of `microfft`; the shortest has two.
pub const MICROFFT_MAX_LOG2: u32 = 15;

/// Value of [`Task::status`] when the transform has been done.
pub const DONE: u32 = 1;
/// Value of [`Task::status`] when the guest cannot do what is asked.
pub const REFUSED: u32 = 2;

/// The task and its result. Words, in this order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct Task {
    /// [`MAGIC`].
    pub magic: u32,
    /// The engine that transforms: 0 `dsp` in single precision, 1 in double precision, 2
    /// `microfft`. 3 makes a plan for the QPUs ([`plan`]), 4 computes digests ([`digests`]).
    pub engine: u32,
    /// log2 of the number of points; of digests the bytes of a message.
    pub log2n: u32,
    /// 2, 4, 8, or 0 for mixed; of a plan its batch; of digests the number of messages; nothing to
    /// `microfft`.
    pub radix: u32,
    /// 0 forward, 1 inverse.
    pub inverse: u32,
    /// 0 before, then [`DONE`] or [`REFUSED`].
    pub status: u32,
    /// ARM clocks of the transform, or of making the plan.
    pub clocks: u32,
    /// Instructions of the same.
    pub instructions: u32,
}

/// Words of a task.
pub const TASK_WORDS: usize = 8;

impl Task {
    /// The words of the task as they lie in memory.
    #[must_use]
    pub const fn words(&self) -> [u32; TASK_WORDS] {
        [
            self.magic,
            self.engine,
            self.log2n,
            self.radix,
            self.inverse,
            self.status,
            self.clocks,
            self.instructions,
        ]
    }

    /// The task of these words.
    #[must_use]
    pub const fn from_words(words: [u32; TASK_WORDS]) -> Self {
        let [
            magic,
            engine,
            log2n,
            radix,
            inverse,
            status,
            clocks,
            instructions,
        ] = words;
        Self {
            magic,
            engine,
            log2n,
            radix,
            inverse,
            status,
            clocks,
            instructions,
        }
    }

    fn direction(&self) -> Direction {
        if self.inverse == 0 {
            Direction::Forward
        } else {
            Direction::Inverse
        }
    }

    fn plan(&self) -> Option<Plan> {
        let radix = match self.radix {
            0 => Radix::Mixed,
            2 => Radix::Two,
            4 => Radix::Four,
            8 => Radix::Eight,
            _ => return None,
        };
        Plan::new(self.log2n, radix).ok()
    }
}

/// Noise, uniform in -1 to 1 and exact in single precision: the same sequence for guest and host.
///
/// Source of the constants: W. H. Press et al., "Numerical Recipes in C", second edition, section
/// 7.1.
#[derive(Clone, Debug)]
pub struct Noise(u32);

impl Default for Noise {
    fn default() -> Self {
        Self(0x1234_5678)
    }
}

impl Noise {
    /// The next value.
    pub fn sample(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / (1 << 23) as f32 - 1.0
    }
}

/// One kind of transform, with memory of its own layout whose first bytes are the points.
pub trait Work {
    /// Makes input and tables; `false` when the task cannot be done.
    fn prepare(&mut self, task: &Task) -> bool;
    /// The transform, in place.
    fn transform(&mut self, task: &Task);
}

/// Points and twiddles of `dsp`.
#[repr(C)]
pub struct Memory<T> {
    points: [Complex<T>; MAX_POINTS],
    twiddles: [Complex<T>; MAX_POINTS],
}

impl<T: Float> Work for Memory<T> {
    fn prepare(&mut self, task: &Task) -> bool {
        let Some(plan) = task.plan() else {
            return false;
        };
        let mut noise = Noise::default();
        let mut next = || T::from_f64(f64::from(noise.sample()));
        for point in &mut self.points[..plan.len()] {
            *point = Complex::new(next(), next());
        }
        let table = &mut self.twiddles[..plan.twiddle_count()];
        plan.fill_twiddles(table).is_ok()
    }

    fn transform(&mut self, task: &Task) {
        let Some(plan) = task.plan() else {
            return;
        };
        let twiddles = &self.twiddles[..plan.twiddle_count()];
        let points = &mut self.points[..plan.len()];
        // Both have the plan's lengths.
        let _ = plan.transform(task.direction(), twiddles, points);
    }
}

/// Points of `microfft`.
#[repr(C)]
pub struct MicrofftMemory {
    points: [Complex32; 1 << MICROFFT_MAX_LOG2],
}

impl Work for MicrofftMemory {
    fn prepare(&mut self, task: &Task) -> bool {
        if !(1..=MICROFFT_MAX_LOG2).contains(&task.log2n) {
            return false;
        }
        let mut noise = Noise::default();
        for point in &mut self.points[..1 << task.log2n] {
            *point = Complex32::new(noise.sample(), noise.sample());
        }
        true
    }

    fn transform(&mut self, task: &Task) {
        let forward = task.direction() == Direction::Forward;
        macro_rules! lengths {
            ($($log2n:literal $cfft:ident $ifft:ident),*) => {
                match task.log2n {
                    $($log2n => {
                        if let Some(points) = self.points.first_chunk_mut() {
                            if forward {
                                let _ = microfft::complex::$cfft(points);
                            } else {
                                let _ = microfft::inverse::$ifft(points);
                            }
                        }
                    })*
                    _ => {}
                }
            };
        }
        lengths!(
            1 cfft_2 ifft_2, 2 cfft_4 ifft_4, 3 cfft_8 ifft_8, 4 cfft_16 ifft_16,
            5 cfft_32 ifft_32, 6 cfft_64 ifft_64, 7 cfft_128 ifft_128, 8 cfft_256 ifft_256,
            9 cfft_512 ifft_512, 10 cfft_1024 ifft_1024, 11 cfft_2048 ifft_2048,
            12 cfft_4096 ifft_4096, 13 cfft_8192 ifft_8192, 14 cfft_16384 ifft_16384,
            15 cfft_32768 ifft_32768
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_the_same_after_it_was_words() {
        let task = Task::from_words([MAGIC, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(Task::from_words(task.words()), task);
        assert_eq!((task.engine, task.instructions), (1, 7));
    }

    #[test]
    fn tasks_that_cannot_be_done_are_refused() {
        let bad = |log2n, radix| Task {
            log2n,
            radix,
            ..Task::default()
        };
        assert!(bad(4, 3).plan().is_none());
        assert!(bad(23, 2).plan().is_none());
        assert!(bad(22, 0).plan().is_some());
        let mut memory = Box::new(MicrofftMemory {
            points: [Complex32::new(0.0, 0.0); 1 << MICROFFT_MAX_LOG2],
        });
        assert!(!memory.prepare(&bad(0, 0)) && !memory.prepare(&bad(16, 0)));
    }

    #[test]
    fn noise_fills_its_range_and_begins_alike() {
        let mut noise = Noise::default();
        let values: Vec<f32> = (0..10_000).map(|_| noise.sample()).collect();
        assert!(values.iter().all(|value| (-1.0..1.0).contains(value)));
        assert!(values.iter().any(|value| *value < -0.99));
        assert!(values.iter().any(|value| *value > 0.99));
        assert_eq!(values[0], Noise::default().sample());
    }
}
