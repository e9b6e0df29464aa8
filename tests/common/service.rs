//! Runs the real service with demo data in a temporary folder.

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::cal_dialect::is_cal_dialect;
use super::faults::Faults;
use super::http::Client;
use super::{free_port, setting};

/// Running service. Dropping it stops the process and deletes its data.
pub(crate) struct Service {
    child: Child,
    folder: TempDir,
    base: String,
    demo: Value,
    /// Proxy that pages use instead of the service, if it must be one of the cal dialect.
    cal_proxy: Option<Faults>,
}

impl Service {
    /// Starts a service with demo data and waits until it is ready.
    pub(crate) fn start() -> Service {
        Service::start_with(&[])
    }

    /// Starts a service with `count` team bookings, in earlier and later years too.
    pub(crate) fn with_bookings(count: usize) -> Service {
        Service::start_with(&["--demo-bookings", &count.to_string()])
    }

    /// Starts a service with more options of `service serve`.
    pub(crate) fn start_with(options: &[&str]) -> Service {
        // Another process can take the free port before the service binds it.
        let mut last_error = String::new();
        for _ in 0..3 {
            match Service::try_start(options) {
                Ok(mut service) => {
                    if is_cal_dialect() {
                        service.cal_proxy = Some(Faults::before(&service));
                    }
                    return service;
                }
                Err(error) => last_error = error,
            }
        }
        panic!("the service does not start: {last_error}");
    }

    fn try_start(options: &[&str]) -> Result<Service, String> {
        let folder = TempDir::with_prefix("booking-service-").expect("a folder for data");
        DemoData::write_into(folder.path())?;
        Service::start_in(folder, options)
    }

    /// Starts a service with the data of a folder, or with new demo data.
    fn start_in(folder: TempDir, options: &[&str]) -> Result<Service, String> {
        let dist = setting("BOOKING_E2E_DIST");
        let dist = Path::new(&dist);
        let mut child = Command::new(setting("BOOKING_E2E_SERVICE"))
            .args([
                "--env-file=",
                "serve",
                "--demo",
                "--port",
                &free_port().to_string(),
                "--data",
            ])
            .arg(folder.path())
            .arg("--app-dir")
            .arg(dist.join("app"))
            .arg("--embed-dir")
            .arg(dist.join("embed"))
            .args(options)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;

        let mut errors = child.stderr.take().expect("standard error");
        let errors = thread::spawn(move || {
            let mut text = String::new();
            // Output that is not UTF-8 is of no use in a failure message.
            let _ = errors.read_to_string(&mut text);
            text
        });
        let mut output = BufReader::new(child.stdout.take().expect("standard output"));
        let mut line = String::new();
        while output.read_line(&mut line).is_ok_and(|length| length > 0) {
            if let Some(base) = line.trim_end().strip_prefix("ready ") {
                let base = base.to_owned();
                // Drains the pipe, so that it cannot fill up.
                thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
                let demo = fs::read_to_string(folder.path().join("demo.json"))
                    .map_err(|error| format!("demo.json: {error}"))?;
                let demo = serde_json::from_str(&demo).map_err(|error| error.to_string())?;
                return Ok(Service {
                    child,
                    folder,
                    base,
                    demo,
                    cal_proxy: None,
                });
            }
            line.clear();
        }
        // Without a ready line the service has failed or ended.
        let _ = child.kill();
        let _ = child.wait();
        Err(errors.join().unwrap_or_default())
    }

    /// Returns the URL of a path of the service, for pages.
    pub(crate) fn url(&self, path: &str) -> String {
        match &self.cal_proxy {
            Some(cal_proxy) => cal_proxy.url(path),
            None => format!("{}{path}", self.base),
        }
    }

    /// Its own `host:port`.
    pub(super) fn address(&self) -> &str {
        self.base.trim_start_matches("http://")
    }

    /// Returns `demo.json`: ids, slugs and credentials of the demo data.
    pub(crate) fn demo(&self) -> &Value {
        &self.demo
    }

    /// Returns one text of `demo.json`, such as `username`.
    #[track_caller]
    pub(crate) fn demo_text(&self, key: &str) -> String {
        match &self.demo[key] {
            Value::String(text) => text.clone(),
            Value::Null => panic!("demo.json has no {key}: {}", self.demo),
            other => other.to_string(),
        }
    }

    /// Client without credentials.
    pub(crate) fn visitor(&self) -> Client {
        Client::new(&self.base)
    }

    /// Client with the demo's API key, that of the organisation's owner.
    pub(crate) fn owner(&self) -> Client {
        self.client_with("apiKey")
    }

    /// Client with the API key of the host who has event types of her own.
    pub(crate) fn host(&self) -> Client {
        self.client_with("userKey")
    }

    /// Client with a key of `demo.json`.
    fn client_with(&self, key: &str) -> Client {
        let key = self.demo_text(key);
        self.visitor()
            .with_header("authorization", &format!("Bearer {key}"))
    }

    /// Client that may book the event type: a visitor, or the owner if it is hidden.
    pub(crate) fn booker(&self, event_type_id: i64) -> Client {
        let path = format!("/v2/event-types/{event_type_id}");
        match self.visitor().get(&path).status {
            404 => self.owner(),
            _ => self.visitor(),
        }
    }

    /// Changes settings of an event type, as the owner.
    #[track_caller]
    pub(crate) fn update_event_type(&self, event_type_id: i64, settings: &Value) {
        let path = format!("/v2/event-types/{event_type_id}");
        let changed = self.owner().call("PATCH", &path, Some(settings));
        let changed = changed.expect("a response");
        assert_eq!(changed.status, 200, "{event_type_id}: {changed:?}");
    }

    /// Makes a hidden event type public.
    #[track_caller]
    pub(crate) fn unhide_event_type(&self, event_type_id: i64) {
        self.update_event_type(event_type_id, &json!({ "hidden": false }));
    }

    /// Kills the service, as a crash would.
    pub(crate) fn stop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Files of a data folder with demo data: to create it takes longer than to start a service. Each service
/// creates its own credentials.
struct DemoData {
    files: Vec<(OsString, Vec<u8>)>,
    created: Instant,
}

/// Event types of the demo data.
const DEMO_EVENT_TYPES: RangeInclusive<i64> = 1..=8;

/// Their minimum notice, in minutes.
const DEMO_NOTICE: u64 = 120;

static DEMO_DATA: Mutex<Option<DemoData>> = Mutex::new(None);

impl DemoData {
    /// Age from which the data is created again: its bookings are around the current time.
    const MAX_AGE: Duration = Duration::from_secs(120);

    fn create() -> Result<DemoData, String> {
        let created = Instant::now();
        let folder = TempDir::with_prefix("booking-demo-").expect("a folder for data");
        let mut service = Service::start_in(folder, &[])?;
        // No slots on the current day, whose number would depend on the time of day.
        let notice = (minutes_until_midnight() + 1).max(DEMO_NOTICE);
        let settings = json!({ "minimumBookingNotice": notice });
        for event_type_id in DEMO_EVENT_TYPES {
            let path = format!("/v2/event-types/{event_type_id}");
            // The team's, and those of one of its people.
            let is_changed = [service.owner(), service.host()].iter().any(|client| {
                let changed = client.call("PATCH", &path, Some(&settings));
                changed.is_ok_and(|response| response.status == 200)
            });
            assert!(is_changed, "event type {event_type_id}");
        }
        service.stop();
        let folder = service.folder.path();
        let files = read_files(folder).map_err(|error| format!("demo data: {error}"))?;
        Ok(DemoData { files, created })
    }

    /// Writes recent demo data into a folder.
    fn write_into(folder: &Path) -> Result<(), String> {
        let mut known = DEMO_DATA.lock().unwrap_or_else(PoisonError::into_inner);
        let recent = known
            .take()
            .filter(|data| data.created.elapsed() < DemoData::MAX_AGE);
        let data = known.insert(recent.map_or_else(DemoData::create, Ok)?);
        for (name, bytes) in &data.files {
            fs::write(folder.join(name), bytes).map_err(|error| format!("demo data: {error}"))?;
        }
        Ok(())
    }
}

/// Minutes until the next midnight in UTC. No demo slot is near it.
fn minutes_until_midnight() -> u64 {
    const DAY: u64 = 24 * 60;
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    DAY - now.expect("a current time").as_secs() / 60 % DAY
}

/// Reads the files of a data folder, except the credentials of its demo.
fn read_files(folder: &Path) -> std::io::Result<Vec<(OsString, Vec<u8>)>> {
    let mut files = Vec::new();
    for file in fs::read_dir(folder)? {
        let file = file?;
        let name = file.file_name();
        if name != "demo.json" {
            files.push((name, fs::read(file.path())?));
        }
    }
    Ok(files)
}

/// Returns the folder of the embed files.
pub(crate) fn embed_folder() -> String {
    setting("BOOKING_E2E_DIST") + "/embed"
}

/// Returns the names of the picker's script and WebAssembly.
pub(crate) fn picker_files() -> [String; 2] {
    let names = fs::read(embed_folder() + "/preload.json").expect("preload.json");
    let names: Value = serde_json::from_slice(&names).expect("JSON");
    [0, 1].map(|index| {
        let name = names["picker"][index].as_str();
        name.expect("a name").to_owned()
    })
}
