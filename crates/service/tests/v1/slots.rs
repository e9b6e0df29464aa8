//! Slots.

use serde_json::{Value, json};

use crate::app::{OTHER_FREE_SLOT, OWNER, STRANGER, TestApp};

const DAY: &str = "startTime=2027-03-04T00:00:00Z&endTime=2027-03-05T00:00:00Z";

async fn slots(app: &TestApp, query: &str) -> Value {
    let response = app.get(STRANGER, &format!("/v1/slots?{query}")).await;
    response.wrapped("slots").clone()
}

#[tokio::test]
async fn slot_times_are_formatted_in_requested_zone() {
    let app = TestApp::new().await;
    let query = format!("eventTypeId={}&{DAY}", app.event_type);
    let utc = slots(&app, &query).await;
    assert_eq!(
        utc["2027-03-04"][0],
        json!({"time": "2027-03-04T08:00:00.000Z"})
    );
    let dubai = slots(&app, &format!("{query}&timeZone=Asia/Dubai")).await;
    assert_eq!(
        dubai["2027-03-04"][0],
        json!({"time": "2027-03-04T12:00:00+04:00"})
    );
    // A day of one zone can span two dates of another.
    let auckland = slots(&app, &format!("{query}&timeZone=Pacific/Auckland")).await;
    assert_eq!(
        auckland["2027-03-04"][0]["time"],
        "2027-03-04T21:00:00+13:00"
    );
    assert_eq!(
        auckland["2027-03-05"][0]["time"],
        "2027-03-05T00:00:00+13:00"
    );
}

#[tokio::test]
async fn slots_are_found_by_event_type_id_usernames_or_team() {
    let app = TestApp::new().await;
    let by_id = slots(&app, &format!("eventTypeId={}&{DAY}", app.event_type)).await;
    let by_name = slots(
        &app,
        &format!("usernameList=host100&eventTypeSlug=talk&{DAY}"),
    )
    .await;
    assert_eq!(by_id, by_name);
    let team_query = format!("usernameList=team&isTeamEvent=true&eventTypeSlug=team-talk&{DAY}");
    assert!(slots(&app, &team_query).await["2027-03-04"].is_array());
    let names = format!("usernameList=host100,host101&eventTypeSlug=dynamic&{DAY}");
    let without_organization = app.get(STRANGER, &format!("/v1/slots?{names}")).await;
    assert_eq!(without_organization.status, 404);
    app.service
        .sql("UPDATE users SET organization_id = 1 WHERE id IN (100, 101)")
        .await;
    app.service.allow_groups().await;
    let group = slots(&app, &format!("{names}&orgSlug=northwind")).await;
    assert_eq!(
        group["2027-03-04"][0]["time"], "2027-03-04T14:00:00.000Z",
        "both are at work: {group}"
    );
}

#[tokio::test]
async fn invalid_slot_query_is_rejected() {
    let app = TestApp::new().await;
    let id = app.event_type;
    for query in [
        format!("eventTypeId={id}"),
        format!("eventTypeId={id}&startTime=2027-03-04T00:00:00Z"),
        format!("eventTypeId={id}&startTime=2027-03-04T00:00:00Z&endTime=2027-03-04T00:00:00Z"),
        format!("eventTypeId={id}&startTime=2027-03-05T00:00:00Z&endTime=2027-03-04T00:00:00Z"),
        format!("eventTypeId={id}&startTime=2027-03-05T00:00:00Z&endTime=2027-09-04T00:00:00Z"),
        format!("eventTypeId={id}&startTime=soon&endTime=2027-03-04T00:00:00Z"),
        format!("eventTypeId={id}&{DAY}&timeZone=Mars/Olympus"),
        format!("eventTypeId={id}&{DAY}&duration=0"),
        format!("eventTypeId={id}&{DAY}&duration=31"),
        format!("eventTypeId={id}&{DAY}&isTeamEvent=perhaps"),
        format!("eventTypeId={id}&{DAY}&usernameList=host100&eventTypeSlug=talk"),
        format!("eventTypeId=0&{DAY}"),
        format!("eventTypeId=x&{DAY}"),
        format!("usernameList=host100&{DAY}"),
        format!("eventTypeSlug=talk&{DAY}"),
        format!("usernameList=a,b&isTeamEvent=true&eventTypeSlug=talk&{DAY}"),
        DAY.to_owned(),
    ] {
        let response = app.get(OWNER, &format!("/v1/slots?{query}")).await;
        assert_eq!(response.status, 400, "{query}: {}", response.text);
    }
    for query in [
        format!("usernameList=nobody&eventTypeSlug=talk&{DAY}"),
        format!("usernameList=host100&eventTypeSlug=nothing&{DAY}"),
        format!("usernameList=host100,host101&eventTypeSlug=talk&{DAY}"),
        format!("usernameList=nothing&isTeamEvent=true&eventTypeSlug=talk&{DAY}"),
    ] {
        app.get(OWNER, &format!("/v1/slots?{query}"))
            .await
            .assert_v1_error(404);
    }
}

#[tokio::test]
async fn slot_of_rescheduled_booking_is_available() {
    let app = TestApp::new().await;
    let plain = app.service.event_type("plain", json!({})).await;
    let created = app
        .request(
            OWNER,
            "POST",
            "/v1/bookings",
            crate::app::booking_body(plain, OTHER_FREE_SLOT),
        )
        .await;
    let uid = created.wrapped("booking")["uid"]
        .as_str()
        .unwrap()
        .to_owned();
    let query = format!("eventTypeId={plain}&{DAY}");
    assert!(
        !slots(&app, &query)
            .await
            .to_string()
            .contains(OTHER_FREE_SLOT)
    );
    assert!(
        slots(&app, &format!("{query}&rescheduleUid={uid}"))
            .await
            .to_string()
            .contains(OTHER_FREE_SLOT)
    );
}
