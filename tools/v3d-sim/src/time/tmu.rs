//! A TMU: a queue of lookups, its cache, and several misses on their way.
//!
//! Lookups of the QPUs that it serves are taken in the order in which they came. Lanes are looked
//! up in their order, a run of lanes in the same line at a time; a line that is missed is asked of
//! the L2C while the lookup goes on, until `tmu_misses` are on their way. Results come in order.
//!
//! Source: guide, "Texture and memory lookup unit"; the cache is direct mapped (vc4asm,
//! Terminus-IMRC); that several misses are outstanding is a result of docs/hardware/timing.md
//! section
//! 5.

use super::constants::{Constants, Replacement};
use super::events::{Client, Event, Events};
use super::issue::Issue;
use super::l2c::L2c;
use super::tags::Tags;
use super::ticks::{NEVER, Ticks, ticks};
use crate::alu::{LANES, Lanes};
use crate::event::Wait;
use std::collections::VecDeque;

/// The QPU of a lookup whose result nobody takes.
const NOBODY: u8 = 4;

/// More misses than this are none of a TMU (and six times as many must have a number in the L2C).
const MOST_MISSES: u32 = 32;

/// A lookup from its request to its result.
struct Lookup {
    /// QPU of the slice.
    qpu: u8,
    /// The lines of runs of lanes.
    lines: [u32; LANES],
    runs: u8,
    /// Runs that have been looked up.
    done: u8,
    /// Misses that it waits for.
    missing: u8,
    /// The time at which its lanes were looked up, and that at which its last line came.
    looked_up: Ticks,
    data: Ticks,
}

/// A line on its way.
#[derive(Clone, Default)]
struct Miss {
    line: u32,
    /// The numbers of lookups that wait for it.
    lookups: Vec<u64>,
}

/// One of the six.
pub struct Tmu {
    number: u8,
    /// Lookups without a result; the first `looked_up` of them have been looked up.
    lookups: VecDeque<Lookup>,
    looked_up: usize,
    /// The number of the oldest of `lookups`.
    oldest: u64,
    tags: Tags,
    misses: Vec<Miss>,
    /// A bit for each of `misses` that is on its way.
    missing: u32,
    /// For each place of the cache the miss that fills it, while it does.
    pending: Vec<Option<u8>>,
    /// A lookup is due, or waits for a miss to end.
    busy: bool,
    stalled: bool,
    free_at: Ticks,
    last_result: Ticks,
    /// The times at which the results of each QPU of the slice are there.
    results: [VecDeque<Ticks>; 4],
    pipe: Ticks,
    /// Clocks that a lookup takes at least.
    least: Ticks,
    run: Ticks,
    miss: Ticks,
    /// Lines missed.
    pub missed: u64,
}

impl Tmu {
    /// Empty.
    pub fn new(constants: &Constants, number: u8) -> Self {
        let tags = Tags::new(constants.tmu_l1_bytes, 1, Replacement::LeastRecent);
        let misses = constants.tmu_misses.clamp(1, MOST_MISSES) as usize;
        Self {
            number,
            lookups: VecDeque::new(),
            looked_up: 0,
            oldest: 0,
            pending: vec![None; tags.places()],
            tags,
            misses: vec![Miss::default(); misses],
            missing: 0,
            busy: false,
            stalled: false,
            free_at: 0,
            last_result: 0,
            results: Default::default(),
            pipe: ticks(constants.tmu_pipe),
            least: ticks(constants.tmu_lookup),
            run: ticks(constants.tmu_run),
            miss: ticks(constants.tmu_miss),
            missed: 0,
        }
    }

    /// SLCACTL.T0CC or T1CC: forgets every line.
    pub fn clear(&mut self) {
        self.tags.clear();
    }

    /// A QPU starts or ends a program: results that it has not taken are dropped.
    pub fn drop_results(&mut self, qpu: usize) {
        self.results[qpu].clear();
        for lookup in &mut self.lookups {
            if usize::from(lookup.qpu) == qpu {
                lookup.qpu = NOBODY;
            }
        }
    }

    /// A QPU asks for sixteen words.
    pub fn request(&mut self, now: Ticks, qpu: usize, addresses: &Lanes, events: &mut Events) {
        let mut lookup = Lookup {
            qpu: qpu as u8,
            lines: [0; LANES],
            runs: 0,
            done: 0,
            missing: 0,
            looked_up: 0,
            data: 0,
        };
        let mut last = None;
        for address in addresses {
            let line = address >> 6;
            if last != Some(line) {
                lookup.lines[usize::from(lookup.runs)] = line;
                lookup.runs += 1;
                last = Some(line);
            }
        }
        self.lookups.push_back(lookup);
        if !self.busy {
            self.busy = true;
            events.push(now.max(self.free_at), Event::TmuLookup(self.number));
        }
    }

    /// The time at which the oldest result of a QPU is there; NEVER while it is not known.
    pub fn ready_at(&self, qpu: usize) -> Ticks {
        self.results[qpu].front().copied().unwrap_or(NEVER)
    }

    /// A QPU takes its oldest result.
    pub fn pop(&mut self, qpu: usize) {
        self.results[qpu].pop_front();
    }

    /// [`Event::TmuLookup`]: looks up runs of lanes, up to `until` or what is due before.
    pub fn look_up(
        &mut self,
        mut now: Ticks,
        until: Ticks,
        l2c: &mut L2c,
        events: &mut Events,
        issue: &mut Issue,
    ) {
        while self.looked_up < self.lookups.len() {
            let number = self.oldest + self.looked_up as u64;
            let lookup = &mut self.lookups[self.looked_up];
            if lookup.done == 0 {
                lookup.looked_up = now + self.least;
            }
            let line = lookup.lines[usize::from(lookup.done)];
            let mut next = now + self.run;
            match self.tags.peek(line) {
                Some(place) => {
                    if let Some(miss) = self.pending[place] {
                        let miss = &mut self.misses[usize::from(miss)];
                        if miss.lookups.last() != Some(&number) {
                            miss.lookups.push(number);
                            lookup.missing += 1;
                        }
                    }
                }
                None => {
                    let free = self.missing.trailing_ones() as usize;
                    let Some(miss) = self.misses.get_mut(free) else {
                        self.stalled = true;
                        return;
                    };
                    self.missing |= 1 << free;
                    miss.line = line;
                    miss.lookups.push(number);
                    lookup.missing += 1;
                    self.missed += 1;
                    let place = self.tags.insert(line).place;
                    self.pending[place] = Some(free as u8);
                    let client = Client::Tmu {
                        tmu: self.number,
                        miss: free as u8,
                    };
                    l2c.read(now, line, client, events);
                    next = now + self.run.max(self.miss);
                }
            }
            lookup.done += 1;
            if lookup.done == lookup.runs {
                lookup.looked_up = lookup.looked_up.max(next);
                next = lookup.looked_up;
                self.looked_up += 1;
                self.give_results(issue);
            }
            if self.looked_up == self.lookups.len() {
                self.free_at = next;
                self.busy = false;
            } else if next > until || next >= events.next_at {
                events.push(next, Event::TmuLookup(self.number));
                return;
            } else {
                now = next;
            }
        }
    }

    /// A line has come.
    pub fn line_came(&mut self, now: Ticks, number: u8, events: &mut Events, issue: &mut Issue) {
        let miss = &mut self.misses[usize::from(number)];
        self.missing &= !(1 << number);
        if let Some(place) = self.tags.peek(miss.line)
            && self.pending[place] == Some(number)
        {
            self.pending[place] = None;
        }
        for waiting in miss.lookups.drain(..) {
            let lookup = &mut self.lookups[(waiting - self.oldest) as usize];
            lookup.missing -= 1;
            lookup.data = now;
        }
        if self.stalled {
            self.stalled = false;
            events.push(now, Event::TmuLookup(self.number));
        }
        self.give_results(issue);
    }

    /// Results of lookups that wait for nothing any more, in order.
    fn give_results(&mut self, issue: &mut Issue) {
        while self.looked_up > 0 && self.lookups[0].missing == 0 {
            let Some(lookup) = self.lookups.pop_front() else {
                return;
            };
            self.looked_up -= 1;
            self.oldest += 1;
            let data = lookup.looked_up.max(lookup.data + self.least);
            let at = (data + self.pipe).max(self.last_result + self.least);
            self.last_result = at;
            if lookup.qpu == NOBODY {
                continue;
            }
            let results = &mut self.results[usize::from(lookup.qpu)];
            results.push_back(at);
            if results.len() == 1 {
                let number = usize::from(self.number / 2) * 4 + usize::from(lookup.qpu);
                issue.wake(number, Wait::TmuResult(self.number & 1), at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::system_l2::SystemL2;
    use crate::time::ticks::{CLOCK, ROUND};

    struct Bench {
        tmu: Tmu,
        l2c: L2c,
        events: Events,
        issue: Issue,
    }

    impl Bench {
        fn new(misses: u32) -> Self {
            let constants = Constants {
                tmu_misses: misses,
                ..Constants::recommended()
            };
            let system = SystemL2::new(&constants, false, 1.0);
            Self {
                tmu: Tmu::new(&constants, 0),
                l2c: L2c::new(&constants, system),
                events: Events::default(),
                issue: Issue::default(),
            }
        }

        /// Lets everything happen.
        fn run(&mut self) {
            let (l2c, events, issue) = (&mut self.l2c, &mut self.events, &mut self.issue);
            while let Some((now, event)) = events.pop(NEVER - 1) {
                match event {
                    Event::TmuLookup(_) => self.tmu.look_up(now, NEVER - 1, l2c, events, issue),
                    Event::ReadBus => l2c.bus_takes(now, events),
                    Event::L2cLine(miss) => l2c.line_came(now, miss, events),
                    Event::Line(Client::Tmu { miss, .. }) => {
                        self.tmu.line_came(now, miss, events, issue);
                    }
                    _ => unreachable!("nobody else is here"),
                }
            }
        }
    }

    fn lines(step: u32) -> Lanes {
        std::array::from_fn(|lane| 0xc000_0000 + lane as u32 * step)
    }

    #[test]
    fn a_hit_takes_nine_slots_and_results_come_in_order_of_requests() {
        let mut bench = Bench::new(8);
        bench.tmu.request(0, 1, &lines(4), &mut bench.events);
        bench.run();
        let miss = bench.tmu.ready_at(1);
        let now = 1000 * CLOCK;
        // QPU 2 misses, QPU 3 behind it hits, and waits for its turn.
        bench.tmu.request(now, 2, &lines(64), &mut bench.events);
        bench.tmu.request(now, 3, &lines(4), &mut bench.events);
        bench.run();
        assert!(bench.tmu.ready_at(3) > bench.tmu.ready_at(2));
        let later = 2000 * CLOCK;
        bench.tmu.request(later, 0, &lines(4), &mut bench.events);
        bench.run();
        assert_eq!(bench.tmu.ready_at(0), later + 9 * ROUND);
        assert!(miss > 9 * ROUND);
        assert_eq!(bench.tmu.missed, 16);
    }

    #[test]
    fn several_misses_on_their_way_hide_each_other() {
        let time = |misses| {
            let mut bench = Bench::new(misses);
            bench.tmu.request(0, 0, &lines(64), &mut bench.events);
            bench.run();
            assert_eq!(bench.tmu.missed, 16);
            bench.tmu.ready_at(0)
        };
        assert!(time(1) > 3 * time(8), "{} {}", time(1), time(8));
    }

    #[test]
    fn lines_that_share_a_place_evict_each_other() {
        let mut bench = Bench::new(8);
        let two = std::array::from_fn(|lane| 0xc000_0000 + (lane as u32 & 1) * 4096);
        bench.tmu.request(0, 0, &two, &mut bench.events);
        bench.run();
        assert_eq!(bench.tmu.missed, 16);
    }

    #[test]
    fn nobody_takes_the_results_of_a_program_that_has_ended() {
        let mut bench = Bench::new(8);
        bench.tmu.request(0, 0, &lines(64), &mut bench.events);
        bench.tmu.drop_results(0);
        bench.tmu.request(0, 0, &lines(4), &mut bench.events);
        bench.run();
        assert_ne!(bench.tmu.ready_at(0), NEVER);
        bench.tmu.pop(0);
        assert_eq!(bench.tmu.ready_at(0), NEVER);
    }
}
