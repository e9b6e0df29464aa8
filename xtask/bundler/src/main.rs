//! Makes the files that browsers load: WebAssembly modules, their scripts, minified scripts. xtask runs it.

mod link;
mod minify;
mod split;
mod strip;

use std::env;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

const HELP: &str = "\
bundler link PROGRAM.wasm FOLDER   splits the program into a main module and lazy chunks, and writes them and the
                                   script that loads them to FOLDER
bundler minify NAME                minifies the JavaScript module of standard input to standard output; NAME is
                                   for error messages
";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments[..] {
        ["link", program, folder] => link::chunks(Path::new(program), Path::new(folder)),
        ["minify", name] => minify_input(name),
        _ => Err(HELP.to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn minify_input(name: &str) -> Result<(), String> {
    let script = io::read_to_string(io::stdin());
    let script = script.map_err(|error| format!("cannot read {name}: {error}"))?;
    let minified = minify::minified(name, &script)?;
    let written = io::stdout().write_all(minified.as_bytes());
    written.map_err(|error| format!("cannot write {name}: {error}"))
}
