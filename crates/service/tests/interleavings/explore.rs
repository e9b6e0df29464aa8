//! Runs a pair of requests in all orders, and checks what they leave.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::Value;

use crate::common::TestResponse;
use crate::context::{Call, TestContext};
use crate::schedule::{Run, Schedule, Step};
use crate::seed;

/// A pair of requests.
#[derive(Clone, Debug)]
pub struct Case {
    pub name: &'static str,
    /// Statements that add the rows that the requests start from.
    pub setup: String,
    pub calls: [Call; 2],
    pub winners: Winners,
    /// False if one of the requests changes rules that only apply to later bookings.
    pub rules_apply: bool,
}

/// Which of the requests succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Winners {
    One,
    Both,
    /// Depends on the order.
    Any,
}

/// State that a run leaves.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Outcome {
    statuses: [u16; 2],
    state: String,
}

/// Longest part of a run to its end.
const TO_THE_END: usize = 10_000;

/// Numbers of an exploration.
#[derive(Clone, Copy, Debug, Default)]
pub struct Summary {
    pub schedules: usize,
    pub statements: [usize; 2],
}

/// An illegal outcome.
#[derive(Clone, Debug)]
pub struct Violation {
    pub schedule: String,
    pub message: String,
}

/// Runs the requests of a case.
struct Explorer<'a> {
    context: &'a mut TestContext,
    case: &'a Case,
    /// Outcomes of one request after the other.
    serial: BTreeSet<Outcome>,
    schedules: usize,
}

/// Runs all schedules with at most so many preemptions, one or two, except for those that cannot differ from others.
pub async fn explore(
    context: &mut TestContext,
    case: &Case,
    preemptions: usize,
) -> Result<Summary, Violation> {
    let mut explorer = Explorer {
        context,
        case,
        serial: BTreeSet::new(),
        schedules: 0,
    };
    if let Ok(text) = std::env::var("BOOKING_TEST_SCHEDULE") {
        let (name, text) = text.split_once('=').expect("a case and a schedule");
        if name != case.name {
            return Ok(Summary::default());
        }
        let serial = [0, 1].map(|first| Schedule(vec![(first, TO_THE_END)]));
        for schedule in serial {
            explorer.run(&schedule, true).await?;
        }
        let run = explorer.run(&Schedule::parse(text), false).await?;
        println!("{}", trace(&run.steps));
        return Ok(Summary::default());
    }
    explorer.all(preemptions).await
}

impl Explorer<'_> {
    async fn all(&mut self, preemptions: usize) -> Result<Summary, Violation> {
        let mut steps: [Vec<Step>; 2] = Default::default();
        for first in [0, 1] {
            let run = self.run(&Schedule(vec![(first, TO_THE_END)]), true).await?;
            steps[first] = run
                .steps
                .into_iter()
                .filter(|step| step.request == first)
                .collect();
        }
        for first in [0, 1] {
            let count = steps[first].len();
            // One preemption.
            for before in 1..count {
                self.run(&Schedule(vec![(first, before)]), false).await?;
            }
            if preemptions > 1 {
                self.preempt_twice(first, &steps).await?;
            }
        }
        Ok(Summary {
            schedules: self.schedules,
            statements: [steps[0].len(), steps[1].len()],
        })
    }

    /// Lets the other request run after some statements of the first one, and that one again before it has ended.
    ///
    /// Until the first one commits, only its writes and locks can matter to the other one, whose reads do not matter to
    /// the first one either.
    async fn preempt_twice(
        &mut self,
        first: usize,
        steps: &[Vec<Step>; 2],
    ) -> Result<(), Violation> {
        let second = 1 - first;
        let Some(first_effect) = steps[second].iter().position(Step::is_effective) else {
            return Ok(());
        };
        for before in 1..steps[first].len() {
            if !steps[first][before - 1].is_effective() {
                continue;
            }
            for between in first_effect + 1..steps[second].len() {
                let schedule = Schedule(vec![(first, before), (second, between)]);
                let run = self.run(&schedule, false).await?;
                let mut others = run.steps.iter().filter(|step| step.request == second);
                if others
                    .nth(first_effect)
                    .is_some_and(|step| step.was_blocked)
                {
                    // It has only read so far, and a lock is held until the end: further statements change nothing.
                    return Ok(());
                }
                if run.is_cut {
                    break;
                }
            }
        }
        Ok(())
    }

    async fn run(&mut self, schedule: &Schedule, is_serial: bool) -> Result<Run, Violation> {
        self.schedules += 1;
        self.context
            .sql(&format!("{}{}", seed::reset(), self.case.setup))
            .await;
        let run = self.context.run(&self.case.calls, schedule).await;
        let run = run.map_err(|(message, steps)| Violation {
            schedule: schedule.to_string(),
            message: format!("{message}\n{}", trace(&steps)),
        })?;
        let state: String = sqlx::query_scalar(include_str!("state.sql"))
            .fetch_one(&mut self.context.db)
            .await
            .unwrap();
        let mut problems: Vec<String> = sqlx::query_scalar(include_str!("legal.sql"))
            .bind(i64::from(self.case.rules_apply))
            .fetch_all(&mut self.context.db)
            .await
            .unwrap();
        // A deletion deletes more.
        let is_kept = self.case.calls.iter().all(|call| call.method != "DELETE");
        for response in &run.responses {
            self.check_response(response, is_kept, &mut problems).await;
        }
        let statuses = run.responses.each_ref().map(|response| response.status);
        let succeeded = statuses.iter().filter(|status| **status < 300).count();
        match self.case.winners {
            Winners::One if succeeded != 1 => {
                problems.push(format!("{succeeded} requests succeed"))
            }
            Winners::Both if succeeded != 2 => {
                problems.push(format!("{succeeded} requests succeed"))
            }
            _ => {}
        }
        let outcome = Outcome { statuses, state };
        if is_serial {
            self.serial.insert(outcome.clone());
        } else if !self.serial.contains(&outcome) {
            problems.push("neither order of the requests gives this outcome".into());
        }
        if problems.is_empty() {
            return Ok(run);
        }
        let mut message = problems.join("\n");
        write!(message, "\n{}\n{}", trace(&run.steps), described(&outcome)).unwrap();
        for response in &run.responses {
            let start: String = response.text.chars().take(300).collect();
            writeln!(message, "{start}").unwrap();
        }
        for serial in &self.serial {
            write!(message, "one after the other:\n{}", described(serial)).unwrap();
        }
        Err(Violation {
            schedule: schedule.to_string(),
            message,
        })
    }

    /// Checks the status, and that a booking of the response is stored.
    async fn check_response(
        &mut self,
        response: &TestResponse,
        is_kept: bool,
        problems: &mut Vec<String>,
    ) {
        let status = response.status;
        if !matches!(status, 200 | 201 | 400 | 404 | 409 | 422) {
            problems.push(format!("status {status}: {}", response.text));
        }
        let data = &response.body["data"];
        let uid = |key: &str| data.get(key).and_then(Value::as_str).map(str::to_owned);
        for (uid, table) in [
            (uid("uid"), "bookings"),
            (uid("reservationUid"), "reservations"),
        ] {
            let Some(uid) = uid else { continue };
            let is_there: bool = sqlx::query_scalar(sqlx::AssertSqlSafe(format!(
                "SELECT EXISTS (SELECT 1 FROM {table} WHERE uid = $1)"
            )))
            .bind(&uid)
            .fetch_one(&mut self.context.db)
            .await
            .unwrap();
            if is_kept && !is_there {
                problems.push(format!("{uid} of a response is not in {table}"));
            }
        }
    }
}

fn described(outcome: &Outcome) -> String {
    format!("{:?}\n{}\n", outcome.statuses, outcome.state)
}

fn trace(steps: &[Step]) -> String {
    let lines: Vec<String> = steps
        .iter()
        .map(|step| {
            let words: Vec<&str> = step.sql.split_whitespace().collect();
            let sql: String = words.join(" ").chars().take(110).collect();
            let blocked = if step.was_blocked { " (waited)" } else { "" };
            format!("  {}: {sql}{blocked}", ["A", "B"][step.request])
        })
        .collect();
    lines.join("\n")
}
