//! Users and teams.

use axum::http::Method;
use booking_service::auth::secret;
use serde_json::{Value, json};

use crate::world::{MEMBER, OPERATOR, OWNER, STRANGER, World};

#[tokio::test]
async fn a_person_is_shown_themselves_whoever_they_ask_for() {
    let world = World::new().await;
    for id in [OWNER, STRANGER, 999_999] {
        let shown = world.get(STRANGER, &format!("/v1/users/{id}")).await;
        assert_eq!(shown.wrapped("user")["id"], STRANGER, "{id}");
        let shown = world.get(OPERATOR, &format!("/v1/users/{id}")).await;
        if id == 999_999 {
            shown.failed(404);
        } else {
            assert_eq!(shown.wrapped("user")["id"], id);
        }
    }
}

#[tokio::test]
async fn people_come_in_pages() {
    let world = World::new().await;
    let all = world.service.count("users").await;
    let page = async |query: &str| {
        let answer = world.get(OPERATOR, &format!("/v1/users{query}")).await;
        assert_eq!(answer.wrapped("total"), &json!(all), "{query}");
        let users = answer.wrapped("users").as_array().unwrap();
        users
            .iter()
            .map(|user| user["id"].as_i64().unwrap())
            .collect::<Vec<_>>()
    };
    let first = page("").await;
    assert!(first.len() <= 10);
    assert_eq!(page("?take=2").await, first[..2]);
    assert_eq!(page("?take=2&page=2").await, first[2..4]);
    assert_eq!(page("?take=2&page=900").await, [0i64; 0]);
    let query = "?email=user102@example.org,HOST100@northwind.example&email=nobody@example.org";
    let some = world.get(OPERATOR, &format!("/v1/users{query}")).await;
    assert_eq!(some.wrapped("total"), 2);
    // Addresses of others find nobody.
    let none = world
        .get(STRANGER, "/v1/users?email=user102@example.org")
        .await;
    assert_eq!(none.body, json!({"users": [], "total": 0}));
}

#[tokio::test]
async fn a_new_person_can_be_booked_at_once() {
    let world = World::new().await;
    let body = json!({
        "email": "New@Example.org", "username": "new", "timeZone": "Europe/Rome", "timeFormat": "TWENTY_FOUR",
        "theme": "DARK",
    });
    let id = world.make(OPERATOR, "users", "user", body.clone()).await;
    let shown = world.get(OPERATOR, &format!("/v1/users/{id}")).await;
    let user = shown.wrapped("user");
    assert_eq!(
        (&user["email"], &user["theme"]),
        (&json!("new@example.org"), &json!("DARK"))
    );
    assert_eq!(user["timeFormat"], "TWENTY_FOUR");
    let schedules = world
        .get(OPERATOR, &format!("/v1/schedules?userId={id}"))
        .await;
    let schedules = schedules.wrapped("schedules").as_array().unwrap().clone();
    assert_eq!(
        schedules[0]["availability"][0]["days"],
        json!([1, 2, 3, 4, 5])
    );
    assert_eq!(schedules[0]["id"], user["defaultScheduleId"]);
    world
        .ask(OPERATOR, "POST", "/v1/users", body)
        .await
        .failed(409);
    let same_name = json!({"email": "other@example.org", "username": "new"});
    world
        .ask(OPERATOR, "POST", "/v1/users", same_name)
        .await
        .failed(409);
}

#[tokio::test]
async fn a_picture_is_kept_as_one() {
    let world = World::new().await;
    let target = format!("/v1/users/{OWNER}");
    let picture = json!({"avatar": "iVBORw0KGgo="});
    let shown = world.ask(OWNER, "PATCH", &target, picture).await;
    assert_eq!(
        shown.wrapped("user")["avatar"],
        "data:image/png;base64,iVBORw0KGgo="
    );
    let gone = world
        .ask(OWNER, "PATCH", &target, json!({"avatar": null}))
        .await;
    assert_eq!(gone.wrapped("user")["avatar"], Value::Null);
}

#[tokio::test]
async fn an_address_of_ones_own_proves_nothing() {
    let world = World::new().await;
    let target = format!("/v1/users/{STRANGER}");
    let body = json!({"email": "zoe@example.org"});
    let taken = world.ask(STRANGER, "PATCH", &target, body.clone()).await;
    assert_eq!(taken.wrapped("user")["email"], "zoe@example.org");
    let booking = format!("/v1/bookings/{}", world.booking);
    world.get(STRANGER, &booking).await.failed(403);
    // Whoever runs the service answers for it.
    world
        .ask(OPERATOR, "PATCH", &target, body)
        .await
        .wrapped("user");
    world.get(STRANGER, &booking).await.wrapped("booking");
}

#[tokio::test]
async fn nobody_is_deleted_whom_others_need() {
    let world = World::new().await;
    let owner = world
        .ask(
            OPERATOR,
            "DELETE",
            &format!("/v1/users/{OWNER}"),
            Value::Null,
        )
        .await;
    assert!(owner.failed(400).contains("last owner"), "{}", owner.text);
    world
        .ask(
            OPERATOR,
            "DELETE",
            &format!("/v1/users/{OPERATOR}"),
            Value::Null,
        )
        .await
        .failed(400);
    world
        .ask(
            MEMBER,
            "DELETE",
            &format!("/v1/users/{MEMBER}"),
            Value::Null,
        )
        .await
        .failed(403);
    world
        .ask(
            OPERATOR,
            "DELETE",
            &format!("/v1/users/{MEMBER}"),
            Value::Null,
        )
        .await
        .wrapped("message");
    world
        .get(OPERATOR, &format!("/v1/users/{MEMBER}"))
        .await
        .failed(404);
}

#[tokio::test]
async fn owner_of_oauth_clients_is_not_deleted_and_next_person_does_not_inherit_them() {
    let world = World::new().await;
    let make = async |username: &str| {
        let body = json!({"email": format!("{username}@example.org"), "username": username});
        world.make(OPERATOR, "users", "user", body).await
    };
    // The newest person: an id that is given again would be theirs.
    let leaver = make("leaver").await;
    let hash = secret::hash("secret");
    world
        .service
        .sql(&format!(
            "INSERT INTO oauth_clients (id, name, owner_id, secret_hash, redirect_uris, scopes, created_ms)
             VALUES ('shop', 'Shop', {leaver}, '{hash}', '[]', '[]', 0)"
        ))
        .await;
    let acts_as = async || {
        let headers = [("x-svc-client-id", "shop"), ("x-svc-secret-key", "secret")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let me = world
            .service
            .call(Method::GET, "/v2/me", &headers, None)
            .await;
        me.data()["id"].as_i64().unwrap()
    };
    let target = format!("/v1/users/{leaver}");
    let delete = async || world.ask(OPERATOR, "DELETE", &target, Value::Null).await;
    let refused = delete().await;
    let message = refused.failed(400);
    assert!(message.contains("OAuth clients") && message.contains("shop"));
    world.get(OPERATOR, &target).await.wrapped("user");
    assert_eq!(acts_as().await, leaver);

    // Deletion is possible once somebody else owns the client.
    world
        .service
        .sql(&format!(
            "UPDATE oauth_clients SET owner_id = {OPERATOR} WHERE id = 'shop'"
        ))
        .await;
    delete().await.wrapped("message");
    let next = make("next").await;
    assert!(next > leaver, "{next} {leaver}");
    assert_eq!(acts_as().await, OPERATOR);
}

#[tokio::test]
async fn who_runs_the_service_makes_teams_for_others() {
    let world = World::new().await;
    let body =
        json!({"name": "Theirs", "slug": "theirs", "ownerId": STRANGER, "brandColor": "#123"});
    let made = world.ask(OPERATOR, "POST", "/v1/teams", body.clone()).await;
    let expected = json!({
        "userId": STRANGER, "teamId": made.wrapped("team")["id"], "accepted": true, "role": "OWNER",
        "disableImpersonation": false,
    });
    assert_eq!(made.wrapped("owner"), &expected);
    assert_eq!(made.wrapped("team")["timeZone"], "Europe/London");
    let teams = world.get(STRANGER, "/v1/teams").await;
    assert_eq!(teams.wrapped("teams")[0]["slug"], "theirs");
    world
        .ask(OPERATOR, "POST", "/v1/teams", body)
        .await
        .failed(409);
    // Also for those who could not make one themselves.
    let body = json!({"name": "Ada's", "slug": "adas", "ownerId": 1, "parentId": 1});
    let made = world.ask(OPERATOR, "POST", "/v1/teams", body).await;
    assert_eq!(made.wrapped("team")["parentId"], 1);
}

#[tokio::test]
async fn memberships_are_ones_own_or_of_ones_team() {
    let world = World::new().await;
    let own = world.get(MEMBER, "/v1/memberships?include=team").await;
    let own = own.wrapped("memberships").as_array().unwrap().clone();
    assert_eq!(own.len(), 1);
    assert_eq!(own[0]["team"]["id"], world.team);
    let team = format!("/v1/memberships?teamId={}", world.team);
    world.get(MEMBER, &team).await.failed(403);
    let all = world.get(OPERATOR, &team).await;
    assert_eq!(all.wrapped("memberships").as_array().unwrap().len(), 2);
    // A private team's members see their own only.
    let one = format!("/v1/memberships/{OWNER}_{}", world.team);
    world.get(MEMBER, &one).await.wrapped("membership");
    let target = format!("/v1/teams/{}", world.team);
    world
        .ask(OWNER, "PATCH", &target, json!({"isPrivate": true}))
        .await
        .wrapped("team");
    world.get(MEMBER, &one).await.failed(403);
    // People leave on their own, and join nothing uninvited.
    let leave = format!("/v1/memberships/{MEMBER}_{}", world.team);
    world
        .ask(MEMBER, "DELETE", &leave, Value::Null)
        .await
        .wrapped("message");
    let join = json!({"userId": MEMBER, "teamId": world.team});
    world
        .ask(MEMBER, "POST", "/v1/memberships", join)
        .await
        .failed(403);
}
