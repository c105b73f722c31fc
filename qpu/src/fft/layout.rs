//! How a length is split, and where every row of every program lies.
//!
//! Input index n = n1 · N2 + n2, output index k = k1 + N1 · k2, and
//! X\[k\] = Σ_n2 W_N2^(n2 k2) · W_N^(n2 k1) · Σ_n1 W_N1^(n1 k1) x\[n\], with W_M = exp(-2πi/M).
//!
//! | | pass 1 | pass 2 |
//! |---|---|---|
//! | points | N1 = 16 · parts1, over n1 | N2 = 16 · parts2, over n2 |
//! | lanes of group g | n2 = 16g + lane | k1 = 16g + column(lane) |
//! | outputs of part q | k1 = q + parts1 · k', k' = 0..16 | k2 = q + parts2 · k' |
//!
//! The planes between the passes are blocks of 16 n2: 16 rows of real parts, 16 rows of imaginary
//! parts, each row N1 words long and ordered by (q, k'). A pass-1 program stores 16 words into each
//! of its 32 rows, 64 bytes at a time.
//!
//! In pass 2, lane l holds column (l/2) + 8·(l mod 2) of its group: neighbours are what the
//! interleaving of real and imaginary parts exchanges.

use super::{Direction, Pass, Uniform, twiddle};
use crate::vpm::store_stride;

/// Shortest length, as a power of two.
pub const MIN_LOG2_POINTS: u32 = 8;
/// Longest length, as a power of two.
pub const MAX_LOG2_POINTS: u32 = 12;
/// Programs of one pass at the longest length. V3D's queue of user programs holds 16.
pub const MAX_PROGRAMS: usize = 16;

/// Bytes of an interleaved complex point.
const POINT: u32 = 8;
/// Lanes of a vector, points that a program has in registers, rows of a block.
const LANES: u32 = 16;
/// Bytes of twiddles that one program of pass 1 reads: 16 rows of 16 complex numbers.
const TWIDDLES: u32 = LANES * LANES * POINT;

/// A length split into two passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    log2_points: u32,
    /// Programs that share a transform of pass 1, and of pass 2.
    parts: [u32; 2],
}

/// First bytes of the buffers of a plan, as V3D sees them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Addresses {
    /// Interleaved complex input.
    pub input: u32,
    /// Planes between the passes.
    pub planes: u32,
    /// Twiddles of pass 1.
    pub twiddles: u32,
    /// Interleaved complex output.
    pub output: u32,
}

impl Layout {
    /// The split of 2^`log2_points` points; `None` outside 2^8 ..= 2^12.
    #[must_use]
    pub fn new(log2_points: u32) -> Option<Self> {
        let parts = match log2_points {
            8 => [1, 1],
            9 => [1, 2],
            10 => [2, 2],
            11 => [2, 4],
            12 => [4, 4],
            _ => return None,
        };
        Some(Self { log2_points, parts })
    }

    /// Length of the transform.
    #[must_use]
    pub const fn points(&self) -> u32 {
        1 << self.log2_points
    }

    /// Programs that share one transform of a pass.
    #[must_use]
    pub const fn parts(&self, pass: Pass) -> u32 {
        match pass {
            Pass::First => self.parts[0],
            Pass::Second => self.parts[1],
        }
    }

    /// Points of a transform of a pass: N1 or N2.
    #[must_use]
    pub const fn pass_points(&self, pass: Pass) -> u32 {
        LANES * self.parts(pass)
    }

    /// Programs of a pass, the same for both.
    #[must_use]
    pub const fn programs(&self) -> u32 {
        self.parts[0] * self.parts[1]
    }

    /// Bytes of the input, the planes, the twiddles, and the output: all the same.
    #[must_use]
    pub const fn bytes(&self) -> u32 {
        self.points() * POINT
    }

    /// Group of lanes and part of the program with this index in its pass.
    #[must_use]
    pub const fn group_and_part(&self, pass: Pass, index: u32) -> (u32, u32) {
        (index / self.parts(pass), index % self.parts(pass))
    }

    /// Angle of the twiddle of `output` in `lane` of a pass-1 program, in N-ths of a turn.
    #[must_use]
    pub const fn twiddle_turns(&self, index: u32, output: u32, lane: u32) -> u32 {
        let (group, part) = self.group_and_part(Pass::First, index);
        let n2 = LANES * group + lane;
        let k1 = part + self.parts[0] * output;
        n2 * k1 % self.points()
    }

    /// Byte offset, from the row's address, at which a lane reads. The programs compute the same.
    #[must_use]
    pub const fn lane_offset(&self, pass: Pass, lane: u32) -> u32 {
        match pass {
            Pass::First => POINT * lane,
            Pass::Second => {
                let column = lane / 2 + 8 * (lane % 2);
                64 * (column % self.parts[0]) + 4 * (column / self.parts[0])
            }
        }
    }

    /// The value of a uniform of program `index` of a pass.
    #[must_use]
    pub fn uniform(
        &self,
        addresses: &Addresses,
        direction: Direction,
        pass: Pass,
        index: u32,
        uniform: Uniform,
    ) -> u32 {
        let (group, part) = self.group_and_part(pass, index);
        let parts = self.parts(pass);
        let inverse = u32::from(direction == Direction::Inverse);
        // Row 16·block + n enters with (-i)^quarters: a sign, and an exchange where it is odd.
        let quarters = |block: u32| part * block * (4 / parts) % 4;
        match uniform {
            Uniform::Row { row, component } => {
                let row = u32::from(row);
                let component = (u32::from(component) + quarters(row / LANES) + inverse) % 2;
                match pass {
                    Pass::First => {
                        addresses.input
                            + POINT * (row * self.columns() + LANES * group)
                            + 4 * component
                    }
                    Pass::Second => {
                        let rows = self.pass_points(pass);
                        let n2 = if inverse == 1 {
                            (rows - row) % rows
                        } else {
                            row
                        };
                        addresses.planes
                            + self.plane_row(n2, component)
                            + group * 4 * (LANES / self.parts[0])
                    }
                }
            }
            Uniform::Sign { block, component } => {
                let negative = match component {
                    0 => matches!(quarters(u32::from(block)), 2 | 3),
                    _ => matches!(quarters(u32::from(block)), 1 | 2),
                };
                (if negative { -1.0f32 } else { 1.0 }).to_bits()
            }
            Uniform::PartCos { n } => {
                let (cos, _) = twiddle::turn(part * u32::from(n), self.pass_points(pass));
                (cos as f32).to_bits()
            }
            Uniform::PartSin { n } => {
                let (_, sin) = twiddle::turn(part * u32::from(n), self.pass_points(pass));
                (sin as f32).to_bits()
            }
            Uniform::Twiddle { output, component } => {
                let row = index * LANES + u32::from(output);
                addresses.twiddles + row * (TWIDDLES / LANES) + 4 * u32::from(component)
            }
            Uniform::LaneMask => self.parts[0] - 1,
            Uniform::LaneShift => self.parts[0].trailing_zeros(),
            // From the end of a row of 64 bytes to the next: at most 1984.
            Uniform::StoreStride => store_stride((self.store_pitch(pass) - 64) as u16),
            Uniform::Store { index: store } => match pass {
                Pass::First => addresses.planes + self.plane_row(LANES * group, 0) + 64 * part,
                Pass::Second => {
                    let k = LANES * group + self.pass_points(Pass::First) * part;
                    addresses.output + POINT * k + 64 * u32::from(store)
                }
            },
        }
    }

    /// N2: columns of the input seen as N1 rows.
    const fn columns(&self) -> u32 {
        self.pass_points(Pass::Second)
    }

    /// Byte offset of the row of one n2 and component in the planes.
    const fn plane_row(&self, n2: u32, component: u32) -> u32 {
        let row = 2 * LANES * (n2 / LANES) + LANES * component + n2 % LANES;
        row * 4 * self.pass_points(Pass::First)
    }

    /// Bytes from the start of one stored row to the next.
    const fn store_pitch(&self, pass: Pass) -> u32 {
        match pass {
            Pass::First => 4 * self.pass_points(Pass::First),
            Pass::Second => POINT * self.pass_points(Pass::First) * self.parts[1],
        }
    }
}
