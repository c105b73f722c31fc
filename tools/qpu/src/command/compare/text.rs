//! The page that `compare` prints.

use qpu::machine::QPUS;
use std::fmt::Write;

use fidelity::decide::{Comparison, Decision, Figure, Verdict};
use host::report::file::{PlanProof, Report};

/// The page.
pub(super) fn page(report: &Report, comparison: &Comparison) -> String {
    let mut out = String::new();
    head(report, comparison, &mut out);
    figures(comparison, &mut out);
    constants(comparison, &mut out);
    facts(report, comparison, &mut out);
    verdict(comparison, &mut out);
    out
}

fn mhz(hz: f64) -> f64 {
    hz / 1e6
}

fn head(report: &Report, comparison: &Comparison, out: &mut String) {
    let board = &report.board;
    let _ = writeln!(
        out,
        "{} (revision {:#x}), firmware {}, report by qpuscope {}",
        board.name, board.revision, board.firmware, report.tool
    );
    let _ = writeln!(
        out,
        "V3D at {:.0} MHz as stated; the model is that of a Pi 1 at that clock, with documented constants",
        mhz(f64::from(comparison.stated_hz))
    );
    if (comparison.v3d_hz / f64::from(comparison.stated_hz) - 1.0).abs() > 1e-6 {
        let _ = writeln!(
            out,
            "Instructions alone say that V3D runs at about {:.0} MHz: all clocks here are counted at that rate",
            mhz(comparison.v3d_hz)
        );
    }
}

/// Figures of launches one after the other, in which the ARM has a share: the model has V3D's
/// alone.
fn is_of_host(name: &str) -> bool {
    ["launch-", "relaunch-", "transform-"]
        .iter()
        .any(|kind| name.starts_with(kind))
}

fn figures(comparison: &Comparison, out: &mut String) {
    let _ = writeln!(
        out,
        "\n{:<18} {:>12} {:>12} {:>12}",
        "V3D clocks", "board", "model", "explained"
    );
    for figure in &comparison.figures {
        let number = |clocks: Option<f64>| {
            clocks.map_or_else(|| "-".to_owned(), |clocks| format!("{clocks:.2}"))
        };
        let _ = writeln!(
            out,
            "{:<18} {:>12.2} {:>12} {:>12}{}",
            figure.name,
            figure.measured,
            number(figure.model),
            number(figure.explained),
            remark(figure)
        );
    }
}

fn remark(figure: &Figure) -> &'static str {
    if is_of_host(&figure.name) {
        "  with the ARM's share"
    } else if figure.is_explained() {
        ""
    } else {
        "  not explained"
    }
}

fn constants(comparison: &Comparison, out: &mut String) {
    let _ = writeln!(out, "\nconstants of the model:");
    for decision in &comparison.decisions {
        let documented = decision.documented;
        let said = match decision.verdict {
            Verdict::Documented => format!("{documented}, as documented"),
            Verdict::Value(value) => format!("{value} explains the board; documented {documented}"),
            Verdict::AtLeast(value) => {
                format!("{value} or more explains the board; documented {documented}")
            }
            Verdict::AtMost(value) => {
                format!("less than {value} would explain the board; documented {documented}")
            }
            Verdict::Open(why) => format!("open: {why}"),
        };
        let _ = writeln!(out, "  {:<24} {said}", decision.constant);
    }
}

/// The plans that proved themselves, and each that did not.
fn plans(report: &Report, out: &mut String) {
    if report.plans.is_empty() {
        return;
    }
    let is_right = |plan: &&PlanProof| plan.verdict == "right";
    let right = report.plans.iter().filter(is_right).count();
    let all = report.plans.len();
    let _ = writeln!(
        out,
        "  {right} of {all} plans of the QPUs compute what the ARM does"
    );
    for plan in report.plans.iter().filter(|plan| !is_right(plan)) {
        let PlanProof {
            n,
            kind,
            plan,
            verdict,
            ppm,
            us,
        } = plan;
        let error = ppm.map_or(String::new(), |ppm| format!(", {ppm:.3} ppm off"));
        let _ = writeln!(
            out,
            "  n={n} {kind}, {plan} plan: {verdict}{error}, {us} us"
        );
    }
}

fn facts(report: &Report, comparison: &Comparison, out: &mut String) {
    let _ = writeln!(out, "\nfacts:");
    let words = |name: &str| report.measurement(name).and_then(|it| it.words.as_deref());
    if let Some([right, ..]) = words("reservations") {
        let _ = writeln!(
            out,
            "  SQRSV: {} of {QPUS} QPUs ran the programs that were for them alone",
            right.count_ones()
        );
    }
    if let (Some([way, works, limit_us]), Some(all)) =
        (words("recovery"), report.measurement("recovery"))
    {
        let way = match way {
            1 => "by a reset of V3D",
            2 => "by taking its power away",
            _ => "in a way that is not known",
        };
        let _ = writeln!(
            out,
            "  an endless program was ended {way}, {} us behind its limit; the next program {}",
            all.elapsed_us.saturating_sub(*limit_us),
            if *works == 1 { "ran" } else { "did NOT run" }
        );
    }
    plans(report, out);
    ratios(comparison, out);
    if let Some(order) = &report.launch_order {
        let _ = writeln!(out, "  QPUs get programs in the order {order:?}");
    }
    if let Some(boot) = &report.boot_us {
        let _ = writeln!(
            out,
            "  start, us from the timer's reset: image {}, text {}, V3D {}, first spectrum {}",
            boot.entry, boot.greeting, boot.v3d, boot.first_spectrum
        );
    }
    if let Some(bytes) = report.stack_left_bytes {
        let _ = writeln!(
            out,
            "  {bytes} bytes of the firmware's stack were never used"
        );
    }
    for sample in &report.clocks {
        let clock = |[stated, measured]: [u32; 2]| {
            let [stated, measured] = [stated, measured].map(|hz| mhz(f64::from(hz)));
            format!("{stated:.1} ({measured:.1})")
        };
        let _ = writeln!(
            out,
            "  MHz stated (measured), {}: ARM {}, core {}, V3D {}, UART {}; {:.1} degrees",
            sample.when,
            clock(sample.arm),
            clock(sample.core),
            clock(sample.v3d),
            clock(sample.uart),
            f64::from(sample.temperature) / 1000.0
        );
    }
    for trial in &report.line {
        let _ = writeln!(out, "  {trial}");
    }
    for note in &report.notes {
        let _ = writeln!(out, "  note: {note}");
    }
}

/// The verdict of two figures together.
fn ratios(comparison: &Comparison, out: &mut String) {
    let find = |name: &str| comparison.figures.iter().find(|figure| figure.name == name);
    let pairs = [
        (
            "relaunch-cleared",
            "relaunch-kept",
            "a launch with cleared code caches takes",
            "times one without (1: they do not survive a launch)",
        ),
        (
            "transform-0x4",
            "transform-0x8",
            "2^14 points with all reads by alias 0x4 take",
            "times the plan's own (1: alias 0x8 has no effect)",
        ),
    ];
    for (above, below, before, behind) in pairs {
        if let (Some(above), Some(below)) = (find(above), find(below)) {
            let model = above.model.zip(below.model);
            let model = model.map_or_else(String::new, |(a, b)| format!("; model {:.2}", a / b));
            let _ = writeln!(
                out,
                "  {before} {:.2} {behind}{model}",
                above.measured / below.measured
            );
        }
    }
}

fn verdict(comparison: &Comparison, out: &mut String) {
    let is_other = |verdict| !matches!(verdict, Verdict::Documented | Verdict::Open(_));
    let other: Vec<_> = comparison
        .decisions
        .iter()
        .filter(|decision| is_other(decision.verdict))
        .map(|decision| decision.constant)
        .collect();
    let rest = comparison
        .figures
        .iter()
        .filter(|figure| !is_of_host(&figure.name) && !figure.is_explained())
        .count();
    let is_open = |decision: &Decision| matches!(decision.verdict, Verdict::Open(_));
    let _ = match other.len() {
        0 if comparison.decisions.iter().all(is_open) => {
            writeln!(out, "\nno constant was measured")
        }
        0 => writeln!(out, "\nno constant differs from the documented one"),
        1 => writeln!(out, "\none constant differs: {}", other[0]),
        count => writeln!(out, "\n{count} constants differ: {}", other.join(", ")),
    };
    if rest > 0 {
        let are = if rest == 1 {
            "figure is"
        } else {
            "figures are"
        };
        let _ = writeln!(out, "{rest} {are} not explained, and marked above");
    }
}
