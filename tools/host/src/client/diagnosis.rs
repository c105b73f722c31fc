//! Explanations of a board that refuses or is silent, with the remedy.

use wire::{Kind, Message, NakCode};

use super::Client;
use crate::link::Link;
use crate::stream::{Answer, Receiver};
use common::failure::Failure;
use common::text::{self, quote};

impl Client {
    /// Explains a request that went unanswered.
    pub(super) fn silence(&self, message: &Message) -> Failure {
        let health = self.health();
        let description = self.link.description();
        if health.bytes == 0 {
            return Failure::no_device(format!(
                "nothing came from {description}; is the board on, its TX wired to the adapter's RX and the other way \
                 round, ground to ground, and kernel.img on the card?"
            ));
        }
        if health.frames == 0 {
            return Failure::link(nothing_decodes(&*self.link, &self.receiver));
        }
        Failure::link(format!(
            "{description} does not answer {} ({health}); the line to the board may be broken: check the adapter's TX, \
             or restart the board",
            request_name(message.kind())
        ))
    }
}

/// Explains bytes without one frame among them.
#[must_use]
pub fn nothing_decodes(link: &dyn Link, receiver: &Receiver) -> String {
    let health = receiver.health();
    let (bytes, from) = (health.bytes, link.description());
    if health.lost_bytes + receiver.pending() <= health.text_bytes {
        format!(
            "text came from {from} and no spectra ({bytes} bytes): it may be another program, or the firmware may be \
             waiting; see the text above, or restart the board"
        )
    } else if link.is_live() {
        format!(
            "{bytes} bytes came from {from} and none of them decodes: the rates of the two sides differ. A board \
             speaks 115200 baud after every start: use --baud 115200 and restart it, or give the rate that it was set to"
        )
    } else {
        format!(
            "none of the {bytes} bytes of {from} decodes: it holds something else, or was recorded at a wrong rate; \
             record it again at the board's rate"
        )
    }
}

/// A live line on which nothing will come any more.
#[must_use]
pub fn closed(link: &dyn Link) -> Failure {
    Failure::link(format!(
        "{} was closed by the other side; end another program that has the line, or start the other side again",
        link.description()
    ))
}

/// The protocol's name of a request.
pub(super) fn request_name(kind: Kind) -> String {
    kind.name()
        .map_or_else(|| format!("request {:#04x}", kind.0), ToOwned::to_owned)
}

/// An answer of a kind that does not belong to `request`.
pub(super) fn unexpected(request: &str, answer: &Answer) -> Failure {
    let answer = quote(&format!("{answer:?}"));
    Failure::link(format!(
        "the board answered {request} with {answer}; its firmware and this program are of different versions: update one"
    ))
}

/// A refusal, with the board's own sentence.
pub(super) fn refused(code: NakCode, sentence: &str) -> Failure {
    let message = format!("the board refuses: {}", text::sentence(sentence));
    match code {
        NakCode::UNKNOWN_SETTING | NakCode::BAD_VALUE | NakCode::NO_MEMORY => {
            Failure::usage(message)
        }
        NakCode::NOT_AVAILABLE | NakCode::NOT_ALLOWED | NakCode::WRONG_STATE | NakCode::BAUD => {
            Failure::failed(message)
        }
        NakCode::QPU_FAILED | NakCode::CHECKSUM => Failure::integrity(message),
        _ => Failure::link(message),
    }
}

#[cfg(test)]
mod tests {
    use crate::client::tests::fake::{Faults, client};
    use common::failure::Exit;

    #[test]
    fn silence_and_noise_are_distinguished() {
        let silent = Faults {
            dies_after: 0,
            ..Faults::NONE
        };
        let failure = client(silent).hello().expect_err("silence");
        assert_eq!(failure.exit, Exit::NoDevice);
        assert!(failure.message.contains("is the board on"), "{failure}");
        let wrong_rate = Faults {
            board_baud: 9600,
            ..Faults::NONE
        };
        let failure = client(wrong_rate).hello().expect_err("noise");
        assert_eq!(failure.exit, Exit::Link);
        assert!(failure.message.contains("--baud 115200"), "{failure}");
    }

    #[test]
    fn a_request_without_an_answer_is_named() {
        let deaf = Faults {
            dies_after: 1,
            ..Faults::NONE
        };
        let mut client = client(deaf);
        client.hello().expect("the first answer");
        let failure = client.set("n=64").expect_err("no answer");
        assert!(
            failure.message.contains(" does not answer SET ("),
            "{failure}"
        );
    }

    #[test]
    fn a_refusal_shows_the_boards_sentence() {
        let mut client = client(Faults::NONE);
        let failure = client.set("n=3").expect_err("refused");
        assert_eq!(failure.exit, Exit::Usage);
        assert!(
            failure.message.contains("n must be a power of two"),
            "{failure}"
        );
        client.set("n=64").expect("the next request works");
    }
}
