//! Directories of the files that `serve` serves, checked at the start.

use std::path::{Path, PathBuf};

use super::args::Serve;
use super::error::CliError;
use crate::assets::Assets;

/// Value of `--app-dir` that is used if the directory exists.
pub(super) const DEFAULT_APP_DIR: &str = "dist/app";

/// Value of `--embed-dir` that is used if the directory exists.
pub(super) const DEFAULT_EMBED_DIR: &str = "dist/embed";

/// Returns the directories of the options.
///
/// # Errors
///
/// If an option names a directory without the files. The defaults may be missing, with a warning: a service without pages
/// still has its interface.
pub(super) fn assets(options: &Serve) -> Result<Assets, CliError> {
    Ok(Assets {
        app: directory(
            "--app-dir",
            options.app_dir.as_deref(),
            DEFAULT_APP_DIR,
            "index.html",
        )?,
        embed: directory(
            "--embed-dir",
            options.embed_dir.as_deref(),
            DEFAULT_EMBED_DIR,
            "embed.js",
        )?,
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
    tracing::warn!(
        "{default} has no {file}: its pages are not served; name the directory with {option}"
    );
    Ok(directory.to_owned())
}
