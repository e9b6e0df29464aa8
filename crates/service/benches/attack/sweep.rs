//! Phase 1: every operation with every shape, one request at a time.

use std::fmt;

use serde_json::{Map, Value, json};

use crate::client::{Client, Request};
use crate::operations::Operation;
use crate::process::Service;
use crate::{Findings, MAX_CPU_MS, MAX_LIST_CPU_MS, MAX_RESPONSE_BYTES, Outcome, shapes};

/// Requests that are kept for the flood.
const SLOWEST: usize = 40;
/// Attempts at a request that seems to cost too much: background work falls on some.
const ATTEMPTS: usize = 4;
/// Statuses of the service's own failures. 503 and 504 are refusals, and none is expected here.
const FAILURE: u16 = 500;

/// Result of the sweep.
pub(crate) struct Swept {
    requests: usize,
    statuses: std::collections::BTreeMap<u16, usize>,
    largest: (usize, String),
    /// The requests that took most processor time, the most expensive first.
    pub(crate) slowest: Vec<(f64, Request)>,
    peak_memory_mib: u64,
}

impl fmt::Display for Swept {
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

/// Sends everything.
pub(crate) fn run(
    service: &Service,
    operations: &[Operation],
    short: bool,
    findings: &mut Findings,
) -> Outcome<Swept> {
    let known = Known::read(service)?;
    let mut client = Client::new(&service.address);
    let mut swept = Swept {
        requests: 0,
        statuses: std::collections::BTreeMap::new(),
        largest: (0, String::new()),
        slowest: Vec::new(),
        peak_memory_mib: 0,
    };
    for (index, operation) in operations.iter().enumerate() {
        let mut requests = requests(operation, &known);
        if short {
            // Each run of the short form has a third of them, each operation another third.
            let mut count = index;
            requests.retain(|_| {
                count += 1;
                count % 3 == 0
            });
        }
        for request in requests {
            swept.add(service, &mut client, request, operation.is_list(), findings)?;
        }
    }
    swept.peak_memory_mib = service.memory_mib("VmHWM")?;
    Ok(swept)
}

impl Swept {
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
        if status >= FAILURE {
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
        let least = self.slowest.last().map_or(0.0, |(cpu_ms, _)| *cpu_ms);
        if self.slowest.len() < SLOWEST || cpu_ms > least {
            self.slowest.push((cpu_ms, request));
            self.slowest
                .sort_by(|(left, _), (right, _)| right.total_cmp(left));
            self.slowest.truncate(SLOWEST);
        }
        Ok(())
    }
}

/// Status, size of the body and processor time in milliseconds of a request; none if the connection
/// ends without a response. The least of several attempts if the first takes more than `max_cpu_ms`.
pub(crate) fn measure(
    service: &Service,
    client: &mut Client,
    request: &Request,
    max_cpu_ms: f64,
) -> Outcome<Option<(u16, usize, f64)>> {
    let bytes = request.bytes(&service.address);
    let mut least: Option<(u16, usize, f64)> = None;
    for _ in 0..ATTEMPTS {
        let before = service.cpu_ms()?;
        let Some(response) = client.send(&bytes)? else {
            return Ok(least);
        };
        let cpu_ms = service.cpu_ms()? - before;
        if least.is_none_or(|(_, _, least)| cpu_ms < least) {
            least = Some((response.status, response.body.len(), cpu_ms));
        }
        // A write that was done is another request the second time.
        if cpu_ms <= max_cpu_ms || request.method != "GET" && response.status < 300 {
            break;
        }
    }
    Ok(least)
}

/// Ids and credentials that exist.
pub(crate) struct Known {
    api_key: String,
    client_id: String,
    client_secret: String,
    booking_uid: String,
    booking_id: i64,
    role_id: String,
    webhook_id: String,
    start: String,
}

impl Known {
    pub(crate) fn read(service: &Service) -> Outcome<Self> {
        let api_key = service.demo_text("apiKey");
        let mut client = Client::new(&service.address);
        let mut ask = |method: &'static str, target: &str, body: Option<Value>| {
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
        let bookings = ask("GET", "/v2/teams/1/bookings?take=1&status=upcoming", None)?;
        let roles = ask("GET", "/v2/organizations/1/teams/1/roles", None)?;
        let webhook = json!({
            "active": false,
            "subscriberUrl": "https://example.org/known",
            "triggers": ["BOOKING_CREATED"],
        });
        let webhook = ask("POST", "/v2/webhooks", Some(webhook))?;
        let slots = "/v2/slots?eventTypeId=1&start=2027-03-08&end=2027-03-31";
        let slots = ask("GET", slots, None)?;
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

    /// A value of a parameter of a path. What is deleted does not exist, because others need it.
    fn parameter(&self, operation: &Operation, name: &str) -> String {
        let ends_something = operation.method == "DELETE" || operation.path.ends_with("/cancel");
        let is_last = path_parameters(&operation.path).last() == Some(name);
        match name {
            _ if ends_something && is_last => "999999".to_owned(),
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

    /// The operation's example with ids and times that exist.
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

/// Every shape for an operation.
fn requests(operation: &Operation, known: &Known) -> Vec<Request> {
    let path = known.path(operation);
    let headers = known.headers(operation);
    let example = known.example(operation);
    let plain_body = (operation.has_body).then(|| json!(example).to_string().into_bytes());
    let title = format!("{} {}", operation.method, operation.path);
    let keyed = |target: String| {
        if operation.is_v1 {
            let mark = if target.contains('?') { '&' } else { '?' };
            format!("{target}{mark}apiKey={}", known.api_key)
        } else {
            target
        }
    };
    let make = |shape: String, target: String, headers: &str, body: Option<Vec<u8>>| Request {
        name: format!("{title}: {shape}"),
        method: operation.method,
        target,
        headers: headers.to_owned(),
        body,
    };
    let mut requests = Vec::new();
    // Queries, with and without credentials: names are looked at before anybody is known.
    for (shape, query) in shapes::queries() {
        let target = format!("{path}?{query}");
        let name = format!("query, {shape}");
        requests.push(make(name.clone(), target.clone(), "", plain_body.clone()));
        requests.push(make(name, keyed(target), &headers, plain_body.clone()));
    }
    for parameter in &operation.query {
        for (shape, value) in shapes::parameters() {
            let mut query = format!("{parameter}={value}");
            if operation.path == "/v2/slots" {
                for usual in ["start=2027-03-08", "end=2027-03-31", "eventTypeId=1"] {
                    if !usual.starts_with(&format!("{parameter}=")) {
                        query = format!("{query}&{usual}");
                    }
                }
            }
            let target = keyed(format!("{path}?{query}"));
            let name = format!("parameter {parameter}, {shape}");
            requests.push(make(name, target, &headers, plain_body.clone()));
        }
    }
    for parameter in path_parameters(&operation.path) {
        for (shape, segment) in shapes::segments() {
            let kept = operation.path.split(&format!("{{{parameter}}}")).count();
            if kept < 2 {
                continue;
            }
            let target = operation
                .path
                .replace(&format!("{{{parameter}}}"), &segment);
            let rest: Vec<&str> = path_parameters(&operation.path).collect();
            let target = rest.iter().fold(target, |target, name| {
                target.replace(&format!("{{{name}}}"), &known.parameter(operation, name))
            });
            let name = format!("path {parameter}, {shape}");
            requests.push(make(name, keyed(target), &headers, plain_body.clone()));
        }
    }
    for (shape, lines) in shapes::headers() {
        let name = format!("header, {shape}");
        requests.push(make(name, path.clone(), &lines, plain_body.clone()));
    }
    // Bodies, also of operations that take none.
    for (shape, body) in shapes::bodies() {
        let name = format!("body, {shape}");
        requests.push(make(name.clone(), path.clone(), "", Some(body.clone())));
        requests.push(make(name, keyed(path.clone()), &headers, Some(body)));
    }
    for (property, documented) in &operation.properties {
        for (shape, value) in shapes::values(documented.as_ref()) {
            let body = replaced(&example, property, &value);
            let name = format!("property {property}, {shape}");
            requests.push(make(name, keyed(path.clone()), &headers, Some(body)));
        }
    }
    requests
}

/// The example with `value`, which is JSON, in the place of `property`.
fn replaced(example: &Map<String, Value>, property: &str, value: &str) -> Vec<u8> {
    let mut body = String::from("{");
    for (name, other) in example.iter().filter(|(name, _)| *name != property) {
        body += &format!("{}:{other},", json!(name));
    }
    body += &format!("{}:{value}}}", json!(property));
    body.into_bytes()
}
