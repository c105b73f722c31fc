//! The one-byte codes of payload fields, and what each is called.

use signal::code;

code! {
    /// The engine that computed a spectrum.
    Engine, "engine" {
        /// The ARM.
        #[default] Cpu = 0 "cpu",
        /// The QPUs of V3D.
        Qpu = 1 "qpu",
    }
}

code! {
    /// The way in which blocks are combined into one spectrum.
    Averaging, "averaging" {
        /// Each record is one block.
        #[default] None = 0 "none",
        /// Mean of linear power, or what the detector says, over `average_count` blocks.
        Linear = 1 "linear",
        /// One combination of all blocks of an upload; one record at its end.
        All = 2 "all",
        /// The means of records, of `average_count` blocks each, averaged exponentially.
        Exponential = 3 "exponential",
    }
}

code! {
    /// The treatment of the mean of each block, as the window weighs it.
    Dc, "dc" {
        /// It stays.
        #[default] Keep = 0 "keep",
        /// It is taken away; of complex samples real and imaginary part each.
        Remove = 1 "remove",
    }
}

code! {
    /// The coding of a spectrum's values.
    Encoding, "encoding" {
        /// Linear power, IEEE single precision; NaN = missing.
        F32 = 0 "f32",
        /// Level in steps of `scale` dB above `offset`; 65535 = missing.
        #[default] U16 = 1 "u16",
        /// Level in steps of `scale` dB above `offset`; 255 = missing.
        U8 = 2 "u8",
    }
}

impl Encoding {
    /// Bytes a value takes.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::U16 => 2,
            Self::U8 => 1,
        }
    }
}

code! {
    /// The reference of a level.
    Unit, "unit" {
        /// Power of a bin relative to a full-scale sine (real: amplitude 1; complex: magnitude 1).
        #[default] Dbfs = 0 "dBFS",
        /// Equal numbers for samples in a unit of the host's own (1.0 = one of that unit).
        DbReUnit = 1 "dB",
    }
}

code! {
    /// Where samples come from.
    Source, "source" {
        /// The built-in generator.
        #[default] Generator = 0 "generator",
        /// Uploaded by the host.
        Upload = 1 "upload",
        /// A microphone or an ADC on I2S.
        I2s = 2 "i2s",
        /// A parallel ADC on SMI.
        Smi = 3 "smi",
    }
}

code! {
    /// The instrument's activity.
    State, "state" {
        /// Waiting for a command.
        #[default] Idle = 0 "idle",
        /// Streaming spectra of the generator.
        Streaming = 1 "streaming",
        /// Receiving samples.
        Uploading = 2 "uploading",
    }
}

code! {
    /// Why the board last started.
    ResetCause, "reset cause" {
        /// Power came on, or the cause is not known.
        #[default] PowerOn = 0 "power on",
        /// A `reboot` command.
        Command = 1 "reboot command",
        /// The firmware reported a fault and restarted.
        Fault = 2 "fault",
        /// The watchdog fired because the firmware stopped working.
        Watchdog = 3 "watchdog",
    }
}

/// Why a request was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct NakCode(pub u16);

impl NakCode {
    /// The kind of request is not known to this firmware.
    pub const UNKNOWN_REQUEST: Self = Self(1);
    /// The payload does not decode.
    pub const BAD_PAYLOAD: Self = Self(2);
    /// The setting is not known.
    pub const UNKNOWN_SETTING: Self = Self(3);
    /// The value does not fit the setting.
    pub const BAD_VALUE: Self = Self(4);
    /// Not possible in the present state.
    pub const WRONG_STATE: Self = Self(5);
    /// Samples are missing; continue from the offset in the credit message that follows.
    pub const GAP: Self = Self(6);
    /// More was sent than credits allowed.
    pub const NO_CREDIT: Self = Self(7);
    /// The checksum of the whole upload differs.
    pub const CHECKSUM: Self = Self(8);
    /// The line cannot run at this rate.
    pub const BAUD: Self = Self(9);
    /// The board lacks what the request needs.
    pub const NOT_AVAILABLE: Self = Self(10);
    /// A QPU program did not end within its limit, or failed.
    pub const QPU_FAILED: Self = Self(11);
    /// More memory is needed than there is.
    pub const NO_MEMORY: Self = Self(12);
    /// The owner of the board has not allowed it in `cmdline.txt`.
    pub const NOT_ALLOWED: Self = Self(13);
}
