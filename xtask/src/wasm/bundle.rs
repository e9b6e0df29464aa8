//! The bundler, which makes the files of compiled programs and minifies scripts. It is a program of its own
//! (`xtask/bundler`), because its dependencies take longer to compile than everything else in xtask.

use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use fs_err as fs;
use sha2::{Digest, Sha256};

use crate::process::{self, Outcome};

/// The compiled bundler.
pub(crate) struct Bundler {
    program: PathBuf,
}

impl Bundler {
    pub(crate) fn new(program: PathBuf) -> Self {
        Self { program }
    }

    /// Returns the minified JavaScript module. `name` is for error messages.
    pub(crate) fn minify(&self, name: &str, script: &str) -> Outcome<String> {
        process::filter(self.command().args(["minify", name]), script)
    }

    /// Makes the files of a program in the folder `into`: a main module and chunks. Does nothing if they were made from
    /// the same program by the same bundler.
    pub(crate) fn link(&self, program: &Path, into: &Path) -> Outcome {
        let content = fs::read(program)?;
        let bundler = fs::metadata(&self.program)?.modified()?;
        let hash = BASE64_STANDARD_NO_PAD.encode(Sha256::digest(content));
        let print = format!("{hash} {bundler:?}");
        let stamp = into.with_extension("stamp");
        if into.is_dir() && fs::read_to_string(&stamp).is_ok_and(|stored| stored == print) {
            return Ok(());
        }
        // The last run may have been interrupted, or may have made files that are no longer needed.
        let _ = fs::remove_file(&stamp);
        if into.is_dir() {
            fs::remove_dir_all(into)?;
        }
        let mut link = self.command();
        process::run(link.arg("link").arg(program).arg(into))?;
        Ok(fs::write(&stamp, print)?)
    }

    fn command(&self) -> Command {
        Command::new(&self.program)
    }
}
