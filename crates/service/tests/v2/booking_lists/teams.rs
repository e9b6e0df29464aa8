//! GET /v2/teams/{teamId}/bookings: each filter compared with the unfiltered list.

use booking_wire::Instant;
use serde_json::{Value, json};

use crate::common::{NOW, Service};

const LIST: &str = "/v2/teams/1/bookings";

/// Returns true if a page has the requested order.
type IsSorted = Box<dyn Fn(&[Value]) -> bool>;

struct Team {
    service: Service,
    all: Vec<Value>,
}

impl Team {
    async fn start() -> Self {
        let service = Service::start().await;
        // The demo has no occurrence to be confirmed.
        service
            .sql(&format!(
                "UPDATE bookings SET status = 'pending' WHERE id = (
                     SELECT id FROM bookings
                     WHERE series_uid IS NOT NULL AND status = 'accepted' AND start_ms > {} LIMIT 1)",
                now()
            ))
            .await;
        let all = service
            .get_as(&format!("{LIST}?take=250&sortStart=asc"), service.manager())
            .await;
        let all = all.data().as_array().unwrap().clone();
        assert!(all.len() > 200 && all.len() < 250);
        Self { service, all }
    }

    /// Compares a filter with a predicate over the unfiltered list.
    async fn check(&self, query: &str, predicate: impl Fn(&Value) -> bool) {
        let response = self
            .service
            .get_as(
                &format!("{LIST}?take=250&sortStart=asc&{query}"),
                self.service.manager(),
            )
            .await;
        let found: Vec<&Value> = response.data().as_array().unwrap().iter().collect();
        let expected: Vec<&Value> = self
            .all
            .iter()
            .filter(|booking| predicate(booking))
            .collect();
        assert!(
            !expected.is_empty(),
            "{query}: the demo has no such booking"
        );
        assert!(
            expected.len() < self.all.len(),
            "{query}: the filter would change nothing"
        );
        assert_eq!(uids(&found), uids(&expected), "{query}");
        assert_eq!(
            response.body["pagination"]["totalItems"],
            expected.len(),
            "{query}"
        );
    }
}

fn uids(bookings: &[&Value]) -> Vec<String> {
    let mut uids: Vec<String> = bookings
        .iter()
        .map(|booking| booking["uid"].as_str().unwrap().to_owned())
        .collect();
    uids.sort();
    uids
}

fn epoch_ms(booking: &Value, key: &str) -> i64 {
    Instant::parse(booking[key].as_str().unwrap()).unwrap().0
}

fn now() -> i64 {
    Instant::parse(NOW).unwrap().0
}

fn is_cancelled(booking: &Value) -> bool {
    matches!(
        booking["status"].as_str().unwrap(),
        "cancelled" | "rejected"
    )
}

fn is_recurring(booking: &Value) -> bool {
    booking["recurringBookingUid"].is_string()
}

fn is_upcoming(booking: &Value) -> bool {
    epoch_ms(booking, "end") >= now()
        && if is_recurring(booking) {
            booking["status"] == "accepted"
        } else {
            !is_cancelled(booking)
        }
}

fn is_unconfirmed(booking: &Value) -> bool {
    epoch_ms(booking, "end") >= now() && booking["status"] == "pending"
}

#[tokio::test]
async fn status_filters_follow_the_contract() {
    let team = Team::start().await;
    let recurring = |booking: &Value| {
        epoch_ms(booking, "end") >= now() && is_recurring(booking) && !is_cancelled(booking)
    };
    team.check("status=upcoming", is_upcoming).await;
    team.check("status=recurring", recurring).await;
    team.check("status=past", |booking| {
        epoch_ms(booking, "end") <= now() && !is_cancelled(booking)
    })
    .await;
    team.check("status=cancelled", is_cancelled).await;
    team.check("status=unconfirmed", is_unconfirmed).await;
    // A pending single booking is upcoming, a pending occurrence of a series is not.
    assert!(
        team.all
            .iter()
            .any(|booking| is_upcoming(booking) && is_unconfirmed(booking))
    );
    assert!(
        team.all
            .iter()
            .any(|booking| !is_upcoming(booking) && is_unconfirmed(booking))
    );
}

#[tokio::test]
async fn several_statuses_are_combined_with_or() {
    let team = Team::start().await;
    let either = |booking: &Value| is_cancelled(booking) || is_unconfirmed(booking);
    for query in [
        "status=cancelled,unconfirmed",
        "status=unconfirmed,%20cancelled",
        "status=cancelled&status=unconfirmed",
        "status[]=cancelled&status[]=unconfirmed",
    ] {
        team.check(query, either).await;
    }
}

#[tokio::test]
async fn attendee_filters_match_email_and_name_exactly() {
    let team = Team::start().await;
    let attends = |key: &'static str, value: &'static str| {
        move |booking: &Value| {
            booking["attendees"]
                .as_array()
                .unwrap()
                .iter()
                .any(|attendee| attendee[key] == value)
        }
    };
    for email in ["zoe.lukasik@example.org", "Zoe.Lukasik@Example.org"] {
        team.check(
            &format!("attendeeEmail={email}"),
            attends("email", "zoe.lukasik@example.org"),
        )
        .await;
    }
    team.check(
        "attendeeName=%E7%8E%8B%E5%B0%8F%E6%98%8E",
        attends("name", "王小明"),
    )
    .await;
    team.check(
        "attendeeName=%20Yuki+Tanaka%20",
        attends("name", "Yuki Tanaka"),
    )
    .await;
    let none = team
        .service
        .get_as(&format!("{LIST}?attendeeName=Yuki"), team.service.manager())
        .await;
    assert_eq!(none.data(), &json!([]));
}

#[tokio::test]
async fn unescaped_plus_in_email_is_kept() {
    let service = Service::start().await;
    let id = service
        .event_type_of(
            "talk",
            Some("roundRobin"),
            &[crate::common::HOST],
            json!({}),
        )
        .await;
    let mut body = crate::common::booking(id, "2027-03-02T09:00:00Z");
    body["attendee"]["email"] = json!("zoe+work@example.org");
    let uid = service.post("/v2/bookings", body).await.data()["uid"].clone();
    for email in ["zoe+work@example.org", "zoe%2Bwork@example.org"] {
        let response = service
            .get_as(&format!("{LIST}?attendeeEmail={email}"), service.manager())
            .await;
        assert_eq!(response.data()[0]["uid"], uid, "{email}");
        assert_eq!(response.body["pagination"]["totalItems"], 1);
    }
}

#[tokio::test]
async fn list_is_filtered_by_uid_event_type_and_host() {
    let team = Team::start().await;
    let uid = team.all[7]["uid"].as_str().unwrap().to_owned();
    team.check(&format!("bookingUid={uid}"), |booking| {
        booking["uid"] == json!(uid)
    })
    .await;
    team.check("eventTypeId=4", |booking| booking["eventTypeId"] == 4)
        .await;
    let several =
        |booking: &Value| booking["eventType"]["id"] == 3 || booking["eventType"]["id"] == 5;
    team.check("eventTypeIds=3,5", several).await;
    team.check("eventTypeIds=3&eventTypeIds=5", several).await;
    team.check("eventTypeIds=3,5&eventTypeId=5", |booking| {
        booking["eventTypeId"] == 5
    })
    .await;
    let has_host = |booking: &Value, ids: &[i64]| {
        let hosts = booking["hosts"].as_array().unwrap();
        hosts
            .iter()
            .any(|host| ids.iter().any(|id| host["id"] == *id))
    };
    let host = team.all[0]["hosts"][0]["id"].as_i64().unwrap();
    team.check(&format!("hostIds={host}"), |booking| {
        has_host(booking, &[host])
    })
    .await;
    let other = host + 1;
    team.check(
        &format!("hostIds={host},{other}&eventTypeId=3"),
        |booking| has_host(booking, &[host, other]) && booking["eventTypeId"] == 3,
    )
    .await;
}

#[tokio::test]
async fn time_bounds_are_inclusive() {
    let team = Team::start().await;
    let start = team.all[40]["start"].as_str().unwrap().to_owned();
    let from = epoch_ms(&team.all[40], "start");
    team.check(&format!("afterStart={start}"), |booking| {
        epoch_ms(booking, "start") >= from
    })
    .await;
    let end = team.all[150]["end"].as_str().unwrap().to_owned();
    let to = epoch_ms(&team.all[150], "end");
    team.check(&format!("beforeEnd={end}"), |booking| {
        epoch_ms(booking, "end") <= to
    })
    .await;
    team.check(&format!("afterStart={start}&beforeEnd={end}"), |booking| {
        epoch_ms(booking, "start") >= from && epoch_ms(booking, "end") <= to
    })
    .await;
    let midnight = Instant::parse("2027-03-01").unwrap().0;
    team.check("afterStart=2027-03-01", |booking| {
        epoch_ms(booking, "start") >= midnight
    })
    .await;
    for time in ["01:00:00%2B01:00", "01:00:00+01:00", "00:00"] {
        team.check(&format!("afterStart=2027-03-01T{time}"), |booking| {
            epoch_ms(booking, "start") >= midnight
        })
        .await;
    }
    let noon = Instant::parse("2027-03-02T12:00:00Z").unwrap().0;
    team.check("afterStart=2027-03-02%2012:00", |booking| {
        epoch_ms(booking, "start") >= noon
    })
    .await;
}

#[tokio::test]
async fn filters_are_combined_with_and() {
    let team = Team::start().await;
    team.check(
        "status=upcoming&eventTypeId=4&afterStart=2027-03-10",
        |booking| {
            is_upcoming(booking)
                && booking["eventTypeId"] == 4
                && epoch_ms(booking, "start") >= Instant::parse("2027-03-10").unwrap().0
        },
    )
    .await;
}

#[tokio::test]
async fn first_sort_wins_and_status_sets_default_order() {
    let team = Team::start().await;
    let sorted = |key: &'static str, descending: bool| {
        move |bookings: &[Value]| {
            bookings.windows(2).all(|pair| {
                let (a, b) = (epoch_ms(&pair[0], key), epoch_ms(&pair[1], key));
                if descending { a >= b } else { a <= b }
            })
        }
    };
    let cases: [(&str, IsSorted); 10] = [
        ("sortStart=asc", Box::new(sorted("start", false))),
        ("sortStart=desc", Box::new(sorted("start", true))),
        ("sortEnd=asc", Box::new(sorted("end", false))),
        ("sortEnd=desc", Box::new(sorted("end", true))),
        ("sortCreated=asc", Box::new(sorted("createdAt", false))),
        ("sortCreated=desc", Box::new(sorted("createdAt", true))),
        (
            "sortCreated=asc&sortStart=desc",
            Box::new(sorted("start", true)),
        ),
        ("status=past", Box::new(sorted("start", true))),
        ("status=upcoming", Box::new(sorted("start", false))),
        ("status=past,upcoming", Box::new(sorted("start", false))),
    ];
    for (query, is_sorted) in cases {
        let response = team
            .service
            .get_as(&format!("{LIST}?take=250&{query}"), team.service.manager())
            .await;
        let bookings = response.data().as_array().unwrap();
        assert!(bookings.len() > 10 && is_sorted(bookings), "{query}");
    }
}

#[tokio::test]
async fn pages_cover_the_list_without_gap_or_repetition() {
    let team = Team::start().await;
    let total = team.all.len();
    let mut listed = Vec::new();
    for skip in (0..total).step_by(40) {
        let response = team
            .service
            .get_as(
                &format!("{LIST}?take=40&skip={skip}&sortStart=asc"),
                team.service.manager(),
            )
            .await;
        let page = response.data().as_array().unwrap().clone();
        let returned = page.len();
        listed.extend(page);
        assert_eq!(
            response.body["pagination"],
            json!({
                "totalItems": total,
                "itemsPerPage": 40,
                "returnedItems": returned,
                "remainingItems": total - skip - returned,
                "totalPages": total.div_ceil(40),
                "currentPage": skip / 40 + 1,
                "hasNextPage": skip + 40 < total,
                "hasPreviousPage": skip > 0,
            })
        );
        assert_eq!(response.body["error"], json!({}));
    }
    assert_eq!(listed, team.all);
    let beyond = team
        .service
        .get_as(&format!("{LIST}?skip=5000"), team.service.manager())
        .await;
    assert_eq!(beyond.data(), &json!([]));
    let default = team.service.get_as(LIST, team.service.manager()).await;
    assert_eq!(default.data().as_array().unwrap().len(), 100);
}

#[tokio::test]
async fn list_contains_all_booking_variants() {
    let team = Team::start().await;
    let seated = |booking: &&Value| booking.get("bookingFieldsResponses").is_none();
    let seats = team.all.iter().find(seated).unwrap();
    assert!(
        seats["attendees"]
            .as_array()
            .unwrap()
            .iter()
            .all(|attendee| attendee["seatUid"].is_string())
    );
    assert!(team.all.iter().any(is_recurring));
    let moved = team
        .all
        .iter()
        .find(|booking| booking["rescheduledToUid"].is_string())
        .unwrap();
    let successor = team
        .all
        .iter()
        .find(|booking| booking["uid"] == moved["rescheduledToUid"])
        .unwrap();
    assert_eq!(successor["rescheduledFromUid"], moved["uid"]);
    assert_eq!(moved["status"], "cancelled");
}

#[tokio::test]
async fn organization_path_returns_same_list() {
    let team = Team::start().await;
    let response = team
        .service
        .get_as(
            "/v2/organizations/1/teams/1/bookings?take=250&sortStart=asc",
            team.service.manager(),
        )
        .await;
    assert_eq!(response.data().as_array().unwrap(), &team.all);
    let foreign = team
        .service
        .get_as(
            "/v2/organizations/2/teams/1/bookings",
            team.service.manager(),
        )
        .await;
    foreign.assert_error(404, "NotFoundException");
}

#[tokio::test]
async fn list_requires_team_admin() {
    let service = Service::start().await;
    service
        .get(LIST)
        .await
        .assert_error(401, "UnauthorizedException");
    // Ada is a plain member, host 100 is not in the team.
    for user in [1, 100] {
        service
            .get_as(LIST, service.bearer_of(user).await)
            .await
            .assert_error(403, "ForbiddenException");
    }
    service
        .get_as("/v2/teams/77/bookings", service.manager())
        .await
        .assert_error(404, "NotFoundException");
    service
        .get_as("/v2/teams/one/bookings", service.manager())
        .await
        .assert_error(400, "BadRequestException");
    for credentials in [service.manager(), service.owner()] {
        assert_eq!(service.get_as(LIST, credentials).await.status, 200);
    }
}

#[tokio::test]
async fn invalid_query_names_its_parameter() {
    let service = Service::start().await;
    for (query, property) in [
        ("status=", "status"),
        ("status=open", "status"),
        ("status=past,open", "status"),
        ("take=0", "take"),
        ("take=251", "take"),
        ("take=ten", "take"),
        ("skip=-1", "skip"),
        ("skip=1.5", "skip"),
        ("sortStart=up", "sortStart"),
        ("sortEnd=ASC", "sortEnd"),
        ("sortCreated=", "sortCreated"),
        ("afterStart=yesterday", "afterStart"),
        ("beforeEnd=2027-13-01", "beforeEnd"),
        ("eventTypeIds=3,x", "eventTypeIds"),
        ("hostIds=x", "hostIds"),
        ("eventTypeIds=3,4711", "eventTypeIds"),
        ("eventTypeId=4711", "eventTypeId"),
        ("attendeeEmail=", "attendeeEmail"),
        ("take[]=0", "take"),
        ("eventTypeId[]=4711", "eventTypeId"),
    ] {
        let response = service
            .get_as(&format!("{LIST}?{query}"), service.manager())
            .await;
        let message = response.assert_error(400, "BadRequestException");
        assert!(message.starts_with(property), "{query}: {message}");
        assert_eq!(response.constraints()[0].0, property);
    }
}

#[tokio::test]
async fn injection_attempts_match_nothing() {
    let team = Team::start().await;
    for text in [
        "%27%20OR%201%3D1--",
        "%25",
        "%22%3B%20DROP%20TABLE%20bookings",
        "%00",
        "_%25_",
    ] {
        for name in ["attendeeName", "attendeeEmail", "bookingUid"] {
            let response = team
                .service
                .get_as(&format!("{LIST}?{name}={text}"), team.service.manager())
                .await;
            assert_eq!(response.data(), &json!([]), "{name}={text}");
        }
    }
}
