//! Settings of the harness in `tests/common`, which starts services and browsers.

use std::process::Command;

use crate::install::browsers::Browser;
use crate::project::Project;

/// Sets the environment variables that the harness reads.
pub(crate) fn configure(project: &Project, browser: &Browser, command: &mut Command) {
    command
        .env("BOOKING_E2E_BROWSER", browser.engine.name())
        .env("BOOKING_E2E_DRIVER", &browser.driver)
        .env("BOOKING_E2E_BINARY", &browser.binary)
        .env("BOOKING_E2E_SERVICE", project.built("debug", "service"))
        .env("BOOKING_E2E_DIST", project.dist())
        .env("BOOKING_E2E_REPORTS", project.root.join("target/e2e"));
}
