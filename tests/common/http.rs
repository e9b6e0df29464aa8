//! Calls to the service without a browser: as another visitor, or to check what was stored.

use std::time::Duration;

use serde_json::Value;

/// HTTP client of one server, with fixed headers.
#[derive(Clone)]
pub(crate) struct Client {
    base: String,
    headers: Vec<(String, String)>,
    agent: ureq::Agent,
}

/// Response of any status.
#[derive(Clone, Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) text: String,
}

impl Client {
    pub(crate) fn new(base: &str) -> Client {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(90)))
            .proxy(None)
            .build();
        Client {
            base: base.to_owned(),
            headers: Vec::new(),
            agent: config.into(),
        }
    }

    /// Adds a header to every request.
    pub(crate) fn with_header(mut self, name: &str, value: &str) -> Client {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    #[track_caller]
    pub(crate) fn get(&self, path: &str) -> Response {
        self.call("GET", path, None).expect("an answer to GET")
    }

    #[track_caller]
    pub(crate) fn post(&self, path: &str, body: &Value) -> Response {
        self.call("POST", path, Some(body))
            .expect("an answer to POST")
    }

    pub(crate) fn call(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Response, String> {
        let mut request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base))
            .header("content-type", "application/json");
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let body = body.map(Value::to_string).unwrap_or_default();
        let request = request.body(body).map_err(|error| error.to_string())?;
        let mut response = self.agent.run(request).map_err(|error| error.to_string())?;
        let status = response.status().as_u16();
        let text = response
            .body_mut()
            .with_config()
            .limit(100_000_000)
            .read_to_string()
            .map_err(|error| error.to_string())?;
        Ok(Response { status, text })
    }
}

impl Response {
    /// Parses the body as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }

    /// Returns the body's `data`; panics if the call failed.
    #[track_caller]
    pub(crate) fn data(&self) -> Value {
        assert!((200..300).contains(&self.status), "{self:?}");
        self.json()["data"].take()
    }
}
