//! One request to the network, answered in text.

use gloo_net::http::Request;
use serde_json::Value;

use super::json;

/// An answer of any status.
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// Helps the service's operator to find the call.
    pub request_id: Option<String>,
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
    let text = response.text().await.ok()?;
    Some(Answer {
        status,
        request_id,
        body: json::parse(&text),
    })
}
