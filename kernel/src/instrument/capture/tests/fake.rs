//! A port whose DMA is a program, with a clock that can be wrong, stop or fail.

use super::super::port::{Place, Port, PortError, RING_BYTES, Slots, TAIL_BYTES, Wiring};
use crate::dma_buf::DmaBuf;

/// A part on the pins: the words of left and right in frame `index`.
pub type Part = fn(index: u64) -> [i32; 2];

/// A port without hardware.
pub struct FakePort {
    memory: DmaBuf,
    /// The time, which the board sets.
    pub now_us: u64,
    pub part: Part,
    /// Frames a second of an ADC that gives the clock.
    pub adc_hz: Option<f64>,
    /// The board's clock is off by this factor.
    pub factor: f64,
    /// The clock stops at this frame.
    pub stops_at: u64,
    /// The port fails when it has come to this frame.
    pub fails: Option<(u64, PortError)>,
    /// Frames of the clock that do not come to memory: from one on, so many. In order.
    pub losses: Vec<(u64, u64)>,
    /// Frames of the clock at which the FIFO runs over. In order.
    pub overruns: Vec<u64>,
    /// Words that FIFO and DMA may hold.
    pub held_words: u32,
    /// The moment of DMA's place is known to so many microseconds.
    pub within_us: u32,
    /// The port cannot be opened.
    pub refuses: Option<PortError>,
    /// Wirings that were opened, in order.
    pub opened: Vec<Wiring>,
    open: Option<(Wiring, u64)>,
    /// The frame of the clock, and that of the ring, with which the ring was begun last.
    begun: (u64, u64),
    /// Frames that had come to memory by then.
    before: u64,
    /// Frames of the ring that are in memory.
    done: u64,
}

impl FakePort {
    /// A port to which a part with a tone of -6 dBFS on the left is connected; the right is silent.
    pub fn new() -> Self {
        Self {
            memory: DmaBuf::fake((RING_BYTES + TAIL_BYTES) / 4),
            now_us: 0,
            part: |index| {
                let phase = core::f64::consts::TAU * (index % 32) as f64 / 32.0;
                [sample(0.5 * phase.sin()), 0]
            },
            adc_hz: None,
            factor: 1.0,
            stops_at: u64::MAX,
            fails: None,
            losses: vec![],
            overruns: vec![],
            held_words: 8,
            within_us: 1,
            refuses: None,
            opened: vec![],
            open: None,
            begun: (0, 0),
            before: 0,
            done: 0,
        }
    }

    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Frames of the clock that have passed.
    fn clocked(&self) -> u64 {
        let Some((wiring, begun_us)) = self.open else {
            return 0;
        };
        let hz = match wiring {
            Wiring::I2s(Slots { divisor, .. }) => match divisor {
                Some(divisor) => 300_000.0 / f64::from(divisor),
                None => self.adc_hz.unwrap_or(0.0),
            },
            Wiring::Smi { cycles } => 100e6 / f64::from(cycles),
        };
        let seconds = (self.now_us - begun_us) as f64 / 1e6;
        ((seconds * hz * self.factor) as u64).min(self.stops_at)
    }

    /// Frames of the clock, before this one and since the ring was begun, that are lost.
    fn lost_before(&self, clocked: u64) -> u64 {
        let from = self.begun.0;
        let lost = |(at, count): &(u64, u64)| {
            let end = (at + count).min(clocked);
            end.saturating_sub(*at.max(&from))
        };
        self.losses.iter().map(lost).sum()
    }

    /// Frames of the clock that are lost until now, those between two rings included.
    pub fn lost(&self) -> u64 {
        self.clocked() - self.received()
    }

    /// Frames that have come to memory.
    pub fn received(&self) -> u64 {
        self.before + self.frames() - self.begun.1
    }

    /// Frames of the ring, from its first begin on.
    fn frames(&self) -> u64 {
        let (clocked, (from, first)) = (self.clocked(), self.begun);
        first + clocked.saturating_sub(from) - self.lost_before(clocked)
    }

    /// Leaves memory as it is up to now, where nobody looks at it.
    pub fn skip_writing(&mut self) {
        self.done = self.frames();
    }

    /// The frame of the clock that is this one of the ring.
    pub fn clocked_at(&self, frame: u64) -> u64 {
        let mut clocked = self.begun.0 + (frame - self.begun.1);
        for (at, count) in &self.losses {
            if *at >= self.begun.0 && *at <= clocked {
                clocked += count;
            }
        }
        clocked
    }
}

/// A sample of 24 bits, in the highest bits of its word.
pub fn sample(value: f64) -> i32 {
    ((value * 8_388_608.0).round() as i32) << 8
}

impl FakePort {
    /// Puts a frame into the ring, as the frame with this number of a round.
    fn put(&mut self, frame: u64, number: usize, wiring: Wiring) {
        let [left, right] = (self.part)(self.clocked_at(frame));
        let ring = self.memory.words_mut();
        let Wiring::I2s(slots) = wiring else {
            // An ADC of eight bits; what is on the other eight pins is not known.
            let sample = (left as u32 >> 24 ^ 0x80) << 8 | frame as u32 & 0xff;
            let word = &mut ring[number / 2];
            let shift = number % 2 * 16;
            *word = *word & !(0xffff << shift) | sample << shift;
            return;
        };
        let words = [(slots.left, left), (slots.right, right)];
        let words = words.into_iter().filter(|(wanted, _)| *wanted);
        let start = number * wiring.frame_bytes() as usize / 4;
        for (place, (_, word)) in ring[start..].iter_mut().zip(words) {
            *place = word as u32;
        }
    }
}

impl Port for FakePort {
    fn open(&mut self, wiring: &Wiring) -> Result<(), PortError> {
        self.opened.push(*wiring);
        if let Some(error) = self.refuses {
            return Err(error);
        }
        if !wiring.gives_clock() && self.adc_hz.is_none() {
            return Err(PortError::NoClock { pin: 18 });
        }
        self.open = Some((*wiring, self.now_us));
        (self.begun, self.before, self.done) = ((0, 0), 0, 0);
        Ok(())
    }

    fn begin_again(&mut self, at: u32) -> Result<(), PortError> {
        let (wiring, _) = self.open.expect("nobody asks a closed port");
        let clocked = self.clocked();
        self.overruns.retain(|frame| *frame > clocked);
        self.before = self.received();
        let bytes = RING_BYTES as u64;
        let done = self.done * u64::from(wiring.frame_bytes());
        let ahead = (u64::from(at) + bytes - done % bytes) % bytes;
        let first = (done + ahead) / u64::from(wiring.frame_bytes());
        // It takes the time of three frames.
        self.begun = (clocked + 3, first);
        self.done = first;
        Ok(())
    }

    fn held_words(&self) -> u32 {
        self.held_words
    }

    fn smi_fifo_words(&self) -> Option<u32> {
        let is_smi = matches!(self.open, Some((Wiring::Smi { .. }, _)));
        is_smi.then_some(16)
    }

    fn close(&mut self) {
        self.open = None;
    }

    fn place(&mut self) -> Result<Place, PortError> {
        let (wiring, _) = self.open.expect("nobody asks a closed port");
        let frames = self.frames();
        if let Some((at, error)) = self.fails
            && frames >= at
        {
            return Err(error);
        }
        let ring_frames = RING_BYTES as u64 / u64::from(wiring.frame_bytes());
        for frame in self.done.max(frames.saturating_sub(ring_frames))..frames {
            self.put(frame, (frame % ring_frames) as usize, wiring);
        }
        self.done = frames;
        Ok(Place {
            bytes: (frames % ring_frames) as u32 * wiring.frame_bytes(),
            at_us: self.now_us,
            within_us: self.within_us,
            is_overrun: self
                .overruns
                .first()
                .is_some_and(|at| self.clocked() >= *at),
        })
    }

    fn memory(&mut self) -> &mut DmaBuf {
        &mut self.memory
    }
}
