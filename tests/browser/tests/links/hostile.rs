//! A page of another site that opens as many connections to `qpuscope web` as the browser lets it.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::thread;

use super::{Bench, board};

/// Connections that the page asks for in each way.
const MANY: u32 = 120;

/// Serves one page to everybody, at an address of its own, which is another site's.
fn other_site(page: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(|stream| stream.ok()) {
            let mut lines = BufReader::new(&stream).lines();
            while lines
                .next()
                .is_some_and(|line| line.is_ok_and(|line| !line.is_empty()))
            {}
            let length = page.len();
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
            );
            let _ = stream.write_all(format!("{head}{page}").as_bytes());
        }
    });
    format!("http://{address}/")
}

/// The page: connections without a request, requests, and WebSockets, each to a name of its own for
/// the server's address, because a browser has few connections to one name.
fn page(port: &str) -> String {
    format!(
        r#"<!doctype html><title>other</title><link rel="icon" href="data:,"><script>
window.ended = 0;
const end = () => {{ window.ended += 1; }};
for (let i = 0; i < {MANY}; i += 1) {{
  const link = document.createElement('link');
  link.rel = 'preconnect';
  link.href = `http://p${{i}}.localhost:{port}`;
  document.head.append(link);
  fetch(`http://f${{i}}.localhost:{port}/`, {{ mode: 'no-cors' }}).then(end, end);
  const socket = new WebSocket(`ws://w${{i}}.localhost:{port}/line?token=0`);
  socket.onerror = end;
}}
</script>"#
    )
}

#[test]
fn a_tab_is_served_beside_a_page_of_another_site_that_opens_connections() {
    let bench = match Bench::new() {
        Ok(bench) => bench,
        Err(why) => tests::skip!("{why}"),
    };
    let (_listener, line) = board();
    let served = bench.serve(&[&line]);
    let host = served.url.trim_start_matches("http://").split('/').next();
    let port = host.and_then(|host| host.rsplit(':').next());
    let site = other_site(page(port.unwrap_or_default()));
    for _ in 0..2 {
        let other = bench.browser.open(&site).expect("the page opens");
        // Every request and every WebSocket has had a connection, and was refused.
        bench.wait(&other, &format!("window.ended === {}", 2 * MANY));
        let honest = bench.open(&served.url);
        bench.wait(&honest, "socket.source === 'port' && socket.writer");
        honest.close().expect("the tab closes");
    }
}
