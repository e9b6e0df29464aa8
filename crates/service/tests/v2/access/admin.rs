//! Administration commands.

use booking_service::auth::secret;
use booking_service::cli::access::{clients, keys, permissions, tokens, users};
use booking_service::cli::args::{Cli, Command};
use booking_service::cli::database::data_directory::{Data, Outdated, ensure_current_schema};
use booking_service::domain::demo;
use booking_store_engine::sql;
use clap::Parser;
use serde_json::Value;

use crate::common::Service;

/// Runs a command line and returns its output or its error message.
async fn run(arguments: &[&str]) -> Result<String, String> {
    let cli = Cli::try_parse_from(std::iter::once(&"service").chain(arguments))
        .map_err(|error| error.to_string())?;
    let output = match cli.command {
        Command::Permissions(options) => Ok(permissions::run(&options)),
        Command::User(command) => users::run(command).await,
        Command::Key(command) => keys::run(command).await,
        Command::Client(command) => clients::run(command).await,
        Command::Token(command) => tokens::run(command).await,
        _ => panic!("no administrative command"),
    };
    output.map_err(|error| error.to_string())
}

fn bearer(key: &str) -> (String, String) {
    ("authorization".into(), format!("Bearer {}", key.trim()))
}

#[tokio::test]
async fn permissions_are_printed_as_text_and_json() {
    let text = run(&["permissions"]).await.unwrap();
    let mut lines = text.lines();
    let heading = lines.next().unwrap();
    let caller = heading.find("CALLER").unwrap();
    assert!(heading.starts_with("METHOD  PATH"));
    assert!(
        lines
            .clone()
            .all(|line| line.chars().nth(caller - 1) == Some(' '))
    );
    assert!(lines.any(|line| {
        line.split_whitespace().collect::<Vec<_>>()
            == [
                "GET",
                "/v2/teams/{teamId}/bookings",
                "BOOKING_READ",
                "team",
                "booking.readTeamBookings",
            ]
    }));

    let rules: Value =
        serde_json::from_str(&run(&["permissions", "--json"]).await.unwrap()).unwrap();
    let rules = rules.as_array().unwrap();
    assert_eq!(rules.len(), text.lines().count() - 1);
    let slots = rules
        .iter()
        .find(|rule| rule["path"] == "/v2/slots")
        .unwrap();
    assert_eq!(slots["caller"], "anybody");
    assert_eq!(
        (&slots["scope"], &slots["permission"]),
        (&Value::Null, &Value::Null)
    );
}

#[tokio::test]
async fn key_is_created_listed_by_short_id_and_revoked() {
    let service = Service::start().await;
    let [option, data] = service.data_option();
    let arguments = [
        "key",
        "create",
        option,
        data,
        "--user",
        "ada",
        "--label",
        "CRM",
        "--expires",
        "2027-03-01",
    ];
    let key = run(&arguments).await.unwrap();
    assert!(key.starts_with("svc_") && key.trim().len() == 68, "{key}");
    let me = service.get_as("/v2/me", bearer(&key)).await;
    assert_eq!(me.data()["username"], "ada");
    // A user can also be given by e-mail address.
    let other = run(&[
        "key",
        "create",
        option,
        data,
        "--user",
        "Ada@northwind.example",
        "--no-expiry",
    ])
    .await
    .unwrap();

    let list = run(&["key", "list", option, data]).await.unwrap();
    for secret in [&key, &other] {
        assert!(!list.contains(&secret.trim()[4..]), "{list}");
    }
    let line = list.lines().find(|line| line.contains("CRM")).unwrap();
    let parts: Vec<&str> = line.split_whitespace().collect();
    assert_eq!((parts[1], parts[2], parts[4]), ("CRM", "ada", "2027-03-01"));
    let is_endless = |line: &str| {
        line.split_whitespace()
            .rev()
            .take(3)
            .eq(["*", "never", "never"])
    };
    assert!(list.lines().any(is_endless), "{list}");

    let revoked = run(&["key", "revoke", option, data, parts[0]])
        .await
        .unwrap();
    assert!(revoked.contains("CRM"));
    service
        .get_as("/v2/me", bearer(&key))
        .await
        .assert_error(401, "UnauthorizedException");
    assert_eq!(service.get_as("/v2/me", bearer(&other)).await.status, 200);
    let repeated = run(&["key", "revoke", option, data, parts[0]]).await;
    assert!(repeated.unwrap_err().contains("not found"));
    let unknown_user = run(&["key", "create", option, data, "--user", "nobody"]).await;
    assert!(unknown_user.unwrap_err().contains("User nobody not found"));
}

#[tokio::test]
async fn rotated_client_secret_replaces_previous_one() {
    let service = Service::start().await;
    let [option, data] = service.data_option();
    let created = run(&[
        "client",
        "create",
        option,
        data,
        "--owner",
        "ingrid",
        "--name",
        "Portal",
        "--redirect-uri",
        "https://portal.example/",
        "--scope",
        "BOOKING_READ",
        "--scope",
        "PROFILE_READ",
    ])
    .await
    .unwrap();
    let value = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().last().unwrap().to_owned()
    };
    let id = value(&created, "id");
    let status_with = async |secret: &str| {
        let headers = [
            ("x-svc-client-id".to_owned(), id.clone()),
            ("x-svc-secret-key".to_owned(), secret.to_owned()),
        ];
        service
            .call(axum::http::Method::GET, "/v2/me", &headers, None)
            .await
            .status
    };
    let first = value(&created, "secret");
    assert_eq!(status_with(&first).await, 200);
    let second = value(
        &run(&["client", "rotate", option, data, &id]).await.unwrap(),
        "secret",
    );
    assert_eq!(
        (status_with(&first).await, status_with(&second).await),
        (401, 200)
    );
    assert!(
        run(&["client", "rotate", option, data, "unknown"])
            .await
            .unwrap_err()
            .contains("not found")
    );
    for invalid in [["--scope", "EVERYTHING"], ["--redirect-uri", "portal"]] {
        let mut arguments = vec![
            "client", "create", option, data, "--owner", "ingrid", "--name", "P",
        ];
        arguments.extend(invalid);
        assert!(run(&arguments).await.is_err(), "{invalid:?}");
    }
}

#[tokio::test]
async fn user_create_builds_organization_in_empty_database() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let data = data.to_str().unwrap();
    let create_user = async |username: &str, more: &[&str]| {
        let email = format!("{username}@acme.example");
        let mut arguments = vec![
            "user",
            "create",
            "--data",
            data,
            "--username",
            username,
            "--email",
            &email,
            "--name",
            "Some One",
            "--time-zone",
            "Europe/Rome",
        ];
        arguments.extend(more);
        run(&arguments).await
    };
    // A mistyped directory is not created.
    assert!(run(&["key", "list", "--data", data]).await.is_err());
    let refused = create_user("ann", &[]).await.unwrap_err();
    assert!(refused.contains("holds no data: check --data"), "{refused}");
    assert!(!std::path::Path::new(data).exists());
    let options = Data::of(std::path::Path::new(data));
    ensure_current_schema(&options, Outdated::Migrate)
        .await
        .unwrap();

    let acme = ["--organization", "Acme Inc."];
    assert_eq!(
        create_user("ann", &acme).await.unwrap(),
        "user 1\norganization 1 OWNER\n"
    );
    assert_eq!(
        create_user("bob", &acme).await.unwrap(),
        "user 2\norganization 1 MEMBER\n"
    );
    assert_eq!(
        create_user(
            "cem",
            &[
                "--organization",
                "acme inc",
                "--organization-role",
                "admin",
                "--admin"
            ]
        )
        .await
        .unwrap(),
        "user 3\norganization 1 ADMIN\n"
    );
    assert_eq!(create_user("dee", &[]).await.unwrap(), "user 4\n");
    assert!(
        create_user("ann", &[])
            .await
            .unwrap_err()
            .contains("user name")
    );
    let same_address = [
        "user",
        "create",
        "--data",
        data,
        "--username",
        "eve",
        "--email",
        "ANN@acme.example",
        "--name",
        "Eve",
        "--time-zone",
        "UTC",
    ];
    assert!(
        run(&same_address)
            .await
            .unwrap_err()
            .contains("e-mail address")
    );
    for invalid in [
        ["--username", "No Name"],
        ["--username", "mail"],
        ["--email", "x"],
        ["--time-zone", "Mars"],
    ] {
        let mut arguments = vec!["user", "create", "--data", data, "--name", "N"];
        for (name, value) in [
            ("--username", "nn"),
            ("--email", "n@n.example"),
            ("--time-zone", "UTC"),
        ] {
            arguments.extend([
                name,
                if invalid[0] == name {
                    invalid[1]
                } else {
                    value
                },
            ]);
        }
        assert!(run(&arguments).await.is_err(), "{invalid:?}");
    }
    assert!(!std::path::Path::new(data).join(demo::FILE_NAME).exists());
}

/// Runs a command with the data directory of the service.
async fn run_in(service: &Service, command: &[&str]) -> Result<String, String> {
    run(&[command, &service.data_option()].concat()).await
}

fn client_headers(service: &Service) -> [(String, String); 2] {
    [
        ("x-svc-client-id".to_owned(), service.secret("clientId")),
        (
            "x-svc-secret-key".to_owned(),
            service.secret("clientSecret"),
        ),
    ]
}

async fn client_status(service: &Service) -> u16 {
    let headers = client_headers(service);
    service
        .call(axum::http::Method::GET, "/v2/me", &headers, None)
        .await
        .status
}

async fn refresh(service: &Service, token: &str) -> u16 {
    let target = format!("/v2/oauth/{}/refresh", service.secret("clientId"));
    let body = serde_json::json!({"refreshToken": token});
    let headers = client_headers(service);
    service
        .call(axum::http::Method::POST, &target, &headers, Some(body))
        .await
        .status
}

#[tokio::test]
async fn tokens_of_user_or_client_are_revoked() {
    let service = Service::start().await;
    let sofia = service.secret("accessToken");
    let is_valid = async |token: &str| service.get_as("/v2/me", bearer(token)).await.status == 200;
    let other = service.tokens_of(1).await;
    let output = run_in(&service, &["token", "revoke", "--user", "sofia"])
        .await
        .unwrap();
    assert!(output.contains("2 tokens of sofia"), "{output}");
    assert!(!is_valid(&sofia).await && is_valid(&other.access_token).await);
    assert_eq!(
        refresh(&service, &service.secret("refreshToken")).await,
        400
    );
    // API keys remain valid.
    assert!(is_valid(&service.secret("userKey")).await);

    let client = service.secret("clientId");
    run_in(&service, &["token", "revoke", "--client", &client])
        .await
        .unwrap();
    assert!(!is_valid(&other.access_token).await);
    assert_eq!(service.count("oauth_tokens").await, 0);
    assert_eq!(client_status(&service).await, 200);
    for invalid in [
        &["token", "revoke", "--client", "none"][..],
        &["token", "revoke", "--user", "nobody"],
        &["token", "revoke"],
        &["token", "revoke", "--user", "sofia", "--client", &client],
    ] {
        assert!(run_in(&service, invalid).await.is_err(), "{invalid:?}");
    }
}

#[tokio::test]
async fn client_rotate_revokes_tokens_if_asked() {
    let service = Service::start().await;
    let client = service.secret("clientId");
    run_in(&service, &["client", "rotate", &client])
        .await
        .unwrap();
    let me = service.get_as("/v2/me", service.manager()).await;
    assert_eq!((me.status, client_status(&service).await), (200, 401));
    let output = run_in(&service, &["client", "rotate", &client, "--revoke-tokens"])
        .await
        .unwrap();
    assert!(
        output.starts_with("secret ") && output.contains("revoked 2 tokens"),
        "{output}"
    );
    assert_eq!(
        service.get_as("/v2/me", service.manager()).await.status,
        401
    );
}

#[tokio::test]
async fn disabled_user_is_not_authenticated_until_enabled() {
    let service = Service::start().await;
    // Ingrid owns a key and the client that manages Sofia.
    let (key, token) = (service.secret("apiKey"), service.secret("accessToken"));
    let version_1 = format!("/v1/teams?apiKey={key}");
    let statuses = async || {
        [
            service.get_as("/v2/me", bearer(&key)).await.status,
            service.get(&version_1).await.status,
            client_status(&service).await,
            service.get_as("/v2/me", bearer(&token)).await.status,
            service
                .get_as("/v2/event-types/1", bearer(&key))
                .await
                .status,
        ]
    };
    assert_eq!(statuses().await, [200; 5]);
    let output = run_in(&service, &["user", "disable", "ingrid"])
        .await
        .unwrap();
    assert_eq!(output, "ingrid is disabled\n");
    assert_eq!(statuses().await, [401; 5]);
    assert_eq!(
        refresh(&service, &service.secret("refreshToken")).await,
        401
    );
    let output = run_in(&service, &["user", "disable", "ingrid"])
        .await
        .unwrap();
    assert_eq!(output, "ingrid is disabled already\n");
    let list = run_in(&service, &["user", "list"]).await.unwrap();
    let line = list.lines().find(|line| line.contains("ingrid")).unwrap();
    assert!(line.contains("disabled 20"), "{line}");
    // Public event types remain visible.
    assert_eq!(service.get("/v2/event-types/1").await.status, 200);

    run_in(&service, &["user", "enable", "ingrid"])
        .await
        .unwrap();
    assert_eq!(statuses().await, [200; 5]);

    // Disabling a managed user does not affect the platform.
    run_in(&service, &["user", "disable", "sofia"])
        .await
        .unwrap();
    assert_eq!(service.get_as("/v2/me", bearer(&token)).await.status, 401);
    assert_eq!(
        refresh(&service, &service.secret("refreshToken")).await,
        400
    );
    assert_eq!(client_status(&service).await, 200);
    assert!(
        run_in(&service, &["user", "disable", "nobody"])
            .await
            .is_err()
    );
}

#[tokio::test]
async fn user_delete_rejects_client_owners_and_last_owners() {
    let service = Service::start().await;
    let client = service.secret("clientId");
    let rejected = run_in(&service, &["user", "delete", "ingrid"])
        .await
        .unwrap_err();
    assert!(
        rejected.contains(&client) && rejected.contains("client transfer"),
        "{rejected}"
    );
    let to_ada = ["client", "transfer", &client, "--owner", "ada"];
    assert_eq!(
        run_in(&service, &to_ada).await.unwrap(),
        format!("{client} acts as ada\n")
    );
    let headers = client_headers(&service);
    let me = service
        .call(axum::http::Method::GET, "/v2/me", &headers, None)
        .await;
    assert_eq!(me.data()["username"], "ada");

    let delete = async || run_in(&service, &["user", "delete", "ingrid"]).await;
    let rejected = delete().await.unwrap_err();
    assert!(rejected.contains("last owner"), "{rejected}");
    service
        .sql("UPDATE memberships SET role = 'OWNER' WHERE user_id = 1")
        .await;
    let users = service.count("users").await;
    assert_eq!(delete().await.unwrap(), "deleted user 5 (ingrid)\n");
    assert_eq!(service.count("users").await, users - 1);
    service
        .get_as("/v2/me", service.owner())
        .await
        .assert_error(401, "UnauthorizedException");
    // The managed user is unaffected.
    assert_eq!(service.count("users WHERE id = 4").await, 1);
    assert_eq!(
        service.get_as("/v2/me", service.manager()).await.status,
        200
    );
    let list = run_in(&service, &["user", "list"]).await.unwrap();
    assert!(
        list.contains("ada@northwind.example") && !list.contains("ingrid"),
        "{list}"
    );
}

#[tokio::test]
async fn client_delete_requires_flag_to_delete_users() {
    let service = Service::start().await;
    let client = service.secret("clientId");
    let list = run_in(&service, &["client", "list"]).await.unwrap();
    let line = list.lines().find(|line| line.starts_with(&client)).unwrap();
    assert!(
        line.contains("Northwind portal") && line.contains("ingrid"),
        "{line}"
    );
    assert!(
        line.split_whitespace().rev().take(2).eq(["*", "1"]),
        "{line}"
    );
    assert!(!list.contains(&booking_service::auth::secret::hash(
        &service.secret("clientSecret")
    )));

    let rejected = run_in(&service, &["client", "delete", &client])
        .await
        .unwrap_err();
    assert!(rejected.contains("--with-users"), "{rejected}");
    assert_eq!(service.count("users WHERE id = 4").await, 1);
    let output = run_in(&service, &["client", "delete", &client, "--with-users"])
        .await
        .unwrap();
    assert_eq!(output, format!("deleted {client} and 1 users\n"));
    assert_eq!(service.count("users WHERE id = 4").await, 0);
    assert_eq!(service.count("oauth_tokens").await, 0);
    assert_eq!(client_status(&service).await, 401);
    assert!(
        run_in(&service, &["client", "delete", &client])
            .await
            .is_err()
    );

    run_in(
        &service,
        &["client", "create", "--owner", "ada", "--name", "Shop"],
    )
    .await
    .unwrap();
    let list = run_in(&service, &["client", "list"]).await.unwrap();
    let id = list
        .lines()
        .nth(1)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap()
        .to_owned();
    assert_eq!(
        run_in(&service, &["client", "delete", &id]).await.unwrap(),
        format!("deleted {id} and 0 users\n")
    );
}

/// Returns the columns of the `key list` line with `label`.
async fn listed_key(service: &Service, label: &str) -> Vec<String> {
    let list = run_in(service, &["key", "list"]).await.unwrap();
    let line = list.lines().find(|line| line.contains(label)).unwrap();
    line.split_whitespace().map(str::to_owned).collect()
}

#[tokio::test]
async fn key_expires_after_one_year_by_default() {
    let service = Service::start().await;
    let [option, data] = service.data_option();
    let create = async |label: &str, more: &[&str]| {
        let command = [
            "key", "create", option, data, "--user", "ada", "--label", label,
        ];
        run(&[&command, more].concat()).await
    };
    create("Usual", &[]).await.unwrap();
    create("Endless", &["--no-expiry"]).await.unwrap();
    create("Short", &["--expires", "2030-01-02"]).await.unwrap();
    assert!(
        create("Both", &["--no-expiry", "--expires", "2030-01-02"])
            .await
            .is_err()
    );

    let day = |text: &str| text.parse::<chrono::NaiveDate>().unwrap();
    let default = listed_key(&service, "Usual").await;
    assert_eq!((day(&default[4]) - day(&default[3])).num_days(), 365);
    assert_eq!(listed_key(&service, "Endless").await[4], "never");
    assert_eq!(listed_key(&service, "Short").await[4], "2030-01-02");
}

#[tokio::test]
async fn imported_key_hash_authenticates_with_original_prefix() {
    let service = Service::start().await;
    let [option, data] = service.data_option();
    let imported = bearer("cal_live_0123456789abcdef");
    let before = service.get_as("/v2/me", imported.clone()).await;
    before.assert_error(401, "UnauthorizedException");
    let hash = secret::hash("live_0123456789abcdef");
    let create = async |hash: &str| {
        let command = [
            "key", "create", option, data, "--user", "ada", "--label", "Moved", "--hash", hash,
        ];
        run(&command).await
    };
    let printed = create(&hash.to_uppercase()).await.unwrap();
    assert_eq!(printed, format!("took over {}\n", &hash[..12]));
    let after = service.get_as("/v2/me", imported).await;
    assert_eq!(after.data()["username"], "ada");
    let v1 = "/v1/schedules?apiKey=cal_live_0123456789abcdef";
    assert_eq!(service.get(v1).await.status, 200);
    let with_own_prefix = service
        .get_as("/v2/me", bearer("svc_live_0123456789abcdef"))
        .await;
    assert_eq!(
        with_own_prefix.status, 200,
        "the prefix is no part of the key"
    );
    let unknown = bearer("other_live_0123456789abcdef");
    service
        .get_as("/v2/me", unknown)
        .await
        .assert_error(401, "UnauthorizedException");
    for invalid in ["", "abc", &hash[1..], &format!("g{}", &hash[1..])] {
        assert!(create(invalid).await.is_err(), "{invalid}");
    }
    assert!(create(&hash).await.is_err(), "it is there already");
}

#[tokio::test]
async fn key_with_scopes_is_limited_to_them_and_to_version_2() {
    let service = Service::start().await;
    let [option, data] = service.data_option();
    let command = [
        "key",
        "create",
        option,
        data,
        "--user",
        "ingrid",
        "--no-expiry",
    ];
    let create = async |more: &[&str]| run(&[&command, more].concat()).await;
    let limited = create(&[
        "--label",
        "Reader",
        "--scope",
        "BOOKING_READ",
        "--scope",
        "PROFILE_READ",
    ])
    .await
    .unwrap();
    let unrestricted = create(&["--label", "Whole", "--scope", "*"]).await.unwrap();
    assert!(create(&["--scope", "EVERYTHING"]).await.is_err());
    assert_eq!(
        listed_key(&service, "Reader").await[6],
        "BOOKING_READ,PROFILE_READ"
    );
    assert_eq!(listed_key(&service, "Whole").await[6], "*");

    let bookings = "/v2/teams/1/bookings?take=1";
    for target in ["/v2/me", bookings] {
        assert_eq!(
            service.get_as(target, bearer(&limited)).await.status,
            200,
            "{target}"
        );
    }
    let new = serde_json::json!({"title": "A", "slug": "a", "lengthInMinutes": 30});
    for (target, body, scope) in [
        ("/v2/event-types", new, "EVENT_TYPE_WRITE"),
        (
            "/v2/bookings/x/cancel",
            serde_json::json!({}),
            "BOOKING_WRITE",
        ),
    ] {
        let rejected = service
            .post_as(target, bearer(&limited), body.clone())
            .await;
        let message = rejected.assert_error(403, "ForbiddenException");
        assert!(
            message.contains(scope) && message.contains("API key"),
            "{message}"
        );
        let allowed = service.post_as(target, bearer(&unrestricted), body).await;
        assert_ne!(allowed.status, 403, "{target}");
    }
    let version_1 = |key: &str| format!("/v1/teams?apiKey={}", key.trim());
    let rejected = service.get(&version_1(&limited)).await;
    assert_eq!(rejected.status, 403);
    assert!(
        rejected.text.contains("without scopes"),
        "{}",
        rejected.text
    );
    assert_eq!(service.get(&version_1(&unrestricted)).await.status, 200);
}

#[tokio::test]
async fn last_use_of_key_is_listed_and_written_once_an_hour() {
    let service = Service::start().await;
    let [option, data] = service.data_option();
    let command = [
        "key",
        "create",
        option,
        data,
        "--user",
        "ada",
        "--label",
        "CRM",
        "--no-expiry",
    ];
    let key = run(&command).await.unwrap();
    let last_used = async || -> Option<i64> {
        let mut db = service.app.store.read().await.unwrap();
        sql::query_scalar("SELECT last_used_ms FROM api_keys WHERE label = 'CRM'")
            .fetch_one(&mut db)
            .await
            .unwrap()
    };
    let write = async || {
        service
            .app
            .key_uses
            .write(&service.app.store)
            .await
            .unwrap()
    };
    write().await;
    assert_eq!(listed_key(&service, "CRM").await[5], "never");

    let first = service.app.clock.now().0;
    assert_eq!(service.get_as("/v2/me", bearer(&key)).await.status, 200);
    // The request itself writes nothing.
    assert_eq!(last_used().await, None);
    write().await;
    assert_eq!(last_used().await, Some(first));
    assert_eq!(listed_key(&service, "CRM").await[5], "2027-03-01");

    for (minutes, expected) in [(59, first), (1, first + 3_600_000)] {
        service.app.clock.advance_minutes(minutes);
        let target = format!("/v1/event-types?apiKey={}", key.trim());
        assert_eq!(service.get(&target).await.status, 200);
        write().await;
        assert_eq!(last_used().await, Some(expected), "{minutes}");
    }
}
