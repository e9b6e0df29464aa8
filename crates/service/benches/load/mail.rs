//! Latency of bookings with and without a mail server, measured in turns, and messages per second.
//!
//! For latencies, one client sends a booking each 50 ms: with more, the processor time of messages counts, not the waiting
//! of bookings.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::load::{Connection, Load, Request, Sample};
use crate::process::{self, Service};
use crate::{CALLERS, Outcome, data};

/// Time between bookings.
const INTERVAL: Duration = Duration::from_millis(50);
/// Bookings of one service per round.
const BOOKINGS: usize = 40;
/// Bookings for messages per second; each has a message to the attendee and one to the host.
const MANY_BOOKINGS: usize = 1_000;
/// Time after which messages are missing.
const DEADLINE: Duration = Duration::from_secs(300);

/// Name of the service that sends messages.
const WITH_SERVER: &str = "mail server";

/// A service with a separate database, and its response times.
struct Variant {
    name: &'static str,
    service: Service,
    requests: std::vec::IntoIter<Request>,
    rounds: Vec<Sample>,
    /// Deleted with this value.
    _directory: TempDir,
}

impl Variant {
    async fn start(name: &'static str, program: &Path, options: &[&str]) -> Outcome<Self> {
        let directory = tempfile::tempdir()?;
        data::fill(program, directory.path()).await?;
        let service = Service::start(program, directory.path(), options).await?;
        // Of many hosts: messages to one of them are limited.
        let requests = data::bookings_of_many_hosts(&service.address).await?;
        Ok(Self {
            name,
            service,
            requests: requests.into_iter(),
            rounds: Vec::new(),
            _directory: directory,
        })
    }

    async fn run_round(&mut self) -> Outcome {
        let mut connection = Connection::open(&self.service.address).await?;
        let mut ticks = tokio::time::interval(INTERVAL);
        let mut sample = Sample::default();
        for request in self.requests.by_ref().take(BOOKINGS) {
            ticks.tick().await;
            let started = Instant::now();
            connection.send(&request).await?;
            sample.record(started);
        }
        if sample.count() < BOOKINGS {
            return Err("there are too few starts for so many rounds".into());
        }
        self.rounds.push(sample);
        Ok(())
    }
}

/// Starts a mail server that takes `delay` for each message. Returns its address and the number of accepted messages.
pub(crate) async fn start_server(delay: Duration) -> Outcome<(String, Arc<AtomicUsize>)> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let server = format!("smtp://{}?starttls=none", listener.local_addr()?);
    let accepted = Arc::new(AtomicUsize::new(0));
    tokio::spawn(accept_messages(listener, accepted.clone(), delay));
    Ok((server, accepted))
}

/// Prints the response times of a service with a mail server and of one without, and of `baseline`, another build of the
/// service, without one.
pub(crate) async fn run(rounds: u32, baseline: Option<&Path>) -> Outcome {
    let (server, accepted) = start_server(Duration::ZERO).await?;
    let with_server = ["--smtp-url", &server, "--mail-from", "desk@example.org"];
    let program = Path::new(process::PROGRAM);
    eprintln!("filling fresh databases");
    let mut variants = vec![
        Variant::start("no mail server", program, &[]).await?,
        Variant::start(WITH_SERVER, program, &with_server).await?,
    ];
    if let Some(baseline) = baseline {
        variants.push(Variant::start("baseline", baseline, &[]).await?);
    }
    // The first round of each is not measured.
    for round in 0..=rounds {
        eprintln!("round {round} of {rounds}");
        for variant in &mut variants {
            variant.run_round().await?;
        }
        variants.rotate_left(1);
        if round == 0 {
            for variant in &mut variants {
                variant.rounds.clear();
            }
        }
    }
    variants.sort_by_key(|variant| variant.name);
    println!(
        "{:<16}{:>10}{:>10}{:>10}",
        "bookings", "p50 ms", "p95 ms", "p99 ms"
    );
    for variant in &variants {
        let mut all = Sample::default();
        variant.rounds.iter().for_each(|round| all.add(round));
        let [p50, p95, p99] = [50, 95, 99].map(|percent| all.percentile(percent));
        println!("{:<16}{p50:>10.3}{p95:>10.3}{p99:>10.3}", variant.name);
    }
    for variant in &variants {
        for other in variants
            .iter()
            .take_while(|other| other.name != variant.name)
        {
            let mut ratios: Vec<f64> = (variant.rounds.iter().zip(&other.rounds))
                .map(|(one, other)| other.percentile(50) / one.percentile(50))
                .collect();
            ratios.sort_unstable_by(f64::total_cmp);
            let median = ratios.get(ratios.len() / 2).ok_or("there are no rounds")?;
            println!(
                "{} / {}: {median:.3}, median of the ratios of {rounds} rounds",
                other.name, variant.name
            );
        }
    }
    for mut variant in variants {
        if variant.name == WITH_SERVER {
            let sent = 2 * BOOKINGS * (1 + rounds as usize);
            wait_for(&accepted, sent).await?;
            measure_messages(&mut variant, &accepted).await?;
        }
    }
    Ok(())
}

/// Prints how long many bookings and their messages take.
async fn measure_messages(variant: &mut Variant, accepted: &AtomicUsize) -> Outcome {
    let before = accepted.load(Ordering::Relaxed);
    let requests: Vec<Request> = variant.requests.by_ref().take(MANY_BOOKINGS).collect();
    let messages = 2 * requests.len();
    let addresses = [variant.service.address.clone()];
    let started = Instant::now();
    let load = Load::once_each(&addresses, CALLERS, requests);
    let booked = load.run(DEADLINE).await?;
    wait_for(accepted, before + messages).await?;
    let elapsed = started.elapsed();
    println!(
        "{} bookings, {:.0} a second; {messages} messages in {elapsed:.1?}: {:.0} a second",
        booked.count(),
        booked.per_second(),
        messages as f64 / elapsed.as_secs_f64()
    );
    Ok(())
}

/// Waits until the mail server has accepted so many messages, and returns an error if there are more or too few.
pub(crate) async fn wait_for(accepted: &AtomicUsize, expected: usize) -> Outcome {
    let started = Instant::now();
    loop {
        let count = accepted.load(Ordering::Relaxed);
        if count == expected {
            return Ok(());
        }
        if count > expected || started.elapsed() > DEADLINE {
            return Err(format!("{count} messages of {expected} were accepted").into());
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Accepts all messages, each after `delay`, as an SMTP server that needs little processor time.
async fn accept_messages(listener: TcpListener, accepted: Arc<AtomicUsize>, delay: Duration) {
    while let Ok((stream, _)) = listener.accept().await {
        let accepted = accepted.clone();
        tokio::spawn(async move {
            let _ = converse(stream, &accepted, delay).await;
        });
    }
}

/// Answers the commands of one SMTP connection.
async fn converse(
    stream: TcpStream,
    accepted: &AtomicUsize,
    delay: Duration,
) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    stream.write_all(b"220 bench.example ESMTP\r\n").await?;
    let mut line = String::new();
    let mut is_data = false;
    loop {
        line.clear();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        let command = line.trim_end();
        let reply = if is_data {
            if command != "." {
                continue;
            }
            is_data = false;
            tokio::time::sleep(delay).await;
            accepted.fetch_add(1, Ordering::Relaxed);
            "250 accepted"
        } else if command.eq_ignore_ascii_case("DATA") {
            is_data = true;
            "354 go on"
        } else {
            "250 ok"
        };
        stream.write_all(format!("{reply}\r\n").as_bytes()).await?;
    }
}
