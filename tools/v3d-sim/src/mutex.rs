//! The one mutex of the VPM, shared by all QPUs.
//!
//! Reading address 51 takes it and waits while anyone holds it, the reader included; writing 51
//! gives it back (guide, "Register address map").

/// The QPU that holds it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Mutex {
    holder: Option<u8>,
}

impl Mutex {
    /// The QPU that holds it.
    pub fn holder(&self) -> Option<u8> {
        self.holder
    }

    /// Takes it; the caller has made sure that it is free.
    pub fn acquire(&mut self, qpu: u8) {
        self.holder = Some(qpu);
    }

    /// Gives it back. False, and nothing changes, when this QPU does not hold it.
    pub fn release(&mut self, qpu: u8) -> bool {
        let held = self.holder == Some(qpu);
        if held {
            self.holder = None;
        }
        held
    }
}
