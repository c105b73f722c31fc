//! The order of QPUs: semaphores and the mutex.

use super::Races;

/// Increments that a semaphore takes before the next waits for a decrement.
const SEMAPHORE_ROOM: u64 = crate::semaphore::LARGEST as u64;

impl Races {
    /// A semaphore was counted up.
    pub fn increment(&mut self, qpu: u8, number: u8) {
        let knowledge = self.release(qpu);
        let tokens = &mut self.semaphores[usize::from(number & 15)];
        tokens.ups.push_back(knowledge);
        tokens.increments += 1;
        if tokens.increments > SEMAPHORE_ROOM
            && let Some(room) = tokens.downs.pop_front()
        {
            self.qpus[usize::from(qpu)].seen.join(&room);
        }
    }

    /// A semaphore was counted down. Increments are taken in their order: a program that is right
    /// must be so with every way to match them.
    pub fn decrement(&mut self, qpu: u8, number: u8) {
        let tokens = &mut self.semaphores[usize::from(number & 15)];
        if let Some(token) = tokens.ups.pop_front() {
            self.qpus[usize::from(qpu)].seen.join(&token);
        }
        let knowledge = self.release(qpu);
        self.semaphores[usize::from(number & 15)]
            .downs
            .push_back(knowledge);
    }

    /// The mutex was taken.
    pub fn acquire_mutex(&mut self, qpu: u8) {
        self.qpus[usize::from(qpu)].seen.join(&self.mutex);
    }

    /// The mutex was given back.
    pub fn release_mutex(&mut self, qpu: u8) {
        let knowledge = self.release(qpu);
        self.mutex.join(&knowledge);
    }
}
