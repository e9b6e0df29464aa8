//! Settings of the binary: where they come from, and what a wrong one is answered with.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    unreachable_pub,
    missing_docs,
    dead_code
)]

use std::path::Path;
use std::process::{Command, Output};

#[path = "support/process.rs"]
mod process;
use process::{Process, run, serve_command, service_command};

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The binary without `--env-file`, whose default does not count in tests.
fn command_with_file(file: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_service"));
    command
        .env_remove("DATABASE_URL")
        .arg("--env-file")
        .arg(file);
    command
}

/// Output of a command that fails, as one line without the help of the parser.
fn sentence(output: &Output) -> String {
    assert!(!output.status.success(), "{output:?}");
    text(&output.stderr)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn environment_file_sets_what_the_environment_does_not() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("service.env");
    let settings = "# settings\nBOOKING_DATA=/srv/booking\nBOOKING_PORT=81\nBOOKING_DRAIN=\"7\"\n\
                    BOOKING_MAIL_FROM=Northwind <booking@example.org>\n";
    std::fs::write(&file, settings).unwrap();
    let output = command_with_file(&file)
        .args(["serve", "--print-config", "--drain", "8"])
        .env("BOOKING_PORT", "82")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let printed = text(&output.stdout);
    for (name, value, origin) in [
        ("DATA", "/srv/booking", "environment file"),
        ("PORT", "82", "environment"),
        ("DRAIN", "8", "command line"),
        (
            "MAIL_FROM",
            "Northwind <booking@example.org>",
            "environment file",
        ),
        ("HOST", "127.0.0.1", "default"),
    ] {
        let start = format!("BOOKING_{name}={value} ");
        let line = printed.lines().find(|line| line.starts_with(&start));
        assert!(
            line.is_some_and(|line| line.ends_with(&format!("# {origin}"))),
            "{name}: {printed}"
        );
    }
    let first = format!("# environment file: {}", file.display());
    assert_eq!(printed.lines().next(), Some(&*first));
}

#[test]
fn unusable_environment_file_is_one_sentence() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("service.env");
    let output = command_with_file(&file).arg("permissions").output();
    let error = sentence(&output.unwrap());
    assert!(error.contains("which --env-file names"), "{error}");
    std::fs::write(&file, "BOOKING_PORT=81\nsecret\n").unwrap();
    let output = command_with_file(&file).arg("permissions").output();
    let error = sentence(&output.unwrap());
    assert!(error.contains("line 2 of"), "{error}");
    assert!(!error.contains("secret"), "{error}");
}

/// Output of a start that is refused.
fn refused_start(data: &Path, options: &[&str]) -> String {
    sentence(
        &serve_command(data)
            .args(["--port", "0"])
            .args(options)
            .output()
            .unwrap(),
    )
}

#[test]
fn public_url_that_makes_no_links_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    for url in [
        "booking.example.org",
        "ftp://x.example",
        "https://x.example/?a",
        "https://x.example/#a",
    ] {
        let error = refused_start(directory.path(), &["--public-url", url]);
        assert!(error.contains("--public-url"), "{error}");
        assert!(error.contains("https://booking.example.org"), "{error}");
    }
}

/// Log of a start with options.
fn log_of_start(options: &[&str]) -> (tempfile::TempDir, Process) {
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("log");
    let options = [&["--port", "0"], options].concat();
    let mut command = serve_command(&directory.path().join("data"));
    command.args(options);
    let service = Process::spawn(command, Some(log));
    (directory, service)
}

#[test]
fn public_url_without_encryption_is_a_warning_unless_it_is_of_this_machine() {
    for (url, is_warned) in [
        ("http://booking.example.org", true),
        ("https://booking.example.org", false),
        ("http://localhost:8080", false),
    ] {
        let (_directory, service) = log_of_start(&["--public-url", url]);
        let log = service.log();
        let has_warning = log
            .lines()
            .any(|line| line.contains("WARN") && line.contains("not https"));
        assert_eq!(has_warning, is_warned, "{url}: {log}");
    }
}

#[test]
fn directory_without_files_to_serve_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let empty = directory.path().to_str().unwrap();
    for (option, file) in [("--app-dir", "index.html"), ("--embed-dir", "embed.js")] {
        for named in [empty, "/nowhere"] {
            let error = refused_start(directory.path(), &[option, named]);
            assert!(
                error.contains(&format!("{option}: {named} has no {file}")),
                "{error}"
            );
        }
    }
    // The tests run where there is no `dist`: a service without pages starts, and says so.
    let (_directory, service) = log_of_start(&["--embed-dir", ""]);
    let log = service.log();
    assert!(log.contains("dist/app has no index.html"), "{log}");
    assert!(!log.contains("embed.js"), "{log}");
}

#[test]
fn pages_can_be_shown_in_frames_of_named_origins_only() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("index.html"), "<!doctype html>").unwrap();
    let app = directory.path().to_str().unwrap();
    for (option, expected) in [
        ("", "frame-ancestors 'self';"),
        (
            "https://www.example.org,https://*.example.com",
            "frame-ancestors 'self' https://www.example.org https://*.example.com;",
        ),
    ] {
        let (_data, service) = log_of_start(&["--app-dir", app, "--frame-ancestors", option]);
        let head = service.call_head("/");
        assert!(head.contains(expected), "{head}");
        assert!(!head.to_lowercase().contains("x-frame-options"), "{head}");
    }
    for origin in [
        "*",
        "www.example.org",
        "https://www.example.org/page",
        "'none'",
    ] {
        let error = refused_start(directory.path(), &["--frame-ancestors", origin]);
        assert!(error.contains("without a path"), "{error}");
    }
}

#[test]
fn request_of_an_unknown_proxy_is_one_warning() {
    for (options, header, expected) in [
        (&[][..], "x-forwarded-for: 203.0.113.9\r\n", 1),
        (&[], "forwarded: for=203.0.113.9\r\n", 1),
        (&[], "", 0),
        (&["--trust-proxy"], "x-forwarded-for: 203.0.113.9\r\n", 0),
    ] {
        let (_directory, service) = log_of_start(options);
        for _ in 0..3 {
            service.call("GET", "/v2/event-types/1", header, "");
        }
        let log = service.log();
        let warnings = log
            .lines()
            .filter(|line| line.contains("--trust-proxy is 0"));
        assert_eq!(warnings.count(), expected, "{options:?} {header}: {log}");
    }
}

/// A data directory with keys and a database that was used with them.
fn used_directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let output = run(&["demo", "--data", directory.path().to_str().unwrap()]);
    assert!(output.status.success(), "{output:?}");
    directory
}

#[test]
fn missing_other_or_damaged_key_is_refused_and_found_by_the_check() {
    let directory = used_directory();
    let data = directory.path();
    let check = || {
        let output = run(&["check", "--data", data.to_str().unwrap()]);
        (output.status.success(), text(&output.stdout))
    };
    assert!(check().0);
    for (name, argument) in [("signing.key", "signing"), ("sealing.key", "sealing")] {
        let file = data.join(name);
        let key = std::fs::read(&file).unwrap();
        for (content, expected) in [
            (None, format!("{name} is missing")),
            (
                Some(vec![7; 32]),
                format!("{name} is not the key of this database"),
            ),
            (Some(vec![7; 31]), format!("{name} is damaged")),
            (Some(Vec::new()), format!("{name} is damaged")),
        ] {
            match &content {
                Some(bytes) => std::fs::write(&file, bytes).unwrap(),
                None => std::fs::remove_file(&file).unwrap(),
            }
            let remedy = format!("`booking-service replace-key {argument}`");
            let refused = refused_start(data, &[]);
            assert!(refused.contains(&expected), "{refused}");
            assert!(refused.contains(&remedy), "{refused}");
            // Nothing was replaced.
            assert_eq!(std::fs::read(&file).ok(), content);
            let (is_sound, findings) = check();
            assert!(!is_sound && findings.contains(&expected), "{findings}");
        }
        std::fs::write(&file, key).unwrap();
    }
    assert!(check().0);
}

#[test]
fn lost_key_can_be_replaced_while_no_service_runs() {
    let directory = used_directory();
    let data = directory.path();
    let file = data.join("signing.key");
    let replace = || {
        let options = ["replace-key", "signing", "--data", data.to_str().unwrap()];
        run(&options)
    };
    let service = Process::start_with(data, &[], None);
    let refused = sentence(&replace());
    assert!(refused.contains("is in use by process"), "{refused}");
    assert_eq!(service.signal("-TERM"), Some(0));
    let former = std::fs::read(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let output = replace();
    assert!(output.status.success(), "{output:?}");
    let printed = text(&output.stdout);
    assert!(
        printed.contains("tokens and the links in messages are invalid"),
        "{printed}"
    );
    assert_ne!(std::fs::read(&file).unwrap(), former);
    let service = Process::start_with(data, &[], None);
    assert_eq!(service.signal("-TERM"), Some(0));
}

#[test]
fn database_of_an_earlier_version_gets_the_fingerprints_of_its_keys() {
    let directory = used_directory();
    let data = directory.path();
    block_on(async {
        let options =
            sqlx::sqlite::SqliteConnectOptions::new().filename(data.join("service.sqlite3"));
        let mut db = sqlx::ConnectOptions::connect(&options).await.unwrap();
        sqlx::raw_sql("DELETE FROM key_fingerprints")
            .execute(&mut db)
            .await
            .unwrap();
        sqlx::Connection::close(db).await.unwrap();
    });
    let service = Process::start_with(data, &[], None);
    assert_eq!(service.signal("-TERM"), Some(0));
    std::fs::remove_file(data.join("sealing.key")).unwrap();
    let refused = refused_start(data, &[]);
    assert!(refused.contains("sealing.key is missing"), "{refused}");
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(work)
}

#[test]
fn command_with_another_database_than_the_service_stops() {
    let directory = used_directory();
    let data = directory.path();
    let data_text = data.to_str().unwrap();
    let service = Process::start_with(data, &[], None);
    // The refused port shows that a command would use the address.
    let url = "postgres://booking:a-password@127.0.0.1:1/booking";
    for command in [
        &["user", "list"][..],
        &["key", "create", "--user", "ada"],
        &["check"],
        &["backup", "--to", "copy"],
    ] {
        let options = [command, &["--data", data_text, "--database-url", url]].concat();
        let error = sentence(&run(&options));
        assert!(
            error.contains("uses another database (the file service.sqlite3 there)"),
            "{command:?}: {error}"
        );
        assert!(error.contains("127.0.0.1:1/booking"), "{error}");
        assert!(
            error.contains("--env-file") && !error.contains("a-password"),
            "{error}"
        );
    }
    assert!(run(&["user", "list", "--data", data_text]).status.success());
    assert_eq!(service.signal("-TERM"), Some(0));

    // The directory of a replica gets no database file.
    let replica = tempfile::tempdir().unwrap();
    let replica_text = replica.path().to_str().unwrap();
    std::fs::write(
        replica.path().join("service.database"),
        "postgres db.example:5432/booking\n",
    )
    .unwrap();
    for command in ["demo", "migrate"] {
        let error = sentence(&run(&[command, "--data", replica_text]));
        assert!(
            error.contains("PostgreSQL, db.example:5432/booking"),
            "{error}"
        );
    }
    assert_eq!(std::fs::read_dir(replica.path()).unwrap().count(), 1);
}

#[test]
fn variables_of_settings_do_not_reach_options_of_one_command() {
    let directory = used_directory();
    let data = directory.path().to_str().unwrap();
    let copy = directory.path().join("copy");
    let output = service_command()
        .args(["backup", "--data", data])
        .env("BOOKING_TO", &copy)
        .output()
        .unwrap();
    assert!(sentence(&output).contains("--to <FILE>"), "{output:?}");
    assert!(!copy.exists());

    let demo = tempfile::tempdir().unwrap();
    let output = service_command()
        .args(["demo", "--data"])
        .arg(demo.path())
        .env("BOOKING_PUBLIC_URL", "https://booking.example.org/")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let written = std::fs::read_to_string(demo.path().join("demo.json")).unwrap();
    assert!(
        written.contains("\"https://booking.example.org\""),
        "{written}"
    );
}

#[test]
fn invalid_log_filter_is_reported() {
    let directory = used_directory();
    let output = service_command()
        .args(["user", "list", "--data"])
        .arg(directory.path())
        .env("RUST_LOG", "booking_service=loud")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let log = text(&output.stderr);
    assert!(log.contains("RUST_LOG is not a log filter"), "{log}");
}

#[test]
fn key_that_would_never_be_valid_is_refused() {
    let directory = used_directory();
    let data = directory.path().to_str().unwrap();
    let create = [
        "key",
        "create",
        "--data",
        data,
        "--user",
        "ada",
        "--expires",
        "2020-01-01",
    ];
    let error = sentence(&run(&create));
    assert!(
        error.contains("--expires 2020-01-01 is in the past"),
        "{error}"
    );
}

#[test]
fn unreachable_database_is_named_without_the_password() {
    let url = "postgres://booking:a-password@127.0.0.1:1/booking";
    let error = sentence(&run(&["user", "list", "--database-url", url]));
    assert!(
        error.contains("no connection to PostgreSQL at 127.0.0.1:1/booking"),
        "{error}"
    );
    assert!(!error.contains("a-password"), "{error}");
    let url = "postgres://booking:12/a-password@127.0.0.1:1/booking";
    let error = sentence(&run(&["user", "list", "--database-url", url]));
    assert!(error.contains("%40 for @"), "{error}");
    assert!(!error.contains("a-password"), "{error}");
}

#[test]
fn program_has_one_name() {
    let version = text(&run(&["--version"]).stdout);
    assert!(version.starts_with("booking-service "), "{version}");
    let error = sentence(&run(&["user", "list", "--data", "/nowhere"]));
    assert!(
        error.starts_with("booking-service: /nowhere holds no data"),
        "{error}"
    );
    assert!(error.contains("`booking-service migrate`"), "{error}");
}
