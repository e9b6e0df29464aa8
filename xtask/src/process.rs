//! Runs commands and steps, and reports progress and durations at the terminal.

use std::error::Error;
use std::fmt::Display;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Result of a step; the error is a message for the terminal.
pub(crate) type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// Adds context to an error.
pub(crate) trait Attempt<T> {
    fn attempt(self, context: impl Display) -> Outcome<T>;
}

impl<T, E: Display> Attempt<T> for Result<T, E> {
    fn attempt(self, context: impl Display) -> Outcome<T> {
        self.map_err(|error| format!("{context}: {error}").into())
    }
}

/// Prints the heading of a step.
pub(crate) fn say(heading: impl Display) {
    println!("==> {heading}");
}

/// Runs a step under its heading, and prints its duration from two seconds on.
pub(crate) fn timed<T>(heading: impl Display, work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    say(heading);
    let start = Instant::now();
    let result = work()?;
    let elapsed = start.elapsed();
    if elapsed >= Duration::from_secs(2) {
        println!("    took {}", format_duration(elapsed));
    }
    Ok(result)
}

/// Formats a duration as `48 s` or `4 min 12 s`.
pub(crate) fn format_duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64().round() as u64;
    match (seconds / 60, seconds % 60) {
        (0, seconds) => format!("{seconds} s"),
        (minutes, seconds) => format!("{minutes} min {seconds} s"),
    }
}

/// Runs `other` on a second thread while `work` runs. Returns the results of both, or the first error.
pub(crate) fn both<A, B: Send>(
    work: impl FnOnce() -> Outcome<A>,
    other: impl FnOnce() -> Outcome<B> + Send,
) -> Outcome<(A, B)> {
    std::thread::scope(|scope| {
        let other = scope.spawn(other);
        let result = work();
        let other = other.join().map_err(|_| "a thread of xtask panicked")?;
        Ok((result?, other?))
    })
}

/// Runs a command with its output on the terminal; fails unless it succeeds.
pub(crate) fn run(command: &mut Command) -> Outcome {
    let status = command.status().attempt(cannot_start(command))?;
    require_success(command, status)
}

/// Runs a command and returns its standard output.
pub(crate) fn read(command: &mut Command) -> Outcome<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .attempt(cannot_start(command))?;
    require_success(command, output.status)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a command with `input` as its standard input, and returns its standard output.
pub(crate) fn filter(command: &mut Command, input: &str) -> Outcome<String> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .attempt(cannot_start(command))?;
    // The command reads all of its input before it writes, so that neither waits for the other.
    if let Some(mut stdin) = child.stdin.take() {
        stdin
            .write_all(input.as_bytes())
            .attempt("cannot write to a command")?;
    }
    let output = child
        .wait_with_output()
        .attempt("cannot wait for a command")?;
    require_success(command, output.status)?;
    String::from_utf8(output.stdout).attempt("the output is not text")
}

/// Runs a command, prints its standard output line by line and passes each line to `on_line`.
/// Returns true if it succeeded.
pub(crate) fn stream(command: &mut Command, mut on_line: impl FnMut(&str)) -> Outcome<bool> {
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .attempt(cannot_start(command))?;
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
            on_line(text);
            bytes.clear();
        }
    }
    let status = child
        .wait()
        .attempt(format!("cannot wait for `{}`", command_line(command)))?;
    Ok(status.success())
}

fn cannot_start(command: &Command) -> String {
    format!("cannot start `{}`", command_line(command))
}

fn require_success(command: &Command, status: ExitStatus) -> Outcome {
    if status.success() {
        return Ok(());
    }
    Err(format!("`{}` failed with {status}", command_line(command)).into())
}

/// Formats a command for messages, without the program's folder.
pub(crate) fn command_line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let program = program
        .file_name()
        .unwrap_or(command.get_program())
        .to_string_lossy();
    let arguments = command.get_args().map(|arg| arg.to_string_lossy());
    std::iter::once(program)
        .chain(arguments)
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_duration_returns_minutes_and_seconds() {
        assert_eq!(format_duration(Duration::from_millis(2_400)), "2 s");
        assert_eq!(format_duration(Duration::from_secs(252)), "4 min 12 s");
    }

    #[test]
    fn command_line_omits_folder_of_program() {
        let mut command = Command::new("/some/where/cargo");
        command.args(["build", "--release"]);
        assert_eq!(command_line(&command), "cargo build --release");
    }
}
