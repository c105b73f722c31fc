//! The line at its highest rate: the board keeps up with every byte, while the QPUs work.
//!
//! At 3 Mbaud the PL011's FIFO, which raises its interrupt at 4 of 16 bytes, is full 40 us later. A
//! stretch with interrupts off that comes near that loses bytes here as it would on a board.

use crate::host::Host;
use crate::line::Virtual;
use tests::{NO_KERNEL, need};
use virtual_pi::Config;
use wire::{Domain, Message, Rate, SampleFormat};

const BAUD: u32 = 3_000_000;

#[test]
fn an_upload_at_three_megabaud_loses_nothing() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = Host::new(Virtual::boot(&image, Config::default()));
    host.line_with("qpuscope", 1_000);
    host.quiet();
    host.must(&Message::Baud(BAUD));
    host.collect(5);
    host.line.pi.set_host_baud(BAUD);
    assert_eq!(host.ask(&Message::Ping(3)).message(), Message::Pong(3));
    host.must(&Message::Set(
        "n=1024 window=hann overlap=50% avg=8 out=f32",
    ));
    let bytes: Vec<u8> = (0..100_000_u32)
        .flat_map(|n| (n.wrapping_mul(40_503) as u16).to_le_bytes())
        .collect();
    let rate = Rate::hz(48_000);
    let spectra = host.upload(SampleFormat::I16, Domain::Real, rate, &bytes);
    let last = spectra.last().expect("100,000 samples make spectra");
    assert_eq!(last.head.counters.overruns, 0, "bytes the board lost");
    assert_eq!(spectra.len(), 25, "194 blocks, 8 a record");
    let line = host.counters();
    assert_eq!((line.damaged, line.sequence_gaps), (0, 0), "{line:?}");
    assert_eq!(host.line.framing_errors, 0);
}
