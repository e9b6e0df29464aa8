//! Builds, serves, tests and measures the project: `cargo xtask <command>`.
//!
//! Reading order: [`step`] runs programs and reports them, [`tools`] and [`engines`] install what is missing,
//! [`build`] compiles, [`dist`] publishes; every other module is a command or a part of one.

mod app;
mod attack;
mod bench;
mod build;
mod check;
mod cycles;
mod dialect;
mod dist;
mod embed;
mod engines;
mod fuzz;
mod layers;
mod minify;
mod one_engine;
mod package;
mod parts;
mod serve;
mod shots;
mod size;
mod step;
mod strip;
mod test;
mod tools;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use lexopt::prelude::{Long, Short, Value, ValueExt};

use crate::build::Project;
use crate::step::Outcome;

const HELP: &str = "\
cargo xtask <command>

  serve   [--port N] [--data DIR]   build everything and run the service with demo data
                                    (port 8080, data in target/demo)
  test    [--browser NAME] [--only TEXT] [--dialect NAME]
                                    run all tests; NAME is chromium, firefox, webkit or all
                                    (chromium and whatever else is installed); with --only,
                                    just the browser tests and journeys named like TEXT; with
                                    --dialect cal, just the visitors' journeys against a strict
                                    stand-in for a service of that dialect, with svc, all others
  check                             format, lints for both targets, docs, import cycles, layers, licences
  dist                              what a site and the app download, in dist/
  size                              its size; fails above the budgets
  bench                             how fast the elements are in Chromium, beside a page written
                                    by hand without any library; also in target/bench.json
          service [--json]          requests a second, latencies and memory of the service, beside
                                    a plain SQLite loop and a plain axum handler
  fuzz    [--short]                 calls to the service made from its own OpenAPI document, about
                                    five minutes of them, or one; needs Python 3
  attack  [--short]                 hostile requests to the release build of the service; fails if one
                                    costs more than its limits allow
  docs                              the tables of docs/embedding.md, from src/element/elements.json
  package                           the npm package around what is in dist/embed
  shots   [--only TEXT]             screenshots of every screen, in target/shots
";

/// Parsed command line.
enum Command {
    Serve {
        port: u16,
        data: Option<PathBuf>,
    },
    Test {
        browser: Option<String>,
        only: Option<String>,
        dialect: Option<String>,
    },
    Check,
    Dist,
    Size,
    Fuzz {
        short: bool,
    },
    Attack {
        short: bool,
    },
    Bench {
        subject: Option<String>,
        json: bool,
    },
    Docs,
    Package,
    Shots {
        only: Option<String>,
    },
    Help,
}

fn main() -> ExitCode {
    let command = match parse(lexopt::Parser::from_env()) {
        Ok(command) => command,
        Err(error) => {
            eprintln!("{error}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    match run(command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("\nerror: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Outcome<ExitCode> {
    if let Command::Help = command {
        print!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    }
    let project = Project::locate()?;
    match command {
        Command::Serve { port, data } => serve::run(&project, port, data),
        Command::Test {
            browser,
            only,
            dialect,
        } => test::run(
            &project,
            browser.as_deref(),
            only.as_deref(),
            dialect.as_deref(),
        ),
        Command::Check => check::run(&project),
        Command::Dist => dist::run(&project).map(|()| ExitCode::SUCCESS),
        Command::Size => size::run(&project),
        Command::Fuzz { short } => fuzz::run(&project, short),
        Command::Attack { short } => attack::run(&project, short).map(|()| ExitCode::SUCCESS),
        Command::Bench { subject, json } => bench::run(&project, subject.as_deref(), json),
        Command::Docs => package::write_guide(&project).map(|()| ExitCode::SUCCESS),
        Command::Package => package::run(&project).map(|()| ExitCode::SUCCESS),
        Command::Shots { only } => shots::run(&project, only.as_deref()),
        Command::Help => Ok(ExitCode::SUCCESS),
    }
}

fn parse(mut arguments: lexopt::Parser) -> Result<Command, lexopt::Error> {
    let mut name: Option<OsString> = None;
    let mut subject: Option<OsString> = None;
    let (mut port, mut data, mut browser, mut only) = (None, None, None, None);
    let mut dialect = None;
    let (mut json, mut short) = (false, false);
    while let Some(argument) = arguments.next()? {
        match argument {
            Short('h') | Long("help") => return Ok(Command::Help),
            Long("port") => port = Some(arguments.value()?.parse()?),
            Long("data") => data = Some(PathBuf::from(arguments.value()?)),
            Long("browser") => browser = Some(arguments.value()?.string()?),
            Long("only") => only = Some(arguments.value()?.string()?),
            Long("dialect") => dialect = Some(arguments.value()?.string()?),
            Long("json") => json = true,
            Long("short") => short = true,
            Value(value) if name.is_none() => name = Some(value),
            Value(value) if subject.is_none() => subject = Some(value),
            other => return Err(other.unexpected()),
        }
    }
    let name = name.map(|name| name.string()).transpose()?;
    let mut subject = subject.map(|subject| subject.string()).transpose()?;
    let command = match name.as_deref() {
        Some("serve") => Command::Serve {
            port: port.take().unwrap_or(8080),
            data: data.take(),
        },
        Some("test") => Command::Test {
            browser: browser.take(),
            only: only.take(),
            dialect: dialect.take(),
        },
        Some("check") => Command::Check,
        Some("dist") => Command::Dist,
        Some("size") => Command::Size,
        Some("fuzz") => Command::Fuzz {
            short: std::mem::take(&mut short),
        },
        Some("attack") => Command::Attack {
            short: std::mem::take(&mut short),
        },
        Some("bench") => Command::Bench {
            subject: subject.take(),
            json: std::mem::take(&mut json),
        },
        Some("docs") => Command::Docs,
        Some("package") => Command::Package,
        Some("shots") => Command::Shots { only: only.take() },
        Some("help") | None => Command::Help,
        Some(other) => return Err(format!("there is no command `{other}`").into()),
    };
    // An option that the command does not have is a mistake worth hearing about.
    let stray = [
        ("--port", port.is_some()),
        ("--data", data.is_some()),
        ("--browser", browser.is_some()),
        ("--only", only.is_some()),
        ("--dialect", dialect.is_some()),
        ("--json", json),
        ("--short", short),
    ];
    if let Some(subject) = subject {
        return Err(format!("this command takes no `{subject}`").into());
    }
    match stray.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(format!("this command has no option {option}").into()),
        None => Ok(command),
    }
}
