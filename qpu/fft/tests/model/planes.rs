//! Transforms of planes on the model of the passes, held to rows and then columns in f64.

use super::catalogue::catalogue;
use super::plans::{Complex, DIRECTIONS, TOLERANCE, dft, error, is_of_units, model, noise};
use qpu_fft::request::{Request, Scale, Transform};
use qpu_fft::{Axis, Direction, Plan, Split};

fn request(log2_rows: u32, log2_columns: u32, batch: u32) -> Request {
    let transform = Transform::Plane {
        log2_rows,
        log2_columns,
    };
    Request::of(transform, batch)
}

/// The transforms of planes of 2^`log2_columns` columns: their rows, then their columns.
fn dft2(direction: Direction, x: &[Complex], log2_rows: u32, log2_columns: u32) -> Vec<Complex> {
    let width = 1 << log2_columns;
    let mut y: Vec<Complex> = x
        .chunks(width)
        .flat_map(|row| dft(direction, row))
        .collect();
    for plane in y.chunks_mut(width << log2_rows) {
        for x in 0..width {
            let column: Vec<Complex> = plane.iter().skip(x).step_by(width).copied().collect();
            let bins = dft(direction, &column);
            for (row, bin) in plane.chunks_mut(width).zip(bins) {
                row[x] = bin;
            }
        }
    }
    y
}

#[test]
fn every_split_of_rows_and_columns_is_a_dft() {
    for (log2_rows, log2_columns) in (4..=9).flat_map(|rows| [(rows, 4), (rows, 5)]).chain([
        (4, 7),
        (4, 8),
        (5, 9),
        (10, 4),
        (11, 4),
        (8, 6),
        (12, 4),
    ]) {
        let x = noise(1 << (log2_rows + log2_columns), 3);
        let wanted = DIRECTIONS.map(|direction| dft2(direction, &x, log2_rows, log2_columns));
        let rows = Split::all(log2_columns).filter(is_of_units).take(2);
        for (number, rows) in rows.enumerate() {
            for columns in Split::all_along(Axis::Column, log2_rows) {
                let mut request = request(log2_rows, log2_columns, 1);
                (request.split, request.columns) = (Some(rows), Some(columns));
                request.one_launch = columns.log2_radix(0) % 2 == 0;
                for (direction, wanted) in DIRECTIONS.into_iter().zip(&wanted) {
                    let got = model::<f64>(&request, number == 1, direction, &x);
                    let error = error(&got, wanted);
                    assert!(
                        error < TOLERANCE,
                        "rows {rows}, columns {columns}, {direction:?}: {error:e}"
                    );
                }
            }
        }
    }
}

#[test]
fn planes_follow_each_other_and_scales_are_those_of_all_points() {
    for (log2_rows, log2_columns, batch) in [(4, 4, 7), (5, 4, 3), (7, 5, 2), (9, 4, 3), (4, 9, 5)]
    {
        let points = 1 << (log2_rows + log2_columns);
        let x = noise(batch * points, 9);
        let wanted = dft2(Direction::Forward, &x, log2_rows, log2_columns);
        let mut request = request(log2_rows, log2_columns, batch as u32);
        for (scale, factor) in [
            (Scale::None, 1.0),
            (Scale::ByPoints, 1.0 / points as f64),
            (Scale::ByRootOfPoints, 1.0 / (points as f64).sqrt()),
        ] {
            request.forward = scale;
            let wanted: Vec<Complex> = wanted.iter().map(|z| z.map(|x| x * factor)).collect();
            let got = model::<f64>(&request, true, Direction::Forward, &x);
            let error = error(&got, &wanted);
            assert!(
                error < TOLERANCE,
                "{batch} of 2^{log2_rows} x 2^{log2_columns}, {scale:?}: {error:e}"
            );
        }
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let refusal = |request: &Request| {
        let memory = Plan::memory::<()>(catalogue(), request);
        memory.unwrap_err().to_string()
    };
    for (log2_rows, log2_columns) in [(3, 4), (4, 3), (0, 10), (23, 4), (u32::MAX, u32::MAX)] {
        let text = refusal(&request(log2_rows, log2_columns, 1));
        assert!(text.contains("2^4 to 2^22 rows"), "{text}");
    }
    assert!(refusal(&request(5, 5, 0)).contains("at least one"));
    let text = refusal(&request(14, 14, 1));
    // 2 GiB of points and as many of bins.
    assert!(text.contains("at least 4294967296 bytes"), "{text}");
    let text = refusal(&request(5, 5, u32::MAX));
    assert!(text.contains("make the batch smaller"), "{text}");
    let mut wrong = request(5, 5, 1);
    wrong.columns = Split::new(&[5]);
    assert!(refusal(&wrong).contains("another length"));
    wrong.columns = Split::along(Axis::Column, &[6]);
    assert!(refusal(&wrong).contains("another length"));
    let mut wrong = Request::new(5, 1);
    wrong.split = Split::along(Axis::Column, &[5]);
    assert!(refusal(&wrong).contains("of columns"));
}
