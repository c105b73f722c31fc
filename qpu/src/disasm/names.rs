//! Names of register addresses, which depend on the port.

use crate::isa::{File, Raddr, Waddr, raddr, waddr};

/// Name of what a port reads.
#[must_use]
pub fn read_name(file: File, address: Raddr) -> String {
    let mut out = String::new();
    push_read_name(&mut out, file, address);
    out
}

/// Name of what a port writes.
#[must_use]
pub fn write_name(file: File, address: Waddr) -> String {
    let mut out = String::new();
    push_write_name(&mut out, file, address);
    out
}

/// Appends [`read_name`].
pub(super) fn push_read_name(out: &mut String, file: File, address: Raddr) {
    let [a, b] = match address {
        raddr::UNIFORM => ["unif"; 2],
        raddr::VARYING => ["vary"; 2],
        raddr::ELEMENT_QPU => ["elem_num", "qpu_num"],
        raddr::XY_PIXEL_COORD => ["x_coord", "y_coord"],
        raddr::MS_REV_FLAGS => ["ms_flags", "rev_flag"],
        raddr::VPM_READ => ["vpm"; 2],
        raddr::VPM_BUSY => ["ld_busy", "st_busy"],
        raddr::VPM_WAIT => ["ld_wait", "st_wait"],
        raddr::MUTEX_ACQUIRE => ["mutex"; 2],
        _ => return push_numbered(out, file, address.bits()),
    };
    out.push_str(port(file, a, b));
}

/// Appends [`write_name`].
pub(super) fn push_write_name(out: &mut String, file: File, address: Waddr) {
    let [a, b] = match address {
        waddr::ACC0 => ["r0"; 2],
        waddr::ACC1 => ["r1"; 2],
        waddr::ACC2 => ["r2"; 2],
        waddr::ACC3 => ["r3"; 2],
        waddr::TMU_NOSWAP => ["tmu_noswap"; 2],
        waddr::ACC5 => ["r5quad", "r5all"],
        waddr::HOST_INT => ["host_int"; 2],
        waddr::NOP => ["-"; 2],
        waddr::UNIFORMS_ADDRESS => ["unif_addr", "unif_addr_rel"],
        waddr::QUAD_XY => ["x_coord", "y_coord"],
        waddr::MS_REV_FLAGS => ["ms_flags", "rev_flag"],
        waddr::TLB_STENCIL_SETUP => ["tlb_stencil_setup"; 2],
        waddr::TLB_Z => ["tlb_z"; 2],
        waddr::TLB_COLOUR_MS => ["tlb_colour_ms"; 2],
        waddr::TLB_COLOUR_ALL => ["tlb_colour_all"; 2],
        waddr::TLB_ALPHA_MASK => ["tlb_alpha_mask"; 2],
        waddr::VPM_WRITE => ["vpm"; 2],
        waddr::VPMVCD_SETUP => ["rd_setup", "wr_setup"],
        waddr::VPM_ADDR => ["ld_addr", "st_addr"],
        waddr::MUTEX_RELEASE => ["mutex"; 2],
        waddr::SFU_RECIP => ["sfu_recip"; 2],
        waddr::SFU_RECIPSQRT => ["sfu_recipsqrt"; 2],
        waddr::SFU_EXP => ["sfu_exp"; 2],
        waddr::SFU_LOG => ["sfu_log"; 2],
        waddr::TMU0_S => ["tmu0_s"; 2],
        waddr::TMU0_T => ["tmu0_t"; 2],
        waddr::TMU0_R => ["tmu0_r"; 2],
        waddr::TMU0_B => ["tmu0_b"; 2],
        waddr::TMU1_S => ["tmu1_s"; 2],
        waddr::TMU1_T => ["tmu1_t"; 2],
        waddr::TMU1_R => ["tmu1_r"; 2],
        waddr::TMU1_B => ["tmu1_b"; 2],
        _ => return push_numbered(out, file, address.bits()),
    };
    out.push_str(port(file, a, b));
}

fn port(file: File, a: &'static str, b: &'static str) -> &'static str {
    match file {
        File::A => a,
        File::B => b,
    }
}

/// Physical registers, and I/O addresses that have no name.
fn push_numbered(out: &mut String, file: File, address: u8) {
    out.push_str(port(file, "ra", "rb"));
    push_small(out, address);
}

/// Appends a number below 100 in decimal.
pub(super) fn push_small(out: &mut String, number: u8) {
    if number >= 10 {
        out.push(char::from(b'0' + number / 10));
    }
    out.push(char::from(b'0' + number % 10));
}
