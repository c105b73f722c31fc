//! Logs: defmt's global logger, whose bytes travel to the host as LOG records.
//!
//! A log frame is encoded into a buffer of its own and put into the queue whole, or dropped whole
//! and counted; the instrument takes what is queued when the line has room, and a message tells the
//! host what was dropped meanwhile. Strings stay in the ELF file (`target/kernel.elf`), where the
//! host's decoder finds them. What may be logged is decided when the firmware is built
//! (`DEFMT_LOG=info`).
#![allow(unsafe_code)]

use core::cell::{Cell, RefCell};

use critical_section::{Mutex, RestoreState};
use heapless::{Deque, Vec};

use crate::timer::Clock;

pub use defmt::{error, info, warn};

/// Bytes of one log frame; longer ones are dropped.
const FRAME_BYTES: usize = 256;

/// Bytes that may wait for the line: some dozen messages.
const QUEUE_BYTES: usize = 2048;

struct Frame {
    bytes: Vec<u8, FRAME_BYTES>,
    is_cut: bool,
}

struct Log {
    encoder: defmt::Encoder,
    frame: Frame,
    restore: RestoreState,
    /// Messages that were dropped, too long or for want of room, since that was last said.
    dropped: u32,
}

static LOG: Mutex<RefCell<Log>> = Mutex::new(RefCell::new(Log {
    encoder: defmt::Encoder::new(),
    frame: Frame {
        bytes: Vec::new(),
        is_cut: false,
    },
    restore: RestoreState::invalid(),
    dropped: 0,
}));

static QUEUE: Mutex<RefCell<Deque<u8, QUEUE_BYTES>>> = Mutex::new(RefCell::new(Deque::new()));

static CLOCK: Mutex<Cell<Option<Clock>>> = Mutex::new(Cell::new(None));

defmt::timestamp!("{=u64:us}", now_us());

fn now_us() -> u64 {
    critical_section::with(|token| CLOCK.borrow(token).get()).map_or(0, Clock::now_us)
}

/// Gives the messages their time; before this they carry 0.
pub fn start(clock: Clock) {
    critical_section::with(|token| CLOCK.borrow(token).set(Some(clock)));
}

/// Takes queued bytes of the log; returns how many.
///
/// When all are taken, a message of its own says how many were dropped since it last said so.
pub fn take(out: &mut [u8]) -> usize {
    let (count, is_empty) = critical_section::with(|token| {
        let mut queue = QUEUE.borrow_ref_mut(token);
        let mut count = 0;
        for slot in out {
            let Some(byte) = queue.pop_front() else { break };
            *slot = byte;
            count += 1;
        }
        (count, queue.is_empty())
    });
    if is_empty {
        let mut dropped = 0;
        with_log(|log| dropped = core::mem::take(&mut log.dropped));
        if dropped > 0 {
            warn!("{=u32} log messages before this were dropped", dropped);
        }
    }
    count
}

impl Frame {
    fn put(&mut self, bytes: &[u8]) {
        self.is_cut |= self.bytes.extend_from_slice(bytes).is_err();
    }
}

fn with_log(serve: impl FnOnce(&mut Log)) {
    critical_section::with(|token| serve(&mut LOG.borrow_ref_mut(token)));
}

#[defmt::global_logger]
struct Logger;

// SAFETY: `acquire` enters a critical section that `release` leaves, so on the one core there is
// never a second execution context between the two; defmt calls them in pairs.
unsafe impl defmt::Logger for Logger {
    fn acquire() {
        // SAFETY: paired with the release below, in the same context.
        let restore = unsafe { critical_section::acquire() };
        with_log(|log| {
            log.restore = restore;
            log.frame.bytes.clear();
            log.frame.is_cut = false;
            log.encoder.start_frame(|bytes| log.frame.put(bytes));
        });
    }

    unsafe fn flush() {}

    unsafe fn release() {
        let mut restore = RestoreState::invalid();
        critical_section::with(|token| {
            let log = &mut *LOG.borrow_ref_mut(token);
            log.encoder.end_frame(|bytes| log.frame.put(bytes));
            let mut queue = QUEUE.borrow_ref_mut(token);
            if log.frame.is_cut || queue.capacity() - queue.len() < log.frame.bytes.len() {
                log.dropped = log.dropped.saturating_add(1);
            } else {
                queue.extend(log.frame.bytes.iter().copied());
            }
            restore = log.restore;
        });
        // SAFETY: what the acquire of this frame returned.
        unsafe { critical_section::release(restore) };
    }

    unsafe fn write(bytes: &[u8]) {
        with_log(|log| log.encoder.write(bytes, |bytes| log.frame.put(bytes)));
    }
}
