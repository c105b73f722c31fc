//! An upload: credits, gaps, and the queue between the line and the transforms.

use wire::{Crc32, Credit, Domain, Rate, SampleFormat, UploadBegin, Uploaded};

/// What happened to a piece of an upload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Taken {
    /// It was taken, or had come before.
    Yes,
    /// Samples before it are missing, and that is news.
    Gap,
    /// Samples before it are missing, as already reported.
    StillGap,
    /// It is longer than the credit.
    NoCredit,
    /// It is not a whole number of samples.
    Torn,
}

/// What an upload has brought: all values of its records.
#[derive(Default)]
pub(super) struct Brought {
    records: u32,
    bytes: u64,
    crc: Crc32,
}

impl Brought {
    /// The values of the next record.
    pub(super) fn add(&mut self, values: &[u8]) {
        self.records = self.records.wrapping_add(1);
        self.bytes += values.len() as u64;
        self.crc.update(values);
    }

    pub(super) fn message(&self) -> Uploaded {
        Uploaded {
            records: self.records,
            bytes: self.bytes,
            crc: self.crc.value(),
        }
    }
}

/// An upload that has ended well.
#[derive(Clone, Copy)]
pub(super) struct Ended {
    pub samples: u64,
    pub crc: u32,
    /// What is said of it: nothing to a host that does not ask for values again.
    pub brought: Option<Uploaded>,
}

pub(super) struct Upload {
    pub format: SampleFormat,
    pub domain: Domain,
    pub rate: Rate,
    pub stream: u16,
    /// Samples that have come without a gap.
    pub received: u64,
    /// Samples taken out of the queue.
    pub consumed: u64,
    /// The last credit that was sent.
    pub granted: u64,
    pub crc: Crc32,
    pub clipped: u32,
    /// Request of the `UPLOAD_END`, when it has come.
    pub ending: Option<u16>,
    pub blocks: u32,
    /// The host asks again for values that were lost.
    pub keeps: bool,
    /// It has all records before this one.
    pub held: u32,
    gap: bool,
    /// Samples the line may carry at a time.
    window: u64,
}

impl Upload {
    /// `receive_bytes`: what the board's receive queue holds.
    pub(super) fn new(begin: &UploadBegin, stream: u16, receive_bytes: usize) -> Self {
        // A quarter of the queue is left for the frames around the samples and for other requests.
        let bytes = begin.format.sample_bytes(begin.domain) as u64;
        let window = (receive_bytes as u64 * 3 / 4 / bytes).max(1);
        Self {
            format: begin.format,
            domain: begin.domain,
            rate: begin.rate,
            stream,
            received: 0,
            consumed: 0,
            granted: 0,
            crc: Crc32::default(),
            clipped: 0,
            ending: None,
            blocks: 0,
            keeps: begin.keeps,
            held: 0,
            gap: false,
            window,
        }
    }

    pub(super) fn sample_bytes(&self) -> usize {
        self.format.sample_bytes(self.domain)
    }

    /// The most that could be granted now.
    fn possible(&self, fifo: &[u8]) -> u64 {
        let queue = (fifo.len() / self.sample_bytes()) as u64;
        (self.consumed + queue).min(self.received + self.window)
    }

    /// Whether a new credit is worth a message: half a window more, or the host has none left.
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

    /// Takes samples into the queue.
    pub(super) fn take(&mut self, offset: u64, data: &[u8], fifo: &mut [u8]) -> Taken {
        let bytes = self.sample_bytes();
        if !data.len().is_multiple_of(bytes) {
            return Taken::Torn;
        }
        if offset > self.received {
            let news = !core::mem::replace(&mut self.gap, true);
            return if news { Taken::Gap } else { Taken::StillGap };
        }
        let known = (self.received - offset).min((data.len() / bytes) as u64) as usize;
        let data = &data[known * bytes..];
        let queued = (self.received - self.consumed) as usize * bytes;
        if data.len() > fifo.len() - queued {
            return Taken::NoCredit;
        }
        self.gap = false;
        self.crc.update(data);
        let start = self.received.wrapping_mul(bytes as u64) as usize & (fifo.len() - 1);
        let first = data.len().min(fifo.len() - start);
        fifo[start..start + first].copy_from_slice(&data[..first]);
        fifo[..data.len() - first].copy_from_slice(&data[first..]);
        self.received += (data.len() / bytes) as u64;
        Taken::Yes
    }

    /// Takes the next samples out of the queue, `most` at the most; their bytes, none when it is empty. Where they
    /// go over the end of the queue there are more.
    pub(super) fn pull<'a>(&mut self, fifo: &'a [u8], most: usize) -> &'a [u8] {
        // The length of the queue is a multiple of any sample's, so none wraps around its end.
        let bytes = self.sample_bytes();
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

    fn upload(format: SampleFormat, domain: Domain) -> Upload {
        let begin = UploadBegin {
            format,
            domain,
            rate: Rate::hz(1),
            samples: 0,
            keeps: false,
        };
        Upload::new(&begin, 0, 64)
    }

    #[test]
    fn samples_come_out_as_they_went_in_over_the_end_of_the_queue() {
        let mut fifo = [0; 16];
        let mut upload = upload(SampleFormat::I16, Domain::Complex);
        for index in 0..40u64 {
            let data: [u8; 12] = core::array::from_fn(|byte| (12 * index) as u8 ^ byte as u8);
            assert_eq!(upload.take(3 * index, &data, &mut fifo), Taken::Yes);
            let one = upload.pull(&fifo, 1);
            let two = upload.pull(&fifo, 5);
            let three = upload.pull(&fifo, 5);
            assert_eq!([one, two, three].concat(), data);
            assert_eq!(one.len(), 4);
        }
        assert!(upload.pull(&fifo, 1).is_empty());
    }

    #[test]
    fn gaps_are_reported_once_and_repeats_are_harmless() {
        let mut fifo = [0; 16];
        let mut upload = upload(SampleFormat::U8, Domain::Real);
        assert_eq!(upload.take(0, &[1, 2], &mut fifo), Taken::Yes);
        assert_eq!(upload.take(4, &[5], &mut fifo), Taken::Gap);
        assert_eq!(upload.take(5, &[6], &mut fifo), Taken::StillGap);
        assert_eq!(upload.take(1, &[2, 3, 4], &mut fifo), Taken::Yes);
        assert_eq!(upload.received, 4);
        assert_eq!(upload.crc.value(), wire::crc32(&[1, 2, 3, 4]));
        assert_eq!(upload.take(5, &[6], &mut fifo), Taken::Gap);
        assert_eq!(upload.take(4, &[0; 13], &mut fifo), Taken::NoCredit);
    }

    #[test]
    fn credit_is_bounded_by_line_and_queue() {
        let mut fifo = [0; 64];
        let mut upload = upload(SampleFormat::U8, Domain::Real);
        assert_eq!(upload.credit(&fifo).granted, 48);
        assert!(!upload.credit_due(&fifo));
        upload.take(0, &[0; 48], &mut fifo);
        assert!(upload.credit_due(&fifo));
        let credit = upload.credit(&fifo);
        assert_eq!((credit.granted, credit.received), (64, 48));
        upload.take(48, &[0; 16], &mut fifo);
        assert!(!upload.credit_due(&fifo), "the queue is full");
        upload.pull(&fifo, 1);
        assert!(upload.credit_due(&fifo), "the host waits");
    }

    #[test]
    fn torn_samples_are_noticed() {
        let mut fifo = [0; 64];
        let mut upload = upload(SampleFormat::F32, Domain::Real);
        assert_eq!(upload.take(0, &[0; 5], &mut fifo), Taken::Torn);
    }
}
