//! Fuzzes the service from its OpenAPI documents.
//!
//! Schemathesis reads `/v2/openapi.json`, then `/v1/openapi.json`, sends valid and invalid requests and
//! checks each response against the document.

use std::fmt;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use fs_err as fs;
use serde_json::Value;

use crate::install::tools;
use crate::native;
use crate::process::{self, Attempt, Outcome};
use crate::project::Project;

/// Version of Schemathesis.
const SCHEMATHESIS_VERSION: &str = "4.32.5";

/// Checks of each response. Not used: acceptance of all schema-valid data (a schema cannot say which
/// slots are free), undocumented methods, and required credentials: `known.py` sends the real secret of
/// a client, which that check takes for a generated one. The service's own tests cover each operation
/// with missing and wrong credentials.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
                      response_headers_conformance,response_schema_conformance,\
                      negative_data_rejection";

/// Schemathesis hooks that put existing ids and times into requests.
const V2_HOOKS: &str = include_str!("fuzz/known.py");
/// The same for version 1, which takes its API key in the query.
const V1_HOOKS: &str = include_str!("fuzz/known_v1.py");

/// Credentials of a round.
#[derive(Clone, Copy)]
enum Identity {
    ApiKey,
    AccessToken,
    Anonymous,
    /// Version 1, with an API key in the query.
    VersionOne,
}

impl Identity {
    fn name(self) -> &'static str {
        match self {
            Self::ApiKey => "with an API key",
            Self::AccessToken => "with an access token",
            Self::Anonymous => "without credentials",
            Self::VersionOne => "version 1",
        }
    }

    /// Property of `demo.json` with the bearer credential.
    fn credential(self) -> Option<&'static str> {
        match self {
            Self::ApiKey => Some("apiKey"),
            Self::AccessToken => Some("accessToken"),
            Self::Anonymous | Self::VersionOne => None,
        }
    }

    /// Path of the OpenAPI document, and the module with the hooks.
    fn document(self) -> (&'static str, &'static str) {
        match self {
            Self::VersionOne => ("/v1/openapi.json", "known_v1"),
            _ => ("/v2/openapi.json", "known"),
        }
    }
}

/// Limit of a round.
#[derive(Clone, Copy)]
enum Limit {
    /// Calls per operation, from a fixed seed.
    Examples(u32),
    /// Duration of a round with random calls.
    Seconds(u32),
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Examples(count) => write!(f, "with {count} calls per operation"),
            Self::Seconds(seconds) => write!(f, "for {seconds} s"),
        }
    }
}

/// Runs all rounds. Fails if any of them found a problem.
pub(crate) fn run(project: &Project, short: bool) -> Outcome {
    let schemathesis = schemathesis(project)?;
    // A debug build, because release builds have no overflow checks.
    let service = native::service(project)?;
    let rounds: &[(Identity, Limit)] = if short {
        // The same calls each time, so that a new failure comes from a code change. With a limit in
        // seconds, their number would depend on the machine.
        &[
            (Identity::ApiKey, Limit::Examples(12)),
            (Identity::Anonymous, Limit::Examples(6)),
            (Identity::VersionOne, Limit::Examples(12)),
        ]
    } else {
        &[
            (Identity::ApiKey, Limit::Seconds(150)),
            (Identity::AccessToken, Limit::Seconds(80)),
            (Identity::Anonymous, Limit::Seconds(70)),
            (Identity::VersionOne, Limit::Seconds(100)),
        ]
    };
    let folder = project.root.join("target/fuzz");
    let mut failed = Vec::new();
    for (identity, limit) in rounds {
        let heading = format!("Fuzzing {} {limit}", identity.name());
        let has_passed = process::timed(heading, || {
            run_round(&schemathesis, &service, &folder, *identity, *limit)
        })?;
        if !has_passed {
            failed.push(identity.name());
        }
    }
    if failed.is_empty() {
        println!("\nNo problems found.");
        return Ok(());
    }
    Err(format!(
        "failed rounds: {}. The calls that reproduce the failures are above; the service's log is in {}.",
        failed.join(", "),
        project.shown(&folder.join("service.log"))
    )
    .into())
}

/// Runs a round against a new service, because calls may delete records that later rounds need.
/// Returns true if it found no problem.
fn run_round(
    schemathesis: &Path,
    program: &Path,
    folder: &Path,
    identity: Identity,
    limit: Limit,
) -> Outcome<bool> {
    let data = folder.join("data");
    // Data of an earlier round, if any.
    let _ = fs::remove_dir_all(&data);
    fs::create_dir_all(folder)?;
    let mut service = Service::start(program, &data, &folder.join("service.log"))?;
    for (name, text) in [("known.py", V2_HOOKS), ("known_v1.py", V1_HOOKS)] {
        fs::write(folder.join(name), text)?;
    }
    let (document, hooks) = identity.document();
    let demo = fs::read(data.join("demo.json"))?;
    let demo: Value = serde_json::from_slice(&demo).attempt("the demo credentials are not JSON")?;

    let mut command = Command::new(schemathesis);
    command
        .current_dir(folder)
        .env("PYTHONPATH", folder)
        .env("SCHEMATHESIS_HOOKS", hooks)
        .env("FUZZ_ADDRESS", &service.address)
        .env("FUZZ_DEMO", data.join("demo.json"))
        .arg("run")
        .arg(format!("{}{document}", service.address))
        .args(["--checks", CHECKS, "--continue-on-failure", "--no-color"])
        .args(["--generation-database", "none", "--warnings", "off"]);
    match limit {
        Limit::Examples(count) => command
            .args(["--max-examples", &count.to_string(), "--seed", "1"])
            .env("FUZZ_SEED", "1"),
        Limit::Seconds(seconds) => command
            .args(["--max-examples", "60"])
            .args(["--max-time", &seconds.to_string()]),
    };
    if matches!((identity, limit), (Identity::Anonymous, Limit::Examples(_))) {
        // Nearly every call is rejected for its lack of credentials, so the coverage phase, one call for
        // each rule of each property, would find no more than it did with a key.
        command.args(["--phases", "examples,fuzzing"]);
    }
    if let Some(credential) = identity.credential() {
        let credential = demo[credential]
            .as_str()
            .ok_or("demo.json lacks a credential")?;
        command.args(["--header", &format!("Authorization: Bearer {credential}")]);
    }
    let has_passed = process::stream(&mut command, |_| {})?;
    // Schemathesis may not report a crash of the service.
    if service.has_ended() {
        println!("    the service ended during the round");
        return Ok(false);
    }
    Ok(has_passed)
}

/// A running service, killed on drop.
struct Service {
    address: String,
    child: Child,
}

impl Service {
    fn start(program: &Path, data: &Path, log: &Path) -> Outcome<Self> {
        let log = std::fs::File::create(log).attempt("cannot write the service's log")?;
        let mut child = Command::new(program)
            .args(["serve", "--demo", "--rate-limit-off", "--port", "0"])
            .arg("--data")
            .arg(data)
            .env("RUST_LOG", "warn")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .attempt("cannot start the service")?;
        let stdout = child.stdout.take();
        let mut service = Self {
            address: String::new(),
            child,
        };
        let lines = stdout.map(|stdout| BufReader::new(stdout).lines());
        for line in lines.into_iter().flatten() {
            let line = line.attempt("cannot read the service's output")?;
            if let Some(address) = line.strip_prefix("ready ") {
                service.address = address.trim().to_owned();
                return Ok(service);
            }
        }
        Err("the service ended before it was ready".into())
    }

    fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Ensures that Schemathesis is installed in its own virtual environment, and returns its path.
fn schemathesis(project: &Project) -> Outcome<PathBuf> {
    let root = project
        .root
        .join(format!("target/tools/schemathesis-{SCHEMATHESIS_VERSION}"));
    let folder = if cfg!(windows) { "Scripts" } else { "bin" };
    let program = root.join(folder).join("schemathesis");
    if tools::is_available(&mut Command::new(&program)) {
        return Ok(program);
    }
    process::timed(
        format!("Installing Schemathesis {SCHEMATHESIS_VERSION} into target/tools"),
        || {
            process::run(
                Command::new("python3")
                    .args(["-m", "venv", "--clear"])
                    .arg(&root),
            )
            .attempt("fuzzing needs Python's venv (Debian: `apt install python3-venv`)")?;
            process::run(
                Command::new(root.join(folder).join("pip"))
                    .args(["install", "--quiet", "--disable-pip-version-check"])
                    .arg(format!("schemathesis=={SCHEMATHESIS_VERSION}")),
            )
        },
    )?;
    Ok(program)
}
