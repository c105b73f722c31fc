//! Vector clocks, and the epochs that places remember.

use crate::chip::QPUS;
use crate::rule::Rule;

/// An actor of a QPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Actor {
    /// The QPU itself.
    Program,
    /// Its queue of VPM writes.
    Writes,
    /// Its DMA loads.
    Loads,
    /// Its DMA stores.
    Stores,
}

impl Actor {
    const ALL: [Self; 4] = [Self::Program, Self::Writes, Self::Loads, Self::Stores];

    /// The one of the two DMA engines that it stands for.
    #[must_use]
    pub fn engine(self) -> Option<usize> {
        match self {
            Self::Program | Self::Writes => None,
            Self::Loads => Some(0),
            Self::Stores => Some(1),
        }
    }
}

/// Up to which time of each QPU its actors are known to be over.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Clock {
    passed: [[u32; QPUS]; 4],
}

impl Clock {
    /// Learns what another knows.
    pub fn join(&mut self, other: &Self) {
        for (mine, theirs) in self
            .passed
            .as_flattened_mut()
            .iter_mut()
            .zip(other.passed.as_flattened())
        {
            *mine = (*mine).max(*theirs);
        }
    }

    /// Records that all an actor did up to `time` is over.
    pub fn pass(&mut self, actor: Actor, qpu: usize, time: u32) {
        self.passed[actor as usize][qpu] = time;
    }

    /// A transfer is over that was started with the knowledge `at_start`. An engine takes transfers
    /// one after the other, so those of other QPUs that were started before are over too.
    pub fn pass_in_order(&mut self, actor: Actor, at_start: &Self) {
        let started = at_start.passed[Actor::Program as usize];
        for (mine, theirs) in self.passed[actor as usize].iter_mut().zip(started) {
            *mine = (*mine).max(theirs);
        }
    }

    /// Up to when an actor's doings are over.
    #[must_use]
    pub fn passed(&self, actor: Actor, qpu: usize) -> u32 {
        self.passed[actor as usize][qpu]
    }

    /// True if `earlier` is over for `later`, which happens with this knowledge.
    ///
    /// A QPU's reads and writes of the VPM stay in order. So do two transfers of one engine, once
    /// the second is started after the first: the engines take transfers in order.
    #[must_use]
    pub fn orders(&self, earlier: Epoch, later: Epoch) -> bool {
        let (actor, qpu) = (earlier.actor(), earlier.qpu());
        let is_ordered = match actor {
            Actor::Program => true,
            Actor::Writes => qpu == later.qpu(),
            Actor::Loads | Actor::Stores => actor == later.actor(),
        };
        let known_by = if is_ordered { Actor::Program } else { actor };
        self.passed(known_by, usize::from(qpu)) >= earlier.time()
    }

    /// The rule that an access broke when it is not ordered after `earlier`.
    #[must_use]
    pub fn broken(&self, earlier: Epoch) -> Rule {
        let handed_over = self.passed(Actor::Program, usize::from(earlier.qpu())) >= earlier.time();
        match earlier.actor() {
            Actor::Writes if handed_over => Rule::VpmWriteUndrained,
            Actor::Loads | Actor::Stores if handed_over => Rule::DmaNotAwaited,
            _ => Rule::VpmRace,
        }
    }
}

/// An access: its actor, its time, its instruction, and its bytes of a word.
///
/// From bit 63: time (22 bits), bytes (4), actor (2), QPU (4), PC (32). 0 is nobody.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Epoch(u64);

impl Epoch {
    /// Nobody.
    pub const NONE: Self = Self(0);
    /// Times end before this one.
    pub const LAST_TIME: u32 = 1 << 22;
    const BYTES: u32 = 38;

    /// `time` is at least 1, and below [`Epoch::LAST_TIME`]. All four bytes of a word.
    #[must_use]
    pub fn new(qpu: u8, actor: Actor, time: u32, pc: u32) -> Self {
        let who = u64::from(time) << 10 | 15 << 6 | (actor as u64) << 4 | u64::from(qpu);
        Self(who << 32 | u64::from(pc))
    }

    /// The epoch for these bytes only, a bit each.
    #[must_use]
    pub fn with_bytes(self, bytes: u8) -> Self {
        Self(self.0 & !(15 << Self::BYTES) | u64::from(bytes & 15) << Self::BYTES)
    }

    /// The bytes of a word, a bit each.
    #[must_use]
    pub fn bytes(self) -> u8 {
        (self.0 >> Self::BYTES) as u8 & 15
    }

    /// The time of the access, in its QPU's time.
    #[must_use]
    pub fn time(self) -> u32 {
        (self.0 >> 42) as u32
    }

    /// The actor of the QPU.
    #[must_use]
    pub fn actor(self) -> Actor {
        Actor::ALL[(self.0 >> 36) as usize & 3]
    }

    /// The QPU.
    #[must_use]
    pub fn qpu(self) -> u8 {
        (self.0 >> 32) as u8 & 15
    }

    /// The instruction.
    #[must_use]
    pub fn pc(self) -> u32 {
        self.0 as u32
    }

    /// Not 0 if anything but the instruction differs.
    #[inline]
    #[must_use]
    pub fn difference(self, other: Self) -> u64 {
        (self.0 ^ other.0) >> 32
    }

    /// True if it is the same actor of the same QPU.
    #[must_use]
    pub fn is_by_same(self, other: Self) -> bool {
        (self.0 ^ other.0) >> 32 & 0x3f == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epochs_keep_their_parts() {
        let last = Epoch::LAST_TIME - 1;
        let epoch = Epoch::new(11, Actor::Loads, last, 0xffff_fff8).with_bytes(5);
        assert_eq!(
            (
                epoch.qpu(),
                epoch.actor(),
                epoch.time(),
                epoch.pc(),
                epoch.bytes()
            ),
            (11, Actor::Loads, last, 0xffff_fff8, 5)
        );
        assert_ne!(Epoch::new(0, Actor::Program, 1, 0), Epoch::NONE);
    }

    #[test]
    fn joined_clocks_know_what_either_knew() {
        let (mut a, mut b) = (Clock::default(), Clock::default());
        a.pass(Actor::Loads, 3, 7);
        b.pass(Actor::Loads, 3, 5);
        b.pass(Actor::Stores, 11, 2);
        a.join(&b);
        assert_eq!(
            (a.passed(Actor::Loads, 3), a.passed(Actor::Stores, 11)),
            (7, 2)
        );
    }
}
