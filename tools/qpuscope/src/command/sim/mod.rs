//! `qpuscope sim`: a virtual Pi with its serial line on a pty, TCP, or standard input and output.
//!
//! Where a person may look at it the board runs no faster than wall time; a line on pipes runs as
//! fast as the computer can, unless real time is asked for. Output that nobody takes is lost, as on
//! a real line. Input is taken as fast as the line's rate lets it go to the board, and the host
//! waits with the rest.

mod pty;
mod stdio;
mod tcp;

use std::io::{ErrorKind, IsTerminal};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::port_options::BoardOptions;
use virtual_pi::{Config, VirtualPi};

use common::constants;
use common::failure::{Failure, Result};
use common::progress::Progress;
use common::quantity::{seconds, whole};
use common::say;
use common::stop::Stop;
use host::defect::TimedDefect;
use host::link::{BUFFER as LINE_BUFFER, keep_pace, read_image};

/// Virtual time between two looks at the line.
const SLICE: Duration = Duration::from_millis(2);

/// Options of `sim`.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// kernel.img, the flat image that goes on the card
    image: PathBuf,
    /// Where the serial line is: pty, stdio (with a terminal's control characters shown as \x1b
    /// where a person sits at one), or tcp:ADDRESS:PORT to listen at
    #[arg(long, default_value = "pty")]
    line: String,
    #[command(flatten)]
    board: BoardOptions,
    /// V3D without its cycle model: the same results, but no modelled times
    #[arg(long)]
    functional: bool,
    /// Another value of a constant of V3D's cycle model, to see what depends on it; can be given
    /// several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = constants::change)]
    set: Vec<(String, f64)>,
    /// Run no faster than wall time, on pipes too
    #[arg(long)]
    real_time: bool,
    /// Rate of the host's side of the line
    #[arg(long, value_name = "RATE", default_value_t = host::link::FIRST_BAUD, value_parser = whole::<u32>)]
    baud: u32,
    /// End after so many virtual seconds
    #[arg(long, value_parser = seconds)]
    seconds: Option<Duration>,
}

/// The far end of the board's serial line.
trait FarEnd {
    /// Bytes for the board, if any: at most `room`, which may be 0.
    fn take(&mut self, room: usize) -> std::io::Result<LineInput>;
    /// Bytes from the board. An error ends the simulation.
    fn give(&mut self, bytes: &[u8]) -> std::io::Result<()>;
}

/// The input from a line.
enum LineInput {
    /// Bytes from the host that has it.
    Bytes(Vec<u8>),
    /// Another host than before.
    NewHost,
}

/// Runs the board until Ctrl-C, a fault, or the end of the line.
///
/// # Errors
/// Usage for the image or the line, integrity for a fault of the board.
pub fn run(options: &Options) -> Result<()> {
    let stop = Stop::on_ctrl_c();
    let image = read_image(&options.image)?;
    let model = constants::with(&options.set)?;
    constants::note(&model);
    let wanted = options.board.board();
    let mut config = Config {
        v3d_constants: model,
        cmdline: wanted.cmdline(),
        v3d: !wanted.no_v3d,
        v3d_functional: options.functional,
        host_baud: options.baud,
        ..Config::default()
    };
    if let Some(part) = wanted.fitted()? {
        part.fit(&mut config);
    }
    if let Some(defect) = wanted.defect {
        defect.fit(&mut config);
    }
    let mut board = VirtualPi::new(config, &image)
        .map_err(|error| Failure::usage(format!("{}: {error}", say::path(&options.image))))?;
    let (mut line, interactive) = open_line(&options.line)?;
    let limit_ns = options
        .seconds
        .and_then(|time| u64::try_from(time.as_nanos()).ok())
        .unwrap_or(u64::MAX);
    let mut defect = wanted.defect;
    let paced = options.real_time || interactive;
    let mut began = Instant::now();
    let mut progress = options
        .seconds
        .map(|time| Progress::new("running", time.as_secs(), "s"));
    while !stop.asked() && board.now_ns() < limit_ns {
        let room = LINE_BUFFER.saturating_sub(board.serial_pending());
        match line.take(room).map_err(|error| broke(&error))? {
            LineInput::Bytes(bytes) if bytes.is_empty() => {}
            LineInput::Bytes(bytes) => board.serial_send(&bytes),
            LineInput::NewHost => board.serial_discard(),
        }
        if paced {
            keep_pace(&mut began, Duration::from_nanos(board.now_ns()));
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
        if let Some(progress) = &mut progress {
            progress.set(board.now_ns() / 1_000_000_000);
        }
        for message in board.messages() {
            common::say::remark!("virtual Pi: {message}");
        }
        match stopped {
            virtual_pi::Stop::Deadline | virtual_pi::Stop::Starved => {}
            virtual_pi::Stop::Reset => {
                common::say::remark!("virtual Pi: reset (Watchdog), booting again")
            }
            virtual_pi::Stop::Fault(fault) => return Err(Failure::integrity(fault.to_string())),
        }
    }
    common::say::remark!(
        "ended after {:.3} s of virtual time",
        board.now_ns() as f64 * 1e-9
    );
    Ok(())
}

fn broke(error: &std::io::Error) -> Failure {
    Failure::link(format!("the simulated line broke: {error}; start again"))
}

/// The line, and whether a person may be looking at it.
fn open_line(name: &str) -> Result<(Box<dyn FarEnd>, bool)> {
    if let Some(address) = name.strip_prefix("tcp:") {
        let (line, at) = tcp::TcpLine::listen(address).map_err(|error| {
            Failure::usage(format!(
                "cannot listen at {address}: {error}; give a free ADDRESS:PORT, for example tcp:localhost:5555"
            ))
        })?;
        say::data(&format!("tcp:{at}\n"))?;
        common::say::remark!("the line is at tcp:{at}; read it with `qpuscope read tcp:{at}`");
        return Ok((Box::new(line), true));
    }
    match name {
        "stdio" => {
            let interactive = std::io::stdin().is_terminal();
            Ok((Box::new(stdio::StdioLine::open()), interactive))
        }
        "pty" => {
            let (line, path) = pty::PtyLine::open().map_err(|error| {
                Failure::failed(format!(
                    "cannot make a pty: {error}; use --line tcp:localhost:5555"
                ))
            })?;
            say::data(&format!("{path}\n"))?;
            common::say::remark!(
                "the line is at {path}; read it with `qpuscope read {path}` or any terminal program"
            );
            Ok((Box::new(line), true))
        }
        _ => Err(Failure::usage(format!(
            "--line {name} is unknown; give pty, stdio, or tcp:ADDRESS:PORT"
        ))),
    }
}
