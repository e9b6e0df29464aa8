//! Static checks: format, lints, documentation, import cycles, layers and licences.

use std::path::Path;

use crate::checks::{cycles, layers, licences};
use crate::process::{self, Outcome};
use crate::project::{Project, WASM};

/// Runs all checks, even if one fails.
pub(crate) fn run(project: &Project) -> Outcome {
    let mut failed = Vec::new();
    let mut check = |name: &'static str, work: &dyn Fn() -> Outcome| {
        if let Err(error) = process::timed(name, work) {
            println!("    {error}");
            failed.push(name);
        }
    };
    check("Format", &|| {
        process::run(project.cargo("fmt").args(["--all", "--check"]))
    });
    check("Lints, native", &|| {
        let mut clippy = project.cargo("clippy");
        clippy.args(["--workspace", "--all-targets", "--", "-D", "warnings"]);
        process::run(&mut clippy)
    });
    check("Lints, journeys", &|| lint_end_to_end_tests(project));
    check("Lints, browser", &|| {
        let mut clippy = project.cargo("clippy");
        clippy.args(["--package", "booking-widget", "--package", "booking-ui"]);
        clippy.args(["--package", "booking-wire"]);
        clippy.args(["--target", WASM, "--all-targets", "--", "-D", "warnings"]);
        process::run(&mut clippy)
    });
    check("Documentation", &|| {
        let mut doc = project.cargo("doc");
        doc.args(["--workspace", "--no-deps", "--document-private-items"]);
        process::run(doc.env("RUSTDOCFLAGS", "-D warnings"))
    });
    check("Import cycles", &|| {
        let metadata = project.metadata(&["--no-deps"])?;
        let packages = metadata["packages"].as_array().into_iter().flatten();
        let mut manifests = packages.filter_map(|package| package["manifest_path"].as_str());
        manifests.try_for_each(|path| cycles::check(&Path::new(path).with_file_name("src")))
    });
    check("Layers", &|| {
        layers::check_service(&project.root.join("crates/service/src"))?;
        layers::check_widget(&project.root.join("src"))
    });
    check("Licences", &|| licences::check(project));

    if failed.is_empty() {
        println!("\nEvery check passed.");
        return Ok(());
    }
    Err(format!("failed checks: {}", failed.join(", ")).into())
}

/// Lints the test targets with `test = false`, which `--all-targets` does not include.
fn lint_end_to_end_tests(project: &Project) -> Outcome {
    let mut clippy = project.cargo("clippy");
    // Of the whole workspace, with the same features as the lints before it.
    clippy.arg("--workspace");
    clippy.args(["--test", "e2e", "--test", "shots", "--test", "bench"]);
    clippy.args(["--", "-D", "warnings"]);
    process::run(&mut clippy)
}
