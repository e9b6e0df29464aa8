//! Browser engines for tests, installed with the system's package manager if missing.

use std::fs;
use std::path::{Path, PathBuf};

use super::{packages, tools};
use crate::process::Outcome;
use crate::project::Project;

/// A browser engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Engine {
    Chromium,
    Firefox,
    Webkit,
}

/// An installed browser with its driver.
#[derive(Clone, Debug)]
pub(crate) struct Browser {
    pub(crate) engine: Engine,
    /// Path of the WebDriver program.
    pub(crate) driver: PathBuf,
    /// Path of the browser program.
    pub(crate) binary: PathBuf,
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

    /// Package names on Debian; other systems may use other names.
    fn packages(self) -> &'static [&'static str] {
        match self {
            Engine::Chromium => &["chromium", "chromium-driver", "fonts-liberation"],
            Engine::Firefox => &["firefox-esr"],
            Engine::Webkit => &["webkit2gtk-driver", "xvfb"],
        }
    }

    /// Path of the browser, if it is installed.
    fn binary(self) -> Option<PathBuf> {
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

    /// Path of the packaged driver, if it is installed. Firefox has none: see [`tools::geckodriver`].
    fn packaged_driver(self) -> Option<PathBuf> {
        match self {
            Engine::Chromium => tools::on_path("chromedriver"),
            Engine::Firefox => None,
            Engine::Webkit => tools::on_path("WebKitWebDriver"),
        }
    }

    fn is_packaged(self) -> bool {
        self.binary().is_some() && (self == Engine::Firefox || self.packaged_driver().is_some())
    }
}

/// Returns the browser of an engine, installing it and its driver if missing.
pub(crate) fn ensure(project: &Project, engine: Engine) -> Outcome<Browser> {
    if !engine.is_packaged() {
        packages::install(project, engine.name(), engine.packages())?;
    }
    let missing = || {
        let (name, packages) = (engine.name(), engine.packages().join(" "));
        format!(
            "{name} or its driver is missing; install it, on Debian with `apt-get install {packages}`"
        )
    };
    let binary = engine.binary().ok_or_else(missing)?;
    let driver = match engine {
        Engine::Firefox => tools::geckodriver(project)?,
        _ => engine.packaged_driver().ok_or_else(missing)?,
    };
    Ok(Browser {
        engine,
        driver,
        binary,
    })
}

fn first_on_path(names: &[&str]) -> Option<PathBuf> {
    names.iter().find_map(|name| tools::on_path(name))
}

/// Path of WebKit's MiniBrowser, which is not on the search path.
fn mini_browser() -> Option<PathBuf> {
    let libraries = ["/usr/lib", "/usr/lib64", "/usr/libexec"];
    let nested = libraries
        .iter()
        .flat_map(|folder| subfolders(Path::new(folder)));
    libraries
        .iter()
        .map(PathBuf::from)
        .chain(nested)
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

/// Number of browsers to run in parallel: one more than there are cores, because journeys also wait for timers.
pub(crate) fn max_parallel() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from) + 1
}
