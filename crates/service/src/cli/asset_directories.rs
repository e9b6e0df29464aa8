//! Directories of the files that `serve` serves, checked at the start.

use std::path::{Path, PathBuf};

use super::error::CliError;
use crate::http::assets::Assets;

/// Value of `--app-dir` that is used if the directory exists.
pub(super) const DEFAULT_APP_DIR: &str = "dist/app";

/// Value of `--embed-dir` that is used if the directory exists.
pub(super) const DEFAULT_EMBED_DIR: &str = "dist/embed";

const APP_OPTION: &str = "--app-dir";
const EMBED_OPTION: &str = "--embed-dir";

/// File that each build of the app has.
const APP_FILE: &str = "index.html";

/// File that each build for embedding has.
const EMBED_FILE: &str = "embed.js";

/// Returns the directories of `--app-dir` and `--embed-dir`.
///
/// # Errors
///
/// If an option names a directory without the files. The defaults may be missing: a service without pages still has its
/// interface.
pub(super) fn assets(app: Option<&Path>, embed: Option<&Path>) -> Result<Assets, CliError> {
    Ok(Assets {
        app: directory(APP_OPTION, app, DEFAULT_APP_DIR, APP_FILE)?,
        embed: directory(EMBED_OPTION, embed, DEFAULT_EMBED_DIR, EMBED_FILE)?,
    })
}

/// Returns a directory that has `file`.
fn directory(
    option: &'static str,
    named: Option<&Path>,
    default: &'static str,
    file: &'static str,
) -> Result<PathBuf, CliError> {
    let directory = named.unwrap_or(Path::new(default));
    if directory.as_os_str().is_empty() || directory.join(file).is_file() {
        return Ok(directory.to_owned());
    }
    if named.is_some() {
        return Err(CliError::AssetDirectory {
            option,
            directory: directory.display().to_string(),
            file,
        });
    }
    Ok(directory.to_owned())
}

/// Warns of directories that are missing: those of the options were checked, so these are the defaults.
pub(super) fn warn_of_missing(assets: &Assets) {
    for (directory, option, file) in [
        (&assets.app, APP_OPTION, APP_FILE),
        (&assets.embed, EMBED_OPTION, EMBED_FILE),
    ] {
        if !directory.as_os_str().is_empty() && !directory.join(file).is_file() {
            tracing::warn!(
                "{} has no {file}: its pages are not served; name the directory with {option}",
                directory.display()
            );
        }
    }
}
