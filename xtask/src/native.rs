//! Compilation of the programs for this machine: the bundler and the service.

use std::env;
use std::path::PathBuf;

use crate::install::{packages, tools};
use crate::process::{self, Outcome};
use crate::project::Project;

const BUNDLER: &str = "bundler";
const SERVICE: &str = "service";

/// Arguments of cargo that select all packages but the widget and its UI layer, whose features are not those of the released service:
/// its `serde_json` keeps numbers as text. Commands with the same selection share what they compile.
pub(crate) const WITHOUT_WIDGET: [&str; 5] = [
    "--workspace",
    "--exclude",
    "booking-widget",
    "--exclude",
    "booking-ui",
];

/// Compiler of the C code in static programs.
const MUSL_COMPILER: &str = "musl-gcc";

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

/// Compiles an optimised service that needs no file of the system, not even a C library.
pub(crate) fn static_service(project: &Project) -> Outcome<PathBuf> {
    let target = format!("{}-unknown-linux-musl", env::consts::ARCH);
    tools::target(project, &target)?;
    if tools::on_path(MUSL_COMPILER).is_none() {
        packages::install(project, MUSL_COMPILER, &["musl-tools"])?;
    }
    let heading = "Compiling the static service with optimisation (some minutes the first time)";
    process::timed(heading, || {
        let mut build = project.cargo("build");
        build.args(["--release", "--package", "booking-service"]);
        build.args(["--bin", SERVICE, "--target", &target]);
        // The log has the position of a panic without symbols, too.
        process::run(build.env("CARGO_PROFILE_RELEASE_STRIP", "symbols"))
    })?;
    Ok(project.built(&format!("{target}/release"), SERVICE))
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
        // With a small test: without any, cargo leaves out features that only tests need, and would compile the
        // service once more than the tests do.
        build.args(WITHOUT_WIDGET).args(["--test", "cases"]);
        for program in programs {
            build.args(["--bin", program]);
        }
        process::run(&mut build)
    })
}
