//! Builds the container image of the service.

use std::path::Path;

use clap::Args;
use fs_err as fs;

use crate::dist::files;
use crate::install::{packages, tools};
use crate::process::{self, Attempt, Outcome};
use crate::project::Project;
use crate::{dist, native};

/// Description of the image.
const CONTAINERFILE: &str = "deploy/Containerfile";

/// Programs that build images, in order of preference.
const BUILDERS: [&str; 3] = ["buildah", "podman", "docker"];

/// Command line of `image`.
#[derive(Args)]
pub(crate) struct Options {
    /// Use dist/ as it is instead of building it
    #[arg(long)]
    keep_dist: bool,
}

/// Builds `dist`, a static service, and the image of both.
pub(crate) fn run(project: &Project, options: &Options) -> Outcome {
    if !options.keep_dist {
        dist::make(project)?;
    }
    let service = native::static_service(project)?;
    let context = project.target.join("image");
    let bytes = stage(&project.dist(), &service, &context)?;

    let builder = builder(project)?;
    let tag = format!("booking-service:{}", env!("CARGO_PKG_VERSION"));
    process::timed(format!("Building the image with {builder}"), || {
        let mut build = project.command(builder);
        build.arg("build");
        if builder != "docker" {
            // OCI's own format has no health check.
            build.args(["--format", "docker"]);
        }
        build.args(["--file", CONTAINERFILE, "--tag", &tag]);
        process::run(build.arg(&context))
    })?;
    println!("{tag}, {:.1} MB", bytes as f64 / 1e6);
    Ok(())
}

/// Returns the first installed builder; installs one if there is none.
fn builder(project: &Project) -> Outcome<&'static str> {
    let installed = BUILDERS
        .into_iter()
        .find(|program| tools::on_path(program).is_some());
    if let Some(program) = installed {
        return Ok(program);
    }
    let [first, ..] = BUILDERS;
    packages::install(project, first, &[first])?;
    Ok(first)
}

/// Makes the build context: the files of the image and nothing else. Returns their total size in bytes.
fn stage(dist: &Path, service: &Path, context: &Path) -> Outcome<u64> {
    // Without the files of an earlier image.
    if context.exists() {
        fs::remove_dir_all(context)?;
    }
    // Becomes the data directory: empty, and only for its owner.
    fs::create_dir_all(context.join("data"))?;
    set_mode(&context.join("data"), 0o700)?;
    let mut bytes = copy(service, &context.join("booking-service"), 0o755)?;
    for folder in ["app", "embed"] {
        let listed = files::list(&dist.join(folder)).attempt("run `cargo xtask dist` first")?;
        for (name, path) in listed {
            bytes += copy(&path, &context.join(folder).join(name), 0o644)?;
        }
    }
    Ok(bytes)
}

/// Copies a file, with its folder, and returns its size. The umask of the builder does not matter: the user of the
/// image reads all of its files.
fn copy(from: &Path, to: &Path, mode: u32) -> Outcome<u64> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
        set_mode(folder, 0o755)?;
    }
    let bytes = fs::copy(from, to)?;
    set_mode(to, mode)?;
    Ok(bytes)
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> Outcome {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(
        path,
        std::fs::Permissions::from_mode(mode),
    )?)
}

#[cfg(not(unix))]
fn set_mode(_path: &Path, _mode: u32) -> Outcome {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn context_has_only_files_of_this_image_and_all_can_read_them() {
        let folder = tempfile::tempdir().unwrap();
        let (dist, service) = (folder.path().join("dist"), folder.path().join("service"));
        let context = folder.path().join("image");
        for file in ["app/index.html", "embed/lang/de.json"] {
            let path = dist.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "12345").unwrap();
            set_mode(&path, 0o600).unwrap();
        }
        fs::write(&service, "123").unwrap();
        fs::create_dir_all(context.join("app")).unwrap();
        fs::write(context.join("app/former.js"), "").unwrap();

        assert_eq!(stage(&dist, &service, &context).unwrap(), 13);
        let mode = |path: &str| {
            let metadata = fs::metadata(context.join(path)).unwrap();
            metadata.permissions().mode() & 0o777
        };
        assert_eq!(mode("booking-service"), 0o755);
        assert_eq!(mode("embed/lang"), 0o755);
        assert_eq!(mode("embed/lang/de.json"), 0o644);
        assert_eq!(mode("data"), 0o700);
        let files = files::list(&context).unwrap();
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            ["app/index.html", "booking-service", "embed/lang/de.json"]
        );
    }
}
