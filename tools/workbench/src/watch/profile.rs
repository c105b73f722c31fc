//! A profile as a table for people and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Value, json};
use v3d_sim::{Outcome, Profile, ProfileLine, Spent};

/// V3D clocks of an issue slot.
const SLOT_CLOCKS: u64 = 4;

/// Instructions that are shown as hot spots.
const HOT_SPOTS: usize = 10;

/// The longest listing for people; the JSON has no limit.
const MOST_LINES: usize = 4096;

fn clocks(spent: &Spent) -> u64 {
    spent.issues * SLOT_CLOCKS + spent.stalled_clocks()
}

fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        100.0 * part as f64 / whole as f64
    }
}

/// The causes by how much they cost, as `tmu 40 %, vdw 3 %` of `whole`.
fn causes(stalled: &BTreeMap<&'static str, u64>, whole: u64, most: usize) -> String {
    let mut causes: Vec<_> = stalled.iter().collect();
    causes.sort_by_key(|(_, clocks)| std::cmp::Reverse(**clocks));
    let shown: Vec<String> = causes
        .iter()
        .take(most)
        .map(|(cause, clocks)| format!("{cause} {:.1} %", percent(**clocks, whole)))
        .collect();
    let more = if causes.len() > most { ", ..." } else { "" };
    shown.join(", ") + more
}

fn text_of(line: &ProfileLine) -> String {
    line.word.map_or_else(
        || "(not fetched)".to_owned(),
        |word| qpu::disasm::line(word, line.pc),
    )
}

/// Tables: totals, QPUs, hot spots, and every instruction. At most about 100 columns of figures.
#[must_use]
pub fn text(profile: &Profile, outcome: &Outcome, clock_hz: u32) -> String {
    let mut out = String::new();
    let qpus = profile.by_qpu();
    let mut all = Spent::default();
    for spent in &qpus {
        all.add(spent);
    }
    let (busy, issued) = (clocks(&all), all.issues * SLOT_CLOCKS);
    let used = qpus.iter().filter(|spent| clocks(spent) > 0).count();
    let of = if outcome.timed { "" } else { " functional" };
    let _ = writeln!(
        out,
        "profile: {}{of} clocks, {:.1} us at {} MHz; {used} of {} QPUs used, {:.2} busy on average",
        outcome.cycles,
        outcome.cycles as f64 * 1e6 / f64::from(clock_hz),
        f64::from(clock_hz) / 1e6,
        qpus.len(),
        busy as f64 / outcome.cycles.max(1) as f64,
    );
    let _ = writeln!(
        out,
        "issue slots used: {:.1} % while a QPU had a program, {:.1} % of all {}",
        percent(issued, busy),
        percent(issued, outcome.cycles * qpus.len() as u64),
        qpus.len(),
    );
    let _ = writeln!(
        out,
        "\nQPU      issued      clocks  issue %  stalled on (of its clocks)"
    );
    let rows = qpus.iter().enumerate().rev();
    for (name, spent) in rows
        .filter(|(_, spent)| clocks(spent) > 0)
        .map(|(number, spent)| (number.to_string(), spent))
        .chain([("all".to_owned(), &all)])
    {
        let whole = clocks(spent);
        let _ = writeln!(
            out,
            "{name:>3} {:>11} {whole:>11}   {:>5.1}   {}",
            spent.issues,
            percent(spent.issues * SLOT_CLOCKS, whole),
            causes(&spent.stalled, whole, 5),
        );
    }
    let lines = profile.lines();
    let totals: Vec<Spent> = lines.iter().map(ProfileLine::total).collect();
    let mut hottest: Vec<usize> = (0..lines.len()).collect();
    hottest.sort_by_key(|index| std::cmp::Reverse(clocks(&totals[*index])));
    let _ = writeln!(
        out,
        "\nhot spots:\n     clocks  share  address     stalled on (of its clocks)  instruction"
    );
    for index in hottest.into_iter().take(HOT_SPOTS) {
        let (line, total) = (&lines[index], &totals[index]);
        let whole = clocks(total);
        let _ = writeln!(
            out,
            "{whole:>11} {:>5.1}%  {:#010x}  {:<26}  {}",
            percent(whole, busy),
            line.pc,
            causes(&total.stalled, whole, 2),
            text_of(line),
        );
    }
    let _ = writeln!(
        out,
        "\naddress          issued     stalled  stalled on (of its clocks)  instruction"
    );
    let mut expected = lines.first().map_or(0, |line| line.pc);
    for (line, total) in lines.iter().zip(&totals).take(MOST_LINES) {
        if line.pc != expected {
            out.push_str("...\n");
        }
        expected = line.pc.wrapping_add(8);
        let _ = writeln!(
            out,
            "{:#010x} {:>12} {:>11}  {:<26}  {}",
            line.pc,
            total.issues,
            total.stalled_clocks(),
            causes(&total.stalled, clocks(total), 2),
            text_of(line),
        );
    }
    if lines.len() > MOST_LINES {
        let _ = writeln!(
            out,
            "and {} more instructions; --profile-json FILE has all of them",
            lines.len() - MOST_LINES
        );
    }
    out
}

/// The profile as JSON, by instruction and QPU; docs/simulator.md describes it.
#[must_use]
pub fn json(profile: &Profile, outcome: &Outcome, clock_hz: u32) -> Value {
    let by_qpu = |spent: &[Spent]| -> Vec<Value> {
        let rows = spent.iter().enumerate();
        rows.filter(|(_, spent)| clocks(spent) > 0)
            .map(|(qpu, spent)| json!({ "qpu": qpu, "issued": spent.issues, "stall": spent.stalled }))
            .collect()
    };
    let instructions: Vec<Value> = profile
        .lines()
        .iter()
        .map(|line| {
            let total = line.total();
            json!({
                "pc": line.pc,
                "word": line.word.map(|word| format!("{word:#018x}")),
                "disassembly": text_of(line),
                "issued": total.issues,
                "stall": total.stalled,
                "qpus": by_qpu(&line.spent),
            })
        })
        .collect();
    json!({
        "timed": outcome.timed,
        "clock_hz": clock_hz,
        "cycles": outcome.cycles,
        "qpus": by_qpu(&profile.by_qpu()),
        "instructions": instructions,
    })
}
