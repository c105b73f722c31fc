//! Prints the strongest line of each spectrum that comes from a port or a recording of one.
//!
//! `cargo run -p host --example strongest -- tools/host/tests/recorded.bin`, or a serial port, or
//! `'sim:target/kernel.img?cmdline=n=4096'`

use std::process::ExitCode;
use std::time::Duration;

use common::failure::{Failure, Result};
use host::lines::strongest;
use host::link::Received;
use host::port::{LineSettings, PortChoice, VirtualBoard};
use host::stream::{Event, Receiver};

/// Spectra until the end.
const SPECTRA: usize = 10;
/// A line that is silent for so long has ended.
const SILENCE: Duration = Duration::from_secs(5);

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::from(failure.exit as u8)
        }
    }
}

fn run() -> Result<()> {
    let Some(name) = std::env::args().nth(1) else {
        return Err(Failure::usage(
            "name a port, a file of recorded bytes, or sim:IMAGE",
        ));
    };
    let port = PortChoice::new(
        Some(&name),
        VirtualBoard::default(),
        LineSettings::default(),
    )?;
    let (mut link, _logs) = port.open()?;
    let mut receiver = Receiver::default();
    let (mut buffer, mut events, mut shown) = ([0; 4096], vec![], 0);
    while shown < SPECTRA {
        match link.read(&mut buffer, SILENCE)? {
            Received::Bytes(count) => receiver.push(&buffer[..count], &mut events),
            Received::Nothing | Received::End => break,
        }
        for event in events.drain(..) {
            if let Event::Spectrum(spectrum, _) = event
                && let Some(line) = strongest(&spectrum, 1).first()
            {
                println!("record {}: {:.1} Hz", spectrum.record, line.frequency);
                shown += 1;
            }
        }
    }
    Ok(())
}
