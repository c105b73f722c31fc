//! A simulator of VideoCore IV's V3D block for QPU user programs.
//!
//! It runs what runs on the QPUs of a Raspberry Pi 1, Zero, 2 or 3: results to the bit, hazards and
//! undefined behaviour as warnings, and time by a cycle model that is held to published figures.
//!
//! ```
//! use qpu::job::{BusAddr, CacheClear, Program};
//! use v3d_sim::{JobEnd, JobLaunch, JobOptions, SparseMemory, run_job};
//!
//! # let source = "mov r0, unif\n ldi vw_setup, 0x1a00\n add vpm, r0, 2\n ldi vw_setup, 0x80904000
//! #     ldi vw_setup, 0xc0000000\n mov vw_addr, unif\n mov -, vw_wait\n nop; thrend\n nop\n nop";
//! # let words = qpu::asm::assemble(source, &qpu::asm::Options::default()).unwrap().words;
//! # let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
//! let mut memory = SparseMemory::new(); // `code` adds 2 to a uniform and stores it 16 times
//! memory.put(0x4000_1000, &code);
//! memory.put(0x4000_2000, &[40u32, 0x4000_3000].map(u32::to_le_bytes).concat());
//! memory.put_zero(0x4000_3000, 64);
//! let program = Program { code: BusAddr(0x4000_1000), uniforms: BusAddr(0x4000_2000) };
//! let launch = JobLaunch { programs: vec![program], clear: CacheClear::All };
//! let outcome = run_job(&mut memory, &[launch], &JobOptions::default());
//! assert_eq!(outcome.end, JobEnd::Completed, "{:?}", outcome.faults);
//! assert_eq!(memory.get(0x4000_3000, 64).unwrap(), 42u32.to_le_bytes().repeat(16));
//! println!("{} clocks, {:?}", outcome.cycles, outcome.statistics.instructions);
//! ```
//!
//! [`run_job_observed`] takes any [`Memory`]; [`JobRun`] does the same step by step. [`SimRunner`]
//! runs jobs of `qpu::job` on RAM of its own, strictly, for tests of planners and drivers. [`V3d`]
//! is the block alone: the ARM writes its registers, and [`V3d::advance`] lets time pass. Who wants
//! to look on implements [`Observer`]; [`Profile`] is one. `qpu run` and `qpu debug` are
//! all of this on a command line (docs/simulator.md), and `libqpuscope` (`tools/clib`) is it for C.
//!
//! Files are the chip's blocks:
//!
//! | where | what |
//! |---|---|
//! | `chip`, `v3d/`, `scheduler`, `order` | the block, with and without time, its registers, the queue of programs, the order of QPUs |
//! | `qpu/` | a QPU: wait, operands, flags, write-back, branches, hazards, start and end of a program |
//! | `alu/`, `sfu` | what lanes compute, held to tables recorded on real chips |
//! | `code`, `uniforms`, `tmu/` | what QPUs read from memory |
//! | `vpm/`, `dma/` | the VPM, its setup, and the two DMA engines |
//! | `semaphore`, `shared` | what QPUs wait for each other with; all that they share |
//! | `race/` | which accesses nothing orders |
//! | `event`, `rule`, `report` | faults, warnings, deadlocks |
//! | `conflicts` | which source is followed where sources conflict |
//! | `defect` | silicon with one thing broken |
//! | `time/` | the cycle model |
//! | `board` | clocks, and how V3D reaches memory |
//! | `counters` | what was done |
//! | `observe`, `unit_event`, `view`, `profile` | observers, and what they see |
//! | `launch`, `runner`, `ram`, `job_run` | the driver's side |
//!
//! # Time
//!
//! A round is 4 V3D clocks. In each round every QPU with a program executes one instruction or
//! waits. What for and how long is the business of the cycle model (`time/`): instruction and
//! uniform caches, TMUs with several misses on their way, L2C, buses, the L2 of the system, SDRAM
//! with its banks and rows, VPM, both DMA engines. Its numbers come from published measurements of
//! hardware and from the published run times of GPU_FFT, never from programs of this project:
//! [`Constants`] says which from which, and `docs/fidelity.md` how near that comes. Equal runs take
//! equal time.
//!
//! [`Config::functional`] switches it off: then QPUs take their turns from 11 down, or in an order
//! that a seed changes from round to round, TMU lookups answer at once, and DMA takes about its
//! published time; how long a program takes is then no figure for the chip. Results are the same:
//! what memory holds in the end is the functional model's alone, and time decides only who comes
//! first. Between two instructions by which QPUs order each other a QPU runs ahead of the others
//! then; only what nothing orders, a race, can come out otherwise than if all had advanced round by
//! round, as they do while an [`Observer`] looks on.
//!
//! # Faults and warnings
//!
//! A fault leaves nothing to compute: absent memory, a word that is no instruction of user
//! programs, a read that can never be served, running off the code. Its QPU hangs, as the chip's
//! would. Everything else that the reference forbids or leaves open is a warning of a [`Rule`]:
//! counted, told once, and the run goes on with the value that the reference recommends. `strict`
//! makes warnings faults.
//!
//! # Not modelled
//!
//! * The 3D pipeline: tile buffer, scoreboard, varyings, threads (each a fault), textures other
//!   than raster RGBA32R without a filter (a fault that names the type), control lists and their
//!   registers (read 0; a write is a warning).
//! * Cache contents. Code stays as first read until SLCACTL.ICC clears it; TMU values always come
//!   from memory, and reading a line that the caches may hold an old copy of is a warning. Uniforms
//!   are read when they are taken. (Which lines caches hold is modelled with time, for how long
//!   reading takes.)
//! * The display's share of SDRAM and of the L2 of the system while programs run, and that of the
//!   ARM and of DMA as far as nobody reports it ([`OutsideAccess`]).
//! * Performance counters 0 to 12, 15, 18 and 19 stay 0; without time 25 to 29 too, and 21 and 23
//!   then count lines of caches that never forget. No clocks are counted while V3D is idle.
//! * ERRSTAT latches accesses of VPM rows that are not reserved or that a stride has wrapped to,
//!   and stores whose address overflows, and shows VCDI; its other bits stay 0.
//! * W and Z, which the scheduler may put into ra15 and rb15 at a program's start.
//! * VPACNTL, SQCNTL, INTENA: kept, without effect. IDENT3, SQCSTAT, DBQSTP, DBS*, DBQGH*: absent.
//!
//! Sources: VideoCore IV 3D Architecture Reference Guide (VideoCoreIV-AG100-R) and what vc4asm,
//! VC4C, py-videocore, Broadcom's driver sources and hardware experiments add to it. Comments name
//! them; "the guide" is the first. Where they conflict or are silent, one place in the code
//! decides, says so, and mostly warns.
#![forbid(unsafe_code)]

mod alu;
mod board;
mod chip;
mod code;
mod config;
mod conflicts;
mod counters;
mod decoded;
mod defect;
mod dma;
mod event;
mod job_run;
mod launch;
mod memory;
mod observe;
mod order;
mod profile;
mod qpu;
mod race;
mod ram;
mod report;
mod rule;
mod run;
mod runner;
mod scheduler;
mod semaphore;
mod sfu;
mod shared;
mod sparse;
mod time;
mod tmu;
mod uniforms;
mod unit_event;
mod v3d;
mod view;
mod vpm;

pub use self::qpu::QpuStatus;
pub use board::Board;
pub use config::{Config, DEFAULT_CLOCK_HZ};
pub use conflicts::{
    BranchElement, ColourRounding, Conflicts, DmaBusy, DmaSetupScope, DmaStartWhileBusy,
    FlagsAddNever, FlagsMasked, FmulCarry, FtoiRounding, ItofCarry, MixedRotation, Mul24Carry,
    SrqulZero, TmuDepth, UnaryOperand, UnpackInput, VdrPitchBits, VdrVerticalPitch, VdwBlockmode,
    VpmReadSetups, VpmSurplusReads,
};
pub use counters::{DmaWork, SOURCE_NAMES, SOURCES, Statistics};
pub use defect::{Defect, UnknownDefect};
pub use event::{Access, DeadlockReport, Event, Fault, FaultKind, Place, Wait, Warning};
pub use job_run::{JobEnd, JobLaunch, JobOptions, JobRun, Outcome, run_job, run_job_observed};
pub use memory::{Memory, MemoryFault, SparseMemory};
pub use observe::{Issue, Observer, Stall, Unobserved};
pub use profile::{Profile, ProfileLine, Spent};
pub use rule::Rule;
pub use runner::{SimError, SimRunner};
pub use time::{Constants, Described, LaunchOrder, REFERENCE_HZ, Replacement};
pub use unit_event::{DmaEngine, UnitEvent};
pub use v3d::{OutsideAccess, V3d, offset};
pub use view::{FlagBits, QpuView};
