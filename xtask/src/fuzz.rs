//! Calls that nobody thought of, made from the service's own description of itself.
//!
//! Schemathesis reads `/v2/openapi.json`, then `/v1/openapi.json`, and sends what they allow and what
//! they do not; every answer is held against what the document promises.

use std::fmt;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};

use serde_json::Value;

use crate::build::{self, Project, Speed};
use crate::step::{self, Attempt, Outcome};
use crate::tools;

/// The version of Schemathesis that makes the calls.
const SCHEMATHESIS: &str = "4.32.5";

/// What every answer is asked. Left out: that whatever a schema allows is accepted (no schema says
/// which times are free), what a service answers to methods that are not described, and that
/// credentials are asked for: `known.py` gives the genuine secret of a client, which that check
/// takes for an invented one. The service's own tests ask every operation without and with wrong ones.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
                      response_headers_conformance,response_schema_conformance,\
                      negative_data_rejection";

/// Puts ids and times that exist into the calls.
const KNOWN: &str = include_str!("fuzz/known.py");
/// The same for version 1, whose callers are known by a key in the query.
const KNOWN_V1: &str = include_str!("fuzz/known_v1.py");

/// As whom the calls are made.
#[derive(Clone, Copy)]
enum Identity {
    ApiKey,
    AccessToken,
    Anonymous,
    /// With an API key in the query, which version 1 asks for.
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

    /// The property of `demo.json` that holds what it sends.
    fn credential(self) -> Option<&'static str> {
        match self {
            Self::ApiKey => Some("apiKey"),
            Self::AccessToken => Some("accessToken"),
            Self::Anonymous | Self::VersionOne => None,
        }
    }

    /// The document that the calls are made from, and what puts known values into them.
    fn document(self) -> (&'static str, &'static str) {
        match self {
            Self::VersionOne => ("/v1/openapi.json", "known_v1"),
            _ => ("/v2/openapi.json", "known"),
        }
    }
}

/// How much is asked.
#[derive(Clone, Copy)]
enum Extent {
    /// This many calls for each operation, always the same ones.
    Examples(u32),
    /// As many as there is time for, each time others.
    Seconds(u32),
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Examples(count) => write!(f, "with {count} calls for each operation"),
            Self::Seconds(seconds) => write!(f, "for {seconds} s"),
        }
    }
}

/// Runs all rounds; findings make the exit code.
pub(crate) fn run(project: &Project, short: bool) -> Outcome<ExitCode> {
    let schemathesis = schemathesis(project)?;
    // Compiled with checks of arithmetic, which release builds leave out.
    let service = build::service(project, Speed::Debug)?;
    let rounds: &[(Identity, Extent)] = if short {
        // The same calls on every machine and every time: a change is to blame for what comes up
        // after it. A limit in seconds would make their number depend on the machine.
        &[
            (Identity::ApiKey, Extent::Examples(12)),
            (Identity::Anonymous, Extent::Examples(6)),
            (Identity::VersionOne, Extent::Examples(12)),
        ]
    } else {
        &[
            (Identity::ApiKey, Extent::Seconds(150)),
            (Identity::AccessToken, Extent::Seconds(80)),
            (Identity::Anonymous, Extent::Seconds(70)),
            (Identity::VersionOne, Extent::Seconds(100)),
        ]
    };
    let folder = project.root.join("target/fuzz");
    let mut failed = Vec::new();
    for (identity, extent) in rounds {
        let heading = format!("Fuzzing {} {extent}", identity.name());
        let found = step::timed(heading, || {
            round(&schemathesis, &service, &folder, *identity, *extent)
        })?;
        if found {
            failed.push(identity.name());
        }
    }
    if failed.is_empty() {
        println!("\nNothing found.");
        return Ok(ExitCode::SUCCESS);
    }
    println!(
        "\nFound something {}. The calls to repeat it are above; the service's own words are in {}.",
        failed.join(" and "),
        build::shown(project, &folder.join("service.log"))
    );
    Ok(ExitCode::FAILURE)
}

/// One round over a service of its own, because calls may delete what later ones need. Gives
/// whether something was found.
fn round(
    schemathesis: &Path,
    program: &Path,
    folder: &Path,
    identity: Identity,
    extent: Extent,
) -> Outcome<bool> {
    let data = folder.join("data");
    // What an earlier round left; there may be none.
    let _ = fs::remove_dir_all(&data);
    fs::create_dir_all(folder).attempt(format!("cannot make {}", folder.display()))?;
    let mut service = Service::start(program, &data, &folder.join("service.log"))?;
    for (name, text) in [("known.py", KNOWN), ("known_v1.py", KNOWN_V1)] {
        fs::write(folder.join(name), text).attempt(format!("cannot write {name}"))?;
    }
    let (document, hooks) = identity.document();
    let demo = fs::read(data.join("demo.json")).attempt("the demo credentials are missing")?;
    let demo: Value = serde_json::from_slice(&demo).attempt("the demo credentials are no JSON")?;

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
    match extent {
        Extent::Examples(count) => command
            .args(["--max-examples", &count.to_string(), "--seed", "1"])
            .env("FUZZ_SEED", "1"),
        Extent::Seconds(seconds) => command
            .args(["--max-examples", "60"])
            .args(["--max-time", &seconds.to_string()]),
    };
    if matches!(
        (identity, extent),
        (Identity::Anonymous, Extent::Examples(_))
    ) {
        // Nearly every call is refused whatever else is wrong with it: the systematic ones, one for
        // each rule of each property, show no more here than those with a key did.
        command.args(["--phases", "examples,fuzzing"]);
    }
    if let Some(credential) = identity.credential() {
        let credential = demo[credential]
            .as_str()
            .ok_or("demo.json lacks a credential")?;
        command.args(["--header", &format!("Authorization: Bearer {credential}")]);
    }
    let sound = step::watch(&mut command, |_| {})?;
    // A service that fell over has answered nothing more, which may look like silence.
    if service.has_ended() {
        println!("    the service ended during the round");
        return Ok(true);
    }
    Ok(!sound)
}

/// A running service, ended with this value.
struct Service {
    address: String,
    child: Child,
}

impl Service {
    fn start(program: &Path, data: &Path, log: &Path) -> Outcome<Self> {
        let log = fs::File::create(log).attempt("cannot write the service's log")?;
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
            let line = line.attempt("the service cannot be read")?;
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

/// Makes sure that Schemathesis is there, in a Python environment of its own.
fn schemathesis(project: &Project) -> Outcome<PathBuf> {
    let root = project
        .root
        .join(format!("target/tools/schemathesis-{SCHEMATHESIS}"));
    let folder = if cfg!(windows) { "Scripts" } else { "bin" };
    let program = root.join(folder).join("schemathesis");
    if tools::answers(&mut Command::new(&program)) {
        return Ok(program);
    }
    step::timed(
        format!("Installing Schemathesis {SCHEMATHESIS} into target/tools"),
        || {
            step::run(
                Command::new("python3")
                    .args(["-m", "venv", "--clear"])
                    .arg(&root),
            )
            .attempt("a Python environment is needed (Debian: `apt install python3-venv`)")?;
            step::run(
                Command::new(root.join(folder).join("pip"))
                    .args(["install", "--quiet", "--disable-pip-version-check"])
                    .arg(format!("schemathesis=={SCHEMATHESIS}")),
            )
        },
    )?;
    Ok(program)
}
