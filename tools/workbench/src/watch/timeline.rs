//! A timeline as Chrome trace-event JSON, which Perfetto (ui.perfetto.dev) opens.
//!
//! Tracks: each QPU with its programs and, inside them, what they waited for; the lookups of each
//! TMU, from the write of the addresses to `ldtmu`; transfers of both DMA engines; who holds the
//! mutex; the counts of the semaphores. Times are microseconds of the board's clock.
//!
//! Format: "Trace Event Format" of the Chromium project: events X, b, e, C and M.

use std::collections::VecDeque;
use std::io::{self, Write};

use serde_json::{Value, json};
use v3d_sim::{DmaEngine, Issue, Observer, QpuView, Stall, UnitEvent};

const QPUS: usize = 12;

/// The one process of the file.
const PROCESS: u32 = 1;

/// Numbers of tracks, behind those of the QPUs.
const LOADS: u32 = 20;
const STORES: u32 = 21;
const MUTEX: u32 = 22;

/// Something between two clocks, or a count from one on.
enum Kind {
    Program {
        qpu: u8,
        code: u32,
    },
    Stall {
        qpu: u8,
        pc: u32,
        cause: &'static str,
    },
    Lookup {
        tmu: u8,
        qpu: u8,
        id: u64,
        address: u32,
    },
    Transfer {
        engine: DmaEngine,
        qpu: u8,
        address: u32,
        rows: u32,
        row_bytes: u32,
    },
    MutexHeld {
        qpu: u8,
    },
    Semaphore {
        number: u8,
        count: u8,
    },
}

struct Entry {
    start: u64,
    end: u64,
    kind: Kind,
}

/// A transfer that is not complete: when it was asked for, and what it is.
type Pending = (u64, Kind);

/// An [`Observer`] that keeps what happens, up to a limit.
pub struct Timeline {
    entries: Vec<Entry>,
    limit: usize,
    /// Where the limit was reached.
    cut_at: Option<u64>,
    programs: [Option<(u64, u32)>; QPUS],
    stalls: [Option<(u64, u64, u32, &'static str)>; QPUS],
    /// By TMU of the chip, slice by slice, and QPU of the slice: lookups that were not taken.
    lookups: [[VecDeque<(u64, u64, u32)>; 4]; 6],
    transfers: [VecDeque<Pending>; 2],
    /// When each engine was done with its last transfer.
    engine_free: [u64; 2],
    mutex: Option<(u64, u8)>,
    next_id: u64,
    now: u64,
}

impl Timeline {
    /// A timeline that keeps at most `limit` entries.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            entries: vec![],
            limit,
            cut_at: None,
            programs: [None; QPUS],
            stalls: [None; QPUS],
            lookups: Default::default(),
            transfers: Default::default(),
            engine_free: [0; 2],
            mutex: None,
            next_id: 0,
            now: 0,
        }
    }

    /// The clock at which the limit was reached, if it was: what came later is not there.
    #[must_use]
    pub fn cut_at(&self) -> Option<u64> {
        self.cut_at
    }

    fn push(&mut self, start: u64, end: u64, kind: Kind) {
        if self.entries.len() < self.limit {
            self.entries.push(Entry { start, end, kind });
        } else {
            self.cut_at.get_or_insert(start);
        }
    }

    fn end_stall(&mut self, qpu: usize) {
        if let Some((start, end, pc, cause)) = self.stalls[qpu].take() {
            let qpu = qpu as u8;
            self.push(start, end, Kind::Stall { qpu, pc, cause });
        }
    }

    fn end_program(&mut self, qpu: usize, clock: u64) {
        self.end_stall(qpu);
        if let Some((start, code)) = self.programs[qpu].take() {
            let qpu = qpu as u8;
            self.push(start, clock, Kind::Program { qpu, code });
        }
    }

    fn end_transfer(&mut self, engine: DmaEngine, clock: u64) {
        let number = engine as usize;
        if let Some((asked, kind)) = self.transfers[number].pop_front() {
            let start = asked.max(self.engine_free[number]);
            self.engine_free[number] = clock;
            self.push(start, clock.max(start), kind);
        }
    }

    fn end_mutex(&mut self, clock: u64) {
        if let Some((start, qpu)) = self.mutex.take() {
            self.push(start, clock, Kind::MutexHeld { qpu });
        }
    }

    /// Ends what is not over at the end of the run.
    fn close(&mut self, clock: u64) {
        for qpu in 0..QPUS {
            self.end_program(qpu, clock);
        }
        for engine in [DmaEngine::Load, DmaEngine::Store] {
            while !self.transfers[engine as usize].is_empty() {
                self.end_transfer(engine, clock);
            }
        }
        self.end_mutex(clock);
        self.entries
            .sort_by_key(|entry| (entry.start, std::cmp::Reverse(entry.end)));
    }

    /// Writes the whole file, for a run that took `clocks` clocks of `clock_hz` hertz.
    ///
    /// # Errors
    /// When `out` cannot be written.
    pub fn write(mut self, out: &mut impl Write, clocks: u64, clock_hz: u32) -> io::Result<()> {
        self.close(clocks.max(self.now));
        let time = |clock: u64| {
            let ns = u128::from(clock) * 1_000_000_000 / u128::from(clock_hz.max(1));
            ns as f64 / 1000.0
        };
        writeln!(out, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
        let name = |tid: u32, name: &str| json!({"ph": "M", "pid": PROCESS, "tid": tid, "name": "thread_name", "args": {"name": name}});
        write!(
            out,
            "{}",
            json!({"ph": "M", "pid": PROCESS, "name": "process_name", "args": {"name": "V3D"}})
        )?;
        for qpu in 0..QPUS as u32 {
            write!(out, ",\n{}", name(qpu, &format!("QPU {qpu}")))?;
        }
        for (tid, text) in [
            (LOADS, "VDR (DMA load)"),
            (STORES, "VDW (DMA store)"),
            (MUTEX, "mutex"),
        ] {
            write!(out, ",\n{}", name(tid, text))?;
        }
        // Ends of lookups are events of their own, so they are sorted in.
        let lookups = self.entries.iter().filter_map(|entry| match entry.kind {
            Kind::Lookup { tmu, id, .. } => Some((entry.end, id, tmu)),
            _ => None,
        });
        let mut ends: Vec<(u64, u64, u8)> = lookups.collect();
        ends.sort_unstable();
        let mut ends = ends.into_iter().peekable();
        for entry in &self.entries {
            while let Some(end) = ends.next_if(|(clock, ..)| *clock < entry.start) {
                write!(out, ",\n{}", end_event(end, time))?;
            }
            write!(out, ",\n{}", event(entry, time))?;
        }
        for end in ends {
            write!(out, ",\n{}", end_event(end, time))?;
        }
        writeln!(out, "\n]}}")
    }
}

/// Number of a TMU in the chip.
fn chip_tmu(qpu: u8, tmu: u8) -> u8 {
    qpu / 4 * 2 + (tmu & 1)
}

fn tmu_name(tmu: u8) -> String {
    format!("TMU {} of slice {}", tmu % 2, tmu / 2)
}

/// The end of a lookup: its clock, its name and its TMU.
fn end_event((clock, id, tmu): (u64, u64, u8), time: impl Fn(u64) -> f64) -> Value {
    json!({
        "ph": "e", "cat": "tmu", "id": id, "pid": PROCESS, "tid": 0, "name": tmu_name(tmu),
        "ts": time(clock),
    })
}

fn event(entry: &Entry, time: impl Fn(u64) -> f64) -> Value {
    let ts = time(entry.start);
    // Times of both ends are rounded, so that neighbours touch and never overlap.
    let dur = ((time(entry.end) - ts) * 1000.0).round() / 1000.0;
    let span = |tid: u32, category: &str, name: String, args: Value| {
        json!({
            "ph": "X", "cat": category, "pid": PROCESS, "tid": tid,
            "name": name, "ts": ts, "dur": dur, "args": args,
        })
    };
    match entry.kind {
        Kind::Program { qpu, code } => span(
            u32::from(qpu),
            "program",
            format!("program {code:#010x}"),
            json!({}),
        ),
        Kind::Stall { qpu, pc, cause } => span(
            u32::from(qpu),
            "stall",
            cause.to_owned(),
            json!({ "pc": format!("{pc:#010x}") }),
        ),
        Kind::Lookup {
            tmu,
            qpu,
            id,
            address,
        } => json!({
            "ph": "b", "cat": "tmu", "id": id, "pid": PROCESS, "tid": 0, "name": tmu_name(tmu),
            "ts": ts, "args": { "qpu": qpu, "address of lane 0": format!("{address:#010x}") },
        }),
        Kind::Transfer {
            engine,
            qpu,
            address,
            rows,
            row_bytes,
        } => span(
            match engine {
                DmaEngine::Load => LOADS,
                DmaEngine::Store => STORES,
            },
            "dma",
            format!("QPU {qpu}: {rows} x {row_bytes} bytes"),
            json!({ "address": format!("{address:#010x}"), "rows": rows, "bytes": rows * row_bytes }),
        ),
        Kind::MutexHeld { qpu } => span(MUTEX, "mutex", format!("QPU {qpu}"), json!({})),
        Kind::Semaphore { number, count } => json!({
            "ph": "C", "pid": PROCESS, "tid": 0, "name": format!("semaphore {number}"),
            "ts": ts, "args": { "count": count },
        }),
    }
}

impl Observer for Timeline {
    fn issued(&mut self, issue: Issue, _: QpuView<'_>) {
        self.now = self.now.max(issue.clock);
        self.end_stall(usize::from(issue.qpu));
    }

    fn stalled(&mut self, stall: Stall) {
        let (qpu, end) = (usize::from(stall.qpu), stall.clock + stall.clocks);
        self.now = self.now.max(end);
        let cause = stall.wait.cause();
        match &mut self.stalls[qpu] {
            Some((_, until, pc, open)) if *pc == stall.pc && *open == cause => *until = end,
            _ => {
                self.end_stall(qpu);
                self.stalls[qpu] = Some((stall.clock, end, stall.pc, cause));
            }
        }
    }

    fn unit(&mut self, clock: u64, event: UnitEvent) {
        self.now = self.now.max(clock);
        match event {
            UnitEvent::TmuRequest {
                qpu,
                tmu,
                addresses,
            } => {
                let id = self.next_id;
                self.next_id += 1;
                let tmu = usize::from(chip_tmu(qpu, tmu));
                self.lookups[tmu][usize::from(qpu % 4)].push_back((clock, id, addresses[0]));
            }
            UnitEvent::TmuTaken { qpu, tmu } => {
                let tmu = chip_tmu(qpu, tmu);
                let queue = &mut self.lookups[usize::from(tmu)][usize::from(qpu % 4)];
                if let Some((start, id, address)) = queue.pop_front() {
                    self.push(
                        start,
                        clock,
                        Kind::Lookup {
                            tmu,
                            qpu,
                            id,
                            address,
                        },
                    );
                }
            }
            UnitEvent::DmaRequest {
                engine,
                qpu,
                address,
                rows,
                row_bytes,
            } => {
                let kind = Kind::Transfer {
                    engine,
                    qpu,
                    address,
                    rows,
                    row_bytes,
                };
                self.transfers[engine as usize].push_back((clock, kind));
            }
            UnitEvent::DmaDone { engine, .. } => self.end_transfer(engine, clock),
            UnitEvent::Semaphore { number, count, .. } => {
                self.push(clock, clock, Kind::Semaphore { number, count });
            }
            UnitEvent::Mutex { qpu, held } => {
                self.end_mutex(clock);
                if held {
                    self.mutex = Some((clock, qpu));
                }
            }
        }
    }

    fn program_started(&mut self, clock: u64, qpu: QpuView<'_>) {
        self.programs[usize::from(qpu.number())] = Some((clock, qpu.pc()));
    }

    fn program_ended(&mut self, clock: u64, qpu: u8) {
        self.now = self.now.max(clock);
        self.end_program(usize::from(qpu), clock);
        // What a program did not fetch is lost.
        for tmu in 0..2 {
            self.lookups[usize::from(chip_tmu(qpu, tmu))][usize::from(qpu % 4)].clear();
        }
    }
}
