//! The gate before the line: which requests are from the page that this program serves.
//!
//! Every site that a browser has open can send requests to 127.0.0.1. `Host` names the address
//! that the browser believes it talks to: with another name, a site has made its own name point
//! here (DNS rebinding). `Origin` names the page that asks. The token is in the address that was
//! printed for the user, and nobody else has it, other users of this computer included.

use axum::http::{Request, StatusCode, header};
use constant_time_eq::constant_time_eq;
use data_encoding::HEXLOWER;

use common::failure::{Failure, Result};

/// A status and the sentence that goes with it: the reason and the remedy.
pub type Refusal = (StatusCode, String);

/// The random number in the address that is printed for the user, in hexadecimal.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// A new one of 128 bits.
    ///
    /// # Errors
    /// When the operating system has no random numbers.
    pub fn random() -> Result<Self> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| {
            Failure::failed(format!(
                "the operating system gives no random number: {error}; without one anybody could read the line, so start \
                 again when it does"
            ))
        })?;
        Ok(Self(HEXLOWER.encode(&bytes)))
    }

    /// Its digits.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Compares in a time that says nothing about where two differ.
    fn is(&self, given: &str) -> bool {
        constant_time_eq(self.0.as_bytes(), given.as_bytes())
    }
}

/// The checks for a port.
pub struct Gate {
    hosts: [String; 2],
}

impl Gate {
    /// Checks for a server at this port of 127.0.0.1.
    #[must_use]
    pub fn at(port: u16) -> Self {
        // A browser leaves HTTP's own port out.
        let port = match port {
            80 => String::new(),
            port => format!(":{port}"),
        };
        Self {
            hosts: ["127.0.0.1", "localhost"].map(|name| format!("{name}{port}")),
        }
    }

    /// The names of this server.
    #[must_use]
    pub fn hosts(&self) -> &[String; 2] {
        &self.hosts
    }

    /// Lets every request through that asks this server for something by its name, from its own
    /// page or by hand.
    ///
    /// # Errors
    /// For others.
    pub fn check<B>(&self, request: &Request<B>) -> Result<(), Refusal> {
        let host = only(request, &header::HOST).unwrap_or_default();
        let mut names = self.hosts.iter();
        // Only a proxy is asked for a whole address.
        if request.uri().host().is_some() || !names.any(|name| name.eq_ignore_ascii_case(host)) {
            return Err((
                StatusCode::FORBIDDEN,
                format!(
                    "this server answers to no other name than http://{}; open that address",
                    self.hosts[0]
                ),
            ));
        }
        if request.headers().contains_key(header::ORIGIN) {
            return self.check_origin(request);
        }
        Ok(())
    }

    fn check_origin<B>(&self, request: &Request<B>) -> Result<(), Refusal> {
        let origin = only(request, &header::ORIGIN).unwrap_or_default();
        let host = origin.strip_prefix("http://");
        if host.is_some_and(|host| self.hosts.iter().any(|name| name == host)) {
            return Ok(());
        }
        Err((
            StatusCode::FORBIDDEN,
            "another site asked for this; only the page that `qpuscope web` serves may, so open the address that it printed"
                .into(),
        ))
    }

    /// Lets a request through to the line: from this server's page, with its token.
    ///
    /// # Errors
    /// For others.
    pub fn check_line<B>(&self, request: &Request<B>, token: &Token) -> Result<(), Refusal> {
        self.check(request)?;
        self.check_origin(request)?;
        check_token(request, token)
    }
}

/// Compares the token of a request.
///
/// # Errors
/// When it is another one.
pub fn check_token<B>(request: &Request<B>, token: &Token) -> Result<(), Refusal> {
    match query(request, "token").is_some_and(|given| token.is(given)) {
        true => Ok(()),
        false => Err((
            StatusCode::FORBIDDEN,
            "the token is not that of this `qpuscope web`, which has a new one after each start; open the address that it \
             printed last"
                .into(),
        )),
    }
}

/// The only value of a header in plain ASCII; none when it is absent or there are several.
fn only<'a, B>(request: &'a Request<B>, name: &header::HeaderName) -> Option<&'a str> {
    let mut values = request.headers().get_all(name).iter();
    let (value, others) = (values.next()?, values.next());
    others.is_none().then(|| value.to_str().ok())?
}

/// The value of a word of the query.
fn query<'a, B>(request: &'a Request<B>, name: &str) -> Option<&'a str> {
    let mut words = request.uri().query()?.split('&');
    words.find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(host: &str, origin: Option<&str>, token: &str) -> Request<()> {
        let request = Request::builder()
            .uri(format!("/line?token={token}"))
            .header("Host", host);
        let request = match origin {
            Some(origin) => request.header("Origin", origin),
            None => request,
        };
        request.body(()).expect("a request")
    }

    #[test]
    fn only_the_own_page_with_the_token_reaches_the_line() {
        let (gate, token) = (Gate::at(8000), Token::random().expect("a token"));
        let (host, origin) = ("127.0.0.1:8000", "http://127.0.0.1:8000");
        let check = |host, origin, given: &str| {
            gate.check_line(&request(host, origin, given), &token)
                .is_ok()
        };
        assert!(check(host, Some(origin), token.text()));
        assert!(check(
            "localhost:8000",
            Some("http://localhost:8000"),
            token.text()
        ));
        for other in [
            "evil.example",
            "127.0.0.1",
            "127.0.0.1:8001",
            "127.0.0.1:8000.evil.example",
            "",
        ] {
            assert!(!check(other, Some(origin), token.text()), "{other}");
        }
        for other in [
            "http://evil.example",
            "https://127.0.0.1:8000",
            "http://127.0.0.1",
            "null",
            "",
        ] {
            assert!(!check(host, Some(other), token.text()), "{other}");
        }
        assert!(!check(host, None, token.text()));
        let mut close = token.text().to_owned();
        let last = close.pop();
        assert!(!check(host, Some(origin), &close));
        close.push(if last == Some('0') { '1' } else { '0' });
        assert!(!check(host, Some(origin), &close));
        assert!(!check(host, Some(origin), ""));
    }

    #[test]
    fn files_are_served_by_name_but_to_no_other_site() {
        let gate = Gate::at(8000);
        let check = |host, origin| gate.check(&request(host, origin, "")).is_ok();
        assert!(check("127.0.0.1:8000", None));
        assert!(!check("evil.example:8000", None));
        assert!(!check("127.0.0.1:8000", Some("http://evil.example")));
        let gate = Gate::at(80);
        assert!(gate.check(&request("localhost", None, "")).is_ok());
    }

    #[test]
    fn tokens_have_128_bits_and_no_two_are_alike() {
        let [one, other] = [(); 2].map(|()| Token::random().expect("a token"));
        assert_eq!(one.text().len(), 32);
        assert_ne!(one.text(), other.text());
    }
}
