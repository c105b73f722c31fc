//! Searches for a schedule of one piece of a cooperative FFT program by the clocks that it takes on
//! the simulator, and prints its entry of `coop/tastes.rs`.
//!
//! `cargo run --release -p qpu --example search_clocks NAME PIECE BATCHES TRIES [SEED]`: NAME is
//! that of a program, BATCHES are counts of transforms, as `10,1`. Each try changes the taste of
//! the piece, and is kept if all batches together, in four places in memory each, take no more
//! clocks. With a SEED above 0 a search begins afresh, not with what was found before.
//!
//! Where several QPUs want the same unit, the shortest program is not the fastest.

use qpu::fft::program::{Program, Start};
use qpu::fft::request::Request;
use qpu::fft::{Direction, Plan};
use qpu::generate::fft::coop::{Cooperative, programs, taste_of, tasted};
use qpu::generate::schedule::Taste;
use qpu::job::Runner;
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

fn cost(program: &Cooperative, batches: &[u32]) -> Cost {
    let uniforms = program.uniforms.iter().copied().map(Start::Kernel);
    // A plan wants programs that stay; a search leaves a few kilobytes for each try.
    let catalogue = vec![Program {
        task: program.pass.layout().task(),
        code: program.code.clone().leak(),
        start: uniforms.collect::<Vec<_>>().leak(),
        record: &[],
        tail: &[],
        rows: &[],
        scalars: &[],
    }];
    let catalogue = catalogue.leak();
    let log2_points = program.log2_points();
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
fn changed(taste: &Taste, random: &mut Random) -> Taste {
    let mut taste = taste.clone();
    match random.below(16) {
        0..4 if !taste.moves.is_empty() => {
            let at = random.below(taste.moves.len() as u64);
            taste.moves.remove(at as usize);
        }
        4 => taste.order = Some(random.below(101) as u8),
        _ => {
            let more = (0..=random.below(2)).map(|_| random.below(1 << 16) as u16);
            taste.moves.extend(more.collect::<Vec<_>>());
        }
    }
    taste
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (name, piece, batches, tries, seed) = match arguments.as_slice() {
        [name, piece, batches, tries] => (name, piece, batches, tries, "0"),
        [name, piece, batches, tries, seed] => (name, piece, batches, tries, seed.as_str()),
        _ => panic!("search_clocks NAME PIECE BATCHES TRIES [SEED]"),
    };
    let number = |text: &str| text.parse::<u64>().expect("a number");
    let (piece, tries, seed) = (number(piece) as usize, number(tries), number(seed));
    let batches: Vec<u32> = batches.split(',').map(|text| number(text) as u32).collect();
    let mut all = programs().into_iter();
    let program = all.find(|program| program.name() == *name);
    let program = program.expect("the name of a listing");

    let mut random = Random(2 * seed + 1);
    let mut best = taste_of(&program, piece);
    if seed > 0 {
        best = Taste {
            order: Some(10 * random.below(6) as u8),
            moves: Vec::new(),
        };
    }
    let cost_of = |taste: &Taste| cost(&tasted(&program, piece, taste), &batches);
    let mut least = cost_of(&best);
    eprintln!("{name}: {least:?}");
    for _ in 0..tries {
        let taste = changed(&best, &mut random);
        let now = cost_of(&taste);
        if now < least {
            eprintln!("{name}: {now:?}");
        }
        if now <= least {
            (best, least) = (taste, now);
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
    let log2_points = program.log2_points();
    let order = best.order.unwrap_or(0);
    println!(
        "    ({log2_points}, {piece}, {order}, &{:?}), // {} clocks",
        best.moves, least.clocks
    );
}
