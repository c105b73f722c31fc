//! A report made of a board at a line.

use std::time::Duration;

use qpu_programs::microbench::LIST;

use wire::{PlanKind, PlanName, Verdict};

use super::file::{
    Board, Boot, ClockSample, LiveInput, Load, Measurement, OperationTimes, PlanProof, Report,
};
use crate::client::Client;
use crate::stream::{Info, Measured};
use common::failure::{Exit, Result};
use common::progress::Progress;
use common::say;

/// Rates that are tried, the first one first.
const RATES: [u32; 8] = [
    115_200, 230_400, 460_800, 921_600, 1_000_000, 1_500_000, 2_000_000, 3_000_000,
];
/// Requests and answers at each.
const EXCHANGES: u32 = 20;
/// The time that a board that starts takes to its first spectrum, and some.
const FIRST_SPECTRUM: Duration = Duration::from_millis(1500);
/// Words of a microbenchmark before its times: operations, few repetitions, many.
const TIMES_HEAD: usize = 3;

/// The longest plans that a board has.
pub const LONGEST_PLANS: u8 = 16;

/// The questions to a board.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The time that the generator's spectra keep it busy.
    pub load: Duration,
    /// Seconds since 1970.
    pub created_unix: u64,
    /// Points of the longest plans that are proven, as a power of two: [`LONGEST_PLANS`] for all.
    pub longest_plans: u8,
    /// Live inputs to look at, as the setting `input` names them.
    pub live: Vec<String>,
}

/// Finds out all that a report has.
///
/// # Errors
/// When the board is not there, or the line breaks. What else fails becomes a note.
pub fn gather(client: &mut Client, wanted: &Wanted) -> Result<Report> {
    // A board that has just started is let come to its first spectrum, so that the time of that is
    // known.
    client.overhear(FIRST_SPECTRUM)?;
    let info = client.hello()?;
    client.stop()?;
    let mut report = Report::new(board(&info), wanted.created_unix);
    say::remark!("{}, firmware {}", info.board, info.firmware);
    measure_all(client, &mut report)?;
    say::remark!("{} measurements", report.measurements.len());
    report.boot_us = boot(&client.lines_of("boot")?);
    sample_clocks(client, "start", &mut report)?;
    if report.boot_us.is_none() {
        report
            .notes
            .push("the firmware does not say how long its start took".into());
    }
    launch_order(&mut report);
    prove_all(client, wanted.longest_plans, &mut report)?;
    say::remark!("{} plans proven", report.plans.len());
    look_at_live(client, &wanted.live, &mut report)?;
    // From here on the line may be lost, and with it what is still to come; what is there is worth
    // a file.
    if let Err(failure) = line_and_load(client, wanted, &mut report) {
        report.notes.push(format!("the rest is missing: {failure}"));
    }
    Ok(report)
}

/// Lets the board hold every plan that it has to its ARM.
fn prove_all(client: &mut Client, longest: u8, report: &mut Report) -> Result<()> {
    if report.launch_order.is_none() {
        return Ok(());
    }
    let lengths = u64::from(longest.saturating_sub(3));
    let total = 2 * lengths * PlanKind::ALL.len() as u64;
    let mut progress = Progress::new("proving", total, "plans");
    for log2n in 4..=longest {
        for kind in PlanKind::ALL {
            for conservative in [false, true] {
                let plan = PlanName {
                    log2n,
                    kind,
                    conservative,
                };
                progress.add(1);
                let Some(proof) = client.prove(plan)? else {
                    continue;
                };
                if proof.verdict == Verdict::Missing {
                    continue;
                }
                let ppb = (proof.error_ppb != u32::MAX).then_some(proof.error_ppb);
                report.plans.push(PlanProof {
                    n: 1 << log2n,
                    kind: kind.name().to_owned(),
                    plan: if conservative {
                        "conservative"
                    } else {
                        "fastest"
                    }
                    .to_owned(),
                    verdict: proof.verdict.name().to_owned(),
                    ppm: ppb.map(|ppb| f64::from(ppb) * 1e-3),
                    us: proof.qpu_us,
                });
            }
        }
    }
    Ok(())
}

/// Looks at the live inputs that were asked for, which drives their pins.
fn look_at_live(client: &mut Client, inputs: &[String], report: &mut Report) -> Result<()> {
    for input in inputs {
        let looked = client
            .set(&format!("input={input}"))
            .and_then(|_| client.probe());
        match looked {
            Ok(probed) => report.live.push(LiveInput {
                input: input.clone(),
                troubles: probed.troubles,
                rate_millihertz: (probed.rate_hz > 0.0)
                    .then(|| (probed.rate_hz * 1e3).round() as u64),
                sentences: probed.text.lines().map(str::to_owned).collect(),
            }),
            Err(failure) if failure.exit == Exit::Link || failure.exit == Exit::NoDevice => {
                return Err(failure);
            }
            Err(failure) => report.notes.push(format!("input {input}: {failure}")),
        }
        client.set("input=gen")?;
    }
    Ok(())
}

/// Tries the rates of the line, and listens to spectra.
fn line_and_load(client: &mut Client, wanted: &Wanted, report: &mut Report) -> Result<()> {
    for baud in RATES {
        let trial = client.try_baud(baud, EXCHANGES)?;
        say::remark!("{trial}");
        report.line.push(trial);
    }
    let lost = client.health().lost_bytes;
    say::remark!("spectra of the generator for {} s", wanted.load.as_secs());
    let spectra = client.listen(wanted.load)?;
    report.load = Load {
        seconds: wanted.load.as_secs() as u32,
        spectra,
        lost_bytes: client.health().lost_bytes - lost,
    };
    sample_clocks(client, "after load", report)?;
    let lines = client.lines_of("stack")?;
    let left = numbers::<1>(&lines, "stack-left").map(|[bytes]| bytes);
    report.stack_left_bytes = left.filter(|bytes| *bytes > 0);
    Ok(())
}

fn board(info: &Info) -> Board {
    Board {
        name: info.board.clone(),
        revision: info.board_revision,
        memory_bytes: info.memory_bytes,
        firmware: info.firmware.clone(),
        engine: info.engine.name().to_owned(),
        reset_cause: info.reset_cause.name().to_owned(),
        arm_hz: info.clocks.arm_hz,
        core_hz: info.clocks.core_hz,
        v3d_hz: info.clocks.v3d_hz,
        uart_hz: info.clocks.uart_hz,
        capabilities: info
            .capabilities
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
    }
}

/// Runs every microbenchmark that the board has.
///
/// # Errors
/// As [`gather`].
pub fn measure_all(client: &mut Client, report: &mut Report) -> Result<()> {
    let mut progress = Progress::new("measuring", LIST.len() as u64, "microbenchmarks");
    for number in 0..u8::MAX {
        progress.set(number.into());
        match client.measure(number) {
            Ok(None) => break,
            Ok(Some(measured)) => {
                let is_last = number + 1 >= measured.of;
                report.measurements.push(measurement(measured));
                if is_last {
                    break;
                }
            }
            // A program that fails is worth a note, and the next may work; a board without QPUs has
            // none that does.
            Err(failure) if failure.exit == Exit::Integrity => {
                let name = LIST
                    .get(usize::from(number))
                    .map_or("?", |bench| bench.name);
                report
                    .notes
                    .push(format!("microbenchmark {number} ({name}): {failure}"));
            }
            Err(failure) if failure.exit == Exit::Failed && number == 0 => {
                report.notes.push(format!("no microbenchmarks: {failure}"));
                break;
            }
            Err(failure) => return Err(failure),
        }
    }
    Ok(())
}

fn measurement(measured: Measured) -> Measurement {
    let times = match measured.words.split_first_chunk::<TIMES_HEAD>() {
        Some((&[operations, few, many], times))
            if !times.is_empty() && times.len().is_multiple_of(2) =>
        {
            let (of_few, of_many) = times.split_at(times.len() / 2);
            Some(OperationTimes {
                operations,
                repetitions: [few, many],
                us: [of_few.to_vec(), of_many.to_vec()],
            })
        }
        _ => None,
    };
    let words = times.is_none().then_some(measured.words);
    Measurement {
        name: measured.name,
        elapsed_us: measured.elapsed_us,
        times,
        words,
    }
}

/// The numbers behind `key=` in `key=value` lines.
fn numbers<const COUNT: usize>(lines: &str, key: &str) -> Option<[u32; COUNT]> {
    let values = lines
        .lines()
        .find_map(|line| line.strip_prefix(key)?.strip_prefix('='))?;
    let numbers: Option<Vec<u32>> = values
        .split(',')
        .map(|value| value.trim().parse().ok())
        .collect();
    numbers?.try_into().ok()
}

fn boot(lines: &str) -> Option<Boot> {
    let [entry, greeting, v3d, first_spectrum] = numbers(lines, "boot")?;
    Some(Boot {
        entry,
        greeting,
        v3d,
        first_spectrum,
    })
}

fn sample_clocks(client: &mut Client, when: &str, report: &mut Report) -> Result<()> {
    let lines = client.lines_of("clocks")?;
    let clock = |name: &str| numbers(&lines, &format!("clock-{name}"));
    let sample = (|| {
        Some(ClockSample {
            when: when.to_owned(),
            arm: clock("arm")?,
            core: clock("core")?,
            v3d: clock("v3d")?,
            uart: clock("uart")?,
            temperature: numbers::<1>(&lines, "temperature")?[0],
        })
    })();
    match sample {
        Some(sample) => report.clocks.push(sample),
        None => report
            .notes
            .push(format!("the firmware does not say its clocks ({when})")),
    }
    Ok(())
}

/// The order that the board's capabilities name.
fn launch_order(report: &mut Report) {
    let mut words = report.board.capabilities.split(' ');
    let order = words.find_map(|word| word.strip_prefix("launch-order="));
    let numbers = order.map(|order| order.split(',').map(str::parse).collect());
    report.launch_order = numbers.and_then(Result::<Vec<u8>, _>::ok);
    if report.launch_order.is_none() {
        report
            .notes
            .push("no launch order: the board uses no QPUs".into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_numbers() {
        let lines = "clock-arm=700000000,699999\ntemperature=45000\nboot=1,2,3\n";
        assert_eq!(numbers(lines, "clock-arm"), Some([700_000_000, 699_999]));
        assert_eq!(numbers::<2>(lines, "temperature"), None);
        assert_eq!(boot(lines), None);
    }

    #[test]
    fn words_become_times_where_they_are_such() {
        let measured = |words: &[u32]| Measured {
            of: 1,
            elapsed_us: 9,
            name: "x".into(),
            words: words.to_vec(),
        };
        let times = measurement(measured(&[5, 1, 2, 10, 20])).times;
        assert_eq!(times.expect("times").us, [vec![10], vec![20]]);
        let facts = measurement(measured(&[2, 1, 20_000]));
        assert_eq!((facts.times, facts.words), (None, Some(vec![2, 1, 20_000])));
    }
}
