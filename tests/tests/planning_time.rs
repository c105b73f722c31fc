//! Tests of the virtual time that the ARM takes to make a plan, and that it makes the plan that the
//! host makes.
//!
//! The guest of `cargo xtask guest` plans on the virtual Pi, with the firmware's compiler and
//! flags, in memory without caches to clean. What is counted are instructions at two clocks of 700
//! MHz each, tables included.

use guest_fft::plan::{ENGINE, PlanMemory, WORDS};
use guest_fft::{DONE, MAGIC, POINTS_AT, TASK_OFFSET, TASK_WORDS, Task};
use qpu_fft::split::{MAX_LOG2_POINTS, MIN_LOG2_POINTS};
use tests::{given, need};
use virtual_pi::{Config, Stop, VirtualPi};

/// The limit for the time that any plan takes.
const LIMIT_MS: f64 = 2_000.0;
const CLOCKS_PER_MS: f64 = 700_000.0;
/// The address where the boot firmware puts the image.
const IMAGE_AT: u32 = 0x8000;
const NO_GUEST: &str =
    "QPUSCOPE_GUEST_FFT names no image; `cargo xtask guest` builds target/guest-fft.img";

fn words(bytes: Vec<u8>) -> Vec<u32> {
    let words = bytes.as_chunks().0.iter();
    words.map(|bytes| u32::from_le_bytes(*bytes)).collect()
}

/// The task after the guest did it, and what it wrote.
fn plan(image: &[u8], task: Task) -> (Task, Vec<u32>) {
    let mut image = image.to_vec();
    let place = image[TASK_OFFSET..].chunks_exact_mut(4);
    for (place, word) in place.zip(task.words()) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    let config = Config {
        no_reboot: true,
        ..Config::default()
    };
    let mut pi = VirtualPi::new(config, &image).expect("a board");
    let stop = pi.run_until_ns(3_000_000 * LIMIT_MS as u64);
    assert!(matches!(stop, Stop::Reset), "{task:?}: {stop:?}");
    assert_eq!(pi.messages(), [""; 0], "{task:?}");
    let read = |at, bytes| words(pi.read_memory(at, bytes).expect("memory of the board"));
    let task = read(IMAGE_AT + TASK_OFFSET as u32, 4 * TASK_WORDS);
    let task = Task::from_words(task.try_into().expect("as many words"));
    (task, read(POINTS_AT, 4 * WORDS))
}

/// Memory of a plan on the heap; a test's stack is small.
fn memory() -> Box<PlanMemory> {
    std::thread::Builder::new()
        .stack_size(64 << 20)
        .spawn(|| {
            Box::new(PlanMemory {
                words: [0; WORDS],
                used: 0,
                made: 0,
            })
        })
        .expect("a thread")
        .join()
        .expect("memory")
}

fn check(lengths: impl Iterator<Item = u32>) {
    let image = need!(given("QPUSCOPE_GUEST_FFT"), "{NO_GUEST}");
    let image = std::fs::read(image).expect("the image that is named");
    for log2n in lengths {
        let task = Task {
            magic: MAGIC,
            engine: ENGINE,
            log2n,
            // The batch.
            radix: 1,
            ..Task::default()
        };
        let (done, written) = plan(&image, task);
        assert_eq!(done.status, DONE, "2^{log2n}");
        let mut expected = memory();
        let plan = expected.make(&task).expect("a plan");
        let memory = plan.arrangement().memory;
        let differs = (0..WORDS).find(|&n| written[n] != expected.words[n]);
        assert_eq!(differs, None, "2^{log2n}: a word differs from the host's");
        let ms = f64::from(done.clocks) / CLOCKS_PER_MS;
        eprintln!(
            "2^{log2n} as {}: {ms:.1} ms of virtual time for {} KiB of programs and lists, {} KiB of tables",
            plan.arrangement().split,
            memory.programs >> 10,
            memory.tables >> 10
        );
        assert!(ms < LIMIT_MS, "2^{log2n}: {ms} ms");
    }
}

#[test]
fn the_longest_plan_takes_less_than_two_seconds() {
    check([MAX_LOG2_POINTS].into_iter());
}

#[test]
fn plans_of_the_instruments_lengths_take_less_than_two_seconds() {
    check(MIN_LOG2_POINTS..=16);
}
