//! `qpuscope_board_*`: a client of the serial line.

mod conversation;
mod structures;

use std::ffi::c_char;

use crate::boundary::{
    check_pointer, check_structure, give, guard, object, read_structure, release, text,
};
pub use conversation::Board;
use conversation::{baud_of, channel, wait_of};
pub use structures::{Info, Spectrum, Upload};

/// Opens a port; see `qpuscope.h`.
///
/// # Safety
/// `port` must be null or a text with its terminating 0, `board` writable when it is neither null
/// nor unaligned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qpuscope_board_open(
    port: *const c_char,
    baud: u32,
    board: *mut *mut Board,
) -> i32 {
    // SAFETY: the promises are the caller's.
    guard(|| unsafe { give("board", board, || Board::open(&text("port", port)?, baud)) })
}

/// Asks the board who it is; see `qpuscope.h`.
///
/// # Safety
/// `board` must be null or come from `qpuscope_board_open`, and be used by no other call
/// meanwhile; `info` readable and writable when it is neither null nor unaligned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qpuscope_board_info(board: *mut Board, info: *mut Info) -> i32 {
    guard(|| {
        // SAFETY: the promises are the caller's.
        let found = unsafe {
            check_structure("info", info)?;
            object("board", board)?.info()?
        };
        // SAFETY: checked, and writable by promise.
        unsafe { info.write(found) };
        Ok(())
    })
}

/// Changes settings; see `qpuscope.h`.
///
/// # Safety
/// `board` as for `qpuscope_board_info`; `words` must be null or a text with its terminating 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qpuscope_board_set(board: *mut Board, words: *const c_char) -> i32 {
    // SAFETY: the promises are the caller's.
    guard(|| unsafe { object("board", board)?.set(&text("words", words)?) })
}

/// Changes the rate of the line; see `qpuscope.h`.
///
/// # Safety
/// `board` as for `qpuscope_board_info`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qpuscope_board_baud(board: *mut Board, baud: u32) -> i32 {
    guard(|| {
        // SAFETY: the promise is the caller's.
        let board = unsafe { object("board", board) }?;
        let baud = baud_of(baud)?;
        Ok(board.greeted()?.change_baud(baud)?)
    })
}

/// Starts the generator's spectra; see `qpuscope.h`.
///
/// # Safety
/// `board` as for `qpuscope_board_info`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qpuscope_board_start(board: *mut Board) -> i32 {
    // SAFETY: the promise is the caller's.
    guard(|| Ok(unsafe { object("board", board) }?.greeted()?.start()?))
}

/// Sends samples; see `qpuscope.h`.
///
/// # Safety
/// `board` as for `qpuscope_board_info`. Pointers that are neither null nor unaligned must be what
/// the header says: `upload` readable, with so many samples as it says; `spectra` writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qpuscope_board_upload(
    board: *mut Board,
    upload: *const Upload,
    spectra: *mut u32,
) -> i32 {
    guard(|| {
        // SAFETY: the promises are the caller's.
        let count = unsafe {
            let board = object("board", board)?;
            let (channel, rate) = channel(&read_structure("upload", upload)?)?;
            board.upload(&channel, rate)?
        };
        if !spectra.is_null() {
            check_pointer("spectra", spectra)?;
            // SAFETY: checked, and writable by promise.
            unsafe { spectra.write(count) };
        }
        Ok(())
    })
}

/// Reads the next spectrum; see `qpuscope.h`.
///
/// # Safety
/// `board` as for `qpuscope_board_info`; `spectrum` readable and writable when it is neither null
/// nor unaligned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qpuscope_board_read(
    board: *mut Board,
    seconds: f64,
    spectrum: *mut Spectrum,
) -> i32 {
    guard(|| {
        let wait = wait_of(seconds)?;
        // SAFETY: the promises are the caller's.
        let found = unsafe {
            check_structure("spectrum", spectrum)?;
            object("board", board)?.read(wait)?
        };
        // SAFETY: checked, and writable by promise.
        unsafe { spectrum.write(found) };
        Ok(())
    })
}

/// Closes a board; see `qpuscope.h`.
///
/// # Safety
/// `board` must be null or come from `qpuscope_board_open`, and is gone afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qpuscope_board_close(board: *mut Board) {
    // SAFETY: the promise is the caller's.
    unsafe { release(board) };
}
