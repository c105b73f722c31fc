//! The site: the answers to requests for files of the page and for the line.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::{Extension, Router};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio_tungstenite::tungstenite::handshake::server::create_response_with_body;
use tower_http::services::ServeFile;

use super::feed::Feed;
use super::gate::{self, Gate, Refusal, Token};
use super::hub::Hub;
use super::page::{self, Folder};
use super::socket;

/// The most tabs at a time.
const TABS: u32 = 16;

/// Headers of every answer: it is the only one of its connection, is kept nowhere, and is not for
/// other sites.
const HEADERS: [(HeaderName, &str); 6] = [
    (header::CONNECTION, "close"),
    (header::CACHE_CONTROL, "no-store"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
];

/// The place of a connection, given back when the connection and its tab have let go of it.
pub type Place = Arc<OwnedSemaphorePermit>;

/// The source of what tabs are sent.
pub enum ShownSource {
    /// The page alone.
    None,
    /// A line that is shared.
    Line(Arc<Hub>),
    /// A recording that each tab has from its beginning.
    Recording {
        /// The file.
        path: PathBuf,
        /// Its name as it is shown.
        name: String,
        /// The speed at the beginning.
        speed: f64,
    },
}

/// The page, the source for it, and who may have them.
pub struct Site {
    gate: Gate,
    token: Option<Token>,
    folder: Folder,
    source: ShownSource,
    policy: String,
    /// The places of tabs that are free.
    tabs: Arc<Semaphore>,
    /// True once everything is to end.
    ending: watch::Receiver<bool>,
}

impl Site {
    /// A site at this port of 127.0.0.1, until `ending` is true.
    #[must_use]
    pub fn new(
        port: u16,
        folder: Folder,
        source: ShownSource,
        token: Option<Token>,
        ending: watch::Receiver<bool>,
    ) -> Self {
        let gate = Gate::at(port);
        let [first, second] = gate.hosts();
        // That of the page itself, with the port of this server alone, and with what a page cannot
        // say of itself.
        let policy = format!(
            "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob: data:; \
             connect-src 'self' ws://{first} ws://{second}; worker-src 'self'; base-uri 'none'; form-action 'none'; \
             frame-ancestors 'none'"
        );
        Self {
            gate,
            token,
            folder,
            source,
            policy,
            tabs: Arc::new(Semaphore::new(TABS as usize)),
            ending,
        }
    }

    /// Waits until everything is to end.
    pub async fn ended(&self) {
        let _ = self.ending.clone().wait_for(|ends| *ends).await;
    }

    /// Waits until no tab is left.
    pub async fn all_tabs_gone(&self) {
        let _ = self.tabs.acquire_many(TABS).await;
    }

    fn feed(&self) -> std::io::Result<Feed> {
        match &self.source {
            ShownSource::Line(hub) => Ok(Feed::Line(hub.join())),
            ShownSource::Recording { path, name, speed } => Feed::recording(path, name, *speed),
            ShownSource::None => Err(ErrorKind::NotFound.into()),
        }
    }
}

/// The answers of a site, for connections whose [`Place`] is an extension of their requests.
pub fn router(site: Arc<Site>) -> Router {
    Router::new()
        .route("/line", any(line))
        .fallback(file)
        .layer(middleware::from_fn_with_state(Arc::clone(&site), answer))
        .with_state(site)
}

/// Answers a request that the gate lets through, and refuses others.
async fn answer(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    let checked = site.gate.check(&request).and(only_reads(&request));
    let mut response = match checked {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    let more = match response.status() {
        // The connection is no longer one of HTTP.
        StatusCode::SWITCHING_PROTOCOLS => return response,
        StatusCode::METHOD_NOT_ALLOWED => Some((header::ALLOW, "GET, HEAD")),
        StatusCode::UPGRADE_REQUIRED => Some((header::UPGRADE, "websocket")),
        _ => None,
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS.into_iter().chain(more) {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Ok(policy) = HeaderValue::from_str(&site.policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    name_charset(headers);
    response
}

/// Names the encoding of a text, which all of the page's have.
fn name_charset(headers: &mut HeaderMap) {
    let media_type = headers.get(header::CONTENT_TYPE);
    let media_type = media_type.and_then(|value| value.to_str().ok());
    if let Some(text) = media_type.filter(|name| name.starts_with("text/") && !name.contains(';'))
        && let Ok(named) = HeaderValue::from_str(&format!("{text}; charset=utf-8"))
    {
        headers.insert(header::CONTENT_TYPE, named);
    }
}

/// Refuses methods that change something.
fn only_reads(request: &Request) -> Result<(), Refusal> {
    match *request.method() {
        Method::GET | Method::HEAD => Ok(()),
        _ => Err((
            StatusCode::METHOD_NOT_ALLOWED,
            "only GET and HEAD are answered here; open the address in a browser".into(),
        )),
    }
}

/// Sends a file of the page.
async fn file(State(site): State<Arc<Site>>, request: Request) -> Result<Response, Refusal> {
    let path = site.folder.file(request.uri().path())?;
    let sent = ServeFile::new(path).try_call(request).await;
    sent.map(|response| response.map(Body::new))
        .map_err(|_| page::no_such_file())
}

/// Checks a request for the line, and makes its connection a tab.
async fn line(
    State(site): State<Arc<Site>>,
    Extension(place): Extension<Place>,
    mut request: Request,
) -> Result<Response, Refusal> {
    let Some(token) = &site.token else {
        return Err((
            StatusCode::NOT_FOUND,
            "`qpuscope web` was started without a port or a recording; name one to see it here"
                .into(),
        ));
    };
    // A page cannot see why its WebSocket was refused, so it asks once more without one.
    if !request.headers().contains_key(header::UPGRADE) {
        gate::check_token(&request, token)?;
        return Err((
            StatusCode::UPGRADE_REQUIRED,
            "the line is there; open it as a WebSocket".into(),
        ));
    }
    site.gate.check_line(&request, token)?;
    let accepted = create_response_with_body(&request, Body::empty).map_err(|_| {
        (
            StatusCode::BAD_REQUEST,
            "that is no handshake of a WebSocket; use a newer browser".into(),
        )
    })?;
    let seat = Arc::clone(&site.tabs).try_acquire_owned().map_err(|_| {
        (
            StatusCode::SERVICE_UNAVAILABLE,
            format!("{TABS} tabs are open already; close one of them"),
        )
    })?;
    let feed = site.feed().map_err(|error| {
        (
            StatusCode::SERVICE_UNAVAILABLE,
            format!("the line cannot be shown: {error}; try again"),
        )
    })?;
    let upgraded = hyper::upgrade::on(&mut request);
    tokio::spawn(async move {
        if let Ok(connection) = upgraded.await {
            socket::serve(connection, feed, site.ended()).await;
        }
        drop((seat, place));
    });
    Ok(accepted)
}
