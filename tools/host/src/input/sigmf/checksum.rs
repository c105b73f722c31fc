//! `core:sha512`: the sum over the file of the samples.

use std::ops::Range;

use sha2::{Digest, Sha512};

use super::super::Bytes;
use super::object::MetaObject;
use common::failure::{Failure, Result};
use common::progress::Progress;

/// Bytes that are summed at a time.
const PIECE: usize = 1 << 20;
/// Digits of a sum.
const DIGITS: usize = 128;

/// Compares the sum that a description states with that of the samples' file, which lies in
/// `place`: all of it, with what it has in front of the samples and behind them.
///
/// # Errors
/// Usage, when they differ.
pub fn check(
    name: &str,
    global: &MetaObject,
    bytes: &Bytes,
    place: Range<u64>,
    notes: &mut Vec<String>,
) -> Result<()> {
    let stated = match global.string("core:sha512") {
        Ok(None) => return Ok(()),
        Ok(Some(stated)) => stated.trim().to_ascii_lowercase(),
        Err(odd) => {
            notes.push(format!("{odd} and was not compared"));
            return Ok(());
        }
    };
    if stated.len() != DIGITS || !stated.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        notes.push(format!(
            "core:sha512 has not the {DIGITS} hexadecimal digits of a sum and was not compared"
        ));
        return Ok(());
    }
    if sum(bytes, place)? == stated {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{name}: the samples do not have the sum that core:sha512 states: they were damaged, or changed after it was \
         written; copy the recording again, or take core:sha512 out of its description"
    )))
}

/// The sum of the bytes in `place`, in hexadecimal digits.
fn sum(bytes: &Bytes, place: Range<u64>) -> Result<String> {
    let mut sum = Sha512::new();
    let mut progress = Progress::new("checking", place.end - place.start, "bytes");
    let mut at = place.start;
    while at < place.end {
        let count = (place.end - at).min(PIECE as u64);
        let piece = bytes.some(at, count as usize)?;
        sum.update(&piece);
        progress.add(count);
        at += count;
    }
    Ok(data_encoding::HEXLOWER.encode(&sum.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_that_of_its_place_alone() {
        // By `printf abc | sha512sum`.
        let wanted = "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
                      2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f";
        let bytes = Bytes::from(b"--abc--".to_vec());
        assert_eq!(sum(&bytes, 2..5).expect("a sum"), wanted);
    }
}
