//! `qpuscope_fft_*`: transforms on the simulated QPUs.

mod structures;
mod transform;
mod transpose;

use crate::boundary::{
    Failure, Structure, check_pointer, check_structure, give, guard, numbers, object,
    read_structure, release, status,
};
pub use structures::{FftOptions, FftResult, FftSizes, TransposeOptions};
pub use transform::Fft;
use transpose::Transpose;

/// Checks the place for a structure that may be left out.
///
/// # Safety
/// As [`check_structure`].
unsafe fn check_optional<T: Structure>(name: &str, data: *const T) -> Result<(), Failure> {
    if data.is_null() {
        return Ok(());
    }
    // SAFETY: the promise is the caller's.
    unsafe { check_structure(name, data) }
}

/// Refuses an array that is too short.
fn check_count(name: &str, given: usize, needed: u64) -> Result<(), Failure> {
    if given as u64 >= needed {
        return Ok(());
    }
    let text = format!("{name} is {given}; {needed} floats are needed");
    Err(Failure::new(status::ERROR_SIZE, text))
}

/// Makes a plan; see `qpuscope.h`.
///
/// # Safety
/// Pointers that are neither null nor unaligned must be what the header says: `options` readable,
/// `plan` writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qpuscope_fft_prepare(
    options: *const FftOptions,
    plan: *mut *mut Fft,
) -> i32 {
    // SAFETY: the promises are the caller's.
    guard(|| unsafe {
        give("plan", plan, || {
            Fft::new(&read_structure("options", options)?)
        })
    })
}

/// Says how much a plan reads and writes; see `qpuscope.h`.
///
/// # Safety
/// `plan` must be null or come from `qpuscope_fft_prepare`; `sizes` must be readable and writable
/// when it is neither null nor unaligned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qpuscope_fft_sizes_of(plan: *mut Fft, sizes: *mut FftSizes) -> i32 {
    guard(|| {
        // SAFETY: the promises are the caller's.
        let found = unsafe {
            check_structure("sizes", sizes)?;
            object("plan", plan)?.sizes()
        };
        // SAFETY: checked, and writable by promise.
        unsafe { sizes.write(found) };
        Ok(())
    })
}

/// Transforms; see `qpuscope.h`.
///
/// # Safety
/// `plan` must be null or come from `qpuscope_fft_prepare`, and be used by no other call
/// meanwhile. Pointers that are neither null nor unaligned must be what the header says: `input`
/// readable for `input_count` floats, `output` writable for `output_count`, `result` readable and
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qpuscope_fft_execute(
    plan: *mut Fft,
    input: *const f32,
    input_count: usize,
    output: *mut f32,
    output_count: usize,
    result: *mut FftResult,
) -> i32 {
    guard(|| {
        // SAFETY: the promises are the caller's.
        let plan = unsafe {
            check_optional("result", result)?;
            object("plan", plan)?
        };
        check_pointer("input", input)?;
        check_pointer("output", output)?;
        let sizes = plan.sizes();
        check_count("input_count", input_count, sizes.input_count)?;
        check_count("output_count", output_count, sizes.output_count)?;
        // SAFETY: readable for `input_count` floats by promise, of which these are no more.
        let points = unsafe { numbers("input", input, sizes.input_count as usize)? };
        let (bins, done) = plan.execute(&points)?;
        // SAFETY: writable for `output_count` floats by promise, of which these are no more. The
        // bins are the library's own, so the two are apart.
        unsafe { std::ptr::copy_nonoverlapping(bins.as_ptr(), output, bins.len()) };
        if !result.is_null() {
            // SAFETY: checked, and writable by promise.
            unsafe { result.write(done) };
        }
        Ok(())
    })
}

/// Exchanges rows and columns; see `qpuscope.h`.
///
/// # Safety
/// Pointers that are neither null nor unaligned must be what the header says: `options` readable,
/// `from` readable for `from_count` floats, `to` readable and writable for `to_count`, `result`
/// readable and writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qpuscope_transpose(
    options: *const TransposeOptions,
    from: *const f32,
    from_count: usize,
    to: *mut f32,
    to_count: usize,
    result: *mut FftResult,
) -> i32 {
    guard(|| {
        // SAFETY: the promises are the caller's.
        let options = unsafe {
            check_optional("result", result)?;
            read_structure("options", options)?
        };
        let transpose = Transpose::new(&options)?;
        check_pointer("from", from)?;
        check_pointer("to", to)?;
        let [from_needed, to_needed] = transpose.counts();
        check_count("from_count", from_count, from_needed)?;
        check_count("to_count", to_count, to_needed)?;
        // SAFETY: readable for as many floats by promise.
        let (points, mut transposed) = unsafe {
            (
                numbers("from", from, from_needed as usize)?,
                numbers("to", to, to_needed as usize)?,
            )
        };
        let done = transpose.run(&points, &mut transposed)?;
        // SAFETY: writable for `to_count` floats by promise, of which these are no more. They are
        // the library's own, so the two are apart.
        unsafe { std::ptr::copy_nonoverlapping(transposed.as_ptr(), to, transposed.len()) };
        if !result.is_null() {
            // SAFETY: checked, and writable by promise.
            unsafe { result.write(done) };
        }
        Ok(())
    })
}

/// Gives a plan back; see `qpuscope.h`.
///
/// # Safety
/// `plan` must be null or come from `qpuscope_fft_prepare`, and is gone afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qpuscope_fft_release(plan: *mut Fft) {
    // SAFETY: the promise is the caller's.
    unsafe { release(plan) };
}
