//! HAProxy, for tests with several replicas of the service.

use std::path::Path;

use super::{packages, tools};
use crate::process::Outcome;
use crate::project::Project;

/// Debian's path of the program, which is not on the path of every user.
const PROGRAM: &str = "/usr/sbin/haproxy";

/// Installs HAProxy if it is missing.
pub(crate) fn ensure(project: &Project) -> Outcome {
    if tools::on_path("haproxy").is_none() && !Path::new(PROGRAM).is_file() {
        packages::install(project, "HAProxy", &["haproxy"])?;
    }
    Ok(())
}
