//! Measures the service as people run it: the release binary over a filled database, asked over
//! the network by several callers at once.
//!
//! Two plain programs are measured in the same rounds, in turn: a loop that inserts rows into
//! SQLite with the service's own settings, and an axum handler that says hello. What the machine
//! happens to do meanwhile falls on all of them, so their ratios say more than the numbers.
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

/// What can go wrong: a sentence for whoever runs this.
type Outcome<T = ()> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Callers who ask for slots, book, or hear hello at once.
const CALLERS: usize = 8;
/// Callers who read the long list at once.
const LIST_CALLERS: usize = 2;
/// How long each load lasts in each round.
const TURN: Duration = Duration::from_secs(2);

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
        return runtime.block_on(process::say_hello());
    }
    let options = read(&arguments)?;
    runtime.block_on(run(&options))
}

fn read(arguments: &[String]) -> Outcome<Options> {
    let mut options = Options {
        json: false,
        rounds: 4,
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--json" => options.json = true,
            "--rounds" => {
                let count = rest.next().ok_or("--rounds needs a number")?;
                options.rounds = count
                    .parse()
                    .ok()
                    .filter(|count| (1..=100).contains(count))
                    .ok_or("--rounds must be from 1 to 100")?;
            }
            // Cargo's own.
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
    let hello = Service::hello().await?;
    let inserts_directory = tempfile::tempdir()?;
    let mut inserts = inserts::Loop::open(inserts_directory.path()).await?;

    let mut slots = Load::new(&service.address, CALLERS, data::slot_questions());
    let mut fresh_slots = Load::new(&service.address, CALLERS, data::fresh_slot_questions());
    let mut list = Load::new(
        &service.address,
        LIST_CALLERS,
        data::list_questions(&credentials.api_key),
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
        // In turn, and not one after the other: a slow minute of the machine hits them all.
        report.hello.add(greetings.run(TURN, 200).await?);
        report.slots.add(slots.run(TURN, 200).await?);
        report.fresh_slots.add(fresh_slots.run(TURN, 200).await?);
        report.inserts.add(inserts.run(TURN).await?);
        report.bookings.add(bookings.run(TURN, 201).await?);
        report.list.add(list.run(TURN, 200).await?);
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

/// Joins what several rounds measured.
#[derive(Default)]
struct Measured(Sample);

impl Measured {
    fn add(&mut self, sample: Sample) {
        self.0.micros.extend(sample.micros);
        self.0.lasted += sample.lasted;
    }
}
