//! A V3D with memory of its own: what the rows are measured on.
//!
//! The ARM's side is here too: it stores into memory, through which V3D's caches learn of it, and
//! starts programs by the registers and in the order of GPU_FFT's direct method (recorded from its
//! host code). What the firmware writes when asked by mailbox is not published; the same is
//! assumed.

use v3d_sim::{Board, Config, Constants, Memory, MemoryFault, Statistics, V3d, offset};

const PAGE_BYTES: u32 = 4096;

/// Why programs did not end well.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MachineError {
    /// QPUs faulted.
    #[error("a program faulted: {0}")]
    Fault(String),
    /// Nothing could go on.
    #[error("the programs wait for each other: {0}")]
    Deadlock(String),
    /// The limit of clocks is reached.
    #[error("the programs had not ended after {0} clocks")]
    Limit(u64),
}

/// Time and work of a launch.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// V3D clocks from the first request to the end of the last program.
    pub clocks: u64,
    /// The work done, caches and counters included, in this launch only.
    pub statistics: Statistics,
}

/// V3D, memory, and the ARM that uses them.
pub struct Machine {
    v3d: V3d,
    memory: Flat,
    /// Bytes handed out.
    used: u32,
}

/// One block of memory, seen through one alias.
struct Flat {
    base: u32,
    bytes: Vec<u8>,
}

impl Flat {
    fn range(&self, addr: u32, count: usize) -> Result<std::ops::Range<usize>, MemoryFault> {
        let start = addr.wrapping_sub(self.base) as usize;
        match start.checked_add(count) {
            Some(end) if end <= self.bytes.len() => Ok(start..end),
            _ => Err(MemoryFault::absent(addr)),
        }
    }
}

impl Memory for Flat {
    fn read(&mut self, addr: u32, out: &mut [u8]) -> Result<(), MemoryFault> {
        out.copy_from_slice(&self.bytes[self.range(addr, out.len())?]);
        Ok(())
    }

    fn write(&mut self, addr: u32, data: &[u8]) -> Result<(), MemoryFault> {
        let range = self.range(addr, data.len())?;
        self.bytes[range].copy_from_slice(data);
        Ok(())
    }

    fn read_word(&mut self, addr: u32) -> Result<u32, MemoryFault> {
        let range = self.range(addr, 4)?;
        Ok(u32::from_le_bytes(
            self.bytes[range].try_into().expect("4 bytes"),
        ))
    }

    fn read_words(
        &mut self,
        addresses: &[u32; 16],
        words: &mut [u32; 16],
    ) -> Result<(), (u8, MemoryFault)> {
        let held = self.bytes.as_chunks().0;
        for (lane, (word, addr)) in words.iter_mut().zip(addresses).enumerate() {
            let Some(bytes) = held.get(addr.wrapping_sub(self.base) as usize / 4) else {
                return Err((lane as u8, MemoryFault::absent(*addr)));
            };
            *word = u32::from_le_bytes(*bytes);
        }
        Ok(())
    }

    fn is_there(&self, addr: u32, bytes: u32) -> bool {
        self.range(addr, bytes as usize).is_ok()
    }
}

impl Machine {
    /// A V3D with `bytes` bytes of memory, seen through the alias that programs of its board use.
    #[must_use]
    pub fn new(config: Config, bytes: u32) -> Self {
        let base = config.board.alias() | PLACE;
        let mut v3d = V3d::new(config);
        // The firmware's part: all of the VPM that user programs may have.
        v3d.write_register(offset::VPMBASE, 16);
        Self {
            v3d,
            memory: Flat {
                base,
                bytes: vec![0; bytes as usize],
            },
            used: 0,
        }
    }

    /// Takes `bytes` bytes of memory, page aligned; `None` when that much is not left.
    pub fn alloc(&mut self, bytes: u32) -> Option<u32> {
        let end = self.used.checked_add(bytes)?;
        if end as usize > self.memory.bytes.len() {
            return None;
        }
        let at = self.memory.base + self.used;
        self.used = end.next_multiple_of(PAGE_BYTES);
        Some(at)
    }

    /// The ARM stores `words` at `addr`.
    ///
    /// # Panics
    /// When they do not lie in memory.
    pub fn store(&mut self, addr: u32, words: &[u32]) {
        self.v3d.memory_changed(addr, 4 * words.len() as u32);
        self.store_flushed(addr, words);
    }

    /// Stores that the firmware has flushed out of the system L2 since: words are in SDRAM only.
    ///
    /// # Panics
    /// When they do not lie in memory.
    pub fn store_flushed(&mut self, addr: u32, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.memory
            .write(addr, &bytes)
            .expect("the ARM stores into memory");
    }

    /// The ARM loads `count` words from `addr`.
    ///
    /// # Panics
    /// When they do not lie in memory.
    #[must_use]
    pub fn load(&self, addr: u32, count: usize) -> Vec<u32> {
        let range = self
            .memory
            .range(addr, 4 * count)
            .expect("the ARM loads from memory");
        let words = self.memory.bytes[range].chunks_exact(4);
        words
            .map(|word| u32::from_le_bytes(word.try_into().expect("4 bytes")))
            .collect()
    }

    /// Runs programs, each a pair of code and uniforms, from an idle V3D with its caches cleared.
    ///
    /// # Errors
    /// When they fault, wait for each other, or take more than `limit` clocks.
    pub fn run(&mut self, programs: &[(u32, u32)], limit: u64) -> Result<Run, MachineError> {
        let before = self.v3d.statistics();
        let start = self.v3d.clocks();
        for (register, value) in [
            (offset::DBCFG, 0),
            (offset::DBQITE, 0),
            (offset::DBQITC, !0),
            (offset::L2CACTL, 1 << 2),
            (offset::SLCACTL, 0x0f0f_0f0f),
            (offset::SRQCS, 1 << 16 | 1 << 8 | 1 << 7),
        ] {
            self.v3d.write_register(register, value);
        }
        for (code, uniforms) in programs {
            self.v3d.write_register(offset::SRQUA, *uniforms);
            self.v3d.write_register(offset::SRQPC, *code);
        }
        while self.v3d.is_running() {
            if !self.v3d.faults().is_empty() {
                let faults = self.v3d.faults().iter().map(ToString::to_string);
                return Err(MachineError::Fault(faults.collect::<Vec<_>>().join("; ")));
            }
            if self.v3d.is_stuck() {
                let report = self.v3d.deadlock_report().to_string();
                return Err(MachineError::Deadlock(report));
            }
            if self.v3d.clocks() - start > limit {
                return Err(MachineError::Limit(limit));
            }
            self.v3d.advance(&mut self.memory, 1024);
        }
        Ok(Run {
            clocks: self.v3d.clocks() - start,
            statistics: difference(&self.v3d.statistics(), &before),
        })
    }
}

/// Address of the memory that the firmware hands out: in the upper part of RAM, as `gpu_mem` does.
const PLACE: u32 = 0x1000_0000;

/// A board with the cycle model, whose warnings only warn: programs that ran on real chips may
/// break rules that ours must keep.
#[must_use]
pub fn config(board: Board, constants: &Constants) -> Config {
    Config {
        constants: constants.clone(),
        ..Config::for_board(board)
    }
}

/// The work done between two looks at the statistics.
#[must_use]
pub fn difference(after: &Statistics, before: &Statistics) -> Statistics {
    let mut run = after.clone();
    for (count, earlier) in run.counters.iter_mut().zip(before.counters) {
        *count -= earlier;
    }
    for (count, earlier) in run.instructions.iter_mut().zip(before.instructions) {
        *count -= earlier;
    }
    for (stall, earlier) in run.stall.iter_mut().zip(&before.stall) {
        for (cause, clocks) in stall {
            *clocks -= earlier.get(cause).copied().unwrap_or(0);
        }
    }
    run.tmu_requests -= before.tmu_requests;
    for (work, earlier) in [(&mut run.vdr, before.vdr), (&mut run.vdw, before.vdw)] {
        work.commands -= earlier.commands;
        work.bytes -= earlier.bytes;
    }
    run.host_interrupts -= before.host_interrupts;
    run
}
