//! Benchmarks of the elements and of the service, each compared with a minimal baseline; the elements with published
//! widgets too.

mod peers;

use std::path::PathBuf;
use std::process::Command;

use clap::{Args, ValueEnum};
use fs_err as fs;

use crate::dist::{self, files};
use crate::install::browsers::{self, Engine};
use crate::install::postgres::{Durability, Server};
use crate::journeys::command;
use crate::native;
use crate::process::{self, Outcome};
use crate::project::Project;
use peers::Peers;

/// Command line of `bench`.
#[derive(Args)]
pub(crate) struct Options {
    /// Measure the service instead of the elements: requests per second, latencies and memory, the latency of bookings with and without a mail server, bookings of an organization alone and beside others, or the peak hour of a day with a million bookings
    subject: Option<Subject>,
    /// Database of the service; a PostgreSQL server is started for the measurement
    #[arg(long, requires = "subject", default_value = "sqlite")]
    store: Store,
    /// Number of replicas of the service, with PostgreSQL
    #[arg(long, requires = "subject", value_parser = clap::value_parser!(u32).range(1..=10))]
    replicas: Option<u32>,
    /// Number of rounds of the service's measurements
    #[arg(long, requires = "subject", value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: Option<u32>,
    /// Another build of the service, whose bookings are compared by `bench mail`
    #[arg(long, requires = "subject")]
    baseline: Option<PathBuf>,
    /// Duration of `bench day`
    #[arg(long, requires = "subject")]
    minutes: Option<f64>,
    /// Factor of the rates of `bench day`: at 1, the bookings of the peak hour arrive in ten minutes
    #[arg(long, requires = "subject")]
    load: Option<f64>,
    /// Part of the installation of `bench day`: at 1, it has a million bookings
    #[arg(long, requires = "subject")]
    size: Option<f64>,
}

#[derive(Clone, Copy, ValueEnum, PartialEq, Eq)]
enum Store {
    Sqlite,
    Postgres,
}

#[derive(Clone, Copy, ValueEnum)]
enum Subject {
    Service,
    Mail,
    Tenants,
    Day,
}

/// Measures the elements, or the service.
pub(crate) fn run(project: &Project, options: &Options) -> Outcome {
    match options.subject {
        None => bench_elements(project),
        Some(Subject::Service) => bench_service(project, options),
        Some(Subject::Mail) => bench_mail(project, options),
        Some(Subject::Tenants) => bench_tenants(project, options),
        Some(Subject::Day) => bench_day(project, options),
    }
}

/// Builds everything in release mode and runs `tests/bench`.
fn bench_elements(project: &Project) -> Outcome {
    let chromium = browsers::ensure(project, Engine::Chromium)?;
    dist::make(project)?;
    let dist = dist_with_baseline(project)?;
    let service = native::optimised_service(project)?;
    let peers = Peers::serve(project);
    let mut command = command::test_program(project, &chromium, "bench");
    command.arg("--quiet");
    command.env("BOOKING_E2E_SERVICE", service);
    command.env("BOOKING_E2E_DIST", dist);
    command.env(
        "BOOKING_BENCH_REPORT",
        project.root.join("target/bench.json"),
    );
    if let Some(peers) = &peers {
        command.env("BOOKING_BENCH_PEERS", peers.url());
    }
    process::run(&mut command)
}

/// Copies `dist` and adds the handwritten baseline page, so that the service serves both alike.
fn dist_with_baseline(project: &Project) -> Outcome<PathBuf> {
    let folder = project.target.join("xtask/bench");
    for name in ["embed", "app"] {
        let files = files::read_folder(&project.dist().join(name), name)?;
        files::remove_stale(&folder, name, &files)?;
        for file in &files {
            files::write(&folder.join(&file.path), &file.content)?;
        }
    }
    let baseline = files::read_folder(&project.root.join("tests/bench/floor"), "embed")?;
    files::publish(&folder, &baseline)?;
    Ok(folder)
}

/// Measures all loads of the service.
fn bench_service(project: &Project, options: &Options) -> Outcome {
    if options.store == Store::Sqlite && options.replicas.is_some_and(|replicas| replicas > 1) {
        return Err("several replicas need --store postgres".into());
    }
    let mut bench = load_test(project);
    for (name, value) in [
        ("--replicas", options.replicas),
        ("--rounds", options.rounds),
    ] {
        if let Some(value) = value {
            bench.arg(name).arg(value.to_string());
        }
    }
    let server = match options.store {
        Store::Sqlite => None,
        Store::Postgres => Some(Server::start(project, Durability::Full)?),
    };
    if let Some(server) = &server {
        bench.arg("--postgres").arg(server.url());
    }
    process::run(&mut bench)
}

/// Compares bookings with and without a mail server.
fn bench_mail(project: &Project, options: &Options) -> Outcome {
    let mut bench = load_test(project);
    bench.arg("--mail");
    bench.args(["--rounds", &options.rounds.unwrap_or(20).to_string()]);
    if let Some(baseline) = &options.baseline {
        bench.arg("--baseline").arg(fs::canonicalize(baseline)?);
    }
    process::run(&mut bench)
}

/// Compares bookings of an organization alone and beside others.
fn bench_tenants(project: &Project, options: &Options) -> Outcome {
    let server = Server::start(project, Durability::Full)?;
    let mut bench = load_test(project);
    bench.arg("--tenants").arg("--postgres").arg(server.url());
    bench.args(["--rounds", &options.rounds.unwrap_or(4).to_string()]);
    process::run(&mut bench)
}

/// Replays the peak hour of a day with a million bookings.
fn bench_day(project: &Project, options: &Options) -> Outcome {
    let server = Server::start(project, Durability::Full)?;
    let mut bench = load_test(project);
    bench.arg("--day").arg("--postgres").arg(server.url());
    for (name, value) in [
        ("--minutes", options.minutes),
        ("--load", options.load),
        ("--size", options.size),
    ] {
        if let Some(value) = value {
            bench.arg(name).arg(value.to_string());
        }
    }
    process::run(&mut bench)
}

/// Command that builds the service in release mode and runs `crates/service/benches/load`, without its options.
fn load_test(project: &Project) -> Command {
    eprintln!("==> Compiling and running the load test (the first build takes some minutes)");
    let mut bench = project.cargo("bench");
    bench.args(["--quiet", "--package", "booking-service", "--bench", "load"]);
    bench.arg("--");
    bench
}
