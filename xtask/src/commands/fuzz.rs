//! Fuzzes the service from its OpenAPI documents.
//!
//! Schemathesis reads `/v2/openapi.json`, then `/v1/openapi.json`, sends valid and invalid requests and
//! checks each response against the document.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Instant;

use fs_err as fs;
use serde_json::Value;

use crate::install::locked_packages;
use crate::native;
use crate::process::{self, Attempt, Outcome};
use crate::project::Project;

/// Schemathesis and what it needs, from the root of the project.
const REQUIREMENTS: &str = "xtask/src/commands/fuzz/requirements.txt";

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

/// Kind of caller whose requests a round sends.
struct Caller {
    name: &'static str,
    /// Property of `demo.json` with the bearer credential.
    credential: Option<&'static str>,
    /// Version of the API.
    version: u8,
    /// Calls per operation of a short round, from a fixed seed; 0 for no round.
    short: u32,
    /// Duration of a long round, of random calls.
    seconds: u32,
}

const CALLERS: [Caller; 4] = [
    Caller {
        name: "with an API key",
        credential: Some("apiKey"),
        version: 2,
        short: 8,
        seconds: 150,
    },
    Caller {
        name: "with an access token",
        credential: Some("accessToken"),
        version: 2,
        short: 0,
        seconds: 80,
    },
    Caller {
        name: "without credentials",
        credential: None,
        version: 2,
        short: 4,
        seconds: 70,
    },
    Caller {
        name: "version 1",
        credential: None,
        version: 1,
        short: 8,
        seconds: 100,
    },
];

/// Runs all rounds. Fails if any of them found a problem.
pub(crate) fn run(project: &Project, short: bool) -> Outcome {
    let schemathesis = schemathesis(project)?;
    // A debug build, because release builds have no overflow checks.
    let service = native::service(project)?;
    let folder = project.root.join("target/fuzz");
    let callers = CALLERS.iter().filter(|caller| !short || caller.short > 0);
    process::say("Fuzzing as several callers; their reports follow");
    // All at once: each has a service of its own, and Schemathesis uses one processor.
    let failed = thread::scope(|scope| {
        let rounds: Vec<_> = callers
            .map(|caller| {
                let (schemathesis, service) = (&schemathesis, &service);
                let folder = folder.join(caller.name.replace(' ', "-"));
                let round = move || run_round(schemathesis, service, &folder, caller, short);
                (caller, scope.spawn(round))
            })
            .collect();
        let mut failed = Vec::new();
        for (caller, round) in rounds {
            if !round.join().map_err(|_| "a thread of xtask panicked")?? {
                failed.push(caller.name);
            }
        }
        Outcome::Ok(failed)
    })?;
    if failed.is_empty() {
        println!("\nNo problems found.");
        return Ok(());
    }
    Err(format!(
        "failed rounds: {}. The calls that reproduce the failures are above; the logs of the services are in {}.",
        failed.join(", "),
        project.shown(&folder)
    )
    .into())
}

/// Runs a round against a service of its own, because calls may delete records that other rounds need, and prints its
/// output at the end. Returns true if it found no problem.
fn run_round(
    schemathesis: &Path,
    program: &Path,
    folder: &Path,
    caller: &Caller,
    short: bool,
) -> Outcome<bool> {
    let data = folder.join("data");
    // Data of an earlier round, if any.
    let _ = fs::remove_dir_all(&data);
    fs::create_dir_all(folder)?;
    let mut service = Service::start(program, &data, &folder.join("service.log"))?;
    for (name, text) in [("known.py", V2_HOOKS), ("known_v1.py", V1_HOOKS)] {
        fs::write(folder.join(name), text)?;
    }
    let demo = fs::read(data.join("demo.json"))?;
    let demo: Value = serde_json::from_slice(&demo).attempt("the demo credentials are not JSON")?;

    let version = caller.version;
    let hooks = if version == 1 { "known_v1" } else { "known" };
    let mut command = Command::new(schemathesis);
    command
        .current_dir(folder)
        .env("PYTHONPATH", folder)
        .env("SCHEMATHESIS_HOOKS", hooks)
        .env("FUZZ_ADDRESS", &service.address)
        .env("FUZZ_DEMO", data.join("demo.json"))
        .arg("run")
        .arg(format!("{}/v{version}/openapi.json", service.address))
        .args(["--checks", CHECKS, "--continue-on-failure", "--no-color"])
        .args(["--generation-database", "none", "--warnings", "off"]);
    if short {
        // The same calls each time, so that a new failure comes from a code change. With a limit in seconds,
        // their number would depend on the machine.
        command
            .args(["--max-examples", &caller.short.to_string(), "--seed", "1"])
            .env("FUZZ_SEED", "1");
    } else {
        command.args([
            "--max-examples",
            "60",
            "--max-time",
            &caller.seconds.to_string(),
        ]);
    }
    if short && caller.name == "without credentials" {
        // Nearly every call is rejected for its lack of credentials, so the coverage phase, one call for
        // each rule of each property, would find no more than it did with a key.
        command.args(["--phases", "examples,fuzzing"]);
    }
    if let Some(credential) = caller.credential {
        let credential = demo[credential]
            .as_str()
            .ok_or("demo.json lacks a credential")?;
        command.args(["--header", &format!("Authorization: Bearer {credential}")]);
    }
    let start = Instant::now();
    let output = command.output().attempt("cannot start Schemathesis")?;
    let mut text = match short {
        true => format!(
            "==> Fuzzed {} with {} calls per operation",
            caller.name, caller.short
        ),
        false => format!("==> Fuzzed {}", caller.name),
    };
    let took = process::format_duration(start.elapsed());
    text.push_str(&format!("\n    took {took}\n"));
    for bytes in [&output.stdout, &output.stderr] {
        text.push_str(&String::from_utf8_lossy(bytes));
    }
    // Schemathesis may not report a crash of the service.
    let has_ended = service.has_ended();
    if has_ended {
        text.push_str("    the service ended during the round\n");
    }
    // In one call, so that rounds do not mix their lines.
    print!("{text}");
    Ok(output.status.success() && !has_ended)
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
            .args([
                "--env-file=",
                "serve",
                "--demo",
                "--rate-limit-off",
                "--port",
                "0",
            ])
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

/// Ensures that Schemathesis is installed, and returns its path.
fn schemathesis(project: &Project) -> Outcome<PathBuf> {
    let requirements = project.root.join(REQUIREMENTS);
    let tools = project.root.join("target/tools");
    let programs = locked_packages::python(&tools, "schemathesis", &requirements)?;
    Ok(programs.join("schemathesis"))
}
