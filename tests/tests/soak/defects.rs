//! Ten virtual minutes of the generator's spectra on a board with broken silicon.

use crate::{faulty, tell_virtual_time};
use tests::{NO_KERNEL, need};
use v3d_sim::Defect;

/// Virtual time of each test.
const SECONDS: u64 = 600;

/// Lengths whose plans differ; each has its share of the time.
const LENGTHS: [u32; 5] = [1024, 4096, 256, 2048, 16_384];

fn soak(defect: Defect) {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = faulty::boot(&image, Some(defect));
    for (part, n) in (1..).zip(LENGTHS) {
        let end_ns = SECONDS * 1_000_000_000 * part / LENGTHS.len() as u64;
        let settings = format!("n={n} out=u16");
        let tally = faulty::stream(&mut host, &settings, |_, host| {
            host.line.pi.now_ns() < end_ns
        });
        tally.assert_right(&format!("{defect}, n={n}"));
    }
    faulty::upload(&mut host).assert_right(&format!("{defect}, upload"));
    tell_virtual_time(&host);
}

#[test]
#[ignore = "long: cargo xtask soak"]
fn late_vpm() {
    soak(Defect::LateVpm);
}

#[test]
#[ignore = "long: cargo xtask soak"]
fn semaphore_two() {
    soak(Defect::SemaphoreTwo);
}

#[test]
#[ignore = "long: cargo xtask soak"]
fn no_reservation() {
    soak(Defect::NoReservation);
}

#[test]
#[ignore = "long: cargo xtask soak"]
fn stale_instructions() {
    soak(Defect::StaleInstructions);
}

#[test]
#[ignore = "long: cargo xtask soak"]
fn wrong_qpu() {
    soak(Defect::WrongQpu(5));
}
