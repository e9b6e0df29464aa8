//! /v2/teams and /v2/teams/{teamId}

use serde_json::{Value, json};

use crate::common::Service;

#[tokio::test]
async fn a_team_needs_nothing_but_a_name() {
    let service = Service::start().await;
    let made = service
        .post_as(
            "/v2/teams",
            service.owner(),
            json!({"name": " Field Sales "}),
        )
        .await;
    assert_eq!(made.status, 201, "{}", made.text);
    let id = made.data()["id"].as_i64().unwrap();
    assert_eq!(
        made.data(),
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
        made.data()
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
    assert_eq!(page.data(), &json!([made.data()]));
    // Its maker owns it.
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
async fn a_slug_is_made_of_the_name_and_numbered_if_it_is_taken() {
    let service = Service::start().await;
    for (name, slug) in [
        ("Customer Success", "customer-success-2"),
        ("Customer Success", "customer-success-3"),
        ("Größe", "groesse"),
        ("王", "team"),
    ] {
        let made = service
            .post_as("/v2/teams", service.owner(), json!({"name": name}))
            .await;
        assert_eq!(made.data()["slug"], slug);
    }
    let body = json!({"name": "A", "slug": "groesse"});
    service
        .post_as("/v2/teams", service.owner(), body)
        .await
        .refused(409, "ConflictException");
    service
        .ask(
            "PATCH",
            "/v2/teams/1",
            &service.owner(),
            json!({"slug": "groesse"}),
        )
        .await
        .refused(409, "ConflictException");
    // Teams without an organisation have their own names.
    let host = service.bearer_of(crate::common::HOST).await;
    for expected in [201, 409] {
        let body = json!({"name": "A", "slug": "groesse"});
        let made = service.post_as("/v2/teams", host.clone(), body).await;
        assert_eq!(made.status, expected, "{}", made.text);
        if expected == 201 {
            assert!(made.data().get("parentId").is_none(), "{}", made.text);
        }
    }
}

#[tokio::test]
async fn a_change_sets_clears_and_leaves() {
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
        // What a team lacks is left out.
        expected
            .as_object_mut()
            .unwrap()
            .retain(|_, value| !value.is_null());
        let answer = service
            .ask("PATCH", "/v2/teams/1", &service.manager(), body)
            .await;
        assert_eq!(answer.data(), &expected);
        assert_eq!(
            service.get_as("/v2/teams/1", service.owner()).await.data(),
            &expected
        );
    }
    let made = service
        .post_as("/v2/teams", service.owner(), {
            let mut body = all.clone();
            body["slug"] = json!("other");
            body
        })
        .await;
    let mut expected = all;
    expected["slug"] = json!("other");
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&made.data()[key], value, "{key}");
    }
}

#[tokio::test]
async fn a_team_that_breaks_a_rule_is_refused() {
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
            let answer = service
                .ask(method, target, &service.owner(), body.clone())
                .await;
            answer.refused(400, "BadRequestException");
            let properties: Vec<String> = answer
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
        .refused(400, "BadRequestException");
    assert_eq!(
        service.get_as("/v2/teams/1", service.owner()).await.data(),
        &before
    );
    assert_eq!(service.count("teams").await, teams);
}

#[tokio::test]
async fn members_see_a_team_admins_change_it_and_owners_delete_it() {
    let service = Service::start().await;
    // An owner of the team alone, not of its organisation.
    service
        .sql("UPDATE memberships SET role = 'OWNER' WHERE user_id = 3")
        .await;
    let stranger = service.bearer_of(crate::common::HOST).await;
    let [member, admin, owner] = [
        service.bearer_of(1).await,
        service.manager(),
        service.bearer_of(3).await,
    ];
    for (who, sees, changes, deletes) in [
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
            let answer = service.ask(method, "/v2/teams/1", who, body).await;
            assert_eq!(answer.status, expected, "{method}: {}", answer.text);
        }
    }
    service
        .get_as("/v2/teams/1", owner)
        .await
        .refused(404, "NotFoundException");
    assert_eq!(service.count("memberships WHERE team_id = 1").await, 0);
    assert_eq!(service.count("roles WHERE team_id = 1").await, 0);
    assert_eq!(service.count("event_types WHERE team_id = 1").await, 0);
    // What was booked stands.
    assert!(service.count("bookings").await > 0);
}

#[tokio::test]
async fn a_team_of_an_organisation_is_made_by_those_whom_it_lets() {
    let service = Service::start().await;
    let member = service.bearer_of(1).await;
    let body = json!({"name": "Mine"});
    let refused = service
        .post_as("/v2/teams", member.clone(), body.clone())
        .await;
    assert!(
        refused
            .refused(403, "ForbiddenException")
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
async fn whoever_runs_the_service_reaches_every_team() {
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
async fn team_creator_is_accepted_unless_switched_off() {
    let service = Service::start().await;
    for (given, accepted) in [(json!(true), true), (json!(false), false)] {
        let body = json!({"name": "Sales", "autoAcceptCreator": given});
        let made = service.post_as("/v2/teams", service.owner(), body).await;
        assert_eq!(made.status, 201, "{}", made.text);
        let id = made.data()["id"].as_i64().unwrap();
        let accepted = i64::from(accepted);
        let owners = format!(
            "memberships WHERE team_id = {id} AND role = 'OWNER' AND accepted = {accepted}"
        );
        assert_eq!(service.count(&owners).await, 1, "{given}");
        let list = service.get_as("/v2/teams", service.owner()).await;
        let listed = list.data().as_array().unwrap().iter();
        assert_eq!(
            listed.filter(|team| team["id"] == id).count() as i64,
            accepted
        );
    }
    let body = json!({"name": "Sales", "autoAcceptCreator": "no"});
    let made = service.post_as("/v2/teams", service.owner(), body).await;
    assert_eq!(made.constraints()[0].0, "autoAcceptCreator");
    // Ignored once the team exists.
    let body = json!({"autoAcceptCreator": false});
    let changed = service
        .ask("PATCH", "/v2/teams/1", &service.owner(), body)
        .await;
    assert_eq!(changed.status, 200, "{}", changed.text);
}

#[tokio::test]
async fn week_start_and_theme_in_other_spellings_are_accepted() {
    let service = Service::start().await;
    for (given, stored) in [
        ("monday", "Monday"),
        ("SUNDAY", "Sunday"),
        ("Tue", "Tuesday"),
        ("thurs", "Thursday"),
        ("sat", "Saturday"),
    ] {
        let body = json!({"weekStart": given, "theme": "system"});
        let changed = service
            .ask("PATCH", "/v2/teams/1", &service.owner(), body)
            .await;
        assert_eq!(changed.data()["weekStart"], stored, "{given}");
        assert_eq!(changed.data()["theme"], "system");
    }
    let limits = json!({"bookingLimits": "{\"PER_DAY\": 5}"});
    let changed = service
        .ask("PATCH", "/v2/teams/1", &service.owner(), limits.clone())
        .await;
    assert_eq!(changed.data()["bookingLimits"], limits["bookingLimits"]);
}
