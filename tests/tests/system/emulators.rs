//! The shipped image in QEMU, and QEMU beside the virtual Pi.
//!
//! QEMU's `raspi0` is an independent model of the board: what both show alike is not a mistake that
//! our model and our firmware share. It has no V3D, so the CPU engine computes there.

use crate::generator;
use crate::host::{Host, Spectrum};
use crate::line::{Line, Load, Qemu, Virtual};
use crate::reference;
use std::path::PathBuf;
use std::time::Duration;
use tests::{NO_KERNEL, need};
use virtual_pi::Config;
use wire::{Engine, Message, NakCode};

const BOOT_MS: u64 = 20_000;
const RECORDS: usize = 4;

const NO_QEMU: &str = "QPUSCOPE_QEMU names no QEMU; `cargo xtask test` finds or installs it";
const NO_ELF: &str = "QPUSCOPE_KERNEL_ELF names no image; `cargo xtask test` builds it";

fn qemu() -> Option<PathBuf> {
    std::env::var_os("QPUSCOPE_QEMU").map(PathBuf::from)
}

fn without_v3d() -> Config {
    Config {
        v3d: false,
        ..Config::default()
    }
}

fn first_records(host: &mut Host<impl Line>) -> Vec<Spectrum> {
    (0..RECORDS).map(|_| host.spectrum(BOOT_MS)).collect()
}

fn smoke(load: Load) {
    let qemu = qemu().expect("the caller has looked");
    let mut host = Host::new(Qemu::boot(&qemu, load));
    let records = first_records(&mut host);
    for part in ["qpuscope", "engine: cpu", "self-test: cpu ok"] {
        assert!(host.text.contains(part), "no {part:?} in:\n{}", host.text);
    }
    for record in &records {
        assert_eq!(record.head.engine, Engine::Cpu);
        assert!(!record.head.fallback, "there were no QPUs to fail");
        generator::assert_matches_reference(record);
    }
    assert_eq!(host.counters().damaged, 0);
    // QEMU's clock generators do not start, and its PCM and SMI read 0: a time-out in words, and
    // the board goes on.
    for settings in ["input=i2s", "input=smi rate=1M"] {
        host.must(&Message::Set(settings));
        let (code, sentence) = host.refused(&Message::Start);
        assert_eq!(code, NakCode::NOT_AVAILABLE);
        assert!(sentence.contains("within 1 ms"), "{settings}: {sentence}");
    }
    host.must(&Message::Reboot);
    let status = host.line.wait(Duration::from_secs(20));
    let status = status.expect("the watchdog resets the board and QEMU ends");
    assert_eq!(status.code(), Some(0));
}

#[test]
fn qemu_boots_the_elf_streams_spectra_and_ends_by_reboot() {
    need!(qemu(), "{NO_QEMU}");
    let elf = need!(tests::given("QPUSCOPE_KERNEL_ELF"), "{NO_ELF}");
    smoke(Load::Elf(&elf));
}

#[test]
fn qemu_boots_the_flat_image_streams_spectra_and_ends_by_reboot() {
    need!(qemu(), "{NO_QEMU}");
    let image = need!(tests::given("QPUSCOPE_KERNEL"), "{NO_KERNEL}");
    smoke(Load::Flat(&image));
}

/// The boot files of a card start `kernel.img` on later boards too, where its peripherals are not.
#[test]
fn a_board_with_another_processor_is_refused_in_words_and_once() {
    let qemu = need!(qemu(), "{NO_QEMU}");
    let path = need!(tests::given("QPUSCOPE_KERNEL"), "{NO_KERNEL}");
    let mut line = Qemu::boot_machine(&qemu, "raspi2b", Load::Flat(&path));
    let mut text = Vec::new();
    for _ in 0..BOOT_MS / 100 {
        text.extend(line.receive(100));
        if text.ends_with(b"\n") && text.len() > 2 {
            break;
        }
    }
    text.extend(line.receive(500));
    let text = String::from_utf8_lossy(&text);
    assert_eq!(
        text.matches("for a Raspberry Pi 1 or Zero").count(),
        1,
        "{text:?}"
    );
}

#[test]
fn the_virtual_pi_without_v3d_sends_the_bytes_that_qemu_sends() {
    let qemu = need!(qemu(), "{NO_QEMU}");
    let path = need!(tests::given("QPUSCOPE_KERNEL"), "{NO_KERNEL}");
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let theirs = first_records(&mut Host::new(Qemu::boot(&qemu, Load::Flat(&path))));
    let ours = first_records(&mut Host::new(Virtual::boot(&image, without_v3d())));
    let mut compared = 0;
    for ours in &ours {
        // How many records are dropped depends on how fast the line is, and QEMU's has no rate.
        let same = |theirs: &&Spectrum| theirs.head.first_sample == ours.head.first_sample;
        let Some(theirs) = theirs.iter().find(same) else {
            continue;
        };
        assert_eq!(ours.raw, theirs.raw, "sample {}", ours.head.first_sample);
        assert_eq!(ours.head.blocks, theirs.head.blocks);
        assert_eq!(ours.head.engine, theirs.head.engine);
        let (a, b) = (&ours.descriptor, &theirs.descriptor);
        assert_eq!((a.rate, a.n, a.window), (b.rate, b.n, b.window));
        assert_eq!((a.first_bin, a.bins), (b.first_bin, b.bins));
        assert_eq!((a.scale, a.offset, a.unit), (b.scale, b.offset, b.unit));
        compared += 1;
    }
    assert!(
        compared > 0,
        "no record of the two streams is the same block"
    );
}

#[test]
fn both_engines_agree_within_the_sum_of_their_errors() {
    /// Amplitudes: 1e-6 (QPU) and 3e-7 (CPU); power doubles it; 6e-8 for rounding to f32.
    const LIMIT: f64 = 2.0 * (1e-6 + 3e-7) + 6e-8;
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let linear = |config: Config| {
        let mut host = Host::new(Virtual::boot(&image, config));
        host.line_with("qpuscope", 1_000);
        host.quiet();
        host.must(&Message::Set("out=f32"));
        host.must(&Message::Start);
        host.spectrum(5_000)
    };
    let cpu = linear(without_v3d());
    let qpu = linear(Config::default());
    assert_eq!(
        (cpu.head.engine, qpu.head.engine),
        (Engine::Cpu, Engine::Qpu)
    );
    assert_eq!(cpu.head.first_sample, qpu.head.first_sample);
    let power = |spectrum: &Spectrum| -> Vec<f64> {
        let levels = spectrum.levels_db.iter();
        levels.map(|level| 10_f64.powf(level / 10.0)).collect()
    };
    let error = reference::relative_rms(&power(&qpu), &power(&cpu));
    eprintln!("relative rms difference of power: {error:e}");
    assert!(error <= LIMIT, "{error:e}");
    assert!(
        error > 0.0,
        "two engines that agree to the last bit are one engine"
    );
}
