//! A board at the other end of a line, as the calls use it.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::ops::RangeInclusive;
use std::time::Duration;

use common::failure::{Exit, Failure as ToolFailure};
use host::client::{Client, Heard};
use host::input::{Channel, Format, Number, Samples, Unit};
use host::link::FIRST_BAUD;
use host::port::{LineSettings, PortChoice, VirtualBoard};
use host::spectrum::{Engine, Spectrum as Decoded};
use signal::Rate;

use super::structures::{Info, Spectrum, Upload, field};
use crate::boundary::{Failure, in_range, numbers, status, wrong};

/// `qpuscope_board`: a conversation, and the spectra that wait to be read.
pub struct Board {
    client: Client,
    /// It has been asked who it is, so that it waits for commands.
    is_greeted: bool,
    waiting: VecDeque<Decoded>,
    /// The powers of the spectrum that was read last.
    power: Vec<f64>,
}

impl From<ToolFailure> for Failure {
    fn from(failure: ToolFailure) -> Self {
        let status = match failure.exit {
            Exit::Failed => status::ERROR_BOARD,
            Exit::Usage => status::ERROR_OPTION,
            Exit::NoDevice => status::ERROR_DEVICE,
            Exit::Link => status::ERROR_LINK,
            Exit::Integrity => status::ERROR_INTEGRITY,
        };
        Self::new(status, failure.message)
    }
}

impl Board {
    /// Opens a port. Nothing is sent yet.
    pub fn open(port: &str, baud: u32) -> Result<Self, Failure> {
        let line = LineSettings {
            baud: baud_of(baud)?,
            is_quiet: true,
            ..LineSettings::default()
        };
        let choice = PortChoice::new(Some(port), VirtualBoard::default(), line)?;
        Ok(Self {
            client: choice.connect()?,
            is_greeted: false,
            waiting: VecDeque::new(),
            power: vec![],
        })
    }

    /// The conversation, behind a greeting.
    pub fn greeted(&mut self) -> Result<&mut Client, Failure> {
        if !self.is_greeted {
            self.client.hello()?;
            self.is_greeted = true;
        }
        Ok(&mut self.client)
    }

    /// Asks the board who it is.
    pub fn info(&mut self) -> Result<Info, Failure> {
        let info = self.client.hello()?;
        self.is_greeted = true;
        Ok(Info {
            struct_size: size_of::<Info>() as u32,
            board_revision: info.board_revision,
            memory_bytes: info.memory_bytes,
            baud: info.baud,
            arm_hz: info.clocks.arm_hz,
            core_hz: info.clocks.core_hz,
            v3d_hz: info.clocks.v3d_hz,
            uart_hz: info.clocks.uart_hz,
            engine: field(info.engine.name()),
            board: field(&info.board),
            firmware: field(&info.firmware),
            capabilities: field(info.capabilities.trim()),
        })
    }

    /// Changes settings.
    pub fn set(&mut self, words: &str) -> Result<(), Failure> {
        let client = self.greeted()?;
        client.stop()?;
        Ok(client.set(words)?)
    }

    /// Sends samples; gives how many spectra came of them, which then wait to be read.
    pub fn upload(&mut self, channel: &Channel, rate: Rate) -> Result<u32, Failure> {
        let client = self.greeted()?;
        client.stop()?;
        client.name_upload("samples", &Unit::FullScale);
        let spectra = client.upload(channel, rate)?;
        let count = spectra.len() as u32;
        self.waiting.extend(spectra);
        Ok(count)
    }

    /// The next spectrum. Its powers stay where they are until the next one is read.
    pub fn read(&mut self, wait: Duration) -> Result<Spectrum, Failure> {
        let spectrum = match self.waiting.pop_front() {
            Some(spectrum) => spectrum,
            None => match self.client.hear(wait)? {
                Heard::Spectrum(spectrum) => *spectrum,
                Heard::Nothing => {
                    let text =
                        "no spectrum came in this time; wait longer, or call qpuscope_board_start";
                    return Err(Failure::new(status::NOTHING, text));
                }
                Heard::End => return Err(Failure::new(status::ENDED, "the recording has ended")),
            },
        };
        self.power.clone_from(&spectrum.power);
        Ok(Spectrum {
            struct_size: size_of::<Spectrum>() as u32,
            points: spectrum.n,
            first_bin: spectrum.first_bin as i32,
            bin_count: self.power.len() as u32,
            is_complex: spectrum.complex.into(),
            averages: spectrum.averages,
            record: spectrum.record,
            by_qpus: (spectrum.engine == Engine::Qpu).into(),
            rate_hz: spectrum.rate.to_hz(),
            centre_hz: spectrum.centre_hz,
            enbw_bins: spectrum.enbw_bins,
            device_s: spectrum.device_us as f64 * 1e-6,
            power: self.power.as_ptr(),
        })
    }
}

impl Drop for Board {
    /// The next host begins at the first rate.
    fn drop(&mut self) {
        if self.is_greeted {
            let _ = self.client.leave();
        }
    }
}

/// The rates of a line: those that boards have.
const BAUDS: RangeInclusive<u32> = 9600..=4_000_000;
/// The longest wait for a spectrum, some thirty years. Times that are added to it stay numbers.
const LONGEST_S: f64 = 1e9;

/// The rate of a line: the first one, where none is given.
pub fn baud_of(given: u32) -> Result<u32, Failure> {
    if given == 0 {
        return Ok(FIRST_BAUD);
    }
    in_range("baud", given, &BAUDS, "for 115200")
}

/// A wait of so many seconds.
pub fn wait_of(seconds: f64) -> Result<Duration, Failure> {
    if (0.0..=LONGEST_S).contains(&seconds) {
        return Ok(Duration::from_secs_f64(seconds));
    }
    let text = format!("seconds is {seconds}; give a time from 0 to {LONGEST_S}");
    Err(wrong(text))
}

/// The samples of an upload, and their rate.
///
/// # Safety
/// `samples` must be readable for `count` samples of the format when it is neither null nor
/// unaligned.
pub unsafe fn channel(upload: &Upload) -> Result<(Channel, Rate), Failure> {
    if upload.is_complex > 1 {
        let text = format!("upload.is_complex is {}; give 0 or 1", upload.is_complex);
        return Err(wrong(text));
    }
    let rate = Rate::new(upload.rate_numerator, upload.rate_denominator.max(1));
    let rate = rate.ok_or_else(|| wrong("upload.rate_numerator is 0; give samples a second"))?;
    if upload.reserved != 0 {
        let text = format!("upload.reserved is {}; set it to 0", upload.reserved);
        return Err(wrong(text));
    }
    let parts = 1 + u64::from(upload.is_complex);
    let count = upload.count.checked_mul(parts);
    let count = count.and_then(|count| usize::try_from(count).ok());
    let count = count.filter(|&count| count > 0).ok_or_else(|| {
        let text = format!(
            "upload.count is {}; give the number of samples",
            upload.count
        );
        Failure::new(status::ERROR_SIZE, text)
    })?;
    let data: *const c_void = upload.samples;
    // SAFETY: readable for so many numbers of this format by promise; `numbers` checks the rest.
    let (number, bytes) = unsafe {
        match upload.format {
            0 => (Number::U8, numbers("upload.samples", data.cast(), count)?),
            1 => {
                let values: Vec<i16> = numbers("upload.samples", data.cast(), count)?;
                let bytes = values.iter().flat_map(|x| x.to_le_bytes()).collect();
                (Number::I16, bytes)
            }
            2 => {
                let values: Vec<f32> = numbers("upload.samples", data.cast(), count)?;
                let bytes = values.iter().flat_map(|x| x.to_le_bytes()).collect();
                (Number::F32, bytes)
            }
            other => return Err(wrong(format!("upload.format is {other}; 0 to 2 are known"))),
        }
    };
    let format = Format::new(number, upload.is_complex == 1);
    let channel = Channel::only(Samples::all(bytes.into(), format, 0));
    Ok((channel, rate))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ports_name_may_say_what_a_virtual_pi_is() {
        for (port, words) in [
            (
                "sim:absent.img?speed=2",
                "`speed` is no key of a virtual Pi",
            ),
            ("sim:absent.img?no-v3d", "cannot read the image absent.img"),
        ] {
            let failure = Board::open(port, 0).err().expect(port);
            assert_eq!(failure.status, status::ERROR_OPTION);
            assert!(failure.text.contains(words), "{}", failure.text);
        }
    }

    /// An upload of these bytes at 48 kHz.
    fn upload(format: u32, is_complex: u32, samples: *const c_void, count: u64) -> Upload {
        Upload {
            struct_size: size_of::<Upload>() as u32,
            format,
            is_complex,
            reserved: 0,
            rate_numerator: 48_000,
            rate_denominator: 0,
            samples,
            count,
        }
    }

    #[test]
    fn samples_are_taken_in_their_format() {
        let bytes = [1_u8, 2, 3, 4];
        let words = [1_i16, -2];
        let floats = [0.5_f32, -0.5];
        // SAFETY: each upload has as many numbers as its array.
        let channels = unsafe {
            [
                channel(&upload(0, 1, bytes.as_ptr().cast(), 2)),
                channel(&upload(1, 0, words.as_ptr().cast(), 2)),
                channel(&upload(2, 1, floats.as_ptr().cast(), 1)),
            ]
        };
        let levels = [1.0, 2.0, 3.0, 4.0].map(|x| (x - 127.5) / 127.5);
        let expected = [
            (levels.to_vec(), "cu8"),
            ([1.0, -2.0].map(|x| x / 32_768.0).to_vec(), "i16"),
            (vec![0.5, -0.5], "cf32"),
        ];
        for (channel, (values, format)) in channels.into_iter().zip(expected) {
            let (channel, rate) = channel.unwrap_or_else(|failure| panic!("{}", failure.text));
            assert_eq!(channel.samples.format().name(), format);
            let read = channel.samples.values(0, channel.points());
            assert_eq!(read.expect("values"), values);
            assert_eq!(rate.to_hz(), 48_000.0);
        }
    }

    #[test]
    fn rates_and_waits_that_no_line_has_are_refused_with_the_range() {
        for baud in [1, 9599, 4_000_001, u32::MAX] {
            let failure = baud_of(baud).expect_err("a refusal");
            let said = format!("baud is {baud}; give 9600 to 4000000, or 0 for 115200");
            assert_eq!((failure.status, failure.text), (status::ERROR_OPTION, said));
        }
        assert!(baud_of(0).is_ok_and(|baud| baud == 115_200));
        for seconds in [-1.0, 1.1e9, 1.8e19, f64::INFINITY, f64::NAN] {
            let failure = wait_of(seconds).expect_err("a refusal");
            assert_eq!(failure.status, status::ERROR_OPTION);
            assert!(
                failure.text.ends_with("give a time from 0 to 1000000000"),
                "{}",
                failure.text
            );
        }
        assert!(wait_of(0.5).is_ok_and(|wait| wait == Duration::from_millis(500)));
    }

    #[test]
    fn an_upload_that_is_wrong_names_its_field() {
        let floats = [0.0_f32; 4];
        let data: *const c_void = floats.as_ptr().cast();
        let no_rate = Upload {
            rate_numerator: 0,
            ..upload(2, 0, data, 4)
        };
        let reserved = Upload {
            reserved: 1,
            ..upload(2, 0, data, 4)
        };
        let odd = data.wrapping_byte_add(1);
        for (upload, status, field) in [
            (
                upload(3, 0, data, 4),
                status::ERROR_OPTION,
                "upload.format is 3",
            ),
            (
                upload(2, 2, data, 4),
                status::ERROR_OPTION,
                "upload.is_complex is 2",
            ),
            (
                upload(2, 0, data, 0),
                status::ERROR_SIZE,
                "upload.count is 0",
            ),
            (
                upload(2, 1, data, 1 << 63),
                status::ERROR_SIZE,
                "upload.count",
            ),
            (
                upload(2, 0, data, 1 << 62),
                status::ERROR_SIZE,
                "upload.samples has",
            ),
            (
                upload(2, 0, std::ptr::null(), 4),
                status::ERROR_NULL,
                "upload.samples is NULL",
            ),
            (
                upload(2, 0, odd, 4),
                status::ERROR_ALIGNMENT,
                "upload.samples is not aligned",
            ),
            (no_rate, status::ERROR_OPTION, "upload.rate_numerator is 0"),
            (reserved, status::ERROR_OPTION, "upload.reserved is 1"),
        ] {
            // SAFETY: all are refused before anything is read.
            let failure = unsafe { channel(&upload) }.expect_err("a refusal");
            assert_eq!(failure.status, status, "{}", failure.text);
            assert!(failure.text.starts_with(field), "{}", failure.text);
        }
    }
}
