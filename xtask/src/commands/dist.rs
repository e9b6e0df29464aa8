//! Builds `dist`.

use crate::dist;
use crate::process::Outcome;
use crate::project::Project;

/// Builds `dist` and prints the number of its files.
pub(crate) fn run(project: &Project) -> Outcome {
    let count = dist::make(project)?.files.len();
    println!("{count} files in dist, sizes in dist/sizes.json");
    Ok(())
}
