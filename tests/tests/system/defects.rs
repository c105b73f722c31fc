//! Broken silicon gives no wrong spectrum: the short forms. `cargo xtask soak defects` runs the long ones.

use crate::faulty;
use tests::{NO_KERNEL, need};
use v3d_sim::Defect;

/// Records of each run.
const RECORDS: u32 = 500;

/// The record before which a defect begins in mid-stream.
const BEGINS: u32 = 100;

/// Two hundred records in a second.
const SETTINGS: &str = "n=1024 overlap=75% avg=1 out=u16";

/// Every spectrum of a board with a defect is right, or called doubtful.
fn assert_survives(defect: Defect, begins: u32) {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = faulty::boot(&image, (begins == 0).then_some(defect));
    let tally = faulty::stream(&mut host, SETTINGS, |tally, host| {
        if begins > 0 && tally.records == begins {
            host.line.pi.set_v3d_defect(Some(defect));
        }
        tally.records < RECORDS
    });
    tally.assert_right(&format!("{defect} from record {begins} on"));
    faulty::upload(&mut host).assert_right(&format!("{defect}, upload"));
}

/// Two tests of one defect: from power-on, and in mid-stream.
macro_rules! defects {
    ($($name:ident: $defect:expr;)*) => {
        $(
            mod $name {
                use super::*;

                #[test]
                #[ignore = "needs plan proofs"]
                fn from_power_on() {
                    assert_survives($defect, 0);
                }

                #[test]
                #[ignore = "needs plan proofs"]
                fn in_mid_stream() {
                    assert_survives($defect, BEGINS);
                }
            }
        )*
    };
}

defects! {
    late_vpm: Defect::LateVpm;
    semaphore_two: Defect::SemaphoreTwo;
    no_reservation: Defect::NoReservation;
    stale_instructions: Defect::StaleInstructions;
    wrong_qpu: Defect::WrongQpu(5);
}

/// What these tests ask is true of a board whose silicon is sound.
#[test]
fn a_sound_board_survives_them() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = faulty::boot(&image, None);
    let tally = faulty::stream(&mut host, SETTINGS, |tally, _| tally.records < 50);
    tally.assert_right("sound");
    faulty::upload(&mut host).assert_right("sound, upload");
}
