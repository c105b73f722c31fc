//! L2C, V3D's own cache of code, uniforms and lookups, and the read bus behind it.
//!
//! Requests are served in their order, one each `l2c_interval`. A miss goes over the bus, which
//! takes a line each `read_bus` and has at most `l2c_misses` of them outstanding; who asks for a
//! line that is on its way waits for the same one. VDR uses the bus without the cache.

use super::constants::{Constants, Replacement};
use super::events::{Client, Event, Events};
use super::system_l2::{L2Work, SystemL2};
use super::tags::Tags;
use super::ticks::{Ticks, ticks};
use std::collections::VecDeque;

/// A line that was missed, until it is there.
#[derive(Default)]
struct Miss {
    line: u32,
    clients: Vec<Client>,
}

/// The purpose of a line on the bus.
#[derive(Clone, Copy)]
enum For {
    /// One of the misses of the L2C.
    Miss(u8),
    /// The load engine.
    Vdr,
}

struct Read {
    line: u32,
    /// Time at which it comes to the bus.
    at: Ticks,
    wanted: For,
}

/// The cache and the bus.
pub struct L2c {
    tags: Tags,
    /// For each place the miss that fills it, while it does.
    pending: Vec<Option<u8>>,
    misses: Vec<Miss>,
    idle_misses: Vec<u8>,
    free_at: Ticks,
    hit: Ticks,
    interval: Ticks,
    /// Misses on the bus, and how many may be.
    outstanding: u32,
    most_outstanding: u32,
    queue: VecDeque<Read>,
    bus_free: Ticks,
    bus_interval: Ticks,
    /// The bus will look at its queue.
    bus_due: bool,
    /// The bus waits for a miss to come back.
    bus_full: bool,
    /// The counts.
    pub work: L2Work,
    /// Memory behind the bus.
    pub system: SystemL2,
}

impl L2c {
    /// Empty.
    pub fn new(constants: &Constants, system: SystemL2) -> Self {
        let tags = Tags::new(
            constants.l2c_bytes,
            constants.l2c_ways,
            Replacement::LeastRecent,
        );
        Self {
            pending: vec![None; tags.places()],
            tags,
            misses: Vec::new(),
            idle_misses: Vec::new(),
            free_at: 0,
            hit: ticks(constants.l2c_hit),
            interval: ticks(constants.l2c_interval),
            outstanding: 0,
            most_outstanding: constants.l2c_misses.max(1),
            queue: VecDeque::new(),
            bus_free: 0,
            bus_interval: ticks(constants.read_bus),
            bus_due: false,
            bus_full: false,
            work: L2Work::default(),
            system,
        }
    }

    /// L2CACTL.L2CCLR: forgets every line. Those on their way still come to who asked for them.
    pub fn clear(&mut self) {
        self.tags.clear();
    }

    /// `client` asks for a line, whose number carries the alias.
    pub fn read(&mut self, now: Ticks, line: u32, client: Client, events: &mut Events) {
        let served = now.max(self.free_at);
        self.free_at = served + self.interval;
        if let Some(place) = self.tags.find(line) {
            self.work.hits += 1;
            match self.pending[place] {
                Some(miss) if self.misses[usize::from(miss)].line == line => {
                    self.misses[usize::from(miss)].clients.push(client);
                }
                _ => events.push(served + self.hit, Event::Line(client)),
            }
            return;
        }
        self.work.misses += 1;
        let place = self.tags.insert(line).place;
        let miss = self.take_miss(line, client);
        self.pending[place] = Some(miss);
        self.request(
            Read {
                line,
                at: served,
                wanted: For::Miss(miss),
            },
            events,
        );
    }

    /// VDR asks for a line.
    pub fn read_for_vdr(&mut self, now: Ticks, line: u32, events: &mut Events) {
        self.request(
            Read {
                line,
                at: now,
                wanted: For::Vdr,
            },
            events,
        );
    }

    fn take_miss(&mut self, line: u32, client: Client) -> u8 {
        let number = self.idle_misses.pop().unwrap_or_else(|| {
            self.misses.push(Miss::default());
            (self.misses.len() - 1) as u8
        });
        let miss = &mut self.misses[usize::from(number)];
        miss.line = line;
        miss.clients.push(client);
        number
    }

    fn request(&mut self, read: Read, events: &mut Events) {
        self.queue.push_back(read);
        self.schedule_bus(events);
    }

    fn schedule_bus(&mut self, events: &mut Events) {
        if self.bus_due {
            return;
        }
        if let Some(next) = self.queue.front() {
            self.bus_full =
                matches!(next.wanted, For::Miss(_)) && self.outstanding >= self.most_outstanding;
            if !self.bus_full {
                self.bus_due = true;
                events.push(next.at.max(self.bus_free), Event::ReadBus);
            }
        }
    }

    /// [`Event::ReadBus`]: the bus takes the next line.
    pub fn bus_takes(&mut self, now: Ticks, events: &mut Events) {
        self.bus_due = false;
        let Some(read) = self.queue.pop_front() else {
            return;
        };
        self.bus_free = now + self.bus_interval;
        let done = self.system.read(now, read.line);
        match read.wanted {
            For::Miss(miss) => {
                self.outstanding += 1;
                events.push(done, Event::L2cLine(miss));
            }
            For::Vdr => events.push(done, Event::Line(Client::Vdr)),
        }
        self.schedule_bus(events);
    }

    /// [`Event::L2cLine`]: a line has come, and goes on to who asked for it.
    pub fn line_came(&mut self, now: Ticks, number: u8, events: &mut Events) {
        let miss = &mut self.misses[usize::from(number)];
        for client in miss.clients.drain(..) {
            events.push(now + self.hit, Event::Line(client));
        }
        if let Some(place) = self.tags.peek(miss.line)
            && self.pending[place] == Some(number)
        {
            self.pending[place] = None;
        }
        self.idle_misses.push(number);
        self.outstanding -= 1;
        if self.bus_full {
            self.bus_free = self.bus_free.max(now);
            self.schedule_bus(events);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::ticks::CLOCK;

    const LINE: u32 = 0xc000_0000 >> 6;

    fn client(miss: u8) -> Client {
        Client::Tmu { tmu: 0, miss }
    }

    fn l2c(misses: u32) -> (L2c, Events) {
        let constants = Constants {
            l2c_misses: misses,
            l2c_hit: 12.0,
            l2c_interval: 4.0,
            read_bus: 6.0,
            system_l2_hit: 22.0,
            sdram_latency: 1.0,
            sdram_line: 9.0,
            sdram_row: 12.0,
            ..Constants::recommended()
        };
        let system = SystemL2::new(&constants, true, 1.0);
        (L2c::new(&constants, system), Events::default())
    }

    /// Lets everything happen; when each client got its line, in clocks.
    fn run(l2c: &mut L2c, events: &mut Events) -> Vec<(u64, Client)> {
        let mut came = Vec::new();
        while let Some((now, event)) = events.pop(u64::MAX - 1) {
            match event {
                Event::ReadBus => l2c.bus_takes(now, events),
                Event::L2cLine(miss) => l2c.line_came(now, miss, events),
                Event::Line(client) => came.push((now / CLOCK, client)),
                _ => unreachable!("nobody else is here"),
            }
        }
        came
    }

    #[test]
    fn a_miss_opens_a_row_and_a_hit_is_there_at_once() {
        let (mut l2c, mut events) = l2c(16);
        l2c.read(0, LINE, client(0), &mut events);
        assert_eq!(run(&mut l2c, &mut events), [(12 + 9 + 23 + 12, client(0))]);
        l2c.read(100 * CLOCK, LINE, client(1), &mut events);
        assert_eq!(run(&mut l2c, &mut events), [(112, client(1))]);
        assert_eq!((l2c.work.hits, l2c.work.misses), (1, 1));
    }

    #[test]
    fn who_wants_a_line_that_is_on_its_way_gets_the_same_one() {
        let (mut l2c, mut events) = l2c(16);
        l2c.read(0, LINE, client(0), &mut events);
        l2c.read(0, LINE, client(1), &mut events);
        assert_eq!(
            run(&mut l2c, &mut events),
            [(56, client(0)), (56, client(1))]
        );
        assert_eq!(l2c.system.sdram.work.reads, 1);
    }

    #[test]
    fn requests_are_served_in_order_at_the_pace_of_sdram() {
        let (mut l2c, mut events) = l2c(16);
        for miss in 0..3 {
            l2c.read(0, LINE + u32::from(miss), client(miss), &mut events);
        }
        assert_eq!(
            run(&mut l2c, &mut events),
            [(56, client(0)), (65, client(1)), (74, client(2))]
        );
    }

    #[test]
    fn a_full_bus_waits_for_a_line_to_come_back() {
        let (mut l2c, mut events) = l2c(1);
        for miss in 0..2 {
            l2c.read(0, LINE + u32::from(miss), client(miss), &mut events);
        }
        // The second goes out when the first is back after 44 clocks.
        assert_eq!(
            run(&mut l2c, &mut events),
            [(56, client(0)), (44 + 32 + 12, client(1))]
        );
    }
}
