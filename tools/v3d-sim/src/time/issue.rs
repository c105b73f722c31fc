//! Times at which QPUs may try their next instruction, and the waits of the stalled ones.

use super::ticks::{NEVER, Ticks, round_from};
use crate::chip::QPUS;
use crate::event::Wait;

/// A QPU that waits.
#[derive(Clone, Copy)]
struct Stall {
    wait: Wait,
    /// The round from which its clocks have not been counted yet.
    since: u64,
    /// The time at which it began, which decides the order of service.
    asked: u64,
}

/// The state of all QPUs.
pub struct Issue {
    /// The round in which each tries again; never for those that something must wake.
    wake: [u64; QPUS],
    /// The first of these, or an earlier round.
    first: u64,
    stalls: [Option<Stall>; QPUS],
    asked: u64,
    /// Rounds stalled, by QPU and number of cause, until they are taken.
    counted: [[u64; Wait::CAUSES.len()]; QPUS],
}

impl Default for Issue {
    fn default() -> Self {
        Self {
            wake: [NEVER; QPUS],
            first: NEVER,
            stalls: [None; QPUS],
            asked: 0,
            counted: [[0; Wait::CAUSES.len()]; QPUS],
        }
    }
}

impl Issue {
    /// The first round in which any QPU tries, as of the last [`Issue::find_next_round`] and what
    /// has been woken since.
    #[inline]
    pub fn next_round(&self) -> u64 {
        self.first
    }

    /// To be called when QPUs have tried: they do so again later.
    #[inline]
    pub fn find_next_round(&mut self) {
        self.first = self.wake.iter().copied().fold(NEVER, u64::min);
    }

    fn wake_at(&mut self, qpu: usize, round: u64) {
        self.wake[qpu] = round;
        self.first = self.first.min(round);
    }

    /// The round in which the QPU tries again.
    pub fn tries_at(&self, qpu: usize) -> u64 {
        self.wake[qpu]
    }

    /// The QPU with the highest number of those below `below` that try in round `now`.
    #[inline]
    pub fn last_to_try(&self, below: usize, now: u64) -> Option<usize> {
        self.wake[..below].iter().rposition(|at| *at <= now)
    }

    /// The QPU has executed, or starts: it tries again in round `next`.
    pub fn go_on(&mut self, qpu: usize, now: u64, next: u64) {
        if let Some(stall) = self.stalls[qpu].take() {
            self.counted[qpu][stall.wait.cause_number()] += now.saturating_sub(stall.since);
        }
        self.wake_at(qpu, next);
    }

    /// The QPU has no program any more.
    pub fn stop(&mut self, qpu: usize, now: u64) {
        self.go_on(qpu, now, NEVER);
    }

    /// The QPU could not execute in round `now`; it tries again in round `until`, or when it is
    /// woken.
    pub fn stall(&mut self, qpu: usize, wait: Wait, now: u64, until: u64) {
        let asked = match self.stalls[qpu].take() {
            Some(stall) => {
                self.counted[qpu][stall.wait.cause_number()] += now.saturating_sub(stall.since);
                if stall.wait == wait {
                    stall.asked
                } else {
                    self.next_asked()
                }
            }
            None => self.next_asked(),
        };
        self.stalls[qpu] = Some(Stall {
            wait,
            since: now,
            asked,
        });
        self.wake_at(qpu, until.max(now + 1));
    }

    fn next_asked(&mut self) -> u64 {
        self.asked += 1;
        self.asked
    }

    /// The wait of a QPU, and the round from which that has not been counted.
    pub fn uncounted(&self, qpu: usize) -> Option<(Wait, u64)> {
        self.stalls[qpu].map(|stall| (stall.wait, stall.since))
    }

    /// Counts the stalls up to round `now`, and gives what was counted since the last time.
    pub fn take_counted(&mut self, now: u64) -> [[u64; Wait::CAUSES.len()]; QPUS] {
        for (qpu, stall) in self.stalls.iter_mut().enumerate() {
            if let Some(stall) = stall {
                self.counted[qpu][stall.wait.cause_number()] += now.saturating_sub(stall.since);
                stall.since = stall.since.max(now);
            }
        }
        std::mem::replace(&mut self.counted, [[0; Wait::CAUSES.len()]; QPUS])
    }

    /// If the QPU waits for `wait`, it tries again at `at`.
    pub fn wake(&mut self, qpu: usize, wait: Wait, at: Ticks) {
        if let Some(stall) = self.stalls[qpu]
            && stall.wait == wait
        {
            self.wake_at(qpu, self.wake[qpu].min(round_from(at)));
        }
    }

    /// Wakes the QPU that asked first, of those that wait for `wait` and will not try again by
    /// themselves: it tries at `at`.
    pub fn wake_first(&mut self, wait: Wait, at: Ticks) {
        let waiting = self.stalls.iter().enumerate().filter_map(|(qpu, stall)| {
            let stall = stall.as_ref()?;
            (stall.wait == wait && self.wake[qpu] == NEVER).then_some((stall.asked, qpu))
        });
        if let Some((_, qpu)) = waiting.min() {
            self.wake_at(qpu, round_from(at));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::ticks::ROUND;

    #[test]
    fn who_asked_first_is_woken_first() {
        let mut issue = Issue::default();
        let wait = Wait::SemaphoreDecrement(3);
        issue.stall(4, wait, 10, NEVER);
        issue.stall(2, wait, 11, NEVER);
        issue.stall(7, Wait::Mutex, 9, NEVER);
        issue.wake_first(wait, 20 * ROUND + 1);
        issue.find_next_round();
        assert_eq!(issue.next_round(), 21);
        assert!(issue.tries_at(4) <= 21 && issue.tries_at(2) > 21);
        issue.wake_first(wait, 22 * ROUND);
        assert!(issue.tries_at(2) <= 22 && issue.tries_at(7) > 22);
    }

    #[test]
    fn rounds_are_counted_for_the_cause_once() {
        let mut issue = Issue::default();
        issue.stall(1, Wait::Mutex, 10, NEVER);
        let mutex = Wait::Mutex.cause_number();
        assert_eq!(issue.take_counted(14)[1][mutex], 4);
        issue.stall(1, Wait::VpmRead, 16, 18);
        issue.go_on(1, 18, 19);
        let counted = issue.take_counted(40)[1];
        assert_eq!(counted[mutex], 2);
        assert_eq!(counted[Wait::VpmRead.cause_number()], 2);
    }
}
