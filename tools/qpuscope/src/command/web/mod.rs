//! `qpuscope web`: the page of `cargo xtask web`, and a line or a recording for it.
//!
//! Browsers without Web Serial reach a board this way. The page is served on 127.0.0.1 and gets the
//! line's bytes through a WebSocket, unchanged and in both directions. Opening a port sends a board
//! nothing. `docs/web.md` says what is checked before anybody gets the line.

mod control;
mod feed;
mod gate;
mod hub;
mod line;
mod line_queue;
mod page;
mod player;
mod server;
mod site;
mod socket;
mod writer;

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::command::port_options::{BoardOptions, PortOperand};
use common::failure::{Failure, Result};
use common::quantity::whole;
use common::stop::{self, Stop};
use common::{say, text};
use gate::Token;
use host::client::nothing_decodes;
use host::link::{self, FIRST_BAUD, Link, Opening, Received};
use host::port::{LineSettings, PortChoice};
use host::stream::Receiver;
use hub::Hub;
use line::Line;
use page::Folder;
use server::Server;
use site::ShownSource;

/// The most bytes of a recording that are looked at for a first frame.
const PROBE: usize = 1 << 20;

/// Options of `web`.
#[derive(clap::Args, Debug)]
pub struct Options {
    #[command(flatten)]
    port: PortOperand,
    /// Folder of the page (default: web/ beside this program, else target/web/page)
    #[arg(long, env = "QPUSCOPE_PAGE", value_name = "DIR")]
    page: Option<PathBuf>,
    /// Port of 127.0.0.1 to serve at (default: a free one)
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..))]
    listen: Option<u16>,
    /// Speed of a recording, in multiples of its own; 0: as fast as the page takes it
    #[arg(long, value_name = "FACTOR", value_parser = speed)]
    speed: Option<f64>,
    /// Rate at which the board speaks when the command begins
    #[arg(long, value_name = "RATE", default_value_t = FIRST_BAUD, value_parser = whole::<u32>)]
    baud: u32,
    #[command(flatten)]
    board: BoardOptions,
}

/// A speed, as an option gives it.
fn speed(text: &str) -> std::result::Result<f64, String> {
    let speed = text.parse().ok().filter(|speed| control::is_speed(*speed));
    speed.ok_or_else(|| {
        format!(
            "{} is no speed; give 0.001 to 1000000, or 0 for no wait",
            text::quote(text)
        )
    })
}

/// Serves until Ctrl-C, SIGTERM or a hang-up.
///
/// # Errors
/// Usage for the page, the listening port and recordings; no device where there is no port.
pub fn run(options: &Options) -> Result<()> {
    let stop = Stop::on_ctrl_c();
    let folder = Folder::find(options.page.as_deref())?;
    let port = options.port.name();
    let port = port.as_deref();
    let recording = port.filter(|port| link::is_recording(port));
    if options.speed.is_some() && recording.is_none() {
        return Err(Failure::usage(
            "--speed is about a recording; name a file of recorded bytes, or leave it out",
        ));
    }
    let listener = listen(options.listen)?;
    if let Some(file) = recording {
        check(file)?;
        let path = Path::new(file);
        let source = ShownSource::Recording {
            path: path.to_owned(),
            name: say::path(path),
            speed: options.speed.unwrap_or(1.0),
        };
        let server = serve(listener, folder, source, Some(file))?;
        stop.wait_for(Duration::MAX);
        server.end();
        return Ok(());
    }
    let Some(port) = port else {
        let server = serve(listener, folder, ShownSource::None, None)?;
        stop.wait_for(Duration::MAX);
        server.end();
        return Ok(());
    };
    let line = LineSettings {
        baud: options.baud,
        is_quiet: true,
        ..LineSettings::default()
    };
    let choice = PortChoice::new(Some(port), options.board.board(), line)?;
    let open = || choice.open().map(|(link, _)| link);
    let link: Box<dyn Link> = stop::blocking(open)?;
    let kind = match link.is_live() {
        true => control::Source::Port,
        false => control::Source::Recording,
    };
    let hub = Hub::new(link.description(), kind);
    let mut line = Line::new(&open, choice.is_virtual(), hub.clone());
    let server = serve(listener, folder, ShownSource::Line(hub), Some(port))?;
    let ran = line.run(link, &stop);
    server.end();
    ran
}

fn listen(port: Option<u16>) -> Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0))).map_err(|error| {
        Failure::usage(match port {
            Some(port) => format!(
                "cannot listen at 127.0.0.1:{port}: {error}; choose another port, or leave --listen out for a free one"
            ),
            None => format!("cannot listen at 127.0.0.1: {error}; end a program that has many ports open"),
        })
    })
}

/// Starts the server and prints its address.
fn serve(
    listener: TcpListener,
    folder: Folder,
    source: ShownSource,
    shown: Option<&str>,
) -> Result<Server> {
    let failed = |error| Failure::failed(format!("cannot serve the page: {error}; try again"));
    let port = listener.local_addr().map_err(failed)?.port();
    let token = shown.map(|_| Token::random()).transpose()?;
    let mut address = format!("http://127.0.0.1:{port}/");
    if let Some(token) = &token {
        // Browsers keep what is behind # to themselves.
        address = format!("{address}#token={}", token.text());
    }
    let server = Server::start(listener, folder, source, token).map_err(failed)?;
    say::data(&format!("{address}\n"))?;
    say::remark!(
        "the page shows {}; open the address in a browser of this computer (Ctrl-C ends)",
        shown.unwrap_or("virtual Pis, and boards by Web Serial")
    );
    Ok(server)
}

/// Refuses a file whose beginning holds no frame.
fn check(file: &str) -> Result<()> {
    let mut link = link::open(Some(file), &Opening::default())?;
    let (mut receiver, mut events, mut buffer) = (Receiver::default(), vec![], [0; 4096]);
    for _ in 0..PROBE / buffer.len() {
        match link.read(&mut buffer, Duration::from_secs(5))? {
            Received::Bytes(count) => receiver.push(&buffer[..count], &mut events),
            Received::Nothing | Received::End => break,
        }
        if receiver.health().frames > 0 {
            return Ok(());
        }
    }
    if receiver.health().bytes == 0 {
        return Err(Failure::usage(format!(
            "{} is empty; record again, or name a live port",
            link.description()
        )));
    }
    Err(Failure::link(nothing_decodes(&*link, &receiver)))
}
