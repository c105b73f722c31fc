//! `cargo xtask demo`: the spectrum of a recording, by the real image on the virtual Pi.
//!
//! Everything of substance is `qpuscope fft --port sim:target/kernel.img`; here is only the choice
//! of what is shown to someone who has nothing but a clone. `--live` shows an ADC at 20 MS/s.

mod live;

use crate::{firmware, process, toolchain, workspace};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::{Command, ExitCode, ExitStatus};
use std::time::Duration;

/// Shipped: an hour-by-hour temperature series of a year (`data/README.md`).
const DEFAULT_INPUT: &str = "data/seattle_temperature_2010_hourly.csv";

const BUILD_LIMIT: Duration = Duration::from_secs(1800);
const RUN_LIMIT: Duration = Duration::from_secs(480);

#[derive(Debug, Default, PartialEq)]
struct Options {
    input: Option<String>,
    rate: Option<String>,
    column: Option<String>,
    out: Option<String>,
    json: bool,
    live: bool,
}

fn parse(rest: &[String]) -> Result<Options> {
    let mut options = Options::default();
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        let place = match word.as_str() {
            "--json" => {
                options.json = true;
                continue;
            }
            "--live" => {
                options.live = true;
                continue;
            }
            "--input" => &mut options.input,
            "--rate" => &mut options.rate,
            "--column" => &mut options.column,
            "--out" => &mut options.out,
            other => bail!(
                "demo does not know {other:?}; it takes --input FILE, --rate HZ, --column NAME, --out DIR, --json and --live"
            ),
        };
        let value = words.next();
        *place = Some(
            value
                .with_context(|| format!("{word} needs a value"))?
                .clone(),
        );
    }
    let of_recordings = [&options.input, &options.rate, &options.column];
    if options.live && (options.json || of_recordings.iter().any(|word| word.is_some())) {
        bail!("--live plays its own signal; give only --out DIR with it");
    }
    Ok(options)
}

/// Builds what is needed and runs the demo.
pub fn run(rest: &[String]) -> Result<ExitCode> {
    let options = parse(rest)?;
    if let Some(input) = &options.input {
        // Before anything is built.
        std::fs::File::open(input)
            .with_context(|| format!("cannot read {input}; check the path and its permissions"))?;
    }
    let toolchain = toolchain::find_or_install()?;
    eprintln!("building target/kernel.img");
    let image = firmware::build(&toolchain)?;
    eprintln!("{image}\nbuilding qpuscope");
    // Nearly all of the time until the demo shows something is compiling.
    let qpuscope = build("demo", &["--no-default-features"])?;
    if options.live {
        let out = options.out.unwrap_or(".".into());
        return live::run(&qpuscope, &image, out.as_ref());
    }
    let mut command = Command::new(qpuscope);
    command.args(arguments(&options, &image));
    let status = run_shown(&mut command)?;
    // Its own messages have said why.
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(1)))
}

/// Shows a command and runs it to its end.
fn run_shown(command: &mut Command) -> Result<ExitStatus> {
    eprintln!("+ {}", process::describe(command));
    let status = process::run(command, RUN_LIMIT)?;
    status.with_context(|| format!("the demo had not ended after {} s", RUN_LIMIT.as_secs()))
}

fn arguments(options: &Options, image: &firmware::Image) -> Vec<String> {
    let mut words = vec!["fft".to_string(), "--port".to_string()];
    words.push(format!("sim:{}", image.img.display()));
    let default = workspace::root().join(DEFAULT_INPUT).display().to_string();
    words.push(options.input.clone().unwrap_or(default));
    let pairs = [
        ("--rate", options.rate.clone()),
        ("--column", options.column.clone()),
        ("--out", Some(options.out.clone().unwrap_or(".".into()))),
    ];
    for (name, value) in pairs {
        words.extend(value.into_iter().flat_map(|value| [name.into(), value]));
    }
    words.extend(options.json.then(|| "--json".into()));
    words
}

/// Compiles qpuscope with optimisation; returns the program.
pub fn build_qpuscope() -> Result<PathBuf> {
    build("release", &[])
}

fn build(profile: &str, features: &[&str]) -> Result<PathBuf> {
    let mut cargo = Command::new(workspace::cargo());
    cargo.current_dir(workspace::root());
    let target = workspace::target();
    cargo.args([
        "build",
        "--locked",
        "--profile",
        profile,
        "--package",
        "qpuscope",
    ]);
    cargo.args(features);
    cargo.arg("--target-dir").arg(&target);
    process::must(cargo.stdout(std::io::stderr()), BUILD_LIMIT)
        .context("qpuscope did not build")?;
    Ok(target.join(profile).join("qpuscope"))
}

#[cfg(test)]
mod test {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(String::from).collect()
    }

    #[test]
    fn options_are_read_and_a_wrong_one_is_named() {
        let options = parse(&words("--input a.wav --rate 2000000 --json")).unwrap();
        assert_eq!(options.input.as_deref(), Some("a.wav"));
        assert_eq!(options.rate.as_deref(), Some("2000000"));
        assert!(options.json && options.out.is_none());
        let error = parse(&words("--inptu a.wav")).unwrap_err().to_string();
        assert!(error.contains("\"--inptu\""), "{error}");
        assert!(parse(&words("--live --out x")).unwrap().live);
        let error = parse(&words("--live --json")).unwrap_err().to_string();
        assert!(error.contains("only --out"), "{error}");
        let error = parse(&words("--input")).unwrap_err().to_string();
        assert!(error.contains("needs a value"), "{error}");
    }
}
