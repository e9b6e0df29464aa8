//! Updates the generated tables of the guide.

use fs_err as fs;

use crate::package;
use crate::process::Outcome;
use crate::project::Project;

/// Path of the guide with the generated tables.
const GUIDE: &str = "docs/embedding.md";

/// Replaces the tables of the guide by those of the element definitions.
pub(crate) fn run(project: &Project) -> Outcome {
    let file = project.root.join(GUIDE);
    let before = fs::read_to_string(&file)?;
    let guide = package::replace_tables(project, &before)?;
    if guide == before {
        println!("{GUIDE} is up to date");
        return Ok(());
    }
    fs::write(&file, guide)?;
    println!("updated {GUIDE}");
    Ok(())
}
