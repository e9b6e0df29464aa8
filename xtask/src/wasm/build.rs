//! Compilation of the widget's programs for browsers.

use std::path::PathBuf;
use std::process::Command;

use crate::install::tools;
use crate::process::{self, Outcome};
use crate::project::{Project, WASM};

/// A sixteenth of the default stack, of which each instance would take a megabyte: the screens use a fifth of it, and the
/// journey `deepest_stack_use_leaves_half_of_it` allows half. It begins at address 0, so that an overflow traps. Constants
/// follow it in memory, with addresses that take three bytes instead of four.
const SMALL_STACK: &str = "-C link-arg=-zstack-size=65536";

/// Leaves out panic messages: a tenth of a program.
const WITHOUT_PANIC_MESSAGES: &str =
    " -Zunstable-options -Cpanic=immediate-abort -Zlocation-detail=none -Zfmt-debug=none";

/// Compiler that these switches were tested with. They are unstable, hence `RUSTC_BOOTSTRAP`; any other compiler
/// builds larger files without them.
const TESTED_COMPILER: &str = "rustc 1.95.";

/// Makes a command that compiles for browsers produce small programs.
fn small<'command>(
    project: &Project,
    command: &'command mut Command,
) -> Outcome<&'command mut Command> {
    let mut flags = SMALL_STACK.to_owned();
    if can_be_small(project)? {
        flags.push_str(WITHOUT_PANIC_MESSAGES);
        command.envs([
            ("RUSTC_BOOTSTRAP", "1"),
            ("CARGO_UNSTABLE_BUILD_STD", "std,panic_abort"),
            ("CARGO_UNSTABLE_BUILD_STD_FEATURES", "optimize_for_size"),
        ]);
    }
    Ok(command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", flags))
}

fn can_be_small(project: &Project) -> Outcome<bool> {
    let version = process::read(project.command("rustc").arg("--version"))?;
    Ok(version.starts_with(TESTED_COMPILER) && tools::has_library_source(project)?)
}

/// Says if the files will be larger than necessary.
pub(crate) fn prepare(project: &Project) -> Outcome {
    if !can_be_small(project)? {
        process::say(format!(
            "With {TESTED_COMPILER}x and its component rust-src the files would be smaller"
        ));
    }
    Ok(())
}

/// Compiles the three programs for browsers and returns their folder.
///
/// In one call, so that their slow link steps run at the same time.
pub(crate) fn compile(project: &Project) -> Outcome<PathBuf> {
    let heading = "Compiling the widget for browsers (some minutes the first time)";
    process::timed(heading, || {
        let mut build = project.cargo("build");
        build.args(["--profile", "wasm", "--target", WASM, "--bins"]);
        build.args(["--features", "lazy-chunks"]);
        process::run(small(project, &mut build)?)
    })?;
    Ok(project.target.join(WASM).join("wasm"))
}
