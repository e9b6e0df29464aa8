//! Schedules: orders in which the statements of two requests run.

use std::collections::VecDeque;
use std::fmt;
use std::time::{Duration, Instant};

use sqlx::PgConnection;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::common::TestResponse;
use crate::gate::{Event, Gate, Statement};

/// Longest time of a schedule. Deadlocks are found by the server before.
const MAX_TIME: Duration = Duration::from_secs(20);

/// Time without an event after which the server is asked if a statement waits for a lock.
const BLOCK_CHECK_AFTER: Duration = Duration::from_millis(1);

/// Numbers of statements that the requests run in turns: of the first part's request, of the other one, and so on. After
/// the last part, the other request runs to its end, then the rest. A request that waits for a lock ends its turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule(pub Vec<(usize, usize)>);

impl Schedule {
    /// Parses the text that failures print, such as `A3B2`.
    pub fn parse(text: &str) -> Self {
        let mut parts = Vec::new();
        for part in text.split_inclusive(|letter: char| letter.is_ascii_digit()) {
            let (name, digits) = part.split_at(part.find(|c: char| c.is_ascii_digit()).unwrap());
            let digit: usize = digits.parse().unwrap();
            match (name, parts.last_mut()) {
                // A further digit of the number.
                ("", Some((_, count))) => *count = *count * 10 + digit,
                ("A", _) => parts.push((0, digit)),
                ("B", _) => parts.push((1, digit)),
                _ => panic!("no schedule: {text}"),
            }
        }
        Self(parts)
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (request, count) in &self.0 {
            write!(f, "{}{count}", ["A", "B"][*request])?;
        }
        Ok(())
    }
}

/// A statement that has run.
#[derive(Clone, Debug)]
pub struct Step {
    pub request: usize,
    pub sql: String,
    /// True if it had to wait for a lock.
    pub was_blocked: bool,
}

impl Step {
    /// Returns true if the statement can delay another transaction or be seen by it: it writes, locks or commits. The
    /// order of all others only matters in relation to these.
    pub fn is_effective(&self) -> bool {
        const WORDS: [&str; 6] = ["INSERT", "UPDATE", "DELETE", "COMMIT", "LOCK", "SHARE"];
        let mut words = self.sql.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|word| WORDS.contains(&word) || word.starts_with("pg_") && word.contains("lock"))
    }
}

/// Result of a schedule.
pub struct Run {
    pub responses: [TestResponse; 2],
    pub steps: Vec<Step>,
    /// True if a part ended earlier than it should, or with a statement that waits for a lock.
    pub is_cut: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// A statement waits for the test.
    Ready,
    /// A statement waits for a lock.
    Blocked,
    Ended,
}

/// A request at a replica while its statements are held.
pub struct Player<'a> {
    gate: &'a Gate,
    events: &'a mut mpsc::UnboundedReceiver<Event>,
    waiting: VecDeque<Statement>,
    /// Server process of the statement that runs.
    running: Option<i32>,
    response: Option<TestResponse>,
    state: State,
}

impl<'a> Player<'a> {
    pub fn new(gate: &'a Gate, events: &'a mut mpsc::UnboundedReceiver<Event>) -> Self {
        Self {
            gate,
            events,
            waiting: VecDeque::new(),
            running: None,
            response: None,
            state: State::Ready,
        }
    }

    fn apply(&mut self, event: Event) {
        match event {
            Event::Arrived(statement) => self.waiting.push_back(statement),
            Event::Done => self.running = None,
            Event::Unheld => {}
            Event::Responded(response) => self.response = Some(*response),
        }
    }

    /// Waits until the request has reached its next statement, has ended, or is blocked.
    async fn settle(&mut self, monitor: &mut PgConnection) -> State {
        let started = Instant::now();
        let mut is_quiet = self.state == State::Blocked;
        loop {
            while let Ok(event) = self.events.try_recv() {
                self.apply(event);
            }
            self.state = match self.running {
                None if !self.waiting.is_empty() => State::Ready,
                None if self.response.is_some() && self.gate.is_idle() => State::Ended,
                Some(backend) if is_quiet && is_blocked(monitor, backend).await => State::Blocked,
                _ => {
                    assert!(started.elapsed() < MAX_TIME, "the request does not go on");
                    let event = timeout(BLOCK_CHECK_AFTER, self.events.recv()).await;
                    is_quiet = event.is_err();
                    if let Ok(Some(event)) = event {
                        self.apply(event);
                    }
                    continue;
                }
            };
            return self.state;
        }
    }
}

/// Returns true if the backend waits for a lock that another one holds. Once that one has ended its transaction, it
/// does not, even before it runs again.
async fn is_blocked(monitor: &mut PgConnection, backend: i32) -> bool {
    sqlx::query_scalar("SELECT cardinality(pg_blocking_pids($1)) > 0")
        .bind(backend)
        .fetch_one(monitor)
        .await
        .unwrap()
}

/// Two requests whose statements run in a chosen order.
pub struct Game<'a> {
    pub players: [Player<'a>; 2],
    pub monitor: &'a mut PgConnection,
    pub steps: Vec<Step>,
}

impl Game<'_> {
    /// Runs the requests, which have been sent.
    pub async fn play(mut self, schedule: &Schedule) -> Result<Run, (String, Vec<Step>)> {
        for player in &mut self.players {
            player.settle(self.monitor).await;
        }
        let mut is_cut = false;
        let mut current = 1;
        for (request, count) in &schedule.0 {
            for _ in 0..*count {
                if self.players[*request].state == State::Ready {
                    self.step(*request).await;
                }
            }
            is_cut |= self.players[*request].state != State::Ready;
            current = 1 - request;
        }
        let started = Instant::now();
        while self
            .players
            .iter()
            .any(|player| player.state != State::Ended)
        {
            if self.players[current].state != State::Ready {
                current = 1 - current;
            }
            if self.players[current].state == State::Ready {
                self.step(current).await;
            } else {
                // Both wait: the server ends a deadlock, or a lock is being released.
                if started.elapsed() > MAX_TIME {
                    return Err(("the requests do not end".into(), self.steps));
                }
                tokio::time::sleep(BLOCK_CHECK_AFTER).await;
                self.settle_blocked().await;
            }
        }
        let responses = self.players.map(|player| player.response.unwrap());
        Ok(Run {
            responses,
            steps: self.steps,
            is_cut,
        })
    }

    async fn step(&mut self, request: usize) {
        let player = &mut self.players[request];
        let statement = player.waiting.pop_front().unwrap();
        player.running = Some(statement.backend);
        let sql = statement.sql.clone();
        statement.run();
        let was_blocked = player.settle(self.monitor).await == State::Blocked;
        self.steps.push(Step {
            request,
            sql,
            was_blocked,
        });
        self.settle_blocked().await;
    }

    async fn settle_blocked(&mut self) {
        for player in &mut self.players {
            if player.state == State::Blocked {
                player.settle(self.monitor).await;
            }
        }
    }
}
