//! Programs that the build needs: found on the machine, or installed into `target/tools`.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::build::{self, Project, WASM};
use crate::step::{self, Attempt, Outcome};

/// The version of Trunk that builds the app.
const TRUNK: &str = "0.21.14";

/// The version of axe-core that looks for barriers in the journeys.
const AXE: &str = "4.14.1";

/// Where the compiler keeps libraries.
fn rustlib(project: &Project) -> Outcome<PathBuf> {
    let sysroot = step::read(project.command("rustc").args(["--print", "sysroot"]))?;
    Ok(PathBuf::from(sysroot.trim()).join("lib/rustlib"))
}

/// Makes sure that the compiler can compile for browsers.
pub(crate) fn wasm_target(project: &Project) -> Outcome {
    let installed = rustlib(project)?.join(WASM).join("lib");
    if installed.is_dir() {
        return Ok(());
    }
    step::timed(
        format!("Adding the target {WASM} to the Rust toolchain"),
        || {
            step::run(project.command("rustup").args(["target", "add", WASM])).attempt(format!(
                "the compiler lacks {WASM}; install it with rustup (`rustup target add {WASM}`) \
             or with the package manager that installed Rust"
            ))
        },
    )
}

/// Makes sure that the source of the standard library is there, if it can be had: compiled with the
/// program it takes less. Says whether it is.
pub(crate) fn library_source(project: &Project) -> Outcome<bool> {
    let source = rustlib(project)?.join("src/rust/library/Cargo.lock");
    if !source.is_file() && on_path("rustup").is_some() {
        step::timed("Adding rust-src to the Rust toolchain", || {
            step::run(
                project
                    .command("rustup")
                    .args(["component", "add", "rust-src"]),
            )
        })
        .unwrap_or_else(step::say);
    }
    Ok(source.is_file())
}

/// Makes sure that a part of the toolchain such as `clippy` is there.
pub(crate) fn component(project: &Project, name: &str, program: &str) -> Outcome {
    if answers(&mut project.command(program)) {
        return Ok(());
    }
    step::timed(format!("Adding {name} to the Rust toolchain"), || {
        step::run(project.command("rustup").args(["component", "add", name])).attempt(format!(
            "{program} is missing; install it with `rustup component add {name}`"
        ))
    })
}

/// Makes sure that Trunk is there.
pub(crate) fn trunk(project: &Project) -> Outcome<PathBuf> {
    // Its defaults are for downloads over TLS: `wasm-bindgen` is here already.
    let flags = ["--locked", "--no-default-features"];
    cargo_install(project, "trunk", "trunk", Some(TRUNK), &flags)
}

/// Makes sure that `wasm-bindgen` is there, in the one version that the compiled widget accepts.
pub(crate) fn wasm_bindgen(project: &Project) -> Outcome<PathBuf> {
    let version = build::locked_version(project, "wasm-bindgen")?;
    cargo_install(
        project,
        "wasm-bindgen-cli",
        "wasm-bindgen",
        Some(&version),
        &[],
    )
}

/// Makes sure that the runner of the browser tests is there; it comes with `wasm-bindgen`.
pub(crate) fn wasm_test_runner(project: &Project) -> Outcome<PathBuf> {
    let version = build::locked_version(project, "wasm-bindgen")?;
    cargo_install(
        project,
        "wasm-bindgen-cli",
        "wasm-bindgen-test-runner",
        Some(&version),
        &[],
    )
}

/// Makes sure that Firefox's driver is there.
pub(crate) fn geckodriver(project: &Project) -> Outcome<PathBuf> {
    cargo_install(project, "geckodriver", "geckodriver", None, &[])
}

/// Makes sure that axe-core is there, and gives its script.
pub(crate) fn axe(project: &Project) -> Outcome<PathBuf> {
    let folder = project.root.join("target/tools").join(format!("axe-{AXE}"));
    let script = folder.join("node_modules/axe-core/axe.min.js");
    if script.is_file() {
        return Ok(script);
    }
    let npm = on_path("npm").ok_or(
        "npm is missing, which brings axe-core; install it, on Debian with `apt-get install npm`",
    )?;
    fs::create_dir_all(&folder).attempt(format!("cannot make {}", folder.display()))?;
    let mut install = project.command(npm);
    install.args([
        "install",
        "--no-save",
        "--no-audit",
        "--no-fund",
        "--prefix",
    ]);
    install.arg(&folder).arg(format!("axe-core@{AXE}"));
    step::timed(
        format!("Installing axe-core {AXE} into target/tools"),
        || step::run(&mut install).attempt("axe-core could not be installed"),
    )?;
    if script.is_file() {
        return Ok(script);
    }
    Err(format!("npm installed no {}", script.display()).into())
}

/// Finds `program` in the wanted version (any, if none is wanted), or installs it.
fn cargo_install(
    project: &Project,
    package: &str,
    program: &str,
    version: Option<&str>,
    flags: &[&str],
) -> Outcome<PathBuf> {
    if let Some(found) = find(project, program, version) {
        return Ok(found);
    }
    let root = project.root.join("target/tools");
    let label = version.map_or_else(
        || package.to_owned(),
        |version| format!("{package} {version}"),
    );
    let shared = root.join("build");
    let mut install = project.cargo("install");
    install.args(flags).arg(package);
    if let Some(version) = version {
        install.args(["--version", version]);
    }
    install.arg("--root").arg(&root);
    // These tools run for seconds and compile for minutes. Only `wasm-bindgen` has megabytes to work on.
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
        .env("CARGO_TARGET_DIR", &shared);
    step::timed(
        format!("Installing {label} into target/tools (some minutes)"),
        || step::run(&mut install).attempt(format!("{label} could not be installed")),
    )?;
    // What was compiled on the way takes more than a gigabyte. It is kept only after a failure, so
    // that the next attempt goes on from there; a remainder does no harm.
    let _ = fs::remove_dir_all(&shared);
    find(project, program, version).ok_or_else(|| {
        format!(
            "{program} was installed but does not answer `--version` with {}; \
             remove target/tools and try again",
            version.unwrap_or("success")
        )
        .into()
    })
}

/// Finds a program that works and is of the wanted version.
fn find(project: &Project, program: &str, version: Option<&str>) -> Option<PathBuf> {
    let candidates = std::iter::once(project.tools().join(exe(program))).chain(on_path(program));
    candidates.into_iter().find(|candidate| {
        let Ok(output) = Command::new(candidate)
            .arg("--version")
            .stderr(Stdio::null())
            .output()
        else {
            return false;
        };
        let text = String::from_utf8_lossy(&output.stdout);
        output.status.success()
            && version.is_none_or(|version| text.split_whitespace().any(|word| word == version))
    })
}

/// The first program of this name on the search path.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|folder| folder.join(exe(program)))
        .find(|file| file.is_file())
}

/// Whether the program starts and answers `--version`.
pub(crate) fn answers(command: &mut Command) -> bool {
    let quiet = command
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

fn exe(program: &str) -> String {
    format!("{program}{}", env::consts::EXE_SUFFIX)
}
