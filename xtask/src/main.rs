//! Builds, serves, tests and measures the project: `cargo xtask <command>`.
//!
//! [`commands`] has a file for each command. [`process`] runs programs, [`install`] adds missing ones, [`native`]
//! and [`wasm`] compile, [`dist`] makes the published files.

mod dist;
mod native;
mod package;
mod process;
mod project;
mod test_output;

mod checks {
    pub(crate) mod cycles;
    pub(crate) mod layers;
    pub(crate) mod licences;
}
mod commands {
    pub(crate) mod advisories;
    pub(crate) mod attack;
    pub(crate) mod bench;
    pub(crate) mod check;
    pub(crate) mod dist;
    pub(crate) mod docs;
    pub(crate) mod fuzz;
    pub(crate) mod image;
    pub(crate) mod package;
    pub(crate) mod screenshots;
    pub(crate) mod serve;
    pub(crate) mod size;
    pub(crate) mod test;
}
mod install {
    pub(crate) mod browsers;
    pub(crate) mod haproxy;
    #[path = "../../../crates/service/tests/support/locked_packages.rs"]
    pub(crate) mod locked_packages;
    pub(crate) mod packages;
    pub(crate) mod pgbouncer;
    pub(crate) mod postgres;
    pub(crate) mod promtool;
    pub(crate) mod tools;
}
mod journeys {
    pub(crate) mod command;
    pub(crate) mod selection;
}
mod wasm {
    pub(crate) mod build;
    pub(crate) mod bundle;
}

use std::process::ExitCode;

use clap::Parser;

use commands::{attack, bench, check, docs, fuzz, image, screenshots, serve, size, test};
use process::Outcome;
use project::Project;

/// Builds, serves, tests and measures the project.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
enum Command {
    /// Build everything and run the service with demo data
    Serve(serve::Options),
    /// Run all tests
    Test(test::Options),
    /// Check format, lints for both targets, docs, import cycles, layers and licences
    Check,
    /// Check the dependencies for known vulnerabilities, with cargo-deny; needs a network
    Advisories,
    /// Build what a site and the app download, in dist/
    Dist,
    /// Build a container image of the service, with buildah, podman or docker
    Image(image::Options),
    /// Print the size of dist/; fails above the budgets
    Size,
    /// Measure the elements in Chromium beside a page written by hand, or the service
    Bench(bench::Options),
    /// Send requests to the service that are made from its OpenAPI documents; needs Python 3
    Fuzz {
        /// One minute instead of five
        #[arg(long)]
        short: bool,
    },
    /// Send hostile requests to the release build of the service; fails if one exceeds its limits
    Attack {
        /// Half a minute
        #[arg(long)]
        short: bool,
    },
    /// Update the tables of docs/embedding.md from src/page/elements.json
    Docs,
    /// Update the npm package around what is in dist/embed
    Package,
    /// Take screenshots of every screen, in target/shots
    Shots {
        /// Only the screens with this in their names
        #[arg(long, value_name = "TEXT")]
        only: Option<String>,
    },
}

fn main() -> ExitCode {
    run(Command::parse()).unwrap_or_else(|error| {
        eprintln!("\nerror: {error}");
        ExitCode::FAILURE
    })
}

fn run(command: Command) -> Outcome<ExitCode> {
    let project = &Project::locate()?;
    match command {
        // The last line of a test run is the total, not an error.
        Command::Test(options) => return test::run(project, &options),
        Command::Serve(options) => serve::run(project, options),
        Command::Check => check::run(project),
        Command::Advisories => commands::advisories::run(project),
        Command::Dist => commands::dist::run(project),
        Command::Image(options) => image::run(project, &options),
        Command::Size => size::run(project),
        Command::Bench(options) => bench::run(project, &options),
        Command::Fuzz { short } => fuzz::run(project, short),
        Command::Attack { short } => attack::run(project, short),
        Command::Docs => docs::run(project),
        Command::Package => commands::package::run(project),
        Command::Shots { only } => screenshots::run(project, only.as_deref()),
    }?;
    Ok(ExitCode::SUCCESS)
}
