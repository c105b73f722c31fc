//! The descriptor: everything a listener needs to put units on the numbers of a spectrum.

use signal::{Beta, Detector, Domain, Rate, Window};

use crate::field::{Field, Reader, Writer, payload};
use crate::{Averaging, Dc, Encoding, Engine, Name, PayloadError, ResetCause, Source, Unit};

/// Clocks of the board in hertz; 0 = not known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clocks {
    /// The ARM.
    pub arm_hz: u32,
    /// The VideoCore core clock.
    pub core_hz: u32,
    /// V3D.
    pub v3d_hz: u32,
    /// The UART's reference.
    pub uart_hz: u32,
}

payload!(Clocks {
    arm_hz,
    core_hz,
    v3d_hz,
    uart_hz
});

/// The meaning of the spectra that name it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Descriptor {
    /// Changes whenever any other field does; each spectrum names its descriptor.
    pub id: u32,
    /// Samples (complex samples) a second.
    pub rate: Rate,
    /// Points of a block.
    pub n: u32,
    /// Real or complex samples.
    pub domain: Domain,
    /// The window.
    pub window: Window,
    /// Equivalent noise bandwidth of the window, in bins.
    pub enbw_bins: f64,
    /// Mean of the window's coefficients.
    pub coherent_gain: f64,
    /// Samples that a block shares with the one before.
    pub overlap: u32,
    /// The way in which blocks are combined.
    pub averaging: Averaging,
    /// Blocks in a record; 0 with [`Averaging::All`], where the record itself has the count.
    pub average_count: u32,
    /// Number of the first bin sent; negative for complex samples. Bin k is at
    /// `centre_hz + k * rate / n`.
    pub first_bin: i32,
    /// Bins sent.
    pub bins: u32,
    /// The frequency of 0 Hz of the samples, as set by the user.
    pub centre_hz: f64,
    /// The reference of levels.
    pub unit: Unit,
    /// The coding of values.
    pub encoding: Encoding,
    /// Decibels of one step (u16, u8); 1 for f32.
    pub scale: f32,
    /// Decibels of the raw value 0 (u16, u8); 0 for f32.
    pub offset: f32,
    /// Where samples come from.
    pub source: Source,
    /// The engine that is meant to compute; each spectrum says which one did.
    pub engine: Engine,
    /// Revision code of the board.
    pub board_revision: u32,
    /// Clocks of the board.
    pub clocks: Clocks,
    /// Version of the firmware.
    pub firmware: Name,
    /// The board's name.
    pub board: Name,
    /// The detector that combines the blocks of a record.
    pub detector: Detector,
    /// The treatment of the mean of each block.
    pub dc: Dc,
    /// The true rate is not further from [`Self::rate`] than this, in hertz, by the board's
    /// crystal; 0: the rate is exact.
    pub rate_within_hz: f64,
    /// Records of an exponential average, N: the mean of a record is 1/N of what the record sends,
    /// and what was sent before the rest; 0 with any other [`Averaging`].
    pub exponential: u32,
}

impl Descriptor {
    /// Values of a record: of each bin one for each of the detector's parts.
    #[must_use]
    pub fn values(&self) -> u32 {
        self.bins.saturating_mul(self.detector.parts().len() as u32)
    }

    /// Frequency of bin number `index` of those sent, in hertz.
    #[must_use]
    pub fn frequency_hz(&self, index: u32) -> f64 {
        let bin = f64::from(self.first_bin) + f64::from(index);
        self.centre_hz + bin * self.rate.to_hz() / f64::from(self.n)
    }
}

impl Field<'_> for Descriptor {
    fn read(r: &mut Reader) -> Result<Self, PayloadError> {
        let (id, rate, n) = (r.get()?, r.get()?, r.get()?);
        let (domain, window_code) = (r.get()?, r.get()?);
        let mut descriptor = Self {
            id,
            rate,
            n,
            domain,
            window: Window::default(),
            averaging: r.get()?,
            unit: r.get()?,
            encoding: r.get()?,
            source: r.get()?,
            engine: r.get()?,
            enbw_bins: r.get()?,
            coherent_gain: r.get()?,
            overlap: r.get()?,
            average_count: r.get()?,
            first_bin: r.get()?,
            bins: r.get()?,
            centre_hz: r.get()?,
            scale: r.get()?,
            offset: r.get()?,
            board_revision: r.get()?,
            clocks: r.get()?,
            firmware: r.get()?,
            board: r.get()?,
            detector: r.get()?,
            dc: r.get()?,
            rate_within_hz: 0.0,
            exponential: 0,
        };
        let beta = Beta::from_milli(r.get()?);
        let beta = beta.ok_or(PayloadError::OutOfRange { field: "beta" })?;
        descriptor.rate_within_hz = r.get()?;
        descriptor.exponential = r.get()?;
        descriptor.window = match Window::from_code(window_code) {
            Some(Window::Kaiser(_)) => Window::Kaiser(beta),
            Some(window) => window,
            None => {
                return Err(PayloadError::UnknownCode {
                    field: "window",
                    value: window_code,
                });
            }
        };
        if descriptor.n == 0 {
            return Err(PayloadError::OutOfRange { field: "n" });
        }
        Ok(descriptor)
    }

    fn write(&self, w: &mut Writer) -> Result<(), PayloadError> {
        self.id.write(w)?;
        self.rate.write(w)?;
        self.n.write(w)?;
        self.domain.write(w)?;
        self.window.code().write(w)?;
        self.averaging.write(w)?;
        self.unit.write(w)?;
        self.encoding.write(w)?;
        self.source.write(w)?;
        self.engine.write(w)?;
        self.enbw_bins.write(w)?;
        self.coherent_gain.write(w)?;
        self.overlap.write(w)?;
        self.average_count.write(w)?;
        self.first_bin.write(w)?;
        self.bins.write(w)?;
        self.centre_hz.write(w)?;
        self.scale.write(w)?;
        self.offset.write(w)?;
        self.board_revision.write(w)?;
        self.clocks.write(w)?;
        self.firmware.write(w)?;
        self.board.write(w)?;
        self.detector.write(w)?;
        self.dc.write(w)?;
        self.window.beta().milli().write(w)?;
        self.rate_within_hz.write(w)?;
        self.exponential.write(w)
    }
}

/// The instrument's description of itself; the answer to `HELLO`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Info<'a> {
    /// The engine in use.
    pub engine: Engine,
    /// Its activity.
    pub state: crate::State,
    /// Why it last started.
    pub reset_cause: ResetCause,
    /// Revision code of the board.
    pub board_revision: u32,
    /// Memory of the ARM in bytes.
    pub memory_bytes: u32,
    /// Clocks.
    pub clocks: Clocks,
    /// The line's rate.
    pub baud: u32,
    /// Version of the firmware.
    pub firmware: Name,
    /// The board's name.
    pub board: Name,
    /// Its capabilities, as `key=value` words: `n=16..65536 window=hann,... out=f32,u16,u8 ...`.
    pub capabilities: &'a str,
}

payload!(Info<'a> {
    engine, state, reset_cause, board_revision, memory_bytes, clocks, baud, firmware, board, capabilities,
});
