//! The work that the ARM has left to do when the QPUs make spectra.
//!
//! Times are the record's own counters, in virtual time: an instruction of the ARM takes two clocks
//! of 700 MHz and its waits for memory, a launch of the QPUs what v3d-sim says.
//! `cargo xtask test arm_time` prints them.

use crate::full_rate;
use crate::host::{Host, Spectrum};
use crate::line::Virtual;
use tests::mutate::Random;
use tests::{NO_KERNEL, need};
use v3d_sim::{Constants, LaunchOrder};
use virtual_pi::Config;
use wire::{Counters, Domain, Engine, Message, Rate, SampleFormat};

const BAUD: u32 = 921_600;
/// Points of a block.
const N: usize = 4096;
/// Blocks of a record, which overlap by half.
const BLOCKS: usize = 16;

/// Microseconds of the QPUs and of the ARM for a block of an upload of real i16 samples, so many of
/// which make a record.
fn times_us(host: &mut Host<Virtual>, engine: &str, average: usize, samples: &[u8]) -> [f64; 2] {
    let settings = format!("n={N} window=hann overlap=50% avg={average} out=f32 engine={engine}");
    host.must(&Message::Set(&settings));
    let rate = Rate::hz(48_000);
    let spectra = host.upload(SampleFormat::I16, Domain::Real, rate, samples);
    assert_eq!(spectra.len(), 2 * BLOCKS / average);
    // From the second on: in the first, plans are made.
    let mut times_us = [0.0; 2];
    for Spectrum { head, .. } in &spectra[1..] {
        let wanted = match engine {
            "cpu" => Engine::Cpu,
            _ => Engine::Qpu,
        };
        assert_eq!((head.engine, head.fallback), (wanted, false), "{engine}");
        assert_eq!(head.blocks as usize, average);
        times_us[0] += f64::from(head.counters.qpu_us);
        times_us[1] += f64::from(head.counters.cpu_us);
    }
    times_us.map(|us| us / (average * (spectra.len() - 1)) as f64)
}

/// A board at [`BAUD`].
fn host(image: &[u8], config: Config) -> Host<Virtual> {
    let mut host = Host::new(Virtual::boot(image, config));
    host.line_with("qpuscope", 1_000);
    host.quiet();
    host.must(&Message::Baud(BAUD));
    // Until the board has changed too.
    host.collect(20);
    host.line.pi.set_host_baud(BAUD);
    assert_eq!(host.ask(&Message::Ping(1)).message(), Message::Pong(1));
    host
}

/// Two records of blocks.
fn samples() -> Vec<u8> {
    let mut random = Random::new(tests::seed());
    let samples = (2 * BLOCKS + 1) * N / 2;
    (0..2 * samples).map(|_| random.below(256) as u8).collect()
}

#[test]
fn the_arm_has_little_to_do_with_blocks_that_the_qpus_make_spectra_of() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = host(&image, Config::default());
    let samples = samples();
    let [auto, fft, cpu] = ["auto", "fft", "cpu"].map(|engine| {
        let [qpu_us, arm_us] = times_us(&mut host, engine, BLOCKS, &samples);
        eprintln!("{N} real i16, Hann, 50 %, engine={engine}: QPUs {qpu_us:.0} us, ARM {arm_us:.0} us a block");
        arm_us
    });
    assert!(10.0 * auto < fft && fft < cpu, "{auto}, {fft}, {cpu}");
}

/// A block may take so much longer than the slower of the QPUs and the ARM.
const MARGIN: f64 = 1.1;
/// Samples from one block to the next at 20 MS/s: 76.8 us.
const STEP: usize = 1536;

/// No sample of 20 MS/s is lost, although blocks come more often than the QPUs and the ARM could do
/// them one after the other.
#[test]
fn the_qpus_and_the_arm_work_at_the_same_time() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = full_rate::board(&image, Config::default());
    let overlap = N - STEP;
    let settings = format!("n={N} overlap={overlap} avg={BLOCKS} first=100 bins=16");
    host.must(&Message::Set(&settings));
    host.must(&Message::Start);
    // The ring has room for 105 ms, which do not hide a board that is too slow.
    let spectra = host.spectra(250);
    host.must(&Message::Stop);
    let last = spectra.last().expect("a record").head;
    assert_eq!((last.engine, last.counters.overruns), (Engine::Qpu, 0));
    let blocks = (BLOCKS * spectra.len()) as f64;
    let mean_us = |us: fn(&Counters) -> u32| {
        let all = spectra.iter().map(|it| f64::from(us(&it.head.counters)));
        all.sum::<f64>() / blocks
    };
    let [qpu, arm] = [mean_us(|it| it.qpu_us), mean_us(|it| it.cpu_us)];
    let rate = spectra[0].descriptor.rate.to_hz();
    let both = STEP as f64 * 1e6 / rate;
    let line = format!("{both:.1} us a block, QPUs {qpu:.1} us, ARM {arm:.1} us");
    eprintln!("{N} real u8-high at 20 MS/s, Hann, {line}");
    assert!(both < qpu + arm, "{line}");
    assert!(both <= MARGIN * qpu.max(arm), "{line}");
}

/// Programs that work together share caches with their neighbours in the queue: the firmware finds
/// out which they are. Programs among strangers take half as long again; these 13 % more.
#[test]
fn the_qpus_take_as_long_in_whatever_order_they_get_programs() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let samples = samples();
    let [descending, round] =
        [LaunchOrder::Descending, LaunchOrder::RoundSlices].map(|launch_order| {
            let constants = Constants {
                launch_order,
                ..Constants::recommended()
            };
            let config = Config {
                v3d_constants: constants,
                ..Config::default()
            };
            times_us(&mut host(&image, config), "fft", BLOCKS, &samples)[0]
        });
    eprintln!(
        "{N} points on the QPUs: {descending:.0} us from QPU 11 down, {round:.0} us round the slices"
    );
    assert!(round < 1.15 * descending, "{round}, {descending}");
}
