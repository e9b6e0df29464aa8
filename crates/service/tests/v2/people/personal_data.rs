//! Calls all operations of both API versions as each kind of caller, with data in which every
//! personal text is a canary, and compares the visible canaries with a table.

mod expectations;
mod fixture;
mod log;
mod requests;
mod secrets;

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{Service, TestResponse};
use expectations::{CALLERS, expected, names};
use fixture::{Fixture, client_secret};
use log::Log;
use requests::{KnownIds, Request, operations, requests};

/// A kind of caller with its credentials and known ids.
struct Caller {
    name: &'static str,
    headers: Vec<(String, String)>,
    /// API key for v1.
    key: Option<String>,
    known_ids: KnownIds,
}

fn callers(fixture: &Fixture) -> Vec<Caller> {
    let uids = |names: &[&str]| -> BTreeSet<String> {
        let text = |name: &&str| fixture.canaries.text(&format!("{name}.uid")).to_owned();
        names.iter().map(text).collect()
    };
    let caller = |name: &'static str| {
        let person = name.trim_end_matches("+uid");
        let mut known_ids = KnownIds::default();
        if name == "uid" || person != name {
            known_ids.bookings = uids(&[
                "plain",
                "ended",
                "moved",
                "shy",
                "guarded",
                "class",
                "open-class",
                "group",
            ]);
            known_ids.writable = uids(&["plain", "shy", "guarded", "class"]);
            known_ids.reservations = uids(&["reservation"]);
        }
        let bearer = |token: &str| vec![("authorization".to_owned(), format!("Bearer {token}"))];
        let client = |id: &str| {
            vec![
                ("x-svc-client-id".to_owned(), id.to_owned()),
                ("x-svc-secret-key".to_owned(), client_secret(id)),
            ]
        };
        let mut key = None;
        let headers = match name {
            "nobody" | "uid" => Vec::new(),
            "seat" => {
                known_ids.seats = uids(&["seat1", "seat3"]);
                Vec::new()
            }
            "client" => {
                known_ids.refresh_token = fixture.canaries.text("managed.refresh-token").to_owned();
                client("cliplat")
            }
            "other-client" => client("cliother"),
            "managed" => bearer(fixture.canaries.text("managed.access-token")),
            _ => {
                key = Some(fixture::key(person));
                bearer(&fixture::key(person))
            }
        };
        Caller {
            name,
            headers,
            key,
            known_ids,
        }
    };
    CALLERS.into_iter().map(caller).collect()
}

/// Canaries seen in responses, and counts of requests.
#[derive(Default)]
struct Observations {
    /// First operation that returned a canary, by canary and caller.
    first: BTreeMap<(&'static str, &'static str), String>,
    /// Operations with at least one successful response.
    succeeded: BTreeSet<String>,
    requests: usize,
    successful_writes: usize,
}

impl Observations {
    fn merge(&mut self, other: Self) {
        self.first.extend(other.first);
        self.succeeded.extend(other.succeeded);
        self.requests += other.requests;
        self.successful_writes += other.successful_writes;
    }
}

/// Calls the operations on its own service instance.
struct Crawler<'a> {
    fixture: &'a Fixture,
    service: Service,
    observed: Observations,
}

impl<'a> Crawler<'a> {
    async fn new(fixture: &'a Fixture) -> Self {
        Self {
            fixture,
            service: fixture.service().await,
            observed: Observations::default(),
        }
    }

    /// Sends all reads, twice because responses reveal ids, and then all writes.
    async fn crawl(&mut self, caller: &mut Caller) {
        let mut read = BTreeSet::new();
        for is_write in [false, false, true] {
            for (method, path) in operations().filter(|(method, _)| (*method != "GET") == is_write)
            {
                for request in requests(method, path, &caller.known_ids) {
                    if !is_write && !read.insert(request.target.clone()) {
                        continue;
                    }
                    let response = self.send(caller, &request).await;
                    if is_write && response.is_some_and(|response| response.status < 300) {
                        self.fixture.restore(&self.service).await;
                        self.observed.successful_writes += 1;
                    }
                }
            }
        }
    }

    /// Sends a request and records the canaries in its response.
    async fn send(&mut self, caller: &mut Caller, request: &Request) -> Option<TestResponse> {
        let mut target = request.target.clone();
        let mut headers = caller.headers.clone();
        if target.starts_with("/v1") {
            let separator = if target.contains('?') { '&' } else { '?' };
            target = format!("{target}{separator}apiKey={}", caller.key.as_ref()?);
            headers.clear();
        }
        let method = request.method.parse().unwrap();
        let response = self
            .service
            .call(method, &target, &headers, request.body.clone())
            .await;
        let name = format!("{} {target} as {}", request.method, caller.name);
        assert!(response.status < 500, "{name}: {}", response.text);
        assert_eq!(response.headers["cache-control"], "no-store", "{name}");
        assert_eq!(
            response.headers["x-content-type-options"], "nosniff",
            "{name}"
        );
        self.observed.requests += 1;
        if response.status < 300 {
            self.observed.succeeded.insert(request.operation.clone());
        }
        let sent = format!("{target} {}", request.body.clone().unwrap_or_default());
        let sent: BTreeSet<&str> = self.fixture.canaries.found_in(&sent).collect();
        for canary in self.fixture.canaries.found_in(&response.text) {
            if !sent.contains(canary) {
                self.observed
                    .first
                    .entry((canary, caller.name))
                    .or_insert_with(|| format!("{} {}", request.method, request.target));
                caller
                    .known_ids
                    .learn(canary, self.fixture.canaries.text(canary));
            }
        }
        Some(response)
    }
}

#[test]
fn personal_data_is_visible_only_to_authorized_callers() {
    let fixture = run(Fixture::new(&names()));
    let mut observed = Observations::default();
    // Each thread uses its own service.
    let shares = 4;
    std::thread::scope(|scope| {
        let fixture = &fixture;
        let share = |index: usize| {
            let callers = callers(fixture).into_iter().skip(index).step_by(shares);
            let log = Log::default();
            let _capture = log.capture();
            let observed = run(async {
                let mut crawler = Crawler::new(fixture).await;
                for mut caller in callers {
                    crawler.crawl(&mut caller).await;
                }
                crawler.observed
            });
            log.assert_free_of(&fixture.canaries);
            observed
        };
        let threads: Vec<_> = (0..shares)
            .map(|index| scope.spawn(move || share(index)))
            .collect();
        for thread in threads {
            observed.merge(thread.join().unwrap());
        }
    });
    let operations: BTreeSet<String> = operations()
        .map(|(method, path)| format!("{method} {path}"))
        .collect();
    let expected = expected();
    println!(
        "{} operations x {} callers x {} canaries: {} requests, {} writes succeeded, {} pairs seen",
        operations.len(),
        CALLERS.len(),
        names().len(),
        observed.requests,
        observed.successful_writes,
        observed.first.len()
    );
    let mut differences = Vec::new();
    for ((canary, caller), operation) in &observed.first {
        if !expected.contains(&(canary, caller)) {
            differences.push(format!("{caller} sees {canary} by {operation}"));
        }
    }
    for (canary, caller) in &expected {
        if !observed.first.contains_key(&(canary, caller)) {
            differences.push(format!("{caller} does not see {canary}"));
        }
    }
    assert!(
        differences.is_empty(),
        "{} differences:\n{}",
        differences.len(),
        differences.join("\n")
    );
    let never_succeeded: Vec<_> = operations.difference(&observed.succeeded).collect();
    assert!(
        never_succeeded.is_empty(),
        "never succeeded: {never_succeeded:#?}"
    );
}

/// Sends the reads as several callers, then in reverse order: the responses are equal.
#[tokio::test]
async fn read_response_does_not_depend_on_previous_callers() {
    let fixture = Fixture::new(&names()).await;
    let mut crawler = Crawler::new(&fixture).await;
    let chosen = [
        "nobody",
        "uid",
        "stranger+uid",
        "member",
        "host",
        "org-owner",
        "operator",
    ];
    let mut callers: Vec<Caller> = callers(&fixture)
        .into_iter()
        .filter(|caller| chosen.contains(&caller.name))
        .collect();
    let reads: Vec<_> = operations()
        .filter(|(method, _)| *method == "GET")
        .collect();
    // Lists reveal more ids, so the first round is not compared.
    let mut rounds = Vec::new();
    for _ in 0..3 {
        let mut responses = BTreeMap::new();
        for caller in &mut callers {
            for (method, path) in &reads {
                for request in requests(method, path, &caller.known_ids) {
                    let Some(response) = crawler.send(caller, &request).await else {
                        continue;
                    };
                    let name = format!("{} as {}", request.target, caller.name);
                    responses.insert(name, (response.status, response.text));
                }
            }
        }
        rounds.push(responses);
        callers.reverse();
    }
    assert!(rounds[1].len() > 2000, "{}", rounds[1].len());
    for (name, response) in &rounds[1] {
        assert_eq!(Some(response), rounds[2].get(name), "{name}");
    }
}

/// Errors outside of operations: unknown paths, wrong methods and oversized requests.
#[tokio::test]
async fn every_error_has_no_store_and_nosniff_headers() {
    let fixture = Fixture::new(&names()).await;
    let service = fixture.service().await;
    let long = format!("/v2/me?x={}", "x".repeat(20_000));
    let many = format!("/v2/slots?{}", "x=1&".repeat(2_000));
    let large = serde_json::json!({"name": "x".repeat(2_000_000)});
    let mut statuses = BTreeSet::new();
    for version in ["v1", "v2"] {
        for (method, target, body) in [
            ("GET", format!("/{version}"), None),
            ("GET", format!("/{version}/nothing"), None),
            ("PUT", format!("/{version}/webhooks"), None),
            ("GET", format!("/{version}/webhooks"), None),
            ("GET", long.replace("v2", version), None),
            ("GET", many.replace("v2", version), None),
            ("POST", format!("/{version}/bookings"), Some(large.clone())),
            ("GET", format!("/{version}/openapi.json"), None),
        ] {
            let method = method.parse().unwrap();
            let response = service.call(method, &target, &[], body).await;
            let target = &target[..target.len().min(40)];
            assert_eq!(response.headers["cache-control"], "no-store", "{target}");
            let kind = &response.headers["x-content-type-options"];
            assert_eq!(kind, "nosniff", "{target}");
            statuses.insert(response.status);
        }
    }
    assert_eq!(statuses, [200, 400, 401, 404, 405, 413, 414].into());
}

fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(future)
}
