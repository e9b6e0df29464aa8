//! HTTP requests with JSON responses.

use gloo_net::http::Request;
use js_sys::{Function, Promise, Reflect};
use serde_json::Value;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::json;
use crate::client::error::retry_after_s;
use crate::time::Instant;

/// Response of any status.
pub struct HttpResponse {
    /// HTTP status.
    pub status: u16,
    /// Request id for the service's operator.
    pub request_id: Option<String>,
    /// Seconds to wait before the next request, after a 429 or a 409.
    pub wait_s: Option<i64>,
    /// Service time of the response, if the page may read it.
    pub date: Option<Instant>,
    /// Body, if it was JSON.
    pub body: Option<Value>,
}

impl HttpResponse {
    /// Returns true for a 2xx status.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Returns true if the body reports an error, regardless of the HTTP status.
    pub fn reports_error(&self) -> bool {
        let body = self.body.as_ref();
        let status = body.and_then(|body| body.get("status"));
        status.and_then(Value::as_str) == Some("error")
    }
}

/// Sends a request, unless `prefetched` has its response; `None` if it could not be built or has no response.
pub async fn fetch(
    request: Result<Request, gloo_net::Error>,
    prefetched: Option<&Function>,
) -> Option<HttpResponse> {
    let request = request.ok()?;
    if let Some(response) = take_prefetched(&request, prefetched).await {
        return Some(response);
    }
    let response = request.send().await.ok()?;
    let status = response.status();
    let request_id = response.headers().get("X-Request-Id");
    let date = response
        .headers()
        .get("Date")
        .as_deref()
        .and_then(parse_http_date);
    let wait_s = match status {
        429 => retry_after_s(response.headers().entries()),
        409 => response
            .headers()
            .get("Retry-After")
            .and_then(|seconds| seconds.parse().ok()),
        _ => None,
    };
    let text = JsFuture::from(web_sys::Response::from(response).text().ok()?);
    let text = text.await.ok()?;
    Some(HttpResponse {
        status,
        request_id,
        wait_s,
        date,
        body: json::parse(&text),
    })
}

/// Returns a response that the page's script prefetched while the WebAssembly loaded, without waiting if it has arrived.
/// `prefetched` maps a URL to a `PrefetchedResponse` of `scripts/globals.d.ts` or its promise, if there is one.
async fn take_prefetched(request: &Request, prefetched: Option<&Function>) -> Option<HttpResponse> {
    let url = JsValue::from_str(&request.url());
    let mut response = prefetched?.call1(&JsValue::UNDEFINED, &url).ok()?;
    if let Some(promise) = response.dyn_ref::<Promise>() {
        response = JsFuture::from(promise.clone()).await.ok()?;
    }
    let get = |name: &str| Reflect::get(&response, &name.into()).ok();
    let date = || get("date")?.as_string();
    Some(HttpResponse {
        // Absent if there is no response: then it is no object.
        status: get("status")?.as_f64()? as u16,
        request_id: None,
        wait_s: None,
        date: date().as_deref().and_then(parse_http_date),
        body: json::value_of(&get("body")?),
    })
}

/// Parses an HTTP date such as `Sun, 07 Mar 2027 09:00:00 GMT`.
fn parse_http_date(text: &str) -> Option<Instant> {
    let millis = js_sys::Date::parse(text);
    millis.is_finite().then_some(Instant(millis as i64))
}
