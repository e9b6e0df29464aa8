//! The published files: `dist/embed` for other sites, `dist/app` for the standalone app.
//!
//! Files are built in `target` and written to `dist` only if they changed, each with its precompressed
//! siblings: a second run is fast, and a server never reads a half-written file.

mod app;
mod embed;
pub(crate) mod files;
pub(crate) mod flow_sizes;
mod merge;

use std::path::Path;

use crate::process::{self, Outcome};
use crate::project::Project;
use crate::wasm::{build, bundle::Bundler};
use crate::{native, package};

use files::Published;
use flow_sizes::Sizes;

/// Programs of elements.
const PROGRAMS: [&str; 2] = ["picker", "staff"];

/// Builds `dist` and measures it.
pub(crate) fn make(project: &Project) -> Outcome<Sizes> {
    make_files(project, false)
}

/// Builds `dist` and, with the dev profile, the service.
pub(crate) fn make_with_service(project: &Project) -> Outcome {
    make_files(project, true).map(|_| ())
}

fn make_files(project: &Project, has_service: bool) -> Outcome<Sizes> {
    build::prepare(project)?;
    // Two calls of cargo at the same time, so that no core waits for the last steps of the other one.
    let (compiled, bundler) = process::both(
        || build::compile(project),
        || native::bundler(project, has_service).map(Bundler::new),
    )?;
    let files = process::timed("Building the embed files and the app", || {
        let mut files = embed_files(project, &bundler, &compiled)?;
        files.extend(app::files(project, &bundler, &compiled)?);
        let package = package::files(project, &embedded(&files))?;
        let package = package.into_iter();
        files.extend(
            package.map(|(name, content)| Published::new(format!("embed/{name}"), content)),
        );
        Ok(files)
    })?;

    let dist = project.dist();
    process::timed("Compressing what changed", || {
        for folder in ["embed", "app"] {
            files::remove_stale(&dist, folder, &files)?;
        }
        files::publish(&dist, &files)
    })?;

    let sizes = flow_sizes::measure(&dist, &files)?;
    let path = dist.join("sizes.json");
    files::write(&path, format!("{:#}\n", sizes.to_json()).as_bytes())?;
    Ok(sizes)
}

/// Makes the files for other sites.
fn embed_files(project: &Project, bundler: &Bundler, compiled: &Path) -> Outcome<Vec<Published>> {
    let mut files = Vec::new();
    for name in PROGRAMS {
        let made = project.target.join("xtask").join(name);
        bundler.link(&compiled.join(name).with_extension("wasm"), &made)?;
        files.extend(files::read_folder(&made, "embed")?);
    }
    for folder in ["src/loader", "src/page/demo"] {
        let mut written = files::read_folder(&project.root.join(folder), "embed")?;
        // Not the types for the type check.
        written.retain(|file| is_served(&file.path));
        files.extend(written);
    }
    let languages = project.root.join("src/i18n/lang");
    files.extend(files::read_folder(&languages, "embed/lang")?);
    // Texts of the app.
    files.retain(|file| !file.path.ends_with(".app.json"));
    // Both programs may have the same snippet.
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files.dedup_by(|a, b| a.path == b.path);
    let minified = |name: &str, script: &str| bundler.minify(name, script);
    embed::finish(&mut files, env!("CARGO_PKG_VERSION"), minified)?;
    Ok(files)
}

/// True for the kinds of handwritten files that pages load.
fn is_served(path: &str) -> bool {
    [".js", ".html", ".css"]
        .iter()
        .any(|ending| path.ends_with(ending))
}

/// Returns the names and contents of the files below `embed/`.
fn embedded(files: &[Published]) -> Vec<(&str, &[u8])> {
    let embedded = files
        .iter()
        .filter_map(|file| Some((file.path.strip_prefix("embed/")?, file.content.as_slice())));
    embedded.collect()
}
