//! The bare-metal guest on the virtual Pi: one task of the ARM at a time, and its clocks.
//!
//! The image (package `guest-fft`) is the firmware's compiler's work with the firmware's flags. The
//! task is written into it, the board runs until the guest resets it, and what the guest left is
//! read from the board's memory. Clocks and instructions are those between two readings of the
//! ARM's counters: the virtual Pi gives each instruction two clocks of 700 MHz and adds the waits
//! for memory. It does not model the latency of the VFP, so times are modelled, not measured.

pub mod transform;

use std::path::{Path, PathBuf};

use guest_fft::{DONE, MAGIC, TASK_OFFSET, TASK_WORDS, Task};
use virtual_pi::{ARM_HZ, Config, Stop, VirtualPi};

use common::failure::{Failure, Result};
use common::files::input;
use common::say;

/// Where the boot firmware puts the image.
const IMAGE_AT: u32 = 0x8000;
/// The image's name, as xtask writes it.
const FILE: &str = "guest-fft.img";

/// The guest's image.
pub struct Guest {
    image: Vec<u8>,
}

/// A board on which a task was done.
pub struct Done {
    pi: VirtualPi,
    clocks: u32,
    instructions: u32,
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

    /// Does one task, in at most `limit_ns` of virtual time.
    ///
    /// # Errors
    /// Integrity, when the guest does not end as it should.
    pub fn run(&self, task: &Task, limit_ns: u64) -> Result<Done> {
        let mut image = self.image.clone();
        for (place, word) in image[TASK_OFFSET..].chunks_exact_mut(4).zip(task.words()) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        let config = Config {
            no_reboot: true,
            ..Config::default()
        };
        let mut pi =
            VirtualPi::new(config, &image).map_err(|error| wrong(task, &error.to_string()))?;
        match pi.run_until_ns(limit_ns) {
            Stop::Reset => {}
            Stop::Fault(fault) => return Err(wrong(task, &format!("stopped: {fault}"))),
            Stop::Deadline | Stop::Starved => return Err(wrong(task, "did not end in time")),
        }
        if let Some(message) = pi.messages().first() {
            return Err(wrong(task, &format!("broke a rule: {message}")));
        }
        let after = left(&pi).ok_or_else(|| wrong(task, "left nothing"))?;
        if after.status != DONE {
            return Err(wrong(task, "refused the task"));
        }
        Ok(Done {
            pi,
            clocks: after.clocks,
            instructions: after.instructions,
        })
    }
}

impl Done {
    /// Instructions of the task, its call included.
    #[must_use]
    pub fn instructions(&self) -> u64 {
        self.instructions.into()
    }

    /// Microseconds by the board's clock: two clocks of 700 MHz an instruction, and the waits for
    /// memory. After 6.1 s the counter begins again.
    #[must_use]
    pub fn us(&self) -> f64 {
        f64::from(self.clocks) * 1e6 / ARM_HZ as f64
    }

    /// Bytes of the board's memory; `None` where it has none.
    #[must_use]
    pub fn bytes(&self, at: u32, count: usize) -> Option<Vec<u8>> {
        self.pi.read_memory(at, count)
    }
}

/// A guest that did not do its task.
fn wrong(task: &Task, what: &str) -> Failure {
    Failure::integrity(format!(
        "the guest {what} ({task:?}); build it anew with `cargo xtask guest`, and report this if it stays"
    ))
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

fn left(pi: &VirtualPi) -> Option<Task> {
    let bytes = pi.read_memory(IMAGE_AT + TASK_OFFSET as u32, 4 * TASK_WORDS)?;
    let mut words = [0; TASK_WORDS];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    Some(Task::from_words(words))
}
