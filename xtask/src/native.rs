//! Compilation of the programs for this machine: the bundler and the service.

use std::path::PathBuf;

use crate::process::{self, Outcome};
use crate::project::Project;

/// Compiles the service with the dev profile, which is fast to compile and checks for overflow.
pub(crate) fn service(project: &Project) -> Outcome<PathBuf> {
    compile(project, &[SERVICE])?;
    Ok(project.built("debug", SERVICE.1))
}

/// Compiles an optimised service.
pub(crate) fn optimised_service(project: &Project) -> Outcome<PathBuf> {
    let heading = "Compiling the service with optimisation (some minutes the first time)";
    process::timed(heading, || {
        let mut build = project.cargo("build");
        build.args(["--release", "--package", SERVICE.0, "--bin", SERVICE.1]);
        process::run(&mut build)
    })?;
    Ok(project.built("release", SERVICE.1))
}

/// Compiles the bundler and, with `has_service`, the service: in one call, so that both cores have work.
pub(crate) fn bundler(project: &Project, has_service: bool) -> Outcome<PathBuf> {
    match has_service {
        true => compile(project, &[BUNDLER, SERVICE])?,
        false => compile(project, &[BUNDLER])?,
    }
    Ok(project.built("debug", BUNDLER.1))
}

/// Package and program.
type Program = (&'static str, &'static str);

const BUNDLER: Program = ("bundler", "bundler");
const SERVICE: Program = ("booking-service", "service");

fn compile(project: &Project, programs: &[Program]) -> Outcome {
    let names: Vec<_> = programs.iter().map(|(_, program)| *program).collect();
    let names = names.join(" and the ");
    process::timed(
        format!("Compiling the {names} (some minutes the first time)"),
        || {
            let mut build = project.cargo("build");
            for (package, program) in programs {
                build.args(["--package", package, "--bin", program]);
            }
            process::run(&mut build)
        },
    )
}
