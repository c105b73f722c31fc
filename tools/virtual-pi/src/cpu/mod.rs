//! The ARM1176JZF-S core: ARM state of ARMv6K with VFPv2.
//!
//! Decoded operations are kept per physical page and compared with the raw word at each fetch, so
//! nothing has to be invalidated when code changes. The operations of a page are taken out of the
//! table while that page executes, which lets an operation be borrowed while it changes the core.
//! Pages that were never written share an entry of that table as in memory: all their words are
//! `andeq r0, r0, r0`, which changes neither. `cargo run --release -p virtual-pi --example speed`
//! measures the speed by kind of loop.
//!
//! Time is exact per instruction: a stretch of instructions ends at `deadline`, and everything that
//! could raise an interrupt sets `deadline` to 0.
//!
//! Not modelled, and stopping with [`FaultKind::NotModelled`]: Thumb, Jazelle, monitor mode, the
//! ARMv5 page-table format, TEX remapping, big-endian data, VFP vectors, VFP rounding modes other
//! than to nearest, VFP traps. The instruction cache takes time and is otherwise transparent.
//!
//! Source: ARM Architecture Reference Manual (DDI 0100I); ARM1176JZF-S TRM (DDI 0301H).

mod access;
mod alu;
mod branch;
mod cp15;
mod data_cache;
mod decode;
mod exception;
mod exclusive;
mod instruction_cache;
mod load_store;
mod media;
mod mmu;
mod multiple;
mod multiply;
mod registers;
mod status;
mod tlb;
mod vfp;
mod ways;

use crate::board::Board;
use crate::checks::LINE_BYTES;
use crate::clock::{INSTRUCTION_CLOCKS, ns_from_clocks};
use crate::config::Config;
use crate::fault::{Fault, FaultKind};
use decode::{Operation, decode};
use instruction_cache::{CodePlace, NOWHERE};
use registers::{CPSR_A, CPSR_F, CPSR_I, SVC, Z};

/// Operations of one page.
type CodePage = Box<[Operation; 1024]>;

/// The core and, behind it, the board.
pub struct Cpu {
    /// Everything outside of the core.
    pub board: Board,
    /// ARM clocks since power-on.
    pub clock: u64,
    /// Those of them in which no instruction began.
    waited: u64,
    r: [u32; 16],
    /// Address of the next one.
    next_pc: u32,
    nzcv: u32,
    saturated: bool,
    ge: u32,
    /// CPSR bits E, A, I and F, where they stand.
    masks: u32,
    mode: u32,
    banks: registers::Banks,
    cp15: cp15::Registers,
    vfp: vfp::Vfp,
    /// The address and size that LDREX marked.
    exclusive: Option<(u32, u32)>,
    tlb: tlb::Tlb,
    data_cache: data_cache::DataCache,
    instruction_cache: instruction_cache::InstructionCache,
    /// Operations, by where their page starts in memory.
    code: Vec<Option<CodePage>>,
    /// Virtual address of the page of the operations that execute; [`NOWHERE`] makes the loop look
    /// again.
    fetch_page: u32,
    /// Virtual address of the line that they are in, while the cache holds it; else [`NOWHERE`].
    fetch_line: u32,
    /// Clock at which the loop has to look at the board again.
    deadline: u64,
    /// In WFI.
    waiting: bool,
    /// An imprecise abort is pending.
    abort: bool,
    /// In an access that never ends; only a reset helps.
    hung: bool,
    stopped: Option<Fault>,
    config: Config,
}

impl Cpu {
    /// The core as the boot firmware starts it: SVC mode, everything masked, MMU and caches off
    /// (docs/hardware/platform.md, D.2).
    pub fn new(config: &Config, board: Board, clock: u64) -> Self {
        let mut r = [0; 16];
        r[1] = 0xc42;
        r[2] = 0x100;
        r[15] = 0x8008;
        Self {
            board,
            clock,
            waited: clock,
            r,
            next_pc: 0x8000,
            nzcv: Z,
            saturated: false,
            ge: 0,
            masks: CPSR_A | CPSR_I | CPSR_F,
            mode: SVC,
            banks: registers::Banks::default(),
            cp15: cp15::Registers::new(clock),
            vfp: vfp::Vfp::default(),
            exclusive: None,
            tlb: tlb::Tlb::new(),
            data_cache: data_cache::DataCache::new(),
            instruction_cache: instruction_cache::InstructionCache::new(),
            code: Vec::new(),
            fetch_page: NOWHERE,
            fetch_line: NOWHERE,
            deadline: 0,
            waiting: false,
            abort: false,
            hung: false,
            stopped: None,
            config: config.clone(),
        }
    }

    /// Why the run stopped, if it did.
    pub fn stopped(&self) -> Option<&Fault> {
        self.stopped.as_ref()
    }

    /// Runs to the clock `until`, to a fault, or to a reset of the board.
    pub fn run(&mut self, until: u64) {
        while self.clock < until && self.stopped.is_none() {
            let wake = self.board.advance(self.clock);
            self.drop_unmade();
            if let Some(mistake) = self.board.take_fault() {
                self.fault_by(mistake.kind, Some(mistake.address), mistake.by);
                return;
            }
            if self.board.reset_requested() {
                return;
            }
            if self.hung {
                self.wait_until(wake.min(until));
                continue;
            }
            self.abort |= self.board.take_abort();
            let aborts = self.abort && self.masks & CPSR_A == 0;
            let (irq, fiq) = self.board.interrupts();
            if self.waiting {
                if !irq && !fiq && !aborts {
                    self.wait_until(wake.min(until));
                    continue;
                }
                self.waiting = false;
            }
            if fiq && self.masks & CPSR_F == 0 {
                self.interrupt(true);
            } else if irq && self.masks & CPSR_I == 0 {
                self.interrupt(false);
            } else if aborts {
                self.abort = false;
                self.imprecise_abort();
            }
            self.deadline = wake.min(until);
            self.execute();
        }
    }

    /// Lets clocks pass.
    fn wait(&mut self, clocks: u64) {
        self.clock += clocks;
        self.waited += clocks;
    }

    /// Lets time pass up to a clock.
    fn wait_until(&mut self, clock: u64) {
        self.wait(clock.saturating_sub(self.clock));
    }

    /// Instructions that have been executed, this one included.
    fn executed(&self) -> u64 {
        (self.clock - self.waited) / INSTRUCTION_CLOCKS
    }

    /// Executes instructions until `deadline`.
    fn execute(&mut self) {
        loop {
            let address = self.next_pc;
            if let Some(place) = self.fetch_translation(address) {
                self.fetch_page = address & !0xfff;
                let slot = place.start as usize / 1024;
                if slot >= self.code.len() {
                    self.code.resize_with(slot + 1, || None);
                }
                let mut code = self.code[slot]
                    .take()
                    .unwrap_or_else(|| Box::new([decode(0); 1024]));
                self.execute_page(&mut code, place);
                self.code[slot] = Some(code);
            }
            if self.clock >= self.deadline {
                return;
            }
        }
    }

    /// The inner loop: stays until execution leaves the page or reaches `deadline`.
    #[inline(never)]
    fn execute_page(&mut self, code: &mut [Operation; 1024], place: CodePlace) {
        loop {
            let address = self.next_pc;
            if address & !(LINE_BYTES - 1) != self.fetch_line && !self.enter_line(address, place) {
                return;
            }
            let index = address as usize / 4 % 1024;
            let word = self.board.memory.at(place.start, index);
            let operation = &mut code[index];
            if operation.word != word {
                *operation = decode(word);
            }
            self.r[15] = address.wrapping_add(8);
            self.next_pc = address.wrapping_add(4);
            self.clock += INSTRUCTION_CLOCKS;
            if operation.condition == 14
                || CONDITIONS[operation.condition as usize & 15] >> self.nzcv & 1 != 0
            {
                (operation.run)(self, operation);
            }
            if self.clock >= self.deadline {
                return;
            }
        }
    }

    /// Address of the running instruction, or of the last one.
    fn pc(&self) -> u32 {
        self.r[15].wrapping_sub(8)
    }

    /// Ends the run at this instruction.
    #[cold]
    fn fault(&mut self, kind: FaultKind, address: Option<u32>) {
        self.fault_by(kind, address, None);
    }

    /// The counterpart for a mistake of a QPU, where `by` is one.
    #[cold]
    fn fault_by(&mut self, kind: FaultKind, address: Option<u32>, by: Option<v3d_sim::Place>) {
        self.deadline = 0;
        if self.stopped.is_none() {
            self.stopped = Some(Fault {
                kind,
                pc: self.pc(),
                by,
                address,
                at_ns: ns_from_clocks(self.clock),
            });
        }
    }

    /// Ends the run because this model lacks something.
    #[cold]
    fn not_modelled(&mut self, what: &str) {
        self.fault(FaultKind::NotModelled(what.to_string()), None);
    }
}

/// For each condition, which of the sixteen values of NZCV meet it.
const CONDITIONS: [u16; 16] = {
    // For each flag, bit i is set if the flag is set in NZCV = i. The conditions stand in the
    // order of their codes, from EQ to NV.
    let (n, z, c, v) = (0xff00, 0xf0f0, 0xcccc, 0xaaaa);
    let less = n ^ v;
    [
        z,
        !z,
        c,
        !c,
        n,
        !n,
        v,
        !v,
        c & !z,
        !c | z,
        !less,
        less,
        !z & !less,
        z | less,
        !0,
        !0,
    ]
};
