//! The cost of noise on the line: the short form. `cargo xtask soak ten_minutes_of_noise` runs the
//! long one.

#[test]
fn a_line_that_damages_one_byte_in_a_hundred_costs_nothing_but_what_it_damages() {
    crate::noisy::converse(60);
}
