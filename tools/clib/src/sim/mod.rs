//! `v3d_sim_run()`: programs on a caller's memory.

mod memory;
mod run;
mod structures;

use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::boundary::{Failure, check_structure, cut, list, read_structure, status};
use memory::{ALIAS_MASK, CallerMemory, Part};
pub use structures::{Options, Program, READ_ONLY, Region, RunResult};

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
            // SAFETY: the caller promised that it can be read.
            unsafe { check_structure("result", result)? };
        }
        let chosen = match options.is_null() {
            true => None,
            // SAFETY: the caller promised that it can be read.
            false => Some(unsafe { read_structure("options", options)? }),
        };
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
        let text = cut(&text, message_size - 1);
        // SAFETY: the caller promised `message_size` writable bytes, and the text with its 0 is no
        // longer than that.
        unsafe {
            std::ptr::copy(text.as_ptr(), message.cast(), text.len());
            message.add(text.len()).write(0);
        }
    }
    code
}
