//! promtool, for tests of the alert rules.

use super::{packages, tools};
use crate::process::Outcome;
use crate::project::Project;

/// Installs Prometheus, which has the program, if it is missing.
pub(crate) fn ensure(project: &Project) -> Outcome {
    if tools::on_path("promtool").is_none() {
        packages::install(project, "promtool", &["prometheus"])?;
    }
    Ok(())
}
