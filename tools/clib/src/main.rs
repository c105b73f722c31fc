//! `cargo xtask clib DIR`: libqpuscope into a folder, as C programs and pkg-config expect it.
//!
//! | in DIR | is |
//! |---|---|
//! | `include/qpuscope.h`, `include/v3d_sim.h` | the interface |
//! | `lib/libqpuscope.so`, `.a` | the library (`.dylib` on macOS) |
//! | `lib/pkgconfig/qpuscope.pc` | how to compile and link; DIR may be moved |
//! | `lib/libqpuscope_gpu_fft.so`, `lib/libqpuscope_mailbox.so` | GPU_FFT's names; made with `$CC`, else `cc` |
//! | `include/gpu_fft` | their interface |
//! | `share/doc/qpuscope` | licences, those of the crates that are compiled in too |
//!
//! The libraries lie beside this program, where cargo has put them when it built it.
#![forbid(unsafe_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "usage: cargo xtask clib DIR\n\
    installs libqpuscope into DIR/lib and DIR/include; $CC names another C compiler than cc";

/// The ending of shared libraries.
const SHARED: &str = if cfg!(target_os = "macos") {
    "dylib"
} else {
    "so"
};

/// The headers, by their places below `include`.
const HEADERS: [(&str, &str); 5] = [
    ("qpuscope.h", include_str!("../include/qpuscope.h")),
    ("v3d_sim.h", include_str!("../include/v3d_sim.h")),
    (
        "gpu_fft/gpu_fft.h",
        include_str!("../include/gpu_fft/gpu_fft.h"),
    ),
    (
        "gpu_fft/gpu_fft_trans.h",
        include_str!("../include/gpu_fft/gpu_fft_trans.h"),
    ),
    (
        "gpu_fft/mailbox.h",
        include_str!("../include/gpu_fft/mailbox.h"),
    ),
];

/// The licences, by their places below `share/doc/qpuscope`.
const LICENCES: [(&str, &str); 3] = [
    ("LICENSE-APACHE", include_str!("../../../LICENSE-APACHE")),
    ("LICENSE-MIT", include_str!("../../../LICENSE-MIT")),
    (
        "LICENSES-OTHERS.txt",
        include_str!("../../../notices/qpuscope.txt"),
    ),
];

/// The libraries with GPU_FFT's names, and their sources.
const GPU_FFT: [(&str, &str); 2] = [
    ("gpu_fft", include_str!("../gpu_fft/gpu_fft.c")),
    ("mailbox", include_str!("../gpu_fft/mailbox.c")),
];

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let done = match &arguments[..] {
        [word] if word == "--help" || word == "-h" => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        [folder] if !folder.is_empty() && !folder.to_string_lossy().starts_with('-') => {
            install(Path::new(folder))
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("clib: {sentence}");
            ExitCode::FAILURE
        }
    }
}

/// Says which path could not be written.
fn writing(path: &Path) -> impl Fn(std::io::Error) -> String {
    move |error| {
        let path = path.display();
        format!(
            "cannot write {path}: {error}; check the folder and its permissions, or name another"
        )
    }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(writing(folder))?;
    fs::write(path, text).map_err(writing(path))
}

/// The folder in which cargo has put the libraries.
fn built() -> Result<PathBuf, String> {
    let here =
        std::env::current_exe().map_err(|error| format!("no path of this program: {error}"))?;
    let folder = here.parent().unwrap_or(Path::new(".")).join("deps");
    let library = folder.join(format!("libqpuscope_c.{SHARED}"));
    if library.is_file() {
        return Ok(folder);
    }
    Err(format!(
        "there is no {}; run `cargo xtask clib DIR`, which builds it",
        library.display()
    ))
}

/// The C compiler, with the options that `$CC` has behind its name.
fn compiler() -> Command {
    let named = std::env::var("CC").unwrap_or_default();
    let mut words = named.split_whitespace();
    let mut compiler = Command::new(words.next().unwrap_or("cc"));
    compiler.args(words);
    compiler
}

fn install(folder: &Path) -> Result<(), String> {
    let built = built()?;
    // Before anything is written.
    run(compiler().arg("--version"))?;
    let libraries = folder.join("lib");
    for (name, text) in HEADERS {
        write(&folder.join("include").join(name), text)?;
    }
    for (name, text) in LICENCES {
        write(&folder.join("share/doc/qpuscope").join(name), text)?;
    }
    write(&libraries.join("pkgconfig/qpuscope.pc"), &pkg_config())?;
    for ending in [SHARED, "a"] {
        let to = libraries.join(format!("libqpuscope.{ending}"));
        // A program that runs may have the old one open: it keeps it.
        let _ = fs::remove_file(&to);
        let from = built.join(format!("libqpuscope_c.{ending}"));
        fs::copy(from, &to).map_err(writing(&to))?;
    }
    for (name, source) in GPU_FFT {
        compile(name, source, folder)?;
    }
    println!("{}", folder.display());
    Ok(())
}

/// The file for pkg-config; its paths are relative to itself.
fn pkg_config() -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "prefix=${{pcfiledir}}/../..\n\
         libdir=${{prefix}}/lib\n\
         includedir=${{prefix}}/include\n\n\
         Name: qpuscope\n\
         Description: Transforms on simulated QPUs, their simulator, and a client of qpuscope boards\n\
         Version: {version}\n\
         Cflags: -I${{includedir}}\n\
         Libs: -L${{libdir}} -lqpuscope\n\
         Libs.private: -lpthread -ldl -lm\n"
    )
}

/// Makes a library of GPU_FFT's names, which finds libqpuscope beside itself.
fn compile(name: &str, source: &str, folder: &Path) -> Result<(), String> {
    let libraries = folder.join("lib");
    let library = libraries.join(format!("libqpuscope_{name}.{SHARED}"));
    let file = libraries.join(format!("{name}.part.c"));
    write(&file, source)?;
    let mut cc = compiler();
    cc.args([
        "-std=c99", "-O2", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror",
    ]);
    for include in ["include", "include/gpu_fft"] {
        cc.arg("-I").arg(folder.join(include));
    }
    cc.arg(&file).arg("-o").arg(&library);
    cc.arg("-L").arg(&libraries).arg("-lqpuscope");
    cc.args(if cfg!(target_os = "macos") {
        [
            format!("-Wl,-install_name,@rpath/libqpuscope_{name}.dylib"),
            "-Wl,-rpath,@loader_path".to_owned(),
        ]
    } else {
        [
            format!("-Wl,-soname,libqpuscope_{name}.so"),
            "-Wl,-rpath,$ORIGIN".to_owned(),
        ]
    });
    let done = run(&mut cc);
    let _ = fs::remove_file(&file);
    done
}

fn run(compiler: &mut Command) -> Result<(), String> {
    let done = compiler.output();
    let name = compiler.get_program().to_string_lossy();
    let done = done.map_err(|error| {
        format!("cannot start {name}: {error}; install a C compiler, or name one with CC")
    })?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    Err(format!(
        "{name} does not compile the libraries with GPU_FFT's names; name another compiler with CC. It says:\n{said}"
    ))
}
