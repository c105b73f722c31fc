//! Exceptions: IRQ goes to its handler, everything else ends in a report and a reset.
//!
//! Data and prefetch aborts are decoded from DFSR, DFAR, IFSR and IFAR by aarch32-cpu's types. The
//! program counter that is reported is the instruction at fault (LR_und and LR_svc point 4 behind
//! it, LR_abt 4 or 8).
//!
//! An imprecise abort comes after the access that caused it, and waits while CPSR.A is set. The
//! boot firmware leaves A set, and one may be pending from before us. Such an abort says nothing
//! about this run, so until the board is up A stays set and what is pending is taken at places of
//! our choice ([`take_pending_abort`]). From [`unmask_aborts`] on, an abort of either kind is the
//! end of the run.
//!
//! Source: ARM1176JZF-S TRM (DDI 0301H), 2.12 "Exceptions", 3.2.16 "c5, Data Fault Status
//! Register".

use core::arch::asm;
use core::fmt::{self, Display};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use aarch32_cpu::register::dfsr::DfsrStatus;
use aarch32_cpu::register::{Cpsr, Dfar, Dfsr, Ifar, Ifsr};

use super::data_sync_barrier;
use crate::fault::{self, Fault};

/// Set to [`AWAITED`] while a data abort is not the end: the vector then stores DFSR here and
/// returns.
// SAFETY: the name is the one `boot/armv6.s` reads and writes, as one word.
#[unsafe(no_mangle)]
static KERNEL_AWAITED_ABORT: AtomicU32 = AtomicU32::new(0);

/// Not a status that DFSR can have: its upper half reads 0.
const AWAITED: u32 = 0x8000_0000;

/// Takes an abort that is pending; returns what DFSR said then. CPSR.A is set afterwards, as it was
/// before.
pub fn take_pending_abort() -> Option<u32> {
    // The abort of a write that is still on its way is pending after this.
    data_sync_barrier();
    KERNEL_AWAITED_ABORT.store(AWAITED, Relaxed);
    // SAFETY: nothing between the two instructions touches memory or registers, so that a return to
    // any place among them is as good as any other; the vector keeps all registers.
    unsafe {
        asm!(
            "nop", "nop", "nop", "nop", "cpsie a", "nop", "nop", "nop", "nop", "cpsid a", "nop",
            "nop"
        );
    }
    let status = KERNEL_AWAITED_ABORT.swap(0, Relaxed);
    (status != AWAITED).then_some(status)
}

/// Lets imprecise aborts through; each ends the run from here on.
pub fn unmask_aborts() {
    // SAFETY: an abort that comes now goes to the vector, which reports it and does not return.
    unsafe { asm!("cpsie a") };
}

/// The registers that the vectors saved (`fatal` in `boot/armv6.s`).
#[repr(C)]
struct Frame {
    r: [u32; 13],
    sp: u32,
    lr: u32,
    return_address: u32,
    spsr: u32,
    _pad: u32,
}

const UNDEFINED: u32 = 1;
const SUPERVISOR_CALL: u32 = 2;
const PREFETCH_ABORT: u32 = 3;
const DATA_ABORT: u32 = 4;
const FIQ: u32 = 7;

/// Reports if the abort belongs to an access long before, whose address is not known.
fn is_imprecise(status: Dfsr) -> bool {
    matches!(status.status(), Ok(DfsrStatus::ImpreciseExtAbort))
}

struct Exception<'a> {
    kind: u32,
    frame: &'a Frame,
}

impl Exception<'_> {
    fn pc(&self) -> u32 {
        let behind = if self.kind == DATA_ABORT { 8 } else { 4 };
        self.frame.return_address.wrapping_sub(behind)
    }
}

impl Display for Exception<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            UNDEFINED => write!(f, "undefined instruction")?,
            SUPERVISOR_CALL => write!(f, "unexpected SVC")?,
            PREFETCH_ABORT => {
                let status = Ifsr::read();
                write!(f, "prefetch abort at {:#010x}: ", Ifar::read().0)?;
                match status.status() {
                    Ok(status) => write!(f, "{status:?}")?,
                    Err(_) => write!(f, "IFSR {:#010x}", status.raw_value())?,
                }
            }
            DATA_ABORT if is_imprecise(Dfsr::read()) => {
                let status = Dfsr::read().raw_value();
                write!(f, "imprecise data abort, DFSR {status:#06x}")?;
            }
            DATA_ABORT => {
                let status = Dfsr::read();
                let access = if status.wnr() { "write to" } else { "read of" };
                write!(f, "data abort, {access} {:#010x}: ", Dfar::read().0)?;
                match status.status() {
                    Ok(status) => write!(f, "{status:?}")?,
                    Err(_) => write!(f, "DFSR {:#010x}", status.raw_value())?,
                }
            }
            FIQ => write!(f, "unexpected FIQ")?,
            _ => write!(f, "unexpected exception")?,
        }
        let mode = Cpsr::new_with_raw_value(self.frame.spsr).mode();
        write!(f, ", PC {:#010x}, LR {:#010x}", self.pc(), self.frame.lr)?;
        write!(f, ", SP {:#010x}", self.frame.sp)?;
        match mode {
            Ok(mode) => write!(f, ", mode {mode:?}"),
            Err(_) => write!(f, ", SPSR {:#010x}", self.frame.spsr),
        }
    }
}

// SAFETY: the name is the one `boot/armv6.s` calls, with this signature.
#[unsafe(no_mangle)]
extern "C" fn kernel_exception(kind: u32, frame: &Frame) -> ! {
    let exception = Exception { kind, frame };
    let (kind, address) = match kind {
        UNDEFINED => (fault::Kind::Undefined, 0),
        PREFETCH_ABORT => (fault::Kind::PrefetchAbort, Ifar::read().0),
        DATA_ABORT if is_imprecise(Dfsr::read()) => (fault::Kind::DataAbort, 0),
        DATA_ABORT => (fault::Kind::DataAbort, Dfar::read().0),
        _ => (fault::Kind::OtherException, 0),
    };
    fault::report_and_reset(Fault {
        kind,
        pc: exception.pc(),
        address,
        text: format_args!("{exception}"),
    })
}

// SAFETY: the name is the one `boot/armv6.s` calls, with this signature.
#[unsafe(no_mangle)]
extern "C" fn kernel_irq() {
    crate::interrupt::dispatch();
}

#[panic_handler]
fn panic(info: &core::panic::PanicInfo) -> ! {
    fault::report_and_reset(Fault {
        kind: fault::Kind::Panic,
        pc: 0,
        address: 0,
        text: format_args!("{info}"),
    })
}
