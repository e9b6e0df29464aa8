//! Settings in docs/compatibility.md: each is in exactly one group and behaves accordingly.

mod evidence;
mod page;

use std::collections::BTreeSet;

use booking_service::domain::event_types::access::{setting_keys, unsupported_keys};
use booking_service::domain::teams;
use booking_store_engine::sql;
use serde_json::{Value, json};

use crate::common::{HOST, Service, TestResponse, booking};
use crate::event_types::changes::{all_settings, event_type_body};
use page::{bodies, explained, groups, resources};

/// Sections of the page with their request bodies.
const SECTIONS: [(&str, &[&str]); 12] = [
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
            "CorrectEmail",
            "UpdateLocation",
        ],
    ),
    ("Verified emails", &["RequestEmailCode", "VerifyEmailCode"]),
    ("Tokens", &["RefreshTokens"]),
];

fn all_settings_of(groups: &page::Groups) -> BTreeSet<&String> {
    groups.values().flatten().collect()
}

#[tokio::test]
async fn every_request_property_is_in_one_group_of_page() {
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
        assert_eq!(all_settings_of(&groups), properties, "{section}");
        count += properties.len();
        // Each setting that has no effect has an explanation.
        let mut without_effect = BTreeSet::new();
        for (group, settings) in &groups {
            let is_part = |path: &str| {
                let parent = path.rsplit_once('.').map_or("", |(parent, _)| parent);
                settings.contains(parent)
            };
            let settings = settings.iter().filter(|path| !is_part(path));
            without_effect.extend(settings.filter(|_| group != "works").cloned());
        }
        assert_eq!(explained(section), without_effect, "{section}");
    }
    assert!(bodies.is_empty(), "in no section: {:?}", bodies.keys());

    let document = service.get("/v1/openapi.json").await.body;
    let mut by_resource = std::collections::BTreeMap::<String, BTreeSet<String>>::new();
    for (name, properties) in page::bodies(&document) {
        let resource = name.split('/').nth(2).unwrap().to_owned();
        by_resource.entry(resource).or_default().extend(properties);
    }
    let property_names: BTreeSet<&str> = by_resource.keys().map(String::as_str).collect();
    assert_eq!(resources(), property_names);
    for (resource, properties) in &by_resource {
        assert_eq!(
            all_settings_of(&groups(resource)),
            properties.iter().collect(),
            "{resource}"
        );
        count += properties.len();
    }
    println!("{count} properties");
    assert!(count > 300, "{count}");
}

/// Compares the page with the lists of settings that the code exports.
#[test]
fn settings_read_by_code_are_on_page() {
    let top_level = |section: &str| -> BTreeSet<String> {
        let groups = groups(section);
        let all = groups.into_values().flatten();
        all.filter(|path| !path.contains('.')).collect()
    };
    let keys =
        |keys: Vec<&str>| -> BTreeSet<String> { keys.into_iter().map(str::to_owned).collect() };
    assert_eq!(top_level("Event types"), keys(setting_keys(true)));
    let mut team_keys = teams::KEYS.to_vec();
    team_keys.push(teams::AUTO_ACCEPT);
    assert_eq!(top_level("Teams"), keys(team_keys));
    assert_eq!(groups("Event types")["refused"], keys(unsupported_keys()));
}

#[test]
fn every_working_setting_has_test() {
    let tests = evidence::tests();
    let mut covered = 0;
    let mut missing_mentions = Vec::new();
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
        let property_names: BTreeSet<&str> = pairs.iter().map(|(_, setting)| *setting).collect();
        assert_eq!(property_names, working, "{section}");
        for (test, setting) in pairs {
            let found = tests.iter().filter(|(name, _)| name == test);
            let mut bodies = found.map(|(_, body)| body).peekable();
            assert!(bodies.peek().is_some(), "there is no test {test}");
            if bodies.any(|body| evidence::mentions(body, setting)) {
                covered += 1;
            } else {
                missing_mentions.push(format!("{test} does not mention {setting} of {section}"));
            }
        }
    }
    // The remaining sections have no working settings.
    for section in sections {
        assert!(!groups(&section).contains_key("works"), "{section}");
    }
    assert!(missing_mentions.is_empty(), "{missing_mentions:#?}");
    println!("{covered} settings");
}

/// Returns the value at a path. In an array, the path continues in the first element.
fn value_at<'a>(value: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(value, |value, key| {
        let value = value.get(0).unwrap_or(value);
        &value[key]
    })
}

/// Asserts that `returned` has the sent value of each kept setting, and that all of them were sent.
#[track_caller]
fn assert_returned(section: &str, sent: &Value, returned: &Value) {
    for path in &groups(section)["kept"] {
        let value = value_at(sent, path);
        assert!(!value.is_null(), "{path} of {section} is not tried");
        assert_eq!(value_at(returned, path), value, "{path} of {section}");
    }
}

fn merged(mut value: Value, more: Value) -> Value {
    value
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    value
}

#[tokio::test]
async fn kept_and_working_settings_of_event_types_are_returned() {
    let service = Service::start().await;
    let mut sent = event_type_body("documented", all_settings());
    sent.as_object_mut().unwrap().remove("scheduleId");
    let sent = merged(
        sent,
        json!({
            "schedulingType": "roundRobin",
            "hosts": [{"userId": 2, "mandatory": true, "priority": "high"}],
            "emailSettings": {"disableEmailsToAttendees": true, "disableEmailsToHosts": true},
            "rescheduleWithSameRoundRobinHost": true,
            "isInstantEvent": true,
            "closed": true,
            "scheduleId": 2,
            "bookingFields": [{"slug": "notes", "type": "textarea", "required": true, "hidden": false, "isDefault": true}],
        }),
    );
    let created = service
        .post_as("/v2/teams/1/event-types", service.manager(), sent.clone())
        .await;
    assert_eq!(created.status, 201, "{}", created.text);
    assert_returned("Event types", &sent, created.data());
    let data = created.data();
    let working = groups("Event types")["works"].clone();
    for key in working.iter().filter(|path| !path.contains('.')) {
        let returned = &data[key.as_str()];
        let Some(value) = sent.get(key) else {
            // Alternative to `hosts`.
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
async fn rejected_setting_is_named_in_400_response() {
    let service = Service::start().await;
    let key = service.key_of(HOST).await;
    let personal = service.event_type("own", json!({})).await;
    let team_event_type = service
        .event_type_of("of-team", Some("roundRobin"), &[HOST], json!({}))
        .await;
    for setting in &groups("Event types")["refused"] {
        let value = match setting.as_str() {
            "price" => json!(1),
            _ => json!(true),
        };
        let change = json!({setting: value});
        let body = merged(event_type_body("refused", json!({})), change.clone());
        let new_team_event_type = merged(body.clone(), json!({"schedulingType": "collective"}));
        for (method, target, caller, body) in [
            (
                "POST",
                "/v2/event-types".to_owned(),
                service.bearer_of(HOST).await,
                body,
            ),
            (
                "PATCH",
                format!("/v2/event-types/{personal}"),
                service.bearer_of(HOST).await,
                change.clone(),
            ),
            (
                "POST",
                "/v2/teams/1/event-types".to_owned(),
                service.manager(),
                new_team_event_type,
            ),
            (
                "PATCH",
                format!("/v2/teams/1/event-types/{team_event_type}"),
                service.manager(),
                change,
            ),
        ] {
            let response = service.request(method, &target, &caller, body).await;
            let message = response.assert_error(400, "BadRequestException");
            assert!(
                message.starts_with(&format!("{setting} needs ")),
                "{message}"
            );
        }
    }
    let rejected = groups("event-types")["refused"].clone();
    assert_eq!(rejected, BTreeSet::from(["price".to_owned()]));
    let target = format!("/v1/event-types/{personal}?apiKey={key}");
    let response = service
        .call(
            "PATCH".parse().unwrap(),
            &target,
            &[],
            Some(json!({"price": 1})),
        )
        .await;
    assert_eq!(response.status, 400, "{}", response.text);
    assert_eq!(response.body["data"][0]["property"], "price");
}

#[tokio::test]
async fn kept_settings_of_teams_users_memberships_and_absences_are_returned() {
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
    let created = service
        .post_as("/v2/teams", service.owner(), team.clone())
        .await;
    assert_eq!(created.status, 201, "{}", created.text);
    let target = format!("/v2/teams/{}", created.data()["id"]);
    let fetched = service.get_as(&target, service.owner()).await;
    assert_returned("Teams", &team, fetched.data());
    for key in ["name", "slug", "isPrivate", "metadata"] {
        assert_eq!(fetched.data()[key], team[key], "{key}");
    }

    let secret = [(
        "x-svc-secret-key".to_owned(),
        service.secret("clientSecret"),
    )];
    let users = format!("/v2/oauth-clients/{}/users", service.secret("clientId"));
    let user = json!({
        "name": "Kept", "email": "kept@example.org", "weekStart": "Friday", "timeFormat": 24,
        "locale": "pt-BR", "avatarUrl": url, "bio": "Me.",
    });
    let created = service
        .call("POST".parse().unwrap(), &users, &secret, Some(user.clone()))
        .await;
    let target = format!("{users}/{}", created.data()["user"]["id"]);
    let fetched = service
        .call("GET".parse().unwrap(), &target, &secret, None)
        .await;
    assert_returned("People and managed users", &user, fetched.data());

    let change = json!({"disableImpersonation": true});
    for list in ["/v2/teams/1/memberships", "/v2/organizations/1/memberships"] {
        let all = service.get_as(list, service.owner()).await;
        let target = format!("{list}/{}", all.data()[0]["id"]);
        service
            .request("PATCH", &target, &service.owner(), change.clone())
            .await
            .data();
        let fetched = service.get_as(&target, service.owner()).await;
        assert_returned("Memberships", &change, fetched.data());
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
    let fetched = service.get_as(list, service.owner()).await;
    assert_returned("Absences", &absence, &fetched.data()[0]);
}

/// Client of version 1.
struct V1Client {
    service: Service,
    key: String,
}

impl V1Client {
    async fn request(&self, method: &str, target: &str, body: Value) -> TestResponse {
        let separator = if target.contains('?') { '&' } else { '?' };
        let target = format!("{target}{separator}apiKey={}", self.key);
        let body = (!body.is_null()).then_some(body);
        let method = method.parse().unwrap();
        let response = self.service.call(method, &target, &[], body).await;
        assert_eq!(response.status, 200, "{target} {}", response.text);
        response
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
    let v1 = V1Client { service, key };
    let credential = json!({"encryptedKey": "not told again", "appSlug": "google-calendar"});
    let created = v1
        .request(
            "POST",
            &format!("/v1/credential-sync?userId={HOST}"),
            credential,
        )
        .await;
    // The key is never returned, and the app slug is returned as `type`.
    let credential_id = created.body["credential"]["id"].clone();
    assert_eq!(created.body["credential"]["type"], "google_calendar");
    let keys_sent = BTreeSet::from(["encryptedKey".to_owned(), "appSlug".to_owned()]);
    assert_eq!(groups("credential-sync")["kept"], keys_sent);

    let team = v1
        .request("POST", "/v1/teams", json!({"name": "T", "slug": "t"}))
        .await;
    let member = format!("/v1/memberships/{HOST}_{}", team.body["team"]["id"]);
    let colors = json!({"brandColor": "#123456", "darkBrandColor": "#abcdef"});
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
            merged(
                colors.clone(),
                json!({"hideBookATeamMember": true, "timeZone": "Asia/Tokyo", "weekStart": "Friday"}),
            ),
        ),
        (
            "users",
            "user",
            "PATCH",
            format!("/v1/users/{HOST}"),
            merged(
                colors,
                json!({
                    "weekStart": "Friday", "timeFormat": "TWENTY_FOUR", "locale": "pt-BR", "theme": "DARK",
                    "hideBranding": true, "avatar": "data:image/png;base64,iVBORwo=", "bio": "Me.",
                }),
            ),
        ),
    ] {
        let created = v1.request(method, &target, body.clone()).await;
        let fetched = match method {
            "PATCH" => v1.request("GET", &target, Value::Null).await,
            _ => created,
        };
        assert_returned(resource, &body, &fetched.body[wrapper]);
    }
}

#[tokio::test]
async fn ignored_settings_are_accepted_and_stored_nowhere() {
    const CANARY: &str = "ignored-canary";
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let ignored = json!({
        "routing": {"a": CANARY}, "meetingUrl": format!("https://example.org/{CANARY}"),
    });
    let property_names: BTreeSet<String> = ignored.as_object().unwrap().keys().cloned().collect();
    assert_eq!(groups("Bookings")["ignored"], property_names);
    let mut body = merged(booking(id, "2027-03-02T09:00:00Z"), ignored);
    // The event type requires no code, and a reschedule never does.
    body["emailVerificationCode"] = json!(CANARY);
    let created = service.post("/v2/bookings", body).await;
    assert_eq!(created.status, 201, "{}", created.text);
    let target = format!(
        "/v2/bookings/{}/reschedule",
        created.data()["uid"].as_str().unwrap()
    );
    let change = json!({"start": "2027-03-02T10:00:00Z", "emailVerificationCode": CANARY});
    let rescheduled = service.post(&target, change).await;
    assert_eq!(rescheduled.status, 201, "{}", rescheduled.text);

    let key = service.key_of(HOST).await;
    let v1 = V1Client { service, key };
    let ignored = json!({
        "recurringEventId": CANARY, "seatsPerTimeSlot": 7, "seatsShowAttendees": true,
        "seatsShowAvailabilityCount": true,
    });
    let property_names: BTreeSet<String> = ignored.as_object().unwrap().keys().cloned().collect();
    assert_eq!(groups("bookings")["ignored"], property_names);
    let body = json!({
        "eventTypeId": id, "start": "2027-03-02T11:00:00Z", "timeZone": "UTC", "language": "en", "metadata": {},
        "responses": {"name": "Z", "email": "z@example.org", "location": {"optionValue": "", "value": ""}},
    });
    let created = v1
        .request("POST", "/v1/bookings", merged(body, ignored))
        .await;
    let uid = created.body["booking"]["uid"].as_str().unwrap();
    let fetched = v1.service.get(&format!("/v2/bookings/{uid}")).await;
    assert_eq!(fetched.data()["attendees"][0].get("seatUid"), None);
    assert!(!created.text.contains(CANARY), "{}", created.text);
    let mut db = v1.service.app.store.read().await.unwrap();
    let row_text: String = sql::query_scalar(
        "SELECT string_agg(responses || metadata || coalesce(location, '') || description || coalesce(series_uid, '')
             || coalesce(CAST(seats AS TEXT), ''), ',') FROM bookings WHERE event_type_id = ?",
    )
    .bind(id)
    .fetch_one(&mut db)
    .await
    .unwrap();
    assert!(!row_text.contains(CANARY), "{row_text}");
}

#[tokio::test]
async fn app_names_in_response_depend_on_client_header() {
    let service = Service::start().await;
    let locations = json!([{"type": "integration", "integration": "svc-video"}]);
    let settings = json!({"locations": locations, "description": "svc-video, \"svc-video\""});
    let id = service.event_type("talk", settings).await;
    let created = service
        .post("/v2/bookings", booking(id, "2027-03-02T10:00:00Z"))
        .await;
    assert_eq!(created.data()["location"], "integrations:svc-video");
    let event_type = format!("/v2/event-types/{id}");
    let booking_target = format!("/v2/bookings/{}", created.data()["uid"].as_str().unwrap());
    let get = async |target: &str, header: &str, value: &str| {
        let header = (header.to_owned(), value.to_owned());
        service.get_as(target, header).await
    };
    for (header, value, app, location) in [
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
        let version = |default_version: &'static str| {
            if value.is_empty() {
                default_version
            } else {
                value
            }
        };
        let fetched = get(&event_type, header, version("2024-06-14")).await;
        assert_eq!(fetched.data()["locations"][0]["integration"], app);
        // Free text is not converted.
        assert_eq!(fetched.data()["description"], "svc-video, \"svc-video\"");
        let fetched = get(&booking_target, header, version("2024-08-13")).await;
        assert_eq!(fetched.data()["location"], location, "{header}");
    }
    // A location of a response is valid in a request.
    for location in ["integrations:daily", "cal-video"] {
        let mut body = booking(id, "2027-03-02T11:00:00Z");
        body["location"] = json!(location);
        let created = service.post("/v2/bookings", body).await;
        assert_eq!(created.data()["location"], "integrations:svc-video");
        let target = format!(
            "/v2/bookings/{}/cancel",
            created.data()["uid"].as_str().unwrap()
        );
        service.post(&target, json!({})).await.data();
    }
}
