//! The VideoCore IV QPU as data: instructions, assembler, checks, jobs.
//!
//! A QPU is a processor of 16 lanes with two ALUs; a Raspberry Pi 1 or Zero has twelve of them.
//! This crate knows what their programs look like, and nothing of where they run:
//!
//! | module | what | needs |
//! |---|---|---|
//! | [`isa`] | instructions, as typed fields and as 64-bit words | |
//! | [`vpm`] | setup words of the VPM and its DMA | |
//! | [`machine`] | sizes of the machine: lanes, lines, rows, QPUs | |
//! | [`job`] | what to run, and the trait of everything that runs it | |
//! | [`check`] | hazards that the hardware does not interlock | feature `text` |
//! | [`disasm`] | the text of words and listings of programs | feature `text` |
//! | [`generate`] | a builder that chooses ports and refuses hazards, a scheduler that fills both ALUs | feature `generate` |
//!
//! Without features the crate is `no_std` and allocates nothing: that is what the firmware uses.
//! The two features, on by default, use std and are for hosts and build scripts.
//!
//! # A first program
//!
//! Sixteen lanes, sixteen squares: each lane squares its number, and one DMA store takes the row to
//! the address that the first uniform gives.
//!
//! ```
//! use qpu::generate::*;
//! use qpu::vpm::{Block, Store, store_stride};
//!
//! let mut b = Builder::new();
//! b.ldi(WR_SETUP, Block::row(0).write_setup()?);
//! b.mov(R0, ELEM_NUM);
//! b.mul24(VPM, R0, R0);
//! b.ldi(WR_SETUP, Store::rows(1, 0).setup()?);
//! b.ldi(WR_SETUP, store_stride(0));
//! b.mov(ST_ADDR, UNIF);
//! b.mov(NONE, ST_WAIT);
//! b.end();
//! let words = b.finish()?;
//!
//! assert_eq!(qpu::disasm::listing(&words), "\
//! 0000  e0021c67_00001a00   ldi wr_setup, vpm_setup(16, 1, h32(0))
//! 0008  10020827_159a7d80   mov r0, elem_num
//! 0010  100049f0_409e7000   nop; mul24 vpm, r0, r0
//! 0018  e0021c67_80904000   ldi wr_setup, vdw_setup_0(1, 16, dma_h32(0, 0))
//! 0020  e0021c67_c0000000   ldi wr_setup, vdw_setup_1(0)
//! 0028  10021ca7_15827d80   mov st_addr, unif
//! 0030  100009e7_159f2fc0   mov -, st_wait
//! 0038  300009e7_009e7000   nop; thrend
//! 0040  100009e7_009e7000 | nop
//! 0048  100009e7_009e7000 | nop
//! ");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A program with a hazard does not build, and the message says what to do:
//!
//! ```
//! use qpu::generate::*;
//!
//! let mut b = Builder::new();
//! b.mov(ra(0), UNIF);
//! b.fadd(R0, ra(0), 1.0); // too early: ra0 is readable in the second instruction after its write
//! b.end();
//! let message = b.finish().unwrap_err().to_string();
//! assert!(message.contains("ra0 was written in the instruction before and cannot be read yet"));
//! assert!(message.contains("put an instruction between, or keep the value in r0..r3"));
//! ```
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![forbid(unsafe_code)]

#[cfg(feature = "text")]
pub mod asm;
#[cfg(feature = "text")]
pub mod check;
#[cfg(feature = "text")]
pub mod disasm;
#[cfg(feature = "text")]
pub mod fit;
#[cfg(feature = "generate")]
pub mod generate;
pub mod isa;
pub mod job;
pub mod machine;
#[cfg(feature = "text")]
pub mod names;
pub mod rules;
pub mod vpm;
