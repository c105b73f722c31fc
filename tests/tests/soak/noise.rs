//! Ten virtual minutes over a line that damages one byte in a hundred.

#[test]
#[ignore = "long: cargo xtask soak"]
fn ten_minutes_of_noise() {
    crate::noisy::converse(600);
    println!("virtual time: 600 s");
}
