//! Running things so that the person at the terminal knows what happens and how long it takes.

use std::error::Error;
use std::fmt::Display;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The result of a step; the error is a sentence for the person who typed the command.
pub(crate) type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// Adds what was being attempted to an error.
pub(crate) trait Attempt<T> {
    fn attempt(self, what: impl Display) -> Outcome<T>;
}

impl<T, E: Display> Attempt<T> for Result<T, E> {
    fn attempt(self, what: impl Display) -> Outcome<T> {
        self.map_err(|error| format!("{what}: {error}").into())
    }
}

/// Prints the heading of a step.
pub(crate) fn say(what: impl Display) {
    println!("==> {what}");
}

/// Announces a step, does it, and says how long it took if a person would have noticed.
pub(crate) fn timed<T>(what: impl Display, work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    say(what);
    let start = Instant::now();
    let outcome = work()?;
    let took = start.elapsed();
    if took >= Duration::from_secs(2) {
        println!("    took {}", spoken(took));
    }
    Ok(outcome)
}

/// A duration as a person says it: `48 s`, `4 min 12 s`.
pub(crate) fn spoken(took: Duration) -> String {
    let seconds = took.as_secs_f64().round() as u64;
    match (seconds / 60, seconds % 60) {
        (0, seconds) => format!("{seconds} s"),
        (minutes, seconds) => format!("{minutes} min {seconds} s"),
    }
}

/// Runs a command whose output the person sees; anything but success is an error.
pub(crate) fn run(command: &mut Command) -> Outcome {
    let status = command
        .status()
        .attempt(format!("cannot start `{}`", line(command)))?;
    if status.success() {
        return Ok(());
    }
    Err(format!("`{}` ended with {status}", line(command)).into())
}

/// Runs a command and gives what it wrote to standard output.
pub(crate) fn read(command: &mut Command) -> Outcome<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .attempt(format!("cannot start `{}`", line(command)))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("`{}` ended with {}", line(command), output.status).into())
}

/// Runs a command, passing its standard output on line by line and showing each line to `look`.
/// Gives whether it succeeded.
pub(crate) fn watch(command: &mut Command, mut look: impl FnMut(&str)) -> Outcome<bool> {
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .attempt(format!("cannot start `{}`", line(command)))?;
    if let Some(output) = child.stdout.take() {
        let mut output = BufReader::new(output);
        let mut bytes = Vec::new();
        while output
            .read_until(b'\n', &mut bytes)
            .attempt("cannot read output")?
            > 0
        {
            let text = String::from_utf8_lossy(&bytes);
            let text = text.trim_end();
            println!("{text}");
            look(text);
            bytes.clear();
        }
    }
    let status = child
        .wait()
        .attempt(format!("`{}` was lost", line(command)))?;
    Ok(status.success())
}

/// The command as one would type it.
pub(crate) fn line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let program = program
        .file_name()
        .unwrap_or(command.get_program())
        .to_string_lossy();
    let words = command.get_args().map(|word| word.to_string_lossy());
    std::iter::once(program)
        .chain(words)
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_said_in_minutes_and_seconds() {
        assert_eq!(spoken(Duration::from_millis(2_400)), "2 s");
        assert_eq!(spoken(Duration::from_secs(252)), "4 min 12 s");
    }

    #[test]
    fn a_command_is_named_without_its_folder() {
        let mut command = Command::new("/some/where/cargo");
        command.args(["build", "--release"]);
        assert_eq!(line(&command), "cargo build --release");
    }
}
