//! Settings as docs/compatibility.md tells of them: each is in one group, and behaves so.

mod evidence;
mod page;

use std::collections::BTreeSet;

use booking_service::event_types::access::{setting_keys, unsupported_keys};
use booking_service::teams;
use serde_json::{Value, json};

use crate::common::{Answer, HOST, Service, booking};
use crate::event_type_changes::{body, everything};
use page::{bodies, explained, groups, resources};

/// Sections of the page with the bodies that they are about.
const SECTIONS: [(&str, &[&str]); 11] = [
    (
        "Event types",
        &[
            "NewEventType",
            "EventTypeChanges",
            "NewTeamEventType",
            "TeamEventTypeChanges",
        ],
    ),
    ("Teams", &["NewTeam", "TeamChange"]),
    (
        "People and managed users",
        &["ProfileChange", "NewManagedUser"],
    ),
    ("Memberships", &["NewMembership", "MembershipChange"]),
    ("Roles", &["NewRole", "RoleChange", "PermissionList"]),
    ("Schedules", &["NewSchedule", "ScheduleChanges"]),
    ("Absences", &["NewOutOfOffice", "OutOfOfficeChanges"]),
    ("Webhooks", &["NewWebhook", "WebhookChanges"]),
    ("Reservations", &["NewReservation"]),
    (
        "Bookings",
        &[
            "NewBooking",
            "RescheduleBooking",
            "POST /v2/bookings/{bookingUid}/cancel",
            "POST /v2/bookings/{bookingUid}/decline",
            "POST /v2/bookings/{bookingUid}/reassign/{userId}",
            "MarkAbsent",
            "AddGuests",
            "AddAttendee",
            "UpdateLocation",
        ],
    ),
    ("Tokens", &["RefreshTokens"]),
];

fn all_of(groups: &page::Groups) -> BTreeSet<&String> {
    groups.values().flatten().collect()
}

#[tokio::test]
async fn every_property_of_a_request_is_in_one_group_of_the_page() {
    let service = Service::start().await;
    let document = service.get("/v2/openapi.json").await.body;
    let mut bodies = bodies(&document);
    let mut count = 0;
    for (section, names) in SECTIONS {
        let mut properties = BTreeSet::new();
        for name in names {
            let found = bodies.remove(*name);
            properties.extend(found.unwrap_or_else(|| panic!("there is no body {name}")));
        }
        let groups = groups(section);
        let properties: BTreeSet<&String> = properties.iter().collect();
        assert_eq!(all_of(&groups), properties, "{section}");
        count += properties.len();
        // Whatever does not work has a reason.
        let mut idle = BTreeSet::new();
        for (group, settings) in &groups {
            let is_part = |path: &str| {
                let parent = path.rsplit_once('.').map_or("", |(parent, _)| parent);
                settings.contains(parent)
            };
            let settings = settings.iter().filter(|path| !is_part(path));
            idle.extend(settings.filter(|_| group != "works").cloned());
        }
        assert_eq!(explained(section), idle, "{section}");
    }
    assert!(bodies.is_empty(), "in no section: {:?}", bodies.keys());

    let document = service.get("/v1/openapi.json").await.body;
    let mut of_resources = std::collections::BTreeMap::<String, BTreeSet<String>>::new();
    for (name, properties) in page::bodies(&document) {
        let resource = name.split('/').nth(2).unwrap().to_owned();
        of_resources.entry(resource).or_default().extend(properties);
    }
    let named: BTreeSet<&str> = of_resources.keys().map(String::as_str).collect();
    assert_eq!(resources(), named);
    for (resource, properties) in &of_resources {
        assert_eq!(
            all_of(&groups(resource)),
            properties.iter().collect(),
            "{resource}"
        );
        count += properties.len();
    }
    println!("{count} properties");
    assert!(count > 300, "{count}");
}

/// Settings that the code reads, where it can be asked.
#[test]
fn settings_that_are_read_are_on_the_page() {
    let top = |section: &str| -> BTreeSet<String> {
        let groups = groups(section);
        let all = groups.into_values().flatten();
        all.filter(|path| !path.contains('.')).collect()
    };
    let keys =
        |keys: Vec<&str>| -> BTreeSet<String> { keys.into_iter().map(str::to_owned).collect() };
    assert_eq!(top("Event types"), keys(setting_keys(true)));
    let mut of_teams = teams::KEYS.to_vec();
    of_teams.push(teams::AUTO_ACCEPT);
    assert_eq!(top("Teams"), keys(of_teams));
    assert_eq!(groups("Event types")["refused"], keys(unsupported_keys()));
}

#[test]
fn every_setting_that_works_is_shown_by_a_test() {
    let tests = evidence::tests();
    let mut shown = 0;
    let mut silent = Vec::new();
    let mut sections: BTreeSet<String> = resources().into_iter().map(str::to_owned).collect();
    sections.extend(SECTIONS.map(|(section, _)| section.to_owned()));
    for (section, pairs) in evidence::sections() {
        sections.remove(section);
        let groups = groups(section);
        let working: BTreeSet<&str> = groups["works"]
            .iter()
            .map(String::as_str)
            .filter(|path| !path.contains('.'))
            .collect();
        let named: BTreeSet<&str> = pairs.iter().map(|(_, setting)| *setting).collect();
        assert_eq!(named, working, "{section}");
        for (test, setting) in pairs {
            let found = tests.iter().filter(|(name, _)| name == test);
            let mut bodies = found.map(|(_, body)| body).peekable();
            assert!(bodies.peek().is_some(), "there is no test {test}");
            if bodies.any(|body| evidence::mentions(body, setting)) {
                shown += 1;
            } else {
                silent.push(format!("{test} does not mention {setting} of {section}"));
            }
        }
    }
    // What is left has nothing that works.
    for section in sections {
        assert!(!groups(&section).contains_key("works"), "{section}");
    }
    assert!(silent.is_empty(), "{silent:#?}");
    println!("{shown} settings");
}

/// The value at a path, of the first element where it leads into a list.
fn at<'a>(value: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(value, |value, key| {
        let value = value.get(0).unwrap_or(value);
        &value[key]
    })
}

/// Asserts that `returned` has what was given for each kept setting, and that all of them were given.
#[track_caller]
fn assert_kept(section: &str, given: &Value, returned: &Value) {
    for path in &groups(section)["kept"] {
        let value = at(given, path);
        assert!(!value.is_null(), "{path} of {section} is not tried");
        assert_eq!(at(returned, path), value, "{path} of {section}");
    }
}

fn with(mut value: Value, more: Value) -> Value {
    value
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    value
}

#[tokio::test]
async fn kept_and_working_settings_of_event_types_are_returned() {
    let service = Service::start().await;
    let mut given = body("documented", everything());
    given.as_object_mut().unwrap().remove("scheduleId");
    let given = with(
        given,
        json!({
            "schedulingType": "roundRobin",
            "hosts": [{"userId": 2, "mandatory": true, "priority": "high"}],
            "emailSettings": {"disableEmailsToAttendees": true, "disableEmailsToHosts": true},
            "rescheduleWithSameRoundRobinHost": true,
            "isInstantEvent": true,
            "scheduleId": 2,
            "bookingFields": [{"slug": "notes", "type": "textarea", "required": true, "hidden": false, "isDefault": true}],
        }),
    );
    let made = service
        .post_as("/v2/teams/1/event-types", service.manager(), given.clone())
        .await;
    assert_eq!(made.status, 201, "{}", made.text);
    assert_kept("Event types", &given, made.data());
    let data = made.data();
    let working = groups("Event types")["works"].clone();
    for key in working.iter().filter(|path| !path.contains('.')) {
        let returned = &data[key.as_str()];
        let Some(value) = given.get(key) else {
            // Instead of hosts.
            assert_eq!(key, "assignAllTeamMembers");
            assert!(returned.is_boolean(), "{key}");
            continue;
        };
        match key.as_str() {
            "hosts" => assert_eq!(returned[0]["userId"], value[0]["userId"]),
            "bookingFields" => {
                let fields = returned.as_array().unwrap();
                assert!(fields.contains(&value[0]), "{returned}");
            }
            _ => assert_eq!(returned, value, "{key}"),
        }
    }
}

#[tokio::test]
async fn refused_settings_are_named_by_400() {
    let service = Service::start().await;
    let key = service.key_of(HOST).await;
    let own = service.event_type("own", json!({})).await;
    let of_team = service
        .event_type_of("of-team", Some("roundRobin"), &[HOST], json!({}))
        .await;
    for setting in &groups("Event types")["refused"] {
        let on = match setting.as_str() {
            "price" => json!(1),
            _ => json!(true),
        };
        let change = json!({setting: on});
        let new = with(body("refused", json!({})), change.clone());
        let of_team_new = with(new.clone(), json!({"schedulingType": "collective"}));
        for (method, target, caller, body) in [
            (
                "POST",
                "/v2/event-types".to_owned(),
                service.bearer_of(HOST).await,
                new,
            ),
            (
                "PATCH",
                format!("/v2/event-types/{own}"),
                service.bearer_of(HOST).await,
                change.clone(),
            ),
            (
                "POST",
                "/v2/teams/1/event-types".to_owned(),
                service.manager(),
                of_team_new,
            ),
            (
                "PATCH",
                format!("/v2/teams/1/event-types/{of_team}"),
                service.manager(),
                change,
            ),
        ] {
            let answer = service.ask(method, &target, &caller, body).await;
            let message = answer.refused(400, "BadRequestException");
            assert!(
                message.starts_with(&format!("{setting} needs ")),
                "{message}"
            );
        }
    }
    let refused = groups("event-types")["refused"].clone();
    assert_eq!(refused, BTreeSet::from(["price".to_owned()]));
    let target = format!("/v1/event-types/{own}?apiKey={key}");
    let answer = service
        .call(
            "PATCH".parse().unwrap(),
            &target,
            &[],
            Some(json!({"price": 1})),
        )
        .await;
    assert_eq!(answer.status, 400, "{}", answer.text);
    assert_eq!(answer.body["data"][0]["property"], "price");
}

#[tokio::test]
async fn kept_settings_of_teams_people_memberships_and_absences_are_returned() {
    let service = Service::start().await;
    let url = "https://northwind.example/x.png";
    let team = json!({
        "name": "Documented", "slug": "documented", "isPrivate": true, "metadata": {"a": 1},
        "autoAcceptCreator": true, "logoUrl": url, "bannerUrl": url, "weekStart": "Friday",
        "theme": "dark", "brandColor": "#123", "darkBrandColor": "#456", "bio": "We.",
        "timeZone": "Asia/Tokyo", "timeFormat": 12, "hideBranding": true,
        "hideBookATeamMember": true, "calVideoLogo": url, "appLogo": url, "appIconLogo": url,
        "bookingLimits": {"PER_DAY": 3}, "includeManagedEventsInLimits": true,
    });
    let made = service
        .post_as("/v2/teams", service.owner(), team.clone())
        .await;
    assert_eq!(made.status, 201, "{}", made.text);
    let target = format!("/v2/teams/{}", made.data()["id"]);
    let read = service.get_as(&target, service.owner()).await;
    assert_kept("Teams", &team, read.data());
    for key in ["name", "slug", "isPrivate", "metadata"] {
        assert_eq!(read.data()[key], team[key], "{key}");
    }

    let secret = [(
        "x-svc-secret-key".to_owned(),
        service.secret("clientSecret"),
    )];
    let users = format!("/v2/oauth-clients/{}/users", service.secret("clientId"));
    let person = json!({
        "name": "Kept", "email": "kept@example.org", "weekStart": "Friday", "timeFormat": 24,
        "locale": "pt-BR", "avatarUrl": url, "bio": "Me.",
    });
    let made = service
        .call(
            "POST".parse().unwrap(),
            &users,
            &secret,
            Some(person.clone()),
        )
        .await;
    let target = format!("{users}/{}", made.data()["user"]["id"]);
    let read = service
        .call("GET".parse().unwrap(), &target, &secret, None)
        .await;
    assert_kept("People and managed users", &person, read.data());

    let change = json!({"disableImpersonation": true});
    for list in ["/v2/teams/1/memberships", "/v2/organizations/1/memberships"] {
        let all = service.get_as(list, service.owner()).await;
        let target = format!("{list}/{}", all.data()[0]["id"]);
        service
            .ask("PATCH", &target, &service.owner(), change.clone())
            .await
            .data();
        let read = service.get_as(&target, service.owner()).await;
        assert_kept("Memberships", &change, read.data());
    }

    let list = "/v2/organizations/1/users/1/ooo";
    let absence = json!({
        "start": "2027-04-01T00:00:00Z", "end": "2027-04-02T00:00:00Z",
        "notes": "Back soon", "reason": "travel", "toUserId": 2,
    });
    service
        .post_as(list, service.owner(), absence.clone())
        .await
        .data();
    let read = service.get_as(list, service.owner()).await;
    assert_kept("Absences", &absence, &read.data()[0]);
}

/// Somebody who calls version 1.
struct VersionOne {
    service: Service,
    key: String,
}

impl VersionOne {
    async fn ask(&self, method: &str, target: &str, body: Value) -> Answer {
        let mark = if target.contains('?') { '&' } else { '?' };
        let target = format!("{target}{mark}apiKey={}", self.key);
        let body = (!body.is_null()).then_some(body);
        let method = method.parse().unwrap();
        let answer = self.service.call(method, &target, &[], body).await;
        assert_eq!(answer.status, 200, "{target} {}", answer.text);
        answer
    }
}

#[tokio::test]
async fn kept_settings_of_version_1_are_returned() {
    let service = Service::start().await;
    service
        .sql(&format!("UPDATE users SET is_admin = 1 WHERE id = {HOST}"))
        .await;
    let id = service.event_type("talk", json!({})).await;
    let booked = service
        .post("/v2/bookings", booking(id, "2027-03-02T09:00:00Z"))
        .await;
    let key = service.key_of(HOST).await;
    let one = VersionOne { service, key };
    let credential = json!({"encryptedKey": "not told again", "appSlug": "google-calendar"});
    let made = one
        .ask(
            "POST",
            &format!("/v1/credential-sync?userId={HOST}"),
            credential,
        )
        .await;
    // The key itself is never returned, and the app has another name.
    let credential_id = made.body["credential"]["id"].clone();
    assert_eq!(made.body["credential"]["type"], "google_calendar");
    let tried = BTreeSet::from(["encryptedKey".to_owned(), "appSlug".to_owned()]);
    assert_eq!(groups("credential-sync")["kept"], tried);

    let team = one
        .ask("POST", "/v1/teams", json!({"name": "T", "slug": "t"}))
        .await;
    let member = format!("/v1/memberships/{HOST}_{}", team.body["team"]["id"]);
    let colours = json!({"brandColor": "#123456", "darkBrandColor": "#abcdef"});
    for (resource, wrapper, method, target, body) in [
        (
            "booking-references",
            "booking_reference",
            "POST",
            "/v1/booking-references".to_owned(),
            json!({
                "bookingId": booked.data()["id"], "type": "zoom", "uid": "z", "meetingId": "m",
                "meetingPassword": "p", "meetingUrl": "https://zoom.example/m", "externalCalendarId": "c",
                "credentialId": credential_id, "deleted": true,
            }),
        ),
        (
            "destination-calendars",
            "destinationCalendar",
            "POST",
            "/v1/destination-calendars".to_owned(),
            json!({
                "integration": "google_calendar", "externalId": "x", "credentialId": credential_id,
                "eventTypeId": id, "bookingId": booked.data()["id"], "userId": HOST,
            }),
        ),
        (
            "selected-calendars",
            "selected_calendar",
            "POST",
            "/v1/selected-calendars".to_owned(),
            json!({
                "integration": "google_calendar", "externalId": "x", "credentialId": credential_id, "userId": HOST,
            }),
        ),
        (
            "event-types",
            "event_type",
            "PATCH",
            format!("/v1/event-types/{id}"),
            json!({"position": 4, "timeZone": "Asia/Tokyo", "currency": "eur", "hideCalendarNotes": true}),
        ),
        (
            "memberships",
            "membership",
            "PATCH",
            member,
            json!({"disableImpersonation": true}),
        ),
        (
            "teams",
            "team",
            "PATCH",
            format!("/v1/teams/{}", team.body["team"]["id"]),
            with(
                colours.clone(),
                json!({"hideBookATeamMember": true, "timeZone": "Asia/Tokyo", "weekStart": "Friday"}),
            ),
        ),
        (
            "users",
            "user",
            "PATCH",
            format!("/v1/users/{HOST}"),
            with(
                colours,
                json!({
                    "weekStart": "Friday", "timeFormat": "TWENTY_FOUR", "locale": "pt-BR", "theme": "DARK",
                    "hideBranding": true, "avatar": "data:image/png;base64,iVBORwo=", "bio": "Me.",
                }),
            ),
        ),
    ] {
        let made = one.ask(method, &target, body.clone()).await;
        let shown = match method {
            "PATCH" => one.ask("GET", &target, Value::Null).await,
            _ => made,
        };
        assert_kept(resource, &body, &shown.body[wrapper]);
    }
}

#[tokio::test]
async fn ignored_settings_are_accepted_and_stored_nowhere() {
    const CANARY: &str = "ignored-canary";
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let ignored = json!({
        "routing": {"a": CANARY}, "meetingUrl": format!("https://example.org/{CANARY}"),
        "emailVerificationCode": CANARY,
    });
    let named: BTreeSet<String> = ignored.as_object().unwrap().keys().cloned().collect();
    assert_eq!(groups("Bookings")["ignored"], named);
    let new = with(booking(id, "2027-03-02T09:00:00Z"), ignored);
    let made = service.post("/v2/bookings", new).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let target = format!(
        "/v2/bookings/{}/reschedule",
        made.data()["uid"].as_str().unwrap()
    );
    let change = json!({"start": "2027-03-02T10:00:00Z", "emailVerificationCode": CANARY});
    let moved = service.post(&target, change).await;
    assert_eq!(moved.status, 201, "{}", moved.text);

    let key = service.key_of(HOST).await;
    let one = VersionOne { service, key };
    let ignored = json!({
        "recurringEventId": CANARY, "seatsPerTimeSlot": 7, "seatsShowAttendees": true,
        "seatsShowAvailabilityCount": true,
    });
    let named: BTreeSet<String> = ignored.as_object().unwrap().keys().cloned().collect();
    assert_eq!(groups("bookings")["ignored"], named);
    let new = json!({
        "eventTypeId": id, "start": "2027-03-02T11:00:00Z", "timeZone": "UTC", "language": "en", "metadata": {},
        "responses": {"name": "Z", "email": "z@example.org", "location": {"optionValue": "", "value": ""}},
    });
    let made = one.ask("POST", "/v1/bookings", with(new, ignored)).await;
    let uid = made.body["booking"]["uid"].as_str().unwrap();
    let read = one.service.get(&format!("/v2/bookings/{uid}")).await;
    assert_eq!(read.data()["attendees"][0].get("seatUid"), None);
    assert!(!made.text.contains(CANARY), "{}", made.text);
    let mut db = one.service.app.store.read().await.unwrap();
    let stored: String = sqlx::query_scalar(
        "SELECT group_concat(responses || metadata || coalesce(location, '') || description || coalesce(series_uid, '')
             || coalesce(seats, '')) FROM bookings WHERE event_type_id = ?",
    )
    .bind(id)
    .fetch_one(&mut *db)
    .await
    .unwrap();
    assert!(!stored.contains(CANARY), "{stored}");
}

#[tokio::test]
async fn answer_has_the_names_that_its_client_knows() {
    let service = Service::start().await;
    let locations = json!([{"type": "integration", "integration": "svc-video"}]);
    let settings = json!({"locations": locations, "description": "svc-video, \"svc-video\""});
    let id = service.event_type("talk", settings).await;
    let made = service
        .post("/v2/bookings", booking(id, "2027-03-02T10:00:00Z"))
        .await;
    assert_eq!(made.data()["location"], "integrations:svc-video");
    let event_type = format!("/v2/event-types/{id}");
    let made = format!("/v2/bookings/{}", made.data()["uid"].as_str().unwrap());
    let get = async |target: &str, header: &str, value: &str| {
        let header = (header.to_owned(), value.to_owned());
        service.get_as(target, header).await
    };
    for (header, value, app, place) in [
        ("cal-api-version", "", "cal-video", "integrations:daily"),
        ("svc-api-version", "", "svc-video", "integrations:svc-video"),
        (
            "x-cal-atoms-version",
            "1",
            "cal-video",
            "integrations:daily",
        ),
        ("accept", "*/*", "svc-video", "integrations:svc-video"),
    ] {
        let version = |spoken: &'static str| if value.is_empty() { spoken } else { value };
        let shown = get(&event_type, header, version("2024-06-14")).await;
        assert_eq!(shown.data()["locations"][0]["integration"], app);
        // Texts of people stay as they are.
        assert_eq!(shown.data()["description"], "svc-video, \"svc-video\"");
        let shown = get(&made, header, version("2024-08-13")).await;
        assert_eq!(shown.data()["location"], place, "{header}");
    }
    // What an answer says can be sent back.
    for place in ["integrations:daily", "cal-video"] {
        let mut body = booking(id, "2027-03-02T11:00:00Z");
        body["location"] = json!(place);
        let again = service.post("/v2/bookings", body).await;
        assert_eq!(again.data()["location"], "integrations:svc-video");
        let target = format!(
            "/v2/bookings/{}/cancel",
            again.data()["uid"].as_str().unwrap()
        );
        service.post(&target, json!({})).await.data();
    }
}
