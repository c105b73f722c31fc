//! A virtual Pi behind a line that loses frames, and uploads and jobs over it.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::time::Duration;

use qpu::fft::request::Request;
use qpu::fft::{Direction, Plan};
use qpu::job::Runner;
use qpu_programs::FFT;

use super::Client;
use super::fake::{RATE, channel, turn_a_bit_over};
use crate::failure::Result;
use crate::link::{FIRST_BAUD, Link, Opening, Received, SimLink};
use crate::log::Logs;
use crate::remote::Remote;

/// A virtual Pi that hears only some of what is sent, and of which only some is heard.
struct Deaf {
    board: SimLink,
    sent: u32,
    lose_every: u32,
    /// What is lost on the way to the board comes there with a bit turned over instead.
    damage: bool,
    /// What came of the segment under way, and of those before it what the host gets.
    segment: Vec<u8>,
    heard: VecDeque<u8>,
    segments: u32,
    lose_segment_every: u32,
}

impl Deaf {
    fn new(image: &OsStr, lose_every: u32, lose_segment_every: u32) -> Self {
        Self {
            board: SimLink::boot(image.as_ref(), &Opening::default()).expect("an image"),
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
            turn_a_bit_over(&mut bytes);
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
        let mut client = Client::new(Box::new(line), FIRST_BAUD, Logs::without_elf(), true);
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
        let mut client = Client::new(Box::new(line), FIRST_BAUD, Logs::without_elf(), true);
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
        let mut client = Client::new(Box::new(line), FIRST_BAUD, Logs::without_elf(), true);
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
