//! Functions that the guest's assembly calls: the library's work for each engine.

use core::arch::global_asm;

use guest_fft::digests::DigestMemory;
use guest_fft::plan::PlanMemory;
use guest_fft::{Memory, MicrofftMemory, Task, Work};

global_asm!(".arch armv6k", ".fpu vfpv2", options(raw));
global_asm!(
    include_str!("start.s"),
    prepare_f32 = sym prepare::<Memory<f32>>,
    transform_f32 = sym transform::<Memory<f32>>,
    prepare_f64 = sym prepare::<Memory<f64>>,
    transform_f64 = sym transform::<Memory<f64>>,
    prepare_microfft = sym prepare::<MicrofftMemory>,
    transform_microfft = sym transform::<MicrofftMemory>,
    prepare_plan = sym prepare::<PlanMemory>,
    make_plan = sym transform::<PlanMemory>,
    prepare_digests = sym prepare::<DigestMemory>,
    make_digests = sym transform::<DigestMemory>,
);

extern "C" fn prepare<W: Work>(memory: &mut W, task: &Task) -> u32 {
    memory.prepare(task).into()
}

extern "C" fn transform<W: Work>(memory: &mut W, task: &Task) {
    memory.transform(task);
}

/// Nothing here panics on a task that was prepared; a guest that does not end is reported by the
/// host.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
