//! Searches for a schedule of one piece of a one-pass FFT program by the clocks that it takes on
//! the simulator, and prints its line of `schedules.txt`.
//!
//! `cargo run --release -p qpu-fft --example search_clocks NAME PHASE BATCHES TRIES [SEED]`: NAME
//! is that of a program, BATCHES are counts of transforms, as `10,1`. Each try changes the tuning
//! of the piece, and is kept if all batches together, in four places in memory each, take no more
//! clocks. With a SEED above 0 a search begins afresh, not with what was found before.
//!
//! Where several QPUs want the same unit, the shortest program is not the fastest.

use qpu::generate::schedule::ScheduleTuning;
use qpu::job::Runner;
use qpu_fft::kernels::catalogue::programs::{Generated, key_of, one_pass_programs, with_tuning};
use qpu_fft::program::Task;
use qpu_fft::request::Request;
use qpu_fft::{Direction, Plan};
use v3d_sim::SimRunner;

/// Bytes before the input, with which lines of caches and rows of the SDRAM are others.
const PLACES: [u32; 4] = [64, 1088, 4096, 12352];
const LIMIT_US: u32 = 1_000_000;

/// The goal of the search: fewer clocks, then fewer instructions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Cost {
    clocks: u64,
    instructions: usize,
}

fn cost(program: &Generated, batches: &[u32]) -> Cost {
    // A plan wants programs that stay; a search leaves a few kilobytes for each try.
    let catalogue = vec![program.clone().leak()];
    let catalogue = catalogue.leak();
    let (Task::OnePass { log2_points } | Task::OnePassBatch { log2_points }) = program.task else {
        unreachable!("{} takes several passes", program.task);
    };
    let log2_points = log2_points.into();
    let cases = batches
        .iter()
        .flat_map(|batch| PLACES.map(|place| (batch, place)));
    let clocks = cases.map(|(&batch, place)| {
        let request = Request::new(log2_points, batch);
        let bytes = request.input_bytes() as u32;
        let mut runner = SimRunner::new(4 * bytes + (1 << 20));
        let mut take = |bytes| runner.alloc(bytes, 64).expect("memory for the plan");
        take(place);
        let buffers = [take(bytes), take(bytes)];
        let mut plan = Plan::new(catalogue, &request, buffers, &mut runner).expect("its program");
        // The second launch, with what the first left in the caches.
        let times = [(); 2].map(|()| plan.run(&mut runner, Direction::Forward, LIMIT_US));
        let last = times.into_iter().next_back().expect("two");
        last.expect("runs").cycles.expect("the simulator counts")
    });
    Cost {
        clocks: clocks.sum(),
        instructions: program.code.len(),
    }
}

/// Numbers below a limit, the same in every search (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) % limit
    }
}

/// One or two moves more, or one less, or another share of program order.
fn changed(tuning: &ScheduleTuning, random: &mut Random) -> ScheduleTuning {
    let mut tuning = tuning.clone();
    match random.below(16) {
        0..4 if !tuning.moves.is_empty() => {
            let at = random.below(tuning.moves.len() as u64);
            tuning.moves.remove(at as usize);
        }
        4 => tuning.order = Some(random.below(101) as u8),
        _ => {
            let more = (0..=random.below(2)).map(|_| random.below(1 << 16) as u16);
            tuning.moves.extend(more.collect::<Vec<_>>());
        }
    }
    tuning
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (name, phase, batches, tries, seed) = match arguments.as_slice() {
        [name, phase, batches, tries] => (name, phase, batches, tries, "0"),
        [name, phase, batches, tries, seed] => (name, phase, batches, tries, seed.as_str()),
        _ => panic!("search_clocks NAME PHASE BATCHES TRIES [SEED]"),
    };
    let number = |text: &str| text.parse::<u64>().expect("a number");
    let (tries, seed) = (number(tries), number(seed));
    let batches: Vec<u32> = batches.split(',').map(|text| number(text) as u32).collect();
    let mut all = one_pass_programs().into_iter();
    let program = all.find(|program| program.name() == *name);
    let program = program.expect("the name of a listing");

    let mut random = Random(2 * seed + 1);
    let key = key_of(&program, phase).expect("a phase of the program");
    let mut best = key.tuning();
    if seed > 0 {
        best = ScheduleTuning {
            order: Some(10 * random.below(6) as u8),
            moves: Vec::new(),
        };
    }
    let cost_of =
        |tuning: &ScheduleTuning| cost(&with_tuning(&program, key.phase, tuning), &batches);
    let mut least = cost_of(&best);
    eprintln!("{name}: {least:?}");
    for _ in 0..tries {
        let tuning = changed(&best, &mut random);
        let now = cost_of(&tuning);
        if now < least {
            eprintln!("{name}: {now:?}");
        }
        if now <= least {
            (best, least) = (tuning, now);
        }
    }
    // What has become useless since it was found.
    for at in (0..best.moves.len()).rev() {
        let mut fewer = best.clone();
        fewer.moves.remove(at);
        let now = cost_of(&fewer);
        if now <= least {
            (best, least) = (fewer, now);
        }
    }
    eprintln!("{} clocks", least.clocks);
    println!("{}", key.line(&best));
}
