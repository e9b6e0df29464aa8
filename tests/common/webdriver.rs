//! WebDriver client, and the start of browsers with their options. The protocol is JSON over HTTP, so plain calls suffice.

use std::cell::Cell;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::http::Client;
use super::{ZONE, free_port, setting};

/// Browser engine of a test run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Engine {
    Chromium,
    Firefox,
    Webkit,
}

impl Engine {
    /// Returns the engine of this test run.
    pub(crate) fn of_test_run() -> Engine {
        match setting("BOOKING_E2E_BROWSER").as_str() {
            "chromium" => Engine::Chromium,
            "firefox" => Engine::Firefox,
            "webkit" => Engine::Webkit,
            other => panic!("BOOKING_E2E_BROWSER is {other}"),
        }
    }

    fn capabilities(self, options: &BrowserOptions, profile: &str, downloads: &str) -> Value {
        let binary = setting("BOOKING_E2E_BINARY");
        let mut engine_options = match self {
            Engine::Chromium => json!({
                "goog:loggingPrefs": { "browser": "ALL" },
                "goog:chromeOptions": {
                    "binary": binary,
                    "args": [
                        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic",
                        "--no-first-run", "--disable-background-networking",
                        "--disable-component-update", "--disable-sync",
                        "--disable-dev-shm-usage", "--hide-scrollbars", "--lang=en-US",
                        format!("--user-data-dir={profile}"),
                    ],
                    "prefs": {
                        "download.default_directory": downloads,
                        // No autofill from earlier tests.
                        "autofill": { "enabled": false, "profile_enabled": false },
                    },
                },
            }),
            Engine::Firefox => json!({
                "moz:firefoxOptions": {
                    "binary": binary,
                    "args": ["-headless"],
                    "prefs": {
                        "intl.accept_languages": "en-US", "intl.locale.requested": "en-US",
                        // No autofill from earlier tests.
                        "browser.formfill.enable": false,
                        // Saves downloads without a dialog.
                        "browser.download.folderList": 2, "browser.download.dir": downloads,
                        "browser.download.always_ask_before_handling_new_types": false,
                        "browser.download.alwaysOpenPanel": false,
                        "browser.helperApps.neverAsk.saveToDisk": "text/csv,text/calendar",
                    },
                },
            }),
            Engine::Webkit => json!({
                "webkitgtk:browserOptions": { "binary": binary, "args": ["--automation"] },
            }),
        };
        if options.records_tasks || options.records_requests {
            engine_options["goog:loggingPrefs"]["performance"] = json!("ALL");
            let mut log_options =
                json!({ "enableNetwork": options.records_requests, "enablePage": false });
            if options.records_tasks {
                log_options["traceCategories"] = json!("toplevel");
            }
            engine_options["goog:chromeOptions"]["perfLoggingPrefs"] = log_options;
        }
        if !options.has_storage {
            match self {
                Engine::Chromium => {
                    engine_options["goog:chromeOptions"]["prefs"]["profile.default_content_setting_values.cookies"] =
                        json!(2);
                }
                Engine::Firefox => {
                    engine_options["moz:firefoxOptions"]["prefs"]["network.cookie.cookieBehavior"] =
                        json!(2);
                }
                Engine::Webkit => {
                    engine_options["webkitgtk:browserOptions"]["args"] = json!([
                        "--automation",
                        "--cookies-policy=never",
                        "--enable-html5-local-storage=FALSE",
                        "--enable-html5-database=FALSE",
                    ]);
                }
            }
        }
        let mut all = json!({
            "timeouts": { "script": 30_000, "pageLoad": 30_000, "implicit": 0 },
        });
        for (key, value) in engine_options.as_object().into_iter().flatten() {
            all[key] = value.clone();
        }
        json!({ "capabilities": { "alwaysMatch": all } })
    }
}

/// Settings of a browser.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BrowserOptions {
    /// Time zone of the browser.
    pub(crate) zone: String,
    /// True if pages may store data: cookies, storage, databases.
    pub(crate) has_storage: bool,
    /// True if WebKit can take screenshots, with `BOOKING_E2E_SCREENSHOTS` in all tests. The other engines always can.
    pub(crate) has_screenshots: bool,
    /// True if the browser records the tasks of each thread; Chromium only.
    pub(crate) records_tasks: bool,
    /// True if the browser records each request; Chromium only.
    pub(crate) records_requests: bool,
}

impl Default for BrowserOptions {
    fn default() -> BrowserOptions {
        BrowserOptions {
            zone: ZONE.to_owned(),
            has_storage: true,
            has_screenshots: std::env::var_os("BOOKING_E2E_SCREENSHOTS").is_some(),
            records_tasks: false,
            records_requests: false,
        }
    }
}

/// Key without a printable character.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Key {
    Tab,
    ShiftTab,
    Enter,
    Space,
    Escape,
    Left,
    Right,
    Up,
    Down,
    ShiftDown,
    Home,
    End,
    PageUp,
    PageDown,
}

impl Key {
    /// Returns the code in WebDriver, and true if Shift is held.
    fn code(self) -> (Stroke, bool) {
        let code = match self {
            Key::Tab | Key::ShiftTab => '\u{E004}',
            Key::Enter => '\u{E007}',
            Key::Space => ' ',
            Key::Escape => '\u{E00C}',
            Key::PageUp => '\u{E00E}',
            Key::PageDown => '\u{E00F}',
            Key::End => '\u{E010}',
            Key::Home => '\u{E011}',
            Key::Left => '\u{E012}',
            Key::Up => '\u{E013}',
            Key::Right => '\u{E014}',
            Key::Down | Key::ShiftDown => '\u{E015}',
        };
        (
            Stroke::of(code),
            matches!(self, Key::ShiftTab | Key::ShiftDown),
        )
    }
}

/// Key press, key release, or both.
#[derive(Clone, Copy)]
struct Stroke {
    key: char,
    down: bool,
    up: bool,
}

impl Stroke {
    fn of(key: char) -> Stroke {
        Stroke {
            key,
            down: true,
            up: true,
        }
    }
}

const BACKSPACE: char = '\u{E003}';
const SHIFT_DOWN: Stroke = Stroke {
    key: '\u{E008}',
    down: true,
    up: false,
};
const SHIFT_UP: Stroke = Stroke {
    key: '\u{E008}',
    down: false,
    up: true,
};
const CONTROL_DOWN: Stroke = Stroke {
    key: '\u{E009}',
    down: true,
    up: false,
};
const CONTROL_UP: Stroke = Stroke {
    key: '\u{E009}',
    down: false,
    up: true,
};

/// Error that the driver returned.
#[derive(Clone, Debug)]
pub(crate) struct WebDriverError {
    /// Error code of WebDriver, such as `stale element reference`.
    pub(crate) code: String,
    pub(crate) message: String,
}

/// Browser session. Dropping it closes the browser.
pub(crate) struct Session {
    pub(crate) engine: Engine,
    client: Client,
    path: String,
    driver: ChildProcess,
    _display: Option<ChildProcess>,
    profile: TempDir,
    pub(crate) options: BrowserOptions,
    /// Number of tests that have used this browser.
    pub(crate) tests_run: Cell<usize>,
    /// True if a command was sent whose effect may outlast the page.
    pub(crate) is_changed: Cell<bool>,
}

/// Child process that is killed when this is dropped.
struct ChildProcess(Child);

impl ChildProcess {
    fn kill(&mut self) {
        // The process may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Session {
    /// Starts the driver, and through it the browser.
    pub(crate) fn start(options: &BrowserOptions) -> Session {
        // On a busy machine a browser sometimes fails to start.
        let mut last_error = String::new();
        for _ in 0..3 {
            match Session::try_start(options) {
                Ok(session) => return session,
                Err(error) => last_error = error,
            }
        }
        panic!("{:?} does not start: {last_error}", Engine::of_test_run());
    }

    fn try_start(options: &BrowserOptions) -> Result<Session, String> {
        let engine = Engine::of_test_run();
        let profile = TempDir::with_prefix("booking-browser-").map_err(|e| e.to_string())?;
        let downloads = profile.path().join("downloads");
        fs::create_dir_all(&downloads).map_err(|error| error.to_string())?;
        let port = free_port();
        let log = profile.path().join("driver.log");
        let log_file = || File::create(&log).map_or_else(|_| Stdio::null(), Stdio::from);
        let mut command = Command::new(setting("BOOKING_E2E_DRIVER"));
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log_file());
        command
            .env("TZ", &options.zone)
            .env("LANG", "en_US.UTF-8")
            .env("LANGUAGE", "en_US");
        let mut display = None;
        match engine {
            Engine::Firefox => command.args(["--port", &port.to_string()]),
            Engine::Chromium => command.arg(format!("--port={port}")),
            Engine::Webkit => {
                let (program, number) = start_display()?;
                display = Some(program);
                for folder in ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
                    command.env(folder, profile.path().join(folder));
                }
                let config_folder = profile.path().join("XDG_CONFIG_HOME");
                let user_dirs = format!("XDG_DOWNLOAD_DIR=\"{}\"\n", downloads.display());
                fs::create_dir_all(&config_folder)
                    .and_then(|()| fs::write(config_folder.join("user-dirs.dirs"), user_dirs))
                    .map_err(|error| error.to_string())?;
                if !options.has_screenshots {
                    // Without a graphics card, shared buffers of frames take a third of the processor's time.
                    command.env("WEBKIT_DISABLE_DMABUF_RENDERER", "1");
                }
                command
                    .env("DISPLAY", number)
                    .env("GDK_BACKEND", "x11")
                    .env("NO_AT_BRIDGE", "1")
                    .env("LIBGL_ALWAYS_SOFTWARE", "1")
                    .env("WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS", "1")
                    .arg(format!("--port={port}"))
            }
        };
        let driver = ChildProcess(command.spawn().map_err(|error| error.to_string())?);
        let client = Client::new(&format!("http://127.0.0.1:{port}"));
        until(Duration::from_secs(20), || {
            client.call("GET", "/status", None).ok()
        })
        .ok_or("the driver does not answer")?;

        let data = profile.path().join("profile").display().to_string();
        let response = send_command(
            &client,
            "POST",
            "/session",
            Some(&engine.capabilities(options, &data, &downloads.display().to_string())),
        );
        let response = response.map_err(|error| {
            let log = fs::read_to_string(&log).unwrap_or_default();
            format!("{}: {}\n{log}", error.code, error.message)
        })?;
        let id = response["sessionId"]
            .as_str()
            .ok_or("the driver gives no session")?;
        let path = format!("/session/{id}");
        Ok(Session {
            engine,
            client,
            path,
            driver,
            _display: display,
            profile,
            options: options.clone(),
            tests_run: Cell::new(0),
            is_changed: Cell::new(false),
        })
    }

    /// Returns the folder for downloads.
    pub(crate) fn downloads(&self) -> PathBuf {
        self.profile.path().join("downloads")
    }

    /// Sends a command to the session; `path` starts with a slash.
    pub(crate) fn post(&self, path: &str, body: &Value) -> Result<Value, WebDriverError> {
        send_command(
            &self.client,
            "POST",
            &format!("{}{path}", self.path),
            Some(body),
        )
    }

    pub(crate) fn get(&self, path: &str) -> Result<Value, WebDriverError> {
        send_command(&self.client, "GET", &format!("{}{path}", self.path), None)
    }

    pub(crate) fn delete(&self, path: &str) -> Result<Value, WebDriverError> {
        send_command(
            &self.client,
            "DELETE",
            &format!("{}{path}", self.path),
            None,
        )
    }

    /// Runs the body of a JavaScript function in the page.
    pub(crate) fn script(&self, body: &str, arguments: &[Value]) -> Result<Value, WebDriverError> {
        self.post(
            "/execute/sync",
            &json!({ "script": body, "args": arguments }),
        )
    }

    /// Presses and releases a key on the focused element.
    pub(crate) fn press(&self, key: Key) -> Result<(), WebDriverError> {
        let (code, shift) = key.code();
        self.keys(if shift {
            vec![SHIFT_DOWN, code, SHIFT_UP]
        } else {
            vec![code]
        })
    }

    /// Presses Control with the key of a character.
    pub(crate) fn press_with_control(&self, key: char) -> Result<(), WebDriverError> {
        self.keys(vec![CONTROL_DOWN, Stroke::of(key), CONTROL_UP])
    }

    /// Types into the focused element.
    pub(crate) fn type_text(&self, text: &str) -> Result<(), WebDriverError> {
        self.keys(text.chars().map(Stroke::of).collect())
    }

    /// Replaces the content of the focused element by typing.
    pub(crate) fn replace_by_typing(&self, text: &str) -> Result<(), WebDriverError> {
        let mut strokes = vec![CONTROL_DOWN, Stroke::of('a'), CONTROL_UP];
        strokes.extend(text.chars().map(Stroke::of));
        if text.is_empty() {
            strokes.push(Stroke::of(BACKSPACE));
        }
        self.keys(strokes)
    }

    fn keys(&self, strokes: Vec<Stroke>) -> Result<(), WebDriverError> {
        let key = |kind: &str, value: char| json!({ "type": kind, "value": value });
        let mut actions = Vec::new();
        for stroke in strokes {
            if stroke.down {
                actions.push(key("keyDown", stroke.key));
            }
            if stroke.up {
                actions.push(key("keyUp", stroke.key));
            }
        }
        let keys = json!({ "type": "key", "id": "keyboard", "actions": actions });
        self.post("/actions", &json!({ "actions": [keys] }))
            .map(drop)
    }

    /// Clicks at a position in CSS pixels from the viewport's corner.
    pub(crate) fn click_at(&self, x: i64, y: i64) -> Result<(), WebDriverError> {
        let mouse = json!({
            "type": "pointer", "id": "mouse", "parameters": { "pointerType": "mouse" },
            "actions": [
                { "type": "pointerMove", "duration": 0, "x": x, "y": y },
                { "type": "pointerDown", "button": 0 },
                { "type": "pointerUp", "button": 0 },
            ],
        });
        self.post("/actions", &json!({ "actions": [mouse] }))
            .map(drop)
    }

    /// Sends a command of the Chrome DevTools Protocol.
    pub(crate) fn devtools(
        &self,
        command: &str,
        parameters: Value,
    ) -> Result<Value, WebDriverError> {
        self.is_changed.set(true);
        self.post(
            "/goog/cdp/execute",
            &json!({ "cmd": command, "params": parameters }),
        )
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // The driver closes the browser; if the driver has ended, so has the browser.
        let _ = self.client.call("DELETE", &self.path, None);
        self.driver.kill();
        // A browser may still write to its profile while it shuts down.
        until(Duration::from_secs(3), || {
            fs::remove_dir_all(self.profile.path()).ok()
        });
    }
}

fn send_command(
    client: &Client,
    method: &str,
    path: &str,
    body: Option<&Value>,
) -> Result<Value, WebDriverError> {
    let response = client
        .call(method, path, body)
        .map_err(|message| WebDriverError {
            code: "no answer".to_owned(),
            message,
        })?;
    let mut json: Value = serde_json::from_str(&response.text).map_err(|_| WebDriverError {
        code: "no JSON".to_owned(),
        message: response.text,
    })?;
    let value = json["value"].take();
    if response.status == 200 {
        return Ok(value);
    }
    let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
    Err(WebDriverError {
        code: text("error"),
        message: text("message"),
    })
}

/// Starts a virtual display for a browser without headless mode. Xvfb picks a free number.
fn start_display() -> Result<(ChildProcess, String), String> {
    let mut child = Command::new("Xvfb")
        .args([
            "-displayfd",
            "1",
            "-screen",
            "0",
            "1600x1200x24",
            "-nolisten",
            "tcp",
        ])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("Xvfb: {error}"))?;
    let output = child.stdout.take().ok_or("Xvfb has no output")?;
    let mut number = String::new();
    let program = ChildProcess(child);
    BufReader::new(output)
        .read_line(&mut number)
        .map_err(|error| format!("Xvfb: {error}"))?;
    match number.trim() {
        "" => Err("Xvfb does not start".to_owned()),
        number => Ok((program, format!(":{number}"))),
    }
}

/// Retries until `attempt` returns a value or `limit` is over.
pub(crate) fn until<T>(limit: Duration, mut attempt: impl FnMut() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    loop {
        if let Some(outcome) = attempt() {
            return Some(outcome);
        }
        if start.elapsed() > limit {
            return None;
        }
        thread::sleep(Duration::from_millis(30));
    }
}
