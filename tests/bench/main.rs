//! Speed of the elements in a browser, compared with a handwritten page and with published widgets: `cargo xtask bench`.
//!
//! Each measurement uses a new browser with an empty cache. The embedding pages have another origin than
//! the service, as in production. The pages are measured in turn, so that a slowdown of the machine
//! affects all of them.

#![allow(clippy::expect_used, clippy::indexing_slicing)]

#[path = "../common/mod.rs"]
mod common;
mod peers;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;

use common::{Faults, Page, Service, picker_files};
use serde_json::{Value, json};

/// Idle time of a new browser before a measurement.
const SETTLE: Duration = Duration::from_secs(3);

/// Measurements of each page.
const ROUNDS: usize = 9;

/// Time until a page has to be done: the largest peer needs more than ten seconds.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Name of this machine: local for browsers, which accept brotli over HTTP, but not for the loader.
const ELSEWHERE: &str = "localhost.";

/// Script that records paint times in each page.
const PROBE: &str = include_str!("probe.js");

/// Network and processor.
#[derive(Clone, Copy, PartialEq)]
enum Conditions {
    /// No throttling.
    Plain,
    /// 150 ms latency, 1.6 Mbit/s down, half of that up; a processor four times slower.
    Slow4g,
}

impl Conditions {
    fn name(self) -> &'static str {
        match self {
            Self::Plain => "unthrottled",
            Self::Slow4g => "slow 4G, 4x CPU",
        }
    }

    fn apply(self, page: &Page) {
        if self == Self::Plain {
            return;
        }
        let network = json!({
            "offline": false, "latency": 150,
            "downloadThroughput": 1_600_000 / 8, "uploadThroughput": 800_000 / 8,
        });
        page.devtools("Network.emulateNetworkConditions", network);
        page.devtools("Emulation.setCPUThrottlingRate", json!({ "rate": 4 }));
    }
}

/// Measured page and its script.
struct Subject {
    /// Of a peer: its npm package.
    name: &'static str,
    /// HTML body, or path of a page of the service. `SERVICE` is replaced by the service's URL, `TOKEN` by an API key,
    /// `MODULE` and `SCRIPT` by the names of the picker's files, `PEERS` by the URL of the peers' server.
    body: &'static str,
    /// Runs on `DOMContentLoaded`, before `isDone` is set.
    script: &'static str,
    conditions: &'static [Conditions],
    visit: Visit,
}

/// How the measured page is opened.
#[derive(Clone, Copy, PartialEq)]
enum Visit {
    /// With an empty cache.
    First,
    /// Again, by a reload.
    Reload,
    /// Again, from the back/forward cache.
    Back,
    /// Prerendered for the page before it. Emulated conditions do not apply to that.
    Prerendered,
}

/// Name of a subject's figures in the results; of a peer with its version.
fn label(name: &str, conditions: Conditions) -> String {
    let version = peers::version(name).map(|version| format!(" {version}"));
    let version = version.unwrap_or_default();
    format!("{name}{version}, {}", conditions.name())
}

const BOTH: &[Conditions] = &[Conditions::Plain, Conditions::Slow4g];

const PICKER_BODY: &str = r#"<script type="module" src="SERVICE/embed/embed.js"></script>
    <booking-picker base-url="SERVICE" username="ada" event-slug="intro-call"></booking-picker>"#;

/// Opens the form after the page has been at rest. The picker is an element, or part of a page of the service.
const PICKER_SCRIPT: &str = r#"
    const one = (selector) => () => ["booking-picker", ".page-start", "[id=app]"]
      .map((host) => document.querySelector(host)?.shadowRoot?.querySelector(selector)).find(Boolean);
    note("skeleton", one("[part=skeleton]"));
    note("slot", one("[part=slot]"));
    const slot = await note("view", one("button.time"));
    await rest();
    await time("form", () => slot.click(), one("form input[type=email]"));"#;

/// Measures from the load of the page, its return from the back/forward cache, or its activation.
const RETURN_SCRIPT: &str = r#"
    const one = (selector) => () => document.querySelector("booking-picker")?.shadowRoot?.querySelector(selector);
    const from = (start) => { for (const name of ["slot", "view"]) seen[name] -= start; };
    addEventListener("pageshow", async ({ persisted }) => {
      if (!persisted) return;
      const start = performance.now();
      await Promise.all([note("slot", one("[part~=slot]")), note("view", one("button.time"))]);
      from(start);
      window.hasReturned = true;
    });
    const isPrerendered = document.prerendering;
    await Promise.all([note("slot", one("[part~=slot]")), note("view", one("button.time"))]);
    if (isPrerendered) from(performance.getEntriesByType("navigation")[0].activationStart);
    window.isPrerendered = isPrerendered;
    // So that the next visit finds all files in the cache.
    if (!isPrerendered) await rest();"#;

const SUBJECTS: [Subject; 10] = [
    Subject {
        name: "picker",
        body: PICKER_BODY,
        script: PICKER_SCRIPT,
        conditions: BOTH,
        visit: Visit::First,
    },
    Subject {
        name: "picker downloaded with the page",
        body: r#"<script>(window.bookingDownloads ??= {})["SERVICE/embed/MODULE"] = fetch("SERVICE/embed/MODULE");</script>
            <link rel="modulepreload" href="SERVICE/embed/SCRIPT">
            <script type="module" src="SERVICE/embed/embed.js"></script>
            <booking-picker base-url="SERVICE" username="ada" event-slug="intro-call"></booking-picker>"#,
        script: PICKER_SCRIPT,
        conditions: BOTH,
        visit: Visit::First,
    },
    Subject {
        name: "picker pressed at once",
        body: PICKER_BODY,
        script: r#"
            const one = (selector) => () =>
              document.querySelector("booking-picker")?.shadowRoot?.querySelector(selector);
            note("view", one("button.time"));
            const slot = await note("slot", one("[part=slot]"));
            // The view may have replaced it since.
            const shown = () => slot.isConnected ? slot : one("button.time")();
            await time("form", () => shown().click(), one("form input[type=email]"));"#,
        conditions: BOTH,
        visit: Visit::First,
    },
    Subject {
        name: "picker on the service's page",
        body: "/ada/intro-call",
        script: PICKER_SCRIPT,
        conditions: BOTH,
        visit: Visit::First,
    },
    Subject {
        name: "picker of a reloaded page",
        body: PICKER_BODY,
        script: RETURN_SCRIPT,
        conditions: BOTH,
        visit: Visit::Reload,
    },
    Subject {
        name: "picker after going back",
        body: PICKER_BODY,
        script: RETURN_SCRIPT,
        conditions: BOTH,
        visit: Visit::Back,
    },
    Subject {
        name: "picker of a prerendered page",
        body: PICKER_BODY,
        script: RETURN_SCRIPT,
        conditions: &[Conditions::Plain],
        visit: Visit::Prerendered,
    },
    Subject {
        name: "floor",
        body: r#"<link rel="stylesheet" href="SERVICE/embed/floor.css">
            <script type="module" src="SERVICE/embed/floor.js"></script>
            <div id="floor" data-service="SERVICE" data-username="ada" data-slug="intro-call"></div>"#,
        script: r##"
            const one = (selector) => () => document.querySelector(selector);
            note("skeleton", one("span.day"));
            const slot = await note("slot", one("button.time"));
            seen.view = seen.slot;
            await rest();
            await time("form", () => slot.click(), one("form input[type=email]"));"##,
        conditions: BOTH,
        visit: Visit::First,
    },
    Subject {
        name: "list",
        body: r#"<script type="module" src="SERVICE/embed/embed.js"></script>
            <booking-list team-id="1"></booking-list>
            <script>
              const list = document.querySelector("booking-list");
              list.session = { baseUrl: "SERVICE", token: "TOKEN" };
              const asked = window.fetch;
              window.fetch = async (...given) => {
                const answer = await asked(...given);
                if (!String(given[0].url ?? given[0]).includes("take=250")) return answer;
                const body = await answer.arrayBuffer();
                window.answeredAt = performance.now();
                return new Response(body, answer);
              };
            </script>"#,
        script: r#"
            const rows = () => list.shadowRoot?.querySelectorAll("tr.booking") ?? [];
            await note("slot", () => rows()[0]);
            await rest();
            for (const [name, order] of [["first", "asc"], ["again", "desc"]]) {
              const before = rows()[0];
              await time(name, () => { list.query = `status=all&take=250&sort=start-${order}`; },
                () => rows()[0] !== before && rows()[0]);
              seen[`${name}-answer`] = performance.now() - window.answeredAt;
              await found(() => rows()[249], () => true);
              seen[`${name}-all`] = await painted() - window.answeredAt;
              await rest();
            }"#,
        conditions: &[Conditions::Plain],
        visit: Visit::First,
    },
    Subject {
        name: "roles",
        body: r#"<script type="module" src="SERVICE/embed/embed.js"></script>
            <booking-roles org-id="1" team-id="1"></booking-roles>
            <script>
              document.querySelector("booking-roles").session = { baseUrl: "SERVICE", token: "TOKEN" };
            </script>"#,
        script: r#"
            const root = () => document.querySelector("booking-roles").shadowRoot;
            await note("slot", () => root()?.querySelector("li.role"));
            await rest();
            await time("form", () => root().querySelector(".roles-new").click(),
              () => root().querySelector("[id=role-name]"));"#,
        conditions: BOTH,
        visit: Visit::First,
    },
];

/// Figures of a page: key, unit and label.
const FIGURES: [(&str, &str, &str); 24] = [
    ("bytes", "B", "bytes until the first time, row or role"),
    ("bytes-script", "B", "  scripts"),
    ("bytes-wasm", "B", "  WebAssembly"),
    ("bytes-api", "B", "  answers of the service"),
    ("bytes-other", "B", "  the page and other files"),
    ("requests", "", "requests until then"),
    ("bytes-all", "B", "bytes in all"),
    ("fcp", "ms", "first contentful paint"),
    ("skeleton", "ms", "skeleton painted"),
    ("slot", "ms", "first time, row or role painted"),
    ("view", "ms", "view of the WebAssembly painted"),
    ("form", "ms", "press to form painted"),
    ("longest", "ms", "longest task, 0 if none takes 50 ms"),
    ("blocking", "ms", "total blocking time"),
    ("shift", "", "layout shift"),
    ("heap", "B", "JavaScript heap"),
    ("memory", "B", "WebAssembly memory"),
    ("first", "ms", "first 250 rows: asked to painted"),
    ("first-answer", "ms", "  answer to painted"),
    ("first-all", "ms", "  answer to all of them painted"),
    ("again", "ms", "other 250 rows: asked to painted"),
    ("again-answer", "ms", "  answer to painted"),
    ("again-all", "ms", "  answer to all of them painted"),
    ("ended", "ms", "page at rest"),
];

type Figures = BTreeMap<String, f64>;

fn main() -> ExitCode {
    // For measuring one page during development.
    let only = std::env::var("BOOKING_BENCH_ONLY").unwrap_or_default();
    let rounds = std::env::var("BOOKING_BENCH_ROUNDS").ok();
    let rounds = rounds
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(ROUNDS);
    let service = Service::with_bookings(600);
    let faults = Faults::before(&service);
    let peers = peers::server().map(|_| peers::SUBJECTS);
    let subjects: Vec<&Subject> = SUBJECTS.iter().chain(peers.iter().flatten()).collect();
    let mut all: BTreeMap<String, Vec<Figures>> = BTreeMap::new();
    for round in 0..=rounds {
        for subject in subjects
            .iter()
            .filter(|subject| subject.name.contains(&only))
        {
            for conditions in subject.conditions {
                let figures = measured(&service, &faults, subject, *conditions);
                // The first round warms up the browser's files and the service.
                if round > 0 {
                    let label = label(subject.name, *conditions);
                    all.entry(label).or_default().push(figures);
                }
            }
        }
        eprintln!("round {round} of {rounds}");
    }
    let summary = summary(&all, &subjects);
    print(&summary);
    if let Some(report) = std::env::var_os("BOOKING_BENCH_REPORT") {
        std::fs::write(report, format!("{summary:#}\n")).expect("the report");
    }
    ExitCode::SUCCESS
}

/// Opens a page in a new browser and returns its figures.
fn measured(
    service: &Service,
    faults: &Faults,
    subject: &Subject,
    conditions: Conditions,
) -> Figures {
    let script = format!(
        "{PROBE} const rest = () => new Promise((done) => setTimeout(done, 1500)); \
         addEventListener('DOMContentLoaded', async () => {{ {} window.isDone = true; }});",
        subject.script
    );
    let token = service.demo_text("apiKey");
    // On a local address the loader runs checks for developers, which would distort the figures. Pages
    // with a token need one: over HTTP, tokens are sent to local addresses only.
    let address = |of: String| match subject.body.contains("TOKEN") {
        true => of,
        false => of.replace("127.0.0.1", ELSEWHERE),
    };
    let [picker_script, module] = picker_files();
    let body = subject
        .body
        .replace("SERVICE", &address(service.url("")))
        .replace("MODULE", &module)
        .replace("SCRIPT", &picker_script)
        .replace("PEERS", &address(peers::server().unwrap_or_default()));
    let page = Page::open_recording_requests("about:blank");
    // A new browser is still loading parts of its own window, which would be measured, too.
    std::thread::sleep(SETTLE);
    conditions.apply(&page);
    // Peers also request files of their vendors' sites.
    if peers::version(subject.name).is_some() {
        let outside = json!({ "urls": ["https://*"] });
        page.devtools("Network.setBlockedURLs", outside);
    }
    if body.starts_with('/') {
        // The policy of that page forbids scripts of others.
        let source = json!({ "source": script });
        page.devtools("Page.addScriptToEvaluateOnNewDocument", source);
        page.go(&address(service.url(&body)));
    } else {
        let html = format!(
            "<!doctype html><html lang=\"en-US\"><meta charset=\"utf-8\"><title>A page</title>\
             <link rel=\"icon\" href=\"data:,\"><script>{script}</script><body>{}</body></html>",
            body.replace("TOKEN", &token)
        );
        faults.page("/page.html", &[], &html);
        open(&page, faults, subject.visit, address);
    }
    wait_for(&page, "isDone");
    if subject.visit == Visit::Reload {
        page.run("isDone = false; location.reload()", &[]);
        wait_for(&page, "isDone");
    } else if subject.visit == Visit::Back {
        page.go(&address(faults.url("/embed/floor.css")));
        page.back();
        wait_for(&page, "hasReturned");
    }
    let ended = page.run("return performance.now()", &[]);
    let entry = page.run("return told()", &[]);
    let mut figures: Figures = entry
        .as_object()
        .expect("figures")
        .iter()
        .filter_map(|(name, value)| Some((name.clone(), value.as_f64()?)))
        .collect();
    if subject.visit != Visit::First {
        // The others are those of the first load.
        figures.retain(|figure, _| ["slot", "view"].contains(&figure.as_str()));
        return figures;
    }
    figures.insert("ended".to_owned(), ended.as_f64().unwrap_or(0.0));
    traffic(&page.devtools_log(), &mut figures);
    page.devtools("HeapProfiler.collectGarbage", json!({}));
    page.devtools("Performance.enable", json!({}));
    let metrics = page.devtools("Performance.getMetrics", json!({}));
    let metrics = metrics["metrics"].as_array().expect("metrics");
    let heap = metrics
        .iter()
        .find(|metric| metric["name"] == "JSHeapUsedSize");
    let heap = heap.and_then(|metric| metric["value"].as_f64());
    figures.insert("heap".to_owned(), heap.expect("the size of the heap"));
    figures
}

/// Opens `/page.html`, or the page that prerenders it.
fn open(page: &Page, faults: &Faults, visit: Visit, address: impl Fn(String) -> String) {
    if visit != Visit::Prerendered {
        return page.go(&address(faults.url("/page.html")));
    }
    let rules = r#"<!doctype html><meta charset="utf-8"><title>The page before</title>
        <link rel="icon" href="data:,"><script type="speculationrules">
        { "prerender": [{ "urls": ["/page.html"], "eagerness": "immediate" }] }</script>"#;
    faults.page("/before.html", &[], rules);
    page.go(&address(faults.url("/before.html")));
    std::thread::sleep(SETTLE);
    page.run("location.href = '/page.html'", &[]);
    wait_for(page, "isPrerendered");
}

/// Waits until a script of the page has set this variable.
fn wait_for(page: &Page, variable: &str) {
    page.wait_up_to(TIMEOUT, "the page to have shown everything", || {
        page.run(&format!("return window.{variable} === true"), &[]) == true
    });
}

/// Adds up requests and bytes, by kind, until `slot` was painted, and bytes in all.
fn traffic(log: &[Value], figures: &mut Figures) {
    let of = |method: &'static str| {
        let entries = log.iter().filter(move |entry| entry["method"] == method);
        entries.map(|entry| &entry["params"])
    };
    let kinds: BTreeMap<&str, &str> = of("Network.responseReceived")
        .map(|entry| {
            let response = &entry["response"];
            let kind = match response["mimeType"].as_str().unwrap_or("") {
                "text/javascript" => "bytes-script",
                "application/wasm" => "bytes-wasm",
                "application/json" => "bytes-api",
                _ => "bytes-other",
            };
            (entry["requestId"].as_str().unwrap_or(""), kind)
        })
        .collect();
    let sent = of("Network.requestWillBeSent").filter(|entry| {
        entry["request"]["url"]
            .as_str()
            .is_some_and(|url| url.starts_with("http"))
    });
    let mut began = BTreeMap::new();
    let mut first = None;
    for entry in sent {
        let time = entry["timestamp"].as_f64().unwrap_or(0.0);
        let start = *first.get_or_insert(time);
        began.insert(
            entry["requestId"].as_str().unwrap_or(""),
            1e3 * (time - start),
        );
    }
    let until = figures.get("slot").copied().unwrap_or(f64::MAX);
    for name in [
        "bytes-script",
        "bytes-wasm",
        "bytes-api",
        "bytes-other",
        "bytes",
        "bytes-all",
    ] {
        figures.insert(name.to_owned(), 0.0);
    }
    for entry in of("Network.loadingFinished") {
        let id = entry["requestId"].as_str().unwrap_or("");
        let (Some(kind), true) = (kinds.get(id), began.contains_key(id)) else {
            continue;
        };
        let bytes = entry["encodedDataLength"].as_f64().unwrap_or(0.0);
        let time = entry["timestamp"].as_f64().unwrap_or(0.0);
        let at = 1e3 * (time - first.unwrap_or(time));
        *figures.entry("bytes-all".to_owned()).or_default() += bytes;
        if at <= until {
            *figures.entry("bytes".to_owned()).or_default() += bytes;
            *figures.entry((*kind).to_owned()).or_default() += bytes;
        }
    }
    let requests = began.values().filter(|at| **at <= until).count();
    figures.insert("requests".to_owned(), requests as f64);
}

/// Median, least and most of each figure, and the ratios of some figures of each picker and peer to floor.
fn summary(all: &BTreeMap<String, Vec<Figures>>, subjects: &[&Subject]) -> Value {
    let mut summary = json!({ "pages": {}, "ratios": {} });
    for (page, rounds) in all {
        for (figure, _, _) in FIGURES {
            let mut values: Vec<f64> = rounds
                .iter()
                .filter_map(|figures| figures.get(figure).copied())
                .collect();
            if values.is_empty() {
                continue;
            }
            values.sort_by(f64::total_cmp);
            summary["pages"][page][figure] = json!({
                "median": values[values.len() / 2],
                "least": values[0],
                "most": values[values.len() - 1],
            });
        }
    }
    let is_compared = |subject: &&&Subject| {
        let has_slots =
            subject.name.starts_with("picker") || peers::version(subject.name).is_some();
        has_slots && subject.visit == Visit::First
    };
    let compared = subjects.iter().filter(is_compared);
    for name in compared.map(|subject| subject.name) {
        for conditions in BOTH {
            let of = |name: &str, figure: &str| {
                summary["pages"][label(name, *conditions)][figure]["median"].as_f64()
            };
            let ratio = |figure: &str| Some(of(name, figure)? / of("floor", figure)?);
            let ratios: BTreeMap<&str, f64> = ["fcp", "slot", "view", "form"]
                .into_iter()
                .filter_map(|figure| Some((figure, ratio(figure)?)))
                .collect();
            summary["ratios"][label(name, *conditions)] = json!(ratios);
        }
    }
    summary
}

fn print(summary: &Value) {
    for (page, figures) in summary["pages"].as_object().into_iter().flatten() {
        println!(
            "\n{page:<46} {:>10} {:>10} {:>10}",
            "median", "least", "most"
        );
        for (figure, unit, words) in FIGURES {
            let entry = &figures[figure];
            if entry.is_null() {
                continue;
            }
            let cell = |which: &str| {
                let value = entry[which].as_f64().unwrap_or(0.0);
                match unit {
                    "B" => format!("{value:.0}"),
                    "ms" => format!("{value:.1}"),
                    _ if figure == "shift" => format!("{value:.4}"),
                    _ => format!("{value:.0}"),
                }
            };
            let words = format!("{words}{}", if unit.is_empty() { "" } else { ", " }) + unit;
            println!(
                "  {words:<44} {:>10} {:>10} {:>10}",
                cell("median"),
                cell("least"),
                cell("most")
            );
        }
    }
    println!();
    for (conditions, ratios) in summary["ratios"].as_object().into_iter().flatten() {
        for (figure, ratio) in ratios.as_object().into_iter().flatten() {
            let ratio = ratio.as_f64().unwrap_or(0.0);
            println!("{conditions}: {figure} is {ratio:.2} times that of the floor");
        }
    }
}
