//! SDRAM: banks with an open row each, and one data bus.
//!
//! A line waits for its bank, opens its row where another is open, and then takes the data bus,
//! which idles for a while when it changes between reads and writes. A bank that was written to
//! takes longer to open another row. Accesses come in order of time and are served in that order,
//! so one that opens a row holds up those behind it. Address bits above a row choose the bank.
//!
//! Source of the turnarounds and of the recovery: JEDEC JESD209-2 (LPDDR2). In a model without
//! them, whose other constants the fitting set gives too, all published times of 2^13 and the mean
//! errors of both releases of GPU_FFT are further off (docs/fidelity.md, "no turnaround"). A
//! controller that gathers writes turns less often; nothing published says whether this one does.

use super::constants::Constants;
use super::ticks::{Ticks, ticks};

const LINE_BYTES: u64 = 64;

/// The counts.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SdramWork {
    /// Lines read.
    pub reads: u64,
    /// Lines written.
    pub writes: u64,
    /// Rows opened.
    pub rows: u64,
}

#[derive(Clone, Copy)]
struct Bank {
    row: u64,
    free: Ticks,
    written: bool,
}

/// The memory chip.
pub struct Sdram {
    line: Ticks,
    open: Ticks,
    recovery: Ticks,
    to_write: Ticks,
    to_read: Ticks,
    row_bytes: u64,
    backlog: Ticks,
    banks: Vec<Bank>,
    bus_free: Ticks,
    /// The last line on the bus was written.
    writing: bool,
    /// Time for which the last line waited for its bank and the bus.
    pub waited: Ticks,
    /// The counts.
    pub work: SdramWork,
}

impl Sdram {
    /// With every bank closed. `scale`: V3D clocks for each clock that the constants are counted
    /// in.
    pub fn new(constants: &Constants, scale: f64) -> Self {
        let closed = Bank {
            row: u64::MAX,
            free: 0,
            written: false,
        };
        Self {
            line: ticks(constants.sdram_line * scale),
            open: ticks(constants.sdram_row * scale),
            recovery: ticks(constants.sdram_recovery * scale),
            to_write: ticks(constants.sdram_to_write * scale),
            to_read: ticks(constants.sdram_to_read * scale),
            row_bytes: u64::from(constants.sdram_row_bytes.max(64)),
            backlog: ticks(constants.sdram_backlog * scale),
            banks: vec![closed; constants.sdram_banks.max(1) as usize],
            bus_free: 0,
            writing: false,
            waited: 0,
            work: SdramWork::default(),
        }
    }

    /// A line that arrives at `now`; gives when it is done.
    pub fn access(&mut self, now: Ticks, line: u32, write: bool) -> Ticks {
        let row = u64::from(line) * LINE_BYTES / self.row_bytes;
        let banks = self.banks.len() as u64;
        let bank = &mut self.banks[(row % banks) as usize];
        let mut opening = 0;
        if bank.row != row / banks {
            bank.row = row / banks;
            opening += self.open;
            if bank.written {
                opening += self.recovery;
            }
            self.work.rows += 1;
        }
        let start = now.max(bank.free) + opening;
        let turnaround = match (self.writing, write) {
            (false, true) => self.to_write,
            (true, false) => self.to_read,
            _ => 0,
        };
        let done = start.max(self.bus_free + turnaround) + self.line;
        self.waited = done - self.line - opening - now;
        bank.free = done;
        bank.written = write;
        self.writing = write;
        self.bus_free = done;
        if write {
            self.work.writes += 1;
        } else {
            self.work.reads += 1;
        }
        done
    }

    /// The time at which a write that arrives at `now` is taken: later, when much work is in hand.
    pub fn takes_write(&self, now: Ticks) -> Ticks {
        now.max(self.bus_free.saturating_sub(self.backlog))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::ticks::CLOCK;

    fn sdram() -> Sdram {
        Sdram::new(
            &Constants {
                sdram_line: 9.0,
                sdram_row: 12.0,
                sdram_recovery: 4.0,
                sdram_to_write: 1.0,
                sdram_to_read: 7.0,
                sdram_backlog: 64.0,
                sdram_banks: 8,
                sdram_row_bytes: 4096,
                ..Constants::recommended()
            },
            1.0,
        )
    }

    #[test]
    fn a_row_is_opened_once_and_lines_follow_at_the_pace_of_the_bus() {
        let mut sdram = sdram();
        let done: Vec<_> = (0..3).map(|line| sdram.access(0, line, false)).collect();
        assert_eq!(done, [21 * CLOCK, 30 * CLOCK, 39 * CLOCK]);
        // Another bank opens its row while the bus is busy; the same bank does not.
        assert_eq!(sdram.access(0, 64, false), 48 * CLOCK);
        assert_eq!(sdram.waited, (48 - 12 - 9) * CLOCK);
        assert_eq!(sdram.access(0, 8 * 64, false), (39 + 12 + 9) * CLOCK);
        assert_eq!(sdram.waited, 39 * CLOCK);
        assert_eq!(sdram.work.rows, 3);
    }

    #[test]
    fn a_write_waits_while_much_is_in_hand() {
        let mut sdram = sdram();
        assert_eq!(sdram.takes_write(5 * CLOCK), 5 * CLOCK);
        for line in 0..10 {
            sdram.access(0, line, true);
        }
        // The first opened a row; the bus had been reading.
        assert_eq!(sdram.takes_write(5 * CLOCK), (12 + 90 - 64) * CLOCK);
    }

    #[test]
    fn the_bus_idles_when_its_direction_changes_and_a_written_bank_recovers() {
        let mut sdram = sdram();
        sdram.access(0, 0, false);
        assert_eq!(sdram.access(0, 1, true), (21 + 1 + 9) * CLOCK);
        assert_eq!(sdram.access(0, 2, true), 40 * CLOCK);
        assert_eq!(sdram.access(0, 3, false), (40 + 7 + 9) * CLOCK);
        // Another row of the bank after a read, and of one after a write.
        let later = 1000 * CLOCK;
        assert_eq!(sdram.access(later, 8 * 64, true), later + 21 * CLOCK);
        assert_eq!(sdram.access(2 * later, 0, true), 2 * later + 25 * CLOCK);
    }
}
