//! The files in `deploy/` name what the service has: variables, commands, port, paths, version; and their times fit
//! each other.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::path::{Path, PathBuf};
use std::process::Command;

use booking_service::monitoring::health::is_health_path;

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap()
}

/// Names and texts of the files, without those that `make-secrets.sh` makes.
fn files() -> Vec<(String, String)> {
    let listed = |folder: PathBuf| {
        std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
    };
    let paths = listed(folder()).chain(listed(folder().join("kubernetes")));
    paths
        .filter(|path| path.is_file() && !path.ends_with(".env"))
        .map(|path| {
            (
                path.display().to_string(),
                std::fs::read_to_string(&path).unwrap(),
            )
        })
        .collect()
}

fn service(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_service"))
        .arg("--env-file=")
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The configuration without any option: variables and their defaults.
fn defaults() -> Vec<(String, String)> {
    service(&["serve", "--data", "d", "--print-config"])
        .lines()
        .map(|line| {
            line.split(" #")
                .next()
                .unwrap()
                .trim()
                .split_once('=')
                .unwrap()
        })
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

fn default(name: &str) -> u64 {
    let (_, value) = defaults()
        .into_iter()
        .find(|(known, _)| known == name)
        .unwrap();
    value.parse().unwrap()
}

/// The words of a text that follow `start`, up to white space or a closing character.
fn words<'text>(text: &'text str, start: &str) -> Vec<&'text str> {
    let is_end = |c: char| c.is_whitespace() || "\"'`,;)]}".contains(c);
    text.match_indices(start)
        .map(|(at, _)| text[at + start.len()..].trim_start_matches([' ', '"']))
        .map(|rest| rest.split(is_end).next().unwrap())
        .collect()
}

/// The only number after `start`.
fn number(text: &str, start: &str) -> u64 {
    let found = words(text, start);
    let [word] = found[..] else {
        panic!("{start}: {found:?}");
    };
    let digits: String = word.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_else(|_| panic!("{start}{word}"))
}

#[test]
fn named_variables_exist() {
    let known = defaults();
    let mut count = 0;
    for (file, text) in files() {
        for (at, _) in text.match_indices("BOOKING_") {
            let is_name = |c: char| c.is_ascii_uppercase() || c == '_';
            let name = text[at..].split(|c| !is_name(c)).next().unwrap();
            assert!(
                known.iter().any(|(variable, _)| variable == name),
                "{name} in {file}"
            );
            count += 1;
        }
    }
    assert!(count > 20);
}

#[test]
fn named_commands_and_options_exist() {
    let mut commands = vec!["health".to_owned()];
    for (file, start) in [
        ("Containerfile", "CMD ["),
        ("compose.yaml", "command: ["),
        ("kubernetes/deployment.yaml", "args: ["),
        ("kubernetes/migration-job.yaml", "args: ["),
    ] {
        let text = read(file);
        let found: Vec<String> = words(&text, start).into_iter().map(str::to_owned).collect();
        assert!(!found.is_empty(), "{file}");
        commands.extend(
            found
                .into_iter()
                .filter(|command| command != "/booking-service"),
        );
    }
    for command in commands {
        service(&[&command, "--help"]);
    }
    // Comments refer to options by their flags.
    let help = service(&["serve", "--help"]);
    for flag in words(&read("haproxy.cfg"), " --") {
        let flag = format!("--{} ", flag.trim_end_matches('.'));
        assert!(help.contains(&flag), "{flag}");
    }
}

#[test]
fn port_and_probe_paths_are_those_of_the_service() {
    let port = default("BOOKING_PORT");
    assert_eq!(number(&read("Containerfile"), "EXPOSE "), port);
    assert_eq!(number(&read("Containerfile"), "BOOKING_PORT="), port);
    assert_eq!(
        number(&read("kubernetes/deployment.yaml"), "containerPort: "),
        port
    );
    let haproxy = read("haproxy.cfg");
    for replica in 1..=3 {
        assert_eq!(number(&haproxy, &format!("-replica-{replica}:")), port);
        assert!(read("compose.yaml").contains(&format!("\n  replica-{replica}: *replica\n")));
    }
    assert_eq!(words(&haproxy, "meth GET uri "), ["/readyz"]);
    let probes = read("kubernetes/deployment.yaml");
    // Startup, readiness and liveness, in this order.
    assert_eq!(words(&probes, "path: /"), ["healthz", "readyz", "healthz"]);
    for path in ["/healthz", "/readyz"] {
        assert!(is_health_path(path));
    }
}

#[test]
fn versions_are_that_of_the_service() {
    let job = format!("booking-migrate-{}", VERSION.replace('.', "-"));
    assert_eq!(
        words(&read("kubernetes/migration-job.yaml"), "\n  name: "),
        [job.as_str()]
    );
    assert_eq!(
        words(&read("kubernetes/kustomization.yaml"), "newTag: "),
        [VERSION]
    );
    let readme = read("README.md");
    assert!(readme.contains(&job));
    let (instructions, _transcript) = readme.split_once("## What was run").unwrap();
    for text in [
        instructions,
        &read("compose.yaml"),
        &read("../docs/operating.md"),
    ] {
        let mut tags = words(text, "booking-service:");
        tags.retain(|tag| tag.starts_with(|c: char| c.is_ascii_digit()));
        assert!(!tags.is_empty());
        assert!(tags.iter().all(|tag| *tag == VERSION), "{tags:?}");
    }
}

#[test]
fn times_fit_each_other() {
    /// Seconds for the workers and the database to end, after connections.
    const END: u64 = 10;
    let request = default("BOOKING_REQUEST_TIMEOUT");
    let kustomization = read("kubernetes/kustomization.yaml");
    let (compose, haproxy) = (read("compose.yaml"), read("haproxy.cfg"));
    let replica = compose.split("\nservices:").next().unwrap();
    let deployment = read("kubernetes/deployment.yaml");
    for (settings, separator, grace_period) in [
        (replica, ": ", number(replica, "stop_grace_period: ")),
        (
            kustomization.as_str(),
            "=",
            number(&deployment, "terminationGracePeriodSeconds: "),
        ),
    ] {
        let drain = number(settings, &format!("BOOKING_DRAIN{separator}"));
        let shutdown = number(settings, &format!("BOOKING_SHUTDOWN_TIMEOUT{separator}"));
        assert!(shutdown >= request, "open requests are cut off");
        assert!(grace_period >= drain + shutdown + END);
    }
    assert!(number(&haproxy, "timeout server ") > request);
    // Two failed checks, of which the second follows the first sooner.
    let detection = number(&haproxy, "check inter ") * number(&haproxy, " fall ");
    assert!(detection < number(replica, "BOOKING_DRAIN: "));
}
