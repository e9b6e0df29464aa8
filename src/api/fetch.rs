//! One request to the network, answered in text.

use gloo_net::http::Request;
use serde_json::Value;
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
    /// Seconds to wait before the next call, if there were too many.
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
}

/// Sends a request; `None` if it could not be made or there is no answer.
pub async fn fetch(request: Result<Request, gloo_net::Error>) -> Option<Answer> {
    let response = request.ok()?.send().await.ok()?;
    let status = response.status();
    let request_id = response.headers().get("X-Request-Id");
    let date = response.headers().get("Date").as_deref().and_then(moment);
    let is_too_many = status == 429;
    let wait_s = is_too_many.then(|| pause_s(response.headers().entries()));
    let text = JsFuture::from(web_sys::Response::from(response).text().ok()?);
    let text = text.await.ok()?;
    Some(Answer {
        status,
        request_id,
        wait_s: wait_s.flatten(),
        date,
        body: json::parse(&text),
    })
}

/// The moment in a header such as `Sun, 07 Mar 2027 09:00:00 GMT`.
fn moment(text: &str) -> Option<Instant> {
    let millis = js_sys::Date::parse(text);
    millis.is_finite().then_some(Instant(millis as i64))
}
