//! A virtual Pi behind a line that loses frames, and uploads and jobs over it.

use std::cell::Cell;
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::rc::Rc;
use std::time::Duration;

use qpu::job::Runner;
use qpu_fft::request::Request;
use qpu_fft::{Direction, Plan};
use qpu_programs::FFT;
use tests::mutate::Random;

use common::failure::Result;
use host::client::Client;
use host::input::{Channel, Format, Number, Samples};
use host::link::{FIRST_BAUD, Link, Opening, Received, SimLink};
use host::log::Logs;
use signal::Rate;
use workbench::remote::Remote;

/// The rate of the recordings that are sent.
const RATE: Rate = Rate {
    num: 48_000,
    den: 1,
};

/// A channel of so many points of i16.
fn channel(points: usize) -> Channel {
    let values = (0..points).map(|index| (index * 7 % 1000) as i16);
    let bytes: Vec<u8> = values.flat_map(i16::to_le_bytes).collect();
    Channel::only(Samples::all(
        bytes.into(),
        Format::new(Number::I16, false),
        0,
    ))
}

/// Damages a frame by one bit, and never makes its end of a byte.
fn flip_a_bit(frame: &mut [u8]) {
    let middle = frame.len() / 2;
    frame[middle] ^= if frame[middle] == 0x80 { 1 } else { 0x80 };
}

/// A virtual Pi that hears only some of what is sent, and of which only some is heard.
struct Deaf {
    board: SimLink,
    sent: u32,
    lose_every: u32,
    /// True if bytes that would be lost on the way to the board come there with a bit flipped
    /// instead.
    damage: bool,
    /// The bytes of the segment under way; and of earlier segments, what the host gets.
    segment: Vec<u8>,
    heard: VecDeque<u8>,
    segments: u32,
    lose_segment_every: u32,
}

impl Deaf {
    fn new(image: &OsStr, lose_every: u32, lose_segment_every: u32) -> Self {
        let opening = Opening {
            cmdline: "allow=run".into(),
            ..Opening::default()
        };
        Self {
            board: SimLink::boot(image.as_ref(), &opening).expect("an image"),
            sent: 0,
            lose_every,
            damage: false,
            segment: vec![],
            heard: VecDeque::new(),
            segments: 0,
            lose_segment_every,
        }
    }
}

impl Link for Deaf {
    fn read(&mut self, out: &mut [u8], wait: Duration) -> Result<Received> {
        if self.lose_segment_every == u32::MAX {
            return self.board.read(out, wait);
        }
        if let Received::Bytes(count) = self.board.read(out, wait)? {
            for &byte in &out[..count] {
                self.segment.push(byte);
                if byte == 0 {
                    self.segments += u32::from(self.segment.len() > 1);
                    let is_lost = self.segments.is_multiple_of(self.lose_segment_every);
                    let segment = self.segment.drain(..);
                    self.heard.extend(segment.filter(|_| !is_lost));
                }
            }
        }
        let count = out.len().min(self.heard.len());
        for (place, byte) in out.iter_mut().zip(self.heard.drain(..count)) {
            *place = byte;
        }
        Ok(if count == 0 {
            Received::Nothing
        } else {
            Received::Bytes(count)
        })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.sent += 1;
        if self.sent.is_multiple_of(self.lose_every) {
            if !self.damage {
                return Ok(());
            }
            let mut bytes = bytes.to_vec();
            flip_a_bit(&mut bytes);
            return self.board.write(&bytes);
        }
        self.board.write(bytes)
    }

    fn set_baud(&mut self, baud: u32) -> Result<()> {
        self.board.set_baud(baud)
    }

    fn description(&self) -> String {
        self.board.description()
    }

    fn now(&self) -> Duration {
        self.board.now()
    }
}

#[test]
fn the_firmware_takes_a_recording_over_a_line_that_damages_frames() {
    let Some(image) = std::env::var_os("QPUSCOPE_KERNEL") else {
        println!("skipped: QPUSCOPE_KERNEL names no image; `cargo xtask test` builds one");
        return;
    };
    let levels = [11, u32::MAX].map(|lose_every| {
        let mut line = Deaf::new(&image, lose_every, u32::MAX);
        line.damage = true;
        let mut client = Client::new(Box::new(line), FIRST_BAUD, Logs::default(), true);
        client.hello().expect("an answer");
        client.stop().expect("an answer");
        client.change_baud(921_600).expect("a rate");
        client.set("n=256 out=f32 avg=all").expect("an answer");
        let spectra = client.upload(&channel(20_000), RATE).expect("a spectrum");
        assert_eq!(spectra.len(), 1);
        spectra[0].power.clone()
    });
    assert!(levels[0] == levels[1], "what was damaged shows");
}

#[test]
fn the_firmware_takes_a_recording_over_a_line_that_loses_frames() {
    let Some(image) = std::env::var_os("QPUSCOPE_KERNEL") else {
        println!("skipped: QPUSCOPE_KERNEL names no image; `cargo xtask test` builds one");
        return;
    };
    let levels = [11, u32::MAX].map(|lose_every| {
        let line = Deaf::new(&image, lose_every, u32::MAX);
        let mut client = Client::new(Box::new(line), FIRST_BAUD, Logs::default(), true);
        client.hello().expect("an answer");
        client.stop().expect("an answer");
        client.set("n=256 out=f32 avg=all").expect("an answer");
        let spectra = client.upload(&channel(6_000), RATE).expect("a spectrum");
        assert_eq!(spectra.len(), 1);
        spectra[0].power.clone()
    });
    assert!(levels[0] == levels[1], "what was lost shows");
}

/// In place, so that a job that is run again because its answer was lost would spoil the result.
#[test]
fn a_board_transforms_once_over_a_line_that_loses_requests_and_answers() {
    const LOG2_POINTS: u32 = 8;
    let Some(image) = std::env::var_os("QPUSCOPE_KERNEL") else {
        println!("skipped: QPUSCOPE_KERNEL names no image; `cargo xtask test` builds one");
        return;
    };
    let lines = [
        (u32::MAX, u32::MAX),
        (3, u32::MAX),
        (u32::MAX, 2),
        (u32::MAX, 3),
        (4, 7),
    ];
    let results = lines.map(|(lose_every, lose_segment_every)| {
        let line = Deaf::new(&image, lose_every, lose_segment_every);
        let mut client = Client::new(Box::new(line), FIRST_BAUD, Logs::default(), true);
        client.hello().expect("an answer");
        let mut remote = Remote::new(client, 1 << 16).expect("memory");
        let request = Request::new(LOG2_POINTS, 1);
        let data = remote.alloc(8 << LOG2_POINTS, 4096).expect("memory");
        let mut plan = Plan::new(FFT, &request, [data; 2], &mut remote).expect("a plan");
        let points: Vec<u32> = (0..2u16 << LOG2_POINTS)
            .map(|index| f32::from(index * 7 % 31).to_bits())
            .collect();
        remote.write(data, 0, &points).expect("an answer");
        for direction in [Direction::Forward, Direction::Inverse] {
            plan.run(&mut remote, direction, 10_000).expect("an answer");
        }
        let mut points = vec![0; points.len()];
        remote.read(data, 0, &mut points).expect("an answer");
        points
    });
    let first = f32::from_bits(results[0][2]);
    assert!((first / 256.0 - 14.0).abs() < 1e-3, "{first}");
    for (result, line) in results.iter().zip(lines) {
        assert!(*result == results[0], "{line:?}: what was lost shows");
    }
}

/// A virtual Pi at the end of a line that damages some bytes, both ways.
struct Noisy {
    board: SimLink,
    random: Random,
    /// The rate in a million bytes.
    damaged: Rc<Cell<usize>>,
}

impl Link for Noisy {
    fn read(&mut self, out: &mut [u8], wait: Duration) -> Result<Received> {
        // Doubled bytes have room.
        let half = out.len() / 2;
        let Received::Bytes(count) = self.board.read(&mut out[..half], wait)? else {
            return Ok(Received::Nothing);
        };
        let passed = self.random.damage(&out[..count], self.damaged.get());
        out[..passed.len()].copy_from_slice(&passed);
        Ok(match passed.len() {
            0 => Received::Nothing,
            count => Received::Bytes(count),
        })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let passed = self.random.damage(bytes, self.damaged.get());
        self.board.write(&passed)
    }

    fn set_baud(&mut self, baud: u32) -> Result<()> {
        self.board.set_baud(baud)
    }

    fn description(&self) -> String {
        self.board.description()
    }

    fn now(&self) -> Duration {
        self.board.now()
    }
}

/// Settings of uploads over a noisy line, and the spectra that they bring.
const NOISY_UPLOADS: [(&str, usize); 2] = [
    ("n=64 overlap=0 avg=all out=u16", 1),
    ("n=64 overlap=0 avg=1 out=u16", 64),
];

/// Uploads 64 blocks on a line that damages so many of a million bytes; all powers of the spectra.
fn upload_over(image: &OsStr, seed: u64, damaged: usize, settings: &str) -> Result<Vec<Vec<f64>>> {
    let board = SimLink::boot(image.as_ref(), &Opening::default())?;
    let noise = Rc::new(Cell::new(0));
    let line = Noisy {
        board,
        random: Random::new(seed),
        damaged: noise.clone(),
    };
    let mut client = Client::new(Box::new(line), FIRST_BAUD, Logs::default(), true);
    client.hello()?;
    client.stop()?;
    client.change_baud(921_600)?;
    noise.set(damaged);
    client.set(settings)?;
    let spectra = client.upload(&channel(64 * 64), RATE)?;
    Ok(spectra.into_iter().map(|spectrum| spectrum.power).collect())
}

/// Seeds, one after the other, that ended without all spectra; those that did end have the right
/// values.
fn failures(image: &OsStr, seeds: std::ops::Range<u64>) -> Vec<String> {
    let mut failed = vec![];
    for (settings, count) in NOISY_UPLOADS {
        let clean = upload_over(image, 1, 0, settings).expect("a good line");
        assert_eq!(clean.len(), count);
        for seed in seeds.clone() {
            match upload_over(image, seed, 1000, settings) {
                Ok(spectra) => assert!(spectra == clean, "seed {seed}, {settings}: wrong values"),
                Err(failure) => failed.push(format!("seed {seed}, {settings}: {failure}")),
            }
        }
    }
    failed
}

#[test]
fn uploads_over_a_line_that_damages_one_byte_in_a_thousand_bring_all_spectra() {
    let Some(image) = std::env::var_os("QPUSCOPE_KERNEL") else {
        println!("skipped: QPUSCOPE_KERNEL names no image; `cargo xtask test` builds one");
        return;
    };
    let failed = failures(&image, 1..6);
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
#[ignore = "long: cargo xtask soak"]
fn soak_uploads_over_a_line_that_damages_one_byte_in_a_thousand() {
    let image = std::env::var_os("QPUSCOPE_KERNEL").expect("cargo xtask soak builds an image");
    let failed = failures(&image, 1..101);
    assert!(failed.len() <= 2, "{failed:#?}");
}
