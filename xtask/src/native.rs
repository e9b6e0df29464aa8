//! Compilation of the programs for this machine: the bundler and the service.

use std::path::PathBuf;

use crate::process::{self, Outcome};
use crate::project::Project;

const BUNDLER: &str = "bundler";
const SERVICE: &str = "service";

/// Compiles the service with the dev profile, which is fast to compile and checks for overflow.
pub(crate) fn service(project: &Project) -> Outcome<PathBuf> {
    compile(project, &[SERVICE])?;
    Ok(project.built("debug", SERVICE))
}

/// Compiles an optimised service.
pub(crate) fn optimised_service(project: &Project) -> Outcome<PathBuf> {
    let heading = "Compiling the service with optimisation (some minutes the first time)";
    process::timed(heading, || {
        let mut build = project.cargo("build");
        build.args(["--release", "--package", "booking-service"]);
        process::run(build.args(["--bin", SERVICE]))
    })?;
    Ok(project.built("release", SERVICE))
}

/// Compiles the bundler and, with `has_service`, the service: in one call, so that both cores have work.
pub(crate) fn bundler(project: &Project, has_service: bool) -> Outcome<PathBuf> {
    match has_service {
        true => compile(project, &[BUNDLER, SERVICE])?,
        false => compile(project, &[BUNDLER])?,
    }
    Ok(project.built("debug", BUNDLER))
}

fn compile(project: &Project, programs: &[&str]) -> Outcome {
    let names = programs.join(" and the ");
    let heading = format!("Compiling the {names} (some minutes the first time)");
    process::timed(heading, || {
        let mut build = project.cargo("build");
        // Always both packages: the features of the crates that they share follow from this list, and after
        // another list cargo would compile `syn` and most others again.
        build.args(["--package", "bundler", "--package", "booking-service"]);
        for program in programs {
            build.args(["--bin", program]);
        }
        process::run(&mut build)
    })
}
