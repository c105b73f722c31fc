//! An upload as a state machine: begun, under way, ending, ended.
//!
//! The host sends samples as it has credit, then their count and checksum. What has come is
//! transformed to the end before the end is acknowledged. The last upload that ended well is
//! remembered, since a host repeats a request whose answer was lost.

use wire::{Crc32, Credit, SampleFormat, Source, UploadBegin, Uploaded};

use super::board::SECOND_US;
use super::refusal::Refusal;
use super::source::{SAMPLE_BUDGET, Signal};
use super::transfer::Transfer;
use crate::engine::samples::Coding;

/// Credits are repeated after this time without one, in case the last was lost.
const CREDIT_REPEAT_US: u64 = 500_000;
/// An upload is given up when no samples have come for this time.
const TIMEOUT_US: u64 = 10 * SECOND_US;

/// An upload that has ended well.
#[derive(Clone, Copy)]
struct Ended {
    samples: u64,
    crc: u32,
    answer: Option<Uploaded>,
}

/// An upload under way.
struct Current {
    transfer: Transfer,
    signal: Signal,
    clipped: u32,
    /// Request of the `UPLOAD_END`, when it has come.
    ending: Option<u16>,
    /// Blocks that have been transformed.
    blocks: u32,
    /// The host asks again for values that were lost.
    keeps: bool,
    /// The host has all records before this one.
    held: u32,
    /// All values of its records: number of records, bytes, checksum.
    brought: (u32, u64, Crc32),
}

/// The answer to an `UPLOAD_END` that is not refused.
pub(super) enum Ending {
    /// The samples are all there; it is acknowledged when they have been transformed.
    Begun,
    /// It had ended before. The acknowledgement carries this, where the host asks for values again.
    Before(Option<Uploaded>),
    /// The samples are not those that were sent: the upload has to be given up.
    Damaged,
}

/// An upload that has been transformed to its end.
pub(super) struct Finished {
    pub samples: u64,
    pub blocks: u32,
    /// The request that is to be answered.
    pub request: u16,
}

/// The upload under way, the last one, and the queue for samples.
pub(super) struct Upload<'a> {
    fifo: &'a mut [u8],
    current: Option<Current>,
    /// The last upload that ended well, for a repeated request.
    ended: Option<Ended>,
    credit_due: bool,
    next_credit_us: u64,
    deadline_us: u64,
}

impl<'a> Upload<'a> {
    /// An instrument's uploads, which queue samples in `fifo`.
    pub(super) fn new(fifo: &'a mut [u8]) -> Self {
        Self {
            fifo,
            current: None,
            ended: None,
            credit_due: false,
            next_credit_us: 0,
            deadline_us: 0,
        }
    }

    /// Begins an upload. `receive_bytes`: the capacity of the board's receive queue.
    pub(super) fn begin(
        &mut self,
        begin: &UploadBegin,
        stream: u16,
        receive_bytes: usize,
    ) -> Signal {
        let signal = Signal {
            source: Source::Upload,
            coding: Coding::new(begin.format, begin.domain),
            rate: begin.rate,
            rate_within_hz: 0.0,
            stream,
        };
        self.current = Some(Current {
            transfer: Transfer::new(begin.format.sample_bytes(begin.domain), receive_bytes),
            signal,
            clipped: 0,
            ending: None,
            blocks: 0,
            keeps: begin.keeps,
            held: 0,
            brought: (0, 0, Crc32::default()),
        });
        self.ended = None;
        self.credit_due = true;
        signal
    }

    /// Gives up the upload, if one is under way.
    pub(super) fn give_up(&mut self) {
        self.current = None;
        self.credit_due = false;
    }

    /// Notes that the host has asked for something that shows it is there.
    pub(super) fn heard(&mut self, now_us: u64) {
        self.deadline_us = now_us + TIMEOUT_US;
    }

    /// Takes samples from number `offset` on into the queue.
    pub(super) fn data(&mut self, offset: u64, data: &[u8], now_us: u64) -> Result<(), Refusal> {
        let Some(Current { transfer, .. }) = &mut self.current else {
            // Sent again by a host that had not heard yet that all of it has come.
            return match self.ended {
                Some(ended) if offset < ended.samples => Ok(()),
                _ => Err(Refusal::NO_UPLOAD),
            };
        };
        self.deadline_us = now_us + TIMEOUT_US;
        let taken = transfer.take(offset, data, self.fifo);
        // The host has to learn where to go on.
        self.credit_due |= matches!(taken, Err(Refusal::Gap(_) | Refusal::NoCredit(_)));
        taken
    }

    /// Notes that the host has all records before this one.
    pub(super) fn held(&mut self, record: u32, now_us: u64) {
        if let Some(current) = &mut self.current {
            current.held = current.held.max(record);
            self.heard(now_us);
        }
    }

    /// Ends the upload behind so many samples of this checksum.
    pub(super) fn end(&mut self, samples: u64, crc: u32, request: u16) -> Result<Ending, Refusal> {
        let Some(Current {
            transfer, ending, ..
        }) = &mut self.current
        else {
            // Asked again because the answer was lost, or is still to come.
            return match self.ended {
                Some(ended) if (ended.samples, ended.crc) == (samples, crc) => {
                    Ok(Ending::Before(ended.answer))
                }
                _ => Err(Refusal::NO_UPLOAD),
            };
        };
        if samples > transfer.received {
            self.credit_due = true;
            return Err(Refusal::Gap(transfer.received));
        }
        if samples < transfer.received || crc != transfer.crc.value() {
            return Ok(Ending::Damaged);
        }
        *ending = Some(request);
        Ok(Ending::Begun)
    }

    /// Hands on queued samples, at most as many as are wanted; reports if there were any. `take`
    /// returns how many of them are clipped.
    pub(super) fn feed(&mut self, wants: usize, mut take: impl FnMut(&[u8]) -> u32) -> bool {
        let Some(current) = &mut self.current else {
            return false;
        };
        let transfer = &mut current.transfer;
        let before = transfer.consumed;
        let end = before + SAMPLE_BUDGET.min(wants) as u64;
        loop {
            let bytes = transfer.pull(self.fifo, (end - transfer.consumed) as usize);
            if bytes.is_empty() {
                break;
            }
            current.clipped = current.clipped.saturating_add(take(bytes));
        }
        self.credit_due |= current.ending.is_none() && transfer.credit_due(self.fifo);
        transfer.consumed != before
    }

    /// Samples that were clipped. Samples in a unit of the host's own have no full scale.
    pub(super) fn clipped(&self, unit: wire::Unit) -> u32 {
        match &self.current {
            Some(it)
                if (it.signal.coding.format, unit) != (SampleFormat::F32, wire::Unit::DbReUnit) =>
            {
                it.clipped
            }
            _ => 0,
        }
    }

    /// Counts blocks that have been transformed.
    pub(super) fn add_blocks(&mut self, blocks: u32) {
        if let Some(current) = &mut self.current {
            current.blocks = current.blocks.saturating_add(blocks);
        }
    }

    /// Takes note of the values of the next record.
    pub(super) fn add_record(&mut self, values: &[u8]) {
        if let Some(current) = &mut self.current {
            let (records, bytes, crc) = &mut current.brought;
            *records = records.wrapping_add(1);
            *bytes += values.len() as u64;
            crc.update(values);
        }
    }

    /// The upload, when all of its samples have come and have left the queue.
    pub(super) fn drained(&self) -> Option<Finished> {
        let current = self.current.as_ref()?;
        let Transfer {
            received, consumed, ..
        } = current.transfer;
        let request = current.ending.filter(|_| consumed == received)?;
        Some(Finished {
            samples: received,
            blocks: current.blocks,
            request,
        })
    }

    /// Ends the upload well; returns what the acknowledgement carries.
    pub(super) fn finish(&mut self) -> Option<Uploaded> {
        let current = self.current.take()?;
        let (records, bytes, crc) = current.brought;
        let crc = crc.value();
        let answer = current.keeps.then_some(Uploaded {
            records,
            bytes,
            crc,
        });
        self.ended = Some(Ended {
            samples: current.transfer.received,
            crc: current.transfer.crc.value(),
            answer,
        });
        answer
    }

    /// The first record that must be kept, where the host asks again for values that were lost.
    pub(super) fn first_kept(&self) -> Option<u32> {
        let current = self.current.as_ref()?;
        current.keeps.then_some(current.held)
    }

    /// Timers of an upload; reports if the host has been silent for too long. `waits`: the host is
    /// waited for, to say which records it has.
    pub(super) fn is_overdue(&mut self, waits: bool, now_us: u64) -> bool {
        let Some(Current {
            transfer, ending, ..
        }) = &self.current
        else {
            return false;
        };
        if transfer.granted <= transfer.received && !waits {
            // The host has no credit: that it is silent is our doing.
            self.deadline_us = now_us + TIMEOUT_US;
        }
        let is_overdue = (ending.is_none() || waits) && now_us >= self.deadline_us;
        self.credit_due |= ending.is_none() && !is_overdue && now_us >= self.next_credit_us;
        is_overdue
    }

    /// Takes the credit that is to be sent, and the stream that it is for.
    pub(super) fn take_credit(&mut self, now_us: u64) -> Option<(Credit, u16)> {
        if !core::mem::take(&mut self.credit_due) {
            return None;
        }
        let current = self.current.as_mut()?;
        self.next_credit_us = now_us + CREDIT_REPEAT_US;
        Some((current.transfer.credit(self.fifo), current.signal.stream))
    }

    /// When the credit is to be repeated.
    pub(super) fn next_event_us(&self) -> u64 {
        match &self.current {
            Some(current) if current.ending.is_none() => self.next_credit_us,
            _ => u64::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::{Domain, Rate, crc32};

    const BEGIN: UploadBegin = UploadBegin {
        format: SampleFormat::U8,
        domain: Domain::Real,
        rate: Rate::hz(8),
        samples: 0,
        keeps: true,
    };

    /// Samples that an upload hands on.
    fn fed(upload: &mut Upload, wants: usize) -> Vec<u8> {
        let mut samples = Vec::new();
        upload.feed(wants, |bytes| {
            samples.extend_from_slice(bytes);
            1
        });
        samples
    }

    #[test]
    fn an_upload_goes_from_begin_to_end() {
        let mut fifo = [0; 16];
        let mut upload = Upload::new(&mut fifo);
        assert_eq!(upload.data(0, &[1], 0), Err(Refusal::NO_UPLOAD));
        assert_eq!(upload.begin(&BEGIN, 7, 64).stream, 7);
        let (credit, stream) = upload.take_credit(0).expect("the first credit");
        assert_eq!((credit.granted, stream), (16, 7));
        assert!(upload.take_credit(0).is_none());
        assert_eq!(upload.data(0, &[1, 2, 3], 0), Ok(()));
        assert_eq!(upload.data(4, &[5], 0), Err(Refusal::Gap(3)));
        assert_eq!(fed(&mut upload, 2), [1, 2]);
        let crc = crc32(&[1, 2, 3]);
        assert!(matches!(upload.end(4, crc, 9), Err(Refusal::Gap(3))));
        assert!(matches!(upload.end(3, crc, 9), Ok(Ending::Begun)));
        assert!(upload.drained().is_none());
        assert_eq!(fed(&mut upload, 9), [3]);
        assert_eq!(upload.clipped(wire::Unit::Dbfs), 2);
        upload.add_blocks(3);
        upload.add_record(&[8; 4]);
        let finished = upload.drained().expect("all has been handed on");
        let Finished {
            samples,
            blocks,
            request,
        } = finished;
        assert_eq!((samples, blocks, request), (3, 3, 9));
        let answer = upload.finish().expect("the host keeps account");
        assert_eq!((answer.records, answer.bytes), (1, 4));
        // The same again, since answers may be lost.
        assert_eq!(upload.data(0, &[1], 0), Ok(()));
        assert!(matches!(upload.end(3, crc, 9), Ok(Ending::Before(Some(it))) if it == answer));
        assert!(matches!(upload.end(3, crc + 1, 9), Err(Refusal::Plain(..))));
    }

    #[test]
    fn damaged_samples_are_noticed_at_the_end() {
        let mut fifo = [0; 16];
        let mut upload = Upload::new(&mut fifo);
        upload.begin(&BEGIN, 7, 64);
        assert_eq!(upload.data(0, &[1, 2], 0), Ok(()));
        assert!(matches!(upload.end(2, 5, 9), Ok(Ending::Damaged)));
        assert!(matches!(upload.end(1, 5, 9), Ok(Ending::Damaged)));
    }

    #[test]
    fn a_silent_host_is_given_up_unless_it_has_no_credit() {
        let mut fifo = [0; 16];
        let mut upload = Upload::new(&mut fifo);
        upload.begin(&BEGIN, 7, 64);
        upload.heard(0);
        assert!(!upload.is_overdue(false, TIMEOUT_US), "it has no credit");
        upload.take_credit(0);
        assert!(!upload.is_overdue(false, 2 * TIMEOUT_US - 1));
        assert!(upload.take_credit(0).is_some(), "repeated");
        assert!(upload.is_overdue(false, 2 * TIMEOUT_US));
        assert_eq!(upload.data(0, &[1], 2 * TIMEOUT_US), Ok(()));
        assert!(!upload.is_overdue(false, 2 * TIMEOUT_US));
        upload.held(3, 0);
        assert_eq!(upload.first_kept(), Some(3));
        upload.give_up();
        assert!(!upload.is_overdue(false, u64::MAX) && upload.take_credit(0).is_none());
    }
}
