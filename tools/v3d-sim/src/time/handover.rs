//! Hand-overs from one QPU to another: semaphores, the mutex, the SFU of a slice, the scheduler.

use super::constants::Constants;
use super::ticks::{Ticks, ticks};
use crate::chip::SLICES;

/// The times that passing on takes.
pub struct Handover {
    /// From a change of a semaphore to the next instruction of who waited for it.
    pub semaphore: Ticks,
    /// The order of waiting for the mutex.
    pub mutex: Ticks,
    sfu_interval: Ticks,
    /// The time at which the SFU of each slice takes another operation.
    pub sfu_free: [Ticks; SLICES],
    /// From a program's start to the fetch of its first instruction.
    pub program_start: Ticks,
    launch_interval: Ticks,
    /// The time at which the next program can be given out.
    pub launch_free: Ticks,
}

impl Handover {
    /// Nothing under way.
    pub fn new(constants: &Constants) -> Self {
        Self {
            semaphore: ticks(constants.semaphore_handover),
            mutex: ticks(constants.mutex_handover),
            sfu_interval: ticks(constants.sfu_interval),
            sfu_free: [0; SLICES],
            program_start: ticks(constants.program_start),
            launch_interval: ticks(constants.launch_interval),
            launch_free: 0,
        }
    }

    /// The time at which the program that the scheduler gives out at `now` starts.
    pub fn launch(&mut self, now: Ticks) -> Ticks {
        let at = now.max(self.launch_free);
        self.launch_free = at + self.launch_interval;
        at
    }

    /// An operation on the SFU of a slice.
    pub fn use_sfu(&mut self, slice: usize, now: Ticks) {
        self.sfu_free[slice] = now + self.sfu_interval;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::ticks::CLOCK;

    #[test]
    fn programs_start_one_after_the_other() {
        let mut handover = Handover::new(&Constants {
            launch_interval: 40.0,
            ..Constants::recommended()
        });
        assert_eq!(handover.launch(8 * CLOCK), 8 * CLOCK);
        assert_eq!(handover.launch(8 * CLOCK), 48 * CLOCK);
        assert_eq!(handover.launch(100 * CLOCK), 100 * CLOCK);
    }

    #[test]
    fn the_sfu_of_a_slice_is_one() {
        let mut handover = Handover::new(&Constants::recommended());
        handover.use_sfu(1, 0);
        assert_eq!(handover.sfu_free, [0, 4 * CLOCK, 0]);
    }
}
