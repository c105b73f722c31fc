//! The instrument is set up, every channel sent, and the spectra taken.

use super::options::Options;
use super::values::EngineChoice;
use common::failure::{Exit, Failure, Result};
use host::client::Client;
use host::input::{Channel, Recording, Unit};
use host::spectrum::{Engine, Spectrum};

/// Above so many bytes of samples the faster rate is worth asking for: three seconds at 115,200.
const LONG_UPLOAD: u64 = 32_768;

/// Takes a spectrum as soon as it is whole, with the index of its channel.
type Take<'a> = &'a mut dyn FnMut(usize, Spectrum) -> Result<()>;

/// Sets the instrument up, sends every channel, hands on the spectra, and puts the settings back.
pub(super) fn transform(
    options: &Options,
    client: &mut Client,
    recording: &Recording,
    overlap: u32,
    take: Take,
) -> Result<()> {
    client.hello()?;
    // What a host before this one began and did not end.
    client.stop()?;
    let found = client.settings()?;
    let done = set_up_and_send(options, client, recording, overlap, take);
    // Spectra of the generator come with these again: of those of an upload `avg=all` would stop it
    // from starting, and the overlap may be as long as the next length that is set.
    let put_back = match &done {
        Ok(()) => client.set(&found),
        // A line that does not work is not waited for.
        Err(failure) if matches!(failure.exit, Exit::Link | Exit::NoDevice) => Ok(()),
        Err(_) => client.stop().and_then(|()| client.set(&found)),
    };
    if let Err(failure) = put_back {
        common::say::remark!("the board keeps the settings of this transform: {failure}");
    }
    done
}

/// Sets the instrument up and sends every channel.
fn set_up_and_send(
    options: &Options,
    client: &mut Client,
    recording: &Recording,
    overlap: u32,
    take: Take,
) -> Result<()> {
    let engine = match options.engine {
        EngineChoice::Cpu => "cpu",
        _ => "auto",
    };
    let unit = match recording.unit {
        Unit::FullScale => wire::Unit::Dbfs,
        Unit::One(_) => wire::Unit::DbReUnit,
    };
    // An average over records is of streams: `exp=0`.
    client.set(&format!(
        "n={} window={} overlap={overlap} avg={} exp=0 out={} unit={} centre={} engine={engine} first=all bins=0 \
         detector={} dc={}",
        options.n,
        options.window,
        options.averages,
        options.encoding.name(),
        unit.name(),
        centre(options, recording),
        options.detector.name(),
        options.dc.name(),
    ))?;
    // The engine in use depends on the settings, so that only now it is the one that counts.
    let info = client.hello()?;
    common::say::remark!(
        "{}, firmware {}, engine {}",
        info.board,
        info.firmware,
        info.engine.name()
    );
    if options.engine == EngineChoice::Qpu && info.engine != Engine::Qpu {
        return Err(Failure::failed(format!(
            "the board does not use its QPUs for {} points (capabilities: {}); use --engine auto to let the ARM compute",
            options.n,
            info.capabilities
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
        )));
    }
    let bytes: u64 = recording.channels.iter().map(bytes_on_wire).sum();
    let asked = options.transfer_baud;
    if asked.is_some() || bytes > LONG_UPLOAD {
        client.change_for_transfer(asked)?;
    }
    let mut take = |index: usize, spectrum: Spectrum| {
        if options.engine == EngineChoice::Qpu && spectrum.engine != Engine::Qpu {
            return Err(Failure::failed(format!(
                "the QPUs failed on {} points and the ARM computed them; `qpuscope info` shows the board's state, \
                 --engine auto accepts such results",
                spectrum.n
            )));
        }
        take(index, spectrum)
    };
    for (index, channel) in recording.channels.iter().enumerate() {
        let name = source_name(recording, channel);
        client.name_upload(&name, &recording.unit);
        let mut take = |spectrum| take(index, spectrum);
        let spectra = client.upload_to(channel, recording.rate, &mut take)?;
        if spectra == 0 {
            return Err(Failure::link(format!(
                "the board took {} samples and sent no spectrum; restart it and run again",
                channel.points()
            )));
        }
    }
    Ok(())
}

/// The frequency in hertz that 0 Hz stands for: the option's, or else the file's.
fn centre(options: &Options, recording: &Recording) -> f64 {
    let stated = recording.centre_hz.filter(|_| recording.is_complex());
    options.centre.or(stated).unwrap_or(0.0)
}

/// Bytes of a channel's samples on the line.
const fn bytes_on_wire(channel: &Channel) -> u64 {
    let width = channel
        .samples
        .on_wire()
        .sample_bytes(channel.samples.domain());
    width as u64 * channel.points()
}

fn source_name(recording: &Recording, channel: &Channel) -> String {
    if channel.name.is_empty() {
        recording.name.clone()
    } else {
        format!("{} ({})", recording.name, channel.name)
    }
}
