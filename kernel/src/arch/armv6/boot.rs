//! From assembly to Rust: `boot/armv6.s` and the macro that names the firmware's first function.

core::arch::global_asm!(include_str!("../../../../boot/armv6.s"), options(raw));

/// Makes a `fn(atags: u32) -> !` the first Rust function of the image.
///
/// `atags` is r2 as the boot firmware left it: the address of the ATAG list, or 0.
#[macro_export]
macro_rules! entry {
    ($boot:path) => {
        #[unsafe(export_name = "kernel_main")]
        extern "C" fn kernel_main(atags: u32) -> ! {
            $boot(atags)
        }
    };
}
