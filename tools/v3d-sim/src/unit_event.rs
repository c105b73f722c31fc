//! Events of units that QPUs share, as observers see them.

/// One of the two VPM DMA engines.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DmaEngine {
    /// VDR: memory to VPM.
    Load,
    /// VDW: VPM to memory.
    Store,
}

/// The use of a unit that QPUs share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnitEvent {
    /// A vector of addresses was written to a TMU of the QPU's slice.
    TmuRequest {
        /// The QPU.
        qpu: u8,
        /// The TMU that serves it, after swapping: 0 or 1.
        tmu: u8,
        /// A byte address for each lane.
        addresses: [u32; 16],
    },
    /// `ldtmu` has taken the oldest result.
    TmuTaken {
        /// The QPU.
        qpu: u8,
        /// The TMU that served it: 0 or 1.
        tmu: u8,
    },
    /// A transfer was handed to a DMA engine, which serves one after the other.
    DmaRequest {
        /// The engine.
        engine: DmaEngine,
        /// The QPU.
        qpu: u8,
        /// Bus address of the first row.
        address: u32,
        /// Rows of the transfer.
        rows: u32,
        /// Bytes of memory in a row.
        row_bytes: u32,
    },
    /// The oldest transfer of an engine is complete, or has faulted.
    DmaDone {
        /// The engine.
        engine: DmaEngine,
        /// The QPU that asked for it.
        qpu: u8,
    },
    /// A semaphore was counted up or down.
    Semaphore {
        /// The QPU.
        qpu: u8,
        /// Semaphore 0..15.
        number: u8,
        /// The count after it.
        count: u8,
    },
    /// The mutex was taken (true) or given back.
    Mutex {
        /// The QPU.
        qpu: u8,
        /// True if it is held now.
        held: bool,
    },
}

/// Events of shared units on their way to an observer; kept only while one looks.
#[derive(Default)]
pub struct UnitLog(Option<Vec<UnitEvent>>);

impl UnitLog {
    /// Starts or stops keeping events.
    pub fn keep(&mut self, keep: bool) {
        self.0 = keep.then(Vec::new);
    }

    /// Notes an event, if anybody wants it.
    pub fn note(&mut self, event: impl FnOnce() -> UnitEvent) {
        if let Some(log) = &mut self.0 {
            log.push(event());
        }
    }

    /// Takes the events that were noted since the last call.
    pub fn take(&mut self) -> impl Iterator<Item = UnitEvent> {
        self.0.iter_mut().flat_map(|log| log.drain(..))
    }
}
