//! Ctrl-C: asks running commands to finish, instead of cutting them off.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the user has asked to stop. A second Ctrl-C ends the process at once.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Listens for Ctrl-C from now on. Only the first call of a process takes effect.
    #[must_use]
    pub fn on_ctrl_c() -> Self {
        let stop = Self::default();
        let asked = stop.0.clone();
        // An error means that somebody listens already; then Ctrl-C works as it did.
        let _ = ctrlc::set_handler(move || {
            if asked.swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
        });
        stop
    }

    /// Whether it was pressed since the last call; the next press asks again.
    #[must_use]
    pub fn take(&self) -> bool {
        self.0.swap(false, Ordering::SeqCst)
    }

    /// Whether it was pressed.
    #[must_use]
    pub fn asked(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
