//! HTTP client of a mounted root: sends requests to its service and reads the responses.

pub mod abort;
pub mod fetch;
pub mod json;
pub(super) mod retry;

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use booking_ui::prelude::*;
use booking_wire::{Fields, Read};
use gloo_net::http::{Headers, Method, Request, RequestBuilder};
use js_sys::Function;
use serde::Serialize;
use serde_json::Value;
use web_sys::{ReferrerPolicy, RequestCache, RequestCredentials, RequestRedirect};

use super::dialect::{Dialect, VersionGroup};
use super::error::{ApiError, DeclineReason};
use crate::time::Instant;
use abort::Abort;
use fetch::{HttpResponse, fetch};
use retry::delay_ms;

/// Boxed future that stays on the page's thread.
pub type LocalFuture<T> = Pin<Box<dyn Future<Output = T>>>;

/// Credentials of the caller. Implemented by `session`, so that secrets stay there.
pub trait Credentials {
    /// Adds the authentication headers to a request for the configured service. Returns the
    /// generation of the credentials used, which every renewal increments; an error if the service would reject them.
    fn sign(
        &self,
        headers: web_sys::Headers,
        method: &str,
        path: &str,
    ) -> LocalFuture<Result<u32, ApiError>>;

    /// Renews the credentials after the service rejected those of generation `rejected`. Calls during a renewal
    /// wait for it, and later calls use its result instead of starting another.
    fn renew(&self, rejected: u32) -> LocalFuture<Renewal>;

    /// Handles the rejection of renewed credentials.
    fn give_up(&self, _rejected: u32) {}

    /// Returns true if there are no credentials at all.
    fn is_anonymous(&self) -> bool {
        false
    }
}

/// Result of a renewal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewal {
    /// New credentials are available.
    Renewed,
    /// No means of renewal, or no other credentials.
    Impossible,
    /// Incomplete renewal, for example without a network: it may succeed later.
    Unavailable,
}

/// API client of one mounted root.
pub struct Client {
    base_url: String,
    dialect: Dialect,
    credentials: Rc<dyn Credentials>,
    /// Prefetched responses of the page's script; none for a caller with credentials.
    prefetched: Option<Function>,
    /// Service time in the last response, if it was readable.
    date: Cell<Option<Instant>>,
}

/// API call.
pub(super) struct Call {
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) query: Vec<(&'static str, String)>,
    pub(super) body: Option<String>,
    pub(super) group: VersionGroup,
    /// True if a failure may mean that the slot was taken.
    pub(super) books: bool,
    /// Key by which the service recognises a repeated request.
    pub(super) idempotency_key: Option<String>,
    /// True if the request is completed after the page is left.
    pub(super) outlives_page: bool,
}

impl Call {
    pub(super) fn get(
        group: VersionGroup,
        path: String,
        query: Vec<(&'static str, String)>,
    ) -> Self {
        Self {
            method: Method::GET,
            path,
            query,
            body: None,
            group,
            books: false,
            idempotency_key: None,
            outlives_page: false,
        }
    }

    pub(super) fn post<T: Serialize>(group: VersionGroup, path: String, body: &T) -> Self {
        // Wire types have text keys and finite numbers: serialising them cannot fail.
        let body = serde_json::to_string(body).unwrap_or_default();
        Self {
            method: Method::POST,
            body: Some(body),
            ..Self::get(group, path, Vec::new())
        }
    }

    /// Sets the method.
    pub(super) fn with_method(self, method: Method) -> Self {
        Self { method, ..self }
    }

    /// Sets the key with which the call may be repeated.
    pub(super) fn with_idempotency_key(self, key: Option<String>) -> Self {
        Self {
            idempotency_key: key,
            ..self
        }
    }

    /// Marks a call with a small body that is completed after the page is left.
    pub(super) fn outliving_page(self) -> Self {
        Self {
            outlives_page: true,
            ..self
        }
    }

    /// Marks a call that books or reserves a slot, which may be taken by then.
    pub(super) fn for_slot(self) -> Self {
        Self {
            books: true,
            ..self
        }
    }
}

/// Returns a service's base URL without trailing slashes and without `/v2`.
pub(crate) fn service_root(base_url: &str) -> &str {
    let url = base_url.trim_end_matches('/');
    let root = url.strip_suffix("/v2").unwrap_or(url);
    root.trim_end_matches('/')
}

impl Client {
    /// Creates a client for the service at `base_url`.
    pub fn new(base_url: &str, dialect: Dialect, credentials: Rc<dyn Credentials>) -> Self {
        Self {
            base_url: service_root(base_url).to_owned(),
            dialect,
            credentials,
            prefetched: None,
            date: Cell::new(None),
        }
    }

    /// Adds responses that were prefetched while the WebAssembly loaded.
    pub fn with_prefetched(self, prefetched: Option<Function>) -> Self {
        Self { prefetched, ..self }
    }

    /// Returns the base URL of the service.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Returns true if requests have no credentials.
    pub fn is_anonymous(&self) -> bool {
        self.credentials.is_anonymous()
    }

    /// Returns the service time in the last response, if pages may read it.
    pub fn date(&self) -> Option<Instant> {
        self.date.get()
    }

    /// Returns the service's dialect.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Sends a call and returns the `data` of the response.
    pub(super) async fn data<T: Read>(&self, call: Call, abort: &Abort) -> Result<T, ApiError> {
        let body = self.send(call, abort).await?;
        Fields::of(&body)
            .and_then(|fields| fields.get("data"))
            .ok_or(ApiError::Unexpected {
                status: 200,
                request_id: None,
            })
    }

    /// Sends a call and returns the whole body. If credentials are missing or expired, they are renewed and
    /// the call is repeated once; reads are retried after transient failures.
    ///
    /// Boxed, so that it is compiled once and not in each operation.
    pub(super) fn send<'a>(
        &'a self,
        call: Call,
        abort: &'a Abort,
    ) -> Pin<Box<dyn Future<Output = Result<Value, ApiError>> + 'a>> {
        Box::pin(async move {
            let may_retry = abort.allows_retries && call.method == Method::GET;
            let (mut signed, mut is_renewed, mut retries) = (0, false, 0);
            let outcome = loop {
                let outcome = self.attempt(&call, abort, &mut signed).await;
                let Err(error) = &outcome else { break outcome };
                if *error == ApiError::Declined(DeclineReason::SignInNeeded) {
                    if is_renewed {
                        self.credentials.give_up(signed);
                        break outcome;
                    }
                    match self.credentials.renew(signed).await {
                        Renewal::Renewed => is_renewed = true,
                        Renewal::Impossible if self.credentials.is_anonymous() => {
                            break Err(ApiError::Declined(DeclineReason::NotPublic));
                        }
                        Renewal::Impossible => break outcome,
                        Renewal::Unavailable => {
                            break Err(ApiError::Declined(DeclineReason::NotRenewed));
                        }
                    }
                    continue;
                }
                match delay_ms(error, retries).filter(|_| may_retry) {
                    Some(delay_ms) if abort.wait(delay_ms).await => retries += 1,
                    _ => break outcome,
                }
            };
            abort.settle();
            outcome
        })
    }

    /// Sends the request once. Sets `signed` to the generation of the credentials used.
    async fn attempt(
        &self,
        call: &Call,
        abort: &Abort,
        signed: &mut u32,
    ) -> Result<Value, ApiError> {
        let headers = web_sys::Headers::new().map_err(|_| ApiError::Unreachable)?;
        // Constant names and values: setting them cannot fail.
        let _ = headers.set("Accept", "application/json");
        if call.body.is_some() {
            let _ = headers.set("Content-Type", "application/json");
        }
        if let Some((name, value)) = self.dialect.version_header(call.group) {
            let _ = headers.set(name, value);
        }
        if let Some(key) = &call.idempotency_key {
            let _ = headers.set("Idempotency-Key", key);
        }
        let signing = (self.credentials).sign(headers.clone(), call.method.as_str(), &call.path);
        *signed = signing.await?;

        let mut url = self.base_url.clone();
        url.push_str(&call.path);
        let request = RequestBuilder::new(&url)
            .query(call.query.iter().map(|(name, value)| (*name, value)))
            .headers(Headers::from_raw(headers))
            .cache(RequestCache::NoStore)
            .credentials(RequestCredentials::Omit)
            .redirect(RequestRedirect::Error)
            .referrer_policy(ReferrerPolicy::NoReferrer)
            .abort_signal(abort.signal().as_ref());
        let request = request.method(call.method.clone());
        let request = match &call.body {
            Some(body) => request.body(body.as_str()),
            None => request.build(),
        };
        let request = match call.outlives_page {
            true => request.and_then(kept_alive),
            false => request,
        };
        let prefetched = self.prefetched.as_ref().filter(|_| call.body.is_none());
        let response = fetch(request, prefetched)
            .await
            .ok_or(ApiError::Unreachable)?;
        let is_success = response.is_success() && !response.reports_error();
        let HttpResponse {
            status,
            request_id,
            wait_s,
            date,
            body,
        } = response;
        self.date.set(date);
        match body {
            Some(body) if is_success => Ok(body),
            // No content.
            None if status == 204 => Ok(Value::Null),
            None if is_success => Err(ApiError::Unexpected { status, request_id }),
            body => {
                let books = call.books;
                let error = ApiError::from_response(status, body, request_id, wait_s, books);
                let is_get = call.method == Method::GET;
                if is_get && matches!(error, ApiError::Unexpected { status: 404, .. }) {
                    console_warn(&format!(
                        "booking: the service does not know {url}, or not in this version: check dialect (\"cal\" for Cal.com) and base-url"
                    ));
                }
                Err(error)
            }
        }
    }
}

/// Returns the request with the option `keepalive`, which the builder lacks.
fn kept_alive(request: Request) -> Result<Request, gloo_net::Error> {
    let init = web_sys::RequestInit::new();
    // Setting a key of a new plain object cannot fail.
    let _ = js_sys::Reflect::set(&init, &"keepalive".into(), &wasm_bindgen::JsValue::TRUE);
    let request = web_sys::Request::from(request);
    let request = web_sys::Request::new_with_request_and_init(&request, &init);
    request
        .map(Request::from)
        .map_err(|_| gloo_net::Error::GlooError(String::new()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn service_root_any_base_url_has_no_version_or_slash() {
        for (given, root) in [
            ("https://api.cal.com/v2", "https://api.cal.com"),
            ("https://api.cal.com/v2/", "https://api.cal.com"),
            ("https://api.cal.com/", "https://api.cal.com"),
            (
                "https://book.example/booking/v2",
                "https://book.example/booking",
            ),
            ("https://book.example/v2/v2", "https://book.example/v2"),
            ("https://book.example/nav2", "https://book.example/nav2"),
            ("/v2", ""),
            ("/", ""),
            ("", ""),
        ] {
            assert_eq!(service_root(given), root, "{given}");
        }
    }
}
