//! GET /v2/bookings: visibility, and the filters that a team's list lacks.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::bookings::fixture::BookingFixture;
use crate::common::{HOST, OTHER_HOST, Service, TestResponse};

async fn list(service: &Service, user: i64, query: &str) -> TestResponse {
    let bearer = service.bearer_of(user).await;
    let target = format!("/v2/bookings?{query}");
    service.get_as(&target, bearer).await
}

fn uids(response: &TestResponse) -> BTreeSet<String> {
    let data = response.data().as_array().unwrap();
    let uids: BTreeSet<String> = data
        .iter()
        .map(|booking| booking["uid"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(uids.len(), data.len());
    assert_eq!(response.body["pagination"]["totalItems"], data.len());
    uids
}

fn set<const N: usize>(uids: [&String; N]) -> BTreeSet<String> {
    uids.into_iter().cloned().collect()
}

#[tokio::test]
async fn list_contains_hosted_attended_owned_and_administered_bookings() {
    let service = Service::start().await;
    service
        .sql("DELETE FROM bookings; DELETE FROM memberships WHERE user_id IN (100, 101)")
        .await;
    let own = service.event_type("talk", json!({})).await;
    let team = service
        .event_type_of("team", Some("roundRobin"), &[HOST, OTHER_HOST], json!({}))
        .await;
    let hosted = BookingFixture::new(team).store(&service).await;
    let owned = BookingFixture::new(own)
        .hosts(&[OTHER_HOST])
        .store(&service)
        .await;
    let other = BookingFixture::new(team)
        .hosts(&[OTHER_HOST])
        .at("2027-03-04T09:00:00Z")
        .store(&service)
        .await;
    let course = service
        .event_type_of("course", Some("roundRobin"), &[1], json!({}))
        .await;
    let attended = BookingFixture::new(course)
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
    // Attendees see only their own seat.
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
    // With a role that may read the team's bookings, they are listed.
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
        .assert_error(401, "UnauthorizedException");
    service
        .sql("UPDATE oauth_clients SET scopes = '[\"BOOKING_WRITE\"]'")
        .await;
    list(&service, HOST, "")
        .await
        .assert_error(403, "ForbiddenException");
}

#[tokio::test]
async fn list_is_filtered_by_team_and_time() {
    let service = Service::start().await;
    service.sql("DELETE FROM bookings").await;
    let own = service.event_type("talk", json!({})).await;
    let team = service
        .event_type_of("team", Some("roundRobin"), &[HOST], json!({}))
        .await;
    let first = BookingFixture::new(own).store(&service).await;
    let second = BookingFixture::new(team)
        .at("2027-03-03T09:00:00Z")
        .store(&service)
        .await;
    let third = BookingFixture::new(team)
        .at("2027-03-04T09:00:00Z")
        .store(&service)
        .await;
    for (uid, created, updated) in [
        (&first, "2027-01-01", "2027-02-03"),
        (&second, "2027-01-02", "2027-02-02"),
        (&third, "2027-01-03", "2027-02-01"),
    ] {
        let at = |day: &str| booking_wire::Instant::parse(day).unwrap().0;
        service
            .sql(&format!(
                "UPDATE bookings SET created_ms = {}, updated_ms = {} WHERE uid = '{uid}'",
                at(created),
                at(updated)
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
                .assert_error(400, "BadRequestException");
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
        let response = list(&service, HOST, query).await;
        let found: Vec<&Value> = response
            .data()
            .as_array()
            .unwrap()
            .iter()
            .map(|booking| &booking["uid"])
            .collect();
        assert_eq!(found, expected, "{query}");
    }
    for query in ["sortUpdatedAt=up", "teamsIds=x", "teamId=x", "userId=1"] {
        let response = list(&service, HOST, query).await;
        let message = response.assert_error(400, "BadRequestException");
        assert!(message.starts_with(query.split('=').next().unwrap()));
    }
}

#[tokio::test]
async fn filter_by_managed_event_type_includes_children() {
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
    let booked = BookingFixture::new(child).store(&service).await;
    let other_booking = BookingFixture::new(other)
        .at("2027-03-03T09:00:00Z")
        .store(&service)
        .await;
    for (query, expected) in [
        (format!("eventTypeId={parent}"), set([&booked])),
        (format!("eventTypeIds={parent}"), set([&booked])),
        (
            format!("eventTypeIds={parent},{other}"),
            set([&booked, &other_booking]),
        ),
        (
            format!("eventTypeIds={parent},{other}&eventTypeId={child}"),
            set([&booked]),
        ),
    ] {
        let response = list(&service, HOST, &query).await;
        assert_eq!(uids(&response), expected, "{query}");
    }
}
