//! The files in `deploy/` name what the service has: variables, commands, port, paths, version; and their times fit
//! each other.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use booking_service::monitoring::health::is_health_path;

#[path = "support/locked_packages.rs"]
mod locked_packages;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Connections that PostgreSQL accepts by default.
const MAX_CONNECTIONS: u64 = 100;

/// Connections that are left for commands and backups.
const SPARE_CONNECTIONS: u64 = 10;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap()
}

/// Paths in a folder and the folders below it.
fn paths(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(paths(&path));
        } else {
            found.push(path);
        }
    }
    found
}

/// Names and texts of the files, without those that `make-secrets.sh` makes.
fn files() -> Vec<(String, String)> {
    let is_secret = |path: &PathBuf| path.starts_with(folder().join("secrets"));
    paths(&folder())
        .into_iter()
        .filter(|path| !is_secret(path) && !path.ends_with(".env"))
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

/// Items of a list in a document: lines that begin with `- ` after a line `NAME:`.
fn items(text: &str, name: &str) -> Vec<String> {
    let Some((_, list)) = text.split_once(&format!("\n{name}:\n")) else {
        return Vec::new();
    };
    let lines = list.lines().take_while(|line| line.starts_with("  "));
    lines
        .filter_map(|line| line.strip_prefix("  - "))
        .map(|item| item.trim_start_matches("path: ").to_owned())
        .collect()
}

#[test]
fn kustomizations_name_their_files() {
    let is_yaml = |path: &Path| {
        path.extension()
            .is_some_and(|extension| extension == "yaml")
    };
    let mut count = 0;
    for root in ["kubernetes", "kubernetes-example"] {
        for path in paths(&folder().join(root)) {
            if !path.ends_with("kustomization.yaml") {
                continue;
            }
            count += 1;
            let text = std::fs::read_to_string(&path).unwrap();
            let here = path.parent().unwrap();
            let mut named = BTreeSet::new();
            for list in ["resources", "patches", "components"] {
                for item in items(&text, list) {
                    if !item.contains(": ") {
                        named.insert(here.join(item).canonicalize().unwrap());
                    }
                }
            }
            assert!(!named.is_empty(), "{}", path.display());
            let files = std::fs::read_dir(here)
                .unwrap()
                .map(|entry| entry.unwrap().path());
            for file in files.filter(|file| is_yaml(file)) {
                let is_named = named.contains(&file.canonicalize().unwrap());
                // What the operator makes by a command.
                let is_other = file == path || file.ends_with("secret.example.yaml");
                assert!(is_named || is_other, "{} is not used", file.display());
            }
        }
    }
    assert_eq!(count, 7);
    // The example has each component.
    let components = std::fs::read_dir(folder().join("kubernetes/components")).unwrap();
    let example = read("kubernetes-example/kustomization.yaml");
    assert_eq!(items(&example, "components").len(), components.count());
}

/// Python's `kubernetes-validate` has the schemas of Kubernetes. Of the Prometheus Operator it has none.
#[test]
fn kubernetes_objects_have_the_form_of_their_schemas() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let tools = tests.join("../../../target/tools");
    let requirements = tests.join("support/kubernetes_requirements.txt");
    let programs = locked_packages::python(&tools, "kubernetes-python", &requirements).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let mut objects: Vec<PathBuf> = paths(&folder().join("kubernetes"));
    // Patches are parts of objects.
    let others = ["kustomization.yaml", "metrics-token.yaml"];
    objects.retain(|path| !others.iter().any(|other| path.ends_with(other)));
    // With kubectl, also as they are applied.
    for root in ["kubernetes", "kubernetes-example"] {
        let mut kubectl = Command::new("kubectl");
        let Ok(built) = kubectl.arg("kustomize").arg(folder().join(root)).output() else {
            println!("without kubectl: {root} is not built");
            continue;
        };
        assert!(built.status.success(), "{root}: {built:?}");
        let file = directory.path().join(format!("{root}.yaml"));
        std::fs::write(&file, built.stdout).unwrap();
        objects.push(file);
    }
    let mut validate = Command::new(programs.join("kubernetes-validate"));
    let output = validate.arg("--strict").args(&objects).output().unwrap();
    let log = String::from_utf8_lossy(&output.stderr).into_owned()
        + &String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{log}");
    let passed = log.lines().filter(|line| line.starts_with("INFO ")).count();
    assert!(passed >= objects.len() - 1, "{log}");
    let unknown: Vec<&str> = log
        .lines()
        .filter(|line| line.starts_with("WARN "))
        .collect();
    assert!(
        unknown.iter().all(|line| line.contains("ServiceMonitor")),
        "{log}"
    );
}

#[test]
fn replicas_fit_the_connections_of_postgresql() {
    let autoscaler = read("kubernetes/components/autoscaling/horizontal-pod-autoscaler.yaml");
    let replicas = number(&autoscaler, "maxReplicas: ");
    let surge = number(&read("kubernetes/deployment.yaml"), "maxSurge: ");
    let connections = default("BOOKING_DATABASE_CONNECTIONS") + 2;
    assert!((replicas + surge) * connections <= MAX_CONNECTIONS - SPARE_CONNECTIONS);
    assert!(number(&autoscaler, "minReplicas: ") >= 2);
    let ingress = read("kubernetes/components/ingress/ingress.yaml");
    let timeout = number(&ingress, "proxy-read-timeout: ");
    assert!(timeout > default("BOOKING_REQUEST_TIMEOUT"));
}
