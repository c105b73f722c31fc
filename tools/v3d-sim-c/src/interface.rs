//! The interface that C sees: structures as `v3d_sim.h` lays them out, and the call itself.

use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::memory::{ALIAS_MASK, CallerMemory, Part};
use crate::run::{self, Failure};

/// Return values of the call.
pub mod status {
    /// All programs ended.
    pub const COMPLETED: i32 = 0;
    /// A program faulted.
    pub const FAULT: i32 = 1;
    /// No QPU could go on.
    pub const DEADLOCK: i32 = 2;
    /// The limit of cycles passed.
    pub const CYCLE_LIMIT: i32 = 3;
    /// A pointer is null.
    pub const ERROR_NULL: i32 = -1;
    /// A size or a count is out of range.
    pub const ERROR_SIZE: i32 = -2;
    /// A pointer or an address is not aligned.
    pub const ERROR_ALIGNMENT: i32 = -3;
    /// Two regions overlap.
    pub const ERROR_OVERLAP: i32 = -4;
    /// An option is unknown.
    pub const ERROR_OPTION: i32 = -5;
    /// The simulator panicked.
    pub const ERROR_INTERNAL: i32 = -6;
}

/// `V3D_SIM_READ_ONLY`.
pub const READ_ONLY: u32 = 1;

/// The longest list that is taken.
const MOST_ENTRIES: usize = 1 << 20;

/// `v3d_sim_region`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// Bus address of the first byte.
    pub bus_address: u32,
    /// [`READ_ONLY`] or 0.
    pub flags: u32,
    /// The first byte.
    pub data: *mut c_void,
    /// Bytes.
    pub size: usize,
}

/// `v3d_sim_program`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Bus address of the first instruction.
    pub code: u32,
    /// Bus address of the first uniform.
    pub uniforms: u32,
}

/// `v3d_sim_options`.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub struct Options {
    /// Bytes of this structure.
    pub struct_size: u32,
    /// Number of the board.
    pub board: u32,
    /// V3D clock in hertz; 0 for the board's.
    pub clock_hz: u32,
    /// Functional, strict, seeded.
    pub flags: u32,
    /// The most V3D clocks; 0 for the default.
    pub limit_cycles: u64,
    /// The order in which QPUs advance.
    pub seed: u64,
}

/// `v3d_sim_result`.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub struct RunResult {
    /// Bytes of this structure.
    pub struct_size: u32,
    /// The returned status.
    pub status: i32,
    /// True if the cycle model was at work.
    pub timed: u32,
    /// V3D clock in hertz.
    pub clock_hz: u32,
    /// V3D clocks.
    pub cycles: u64,
    /// By QPU.
    pub instructions: [u64; 12],
    /// By QPU.
    pub stall_cycles: [u64; 12],
    /// By id.
    pub counters: [u64; 30],
    /// Vectors looked up.
    pub tmu_requests: u64,
    /// DMA loads.
    pub vdr_commands: u64,
    /// Bytes that they read.
    pub vdr_bytes: u64,
    /// DMA stores.
    pub vdw_commands: u64,
    /// Bytes that they wrote.
    pub vdw_bytes: u64,
    /// Host interrupts raised.
    pub host_interrupts: u64,
    /// Kinds of warnings.
    pub warnings: u32,
    /// The QPU of the first fault.
    pub fault_qpu: u32,
    /// Its instruction.
    pub fault_pc: u32,
    /// 0.
    pub reserved: u32,
}

/// A list of a caller.
///
/// # Safety
/// When it is not null and aligned, `data` must be valid for reads of `count` entries.
unsafe fn list<T: Copy>(name: &str, data: *const T, count: usize) -> Result<Vec<T>, Failure> {
    if count == 0 {
        return Ok(vec![]);
    }
    if count > MOST_ENTRIES {
        let text = format!("{name} has {count} entries; at most {MOST_ENTRIES} are taken");
        return Err(Failure::new(status::ERROR_SIZE, text));
    }
    check_pointer(name, data)?;
    // SAFETY: it is neither null nor unaligned, the caller promised `count` readable entries, and
    // so few cannot be more than isize::MAX bytes. The slice is copied and gone before anything
    // runs.
    Ok(unsafe { std::slice::from_raw_parts(data, count) }.to_vec())
}

fn check_pointer<T>(name: &str, data: *const T) -> Result<(), Failure> {
    if data.is_null() {
        let text = format!("{name} is NULL");
        return Err(Failure::new(status::ERROR_NULL, text));
    }
    if !data.is_aligned() {
        let text = format!(
            "{name} is not aligned: {data:p} is no multiple of {}",
            align_of::<T>()
        );
        return Err(Failure::new(status::ERROR_ALIGNMENT, text));
    }
    Ok(())
}

fn check_size(name: &str, given: u32, size: usize) -> Result<(), Failure> {
    if given as usize == size {
        return Ok(());
    }
    let text = format!("{name}.struct_size is {given}; set it to sizeof, {size} here");
    Err(Failure::new(status::ERROR_SIZE, text))
}

fn check_region(index: usize, region: &Region) -> Result<Part, Failure> {
    let name = format!("regions[{index}]");
    let start = region.bus_address & ALIAS_MASK;
    let room = u64::from(ALIAS_MASK) + 1 - u64::from(start);
    let fail = |status, text: String| Err(Failure::new(status, text));
    if region.flags & !READ_ONLY != 0 {
        let text = format!("{name}.flags is {:#x}, which has no meaning", region.flags);
        return fail(status::ERROR_OPTION, text);
    }
    if region.data.is_null() {
        return fail(status::ERROR_NULL, format!("{name}.data is NULL"));
    }
    if !start.is_multiple_of(4) {
        let text = format!(
            "{name}.bus_address {:#010x} is no multiple of 4",
            region.bus_address
        );
        return fail(status::ERROR_ALIGNMENT, text);
    }
    let wraps = (region.data as usize).checked_add(region.size).is_none();
    if region.size == 0 || region.size as u64 > room || wraps {
        let text = format!(
            "{name}.size is {}; from {:#010x} on 1 to {room} bytes fit",
            region.size, region.bus_address
        );
        return fail(status::ERROR_SIZE, text);
    }
    Ok(Part {
        start,
        bytes: region.size as u32,
        data: region.data.cast(),
        writable: region.flags & READ_ONLY == 0,
    })
}

/// Runs programs to their end; see `v3d_sim.h`.
///
/// # Safety
/// Pointers that are neither null nor unaligned must be what the header says: `regions` and
/// `programs` readable lists of so many entries; `data` of each region valid for its size, for
/// writes unless it is read-only, and not used by anybody else during the call; `options` and
/// `result` readable, `result` writable; `message` writable for `message_size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn v3d_sim_run(
    regions: *const Region,
    region_count: usize,
    programs: *const Program,
    program_count: usize,
    options: *const Options,
    result: *mut RunResult,
    message: *mut c_char,
    message_size: usize,
) -> i32 {
    let done = catch_unwind(AssertUnwindSafe(|| {
        if message.is_null() && message_size > 0 {
            let text = "message is NULL and message_size is not 0".to_owned();
            return Err(Failure::new(status::ERROR_NULL, text));
        }
        // SAFETY: the caller's promises about both lists are those that `list` asks for.
        let (regions, programs) = unsafe {
            (
                list("regions", regions, region_count)?,
                list("programs", programs, program_count)?,
            )
        };
        if !result.is_null() {
            check_pointer("result", result)?;
            // SAFETY: neither null nor unaligned, and the caller promised that it can be read. Only
            // this word is, for the rest need not have been set.
            let size = unsafe { (&raw const (*result).struct_size).read() };
            check_size("result", size, size_of::<RunResult>())?;
        }
        let mut chosen = None;
        if !options.is_null() {
            check_pointer("options", options)?;
            // SAFETY: neither null nor unaligned, and the caller promised that it can be read; the
            // size comes first, so that a shorter structure of another version is not read beyond
            // it.
            let size = unsafe { (&raw const (*options).struct_size).read() };
            check_size("options", size, size_of::<Options>())?;
            // SAFETY: as above, and its size is that of the structure.
            chosen = Some(unsafe { options.read() });
        }
        let parts: Result<Vec<Part>, Failure> = regions
            .iter()
            .enumerate()
            .map(|(index, region)| check_region(index, region))
            .collect();
        // SAFETY: the caller promised each region for the time of this call, which the memory does
        // not outlive.
        let memory = unsafe { CallerMemory::new(parts?) };
        let mut memory = memory.map_err(|(first, second)| {
            let text = format!("regions[{first}] and regions[{second}] overlap");
            Failure::new(status::ERROR_OVERLAP, text)
        })?;
        run::run(&mut memory, &programs, chosen.as_ref())
    }));
    let (code, text) = match done {
        Ok(Ok((done, text))) => {
            if !result.is_null() {
                // SAFETY: it was checked to be aligned, and the caller promised that it can be
                // written.
                unsafe { result.write(done) };
            }
            (done.status, text)
        }
        Ok(Err(failure)) => (failure.status, failure.text),
        Err(_) => {
            let text = "the simulator failed; please report what you ran".to_owned();
            (status::ERROR_INTERNAL, text)
        }
    };
    if !message.is_null() && message_size > 0 {
        let text = run::cut(&text, message_size - 1);
        // SAFETY: the caller promised `message_size` writable bytes, and the text with its 0 is no
        // longer than that.
        unsafe {
            std::ptr::copy(text.as_ptr(), message.cast(), text.len());
            message.add(text.len()).write(0);
        }
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    /// Offsets and sizes are those of the header on a machine with pointers of 64 bits; the C
    /// example checks the same.
    #[test]
    #[cfg(target_pointer_width = "64")]
    fn structures_are_laid_out_as_in_the_header() {
        assert_eq!((size_of::<Region>(), offset_of!(Region, size)), (24, 16));
        assert_eq!((size_of::<Options>(), offset_of!(Options, seed)), (32, 24));
        assert_eq!(size_of::<Program>(), 8);
        assert_eq!(size_of::<RunResult>(), 520);
        assert_eq!(offset_of!(RunResult, counters), 216);
        assert_eq!(offset_of!(RunResult, fault_pc), 512);
    }
}
