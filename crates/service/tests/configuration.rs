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
