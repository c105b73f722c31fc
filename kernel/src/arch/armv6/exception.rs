//! Exceptions: IRQ goes to its handler, everything else ends in a report and a reset.
//!
//! Data and prefetch aborts are decoded from DFSR, DFAR, IFSR and IFAR by aarch32-cpu's types. The
//! program counter that is reported is the instruction at fault (LR_und and LR_svc point 4 behind it,
//! LR_abt 4 or 8).

use core::fmt::{self, Display};

use aarch32_cpu::register::{Cpsr, Dfar, Dfsr, Ifar, Ifsr};

use crate::fault::{self, Fault};

/// What the vectors saved (`fatal` in `boot/armv6.s`).
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
