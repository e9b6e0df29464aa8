//! The commands of whoever runs the service.

use booking_service::config::{Cli, Command};
use booking_service::{admin, demo};
use clap::Parser;
use serde_json::Value;

use crate::common::Service;

/// Runs a command line; gives what it prints, or what it complains about.
async fn run(arguments: &[&str]) -> Result<String, String> {
    let cli = Cli::try_parse_from(std::iter::once(&"service").chain(arguments))
        .map_err(|error| error.to_string())?;
    let given = match cli.command {
        Command::Permissions(options) => Ok(admin::permissions(&options)),
        Command::User(command) => admin::user(command).await,
        Command::Key(command) => admin::key(command).await,
        Command::Client(command) => admin::client(command).await,
        _ => panic!("no administrative command"),
    };
    given.map_err(|problem| problem.to_string())
}

fn bearer(key: &str) -> (String, String) {
    ("authorization".into(), format!("Bearer {}", key.trim()))
}

#[tokio::test]
async fn the_table_of_permissions_is_printed_for_people_and_for_programs() {
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
async fn a_key_is_shown_once_listed_by_a_short_id_and_revoked() {
    let service = Service::start().await;
    let data = service.directory.path().to_str().unwrap();
    let made = [
        "key",
        "create",
        "--data",
        data,
        "--user",
        "ada",
        "--label",
        "CRM",
        "--expires",
        "2027-03-01",
    ];
    let key = run(&made).await.unwrap();
    assert!(key.starts_with("svc_") && key.trim().len() == 68, "{key}");
    let me = service.get_as("/v2/me", bearer(&key)).await;
    assert_eq!(me.data()["username"], "ada");
    // By e-mail address, too.
    let other = run(&[
        "key",
        "create",
        "--data",
        data,
        "--user",
        "Ada@northwind.example",
    ])
    .await
    .unwrap();

    let list = run(&["key", "list", "--data", data]).await.unwrap();
    for secret in [&key, &other] {
        assert!(!list.contains(&secret.trim()[4..]), "{list}");
    }
    let line = list.lines().find(|line| line.contains("CRM")).unwrap();
    let parts: Vec<&str> = line.split_whitespace().collect();
    assert_eq!((parts[1], parts[2], parts[4]), ("CRM", "ada", "2027-03-01"));
    assert!(list.lines().any(|line| line.ends_with("never")), "{list}");

    let revoked = run(&["key", "revoke", "--data", data, parts[0]])
        .await
        .unwrap();
    assert!(revoked.contains("CRM"));
    service
        .get_as("/v2/me", bearer(&key))
        .await
        .refused(401, "UnauthorizedException");
    assert_eq!(service.get_as("/v2/me", bearer(&other)).await.status, 200);
    let again = run(&["key", "revoke", "--data", data, parts[0]]).await;
    assert!(again.unwrap_err().contains("not found"));
    let nobody = run(&["key", "create", "--data", data, "--user", "nobody"]).await;
    assert!(nobody.unwrap_err().contains("User nobody not found"));
}

#[tokio::test]
async fn a_clients_new_secret_replaces_the_former_one() {
    let service = Service::start().await;
    let data = service.directory.path().to_str().unwrap();
    let made = run(&[
        "client",
        "create",
        "--data",
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
    let id = value(&made, "id");
    let asks = async |secret: &str| {
        let headers = [
            ("x-svc-client-id".to_owned(), id.clone()),
            ("x-svc-secret-key".to_owned(), secret.to_owned()),
        ];
        service
            .call(axum::http::Method::GET, "/v2/me", &headers, None)
            .await
            .status
    };
    let first = value(&made, "secret");
    assert_eq!(asks(&first).await, 200);
    let second = value(
        &run(&["client", "rotate", "--data", data, &id])
            .await
            .unwrap(),
        "secret",
    );
    assert_eq!((asks(&first).await, asks(&second).await), (401, 200));
    assert!(
        run(&["client", "rotate", "--data", data, "unknown"])
            .await
            .unwrap_err()
            .contains("not found")
    );
    for wrong in [["--scope", "EVERYTHING"], ["--redirect-uri", "portal"]] {
        let mut arguments = vec![
            "client", "create", "--data", data, "--owner", "ingrid", "--name", "P",
        ];
        arguments.extend(wrong);
        assert!(run(&arguments).await.is_err(), "{wrong:?}");
    }
}

#[tokio::test]
async fn an_empty_directory_becomes_a_company_person_by_person() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let data = data.to_str().unwrap();
    let person = async |username: &str, more: &[&str]| {
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
    // Nothing is made where nothing is.
    assert!(run(&["key", "list", "--data", data]).await.is_err());
    assert!(!std::path::Path::new(data).exists());

    let acme = ["--organization", "Acme Inc."];
    assert_eq!(
        person("ann", &acme).await.unwrap(),
        "user 1\norganization 1 OWNER\n"
    );
    assert_eq!(
        person("bob", &acme).await.unwrap(),
        "user 2\norganization 1 MEMBER\n"
    );
    assert_eq!(
        person(
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
    assert_eq!(person("dee", &[]).await.unwrap(), "user 4\n");
    assert!(person("ann", &[]).await.unwrap_err().contains("user name"));
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
    for wrong in [
        ["--username", "No Name"],
        ["--email", "x"],
        ["--time-zone", "Mars"],
    ] {
        let mut arguments = vec!["user", "create", "--data", data, "--name", "N"];
        for (name, value) in [
            ("--username", "nn"),
            ("--email", "n@n.example"),
            ("--time-zone", "UTC"),
        ] {
            arguments.extend([name, if wrong[0] == name { wrong[1] } else { value }]);
        }
        assert!(run(&arguments).await.is_err(), "{wrong:?}");
    }
    assert!(!std::path::Path::new(data).join(demo::FILE_NAME).exists());
}
