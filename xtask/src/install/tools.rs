//! Tools of the build: found on the machine, or installed into `target/tools`.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use fs_err as fs;

use crate::process::{self, Attempt, Outcome};
use crate::project::Project;

/// Version of axe-core, which scans for accessibility violations in the journeys.
const AXE_VERSION: &str = "4.14.1";

/// Version of the program that checks dependencies.
const DENY_VERSION: &str = "0.20.2";

/// Version of Firefox's driver.
const GECKODRIVER_VERSION: &str = "0.37.1";

/// Folder of the compiler's libraries.
fn rustlib(project: &Project) -> Outcome<PathBuf> {
    let sysroot = process::read(project.command("rustc").args(["--print", "sysroot"]))?;
    Ok(PathBuf::from(sysroot.trim()).join("lib/rustlib"))
}

/// Ensures that the compiler has a target that is not in `rust-toolchain.toml`.
pub(crate) fn target(project: &Project, name: &str) -> Outcome {
    if rustlib(project)?.join(name).join("lib").is_dir() {
        return Ok(());
    }
    process::timed(format!("Adding {name} to the Rust toolchain"), || {
        let mut rustup = project.command("rustup");
        process::run(rustup.args(["target", "add", name])).attempt(format!(
            "the compiler lacks {name}; install it with the package manager that installed Rust"
        ))
    })
}

/// Returns true if the compiler has the source of the standard library. Compiling it with the program makes the program
/// smaller.
pub(crate) fn has_library_source(project: &Project) -> Outcome<bool> {
    let source = rustlib(project)?.join("src/rust/library/Cargo.lock");
    Ok(source.is_file())
}

/// Ensures that the runner of the browser tests, a part of `wasm-bindgen-cli`, is installed.
pub(crate) fn wasm_test_runner(project: &Project) -> Outcome<PathBuf> {
    let version = project.locked_version("wasm-bindgen")?;
    let runner = "wasm-bindgen-test-runner";
    cargo_install(project, "wasm-bindgen-cli", runner, &version)
}

/// Ensures that cargo-deny is installed.
pub(crate) fn cargo_deny(project: &Project) -> Outcome<PathBuf> {
    cargo_install(project, "cargo-deny", "cargo-deny", DENY_VERSION)
}

/// Ensures that Firefox's driver is installed.
pub(crate) fn geckodriver(project: &Project) -> Outcome<PathBuf> {
    cargo_install(project, "geckodriver", "geckodriver", GECKODRIVER_VERSION)
}

/// Ensures that axe-core is installed and returns the path of its script.
pub(crate) fn axe(project: &Project) -> Outcome<PathBuf> {
    let folder = project.root.join(format!("target/tools/axe-{AXE_VERSION}"));
    let script = folder.join("node_modules/axe-core/axe.min.js");
    if script.is_file() {
        return Ok(script);
    }
    let npm = on_path("npm").ok_or(
        "npm, which installs axe-core, is missing; on Debian install it with `apt-get install npm`",
    )?;
    fs::create_dir_all(&folder)?;
    let mut install = project.command(npm);
    install.args(["install", "--no-save", "--no-audit", "--no-fund"]);
    install
        .arg("--prefix")
        .arg(&folder)
        .arg(format!("axe-core@{AXE_VERSION}"));
    process::timed(
        format!("Installing axe-core {AXE_VERSION} into target/tools"),
        || process::run(&mut install).attempt("cannot install axe-core"),
    )?;
    if script.is_file() {
        return Ok(script);
    }
    Err(format!("npm did not install {}", script.display()).into())
}

/// Finds `program` in the given version, or installs it.
fn cargo_install(
    project: &Project,
    package: &str,
    program: &str,
    version: &str,
) -> Outcome<PathBuf> {
    if let Some(found) = find(project, program, version) {
        return Ok(found);
    }
    let root = project.root.join("target/tools");
    let label = format!("{package} {version}");
    let build_folder = root.join("build");
    let mut install = project.cargo("install");
    install.args([package, "--bin", program, "--version", version]);
    install.arg("--root").arg(&root);
    // These tools run for seconds but compile for minutes. Only `wasm-bindgen` processes megabytes.
    let opt_level = if package == "wasm-bindgen-cli" {
        "1"
    } else {
        "0"
    };
    install
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", opt_level)
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
        .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
        .env("CARGO_TARGET_DIR", &build_folder);
    process::timed(
        format!("Installing {label} into target/tools (some minutes)"),
        || process::run(&mut install).attempt(format!("cannot install {label}")),
    )?;
    // The build folder exceeds a gigabyte. After a failure it stays, so that the next attempt can reuse
    // it; an error of the removal is harmless.
    let _ = fs::remove_dir_all(&build_folder);
    find(project, program, version).ok_or_else(|| {
        format!(
            "{program} was installed but `--version` does not return {version}; \
             remove target/tools and try again"
        )
        .into()
    })
}

/// Finds a working program in the given version.
fn find(project: &Project, program: &str, version: &str) -> Option<PathBuf> {
    let installed = project.tools().join(executable_name(program));
    let mut candidates = std::iter::once(installed).chain(on_path(program));
    candidates.find(|candidate| {
        let Ok(output) = Command::new(candidate)
            .arg("--version")
            .stderr(Stdio::null())
            .output()
        else {
            return false;
        };
        let text = String::from_utf8_lossy(&output.stdout);
        output.status.success() && text.split_whitespace().any(|word| word == version)
    })
}

/// Path of the first program with this name on the search path.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|folder| folder.join(executable_name(program)))
        .find(|file| file.is_file())
}

/// Returns true if the command runs with `--version`.
pub(crate) fn is_available(command: &mut Command) -> bool {
    let silenced = command
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    silenced.status().is_ok_and(|status| status.success())
}

fn executable_name(program: &str) -> String {
    format!("{program}{}", env::consts::EXE_SUFFIX)
}
