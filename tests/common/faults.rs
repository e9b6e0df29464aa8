//! Proxy in front of the service that injects faults on request.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::cal_dialect::{
    event_type_names, is_cal_dialect, preflight, readable_headers_only, replacement_page,
    with_cal_dialect,
};
use super::cal_requests::{self, Request};
use super::http::Client;
use super::listener;
use super::service::Service;

/// Fault of a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fault {
    /// Error of this status, in the service's own format, with this message.
    Status(u16, &'static str),
    /// Status 429 with this `Retry-After` in seconds.
    RateLimited(u32),
    /// Redirect, as from a service that has moved.
    Redirect(String),
    /// HTML page with status 200, as a misconfigured proxy sends.
    Html,
    /// First half of the real response, with a matching `Content-Length`.
    HalfJson,
    /// First half of the real response, then the connection breaks.
    Truncated,
    /// Connection closed without a response; the service does not get the request.
    Drop,
    /// Connection closed without a response after the service has handled the request.
    ResponseLost,
    /// No response until [`Faults::release`]; then the real one.
    Hang,
    /// No response until [`Faults::release`]; then as [`Fault::Status`].
    LateStatus(u16, &'static str),
    /// No response until [`Faults::release`]; then as [`Fault::ResponseLost`].
    ResponseLostLate,
    /// Connection closed without a response; the service gets the request at [`Faults::release`].
    DelayedRequest,
}

struct Rule {
    method: &'static str,
    path: String,
    fault: Fault,
    /// Number of requests left.
    left: usize,
}

type Rewrite = Arc<dyn Fn(&mut Value) + Send + Sync>;

#[derive(Default)]
struct State {
    rules: Vec<Rule>,
    /// `METHOD path?query` of every request.
    seen: Vec<String>,
    /// Headers of each request, names in lower case.
    request_headers: Vec<Vec<String>>,
    /// Body of each request.
    bodies: Vec<Vec<u8>>,
    /// Change to JSON responses, with the start of the path that it applies to.
    rewrite: Option<(String, Rewrite)>,
    /// Pages of the test: path and whole response.
    pages: Vec<(String, Vec<u8>)>,
    released: usize,
    hanging: usize,
    /// Number of delayed requests that the service has answered.
    arrived: usize,
    /// Requests that a service of the cal dialect would have rejected, with reasons.
    violations: Vec<String>,
}

impl State {
    fn page(&self, path: &str) -> Option<Vec<u8>> {
        let path = path.split('?').next().unwrap_or_default();
        let own = self.pages.iter().find(|(known, _)| known == path);
        own.map(|(_, response)| response.clone())
    }
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    /// Client with all permissions, if this is a service of the cal dialect.
    strict: Option<Client>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("the faults' state")
    }
}

/// Fault-injecting proxy. Pages opened through [`Faults::url`] use the service through it.
pub(crate) struct Faults {
    address: String,
    shared: Arc<Shared>,
}

/// Script that records uncaught errors of a page, each with its stack trace.
const RECORD_UNCAUGHT: &str = "<script>{ \
    const keep = ({ type, error, reason, message }) => { \
      const cause = error ?? reason; \
      (window.uncaught ??= []).push([type, cause ?? message, cause?.stack].join(' ')); \
    }; \
    for (const type of ['error', 'unhandledrejection']) addEventListener(type, keep) \
    }</script><title>";

impl Faults {
    /// Starts a proxy of `service` that forwards everything until a fault is added. It is strict if the tests
    /// run against the cal dialect.
    pub(crate) fn before(service: &Service) -> Faults {
        let strict = is_cal_dialect().then(|| service.owner());
        Faults::start(service.address(), strict)
    }

    /// Starts a strict proxy: it rejects requests that a service of the cal dialect does not know, and fails
    /// the test that sends one.
    pub(crate) fn strictly_before(service: &Service) -> Faults {
        Faults::start(service.address(), Some(service.owner()))
    }

    /// Starts a proxy of any HTTP server, given as `host:port`. Never strict.
    pub(crate) fn before_address(upstream: &str) -> Faults {
        Faults::start(upstream, None)
    }

    pub(super) fn start(upstream: &str, strict: Option<Client>) -> Faults {
        let listener = listener();
        let address = listener.local_addr().expect("its address").to_string();
        let shared = Arc::new(Shared {
            strict,
            ..Shared::default()
        });
        let (own, upstream, for_thread) =
            (address.clone(), upstream.to_owned(), Arc::clone(&shared));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (own, upstream, shared) =
                    (own.clone(), upstream.clone(), Arc::clone(&for_thread));
                thread::spawn(move || {
                    // A browser that disconnects during a request is not a failure.
                    let _ = handle(stream, &own, &upstream, &shared);
                });
            }
        });
        Faults { address, shared }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Injects a fault into the next request of this method whose path starts with `path`.
    pub(crate) fn next(&self, method: &'static str, path: &str, fault: Fault) {
        self.add(method, path, fault, 1);
    }

    /// Injects a fault into every such request until [`Faults::clear`].
    pub(crate) fn always(&self, method: &'static str, path: &str, fault: Fault) {
        self.add(method, path, fault, usize::MAX);
    }

    fn add(&self, method: &'static str, path: &str, fault: Fault, left: usize) {
        self.shared.lock().rules.push(Rule {
            method,
            path: path.to_owned(),
            fault,
            left,
        });
    }

    /// Serves `text` for exactly this path, with any query: as a page if the path ends in `.html`, as a
    /// script if in `.js`, else as JSON. `headers` are whole lines, such as
    /// `Content-Security-Policy: …`. Replaces an earlier page of the path.
    pub(crate) fn page(&self, path: &str, headers: &[&str], text: &str) {
        let kind = match path.rsplit('.').next() {
            Some("js") => "text/javascript",
            Some("html") => "text/html; charset=utf-8",
            _ => "application/json",
        };
        // Unless the page sets a policy of its own, it records uncaught errors for failure reports.
        let records_errors = path.ends_with(".html") && headers.is_empty();
        let text = match &self.shared.strict {
            Some(_) if path.ends_with(".html") => &with_cal_dialect(text),
            _ => text,
        };
        let text = text.replacen(
            "<title>",
            if records_errors {
                RECORD_UNCAUGHT
            } else {
                "<title>"
            },
            1,
        );
        let lines: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\
             Connection: close\r\n{lines}\r\n",
            text.len()
        );
        let response = [head.as_bytes(), text.as_bytes()].concat();
        let mut state = self.shared.lock();
        state.pages.retain(|(known, _)| known != path);
        state.pages.push((path.to_owned(), response));
    }

    /// Changes every JSON response to requests whose path starts with `path` until [`Faults::clear`].
    pub(crate) fn rewrite(&self, path: &str, change: impl Fn(&mut Value) + Send + Sync + 'static) {
        self.shared.lock().rewrite = Some((path.to_owned(), Arc::new(change)));
    }

    /// Removes the page of `path`.
    pub(crate) fn remove_page(&self, path: &str) {
        self.shared.lock().pages.retain(|(known, _)| known != path);
    }

    /// Removes all faults and changes.
    pub(crate) fn clear(&self) {
        let mut state = self.shared.lock();
        state.rules.clear();
        state.rewrite = None;
    }

    /// Releases every request that hangs now.
    pub(crate) fn release(&self) {
        let mut state = self.shared.lock();
        state.released += 1;
        state.hanging = 0;
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Takes the requests that a service of the cal dialect would have rejected, with reasons. A test that
    /// leaves some of them untaken fails at its end.
    pub(crate) fn violations(&self) -> Vec<String> {
        std::mem::take(&mut self.shared.lock().violations)
    }

    /// Number of requests that hang.
    pub(crate) fn hanging(&self) -> usize {
        self.shared.lock().hanging
    }

    /// Number of delayed requests that the service has answered.
    pub(crate) fn arrived(&self) -> usize {
        self.shared.lock().arrived
    }

    /// Counts the requests of this method whose path starts with `path`.
    pub(crate) fn count(&self, method: &str, path: &str) -> usize {
        self.seen(method, path).len()
    }

    /// Returns `METHOD path?query` of the requests, oldest first.
    pub(crate) fn seen(&self, method: &str, path: &str) -> Vec<String> {
        let start = format!("{method} {path}");
        let state = self.shared.lock();
        state
            .seen
            .iter()
            .filter(|seen| is_below(seen, &start))
            .cloned()
            .collect()
    }
}

impl Faults {
    /// Returns the bodies of the requests of this method whose path starts with `path`, oldest first.
    pub(crate) fn bodies(&self, method: &str, path: &str) -> Vec<String> {
        let start = format!("{method} {path}");
        let state = self.shared.lock();
        let sent = state.seen.iter().zip(&state.bodies);
        sent.filter(|(seen, _)| is_below(seen, &start))
            .map(|(_, body)| String::from_utf8_lossy(body).into_owned())
            .collect()
    }

    /// Returns a header of the requests of this method whose path starts with `path`, oldest first;
    /// empty if it was not sent.
    pub(crate) fn headers(&self, method: &str, path: &str, name: &str) -> Vec<String> {
        let (start, name) = (format!("{method} {path}"), format!("{name}: "));
        let state = self.shared.lock();
        let sent = state.seen.iter().zip(&state.request_headers);
        sent.filter(|(seen, _)| is_below(seen, &start))
            .map(|(_, head)| head.iter().find_map(|line| line.strip_prefix(&name)))
            .map(|value| value.unwrap_or_default().to_owned())
            .collect()
    }

    /// Finds the requests that contain a text: `METHOD path`, and the part with the text, such as the
    /// name of a header.
    pub(crate) fn requests_containing(&self, text: &str) -> Vec<String> {
        let state = self.shared.lock();
        let mut found_in = Vec::new();
        let sent = state
            .seen
            .iter()
            .zip(&state.request_headers)
            .zip(&state.bodies);
        for ((seen, head), body) in sent {
            let parts = [("address", seen.as_str())];
            let lines = head.iter().filter_map(|line| line.split_once(": "));
            let body = String::from_utf8_lossy(body);
            let parts = parts.into_iter().chain(lines).chain([("body", &*body)]);
            let found = parts.filter(|(_, part)| part.contains(text));
            found_in.extend(found.map(|(name, _)| format!("{seen} {name}")));
        }
        found_in
    }
}

impl Drop for Faults {
    fn drop(&mut self) {
        self.release();
        if !thread::panicking() {
            let violations = self.violations();
            assert!(violations.is_empty(), "the cal dialect: {violations:#?}");
        }
    }
}

fn handle(
    mut browser: TcpStream,
    own: &str,
    upstream: &str,
    shared: &Shared,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(browser.try_clone()?);
    let (mut head, mut length) = (String::new(), 0);
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        let (name, value) = line.split_once(':').unwrap_or((line.as_str(), ""));
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap_or(0);
        }
        if !name.eq_ignore_ascii_case("connection") {
            // The service compares origins, so the host must be its own.
            head.push_str(&line.replace(own, upstream));
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;

    let mut words = head.split_whitespace();
    let (Some(method), Some(path)) = (words.next(), words.next()) else {
        return Ok(());
    };
    let (fault, released) = record(shared, (method, path), &head, &body);
    let rewrite = rewrite_for(shared, path);
    let is_interface = path.starts_with("/v1/") || path.starts_with("/v2/");
    if shared.strict.is_some() {
        let cal_rejection = match method {
            _ if !is_interface => None,
            "OPTIONS" => Some(preflight()),
            _ => cal_rejection(shared, (method, path), &head, &body),
        };
        if let Some(response) = cal_rejection {
            browser.write_all(&response)?;
            return browser.shutdown(Shutdown::Both);
        }
    }
    let own_page = shared.lock().page(path).or_else(|| {
        let owner = shared.strict.as_ref()?;
        if let Some(event_type_names) = event_type_names(path, owner) {
            return Some(http_response(
                200,
                "application/json",
                event_type_names.to_string().as_bytes(),
            ));
        }
        let page = with_cal_dialect(&replacement_page(path)?);
        Some(http_response(
            200,
            "text/html; charset=utf-8",
            page.as_bytes(),
        ))
    });
    if let Some(response) = own_page {
        browser.write_all(&response)?;
        return browser.shutdown(Shutdown::Both);
    }
    // Responses that are changed or cut must not be compressed.
    let is_passed = |line: &&str| {
        let name = line.split(':').next().unwrap_or_default();
        !(is_interface && name.eq_ignore_ascii_case("accept-encoding"))
    };
    let head: String = head.split_inclusive("\r\n").filter(is_passed).collect();
    // Responses of a strict service always use the names of the cal dialect.
    let is_named = !head.to_lowercase().contains("\ncal-api-version:");
    let naming = match shared.strict.is_some() && is_interface && is_named {
        true => "x-cal-atoms-version: any\r\n",
        false => "",
    };
    let sent = format!("{head}{naming}Connection: close\r\n\r\n");
    let forward = || -> std::io::Result<Vec<u8>> {
        let mut service = TcpStream::connect(upstream)?;
        service.write_all(sent.as_bytes())?;
        service.write_all(&body)?;
        let mut response = Vec::new();
        service.read_to_end(&mut response)?;
        if shared.strict.is_some() && is_interface {
            response = readable_headers_only(&response);
        }
        Ok(response)
    };
    match fault {
        None => {
            let response = forward()?;
            let changed = rewrite.and_then(|change| rewritten_response(&response, &*change));
            browser.write_all(changed.as_ref().unwrap_or(&response))?;
        }
        Some(Fault::Hang) => {
            wait(shared, released);
            browser.write_all(&forward()?)?;
        }
        Some(Fault::Drop) => {}
        Some(Fault::ResponseLost) => drop(forward()?),
        Some(Fault::ResponseLostLate) => {
            wait(shared, released);
            drop(forward()?);
        }
        Some(Fault::DelayedRequest) => {
            browser.shutdown(Shutdown::Both)?;
            wait(shared, released);
            drop(forward()?);
            shared.lock().arrived += 1;
            shared.changed.notify_all();
            return Ok(());
        }
        Some(ref fault @ (Fault::Status(status, message) | Fault::LateStatus(status, message))) => {
            if let Fault::LateStatus(..) = fault {
                wait(shared, released);
            }
            let body = format!(
                r#"{{"status":"error","timestamp":"2026-01-01T00:00:00.000Z","path":"{path}","error":{{"code":"{message}","message":"{message}","details":{{"message":"{message}","statusCode":{status}}}}}}}"#
            );
            browser.write_all(&http_response(status, "application/json", body.as_bytes()))?;
        }
        Some(Fault::RateLimited(seconds)) => {
            let head = format!(
                "HTTP/1.1 429 Too Many Requests\r\nRetry-After: {seconds}\r\n\
                 Content-Length: 0\r\nConnection: close\r\n\r\n"
            );
            browser.write_all(head.as_bytes())?;
        }
        Some(Fault::Redirect(to)) => {
            let head = format!(
                "HTTP/1.1 302 Found\r\nLocation: {to}\r\nAccess-Control-Allow-Origin: *\r\n\
                 Content-Length: 0\r\nConnection: close\r\n\r\n"
            );
            browser.write_all(head.as_bytes())?;
        }
        Some(Fault::Html) => {
            let body =
                b"<!doctype html><title>Sign in</title><h1>Please sign in to the network</h1>";
            browser.write_all(&http_response(200, "text/html", body))?;
        }
        Some(Fault::HalfJson) => {
            let response = forward()?;
            let body = body_of(&response);
            let half = &body[..body.len() / 2];
            browser.write_all(&http_response(
                status_of(&response),
                "application/json",
                half,
            ))?;
        }
        Some(Fault::Truncated) => {
            let response = forward()?;
            let body = body_of(&response);
            let http_response = http_response(status_of(&response), "application/json", &body);
            browser.write_all(&http_response[..http_response.len() - body.len() / 2])?;
        }
    }
    browser.shutdown(Shutdown::Both)
}

/// Returns the error of a service of the cal dialect for a request; `None` if it accepts the request.
fn cal_rejection(
    shared: &Shared,
    (method, target): (&str, &str),
    head: &str,
    body: &[u8],
) -> Option<Vec<u8>> {
    let lines = head.lines().skip(1);
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
        .collect();
    let rejection = cal_requests::check(&Request {
        method,
        target,
        headers: &headers,
        body,
    });
    let rejection = rejection.err()?;
    let violation = format!("{method} {target}: {}", rejection.problems.join("; "));
    eprintln!("the cal dialect: {violation}");
    shared.lock().violations.push(violation);
    let response = rejection.body(target).to_string();
    Some(http_response(
        rejection.status,
        "application/json",
        response.as_bytes(),
    ))
}

/// Records a request; returns its fault, and the number of releases before it arrived.
fn record(
    shared: &Shared,
    (method, path): (&str, &str),
    head: &str,
    body: &[u8],
) -> (Option<Fault>, usize) {
    let lines = head
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(": "));
    let lines = lines.map(|(name, value)| format!("{}: {value}", name.to_lowercase()));
    let mut state = shared.lock();
    state.seen.push(format!("{method} {path}"));
    state.request_headers.push(lines.collect());
    state.bodies.push(body.to_vec());
    let rule = state
        .rules
        .iter_mut()
        .find(|rule| rule.left > 0 && rule.method == method && is_below(path, &rule.path));
    let fault = rule.map(|rule| {
        rule.left -= 1;
        rule.fault.clone()
    });
    // Counted here and not in the waiting thread: a release in between applies to this request.
    if matches!(
        fault,
        Some(Fault::Hang | Fault::LateStatus(..) | Fault::ResponseLostLate | Fault::DelayedRequest)
    ) {
        state.hanging += 1;
    }
    (fault, state.released)
}

/// End of the request for the number beside the tab of unconfirmed bookings.
const TAB_COUNT: &str = "?status=unconfirmed&take=1";

/// True if a request starts with `start`. The list's own requests are those of its rows: the one for the number
/// beside a tab has to be named in full.
fn is_below(request: &str, start: &str) -> bool {
    let is_named = !request.ends_with(TAB_COUNT) || start.ends_with(TAB_COUNT);
    request.starts_with(start) && is_named
}

fn rewrite_for(shared: &Shared, path: &str) -> Option<Rewrite> {
    let state = shared.lock();
    let (start, change) = state.rewrite.as_ref()?;
    path.starts_with(start).then(|| Arc::clone(change))
}

/// Replaces the body of a response; `None` if it is not JSON.
fn rewritten_response(response: &[u8], change: &dyn Fn(&mut Value)) -> Option<Vec<u8>> {
    let mut body: Value = serde_json::from_slice(&body_of(response)).ok()?;
    change(&mut body);
    Some(http_response(
        status_of(response),
        "application/json",
        body.to_string().as_bytes(),
    ))
}

fn wait(shared: &Shared, before: usize) {
    let mut state = shared.lock();
    while state.released == before {
        let (next, _) = shared
            .changed
            .wait_timeout(state, Duration::from_secs(1))
            .expect("the faults' state");
        state = next;
    }
}

fn http_response(status: u16, kind: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 {status} Made up\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\
         Access-Control-Allow-Origin: *\r\nConnection: close\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// Parses the status of a response.
fn status_of(response: &[u8]) -> u16 {
    let start = String::from_utf8_lossy(&response[..response.len().min(32)]);
    let status = start.split_whitespace().nth(1);
    status.and_then(|status| status.parse().ok()).unwrap_or(502)
}

/// Returns the body of an unchunked response.
fn body_of(response: &[u8]) -> Vec<u8> {
    let end = response.windows(4).position(|bytes| bytes == b"\r\n\r\n");
    end.map_or_else(Vec::new, |end| response[end + 4..].to_vec())
}
