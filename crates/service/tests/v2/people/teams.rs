//! /v2/teams and /v2/teams/{teamId}

use serde_json::{Value, json};

use crate::common::Service;

#[tokio::test]
async fn team_with_name_only_is_created() {
    let service = Service::start().await;
    let created = service
        .post_as(
            "/v2/teams",
            service.owner(),
            json!({"name": " Field Sales "}),
        )
        .await;
    assert_eq!(created.status, 201, "{}", created.text);
    let id = created.data()["id"].as_i64().unwrap();
    assert_eq!(
        created.data(),
        &json!({
            "id": id,
            "parentId": 1,
            "name": "Field Sales",
            "slug": "field-sales",
            "timeZone": "Europe/London",
            "weekStart": "Sunday",
            "isOrganization": false,
            "isPrivate": false,
            "hideBranding": false,
            "hideBookATeamMember": false,
            "metadata": {},
        })
    );
    let team = format!("/v2/teams/{id}");
    assert_eq!(
        service.get_as(&team, service.owner()).await.data(),
        created.data()
    );
    let list = service.get_as("/v2/teams", service.owner()).await;
    let ids: Vec<i64> = list
        .data()
        .as_array()
        .unwrap()
        .iter()
        .map(|team| team["id"].as_i64().unwrap())
        .collect();
    assert_eq!(ids, [1, id]);
    let page = service
        .get_as("/v2/teams?take=1&skip=1", service.owner())
        .await;
    assert_eq!(page.data(), &json!([created.data()]));
    // The creator becomes the owner.
    let members = service
        .get_as(&format!("{team}/memberships"), service.owner())
        .await;
    let owner = &members.data()[0];
    assert_eq!(
        (&owner["userId"], &owner["role"], &owner["accepted"]),
        (&json!(5), &json!("OWNER"), &json!(true))
    );
}

#[tokio::test]
async fn slug_is_derived_from_name_and_numbered_if_taken() {
    let service = Service::start().await;
    for (name, slug) in [
        ("Customer Success", "customer-success-2"),
        ("Customer Success", "customer-success-3"),
        ("Größe", "groesse"),
        ("王", "team"),
    ] {
        let created = service
            .post_as("/v2/teams", service.owner(), json!({"name": name}))
            .await;
        assert_eq!(created.data()["slug"], slug);
    }
    let body = json!({"name": "A", "slug": "groesse"});
    service
        .post_as("/v2/teams", service.owner(), body)
        .await
        .assert_error(409, "ConflictException");
    service
        .request(
            "PATCH",
            "/v2/teams/1",
            &service.owner(),
            json!({"slug": "groesse"}),
        )
        .await
        .assert_error(409, "ConflictException");
    // Teams without organization have a separate slug namespace.
    let host = service.bearer_of(crate::common::HOST).await;
    for expected in [201, 409] {
        let body = json!({"name": "A", "slug": "groesse"});
        let created = service.post_as("/v2/teams", host.clone(), body).await;
        assert_eq!(created.status, expected, "{}", created.text);
        if expected == 201 {
            assert!(created.data().get("parentId").is_none(), "{}", created.text);
        }
    }
}

#[tokio::test]
async fn patch_sets_clears_and_keeps_fields() {
    let service = Service::start().await;
    let before = service
        .get_as("/v2/teams/1", service.owner())
        .await
        .data()
        .clone();
    let all = json!({
        "name": "Success", "slug": "success", "logoUrl": "https://northwind.example/logo.png",
        "bannerUrl": "http://northwind.example/banner.png", "bio": "We help.", "timeZone": "Asia/Kolkata",
        "weekStart": "Saturday", "timeFormat": 12, "isPrivate": true, "hideBranding": true,
        "hideBookATeamMember": true, "metadata": {"crm": "7", "size": 5, "big": false},
        "theme": "dark", "brandColor": "#123", "darkBrandColor": "#445566",
        "calVideoLogo": "https://northwind.example/video.png", "appLogo": "https://northwind.example/app.png",
        "appIconLogo": "https://northwind.example/icon.png", "bookingLimits": {"PER_DAY": 5},
        "includeManagedEventsInLimits": true,
    });
    let none = json!({
        "logoUrl": null, "bannerUrl": null, "bio": null, "timeFormat": null, "theme": null,
        "brandColor": null, "darkBrandColor": null, "metadata": {}, "calVideoLogo": null,
        "appLogo": null, "appIconLogo": null, "bookingLimits": null,
        "includeManagedEventsInLimits": null,
    });
    let mut expected = before;
    for body in [json!({}), all.clone(), json!({"bio": "Still."}), none] {
        expected
            .as_object_mut()
            .unwrap()
            .extend(body.as_object().unwrap().clone());
        // Empty fields are omitted.
        expected
            .as_object_mut()
            .unwrap()
            .retain(|_, value| !value.is_null());
        let response = service
            .request("PATCH", "/v2/teams/1", &service.manager(), body)
            .await;
        assert_eq!(response.data(), &expected);
        assert_eq!(
            service.get_as("/v2/teams/1", service.owner()).await.data(),
            &expected
        );
    }
    let created = service
        .post_as("/v2/teams", service.owner(), {
            let mut body = all.clone();
            body["slug"] = json!("other");
            body
        })
        .await;
    let mut expected = all;
    expected["slug"] = json!("other");
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&created.data()[key], value, "{key}");
    }
}

#[tokio::test]
async fn invalid_team_returns_400() {
    let service = Service::start().await;
    let keys: Value = (0..51)
        .map(|number| (number.to_string(), json!(1)))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let before = service
        .get_as("/v2/teams/1", service.owner())
        .await
        .data()
        .clone();
    let teams = service.count("teams").await;
    for (body, property) in [
        (json!({"name": ""}), "name"),
        (json!({"name": "  "}), "name"),
        (json!({"name": null}), "name"),
        (json!({"name": 5}), "name"),
        (json!({"name": "A", "slug": "No Slug"}), "slug"),
        (json!({"name": "A", "slug": null}), "slug"),
        (
            json!({"name": "A", "logoUrl": "javascript:alert(1)"}),
            "logoUrl",
        ),
        (json!({"name": "A", "bio": "x".repeat(1001)}), "bio"),
        (json!({"name": "A", "timeZone": "Mars/Base"}), "timeZone"),
        (json!({"name": "A", "timeZone": null}), "timeZone"),
        (json!({"name": "A", "weekStart": "Mo"}), "weekStart"),
        (json!({"name": "A", "weekStart": "Mondays"}), "weekStart"),
        (json!({"name": "A", "weekStart": "xxx"}), "weekStart"),
        (json!({"name": "A", "appLogo": "logo.png"}), "appLogo"),
        (json!({"name": "A", "bookingLimits": 5}), "bookingLimits"),
        (
            json!({"name": "A", "bookingLimits": "x".repeat(2000)}),
            "bookingLimits",
        ),
        (
            json!({"name": "A", "includeManagedEventsInLimits": "all"}),
            "includeManagedEventsInLimits",
        ),
        (json!({"name": "A", "timeFormat": 13}), "timeFormat"),
        (json!({"name": "A", "isPrivate": "yes"}), "isPrivate"),
        (json!({"name": "A", "isPrivate": null}), "isPrivate"),
        (json!({"name": "A", "theme": "blue"}), "theme"),
        (json!({"name": "A", "brandColor": "blue"}), "brandColor"),
        (json!({"name": "A", "metadata": {"a": {}}}), "metadata"),
        (
            json!({"name": "A", "metadata": {"a": "x".repeat(501)}}),
            "metadata",
        ),
        (
            json!({"name": "A", "metadata": {"x".repeat(41): 1}}),
            "metadata",
        ),
        (json!({"name": "A", "metadata": keys}), "metadata"),
    ] {
        for (method, target) in [("POST", "/v2/teams"), ("PATCH", "/v2/teams/1")] {
            let response = service
                .request(method, target, &service.owner(), body.clone())
                .await;
            response.assert_error(400, "BadRequestException");
            let properties: Vec<String> = response
                .constraints()
                .into_iter()
                .map(|(property, _)| property)
                .collect();
            assert_eq!(properties, [property], "{method} {body}");
        }
    }
    service
        .post_as("/v2/teams", service.owner(), json!({}))
        .await
        .assert_error(400, "BadRequestException");
    assert_eq!(
        service.get_as("/v2/teams/1", service.owner()).await.data(),
        &before
    );
    assert_eq!(service.count("teams").await, teams);
}

#[tokio::test]
async fn team_is_read_by_members_changed_by_admins_deleted_by_owners() {
    let service = Service::start().await;
    // An owner of the team, but not of its organization.
    service
        .sql("UPDATE memberships SET role = 'OWNER' WHERE user_id = 3")
        .await;
    let stranger = service.bearer_of(crate::common::HOST).await;
    let [member, admin, owner] = [
        service.bearer_of(1).await,
        service.manager(),
        service.bearer_of(3).await,
    ];
    for (credentials, sees, changes, deletes) in [
        (&stranger, 403, 403, 403),
        (&member, 200, 403, 403),
        (&admin, 200, 200, 403),
        (&owner, 200, 200, 200),
    ] {
        for (method, body, expected) in [
            ("GET", Value::Null, sees),
            ("PATCH", json!({"bio": "x"}), changes),
            ("DELETE", Value::Null, deletes),
        ] {
            let response = service
                .request(method, "/v2/teams/1", credentials, body)
                .await;
            assert_eq!(response.status, expected, "{method}: {}", response.text);
        }
    }
    service
        .get_as("/v2/teams/1", owner)
        .await
        .assert_error(404, "NotFoundException");
    assert_eq!(service.count("memberships WHERE team_id = 1").await, 0);
    assert_eq!(service.count("roles WHERE team_id = 1").await, 0);
    assert_eq!(service.count("event_types WHERE team_id = 1").await, 0);
    // Bookings are kept.
    assert!(service.count("bookings").await > 0);
}

#[tokio::test]
async fn team_in_organization_requires_create_permission() {
    let service = Service::start().await;
    let member = service.bearer_of(1).await;
    let body = json!({"name": "Mine"});
    let refused = service
        .post_as("/v2/teams", member.clone(), body.clone())
        .await;
    assert!(
        refused
            .assert_error(403, "ForbiddenException")
            .contains("team.create")
    );
    let role = json!({"name": "Founder", "permissions": ["team.create"]});
    let role = service
        .post_as("/v2/organizations/1/roles", service.owner(), role)
        .await;
    service
        .sql(&format!(
            "UPDATE organization_members SET role_id = '{}' WHERE user_id = 1",
            role.data()["id"].as_str().unwrap()
        ))
        .await;
    assert_eq!(service.post_as("/v2/teams", member, body).await.status, 201);
}

#[tokio::test]
async fn service_admin_accesses_every_team() {
    let service = Service::start().await;
    service
        .sql(&format!(
            "UPDATE users SET is_admin = 1 WHERE id = {}",
            crate::common::HOST
        ))
        .await;
    let admin = service.bearer_of(crate::common::HOST).await;
    for target in [
        "/v2/teams/1",
        "/v2/teams/1/bookings",
        "/v2/organizations/1/roles",
    ] {
        assert_eq!(
            service.get_as(target, admin.clone()).await.status,
            200,
            "{target}"
        );
    }
}

#[tokio::test]
async fn team_creator_is_accepted_unless_disabled() {
    let service = Service::start().await;
    for (input, accepted) in [(json!(true), true), (json!(false), false)] {
        let body = json!({"name": "Sales", "autoAcceptCreator": input});
        let created = service.post_as("/v2/teams", service.owner(), body).await;
        assert_eq!(created.status, 201, "{}", created.text);
        let id = created.data()["id"].as_i64().unwrap();
        let accepted = i64::from(accepted);
        let owners = format!(
            "memberships WHERE team_id = {id} AND role = 'OWNER' AND accepted = {accepted}"
        );
        assert_eq!(service.count(&owners).await, 1, "{input}");
        let list = service.get_as("/v2/teams", service.owner()).await;
        let listed = list.data().as_array().unwrap().iter();
        assert_eq!(
            listed.filter(|team| team["id"] == id).count() as i64,
            accepted
        );
    }
    let body = json!({"name": "Sales", "autoAcceptCreator": "no"});
    let created = service.post_as("/v2/teams", service.owner(), body).await;
    assert_eq!(created.constraints()[0].0, "autoAcceptCreator");
    // Ignored for an existing team.
    let body = json!({"autoAcceptCreator": false});
    let changed = service
        .request("PATCH", "/v2/teams/1", &service.owner(), body)
        .await;
    assert_eq!(changed.status, 200, "{}", changed.text);
}

#[tokio::test]
async fn week_start_and_theme_accept_other_spellings() {
    let service = Service::start().await;
    for (input, stored) in [
        ("monday", "Monday"),
        ("SUNDAY", "Sunday"),
        ("Tue", "Tuesday"),
        ("thurs", "Thursday"),
        ("sat", "Saturday"),
    ] {
        let body = json!({"weekStart": input, "theme": "system"});
        let changed = service
            .request("PATCH", "/v2/teams/1", &service.owner(), body)
            .await;
        assert_eq!(changed.data()["weekStart"], stored, "{input}");
        assert_eq!(changed.data()["theme"], "system");
    }
    let limits = json!({"bookingLimits": "{\"PER_DAY\": 5}"});
    let changed = service
        .request("PATCH", "/v2/teams/1", &service.owner(), limits.clone())
        .await;
    assert_eq!(changed.data()["bookingLimits"], limits["bookingLimits"]);
}
