//! How fast the service is, compared with what its machine can do at all.

use std::process::ExitCode;

use crate::build::Project;
use crate::step::{self, Outcome};

/// What can be measured.
const SUBJECTS: [&str; 1] = ["service"];

/// Builds the service as people run it and measures it; see `crates/service/benches/load`.
pub(crate) fn run(project: &Project, subject: &str, json: bool) -> Outcome<ExitCode> {
    if !SUBJECTS.contains(&subject) {
        return Err(format!(
            "`{subject}` cannot be measured; what can: {}",
            SUBJECTS.join(", ")
        )
        .into());
    }
    let mut bench = project.cargo("bench");
    // The table is the answer; with `--json` nothing else may be on standard output.
    bench.args(["--quiet", "--package", "booking-service", "--bench", "load"]);
    bench.arg("--").args(json.then_some("--json"));
    eprintln!(
        "==> Compiling the service and its load (some minutes the first time), then measuring"
    );
    step::run(&mut bench)?;
    Ok(ExitCode::SUCCESS)
}
