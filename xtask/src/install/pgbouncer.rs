//! PgBouncer, for tests of replicas behind a pooler.

use std::path::Path;

use super::packages;
use crate::process::Outcome;
use crate::project::Project;

/// Debian's path of the program.
const PROGRAM: &str = "/usr/sbin/pgbouncer";

/// Installs PgBouncer if it is missing.
pub(crate) fn ensure(project: &Project) -> Outcome {
    if !Path::new(PROGRAM).is_file() {
        packages::install(project, "PgBouncer", &["pgbouncer"])?;
    }
    Ok(())
}
