//! The two directions.

use reference_fft::{Complex, Direction, plan};

#[test]
fn directions_undo_each_other_but_for_the_number_of_points() {
    let given: Vec<_> = (0..12).map(|n| Complex::new(f64::from(n), 1.0)).collect();
    let mut points = given.clone();
    plan(12, Direction::Forward).process(&mut points);
    // Bin 0 is the sum; bin 1 turns against the points of a positive frequency.
    assert!((points[0] - Complex::new(66.0, 12.0)).norm() < 1e-12);
    assert!(points[1].im > 0.0, "{}", points[1]);
    plan(12, Direction::Inverse).process(&mut points);
    for (got, wanted) in points.iter().zip(given) {
        assert!((got / 12.0 - wanted).norm() < 1e-12);
    }
}
