//! Measures the release binary over a filled database, with several concurrent clients.
//!
//! Two baselines are measured in the same rounds: a loop that inserts rows into SQLite with the
//! settings of the service, and a minimal axum handler. Other load on the machine affects all of
//! them, so the ratios are more reliable than the absolute numbers.
//!
//! `cargo xtask bench service [--json]` runs it; `--rounds N` makes it shorter or longer.

mod data;
mod inserts;
mod load;
mod process;
mod report;

use std::time::Duration;

use crate::load::{Load, Sample};
use crate::process::Service;
use crate::report::{Machine, Report};

/// Result; the error is a message for the terminal.
type Outcome<T = ()> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Concurrent clients of slots, bookings and the hello server.
const CALLERS: usize = 8;
/// Concurrent clients of the long list.
const LIST_CALLERS: usize = 2;
/// Duration of each load per round.
const RUN_DURATION: Duration = Duration::from_secs(2);

struct Options {
    json: bool,
    rounds: u32,
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
    runtime.block_on(run(&options))
}

fn read(arguments: &[String]) -> Outcome<Options> {
    let mut options = Options {
        json: false,
        rounds: 4,
    };
    let mut remaining = arguments.iter();
    while let Some(argument) = remaining.next() {
        match argument.as_str() {
            "--json" => options.json = true,
            "--rounds" => {
                let count = remaining.next().ok_or("--rounds needs a number")?;
                options.rounds = count
                    .parse()
                    .ok()
                    .filter(|count| (1..=100).contains(count))
                    .ok_or("--rounds must be from 1 to 100")?;
            }
            // Passed by Cargo.
            "--bench" => {}
            other => return Err(format!("there is no option {other}").into()),
        }
    }
    Ok(options)
}

async fn run(options: &Options) -> Outcome {
    let directory = tempfile::tempdir()?;
    eprintln!("filling a fresh database");
    let credentials = data::fill(directory.path()).await?;
    let service = Service::start(directory.path()).await?;
    let hello = Service::start_hello().await?;
    let inserts_directory = tempfile::tempdir()?;
    let mut inserts = inserts::InsertLoop::open(inserts_directory.path()).await?;

    let mut slots = Load::new(&service.address, CALLERS, data::slot_requests());
    let mut unique_slots = Load::new(&service.address, CALLERS, data::unique_slot_requests());
    let mut list = Load::new(
        &service.address,
        LIST_CALLERS,
        data::list_requests(&credentials.api_key),
    );
    let mut greetings = Load::new(
        &hello.address,
        CALLERS,
        vec![load::get("/", &hello.address, None)],
    );
    let starts = data::free_starts(&service.address).await?;
    let mut bookings = Load::once_each(&service.address, CALLERS, data::bookings(&starts));

    let mut report = Report::new(Machine::describe());
    for round in 1..=options.rounds {
        eprintln!("round {round} of {}", options.rounds);
        // Interleaved, so that a temporary slowdown of the machine affects all loads.
        report.hello.add(greetings.run(RUN_DURATION, 200).await?);
        report.slots.add(slots.run(RUN_DURATION, 200).await?);
        report
            .unique_slots
            .add(unique_slots.run(RUN_DURATION, 200).await?);
        report.inserts.add(inserts.run(RUN_DURATION).await?);
        report.bookings.add(bookings.run(RUN_DURATION, 201).await?);
        report.list.add(list.run(RUN_DURATION, 200).await?);
    }
    report.peak_memory_kib = service.peak_memory_kib()?;
    service.stop().await;
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
