//! Screenshots of every screen, for visual review.

use crate::dist;
use crate::install::browsers::{self, Engine};
use crate::journeys::command;
use crate::process::{self, Outcome};
use crate::project::Project;

/// Builds everything, writes the sample messages and runs `tests/shots.rs`.
pub(crate) fn run(project: &Project, only: Option<&str>) -> Outcome {
    let chromium = browsers::ensure(project, Engine::Chromium)?;
    dist::make_with_service(project)?;
    let mut messages = project.cargo("run");
    messages
        .args(["--package", "booking-mail", "--example", "pictures", "--"])
        .arg(project.root.join("target/mail-pages"));
    process::run(&mut messages)?;
    let mut command = command::test_program(project, &chromium, "shots");
    command.arg("--").args(only);
    process::timed("Taking screenshots into target/shots", || {
        process::run(&mut command)
    })
}
