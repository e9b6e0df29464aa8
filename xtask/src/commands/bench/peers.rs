//! Published booking widgets that the elements are compared with: installed by npm, bundled and served by Node with a
//! mock of their services.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use fs_err as fs;

use crate::package::node_tests;
use crate::process::{self, Attempt, Outcome};
use crate::project::Project;

/// Running server of the peers. Dropping it ends the process.
pub(super) struct Peers {
    server: Child,
    url: String,
}

impl Peers {
    /// Installs, bundles and serves the peers; prints the reason if that is not possible.
    pub(super) fn serve(project: &Project) -> Option<Peers> {
        let peers = match node_tests::lacks(project) {
            Some(reason) => Err(reason.into()),
            None => install(project).and_then(|folder| start(project, &folder)),
        };
        let report = |error| process::say(format!("Without published widgets: {error}"));
        peers.map_err(report).ok()
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Peers {
    fn drop(&mut self) {
        // The server ends with its standard input, which `wait` closes.
        let _ = self.server.wait();
    }
}

/// Copies `tests/bench/peers` into `target/peers`, installs the packages there and returns the folder.
fn install(project: &Project) -> Outcome<PathBuf> {
    let folder = project.target.join("peers");
    fs::create_dir_all(&folder)?;
    for entry in fs::read_dir(project.root.join("tests/bench/peers"))? {
        let entry = entry?;
        fs::copy(entry.path(), folder.join(entry.file_name()))?;
    }
    let manifest = fs::read_to_string(folder.join("package.json"))?;
    let stamp = folder.join("installed");
    if fs::read_to_string(&stamp).ok().as_ref() != Some(&manifest) {
        process::say("Installing published widgets into target/peers");
        let mut npm = project.command("npm");
        npm.args(["install", "--silent"]).current_dir(&folder);
        process::run(&mut npm).attempt("cannot install them")?;
        fs::write(&stamp, manifest)?;
    }
    Ok(folder)
}

/// Starts the server, which bundles the packages first.
fn start(project: &Project, folder: &Path) -> Outcome<Peers> {
    process::timed("Bundling published widgets", || {
        let mut node = project.command("node");
        node.arg("serve.mjs").current_dir(folder);
        node.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = node.spawn().attempt("cannot start node")?;
        let mut url = String::new();
        if let Some(output) = server.stdout.take() {
            BufReader::new(output).read_line(&mut url)?;
        }
        let peers = Peers {
            server,
            url: url.trim().to_owned(),
        };
        match peers.url.is_empty() {
            true => Err("cannot bundle them".into()),
            false => Ok(peers),
        }
    })
}
