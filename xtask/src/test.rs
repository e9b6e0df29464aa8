//! All tests, counted from what the test programs print.

use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use crate::build::{self, Project, Speed, WASM};
use crate::engines::{self, Engine, Ready};
use crate::package::fixtures;
use crate::step::{self, Outcome};
use crate::tools;
use crate::{dialect, dist, one_engine};

/// What a group of tests came to.
struct Suite {
    name: String,
    passed: u64,
    failed: u64,
    took: Duration,
    /// Why it could not run, if it could not.
    trouble: Option<String>,
    /// Whether it was left out, because this machine lacks what it needs.
    is_skipped: bool,
}

/// Runs everything that `browser`, `only` and `dialect` ask for; the last line printed is the total.
pub(crate) fn run(
    project: &Project,
    browser: Option<&str>,
    only: Option<&str>,
    dialect: Option<&str>,
) -> Outcome<ExitCode> {
    let (own, other) = match dialect {
        None => (true, true),
        Some("svc") => (true, false),
        Some("cal") => (false, true),
        Some(name) => return Err(format!("there is no dialect `{name}`: use svc or cal").into()),
    };
    let engines = match browser {
        None => engines::usual(),
        Some("all") => Engine::ALL.to_vec(),
        Some(name) => vec![Engine::from_name(name).ok_or_else(|| {
            format!("there is no browser `{name}`: use chromium, firefox, webkit or all")
        })?],
    };
    if !own && !engines.contains(&Engine::Chromium) {
        return Err("the journeys in the other dialect run in chromium".into());
    }
    let names: Vec<&str> = engines.iter().map(|engine| engine.name()).collect();
    step::say(format!("Testing; the journeys run in {}", names.join(", ")));

    let mut suites = Vec::new();
    if own && only.is_none() {
        suites.push(suite("units, wire and service", || native(project)));
    }
    if own {
        suites.push(suite("components in chromium", || {
            components(project, only)
        }));
    }
    match built(project) {
        Ok(()) => {
            if own && only.is_none_or(|only| PACKAGE.contains(only)) {
                suites.push(package(project));
            }
            for engine in engines {
                let name = engine.name();
                if own {
                    suites.push(suite(&format!("journeys in {name}"), || {
                        let ready = engines::get(project, engine)?;
                        journeys(project, &ready, only)
                    }));
                }
                // What is sent to a service depends on no engine.
                let is_wanted =
                    || dialect::journeys(project, only).map_or(true, |all| !all.is_empty());
                if other && engine == Engine::Chromium && is_wanted() {
                    suites.push(suite("journeys in the other dialect", || {
                        let ready = engines::get(project, engine)?;
                        in_other_dialect(project, &ready, only)
                    }));
                }
            }
        }
        Err(error) => suites.push(suite("journeys", || Err(error))),
    }
    Ok(conclude(&suites, only))
}

/// Prints the table and the total.
fn conclude(suites: &[Suite], only: Option<&str>) -> ExitCode {
    println!("\n{:<32} {:>7} {:>7}   time", "suite", "passed", "failed");
    for suite in suites {
        if suite.is_skipped {
            println!("{:<32} {:>15}", suite.name, "skipped");
            continue;
        }
        let took = step::spoken(suite.took);
        println!(
            "{:<32} {:>7} {:>7}   {took}",
            suite.name, suite.passed, suite.failed
        );
    }
    for suite in suites {
        if let Some(trouble) = &suite.trouble {
            println!("{}: {trouble}", suite.name);
        }
    }
    let passed: u64 = suites.iter().map(|suite| suite.passed).sum();
    let mut failed: u64 = suites.iter().map(|suite| suite.failed).sum();
    if let (0, 0, Some(only)) = (passed, failed, only) {
        println!("no browser test and no journey is named like `{only}`");
        failed = 1;
    }
    println!("\n{passed} passed, {failed} failed");
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Runs a group of tests. What cannot be built or started is one failure, never none.
fn suite(name: &str, work: impl FnOnce() -> Outcome<Counts>) -> Suite {
    step::say(format!("Tests: {name}"));
    let start = Instant::now();
    let (counts, trouble) = match work() {
        Ok(counts) => (counts, None),
        Err(error) => (
            Counts {
                failed: 1,
                ..Counts::default()
            },
            Some(error.to_string()),
        ),
    };
    let Counts {
        passed,
        failed,
        unsteady,
    } = counts;
    let took = start.elapsed();
    println!(
        "    {name}: {passed} passed, {failed} failed in {}",
        step::spoken(took)
    );
    Suite {
        name: name.to_owned(),
        passed,
        failed,
        took,
        trouble: trouble.or_else(|| {
            (unsteady > 0).then(|| format!("{unsteady} passed only when gone once more, see above"))
        }),
        is_skipped: false,
    }
}

/// The name of the suite of the npm package, and of its journeys.
const PACKAGE: &str = "package";

/// The journeys of that suite.
const PACKAGE_JOURNEYS: &str = "package::";

/// The npm package: packed, checked and bundled by Node, and what was bundled opened in Chromium. Left out
/// where there is no Node, which is said and counts as nothing.
fn package(project: &Project) -> Suite {
    let Some(lack) = fixtures::lacks(project) else {
        return suite(PACKAGE, || {
            let node = counted(&mut fixtures::ready(project)?)?;
            let chromium = engines::get(project, Engine::Chromium)?;
            let mut command = journey_command(project, &chromium)?;
            command.arg(PACKAGE_JOURNEYS);
            command.env("BOOKING_E2E_PACKAGE", fixtures::pages(project));
            let opened = counted(&mut command)?;
            Ok(Counts {
                passed: node.passed + opened.passed,
                failed: node.failed + opened.failed,
                unsteady: 0,
            })
        });
    };
    println!("    {PACKAGE}: skipped, {lack}");
    Suite {
        name: PACKAGE.to_owned(),
        passed: 0,
        failed: 0,
        took: Duration::ZERO,
        trouble: Some(format!("skipped, {lack}")),
        is_skipped: true,
    }
}

/// Tests that need no browser.
fn native(project: &Project) -> Outcome<Counts> {
    counted(
        project
            .cargo("test")
            .args(["--workspace", "--no-fail-fast"]),
    )
}

/// The widget's parts, each alone, in headless Chromium.
fn components(project: &Project, only: Option<&str>) -> Outcome<Counts> {
    let (targets, filter) = chosen(project.tests("browser_")?, only);
    tools::wasm_target(project)?;
    let runner = tools::wasm_test_runner(project)?;
    let chromium = engines::get(project, Engine::Chromium)?;
    let mut command = project.cargo("test");
    command.args([
        "--package",
        "booking-widget",
        "--target",
        WASM,
        "--no-fail-fast",
    ]);
    command.arg("--lib");
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
    counted(&mut command)
}

/// What the journeys need besides a browser.
fn built(project: &Project) -> Outcome {
    dist::make(project)?;
    build::service(project, Speed::Debug)?;
    Ok(())
}

/// Whole journeys in a real browser against a real service.
fn journeys(project: &Project, ready: &Ready, only: Option<&str>) -> Outcome<Counts> {
    let mut files = project.journeys()?;
    files.retain(|file| file != PACKAGE);
    let mut arguments = journeys_named(files, only);
    let mut skipped = vec![PACKAGE_JOURNEYS];
    if ready.engine != Engine::Chromium && only.is_none() {
        skipped.extend(one_engine::journeys());
    }
    let skip = |name: &str| ["--skip".to_owned(), name.to_owned()];
    arguments.extend(skipped.into_iter().flat_map(skip));
    gone(|| journey_command(project, ready), &arguments, only)
}

/// The visitors' journeys once more, against a strict stand-in for a service of the other dialect.
fn in_other_dialect(project: &Project, ready: &Ready, only: Option<&str>) -> Outcome<Counts> {
    let command = || {
        let mut command = journey_command(project, ready)?;
        command.env("BOOKING_E2E_DIALECT", "cal");
        Ok(command)
    };
    let mut arguments = dialect::journeys(project, only)?;
    arguments.push("--exact".to_owned());
    gone(command, &arguments, only)
}

/// Goes the journeys that the arguments name, and once more what failed if that is little.
fn gone(
    command: impl Fn() -> Outcome<Command>,
    arguments: &[String],
    only: Option<&str>,
) -> Outcome<Counts> {
    let mut journeys = command()?;
    journeys.args(arguments);
    journeys.arg(format!("--test-threads={}", engines::at_once()));
    let (counts, failed) = named(&mut journeys)?;
    if counts.passed + counts.failed == 0 && only.is_none() {
        return Err("no journey ran".into());
    }
    if failed.is_empty() || failed.len() > SECOND_GOES || failed.len() as u64 != counts.failed {
        return Ok(counts);
    }
    step::say(format!(
        "Once more, alone, what failed: {}",
        failed.join(", ")
    ));
    let mut journeys = command()?;
    journeys.args(["--exact", "--test-threads=1"]).args(&failed);
    let (again, still) = named(&mut journeys)?;
    Ok(Counts {
        passed: counts.passed + again.passed,
        failed: again.failed.max(still.len() as u64),
        unsteady: again.passed,
    })
}

/// So many journeys of a browser that failed are gone once more: browsers under load fail by themselves now
/// and then. What passes only then is reported as that; what is broken fails twice.
const SECOND_GOES: usize = 2;

/// Runs journeys in a browser: those that the arguments after it name.
pub(crate) fn journey_command(project: &Project, ready: &Ready) -> Outcome<Command> {
    let mut command = project.cargo("test");
    command.args(["--package", "booking-widget", "--test", "e2e", "--"]);
    tell_harness(project, ready, &mut command);
    command.env("BOOKING_E2E_AXE", tools::axe(project)?);
    Ok(command)
}

/// Tells the harness in `tests/common` which browser to drive and where everything is.
pub(crate) fn tell_harness(project: &Project, ready: &Ready, command: &mut Command) {
    let service = project
        .target
        .join("debug")
        .join(format!("service{}", std::env::consts::EXE_SUFFIX));
    command
        .env("BOOKING_E2E_BROWSER", ready.engine.name())
        .env("BOOKING_E2E_DRIVER", &ready.driver)
        .env("BOOKING_E2E_BINARY", &ready.browser)
        .env("BOOKING_E2E_SERVICE", service)
        .env("BOOKING_E2E_DIST", project.dist())
        .env("BOOKING_E2E_REPORTS", project.root.join("target/e2e"));
}

/// The test programs to run and the filter to give them: `only` names either.
fn chosen(mut targets: Vec<String>, only: Option<&str>) -> (Vec<String>, Option<&str>) {
    let Some(only) = only else {
        return (targets, None);
    };
    if targets.iter().any(|target| target.contains(only)) {
        targets.retain(|target| target.contains(only));
        return (targets, None);
    }
    (targets, Some(only))
}

/// What to ask the program of the journeys for: `only` names files of `tests/e2e` or tests in them.
fn journeys_named(files: Vec<String>, only: Option<&str>) -> Vec<String> {
    let (files, name) = chosen(files, only);
    match (only, name) {
        (None, _) => Vec::new(),
        (Some(_), None) => files.iter().map(|file| format!("{file}::")).collect(),
        (Some(_), Some(name)) => vec![name.to_owned()],
    }
}

/// How many tests passed and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Counts {
    passed: u64,
    failed: u64,
    /// Of those that passed, the ones that failed the first time.
    unsteady: u64,
}

impl Counts {
    /// Adds what a line of a test program's output says, if it is a result.
    fn add(&mut self, line: &str) {
        let Some((_, result)) = line.split_once("test result: ") else {
            return;
        };
        let words: Vec<&str> = result.split_whitespace().collect();
        for pair in words.windows(2) {
            let [number, word] = pair else { continue };
            let Ok(number) = number.parse::<u64>() else {
                continue;
            };
            match *word {
                "passed;" => self.passed += number,
                "failed;" => self.failed += number,
                _ => {}
            }
        }
    }
}

/// Runs a test command and counts.
fn counted(command: &mut Command) -> Outcome<Counts> {
    Ok(named(command)?.0)
}

/// Runs a test command, counts, and gives the names of the tests that failed.
fn named(command: &mut Command) -> Outcome<(Counts, Vec<String>)> {
    let mut counts = Counts::default();
    let mut failed = Vec::new();
    let succeeded = step::watch(command, |line| {
        counts.add(line);
        failed.extend(failure(line).map(str::to_owned));
    })?;
    if !succeeded && counts.failed == 0 {
        // Something was not built, or a test program died before it could report.
        println!("`{}` failed", step::line(command));
        counts.failed = 1;
    }
    Ok((counts, failed))
}

/// The name of the test that a line of a test program's output says has failed.
fn failure(line: &str) -> Option<&str> {
    line.strip_prefix("test ")?.strip_suffix(" ... FAILED")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_added_up_and_other_lines_ignored() {
        let mut counts = Counts::default();
        for line in [
            "running 3 tests",
            "test a_visitor_books ... ok",
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s",
            "test result: FAILED. 4 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out",
        ] {
            counts.add(line);
        }
        assert_eq!(
            counts,
            Counts {
                passed: 7,
                failed: 2,
                unsteady: 0
            }
        );
        assert_eq!(failure("test pick::a_day ... FAILED"), Some("pick::a_day"));
        assert_eq!(failure("test pick::a_day ... ok"), None);
    }

    #[test]
    fn a_suite_that_cannot_run_is_a_failure() {
        let suite = suite("nothing", || Err("no browser".into()));
        assert_eq!((suite.passed, suite.failed), (0, 1));
    }

    #[test]
    fn only_names_a_test_program_or_tests_in_all_of_them() {
        let targets = || vec!["browser_form".to_owned(), "browser_time".to_owned()];
        assert_eq!(
            chosen(targets(), Some("time")),
            (vec!["browser_time".to_owned()], None)
        );
        assert_eq!(
            chosen(targets(), Some("a_lost_slot")),
            (targets(), Some("a_lost_slot"))
        );
    }

    #[test]
    fn only_names_files_of_journeys_or_journeys() {
        let files = || vec!["admin".to_owned(), "find".to_owned(), "visitor".to_owned()];
        assert_eq!(journeys_named(files(), None), [""; 0]);
        assert_eq!(journeys_named(files(), Some("i")).len(), 3);
        assert_eq!(journeys_named(files(), Some("visit")), ["visitor::"]);
        assert_eq!(
            journeys_named(files(), Some("a_lost_slot")),
            ["a_lost_slot"]
        );
    }
}
