//! The structures of `v3d_sim.h`, as they lie in memory.

use std::ffi::c_void;

use crate::boundary::Structure;

/// `V3D_SIM_READ_ONLY`.
pub const READ_ONLY: u32 = 1;

/// `v3d_sim_region`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// Bus address of the first byte.
    pub bus_address: u32,
    /// [`READ_ONLY`] or 0.
    pub flags: u32,
    /// The first byte.
    pub data: *mut c_void,
    /// Bytes.
    pub size: usize,
}

/// `v3d_sim_program`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Bus address of the first instruction.
    pub code: u32,
    /// Bus address of the first uniform.
    pub uniforms: u32,
}

/// `v3d_sim_options`.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub struct Options {
    /// Bytes of this structure.
    pub struct_size: u32,
    /// Number of the board.
    pub board: u32,
    /// V3D clock in hertz; 0 for the board's.
    pub clock_hz: u32,
    /// Functional, strict, seeded.
    pub flags: u32,
    /// The most V3D clocks; 0 for the default.
    pub limit_cycles: u64,
    /// The order in which QPUs advance.
    pub seed: u64,
}

// SAFETY: `repr(C)`, and the size comes first.
unsafe impl Structure for Options {}

/// `v3d_sim_result`.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub struct RunResult {
    /// Bytes of this structure.
    pub struct_size: u32,
    /// The returned status.
    pub status: i32,
    /// True if the cycle model was at work.
    pub timed: u32,
    /// V3D clock in hertz.
    pub clock_hz: u32,
    /// V3D clocks.
    pub cycles: u64,
    /// By QPU.
    pub instructions: [u64; 12],
    /// By QPU.
    pub stall_cycles: [u64; 12],
    /// By id.
    pub counters: [u64; 30],
    /// Vectors looked up.
    pub tmu_requests: u64,
    /// DMA loads.
    pub vdr_commands: u64,
    /// Bytes that they read.
    pub vdr_bytes: u64,
    /// DMA stores.
    pub vdw_commands: u64,
    /// Bytes that they wrote.
    pub vdw_bytes: u64,
    /// Host interrupts raised.
    pub host_interrupts: u64,
    /// Kinds of warnings.
    pub warnings: u32,
    /// The QPU of the first fault.
    pub fault_qpu: u32,
    /// Its instruction.
    pub fault_pc: u32,
    /// 0.
    pub reserved: u32,
}

// SAFETY: `repr(C)`, and the size comes first.
unsafe impl Structure for RunResult {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    /// Offsets and sizes are those of the header on a machine with pointers of 64 bits; the C
    /// example checks the same.
    #[test]
    #[cfg(target_pointer_width = "64")]
    fn structures_are_laid_out_as_in_the_header() {
        assert_eq!((size_of::<Region>(), offset_of!(Region, size)), (24, 16));
        assert_eq!((size_of::<Options>(), offset_of!(Options, seed)), (32, 24));
        assert_eq!(size_of::<Program>(), 8);
        assert_eq!(size_of::<RunResult>(), 520);
        assert_eq!(offset_of!(RunResult, counters), 216);
        assert_eq!(offset_of!(RunResult, fault_pc), 512);
    }
}
