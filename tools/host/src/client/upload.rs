//! Uploads: samples to the board as far as it grants, spectra back.
//!
//! Samples on a bad line are lost in two ways. The board sees a gap and says so, with the sample to
//! go on from; or the last frames are lost and nobody sees anything, until nothing moves for a
//! while and the repeated credit says how far it really came. Both lead back to sending from
//! `received`. Values of spectra that are lost are asked for again ([`super::fetch`]).

use std::time::Duration;

use wire::{MAX_FRAME, Message, NakCode, UploadBegin, Uploaded};

use super::Client;
use super::diagnosis::refused;
use super::fetch::Fetching;
use crate::input::{Channel, Samples};
use crate::spectrum::Spectrum;
use crate::stream::Answer;
use common::failure::{Failure, Result};
use signal::Rate;

/// A board that works says something at least once a second.
const SILENCE: Duration = Duration::from_secs(5);
/// So long a board may answer without anything moving while samples are left to send.
const STANDSTILL: Duration = Duration::from_secs(30);
/// The limit behind the last sample, where it may compute a long average.
const AT_THE_END: Duration = Duration::from_secs(120);
/// Without progress for so long, samples that are on their way are taken as lost and sent again: a
/// board says twice a second how far it has come.
const STALLED: Duration = Duration::from_millis(700);
/// The limit for the end, behind which a board may compute for long.
const STALLED_END: Duration = Duration::from_secs(2);
/// When nothing moves although the same samples were sent so often, it is the line that loses them.
const REPEATS: u32 = 8;
/// Bytes of samples in a frame: little enough that a flipped bit costs little.
const DATA_BYTES: usize = 1024;
/// The least, on a bad line.
const LEAST_DATA_BYTES: usize = 128;
/// Frames without a loss after which they become longer again.
const GOOD: u32 = 32;

/// The samples of an upload as they travel.
struct Travelling<'a> {
    samples: &'a Samples,
    /// Bytes of a sample on the wire.
    width: usize,
    /// Samples.
    count: u64,
    /// The checksum of those before number `summed`.
    crc: wire::Crc32,
    summed: u64,
}

impl Travelling<'_> {
    /// The bytes of `count` samples from number `first` on, none of which is behind one that was
    /// never asked for.
    fn piece(&mut self, first: u64, count: u64) -> Result<Vec<u8>> {
        let bytes = self.samples.travel(first, count)?;
        let known = (self.summed.saturating_sub(first) as usize).saturating_mul(self.width);
        if let Some(new) = bytes.get(known..) {
            self.crc.update(new);
        }
        self.summed = self.summed.max(first + count);
        Ok(bytes)
    }
}

/// The marks that move while an upload goes on. What a board says besides is life, and no progress.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Mark {
    /// Samples that have come to the board without a gap.
    received: u64,
    /// Samples that it grants.
    granted: u64,
    /// Values of spectra that have come.
    values: u64,
    /// The board has said that it is done.
    has_ended: bool,
}

/// The progress of an upload.
#[derive(Default)]
struct Progress {
    /// The sample to send next.
    next: u64,
    /// The end has been sent.
    ended: bool,
    /// The board has seen a gap; wait for its credit before sending more.
    gap: bool,
    /// Bytes of samples in a frame.
    piece: usize,
    /// Frames of samples since the last loss.
    good: u32,
    /// When bytes came last.
    heard: Duration,
    /// When something moved last.
    moved: Duration,
    /// When the samples went back last because nothing moved.
    stalled: Duration,
    /// The number of times that it went back without anything new having come.
    repeats: u32,
    mark: Mark,
}

impl Client {
    /// Sends a channel's samples and returns the spectra that the instrument makes of them.
    ///
    /// # Errors
    /// When the board refuses or falls silent, or a part of a spectrum was lost and the board has
    /// not got it any more.
    pub fn upload(&mut self, channel: &Channel, rate: Rate) -> Result<Vec<Spectrum>> {
        let mut spectra = vec![];
        self.upload_to(channel, rate, &mut |spectrum| {
            spectra.push(spectrum);
            Ok(())
        })?;
        Ok(spectra)
    }

    /// Sends a channel's samples and hands on the spectra that the instrument makes of them, each
    /// as soon as it is whole; returns their number.
    ///
    /// # Errors
    /// As [`Client::upload`], and those of `take`.
    pub fn upload_to(
        &mut self,
        channel: &Channel,
        rate: Rate,
        take: &mut dyn FnMut(Spectrum) -> Result<()>,
    ) -> Result<u64> {
        let travels = &channel.samples;
        let (format, domain) = (travels.on_wire(), travels.domain());
        let mut samples = Travelling {
            samples: travels,
            width: format.sample_bytes(domain),
            count: channel.points(),
            crc: wire::Crc32::default(),
            summed: 0,
        };
        self.stream = self.stream.wrapping_add(1).max(1);
        self.credit = None;
        self.spectra.clear();
        self.command(&Message::UploadBegin(UploadBegin {
            format,
            domain,
            rate,
            samples: samples.count,
            keeps: true,
        }))?;
        self.receiver.collect(Some(self.stream));
        let result = self.transfer(&mut samples, take);
        self.receiver.collect(None);
        result
    }

    /// Sends all samples, waits for all spectra of them and hands them on; returns their number.
    fn transfer(
        &mut self,
        samples: &mut Travelling,
        take: &mut dyn FnMut(Spectrum) -> Result<()>,
    ) -> Result<u64> {
        let mut shown = common::progress::Progress::new("sending", samples.count, "samples");
        let mut spectra = 0;
        self.request = self.request.wrapping_add(1).max(1);
        let end_request = self.request;
        let now = self.link.now();
        let mut progress = Progress {
            piece: DATA_BYTES,
            heard: now,
            moved: now,
            stalled: now,
            ..Progress::default()
        };
        let mut fetching = Fetching::new(now);
        loop {
            let mut wait = Duration::from_millis(50);
            if self.send_some(samples, &mut progress)? {
                wait = Duration::ZERO;
            } else if progress.next == samples.count && !progress.ended && !progress.gap {
                let end = Message::UploadEnd {
                    samples: samples.count,
                    crc: samples.crc.value(),
                };
                self.send(&end, end_request)?;
                progress.ended = true;
            }
            let (bytes, credits) = (self.health().bytes, self.credits);
            for (request, answer) in self.pump(wait)? {
                match answer {
                    Answer::Uploaded(brought) if request == end_request => {
                        fetching.brought = Some(brought);
                    }
                    answer if self.take_fetched(&mut fetching, request, &answer)? => {}
                    Answer::Nak(NakCode::GAP | NakCode::NO_CREDIT, _) => progress.gap = true,
                    // Of bytes that came damaged. What they held is missed as a gap, or when
                    // nothing moves.
                    Answer::Nak(NakCode::BAD_PAYLOAD, _) if request == 0 => {}
                    Answer::Nak(code, sentence) => return Err(refused(code, &sentence)),
                    _ => {}
                }
            }
            spectra = self.hand_on(spectra, take)?;
            shown.set(self.credit.map_or(0, |credit| credit.received));
            let now = self.link.now();
            if self.health().bytes != bytes {
                progress.heard = now;
            }
            let mark = Mark {
                received: self.credit.map_or(0, |credit| credit.received),
                granted: self.credit.map_or(0, |credit| credit.granted),
                values: self.receiver.values(),
                has_ended: fetching.brought.is_some(),
            };
            if mark.received != progress.mark.received {
                progress.repeats = 0;
            }
            if mark != progress.mark {
                (progress.mark, progress.moved) = (mark, now);
            }
            self.fetch_lost(&mut fetching, progress.moved)?;
            match fetching.brought {
                Some(brought) => {
                    if self.has_all(&brought)? {
                        return Ok(spectra);
                    }
                }
                None => self.go_back(&mut progress, self.credits != credits, now),
            }
            self.check_times(&progress, samples, spectra, now)?;
        }
    }

    /// Hands on the spectra that have come, after so many others; returns the number of all.
    fn hand_on(
        &mut self,
        before: u64,
        take: &mut dyn FnMut(Spectrum) -> Result<()>,
    ) -> Result<u64> {
        let spectra = std::mem::take(&mut self.spectra);
        let count = spectra.len() as u64;
        spectra.into_iter().try_for_each(take)?;
        Ok(before + count)
    }

    /// Returns whether all records of an upload are there.
    ///
    /// # Errors
    /// They are, and are not what the board has sent.
    fn has_all(&self, brought: &Uploaded) -> Result<bool> {
        match self.receiver.collector() {
            Some(collector) if collector.next() < brought.records => Ok(false),
            Some(collector) if !collector.is_all_of(brought) => Err(Failure::integrity(format!(
                "the spectra that came are not those that the board sent ({}); run again, and report this with the \
                 command",
                self.health()
            ))),
            _ => Ok(true),
        }
    }

    /// Gives the upload up when it does not go on.
    fn check_times(
        &self,
        progress: &Progress,
        samples: &Travelling,
        spectra: u64,
        now: Duration,
    ) -> Result<()> {
        let (sent, count) = (progress.next, samples.count);
        if now.saturating_sub(progress.heard) > SILENCE {
            return Err(Failure::link(format!(
                "the board fell silent after {sent} of {count} samples ({}); check the cable and the board's power and run \
                 again",
                self.health()
            )));
        }
        let limit = if progress.ended {
            AT_THE_END
        } else {
            STANDSTILL
        };
        let is_over = now.saturating_sub(progress.moved) > limit;
        // Samples that were granted, and not one of them has come.
        let is_lost = progress.mark.granted > progress.mark.received;
        if is_over && is_lost && progress.repeats > REPEATS {
            return Err(Failure::link(format!(
                "the line loses too much: sample {sent} was sent {} times and did not arrive ({}); use a lower \
                 --transfer-baud or a shorter cable",
                progress.repeats,
                self.health()
            )));
        }
        if is_over {
            return Err(Failure::link(format!(
                "the board answers, and nothing has moved for {} s: {sent} of {count} samples went over, and {spectra} \
                 spectra came ({}); restart the board and run again",
                limit.as_secs(),
                self.health()
            )));
        }
        Ok(())
    }

    /// Sends a frame of samples where the board grants it; whether it did.
    fn send_some(&mut self, samples: &mut Travelling, progress: &mut Progress) -> Result<bool> {
        let granted = self
            .credit
            .map_or(0, |credit| credit.granted)
            .min(samples.count);
        if progress.gap || progress.next >= granted {
            return Ok(false);
        }
        let count = (granted - progress.next).min((progress.piece / samples.width) as u64);
        let offset = progress.next;
        let data = &samples.piece(offset, count)?;
        self.send(&Message::UploadData { offset, data }, 0)?;
        progress.next += count;
        progress.good += 1;
        if progress.good.is_multiple_of(GOOD) {
            progress.piece = (2 * progress.piece).min(DATA_BYTES);
        }
        Ok(true)
    }

    /// Back to the first sample that the board has not got, when it said so or nothing moves.
    fn go_back(&self, progress: &mut Progress, new_credit: bool, now: Duration) {
        let Some(credit) = self.credit else { return };
        let patience = if progress.ended { STALLED_END } else { STALLED };
        let since = progress.moved.max(progress.stalled);
        let stalled = now.saturating_sub(since) > patience + self.line_time(2 * MAX_FRAME);
        if (progress.gap && new_credit) || stalled {
            progress.next = credit.received.min(progress.next);
            progress.gap = false;
            progress.repeats += 1;
            // The end is repeated too: with the same number it is the same request.
            progress.ended = false;
            progress.stalled = now;
            (progress.piece, progress.good) = ((progress.piece / 2).max(LEAST_DATA_BYTES), 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::tests::fake::{Faults, RATE, Still, channel, client};
    use crate::input::Unit;
    use common::failure::Exit;

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

    #[test]
    fn a_board_that_answers_and_does_not_go_on_is_given_up() {
        for stands in [Still::Status, Still::NoCredit] {
            let mut client = client(Faults {
                stands: Some(stands),
                ..Faults::NONE
            });
            client.hello().expect("an answer");
            let failure = client
                .upload(&channel(20_000), RATE)
                .expect_err("it stands still");
            assert_eq!(failure.exit, Exit::Link);
            assert!(
                failure.message.contains("nothing has moved for 30 s"),
                "{failure}"
            );
            assert!(
                client.link.now() < Duration::from_secs(40),
                "{:?}",
                client.link.now()
            );
        }
    }
}
