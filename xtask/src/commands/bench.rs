//! Benchmarks of the elements and of the service, each compared with a minimal baseline.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::build::{self, Project, Speed};
use crate::dist;
use crate::engines::{self, Engine};
use crate::step::{self, Outcome};
use crate::test;

/// Measures the elements, or `subject`.
pub(crate) fn run(project: &Project, subject: Option<&str>, json: bool) -> Outcome<ExitCode> {
    match subject {
        None if json => {
            return Err("`--json` needs `service`; see target/bench.json for the elements".into());
        }
        None => bench_elements(project)?,
        Some("service") => bench_service(project, json)?,
        Some(other) => {
            return Err(format!("there is no benchmark `{other}`; use `service` or none").into());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Builds everything in release mode and runs `tests/bench`.
fn bench_elements(project: &Project) -> Outcome {
    let chromium = engines::ensure(project, Engine::Chromium)?;
    dist::make(project)?;
    let dist = dist_with_baseline(project)?;
    let service = build::service(project, Speed::Release)?;
    let mut command = project.cargo("test");
    command.args(["--quiet", "--package", "booking-widget", "--test", "bench"]);
    test::configure_harness(project, &chromium, &mut command);
    command.env("BOOKING_E2E_SERVICE", service);
    command.env("BOOKING_E2E_DIST", dist);
    command.env(
        "BOOKING_BENCH_REPORT",
        project.root.join("target/bench.json"),
    );
    step::run(&mut command)
}

/// Copies `dist` and adds the handwritten baseline page, so that the service serves both alike.
fn dist_with_baseline(project: &Project) -> Outcome<PathBuf> {
    let folder = project.target.join("xtask/bench");
    let mut files = Vec::new();
    for name in ["embed", "app"] {
        dist::collect(&project.dist().join(name), name, &mut files)?;
        dist::remove_stale(&folder.join(name), name, &files)?;
    }
    for file in &files {
        dist::write(&folder.join(&file.path), &file.content)?;
    }
    let mut baseline = Vec::new();
    let page = project.root.join("tests/bench/floor");
    dist::collect(&page, "embed", &mut baseline)?;
    baseline
        .iter()
        .try_for_each(|file| dist::publish(&folder, file))?;
    Ok(folder)
}

/// Builds the service in release mode and runs `crates/service/benches/load`.
fn bench_service(project: &Project, json: bool) -> Outcome {
    let mut bench = project.cargo("bench");
    // Standard output is for the results only, so that `--json` can be parsed.
    bench.args(["--quiet", "--package", "booking-service", "--bench", "load"]);
    bench.arg("--").args(json.then_some("--json"));
    eprintln!("==> Compiling and running the load test (the first build takes some minutes)");
    step::run(&mut bench)
}
