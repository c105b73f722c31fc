//! Text for people: banner, results of tests, help, strongest lines, and the last words of a fault.

use core::fmt::{self, Write};

use dsp::level;
use wire::{Detector, Encoder, Envelope, Fault, MAX_PAYLOAD, Message};

use super::analyser::{Analyser, Finding, Report};
use super::board::BoardInfo;
use super::notice::Notice;
use super::records::Last;
use super::settings::{MAX_N, MIN_N, SettingError, fixed, rounded};
use crate::engine::{Candidate, EngineError, Fft};

/// IDENT0 of a V3D of version 2.
const V3D_IDENT0: u32 = 0x0244_3356;

/// What `help` says before the settings.
const COMMANDS: &str = "commands: help info get start stop plot probe reboot\r\n";
/// What it says after them.
const PICTURES: &str = "for spectra as text: out=text, then start; drawn as text: plot; for pictures: qpuscope read PORT\r\n";

/// Answer to `plot` where there is nothing to draw.
pub(super) const NO_SPECTRUM: &str = "there is no spectrum yet; type start, then plot";

/// Lines of a spectrum that are named in text.
const TEXT_LINES: usize = 4;

/// Writes the answer to `help`.
pub(super) fn write_help(out: &mut Notice) {
    let _ = out.write_str(COMMANDS);
    let _ = super::settings::write_help(out);
    let _ = out.write_str(PICTURES);
}

/// Writes version, board, clocks, engine and reset cause. Text that does not fit is left out.
pub(super) fn write_banner(
    info: &BoardInfo,
    analyser: &Analyser<impl Fft>,
    complaint: Option<&SettingError>,
    out: &mut Notice,
) {
    let _ = write!(
        out,
        "\r\nqpuscope {}: spectrum instrument, FFT on the QPUs of VideoCore IV\r\n",
        info.firmware
    );
    let _ = write!(
        out,
        "board: {}, revision {:06x}, {} MiB for the ARM\r\n",
        info.name,
        info.revision,
        info.memory_bytes >> 20
    );
    let mhz = |hz: u32| hz / 1_000_000;
    let clocks = info.clocks;
    let _ = write!(
        out,
        "clocks: ARM {} MHz, core {} MHz, V3D {} MHz, UART {} kHz\r\n",
        mhz(clocks.arm_hz),
        mhz(clocks.core_hz),
        mhz(clocks.v3d_hz),
        clocks.uart_hz / 1000
    );
    let _ = write!(out, "last start: {}", info.reset_cause.name());
    if let Some(stage) = info.last_stage {
        let _ = write!(out, ", last stage {}", stage.name());
    }
    if info.is_careful() {
        let _ = write!(
            out,
            "\r\ncareful: the last {} starts each ended in a fault or a hang within 10 s, so this one has engine=cpu start=0 in place of what cmdline.txt says; type reboot after 10 s for a usual start",
            info.early_ends
        );
    }
    let _ = match analyser.qpu_lengths() {
        Some(range) if range == (MIN_N.ilog2(), MAX_N.ilog2()) => {
            write!(out, "\r\nengine: qpu\r\n")
        }
        Some((first, last)) => write!(
            out,
            "\r\nengine: qpu for n={} to {}, cpu for other lengths\r\n",
            1u32 << first,
            1u32 << last
        ),
        None if analyser.distrusted => {
            write!(out, "\r\nengine: cpu (the QPUs failed their test)\r\n")
        }
        None if info.is_careful() => {
            write!(out, "\r\nengine: cpu (V3D is left without power)\r\n")
        }
        None if info.v3d_unwanted => write!(
            out,
            "\r\nengine: cpu (engine=cpu in cmdline.txt; V3D is left without power)\r\n"
        ),
        None if info.v3d_hung => write!(
            out,
            "\r\nengine: cpu (V3D left alone, because the last start hung in powering it up; type reboot to try again)\r\n"
        ),
        None => write!(
            out,
            "\r\nengine: cpu (V3D not found: IDENT0 reads {:#010x}, not {V3D_IDENT0:#010x})\r\n",
            info.v3d_ident0
        ),
    };
    let costs = analyser.costs();
    if costs.dropped > 0 {
        let _ = write!(
            out,
            "plans dropped because they failed on this board: {}\r\n",
            costs.dropped
        );
    }
    if let Some(error) = complaint {
        let _ = write!(out, "cmdline.txt: {error}\r\n");
    }
}

/// Writes the name of a plan.
pub(super) fn write_plan(candidate: &Candidate, out: &mut impl Write) -> fmt::Result {
    match candidate {
        Candidate::Transform { log2n, .. } => write!(out, "n={} transform", 1u32 << log2n)?,
        Candidate::Power(spectra) => {
            let domain = spectra.coding.domain.name();
            let format = spectra.coding.format.name();
            write!(out, "n={} {domain} {format}", spectra.points())?;
            write!(out, " x {}", spectra.blocks)?;
        }
    }
    write!(out, ", {} plan: ", candidate.manner().name())
}

/// Writes the finding about a plan.
pub(super) fn write_finding(finding: &Finding, out: &mut impl Write) -> fmt::Result {
    let ppm = |ppb: u32| fixed(ppb.into(), 3);
    match finding {
        Finding::Proof(proof) => {
            let verdict = if proof.is_right() { "ok" } else { "WRONG" };
            let (off, us) = (ppm(proof.error_ppb), proof.qpu_us);
            write!(out, "{verdict}, {off} ppm off the ARM, {us} us")
        }
        Finding::Failed(error) => write!(out, "FAILED, {}", engine_error(*error)),
        Finding::Check { error_ppb, is_full } => {
            let what = if *is_full { "a bin" } else { "the energy" };
            let off = ppm(*error_ppb);
            write!(out, "WRONG, {what} of a block is {off} ppm off")
        }
    }
}

/// Writes the report of a plan that was dropped.
pub(super) fn write_report(report: &Report, out: &mut impl Write) -> fmt::Result {
    out.write_str("plan dropped: ")?;
    write_plan(&report.candidate, out)?;
    write_finding(&report.finding, out)?;
    match report.next {
        Some(manner) => write!(out, "; the {} plan is next", manner.name()),
        None => out.write_str("; the ARM computes instead"),
    }
}

/// An engine's error in words.
pub(super) const fn engine_error(error: EngineError) -> &'static str {
    match error {
        EngineError::Length => "this length is not supported",
        EngineError::NoMemory => "not enough memory",
        EngineError::Timeout { .. } => "it did not end in time; V3D was restarted",
        EngineError::Device => "V3D reported an error and was restarted",
        EngineError::NotAvailable => "there are no QPUs",
        EngineError::Busy => "the QPUs are at work on something else",
        EngineError::Lost => "another job failed, and this one with it",
        EngineError::OutsideBlock | EngineError::Stray(_) => "its memory is not there",
    }
}

/// Returns a line of text for a record: number, time, engine, and the strongest lines of the values
/// of a detector.
pub(super) fn spectrum_line(
    values: &[f32],
    detector: Detector,
    last: &Last,
    now_us: u64,
) -> heapless::String<320> {
    let mut line = heapless::String::new();
    let Last {
        head, descriptor, ..
    } = last;
    let _ = write!(
        line,
        "spectrum {} at {} s, {}, {}{} blocks",
        head.record,
        fixed((now_us / 1000) as i64, 3),
        head.engine.name(),
        match detector {
            Detector::Mean | Detector::MeanMax => "",
            Detector::Max => "max of ",
            Detector::Min => "min of ",
        },
        head.blocks
    );
    if let Some(duty_ppm) = head.duty_ppm {
        let _ = write!(line, ", duty {} %", fixed((duty_ppm / 1000).into(), 1));
    }
    let _ = line.push(':');
    for index in strongest::<TEXT_LINES>(values).into_iter().flatten() {
        let hz = rounded(descriptor.frequency_hz(index as u32), 3);
        let level = rounded(level::decibels(values[index]).clamp(-999.99, 999.99), 2);
        let _ = write!(line, " [{hz} Hz {level} {}]", descriptor.unit.name());
    }
    line
}

/// Indices of the strongest local maxima, strongest first.
fn strongest<const COUNT: usize>(power: &[f32]) -> [Option<usize>; COUNT] {
    let mut found = [None; COUNT];
    for (index, value) in power.iter().enumerate() {
        let rises = index == 0 || power[index - 1] < *value;
        let falls = power.get(index + 1).is_none_or(|next| next <= value);
        if !(rises && falls) {
            continue;
        }
        let place = found
            .iter()
            .position(|other| other.is_none_or(|other: usize| power[other] < *value));
        if let Some(place) = place {
            found[place..].rotate_right(1);
            found[place] = Some(index);
        }
    }
    found
}

/// Writes a `FAULT` frame and the same as text, for a panic or exception handler: no instrument
/// is needed, nothing is assumed about what was on the line before. Returns the bytes to send.
pub fn fault_report<'a>(
    fault: &Fault,
    time_us: u64,
    payload: &mut [u8; MAX_PAYLOAD],
    out: &'a mut [u8],
) -> &'a [u8] {
    let envelope = Envelope {
        time_us,
        ..Envelope::default()
    };
    let mut used = Encoder::new()
        .message(envelope, &Message::Fault(*fault), payload, out)
        .unwrap_or(0);
    let mut line = heapless::String::<512>::new();
    let _ = write!(
        line,
        "\r\nFAULT {} at {:#010x}, address {:#010x}: ",
        fault.code, fault.pc, fault.address
    );
    for part in [fault.text, "\r\nthe board restarts\r\n"] {
        let _ = line.push_str(part);
    }
    for byte in line.bytes().chain([0]) {
        if let Some(place) = out.get_mut(used) {
            *place = byte;
            used += 1;
        }
    }
    &out[..used]
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::{Decoder, Item, MAX_FRAME};

    #[test]
    fn the_strongest_maxima_come_first() {
        let power = [3.0, 1.0, 5.0, 5.0, 2.0, 9.0, 1.0, 4.0];
        assert_eq!(strongest(&power), [Some(5), Some(2), Some(7)]);
        assert_eq!(strongest(&[1.0f32, 2.0]), [Some(1), None, None]);
        assert_eq!(strongest::<2>(&[]), [None, None]);
        let zeros = [0.0; 4];
        assert_eq!(strongest::<2>(&zeros), [Some(0), None]);
    }

    #[test]
    fn a_fault_is_a_frame_and_text_after_half_a_frame() {
        let fault = Fault {
            code: 4,
            pc: 0x8000,
            address: 0x1234,
            text: "data abort",
        };
        let (mut payload, mut out) = ([0; MAX_PAYLOAD], [0; MAX_FRAME]);
        let report = fault_report(&fault, 5, &mut payload, &mut out);
        let mut decoder = Decoder::new();
        let (mut frames, mut text) = (0, String::new());
        for byte in b"\x05half".iter().chain(report) {
            match decoder.push(*byte) {
                Some(Item::Frame(header, payload)) => {
                    let message = Message::decode(header.kind, payload);
                    assert_eq!(message, Ok(Message::Fault(fault)));
                    frames += 1;
                }
                Some(Item::Text(line)) => text.push_str(core::str::from_utf8(line).unwrap()),
                _ => {}
            }
        }
        assert_eq!(frames, 1);
        assert!(text.contains("data abort"), "{text}");
    }
}
