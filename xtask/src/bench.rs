//! How fast the elements are, and the service, each beside what could not be faster.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::build::{self, Project, Speed};
use crate::dist;
use crate::engines::{self, Engine};
use crate::step::{self, Outcome};
use crate::test;

/// Measures the elements, or what is named.
pub(crate) fn run(project: &Project, subject: Option<&str>, json: bool) -> Outcome<ExitCode> {
    match subject {
        None if json => {
            return Err("what is measured is in target/bench.json after each run".into());
        }
        None => elements(project)?,
        Some("service") => service(project, json)?,
        Some(other) => {
            return Err(format!("`{other}` cannot be measured; what can: service").into());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Builds everything as people run it and lets `tests/bench` measure it.
fn elements(project: &Project) -> Outcome {
    let chromium = engines::get(project, Engine::Chromium)?;
    dist::make(project)?;
    let measured = with_floor(project)?;
    let service = build::service(project, Speed::Release)?;
    let mut command = project.cargo("test");
    command.args(["--quiet", "--package", "booking-widget", "--test", "bench"]);
    test::tell_harness(project, &chromium, &mut command);
    command.env("BOOKING_E2E_SERVICE", service);
    command.env("BOOKING_E2E_DIST", measured);
    command.env(
        "BOOKING_BENCH_REPORT",
        project.root.join("target/bench.json"),
    );
    step::run(&mut command)
}

/// The folder of `dist` once more, with the page written by hand in it: the service sends both alike.
fn with_floor(project: &Project) -> Outcome<PathBuf> {
    let folder = project.target.join("xtask/bench");
    let mut files = Vec::new();
    for part in ["embed", "app"] {
        dist::collect(&project.dist().join(part), part, &mut files)?;
        dist::remove_stale(&folder.join(part), part, &files)?;
    }
    for file in &files {
        dist::write(&folder.join(&file.path), &file.content)?;
    }
    let mut floor = Vec::new();
    dist::collect(&project.root.join("tests/bench/floor"), "embed", &mut floor)?;
    floor
        .iter()
        .try_for_each(|file| dist::publish(&folder, file))?;
    Ok(folder)
}

/// Builds the service as people run it and measures it; see `crates/service/benches/load`.
fn service(project: &Project, json: bool) -> Outcome {
    let mut bench = project.cargo("bench");
    // The table is the answer; with `--json` nothing else may be on standard output.
    bench.args(["--quiet", "--package", "booking-service", "--bench", "load"]);
    bench.arg("--").args(json.then_some("--json"));
    eprintln!(
        "==> Compiling the service and its load (some minutes the first time), then measuring"
    );
    step::run(&mut bench)
}
