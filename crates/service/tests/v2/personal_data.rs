//! Walks over all operations of both versions as each kind of caller, in a world in which every
//! personal text is a canary, and holds what is seen against a table.

mod expectations;
mod log;
mod requests;
mod secrets;
mod world;

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{Answer, Service};
use expectations::{CALLERS, expected, names};
use log::Log;
use requests::{Known, Request, operations, requests};
use world::{World, client_secret};

/// Somebody who calls.
struct Caller {
    name: &'static str,
    headers: Vec<(String, String)>,
    /// For version 1.
    key: Option<String>,
    known: Known,
}

fn callers(world: &World) -> Vec<Caller> {
    let uids = |names: &[&str]| -> BTreeSet<String> {
        let text = |name: &&str| world.canaries.text(&format!("{name}.uid")).to_owned();
        names.iter().map(text).collect()
    };
    let caller = |name: &'static str| {
        let person = name.trim_end_matches("+uid");
        let mut known = Known::default();
        if name == "uid" || person != name {
            known.bookings = uids(&[
                "plain",
                "ended",
                "moved",
                "shy",
                "guarded",
                "class",
                "open-class",
                "group",
            ]);
            known.acted_on = uids(&["plain", "shy", "guarded", "class"]);
            known.reservations = uids(&["reservation"]);
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
                known.seats = uids(&["seat1", "seat3"]);
                Vec::new()
            }
            "client" => {
                known.refresh_token = world.canaries.text("managed.refresh-token").to_owned();
                client("cliplat")
            }
            "other-client" => client("cliother"),
            "managed" => bearer(world.canaries.text("managed.access-token")),
            _ => {
                key = Some(world::key(person));
                bearer(&world::key(person))
            }
        };
        Caller {
            name,
            headers,
            key,
            known,
        }
    };
    CALLERS.into_iter().map(caller).collect()
}

/// Canaries that were seen, and the number of requests.
#[derive(Default)]
struct Seen {
    /// The first operation in whose response each canary was seen, by canary and caller.
    first: BTreeMap<(&'static str, &'static str), String>,
    /// Operations with a success.
    succeeded: BTreeSet<String>,
    requests: usize,
    successful_writes: usize,
}

impl Seen {
    fn merge(&mut self, other: Self) {
        self.first.extend(other.first);
        self.succeeded.extend(other.succeeded);
        self.requests += other.requests;
        self.successful_writes += other.successful_writes;
    }
}

/// Walks over the operations in a service of its own.
struct Walk<'a> {
    world: &'a World,
    service: Service,
    seen: Seen,
}

impl<'a> Walk<'a> {
    async fn new(world: &'a World) -> Self {
        Self {
            world,
            service: world.service().await,
            seen: Seen::default(),
        }
    }

    /// Reads all there is, again as long as that leads to more, and then tries all writes.
    async fn walk(&mut self, caller: &mut Caller) {
        let mut read = BTreeSet::new();
        for is_write in [false, false, true] {
            for (method, path) in operations().filter(|(method, _)| (*method != "GET") == is_write)
            {
                for request in requests(method, path, &caller.known) {
                    if !is_write && !read.insert(request.target.clone()) {
                        continue;
                    }
                    let answer = self.send(caller, &request).await;
                    if is_write && answer.is_some_and(|answer| answer.status < 300) {
                        self.world.restore(&self.service).await;
                        self.seen.successful_writes += 1;
                    }
                }
            }
        }
    }

    /// Sends a request and notes what its response shows.
    async fn send(&mut self, caller: &mut Caller, request: &Request) -> Option<Answer> {
        let mut target = request.target.clone();
        let mut headers = caller.headers.clone();
        if target.starts_with("/v1") {
            let mark = if target.contains('?') { '&' } else { '?' };
            target = format!("{target}{mark}apiKey={}", caller.key.as_ref()?);
            headers.clear();
        }
        let method = request.method.parse().unwrap();
        let answer = self
            .service
            .call(method, &target, &headers, request.body.clone())
            .await;
        let name = format!("{} {target} as {}", request.method, caller.name);
        assert!(answer.status < 500, "{name}: {}", answer.text);
        assert_eq!(answer.headers["cache-control"], "no-store", "{name}");
        assert_eq!(
            answer.headers["x-content-type-options"], "nosniff",
            "{name}"
        );
        self.seen.requests += 1;
        if answer.status < 300 {
            self.seen.succeeded.insert(request.operation.clone());
        }
        let sent = format!("{target} {}", request.body.clone().unwrap_or_default());
        let sent: BTreeSet<&str> = self.world.canaries.found_in(&sent).collect();
        for canary in self.world.canaries.found_in(&answer.text) {
            if !sent.contains(canary) {
                self.seen
                    .first
                    .entry((canary, caller.name))
                    .or_insert_with(|| format!("{} {}", request.method, request.target));
                caller.known.learn(canary, self.world.canaries.text(canary));
            }
        }
        Some(answer)
    }
}

#[test]
fn personal_data_is_seen_by_those_who_may_see_it_and_by_nobody_else() {
    let world = run(World::new(&names()));
    let mut seen = Seen::default();
    // Each in a service of their own.
    let shares = 4;
    std::thread::scope(|scope| {
        let world = &world;
        let share = |index: usize| {
            let callers = callers(world).into_iter().skip(index).step_by(shares);
            let log = Log::default();
            let _capture = log.capture();
            let seen = run(async {
                let mut walk = Walk::new(world).await;
                for mut caller in callers {
                    walk.walk(&mut caller).await;
                }
                walk.seen
            });
            log.assert_free_of(&world.canaries);
            seen
        };
        let threads: Vec<_> = (0..shares)
            .map(|index| scope.spawn(move || share(index)))
            .collect();
        for thread in threads {
            seen.merge(thread.join().unwrap());
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
        seen.requests,
        seen.successful_writes,
        seen.first.len()
    );
    let mut differences = Vec::new();
    for ((canary, caller), operation) in &seen.first {
        if !expected.contains(&(canary, caller)) {
            differences.push(format!("{caller} sees {canary} by {operation}"));
        }
    }
    for (canary, caller) in &expected {
        if !seen.first.contains_key(&(canary, caller)) {
            differences.push(format!("{caller} does not see {canary}"));
        }
    }
    assert!(
        differences.is_empty(),
        "{} differences:\n{}",
        differences.len(),
        differences.join("\n")
    );
    let unsound: Vec<_> = operations.difference(&seen.succeeded).collect();
    assert!(unsound.is_empty(), "never succeeded: {unsound:#?}");
}

/// Asks as several callers in one service, then in the other order: the responses are the same.
#[tokio::test]
async fn response_to_a_read_does_not_depend_on_who_asked_before() {
    let world = World::new(&names()).await;
    let mut walk = Walk::new(&world).await;
    let chosen = [
        "nobody",
        "uid",
        "stranger+uid",
        "member",
        "host",
        "org-owner",
        "operator",
    ];
    let mut callers: Vec<Caller> = callers(&world)
        .into_iter()
        .filter(|caller| chosen.contains(&caller.name))
        .collect();
    let reads: Vec<_> = operations()
        .filter(|(method, _)| *method == "GET")
        .collect();
    // What lists show leads to more, so the first round is not compared.
    let mut rounds = Vec::new();
    for _ in 0..3 {
        let mut answers = BTreeMap::new();
        for caller in &mut callers {
            for (method, path) in &reads {
                for request in requests(method, path, &caller.known) {
                    let Some(answer) = walk.send(caller, &request).await else {
                        continue;
                    };
                    let name = format!("{} as {}", request.target, caller.name);
                    answers.insert(name, (answer.status, answer.text));
                }
            }
        }
        rounds.push(answers);
        callers.reverse();
    }
    assert!(rounds[1].len() > 2000, "{}", rounds[1].len());
    for (name, answer) in &rounds[1] {
        assert_eq!(Some(answer), rounds[2].get(name), "{name}");
    }
}

/// Responses that no operation makes: of paths, methods and sizes that there are not.
#[tokio::test]
async fn every_error_forbids_to_be_stored_and_to_be_guessed_at() {
    let world = World::new(&names()).await;
    let service = world.service().await;
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
            let answer = service.call(method, &target, &[], body).await;
            let target = &target[..target.len().min(40)];
            assert_eq!(answer.headers["cache-control"], "no-store", "{target}");
            let kind = &answer.headers["x-content-type-options"];
            assert_eq!(kind, "nosniff", "{target}");
            statuses.insert(answer.status);
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
