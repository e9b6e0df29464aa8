//! GET /v2/teams/{teamId}/bookings: each filter against what the whole list says.

use booking_wire::Instant;
use serde_json::{Value, json};

use crate::common::{NOW, Service};

const LIST: &str = "/v2/teams/1/bookings";

/// Tells whether a page is in the order that was asked for.
type IsSorted = Box<dyn Fn(&[Value]) -> bool>;

struct Team {
    service: Service,
    all: Vec<Value>,
}

impl Team {
    async fn start() -> Self {
        let service = Service::start().await;
        let all = service
            .get_as(&format!("{LIST}?take=250&sortStart=asc"), service.manager())
            .await;
        let all = all.data().as_array().unwrap().clone();
        assert!(all.len() > 200 && all.len() < 250);
        Self { service, all }
    }

    /// Compares a filter with a claim about each booking; both sorted by start.
    async fn check(&self, query: &str, claim: impl Fn(&Value) -> bool) {
        let answer = self
            .service
            .get_as(
                &format!("{LIST}?take=250&sortStart=asc&{query}"),
                self.service.manager(),
            )
            .await;
        let found: Vec<&Value> = answer.data().as_array().unwrap().iter().collect();
        let expected: Vec<&Value> = self.all.iter().filter(|booking| claim(booking)).collect();
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
            answer.body["pagination"]["totalItems"],
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

fn at(booking: &Value, key: &str) -> i64 {
    Instant::parse(booking[key].as_str().unwrap()).unwrap().0
}

fn now() -> i64 {
    Instant::parse(NOW).unwrap().0
}

fn is_gone(booking: &Value) -> bool {
    matches!(
        booking["status"].as_str().unwrap(),
        "cancelled" | "rejected"
    )
}

fn is_recurring(booking: &Value) -> bool {
    booking["recurringBookingUid"].is_string()
}

fn upcoming(booking: &Value) -> bool {
    at(booking, "end") >= now()
        && if is_recurring(booking) {
            booking["status"] == "accepted"
        } else {
            !is_gone(booking)
        }
}

fn unconfirmed(booking: &Value) -> bool {
    at(booking, "end") >= now() && booking["status"] == "pending"
}

#[tokio::test]
async fn status_filters_say_exactly_what_the_contract_says() {
    let team = Team::start().await;
    let recurring =
        |booking: &Value| at(booking, "end") >= now() && is_recurring(booking) && !is_gone(booking);
    team.check("status=upcoming", upcoming).await;
    team.check("status=recurring", recurring).await;
    team.check("status=past", |booking| {
        at(booking, "end") <= now() && !is_gone(booking)
    })
    .await;
    team.check("status=cancelled", is_gone).await;
    team.check("status=unconfirmed", unconfirmed).await;
    // Pending ones: a single one is upcoming, one of a series is not.
    assert!(
        team.all
            .iter()
            .any(|booking| upcoming(booking) && unconfirmed(booking))
    );
    assert!(
        team.all
            .iter()
            .any(|booking| !upcoming(booking) && unconfirmed(booking))
    );
}

#[tokio::test]
async fn several_statuses_are_joined_by_or_in_every_spelling() {
    let team = Team::start().await;
    let either = |booking: &Value| is_gone(booking) || unconfirmed(booking);
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
async fn attendees_are_found_by_address_and_by_name_exactly() {
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
    team.check(
        "attendeeEmail=zoe.lukasik@example.org",
        attends("email", "zoe.lukasik@example.org"),
    )
    .await;
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
async fn a_plus_in_an_address_survives_being_sent_unescaped() {
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
        let answer = service
            .get_as(&format!("{LIST}?attendeeEmail={email}"), service.manager())
            .await;
        assert_eq!(answer.data()[0]["uid"], uid, "{email}");
        assert_eq!(answer.body["pagination"]["totalItems"], 1);
    }
}

#[tokio::test]
async fn bookings_are_found_by_uid_and_event_type() {
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
}

#[tokio::test]
async fn bounds_of_time_are_inclusive() {
    let team = Team::start().await;
    let start = team.all[40]["start"].as_str().unwrap().to_owned();
    let from = at(&team.all[40], "start");
    team.check(&format!("afterStart={start}"), |booking| {
        at(booking, "start") >= from
    })
    .await;
    let end = team.all[150]["end"].as_str().unwrap().to_owned();
    let to = at(&team.all[150], "end");
    team.check(&format!("beforeEnd={end}"), |booking| {
        at(booking, "end") <= to
    })
    .await;
    team.check(&format!("afterStart={start}&beforeEnd={end}"), |booking| {
        at(booking, "start") >= from && at(booking, "end") <= to
    })
    .await;
    let midnight = Instant::parse("2027-03-01").unwrap().0;
    team.check("afterStart=2027-03-01", |booking| {
        at(booking, "start") >= midnight
    })
    .await;
    for moment in ["01:00:00%2B01:00", "01:00:00+01:00", "00:00"] {
        team.check(&format!("afterStart=2027-03-01T{moment}"), |booking| {
            at(booking, "start") >= midnight
        })
        .await;
    }
    let noon = Instant::parse("2027-03-02T12:00:00Z").unwrap().0;
    team.check("afterStart=2027-03-02%2012:00", |booking| {
        at(booking, "start") >= noon
    })
    .await;
}

#[tokio::test]
async fn filters_are_joined_by_and() {
    let team = Team::start().await;
    team.check(
        "status=upcoming&eventTypeId=4&afterStart=2027-03-10",
        |booking| {
            upcoming(booking)
                && booking["eventTypeId"] == 4
                && at(booking, "start") >= Instant::parse("2027-03-10").unwrap().0
        },
    )
    .await;
}

#[tokio::test]
async fn the_first_of_several_sorts_wins_and_each_has_its_default() {
    let team = Team::start().await;
    let sorted = |key: &'static str, descending: bool| {
        move |bookings: &[Value]| {
            bookings.windows(2).all(|pair| {
                let (a, b) = (at(&pair[0], key), at(&pair[1], key));
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
        let answer = team
            .service
            .get_as(&format!("{LIST}?take=250&{query}"), team.service.manager())
            .await;
        let bookings = answer.data().as_array().unwrap();
        assert!(bookings.len() > 10 && is_sorted(bookings), "{query}");
    }
}

#[tokio::test]
async fn pages_follow_each_other_without_gap_or_repetition() {
    let team = Team::start().await;
    let total = team.all.len();
    let mut seen = Vec::new();
    for skip in (0..total).step_by(40) {
        let answer = team
            .service
            .get_as(
                &format!("{LIST}?take=40&skip={skip}&sortStart=asc"),
                team.service.manager(),
            )
            .await;
        let page = answer.data().as_array().unwrap().clone();
        let returned = page.len();
        seen.extend(page);
        assert_eq!(
            answer.body["pagination"],
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
        assert_eq!(answer.body["error"], json!({}));
    }
    assert_eq!(seen, team.all);
    let beyond = team
        .service
        .get_as(&format!("{LIST}?skip=5000"), team.service.manager())
        .await;
    assert_eq!(beyond.data(), &json!([]));
    let default = team.service.get_as(LIST, team.service.manager()).await;
    assert_eq!(default.data().as_array().unwrap().len(), 100);
}

#[tokio::test]
async fn all_four_variants_stand_in_one_list() {
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
async fn the_organisation_path_gives_the_same_list() {
    let team = Team::start().await;
    let answer = team
        .service
        .get_as(
            "/v2/organizations/1/teams/1/bookings?take=250&sortStart=asc",
            team.service.manager(),
        )
        .await;
    assert_eq!(answer.data().as_array().unwrap(), &team.all);
    let foreign = team
        .service
        .get_as(
            "/v2/organizations/2/teams/1/bookings",
            team.service.manager(),
        )
        .await;
    foreign.refused(404, "NotFoundException");
}

#[tokio::test]
async fn only_those_who_run_the_team_may_list() {
    let service = Service::start().await;
    service
        .get(LIST)
        .await
        .refused(401, "UnauthorizedException");
    // Ada is a member, host 100 is nobody here.
    for user in [1, 100] {
        service
            .get_as(LIST, service.bearer_of(user).await)
            .await
            .refused(403, "ForbiddenException");
    }
    service
        .get_as("/v2/teams/77/bookings", service.manager())
        .await
        .refused(404, "NotFoundException");
    service
        .get_as("/v2/teams/one/bookings", service.manager())
        .await
        .refused(400, "BadRequestException");
    for credentials in [service.manager(), service.owner()] {
        assert_eq!(service.get_as(LIST, credentials).await.status, 200);
    }
}

#[tokio::test]
async fn a_query_that_breaks_a_rule_is_refused_by_name() {
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
        ("eventTypeIds=3,4711", "eventTypeIds"),
        ("eventTypeId=4711", "eventTypeId"),
        ("attendeeEmail=", "attendeeEmail"),
        ("take[]=0", "take"),
        ("eventTypeId[]=4711", "eventTypeId"),
    ] {
        let answer = service
            .get_as(&format!("{LIST}?{query}"), service.manager())
            .await;
        let message = answer.refused(400, "BadRequestException");
        assert!(message.starts_with(property), "{query}: {message}");
        assert_eq!(answer.constraints()[0].0, property);
    }
}

#[tokio::test]
async fn hostile_texts_are_only_texts() {
    let team = Team::start().await;
    for text in [
        "%27%20OR%201%3D1--",
        "%25",
        "%22%3B%20DROP%20TABLE%20bookings",
        "%00",
        "_%25_",
    ] {
        for name in ["attendeeName", "attendeeEmail", "bookingUid"] {
            let answer = team
                .service
                .get_as(&format!("{LIST}?{name}={text}"), team.service.manager())
                .await;
            assert_eq!(answer.data(), &json!([]), "{name}={text}");
        }
    }
}
