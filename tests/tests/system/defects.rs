//! Broken silicon gives no wrong spectrum: the short forms. `cargo xtask soak defects` runs the long ones.

use crate::faulty;
use tests::{NO_KERNEL, need};
use v3d_sim::Defect;

/// Records of each run.
const RECORDS: u32 = 500;

/// Records of a run in which a defect begins in mid-stream: 12 seconds, in which all bins of a block are compared once at
/// least.
const MID_STREAM: u32 = 150;

/// The record before which a defect begins in mid-stream.
const BEGINS: u32 = 12;

/// Two hundred records in a second.
const MANY: &str = "n=1024 overlap=75% avg=1 out=u16";

/// Twelve records in a second, which take less time to simulate.
const FEW: &str = "n=1024 overlap=0 avg=4 out=u16";

/// Every spectrum of a board with a defect is right, or called doubtful.
fn assert_survives(defect: Defect, begins: u32) {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = faulty::boot(&image, (begins == 0).then_some(defect));
    let (settings, records) = match begins {
        0 => (MANY, RECORDS),
        _ => (FEW, MID_STREAM),
    };
    let tally = faulty::stream(&mut host, settings, |tally, host| {
        if begins > 0 && tally.records == begins {
            host.line.pi.set_v3d_defect(Some(defect));
        }
        tally.records < records
    });
    tally.assert_right(&format!("{defect} from record {begins} on"));
    if begins == 0 {
        faulty::upload(&mut host).assert_right(&format!("{defect}, upload"));
    }
}

/// Two tests of one defect: from power-on, and in mid-stream.
macro_rules! defects {
    ($($name:ident: $defect:expr;)*) => {
        $(
            mod $name {
                use super::*;

                #[test]
                fn from_power_on() {
                    assert_survives($defect, 0);
                }

                #[test]
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
    wrong_qpu: Defect::WrongQpu(11);
}

/// What these tests ask is true of a board whose silicon is sound.
#[test]
fn a_sound_board_survives_them() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = faulty::boot(&image, None);
    let tally = faulty::stream(&mut host, MANY, |tally, _| tally.records < 50);
    tally.assert_right("sound");
    faulty::upload(&mut host).assert_right("sound, upload");
}
