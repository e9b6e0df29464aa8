//! Turns `dist/embed` into an npm package without building it.

use fs_err as fs;

use crate::dist::files;
use crate::package;
use crate::process::{Attempt, Outcome};
use crate::project::Project;

/// Writes the files of the package into `dist/embed`.
pub(crate) fn run(project: &Project) -> Outcome {
    let folder = project.dist().join("embed");
    let names = files::list(&folder).attempt("run `cargo xtask dist` first")?;
    let mut contents = Vec::new();
    for (name, path) in names {
        let is_compressed = name.ends_with(".br") || name.ends_with(".gz");
        if !is_compressed && !package::is_generated(&name) {
            contents.push((name, fs::read(path)?));
        }
    }
    let contents = contents.iter();
    let embedded: Vec<_> = contents
        .map(|(name, content)| (name.as_str(), content.as_slice()))
        .collect();
    for (name, content) in package::files(project, &embedded)? {
        fs::write(folder.join(name), content)?;
    }
    println!("wrote the npm package to {}", folder.display());
    Ok(())
}
