//! A page in a browser, locators of its elements, and the report of a failed test (`Page::fail`).

use std::collections::BTreeSet;
use std::fmt::{self, Display};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::browser_pool::PooledSession;
use super::setting;
use super::webdriver::{BrowserOptions, Engine, Key, WebDriverError, until};

/// Timeout of every wait.
const TIMEOUT: Duration = Duration::from_secs(15);

/// Width and height of a phone's screen, in CSS pixels.
pub(crate) const PHONE: (u32, u32) = (390, 844);
/// Width and height of a new page's window, in CSS pixels.
pub(crate) const DESKTOP: (u32, u32) = (1200, 900);

/// Script that finds elements; the scripts below use its functions.
const FIND_SCRIPT: &str = include_str!("find.js");

/// Script that finds unreadable content; uses the functions of `FIND_SCRIPT`.
const LAYOUT_SCRIPT: &str = include_str!("fit.js");

/// Script that finds barriers; uses axe-core and the functions of `FIND_SCRIPT`.
const BARRIERS_SCRIPT: &str = include_str!("barriers.js");

/// WebDriver's element key.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Accessible name to match: exactly (a plain text), by a part, or by its start.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    match_kind: &'static str,
    text: String,
}

impl<T: Into<String>> From<T> for Name {
    fn from(text: T) -> Name {
        Name {
            match_kind: "exact",
            text: text.into(),
        }
    }
}

/// Matches a name that contains `text`.
pub(crate) fn containing(text: &str) -> Name {
    Name {
        match_kind: "part",
        text: text.to_owned(),
    }
}

/// Matches a name that starts with `text`.
pub(crate) fn starting(text: &str) -> Name {
    Name {
        match_kind: "start",
        text: text.to_owned(),
    }
}

/// Page in a browser of its own.
pub(crate) struct Page {
    session: PooledSession,
}

impl Page {
    /// Opens an address in the engine of this test run.
    #[track_caller]
    pub(crate) fn open(address: &str) -> Page {
        Page::open_with(&BrowserOptions::default(), address)
    }

    /// Opens an address in a browser with another time zone.
    #[track_caller]
    pub(crate) fn open_in(zone: &str, address: &str) -> Page {
        let zone = zone.to_owned();
        Page::open_with(
            &BrowserOptions {
                zone,
                ..BrowserOptions::default()
            },
            address,
        )
    }

    /// Opens an address in a browser without storage and cookies.
    #[track_caller]
    pub(crate) fn open_without_storage(address: &str) -> Page {
        let has_storage = false;
        Page::open_with(
            &BrowserOptions {
                has_storage,
                ..BrowserOptions::default()
            },
            address,
        )
    }

    /// Opens an address in a browser that can take screenshots.
    #[track_caller]
    pub(crate) fn open_for_screenshots(address: &str) -> Page {
        let has_screenshots = true;
        Page::open_with(
            &BrowserOptions {
                has_screenshots,
                ..BrowserOptions::default()
            },
            address,
        )
    }

    /// Opens an address in a browser that records its tasks, see [`Page::longest_task`].
    #[track_caller]
    pub(crate) fn open_recording_tasks(address: &str) -> Page {
        let records_tasks = true;
        Page::open_with(
            &BrowserOptions {
                records_tasks,
                ..BrowserOptions::default()
            },
            address,
        )
    }

    /// Opens an address in a browser that records its requests, see [`Page::devtools_log`].
    #[track_caller]
    pub(crate) fn open_recording_requests(address: &str) -> Page {
        let records_requests = true;
        Page::open_with(
            &BrowserOptions {
                records_requests,
                ..BrowserOptions::default()
            },
            address,
        )
    }

    #[track_caller]
    fn open_with(options: &BrowserOptions, address: &str) -> Page {
        let page = Page {
            session: PooledSession::take(options),
        };
        page.resize(DESKTOP.0, DESKTOP.1);
        page.go(address);
        page
    }

    #[track_caller]
    pub(crate) fn go(&self, address: &str) {
        self.expect_ok(
            self.session.post("/url", &json!({ "url": address })),
            "open the address",
        );
    }

    #[track_caller]
    pub(crate) fn reload(&self) {
        self.expect_ok(self.session.post("/refresh", &json!({})), "reload");
    }

    #[track_caller]
    pub(crate) fn back(&self) {
        self.expect_ok(self.session.post("/back", &json!({})), "go back");
    }

    /// Returns the current address.
    #[track_caller]
    pub(crate) fn address(&self) -> String {
        self.expect_ok(self.session.get("/url"), "read the address")
            .as_str()
            .unwrap_or("")
            .to_owned()
    }

    pub(crate) fn engine(&self) -> Engine {
        self.session.engine
    }

    /// Sets the size of the window, in CSS pixels. Browsers have a minimum width of 500; for a
    /// narrower page use a narrow container.
    #[track_caller]
    pub(crate) fn resize(&self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height });
        self.expect_ok(
            self.session.post("/window/rect", &size),
            "set the window's size",
        );
        // Some drivers return before the window system has resized the window.
        self.wait_until(&format!("the window to be {width} wide"), || {
            let inner = self.session.script("return window.innerWidth", &[]);
            let inner = inner.ok().and_then(|inner| inner.as_u64());
            inner.is_some_and(|inner| (u64::from(width) - 40..=u64::from(width)).contains(&inner))
        });
    }

    pub(crate) fn button(&self, name: impl Into<Name>) -> Locator<'_> {
        self.all().button(name)
    }

    pub(crate) fn link(&self, name: impl Into<Name>) -> Locator<'_> {
        self.all().role("link", name)
    }

    pub(crate) fn heading(&self, name: impl Into<Name>) -> Locator<'_> {
        self.all().role("heading", name)
    }

    /// Finds a form control by its label.
    pub(crate) fn field(&self, label: impl Into<Name>) -> Locator<'_> {
        self.all().field(label)
    }

    pub(crate) fn role(&self, role: &str, name: impl Into<Name>) -> Locator<'_> {
        self.all().role(role, name)
    }

    /// Finds every element with a role, by any name.
    pub(crate) fn each(&self, role: &str) -> Locator<'_> {
        self.all().each(role)
    }

    /// Finds the innermost element whose visible text contains `text`.
    pub(crate) fn text(&self, text: &str) -> Locator<'_> {
        self.all().text(text)
    }

    /// Finds by CSS selector, in every shadow root: for elements without a role or name, such as
    /// `booking-picker`.
    pub(crate) fn css(&self, selector: &str) -> Locator<'_> {
        self.all().css(selector)
    }

    fn all(&self) -> Locator<'_> {
        Locator {
            page: self,
            steps: Vec::new(),
        }
    }

    /// Waits until the page shows `text`, with any whitespace and element boundaries.
    #[track_caller]
    pub(crate) fn wait_for_text(&self, text: &str) {
        let what = format!("the text `{text}`");
        self.wait_until(&what, || self.shows(text));
    }

    /// Waits until the page no longer shows `text`.
    #[track_caller]
    pub(crate) fn wait_for_no_text(&self, text: &str) {
        let what = format!("the text `{text}` to go");
        self.wait_until(&what, || !self.shows(text));
    }

    /// True if the page shows `text` now.
    pub(crate) fn shows(&self, text: &str) -> bool {
        let normalized = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        normalized(&self.visible_text()).contains(&normalized(text))
    }

    /// Returns the visible text of the page, one line per block.
    pub(crate) fn visible_text(&self) -> String {
        // During a navigation there is no text.
        let text = self
            .script("return lines(visibleText(document))", &[])
            .unwrap_or_default();
        text.as_str().unwrap_or("").to_owned()
    }

    /// Waits until `condition` holds; the failure message contains `what`.
    #[track_caller]
    pub(crate) fn wait_until(&self, what: &str, condition: impl FnMut() -> bool) {
        self.wait_up_to(TIMEOUT, what, condition);
    }

    /// Waits until `condition` holds, at most for `timeout`; the failure message contains `what`.
    #[track_caller]
    pub(crate) fn wait_up_to(
        &self,
        timeout: Duration,
        what: &str,
        mut condition: impl FnMut() -> bool,
    ) {
        if until(timeout, || condition().then_some(())).is_none() {
            self.fail(&format!("waited in vain for {what}"));
        }
    }

    /// Waits until the page's `events` array, which its script fills, contains this text.
    #[track_caller]
    pub(crate) fn wait_for_event(&self, event: &str) {
        self.wait_until(&format!("the event {event}"), || {
            self.events().iter().any(|recorded| recorded == event)
        });
    }

    /// Returns the texts in the page's `events` array.
    #[track_caller]
    pub(crate) fn events(&self) -> Vec<String> {
        let events = self.run("return events", &[]);
        let texts = events.as_array().into_iter().flatten();
        texts.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// Waits until the page's text and height are unchanged for several frames. For screenshots;
    /// a test waits for what it needs to see.
    #[track_caller]
    pub(crate) fn wait_for_quiet(&self) {
        let script = "const frame = () => new Promise((done) => requestAnimationFrame(done)); \
                      const state = () => visibleText(document) + document.body.scrollHeight; \
                      return (async () => { \
                        let last, same = 0; \
                        for (let frames = 0; frames < 600 && same < 8; frames++) { \
                          await frame(); \
                          const now = state(); \
                          same = now === last ? same + 1 : 0; \
                          last = now; \
                        } \
                        return same >= 8; \
                      })()";
        self.wait_until("the page to stop changing", || {
            self.script(script, &[]).is_ok_and(|quiet| quiet == true)
        });
    }

    /// Presses a key on the focused element.
    #[track_caller]
    pub(crate) fn press(&self, key: Key) {
        self.expect_ok(self.session.press(key).map(|()| Value::Null), "press a key");
    }

    /// Presses Control with the key of a character on the focused element.
    #[track_caller]
    pub(crate) fn press_with_control(&self, key: char) {
        let pressed = self.session.press_with_control(key).map(|()| Value::Null);
        self.expect_ok(pressed, "press a key with Control");
    }

    /// Types into the focused element.
    #[track_caller]
    pub(crate) fn type_text(&self, text: &str) {
        let typed = self.session.type_text(text).map(|()| Value::Null);
        self.expect_ok(typed, "type");
    }

    /// Describes the focused element, as in `button "Continue"`.
    #[track_caller]
    pub(crate) fn focus(&self) -> String {
        let focus = self.expect_ok(
            self.script("return describe(focused())", &[]),
            "look for the focus",
        );
        focus.as_str().unwrap_or("").to_owned()
    }

    /// Runs the body of a JavaScript function in the page, with `arguments`.
    #[track_caller]
    pub(crate) fn run(&self, body: &str, arguments: &[Value]) -> Value {
        self.expect_ok(self.session.script(body, arguments), "run a script")
    }

    /// Fails if axe-core reports a violation anywhere on the page, shadow roots included, if in the light or
    /// dark theme text has a contrast below 4.5 or the edge of a field below 3, or if a target is smaller than
    /// 24 px, or a primary one than 44 px; the failure message contains `state`.
    #[track_caller]
    pub(crate) fn assert_accessible(&self, state: &str) {
        let found = self.barriers();
        if !found.is_empty() {
            self.fail(&format!("barriers in {state}: {found:#?}"));
        }
    }

    /// Returns the barriers that [`Page::assert_accessible`] rejects.
    #[track_caller]
    pub(crate) fn barriers(&self) -> Vec<String> {
        if self.run("return !window.axe", &[]) == true {
            let axe = fs::read_to_string(setting("BOOKING_E2E_AXE")).expect("axe-core");
            self.run(&axe, &[]);
        }
        let script = format!("{BARRIERS_SCRIPT}\nreturn barriers()");
        let found = self.expect_ok(self.script(&script, &[]), "look for barriers");
        texts(found.as_array().map_or(&[], Vec::as_slice))
    }

    /// Sets the exact size of the viewport and the widget's font size, both in CSS pixels. Only Chromium makes
    /// viewports as narrow as a phone.
    #[track_caller]
    pub(crate) fn emulate_viewport(&self, (width, height): (u32, u32), text: u32) {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", size);
        let script =
            "document.documentElement.style.setProperty('--booking-font-size', arguments[0])";
        self.run(script, &[json!(format!("{text}px"))]);
    }

    /// Lists unreadable content of the page: cut off, outside the viewport, overlapping, or wrapped within
    /// words.
    #[track_caller]
    pub(crate) fn layout_problems(&self) -> Vec<String> {
        // Layouts that depend on the width settle after a few frames.
        let script = format!(
            "{LAYOUT_SCRIPT}\nconst frame = () => new Promise((done) => requestAnimationFrame(done)); \
             return (async () => {{ unfold(); for (let frames = 0; frames < 4; frames++) await frame(); \
             return misfits(); }})()"
        );
        let found = self.expect_ok(self.script(&script, &[]), "measure the page");
        let found = found.as_array().into_iter().flatten();
        found.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// Runs a script that may use the functions of `find.js`.
    fn script(&self, body: &str, arguments: &[Value]) -> Result<Value, WebDriverError> {
        self.session
            .script(&format!("{FIND_SCRIPT}\n{body}"), arguments)
    }

    /// Sends a command of the Chrome DevTools Protocol; fails in other engines.
    #[track_caller]
    pub(crate) fn devtools(&self, command: &str, parameters: Value) -> Value {
        self.expect_ok(self.session.devtools(command, parameters), command)
    }

    /// Returns the errors in the console; only Chromium reports them.
    pub(crate) fn console_errors(&self) -> Vec<String> {
        let severe = |(level, _): &(String, String)| level == "SEVERE";
        let entries = self.console().into_iter().filter(severe);
        entries.map(|(_, message)| message).collect()
    }

    /// Returns levels and messages of the console since the last call; only Chromium reports them.
    pub(crate) fn console(&self) -> Vec<(String, String)> {
        if self.engine() != Engine::Chromium {
            return Vec::new();
        }
        let log = self
            .session
            .post("/se/log", &json!({ "type": "browser" }))
            .unwrap_or_default();
        let text = |entry: &Value, key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        let entries = log.as_array().into_iter().flatten();
        entries
            .map(|entry| (text(entry, "level"), text(entry, "message")))
            .collect()
    }

    /// Returns the messages of the DevTools protocol that the browser recorded since the last call.
    #[track_caller]
    pub(crate) fn devtools_log(&self) -> Vec<Value> {
        let log = (self.session).post("/se/log", &json!({ "type": "performance" }));
        let log = self.expect_ok(log, "read the trace");
        let entries = log.as_array().into_iter().flatten();
        entries
            .filter_map(|entry| serde_json::from_str(entry["message"].as_str()?).ok())
            .map(|mut entry: Value| entry["message"].take())
            .collect()
    }

    /// Returns the longest task of a page's main thread since the browser started, in milliseconds of
    /// CPU time: other programs on the machine do not count. Call it only once: after the log was read,
    /// events are missing from it.
    #[track_caller]
    pub(crate) fn longest_task(&self) -> f64 {
        let log = self.devtools_log().into_iter();
        let events: Vec<Value> = log
            .filter(|entry| entry["method"] == "Tracing.dataCollected")
            .map(|mut entry| entry["params"].take())
            .collect();
        let thread = |event: &Value| (event["pid"].as_u64(), event["tid"].as_u64());
        let is_main = |event: &&Value| event["args"]["name"] == "CrRendererMain";
        let main: BTreeSet<_> = events.iter().filter(is_main).map(thread).collect();
        let tasks = events.iter().filter(|event| main.contains(&thread(event)));
        let longest = tasks
            .filter_map(|task| task["tdur"].as_f64())
            .fold(0.0, f64::max);
        longest / 1e3
    }

    /// Waits for a downloaded file with such a name, and returns its name and text.
    #[track_caller]
    pub(crate) fn downloaded_file(&self, start: &str, end: &str) -> (String, String) {
        let folder = self.session.downloads();
        let mut found = None;
        self.wait_until(&format!("a saved file {start}…{end}"), || {
            let files = fs::read_dir(&folder).into_iter().flatten().flatten();
            let names: Vec<String> = files
                .filter_map(|file| file.file_name().into_string().ok())
                .collect();
            // A partial download has a second file next to the first, or no other yet.
            let is_partial = |name: &String| {
                [".part", ".crdownload", ".wkdownload"]
                    .iter()
                    .any(|end| name.ends_with(end))
            };
            if names.iter().any(is_partial) {
                return false;
            }
            let mut names = names.into_iter();
            let name = names.find(|name| name.starts_with(start) && name.ends_with(end));
            let text = name.and_then(|name| {
                let text = fs::read_to_string(folder.join(&name)).ok()?;
                Some((name, text))
            });
            found = text.filter(|(_, text)| !text.is_empty());
            found.is_some()
        });
        found.unwrap_or_default()
    }

    /// Records errors of the page's scripts from now on; see [`Page::assert_no_errors`].
    #[track_caller]
    pub(crate) fn record_errors(&self) {
        let script = "if (window.pageErrors) return; window.pageErrors = []; \
                      addEventListener('error', (event) => pageErrors.push(String(event.message))); \
                      addEventListener('unhandledrejection', \
                        (event) => pageErrors.push('unhandled: ' + event.reason));";
        self.run(script, &[]);
    }

    /// Fails on uncaught errors of the page's scripts, such as a panic in WebAssembly.
    #[track_caller]
    pub(crate) fn assert_no_errors(&self) {
        let errors = self.run("return window.pageErrors ?? ['not watched']", &[]);
        let uncaught = |message: &String| {
            ["Uncaught", "panicked", "RuntimeError"]
                .iter()
                .any(|word| message.contains(word))
        };
        let messages: Vec<String> = self.console_errors().into_iter().filter(uncaught).collect();
        if errors != json!([]) || !messages.is_empty() {
            self.fail(&format!("errors in the page: {errors} {messages:?}"));
        }
    }

    /// Takes a screenshot of the viewport, as PNG.
    pub(crate) fn screenshot(&self) -> Option<Vec<u8>> {
        let screenshot = self.session.get("/screenshot").ok()?;
        BASE64_STANDARD.decode(screenshot.as_str()?).ok()
    }

    /// Fails the test, with a report of the page's state.
    #[track_caller]
    pub(crate) fn fail(&self, why: &str) -> ! {
        let screenshot = self
            .save_screenshot()
            .unwrap_or_else(|error| format!("none: {error}"));
        let address = self.session.get("/url").ok();
        let address = address
            .as_ref()
            .and_then(Value::as_str)
            .unwrap_or("none")
            .to_owned();
        let mut report = format!(
            "{why}\n  browser: {:?}\n  address: {address}\n  picture: {screenshot}\n  focus: {}\n",
            self.engine(),
            self.script("return describe(focused())", &[])
                .unwrap_or_default(),
        );
        let text = self.visible_text();
        for line in text.lines() {
            report.push_str(&format!("  | {line}\n"));
        }
        for message in self.console_errors() {
            report.push_str(&format!("  console: {message}\n"));
        }
        let uncaught = self.script("return window.uncaught ?? []", &[]);
        for error in uncaught.iter().filter_map(Value::as_array).flatten() {
            report.push_str(&format!("  uncaught: {error}\n"));
        }
        panic!("{report}");
    }

    fn save_screenshot(&self) -> Result<String, String> {
        static COUNT: AtomicUsize = AtomicUsize::new(1);
        let png = self.screenshot().ok_or("the browser gives no picture")?;
        let folder = PathBuf::from(setting("BOOKING_E2E_REPORTS"));
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let thread = thread::current();
        let test = thread.name().unwrap_or("test").replace("::", "-");
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let file = format!("{test}-{:?}-{count}.png", self.engine()).to_lowercase();
        let path = folder.join(file);
        fs::write(&path, png).map_err(|error| error.to_string())?;
        Ok(path.display().to_string())
    }

    #[track_caller]
    fn expect_ok(&self, outcome: Result<Value, WebDriverError>, what: &str) -> Value {
        match outcome {
            Ok(value) => value,
            Err(error) => self.fail(&format!(
                "could not {what}: {}: {}",
                error.code, error.message
            )),
        }
    }
}

/// Locator of elements on the page; every use queries the page again.
#[derive(Clone)]
pub(crate) struct Locator<'page> {
    page: &'page Page,
    steps: Vec<Value>,
}

impl<'page> Locator<'page> {
    pub(crate) fn button(&self, name: impl Into<Name>) -> Locator<'page> {
        self.role("button", name)
    }

    pub(crate) fn heading(&self, name: impl Into<Name>) -> Locator<'page> {
        self.role("heading", name)
    }

    pub(crate) fn field(&self, label: impl Into<Name>) -> Locator<'page> {
        self.step(json!({ "kind": "field", "name": as_json(&label.into()) }))
    }

    pub(crate) fn role(&self, role: &str, name: impl Into<Name>) -> Locator<'page> {
        self.step(json!({ "kind": "role", "role": role, "name": as_json(&name.into()) }))
    }

    pub(crate) fn each(&self, role: &str) -> Locator<'page> {
        self.step(json!({ "kind": "role", "role": role, "name": null }))
    }

    pub(crate) fn text(&self, text: &str) -> Locator<'page> {
        self.step(json!({ "kind": "text", "name": as_json(&containing(text)) }))
    }

    pub(crate) fn css(&self, selector: &str) -> Locator<'page> {
        self.step(json!({ "kind": "css", "selector": selector }))
    }

    /// One of several, counted from 0.
    pub(crate) fn nth(&self, index: usize) -> Locator<'page> {
        self.step(json!({ "kind": "nth", "index": index }))
    }

    pub(crate) fn first(&self) -> Locator<'page> {
        self.nth(0)
    }

    fn step(&self, step: Value) -> Locator<'page> {
        let mut steps = self.steps.clone();
        steps.push(step);
        Locator {
            page: self.page,
            steps,
        }
    }

    /// Returns the current number of elements.
    pub(crate) fn count(&self) -> usize {
        let script = "return find(arguments[0]).length";
        let number = self.page.script(script, &[Value::from(self.steps.clone())]);
        let number = number.ok().and_then(|number| number.as_u64());
        number.map_or(0, |number| number as usize)
    }

    pub(crate) fn exists(&self) -> bool {
        self.count() > 0
    }

    /// Waits until there is at least one element.
    #[track_caller]
    pub(crate) fn wait(&self) {
        self.page.wait_until(&self.to_string(), || self.exists());
    }

    /// Waits until there is no element.
    #[track_caller]
    pub(crate) fn wait_gone(&self) {
        self.page
            .wait_until(&format!("{self} to go"), || !self.exists());
    }

    /// Clicks the centre of the element with the mouse, once it is enabled and not covered.
    #[track_caller]
    pub(crate) fn click(&self) {
        self.perform(
            "click",
            "return clickable(arguments[0])",
            &[],
            |page, position| {
                let (Some(x), Some(y)) = (position["x"].as_i64(), position["y"].as_i64()) else {
                    let why = position.as_str().unwrap_or("it is gone").to_owned();
                    return Err(WebDriverError {
                        code: "not clickable".to_owned(),
                        message: why,
                    });
                };
                page.session.click_at(x, y)
            },
        );
    }

    /// Replaces the content of a text field, by clicking into it and typing.
    #[track_caller]
    pub(crate) fn fill(&self, text: &str) {
        self.replace(text);
        self.wait_for_value(text);
    }

    /// Like `fill`, for a field that its last character submits: it may be gone right after.
    #[track_caller]
    pub(crate) fn replace(&self, text: &str) {
        self.click_into();
        let typed = self
            .page
            .session
            .replace_by_typing(text)
            .map(|()| Value::Null);
        self.page.expect_ok(typed, "type");
    }

    /// Clicks into a field until it has the focus: content that loads late may move it away from the
    /// mouse, and people click again.
    #[track_caller]
    fn click_into(&self) {
        let clicked = until(TIMEOUT, || {
            self.click();
            until(Duration::from_secs(2), || self.has_focus().then_some(()))
        });
        if clicked.is_none() {
            self.page.fail(&format!("{self} does not take the focus"));
        }
    }

    /// Types at the end of the field's content.
    #[track_caller]
    pub(crate) fn type_text(&self, text: &str) {
        self.click_into();
        self.page.press(Key::End);
        let typed = self.page.session.type_text(text).map(|()| Value::Null);
        self.page.expect_ok(typed, "type");
    }

    /// Sets the field's value as a date picker does: typing a date differs between browsers.
    #[track_caller]
    pub(crate) fn set_value(&self, text: &str) {
        let script = "arguments[0].value = arguments[1]; \
                      arguments[0].dispatchEvent(new Event('input', { bubbles: true }))";
        self.evaluate(script, &[json!(text)]);
        self.wait_for_value(text);
    }

    /// Waits until the field's value is exactly `text`.
    #[track_caller]
    pub(crate) fn wait_for_value(&self, text: &str) {
        let mut value = String::new();
        let is_equal = until(TIMEOUT, || {
            value = self.value();
            (value == text).then_some(())
        });
        if is_equal.is_none() {
            self.page.fail(&format!(
                "waited in vain for {self} to hold `{text}`; it holds `{value}`"
            ));
        }
    }

    /// Selects the option of a select that has this name.
    #[track_caller]
    pub(crate) fn choose(&self, option: impl Into<Name>) {
        // A click focuses the select. WebKit's driver omits that.
        let script = "arguments[0].closest('select').focus(); return arguments[0]";
        self.role("option", option)
            .perform("choose", script, &[], |page, element| {
                // The list that a browser opens is not part of the page, so WebDriver selects the option.
                let element = element[ELEMENT].as_str().unwrap_or_default();
                page.session
                    .post(&format!("/element/{element}/click"), &json!({}))
                    .map(drop)
            });
    }

    /// Returns the value of a field.
    #[track_caller]
    pub(crate) fn value(&self) -> String {
        self.read("return arguments[0].value ?? ''")
    }

    /// Returns the element's visible text.
    #[track_caller]
    pub(crate) fn read_text(&self) -> String {
        self.read("return lines(visibleText(arguments[0]))")
    }

    /// Returns the reference in a confirmation, where it is folded.
    #[track_caller]
    pub(crate) fn read_reference(&self) -> String {
        self.css(".confirmation-references")
            .first()
            .read("return arguments[0].querySelector('.reference').textContent")
    }

    /// Accessible name.
    #[track_caller]
    pub(crate) fn name(&self) -> String {
        self.read("return name(arguments[0])")
    }

    /// Returns the accessible names of all elements found now.
    #[track_caller]
    pub(crate) fn names(&self) -> Vec<String> {
        let script = "return find(arguments[0]).map(name)";
        let names = self.page.script(script, &[Value::from(self.steps.clone())]);
        let names = self.page.expect_ok(names, "read names");
        let names = names.as_array().into_iter().flatten();
        names.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// Returns an attribute, or `None` if it is not set.
    #[track_caller]
    pub(crate) fn attribute(&self, name: &str) -> Option<String> {
        let script = "return arguments[0].getAttribute(arguments[1])";
        self.evaluate(script, &[json!(name)])
            .as_str()
            .map(str::to_owned)
    }

    #[track_caller]
    pub(crate) fn is_enabled(&self) -> bool {
        let script = "return !arguments[0].matches(':disabled') \
                      && arguments[0].getAttribute('aria-disabled') !== 'true'";
        self.evaluate(script, &[]) == true
    }

    #[track_caller]
    pub(crate) fn is_checked(&self) -> bool {
        let script = "return arguments[0].checked ?? arguments[0].ariaChecked === 'true'";
        self.evaluate(script, &[]) == true
    }

    #[track_caller]
    pub(crate) fn has_focus(&self) -> bool {
        self.evaluate("return focused() === arguments[0]", &[]) == true
    }

    #[track_caller]
    fn read(&self, script: &str) -> String {
        self.evaluate(script, &[]).as_str().unwrap_or("").to_owned()
    }

    /// Runs a script with the one element as `arguments[0]`; no return value gives null.
    #[track_caller]
    fn evaluate(&self, script: &str, more: &[Value]) -> Value {
        let mut result = Value::Null;
        self.perform("look at", script, more, |_, value| {
            result = value.clone();
            Ok(())
        });
        result
    }

    /// Runs a script with the one element as `arguments[0]` and performs an action on its result, as soon as
    /// both are possible.
    #[track_caller]
    fn perform(
        &self,
        verb: &str,
        script: &str,
        more: &[Value],
        mut action: impl FnMut(&Page, &Value) -> Result<(), WebDriverError>,
    ) {
        let mut problem = String::from("there is none");
        let done = until(TIMEOUT, || {
            problem = match self.run_with_element(script, more) {
                Ok(Ok(value)) => match action(self.page, &value) {
                    Ok(()) => return Some(()),
                    Err(error) => describe_error(&error),
                },
                Ok(Err(names)) if names.is_empty() => "there is none".to_owned(),
                Ok(Err(names)) => format!("there are {}: {names:?}", names.len()),
                Err(error) => describe_error(&error),
            };
            None
        });
        if done.is_none() {
            self.page
                .fail(&format!("could not {verb} {self}: {problem}"));
        }
    }

    /// Runs a script with the one element as `arguments[0]`. Returns the names of the elements if there is not
    /// exactly one.
    fn run_with_element(
        &self,
        script: &str,
        more: &[Value],
    ) -> Result<Result<Value, Vec<String>>, WebDriverError> {
        let script = format!(
            "const found = find(arguments[0]); \
             if (found.length !== 1) return {{ names: found.map(name) }}; \
             const result = (function () {{ {script} }}).call(null, found[0], ...arguments[1]); \
             const outcome = (value) => ({{ value: value ?? null }}); \
             return result instanceof Promise ? result.then(outcome) : outcome(result)"
        );
        let steps = Value::from(self.steps.clone());
        let mut found = self.page.script(&script, &[steps, Value::from(more)])?;
        Ok(match found["names"].as_array() {
            None => Ok(found["value"].take()),
            Some(names) => Err(texts(names)),
        })
    }
}

fn describe_error(error: &WebDriverError) -> String {
    format!("{}: {}", error.code, error.message)
}

fn texts(values: &[Value]) -> Vec<String> {
    let texts = values.iter().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

impl Display for Locator<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps: Vec<String> = self.steps.iter().map(describe_step).collect();
        to.write_str(&steps.join(", in it "))
    }
}

fn describe_step(step: &Value) -> String {
    let name = match step["name"]["how"].as_str() {
        Some("exact") => format!(" {}", step["name"]["text"]),
        Some("start") => format!(" starting with {}", step["name"]["text"]),
        Some(_) => format!(" containing {}", step["name"]["text"]),
        None => String::new(),
    };
    match step["kind"].as_str() {
        Some("role") => format!("{}{name}", step["role"].as_str().unwrap_or("")),
        Some("nth") => format!("number {}", step["index"]),
        Some("css") => format!("`{}`", step["selector"].as_str().unwrap_or("")),
        Some(kind) => format!("{kind}{name}"),
        None => String::new(),
    }
}

fn as_json(name: &Name) -> Value {
    json!({ "how": name.match_kind, "text": name.text })
}
