//! `cargo xtask web`: the page with a virtual Pi in it, as a folder of static files.

use crate::toolchain::Toolchain;
use crate::{browser, demo, firmware, notices, package, process, toolchain, workspace};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

const TARGET: &str = workspace::PAGE_TARGET;

const BUILD_LIMIT: Duration = Duration::from_secs(1800);

/// Bytes of the stack: `V3d::new` alone needs more than the linker's 1 MiB.
const STACK: u32 = 8 << 20;

/// The folder that is served, benched and tested when none is named.
pub fn default_folder() -> PathBuf {
    workspace::target().join("web/page")
}

/// Runs the command.
pub fn run(rest: &[String]) -> Result<ExitCode> {
    let words: Vec<&str> = rest.iter().map(String::as_str).collect();
    match words[..] {
        ["--serve"] => {
            let folder = build(&default_folder())?;
            package::run("qpuscope", &[], &["web".into(), "--page".into(), folder])
        }
        ["--bench"] => {
            let page = build(&default_folder())?;
            let [host, chromium] = [demo::build_qpuscope()?, browser::find_or_install()?]
                .map(|program| program.display().to_string());
            package::run("browser", &[], &[page, host, chromium])
        }
        [folder] if !folder.starts_with('-') => {
            let folder = std::path::absolute(folder)?;
            build(&folder)?;
            Ok(ExitCode::SUCCESS)
        }
        _ => bail!("`cargo xtask web` takes a folder to write, --serve or --bench"),
    }
}

/// Builds image and wasm, and writes the page to `folder`; returns its path.
pub fn build(folder: &Path) -> Result<String> {
    let toolchain = toolchain::find_or_install()?;
    let image = firmware::build(&toolchain)?;
    let wasm = wasm(&toolchain)?;
    let root = workspace::root();
    let notices = format!(
        "{}\n{}",
        notices::PAGE.text(root)?,
        notices::IMAGE.text(root)?
    );
    let paths = [&wasm, &image.img, folder].map(|path| path.display().to_string());
    pack(&paths)?;
    fs::write(folder.join("notices.txt"), notices)?;
    eprintln!(
        "{}: open it through a server, such as `cargo xtask web --serve`",
        folder.display()
    );
    Ok(folder.display().to_string())
}

/// Where everything of the page is compiled: the tests are compiled in the usual folder meanwhile.
fn target() -> PathBuf {
    workspace::target().join("wasm")
}

/// Runs the package `web-pack`: it takes longer to compile for release than it then saves.
fn pack(arguments: &[String]) -> Result<()> {
    let mut cargo = Command::new(workspace::cargo());
    cargo.current_dir(workspace::root());
    cargo.args(["run", "--quiet", "--locked", "--package", "web-pack"]);
    cargo.arg("--target-dir").arg(target());
    process::must(cargo.arg("--").args(arguments), BUILD_LIMIT)
}

/// Compiles the package `web` for browsers; returns the wasm file.
fn wasm(toolchain: &Toolchain) -> Result<PathBuf> {
    let root = workspace::root();
    let into = target();
    let mut flags = firmware::remapped(root, &toolchain.rust_src);
    flags.push(format!("-Clink-arg=-zstack-size={STACK}"));
    // The sixteen lanes of a QPU; browsers have had it since 2023.
    flags.push("-Ctarget-feature=+simd128".into());
    let mut cargo = firmware::command(toolchain, root);
    cargo
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"))
        .env(
            "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER",
            &toolchain.linker,
        )
        .args(["build", "--locked", "-Zbuild-std=std,panic_abort"])
        .args(["--profile", "web", "--package", "web"])
        .args(["--target", TARGET, "--target-dir"])
        .arg(&into);
    process::must(cargo.stdout(std::io::stderr()), BUILD_LIMIT)
        .with_context(|| format!("the page's program did not build for {TARGET}"))?;
    Ok(into.join(TARGET).join("web/web.wasm"))
}
