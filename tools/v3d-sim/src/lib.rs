//! A functional simulator of the V3D block of VideoCore IV for QPU user programs.
#![forbid(unsafe_code)]

mod alu;
mod code;
mod config;
mod counters;
mod dma;
mod event;
mod job_run;
mod launch;
mod memory;
mod mutex;
mod order;
mod qpu;
mod ram;
mod registers;
mod report;
mod rule;
mod runner;
mod scheduler;
mod semaphore;
mod sfu;
mod shared;
mod tmu;
mod uniforms;
mod v3d;
mod vpm;

pub use config::{Config, DEFAULT_CLOCK_HZ};
pub use counters::{DmaWork, SOURCES, Statistics};
pub use event::{Access, DeadlockReport, Event, Fault, FaultKind, Place, Wait, Warning};
pub use job_run::{JobEnd, JobLaunch, JobOptions, Outcome, run_job};
pub use memory::{Memory, MemoryFault, SparseMemory};
pub use rule::Rule;
pub use runner::{SimError, SimRunner};
pub use v3d::V3d;
