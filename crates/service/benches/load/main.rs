//! Measures the release binary over a filled database, with several concurrent clients.
//!
//! Two baselines are measured in the same rounds: a loop that inserts rows into the same kind of
//! database with the settings of the service, and a minimal axum handler. Other load on the machine
//! affects all of them, so the ratios are more reliable than the absolute numbers.
//!
//! `cargo xtask bench service` runs it and has options for the database and the number of replicas;
//! `--rounds N` makes it shorter or longer. `cargo xtask bench mail` compares bookings with and without a mail server.

mod data;
mod inserts;
mod load;
mod mail;
mod process;
mod report;

use std::path::PathBuf;
use std::time::Duration;

use crate::inserts::InsertLoop;
use crate::load::{Load, Sample};
use crate::process::Service;
use crate::report::{Machine, Report};

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

struct Options {
    json: bool,
    rounds: u32,
    /// Empty PostgreSQL database; none for SQLite.
    postgres: Option<String>,
    replicas: usize,
    /// Compare bookings with and without a mail server instead.
    mail: bool,
    /// Another build of the service, for that comparison.
    baseline: Option<PathBuf>,
}

fn main() -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--hello") {
        return runtime.block_on(process::serve_hello());
    }
    let options = read(&arguments)?;
    if options.mail {
        return runtime.block_on(mail::run(options.rounds, options.baseline.as_deref()));
    }
    runtime.block_on(run(&options))
}

fn read(arguments: &[String]) -> Outcome<Options> {
    let mut options = Options {
        json: false,
        rounds: 4,
        postgres: None,
        replicas: 1,
        mail: false,
        baseline: None,
    };
    let mut remaining = arguments.iter();
    while let Some(argument) = remaining.next() {
        match argument.as_str() {
            "--json" => options.json = true,
            "--rounds" => options.rounds = number(argument, remaining.next(), 100)?,
            "--replicas" => {
                options.replicas = usize::try_from(number(argument, remaining.next(), 10)?)?;
            }
            "--postgres" => {
                options.postgres = Some(
                    remaining
                        .next()
                        .ok_or("--postgres needs an address")?
                        .clone(),
                );
            }
            "--mail" => options.mail = true,
            "--baseline" => {
                let path = remaining.next().ok_or("--baseline needs a path")?;
                options.baseline = Some(path.into());
            }
            // Passed by Cargo.
            "--bench" => {}
            other => return Err(format!("there is no option {other}").into()),
        }
    }
    Ok(options)
}

/// Reads the value of an option, from 1 to `max`.
fn number(option: &str, value: Option<&String>, max: u32) -> Outcome<u32> {
    value
        .and_then(|value| value.parse().ok())
        .filter(|number| (1..=max).contains(number))
        .ok_or_else(|| format!("{option} needs a number from 1 to {max}").into())
}

async fn run(options: &Options) -> Outcome {
    let directory = tempfile::tempdir()?;
    eprintln!("filling a fresh database");
    let credentials = data::fill(process::PROGRAM, directory.path()).await?;
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

    let mut slots = Load::new(&addresses, CALLERS, data::slot_requests());
    let mut unique_slots = Load::new(&addresses, CALLERS, data::unique_slot_requests());
    let mut list = Load::new(
        &addresses,
        LIST_CALLERS,
        data::list_requests(&credentials.api_key),
    );
    let mut greetings = Load::new(
        std::slice::from_ref(&hello.address),
        CALLERS,
        vec![load::get("/", &hello.address, None)],
    );
    let mut bookings = Load::once_each(&addresses, CALLERS, data::bookings(first).await?);
    let mut one_host = Load::once_each(
        &addresses,
        MANY_CALLERS,
        data::bookings_of_one_host(first).await?,
    );
    let mut many_hosts = Load::once_each(
        &addresses,
        MANY_CALLERS,
        data::bookings_of_many_hosts(first).await?,
    );
    let mut report = Report::new(Machine::describe(), options);
    for round in 1..=options.rounds {
        eprintln!("round {round} of {}", options.rounds);
        // Interleaved, so that a temporary slowdown of the machine affects all loads.
        report.hello.add(greetings.run(RUN_DURATION, 200).await?);
        report.slots.add(slots.run(RUN_DURATION, 200).await?);
        // Of the same hosts, so that their busy times are read again.
        let (answered, booked) = tokio::join!(
            unique_slots.run(RUN_DURATION, 200),
            bookings.run_slowly(Duration::from_secs(1), RUN_DURATION, 201),
        );
        booked?;
        report.unique_slots.add(answered?);
        report.inserts.add(inserts.run(RUN_DURATION).await?);
        report.bookings.add(bookings.run(RUN_DURATION, 201).await?);
        report.one_host.add(one_host.run(RUN_DURATION, 201).await?);
        report
            .many_hosts
            .add(many_hosts.run(RUN_DURATION, 201).await?);
        report.list.add(list.run(RUN_DURATION, 200).await?);
    }
    for replica in replicas {
        report.peak_memory_kib = report.peak_memory_kib.max(replica.peak_memory_kib()?);
        replica.stop().await;
    }
    hello.stop().await;
    if options.json {
        println!("{}", report.to_json());
    } else {
        print!("{}", report.to_table());
    }
    Ok(())
}

/// Samples of several rounds.
#[derive(Default)]
struct Measurements(Sample);

impl Measurements {
    fn add(&mut self, sample: Sample) {
        self.0.micros.extend(sample.micros);
        self.0.duration += sample.duration;
    }
}
