//! `speed` typed by hand: the time that a block takes with these settings, when samples never lack.
//!
//! Blocks of i16 go the way of an upload's, from samples that have come to encoded records, which
//! are not sent. The same noise is taken again and again, so that samples cost no time. So the
//! figure says what the board can carry, whatever a source and the line can: the QPUs and the ARM
//! work at the same time, and the slower of both decides.

use core::fmt::Write;

use wire::{MAX_CHUNK_DATA, SampleFormat};

use super::analyser::BLOCKS_A_CHECK;
use super::board::{Board, SECOND_US};
use super::hub::Hub;
use super::records::encode;
use super::settings::fixed;
use super::source::SAMPLE_BUDGET;
use crate::engine::samples::Coding;
use crate::engine::{Fft, QpuHost};

/// Lots of blocks before the clock is started: plans are made and proven, that of checks, too.
const BEFORE: u32 = 4;
/// The least that are timed; then so many blocks are enough, or as many as take so long.
const LOTS: u32 = 8;
const BLOCKS: u32 = 2 * BLOCKS_A_CHECK;
const SPAN_US: u64 = SECOND_US;

/// The time that blocks took.
#[derive(Clone, Copy, Default)]
struct Taken {
    lots: u32,
    blocks: u32,
    /// Of both, and of each where the other is left out.
    elapsed_us: u64,
    qpu_us: u64,
    waited_us: u64,
}

impl Taken {
    /// Hundredths of a microsecond for a block.
    fn for_a_block(&self, us: u64) -> u64 {
        100 * us / u64::from(self.blocks.max(1))
    }
}

impl<Q: Fft + QpuHost> Hub<'_, Q> {
    /// Measures it, and says it. The stream has been ended.
    pub(super) fn say_speed(&mut self, board: &mut impl Board) {
        self.shape_analyser(Coding::new(SampleFormat::I16, self.settings.domain));
        // Its powers give way.
        self.stream.records.last = None;
        let taken = self.time_blocks(board);
        self.analyser.abandon();
        self.report_drops();
        let settings = &self.settings;
        let step = u64::from(settings.n - settings.overlap_samples());
        let us = taken.for_a_block(taken.elapsed_us).max(1);
        let qpu = taken.for_a_block(taken.qpu_us);
        let arm = taken.for_a_block(taken.elapsed_us - taken.waited_us);
        // Samples in a hundredth of a microsecond are hundreds of MS/s.
        let rate = 10_000 * step / us;
        let hundredths = |number: u64| fixed(number as i64, 2);
        let mut line = heapless::String::<160>::new();
        let _ = write!(
            line,
            "speed: {} us a block, {} MS/s; QPUs {} us, ARM {} us",
            hundredths(us),
            hundredths(rate),
            hundredths(qpu),
            hundredths(arm),
        );
        self.link.say(&line);
    }

    /// Times blocks, but for the first.
    fn time_blocks(&mut self, board: &mut impl Board) -> Taken {
        self.fill_with_noise();
        let (mut taken, mut start_us, mut is_timed) = (Taken::default(), 0, false);
        loop {
            let (lots, before_us) = (taken.lots, board.now_us());
            if self.analyser.wants() > 0 {
                self.analyser.take_all();
            }
            let was_busy = self.begin_and_finish(&mut taken, board);
            let now_us = board.now_us();
            if !was_busy {
                taken.waited_us += now_us - before_us;
            }
            if taken.lots == lots {
                continue;
            }
            taken.elapsed_us = now_us - start_us;
            if !is_timed && taken.lots >= BEFORE && taken.blocks >= BLOCKS_A_CHECK {
                (taken, start_us, is_timed) = (Taken::default(), now_us, true);
            }
            let is_enough = taken.blocks >= BLOCKS || taken.elapsed_us >= SPAN_US;
            if is_timed && taken.lots >= LOTS && is_enough {
                return taken;
            }
        }
    }

    fn fill_with_noise(&mut self) {
        let mut word = 1u32;
        let noise: [u8; SAMPLE_BUDGET] = core::array::from_fn(|_| {
            word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (word >> 24) as u8
        });
        let mut before = u64::MAX;
        while self.analyser.next_sample() != before {
            before = self.analyser.next_sample();
            self.analyser.extend(&noise);
        }
    }

    /// Begins and finishes blocks as [`Hub::work`] does; reports if there were any.
    fn begin_and_finish(&mut self, taken: &mut Taken, board: &mut impl Board) -> bool {
        let may_begin = self.analyser.may_begin(board.now_us());
        if may_begin {
            self.analyser.begin_blocks(&mut self.live.capture, board);
        }
        let is_there = self.analyser.has_first();
        let first = self.analyser.first_ends_record().filter(|_| is_there);
        let Some(is_last) = first else {
            return may_begin;
        };
        let before = self.analyser.so_far();
        // Why the QPUs failed is said when blocks of a stream are computed.
        let _ = self.analyser.finish_blocks(&mut self.live.capture, board);
        let after = self.analyser.so_far();
        taken.lots += 1;
        taken.blocks += after.blocks - before.blocks;
        taken.qpu_us += u64::from(after.qpu_us - before.qpu_us);
        if is_last {
            let values = self.analyser.values();
            let power = self.stream.records.power(values);
            self.analyser.finish_record(power);
            let encoding = self.settings.encoding();
            for power in power.chunks(MAX_CHUNK_DATA / encoding.bytes()) {
                encode(encoding, power, self.words);
                self.analyser.has_first();
            }
        }
        true
    }
}
