//! Updates the generated parts of the documentation: tables of the guide, index of the sources.

use fs_err as fs;

use crate::package;
use crate::process::Outcome;
use crate::project::Project;
use crate::source_index;

/// Path of the guide with the generated tables.
const GUIDE: &str = "docs/embedding.md";

/// Replaces the tables of the guide by those of the element definitions, and the index of the sources.
pub(crate) fn run(project: &Project) -> Outcome {
    let guide = package::replace_tables(project, &fs::read_to_string(project.root.join(GUIDE))?)?;
    update(project, GUIDE, &guide)?;
    update(
        project,
        source_index::INDEX,
        &source_index::generate(project)?,
    )
}

fn update(project: &Project, path: &str, text: &str) -> Outcome {
    let file = project.root.join(path);
    if fs::read_to_string(&file).is_ok_and(|before| before == text) {
        println!("{path} is up to date");
        return Ok(());
    }
    fs::write(&file, text)?;
    println!("updated {path}");
    Ok(())
}
