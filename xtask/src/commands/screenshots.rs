//! Screenshots of every screen, for visual review.

use std::process::ExitCode;

use crate::build::{self, Project, Speed};
use crate::dist;
use crate::engines::{self, Engine};
use crate::step::{self, Outcome};
use crate::test;

/// Builds everything and runs `tests/shots.rs`.
pub(crate) fn run(project: &Project, only: Option<&str>) -> Outcome<ExitCode> {
    let chromium = engines::ensure(project, Engine::Chromium)?;
    dist::make(project)?;
    build::service(project, Speed::Debug)?;
    let mut command = project.cargo("test");
    command
        .args(["--package", "booking-widget", "--test", "shots", "--"])
        .args(only);
    test::configure_harness(project, &chromium, &mut command);
    step::timed("Taking screenshots into target/shots", || {
        step::run(&mut command)
    })?;
    Ok(ExitCode::SUCCESS)
}
