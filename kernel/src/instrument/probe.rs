//! `probe`: a look at the pins of the live input, in sentences that say what to do.
//!
//! I2S is opened for both slots. Microphones are silent for their first 2^18 bit clocks, so the
//! frames behind these are looked at.

use core::fmt::{self, Write};

use dsp::level::decibels;
use wire::{Message, NakCode, Probed, Rate, Slot};

use super::board::Board;
use super::capture::{Capture, Event, Measured, Port, WRONG_PERCENT, Wiring, hertz};
use super::hub::Hub;
use super::live::Asker;
use super::refusal::Refusal;
use super::settings::{Input, Settings, rounded};
use crate::engine::{Fft, QpuHost};
use crate::gpio::SMI_DATA_PINS;

/// Frames that are passed over: a quarter more than a microphone is silent for.
const SETTLE: u64 = (1 << 18) / 64 * 5 / 4;
/// Frames that are looked at.
const FRAMES: u64 = 4096;
/// A mean beyond this is worth a sentence: the offset of microphones that are all right is less.
const OFFSET: f32 = 0.05;

/// The samples of a slot, or of a parallel ADC, as they come: 24 bits with a sign, or 8 bits with
/// an offset.
#[derive(Clone, Copy, Debug)]
struct Seen {
    value: fn(i32) -> f32,
    lowest: i32,
    highest: i32,
    /// Bits that were 1, and bits that were 0.
    ones: i32,
    zeros: i32,
    sum: f64,
    squares: f64,
    count: u32,
}

impl Seen {
    const fn nothing(value: fn(i32) -> f32) -> Self {
        Self {
            value,
            lowest: i32::MAX,
            highest: i32::MIN,
            ones: 0,
            zeros: 0,
            sum: 0.0,
            squares: 0.0,
            count: 0,
        }
    }

    fn take(&mut self, sample: i32) {
        self.lowest = self.lowest.min(sample);
        self.highest = self.highest.max(sample);
        self.ones |= sample;
        self.zeros |= !sample;
        let value = f64::from((self.value)(sample));
        self.sum += value;
        self.squares += value * value;
        self.count += 1;
    }

    fn slot(&self) -> Slot {
        if self.count == 0 {
            return Slot::default();
        }
        let count = f64::from(self.count);
        let mean = self.sum / count;
        let square = (self.squares / count - mean * mean).max(0.0);
        Slot {
            lowest: (self.value)(self.lowest),
            highest: (self.value)(self.highest),
            mean: mean as f32,
            rms: libm::sqrt(square) as f32,
        }
    }

    /// The bits that all samples are, if they are all the same.
    fn constant(&self) -> Option<u32> {
        (self.lowest == self.highest).then_some(self.lowest as u32 & 0xff_ffff)
    }

    /// Reports if a sample is at either end of its range.
    fn is_clipped(&self) -> bool {
        (self.value)(self.lowest) <= -1.0 || (self.value)(self.highest) >= FULL_SCALE
    }

    /// The lowest bit that never changes although a higher one does, and the higher one. No signal
    /// with some noise does that.
    fn stuck(&self) -> Option<(u32, u32)> {
        let changes = self.ones & self.zeros;
        let highest = changes.checked_ilog2()?;
        let lowest = (!changes).trailing_zeros();
        (lowest < highest).then_some((lowest, highest))
    }
}

/// The greatest sample of 24 bits.
const FULL_SCALE: f32 = 1.0 - 1.0 / 8_388_608.0;

/// The findings, in words.
#[derive(Default)]
struct Findings {
    troubles: u8,
    text: heapless::String<1024>,
}

impl Findings {
    fn trouble(&mut self, sentence: fmt::Arguments) {
        self.troubles += 1;
        self.say(sentence);
    }

    fn say(&mut self, sentence: fmt::Arguments) {
        let _ = writeln!(self.text, "{sentence}");
    }

    /// Says what is wrong with the data.
    fn judge(&mut self, settings: &Settings, seen: &[Seen; 2]) {
        let wants = settings.channel.slots();
        if let [Some(left), Some(right)] = [seen[0].constant(), seen[1].constant()] {
            self.trouble(format_args!(
                "data never changes: left is always {left:#08x} and right {right:#08x}; check the \
                 wire from the ADC's data pin, and its power"
            ));
            return;
        }
        for (side, name) in ["left", "right"].into_iter().enumerate() {
            if wants[side] {
                self.judge_slot(side, name, &seen[side]);
            }
        }
        for (seen, name) in seen.iter().zip(["left", "right"]) {
            self.say_level(name, seen);
        }
    }

    /// Says what is wrong with the data of a parallel ADC.
    fn judge_parallel(&mut self, seen: &Seen) {
        if let Some(word) = seen.constant() {
            self.trouble(format_args!(
                "data never changes: GPIO 16 to 23 always read {word:#04x}; is the ADC on, and are \
                 its clock at GPIO 6 and its ground connected?"
            ));
            return;
        }
        if let Some((stuck, changes)) = seen.stuck() {
            let first = u32::from(SMI_DATA_PINS.start);
            self.trouble(format_args!(
                "GPIO {} never changes although GPIO {} does; check its wire",
                first + stuck,
                first + changes
            ));
        }
        self.judge_values("the ADC", seen);
        self.say_level("the ADC", seen);
    }

    /// Says the level of samples.
    fn say_level(&mut self, name: &str, seen: &Seen) {
        let Slot { rms, mean, .. } = seen.slot();
        // A sine of full scale has half the power of a constant.
        let level = decibels((2.0 * rms * rms).max(1e-20));
        self.say(format_args!(
            "{name}: {} dBFS, mean {}",
            rounded(level, 2),
            rounded(mean.into(), 2)
        ));
    }

    /// Says what is wrong with the samples of a slot that is wanted.
    fn judge_slot(&mut self, side: usize, name: &str, seen: &Seen) {
        match (seen.constant(), side) {
            (Some(0), 0) => self.trouble(format_args!(
                "left is silent: is the microphone's L/R pin at 3.3 V? Connect it to ground, or \
                 set channel=right"
            )),
            (Some(0), _) => self.trouble(format_args!(
                "right is silent: is the microphone's L/R pin at ground? Connect it to 3.3 V, or \
                 set channel=left"
            )),
            (Some(word), _) => self.trouble(format_args!(
                "{name} never changes: it is always {word:#08x}; check the ADC's input"
            )),
            (None, _) => {}
        }
        self.judge_values(name, seen);
    }

    /// Says what is wrong with samples as numbers.
    fn judge_values(&mut self, name: &str, seen: &Seen) {
        let mean = seen.slot().mean;
        if seen.constant().is_none() && mean.abs() > OFFSET {
            self.trouble(format_args!(
                "{name}: DC offset {}; set dc=remove, or couple the input by a capacitor",
                rounded(mean.into(), 2)
            ));
        }
        if seen.is_clipped() {
            self.trouble(format_args!(
                "{name} reaches full scale; turn the level down"
            ));
        }
    }
}

/// Nothing of left and right yet; a parallel ADC is the left one.
fn unseen(wiring: Wiring) -> [Seen; 2] {
    let value: fn(i32) -> f32 = match wiring {
        Wiring::I2s(_) => |sample: i32| sample as f32 * (1.0 / 8_388_608.0),
        Wiring::Smi { .. } => |sample: i32| (sample as f32 - 127.5) * (1.0 / 127.5),
    };
    [Seen::nothing(value); 2]
}

/// The last frames.
fn look(capture: &Capture, port: &mut impl Port) -> [Seen; 2] {
    let wiring = capture.wiring;
    let mut seen = unseen(wiring);
    // A frame of two bytes may begin in the middle of a word.
    let first = (capture.ring.frames() - FRAMES) / 2 * 2;
    capture.ring.read(port.memory(), first, FRAMES, |words, _| {
        for (index, word) in words.iter().enumerate() {
            match wiring {
                Wiring::I2s(_) => seen[index % 2].take(*word as i32 >> 8),
                Wiring::Smi { .. } => {
                    seen[0].take((word >> 8 & 0xff) as i32);
                    seen[0].take((word >> 24) as i32);
                }
            }
        }
    });
    seen
}

impl<Q: Fft + QpuHost> Hub<'_, Q> {
    /// Begins to look at the live input. A stream ends.
    pub(super) fn begin_probe(&mut self, board: &mut impl Board) -> Result<(), Refusal> {
        let settings = self.settings;
        // The clocks of one input may go to pins that a part for the other drives.
        if settings.input == Input::Generator {
            return Err(Refusal::Plain(
                NakCode::WRONG_STATE,
                "input=gen has no pins to look at; set input=i2s or input=smi first",
            ));
        }
        self.end_stream(board);
        self.live.probe = true;
        // A rate that is another is a finding like others, so the capture does not insist on it.
        let gives_clock = settings.wiring([true; 2]).gives_clock();
        let exact = settings.rate.filter(|_| gives_clock);
        match self.live.open(&settings, [true; 2], exact, board) {
            Ok(()) => Ok(()),
            // These are findings, and the answer says them.
            Err(trouble) if trouble.is_finding() => {
                self.live.found = Some(trouble);
                Ok(())
            }
            Err(trouble) => {
                self.live.probe = false;
                Err(Refusal::Input(trouble))
            }
        }
    }

    /// Goes on with the look at the live input; reports if there was something to do.
    pub(super) fn step_probe(&mut self, event: Event, board: &mut impl Board) -> bool {
        let capture = &self.live.capture;
        let settle = match capture.wiring {
            Wiring::I2s(_) => SETTLE,
            Wiring::Smi { .. } => 0,
        };
        let is_settled = capture.is_running() && capture.ring.frames() >= settle + FRAMES;
        let found = self.live.found.take();
        // What was measured before is of another capture.
        let measured = capture.measured().filter(|_| found.is_none());
        let trouble = match event {
            Event::Failed(trouble) => Some(trouble),
            _ => found,
        };
        if trouble.is_none() && !is_settled {
            return false;
        }
        let mut findings = Findings::default();
        let mut seen = unseen(capture.wiring);
        let expected = self.settings.rate;
        match &trouble {
            Some(trouble) => findings.trouble(format_args!("{trouble}")),
            None => {
                if let (Some(measured), Some(expected)) = (measured, expected)
                    && measured.differs(&Measured::exact(expected), WRONG_PERCENT)
                {
                    let trouble = capture.other_rate(measured, expected);
                    findings.trouble(format_args!("{trouble}"));
                }
                seen = look(capture, board.port());
                match capture.wiring {
                    Wiring::I2s(_) => findings.judge(&self.settings, &seen),
                    Wiring::Smi { .. } => findings.judge_parallel(&seen[0]),
                }
            }
        }
        let expected_hz = expected.map_or(0.0, Rate::to_hz);
        if let Some(measured) = measured {
            let what = match capture.wiring {
                Wiring::I2s(_) => "frame clock",
                Wiring::Smi { .. } => "read clock",
            };
            let rate = hertz(measured.rate.to_hz());
            let within = hertz(measured.within_hz);
            findings.say(format_args!("{what} {rate} Hz, within {within} Hz"));
        }
        if matches!(capture.wiring, Wiring::Smi { .. }) {
            match board.port().smi_fifo_words() {
                Some(words) => findings.say(format_args!("SMI's FIFO has {words} words")),
                None => findings.say(format_args!("SMI does not show how full its FIFO is")),
            }
        }
        let probed = Probed {
            troubles: findings.troubles,
            frames: seen[0].count,
            rate_hz: measured.map_or(0.0, |it| it.rate.to_hz()),
            within_hz: measured.map_or(0.0, |it| it.within_hz),
            expected_hz,
            left: seen[0].slot(),
            right: seen[1].slot(),
            text: &findings.text,
        };
        match self.live.asker {
            Some(Asker::Host { request, stream }) => {
                self.link
                    .put(request, stream, &Message::Probed(probed), board);
            }
            _ => probed.text.lines().for_each(|line| self.link.say(line)),
        }
        self.live.end(board);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(settings: &str, frame: impl Fn(u32) -> [i32; 2]) -> Findings {
        let mut all = Settings::default();
        all.apply(settings).unwrap();
        let wiring = all.wiring([true; 2]);
        let mut seen = unseen(wiring);
        for index in 0..4096 {
            for (seen, sample) in seen.iter_mut().zip(frame(index)) {
                seen.take(sample);
            }
        }
        let mut findings = Findings::default();
        match wiring {
            Wiring::I2s(_) => findings.judge(&all, &seen),
            Wiring::Smi { .. } => findings.judge_parallel(&seen[0]),
        }
        findings
    }

    /// A square wave of a quarter of full scale.
    fn square(index: u32) -> i32 {
        if (index / 8).is_multiple_of(2) {
            1 << 21
        } else {
            -(1 << 21)
        }
    }

    #[test]
    fn each_wrong_wiring_has_its_sentence() {
        for (settings, frame, troubles, words) in [
            (
                "",
                (|n| [square(n), 0]) as fn(u32) -> [i32; 2],
                0,
                "left: -9.03 dBFS, mean 0.00",
            ),
            (
                "",
                |n| [0, square(n)],
                1,
                "left is silent: is the microphone's L/R pin at 3.3 V?",
            ),
            (
                "channel=right",
                |n| [square(n), 0],
                1,
                "right is silent: is the microphone's L/R pin at ground?",
            ),
            ("channel=iq", |n| [square(n), 0], 1, "right is silent"),
            (
                "",
                |_| [0, 0],
                1,
                "data never changes: left is always 0x000000",
            ),
            ("", |_| [-1, -1], 1, "always 0xffffff"),
            (
                "",
                |n| [square(n) - 2_600_468, 0],
                1,
                "left: DC offset -0.31",
            ),
            (
                "channel=iq",
                |n| [square(n), 7],
                1,
                "right never changes: it is always 0x000007",
            ),
            (
                "",
                |n| [(4 * square(n)).min(0x7f_ffff), 0],
                1,
                "left reaches full scale",
            ),
        ] {
            let found = findings(settings, frame);
            assert!(found.text.contains(words), "{words}: {}", found.text);
            assert_eq!(found.troubles, troubles, "{}", found.text);
        }
    }

    /// A triangle wave of half of full scale around the middle, as an ADC of eight bits gives it.
    fn triangle(index: u32) -> i32 {
        64 + (index % 256).min(255 - index % 256) as i32
    }

    #[test]
    fn each_wrong_wire_of_a_parallel_adc_has_its_sentence() {
        for (frame, troubles, words) in [
            (
                (|n| [triangle(n), 0]) as fn(u32) -> [i32; 2],
                0,
                "the ADC: -7.7",
            ),
            (
                |_| [0, 0],
                1,
                "data never changes: GPIO 16 to 23 always read 0x00",
            ),
            (|_| [0xff, 0], 1, "always read 0xff"),
            (
                |n| [triangle(n) & !4, 0],
                1,
                "GPIO 18 never changes although GPIO 23 does",
            ),
            (|n| [triangle(n) + 32, 0], 1, "the ADC: DC offset 0.25"),
            (
                |n| [(2 * triangle(n) - 127 + (n & 1) as i32).min(255), 0],
                1,
                "the ADC reaches full scale",
            ),
        ] {
            let found = findings("input=smi rate=20M", frame);
            assert!(found.text.contains(words), "{words}: {}", found.text);
            assert_eq!(found.troubles, troubles, "{}", found.text);
        }
    }
}
