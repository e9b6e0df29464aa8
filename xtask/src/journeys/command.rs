//! Command lines of the test programs that use the harness in `tests/common`: journeys, screenshots, benchmark.

use std::process::Command;

use crate::install::browsers::Browser;
use crate::project::Project;

/// Returns the command that runs the tests `target` in a browser; arguments of cargo can be
/// appended, and after `--` those of the tests.
pub(crate) fn test_program(project: &Project, browser: &Browser, target: &str) -> Command {
    let mut command = project.cargo("test");
    command
        .args(["--package", "booking-widget", "--test", target])
        .env("BOOKING_E2E_BROWSER", browser.engine.name())
        .env("BOOKING_E2E_DRIVER", &browser.driver)
        .env("BOOKING_E2E_BINARY", &browser.binary)
        .env("BOOKING_E2E_SERVICE", project.built("debug", "service"))
        .env("BOOKING_E2E_DIST", project.dist())
        .env("BOOKING_E2E_REPORTS", project.root.join("target/e2e"));
    command
}
