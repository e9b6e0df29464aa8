//! GET /v2/bookings: whose bookings are listed, and the filters that a team's list lacks.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::common::{Answer, HOST, OTHER_HOST, Service};
use crate::stored::Made;

async fn list(service: &Service, user: i64, query: &str) -> Answer {
    let bearer = service.bearer_of(user).await;
    let target = format!("/v2/bookings?{query}");
    service.get_as(&target, bearer).await
}

fn uids(answer: &Answer) -> BTreeSet<String> {
    let data = answer.data().as_array().unwrap();
    let uids: BTreeSet<String> = data
        .iter()
        .map(|booking| booking["uid"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(uids.len(), data.len());
    assert_eq!(answer.body["pagination"]["totalItems"], data.len());
    uids
}

fn set<const N: usize>(uids: [&String; N]) -> BTreeSet<String> {
    uids.into_iter().cloned().collect()
}

#[tokio::test]
async fn people_see_what_they_host_attend_own_or_administer() {
    let service = Service::start().await;
    service
        .sql("DELETE FROM bookings; DELETE FROM memberships WHERE user_id IN (100, 101)")
        .await;
    let own = service.event_type("talk", json!({})).await;
    let team = service
        .event_type_of("team", Some("roundRobin"), &[HOST, OTHER_HOST], json!({}))
        .await;
    let hosted = Made::new(team).store(&service).await;
    let owned = Made::new(own).hosts(&[OTHER_HOST]).store(&service).await;
    let other = Made::new(team)
        .hosts(&[OTHER_HOST])
        .at("2027-03-04T09:00:00Z")
        .store(&service)
        .await;
    let course = service
        .event_type_of("course", Some("roundRobin"), &[1], json!({}))
        .await;
    let attended = Made::new(course)
        .hosts(&[1])
        .at("2027-03-05T09:00:00Z")
        .seats(&["seat", "else"])
        .with_addresses(&["host100", "bo"])
        .store(&service)
        .await;
    service
        .sql("UPDATE attendees SET email = 'host100@northwind.example' WHERE seat_uid = 'seat'")
        .await;
    let found = list(&service, HOST, "").await;
    assert_eq!(uids(&found), set([&hosted, &owned, &attended]));
    // Seats of others stay theirs, but everybody sees their own.
    let seated = found
        .data()
        .as_array()
        .unwrap()
        .iter()
        .find(|booking| booking["uid"] == json!(attended))
        .unwrap();
    assert_eq!(seated["attendees"].as_array().unwrap().len(), 1);
    assert_eq!(seated["attendees"][0]["seatUid"], "seat");

    let found = list(&service, OTHER_HOST, "").await;
    assert_eq!(uids(&found), set([&owned, &other]));
    let all = service.get_as("/v2/bookings", service.owner()).await;
    assert_eq!(uids(&all), set([&hosted, &other, &attended]));
    // A role that may read the team's bookings makes the difference.
    service
        .sql(
            "INSERT INTO roles (id, team_id, name, kind, created_ms, updated_ms)
             VALUES ('reader', 1, 'Reader', 'CUSTOM', 0, 0);
             INSERT INTO role_permissions (role_id, permission, position)
             VALUES ('reader', 'booking.readTeamBookings', 0);
             INSERT INTO memberships (team_id, user_id, role, role_id, accepted)
             VALUES (1, 101, 'MEMBER', 'reader', 1)",
        )
        .await;
    let found = list(&service, OTHER_HOST, "").await;
    assert_eq!(uids(&found), set([&owned, &hosted, &other, &attended]));
    service
        .get("/v2/bookings")
        .await
        .refused(401, "UnauthorizedException");
    service
        .sql("UPDATE oauth_clients SET scopes = '[\"BOOKING_WRITE\"]'")
        .await;
    list(&service, HOST, "")
        .await
        .refused(403, "ForbiddenException");
}

#[tokio::test]
async fn teams_and_times_narrow_the_list() {
    let service = Service::start().await;
    service.sql("DELETE FROM bookings").await;
    let own = service.event_type("talk", json!({})).await;
    let team = service
        .event_type_of("team", Some("roundRobin"), &[HOST], json!({}))
        .await;
    let first = Made::new(own).store(&service).await;
    let second = Made::new(team)
        .at("2027-03-03T09:00:00Z")
        .store(&service)
        .await;
    let third = Made::new(team)
        .at("2027-03-04T09:00:00Z")
        .store(&service)
        .await;
    for (uid, made, changed) in [
        (&first, "2027-01-01", "2027-02-03"),
        (&second, "2027-01-02", "2027-02-02"),
        (&third, "2027-01-03", "2027-02-01"),
    ] {
        let at = |day: &str| booking_wire::Instant::parse(day).unwrap().0;
        service
            .sql(&format!(
                "UPDATE bookings SET created_ms = {}, updated_ms = {} WHERE uid = '{uid}'",
                at(made),
                at(changed)
            ))
            .await;
    }
    for (query, expected) in [
        ("teamId=1", set([&second, &third])),
        ("teamsIds=1,2", set([&second, &third])),
        ("teamsIds=1&teamsIds=2", set([&second, &third])),
        ("teamId=4711", set([])),
        ("afterCreatedAt=2027-01-02", set([&second, &third])),
        ("beforeCreatedAt=2027-01-02", set([&first, &second])),
        ("afterUpdatedAt=2027-02-02", set([&first, &second])),
        (
            "beforeUpdatedAt=2027-02-02T00:00:00Z",
            set([&second, &third]),
        ),
        ("teamId=1&afterUpdatedAt=2027-02-02", set([&second])),
        ("eventTypeId=0", set([])),
    ] {
        if query == "eventTypeId=0" {
            list(&service, HOST, query)
                .await
                .refused(400, "BadRequestException");
            continue;
        }
        assert_eq!(
            uids(&list(&service, HOST, query).await),
            expected,
            "{query}"
        );
    }
    for (query, expected) in [
        ("sortUpdatedAt=asc", [&third, &second, &first]),
        ("sortUpdatedAt=desc", [&first, &second, &third]),
        (
            "sortUpdatedAt=asc&sortCreated=asc",
            [&first, &second, &third],
        ),
    ] {
        let answer = list(&service, HOST, query).await;
        let found: Vec<&Value> = answer
            .data()
            .as_array()
            .unwrap()
            .iter()
            .map(|booking| &booking["uid"])
            .collect();
        assert_eq!(found, expected, "{query}");
    }
    for query in ["sortUpdatedAt=up", "teamsIds=x", "teamId=x", "userId=1"] {
        let answer = list(&service, HOST, query).await;
        let message = answer.refused(400, "BadRequestException");
        assert!(message.starts_with(query.split('=').next().unwrap()));
    }
}

#[tokio::test]
async fn a_managed_event_type_stands_for_its_children() {
    let service = Service::start().await;
    service.sql("DELETE FROM bookings").await;
    let parent = service
        .event_type_of("parent", Some("managed"), &[HOST], json!({}))
        .await;
    let child = service.event_type("child", json!({})).await;
    let other = service.event_type("other", json!({})).await;
    service
        .sql(&format!(
            "UPDATE event_types SET parent_id = {parent} WHERE id = {child}"
        ))
        .await;
    let booked = Made::new(child).store(&service).await;
    let elsewhere = Made::new(other)
        .at("2027-03-03T09:00:00Z")
        .store(&service)
        .await;
    for (query, expected) in [
        (format!("eventTypeId={parent}"), set([&booked])),
        (format!("eventTypeIds={parent}"), set([&booked])),
        (
            format!("eventTypeIds={parent},{other}"),
            set([&booked, &elsewhere]),
        ),
        (
            format!("eventTypeIds={parent},{other}&eventTypeId={child}"),
            set([&booked]),
        ),
    ] {
        let answer = list(&service, HOST, &query).await;
        assert_eq!(uids(&answer), expected, "{query}");
    }
}
