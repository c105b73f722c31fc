//! The boundary to C: pointers are checked, panics end here, and a failure leaves its sentence.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind};

use v3d_sim::Board;

/// Return values of the calls.
pub mod status {
    /// Done; of `v3d_sim_run`, all programs ended.
    pub const COMPLETED: i32 = 0;
    /// A program faulted.
    pub const FAULT: i32 = 1;
    /// No QPU could go on.
    pub const DEADLOCK: i32 = 2;
    /// The limit of cycles passed.
    pub const CYCLE_LIMIT: i32 = 3;
    /// No spectrum came in that time.
    pub const NOTHING: i32 = 4;
    /// The recording has ended.
    pub const ENDED: i32 = 5;
    /// A pointer is null.
    pub const ERROR_NULL: i32 = -1;
    /// A size or a count is out of range.
    pub const ERROR_SIZE: i32 = -2;
    /// A pointer or an address is not aligned.
    pub const ERROR_ALIGNMENT: i32 = -3;
    /// Two regions overlap.
    pub const ERROR_OVERLAP: i32 = -4;
    /// An option, a length or a text has no meaning.
    pub const ERROR_OPTION: i32 = -5;
    /// The library failed.
    pub const ERROR_INTERNAL: i32 = -6;
    /// There is not enough memory.
    pub const ERROR_MEMORY: i32 = -7;
    /// There is no such port, or nobody answers at it.
    pub const ERROR_DEVICE: i32 = -8;
    /// The line broke, or does not carry the protocol.
    pub const ERROR_LINK: i32 = -9;
    /// The board refused, or did not do it.
    pub const ERROR_BOARD: i32 = -10;
    /// Something was lost, or the result cannot be trusted.
    pub const ERROR_INTEGRITY: i32 = -11;
}

/// Why a call did not do what it was asked for.
pub struct Failure {
    /// A status other than 0.
    pub status: i32,
    /// The error, for the message.
    pub text: String,
}

impl Failure {
    /// A failure with these words.
    pub fn new(status: i32, text: impl Into<String>) -> Self {
        Self {
            status,
            text: text.into(),
        }
    }
}

/// An option that has no meaning.
pub fn wrong(text: impl Into<String>) -> Failure {
    Failure::new(status::ERROR_OPTION, text)
}

/// The value of an option out of a list.
pub fn choice<T: Copy>(name: &str, number: u32, values: &[T]) -> Result<T, Failure> {
    let value = values.get(number as usize).copied();
    value.ok_or_else(|| {
        let last = values.len() - 1;
        wrong(format!("options.{name} is {number}; 0 to {last} are known"))
    })
}

/// Time in microseconds that a run may take.
pub const LIMIT_US: u32 = 60_000_000;
/// The clocks of V3D in hertz that are simulated. At a lower one the longest plan that a board has
/// memory for does not end within [`LIMIT_US`].
const CLOCKS_HZ: RangeInclusive<u32> = 50_000_000..=1_000_000_000;

/// The clock of V3D in hertz: the board's own, where none is given.
pub fn clock_of(board: Board, given: u32) -> Result<u32, Failure> {
    if given == 0 {
        return Ok(board.clock_hz());
    }
    in_range("options.clock_hz", given, &CLOCKS_HZ, "for the board's own")
}

/// A number that is in its range; 0 has a meaning of its own.
pub fn in_range(
    name: &str,
    given: u32,
    range: &RangeInclusive<u32>,
    zero: &str,
) -> Result<u32, Failure> {
    if range.contains(&given) {
        return Ok(given);
    }
    let (least, most) = (range.start(), range.end());
    Err(wrong(format!(
        "{name} is {given}; give {least} to {most}, or 0 {zero}"
    )))
}

/// The longest list of regions or programs that is taken.
const MOST_ENTRIES: usize = 1 << 20;

thread_local! {
    static MESSAGE: RefCell<CString> = RefCell::new(CString::default());
}

fn set_message(text: String) {
    // A 0 inside would hide the rest.
    let text = CString::new(text.replace('\0', "?")).unwrap_or_default();
    MESSAGE.with(|message| message.replace(text));
}

/// Runs a call of C. Its failure, or its panic, becomes a status and the message of this thread.
pub fn guard(call: impl FnOnce() -> Result<(), Failure>) -> i32 {
    let (status, text) = match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => (status::COMPLETED, String::new()),
        Ok(Err(failure)) => (failure.status, failure.text),
        Err(_) => (
            status::ERROR_INTERNAL,
            "the library failed; please report what you called".to_owned(),
        ),
    };
    set_message(text);
    status
}

/// `qpuscope_message`: the sentence about this thread's last call, empty when it did what it was
/// asked for. It stays where it is until this thread's next call.
#[unsafe(no_mangle)]
pub extern "C" fn qpuscope_message() -> *const c_char {
    MESSAGE.with(|message| message.borrow().as_ptr())
}

/// The whole of `text`, or as many of its characters as fit `bytes` bytes.
pub fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// Refuses a pointer that is null or not aligned.
pub fn check_pointer<T>(name: &str, data: *const T) -> Result<(), Failure> {
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

/// A list of a caller.
///
/// # Safety
/// When it is not null and aligned, `data` must be valid for reads of `count` entries.
pub unsafe fn list<T: Copy>(name: &str, data: *const T, count: usize) -> Result<Vec<T>, Failure> {
    if count > MOST_ENTRIES {
        let text = format!("{name} has {count} entries; at most {MOST_ENTRIES} are taken");
        return Err(Failure::new(status::ERROR_SIZE, text));
    }
    // SAFETY: the promise about `data` is the caller's.
    unsafe { numbers(name, data, count) }
}

/// A list of a caller, of any length.
///
/// # Safety
/// When it is not null and aligned, `data` must be valid for reads of `count` entries.
pub unsafe fn numbers<T: Copy>(
    name: &str,
    data: *const T,
    count: usize,
) -> Result<Vec<T>, Failure> {
    if count == 0 {
        return Ok(vec![]);
    }
    check_pointer(name, data)?;
    let bytes = count.checked_mul(size_of::<T>());
    if bytes.is_none_or(|bytes| bytes > isize::MAX as usize) {
        let text = format!("{name} has {count} entries, more than there can be");
        return Err(Failure::new(status::ERROR_SIZE, text));
    }
    // SAFETY: it is neither null nor unaligned, the caller promised `count` readable entries, and
    // they are no more than isize::MAX bytes. The slice is copied and gone before anything runs.
    Ok(unsafe { std::slice::from_raw_parts(data, count) }.to_vec())
}

/// A text of a caller.
///
/// # Safety
/// When it is not null, `text` must be readable up to its terminating 0.
#[cfg(feature = "boards")]
pub unsafe fn text(name: &str, text: *const c_char) -> Result<String, Failure> {
    check_pointer(name, text)?;
    // SAFETY: it is not null, and the caller promised a terminating 0. It is copied here.
    let text = unsafe { std::ffi::CStr::from_ptr(text) }.to_str();
    let text = text.map_err(|_| {
        let text = format!("{name} is no UTF-8; give a text");
        Failure::new(status::ERROR_OPTION, text)
    })?;
    Ok(text.to_owned())
}

/// A structure that begins with its size.
///
/// # Safety
/// Implement it only for `repr(C)` structures whose first field is `struct_size: u32`.
pub unsafe trait Structure: Copy {}

/// Refuses a structure that is null, unaligned or of another version.
///
/// # Safety
/// When it is not null and aligned, the first word of `data` must be readable.
pub unsafe fn check_structure<T: Structure>(name: &str, data: *const T) -> Result<(), Failure> {
    check_pointer(name, data)?;
    // SAFETY: neither null nor unaligned, and `Structure` says that a u32 comes first, which the
    // caller promised to be readable. The rest need not have been set, and a structure of another
    // version is not read beyond its end.
    let given = unsafe { data.cast::<u32>().read() };
    let size = size_of::<T>();
    if given as usize == size {
        return Ok(());
    }
    let text = format!("{name}.struct_size is {given}; set it to sizeof, {size} here");
    Err(Failure::new(status::ERROR_SIZE, text))
}

/// A structure of a caller.
///
/// # Safety
/// When it is not null and aligned, and says that it has this size, `data` must be readable.
pub unsafe fn read_structure<T: Structure>(name: &str, data: *const T) -> Result<T, Failure> {
    // SAFETY: what is promised for all of it holds for its first word.
    unsafe { check_structure(name, data)? };
    // SAFETY: it was checked, has the size of the structure, and is readable by promise.
    Ok(unsafe { data.read() })
}

/// An object of the library's behind a pointer of a caller.
///
/// # Safety
/// When it is not null, it must come from [`give`], and be used by nobody else during the call.
pub unsafe fn object<'a, T>(name: &str, object: *mut T) -> Result<&'a mut T, Failure> {
    check_pointer(name, object)?;
    // SAFETY: not null, from `Box::into_raw` in `give`, and exclusive by promise.
    Ok(unsafe { &mut *object })
}

/// Makes an object for a caller, whose pointer is null when that fails.
///
/// # Safety
/// When it is neither null nor unaligned, `place` must be writable.
pub unsafe fn give<T>(
    name: &str,
    place: *mut *mut T,
    make: impl FnOnce() -> Result<T, Failure>,
) -> Result<(), Failure> {
    check_pointer(name, place)?;
    // SAFETY: checked, and writable by promise. Whatever follows, it holds no wild pointer.
    unsafe { place.write(std::ptr::null_mut()) };
    let made = Box::new(make()?);
    // SAFETY: as above.
    unsafe { place.write(Box::into_raw(made)) };
    Ok(())
}

/// Takes an object back.
///
/// # Safety
/// `object` must be null or come from [`give`], and is gone afterwards.
pub unsafe fn release<T>(object: *mut T) {
    guard(|| {
        if !object.is_null() {
            // SAFETY: from `Box::into_raw` in `give`, and given back once, by promise.
            drop(unsafe { Box::from_raw(object) });
        }
        Ok(())
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message() -> String {
        let message = qpuscope_message();
        // SAFETY: it is this thread's message, which no call changes meanwhile.
        unsafe { std::ffi::CStr::from_ptr(message) }
            .to_string_lossy()
            .into_owned()
    }

    #[test]
    fn a_cut_never_splits_a_character() {
        assert_eq!(cut("a\u{b5}s", 3), "a\u{b5}");
        assert_eq!(cut("a\u{b5}s", 2), "a");
        assert_eq!(cut("a", 9), "a");
    }

    #[test]
    fn a_panic_ends_at_the_boundary() {
        assert_eq!(guard(|| panic!("a bug")), status::ERROR_INTERNAL);
        assert!(message().contains("please report"));
        assert_eq!(guard(|| Ok(())), status::COMPLETED);
        assert_eq!(message(), "");
    }

    #[test]
    fn messages_are_a_threads_own() {
        let fail = || Err(Failure::new(status::ERROR_OPTION, "a\0b"));
        assert_eq!(guard(fail), status::ERROR_OPTION);
        let other = std::thread::spawn(message).join().expect("a message");
        assert_eq!((message().as_str(), other.as_str()), ("a?b", ""));
    }
}
