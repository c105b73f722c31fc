//! The name under which the shared library is installed, in the library itself.
//!
//! Without it a program that is linked with the library looks for it under the path that was given
//! to its linker.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let system = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    let argument = match system.as_str() {
        "macos" => "-Wl,-install_name,@rpath/libqpuscope.dylib",
        _ => "-Wl,-soname,libqpuscope.so",
    };
    println!("cargo::rustc-cdylib-link-arg={argument}");
}
