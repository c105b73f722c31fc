//! The way to memory behind V3D's own caches: the L2 of the system, and SDRAM.
//!
//! Alias 0x4 allocates lines for reads and writes and writes them back; 0x8 uses what is there and
//! allocates nothing; 0xC, and every alias on a board whose V3D has no L2 of the system, goes to
//! SDRAM. Source: Broadcom's chip header for the aliases; reference/timing.md for write-back.

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

    /// Reads the line that the bus takes at `now`; gives when its data is back.
    pub fn read(&mut self, now: Ticks, bus_line: u32) -> Ticks {
        let policy = self.policy(bus_line);
        let line = bus_line & ALIAS_MASK >> 6;
        if policy == Policy::Direct {
            return self.sdram.access(now, line, false) + self.latency;
        }
        let now = now.max(self.taken_until);
        if let Some(place) = self.tags.find(line) {
            self.work.hits += 1;
            return now.max(self.filled[place]) + self.hit;
        }
        self.work.misses += 1;
        if policy == Policy::Use {
            return self.sdram.access(now, line, false) + self.latency;
        }
        let place = self.allocate(now, line);
        let done = self.sdram.access(now, line, false);
        self.filled[place] = done;
        self.dirty[place] = false;
        done + self.latency
    }

    /// The time at which a line that comes over the write bus at `now` is taken; `now` if at once.
    pub fn takes_write(&self, now: Ticks, bus_line: u32) -> Ticks {
        let goes_to_sdram = self.policy(bus_line) == Policy::Direct
            || self.tags.peek(bus_line & ALIAS_MASK >> 6).is_none();
        if goes_to_sdram {
            self.sdram.takes_write(now)
        } else {
            now.max(self.taken_until)
        }
    }

    /// Someone else than V3D reads or writes (a part of) a line at `now`, and has the L2 for
    /// `busy`. Gives when the data is there.
    pub fn outside(&mut self, now: Ticks, access: Outside) -> Ticks {
        let now = if self.policy(access.line) == Policy::Direct {
            now
        } else {
            now.max(self.taken_until)
        };
        let done = if access.write {
            self.write(now, access.line, access.part);
            now
        } else {
            self.read(now, access.line)
        };
        if self.policy(access.line) != Policy::Direct {
            self.taken_until = now + access.busy;
        }
        done
    }

    /// Writes a line, or a part of it: then the rest has to be read.
    pub fn write(&mut self, now: Ticks, bus_line: u32, part: bool) {
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
        };
        // The rest of the line is read; the row has to be opened.
        assert_eq!(l2.outside(0, write), 0);
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
