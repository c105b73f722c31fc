//! Lengths on the QPUs and on the ARM of the virtual Pi.

use anyhow::{Result, ensure};
use dsp::{Direction, Radix};
use fidelity::report::table::{Table, figure};
use host::client::Client;
use host::link::{self, FIRST_BAUD, Opening};
use host::log::Logs;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use std::path::Path;
use workbench::guest::Guest;
use workbench::guest::transform::{Engine, Wanted, reference};
use workbench::hello_fft;

/// The lengths that the firmware has, as powers of two.
const LENGTHS: RangeInclusive<u32> = 4..=16;
/// Rate of the line while plans and points go over it.
const BAUD: u32 = 921_600;

/// One length.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct Length {
    /// log2 of the number of points.
    pub log2n: u32,
    /// Microseconds of the QPUs.
    pub qpu_us: f64,
    /// Microseconds of the ARM.
    pub arm_us: f64,
    /// Relative rms error of the QPUs, in parts per million.
    pub qpu_ppm: f64,
    /// The counterpart of the ARM.
    pub arm_ppm: f64,
}

/// Measures all lengths with these images.
pub fn measure(
    kernel: &Path,
    guest: &Path,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<Vec<Length>> {
    for (image, command) in [(kernel, "build"), (guest, "guest")] {
        ensure!(
            image.is_file(),
            "there is no {}: build it with `cargo xtask {command}`",
            image.display()
        );
    }
    let guest = Guest::load(Some(guest))?;
    let length = |log2n: u32| {
        let opening = Opening {
            // Jobs of a host, which a board's owner allows on the card.
            cmdline: "allow=run".into(),
            ..Opening::default()
        };
        let link = link::open(Some(&format!("sim:{}", kernel.display())), &opening)?;
        let mut client = Client::new(link, FIRST_BAUD, Logs::default(), true);
        client.hello()?;
        client.change_baud(BAUD)?;
        let qpus = hello_fft::on_board(log2n, 1, client)?;
        let wanted = Wanted {
            engine: Engine::Single(Radix::Mixed),
            log2n,
            direction: Direction::Inverse,
        };
        let expected = reference(log2n, wanted.direction);
        let arm = guest.transform(&wanted, &expected)?;
        progress(&format!("2^{log2n} on the virtual Pi"));
        Ok(Length {
            log2n,
            qpu_us: qpus.us,
            arm_us: arm.us,
            qpu_ppm: 1e6 * qpus.rel_rms_err,
            arm_ppm: 1e6 * arm.error,
        })
    };
    LENGTHS.map(length).collect()
}

/// The table of the document.
pub fn table(lengths: &[Length]) -> Table {
    let mut table = Table::new(&[
        "log2 N", "QPUs us", "ARM us", "ratio", "QPUs ppm", "ARM ppm",
    ]);
    for length in lengths {
        table.row(vec![
            length.log2n.to_string(),
            figure(length.qpu_us),
            figure(length.arm_us),
            format!("{:.2}", length.arm_us / length.qpu_us),
            format!("{:.2}", length.qpu_ppm),
            format!("{:.2}", length.arm_ppm),
        ]);
    }
    table
}
