//! Screenshots of every screen in every state, for visual review: `cargo xtask shots`.
//!
//! A scene brings a page into a state. Each scene runs once; then the whole page is captured at every width, light
//! and dark, mirrored at some, and once with text of twice the size. Messages and the pages behind their links are
//! files that `cargo xtask shots` has written; their pictures are `mail-*.png`.

#![allow(clippy::expect_used, clippy::indexing_slicing)]

mod common;
mod screenshots;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use common::{Faults, GROUP_TRAINING, PARTNER_CALL, Page, Service, WEEKLY_COACHING, instant, now};
use screenshots::{Content, Scene};
use serde_json::json;

/// Widths in CSS pixels.
const WIDTHS: [u32; 5] = [320, 390, 768, 1280, 1600];

/// Widths of the mirrored screenshots.
const MIRRORED: [u32; 2] = [390, 1280];

/// Widths of messages, and of the pages behind their links.
const MESSAGE_WIDTHS: [u32; 2] = [320, 640];

/// Width of the screenshot with large text.
const LARGE_TEXT: u32 = 390;

/// Height of the window while a scene runs; taller only for the picture of a longer page.
const HEIGHT: u64 = 900;

fn main() -> ExitCode {
    let only = std::env::args().nth(1).unwrap_or_default();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/shots");
    fs::create_dir_all(&folder).expect("a folder for the pictures");

    let service = Service::start();
    let faults = Faults::before(&service);
    for id in [WEEKLY_COACHING, GROUP_TRAINING] {
        service.unhide_event_type(id);
    }
    service.update_event_type(
        PARTNER_CALL,
        &json!({ "hidden": false, "requiresBookerEmailVerification": true }),
    );
    // Its messages are in the outbox.
    create_booking_for_scene(&service);
    let page = Page::open("about:blank");
    let mut failed = Vec::new();
    for scene in screenshots::all() {
        let name = &scene.name;
        if !name.contains(&only) {
            continue;
        }
        let start = Instant::now();
        // A scene that fails must not lose the screenshots of all others.
        let taken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            capture_scene(&page, &service, &faults, &scene, &folder.join(name))
        }));
        faults.clear();
        faults.release();
        match taken {
            Ok(count) => println!("{name}: {count} pictures in {:.1?}", start.elapsed()),
            Err(_) => failed.push(name.clone()),
        }
    }
    capture_messages(&page, &only, &folder);
    if failed.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!("not reached: {}", failed.join(", "));
    ExitCode::FAILURE
}

/// Makes a booking for a screenshot, at a time that no other screenshot uses, and returns its uid.
fn create_booking_for_scene(service: &Service) -> String {
    let now = now();
    let path = format!(
        "/v2/slots?eventTypeId=1&start={now}&end={}",
        now.plus_minutes(30 * 24 * 60)
    );
    let days = service.visitor().get(&path).data();
    let last = days.as_object().and_then(|days| days.values().next_back());
    let start = instant(&last.expect("free times")[0]["start"]);
    common::create_booking_of_grace(service, 1, start)
}

/// Returns an embedding page with `body`.
fn page_with(body: &str) -> String {
    format!(
        r#"<!doctype html><html lang="en" dir="ltr"><meta charset="utf-8"><title>Somebody’s page</title>
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <link rel="stylesheet" href="/embed/demo.css">
        <script type="module" src="/embed/embed.js"></script><main>{body}</main></html>"#
    )
}

/// Takes all screenshots of a scene; their paths start with `path`. Returns their number.
fn capture_scene(
    page: &Page,
    service: &Service,
    faults: &Faults,
    scene: &Scene,
    path: &Path,
) -> usize {
    resize(page, 1280, HEIGHT);
    set_scheme(page, "light");
    let address = match &scene.content {
        Content::Path(path) => faults.url(path),
        Content::Html(body) => {
            let uid = if body.contains("{uid}") {
                create_booking_for_scene(service)
            } else {
                String::new()
            };
            let path = format!("/{}.html", scene.name);
            faults.page(&path, &[], &page_with(&body.replace("{uid}", &uid)));
            faults.url(&path)
        }
    };
    (scene.faults)(faults);
    page.go("about:blank");
    page.go(&address);
    page.wait_for_quiet();
    (scene.steps)(page);

    let mut count = 0;
    let mut save = |variant: &str| {
        save_screenshot(page, &screenshot_path(path, variant));
        count += 1;
    };
    for width in WIDTHS {
        lay_out(page, width);
        for scheme in ["light", "dark"] {
            set_scheme(page, scheme);
            save(&format!("{width}-{scheme}"));
        }
    }
    set_scheme(page, "light");
    let root = "const root = document.documentElement; ";
    page.run(
        &format!("{root} root.style.setProperty('--booking-font-size', '32px')"),
        &[],
    );
    lay_out(page, LARGE_TEXT);
    save(&format!("{LARGE_TEXT}-light-text200"));
    page.run(
        &format!("{root} root.style.removeProperty('--booking-font-size'); root.dir = 'rtl'"),
        &[],
    );
    for width in MIRRORED {
        lay_out(page, width);
        save(&format!("{width}-light-rtl"));
    }
    count
}

/// Takes the screenshots of messages and pages: all in English, a few in other languages.
fn capture_messages(page: &Page, only: &str, folder: &Path) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/mail-pages");
    let files = fs::read_dir(source).expect("messages in target/mail-pages");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    files.sort();
    for file in files {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let others = ["-booked-attendee", "-requested-host", "-page-00", "-long"];
        let is_chosen = stem.starts_with("en-") || others.iter().any(|end| stem.ends_with(end));
        let name = format!("mail-{stem}");
        if file.extension().is_none_or(|kind| kind != "html") || !is_chosen || !name.contains(only)
        {
            continue;
        }
        page.go(&format!("file://{}", file.display()));
        for width in MESSAGE_WIDTHS {
            lay_out(page, width);
            for scheme in ["light", "dark"] {
                set_scheme(page, scheme);
                let path = screenshot_path(&folder.join(&name), &format!("{width}-{scheme}"));
                save_screenshot(page, &path);
            }
        }
    }
}

/// Sets the colour scheme of the page.
fn set_scheme(page: &Page, scheme: &str) {
    let features = json!([
        { "name": "prefers-color-scheme", "value": scheme },
        { "name": "prefers-reduced-motion", "value": "reduce" },
    ]);
    page.devtools(
        "Emulation.setEmulatedMedia",
        json!({ "features": features }),
    );
    // Only colours change, so that two frames suffice.
    let frames =
        "return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";
    page.run(frames, &[]);
}

fn resize(page: &Page, width: u64, height: u64) {
    let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
    page.devtools("Emulation.setDeviceMetricsOverride", size);
}

/// Sets the width of the page, and a height that shows all of it: content far below the viewport is rendered only
/// once the viewport is tall enough.
fn lay_out(page: &Page, width: u32) {
    resize(page, width.into(), HEIGHT);
    page.wait_for_quiet();
    let [_, height] = content_size(page);
    if height > HEIGHT {
        resize(page, width.into(), height.min(12_000));
        page.wait_for_quiet();
    }
}

/// Width and height of the page's content.
fn content_size(page: &Page) -> [u64; 2] {
    let metrics = page.devtools("Page.getLayoutMetrics", json!({}));
    ["width", "height"].map(|side| {
        let length = metrics["cssContentSize"][side].as_f64();
        length.unwrap_or(0.0).ceil() as u64
    })
}

/// Captures the whole page, which [`lay_out`] has prepared.
fn save_screenshot(page: &Page, path: &Path) {
    let [width, height] = content_size(page);
    // The viewport shows all of it: beyond the viewport, mirrored content is captured at a wrong position.
    let clip = json!({
        "x": 0, "y": 0, "width": width, "height": height, "scale": 1,
    });
    let options = json!({ "format": "png", "clip": clip, "optimizeForSpeed": true });
    let picture = page.devtools("Page.captureScreenshot", options);
    let data = picture["data"].as_str().unwrap_or("");
    let png = BASE64_STANDARD.decode(data).expect("a picture");
    fs::write(path, png).expect("the picture is written");
    let window = page.run("return window.innerWidth", &[]);
    if Some(width) > window.as_u64() {
        println!(
            "{}: the page is {width} wide and scrolls sideways",
            path.display()
        );
    }
}

fn screenshot_path(path: &Path, variant: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!("-{variant}.png"));
    PathBuf::from(name)
}
