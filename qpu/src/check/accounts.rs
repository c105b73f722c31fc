//! The debts and holdings of a QPU: lookups, VPM vectors, DMA, setups, the mutex.
//!
//! The accounts are part of a state of the walk ([`super::flow`]), which counts every instruction
//! on every way. Setup words are known where they are constants ([`Values::setup`]); others count
//! as what the program needs. What is not known (`None`, or a setup taken to be there) breaks no
//! rule.

use super::Rule;
use super::facts::Facts;
use super::sequence::is_texture_coordinate;
use super::transfers::{self, Transfer};
use super::values::{Setup, Values};
use crate::isa::{File, Signal, raddr, waddr};
use crate::machine::{TMU_REQUESTS, TMU_RESULTS};

/// Takes a rule that is broken, and why.
pub(super) type Report<'a> = &'a mut dyn FnMut(Rule, &str);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Accounts {
    lookups: [Option<u8>; 2],
    /// True if t, r or b was written since the last s, which then takes a uniform.
    texture: [bool; 2],
    /// Vectors set up to be read from the VPM and not read; `None` when a setup word is not known.
    vectors: Option<u8>,
    /// True if some of them were read, and not all.
    partly_read: bool,
    /// True if VPM writes, stores, and the stride of stores are set up.
    write_setup: bool,
    store_setup: bool,
    /// Memory rows of the next store (0 is 128).
    store_rows: Option<u8>,
    stride_setup: bool,
    load_setup: bool,
    /// DMA that was started and not waited for.
    loading: bool,
    storing: bool,
    /// Rows that loads and stores move.
    loads: Transfer,
    stores: Transfer,
    /// VPM writes that may still be queued.
    queued: bool,
    mutex: Option<bool>,
}

impl Accounts {
    /// At the start of a program.
    pub const START: Self = Self {
        lookups: [Some(0); 2],
        texture: [false; 2],
        vectors: Some(0),
        partly_read: false,
        write_setup: false,
        store_setup: false,
        store_rows: Some(1),
        stride_setup: false,
        load_setup: false,
        loading: false,
        storing: false,
        loads: Transfer::NONE,
        stores: Transfer::NONE,
        queued: false,
        mutex: Some(false),
    };

    /// Somewhere, with nothing known.
    pub const UNKNOWN: Self = Self {
        lookups: [None; 2],
        vectors: None,
        write_setup: true,
        store_setup: true,
        store_rows: None,
        stride_setup: true,
        load_setup: true,
        mutex: None,
        ..Self::START
    };

    /// Counts an instruction, before which registers hold `values`. Reads come before writes, as in
    /// the instruction.
    pub fn count(&mut self, at: &Facts, values: &Values, report: Report) {
        for read in at.reads.iter() {
            match (read.raddr, read.file) {
                (raddr::VPM_WAIT, File::A) => {
                    self.loading = false;
                    self.loads.wait();
                }
                (raddr::VPM_WAIT, File::B) => {
                    (self.storing, self.queued) = (false, self.queued && !self.storing);
                    self.stores.wait();
                }
                (raddr::MUTEX_ACQUIRE, _) => self.acquire(report),
                _ => (),
            }
        }
        // One instruction takes one vector, through whichever ports.
        if at.reads_from(raddr::VPM_READ) {
            self.read_vector(report);
        }
        if let Some(tmu) = loaded(at.signal()) {
            match self.lookups[tmu] {
                Some(0) => {
                    let reason =
                        format!("TMU {tmu} has no lookup to deliver, and the QPU waits for ever");
                    report(Rule::TmuNothingToLoad, &reason);
                }
                count => self.lookups[tmu] = count.map(|count| count - 1),
            }
        }
        for write in at.writes.iter() {
            match (write.waddr, write.file) {
                (waddr::TMU0_S, _) => self.look_up(0, at, report),
                (waddr::TMU1_S, _) => self.look_up(1, at, report),
                (address, _) if is_texture_coordinate(address) => {
                    self.texture[usize::from(address.bits() > waddr::TMU1_S.bits())] = true;
                }
                (waddr::VPM_WRITE, _) => self.write_vector(report),
                (waddr::VPMVCD_SETUP, File::A) => {
                    self.set_up_reads(values.setup(at, File::A), report)
                }
                (waddr::VPMVCD_SETUP, File::B) => {
                    self.set_up_writes(values.setup(at, File::B), report)
                }
                (waddr::VPM_ADDR, File::A) => self.load(report),
                (waddr::VPM_ADDR, File::B) => self.store(report),
                (waddr::MUTEX_RELEASE, _) => self.release(report),
                _ => (),
            }
        }
    }

    fn look_up(&mut self, tmu: usize, at: &Facts, report: Report) {
        let is_texture = std::mem::take(&mut self.texture[tmu]);
        if is_texture && at.reads_from(raddr::UNIFORM) {
            let reason =
                "s takes a uniform, as t, r or b was written before, and so does an operand";
            report(Rule::TmuUniform, reason);
        }
        let Some(count) = self.lookups[tmu] else {
            return;
        };
        let now = count + 1;
        if count == TMU_REQUESTS {
            let reason = format!(
                "TMU {tmu} takes {TMU_REQUESTS} lookups before one is loaded, and the QPU waits for ever with this"
            );
            report(Rule::TmuTooMany, &reason);
        } else if count >= TMU_RESULTS {
            let reason =
                format!("TMU {tmu} has {now} lookups outstanding, and holds {TMU_RESULTS}");
            report(Rule::TmuTooMany, &reason);
        }
        // Nothing comes after the one that waits for ever.
        self.lookups[tmu] = (count < TMU_REQUESTS).then_some(now);
    }

    fn read_vector(&mut self, report: Report) {
        self.queued = false;
        if self.loads.is_met() {
            let reason = "a DMA load fills this row of the VPM, and was not waited for";
            report(Rule::DmaNotAwaited, reason);
        }
        match self.vectors {
            Some(0) => {
                let reason = "no setup asked for this vector, and the QPU waits for ever";
                report(Rule::VpmNothingToRead, reason);
            }
            Some(vectors) => {
                self.vectors = Some(vectors - 1);
                self.partly_read = vectors > 1;
            }
            None => (),
        }
    }

    /// A loop goes round once more, or is left: how often it went round is not known, and so what
    /// it has left of vectors that it reads one by one is not either.
    pub fn go_round(&mut self) {
        if self.partly_read {
            (self.vectors, self.partly_read) = (None, false);
        }
    }

    fn set_up_reads(&mut self, setup: Setup, report: Report) {
        let word = match setup {
            Setup::Word(word) => word,
            // No vector is asked for.
            Setup::Dma => {
                self.loads.set_up(0);
                return self.load_setup = true;
            }
            Setup::Unknown => {
                self.loads.set_up(0);
                self.loads.vectors(0);
                return (self.vectors, self.load_setup) = (None, true);
            }
        };
        if let Some(reason) = without_function(word, File::A) {
            report(Rule::SetupUnknown, &reason);
        }
        match word >> 30 {
            0 => {
                self.set_up_vectors((word >> 20 & 15) as u8, report);
                self.loads.vectors(transfers::of_vector(word));
            }
            // The pitch word (31:28 = 9) alone describes no load.
            2 | 3 if word >> 28 != 9 => {
                self.load_setup = true;
                self.loads.set_up(transfers::of_load(word));
            }
            _ => (),
        }
    }

    /// `count` vectors more (0 is 16), if at most one of those before is unread.
    fn set_up_vectors(&mut self, count: u8, report: Report) {
        match self.vectors {
            Some(unread @ 2..) => {
                let reason = format!(
                    "{unread} vectors of the setup before are unread, so this one is ignored"
                );
                report(Rule::VpmSetupIgnored, &reason);
            }
            unread => {
                self.vectors = unread.map(|unread| unread + if count == 0 { 16 } else { count })
            }
        }
    }

    fn set_up_writes(&mut self, setup: Setup, report: Report) {
        let Setup::Word(word) = setup else {
            self.write_setup |= setup == Setup::Unknown;
            (self.store_setup, self.stride_setup, self.store_rows) = (true, true, None);
            self.stores.set_up(0);
            self.stores.vectors(0);
            return;
        };
        if let Some(reason) = without_function(word, File::B) {
            report(Rule::SetupUnknown, &reason);
        }
        match word >> 30 {
            0 => {
                self.write_setup = true;
                self.stores.vectors(transfers::of_vector(word));
            }
            2 => {
                self.store_setup = true;
                self.stores.set_up(transfers::of_store(word));
                self.store_rows = Some((word >> 23 & 127) as u8);
                if transfers::column_passes_block(word) {
                    let reason = "a vertical DMA store takes words below row 15 of its block of 16 rows, and it is an \
                                  open question on a chip which words these are";
                    report(Rule::ColumnPassesBlock, reason);
                }
            }
            3 => self.stride_setup = true,
            _ => (),
        }
    }

    fn write_vector(&mut self, report: Report) {
        self.queued = true;
        if self.stores.is_met() {
            let reason = "a DMA store takes this row of the VPM, and was not waited for";
            report(Rule::DmaNotAwaited, reason);
        }
        if !self.write_setup {
            let what = "the VPM is written, and no setup says where";
            missing(what, self.vectors != Some(0), "rd_setup", report);
        }
    }

    fn load(&mut self, report: Report) {
        self.loading = true;
        self.loads.start();
        if !self.load_setup {
            let what = "a DMA load starts, and no setup says what";
            missing(what, self.store_setup, "wr_setup", report);
        }
    }

    fn store(&mut self, report: Report) {
        self.storing = true;
        self.stores.start();
        if !self.store_setup {
            let what = "a DMA store starts, and no setup says what";
            missing(what, self.load_setup, "rd_setup", report);
        } else if !self.stride_setup && self.store_rows != Some(1) {
            let reason = "a DMA store of several rows starts, and its stride was never written";
            report(Rule::StrideMissing, reason);
        }
    }

    fn acquire(&mut self, report: Report) {
        if self.mutex == Some(true) {
            let reason = "the mutex is taken while this QPU holds it, which it waits for in vain";
            report(Rule::MutexTwice, reason);
        }
        if self.queued {
            let reason = "the mutex is taken while VPM writes may still be queued";
            report(Rule::MutexAfterVpmWrite, reason);
        }
        self.mutex = Some(true);
    }

    fn release(&mut self, report: Report) {
        if self.mutex == Some(false) {
            let reason = "the mutex is given back, and this QPU does not hold it";
            report(Rule::MutexNotHeld, reason);
        }
        self.mutex = Some(false);
    }

    /// The end of the program.
    pub fn close(&self, report: Report) {
        let mut left = |rule, what: &str| report(rule, &format!("the program ends {what}"));
        for (tmu, count) in self.lookups.into_iter().enumerate() {
            if let Some(count @ 1..) = count {
                let what = format!("with {count} lookups of TMU {tmu} not loaded");
                left(Rule::TmuUnread, &what);
            }
        }
        if let Some(unread @ 1..) = self.vectors {
            let what = format!("with {unread} vectors of a VPM read setup not read");
            left(Rule::VpmUnread, &what);
        }
        for (running, name) in [(self.loading, "load"), (self.storing, "store")] {
            if running {
                let what = format!("and has not waited for its DMA {name}");
                left(Rule::DmaUnfinished, &what);
            }
        }
        if self.mutex == Some(true) {
            left(Rule::MutexHeld, "and holds the mutex");
        }
    }
}

fn loaded(signal: Signal) -> Option<usize> {
    match signal {
        Signal::LoadTmu0 => Some(0),
        Signal::LoadTmu1 => Some(1),
        _ => None,
    }
}

/// Why a setup word, written to the port of loads (A) or of stores (B), has no function.
fn without_function(word: u32, file: File) -> Option<String> {
    let direction = if file == File::A { "read" } else { "write" };
    let what = match word >> 30 {
        0 if word >> 8 & 3 == 3 => format!("SIZE 3 of a VPM {direction} is reserved"),
        1 => "bits 31:30 are 1, for which no source gives a function".to_string(),
        2 if file == File::B && word & 7 == 1 => "MODEW 1 of a DMA store is reserved".to_string(),
        2 if file == File::B && word >> 15 & 1 == 1 => {
            "LANED 1 of a DMA store is reserved".to_string()
        }
        _ => return None,
    };
    Some(format!("of the setup word {word:#010x} {what}"))
}

/// Reports what is missing, and that a setup of the same kind went to the port of the other
/// direction, if it did: their addresses are the same but for the file.
fn missing(what: &str, other: bool, port: &str, report: Report) {
    match other {
        true => report(
            Rule::SetupMissing,
            &format!("{what}; one went to {port}, which is of the other direction"),
        ),
        false => report(Rule::SetupMissing, what),
    }
}
