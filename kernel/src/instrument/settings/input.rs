//! Settings of live inputs: where samples come from, which of them, and when.

use wire::Domain;

use super::{Problem, Settings};
use crate::instrument::capture::{Slots, Wiring};

signal::code! {
    /// Where live samples come from.
    Input, "input" {
        /// The built-in generator.
        #[default]
        Generator = 0 "gen",
        /// A microphone or an ADC on I2S.
        I2s = 1 "i2s",
        /// A parallel ADC of eight bits on SMI.
        Smi = 2 "smi",
    }
}

signal::code! {
    /// The samples that are taken when more come than can be transformed.
    Mode, "mode" {
        /// All; those that are lost are counted as overruns.
        #[default]
        Stream = 0 "stream",
        /// The newest when the last ones are done; records say their share.
        Snapshot = 1 "snapshot",
    }
}

signal::code! {
    /// The source of the bit clock and the frame clock of I2S.
    ClockSource, "clock" {
        /// The board, which divides its crystal.
        #[default]
        Board = 0 "board",
        /// The ADC; its rate is measured.
        Adc = 1 "adc",
    }
}

signal::code! {
    /// The slots of I2S that are samples.
    Channel, "channel" {
        /// Real samples of the left slot.
        #[default]
        Left = 0 "left",
        /// Real samples of the right slot.
        Right = 1 "right",
        /// Complex samples: left is in-phase, right is quadrature.
        Iq = 2 "iq",
        /// Complex samples: right is in-phase, left is quadrature.
        Qi = 3 "qi",
    }
}

impl Channel {
    /// Real or complex samples.
    #[must_use]
    pub const fn domain(self) -> Domain {
        match self {
            Self::Left | Self::Right => Domain::Real,
            Self::Iq | Self::Qi => Domain::Complex,
        }
    }

    /// The slots that are wanted: left and right.
    #[must_use]
    pub const fn slots(self) -> [bool; 2] {
        match self {
            Self::Left => [true, false],
            Self::Right => [false, true],
            Self::Iq | Self::Qi => [true, true],
        }
    }
}

impl Input {
    /// Refuses names that mean more than the pins can do.
    pub(super) fn check(value: &str) -> Result<(), Problem> {
        if value.contains("i2s") && value.contains("smi") {
            return Err(Problem::Value(
                "I2S and SMI share GPIO 18 to 21, so only one of them works; use input=i2s or \
                 input=smi",
            ));
        }
        if matches!(value, "smi12" | "smi10") {
            return Err(Problem::Value(
                "more than 8 bits would need GPIO 14 and 15, which are the serial line's; connect \
                 the ADC's highest 8 bits and use input=smi",
            ));
        }
        Ok(())
    }
}

impl Settings {
    /// Real or complex samples of the input.
    pub(in crate::instrument) const fn input_domain(&self) -> Domain {
        match self.input {
            Input::Generator => self.domain,
            Input::I2s => self.channel.domain(),
            Input::Smi => Domain::Real,
        }
    }

    /// What the port is to receive. `slots`: left and right, for I2S.
    pub(in crate::instrument) fn wiring(&self, [left, right]: [bool; 2]) -> Wiring {
        match self.cycles() {
            Some(cycles) if self.input == Input::Smi => Wiring::Smi { cycles },
            _ => Wiring::I2s(Slots {
                left,
                right,
                divisor: self.divisor(),
            }),
        }
    }
}

/// Refuses settings of I2S that mean nothing to a parallel ADC.
pub(super) fn check_parallel(settings: &Settings) -> Result<(), (&'static str, Problem)> {
    match (settings.input, settings.channel.domain(), settings.clock) {
        (Input::Smi, Domain::Complex, _) => Err((
            "channel",
            Problem::Value(
                "input=smi has one ADC, whose samples are real; set channel=left, or input=i2s",
            ),
        )),
        (Input::Smi, _, ClockSource::Adc) => Err((
            "clock",
            Problem::Value("the board clocks a parallel ADC on GPIO 6; set clock=board"),
        )),
        _ => Ok(()),
    }
}
