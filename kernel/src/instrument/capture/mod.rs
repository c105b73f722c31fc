//! The capture as a state machine: samples of a port, counted from the first.
//!
//! ```text
//!            begin                 rate known and right
//!   Idle ─────────────► Starting ───────────────────────► Running
//!     ▲                    │                                 │
//!     └────────────────────┴── end; or trouble: the port     │
//!     ▲                        failed, no clock, wrong rate  │
//!     └──────────────────────────────────────────────────────┘
//! ```
//!
//! [`Capture::step`] asks the port where it is and says what has changed. Samples lie in the port's
//! ring ([`ring`]): they are read from there, or lent to the QPUs where they lie. A reader asks
//! afterwards if DMA has left them alone ([`Ring::has`]); if not, they are lost as a whole.
//!
//! Samples that never came to the ring are found by counting ([`account`]). Where some are missing
//! there is a [`Gap`], which readers pass over. So there are two indices: that of the ring, by
//! which samples are found in memory, and that of the stream, which counts lost samples too
//! ([`Capture::ahead`]).

mod account;
mod gap;
mod glance;
mod meter;
mod port;
mod ring;
mod trouble;

use wire::Rate;

pub(super) use meter::Measured;
pub use port::{
    JITTER_WORDS, MARGIN_BYTES, Place, Port, PortError, RING_BYTES, Slots, TAIL_BYTES, Wiring,
};
pub(super) use trouble::{Trouble, hertz};

use account::{Account, Pace};
use meter::Meter;
use ring::{Gap, Ring};

/// The time without a sample after which the clock counts as stopped.
const IDLE_US: u64 = 50_000;
/// The rates that parts for I2S have, in hertz.
const RATES_HZ: core::ops::RangeInclusive<f64> = 7900.0..=388_000.0;
/// The time in which the rate is found out; a host repeats its request after 500 ms.
const START_US: u64 = 300_000;
/// The rate is known well enough to begin with when it may be off by so much of itself.
const START_PERCENT: f64 = 0.5;
/// A clock that differs from what was set by more is another one. Crystals are off by 0.01 %.
pub(super) const WRONG_PERCENT: f64 = 1.0;
/// The rate is compared again after so long.
const COMPARE_US: u64 = 1_000_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Idle,
    /// The port runs; the rate is not known yet.
    Starting,
    Running,
}

/// A change of the capture.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Event {
    Nothing,
    /// Samples come, and their rate is known.
    Started,
    /// The rate is known better than before.
    Rate,
    /// The capture has ended.
    Failed(Trouble),
}

/// Samples from a port.
pub(super) struct Capture {
    state: State,
    pub(super) wiring: Wiring,
    /// The rate that was set.
    expected: Option<Rate>,
    pub(super) ring: Ring,
    /// Since the start.
    meter: Meter,
    /// Since the last comparison.
    recent: Meter,
    begun_us: u64,
    compare_us: u64,
    /// The rate with which it began.
    found: Option<Measured>,
    /// The rate as it is stated: the mean since then.
    stated: Option<Measured>,
    /// Index behind the last sample of the records so far.
    covered: u64,
    /// Samples behind it that were left out.
    left_out: u64,
    /// Samples that were lost on the way to the ring. Where an ADC gives the clock, there is one
    /// when its rate is known.
    account: Option<Account>,
    /// Lost samples that are not counted yet.
    uncounted: u64,
    /// The samples at which some are missing, until readers have passed over them.
    gap: Option<Gap>,
    /// Index behind the last sample of the ring before which none is missing but those of the gap.
    whole: u64,
    /// The FIFO ran over since the start, or later since the last sample.
    is_overrun: bool,
    /// What a look has found that was not the step's own.
    found_trouble: Option<Trouble>,
    /// Frames that DMA had passed over when the last record ended.
    passed: u64,
}

impl Capture {
    /// No capture yet.
    pub(super) const fn new() -> Self {
        let wiring = Wiring::I2s(Slots {
            left: true,
            right: false,
            divisor: None,
        });
        Self {
            state: State::Idle,
            wiring,
            expected: None,
            ring: Ring::new(wiring.frame_bytes(), 0),
            meter: Meter::new(wiring.frame_bytes()),
            recent: Meter::new(wiring.frame_bytes()),
            begun_us: 0,
            compare_us: 0,
            found: None,
            stated: None,
            covered: 0,
            left_out: 0,
            account: None,
            uncounted: 0,
            gap: None,
            whole: 0,
            is_overrun: false,
            found_trouble: None,
            passed: 0,
        }
    }

    /// Opens the port. `expected`: the rate that was set; the exact one where the board gives the
    /// clock.
    pub(super) fn begin(
        &mut self,
        port: &mut impl Port,
        wiring: Wiring,
        expected: Option<Rate>,
        now_us: u64,
    ) -> Result<(), Trouble> {
        self.end(port);
        port.open(&wiring).map_err(Trouble::Port)?;
        let bytes = wiring.frame_bytes();
        let held = (port.held_words() * 4).div_ceil(bytes);
        let of_board = |rate| Account::new(Pace::Board, rate, held);
        *self = Self {
            account: expected.filter(|_| wiring.gives_clock()).map(of_board),
            state: State::Starting,
            wiring,
            expected,
            ring: Ring::new(bytes, now_us),
            meter: Meter::new(bytes),
            recent: Meter::new(bytes),
            begun_us: now_us,
            ..Self::new()
        };
        Ok(())
    }

    /// Closes the port, if it is open.
    pub(super) fn end(&mut self, port: &mut impl Port) {
        if self.state != State::Idle {
            port.close();
        }
        self.state = State::Idle;
    }

    /// Reports if samples come, or are waited for.
    pub(super) fn is_open(&self) -> bool {
        self.state != State::Idle
    }

    /// Reports if samples come, and their rate is known.
    pub(super) fn is_running(&self) -> bool {
        self.state == State::Running
    }

    /// When the last samples came.
    pub(super) fn last_us(&self) -> u64 {
        self.meter.grown_us().unwrap_or(self.begun_us)
    }

    /// The rate since the start, however good it is known.
    pub(super) fn measured(&self) -> Option<Measured> {
        self.meter.measured()
    }

    /// The rate to compute with: exact where the board gives the clock.
    pub(super) fn rate(&self) -> Option<Measured> {
        match self.expected {
            Some(rate) if self.wiring.gives_clock() => Some(Measured::exact(rate)),
            _ => self.stated,
        }
    }

    /// Asks the port how far it has come.
    pub(super) fn step(&mut self, port: &mut impl Port) -> Event {
        if self.state == State::Idle {
            return Event::Nothing;
        }
        let looked = match self.found_trouble.take() {
            Some(trouble) => Err(trouble),
            None => self.look(port),
        };
        match looked.and_then(|now_us| self.judge(now_us, port.held_words())) {
            Ok(event) => event,
            Err(trouble) => {
                self.end(port);
                Event::Failed(trouble)
            }
        }
    }

    /// Takes in how far the port has come; returns the time.
    fn look(&mut self, port: &mut impl Port) -> Result<u64, Trouble> {
        let place = port.place().map_err(Trouble::Port)?;
        let frames_a_second = self.rate().map_or(0.0, |it| it.rate.to_hz());
        let bytes = f64::from(self.wiring.frame_bytes());
        let before = self.ring.written;
        self.ring.update(place, frames_a_second * bytes);
        if self.state == State::Running && self.ring.written > before {
            self.is_overrun = false;
        }
        for meter in [&mut self.meter, &mut self.recent] {
            meter.note(self.ring.received(), place);
        }
        self.settle(place, port.held_words());
        if place.is_overrun {
            self.begin_again(port)?;
        }
        Ok(place.at_us)
    }

    /// Lets the input begin again where its FIFO ran over, at a frame.
    fn begin_again(&mut self, port: &mut impl Port) -> Result<(), Trouble> {
        self.is_overrun = true;
        let at = self.ring.begin_again();
        port.begin_again(at).map_err(Trouble::Port)?;
        self.widen_gap(port.held_words());
        // What is missing is no part of the clock's rate.
        self.meter.begin_again();
        Ok(())
    }

    fn judge(&mut self, now_us: u64, held_words: u32) -> Result<Event, Trouble> {
        if self.meter.idle_us(now_us) > IDLE_US {
            return Err(match self.ring.frames() {
                _ if self.is_overrun => Trouble::Port(PortError::Overrun),
                0 => Trouble::Nothing(self.wiring),
                samples => Trouble::Stopped { samples },
            });
        }
        if self.state == State::Starting {
            return self.start(now_us, held_words);
        }
        if now_us >= self.compare_us {
            self.compare_us = now_us + COMPARE_US;
            self.compare()?;
        }
        Ok(match (self.meter.measured(), self.stated) {
            (Some(now), Some(stated)) if is_news(&now, &stated) => {
                self.stated = Some(now);
                Event::Rate
            }
            _ => Event::Nothing,
        })
    }

    /// Goes on when the rate is known, and refuses a wrong one.
    fn start(&mut self, now_us: u64, held_words: u32) -> Result<Event, Trouble> {
        let late = now_us > self.begun_us + START_US;
        let Some(measured) = self.meter.measured() else {
            return match (late, self.is_overrun) {
                (false, _) => Ok(Event::Nothing),
                (true, false) => Err(Trouble::Nothing(self.wiring)),
                (true, true) => Err(Trouble::Port(PortError::Overrun)),
            };
        };
        let is_known = measured.within_hz < measured.rate.to_hz() * START_PERCENT / 100.0;
        if !is_known && !late {
            return Ok(Event::Nothing);
        }
        let hz = measured.rate.to_hz();
        let is_right = match self.wiring {
            // Few frames of a slow part are there by then: its rate is stated as it is known.
            Wiring::I2s(_) => {
                RATES_HZ.contains(&hz) && measured.within_hz < hz * WRONG_PERCENT / 100.0
            }
            Wiring::Smi { .. } => is_known,
        };
        if !is_right && self.is_overrun {
            return Err(Trouble::Port(PortError::Overrun));
        }
        if !is_right {
            return Err(self.out_of_range(measured));
        }
        self.compare()?;
        self.recent.restart();
        self.compare_us = now_us + COMPARE_US;
        self.found = Some(measured);
        self.stated = Some(measured);
        if self.account.is_none() {
            let pace = Pace::Adc {
                within: measured.within_hz / hz,
            };
            let held = (held_words * 4).div_ceil(self.wiring.frame_bytes());
            self.account = Some(Account::new(pace, measured.rate, held));
        }
        self.state = State::Running;
        Ok(Event::Started)
    }

    /// Compares the rate since the last time with the one that was set, or that was found first.
    fn compare(&mut self) -> Result<(), Trouble> {
        let wanted = self.expected.map(Measured::exact).or(self.found);
        if let (Some(measured), Some(wanted)) = (self.recent.measured(), wanted)
            && measured.differs(&wanted, WRONG_PERCENT)
        {
            return Err(self.other_rate(measured, wanted.rate));
        }
        self.recent.restart();
        Ok(())
    }

    /// The trouble that samples come at a rate that cannot be.
    const fn out_of_range(&self, measured: Measured) -> Trouble {
        match (self.wiring, self.expected) {
            (Wiring::Smi { .. }, Some(expected)) => self.other_rate(measured, expected),
            _ => Trouble::Range(measured),
        }
    }

    /// The trouble that samples come at another rate.
    pub(super) const fn other_rate(&self, measured: Measured, expected: Rate) -> Trouble {
        Trouble::Rate {
            wiring: self.wiring,
            measured,
            expected,
        }
    }

    /// Looks again: reports if DMA has left this frame and those behind it alone until now.
    pub(super) fn still_has(&mut self, port: &mut impl Port, frame: u64) -> bool {
        match self.look(port) {
            Ok(_) => self.ring.has(frame),
            Err(trouble) => {
                // The next step says so.
                self.found_trouble = Some(trouble);
                false
            }
        }
    }

    /// Notes that all samples before this one are in records.
    pub(super) const fn cover(&mut self, end: u64) {
        self.covered = end;
        self.left_out = 0;
        self.passed = self.ring.frames_passed();
    }

    /// Samples up to this one that came and are in no record, nor left out.
    const fn unrecorded(&self, end: u64) -> u64 {
        let passed = self.ring.frames_passed() - self.passed;
        end.saturating_sub(self.covered + self.left_out + passed)
    }

    /// Takes the number of samples that a stream which ends now has lost and not counted, and of
    /// those that are in no record.
    pub(super) const fn take_rest(&mut self) -> u64 {
        let rest = self.unrecorded(self.ring.frames());
        self.cover(self.ring.frames());
        rest + self.take_lost()
    }

    /// Leaves out what DMA has overtaken: the index to go on from, and how many samples are in no
    /// record.
    pub(super) fn skip(&mut self) -> (u64, u64) {
        let mut from = self.ring.restart();
        if let Some(gap) = self.gap {
            from = from.max(gap.end);
            self.forget_gap();
        }
        let lost = self.unrecorded(from);
        self.cover(from);
        (from, lost)
    }

    /// When frame `number` will be in memory.
    pub(super) fn due_us(&self, number: u64) -> u64 {
        let poll_us = self.ring.seen_us + 1000;
        let Some(rate) = self.rate().filter(|_| self.is_running()) else {
            return poll_us;
        };
        let bytes = f64::from(self.wiring.frame_bytes());
        let ahead = number.saturating_sub(self.ring.frames()) as f64 + MARGIN_BYTES as f64 / bytes;
        let due_us = self.ring.seen_us + (ahead / rate.rate.to_hz() * 1e6) as u64;
        // A clock that stops is to be noticed.
        due_us.min(self.ring.seen_us + IDLE_US / 2)
    }
}

/// Reports if a rate is worth a new descriptor: twice as good, or another.
fn is_news(now: &Measured, stated: &Measured) -> bool {
    now.within_hz * 2.0 < stated.within_hz || {
        let away = (now.rate.to_hz() - stated.rate.to_hz()).abs();
        away > stated.within_hz + now.within_hz
    }
}

#[cfg(test)]
pub(super) mod tests;
