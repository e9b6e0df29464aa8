//! Log lines about the mail server: one when it stops taking messages, one when it takes them again.

use std::mem::{Discriminant, discriminant};
use std::sync::{Mutex, PoisonError};

use super::failure::{Cause, Failure, Stage};

/// Refusals of recipients or contents in a row that count as one of all messages: a single one can be about its recipient.
const REFUSALS: u32 = 3;

/// Code of a mailbox that is full.
const MAILBOX_FULL: u16 = 552;

/// State of a mail server, as messages meet it.
#[derive(Debug, Default)]
pub(super) struct ServerState(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    problem: Option<Problem>,
    refusals: u32,
}

/// Identity of a problem; the text of a reply can differ each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Problem {
    stage: Stage,
    cause: Discriminant<Cause>,
    code: Option<u16>,
}

/// Change of a state, which is logged.
#[derive(Debug, PartialEq, Eq)]
enum Change {
    None,
    Down,
    Up,
}

impl ServerState {
    /// Records the result of an attempt to send a message.
    pub(super) fn record(&self, result: Result<(), &Failure>) {
        match (self.change(result), result) {
            (Change::Down, Err(failure)) => tracing::warn!(
                problem = problem_text(failure),
                remedy = failure.advice().unwrap_or_default(),
                "e-mail is not sent: messages wait and are tried again"
            ),
            (Change::Up, _) => tracing::info!("e-mail is sent again"),
            _ => {}
        }
    }

    fn change(&self, result: Result<(), &Failure>) -> Change {
        // A panic cannot leave the state half-written, so poisoning is ignored.
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match result {
            Ok(()) => {
                state.refusals = 0;
                match state.problem.take() {
                    Some(_) => Change::Up,
                    None => Change::None,
                }
            }
            Err(failure) if is_about_message(failure) => Change::None,
            Err(failure) => {
                if is_refusal(failure) {
                    state.refusals += 1;
                    if state.refusals < REFUSALS {
                        return Change::None;
                    }
                }
                let problem = Some(Problem::of(failure));
                if state.problem == problem {
                    return Change::None;
                }
                state.problem = problem;
                Change::Down
            }
        }
    }
}

impl Problem {
    fn of(failure: &Failure) -> Self {
        Self {
            stage: failure.stage,
            cause: discriminant(&failure.cause),
            code: match failure.cause {
                Cause::Refused(code, _) => Some(code),
                _ => None,
            },
        }
    }
}

/// Returns true for a reply about a recipient or a message.
fn is_refusal(failure: &Failure) -> bool {
    matches!(failure.stage, Stage::Recipient | Stage::Content)
        && matches!(failure.cause, Cause::Refused(..))
}

/// Returns true if other messages can have success: the recipient is unknown, or another attempt is wanted later.
fn is_about_message(failure: &Failure) -> bool {
    match &failure.cause {
        Cause::Refused(code, _) if is_refusal(failure) => {
            *code < 500 || *code == MAILBOX_FULL || failure.is_final()
        }
        _ => failure.is_final(),
    }
}

/// The problem, without a reply that can have the address of a recipient.
fn problem_text(failure: &Failure) -> String {
    match &failure.cause {
        Cause::Refused(code, _) if is_refusal(failure) => format!(
            "the mail server {} refuses messages with code {code}: see `booking-service mail list`",
            failure.server
        ),
        _ => failure.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;

    fn failure(stage: Stage, cause: Cause) -> Failure {
        Failure {
            server: "mail.example.org:465".to_owned(),
            stage,
            cause,
        }
    }

    fn refused(stage: Stage, code: u16, text: &str) -> Failure {
        failure(stage, Cause::Refused(code, text.to_owned()))
    }

    #[test]
    fn each_change_is_logged_once() {
        let state = ServerState::default();
        let down = failure(Stage::Connect, Cause::Io(ErrorKind::ConnectionRefused));
        let login = refused(Stage::Login, 535, "5.7.8 id 1");
        let login_again = refused(Stage::Login, 535, "5.7.8 id 2");
        for (result, expected) in [
            (Ok(()), Change::None),
            (Err(&down), Change::Down),
            (Err(&down), Change::None),
            (Err(&login), Change::Down),
            (Err(&login_again), Change::None),
            (Ok(()), Change::Up),
            (Ok(()), Change::None),
            (Err(&login), Change::Down),
        ] {
            assert_eq!(state.change(result), expected, "{result:?}");
        }
    }

    #[test]
    fn refusal_of_one_message_is_no_state_of_the_server() {
        let state = ServerState::default();
        for failure in [
            refused(Stage::Recipient, 550, "5.1.1 no such user"),
            refused(Stage::Recipient, 450, "4.2.0 greylisted"),
            refused(Stage::Recipient, 552, "5.2.2 full"),
            refused(Stage::Content, 554, "5.6.0 bad content"),
        ] {
            for _ in 0..REFUSALS + 1 {
                assert_eq!(state.change(Err(&failure)), Change::None, "{failure:?}");
            }
        }
    }

    #[test]
    fn refusals_of_all_recipients_are_a_state_without_their_addresses() {
        let state = ServerState::default();
        let relay = refused(
            Stage::Recipient,
            554,
            "5.7.1 <zoe@example.org>: relay denied",
        );
        assert_eq!(state.change(Err(&relay)), Change::None);
        assert_eq!(state.change(Err(&relay)), Change::None);
        assert_eq!(state.change(Err(&relay)), Change::Down);
        assert_eq!(state.change(Err(&relay)), Change::None);
        assert!(
            !problem_text(&relay).contains("zoe"),
            "{}",
            problem_text(&relay)
        );
        assert_eq!(state.change(Ok(())), Change::Up);
    }
}
