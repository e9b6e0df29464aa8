//! Updates the tables of the guide.

use fs_err as fs;

use crate::package;
use crate::process::Outcome;
use crate::project::Project;

/// Path of the guide with the generated tables.
const GUIDE: &str = "docs/embedding.md";

/// Replaces the tables of the guide by those of the element definitions.
pub(crate) fn run(project: &Project) -> Outcome {
    let guide = project.root.join(GUIDE);
    let before = fs::read_to_string(&guide)?;
    let after = package::replace_tables(project, &before)?;
    if before == after {
        println!("the tables in {GUIDE} are up to date");
        return Ok(());
    }
    fs::write(&guide, after)?;
    println!("updated the tables in {GUIDE}");
    Ok(())
}
