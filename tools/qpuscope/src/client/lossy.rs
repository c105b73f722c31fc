//! A virtual Pi behind a line that loses frames, and uploads over it.

use std::time::Duration;

use super::Client;
use super::fake::{RATE, channel};
use crate::failure::Result;
use crate::link::{FIRST_BAUD, Link, Opening, Received, SimLink};
use crate::log::Logs;

/// A virtual Pi that hears only some of what is sent.
struct Deaf {
    board: SimLink,
    sent: u32,
    lose_every: u32,
}

impl Link for Deaf {
    fn read(&mut self, out: &mut [u8], wait: Duration) -> Result<Received> {
        self.board.read(out, wait)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.sent += 1;
        if self.sent.is_multiple_of(self.lose_every) {
            return Ok(());
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
fn the_firmware_takes_a_recording_over_a_line_that_loses_frames() {
    let Some(image) = std::env::var_os("QPUSCOPE_KERNEL") else {
        println!("skipped: QPUSCOPE_KERNEL names no image; `cargo xtask test` builds one");
        return;
    };
    let levels = [11, u32::MAX].map(|lose_every| {
        let board = SimLink::boot(image.as_ref(), &Opening::default()).expect("an image");
        let line = Deaf {
            board,
            sent: 0,
            lose_every,
        };
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
