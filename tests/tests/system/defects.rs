//! Broken silicon gives no wrong spectrum: the short forms. `cargo xtask soak defects` runs the
//! long ones.

use crate::faulty;
use crate::host::Host;
use crate::line::Virtual;
use tests::{NO_KERNEL, need};
use v3d_sim::Defect;

/// Records of each run from power-on.
const RECORDS: u32 = 500;

/// Two hundred and fifty records in a second.
const MANY: &str = "n=512 overlap=50% avg=1 out=f32";

/// The record before which a defect begins in mid-stream.
const BEGINS: u32 = 12;

/// End of a run in which a defect begins in mid-stream: behind the first comparison of all bins, 10
/// s after power-on.
const MID_STREAM_NS: u64 = 11_500_000_000;

/// Twelve records in a second, which take less time to simulate. Late VPM rows spoil no shorter
/// transform.
const FEW: &str = "n=4096 overlap=0 avg=1 out=u16";

/// The fate of plans on a board with a defect.
#[derive(Clone, Copy, PartialEq)]
enum Plans {
    /// All are right.
    Stand,
    /// The fastest are wrong.
    Fall,
    /// The fastest are wrong; the conservative ones are right.
    FallToConservative,
}

impl Plans {
    /// Holds it against the board's reports.
    fn assert_reported(self, host: &Host<Virtual>, what: &str) {
        let text = &host.text;
        let fallen = text.contains("plan dropped");
        assert_eq!(fallen, self != Self::Stand, "{what}: plans dropped\n{text}");
        if self == Self::FallToConservative {
            assert!(!text.contains("the ARM computes"), "{what}:\n{text}");
        }
    }
}

/// Every spectrum of a board that has had a defect from power-on is right.
fn assert_survives_from_power_on(defect: Defect, plans: Plans) {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = faulty::boot(&image, Some(defect));
    let tally = faulty::stream(&mut host, MANY, |tally, _| tally.records < RECORDS);
    tally.assert_right(&format!("{defect}"));
    faulty::upload(&mut host).assert_right(&format!("{defect}, upload"));
    plans.assert_reported(&host, &format!("{defect}"));
}

/// Every spectrum of a board in which a defect begins in mid-stream is right, or called doubtful.
fn assert_survives_in_mid_stream(defect: Defect, plans: Plans) {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = faulty::boot(&image, None);
    let tally = faulty::stream(&mut host, FEW, |tally, host| {
        if tally.records == BEGINS {
            host.line.pi.set_v3d_defect(Some(defect));
        }
        host.line.pi.now_ns() < MID_STREAM_NS
    });
    let what = format!("{defect} from record {BEGINS} on");
    tally.assert_right(&what);
    if plans == Plans::FallToConservative {
        assert_eq!(tally.by_qpus, tally.records, "{what}");
    }
    if defect == Defect::StaleInstructions {
        // Spoils plans that are made anew.
        faulty::upload(&mut host).assert_right(&format!("{what}, upload"));
    }
    plans.assert_reported(&host, &what);
}

macro_rules! defects {
    ($($name:ident: $defect:expr, $plans:expr;)*) => {
        mod from_power_on {
            use super::*;
            $(
                #[test]
                fn $name() {
                    assert_survives_from_power_on($defect, $plans);
                }
            )*
        }

        mod in_mid_stream {
            use super::*;
            $(
                #[test]
                fn $name() {
                    assert_survives_in_mid_stream($defect, $plans);
                }
            )*
        }
    };
}

defects! {
    late_vpm: Defect::LateVpm, Plans::FallToConservative;
    semaphore_two: Defect::SemaphoreTwo, Plans::Fall;
    no_reservation: Defect::NoReservation, Plans::Stand;
    stale_instructions: Defect::StaleInstructions, Plans::Fall;
    wrong_qpu: Defect::WrongQpu(11), Plans::Fall;
}
