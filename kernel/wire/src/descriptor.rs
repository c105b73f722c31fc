//! The descriptor: everything a listener needs to put units on the numbers of a spectrum.

use signal::{Beta, Detector, Domain, Rate, Window};

use crate::cursor::{Reader, Writer};
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

impl Clocks {
    pub(crate) fn read(reader: &mut Reader) -> Result<Self, PayloadError> {
        Ok(Self {
            arm_hz: reader.u32()?,
            core_hz: reader.u32()?,
            v3d_hz: reader.u32()?,
            uart_hz: reader.u32()?,
        })
    }

    pub(crate) fn write(self, writer: &mut Writer) -> Result<(), PayloadError> {
        writer.u32(self.arm_hz)?;
        writer.u32(self.core_hz)?;
        writer.u32(self.v3d_hz)?;
        writer.u32(self.uart_hz)
    }
}

/// How to read the spectra that name it.
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
    /// How blocks are combined.
    pub averaging: Averaging,
    /// Blocks in a record; 0 with [`Averaging::All`], where the record itself has the count.
    pub average_count: u32,
    /// Number of the first bin sent; negative for complex samples. Bin k is at
    /// `centre_hz + k * rate / n`.
    pub first_bin: i32,
    /// Bins sent.
    pub bins: u32,
    /// What 0 Hz of the samples is, as set by the user.
    pub centre_hz: f64,
    /// What levels refer to.
    pub unit: Unit,
    /// How values are coded.
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
    /// What becomes of the blocks of a record.
    pub detector: Detector,
    /// Whether the mean of each block was taken away.
    pub dc: Dc,
}

impl Descriptor {
    /// Frequency of the value at `index`, in hertz.
    #[must_use]
    pub fn frequency_hz(&self, index: u32) -> f64 {
        let bin = f64::from(self.first_bin) + f64::from(index);
        self.centre_hz + bin * self.rate.to_hz() / f64::from(self.n)
    }

    pub(crate) fn read(bytes: &[u8]) -> Result<Self, PayloadError> {
        let r = &mut Reader::new(bytes);
        let (id, rate, n) = (r.u32()?, r.rate()?, r.u32()?);
        let (domain, window_code) = (r.code()?, r.u8()?);
        let mut descriptor = Self {
            id,
            rate,
            n,
            domain,
            window: Window::default(),
            averaging: r.code()?,
            unit: r.code()?,
            encoding: r.code()?,
            source: r.code()?,
            engine: r.code()?,
            enbw_bins: r.f64()?,
            coherent_gain: r.f64()?,
            overlap: r.u32()?,
            average_count: r.u32()?,
            first_bin: r.i32()?,
            bins: r.u32()?,
            centre_hz: r.f64()?,
            scale: r.f32()?,
            offset: r.f32()?,
            board_revision: r.u32()?,
            clocks: Clocks::read(r)?,
            firmware: Name::read(r)?,
            board: Name::read(r)?,
            detector: Detector::default(),
            dc: Dc::default(),
        };
        // Version 1.0 ended here.
        let mut beta = None;
        if !r.is_empty() {
            descriptor.detector = r.code()?;
            descriptor.dc = r.code()?;
            let milli = r.u16()?;
            let read = Beta::from_milli(milli);
            beta = Some(read.ok_or(PayloadError::OutOfRange { field: "beta" })?);
        }
        descriptor.window = match Window::from_code(window_code) {
            Some(Window::Kaiser(_)) => Window::Kaiser(beta.ok_or(PayloadError::Short)?),
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

    pub(crate) fn write(&self, w: &mut Writer) -> Result<(), PayloadError> {
        w.u32(self.id)?;
        w.rate(self.rate)?;
        w.u32(self.n)?;
        w.bytes(&[
            self.domain.code(),
            self.window.code(),
            self.averaging.code(),
            self.unit.code(),
            self.encoding.code(),
            self.source.code(),
            self.engine.code(),
        ])?;
        w.f64(self.enbw_bins)?;
        w.f64(self.coherent_gain)?;
        w.u32(self.overlap)?;
        w.u32(self.average_count)?;
        w.i32(self.first_bin)?;
        w.u32(self.bins)?;
        w.f64(self.centre_hz)?;
        w.f32(self.scale)?;
        w.f32(self.offset)?;
        w.u32(self.board_revision)?;
        self.clocks.write(w)?;
        self.firmware.write(w)?;
        self.board.write(w)?;
        w.bytes(&[self.detector.code(), self.dc.code()])?;
        w.u16(self.window.beta().milli())
    }
}

/// Who the instrument is; the answer to `HELLO`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Info<'a> {
    /// The engine in use.
    pub engine: Engine,
    /// What it is doing.
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
    /// What it can do, as `key=value` words: `n=16..65536 window=hann,... out=f32,u16,u8 ...`.
    pub capabilities: &'a str,
}

impl<'a> Info<'a> {
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, PayloadError> {
        let r = &mut Reader::new(bytes);
        Ok(Self {
            engine: r.code()?,
            state: r.code()?,
            reset_cause: r.code()?,
            board_revision: r.u32()?,
            memory_bytes: r.u32()?,
            clocks: Clocks::read(r)?,
            baud: r.u32()?,
            firmware: Name::read(r)?,
            board: Name::read(r)?,
            capabilities: r.text()?,
        })
    }

    pub(crate) fn write(&self, w: &mut Writer) -> Result<(), PayloadError> {
        w.bytes(&[
            self.engine.code(),
            self.state.code(),
            self.reset_cause.code(),
        ])?;
        w.u32(self.board_revision)?;
        w.u32(self.memory_bytes)?;
        self.clocks.write(w)?;
        w.u32(self.baud)?;
        self.firmware.write(w)?;
        self.board.write(w)?;
        w.text(self.capabilities)
    }
}
