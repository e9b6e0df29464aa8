//! The browser engines that tests run in, and getting them from the system's package manager.

use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::build::Project;
use crate::step::{self, Attempt, Outcome};
use crate::tools;

/// A browser engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Engine {
    Chromium,
    Firefox,
    Webkit,
}

/// An engine that can be driven on this machine.
#[derive(Clone, Debug)]
pub(crate) struct Ready {
    pub(crate) engine: Engine,
    /// The WebDriver program.
    pub(crate) driver: PathBuf,
    /// The browser that it starts.
    pub(crate) browser: PathBuf,
}

impl Engine {
    pub(crate) const ALL: [Engine; 3] = [Engine::Chromium, Engine::Firefox, Engine::Webkit];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Engine::Chromium => "chromium",
            Engine::Firefox => "firefox",
            Engine::Webkit => "webkit",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Engine> {
        Engine::ALL.into_iter().find(|engine| engine.name() == name)
    }

    /// Debian's packages: what this project is developed on. Others may name them otherwise.
    fn packages(self) -> &'static [&'static str] {
        match self {
            Engine::Chromium => &["chromium", "chromium-driver", "fonts-liberation"],
            Engine::Firefox => &["firefox-esr"],
            Engine::Webkit => &["webkit2gtk-driver", "xvfb"],
        }
    }

    /// The browser, if it is installed.
    fn browser(self) -> Option<PathBuf> {
        match self {
            Engine::Chromium => first_on_path(&[
                "chromium",
                "chromium-browser",
                "google-chrome",
                "google-chrome-stable",
            ]),
            Engine::Firefox => first_on_path(&["firefox-esr", "firefox"]),
            Engine::Webkit => tools::on_path("Xvfb").and_then(|_| mini_browser()),
        }
    }

    /// The driver from the system's packages. Firefox's is not among them: see [`get`].
    fn packaged_driver(self) -> Option<PathBuf> {
        match self {
            Engine::Chromium => tools::on_path("chromedriver"),
            Engine::Firefox => None,
            Engine::Webkit => tools::on_path("WebKitWebDriver"),
        }
    }

    fn is_packaged(self) -> bool {
        self.browser().is_some() && (self == Engine::Firefox || self.packaged_driver().is_some())
    }
}

/// The engines to test in when nobody said which: Chromium, and the others that are installed.
pub(crate) fn usual() -> Vec<Engine> {
    let wanted = |engine: &Engine| *engine == Engine::Chromium || engine.is_packaged();
    Engine::ALL.into_iter().filter(wanted).collect()
}

/// Makes an engine ready, installing what is missing.
pub(crate) fn get(project: &Project, engine: Engine) -> Outcome<Ready> {
    if !engine.is_packaged() {
        install(project, engine)?;
    }
    let missing = || {
        let (name, packages) = (engine.name(), engine.packages().join(" "));
        format!(
            "{name} or its driver is missing; install it, on Debian with `apt-get install {packages}`"
        )
    };
    let browser = engine.browser().ok_or_else(missing)?;
    let driver = match engine {
        Engine::Firefox => tools::geckodriver(project)?,
        _ => engine.packaged_driver().ok_or_else(missing)?,
    };
    Ok(Ready {
        engine,
        driver,
        browser,
    })
}

/// Installs an engine with the system's package manager.
fn install(project: &Project, engine: Engine) -> Outcome {
    let packages = engine.packages();
    let advice = format!("apt-get install {}", packages.join(" "));
    let unavailable = |why: &str| {
        format!(
            "{} is missing and {why}; on Debian install it with `{advice}`",
            engine.name()
        )
    };
    if tools::on_path("apt-get").is_none() {
        return Err(unavailable("this machine has no apt-get").into());
    }
    let Some(prefix) = as_root() else {
        return Err(unavailable("there is neither root nor sudo to install it").into());
    };
    let apt = |arguments: &[&str]| {
        let words: Vec<&str> = prefix.iter().copied().chain(["apt-get"]).collect();
        let mut command = project.command(words.first().copied().unwrap_or("apt-get"));
        command.args(words.iter().skip(1)).args(arguments);
        command.env("DEBIAN_FRONTEND", "noninteractive");
        command
    };
    step::timed(
        format!("Installing {} ({})", engine.name(), packages.join(", ")),
        || {
            // A stale or partly unreachable package list is no reason to give up: installing decides.
            if let Err(error) = step::run(&mut apt(&["update", "-q"])) {
                println!("    {error}; going on with the package lists that are there");
            }
            let options = ["install", "-q", "-y", "--no-install-recommends"];
            step::run(apt(&options).args(packages))
                .attempt(unavailable("apt-get could not install it"))
        },
    )
}

/// What to put before a command so that it runs as root: nothing for root, sudo if it is there.
fn as_root() -> Option<&'static [&'static str]> {
    let id = Command::new("id").arg("-u").output().ok()?;
    if String::from_utf8_lossy(&id.stdout).trim() == "0" {
        return Some(&[]);
    }
    tools::on_path("sudo")?;
    // Without a terminal nobody can type a password, and waiting for one would hang.
    if std::io::stdin().is_terminal() {
        Some(&["sudo"])
    } else {
        Some(&["sudo", "-n"])
    }
}

fn first_on_path(names: &[&str]) -> Option<PathBuf> {
    names.iter().find_map(|name| tools::on_path(name))
}

/// WebKit's small browser, which no search path has.
fn mini_browser() -> Option<PathBuf> {
    let libraries = ["/usr/lib", "/usr/lib64", "/usr/libexec"];
    let deeper = libraries
        .iter()
        .flat_map(|folder| subfolders(Path::new(folder)));
    libraries
        .iter()
        .map(PathBuf::from)
        .chain(deeper)
        .find_map(|folder| {
            ["webkit2gtk-4.1", "webkit2gtk-4.0", "webkitgtk-6.0"]
                .iter()
                .map(|version| folder.join(version).join("MiniBrowser"))
                .find(|file| file.is_file())
        })
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect()
}

/// The number of browsers to run at once: one per core.
pub(crate) fn at_once() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
