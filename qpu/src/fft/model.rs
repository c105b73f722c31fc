//! The index maps held to a naive DFT: programs done in f64 over a memory of f64 words.
//!
//! A program is replaced by what it must compute from the values of its uniforms: sums of rows,
//! turn by the part's angle, 16-point transform, twiddle, store. Nothing here knows N1 or N2 but
//! through [`Layout`].

use super::layout::Addresses;
use super::{Direction, Layout, Pass, Uniform, twiddle};

const ADDRESSES: Addresses = Addresses {
    input: 0x10_0000,
    planes: 0x20_0000,
    twiddles: 0x30_0000,
    output: 0x40_0000,
};

type Memory = std::collections::HashMap<u32, f64>;

/// A 32-bit float that a uniform carries.
fn float(word: u32) -> f64 {
    f64::from(f32::from_bits(word))
}

fn program(layout: &Layout, direction: Direction, pass: Pass, index: u32, memory: &mut Memory) {
    let uniform = |which| layout.uniform(&ADDRESSES, direction, pass, index, which);
    let parts = layout.parts(pass) as u8;
    let mut outputs = vec![[[0.0; 2]; 16]; 16];
    for lane in 0..16 {
        let offset = layout.lane_offset(pass, lane);
        let mut sums = [[0.0; 2]; 16];
        for n in 0..16u8 {
            let mut y = [0.0; 2];
            for block in 0..parts {
                for component in 0..2u8 {
                    let row = 16 * block + n;
                    let address = uniform(Uniform::Row { row, component }) + offset;
                    y[usize::from(component)] +=
                        memory[&address] * float(uniform(Uniform::Sign { block, component }));
                }
            }
            let (cos, sin) = (
                float(uniform(Uniform::PartCos { n })),
                float(uniform(Uniform::PartSin { n })),
            );
            sums[usize::from(n)] = [y[0] * cos + y[1] * sin, y[1] * cos - y[0] * sin];
        }
        for output in 0..16u32 {
            let mut y = [0.0; 2];
            for (n, x) in sums.iter().enumerate() {
                let (cos, sin) = twiddle::turn(output * n as u32, 16);
                y[0] += x[0] * cos + x[1] * sin;
                y[1] += x[1] * cos - x[0] * sin;
            }
            if pass == Pass::First {
                let (cos, sin) =
                    twiddle::turn(layout.twiddle_turns(index, output, lane), layout.points());
                y = [y[0] * cos + y[1] * sin, y[1] * cos - y[0] * sin];
            }
            outputs[output as usize][lane as usize] = y;
        }
    }
    let pitch = (uniform(Uniform::StoreStride) & 0xffff) + 64;
    let store = |index| uniform(Uniform::Store { index });
    for (output, lanes) in outputs.iter().enumerate() {
        for (lane, y) in lanes.iter().enumerate() {
            for (component, &value) in y.iter().enumerate() {
                let address = match pass {
                    // Transposed by the VPM: lane is the row, output the word.
                    Pass::First => {
                        store(0) + (16 * component + lane) as u32 * pitch + 4 * output as u32
                    }
                    // Interleaved: a row is 16 columns, in two stores of 8.
                    Pass::Second => {
                        let column = lane / 2 + 8 * (lane % 2);
                        store((column / 8) as u8)
                            + output as u32 * pitch
                            + 8 * (column % 8) as u32
                            + 4 * component as u32
                    }
                };
                memory.insert(address, value);
            }
        }
    }
}

#[test]
fn two_passes_over_the_index_maps_are_a_dft() {
    for log2_points in super::MIN_LOG2_POINTS..=super::MAX_LOG2_POINTS {
        for direction in [Direction::Forward, Direction::Inverse] {
            let layout = Layout::new(log2_points).unwrap();
            let points = layout.points();
            let mut memory = Memory::new();
            // Two impulses: each output is a sum of two known turns, and every index map matters.
            let (first, second) = (points / 3, points - 5);
            for n in 0..points {
                let re = f64::from(u8::from(n == first));
                let im = f64::from(u8::from(n == second)) * 2.0;
                memory.insert(ADDRESSES.input + 8 * n, re);
                memory.insert(ADDRESSES.input + 8 * n + 4, im);
            }
            for pass in [Pass::First, Pass::Second] {
                for index in 0..layout.programs() {
                    program(&layout, direction, pass, index, &mut memory);
                }
            }
            for k in 0..points {
                let sign = if direction == Direction::Forward {
                    1.0
                } else {
                    -1.0
                };
                let turn = |n: u32| {
                    twiddle::turn(
                        (u64::from(n) * u64::from(k) % u64::from(points)) as u32,
                        points,
                    )
                };
                let ((c1, s1), (c2, s2)) = (turn(first), turn(second));
                let wanted = [c1 + 2.0 * sign * s2, -sign * s1 + 2.0 * c2];
                for component in 0..2u32 {
                    let got = memory[&(ADDRESSES.output + 8 * k + 4 * component)];
                    let difference = (got - wanted[component as usize]).abs();
                    assert!(
                        difference < 1e-6,
                        "2^{log2_points} {direction:?} bin {k}: {got}, {wanted:?}"
                    );
                }
            }
        }
    }
}
