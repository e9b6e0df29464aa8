//! GET /v2/event-types, /v2/event-types/{eventTypeId} and /v2/teams/{teamId}/event-types

use serde_json::{Value, json};

use crate::common::{HOST, Service, booking};

fn slugs(data: &Value) -> Vec<&str> {
    data.as_array()
        .unwrap()
        .iter()
        .map(|event_type| event_type["slug"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn event_types_are_listed_by_username() {
    let service = Service::start().await;
    let all = service.get("/v2/event-types?username=ada").await;
    assert_eq!(slugs(all.data()), ["intro-call", "consultation"]);
    let newest = service
        .get("/v2/event-types?username=ada&sortCreatedAt=desc")
        .await;
    assert_eq!(slugs(newest.data()), ["consultation", "intro-call"]);
    let by_slug = service
        .get("/v2/event-types?username=ada&eventSlug=consultation")
        .await;
    assert_eq!(slugs(by_slug.data()), ["consultation"]);
    assert_eq!(
        by_slug.data()[0]["lengthInMinutesOptions"],
        json!([15, 30, 45, 60])
    );
    for query in ["?username=ada&eventSlug=none", "?username=nobody", ""] {
        assert_eq!(
            service.get(&format!("/v2/event-types{query}")).await.data(),
            &json!([]),
            "{query}"
        );
    }
    service
        .get("/v2/event-types?eventSlug=intro-call")
        .await
        .assert_error(400, "BadRequestException");
    service
        .get("/v2/event-types?username=ada&sortCreatedAt=up")
        .await
        .assert_error(400, "BadRequestException");
}

#[tokio::test]
async fn dynamic_group_has_one_collective_event_type() {
    let service = Service::start().await;
    let response = service
        .get("/v2/event-types?usernames=marcus,ada,marcus&orgSlug=northwind")
        .await;
    let [group] = response.data().as_array().unwrap().as_slice() else {
        panic!("{}", response.text);
    };
    assert_eq!(group["id"], 0);
    assert_eq!(group["slug"], "dynamic");
    assert_eq!(group["lengthInMinutes"], 30);
    assert_eq!(group["schedulingType"], "collective");
    assert_eq!(group["title"], "Meeting with Marcus Okafor, Ada Brandt");
    assert_eq!(
        group["bookingUrl"],
        "http://127.0.0.1:8080/marcus+ada/dynamic"
    );
    let ids: Vec<i64> = group["users"]
        .as_array()
        .unwrap()
        .iter()
        .map(|user| user["id"].as_i64().unwrap())
        .collect();
    assert_eq!(ids, [2, 1]);
    for (query, status) in [
        ("usernames=ada", 400),
        ("usernames=ada,ada", 400),
        ("usernames=ada,marcus&username=ada", 400),
        ("usernames=ada,nobody", 404),
        ("usernames=ada,marcus&orgSlug=elsewhere", 404),
    ] {
        let response = service.get(&format!("/v2/event-types?{query}")).await;
        assert_eq!(response.status, status, "{query}: {}", response.text);
    }
}

#[tokio::test]
async fn event_type_response_has_all_properties() {
    let service = Service::start().await;
    let response = service.get("/v2/event-types/1").await;
    let mut data = response.data().clone();
    let fields = data
        .as_object_mut()
        .unwrap()
        .remove("bookingFields")
        .unwrap();
    assert!(
        fields
            .as_array()
            .unwrap()
            .iter()
            .all(|field| field["hidden"] == false)
    );
    assert!(
        data["description"]
            .as_str()
            .unwrap()
            .starts_with("Half an hour")
    );
    data["description"] = json!("…");
    assert_eq!(
        data,
        json!({
            "id": 1,
            "title": "Intro call",
            "slug": "intro-call",
            "description": "…",
            "color": {"lightThemeHex": "#0f766e", "darkThemeHex": "#5eead4"},
            "lengthInMinutes": 30,
            "locations": [{"type": "integration", "integration": "svc-video"}],
            "recurrence": null,
            "slotInterval": null,
            "minimumBookingNotice": 120,
            "beforeEventBuffer": 0,
            "afterEventBuffer": 0,
            "offsetStart": 0,
            "bookingWindow": {"type": "calendarDays", "value": 90, "rolling": false},
            "bookingLimitsCount": {"disabled": true},
            "bookingLimitsDuration": {"disabled": true},
            "bookerActiveBookingsLimit": {"disabled": true},
            "confirmationPolicy": {"disabled": true},
            "seats": {"disabled": true},
            "seatsPerTimeSlot": null,
            "seatsShowAvailabilityCount": null,
            "scheduleId": null,
            "metadata": {},
            "price": 0,
            "currency": "usd",
            "interfaceLanguage": null,
            "disableGuests": false,
            "lockTimeZoneToggleOnBookingPage": false,
            "hidden": false,
            "isInstantEvent": false,
            "bookingRequiresAuthentication": false,
            "requiresBookerEmailVerification": false,
            "hideOrganizerEmail": false,
            "hideCalendarNotes": false,
            "onlyShowFirstAvailableSlot": false,
            "showOptimizedSlots": false,
            "allowReschedulingPastBookings": false,
            "allowReschedulingCancelledBookings": false,
            "disableCancelling": {"disabled": false},
            "disableRescheduling": {"disabled": false},
            "successRedirectUrl": null,
            "forwardParamsSuccessRedirect": null,
            "useDestinationCalendarEmail": false,
            "hideCalendarEventDetails": false,
            "bookerLayouts": {"defaultLayout": "month", "enabledLayouts": ["month", "week", "column"]},
            "ownerId": 1,
            "users": [{
                "id": 1, "name": "Ada Brandt", "username": "ada",
                "avatarUrl": "http://127.0.0.1:8080/demo/ada.svg",
                "brandColor": null, "darkBrandColor": null, "weekStart": "Monday",
                "metadata": {},
            }],
            "bookingUrl": "http://127.0.0.1:8080/ada/intro-call",
            "sendsEmail": false,
            "allowsEmailCorrection": false,
        })
    );
}

#[tokio::test]
async fn team_event_type_contains_team_and_hosts() {
    let service = Service::start().await;
    let response = service
        .get("/v2/teams/1/event-types?eventSlug=onboarding")
        .await;
    let onboarding = &response.data()[0];
    assert_eq!(onboarding["teamId"], 1);
    assert!(onboarding.as_object().unwrap().contains_key("ownerId"));
    assert_eq!(onboarding["ownerId"], Value::Null);
    assert_eq!(onboarding["schedulingType"], "roundRobin");
    assert_eq!(
        onboarding["team"],
        json!({
            "id": 1, "slug": "customer-success", "name": "Customer Success",
            "logoUrl": "http://127.0.0.1:8080/demo/customer-success.svg",
            "weekStart": "Monday", "brandColor": "#0f766e", "darkBrandColor": "#5eead4",
        })
    );
    assert_eq!(onboarding["assignAllTeamMembers"], false);
    assert_eq!(onboarding["hosts"].as_array().unwrap().len(), 3);
    assert_eq!(
        onboarding["hosts"][0],
        json!({
            "userId": 1, "name": "Ada Brandt", "username": "ada",
            "avatarUrl": "http://127.0.0.1:8080/demo/ada.svg",
            "mandatory": false, "priority": "medium",
        })
    );
    let by_slug = service
        .get("/v2/teams/customer-success/event-types?eventSlug=onboarding")
        .await;
    assert_eq!(by_slug.body, response.body);
    service
        .get("/v2/teams/unknown-team/event-types")
        .await
        .assert_error(404, "NotFoundException");
    let by_id = service.get("/v2/teams/1/event-types/3").await;
    assert_eq!(by_id.data(), onboarding);
    service
        .get("/v2/teams/1/event-types/1")
        .await
        .assert_error(404, "NotFoundException");
    let limited = service
        .get("/v2/teams/1/event-types?eventSlug=onboarding&hostsLimit=1")
        .await;
    assert_eq!(limited.data()[0]["hosts"].as_array().unwrap().len(), 1);
    service
        .get("/v2/teams/9/event-types")
        .await
        .assert_error(404, "NotFoundException");
    let field_types: std::collections::BTreeSet<&str> = onboarding["bookingFields"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|field| field["isDefault"] == false && field["required"] == true)
        .map(|field| field["type"].as_str().unwrap())
        .collect();
    assert_eq!(
        field_types.into_iter().collect::<Vec<_>>(),
        [
            "address",
            "boolean",
            "checkbox",
            "multiemail",
            "multiselect",
            "number",
            "phone",
            "radio",
            "select",
            "text",
            "textarea",
            "url",
        ]
    );
}

#[tokio::test]
async fn closed_event_type_is_visible_to_hosts_and_team_admins() {
    let service = Service::start().await;
    let closed = service
        .patch_as("/v2/event-types/6", 4, json!({"closed": true}))
        .await;
    closed.data();
    service
        .get("/v2/event-types/6")
        .await
        .assert_error(404, "NotFoundException");
    service
        .get("/v2/event-types/4711")
        .await
        .assert_error(404, "NotFoundException");
    service
        .get("/v2/event-types/x")
        .await
        .assert_error(400, "BadRequestException");
    // Marcus is a host, Sofia a team admin, host 100 neither.
    for (user, status) in [(2, 200), (4, 200), (HOST, 404)] {
        let response = service
            .get_as("/v2/event-types/6", service.bearer_of(user).await)
            .await;
        assert_eq!(response.status, status, "{user}");
    }
}

#[tokio::test]
async fn locked_time_zone_is_that_of_the_schedule() {
    let service = Service::start().await;
    let locked = json!({"lockTimeZoneToggleOnBookingPage": true});
    let locked = service.event_type("locked", locked).await;
    let open = service.event_type("open", json!({})).await;
    service
        .sql(&format!(
            "UPDATE schedules SET time_zone = 'Europe/London' WHERE id = {HOST};
             INSERT INTO schedules (id, owner_id, name, time_zone) VALUES (9001, {HOST}, 'Own', 'Asia/Tokyo');"
        ))
        .await;
    for (change, zone) in [
        ("SELECT 1", "Europe/London"),
        ("UPDATE event_types SET schedule_id = 9001", "Asia/Tokyo"),
    ] {
        service.sql(change).await;
        for (id, zone) in [(locked, json!(zone)), (open, Value::Null)] {
            let found = service.get(&format!("/v2/event-types/{id}")).await;
            assert_eq!(found.data()["lockedTimeZone"], zone, "{}", found.text);
        }
    }
}

#[tokio::test]
async fn hidden_event_type_is_unlisted_and_bookable_by_its_link_unless_closed() {
    let service = Service::start().await;
    let listed = service.get("/v2/teams/1/event-types").await;
    assert_eq!(
        slugs(listed.data()),
        ["onboarding", "design-review", "site-visit"]
    );
    let link = "/v2/teams/1/event-types?eventSlug=group-training";
    let slots = "/v2/slots?eventTypeId=8&start=2027-03-02&end=2027-03-02";
    let reservation = json!({"eventTypeId": 8, "slotStart": "2027-03-02T10:00:00Z"});
    let new_booking = booking(8, "2027-03-02T10:00:00Z");
    for closed in [true, false] {
        // By Sofia, a team admin. It stays hidden when it is opened.
        let change = json!({"closed": closed});
        let changed = service.patch_as("/v2/event-types/8", 4, change).await;
        assert_eq!(changed.data()["hidden"], true, "{}", changed.text);
        let found = service.get(link).await;
        assert_eq!(slugs(found.data()).len(), usize::from(!closed));
        let by_id = service.get("/v2/event-types/8").await;
        let slots = service.get(slots).await;
        let reserved = service
            .post("/v2/slots/reservations", reservation.clone())
            .await;
        let booked = service.post("/v2/bookings", new_booking.clone()).await;
        let statuses = [by_id, slots, reserved, booked].map(|response| response.status);
        let expected = match closed {
            true => [404; 4],
            false => [200, 200, 201, 201],
        };
        assert_eq!(statuses, expected, "{closed}");
    }
}

#[tokio::test]
async fn non_public_location_is_hidden_from_visitors() {
    let service = Service::start().await;
    let visitor = service.get("/v2/event-types/4").await;
    assert_eq!(
        visitor.data()["locations"],
        json!([{"type": "link", "link": "", "public": false}])
    );
    let insider = service.get_as("/v2/event-types/4", service.manager()).await;
    assert_ne!(insider.data()["locations"][0]["link"], "");
}
