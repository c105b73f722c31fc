//! The samples of an upload: credits, gaps, and the queue between the line and the transforms.

use wire::{Crc32, Credit};

use super::refusal::Refusal;

/// Samples under way from the line to the transforms.
pub(super) struct Transfer {
    /// Samples that have come without a gap.
    pub received: u64,
    /// Samples taken out of the queue.
    pub consumed: u64,
    /// The last credit that was sent.
    pub granted: u64,
    pub crc: Crc32,
    /// Bytes of a sample.
    pub sample_bytes: usize,
    gap: bool,
    /// Samples the line may carry at a time.
    window: u64,
}

impl Transfer {
    /// `receive_bytes`: the capacity of the board's receive queue.
    pub(super) fn new(sample_bytes: usize, receive_bytes: usize) -> Self {
        // A quarter of the queue is left for the frames around the samples and for other requests.
        let window = (receive_bytes as u64 * 3 / 4 / sample_bytes as u64).max(1);
        Self {
            received: 0,
            consumed: 0,
            granted: 0,
            crc: Crc32::default(),
            sample_bytes,
            gap: false,
            window,
        }
    }

    /// The most that could be granted now.
    fn possible(&self, fifo: &[u8]) -> u64 {
        let queue = (fifo.len() / self.sample_bytes) as u64;
        (self.consumed + queue).min(self.received + self.window)
    }

    /// Reports if a new credit is worth a message: half a window more, or the host has none left.
    pub(super) fn credit_due(&self, fifo: &[u8]) -> bool {
        let possible = self.possible(fifo);
        possible > self.granted + self.window / 2
            || (self.granted <= self.received && possible > self.granted)
    }

    /// The credit to send now.
    pub(super) fn credit(&mut self, fifo: &[u8]) -> Credit {
        self.granted = self.granted.max(self.possible(fifo));
        Credit {
            granted: self.granted,
            received: self.received,
        }
    }

    /// Takes samples into the queue. Those that have come before are passed over, and so are those
    /// behind a gap that has been reported.
    pub(super) fn take(
        &mut self,
        offset: u64,
        data: &[u8],
        fifo: &mut [u8],
    ) -> Result<(), Refusal> {
        let sample = self.sample_bytes;
        if !data.len().is_multiple_of(sample) {
            let bytes = data.len();
            return Err(Refusal::Torn { bytes, sample });
        }
        if offset > self.received {
            let is_reported = core::mem::replace(&mut self.gap, true);
            return if is_reported {
                Ok(())
            } else {
                Err(Refusal::Gap(self.received))
            };
        }
        let known = (self.received - offset).min((data.len() / sample) as u64) as usize;
        let data = &data[known * sample..];
        let queued = (self.received - self.consumed) as usize * sample;
        if data.len() > fifo.len() - queued {
            return Err(Refusal::NoCredit(self.received));
        }
        self.gap = false;
        self.crc.update(data);
        let start = self.received.wrapping_mul(sample as u64) as usize & (fifo.len() - 1);
        let first = data.len().min(fifo.len() - start);
        fifo[start..start + first].copy_from_slice(&data[..first]);
        fifo[..data.len() - first].copy_from_slice(&data[first..]);
        self.received += (data.len() / sample) as u64;
        Ok(())
    }

    /// Takes the next samples out of the queue, `most` at the most; their bytes, none when it is
    /// empty. Where they go over the end of the queue there are more.
    pub(super) fn pull<'a>(&mut self, fifo: &'a [u8], most: usize) -> &'a [u8] {
        // The length of the queue is a multiple of any sample's, so none wraps around its end.
        let bytes = self.sample_bytes;
        let start = self.consumed.wrapping_mul(bytes as u64) as usize & (fifo.len() - 1);
        let queued = (self.received - self.consumed).min(most as u64) as usize * bytes;
        let taken = &fifo[start..fifo.len().min(start + queued)];
        self.consumed += (taken.len() / bytes) as u64;
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_come_out_as_they_went_in_over_the_end_of_the_queue() {
        let mut fifo = [0; 16];
        let mut transfer = Transfer::new(4, 64);
        for index in 0..40u64 {
            let data: [u8; 12] = core::array::from_fn(|byte| (12 * index) as u8 ^ byte as u8);
            assert_eq!(transfer.take(3 * index, &data, &mut fifo), Ok(()));
            let one = transfer.pull(&fifo, 1);
            let two = transfer.pull(&fifo, 5);
            let three = transfer.pull(&fifo, 5);
            assert_eq!([one, two, three].concat(), data);
            assert_eq!(one.len(), 4);
        }
        assert!(transfer.pull(&fifo, 1).is_empty());
    }

    #[test]
    fn gaps_are_reported_once_and_repeats_are_harmless() {
        let mut fifo = [0; 16];
        let mut transfer = Transfer::new(1, 64);
        assert_eq!(transfer.take(0, &[1, 2], &mut fifo), Ok(()));
        assert_eq!(transfer.take(4, &[5], &mut fifo), Err(Refusal::Gap(2)));
        assert_eq!(transfer.take(5, &[6], &mut fifo), Ok(()));
        assert_eq!(transfer.take(1, &[2, 3, 4], &mut fifo), Ok(()));
        assert_eq!(transfer.received, 4);
        assert_eq!(transfer.crc.value(), wire::crc32(&[1, 2, 3, 4]));
        assert_eq!(transfer.take(5, &[6], &mut fifo), Err(Refusal::Gap(4)));
        assert_eq!(
            transfer.take(4, &[0; 13], &mut fifo),
            Err(Refusal::NoCredit(4))
        );
    }

    #[test]
    fn credit_is_bounded_by_line_and_queue() {
        let mut fifo = [0; 64];
        let mut transfer = Transfer::new(1, 64);
        assert_eq!(transfer.credit(&fifo).granted, 48);
        assert!(!transfer.credit_due(&fifo));
        transfer.take(0, &[0; 48], &mut fifo).unwrap();
        assert!(transfer.credit_due(&fifo));
        let credit = transfer.credit(&fifo);
        assert_eq!((credit.granted, credit.received), (64, 48));
        transfer.take(48, &[0; 16], &mut fifo).unwrap();
        assert!(!transfer.credit_due(&fifo), "the queue is full");
        transfer.pull(&fifo, 1);
        assert!(transfer.credit_due(&fifo), "the host waits");
    }

    #[test]
    fn torn_samples_are_noticed() {
        let mut fifo = [0; 64];
        let mut transfer = Transfer::new(4, 64);
        assert_eq!(
            transfer.take(0, &[0; 5], &mut fifo),
            Err(Refusal::Torn {
                bytes: 5,
                sample: 4
            })
        );
    }
}
