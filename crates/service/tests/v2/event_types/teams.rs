//! POST, PATCH and DELETE of /v2/teams/{teamId}/event-types: hosts and managed event types

use axum::http::Method;
use serde_json::{Value, json};

use crate::common::{HOST, Service, TestResponse, booking};
use crate::event_types::changes::{event_type_body, slugs};

impl Service {
    /// Creates an event type of the team as Sofia, its admin.
    async fn create_team_event_type(&self, body: Value) -> TestResponse {
        self.post_as("/v2/teams/1/event-types", self.manager(), body)
            .await
    }

    async fn patch_team_event_type(&self, id: &Value, body: Value) -> TestResponse {
        let target = format!("/v2/teams/1/event-types/{id}");
        self.call(Method::PATCH, &target, &[self.manager()], Some(body))
            .await
    }
}

#[tokio::test]
async fn team_event_type_accepts_only_team_members_as_hosts() {
    let service = Service::start().await;
    let hosts = json!([{"userId": 1, "mandatory": true}, {"userId": 2, "priority": "high"}]);
    let created = service
        .create_team_event_type(event_type_body(
            "talk",
            json!({"schedulingType": "roundRobin", "hosts": hosts, "scheduleId": 2, "emailSettings": {"disableEmailsToHosts": true}}),
        ))
        .await;
    assert_eq!(created.status, 201, "{}", created.text);
    let host_rows = |response: &TestResponse| -> Vec<(i64, bool, String)> {
        response.data()["hosts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|host| {
                (
                    host["userId"].as_i64().unwrap(),
                    host["mandatory"].as_bool().unwrap(),
                    host["priority"].as_str().unwrap().to_owned(),
                )
            })
            .collect()
    };
    assert_eq!(
        host_rows(&created),
        [(1, true, "medium".into()), (2, false, "high".into())]
    );
    assert_eq!(
        created.data()["emailSettings"],
        json!({"disableEmailsToAttendees": false, "disableEmailsToHosts": true})
    );
    let id = &created.data()["id"];
    let changed = service
        .patch_team_event_type(id, json!({"schedulingType": "collective"}))
        .await;
    assert_eq!(
        host_rows(&changed),
        [(1, true, "medium".into()), (2, true, "high".into())]
    );
    let changed = service
        .patch_team_event_type(
            id,
            json!({"hosts": [{"userId": 3}], "rescheduleWithSameRoundRobinHost": true}),
        )
        .await;
    assert_eq!(host_rows(&changed), [(3, true, "medium".into())]);
    assert_eq!(changed.data()["rescheduleWithSameRoundRobinHost"], true);
    service
        .patch_team_event_type(id, json!({"schedulingType": null}))
        .await
        .assert_error(400, "BadRequestException");
    for (more, property) in [
        (json!({}), "schedulingType"),
        (json!({"schedulingType": "solo"}), "schedulingType"),
        (
            json!({"schedulingType": "collective", "scheduleId": HOST}),
            "scheduleId",
        ),
        (
            json!({"schedulingType": "collective", "hosts": [{"userId": 1}, {"userId": HOST}]}),
            "hosts.1.userId",
        ),
        (
            json!({"schedulingType": "collective", "hosts": [{"userId": 1}, {"userId": 1}]}),
            "hosts.1.userId",
        ),
        (
            json!({"schedulingType": "collective", "hosts": [{"userId": 1, "priority": "top"}]}),
            "hosts.0.priority",
        ),
        (
            json!({"schedulingType": "collective", "hosts": [], "assignAllTeamMembers": true}),
            "hosts",
        ),
    ] {
        let response = service
            .create_team_event_type(event_type_body("other", more.clone()))
            .await;
        response.assert_error(400, "BadRequestException");
        assert_eq!(response.constraints()[0].0, property, "{more}");
    }
}

#[tokio::test]
async fn team_event_type_may_require_phone_instead_of_email() {
    let service = Service::start().await;
    let fields = json!([
        {"type": "email", "required": false, "hidden": true},
        {"type": "phone", "slug": "attendeePhoneNumber", "label": "Phone", "required": true},
    ]);
    let more = json!({"schedulingType": "roundRobin", "bookingFields": fields});
    let created = service
        .create_team_event_type(event_type_body("talk", more))
        .await;
    assert_eq!(created.status, 201, "{}", created.text);
    let personal = service
        .create_event_type(event_type_body("talk", json!({"bookingFields": fields})))
        .await;
    personal.assert_error(400, "BadRequestException");
    assert_eq!(personal.constraints()[0].0, "bookingFields");
}

#[tokio::test]
async fn hosts_follow_team_membership_if_all_members_are_assigned() {
    let service = Service::start().await;
    let all_members = json!({"schedulingType": "roundRobin", "assignAllTeamMembers": true});
    let created = service
        .create_team_event_type(event_type_body("talk", all_members))
        .await;
    let managed = json!({"schedulingType": "managed", "assignAllTeamMembers": true});
    let managed = service
        .create_team_event_type(event_type_body("mine", managed))
        .await;
    let id = &created.data()["id"];
    let hosts = async || -> Vec<i64> {
        let response = service.get(&format!("/v2/teams/1/event-types/{id}")).await;
        response.data()["hosts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|host| host["userId"].as_i64().unwrap())
            .collect()
    };
    let own = async || {
        let target = format!("/v2/event-types?username=host{HOST}");
        slugs(service.get(&target).await.data())
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(hosts().await, [1, 2, 3, 4, 5]);
    service
        .sql(&format!(
            "INSERT INTO memberships (team_id, user_id, role, accepted) VALUES (1, {HOST}, 'MEMBER', 0)"
        ))
        .await;
    assert_eq!(hosts().await, [1, 2, 3, 4, 5]);
    service
        .sql(&format!(
            "UPDATE memberships SET accepted = 1 WHERE user_id = {HOST}"
        ))
        .await;
    assert_eq!(hosts().await, [1, 2, 3, 4, 5, HOST]);
    assert_eq!(own().await, ["mine"]);
    service
        .sql(&format!("DELETE FROM memberships WHERE user_id = {HOST}"))
        .await;
    assert_eq!(hosts().await, [1, 2, 3, 4, 5]);
    assert!(own().await.is_empty());
    assert_eq!(managed.data()["assignAllTeamMembers"], true);
    // Explicit hosts switch `assignAllTeamMembers` off.
    let named = service
        .patch_team_event_type(id, json!({"hosts": [{"userId": 2}]}))
        .await;
    assert_eq!(named.data()["assignAllTeamMembers"], false);
    assert_eq!(hosts().await, [2]);
}

#[tokio::test]
async fn managed_event_type_updates_children_of_its_hosts() {
    let service = Service::start().await;
    let template = service
        .create_team_event_type(event_type_body(
            "mine",
            json!({
                "schedulingType": "managed", "hosts": [{"userId": 1}, {"userId": 2}],
                "metadata": {"managedEventConfig": {"unlockedFields": {"locations": true}}},
            }),
        ))
        .await;
    assert_eq!(template.status, 201, "{}", template.text);
    let id = &template.data()["id"];
    let children_of = async |username: &str| {
        let target = format!("/v2/event-types?username={username}&eventSlug=mine");
        service.get(&target).await.data().clone()
    };
    let (ada, marcus) = (children_of("ada").await, children_of("marcus").await);
    for child in [&ada[0], &marcus[0]] {
        assert_eq!(&child["parentEventTypeId"], id);
        assert_eq!(child["schedulingType"], Value::Null);
        assert_eq!(child["lengthInMinutes"], 30);
    }
    // The template has no slots and cannot be booked.
    let times = format!("/v2/slots?eventTypeId={id}&start=2027-03-02&end=2027-03-02");
    service
        .get(&times)
        .await
        .assert_error(400, "BadRequestException");
    service
        .post(
            "/v2/bookings",
            booking(id.as_i64().unwrap(), "2027-03-02T09:00:00Z"),
        )
        .await
        .assert_error(400, "BadRequestException");

    // Ada may change unlocked fields and her schedule, the team the rest.
    let target = format!("/v2/event-types/{}", ada[0]["id"]);
    let own = json!({"locations": [{"type": "attendeePhone"}], "scheduleId": 1});
    let changed = service.patch_as(&target, 1, own.clone()).await;
    assert_eq!(changed.data()["locations"], own["locations"]);
    let locked = service.patch_as(&target, 1, json!({"title": "Mine"})).await;
    locked.assert_error(400, "BadRequestException");
    assert_eq!(locked.constraints()[0].0, "title");
    service
        .delete_as(&target, 1)
        .await
        .assert_error(403, "ForbiddenException");

    let change =
        json!({"title": "New", "lengthInMinutes": 45, "hosts": [{"userId": 1}, {"userId": 3}]});
    let changed = service.patch_team_event_type(id, change).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let ada = children_of("ada").await;
    assert_eq!(ada[0]["title"], "New");
    assert_eq!(ada[0]["lengthInMinutes"], 45);
    assert_eq!(ada[0]["locations"], own["locations"]);
    assert_eq!(ada[0]["scheduleId"], 1);
    assert_eq!(children_of("marcus").await, json!([]));
    assert_eq!(children_of("priya").await[0]["title"], "New");
    service
        .patch_team_event_type(id, json!({"schedulingType": "collective"}))
        .await
        .assert_error(400, "BadRequestException");

    // The slug conflicts with an event type of a host, so nothing changes.
    let clash = service
        .patch_team_event_type(id, json!({"slug": "intro-call"}))
        .await;
    clash.assert_error(409, "ConflictException");
    assert_eq!(children_of("ada").await[0]["slug"], "mine");

    let target = format!("/v2/teams/1/event-types/{id}");
    assert_eq!(service.delete_as(&target, 4).await.status, 200);
    assert_eq!(children_of("ada").await, json!([]));
}

#[tokio::test]
async fn booking_of_managed_event_type_is_listed_for_its_team() {
    let service = Service::start().await;
    let template = json!({"schedulingType": "managed", "hosts": [{"userId": 1}]});
    let template = service
        .create_team_event_type(event_type_body("mine", template))
        .await;
    let id = &template.data()["id"];
    let own = service
        .get("/v2/event-types?username=ada&eventSlug=mine")
        .await;
    let child = own.data()[0]["id"].as_i64().unwrap();
    let day = format!("/v2/slots?eventTypeId={child}&start=2027-05-04&end=2027-05-04");
    let day = service.get(&day).await;
    let start = day.data()["2027-05-04"][0]["start"].as_str().unwrap();
    let created = service.post("/v2/bookings", booking(child, start)).await;
    let uid = &created.data()["uid"];
    for event_type_id in [id.to_string(), child.to_string()] {
        let target = format!("/v2/teams/1/bookings?eventTypeId={event_type_id}");
        let list = service.get_as(&target, service.manager()).await;
        assert_eq!(list.data().as_array().unwrap().len(), 1, "{event_type_id}");
        assert_eq!(&list.data()[0]["uid"], uid);
    }
    // Team administrators have access to it.
    let target = format!("/v2/bookings/{}/attendees", uid.as_str().unwrap());
    let attendees = service.get_as(&target, service.manager()).await;
    assert_eq!(attendees.data()[0]["email"], "zoe@example.org");
}

#[tokio::test]
async fn uppercase_scheduling_type_is_accepted() {
    let service = Service::start().await;
    for (input, stored) in [
        ("COLLECTIVE", "collective"),
        ("ROUND_ROBIN", "roundRobin"),
        ("MANAGED", "managed"),
    ] {
        let created = service
            .create_team_event_type(event_type_body(
                &stored.to_lowercase(),
                json!({"schedulingType": input}),
            ))
            .await;
        assert_eq!(created.data()["schedulingType"], stored, "{}", created.text);
    }
    let wrong = service
        .create_team_event_type(event_type_body(
            "other",
            json!({"schedulingType": "Collective"}),
        ))
        .await;
    assert_eq!(wrong.constraints()[0].0, "schedulingType");
}

#[tokio::test]
async fn team_event_type_without_hosts_returns_empty_hosts() {
    let service = Service::start().await;
    let created = service
        .create_team_event_type(event_type_body(
            "talk",
            json!({"schedulingType": "roundRobin"}),
        ))
        .await;
    assert_eq!(created.data()["hosts"], json!([]));
    assert_eq!(created.data()["ownerId"], Value::Null);
    let personal = service
        .create_event_type(event_type_body("talk", json!({})))
        .await;
    assert!(personal.data().get("hosts").is_none());
    assert_eq!(personal.data()["ownerId"], HOST);
}
