//! Messages beside the bytes of a line: JSON in the text messages of a WebSocket.
//!
//! Bytes of the line are binary messages, in both directions and unchanged.

use serde::{Deserialize, Serialize};

/// The kind of source that a page is connected with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// A line, which takes bytes too.
    Port,
    /// Recorded bytes.
    Recording,
}

/// The state of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It broke, and is opened again when it is back.
    Lost,
    /// It is open again.
    Back,
}

/// A message to a page.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum ToPage {
    /// The first message of every connection.
    Hello {
        /// The name of the line or of the recording.
        name: String,
        /// Its kind.
        source: Source,
        /// True when bytes that this page sends now would reach a board.
        writer: bool,
        /// The speed at which a recording is played, in multiples of its own; 0 is without a wait.
        #[serde(skip_serializing_if = "Option::is_none")]
        speed: Option<f64>,
    },
    /// The line broke, or came back.
    Line {
        /// Its state from now on.
        state: State,
        /// The same for people.
        sentence: String,
    },
    /// Nothing of the page's last message was carried out.
    Refused {
        /// The reason and the remedy.
        sentence: String,
    },
    /// All recorded bytes have been sent.
    End,
}

impl ToPage {
    /// The message as text.
    #[must_use]
    pub fn text(&self) -> String {
        // Strings, numbers and booleans always have a form in JSON.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// A message from a page.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum FromPage {
    /// Another rate of this computer's side of the line, behind all bytes before it.
    Baud {
        /// Bits a second.
        rate: u32,
    },
    /// Another speed of the recording.
    Speed {
        /// Multiples of its own speed; 0 is without a wait.
        factor: f64,
    },
}

/// The fastest speed but without a wait.
pub const MOST_SPEED: f64 = 1e6;

/// Returns whether a recording can be played at this speed.
#[must_use]
pub fn is_speed(factor: f64) -> bool {
    factor == 0.0 || (0.001..=MOST_SPEED).contains(&factor)
}

/// Returns whether a board may have this rate. At a lower one a few bytes of a tab would hold the
/// line for minutes.
#[must_use]
pub fn is_rate(baud: u32) -> bool {
    (9600..=4_000_000).contains(&baud)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_written_as_the_page_reads_them() {
        let hello = ToPage::Hello {
            name: "tcp:localhost:5555".into(),
            source: Source::Port,
            writer: true,
            speed: None,
        };
        let lost = ToPage::Line {
            state: State::Lost,
            sentence: "a \"line\"".into(),
        };
        let texts = [hello.text(), lost.text(), ToPage::End.text()];
        assert_eq!(
            texts,
            [
                r#"{"kind":"hello","name":"tcp:localhost:5555","source":"port","writer":true}"#,
                r#"{"kind":"line","state":"lost","sentence":"a \"line\""}"#,
                r#"{"kind":"end"}"#,
            ]
        );
    }

    #[test]
    fn messages_of_a_page_are_read_and_others_are_none() {
        let read = |text| serde_json::from_str::<FromPage>(text).ok();
        let baud = read(r#"{"kind":"baud","rate":921600}"#);
        assert_eq!(baud, Some(FromPage::Baud { rate: 921_600 }));
        let speed = read(r#"{"kind":"speed","factor":2}"#);
        assert_eq!(speed, Some(FromPage::Speed { factor: 2.0 }));
        for other in [
            "",
            "7",
            r#"{"kind":"open"}"#,
            r#"{"kind":"baud","rate":-1}"#,
        ] {
            assert_eq!(read(other), None, "{other}");
        }
    }

    #[test]
    fn rates_that_no_board_has_are_none() {
        for rate in [0, 1, 9599, u32::MAX] {
            assert!(!is_rate(rate), "{rate}");
        }
        assert!(is_rate(9600) && is_rate(3_000_000));
    }

    #[test]
    fn speeds_without_a_meaning_are_none() {
        for factor in [f64::NAN, f64::INFINITY, -1.0, 1e-9, 1e9] {
            assert!(!is_speed(factor), "{factor}");
        }
        assert!(is_speed(0.0) && is_speed(0.5) && is_speed(100.0));
    }
}
