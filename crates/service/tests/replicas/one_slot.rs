//! Many visitors who want the same slot, through a proxy.

use std::sync::Barrier;
use std::thread;

use chrono::{DateTime, Utc};
use serde_json::json;

use crate::cluster::Cluster;
use crate::fixture::{self, ONE_HOST};
use crate::http;
use crate::postgres::TestDatabase;
use crate::visitors::bookings;

const VISITORS: usize = 200;
const ROUNDS: usize = 10;

#[test]
#[ignore = "needs PostgreSQL"]
fn one_of_200_visitors_through_proxy_gets_the_slot() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let database = runtime.block_on(TestDatabase::create(None)).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let cluster = Cluster::start(directory.path(), &database.url);
    fixture::add(&database.url);
    let address = &cluster.proxy.address;
    for round in 0..ROUNDS {
        let start = format!("2027-03-08T{:02}:00:00Z", 8 + round);
        let barrier = Barrier::new(VISITORS);
        let book = |number: usize| {
            let headers = format!("x-forwarded-for: 10.1.{round}.{number}\r\n");
            let body = json!({
                "start": start,
                "eventTypeId": ONE_HOST,
                "attendee": {"name": "Zoë", "email": format!("{number}@example.org"), "timeZone": "UTC"},
            });
            barrier.wait();
            http::post(address, "/v2/bookings", &headers, &body).expect("a response")
        };
        let responses: Vec<http::Response> = thread::scope(|scope| {
            let book = &book;
            let visitors: Vec<_> = (0..VISITORS)
                .map(|number| scope.spawn(move || book(number)))
                .collect();
            visitors
                .into_iter()
                .map(|visitor| visitor.join().unwrap())
                .collect()
        });
        let (made, rejected): (Vec<_>, Vec<_>) = responses
            .iter()
            .partition(|response| response.status == 201);
        assert_eq!(made.len(), 1, "round {round}");
        for response in rejected {
            assert_eq!(response.status, 409, "round {round}: {}", response.text);
            assert_eq!(response.body["error"]["code"], "ConflictException");
            assert!(
                response.message().contains("has taken it"),
                "{}",
                response.text
            );
        }
        // Not by their order: the clocks of the replicas differ.
        let at = start.parse::<DateTime<Utc>>().unwrap().timestamp_millis();
        let all = bookings(address, &cluster.owner());
        assert_eq!(all.len(), round + 1);
        let uids: Vec<&str> = all
            .iter()
            .filter(|found| found.start == at)
            .map(|found| found.uid.as_str())
            .collect();
        assert_eq!(uids, [made[0].body["data"]["uid"].as_str().unwrap()]);
    }
}
