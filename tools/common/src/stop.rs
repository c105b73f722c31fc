//! Ctrl-C, SIGTERM and a hang-up: ask running commands to finish, instead of cutting them off.
//!
//! A command that runs looks at [`Stop`] and ends with what it has. One that waits for another
//! process (a pipe without a writer, a reader that takes nothing, an answer) cannot look: such
//! waits are marked by [`blocking`], and the process ends in them. So does that of a command that
//! never looks. Before it ends, the process tidies up ([`tidy_up_with`]).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::{Handle, Signals};
use signal_hook::low_level::emulate_default_handler;

/// The time that a wait may go on after the request to stop: one that is over by then was none.
const GRACE: Duration = Duration::from_millis(300);
/// Time between two looks at it.
const LOOK: Duration = Duration::from_millis(50);

/// Time since which this process waits for another one.
static WAITS_SINCE: Mutex<Option<Instant>> = Mutex::new(None);

/// The command that looks, if one does.
static ASKED: Mutex<Option<Stop>> = Mutex::new(None);

/// The work before the end.
static TIDY: OnceLock<fn()> = OnceLock::new();

/// True once the user has asked to stop. The second time ends the process at once.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Listens for Ctrl-C, SIGTERM and, unless the process was started to outlive its terminal
    /// (`nohup`), SIGHUP.
    #[must_use]
    pub fn on_ctrl_c() -> Self {
        let stop = Self::default();
        *ASKED.lock().unwrap_or_else(PoisonError::into_inner) = Some(stop.clone());
        listen_to(&[SIGINT, SIGTERM]);
        if !is_ignored(SIGHUP) {
            listen_to(&[SIGHUP]);
        }
        stop
    }

    /// Ends the process as soon as it waits, while the request to stop stands.
    fn end_waits(&self, signal: i32) {
        while self.asked() {
            let since = *WAITS_SINCE.lock().unwrap_or_else(PoisonError::into_inner);
            if since.is_some_and(|since| since.elapsed() >= GRACE) {
                end(signal);
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Waits for so long, or until it is asked for.
    pub fn wait_for(&self, span: Duration) {
        let start = Instant::now();
        while !self.asked() && start.elapsed() < span {
            std::thread::sleep(LOOK);
        }
    }

    /// Asks for it, as Ctrl-C does.
    pub fn ask(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Returns whether it was asked for since the last call; the next request asks again.
    #[must_use]
    pub fn take(&self) -> bool {
        self.0.swap(false, Ordering::SeqCst)
    }

    /// Returns whether it was asked for.
    #[must_use]
    pub fn asked(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Has a process that Ctrl-C, SIGTERM or a hang-up ends call `tidy` before. A signal that it was
/// started to ignore goes on being ignored.
pub fn tidy_up_with(tidy: fn()) {
    if TIDY.set(tidy).is_ok() {
        let mut wanted = vec![SIGINT, SIGTERM, SIGHUP];
        wanted.retain(|signal| !is_ignored(*signal));
        listen_to(&wanted);
    }
}

/// Has a thread listen to these signals. Without it they end the process, as they do by themselves.
fn listen_to(wanted: &[i32]) {
    static LISTENER: OnceLock<Option<Handle>> = OnceLock::new();
    let listener = LISTENER.get_or_init(|| {
        let mut signals = Signals::new([0_i32; 0]).ok()?;
        let handle = signals.handle();
        let listen = move || signals.forever().for_each(hear);
        let listening = std::thread::Builder::new().spawn(listen);
        listening.is_ok().then_some(handle)
    });
    if let Some(listener) = listener {
        for signal in wanted {
            let _ = listener.add_signal(*signal);
        }
    }
}

/// Asks the command to stop, or ends one that does not look or was asked before.
fn hear(signal: i32) {
    let asked = ASKED.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let Some(stop) = asked else {
        tidy();
        // A shell that runs a list of commands stops only when the signal has ended this one.
        let _ = emulate_default_handler(signal);
        end(signal);
    };
    if stop.0.swap(true, Ordering::SeqCst) {
        end(signal);
    }
    std::thread::spawn(move || stop.end_waits(signal));
}

fn tidy() {
    if let Some(tidy) = TIDY.get() {
        tidy();
    }
}

/// Ends the process with the status that shells give a program which a signal has ended.
fn end(signal: i32) -> ! {
    tidy();
    std::process::exit(128 + signal)
}

/// Marks work of the main thread that may wait for another process for any time: a request to stop
/// ends the process in it.
pub fn blocking<T>(work: impl FnOnce() -> T) -> T {
    let mark = |since| {
        let mut place = WAITS_SINCE.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *place, since)
    };
    let outer = mark(Some(Instant::now()));
    let done = work();
    mark(outer);
    done
}

/// Lets a file that gets larger than the shell's limit (`ulimit -f`) fail as a full disk does,
/// where it would end the process.
pub fn survive_file_limits() {
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
}

/// Returns whether the process was started with a signal ignored. Linux says so; elsewhere nobody
/// is asked.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let ignored = lines.find_map(|line| line.strip_prefix("SigIgn:"));
    let bits = ignored.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
    bits.is_some_and(|bits| bits >> (signal - 1) & 1 == 1)
}
