//! `qpuscope sim`: a virtual Pi with its serial line on a pty, TCP, or standard input and output.
//!
//! Where somebody may look at it the board runs no faster than wall time; a line on pipes runs as fast
//! as the computer can, unless real time is asked for. Output that nobody takes is lost, as on a real
//! line.

use std::io::{ErrorKind, IsTerminal, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::pty::OpenptFlags;
use v3d_sim::Constants;
use virtual_pi::{Config, VirtualPi};

use crate::command::seconds;
use crate::constants;
use crate::defect::TimedDefect;
use crate::failure::{Failure, Result};
use crate::link::read_image;
use crate::say;
use crate::stop::Stop;

/// Virtual time between two looks at the line.
const SLICE: Duration = Duration::from_millis(2);
/// When the computer is slower than the board, so much lag is kept and the rest forgiven.
const MOST_LAG: Duration = Duration::from_millis(100);

/// Options of `sim`.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// kernel.img, the flat image that goes on the card
    image: PathBuf,
    /// Where the serial line is: pty, stdio, or tcp:ADDRESS:PORT to listen at
    #[arg(long, default_value = "pty")]
    line: String,
    /// Text of cmdline.txt
    #[arg(long, value_name = "TEXT", default_value = "")]
    cmdline: String,
    /// A board whose V3D does not answer
    #[arg(long)]
    no_v3d: bool,
    /// V3D without its cycle model: the same results, but no modelled times
    #[arg(long)]
    functional: bool,
    /// Another value of a constant of V3D's cycle model, to see what depends on it; can be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = constants::change)]
    set: Vec<(String, f64)>,
    /// Broken silicon: late-vpm, semaphore-two, no-reservation, stale-instructions or wrong-qpu:N; from that
    /// virtual second on, else from power-on
    #[arg(long, value_name = "NAME[@SECONDS]")]
    defect: Option<TimedDefect>,
    /// Run no faster than wall time, on pipes too
    #[arg(long)]
    real_time: bool,
    /// Rate of the host's side of the line
    #[arg(long, value_name = "RATE", default_value_t = crate::link::FIRST_BAUD)]
    baud: u32,
    /// End after so many virtual seconds
    #[arg(long, value_parser = seconds)]
    seconds: Option<Duration>,
}

/// The far end of the board's serial line.
trait Line {
    /// Bytes for the board, if any.
    fn take(&mut self) -> std::io::Result<Vec<u8>>;
    /// Bytes from the board. An error ends the simulation.
    fn give(&mut self, bytes: &[u8]) -> std::io::Result<()>;
}

/// Runs the board until Ctrl-C, a fault, or the end of the line.
///
/// # Errors
/// Usage for the image or the line, integrity for a fault of the board.
pub fn run(options: &Options) -> Result<()> {
    let stop = Stop::on_ctrl_c();
    let image = read_image(&options.image)?;
    let mut model = Constants::recommended();
    for (name, value) in &options.set {
        constants::apply(&mut model, name, *value)?;
    }
    constants::note(&model);
    let config = Config {
        v3d_constants: model,
        cmdline: options.cmdline.clone(),
        v3d: !options.no_v3d,
        v3d_functional: options.functional,
        v3d_defect: options.defect.and_then(TimedDefect::from_the_start),
        host_baud: options.baud,
        ..Config::default()
    };
    let mut board = VirtualPi::new(config, &image)
        .map_err(|error| Failure::usage(format!("{}: {error}", options.image.display())))?;
    let (mut line, interactive) = open_line(&options.line)?;
    let limit_ns = options
        .seconds
        .and_then(|time| u64::try_from(time.as_nanos()).ok())
        .unwrap_or(u64::MAX);
    let mut defect = options.defect;
    let paced = options.real_time || interactive;
    let mut began = Instant::now();
    while !stop.asked() && board.now_ns() < limit_ns {
        let bytes = line.take().map_err(|error| broke(&error))?;
        if !bytes.is_empty() {
            board.serial_send(&bytes);
        }
        if paced {
            let ahead = Duration::from_nanos(board.now_ns()).saturating_sub(began.elapsed());
            if !ahead.is_zero() {
                std::thread::sleep(ahead);
            }
            let lag = began
                .elapsed()
                .saturating_sub(Duration::from_nanos(board.now_ns()));
            if lag > MOST_LAG {
                began += lag - MOST_LAG;
            }
        }
        let mut until = (board.now_ns() + SLICE.as_nanos() as u64).min(limit_ns);
        if let Some(stop) = TimedDefect::next_stop(&mut defect, &mut board) {
            until = until.min(stop);
        }
        let stopped = board.run_until_ns(until);
        let sent: Vec<u8> = board
            .serial_received()
            .iter()
            .map(|byte| byte.value)
            .collect();
        if !sent.is_empty()
            && let Err(error) = line.give(&sent)
        {
            // The reader of a pipe has gone: an ordinary end.
            return match error.kind() {
                ErrorKind::BrokenPipe => Ok(()),
                _ => Err(broke(&error)),
            };
        }
        for message in board.messages() {
            crate::say::remark!("virtual Pi: {message}");
        }
        match stopped {
            virtual_pi::Stop::Deadline => {}
            virtual_pi::Stop::Reset(cause) => {
                crate::say::remark!("virtual Pi: reset ({cause:?}), booting again")
            }
            virtual_pi::Stop::Fault(fault) => return Err(Failure::integrity(fault.to_string())),
        }
    }
    crate::say::remark!(
        "ended after {:.3} s of virtual time",
        board.now_ns() as f64 * 1e-9
    );
    Ok(())
}

fn broke(error: &std::io::Error) -> Failure {
    Failure::link(format!("the simulated line broke: {error}; start again"))
}

/// The line, and whether somebody may be looking at it.
fn open_line(name: &str) -> Result<(Box<dyn Line>, bool)> {
    if let Some(address) = name.strip_prefix("tcp:") {
        let listener = TcpListener::bind(address)
            .and_then(|listener| listener.set_nonblocking(true).map(|()| listener))
            .map_err(|error| {
                Failure::usage(format!(
                    "cannot listen at {address}: {error}; give a free ADDRESS:PORT, for example tcp:localhost:5555"
                ))
            })?;
        let at = listener
            .local_addr()
            .map_or_else(|_| address.to_owned(), |at| at.to_string());
        say::data(&format!("tcp:{at}\n"))?;
        crate::say::remark!("the line is at tcp:{at}; read it with `qpuscope read tcp:{at}`");
        return Ok((
            Box::new(TcpLine {
                listener,
                peer: None,
            }),
            true,
        ));
    }
    match name {
        "stdio" => {
            let interactive = std::io::stdin().is_terminal();
            Ok((Box::new(StdioLine::open()), interactive))
        }
        "pty" => {
            let (line, path) = PtyLine::open().map_err(|error| {
                Failure::failed(format!(
                    "cannot make a pty: {error}; use --line tcp:localhost:5555"
                ))
            })?;
            say::data(&format!("{path}\n"))?;
            crate::say::remark!(
                "the line is at {path}; read it with `qpuscope read {path}` or any terminal program"
            );
            Ok((Box::new(line), true))
        }
        _ => Err(Failure::usage(format!(
            "--line {name} is unknown; give pty, stdio, or tcp:ADDRESS:PORT"
        ))),
    }
}

struct StdioLine {
    input: Receiver<Vec<u8>>,
}

impl StdioLine {
    fn open() -> Self {
        let (sender, input) = sync_channel(16);
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = std::io::stdin().read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self { input }
    }
}

impl Line for StdioLine {
    fn take(&mut self) -> std::io::Result<Vec<u8>> {
        match self.input.try_recv() {
            Ok(bytes) => Ok(bytes),
            // After the end of the input the board goes on talking.
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => Ok(vec![]),
        }
    }

    fn give(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        let mut out = std::io::stdout().lock();
        out.write_all(bytes)?;
        out.flush()
    }
}

/// One peer at a time; the next may come when it has gone, and is sent away before.
struct TcpLine {
    listener: TcpListener,
    peer: Option<TcpStream>,
}

impl TcpLine {
    /// Whoever waits while another host has the line would take the silence for a broken board.
    fn send_others_away(&self) {
        if self.listener.accept().is_ok() {
            crate::say::remark!("a second host was sent away: another one has the line");
        }
    }
}

impl Line for TcpLine {
    fn take(&mut self) -> std::io::Result<Vec<u8>> {
        let Some(peer) = &mut self.peer else {
            match self.listener.accept() {
                Ok((peer, _)) => {
                    peer.set_nonblocking(true)?;
                    peer.set_nodelay(true)?;
                    self.peer = Some(peer);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
            return Ok(vec![]);
        };
        let mut buffer = [0; 4096];
        match peer.read(&mut buffer) {
            Ok(0) => self.peer = None,
            Ok(count) => return Ok(buffer[..count].to_vec()),
            Err(error) if error.kind() == ErrorKind::WouldBlock => self.send_others_away(),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => self.peer = None,
        }
        Ok(vec![])
    }

    fn give(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        if let Some(peer) = &mut self.peer
            && let Err(error) = peer.write_all(bytes)
            && error.kind() != ErrorKind::WouldBlock
        {
            self.peer = None;
        }
        Ok(())
    }
}

/// The master side of a pseudo-terminal, not blocking.
struct PtyLine {
    master: OwnedFd,
}

impl PtyLine {
    fn open() -> std::io::Result<(Self, String)> {
        let master =
            rustix::pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        rustix::pty::grantpt(&master)?;
        rustix::pty::unlockpt(&master)?;
        let path = rustix::pty::ptsname(&master, vec![])?
            .to_string_lossy()
            .into_owned();
        // Opening the other side once makes it raw, and lets its absence show as a hang-up from then on.
        let other = rustix::fs::open(
            path.as_str(),
            OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC,
            Mode::empty(),
        )?;
        let mut raw = rustix::termios::tcgetattr(&other)?;
        raw.make_raw();
        rustix::termios::tcsetattr(&other, rustix::termios::OptionalActions::Now, &raw)?;
        let flags = rustix::fs::fcntl_getfl(&master)?;
        rustix::fs::fcntl_setfl(&master, flags | OFlags::NONBLOCK)?;
        Ok((Self { master }, path))
    }

    fn has_listener(&self) -> bool {
        let mut watched = [PollFd::new(&self.master, PollFlags::empty())];
        let now = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        match poll(&mut watched, Some(&now)) {
            Ok(_) => !watched[0].revents().contains(PollFlags::HUP),
            Err(_) => true,
        }
    }
}

impl Line for PtyLine {
    fn take(&mut self) -> std::io::Result<Vec<u8>> {
        let mut buffer = [0; 4096];
        match rustix::io::read(&self.master, &mut buffer) {
            Ok(count) => Ok(buffer[..count].to_vec()),
            // EIO: nobody has the other side open.
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::IO | rustix::io::Errno::INTR) => {
                Ok(vec![])
            }
            Err(error) => Err(error.into()),
        }
    }

    fn give(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        if !self.has_listener() {
            return Ok(());
        }
        match rustix::io::write(&self.master, bytes) {
            // What a slow reader has no room for is lost, as in a UART.
            Ok(_)
            | Err(rustix::io::Errno::AGAIN | rustix::io::Errno::IO | rustix::io::Errno::INTR) => {
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }
}
