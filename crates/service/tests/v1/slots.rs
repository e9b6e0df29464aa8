//! Free times.

use serde_json::{Value, json};

use crate::world::{OTHER, OWNER, STRANGER, World};

const DAY: &str = "startTime=2027-03-04T00:00:00Z&endTime=2027-03-05T00:00:00Z";

async fn slots(world: &World, query: &str) -> Value {
    let answer = world.get(STRANGER, &format!("/v1/slots?{query}")).await;
    answer.wrapped("slots").clone()
}

#[tokio::test]
async fn times_are_written_as_the_zone_asks() {
    let world = World::new().await;
    let named = format!("eventTypeId={}&{DAY}", world.event_type);
    let utc = slots(&world, &named).await;
    assert_eq!(
        utc["2027-03-04"][0],
        json!({"time": "2027-03-04T08:00:00.000Z"})
    );
    let dubai = slots(&world, &format!("{named}&timeZone=Asia/Dubai")).await;
    assert_eq!(
        dubai["2027-03-04"][0],
        json!({"time": "2027-03-04T12:00:00+04:00"})
    );
    // A day of one zone can be two of another.
    let auckland = slots(&world, &format!("{named}&timeZone=Pacific/Auckland")).await;
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
async fn an_event_type_is_named_by_id_by_people_or_by_team() {
    let world = World::new().await;
    let by_id = slots(&world, &format!("eventTypeId={}&{DAY}", world.event_type)).await;
    let by_name = slots(
        &world,
        &format!("usernameList=host100&eventTypeSlug=talk&{DAY}"),
    )
    .await;
    assert_eq!(by_id, by_name);
    let of_team = format!("usernameList=team&isTeamEvent=true&eventTypeSlug=team-talk&{DAY}");
    assert!(slots(&world, &of_team).await["2027-03-04"].is_array());
    let names = format!("usernameList=host100,host101&eventTypeSlug=dynamic&{DAY}");
    let without_organization = world.get(STRANGER, &format!("/v1/slots?{names}")).await;
    assert_eq!(without_organization.status, 404);
    world
        .service
        .sql("UPDATE users SET organization_id = 1 WHERE id IN (100, 101)")
        .await;
    world.service.allow_groups().await;
    let group = slots(&world, &format!("{names}&orgSlug=northwind")).await;
    assert_eq!(
        group["2027-03-04"][0]["time"], "2027-03-04T14:00:00.000Z",
        "both are at work: {group}"
    );
}

#[tokio::test]
async fn a_question_that_means_nothing_is_refused() {
    let world = World::new().await;
    let id = world.event_type;
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
        let answer = world.get(OWNER, &format!("/v1/slots?{query}")).await;
        assert_eq!(answer.status, 400, "{query}: {}", answer.text);
    }
    for query in [
        format!("usernameList=nobody&eventTypeSlug=talk&{DAY}"),
        format!("usernameList=host100&eventTypeSlug=nothing&{DAY}"),
        format!("usernameList=host100,host101&eventTypeSlug=talk&{DAY}"),
        format!("usernameList=nothing&isTeamEvent=true&eventTypeSlug=talk&{DAY}"),
    ] {
        world
            .get(OWNER, &format!("/v1/slots?{query}"))
            .await
            .failed(404);
    }
}

#[tokio::test]
async fn the_time_of_a_booking_that_is_to_move_is_free() {
    let world = World::new().await;
    let plain = world.service.event_type("plain", json!({})).await;
    let made = world
        .ask(
            OWNER,
            "POST",
            "/v1/bookings",
            crate::world::new_booking(plain, OTHER),
        )
        .await;
    let uid = made.wrapped("booking")["uid"].as_str().unwrap().to_owned();
    let named = format!("eventTypeId={plain}&{DAY}");
    assert!(!slots(&world, &named).await.to_string().contains(OTHER));
    assert!(
        slots(&world, &format!("{named}&rescheduleUid={uid}"))
            .await
            .to_string()
            .contains(OTHER)
    );
}
