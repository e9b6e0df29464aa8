//! GET and PATCH /v2/me

use booking_service::cli::access::users::{self, UserCommand};
use serde_json::json;

use crate::common::{HOST, OTHER_HOST, Service, booking};

#[tokio::test]
async fn me_returns_profile_of_caller() {
    let service = Service::start().await;
    let manager = service.get_as("/v2/me", service.manager()).await;
    assert_eq!(
        manager.body,
        json!({"status": "success", "data": {
            "id": 4,
            "username": "sofia",
            "allowDynamicBooking": true,
            "email": "sofia@northwind.example",
            "name": "Sofia Marchetti",
            "avatarUrl": "http://127.0.0.1:8080/demo/sofia.svg",
            "bio": null,
            "timeFormat": 24,
            "defaultScheduleId": null,
            "weekStart": "Monday",
            "timeZone": "Europe/Rome",
            "organizationId": 1,
            "organization": {"id": 1, "isPlatform": false},
        }})
    );
    assert_eq!(
        service.get_as("/v2/me", service.owner()).await.data()["username"],
        "ingrid"
    );
    service
        .get("/v2/me")
        .await
        .assert_error(401, "UnauthorizedException");
}

#[tokio::test]
async fn patch_me_changes_only_own_profile() {
    let service = Service::start().await;
    let ada = service.bearer_of(1).await;
    let before = service.get_as("/v2/me", ada.clone()).await.data().clone();
    let others = service
        .get_as("/v2/me", service.owner())
        .await
        .data()
        .clone();
    service
        .sql("INSERT INTO schedules (id, owner_id, name, time_zone) VALUES (77, 1, 'Late', 'Europe/Berlin')")
        .await;
    let all = json!({
        "email": "Ada.Brandt@Northwind.example", "name": "Ada B.", "timeFormat": 12,
        "defaultScheduleId": 77, "weekStart": "Sunday", "timeZone": "Asia/Tokyo", "locale": "pt-BR",
        "avatarUrl": "https://northwind.example/ada.png", "bio": "Hello", "metadata": {"crm": 7},
    });
    let mut expected = before;
    for body in [
        json!({}),
        all,
        json!({"name": null, "avatarUrl": null, "bio": null, "locale": null}),
    ] {
        let fields = expected.as_object_mut().unwrap();
        fields.extend(body.as_object().unwrap().clone());
        // The response omits these.
        fields.remove("locale");
        fields.remove("metadata");
        if fields["email"] == "Ada.Brandt@Northwind.example" {
            fields.insert("email".into(), json!("ada.brandt@northwind.example"));
        }
        let response = service.request("PATCH", "/v2/me", &ada, body).await;
        assert_eq!(response.data(), &expected);
        assert_eq!(
            service.get_as("/v2/me", ada.clone()).await.data(),
            &expected
        );
    }
    // The default schedule gets the new time zone; other schedules do not change.
    assert_eq!(
        service
            .count("schedules WHERE id = 77 AND time_zone = 'Asia/Tokyo'")
            .await,
        1
    );
    assert_eq!(
        service
            .count("schedules WHERE time_zone = 'Asia/Tokyo'")
            .await,
        1
    );
    assert_eq!(
        service
            .count("users WHERE id = 1 AND metadata = '{\"crm\":7}'")
            .await,
        1
    );
    assert_eq!(
        service.get_as("/v2/me", service.owner()).await.data(),
        &others
    );
}

#[tokio::test]
async fn invalid_profile_returns_400() {
    let service = Service::start().await;
    let before = service
        .get_as("/v2/me", service.owner())
        .await
        .data()
        .clone();
    for (body, property) in [
        (json!({"email": "nobody"}), "email"),
        (json!({"email": null}), "email"),
        (json!({"name": 5}), "name"),
        (json!({"name": "x".repeat(1001)}), "name"),
        (json!({"timeFormat": "24"}), "timeFormat"),
        (json!({"timeFormat": 20}), "timeFormat"),
        (json!({"timeFormat": null}), "timeFormat"),
        // Of another user, unknown, or null.
        (json!({"defaultScheduleId": 1}), "defaultScheduleId"),
        (json!({"defaultScheduleId": 9999}), "defaultScheduleId"),
        (json!({"defaultScheduleId": null}), "defaultScheduleId"),
        (json!({"weekStart": "someday"}), "weekStart"),
        (json!({"timeZone": "Rome"}), "timeZone"),
        (json!({"locale": "tlh"}), "locale"),
        (json!({"avatarUrl": "data:image/png;base64,"}), "avatarUrl"),
        (json!({"bio": []}), "bio"),
        (json!({"metadata": null}), "metadata"),
        (json!({"metadata": {"a": [1]}}), "metadata"),
    ] {
        let response = service
            .request("PATCH", "/v2/me", &service.owner(), body.clone())
            .await;
        response.assert_error(400, "BadRequestException");
        assert_eq!(response.constraints()[0].0, property, "{body}");
    }
    assert_eq!(
        service.get_as("/v2/me", service.owner()).await.data(),
        &before
    );
}

#[tokio::test]
async fn email_change_does_not_reveal_existing_accounts() {
    let service = Service::start().await;
    let own = service.get_as("/v2/me", service.owner()).await;
    let set_email = async |email: &str| {
        let body = json!({"email": email});
        let response = service
            .request("PATCH", "/v2/me", &service.owner(), body)
            .await;
        assert_eq!(response.data()["email"], email.to_lowercase());
    };
    for email in [
        "ada@northwind.example",
        "ADA@northwind.example",
        "free@example.org",
    ] {
        set_email(email).await;
    }
    // An unconfirmed address does not count: the proven one stays.
    let known = service
        .count("users WHERE coalesce(proven_email, email) = 'ada@northwind.example'")
        .await;
    assert_eq!(known, 1);
    set_email(own.data()["email"].as_str().unwrap()).await;
    assert_eq!(
        service.count("users WHERE proven_email IS NOT NULL").await,
        0
    );
}

/// Number of bookings that the user sees.
async fn count_own_bookings(service: &Service, user_id: i64) -> usize {
    let bearer = service.bearer_of(user_id).await;
    let list = service.get_as("/v2/bookings", bearer).await;
    list.data().as_array().unwrap().len()
}

#[tokio::test]
async fn unconfirmed_email_gives_no_access_to_bookings_of_others() {
    let service = Service::start().await;
    let seats = json!({"seats": {"seatsPerTimeSlot": 3, "showAttendeeInfo": false}});
    let class = service.event_type("class", seats).await;
    let guarded = json!({"requiresBookerEmailVerification": true});
    let guarded = service.event_type("guarded", guarded).await;
    let other_event_type = service
        .event_type_of("theirs", Some("roundRobin"), &[OTHER_HOST], json!({}))
        .await;
    let start = "2027-03-02T15:00:00Z";
    let created = service.post("/v2/bookings", booking(class, start)).await;
    let uid = created.data()["uid"].as_str().unwrap();

    let attacker = service.bearer_of(OTHER_HOST).await;
    assert_eq!(count_own_bookings(&service, OTHER_HOST).await, 0);
    for email in ["zoe@example.org", "ZOE@example.org"] {
        let response = service
            .request("PATCH", "/v2/me", &attacker, json!({"email": email}))
            .await;
        assert_eq!(response.data()["email"], "zoe@example.org");
        assert_eq!(count_own_bookings(&service, OTHER_HOST).await, 0);
        let read = service
            .get_as(&format!("/v2/bookings/{uid}"), attacker.clone())
            .await;
        assert_eq!(read.data()["attendees"], json!([]));
        // The address is not verified either, and does not reveal its owner's busy times.
        service
            .post_as("/v2/bookings", attacker.clone(), booking(guarded, start))
            .await
            .assert_error(400, "BadRequestException");
        let query = format!("/v2/slots?eventTypeId={other_event_type}&start={start}&end={start}");
        assert_ne!(service.get(&query).await.data(), &json!({}));
    }
    // The former, proven address still identifies this user and no other.
    let former = "host101@northwind.example";
    let mut body = booking(class, start);
    body["attendee"]["email"] = json!("Host101@Northwind.example");
    service.post("/v2/bookings", body).await.data();
    assert_eq!(count_own_bookings(&service, OTHER_HOST).await, 1);
    let other = service.bearer_of(HOST).await;
    let hosted = count_own_bookings(&service, HOST).await;
    for (person, email) in [
        (&other, former),
        (&other, "host100@northwind.example"),
        (&attacker, former),
    ] {
        service
            .request("PATCH", "/v2/me", person, json!({"email": email}))
            .await
            .data();
        assert_eq!(count_own_bookings(&service, HOST).await, hosted);
    }
    // After restoring the addresses, no proven address is stored.
    assert_eq!(
        service.count("users WHERE proven_email IS NOT NULL").await,
        0
    );
}

#[tokio::test]
async fn confirmed_email_replaces_former_email() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let start = "2027-03-02T15:00:00Z";
    service
        .post("/v2/bookings", booking(id, start))
        .await
        .data();
    let zoe = service.bearer_of(OTHER_HOST).await;
    service
        .request("PATCH", "/v2/me", &zoe, json!({"email": "zoe@example.org"}))
        .await
        .data();
    let confirm = UserCommand::ConfirmEmail {
        data: service.data(),
        user: "host101".into(),
    };
    let printed = users::run(confirm).await.ok().unwrap();
    assert_eq!(printed, "host101 is known as zoe@example.org\n");
    assert_eq!(count_own_bookings(&service, OTHER_HOST).await, 1);
    // The comparison ignores case.
    service
        .sql("UPDATE attendees SET email = 'Zoe@Example.ORG' WHERE email = 'zoe@example.org'")
        .await;
    // Earlier bookings with that address do not make the user busy: anyone could have made them.
    let other_event_type = service
        .event_type_of("theirs", Some("roundRobin"), &[OTHER_HOST], json!({}))
        .await;
    let query = format!("/v2/slots?eventTypeId={other_event_type}&start={start}&end={start}");
    assert!(service.get(&query).await.text.contains("T15:00:00.000Z"));
    assert_eq!(count_own_bookings(&service, OTHER_HOST).await, 1);
}
