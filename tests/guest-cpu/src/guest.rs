//! The guest itself: its assembly, and VFP arithmetic whose results are hashed into one word.

use core::arch::global_asm;
use core::hint::black_box;

global_asm!(".arch armv6k", ".fpu vfpv2", options(raw));
global_asm!(include_str!("print.s"), options(raw));
global_asm!(include_str!("start.s"), options(raw));
global_asm!(include_str!("memory.s"), options(raw));
global_asm!(include_str!("instructions.s"), options(raw));
global_asm!(include_str!("vfp.s"), options(raw));
global_asm!(include_str!("modes.s"), options(raw));
global_asm!(include_str!("handlers.s"), options(raw));
// The name under which the assembly calls Rust, without an exported symbol of Rust's own.
global_asm!(".text", ".global vfp_checks", "vfp_checks:", "b {checks}", checks = sym vfp_checks);

/// FNV-1a over the bytes of words.
struct Hash(u32);

impl Hash {
    fn word(&mut self, value: u32) {
        for byte in value.to_le_bytes() {
            self.0 = (self.0 ^ u32::from(byte)).wrapping_mul(16_777_619);
        }
    }

    fn single(&mut self, value: f32) {
        self.word(value.to_bits());
    }

    fn double(&mut self, value: f64) {
        self.word(value.to_bits() as u32);
        self.word((value.to_bits() >> 32) as u32);
    }
}

/// Arithmetic, conversions and comparisons over ordinary numbers, overflow, underflow and NaN.
extern "C" fn vfp_checks() -> u32 {
    let mut hash = Hash(2_166_136_261);
    let (mut a, mut b, zero) = (black_box(1.5f32), black_box(-3.25f32), black_box(0f32));
    let (huge, mut d) = (black_box(1e300f64), black_box(3f64));
    for i in 0..200u32 {
        hash.single(a * b + a);
        hash.single(a / b);
        hash.single((b * 7.0) as i32 as f32);
        hash.single((a * 9.0) as u32 as f32);
        hash.double(huge * d);
        hash.double(d / 7.0 * f64::from(i));
        hash.single(d as f32);
        hash.double(f64::from(a));
        hash.word((b * 1e20) as i32 as u32);
        hash.word(b as u32);
        hash.word((a < b).into());
        hash.word((a >= b).into());
        hash.word((zero / zero < a).into());
        a = black_box(a + 0.37);
        b = black_box(b * -1.13);
        d = black_box(d * 1.01);
    }
    let tiny = black_box(1.2e-38f32);
    hash.single(tiny * 0.5);
    hash.single(1.0 / zero);
    hash.single(zero / zero);
    hash.0
}

/// Nothing here panics; the linker drops this.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
