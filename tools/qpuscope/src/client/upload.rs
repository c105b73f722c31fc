//! Uploads: samples to the board as far as it grants, spectra back.
//!
//! Samples on a bad line are lost in two ways. The board sees a gap and says so, with the sample to go
//! on from; or the last frames are lost and nobody sees anything, until nothing moves for a while and
//! the repeated credit says how far it really came. Both lead back to sending from `received`.

use std::time::Duration;

use wire::{Domain, Message, NakCode, UploadBegin};

use super::Client;
use super::diagnosis::refused;
use crate::failure::{Failure, Result};
use crate::input::Channel;
use crate::rate::Rate;
use crate::spectrum::Spectrum;
use crate::stream::Answer;

/// A board that works says something at least once a second.
const SILENCE: Duration = Duration::from_secs(5);
/// The longest upload, from its first sample to its last spectrum.
const UPLOAD_LIMIT: Duration = Duration::from_secs(3600);
/// Without progress for so long, what is on its way is taken as lost and sent again.
const STALLED: Duration = Duration::from_secs(2);
/// So often the same samples are sent before the line is given up. While the board computes, the end is
/// repeated once in two seconds: enough for the slowest average at the end of an upload.
const REPEATS: u32 = 60;
/// Bytes of samples in a frame: little enough that a flipped bit costs little.
const DATA_BYTES: usize = 1024;

/// The samples of an upload as they travel.
struct Samples {
    bytes: Vec<u8>,
    /// Bytes of a sample.
    width: usize,
    /// Samples.
    count: u64,
}

/// How far an upload has come.
struct Progress {
    /// The sample to send next.
    next: u64,
    /// The end has been sent.
    ended: bool,
    /// The board has seen a gap; wait for its credit before sending more.
    gap: bool,
    /// When bytes came last.
    heard: Duration,
    /// When something moved last: samples received, or a frame that is no heartbeat.
    moved: Duration,
    /// How often it went back without anything new having come.
    repeats: u32,
    /// What `moved` is told by.
    mark: (Option<u64>, u64),
}

impl Client {
    /// Sends a channel's samples and returns the spectra that the instrument makes of them.
    ///
    /// # Errors
    /// When the board refuses, falls silent, or a part of a spectrum was lost.
    pub fn upload(&mut self, channel: &Channel, rate: Rate) -> Result<Vec<Spectrum>> {
        let domain = if channel.complex {
            Domain::Complex
        } else {
            Domain::Real
        };
        let format = channel.samples.format();
        let samples = Samples {
            bytes: channel.samples.to_bytes(),
            width: format.bytes(domain),
            count: channel.points() as u64,
        };
        self.stream = self.stream.wrapping_add(1).max(1);
        self.credit = None;
        self.missing = 0;
        self.spectra.clear();
        self.command(&Message::UploadBegin(UploadBegin {
            format,
            domain,
            rate: wire::Rate {
                num: rate.num,
                den: rate.den,
            },
            samples: samples.count,
        }))?;
        self.transfer(&samples)?;
        if self.missing > 0 {
            return Err(Failure::integrity(format!(
                "{} values of the spectra were lost on the line ({}); run again, at a lower --baud if it happens often",
                self.missing,
                self.health()
            )));
        }
        Ok(std::mem::take(&mut self.spectra))
    }

    /// Sends all samples and waits for the answer behind the last spectrum.
    fn transfer(&mut self, samples: &Samples) -> Result<()> {
        let started = self.link.now();
        self.request = self.request.wrapping_add(1).max(1);
        let end_request = self.request;
        let end = Message::UploadEnd {
            samples: samples.count,
            crc: wire::crc32(&samples.bytes),
        };
        let mut progress = Progress {
            next: 0,
            ended: false,
            gap: false,
            heard: started,
            moved: started,
            repeats: 0,
            mark: (None, 0),
        };
        loop {
            let mut wait = Duration::from_millis(50);
            if self.send_some(samples, &mut progress)? {
                wait = Duration::ZERO;
            } else if progress.next == samples.count && !progress.ended && !progress.gap {
                self.send(&end, end_request)?;
                progress.ended = true;
            }
            let (bytes, heartbeats) = (self.health().bytes, self.heartbeats);
            for (request, answer) in self.pump(wait)? {
                match answer {
                    Answer::Ack(_) if request == end_request => return Ok(()),
                    Answer::Nak(NakCode::GAP | NakCode::NO_CREDIT, _) => progress.gap = true,
                    // Of bytes that came damaged. What they held is missed as a gap, or when nothing moves.
                    Answer::Nak(NakCode::BAD_PAYLOAD, _) if request == 0 => {}
                    Answer::Nak(code, sentence) => return Err(refused(code, &sentence)),
                    _ => {}
                }
            }
            let now = self.link.now();
            if self.health().bytes != bytes {
                progress.heard = now;
            }
            let mark = (
                self.credit.map(|credit| credit.received),
                self.health().frames - self.heartbeats,
            );
            if mark.0 != progress.mark.0 {
                progress.repeats = 0;
            }
            if mark != progress.mark {
                (progress.mark, progress.moved) = (mark, now);
            }
            self.go_back(&mut progress, self.heartbeats != heartbeats, now);
            if progress.repeats > REPEATS {
                return Err(Failure::link(format!(
                    "the line loses too much: sample {} was sent {REPEATS} times and did not arrive ({}); use a lower \
                     --transfer-baud or a shorter cable",
                    progress.next,
                    self.health()
                )));
            }
            if now.saturating_sub(progress.heard) > SILENCE {
                return Err(Failure::link(format!(
                    "the board fell silent after {} of {} samples ({}); check the cable and the board's power and run \
                     again",
                    progress.next,
                    samples.count,
                    self.health()
                )));
            }
            if now.saturating_sub(started) > UPLOAD_LIMIT {
                return Err(Failure::link(format!(
                    "{} of {} samples went over in an hour; raise --transfer-baud or send a shorter recording",
                    progress.next, samples.count
                )));
            }
        }
    }

    /// Sends a frame of samples where the board grants it; whether it did.
    fn send_some(&mut self, samples: &Samples, progress: &mut Progress) -> Result<bool> {
        let granted = self
            .credit
            .map_or(0, |credit| credit.granted)
            .min(samples.count);
        if progress.gap || progress.next >= granted {
            return Ok(false);
        }
        let count = (granted - progress.next).min((DATA_BYTES / samples.width) as u64);
        let from = progress.next as usize * samples.width;
        let data = &samples.bytes[from..from + count as usize * samples.width];
        let offset = progress.next;
        self.send(&Message::UploadData { offset, data }, 0)?;
        progress.next += count;
        Ok(true)
    }

    /// Back to the first sample that the board has not got, when it said so or nothing moves.
    fn go_back(&self, progress: &mut Progress, new_credit: bool, now: Duration) {
        let Some(credit) = self.credit else { return };
        let stalled = now.saturating_sub(progress.moved) > STALLED;
        if (progress.gap && new_credit) || stalled {
            progress.next = credit.received.min(progress.next);
            progress.gap = false;
            progress.repeats += 1;
            // The end is repeated too: with the same number it is the same request.
            progress.ended = false;
            progress.moved = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::fake::{Faults, RATE, channel, client};
    use crate::failure::Exit;
    use crate::input::Unit;

    #[test]
    fn an_upload_over_a_good_line_brings_its_spectrum() {
        let mut client = client(Faults::NONE);
        assert_eq!(client.hello().expect("an answer").board, "fake");
        client.set("n=64").expect("an answer");
        client.name_upload("tone.wav", &Unit::One("V".into()));
        let spectra = client.upload(&channel(20_000), RATE).expect("spectra");
        assert_eq!(spectra.len(), 1);
        assert_eq!(spectra[0].source, "tone.wav");
        assert_eq!(spectra[0].unit, Unit::One("V".into()));
        assert!(!client.health().is_lossy());
    }

    #[test]
    fn frames_lost_on_the_way_to_the_board_are_sent_again() {
        for every in [3, 5, 7, 17] {
            let mut client = client(Faults {
                lose_every: every,
                ..Faults::NONE
            });
            client.hello().expect("an answer");
            let spectra = client.upload(&channel(20_000), RATE);
            assert_eq!(
                spectra
                    .unwrap_or_else(|failure| panic!("every {every}: {failure}"))
                    .len(),
                1
            );
        }
    }

    #[test]
    fn frames_damaged_on_the_way_to_the_board_are_sent_again() {
        for every in [3, 5, 7, 17] {
            let mut client = client(Faults {
                damage_every: every,
                ..Faults::NONE
            });
            client.hello().expect("an answer");
            let spectra = client.upload(&channel(20_000), RATE);
            let spectra = spectra.unwrap_or_else(|failure| panic!("every {every}: {failure}"));
            assert_eq!(spectra.len(), 1);
        }
    }

    #[test]
    fn a_line_that_lets_nothing_new_through_ends_the_upload_with_a_sentence() {
        let mut client = client(Faults {
            lose_every: 2,
            ..Faults::NONE
        });
        client.hello().expect("an answer");
        let failure = client
            .upload(&channel(20_000), RATE)
            .expect_err("a bad line");
        assert_eq!(failure.exit, Exit::Link);
        assert!(failure.message.contains("loses too much"), "{failure}");
    }

    #[test]
    fn a_line_that_is_cut_ends_the_upload_with_a_sentence() {
        let mut client = client(Faults {
            dies_after: 5,
            ..Faults::NONE
        });
        client.hello().expect("an answer");
        let failure = client.upload(&channel(20_000), RATE).expect_err("cut");
        assert_eq!(failure.exit, Exit::Link);
        assert!(failure.message.contains("check the cable"), "{failure}");
        assert!(
            client.link.now() < Duration::from_secs(30),
            "{:?}",
            client.link.now()
        );
    }
}
