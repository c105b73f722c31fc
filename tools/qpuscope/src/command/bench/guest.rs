//! The guest on the virtual Pi: one transform at a time, its instructions and its points.

use std::path::{Path, PathBuf};

use dsp::dft::relative_rms_error;
use dsp::{Complex, Direction, Radix};
use guest_fft::{DONE, MAGIC, POINTS_AT, TASK_OFFSET, TASK_WORDS, Task};
use virtual_pi::{Config, INSTRUCTION_CLOCKS, ResetCause, Stop, VirtualPi};

use crate::failure::{Failure, Result};
use crate::files::input;
use crate::say;

/// Where the boot firmware puts the image.
const IMAGE_AT: u32 = 0x8000;
/// The image's name, as xtask writes it.
const FILE: &str = "guest-fft.img";

/// Names of radices, and their numbers in tasks of the guest.
pub const RADICES: [(&str, Radix, u32); 4] = [
    ("2", Radix::Two, 2),
    ("4", Radix::Four, 4),
    ("8", Radix::Eight, 8),
    ("mixed", Radix::Mixed, 0),
];

/// The code that transforms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// `dsp` in single precision.
    Single(Radix),
    /// `dsp` in double precision.
    Double(Radix),
    /// The crate microfft, in single precision.
    Microfft,
}

impl Engine {
    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Microfft => "microfft",
            Self::Single(radix) | Self::Double(radix) => match radix {
                Radix::Two => "radix 2",
                Radix::Four => "radix 4",
                Radix::Eight => "radix 8",
                Radix::Mixed => "mixed",
            },
        }
    }

    /// The guest's number for the radix.
    fn radix(self) -> u32 {
        let (Self::Single(radix) | Self::Double(radix)) = self else {
            return 0;
        };
        let known = RADICES.into_iter().find(|(_, known, _)| *known == radix);
        known.map_or(0, |(.., number)| number)
    }
}

/// One transform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wanted {
    pub engine: Engine,
    pub log2n: u32,
    pub direction: Direction,
}

impl Wanted {
    fn task(&self) -> Task {
        Task {
            magic: MAGIC,
            engine: match self.engine {
                Engine::Single(_) => 0,
                Engine::Double(_) => 1,
                Engine::Microfft => 2,
            },
            log2n: self.log2n,
            radix: self.engine.radix(),
            inverse: (self.direction == Direction::Inverse).into(),
            ..Task::default()
        }
    }

    /// Virtual time that it may take: ten times what sines, and thirty times what butterflies need.
    fn limit_ns(&self) -> u64 {
        let points = 1u64 << self.log2n;
        let instructions = points * (10_000 + 500 * u64::from(self.log2n)) + 10_000_000;
        // Three nanoseconds each (two clocks of 700 MHz).
        3 * instructions
    }
}

/// The result.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Measurement {
    /// Instructions of the transform, its call included.
    pub instructions: u64,
    /// Relative rms error.
    pub error: f64,
}

/// The guest's image.
pub struct Guest {
    image: Vec<u8>,
}

impl Guest {
    /// The image given, or the one that xtask wrote.
    ///
    /// # Errors
    /// Usage, when there is none or it is another.
    pub fn load(given: Option<&Path>) -> Result<Self> {
        let path = match given {
            Some(path) => path.to_owned(),
            None => find().ok_or_else(|| {
                Failure::usage(format!(
                    "the guest that counts instructions is not built: there is no target/{FILE}; \
                     build it with `cargo xtask guest`, or name it with --guest FILE"
                ))
            })?,
        };
        let image = input::read(&path, "an image", input::IMAGE)?;
        let magic = image.get(TASK_OFFSET..TASK_OFFSET + 4);
        if magic != Some(&MAGIC.to_le_bytes()) || image.len() < TASK_OFFSET + 4 * TASK_WORDS {
            return Err(Failure::usage(format!(
                "{} is not the guest of this version of qpuscope; build it with `cargo xtask guest`",
                say::path(&path)
            )));
        }
        Ok(Self { image })
    }

    /// Runs one transform; `expected` is what it should give.
    ///
    /// # Errors
    /// Integrity, when the guest does not end as it should.
    pub fn measure(&self, wanted: &Wanted, expected: &[Complex<f64>]) -> Result<Measurement> {
        let mut image = self.image.clone();
        for (place, word) in image[TASK_OFFSET..]
            .chunks_exact_mut(4)
            .zip(wanted.task().words())
        {
            place.copy_from_slice(&word.to_le_bytes());
        }
        let config = Config {
            no_reboot: true,
            ..Config::default()
        };
        let wrong = |what: &str| {
            Failure::integrity(format!(
                "the guest {what} ({wanted:?}); build it anew with `cargo xtask guest`, and report this if it stays"
            ))
        };
        let mut pi = VirtualPi::new(config, &image).map_err(|error| wrong(&error.to_string()))?;
        match pi.run_until_ns(wanted.limit_ns()) {
            Stop::Reset(ResetCause::Watchdog) => {}
            Stop::Fault(fault) => return Err(wrong(&format!("stopped: {fault}"))),
            Stop::Deadline => return Err(wrong("did not end in time")),
        }
        let task = task(&pi).ok_or_else(|| wrong("left nothing"))?;
        if task.status != DONE {
            return Err(wrong("refused the task"));
        }
        let points = points(&pi, wanted).ok_or_else(|| wrong("left no points"))?;
        Ok(Measurement {
            instructions: u64::from(task.clocks) / INSTRUCTION_CLOCKS,
            error: relative_rms_error(&points, expected),
        })
    }
}

/// The image in the folder `target` above this program, or in that of the current folder.
fn find() -> Option<PathBuf> {
    let program = std::env::current_exe().ok();
    let above = program
        .iter()
        .flat_map(|program| program.ancestors().skip(1).take(3));
    let mut places = above
        .map(|folder| folder.join(FILE))
        .chain([Path::new("target").join(FILE)]);
    places.find(|path| path.is_file())
}

fn task(pi: &VirtualPi) -> Option<Task> {
    let bytes = pi.read_memory(IMAGE_AT + TASK_OFFSET as u32, 4 * TASK_WORDS)?;
    let mut words = [0; TASK_WORDS];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    Some(Task::from_words(words))
}

/// The transform that the guest left; what microfft scales is scaled back, which is exact.
fn points(pi: &VirtualPi, wanted: &Wanted) -> Option<Vec<Complex<f64>>> {
    let count = 1usize << wanted.log2n;
    let scale = match (wanted.engine, wanted.direction) {
        (Engine::Microfft, Direction::Inverse) => count as f64,
        _ => 1.0,
    };
    let numbers: Vec<f64> = if matches!(wanted.engine, Engine::Double(_)) {
        let bytes = pi.read_memory(POINTS_AT, 16 * count)?;
        let numbers = bytes.as_chunks().0.iter();
        numbers.map(|bytes| f64::from_le_bytes(*bytes)).collect()
    } else {
        let bytes = pi.read_memory(POINTS_AT, 8 * count)?;
        let numbers = bytes.as_chunks().0.iter();
        numbers
            .map(|bytes| f64::from(f32::from_le_bytes(*bytes)))
            .collect()
    };
    let pairs = numbers.as_chunks::<2>().0.iter();
    Some(
        pairs
            .map(|[re, im]| Complex::new(re * scale, im * scale))
            .collect(),
    )
}
