//! hello.

use super::{LIMIT_US, assert_clean, runners};
use qpu_programs::hello::hello;

#[test]
fn the_number_comes_back_with_0x1234_added_in_every_lane() {
    for mut runner in runners() {
        for (number, sum) in [(100, 0x1298), (0, 0x1234), (u32::MAX, 0x1233)] {
            assert_eq!(hello(&mut runner, number, LIMIT_US), Ok([sum; 16]));
        }
        assert_clean(&runner);
    }
}
