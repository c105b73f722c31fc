//! The way to memory behind V3D's own caches: the L2 of the system, and SDRAM.
//!
//! Alias 0x4 allocates lines for reads and writes and writes them back; 0x8 uses what is there and
//! allocates nothing; 0xC, and every alias on a board whose V3D has no L2 of the system, goes to
//! SDRAM. Source: Broadcom's chip header for the aliases; docs/hardware/timing.md for write-back.

use super::constants::Constants;
use super::sdram::Sdram;
use super::tags::{Inserted, Tags};
use super::ticks::{Ticks, ticks};
use crate::memory::ALIAS_MASK;

/// The number of hits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct L2Work {
    /// Lines that were there.
    pub hits: u64,
    /// Lines that were not.
    pub misses: u64,
}

/// An access of someone else than V3D: DMA, or the ARM.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Outside {
    /// The line, whose number carries the alias.
    pub line: u32,
    /// True for a write.
    pub write: bool,
    /// True if it is not the whole line.
    pub part: bool,
    /// The time for which it has the L2.
    pub busy: Ticks,
    /// True if it is served before others that wait for SDRAM.
    pub passes: bool,
}

/// The times of an access of someone else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Served {
    /// Time at which its data is back, or it is taken.
    pub done: Ticks,
    /// Time for which the access has waited for others: for the L2, and at SDRAM.
    pub waited: Ticks,
}

/// The meaning of an alias.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Policy {
    Allocate,
    Use,
    Direct,
}

/// The L2 of the system in front of SDRAM.
pub struct SystemL2 {
    present: bool,
    tags: Tags,
    /// The time at which each line's data is there.
    filled: Vec<Ticks>,
    dirty: Vec<bool>,
    hit: Ticks,
    latency: Ticks,
    /// The time until which someone else than V3D has the L2.
    taken_until: Ticks,
    /// The time until which V3D's last line has it: that of the line on V3D's bus.
    line_until: Ticks,
    read_line: Ticks,
    write_line: Ticks,
    /// SDRAM.
    pub sdram: Sdram,
    /// The counts.
    pub work: L2Work,
}

impl SystemL2 {
    /// Empty. `scale` as for [`Sdram::new`].
    pub fn new(constants: &Constants, present: bool, scale: f64) -> Self {
        let tags = Tags::new(
            constants.system_l2_bytes,
            constants.system_l2_ways,
            constants.system_l2_replacement,
        );
        Self {
            present,
            filled: vec![0; tags.places()],
            dirty: vec![false; tags.places()],
            tags,
            hit: ticks(constants.system_l2_hit),
            latency: ticks(constants.system_l2_hit) + ticks(constants.sdram_latency * scale),
            taken_until: 0,
            line_until: 0,
            read_line: ticks(constants.read_bus),
            write_line: ticks(constants.write_bus),
            sdram: Sdram::new(constants, scale),
            work: L2Work::default(),
        }
    }

    fn policy(&self, line: u32) -> Policy {
        match line >> 24 {
            _ if !self.present => Policy::Direct,
            0 | 1 => Policy::Allocate,
            2 => Policy::Use,
            _ => Policy::Direct,
        }
    }

    /// V3D reads the line that its bus takes at `now`; gives when its data is back.
    pub fn read(&mut self, now: Ticks, bus_line: u32) -> Ticks {
        let start = self.hold(now, bus_line, self.read_line);
        self.read_line_at(start, bus_line).done
    }

    /// V3D's bus brings a line to the L2, or takes one from it; gives when it may.
    fn hold(&mut self, now: Ticks, bus_line: u32, busy: Ticks) -> Ticks {
        if self.policy(bus_line) == Policy::Direct {
            return now;
        }
        let start = now.max(self.taken_until);
        self.line_until = start + busy;
        start
    }

    /// Reads a line at `now`.
    fn read_line_at(&mut self, now: Ticks, bus_line: u32) -> Served {
        let policy = self.policy(bus_line);
        let line = bus_line & ALIAS_MASK >> 6;
        if policy == Policy::Direct {
            let done = self.sdram.access(now, line, false) + self.latency;
            let waited = self.sdram.waited;
            return Served { done, waited };
        }
        if let Some(place) = self.tags.find(line) {
            self.work.hits += 1;
            let there = now.max(self.filled[place]);
            return Served {
                done: there + self.hit,
                waited: there - now,
            };
        }
        self.work.misses += 1;
        let place = (policy == Policy::Allocate).then(|| self.allocate(now, line));
        let done = self.sdram.access(now, line, false);
        if let Some(place) = place {
            self.filled[place] = done;
            self.dirty[place] = false;
        }
        Served {
            done: done + self.latency,
            waited: self.sdram.waited,
        }
    }

    /// The time at which a line that comes over the write bus at `now` is taken; `now` if at once.
    pub fn takes_write(&self, now: Ticks, bus_line: u32) -> Ticks {
        if self.has_line(bus_line) {
            now.max(self.taken_until)
        } else {
            self.sdram.takes_write(now)
        }
    }

    /// True if a write of this line goes no further than the L2.
    fn has_line(&self, bus_line: u32) -> bool {
        let is_direct = self.policy(bus_line) == Policy::Direct;
        !is_direct && self.tags.peek(bus_line & ALIAS_MASK >> 6).is_some()
    }

    /// Someone else than V3D reads or writes (a part of) a line at `now`, and has the L2 for
    /// `busy`. It waits for V3D's line that has the L2, and unless it passes others as V3D's own
    /// accesses do: a read until its data is back, a write until it is taken. What waits for SDRAM
    /// does not keep the L2 from others.
    pub fn outside(&mut self, now: Ticks, access: Outside) -> Served {
        let mut start = now;
        if self.policy(access.line) != Policy::Direct {
            start = start.max(self.line_until).max(self.taken_until);
            self.taken_until = start + access.busy;
        }
        let served = if access.write {
            let done = match access.passes || self.has_line(access.line) {
                true => start,
                false => self.sdram.takes_write(start),
            };
            self.write_line_at(start, access.line, access.part);
            let waited = done - start;
            Served { done, waited }
        } else {
            self.read_line_at(start, access.line)
        };
        let behind = if access.passes { 0 } else { served.waited };
        Served {
            waited: start - now + behind,
            ..served
        }
    }

    /// V3D writes a line, or a part of it: then the rest has to be read.
    pub fn write(&mut self, now: Ticks, bus_line: u32, part: bool) {
        self.hold(now, bus_line, self.write_line);
        self.write_line_at(now, bus_line, part);
    }

    /// Writes a line, or a part of it, at `now`.
    fn write_line_at(&mut self, now: Ticks, bus_line: u32, part: bool) {
        let policy = self.policy(bus_line);
        let line = bus_line & ALIAS_MASK >> 6;
        if policy == Policy::Direct {
            self.sdram.access(now, line, true);
            return;
        }
        let place = match self.tags.find(line) {
            Some(place) => {
                self.work.hits += 1;
                place
            }
            None if policy == Policy::Use => {
                self.work.misses += 1;
                self.sdram.access(now, line, true);
                return;
            }
            None => {
                self.work.misses += 1;
                let place = self.allocate(now, line);
                self.filled[place] = if part {
                    self.sdram.access(now, line, false)
                } else {
                    now
                };
                place
            }
        };
        self.dirty[place] = true;
    }

    /// Makes room for a line; what was changed goes to SDRAM in front of it.
    fn allocate(&mut self, now: Ticks, line: u32) -> usize {
        let Inserted { place, victim } = self.tags.insert(line);
        if let Some(victim) = victim
            && self.dirty[place]
        {
            self.sdram.access(now, victim, true);
        }
        place
    }

    /// The ARM has written `bytes` bytes at `addr`: unless its accesses go around, they lie here.
    pub fn arm_wrote(&mut self, addr: u32, bytes: u32) {
        if bytes == 0 || self.policy(addr >> 6) == Policy::Direct {
            return;
        }
        let first = (addr & ALIAS_MASK) >> 6;
        let last = (u64::from(addr & ALIAS_MASK) + u64::from(bytes) - 1) >> 6;
        // Of more than twice what it holds, only the end can still be there.
        let from = u64::from(first).max((last + 1).saturating_sub(2 * self.tags.places() as u64));
        for line in from..=last {
            let line = line as u32 & ALIAS_MASK >> 6;
            let place = match self.tags.find(line) {
                Some(place) => place,
                None => self.tags.insert(line).place,
            };
            self.filled[place] = 0;
            self.dirty[place] = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::ticks::CLOCK;

    const CACHED: u32 = 0x4000_0000 >> 6;
    const DIRECT: u32 = 0xc000_0000 >> 6;

    fn l2(present: bool) -> SystemL2 {
        let constants = Constants {
            system_l2_bytes: 4 * 64,
            system_l2_ways: 1,
            system_l2_hit: 22.0,
            sdram_latency: 1.0,
            sdram_line: 9.0,
            sdram_row: 12.0,
            ..Constants::recommended()
        };
        SystemL2::new(&constants, present, 1.0)
    }

    #[test]
    fn a_line_is_there_the_second_time() {
        let mut l2 = l2(true);
        assert_eq!(l2.read(0, CACHED), (12 + 9 + 22 + 1) * CLOCK);
        assert_eq!(l2.read(1000 * CLOCK, CACHED), 1022 * CLOCK);
        // While its data is on the way it is waited for.
        assert_eq!(l2.read(2000 * CLOCK, CACHED + 1), 2032 * CLOCK);
        assert_eq!(l2.read(2001 * CLOCK, CACHED + 1), (2009 + 22) * CLOCK);
        assert_eq!((l2.work.hits, l2.work.misses), (2, 2));
    }

    #[test]
    fn what_was_written_goes_to_sdram_before_another_takes_its_place() {
        let mut l2 = l2(true);
        l2.write(0, CACHED, false);
        assert_eq!(l2.sdram.work.writes, 0);
        l2.read(1000 * CLOCK, CACHED + 4);
        assert_eq!((l2.sdram.work.writes, l2.sdram.work.reads), (1, 1));
        l2.write(2000 * CLOCK, CACHED + 5, true);
        assert_eq!(l2.sdram.work.reads, 2);
    }

    #[test]
    fn others_hold_v3d_up_for_their_time_and_what_they_bring_is_there() {
        let mut l2 = l2(true);
        let write = Outside {
            line: CACHED,
            write: true,
            part: true,
            busy: 5 * CLOCK,
            passes: false,
        };
        // The rest of the line is read; the row has to be opened.
        let at_once = Served { done: 0, waited: 0 };
        assert_eq!(l2.outside(0, write), at_once);
        assert_eq!((l2.sdram.work.reads, l2.sdram.work.writes), (1, 0));
        l2.outside(1000 * CLOCK, write);
        assert_eq!(l2.read(1002 * CLOCK, CACHED), (1005 + 22) * CLOCK);
        assert_eq!(l2.takes_write(1002 * CLOCK, CACHED), 1005 * CLOCK);
        let past = Outside {
            line: DIRECT + 1,
            ..write
        };
        l2.outside(2000 * CLOCK, past);
        assert_eq!(l2.read(2001 * CLOCK, CACHED), 2023 * CLOCK);
        assert_eq!(l2.sdram.work.writes, 1);
    }

    #[test]
    fn others_wait_for_the_line_of_v3d_and_for_sdram() {
        let write_of = |line| Outside {
            line,
            write: true,
            part: true,
            busy: 2 * CLOCK,
            passes: false,
        };
        let (mut l2, write) = (l2(true), write_of(CACHED));
        l2.outside(0, write);
        // A line that V3D reads has the L2 for 5.35 clocks.
        let now = 1000 * CLOCK;
        l2.read(now, CACHED);
        assert_eq!(l2.outside(now + CLOCK, write).waited, CLOCK * 435 / 100);
        // V3D's misses have the bus of SDRAM: a read waits for it, and a write once there is much.
        let miss = |line, write| Outside {
            line: CACHED + line,
            write,
            ..write_of(CACHED)
        };
        let now = 2000 * CLOCK;
        (1..=3).for_each(|line| {
            l2.read(now, CACHED + line);
        });
        let read = l2.outside(now, miss(8, false));
        assert!(read.waited > 27 * CLOCK, "{read:?}");
        assert!(read.done > now + read.waited, "{read:?}");
        let now = 3000 * CLOCK;
        l2.read(now, CACHED + 9);
        assert!(l2.outside(now, miss(11, true)).waited < 6 * CLOCK);
        (16..32).for_each(|line| {
            l2.read(now, CACHED + line);
        });
        let write = l2.outside(now, miss(12, true));
        assert!(write.waited > 80 * CLOCK, "{write:?}");
        for write in [false, true] {
            let first = Outside {
                passes: true,
                ..miss(13, write)
            };
            // It has the L2 behind the two before it.
            assert!(l2.outside(now, first).waited < 150 * CLOCK);
        }
    }

    #[test]
    fn aliases_and_boards_decide_who_goes_around_it() {
        for (present, line) in [(true, DIRECT), (false, CACHED)] {
            let mut l2 = l2(present);
            l2.arm_wrote(0, 64);
            l2.read(0, line);
            assert_eq!(l2.read(1000 * CLOCK, line), 1032 * CLOCK);
            assert_eq!(l2.work, L2Work::default());
        }
        let mut l2 = l2(true);
        let not_allocating = 0x8000_0000 >> 6;
        l2.read(0, not_allocating);
        l2.arm_wrote(64, 1);
        assert_eq!(l2.read(1000 * CLOCK, not_allocating), 1032 * CLOCK);
        assert_eq!(l2.read(2000 * CLOCK, not_allocating + 1), 2022 * CLOCK);
    }
}
