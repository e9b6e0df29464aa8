//! Phase 1: all operations with all shapes, one request at a time.

use std::fmt;

use serde_json::{Map, Value, json};

use crate::client::{Client, Request};
use crate::operations::Operation;
use crate::process::Service;
use crate::{Findings, MAX_CPU_MS, MAX_LIST_CPU_MS, MAX_RESPONSE_BYTES, Outcome, shapes};

/// Number of requests passed to the flood.
const SLOWEST_COUNT: usize = 40;
/// Most measurements of a request, as long as it exceeds the limit.
pub(crate) const ATTEMPTS: usize = 10;
/// Lowest status of a server error. 503 and 504 are not expected here.
const MIN_SERVER_ERROR: u16 = 500;

/// Result of the sweep.
pub(crate) struct SweepResult {
    requests: usize,
    statuses: std::collections::BTreeMap<u16, usize>,
    largest: (usize, String),
    /// Requests with the highest processor time, in descending order.
    pub(crate) slowest: Vec<(f64, Request)>,
    peak_memory_mib: u64,
}

impl fmt::Display for SweepResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "  {} requests, statuses {:?}",
            self.requests, self.statuses
        )?;
        writeln!(
            f,
            "  largest response: {} bytes, {}",
            self.largest.0, self.largest.1
        )?;
        writeln!(f, "  peak memory: {} MiB", self.peak_memory_mib)?;
        writeln!(f, "  most processor time:")?;
        for (cpu_ms, request) in self.slowest.iter().take(8) {
            writeln!(f, "    {cpu_ms:6.2} ms  {}", request.name)?;
        }
        Ok(())
    }
}

/// Sends all requests.
pub(crate) fn run(
    service: &Service,
    operations: &[Operation],
    short: bool,
    findings: &mut Findings,
) -> Outcome<SweepResult> {
    let existing = ExistingData::read(service)?;
    let mut client = Client::new(&service.address);
    let mut result = SweepResult {
        requests: 0,
        statuses: std::collections::BTreeMap::new(),
        largest: (0, String::new()),
        slowest: Vec::new(),
        peak_memory_mib: 0,
    };
    for (index, operation) in operations.iter().enumerate() {
        let mut requests = requests(operation, &existing);
        if short {
            // The short form sends a third of the requests, with a different offset for each
            // operation.
            let mut count = index;
            requests.retain(|_| {
                count += 1;
                count % 3 == 0
            });
        }
        for request in requests {
            result.add(service, &mut client, request, operation.is_list(), findings)?;
        }
    }
    result.peak_memory_mib = service.memory_mib("VmHWM")?;
    Ok(result)
}

impl SweepResult {
    fn add(
        &mut self,
        service: &Service,
        client: &mut Client,
        request: Request,
        is_list: bool,
        findings: &mut Findings,
    ) -> Outcome {
        self.requests += 1;
        let max_cpu_ms = if is_list { MAX_LIST_CPU_MS } else { MAX_CPU_MS };
        let Some((status, bytes, cpu_ms)) = measure(service, client, &request, max_cpu_ms)? else {
            findings.add(format!("no response: {}", request.name));
            if service.has_ended() {
                return Err("the service has ended".into());
            }
            return Ok(());
        };
        *self.statuses.entry(status).or_default() += 1;
        if status >= MIN_SERVER_ERROR {
            findings.add(format!("status {status}: {}", request.name));
        }
        if bytes > self.largest.0 {
            self.largest = (bytes, request.name.clone());
        }
        if bytes > MAX_RESPONSE_BYTES && !(is_list && status == 200) {
            findings.add(format!("large response: {bytes} bytes, {}", request.name));
        }
        if cpu_ms > max_cpu_ms {
            findings.add(format!("processor time: {cpu_ms:.1} ms, {}", request.name));
        }
        let minimum = self.slowest.last().map_or(0.0, |(cpu_ms, _)| *cpu_ms);
        if self.slowest.len() < SLOWEST_COUNT || cpu_ms > minimum {
            self.slowest.push((cpu_ms, request));
            self.slowest
                .sort_by(|(left, _), (right, _)| right.total_cmp(left));
            self.slowest.truncate(SLOWEST_COUNT);
        }
        Ok(())
    }
}

/// Returns status, body size and processor time in milliseconds. `None` if the connection ends
/// without a response. The minimum of several attempts if the first takes more than `max_cpu_ms`.
pub(crate) fn measure(
    service: &Service,
    client: &mut Client,
    request: &Request,
    max_cpu_ms: f64,
) -> Outcome<Option<(u16, usize, f64)>> {
    let bytes = request.bytes(&service.address);
    let mut minimum: Option<(u16, usize, f64)> = None;
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            service.settle()?;
        }
        let before = service.cpu_ms()?;
        let Some(response) = client.send(&bytes)? else {
            return Ok(minimum);
        };
        let cpu_ms = service.cpu_ms()? - before;
        if minimum.is_none_or(|(_, _, minimum)| cpu_ms < minimum) {
            minimum = Some((response.status, response.body.len(), cpu_ms));
        }
        // A successful write is not repeatable.
        if cpu_ms <= max_cpu_ms || request.method != "GET" && response.status < 300 {
            break;
        }
    }
    Ok(minimum)
}

/// Existing ids and credentials.
pub(crate) struct ExistingData {
    api_key: String,
    client_id: String,
    client_secret: String,
    booking_uid: String,
    booking_id: i64,
    role_id: String,
    webhook_id: String,
    start: String,
}

impl ExistingData {
    pub(crate) fn read(service: &Service) -> Outcome<Self> {
        let api_key = service.demo_text("apiKey");
        let mut client = Client::new(&service.address);
        let mut send = |method: &'static str, target: &str, body: Option<Value>| {
            let request = Request {
                name: target.to_owned(),
                method,
                target: target.to_owned(),
                headers: format!("authorization: Bearer {api_key}\r\n"),
                body: body.map(|body| body.to_string().into_bytes()),
            };
            let response = client.send(&request.bytes(&service.address))?;
            let response = response.ok_or("there is no response")?;
            let value: Value = serde_json::from_slice(&response.body)?;
            if response.status >= 300 {
                return Err(format!("not prepared: {target}: {value}").into());
            }
            Outcome::Ok(value["data"].clone())
        };
        let bookings = send("GET", "/v2/teams/1/bookings?take=1&status=upcoming", None)?;
        let roles = send("GET", "/v2/organizations/1/teams/1/roles", None)?;
        let webhook = json!({
            "active": false,
            "subscriberUrl": "https://example.org/known",
            "triggers": ["BOOKING_CREATED"],
        });
        let webhook = send("POST", "/v2/webhooks", Some(webhook))?;
        let slots = "/v2/slots?eventTypeId=1&start=2027-03-08&end=2027-03-31";
        let slots = send("GET", slots, None)?;
        let start = slots
            .as_object()
            .and_then(|days| days.values().next_back()?[0]["start"].as_str())
            .ok_or("there is no free slot")?
            .to_owned();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Ok(Self {
            client_id: service.demo_text("clientId"),
            client_secret: service.demo_text("clientSecret"),
            booking_uid: text(&bookings[0]["uid"]),
            booking_id: bookings[0]["id"].as_i64().unwrap_or(1),
            role_id: text(&roles[0]["id"]),
            webhook_id: text(&webhook["id"]),
            start,
            api_key,
        })
    }

    /// Returns the value of a path parameter. Deletions get an unknown id, because other requests
    /// need the resource.
    fn parameter(&self, operation: &Operation, name: &str) -> String {
        let deletes_resource = operation.method == "DELETE" || operation.path.ends_with("/cancel");
        let is_last = path_parameters(&operation.path).last() == Some(name);
        match name {
            _ if deletes_resource && is_last => "999999".to_owned(),
            "orgId" | "teamId" => "1".to_owned(),
            "clientId" => self.client_id.clone(),
            "bookingUid" => self.booking_uid.clone(),
            "roleId" => self.role_id.clone(),
            "webhookId" => self.webhook_id.clone(),
            "permission" => "booking.read".to_owned(),
            "id" if operation.path.starts_with("/v1/bookings") => self.booking_id.to_string(),
            _ => "1".to_owned(),
        }
    }

    fn path(&self, operation: &Operation) -> String {
        let mut path = operation.path.clone();
        for name in path_parameters(&operation.path) {
            path = path.replace(&format!("{{{name}}}"), &self.parameter(operation, name));
        }
        path
    }

    /// Returns the example of the operation with existing ids and free times.
    fn example(&self, operation: &Operation) -> Map<String, Value> {
        let mut example = operation.example.clone();
        for (name, value) in [
            ("eventTypeId", json!(1)),
            ("start", json!(self.start)),
            ("slotStart", json!(self.start)),
            ("bookingId", json!(self.booking_id)),
            ("teamId", json!(1)),
            ("userId", json!(1)),
        ] {
            if let Some(found) = example.get_mut(name) {
                *found = value;
            }
        }
        if operation.path == "/v2/bookings" {
            example.remove("bookingFieldsResponses");
        }
        example
    }

    fn headers(&self, operation: &Operation) -> String {
        if operation.is_v1 {
            String::new()
        } else if operation.path.starts_with("/v2/oauth") {
            format!(
                "x-svc-client-id: {}\r\nx-svc-secret-key: {}\r\n",
                self.client_id, self.client_secret
            )
        } else {
            format!("authorization: Bearer {}\r\n", self.api_key)
        }
    }
}

fn path_parameters(path: &str) -> impl Iterator<Item = &str> {
    path.split('{')
        .skip(1)
        .filter_map(|rest| rest.split('}').next())
}

/// Builds the requests of all shapes for an operation.
fn requests(operation: &Operation, existing: &ExistingData) -> Vec<Request> {
    let path = existing.path(operation);
    let headers = existing.headers(operation);
    let example = existing.example(operation);
    let plain_body = (operation.has_body).then(|| json!(example).to_string().into_bytes());
    let title = format!("{} {}", operation.method, operation.path);
    let with_api_key = |target: String| {
        if operation.is_v1 {
            let separator = if target.contains('?') { '&' } else { '?' };
            format!("{target}{separator}apiKey={}", existing.api_key)
        } else {
            target
        }
    };
    let build_request =
        |shape: String, target: String, headers: &str, body: Option<Vec<u8>>| Request {
            name: format!("{title}: {shape}"),
            method: operation.method,
            target,
            headers: headers.to_owned(),
            body,
        };
    let mut requests = Vec::new();
    // Queries with and without credentials, because names are validated before authentication.
    for (shape, query) in shapes::queries() {
        let target = format!("{path}?{query}");
        let name = format!("query, {shape}");
        requests.push(build_request(
            name.clone(),
            target.clone(),
            "",
            plain_body.clone(),
        ));
        requests.push(build_request(
            name,
            with_api_key(target),
            &headers,
            plain_body.clone(),
        ));
    }
    for parameter in &operation.query {
        for (shape, value) in shapes::parameters() {
            let mut query = format!("{parameter}={value}");
            if operation.path == "/v2/slots" {
                for default in ["start=2027-03-08", "end=2027-03-31", "eventTypeId=1"] {
                    if !default.starts_with(&format!("{parameter}=")) {
                        query = format!("{query}&{default}");
                    }
                }
            }
            let target = with_api_key(format!("{path}?{query}"));
            let name = format!("parameter {parameter}, {shape}");
            requests.push(build_request(name, target, &headers, plain_body.clone()));
        }
    }
    for parameter in path_parameters(&operation.path) {
        for (shape, segment) in shapes::segments() {
            let part_count = operation.path.split(&format!("{{{parameter}}}")).count();
            if part_count < 2 {
                continue;
            }
            let target = operation
                .path
                .replace(&format!("{{{parameter}}}"), &segment);
            let parameters: Vec<&str> = path_parameters(&operation.path).collect();
            let target = parameters.iter().fold(target, |target, name| {
                target.replace(&format!("{{{name}}}"), &existing.parameter(operation, name))
            });
            let name = format!("path {parameter}, {shape}");
            requests.push(build_request(
                name,
                with_api_key(target),
                &headers,
                plain_body.clone(),
            ));
        }
    }
    for (shape, lines) in shapes::headers() {
        let name = format!("header, {shape}");
        requests.push(build_request(
            name,
            path.clone(),
            &lines,
            plain_body.clone(),
        ));
    }
    // Bodies, also for operations without one.
    for (shape, body) in shapes::bodies() {
        let name = format!("body, {shape}");
        requests.push(build_request(
            name.clone(),
            path.clone(),
            "",
            Some(body.clone()),
        ));
        requests.push(build_request(
            name,
            with_api_key(path.clone()),
            &headers,
            Some(body),
        ));
    }
    for (property, documented) in &operation.properties {
        for (shape, value) in shapes::values(documented.as_ref()) {
            let body = replaced(&example, property, &value);
            let name = format!("property {property}, {shape}");
            requests.push(build_request(
                name,
                with_api_key(path.clone()),
                &headers,
                Some(body),
            ));
        }
    }
    requests
}

/// Returns the example with `property` replaced by `value`, which is JSON text.
fn replaced(example: &Map<String, Value>, property: &str, value: &str) -> Vec<u8> {
    let mut body = String::from("{");
    for (name, other) in example.iter().filter(|(name, _)| *name != property) {
        body += &format!("{}:{other},", json!(name));
    }
    body += &format!("{}:{value}}}", json!(property));
    body.into_bytes()
}
