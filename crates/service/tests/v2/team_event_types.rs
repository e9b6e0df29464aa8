//! POST, PATCH and DELETE of /v2/teams/{teamId}/event-types: hosts and managed event types

use axum::http::Method;
use serde_json::{Value, json};

use crate::common::{Answer, HOST, Service, booking};
use crate::event_type_changes::{body, slugs};

impl Service {
    /// Sofia runs the team.
    async fn make_of_team(&self, body: Value) -> Answer {
        self.post_as("/v2/teams/1/event-types", self.manager(), body)
            .await
    }

    async fn patch_of_team(&self, id: &Value, body: Value) -> Answer {
        let target = format!("/v2/teams/1/event-types/{id}");
        self.call(Method::PATCH, &target, &[self.manager()], Some(body))
            .await
    }
}

#[tokio::test]
async fn a_teams_event_type_names_hosts_of_the_team() {
    let service = Service::start().await;
    let hosts = json!([{"userId": 1, "mandatory": true}, {"userId": 2, "priority": "high"}]);
    let made = service
        .make_of_team(body(
            "talk",
            json!({"schedulingType": "roundRobin", "hosts": hosts, "scheduleId": 2, "emailSettings": {"disableEmailsToHosts": true}}),
        ))
        .await;
    assert_eq!(made.status, 201, "{}", made.text);
    let seats = |answer: &Answer| -> Vec<(i64, bool, String)> {
        answer.data()["hosts"]
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
        seats(&made),
        [(1, true, "medium".into()), (2, false, "high".into())]
    );
    assert_eq!(
        made.data()["emailSettings"],
        json!({"disableEmailsToAttendees": false, "disableEmailsToHosts": true})
    );
    let id = &made.data()["id"];
    let changed = service
        .patch_of_team(id, json!({"schedulingType": "collective"}))
        .await;
    assert_eq!(
        seats(&changed),
        [(1, true, "medium".into()), (2, true, "high".into())]
    );
    let changed = service
        .patch_of_team(
            id,
            json!({"hosts": [{"userId": 3}], "rescheduleWithSameRoundRobinHost": true}),
        )
        .await;
    assert_eq!(seats(&changed), [(3, true, "medium".into())]);
    assert_eq!(changed.data()["rescheduleWithSameRoundRobinHost"], true);
    service
        .patch_of_team(id, json!({"schedulingType": null}))
        .await
        .refused(400, "BadRequestException");
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
        let answer = service.make_of_team(body("other", more.clone())).await;
        answer.refused(400, "BadRequestException");
        assert_eq!(answer.constraints()[0].0, property, "{more}");
    }
}

#[tokio::test]
async fn a_team_of_an_organization_may_ask_for_a_telephone_number_instead_of_an_address() {
    let service = Service::start().await;
    let fields = json!([
        {"type": "email", "required": false, "hidden": true},
        {"type": "phone", "slug": "attendeePhoneNumber", "label": "Phone", "required": true},
    ]);
    let more = json!({"schedulingType": "roundRobin", "bookingFields": fields});
    let made = service.make_of_team(body("talk", more)).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let personal = service
        .make(body("talk", json!({"bookingFields": fields})))
        .await;
    personal.refused(400, "BadRequestException");
    assert_eq!(personal.constraints()[0].0, "bookingFields");
}

#[tokio::test]
async fn who_joins_a_team_hosts_what_everybody_hosts_and_who_leaves_does_not() {
    let service = Service::start().await;
    let everybody = json!({"schedulingType": "roundRobin", "assignAllTeamMembers": true});
    let made = service.make_of_team(body("talk", everybody)).await;
    let managed = json!({"schedulingType": "managed", "assignAllTeamMembers": true});
    let managed = service.make_of_team(body("mine", managed)).await;
    let id = &made.data()["id"];
    let hosts = async || -> Vec<i64> {
        let answer = service.get(&format!("/v2/teams/1/event-types/{id}")).await;
        answer.data()["hosts"]
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
    // Naming hosts is not meaning everybody.
    let named = service
        .patch_of_team(id, json!({"hosts": [{"userId": 2}]}))
        .await;
    assert_eq!(named.data()["assignAllTeamMembers"], false);
    assert_eq!(hosts().await, [2]);
}

#[tokio::test]
async fn hosts_of_a_managed_event_type_have_their_own_that_follow_it() {
    let service = Service::start().await;
    let template = service
        .make_of_team(body(
            "mine",
            json!({
                "schedulingType": "managed", "hosts": [{"userId": 1}, {"userId": 2}],
                "metadata": {"managedEventConfig": {"unlockedFields": {"locations": true}}},
            }),
        ))
        .await;
    assert_eq!(template.status, 201, "{}", template.text);
    let id = &template.data()["id"];
    let of = async |username: &str| {
        let target = format!("/v2/event-types?username={username}&eventSlug=mine");
        service.get(&target).await.data().clone()
    };
    let (ada, marcus) = (of("ada").await, of("marcus").await);
    for child in [&ada[0], &marcus[0]] {
        assert_eq!(&child["parentEventTypeId"], id);
        assert_eq!(child["schedulingType"], Value::Null);
        assert_eq!(child["lengthInMinutes"], 30);
    }
    // The template itself is neither asked for times nor booked.
    let times = format!("/v2/slots?eventTypeId={id}&start=2027-03-02&end=2027-03-02");
    service
        .get(&times)
        .await
        .refused(400, "BadRequestException");
    service
        .post(
            "/v2/bookings",
            booking(id.as_i64().unwrap(), "2027-03-02T09:00:00Z"),
        )
        .await
        .refused(400, "BadRequestException");

    // Ada decides about places and her hours, the team about the rest.
    let target = format!("/v2/event-types/{}", ada[0]["id"]);
    let own = json!({"locations": [{"type": "attendeePhone"}], "scheduleId": 1});
    let changed = service.patch_as(&target, 1, own.clone()).await;
    assert_eq!(changed.data()["locations"], own["locations"]);
    let locked = service.patch_as(&target, 1, json!({"title": "Mine"})).await;
    locked.refused(400, "BadRequestException");
    assert_eq!(locked.constraints()[0].0, "title");
    service
        .delete_as(&target, 1)
        .await
        .refused(403, "ForbiddenException");

    let change =
        json!({"title": "New", "lengthInMinutes": 45, "hosts": [{"userId": 1}, {"userId": 3}]});
    let changed = service.patch_of_team(id, change).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let ada = of("ada").await;
    assert_eq!(ada[0]["title"], "New");
    assert_eq!(ada[0]["lengthInMinutes"], 45);
    assert_eq!(ada[0]["locations"], own["locations"]);
    assert_eq!(ada[0]["scheduleId"], 1);
    assert_eq!(of("marcus").await, json!([]));
    assert_eq!(of("priya").await[0]["title"], "New");
    service
        .patch_of_team(id, json!({"schedulingType": "collective"}))
        .await
        .refused(400, "BadRequestException");

    // A host with an event type of that slug is in the way, and nothing is changed.
    let clash = service
        .patch_of_team(id, json!({"slug": "intro-call"}))
        .await;
    clash.refused(409, "ConflictException");
    assert_eq!(of("ada").await[0]["slug"], "mine");

    let target = format!("/v2/teams/1/event-types/{id}");
    assert_eq!(service.delete_as(&target, 4).await.status, 200);
    assert_eq!(of("ada").await, json!([]));
}

#[tokio::test]
async fn what_is_booked_of_a_managed_event_type_belongs_to_its_team() {
    let service = Service::start().await;
    let template = json!({"schedulingType": "managed", "hosts": [{"userId": 1}]});
    let template = service.make_of_team(body("mine", template)).await;
    let id = &template.data()["id"];
    let own = service
        .get("/v2/event-types?username=ada&eventSlug=mine")
        .await;
    let child = own.data()[0]["id"].as_i64().unwrap();
    let day = format!("/v2/slots?eventTypeId={child}&start=2027-05-04&end=2027-05-04");
    let day = service.get(&day).await;
    let start = day.data()["2027-05-04"][0]["start"].as_str().unwrap();
    let made = service.post("/v2/bookings", booking(child, start)).await;
    let uid = &made.data()["uid"];
    for asked in [id.to_string(), child.to_string()] {
        let target = format!("/v2/teams/1/bookings?eventTypeId={asked}");
        let list = service.get_as(&target, service.manager()).await;
        assert_eq!(list.data().as_array().unwrap().len(), 1, "{asked}");
        assert_eq!(&list.data()[0]["uid"], uid);
    }
    // Whoever runs the team may act on it.
    let target = format!("/v2/bookings/{}/attendees", uid.as_str().unwrap());
    let attendees = service.get_as(&target, service.manager()).await;
    assert_eq!(attendees.data()[0]["email"], "zoe@example.org");
}

#[tokio::test]
async fn scheduling_type_in_capitals_is_accepted() {
    let service = Service::start().await;
    for (given, stored) in [
        ("COLLECTIVE", "collective"),
        ("ROUND_ROBIN", "roundRobin"),
        ("MANAGED", "managed"),
    ] {
        let made = service
            .make_of_team(body(
                &stored.to_lowercase(),
                json!({"schedulingType": given}),
            ))
            .await;
        assert_eq!(made.data()["schedulingType"], stored, "{}", made.text);
    }
    let wrong = service
        .make_of_team(body("other", json!({"schedulingType": "Collective"})))
        .await;
    assert_eq!(wrong.constraints()[0].0, "schedulingType");
}

#[tokio::test]
async fn team_event_type_without_hosts_returns_an_empty_list() {
    let service = Service::start().await;
    let made = service
        .make_of_team(body("talk", json!({"schedulingType": "roundRobin"})))
        .await;
    assert_eq!(made.data()["hosts"], json!([]));
    assert_eq!(made.data()["ownerId"], Value::Null);
    let personal = service.make(body("talk", json!({}))).await;
    assert!(personal.data().get("hosts").is_none());
    assert_eq!(personal.data()["ownerId"], HOST);
}
