//! Measures the release binary over a filled database, with several concurrent clients.
//!
//! Two baselines are measured in the same rounds: a loop that inserts rows into the same kind of
//! database with the settings of the service, and a minimal axum handler. Other load on the machine
//! affects all of them, so the ratios are more reliable than the absolute numbers.
//!
//! `cargo xtask bench service` runs it and has options for the database and the number of replicas;
//! `--rounds N` makes it shorter or longer. `cargo xtask bench mail` compares bookings with and without a mail server,
//! `cargo xtask bench tenants` those of an organization alone and beside others, `cargo xtask bench day` replays the peak
//! hour of a day with a million bookings.

mod cpu;
mod data;
mod day;
mod inserts;
#[path = "../../tests/support/large_installation.rs"]
mod large_installation;
mod load;
mod mail;
mod process;
mod report;
mod tenants;

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;

use crate::inserts::InsertLoop;
use crate::load::Load;
use crate::process::Service;
use crate::report::Report;

/// Result; the error is a message for the terminal.
type Outcome<T = ()> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Concurrent clients of slots, bookings and the hello server.
const CALLERS: usize = 8;
/// Concurrent clients of the bookings that show how commits are shared.
const MANY_CALLERS: usize = 32;
/// Concurrent clients of the long list.
const LIST_CALLERS: usize = 2;
/// Duration of each load per round.
const RUN_DURATION: Duration = Duration::from_secs(2);

#[derive(Parser)]
struct Options {
    /// Number of rounds
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
    /// Empty PostgreSQL database; none for SQLite
    #[arg(long, value_name = "URL")]
    postgres: Option<String>,
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=10))]
    replicas: u8,
    /// Compare bookings with and without a mail server instead
    #[arg(long)]
    mail: bool,
    /// Compare bookings of an organization alone and beside others instead, with PostgreSQL
    #[arg(long, requires = "postgres")]
    tenants: bool,
    /// Replay the peak hour of a day with a million bookings instead, with PostgreSQL
    #[arg(long, requires = "postgres")]
    day: bool,
    #[command(flatten)]
    day_options: day::Options,
    /// Another build of the service, for that comparison
    #[arg(long)]
    baseline: Option<PathBuf>,
    /// Be the baseline of HTTP
    #[arg(long)]
    hello: bool,
    /// Passed by Cargo
    #[arg(long)]
    bench: bool,
}

fn main() -> Outcome {
    let options = Options::parse();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    if options.hello {
        runtime.block_on(process::serve_hello())
    } else if options.mail {
        runtime.block_on(mail::run(options.rounds, options.baseline.as_deref()))
    } else if let (true, Some(url)) = (options.tenants, &options.postgres) {
        runtime.block_on(tenants::run(options.rounds, url))
    } else if let (true, Some(url)) = (options.day, &options.postgres) {
        runtime.block_on(day::run(&options.day_options, url))
    } else {
        runtime.block_on(run(&options))
    }
}

async fn run(options: &Options) -> Outcome {
    let directory = tempfile::tempdir()?;
    eprintln!("filling a fresh database");
    let api_key = data::fill(process::PROGRAM, directory.path()).await?;
    let url = options.postgres.as_deref();
    if let Some(url) = url {
        process::move_to_postgres(directory.path(), url).await?;
    }
    let database: Vec<&str> = url
        .into_iter()
        .flat_map(|url| ["--database-url", url])
        .collect();
    let mut replicas = Vec::new();
    for _ in 0..options.replicas {
        replicas.push(Service::start(process::PROGRAM, directory.path(), &database).await?);
    }
    let addresses: Vec<String> = replicas.iter().map(|one| one.address.clone()).collect();
    let first = addresses.first().ok_or("there is no replica")?;
    let hello = Service::start_hello().await?;
    let inserts_directory = tempfile::tempdir()?;
    let mut inserts = match url {
        Some(url) => InsertLoop::open_postgres(url).await?,
        None => InsertLoop::open_sqlite(inserts_directory.path()).await?,
    };

    let slots = Load::new(&addresses, CALLERS, data::slot_requests()?);
    let unique_slots = Load::new(&addresses, CALLERS, data::unique_slot_requests()?);
    let list_requests = data::list_requests(&api_key)?;
    let list = Load::new(&addresses, LIST_CALLERS, list_requests);
    let greeting = vec![load::get("/", None)?];
    let greetings = Load::new(std::slice::from_ref(&hello.address), CALLERS, greeting);
    let once_each = |callers, requests| Load::once_each(&addresses, callers, requests);
    let bookings = once_each(CALLERS, data::bookings(first).await?);
    let one_host = once_each(MANY_CALLERS, data::bookings_of_one_host(first).await?);
    let many_hosts = once_each(MANY_CALLERS, data::bookings_of_many_hosts(first).await?);
    let mut report = Report::default();
    for round in 1..=options.rounds {
        eprintln!("round {round} of {}", options.rounds);
        // Interleaved, so that a temporary slowdown of the machine affects all loads.
        report.hello.add(&greetings.run(RUN_DURATION).await?);
        report.slots.add(&slots.run(RUN_DURATION).await?);
        // Of the same hosts, so that their busy times are read again.
        let (answered, booked) = tokio::join!(
            unique_slots.run(RUN_DURATION),
            bookings.run_slowly(Duration::from_secs(1), RUN_DURATION),
        );
        booked?;
        report.unique_slots.add(&answered?);
        report.inserts.add(&inserts.run(RUN_DURATION).await?);
        report.bookings.add(&bookings.run(RUN_DURATION).await?);
        report.one_host.add(&one_host.run(RUN_DURATION).await?);
        report.many_hosts.add(&many_hosts.run(RUN_DURATION).await?);
        report.list.add(&list.run(RUN_DURATION).await?);
    }
    for replica in replicas {
        report.peak_memory_kib = report.peak_memory_kib.max(replica.peak_memory_kib()?);
    }
    report.print(options);
    Ok(())
}
