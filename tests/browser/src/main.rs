//! `cargo xtask web --bench`: the page's figures in headless Chromium, medians of five runs; of
//! memory there is one run, because it takes three minutes.
//!
//! Two otherwise idle cores; the figures are of this machine. It writes a table as Markdown to
//! standard output.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use browser::{Browser, Page, Result, Served};

/// Runs of each figure.
const RUNS: usize = 5;
/// Time for anything that a page does by itself.
const SOON: Duration = Duration::from_secs(120);
/// Time for ten virtual minutes, on a slow machine too.
const TEN_MINUTES: Duration = Duration::from_secs(900);
/// Real time that a speed is taken over.
const MEASURED: Duration = Duration::from_secs(10);
/// A microphone that Chromium makes up, let in without a question.
const MICROPHONE: [&str; 2] = [
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
];

fn main() -> ExitCode {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [page, host, chromium, names @ ..] = &arguments[..] else {
        eprintln!("usage: browser PAGE QPUSCOPE CHROMIUM [PART OF A FIGURE'S NAME]");
        return ExitCode::FAILURE;
    };
    let name = names
        .first()
        .map_or_else(String::new, |name| name.display().to_string());
    match bench([page, host, chromium], &name) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("browser: {error}");
            ExitCode::FAILURE
        }
    }
}

/// One figure: what it is of, its limit in words, its unit, and how a run takes it.
struct Figure {
    name: &'static str,
    wanted: &'static str,
    unit: &'static str,
    take: fn(&Page) -> Result<f64>,
}

const FIGURES: [Figure; 9] = [
    Figure {
        name: "First spectrum after the page has loaded",
        wanted: "at most 2",
        unit: "s",
        take: first_spectrum,
    },
    Figure {
        name: "Generator, N = 4096, averages of 16 blocks",
        wanted: "at least 1.5",
        unit: "times real time",
        take: |page| generator(page, 4096, 16),
    },
    Figure {
        name: "Generator, N = 4096, each block a record",
        wanted: "at least 1.5",
        unit: "times real time",
        take: |page| generator(page, 4096, 1),
    },
    Figure {
        name: "Generator, N = 1024, each block a record",
        wanted: "",
        unit: "times real time",
        take: |page| generator(page, 1024, 1),
    },
    Figure {
        name: "Microphone at 48 kS/s, N = 1024",
        wanted: "at least 1.0",
        unit: "times real time",
        take: |page| microphone(page, 1024),
    },
    Figure {
        name: "Microphone at 48 kS/s, N = 4096",
        wanted: "at least 1.0",
        unit: "times real time",
        take: |page| microphone(page, 4096),
    },
    Figure {
        name: "Microphone at 48 kS/s, N = 16384",
        wanted: "at least 1.0",
        unit: "times real time",
        take: |page| microphone(page, 16384),
    },
    Figure {
        name: "Main thread busy, 25 lines a second of 4096 bins",
        wanted: "at most 30",
        unit: "%",
        take: main_thread,
    },
    Figure {
        name: MEMORY,
        wanted: "at most 256",
        unit: "MiB",
        take: memory,
    },
];

/// Name of the figure that is taken once.
const MEMORY: &str = "Worker's memory after ten virtual minutes of the generator, N = 4096";

fn bench([folder, host, chromium]: [&Path; 3], name: &str) -> Result<()> {
    let served = Served::start(host, folder, &[])?;
    println!("| figure | wanted | median | from | to | |");
    println!("|---|---|---|---|---|---|");
    for figure in FIGURES.iter().filter(|figure| figure.name.contains(name)) {
        let mut taken = Vec::new();
        let runs = if figure.name == MEMORY { 1 } else { RUNS };
        for _ in 0..runs {
            let browser = Browser::start(chromium, &MICROPHONE)?;
            let page = browser.open(&served.url)?;
            page.wait("window.qpuscope.state().ready", SOON)?;
            taken.push((figure.take)(&page)?);
        }
        taken.sort_by(f64::total_cmp);
        let Figure {
            name, wanted, unit, ..
        } = figure;
        let [low, median, high] = [taken[0], taken[runs / 2], taken[runs - 1]];
        println!("| {name} | {wanted} | {median:.2} | {low:.2} | {high:.2} | {unit} |");
    }
    Ok(())
}

fn first_spectrum(page: &Page) -> Result<f64> {
    // Milliseconds from the moment at which the page's own program began to run.
    let ms = number(page, "window.qpuscope.state().firstSpectrumMs")?;
    Ok(ms / 1000.0)
}

/// Virtual time by real time, without a limit of the pace.
fn generator(page: &Page, n: u32, average: u32) -> Result<f64> {
    settle(page, &format!("n={n} overlap=50% avg={average}"))?;
    page.eval("window.qpuscope.app.link.setPace(Infinity)")?;
    speed(page)
}

/// Virtual time by the real time in which the worker simulated it: above 1 it keeps up with the
/// microphone, whose samples come in real time.
fn microphone(page: &Page, n: u32) -> Result<f64> {
    // Without a sound card Chromium takes 44.1 kS/s.
    let at_48k = "AudioContext = class extends AudioContext { constructor() { super({ sampleRate: 48000 }); } }";
    page.eval(&format!(
        "{at_48k}; window.qpuscope.app.sources.microphone()"
    ))?;
    settle(page, &format!("n={n} overlap=50% avg=1"))?;
    page.wait(
        "window.qpuscope.state().stream?.source === 'I2S input'",
        SOON,
    )?;
    ratio(page, "window.qpuscope.state().busy")
}

/// Virtual time by real time.
fn speed(page: &Page) -> Result<f64> {
    ratio(page, "performance.now() / 1000")
}

/// Virtual time by another one in seconds, over the time that is measured.
fn ratio(page: &Page, other: &str) -> Result<f64> {
    thread::sleep(Duration::from_secs(2));
    let seconds = format!("[window.qpuscope.state().seconds, {other}]");
    let before = page.eval(&seconds)?;
    thread::sleep(MEASURED);
    let after = page.eval(&seconds)?;
    let passed = |at: usize| {
        after[at]
            .as_f64()
            .zip(before[at].as_f64())
            .map(|(b, a)| b - a)
    };
    let times = passed(0)
        .zip(passed(1))
        .map(|(virtual_s, real_s)| virtual_s / real_s);
    times.ok_or_else(|| "the page has no time".into())
}

/// The main thread's share of time in tasks, in percent, with a record of 4096 bins 25 times a
/// second.
fn main_thread(page: &Page) -> Result<f64> {
    // 2048 new samples a block, at 51.2 kS/s.
    settle(page, "n=4096 domain=complex overlap=50% avg=1 out=u8")?;
    thread::sleep(Duration::from_secs(2));
    let metrics = || -> Result<(f64, f64)> {
        let answer = page.call("Performance.getMetrics", serde_json::json!({}))?;
        let all = answer["metrics"].as_array().cloned().unwrap_or_default();
        let of = |name: &str| {
            let metric = all.iter().find(|metric| metric["name"] == name);
            metric
                .and_then(|metric| metric["value"].as_f64())
                .unwrap_or(f64::NAN)
        };
        Ok((of("TaskDuration"), of("Timestamp")))
    };
    let records = "window.qpuscope.state().records";
    let (busy, at) = metrics()?;
    let had = number(page, records)?;
    thread::sleep(MEASURED);
    let (busy_after, at_after) = metrics()?;
    let lines = (number(page, records)? - had) / (at_after - at);
    if lines < 24.0 {
        return Err(format!("only {lines:.1} records a second came"));
    }
    Ok((busy_after - busy) / (at_after - at) * 100.0)
}

/// Bytes of the worker's memory after ten virtual minutes without a limit of the pace.
fn memory(page: &Page) -> Result<f64> {
    settle(page, "n=4096 overlap=50% avg=16")?;
    page.eval("window.qpuscope.app.link.setPace(Infinity)")?;
    page.wait("window.qpuscope.state().seconds > 600", TEN_MINUTES)?;
    let bytes = number(page, "window.qpuscope.state().memory")?;
    Ok(bytes / f64::from(1 << 20))
}

/// Sets words on the board, which must take them.
fn settle(page: &Page, words: &str) -> Result<()> {
    let set = format!("window.qpuscope.app.settings.set({words:?})");
    let refusal = page.eval(&set)?;
    match refusal.as_str() {
        Some("") => Ok(()),
        _ => Err(format!("{words}: {refusal}")),
    }
}

fn number(page: &Page, expression: &str) -> Result<f64> {
    let value = page.eval(expression)?;
    value
        .as_f64()
        .ok_or_else(|| format!("{expression} is {value}"))
}
