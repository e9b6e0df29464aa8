//! Runs all tests and counts the results that the test programs print.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use clap::Args;
use fs_err as fs;

use crate::dist;
use crate::install::browsers::{self, Browser, Engine};
use crate::install::postgres::{Durability, Server};
use crate::install::promtool;
use crate::install::tools;
use crate::install::{haproxy, pgbouncer};
use crate::journeys::{command, selection};
use crate::native::WITHOUT_WIDGET;
use crate::package::node_tests;
use crate::process::{self, Outcome};
use crate::project::{Project, WASM};
use crate::test_output::Counts;
use crate::wasm::build;

/// Command line of `test`.
#[derive(Args)]
pub(crate) struct Options {
    /// Everything: all journeys in three browsers, PostgreSQL, faults of replicas, the npm package, the cal dialect
    #[arg(long)]
    all: bool,
    /// Every journey in this browser, and everything else except other browsers
    #[arg(long, value_parser = ["chromium", "firefox", "webkit"])]
    browser: Option<String>,
    /// Only the component tests and journeys with this in their names
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Run every journey in every browser, with all of its cases; without it, journeys that cannot differ run in
    /// chromium only, and long ones with every third case
    #[arg(long)]
    every_journey: bool,
    /// Folder of the programs of another version of PostgreSQL, with `--only postgres`
    #[arg(long, value_name = "DIR", requires = "only")]
    postgres_bin: Option<PathBuf>,
    /// cal: only the visitors' journeys, against a strict stand-in for a service of that dialect; svc: all others
    #[arg(long, value_parser = ["svc", "cal"])]
    dialect: Option<String>,
}

impl Options {
    /// Returns true if nothing is selected: then the tests are those that a person runs before a change.
    fn is_short(&self) -> bool {
        let is_selected = self.only.is_some() || self.browser.is_some() || self.dialect.is_some();
        !(self.all || self.every_journey || is_selected)
    }

    /// Returns the browsers of the journeys.
    fn engines(&self) -> Vec<Engine> {
        match self.browser.as_deref() {
            _ if self.all => Engine::ALL.to_vec(),
            None => vec![Engine::Chromium],
            Some(name) => {
                let is_named = |engine: &Engine| name == engine.name();
                Engine::ALL.into_iter().filter(is_named).collect()
            }
        }
    }
}

/// Result of a group of tests.
struct Suite {
    name: String,
    counts: Counts,
    elapsed: Duration,
    /// Error, or number of flaky tests.
    note: Option<String>,
}

/// Runs the selected tests; the last line printed is the total.
pub(crate) fn run(project: &Project, options: &Options) -> Outcome<ExitCode> {
    let only = options.only.as_deref();
    let runs_svc = options.dialect.as_deref() != Some("cal");
    let runs_cal = options.dialect.as_deref() != Some("svc");
    let engines = options.engines();
    let is_short = options.is_short();
    if !runs_svc && !engines.contains(&Engine::Chromium) {
        return Err("journeys in the cal dialect run in chromium only".into());
    }
    let names: Vec<&str> = engines.iter().map(|engine| engine.name()).collect();
    process::say(format!("Testing; the journeys run in {}", names.join(", ")));

    let mut suites = Vec::new();
    let mut preparation = None;
    if runs_svc && only.is_none() {
        build::prepare(project).unwrap_or_else(process::say);
        preparation = Some(prepare_browser_tests(project, &engines));
        suites.push(run_suite("units, wire and service", || run_native(project)));
    }
    if runs_svc && !is_short && only.is_none_or(|only| only == POSTGRES) {
        suites.push(run_suite("service on PostgreSQL", || {
            run_postgres(project, options.postgres_bin.as_deref())
        }));
    }
    // Not during the tests of replicas, which have time limits. A panic is ignored as errors are.
    let _ = preparation.map(JoinHandle::join);
    if runs_svc && !is_short && only.is_none_or(|only| only == REPLICAS) {
        suites.push(run_suite("faults of replicas", || {
            run_replicas(project, only.is_some())
        }));
    }
    if only == Some(POSTGRES) || only == Some(REPLICAS) {
        return Ok(print_summary(&suites, only));
    }
    if runs_svc {
        suites.push(run_suite("components in chromium", || {
            run_components(project, only)
        }));
    }
    match dist::make_with_service(project) {
        Ok(()) => {
            if runs_svc && !is_short && only.is_none_or(|only| PACKAGE.contains(only)) {
                suites.push(run_suite(PACKAGE, || run_package(project)));
            }
            for engine in engines {
                let name = engine.name();
                if runs_svc {
                    suites.push(run_suite(&format!("journeys in {name}"), || {
                        let browser = browsers::ensure(project, engine)?;
                        run_journeys(project, &browser, options)
                    }));
                }
                // The requests do not depend on the engine.
                let is_selected =
                    || selection::in_cal_dialect(project, only).map_or(true, |all| !all.is_empty());
                if runs_cal && !is_short && engine == Engine::Chromium && is_selected() {
                    suites.push(run_suite("journeys in the cal dialect", || {
                        let browser = browsers::ensure(project, engine)?;
                        run_cal_journeys(project, &browser, only)
                    }));
                }
            }
        }
        Err(error) => suites.push(run_suite("journeys", || Err(error))),
    }
    Ok(print_summary(&suites, only))
}

/// Starts to compile in the background what the tests in browsers need, while others wait for processes and databases.
/// Ignores errors: the tests in browsers compile again and report them.
fn prepare_browser_tests(project: &Project, engines: &[Engine]) -> JoinHandle<()> {
    let project = project.in_background();
    let has_firefox = engines.contains(&Engine::Firefox);
    thread::spawn(move || {
        let _ = build::compile(&project).and_then(|_| tools::wasm_test_runner(&project));
        if has_firefox {
            let _ = tools::geckodriver(&project);
        }
    })
}

/// Largest number of failed tests that are repeated at the end.
const MAX_SHOWN: usize = 20;

/// Prints the table of suites, what failed and the total.
fn print_summary(suites: &[Suite], only: Option<&str>) -> ExitCode {
    println!("\n{:<32} {:>7} {:>7}   time", "suite", "passed", "failed");
    for suite in suites {
        let elapsed = process::format_duration(suite.elapsed);
        println!(
            "{:<32} {:>7} {:>7}   {elapsed}",
            suite.name, suite.counts.passed, suite.counts.failed
        );
    }
    for suite in suites {
        if let Some(note) = &suite.note {
            println!("{}: {note}", suite.name);
        }
    }
    let failures = suites.iter().flat_map(|suite| &suite.counts.failures);
    for failure in failures.take(MAX_SHOWN) {
        println!("\nfailed: {failure}");
    }
    let passed: u64 = suites.iter().map(|suite| suite.counts.passed).sum();
    let mut failed: u64 = suites.iter().map(|suite| suite.counts.failed).sum();
    if let (0, 0, Some(only)) = (passed, failed, only) {
        println!("no browser test or journey has a name with `{only}`");
        failed = 1;
    }
    println!("\n{passed} passed, {failed} failed");
    ExitCode::from(u8::from(failed > 0))
}

/// Runs a group of tests. A build or start error counts as one failed test.
fn run_suite(name: &str, work: impl FnOnce() -> Outcome<Counts>) -> Suite {
    process::say(format!("Tests: {name}"));
    let start = Instant::now();
    let mut counts = Counts::default();
    let mut note = None;
    match work() {
        Ok(result) => counts = result,
        Err(error) => (counts.failed, note) = (1, Some(error.to_string())),
    }
    if counts.flaky > 0 {
        note = Some(format!(
            "{} passed only when retried, see above",
            counts.flaky
        ));
    }
    let elapsed = start.elapsed();
    let (name, time) = (name.to_owned(), process::format_duration(elapsed));
    println!(
        "    {name}: {} passed, {} failed in {time}",
        counts.passed, counts.failed
    );
    Suite {
        name,
        counts,
        elapsed,
        note,
    }
}

/// Name of the npm package's suite and of its file of journeys.
const PACKAGE: &str = "package";

/// Name prefix of that suite's journeys.
const PACKAGE_JOURNEYS: &str = "package::";

/// Packs, checks and bundles the npm package with Node, and opens the bundles in Chromium.
fn run_package(project: &Project) -> Outcome<Counts> {
    if let Some(reason) = node_tests::lacks(project) {
        return Err(reason.into());
    }
    let node = run_tests(&mut node_tests::ready(project)?)?;
    let chromium = browsers::ensure(project, Engine::Chromium)?;
    let mut command = journey_command(project, &chromium)?;
    command.arg(PACKAGE_JOURNEYS);
    command.env("BOOKING_E2E_PACKAGE", node_tests::pages(project));
    Ok(node.plus(run_tests(&mut command)?))
}

/// Runs the tests that need no browser: those of the service with its own features, and those of the widget, its UI
/// layer and the types that it shares with the service with the widget's.
fn run_native(project: &Project) -> Outcome<Counts> {
    promtool::ensure(project)?;
    let mut others = project.cargo("test");
    others.args(WITHOUT_WIDGET);
    others.args(["--exclude", "booking-wire", "--no-fail-fast"]);
    let others = run_tests(&mut others)?;
    let mut widget = project.cargo("test");
    widget.args(["--package", "booking-widget", "--package", "booking-ui"]);
    widget.args(["--package", "booking-wire"]);
    let widget = run_tests(widget.arg("--no-fail-fast"))?;
    Ok(others.plus(widget))
}

/// Name of the tests of the service on PostgreSQL, for `--only`.
const POSTGRES: &str = "postgres";

/// Tests of the service that are about SQLite's file.
const SQLITE_ONLY: &str = include_str!("../../../crates/service/tests/sqlite_only.txt");

/// Runs the tests of the service's interface with PostgreSQL, of the version in `programs` or the installed one.
fn run_postgres(project: &Project, programs: Option<&Path>) -> Outcome<Counts> {
    let server = match programs {
        Some(programs) => Server::start_version(fs::canonicalize(programs)?, Durability::None)?,
        None => Server::start(project, Durability::None)?,
    };
    // Alone, as it fills a large database, and first, as PostgreSQL keeps a limited number of statements.
    let mut large = project.cargo("test");
    large.args(WITHOUT_WIDGET).args(["--test", "v2", "--"]);
    large.args(["--ignored", LARGE_DATA]);
    let large = run_tests(large.env("BOOKING_TEST_POSTGRES", server.url()))?;
    let mut tests = project.cargo("test");
    tests.args(WITHOUT_WIDGET);
    tests.args([
        // It has a program `v1`, too.
        "--exclude",
        "booking-wire",
        "--test",
        "v1",
        "--test",
        "v2",
        "--test",
        "moving",
        "--test",
        "interleavings",
        "--test",
        "upgrade",
        "--test",
        "check",
    ]);
    // Most of their time, they wait for the server.
    tests.args(["--no-fail-fast", "--", "--test-threads=6"]);
    // Tests of several replicas are ignored without PostgreSQL.
    tests.arg("--include-ignored");
    // Takes a minute, and only measures.
    tests.args(["--skip", "hundred_thousand_bookings"]);
    tests.args(["--skip", LARGE_DATA]);
    for name in selection::entries(SQLITE_ONLY) {
        tests.args(["--skip", name]);
    }
    Ok(large.plus(run_tests(tests.env("BOOKING_TEST_POSTGRES", server.url()))?))
}

/// Test of the statements in a large installation.
const LARGE_DATA: &str = "operation::large_data::";

/// Name of the tests of several replicas whose processes, database or clocks fail, for `--only`.
const REPLICAS: &str = "replicas";

/// Runs these tests. `is_alone`: also those that need no replicas, which run with the units otherwise.
fn run_replicas(project: &Project, is_alone: bool) -> Outcome<Counts> {
    haproxy::ensure(project)?;
    pgbouncer::ensure(project)?;
    let server = Server::start(project, Durability::None)?;
    let mut tests = project.cargo("test");
    tests.args(WITHOUT_WIDGET).args(["--test", REPLICAS]);
    let ignored = if is_alone {
        "--include-ignored"
    } else {
        "--ignored"
    };
    // One at a time: each has several processes. They print what they have measured.
    tests.args(["--", "--test-threads=1", "--nocapture", ignored]);
    tests.env("BOOKING_TEST_POSTGRES", server.url());
    run_tests(tests.env("BOOKING_TEST_POSTGRES_BIN", server.programs()))
}

/// Runs the widget's component tests in headless Chromium.
fn run_components(project: &Project, only: Option<&str>) -> Outcome<Counts> {
    let (targets, filter) = select(project.component_tests()?, only);
    let runner = tools::wasm_test_runner(project)?;
    let chromium = browsers::ensure(project, Engine::Chromium)?;
    let mut command = project.cargo("test");
    command.args(["--package", "booking-widget", "--target", WASM]);
    command.args(["--no-fail-fast", "--lib"]);
    for target in &targets {
        command.args(["--test", target]);
    }
    command.arg("--").args(filter);
    command
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", runner)
        .env("CHROMEDRIVER", chromium.driver)
        .env("WASM_BINDGEN_USE_BROWSER", "1")
        .env("WASM_BINDGEN_TEST_DRIVER_TIMEOUT", "30")
        .env("WASM_BINDGEN_TEST_TIMEOUT", "120");
    run_tests(&mut command)
}

/// Runs the journeys in a browser against the service.
fn run_journeys(project: &Project, browser: &Browser, options: &Options) -> Outcome<Counts> {
    let only = options.only.as_deref();
    if options.is_short() {
        let mut arguments = selection::short();
        arguments.push("--exact".to_owned());
        return run_with_retry(|| journey_command(project, browser), &arguments, None);
    }
    let mut files = project.journeys()?;
    files.retain(|file| file != PACKAGE);
    let mut arguments = journey_filters(files, only);
    let mut skipped = vec![PACKAGE_JOURNEYS];
    if browser.engine != Engine::Chromium && only.is_none() {
        skipped.extend(selection::skipped_outside_chromium(options.every_journey));
    }
    let skip = |name: &str| ["--skip".to_owned(), name.to_owned()];
    arguments.extend(skipped.into_iter().flat_map(skip));
    let command = || {
        let mut command = journey_command(project, browser)?;
        if options.every_journey {
            command.env("BOOKING_E2E_EVERY_CASE", "1");
        }
        // Somebody looks at the failures of a selection.
        if only.is_some() {
            command.env("BOOKING_E2E_SCREENSHOTS", "1");
        }
        Ok(command)
    };
    run_with_retry(command, &arguments, only)
}

/// Runs the visitors' journeys against a strict fake service of the `cal` dialect.
fn run_cal_journeys(project: &Project, browser: &Browser, only: Option<&str>) -> Outcome<Counts> {
    let command = || {
        let mut command = journey_command(project, browser)?;
        command.env("BOOKING_E2E_DIALECT", "cal");
        Ok(command)
    };
    let mut arguments = selection::in_cal_dialect(project, only)?;
    arguments.push("--exact".to_owned());
    run_with_retry(command, &arguments, only)
}

/// Runs the journeys that the arguments select, and retries up to [`MAX_RETRIED`] failed ones.
fn run_with_retry(
    command: impl Fn() -> Outcome<Command>,
    arguments: &[String],
    only: Option<&str>,
) -> Outcome<Counts> {
    let mut journeys = command()?;
    journeys.args(arguments);
    journeys.arg(format!("--test-threads={}", browsers::max_parallel()));
    let counts = run_tests(&mut journeys)?;
    if counts.passed + counts.failed == 0 && only.is_none() {
        return Err("no journey ran".into());
    }
    let failed: Vec<&str> = (counts.failures.iter())
        .map(|failure| &failure.name[..])
        .collect();
    if failed.is_empty() || failed.len() > MAX_RETRIED || failed.len() as u64 != counts.failed {
        return Ok(counts);
    }
    process::say(format!("Retrying failed journeys: {}", failed.join(", ")));
    let mut journeys = command()?;
    journeys.args(["--exact", "--test-threads=1"]).args(&failed);
    journeys.env("BOOKING_E2E_SCREENSHOTS", "1");
    let mut retried = run_tests(&mut journeys)?;
    retried.flaky = retried.passed;
    retried.passed += counts.passed;
    Ok(retried)
}

/// Largest number of failed journeys to retry: a browser under load can fail a correct journey. Journeys
/// that pass on the retry are reported as flaky.
const MAX_RETRIED: usize = 2;

/// Command that runs journeys in a browser; test filters can be appended.
fn journey_command(project: &Project, browser: &Browser) -> Outcome<Command> {
    let mut command = command::test_program(project, browser, "e2e");
    command.arg("--");
    command.env("BOOKING_E2E_AXE", tools::axe(project)?);
    Ok(command)
}

/// Test programs whose names contain `only`; if there are none, all of them, with `only` as the filter of
/// test names.
fn select(mut targets: Vec<String>, only: Option<&str>) -> (Vec<String>, Option<&str>) {
    let Some(only) = only else {
        return (targets, None);
    };
    if targets.iter().any(|target| target.contains(only)) {
        targets.retain(|target| target.contains(only));
        return (targets, None);
    }
    (targets, Some(only))
}

/// Name filters for the journeys: `only` selects files of `tests/e2e` or tests in them.
fn journey_filters(files: Vec<String>, only: Option<&str>) -> Vec<String> {
    let (files, name) = select(files, only);
    match (only, name) {
        (None, _) => Vec::new(),
        (Some(_), None) => files.iter().map(|file| format!("{file}::")).collect(),
        (Some(_), Some(name)) => vec![name.to_owned()],
    }
}

/// Runs a test command and reads its output.
fn run_tests(command: &mut Command) -> Outcome<Counts> {
    let mut counts = Counts::default();
    let succeeded = process::stream(command, |line| counts.add_line(line))?;
    if !succeeded && counts.failed == 0 {
        // The build failed, or a test program ended before its report.
        println!("`{}` failed", process::command_line(command));
        counts.failed = (counts.failures.len() as u64).max(1);
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suite_with_error_counts_one_failure() {
        let counts = run_suite("nothing", || Err("no browser".into())).counts;
        assert_eq!((counts.passed, counts.failed), (0, 1));
    }

    #[test]
    fn only_selects_test_programs_or_filters_tests() {
        let targets = || vec!["browser_form".to_owned(), "browser_time".to_owned()];
        let selected = (vec!["browser_time".to_owned()], None);
        assert_eq!(select(targets(), Some("time")), selected);
        let filtered = (targets(), Some("lost_slot"));
        assert_eq!(select(targets(), Some("lost_slot")), filtered);
    }

    #[test]
    fn only_selects_journey_files_or_filters_journeys() {
        let files = || vec!["admin".to_owned(), "find".to_owned(), "visitor".to_owned()];
        assert_eq!(journey_filters(files(), None), [""; 0]);
        assert_eq!(journey_filters(files(), Some("i")).len(), 3);
        assert_eq!(journey_filters(files(), Some("visit")), ["visitor::"]);
        assert_eq!(journey_filters(files(), Some("lost_slot")), ["lost_slot"]);
    }
}
