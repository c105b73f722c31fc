//! Clients of `qpuscope web` that mean no good, and the honest one behind them.
//!
//! The tests speak to the port and know nothing of the server's own parts.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};

use crate::recording;
use crate::served::Served;

/// Connections of a client that opens many: ten times as many as the server has.
const MANY: usize = 640;
/// More tabs than the server has.
const TABS: usize = 20;

/// Asserts that the page is served.
fn assert_serves(served: &Served) {
    let index = served.get("/", "");
    assert!(index.starts_with("HTTP/1.1 200 OK"), "{index}");
}

/// Connections that send nothing.
fn silent(served: &Served) -> Vec<TcpStream> {
    (0..MANY).map(|_| served.connect()).collect()
}

#[test]
fn a_page_is_served_behind_connections_that_say_nothing() {
    let served = Served::start(&[&recording(), "--speed", "0"]);
    for _ in 0..2 {
        let mut held = silent(&served);
        // They need not even go.
        assert_serves(&served);
        // The oldest of them have made way.
        let gone = held[0].read(&mut [0]);
        assert!(matches!(gone, Ok(0)), "{gone:?}");
        served.open();
        drop(held);
        assert_serves(&served);
    }
}

#[test]
fn a_page_is_served_behind_connections_that_say_half_of_what_they_want() {
    let served = Served::start(&[]);
    for half in ["G", "GET / HTTP/1.1\r\nA: b\r\n"] {
        let held = silent(&served);
        for mut stream in &held {
            // The server may have closed it to make way for a later one.
            let _ = stream.write_all(half.as_bytes());
        }
        assert_serves(&served);
    }
}

#[test]
fn connections_that_do_not_finish_their_request_are_ended() {
    let served = Served::start(&[]);
    let (mut silent, mut half) = (served.connect(), served.connect());
    half.write_all(b"GET / HTTP/1.1\r\nA: b\r\n")
        .expect("the server listens");
    for stream in [&mut silent, &mut half] {
        // Long before the limit of this connection.
        let mut answer = vec![];
        stream.read_to_end(&mut answer).expect("the end");
        assert_eq!(answer, b"");
    }
}

#[test]
fn any_bytes_are_survived() {
    let served = Served::start(&[&recording(), "--speed", "0"]);
    let host = &served.host;
    let corpus = [
        format!("GET /line?token=ff HTTP/1.1\r\nHost: {host}\r\nOrigin: null\r\n\r\n"),
        format!("HEAD /main.js HTTP/1.1\r\nHost: {host}\r\n\r\n"),
    ]
    .map(String::into_bytes);
    let mut random = tests::mutate::Random::new(tests::seed());
    let mut answered = 0;
    for _ in 0..2000 {
        let bytes = tests::mutate::input(&corpus, &mut random);
        let mut stream = served.connect();
        // The server may have refused it before its end.
        let _ = stream.write_all(&bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let mut answer = vec![];
        let _ = stream.read_to_end(&mut answer);
        if answer.starts_with(b"HTTP/1.1 ") {
            answered += 1;
        }
        assert!(
            !answer.starts_with(b"HTTP/1.1 101"),
            "a stranger has the line"
        );
    }
    assert!(answered > 100, "only {answered} were answered");
    assert_serves(&served);
}

#[test]
fn a_tab_is_served_behind_more_tabs_than_there_may_be() {
    let served = Served::start(&[&recording(), "--speed", "0"]);
    let origin = format!("Origin: http://{}\r\n", served.host);
    for _ in 0..2 {
        let mut tabs = vec![];
        while tabs.len() < 16 {
            // Tabs of the round before go when the server sees that they have gone.
            tabs.extend(served.try_open());
        }
        for _ in 0..TABS {
            let answer = served.handshake(&served.host, &origin, &served.token);
            assert!(
                answer.starts_with("HTTP/1.1 503") && answer.contains("close one of them"),
                "{answer}"
            );
        }
        assert_serves(&served);
        drop(tabs);
    }
    served.open_soon();
}

#[test]
fn tabs_keep_their_line_while_others_open_connections() {
    let served = Served::start(&[&recording(), "--speed", "0.001"]);
    let (mut tab, _) = served.open();
    let before = tab.bytes(1);
    let _held = silent(&served);
    tab.say("{\"kind\":\"speed\",\"factor\":0}");
    let bytes = std::fs::read(recording()).expect("the recording");
    let rest = tab.bytes(bytes.len() - before.len());
    assert_eq!([before, rest].concat(), bytes);
}

#[test]
fn a_tab_that_floods_a_virtual_pi_leaves_nothing_behind() {
    let name = "a_tab_that_floods_a_virtual_pi_leaves_nothing_behind";
    let Some(image) = tests::tools::image(name) else {
        return;
    };
    let served = Served::start(&[&tests::tools::sim(&image), "--cmdline", "start=0"]);
    let (mut flood, _) = served.open();
    // At 115,200 baud they take six minutes.
    for _ in 0..64 {
        flood.send(&vec![0x55; 64 << 10]);
    }
    assert!(flood.refusal().contains("too much waits for the line"));
    drop(flood);
    crate::assert_answers(&mut served.writer());
}
