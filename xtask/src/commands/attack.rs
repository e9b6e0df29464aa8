//! Hostile requests to the release build of the service.

use crate::process::{self, Outcome};
use crate::project::Project;

/// Builds the service in release mode and runs `crates/service/benches/attack`. Fails if a request exceeds a limit.
pub(crate) fn run(project: &Project, short: bool) -> Outcome {
    let mut attack = project.cargo("bench");
    attack.args(["--package", "booking-service", "--bench", "attack", "--"]);
    attack.args(short.then_some("--short"));
    process::say(
        "Compiling the service (some minutes the first time), then sending hostile requests",
    );
    process::run(&mut attack)
}
