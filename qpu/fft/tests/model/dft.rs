//! Transforms of complex vectors as programs do them, in any arithmetic.

use super::arithmetic::Real;
use super::runner::{Complex, N, Vector};
use qpu_fft::kernels::twiddle::root;

/// A root, rounded as a constant of a program is.
pub fn rounded<T: Real>((cos, sin): (f64, f64)) -> Complex<T> {
    [cos, sin].map(|x| T::from_word((x as f32).to_bits()))
}

/// z (cos - i sin), exactly where that is a multiplication by 1 or -i.
pub fn multiplied_back<T: Real>([re, im]: Complex<T>, [cos, sin]: Complex<T>) -> Complex<T> {
    match (cos.to_f64(), sin.to_f64()) {
        (1.0, 0.0) => [re, im],
        (0.0, 1.0) => [im, T::from_f64(0.0) - re],
        _ => [re * cos + im * sin, im * cos - re * sin],
    }
}

/// Four-point transform.
fn dft4<T: Real>(x: [Complex<T>; 4]) -> [Complex<T>; 4] {
    let add = |x: Complex<T>, y: Complex<T>| [x[0] + y[0], x[1] + y[1]];
    let subtract = |x: Complex<T>, y: Complex<T>| [x[0] - y[0], x[1] - y[1]];
    let (s02, d02) = (add(x[0], x[2]), subtract(x[0], x[2]));
    let (s13, d13) = (add(x[1], x[3]), subtract(x[1], x[3]));
    [
        add(s02, s13),
        [d02[0] + d13[1], d02[1] - d13[0]],
        subtract(s02, s13),
        [d02[0] - d13[1], d02[1] + d13[0]],
    ]
}

/// 16-point transform of every lane.
pub fn dft16<T: Real>(points: &[Vector<T>; N]) -> [Vector<T>; N] {
    let roots: [[Complex<T>; 4]; 4] =
        std::array::from_fn(|n2| std::array::from_fn(|k1| rounded(root((n2 * k1) as u32, 16))));
    let mut outputs = *points;
    for lane in 0..N {
        let columns: [[Complex<T>; 4]; 4] = std::array::from_fn(|n2| {
            let y = dft4(std::array::from_fn(|n1| points[4 * n1 + n2][lane]));
            std::array::from_fn(|k1| multiplied_back(y[k1], roots[n2][k1]))
        });
        for k1 in 0..4 {
            let y = dft4(std::array::from_fn(|n2| columns[n2][k1]));
            for (k2, z) in y.into_iter().enumerate() {
                outputs[k1 + 4 * k2][lane] = z;
            }
        }
    }
    outputs
}
