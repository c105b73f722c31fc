//! Boots a flat image and prints what it sends: `boot IMAGE [SECONDS] [CMDLINE]`.
//!
//! Serial bytes go to standard output, notes and the reason of the stop to standard error, with how
//! fast the simulation ran.

use std::io::Write;
use std::time::Instant;

use virtual_pi::{Config, Stop, VirtualPi};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: boot IMAGE [SECONDS] [CMDLINE]; give a flat kernel.img";
    let image = std::fs::read(arguments.next().ok_or(usage)?)?;
    let seconds: f64 = arguments.next().map_or(Ok(2.0), |text| text.parse())?;
    let config = Config {
        cmdline: arguments.next().unwrap_or_default(),
        v3d: std::env::var_os("NO_V3D").is_none(),
        uart_hz: std::env::var("UART_HZ").map_or(Ok(48_000_000), |text| text.parse())?,
        ..Config::default()
    };
    let mut pi = VirtualPi::new(config, &image)?;
    let started = Instant::now();
    let end = (seconds * 1e9) as u64;
    loop {
        let stop = pi.run_until_ns(end.min(pi.now_ns() + 10_000_000));
        let bytes: Vec<u8> = pi.serial_received().iter().map(|byte| byte.value).collect();
        std::io::stdout().write_all(&bytes)?;
        for message in pi.messages() {
            eprintln!("{message}");
        }
        match stop {
            Stop::Deadline if pi.now_ns() < end => {}
            Stop::Deadline => break,
            stop => {
                if let Stop::Fault(fault) = &stop {
                    eprintln!("{fault}");
                }
                eprintln!("{stop:?}");
                break;
            }
        }
    }
    std::io::stdout().flush()?;
    let host = started.elapsed().as_secs_f64();
    eprintln!(
        "{:.3} s of virtual time in {host:.3} s, {} KiB of memory in use",
        pi.now_ns() as f64 / 1e9,
        pi.memory_in_use() >> 10
    );
    Ok(())
}
