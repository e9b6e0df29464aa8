//! One request to the network, answered in text.

use gloo_net::http::Request;
use js_sys::{Function, Promise};
use serde_json::Value;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::error::pause_s;
use super::json;
use crate::time::Instant;

/// An answer of any status.
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// Helps the service's operator to find the call.
    pub request_id: Option<String>,
    /// Seconds to wait before the next call, if there were too many or an earlier one still runs.
    pub wait_s: Option<i64>,
    /// What the service's clock showed, where the page may know.
    pub date: Option<Instant>,
    /// What was answered, if it was JSON.
    pub body: Option<Value>,
}

impl Answer {
    /// Whether the request was met.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whether the body reports a failure, whatever the HTTP status says.
    pub fn reports_error(&self) -> bool {
        let body = self.body.as_ref();
        let status = body.and_then(|body| body.get("status"));
        status.and_then(Value::as_str) == Some("error")
    }
}

/// Sends a request, unless `early` has its answer; `None` if it could not be made or there is no
/// answer.
pub async fn fetch(
    request: Result<Request, gloo_net::Error>,
    early: Option<&Function>,
) -> Option<Answer> {
    let request = request.ok()?;
    let response = match answered_early(&request, early).await {
        Some(response) => response.into(),
        None => request.send().await.ok()?,
    };
    let status = response.status();
    let request_id = response.headers().get("X-Request-Id");
    let date = response.headers().get("Date").as_deref().and_then(moment);
    let wait_s = match status {
        429 => pause_s(response.headers().entries()),
        409 => response
            .headers()
            .get("Retry-After")
            .and_then(|seconds| seconds.parse().ok()),
        _ => None,
    };
    let text = JsFuture::from(web_sys::Response::from(response).text().ok()?);
    let text = text.await.ok()?;
    Some(Answer {
        status,
        request_id,
        wait_s,
        date,
        body: json::parse(&text),
    })
}

/// What the page's script asked while this program was on its way: a function from an address to the
/// promise of an answer, if it asked that.
async fn answered_early(request: &Request, early: Option<&Function>) -> Option<web_sys::Response> {
    let address = JsValue::from_str(&request.url());
    let answer = early?.call1(&JsValue::UNDEFINED, &address).ok()?;
    let answer = JsFuture::from(answer.dyn_into::<Promise>().ok()?).await;
    answer.ok()?.dyn_into().ok()
}

/// The moment in a header such as `Sun, 07 Mar 2027 09:00:00 GMT`.
fn moment(text: &str) -> Option<Instant> {
    let millis = js_sys::Date::parse(text);
    millis.is_finite().then_some(Instant(millis as i64))
}
