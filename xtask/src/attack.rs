//! Hostile requests against the service as people run it.

use crate::build::Project;
use crate::step::{self, Outcome};

/// Builds the service as people run it and attacks it; see `crates/service/benches/attack`.
///
/// # Errors
///
/// A request that broke a limit, or a service that could not be built.
pub(crate) fn run(project: &Project, short: bool) -> Outcome {
    let mut attack = project.cargo("bench");
    attack.args(["--package", "booking-service", "--bench", "attack", "--"]);
    attack.args(short.then_some("--short"));
    step::say("Compiling the service (some minutes the first time), then attacking it");
    step::run(&mut attack)
}
