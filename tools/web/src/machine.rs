//! The virtual Pi in a worker.

use virtual_pi::{Config, Stop, VirtualPi};
use wasm_bindgen::prelude::wasm_bindgen;

/// A virtual Pi that is switched on.
#[wasm_bindgen]
pub struct Machine {
    board: VirtualPi,
}

#[wasm_bindgen]
impl Machine {
    /// Boots `image` with the settings of `cmdline`.
    ///
    /// # Errors
    /// A sentence, for an image or settings that no board can be built from.
    #[wasm_bindgen(constructor)]
    pub fn new(image: &[u8], cmdline: &str) -> Result<Machine, String> {
        let config = Config {
            cmdline: cmdline.into(),
            ..Config::default()
        };
        let board = VirtualPi::new(config, image).map_err(|error| error.to_string())?;
        Ok(Self { board })
    }

    /// Lets `us` microseconds of virtual time pass; returns the bytes that the host has received.
    ///
    /// # Errors
    /// A sentence, when the board stopped.
    pub fn run(&mut self, us: u32) -> Result<Vec<u8>, String> {
        let until = self.board.now_ns() + u64::from(us) * 1000;
        loop {
            match self.board.run_until_ns(until) {
                Stop::Deadline => break,
                Stop::Reset(_) => {}
                Stop::Fault(fault) => return Err(fault.to_string()),
            }
        }
        let received = self.board.serial_received();
        Ok(received.iter().map(|byte| byte.value).collect())
    }

    /// Virtual time since power-on, in seconds.
    pub fn seconds(&self) -> f64 {
        self.board.now_ns() as f64 / 1e9
    }

    /// Sends bytes from the host to the board.
    pub fn send(&mut self, bytes: &[u8]) {
        self.board.serial_send(bytes);
    }

    /// Changes the rate of the host's side of the line.
    pub fn set_baud(&mut self, baud: u32) {
        self.board.set_host_baud(baud);
    }
}
