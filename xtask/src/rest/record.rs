//! Lists the functions that no first view calls.
//!
//! The programs are made to remember what they call, and all journeys are gone with them in all engines. What
//! views call before anybody touches them stays in the first file; the rest is listed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::List;
use super::recording::{Recorder, recording};
use crate::build::{self, Project, Speed};
use crate::dist::{self, PROGRAMS};
use crate::engines::{self, Engine};
use crate::step::{self, Attempt, Outcome};
use crate::test;

/// What a program is joined with instead of what fetches its second file.
const SCRIPT: &str = include_str!("record.js");

/// In these the journeys are gone, one after the other: what is called depends now and then on who is faster,
/// and on what a browser lacks.
const ROUNDS: [Engine; 4] = [
    Engine::Chromium,
    Engine::Firefox,
    Engine::Webkit,
    Engine::Chromium,
];

/// What people read at the beginning of a list.
const NOTICE: &str = "# The functions that no first view calls, each by twelve digits of its name's SHA-256.\n\
                      # Made by `cargo xtask rest`.\n";

/// Which functions of each program were called, by their places.
type Called = Arc<Mutex<BTreeMap<String, BTreeSet<usize>>>>;

/// Goes all journeys and writes the lists; or goes those that are named like `only`, and takes off the lists
/// what they call.
pub(crate) fn run(project: &Project, only: Option<&str>) -> Outcome {
    let mut rounds = Vec::new();
    for engine in ROUNDS {
        rounds.push(engines::get(project, engine)?);
    }
    dist::make(project)?;
    build::service(project, Speed::Debug)?;
    let compiled = build::wasm(project)?;

    let listener = TcpListener::bind("127.0.0.1:0").attempt("cannot listen")?;
    let address = listener.local_addr().attempt("cannot listen")?;
    let called = Called::default();
    let told = Arc::clone(&called);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let told = Arc::clone(&told);
            // What does not arrive whole counts as nothing.
            thread::spawn(move || hear(stream, &told).unwrap_or_default());
        }
    });

    let mut names = BTreeMap::new();
    let folder = project.target.join("xtask/recording");
    let files = dist::embedded(project, |program| {
        let path = compiled.join(format!("{program}.wasm"));
        let whole = fs::read(&path).attempt(format!("cannot read {}", path.display()))?;
        let into = folder.join(program);
        let bound = dist::bound(project, &whole, &into, program)?;
        let recorder = recording(&bound.first)?;
        let script = telling(&format!("http://{address}/{program}"), &recorder);
        names.insert(program.to_owned(), recorder.names);
        let script = bound.joined(&script)?;
        dist::write(&into.join(format!("{program}.js")), script.as_bytes())?;
        // The order is the one that the names are in.
        dist::write(&into.join(format!("{program}_bg.wasm")), &recorder.program)?;
        Ok(into)
    })?;
    let served = folder.join("dist");
    dist::remove_stale(&served.join("embed"), "embed", &files)?;
    let mut app = Vec::new();
    dist::collect(&project.dist().join("app"), "app", &mut app)?;
    for file in files.iter().chain(&app) {
        dist::write(&served.join(&file.path), &file.content)?;
    }

    for ready in &rounds {
        let mut journeys = test::journey_command(project, ready)?;
        journeys.env("BOOKING_E2E_DIST", &served);
        journeys.args(only).args(["--skip", "package::"]);
        journeys.arg(format!("--test-threads={}", engines::at_once()));
        // Those that look at the files, or that wait for what never comes, fail with these.
        step::watch(&mut journeys, |_| {})?;
    }

    let called = called.lock().unwrap_or_else(PoisonError::into_inner);
    if called.is_empty() {
        return Err("no journey told what a program calls".into());
    }
    for program in PROGRAMS {
        let names = names.remove(program).unwrap_or_default();
        let called = called.get(program).cloned().unwrap_or_default();
        if called.is_empty() && only.is_none() {
            return Err(format!("no journey told what {program} calls").into());
        }
        let used: BTreeSet<&str> = called
            .iter()
            .filter_map(|&place| names.get(place))
            .map(String::as_str)
            .collect();
        // What has the same name as something that is called stays with it.
        let known = List::read(super::listed(program));
        let rest = names.iter().map(String::as_str).filter(|name| {
            let is_free = !name.is_empty() && !used.contains(name);
            is_free && (only.is_none() || known.has(name))
        });
        let list = List::of(rest);
        let mut text = NOTICE.to_owned();
        for mark in list.marks() {
            text.push_str(mark);
            text.push('\n');
        }
        let path = project.root.join(format!("xtask/src/rest/{program}.txt"));
        dist::write(&path, text.as_bytes())?;
        println!(
            "{program}: of {} functions {} were called before a view was touched, {} are listed",
            names.len(),
            called.len(),
            list.marks().count()
        );
    }
    Ok(())
}

/// What a program is joined with that tells `address` what it calls.
fn telling(address: &str, recorder: &Recorder) -> String {
    let functions = recorder.names.len();
    SCRIPT
        .replace(
            "const RECORDER = \"\";",
            &format!("const RECORDER = {address:?};"),
        )
        .replace(
            "const FUNCTIONS = 0;",
            &format!("const FUNCTIONS = {functions};"),
        )
        .replace(
            "const PLACE = 0;",
            &format!("const PLACE = {};", recorder.place),
        )
}

/// Takes what a page sends: a byte for each function of the program that the path names.
fn hear(stream: TcpStream, called: &Called) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let program = line.split(['/', ' ']).nth(2).unwrap_or_default().to_owned();
    let mut length = 0;
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or_default();
        }
    }
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes)?;
    reader
        .into_inner()
        .write_all(b"HTTP/1.1 204 No Content\r\n\r\n")?;
    let places = (0..).zip(bytes).filter(|(_, byte)| *byte != 0);
    let mut called = called.lock().unwrap_or_else(PoisonError::into_inner);
    called
        .entry(program)
        .or_default()
        .extend(places.map(|(place, _)| place));
    Ok(())
}
