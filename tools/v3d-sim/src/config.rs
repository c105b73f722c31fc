//! What a [`crate::V3d`] is made with.

/// The V3D clock of the default board, a Pi 1 with its own firmware's setting.
pub const DEFAULT_CLOCK_HZ: u32 = 250_000_000;

/// Settings of a simulated V3D. The default is the block of a Pi 1 with warnings that only warn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// V3D clock in hertz. A round of the functional model is 4 of these clocks.
    pub clock_hz: u32,
    /// `None`: QPUs take their turn in a round from 11 down to 0. `Some(seed)`: the order changes
    /// with every round and a QPU is now and then held for some rounds, as a cache miss would do.
    /// Equal seeds give equal runs.
    pub order_seed: Option<u64>,
    /// A warning stops its QPU like a fault.
    pub strict: bool,
    /// After this many rounds in which nothing inside V3D could go on, a deadlock is reported.
    /// The ARM may still end it by queueing a program, so the state is kept.
    pub deadlock_rounds: u64,
    /// Also warn when two QPUs use one DMA engine at a time without the mutex. Programs that ran on
    /// chips do so; more careful ones do not.
    pub flag_unprotected_dma: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            clock_hz: DEFAULT_CLOCK_HZ,
            order_seed: None,
            strict: false,
            deadlock_rounds: 250_000,
            flag_unprotected_dma: false,
        }
    }
}
